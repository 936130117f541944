/* Reactions of attachments: they balance weight and momentum, in every step and at rest; of glue,
 * of contacts on what is fixed, and as force sensors feel them. Strains. */
#include "model/model.h"
#include "support/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
#define BAR(pins)                                                                          \
  "<flexcomp name='bar' dim='3' type='grid' count='3 3 5' spacing='.05 .05 .05' mass='2' " \
  "pos='0 0 1'><elasticity young='2e5' poisson='.3' damping='.02'/><contact contype='0' "  \
  "conaffinity='0'/>" pins "</flexcomp>"
#define TOP         "<pin carom:body='world' carom:box='-1 -1 .0999 1 1 1'/>"
#define FOOT        "<pin carom:body='weight' carom:box='-1 -1 -1 1 1 -.0999'/>"
#define SCENE(body) "<mujoco><option gravity='0 0 -9.81'/><worldbody>" body "</worldbody></mujoco>"

static world load(const char* text) {
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  return world_create(text, &options);
}

/* Momentum of the first soft body's nodes, kg m/s; those that are fixed do not move. */
static v3 find_momentum(const world* w) {
  const cr_soft_part* part = &w->model->soft.part[0];
  const double* v = world_v(w) + w->model->tree.num_v;
  v3 sum = v3_zero();
  for (int n = 0; n < part->mesh.num_nodes; n++)
    if (w->model->soft.held[n] != 1)
      sum = v3_axpy(sum, part->body.mass[n], v3_load(v + 3 * (size_t)n));
  return sum;
}

static v3 force_of(const world* w, int attachment) {
  return v3_load(carom_sim_compute_reaction(w->sim, attachment).force);
}

/* Of a bar that falls into its hold: dp/dt is weight and reaction, and at rest the hold bears all.
 */
static void test_hanging(void** state) {
  (void)state;
  world w = load(SCENE(BAR(TOP)));
  check_near(v3_norm(force_of(&w, 0)), 0, 0);
  for (int i = 0; i < 400; i++) {
    v3 before = find_momentum(&w);
    world_step(&w);
    v3 rate = v3_scale(100, v3_sub(find_momentum(&w), before)), force = force_of(&w, 0);
    check_near(force.x, rate.x, 1e-7);
    check_near(force.z, rate.z + 2 * G, 1e-7);
  }
  check_near(force_of(&w, 0).z, 2 * G, 1e-6);
  carom_sim_forget(w.sim);
  check_near(v3_norm(force_of(&w, 0)), 0, 0);
  world_destroy(&w);
}

/* A weight that is glued to the lower end swings: the glue carries it, the upper end both. Forces
 * of the nodes add up to that of the attachment. */
static void test_glue(void** state) {
  (void)state;
  world w = load(SCENE("<body name='weight' pos='0 0 .875'><joint type='slide' axis='0 0 1'/>"
                       "<geom type='box' size='.05 .05 .025' mass='1'/></body>" BAR(TOP FOOT)));
  assert_int_equal(w.sizes.num_attachments, 2);
  carom_attachment_info glue = carom_model_get_attachment(w.model, 1);
  assert_int_equal(glue.body, carom_model_find_body(w.model, "weight"));
  assert_int_equal(glue.num_nodes, 9);
  double forces[27], sum = 0;
  for (int i = 0; i < 100; i++) {
    double soft = find_momentum(&w).z, rigid = world_v(&w)[0];
    world_step(&w);
    soft = 100 * (find_momentum(&w).z - soft), rigid = 100 * (world_v(&w)[0] - rigid);
    check_near(force_of(&w, 1).z, -(G + rigid), 1e-7);
    check_near(force_of(&w, 0).z, 3 * G + soft + rigid, 1e-6);
  }
  carom_sim_compute_node_reactions(w.sim, 1, forces);
  for (int n = 0; n < 9; n++) sum += forces[3 * n + 2];
  check_near(sum, force_of(&w, 1).z, 1e-12);
  world_destroy(&w);
}

