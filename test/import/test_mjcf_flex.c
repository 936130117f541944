/* MJCF's <flexcomp> and <flex> of three dimensions: numbers, materials, pins; their sentences are
 * among test_mjcf_errors.c. */
#include "model/model.h"
#include "support/scene.h"
#include "support/simulation.h"
#include "support/world.h"

#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLEX(attributes, children)                                                 \
  "<mujoco><worldbody><geom type='plane'/><body pos='0 0 1'><joint type='slide'/>" \
  "<geom size='.01' mass='1'/><flexcomp name='f' dim='3' " attributes ">" children \
  "</flexcomp></body></worldbody></mujoco>"
#define YOUNG "<elasticity young='1e5' poisson='.2' damping='.01'/>"

/* A grid's nodes are counted with z the fastest in the format. */
static void test_grid(void** state) {
  (void)state;
  carom_model* model = scene_load(
      FLEX("count='3 2 4' spacing='.1 .2 .3' mass='6' rgba='1 0 0 1' carom:material='neo_hookean' "
           "carom:alpha='3'",
           YOUNG "<contact friction='.4' carom:static_friction='.5' carom:stribeck_speed='.3' "
                 "carom:hunt_crossley='2'/><pin id='5 16' grid='2 0 0' gridrange='2 0 0 2 1 0'/>"));
  carom_soft_info s = carom_model_get_soft(model, carom_model_find_soft(model, "f"));
  assert_int_equal(s.num_nodes, 24);
  assert_int_equal(s.num_elements, 5 * 2 * 1 * 3);
  check_near(s.mass, 6, 1e-12);
  check_near(s.volume, 0.2 * 0.2 * 0.9, 1e-12);
  check_near(s.poisson, 0.2, 0);
  check_near(s.beta, 0.01, 0);
  check_near(s.alpha, 3, 0);
  check_near(s.friction, 0.4, 0);
  check_near(s.rgba[0], 1, 0);
  const carom_surface* surface = &model->soft.part[0].contact_surface;
  check_near(surface->static_friction, 0.5, 0);
  check_near(surface->stribeck_speed, 0.3, 0);
  check_near(surface->hunt_crossley, 2, 0);
  assert_int_equal(s.law, CAROM_SOFT_NEO_HOOKEAN);
  int held = 0;
  for (int n = 0; n < 24; n++) held += s.held[n] == 2;
  assert_int_equal(held, 3);
  /* Node 5 of the format is (0, 1, 1). */
  assert_int_equal(s.held[0 + 3 * (1 + 2 * 1)], 2);
  assert_int_equal(s.held[2], 2);
  const double* corner = s.nodes;
  check_near(corner[0], -0.1, 1e-15);
  check_near(corner[2], 1 - 0.45, 1e-12);
  carom_model_destroy(model);
}

/* Pins of a body that does not move fix their nodes; a density replaces the mass; ten nodes. */
static void test_fixed(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><flexcomp dim='3' type='cylinder' count='3 3 3' spacing='.1 .1 .1' "
      "carom:density='500' carom:quadratic='true'>" YOUNG
      "<pin carom:box='-1 -1 -1 1 1 -.0999'/></flexcomp></worldbody></mujoco>");
  carom_soft_info s = carom_model_get_soft(model, 0);
  assert_int_equal(s.nodes_per_element, 10);
  check_near(s.mass, 500 * s.volume, 1e-9);
  for (int n = 0; n < s.num_nodes; n++)
    assert_int_equal(s.held[n], s.nodes[3 * n + 2] < -0.0999 ? 1 : 0);
  assert_int_equal(carom_model_get_sizes(model).num_notes, 1);
  carom_model_destroy(model);
}

/* A body touches itself unless the file says otherwise, in whichever way it is to be looked for. */
static void test_self(void** state) {
  (void)state;
  static const char* const texts[] = {FLEX("", YOUNG),
                                      FLEX("", YOUNG "<contact selfcollide='bvh'/>"),
                                      FLEX("", YOUNG "<contact selfcollide='none'/>"),
                                      FLEX("", YOUNG "<contact contype='1' conaffinity='2'/>")};
  for (int k = 0; k < 4; k++) {
    carom_model* model = scene_load(texts[k]);
    assert_int_equal(model->soft.part[0].touches_itself, k < 2);
    carom_model_destroy(model);
  }
}

