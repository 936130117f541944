/* Sensors: against closed forms at rest, against derivatives of each other, and against the momenta
 * of carom_dynamics. Published models with sensors are compared in validation/test_oracle.c. */
#include "math/quat.h"
#include "support/scene.h"
#include "support/simulation.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

enum { MAX = 256 };

/* Readings of a named sensor among those of all. */
static const double* find(const carom_model* model, const double* readings, const char* name) {
  int index = carom_model_find_sensor(model, name);
  if (index < 0) fail_msg("there is no sensor '%s'", name);
  return readings + carom_model_get_sensor(model, index).address;
}

static const double* read_sim(simulation* s, const char* name) {
  static double readings[MAX];
  carom_error error;
  assert_true(carom_model_get_sizes(s->model).num_readings <= MAX);
  check_ok(carom_sim_compute_sensors(s->sim, readings, &error), &error);
  return find(s->model, readings, name);
}

static void expect(simulation* s, const char* name, double x, double y, double z,
                   double tolerance) {
  const double expected[3] = {x, y, z};
  check_near_array(read_sim(s, name), expected, 3, tolerance);
}

/* --- At rest ------------------------------------------------------------------------------------
 */

/* A box of 2 kg on the floor, its instruments turned by a right angle about x. */
static const char BOX[] =
    "<mujoco><option carom:patches='corners'/><worldbody><geom name='floor' type='plane'/>"
    "<body name='box' pos='0 0 .1'><freejoint/><geom name='b' type='box' size='.1 .1 .1' mass='2'/>"
    "<site name='s' euler='90 0 0'/><site name='under' type='box' size='.2 .2 .02' pos='0 0 -.1'/>"
    "<site name='over' type='sphere' size='.05' pos='0 0 .1'/></body></worldbody><sensor>"
    "<accelerometer name='a' site='s'/><framelinacc name='f' objtype='body' objname='box'/>"
    "<gyro name='g' site='s'/><touch name='under' site='under'/><touch name='over' site='over'/>"
    "<contact name='net' body1='box' data='found force pos' reduce='netforce'/>"
    "<contact name='to' geom1='floor' geom2='b' num='5' data='found force dist normal'/>"
    "<contact name='none' subtree1='box' subtree2='box'/>"
    "<contact name='in' site='over'/><force name='w' site='s'/><clock name='t'/>"
    "<accelerometer name='cut' site='s' cutoff='3'/></sensor></mujoco>";

static void check_box(simulation* s) {
  expect(s, "a", 0, G, 0, 1e-6);
  expect(s, "f", 0, 0, G, 1e-6);
  expect(s, "g", 0, 0, 0, 1e-6);
  expect(s, "cut", 0, 3, 0, 1e-6);
  expect(s, "w", 0, 0, 0, 1e-5); /* a free joint holds nothing */
  check_near(*read_sim(s, "under"), 2 * G, 1e-5);
  check_near(*read_sim(s, "over"), 0, 0);
  /* What the box does to the rest of the world: found, force, point. */
  const double net[7] = {4, 0, 0, -2 * G, 0, 0, 0};
  check_near_array(read_sim(s, "net"), net, 7, 1e-5);
  const double* to = read_sim(s, "to");
  double sum = 0;
  for (int k = 0; k < 4; k++, to += 8) {
    check_near(to[0], 4, 0);
    check_near(to[7], 1, 1e-12); /* from the floor to the box */
    sum += to[1];
  }
  check_near(to[0], 0, 0);
  check_near(sum, 2 * G, 1e-5);
  check_near(*read_sim(s, "none"), 0, 0);
  check_near(*read_sim(s, "in"), 0, 0);
}

static void test_box_at_rest(void** state) {
  (void)state;
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-10;
  simulation s = simulation_create(BOX, &def);
  check_box(&s); /* before any step, from one that is tried */
  assert_true(s.q[2] == 0.1 && s.v[2] == 0);
  check_near(*read_sim(&s, "t"), 0, 0);
  simulation_run_until(&s, 0.1);
  check_box(&s);
  check_near(*read_sim(&s, "t"), 0.1, 1e-12);
  simulation_destroy(&s);
}

/* A shelf that is welded to the world bears a ball: its weight, and what the ball does. */
static void test_force_of_contacts(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body><geom type='box' size='.5 .5 .1' mass='1'/><site name='s' "
      "pos='1 0 0'/>"
      "</body><body pos='.2 0 .2'><freejoint/><geom size='.1' mass='2'/></body></worldbody>"
      "<sensor><force name='f' site='s'/><torque name='t' site='s'/></sensor></mujoco>",
      NULL);
  simulation_run_until(&s, 0.05);
  expect(&s, "f", 0, 0, 3 * G, 1e-5);
  /* The shelf's centre is 1 m off the site, the ball 0.8 m. */
  expect(&s, "t", 0, G * (1 + 2 * 0.8), 0, 1e-5);
  simulation_destroy(&s);
}

