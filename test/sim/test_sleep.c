/* Islands at rest: steps leave them out, do what they would have done with them, and find out when
 * something meets them or acts on them. */
#include "support/memory.h"
#include "support/world.h"

#include "carom/scene.h"
#include "carom/sensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DT 0.005
#define G  9.81

/* Two stacks of two boxes a metre apart, which come to rest, and a ball beside the first that is
 * kept from falling by a shelf of its own. */
static const char STACKS[] =
    "<mujoco><worldbody><geom type='plane' size='5 5 0.1'/>"
    "<body name='a' pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='b' pos='0 0 0.3'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body>"
    "<body name='c' pos='1 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='d' pos='1 0 0.3'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='e' pos='-1 0 0.1'><freejoint/><geom size='.1' mass='.5'/></body>"
    "</worldbody></mujoco>";
enum { A, B, C, D, E, NUM_BODIES };

static const double ZERO[3];

/* A door on its limit with a motor, and a slide with dry friction and a servo. */
static const char MACHINES[] =
    "<mujoco><worldbody>"
    "<body name='door'><joint name='hinge' axis='0 1 0' limited='true' range='-10 60'/>"
    "<geom type='box' size='.3 .05 .02' pos='.3 0 0' mass='1'/></body>"
    "<body name='sled' pos='0 1 0'><joint name='slide' type='slide' axis='1 0 0' "
    "frictionloss='5'/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "</worldbody><actuator><motor joint='hinge' gear='1'/>"
    "<motor joint='slide' gear='1'/></actuator>"
    "<sensor><jointlimitfrc joint='hinge'/></sensor></mujoco>";

/* At a tolerance by which what was left out, and what areas give way by, are next to nothing. */
static world create(const char* text, double share) {
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  def.sleep_share = share, def.tolerance = 1e-8;
  return world_create(text, &def);
}

/* The same scene with what rests left out, and without. */
typedef struct pair {
  world with, without;
} pair;

static pair create_pair(const char* text, int steps) {
  pair p = {create(text, 1e-3), create(text, 0)};
  world_run(&p.with, steps);
  world_run(&p.without, steps);
  return p;
}

static void destroy_pair(pair* p) {
  world_destroy(&p->with);
  world_destroy(&p->without);
}

/* Coordinates and velocities that differ by no more than `q` (m, rad) and `v` (m/s, rad/s). */
static void check_near_pair(const pair* p, double q, double v) {
  check_near_array(world_q(&p->with), world_q(&p->without), p->with.sizes.num_q, q);
  check_near_array(world_v(&p->with), world_v(&p->without), p->with.sizes.num_v, v);
}

/* What a step left out moves by less than: its least speed for so long. */
static double drift(int steps) { return 2e-9 * G * DT * DT * steps; }

static int order_contacts(const void* a, const void* b) {
  const carom_contact *x = a, *y = b;
  if (x->geom1 != y->geom1) return x->geom1 - y->geom1;
  if (x->geom2 != y->geom2) return x->geom2 - y->geom2;
  for (int k = 0; k < 3; k++)
    if (fabs(x->position[k] - y->position[k]) > 1e-6)
      return x->position[k] < y->position[k] ? -1 : 1;
  return 0;
}

/* The contacts of a world in an order of their own; free them. */
static carom_contact* list_contacts(const world* w, int* count) {
  const carom_contact* contacts = carom_sim_contacts(w->sim, count);
  carom_contact* copy = calloc((size_t)*count + 1, sizeof *copy);
  memcpy(copy, contacts, sizeof *copy * (size_t)*count);
  qsort(copy, (size_t)*count, sizeof *copy, order_contacts);
  return copy;
}

/* Impulses to a share of the weight that a step has to hold. */
static void check_contacts(const pair* p, double weight) {
  int n, m;
  carom_contact *x = list_contacts(&p->with, &n), *y = list_contacts(&p->without, &m);
  assert_int_equal(n, m);
  for (int i = 0; i < n; i++) {
    assert_int_equal(x[i].geom1, y[i].geom1);
    assert_int_equal(x[i].geom2, y[i].geom2);
    assert_int_equal(x[i].state, y[i].state);
    check_near_array(x[i].position, y[i].position, 3, 1e-9);
    check_near_array(x[i].impulse, y[i].impulse, 3, 2e-6 * weight * DT);
  }
  free(x), free(y);
}

static void test_what_rests_stays(void** state) {
  (void)state;
  pair p = create_pair(STACKS, 400);
  carom_step_report report = world_step(&p.with), other = world_step(&p.without);
  assert_int_equal(report.sleeping_trees, NUM_BODIES);
  assert_int_equal(other.sleeping_trees, 0);
  assert_int_equal(report.islands, 0);
  assert_int_equal(report.iterations, 0);
  assert_int_equal(report.contacts, other.contacts);
  check_near_pair(&p, drift(401), 2e-9 * G * DT);
  check_contacts(&p, 5.5 * G);
  for (int i = 0; i < p.with.sizes.num_v; i++) assert_true(world_v(&p.with)[i] == 0);
  destroy_pair(&p);
}