#define MESH(file, attributes, pin)                                       \
  "<mujoco><worldbody><flexcomp dim='3' type='gmsh' file='" CR_SOURCE_DIR \
  "/test/fuzz/corpus/" file "' scale='2 2 2' " attributes ">" YOUNG pin   \
  "</flexcomp></worldbody></mujoco>"

/* Pins name physical groups and values of data; with ten nodes the middles of edges come along. */
static void test_regions(void** state) {
  (void)state;
  const char* const scenes[] = {
      MESH("gmsh/two_regions_41.msh", "", "<pin carom:region='held here'/>"),
      MESH("gmsh/two_binary_22.msh", "", "<pin carom:region='held here'/>"),
      MESH("vtu/two_raw_zlib.vtu", "", "<pin carom:region='part=7'/>"),
      MESH("vtu/two_raw_zlib.vtu", "carom:quadratic='true'", "<pin carom:region='part=7'/>")};
  for (int k = 0; k < 4; k++) {
    carom_model* model = scene_load(scenes[k]);
    carom_soft_info s = carom_model_get_soft(model, 0);
    assert_int_equal(s.num_nodes, k == 3 ? 5 + 9 : 5);
    for (int n = 0; n < s.num_nodes; n++)
      assert_int_equal(s.held[n], s.nodes[3 * n + 2] == 0 ? 1 : 0);
    carom_model_destroy(model);
  }
}

/* The gripper of the scenes lifts its box and holds it: what slips in a second of rest is within
 * what the solver's tolerance leaves of it. */
static void test_gripper(void** state) {
  (void)state;
  carom_model* model;
  carom_error error;
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  if (carom_model_load(CR_SOURCE_DIR "/scenes/soft_gripper.xml", NULL, &model, &error) != CAROM_OK)
    fail_msg("%s", error.message);
  world w = world_create_from(model, &options);
  world_run(&w, 100);
  double height = world_q(&w)[2], lift = world_q(&w)[7];
  assert_true(height > 0.06);
  for (int i = 0; i < 100; i++) {
    carom_step_report report = world_step(&w);
    assert_int_equal(report.substeps, 1);
    assert_true(report.stick_slip < 1e-5);
  }
  check_near(world_q(&w)[2] - height, world_q(&w)[7] - lift, 2e-5);
  world_destroy(&w);
}

/* A substance gives what the file does not; numbers may have units, and meshes. */
static void test_units(void** state) {
  (void)state;
  static const char POINTS[] = "type='direct' point='0 0 0 10 0 0 0 10 0 0 0 10' element='0 1 2 3'";
  static const struct {
    const char *attributes, *elasticity;
    double side, young, poisson, density;
  } cases[] = {
      {"carom:unit='mm'", "young='0.5 MPa' poisson='.4'", 0.01, 5e5, 0.4, NAN},
      {"carom:unit='cm' carom:substance='rubber'", "", 0.1, 1.5e6, 0.49, 950},
      {"carom:substance='steel' carom:density='7.9 g/cm3'", "poisson='.3'", 10, 200e9, 0.3, 7900},
      {"carom:substance='nylon' mass='3'", "young='2e9'", 10, 2e9, 0.4, 3 / (1000.0 / 6)},
      {"carom:density='900 kg/m3' carom:pressure='2 kPa'", "young='7 Pa'", 10, 7, 0, 900},
  };
  for (int k = 0; k < 5; k++) {
    char text[600];
    sprintf(text,
            "<mujoco><worldbody><flexcomp dim='3' %s %s><elasticity %s/></flexcomp></worldbody>"
            "</mujoco>",
            POINTS, cases[k].attributes, cases[k].elasticity);
    carom_model* model = scene_load(text);
    carom_soft_info s = carom_model_get_soft(model, 0);
    check_near(s.nodes[3], cases[k].side, 1e-15);
    check_near(s.young, cases[k].young, 1e-9);
    check_near(s.poisson, cases[k].poisson, 0);
    if (k > 0) check_near(s.density, cases[k].density, 1e-9);
    if (k == 0) check_near(s.mass, 1, 1e-12);
    check_near(model->soft.part[0].pressure, k == 4 ? 2000 : 0, 0);
    carom_model_destroy(model);
  }
}