/* A weight bends a bar of rubber through a right angle's third: where it comes to rest a step is no
 * matter of its length, since elastic forces are linearised where the bar is. */
static void test_rest(void** state) {
  (void)state;
  static const char TEXT[] = SCENE(
      "<body name='weight' pos='.225 0 1'><joint type='slide' axis='0 0 1'/>"
      "<joint type='slide' axis='1 0 0'/><joint type='hinge' axis='0 1 0'/>"
      "<geom type='box' size='.025 .05 .05' mass='.5' contype='0' conaffinity='0'/></body>"
      "<flexcomp name='bar' dim='3' type='grid' count='9 3 3' spacing='.05 .05 .05' mass='.5' "
      "pos='0 0 1'><elasticity young='1e5' poisson='.3' damping='.05'/><contact contype='0' "
      "conaffinity='0'/><pin carom:body='world' carom:box='-1 -1 -1 -.199 1 1'/>"
      "<pin carom:body='weight' carom:box='.199 -1 -1 1 1 1'/></flexcomp>");
  double sag[2];
  world long_steps = load(TEXT);
  world_run(&long_steps, 800);
  sag[0] = world_q(&long_steps)[0];
  carom_sim_def options = world_def(0.001, CAROM_IMPLICIT);
  world short_steps = world_create(TEXT, &options);
  world_set(&short_steps, world_q(&long_steps), NULL);
  world_run(&short_steps, 100);
  sag[1] = world_q(&short_steps)[0];
  print_message("sag %.9f m, %.9f m\n", sag[0], sag[1]);
  assert_true(sag[0] < -0.1);
  check_near(sag[1], sag[0], 1e-7);
  world_destroy(&long_steps), world_destroy(&short_steps);
}

/* A bar that stands out from a wall: the moment about the hold's middle balances the weight. */
static void test_moment(void** state) {
  (void)state;
  world w = load(SCENE(BAR("<pin carom:body='world' carom:box='-1 -1 -1 -.0499 1 1'/>")));
  world_run(&w, 400);
  const cr_soft_part* part = &w.model->soft.part[0];
  carom_reaction hold = carom_sim_compute_reaction(w.sim, 0);
  v3 moment = v3_load(hold.moment), center = v3_load(hold.center);
  double scale = 0;
  for (int n = 0; n < part->mesh.num_nodes; n++) {
    v3 arm = v3_sub(v3_load(world_q(&w) + 3 * (size_t)n), center);
    v3 weight = v3_make(0, 0, -G * part->body.mass[n]);
    moment = v3_add(moment, v3_cross(arm, weight));
    scale += v3_norm(v3_cross(arm, weight));
  }
  check_near(center.x, -0.05, 1e-12);
  check_near(v3_norm(moment), 0, 1e-6 * scale);
  check_near(hold.force[2], 2 * G, 1e-6);
  world_destroy(&w);
}

/* What lies on fixed nodes is borne by what fixes them. */
static void test_contact(void** state) {
  (void)state;
  world w = load(SCENE("<body pos='0 0 .16'><freejoint/><geom type='box' size='.04 .04 .01' "
                       "mass='3'/></body><flexcomp dim='3' type='grid' count='3 3 3' "
                       "spacing='.05 .05 .05' radius='0' mass='2' pos='0 0 .1'>"
                       "<elasticity young='2e5'/><pin carom:box='-1 -1 -1 1 1 1'/></flexcomp>"));
  world_run(&w, 200);
  check_near(force_of(&w, 0).z, 5 * G, 1e-5);
  world_destroy(&w);
}

static double read_force(const char* text) {
  world w = load(text);
  double readings[3] = {0};
  carom_error error;
  world_run(&w, 600);
  assert_int_equal(w.sizes.num_readings, 3);
  check_ok(carom_sim_compute_sensors(w.sim, readings, &error), &error);
  world_destroy(&w);
  return readings[2];
}