/* A free body that an equality holds: the joint above it transmits nothing, the joint between two
 * bodies the weight of the lower one. */
static void test_force_of_equalities(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body name='up'><freejoint/><geom size='.1' mass='1'/><site name='u'/>"
      "<body name='low' pos='0 0 -1'><joint/><geom size='.1' mass='2'/><site name='l'/></body>"
      "</body></worldbody><equality><weld body1='up'/></equality>"
      "<sensor><force name='u' site='u'/><torque name='ut' site='u'/><force name='l' site='l'/>"
      "</sensor></mujoco>",
      NULL);
  simulation_run_until(&s, 0.1);
  expect(&s, "u", 0, 0, 0, 1e-5);
  expect(&s, "ut", 0, 0, 0, 1e-5);
  expect(&s, "l", 0, 0, 2 * G, 1e-5);
  simulation_destroy(&s);
}

/* An arm of 1 kg, 0.5 m long and level, lies on its limit; a motor lifts a part of it. */
static void test_joint(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body><joint name='j' axis='0 -1 0' range='0 90'/>"
      "<geom size='.01' mass='1' pos='.5 0 0'/></body></worldbody>"
      "<actuator><motor name='m' joint='j' gear='2'/></actuator><sensor>"
      "<jointlimitfrc name='f' joint='j'/><jointlimitpos name='p' joint='j'/>"
      "<jointpos name='q' joint='j'/><jointvel name='v' joint='j'/>"
      "<jointactuatorfrc name='tau' joint='j'/><actuatorfrc name='a' actuator='m'/>"
      "<actuatorpos name='l' actuator='m'/></sensor></mujoco>",
      NULL);
  carom_sim_controls(s.sim)[0] = 0.5;
  simulation_run_until(&s, 0.1);
  check_near(*read_sim(&s, "f"), G * 0.5 - 1, 1e-5);
  check_near(*read_sim(&s, "p"), 0, 1e-6);
  check_near(*read_sim(&s, "tau"), 1, 1e-12);
  check_near(*read_sim(&s, "a"), 0.5, 1e-12);
  check_near(*read_sim(&s, "v"), 0, 1e-6);
  check_near(*read_sim(&s, "l"), 2 * *read_sim(&s, "q"), 1e-12);
  simulation_destroy(&s);
}

/* --- Rays ---------------------------------------------------------------------------------------
 */

static const struct ray {
  const char* geom;
  double distance; /* from 3 m above, straight down */
} RAYS[] = {
    {"type='sphere' size='.5'", 2.5},
    {"type='capsule' size='.5 1'", 1.5},
    {"type='capsule' size='.5 1' euler='90 0 0'", 2.5},
    {"type='cylinder' size='.5 1'", 2},
    {"type='cylinder' size='.5 1' euler='90 0 0'", 2.5},
    {"type='box' size='.5 .6 .7'", 2.3},
    {"type='box' size='.5 .5 .5' euler='45 0 0'", 3 - 0.70710678118654752},
    {"type='ellipsoid' size='.5 .6 .7'", 2.3},
    {"type='plane' size='1 1 1'", 3},
    {"type='mesh' mesh='m'", 2},
    {"type='sphere' size='.5' pos='.6 0 0'", -1},
    {"type='sphere' size='5'", 8}, /* from within */
    {"type='sphere' size='.5' pos='0 0 5'", -1},
    {"type='sphere' size='.5' rgba='0 0 0 0'", -1},
    {"type='box' size='.5 .5 .5' pos='.5 0 0' euler='0 45 0'", 3 + (0.5 - 0.70710678118654752)},
};

static void test_range_finder(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof RAYS / sizeof *RAYS; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' vertex='-1 -1 0 1 -1 0 0 1 0 0 0 1'/></asset>"
             "<worldbody><geom %s/><body pos='0 0 3'><freejoint/><geom size='.1'/>"
             "<site name='s' zaxis='0 0 -1'/></body></worldbody>"
             "<sensor><rangefinder name='r' site='s'/></sensor></mujoco>",
             RAYS[i].geom);
    simulation s = simulation_create(text, NULL);
    if (!(fabs(*read_sim(&s, "r") - RAYS[i].distance) <= 1e-12))
      fail_msg("%s: %.17g, expected %.17g", RAYS[i].geom, *read_sim(&s, "r"), RAYS[i].distance);
    simulation_destroy(&s);
  }
}

/* --- Derivatives --------------------------------------------------------------------------------
 */

