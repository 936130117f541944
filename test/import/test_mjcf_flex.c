/* MJCF's <flexcomp> of three dimensions: numbers, materials, pins; its sentences are among
 * test_mjcf_errors.c. */
#include "model/model.h"
#include "support/scene.h"
#include "support/world.h"

#include <math.h>

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
           YOUNG "<contact friction='.4'/><pin id='5' gridrange='2 0 0 2 1 0'/>"));
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

#define MESH(file, attributes, pin)                                          \
  "<mujoco><worldbody><flexcomp dim='3' type='gmsh' file='" CR_SOURCE_DIR    \
  "/test/fuzz/corpus/tets/" file "' scale='2 2 2' " attributes ">" YOUNG pin \
  "</flexcomp></worldbody></mujoco>"

/* Pins name physical groups and values of data; with ten nodes the middles of edges come along. */
static void test_regions(void** state) {
  (void)state;
  const char* const scenes[] = {
      MESH("two_regions_41.msh", "", "<pin carom:region='held here'/>"),
      MESH("two_binary_22.msh", "", "<pin carom:region='held here'/>"),
      MESH("two_raw_zlib.vtu", "", "<pin carom:region='part=7'/>"),
      MESH("two_raw_zlib.vtu", "carom:quadratic='true'", "<pin carom:region='part=7'/>")};
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid),    cmocka_unit_test(test_fixed),   cmocka_unit_test(test_self),
      cmocka_unit_test(test_regions), cmocka_unit_test(test_gripper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