/* --- The compiled form --------------------------------------------------------------------------
 */

/* What bodies are made of that flexes hang on: a plane, and a block that falls with the flex. */
#define AROUND                                                                               \
  "<worldbody><geom type='plane'/><body name='b' pos='.1 .2 .2' euler='0 30 0'><freejoint/>" \
  "<geom type='box' size='.1 .1 .02' mass='1'/>%s</body>%s</worldbody>"
#define LOOK  " dim='3' radius='.004' "
#define PARTS "<elasticity young='1e5' poisson='.2' damping='.01'/><contact friction='.4'/>"

/* Appends to a text that is long enough. */
#define WRITE(to, ...) ((to) += sprintf((to), __VA_ARGS__))

/* The form into which the format compiles a soft body: a body of three slides for each free node,
 * in the frame of the body around, whose frame in the world is `at`; held nodes stand on that. */
static char* write_flex(const carom_soft_info* s, const pose* at, const char* around) {
  size_t room = 400 * (size_t)(s->num_nodes + s->num_elements) + 2000;
  char *text = malloc(3 * room), *bodies = malloc(room);
  assert_non_null(text);
  assert_non_null(bodies);
  char *to = bodies, *end = text;
  for (int n = 0; n < s->num_nodes; n++) {
    v3 x = pose_inverse_point(at, v3_load(s->nodes + 3 * (size_t)n));
    if (!s->held[n])
      WRITE(to,
            "<body name='n%d' pos='%.17g %.17g %.17g'><inertial pos='0 0 0' mass='%.17g' "
            "diaginertia='1e-5 1e-5 1e-5'/><joint type='slide' axis='1 0 0'/><joint type='slide' "
            "axis='0 1 0'/><joint type='slide'/></body>",
            n, x.x, x.y, x.z, s->mass / s->num_nodes);
  }
  *to = '\0';
  bool in_body = strcmp(around, "b") == 0;
  WRITE(end, "<mujoco>" AROUND "<deformable><flex name='f'" LOOK "body='", in_body ? bodies : "",
        in_body ? "" : bodies);
  for (int n = 0; n < s->num_nodes; n++)
    if (s->held[n])
      WRITE(end, "%s ", around);
    else
      WRITE(end, "n%d ", n);
  WRITE(end, "' vertex='");
  for (int n = 0; n < s->num_nodes; n++) {
    v3 x = pose_inverse_point(at, v3_load(s->nodes + 3 * (size_t)n));
    if (!s->held[n]) x = v3_zero();
    WRITE(end, "%.17g %.17g %.17g ", x.x, x.y, x.z);
  }
  WRITE(end, "' element='");
  /* The format has its elements the other way round. */
  for (int e = 0; e < s->num_elements; e++) {
    const int* node = s->elements + 4 * (size_t)e;
    WRITE(end, "%d %d %d %d ", node[0], node[2], node[1], node[3]);
  }
  WRITE(end, "'>" PARTS "</flex></deformable></mujoco>");
  free(bodies);
  return text;
}

/* A soft body falls with the block that it is glued to, or from pins in the world, and lands: its
 * compiled form does the same but for round-off, which 40 stiff steps amplify a thousandfold. */