/* A free base that carries a ball, a hinge and a slide, with frames of all kinds on them. */
static const char CHAIN[] =
    "<mujoco><option gravity='1 2 -9'/><worldbody><body name='a' pos='1 0 0'><freejoint/>"
    "<geom type='box' size='.1 .2 .3' pos='.1 0 .2' euler='10 20 30'/><site name='a' pos='.3 .1 0' "
    "euler='40 50 60'/><body name='b' pos='0 .5 0' euler='0 30 0'><joint type='ball' pos='.1 0 0'/>"
    "<geom name='g' type='capsule' size='.1 .2' pos='0 0 .3' euler='70 0 0'/>"
    "<body name='c' pos='0 0 .5'><joint axis='1 2 3' damping='.3'/><joint type='slide' axis='1 0 "
    "1' "
    "stiffness='4'/><geom size='.2' pos='.1 .1 .1'/><site name='c' pos='.2 0 .1' euler='5 6 7'/>"
    "<body name='d' pos='.3 0 0' euler='20 0 0'><geom size='.1' pos='0 .1 0'/><site name='d'/>"
    "</body></body></body></body></worldbody><sensor>"
    "<framepos name='p' objtype='site' objname='c'/>"
    "<framepos name='pr' objtype='site' objname='c' reftype='site' refname='a'/>"
    "<framepos name='pb' objtype='body' objname='b' reftype='geom' refname='g'/>"
    "<framelinvel name='v' objtype='site' objname='c'/>"
    "<framelinvel name='vr' objtype='site' objname='c' reftype='site' refname='a'/>"
    "<framelinvel name='vb' objtype='body' objname='b' reftype='geom' refname='g'/>"
    "<framequat name='qr' objtype='site' objname='d' reftype='site' refname='a'/>"
    "<frameangvel name='wr' objtype='site' objname='d' reftype='site' refname='a'/>"
    "<frameangvel name='w' objtype='xbody' objname='d'/>"
    "<framelinacc name='acc' objtype='site' objname='c'/>"
    "<frameangacc name='alpha' objtype='xbody' objname='d'/>"
    "<velocimeter name='vc' site='c'/><gyro name='wd' site='d'/><accelerometer name='ac' site='c'/>"
    "<framequat name='qc' objtype='site' objname='c'/><framequat name='qd' objtype='site' "
    "objname='d'/><subtreecom name='com' body='b'/><subtreelinvel name='vcom' body='b'/>"
    "<subtreecom name='all' body='world'/><subtreeangmom name='L' body='world'/>"
    "<framexaxis name='x' objtype='site' objname='d' reftype='site' refname='a'/>"
    "<framezaxis name='z' objtype='site' objname='d' reftype='site' refname='a'/>"
    "</sensor></mujoco>";

enum { NQ = 13, NV = 11 };

typedef struct chain {
  carom_model* model;
  carom_dynamics* dynamics;
  double q[NQ], v[NV], a[NV];
  double readings[MAX], before[MAX], after[MAX];
} chain;

/* q after a time t at the velocity v: the free joint, the ball, the hinge, the slide. */
static void move(const chain* c, double t, double* q) {
  static const int TURNS[2][2] = {{3, 3}, {7, 6}}; /* quaternion, angular velocity */
  memcpy(q, c->q, sizeof c->q);
  for (int k = 0; k < 3; k++) q[k] += t * c->v[k];
  for (int k = 0; k < 2; k++) {
    quat turn = quat_exp(v3_scale(t, v3_load(c->v + TURNS[k][1])));
    quat_store(quat_mul(quat_load(c->q + TURNS[k][0]), turn), q + TURNS[k][0]);
  }
  for (int k = 11; k < 13; k++) q[k] += t * c->v[k - 2];
}

/* Readings at a time t from the state, along its own motion. */
static void read_at(chain* c, double t, double* readings) {
  carom_error error;
  double q[NQ], v[NV];
  move(c, t, q);
  for (int k = 0; k < NV; k++) v[k] = c->v[k] + t * c->a[k];
  check_ok(carom_dynamics_set(c->dynamics, q, v, NULL, &error), &error);
  check_ok(carom_dynamics_compute_sensors(c->dynamics, readings, &error), &error);
}

static const double STEP = 1e-5;

static chain chain_create(check_random* random) {
  carom_error error;
  chain c = {.model = scene_load(CHAIN)};
  check_ok(carom_dynamics_create(c.model, NULL, &c.dynamics, &error), &error);
  assert_int_equal(carom_model_get_sizes(c.model).num_q, NQ);
  for (int k = 0; k < NQ; k++) c.q[k] = check_random_normal(random);
  for (int k = 0; k < 2; k++)
    quat_store(quat_normalize(quat_load(c.q + (k ? 7 : 3))), c.q + (k ? 7 : 3));
  for (int k = 0; k < NV; k++) c.v[k] = check_random_normal(random);
  check_ok(carom_dynamics_set(c.dynamics, c.q, c.v, NULL, &error), &error);
  check_ok(carom_dynamics_compute_forward(c.dynamics, NULL, true, c.a, &error), &error);
  read_at(&c, -STEP, c.before);
  read_at(&c, STEP, c.after);
  read_at(&c, 0, c.readings);
  return c;
}