/* A ball rolls into the first stack: that moves as it would have, the second rests on. */
static void test_what_is_met_moves(void** state) {
  (void)state;
  pair p = create_pair(STACKS, 400);
  world* worlds[] = {&p.with, &p.without};
  for (int k = 0; k < 2; k++) {
    const double push[3] = {100, 0, 0};
    carom_sim* sim = worlds[k]->sim;
    assert_int_equal(carom_sim_set_wrench(sim, E + 1, push, ZERO, NULL), CAROM_OK);
    world_run(worlds[k], 4);
    assert_int_equal(carom_sim_set_wrench(sim, E + 1, ZERO, ZERO, NULL), CAROM_OK);
  }
  bool has_met = false;
  for (int i = 0; i < 60; i++) {
    carom_step_report report = world_step(&p.with);
    world_step(&p.without);
    bool is_before = world_v(&p.with)[0] == 0;
    assert_int_equal(report.sleeping_trees, is_before ? 4 : 2);
    has_met |= !is_before;
    /* Impulses are found to 1e-6 of the velocities that a step takes away. */
    check_near_pair(&p, 1e-5, 1e-4);
  }
  assert_true(has_met);
  destroy_pair(&p);
}

/* A force on a body moves it and what it carries; the same force on and on lets it rest again. */
static void test_forces_wake(void** state) {
  (void)state;
  pair p = create_pair(STACKS, 400);
  const double push[3] = {2, 0, 0}, pull[3] = {40, 0, 0};
  world* worlds[] = {&p.with, &p.without};
  for (int k = 0; k < 2; k++)
    assert_int_equal(carom_sim_set_wrench(worlds[k]->sim, A + 1, push, ZERO, NULL), CAROM_OK);
  carom_step_report report = world_step(&p.with);
  world_step(&p.without);
  assert_int_equal(report.sleeping_trees, 3);
  world_run(&p.with, 200), world_run(&p.without, 200);
  assert_int_equal(world_step(&p.with).sleeping_trees, NUM_BODIES);
  world_step(&p.without);
  check_contacts(&p, 5.5 * G);
  for (int k = 0; k < 2; k++)
    assert_int_equal(carom_sim_set_wrench(worlds[k]->sim, A + 1, pull, ZERO, NULL), CAROM_OK);
  world_run(&p.with, 20), world_run(&p.without, 20);
  assert_true(world_v(&p.with)[0] > 0.1);
  check_near_pair(&p, 1e-6, 1e-5);
  destroy_pair(&p);
}

static void test_controls_wake(void** state) {
  (void)state;
  pair p = create_pair(MACHINES, 300);
  world* worlds[] = {&p.with, &p.without};
  double limit[2];
  carom_step_report report = world_step(&p.with);
  world_step(&p.without);
  assert_int_equal(report.sleeping_trees, 2);
  for (int k = 0; k < 2; k++)
    assert_int_equal(carom_sim_compute_sensors(worlds[k]->sim, &limit[k], NULL), CAROM_OK);
  /* The limit bears the door, m g l cos q. */
  check_near(limit[0], limit[1], 1e-5);
  check_near(limit[0], 0.3 * G * cos(world_q(&p.with)[0]), 1e-5);
  const double controls[3][2] = {{-8, 0}, {-8, 3}, {-8, 9}};
  const int resting[3] = {1, 1, 0}; /* the door is on its way up */
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++)
      memcpy(carom_sim_controls(worlds[k]->sim), controls[i], sizeof controls[i]);
    report = world_step(&p.with);
    world_step(&p.without);
    if (i != 1) assert_int_equal(report.sleeping_trees, resting[i]);
    world_run(&p.with, 15), world_run(&p.without, 15);
    check_near_pair(&p, 1e-6, 1e-5);
  }
  assert_true(world_v(&p.with)[1] > 0.1);
  destroy_pair(&p);
}

/* Another step length, state or keyframe, and a problem that somebody wants to see: nothing is left
 * out. */
static void test_new_states_wake(void** state) {
  (void)state;
  world w = create(STACKS, 1e-3);
  world_run(&w, 400);
  assert_int_equal(world_step(&w).sleeping_trees, NUM_BODIES);
  assert_int_equal(carom_sim_set_dt(w.sim, DT / 2, NULL), CAROM_OK);
  carom_step_report report = world_step(&w);
  assert_int_equal(report.sleeping_trees, 0);
  assert_true(report.islands > 0 && report.contacts > 0);
  world_run(&w, 100);
  assert_int_equal(world_step(&w).sleeping_trees, NUM_BODIES);
  world_set(&w, world_q(&w), NULL);
  assert_int_equal(world_step(&w).sleeping_trees, 0);
  world_destroy(&w);
}