#define ARM(hanging)                                                                        \
  "<mujoco><option gravity='0 0 -9.81'/><worldbody><body name='weight' pos='0 0 1'>"        \
  "<joint type='slide' axis='0 0 1' stiffness='1e4' damping='200'/>"                        \
  "<geom type='sphere' size='.02' mass='1'/><site name='s'/>" hanging "</body></worldbody>" \
  "<sensor><force site='s'/></sensor></mujoco>"

/* A force sensor feels a bar that is glued on as it feels a rigid body of its mass. */
static void test_sensor(void** state) {
  (void)state;
  double rigid = read_force(ARM("<geom type='sphere' size='.01' pos='0 0 -.1' mass='2'/>"));
  double soft =
      read_force(ARM("<flexcomp dim='3' type='grid' count='3 3 5' spacing='.05 .05 .05' mass='2'>"
                     "<elasticity young='2e5' damping='.02'/><contact contype='0' conaffinity='0'/>"
                     "<pin carom:box='-1 -1 .0999 1 1 1'/></flexcomp>"));
  check_near(fabs(rigid), 3 * G, 1e-6);
  check_near(soft, rigid, 1e-5);
}

/* Green's strain of a body that is stretched: diag(s, 0, 0), s = (1.2² - 1)/2, has the equivalent
 * 2/3 s. */
static void test_strain(void** state) {
  (void)state;
  world w = load(SCENE(BAR("")));
  double q[3 * 45], strain[16 * 5];
  memcpy(q, world_q(&w), sizeof q);
  for (int n = 0; n < 45; n++) q[3 * n] *= 1.2;
  world_set(&w, q, NULL);
  carom_sim_compute_soft_strain(w.sim, 0, strain);
  for (int e = 0; e < 16 * 5; e++) check_near(strain[e], 2.0 / 3 * 0.22, 1e-12);
  world_destroy(&w);
}

/* Forces on nodes: a bar that they pull down by its weight moves as one that falls, and goes on
 * from a saved state with the same bits; what they do to fixed nodes the hold bears. */
static void test_node_forces(void** state) {
  (void)state;
  world a = load(SCENE(BAR(TOP))),
        b = load("<mujoco><option gravity='0 0 0'/><worldbody>" BAR(TOP) "</worldbody></mujoco>");
  const cr_soft_part* part = &b.model->soft.part[0];
  const double none[3] = {0, 0, 0}, bad[3] = {NAN, 0, 0};
  for (int n = 0; n < part->mesh.num_nodes; n++) {
    const double weight[3] = {0, 0, -G * part->body.mass[n]};
    assert_int_equal(carom_sim_set_node_force(b.sim, 0, n, weight, NULL), CAROM_OK);
  }
  world_run(&a, 20);
  world_run(&b, 20);
  check_near_array(world_q(&a), world_q(&b), a.sizes.num_q, 1e-14);
  check_near(force_of(&b, 0).z, force_of(&a, 0).z, 1e-10);
  world_state saved = world_save(&b);
  world_run(&b, 20);
  world_state first = world_save(&b);
  assert_int_equal(carom_sim_set_node_force(b.sim, 0, 3, none, NULL), CAROM_OK);
  world_restore(&b, &saved);
  world_run(&b, 20);
  world_state second = world_save(&b);
  world_expect_same(&first, &second);
  free(saved.bytes), free(first.bytes), free(second.bytes);
  assert_int_equal(carom_sim_set_node_force(b.sim, 1, 0, none, NULL), CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_sim_set_node_force(b.sim, 0, 45, none, NULL),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_sim_set_node_force(b.sim, 0, 0, bad, NULL), CAROM_ERROR_INVALID_ARGUMENT);
  world_destroy(&a);
  world_destroy(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hanging), cmocka_unit_test(test_glue),
      cmocka_unit_test(test_rest),    cmocka_unit_test(test_moment),
      cmocka_unit_test(test_contact), cmocka_unit_test(test_sensor),
      cmocka_unit_test(test_strain),  cmocka_unit_test(test_node_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