static const double* get(const chain* c, const char* name) {
  return find(c->model, c->readings, name);
}

/* The central difference of a vector. */
static v3 differentiate(const chain* c, const char* name) {
  v3 after = v3_load(find(c->model, c->after, name));
  v3 before = v3_load(find(c->model, c->before, name));
  return v3_scale(0.5 / STEP, v3_sub(after, before));
}

static void check_vector(const double* actual, v3 expected, double tolerance) {
  double numbers[3];
  v3_store(expected, numbers);
  check_near_array(actual, numbers, 3, tolerance * fmax(1, v3_norm(expected)));
}

static void test_derivatives(void** state) {
  (void)state;
  check_random random = {7};
  for (int i = 0; i < check_repeats(20); i++) {
    chain c = chain_create(&random);
    const double tolerance = 1e-7; /* h² times third derivatives, and round-off over h */
    check_vector(get(&c, "v"), differentiate(&c, "p"), tolerance);
    check_vector(get(&c, "vr"), differentiate(&c, "pr"), tolerance);
    check_vector(get(&c, "vb"), differentiate(&c, "pb"), tolerance);
    check_vector(get(&c, "vcom"), differentiate(&c, "com"), tolerance);
    check_vector(get(&c, "alpha"), differentiate(&c, "w"), tolerance);
    v3 gravity = v3_make(1, 2, -9);
    check_vector(get(&c, "acc"), v3_sub(differentiate(&c, "v"), gravity), tolerance);
    check_vector(get(&c, "acc"), quat_rotate(quat_load(get(&c, "qc")), v3_load(get(&c, "ac"))),
                 1e-12);
    check_vector(get(&c, "v"), quat_rotate(quat_load(get(&c, "qc")), v3_load(get(&c, "vc"))),
                 1e-12);
    check_vector(get(&c, "w"), quat_rotate(quat_load(get(&c, "qd")), v3_load(get(&c, "wd"))),
                 1e-12);
    /* The turn from before to after, in the axes of the reference. */
    quat after = quat_load(find(c.model, c.after, "qr"));
    quat before = quat_load(find(c.model, c.before, "qr"));
    v3 turn = quat_log(quat_mul(after, quat_conjugate(before)));
    check_vector(get(&c, "wr"), v3_scale(0.5 / STEP, turn), tolerance);
    check_vector(get(&c, "x"), quat_rotate(quat_load(get(&c, "qr")), v3_make(1, 0, 0)), 1e-12);
    check_vector(get(&c, "z"), quat_rotate(quat_load(get(&c, "qr")), v3_make(0, 0, 1)), 1e-12);
    carom_dynamics_destroy(c.dynamics);
    carom_model_destroy(c.model);
  }
}

/* Angular momentum about the centre of mass from that about the world's origin. */
static void test_momentum(void** state) {
  (void)state;
  check_random random = {8};
  chain c = chain_create(&random);
  double com[3], linear[3], angular[3];
  carom_dynamics_compute_com(c.dynamics, com);
  carom_dynamics_compute_momentum(c.dynamics, linear, angular);
  check_vector(get(&c, "all"), v3_load(com), 1e-12);
  v3 own = v3_sub(v3_load(angular), v3_cross(v3_load(com), v3_load(linear)));
  check_vector(get(&c, "L"), own, 1e-12);
  carom_dynamics_destroy(c.dynamics);
  carom_model_destroy(c.model);
}

/* Readings between steps change nothing of what follows, nor do those before the first. */
static void test_readings_leave_state(void** state) {
  (void)state;
  simulation s = simulation_create(BOX, NULL), alone = simulation_create(BOX, NULL);
  const double q[7] = {0, 0, 0.3, 0.9, 0.1, 0.2, 0.3};
  simulation_set(&s, q, NULL);
  simulation_set(&alone, q, NULL);
  for (int i = 0; i < 300; i++) {
    read_sim(&s, "a");
    simulation_step(&s);
    simulation_step(&alone);
  }
  assert_memory_equal(s.q, alone.q, 7 * sizeof *s.q);
  assert_memory_equal(s.v, alone.v, 6 * sizeof *s.v);
  simulation_destroy(&s);
  simulation_destroy(&alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_at_rest),
      cmocka_unit_test(test_force_of_contacts),
      cmocka_unit_test(test_force_of_equalities),
      cmocka_unit_test(test_joint),
      cmocka_unit_test(test_range_finder),
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_momentum),
      cmocka_unit_test(test_readings_leave_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