static void test_compiled_form(void** state) {
  (void)state;
  static const char* const pins[2] = {"<pin gridrange='0 0 0 0 2 1'/>", "<pin id='0 3'/>"};
  for (int k = 0; k < 2; k++) {
    char flexcomp[600], text[2000];
    sprintf(flexcomp,
            "<flexcomp name='f'" LOOK "type='grid' count='3 3 2' spacing='.05 .04 .03' mass='.9' "
            "pos='.16 0 .1' euler='0 10 20'>" PARTS "%s</flexcomp>",
            pins[k]);
    sprintf(text, "<mujoco>" AROUND "</mujoco>", k == 0 ? flexcomp : "", k == 0 ? "" : flexcomp);
    carom_sim_def options = world_def(0.005, CAROM_IMPLICIT);
    world a = world_create(text, &options);
    pose at = {v3_zero(), m3_identity()};
    if (k == 0) at = (pose){v3_load(world_q(&a)), quat_to_m3(quat_load(world_q(&a) + 3))};
    carom_soft_info s = carom_model_get_soft(a.model, carom_model_find_soft(a.model, "f"));
    char* compiled = write_flex(&s, &at, k == 0 ? "b" : "world");
    world b = world_create(compiled, &options);
    free(compiled);
    assert_int_equal(a.sizes.num_v, b.sizes.num_v);
    world_run(&a, 39);
    world_run(&b, 39);
    carom_step_report last = world_step(&a);
    if (k == 0) assert_true(last.contacts > 0);
    world_step(&b);
    for (int i = 0; i < a.sizes.num_q; i++) check_near(world_q(&a)[i], world_q(&b)[i], 1e-12);
    world_destroy(&a);
    world_destroy(&b);
  }
}

/* What is on one body that stays is held there; a body with more than three slides to it holds its
 * vertex, as does one that several vertices stand on. */
static void test_flex_holds(void** state) {
  (void)state;
  static const char SHAPE[] = "element='0 1 2 3'>" PARTS "</flex></deformable></mujoco>";
  char text[1200];
  sprintf(text,
          "<mujoco><deformable><flex dim='3' body='world' vertex='0 0 0 1 0 0 0 1 0 0 0 1' %s",
          SHAPE);
  carom_model* model = scene_load(text);
  carom_soft_info s = carom_model_get_soft(model, 0);
  for (int n = 0; n < 4; n++) assert_int_equal(s.held[n], 1);
  carom_model_destroy(model);
  static const char NODE[] = "<inertial pos='0 0 0' mass='.25' diaginertia='1 1 1'/><joint "
                             "type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>";
  sprintf(
      text,
      "<mujoco><worldbody><body name='x' pos='1 0 0'>%s<joint type='slide' damping='0 1'/></body>"
      "<body name='y' pos='0 1 0'>%s<joint type='slide'/></body><body name='z' pos='0 0 1' "
      "euler='0 0 90'>%s<joint type='slide'/><geom size='.1'/></body></worldbody><deformable>"
      "<flex dim='3' body='world x y z' vertex='0 0 0 .5 0 0 0 0 0 0 1 1' %s",
      NODE, NODE, NODE, SHAPE);
  model = scene_load(text);
  s = carom_model_get_soft(model, 0);
  static const int held[4] = {1, 2, 0, 2};
  for (int n = 0; n < 4; n++) assert_int_equal(s.held[n], held[n]);
  check_near(s.mass, 4 * 0.25, 1e-12);
  check_near(s.nodes[3], 1.5, 1e-15);
  check_near(s.nodes[9], -1, 1e-12);
  check_near(s.nodes[11], 2, 1e-15);
  assert_int_equal(carom_model_get_sizes(model).num_bodies, 3);
  carom_model_destroy(model);
}

/* Points and elements of the file itself; their order says nothing about inside and outside. */
static void test_direct(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><flexcomp dim='3' type='direct' point='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
      "element='0 2 1 3 1 2 3 4' scale='.5 .5 .5' origin='1 0 0' mass='3'>" YOUNG
      "<pin id='4'/></flexcomp></worldbody></mujoco>");
  carom_soft_info s = carom_model_get_soft(model, 0);
  assert_int_equal(s.num_elements, 2);
  check_near(s.volume, (1.0 / 6 + 1.0 / 3) / 8, 1e-15);
  check_near(s.nodes[0], -0.5, 1e-15);
  assert_int_equal(s.held[4], 1);
  carom_model_destroy(model);
}

/* A flexcomp whose edges keep their lengths is a rigid body; centre and moments are those of the
 * nodes that MuJoCo 4.0 makes of it, which weigh the same. */