/* A saved state goes on with the same bits, contacts included, and so does one that is asked for
 * accelerations. */
static void test_rest_is_state(void** state) {
  (void)state;
  world a = create(STACKS, 1e-3), b = create(STACKS, 1e-3);
  const double push[3] = {60, 0, 0};
  world_run(&a, 403);
  world_state saved = world_save(&a);
  world_restore(&b, &saved);
  double acceleration[6 * NUM_BODIES];
  assert_int_equal(carom_sim_compute_acceleration(b.sim, acceleration, NULL, NULL), CAROM_OK);
  for (int i = 0; i < 6 * NUM_BODIES; i++) assert_true(acceleration[i] == 0);
  world_expect_twins(&a, &b);
  for (int i = 0; i < 30; i++) {
    carom_step_report x = world_step(&a), y = world_step(&b);
    assert_int_equal(x.sleeping_trees, y.sleeping_trees);
    assert_int_equal(x.contacts, y.contacts);
    world_expect_twins(&a, &b);
    if (i != 2) continue;
    assert_int_equal(carom_sim_set_wrench(a.sim, B + 1, push, ZERO, NULL), CAROM_OK);
    assert_int_equal(carom_sim_set_wrench(b.sim, B + 1, push, ZERO, NULL), CAROM_OK);
  }
  free(saved.bytes);
  world_destroy(&a);
  world_destroy(&b);
}

/* A state that is restored under other gravity moves. */
static void test_other_gravity_wakes(void** state) {
  (void)state;
  const double up[3] = {0, 0, 3};
  carom_load_def load = carom_load_def_default();
  carom_error error;
  carom_model* model;
  load.gravity = up;
  check_ok(carom_model_load_string(STACKS, strlen(STACKS), "scene.xml", &load, &model, &error),
           &error);
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  world down = create(STACKS, 1e-3), floating = world_create_from(model, &def);
  world_run(&down, 400);
  assert_int_equal(world_step(&down).sleeping_trees, NUM_BODIES);
  world_state saved = world_save(&down);
  world_restore(&floating, &saved);
  assert_int_equal(world_step(&floating).sleeping_trees, 0);
  world_run(&floating, 99);
  for (int i = 0; i < NUM_BODIES; i++)
    check_near(world_v(&floating)[6 * i + 2], 100 * DT * up[2], 1e-6);
  free(saved.bytes);
  world_destroy(&down);
  world_destroy(&floating);
}

/* What steps take away from both worlds, in sum. */
static void run_account(pair* p, int steps, double sum[2]) {
  for (int i = 0; i < steps; i++) {
    sum[0] += world_step(&p->with).dissipated;
    sum[1] += world_step(&p->without).dissipated;
  }
}

/* Elastic energy of compliant contacts stays in the account while they rest. */
static void test_energy_adds_up(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='5 5 0.1'/>"
      "<body pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' "
      "carom:stiffness='2e4' carom:dissipation='.05'/></body></worldbody></mujoco>";
  const double push[3] = {0, 0, -20};
  double sum[2] = {0};
  pair p = create_pair(text, 0);
  run_account(&p, 1000, sum);
  assert_int_equal(world_step(&p.with).sleeping_trees, 1);
  world_step(&p.without);
  world* worlds[] = {&p.with, &p.without};
  for (int k = 0; k < 2; k++) {
    assert_true(carom_sim_compute_energy(worlds[k]->sim).elastic > 1e-4);
    assert_int_equal(carom_sim_set_wrench(worlds[k]->sim, 1, push, ZERO, NULL), CAROM_OK);
  }
  check_near(world_energy(&p.with), world_energy(&p.without), 1e-10);
  check_near(sum[0], sum[1], 1e-10);
  run_account(&p, 200, sum);
  check_near(world_energy(&p.with), world_energy(&p.without), 1e-9);
  check_near(sum[0], sum[1], 1e-9);
  destroy_pair(&p);
}

static void test_no_memory_is_taken(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  def.allocator = check_memory_hooks(&memory);
  world w = world_create(STACKS, &def);
  world_run(&w, 420);
  int count = memory.num_allocations;
  const double push[3] = {5, 0, 0};
  assert_int_equal(carom_sim_set_wrench(w.sim, B + 1, push, ZERO, NULL), CAROM_OK);
  world_run(&w, 200);
  assert_int_equal(memory.num_allocations, count);
  world_destroy(&w);
  check_memory_expect_empty(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_rests_stays),    cmocka_unit_test(test_what_is_met_moves),
      cmocka_unit_test(test_forces_wake),         cmocka_unit_test(test_controls_wake),
      cmocka_unit_test(test_new_states_wake),     cmocka_unit_test(test_rest_is_state),
      cmocka_unit_test(test_other_gravity_wakes), cmocka_unit_test(test_energy_adds_up),
      cmocka_unit_test(test_no_memory_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