static void test_rigid(void** state) {
  (void)state;
#define EDGE(shape)                                                                               \
  "<mujoco><worldbody><geom type='plane'/><flexcomp name='f' dim='3' pos='1 2 3' mass='5' " shape \
  "><edge equality='true'/></flexcomp></worldbody></mujoco>"
  static const struct {
    const char* text;
    double com[3], moments[3];
  } BODIES[] = {
      {EDGE("type='grid' count='4 3 5' spacing='.1 .2 .15'"),
       {0, 0, 0},
       {0.35833333, 0.2875, 0.19583333}},
      {EDGE("type='box' count='4 3 5' spacing='.1 .2 .15'"),
       {0, 0, 0},
       {0.38272727, 0.30409091, 0.21227273}},
      {EDGE("type='cylinder' count='4 4 5' spacing='.1 .2 .15'"),
       {0, 0, 0},
       {0.44637681, 0.29746377, 0.24818841}},
      {EDGE("type='ellipsoid' count='5 4 6' spacing='.1 .2 .15' dof='trilinear'"),
       {0, 0, 0},
       {0.37411013, 0.27006236, 0.23314596}},
      {EDGE("type='direct' point='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' element='0 1 2 3 1 2 3 4'"),
       {0.4, 0.4, 0.4},
       {2.4, 2.4, 2.4}}};
  for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
    carom_model* model = scene_load(BODIES[i].text);
    carom_body_info body = carom_model_get_body(model, carom_model_find_body(model, "f"));
    assert_int_equal(carom_model_get_sizes(model).num_softs, 0);
    assert_int_equal(carom_model_get_sizes(model).num_v, 6);
    check_near(body.mass, 5, 1e-14);
    check_near_array(body.com, BODIES[i].com, 3, 1e-15);
    check_near_array(body.inertia, BODIES[i].moments, 3, 1e-8);
    carom_model_destroy(model);
  }
}

/* The rigid body falls as one and lies on the floor; with nodes that move radially it is part of
 * the body around. */
static void test_rigid_lies(void** state) {
  (void)state;
#define CUBE                                                                             \
  "<flexcomp name='f' dim='3' type='grid' count='3 3 3' spacing='.1 .1 .1' mass='2' %s>" \
  "<edge equality='true'/></flexcomp>"
  static const char* const SCENES[] = {
      "<mujoco><worldbody><geom type='plane'/><frame pos='0 0 .15'>" CUBE "</frame></worldbody>"
      "</mujoco>",
      "<mujoco><worldbody><geom type='plane'/><body pos='0 0 .15'><freejoint/><inertial pos='0 0 "
      "0' "
      "mass='1' diaginertia='1 1 1'/>" CUBE "</body></worldbody></mujoco>"};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text, SCENES[i], i == 1 ? "dof='radial'" : "");
    simulation s = simulation_create_from_model(scene_load(text), NULL);
    double frame[7];
    simulation_run_until(&s, 1);
    simulation_compute_pose(&s, simulation_find_body(&s, "f"), frame);
    check_near_array(frame, ((double[]){0, 0, 0.1}), 3, 1e-6);
    assert_int_equal(carom_model_get_sizes(s.model).num_v, 6);
    simulation_destroy(&s);
  }
}

/* Cells that nodes are interpolated between are a coarser form of the same solid. */
static void test_interpolated(void** state) {
  (void)state;
  carom_model* model = scene_load(FLEX("count='3 3 3' spacing='.1 .1 .1' dof='quadratic' "
                                       "cellcount='1 1 1'",
                                       YOUNG "<edge damping='1'/>"));
  assert_int_equal(carom_model_get_soft(model, 0).num_nodes, 27);
  scene_expect_note(model, "scene.xml:1: flexcomp dof: read as a solid whose nodes move by "
                           "themselves, not with the corners of cells");
  scene_expect_note(model, "scene.xml:1: edge damping: not used: edges have none, elements have "
                           "that of <elasticity>");
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid),       cmocka_unit_test(test_fixed),
      cmocka_unit_test(test_self),       cmocka_unit_test(test_regions),
      cmocka_unit_test(test_gripper),    cmocka_unit_test(test_compiled_form),
      cmocka_unit_test(test_flex_holds), cmocka_unit_test(test_direct),
      cmocka_unit_test(test_units),      cmocka_unit_test(test_rigid),
      cmocka_unit_test(test_rigid_lies), cmocka_unit_test(test_interpolated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
