/* Bodies that roll over a plane without slip on curved surfaces, a coin and a rattleback, against
 * the equations of nonholonomic rolling: with the contact at r from the centre of mass, by the
 * upward direction g in the body's axes, and v = r × w,
 *
 *   (I - m [r]×²) w' = -w × I w + m r × (r' × w + w × v + g |g|),
 *
 * by the Runge-Kutta method of order 4 with a hundred times smaller steps, whose error is below
 * 1e-8 of what is compared (it is the same with half the steps). The midpoint rule has order 2
 * (theory.md, "Curved contact"). */
#include "math/quat.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G        9.81
#define MASS     0.8
#define FRICTION 5

/* What rolls: the place of its contact and how that moves with the direction. */
typedef struct body {
  const char* geom;
  v3 size; /* m: semi-axes; or radius and half thickness */
  bool is_coin;
  m3 inertia;
  quat start;
  v3 spin;         /* rad/s, its axes, at the start */
  double duration; /* s */
} body;

typedef struct state {
  quat q;
  v3 w, x; /* rad/s, its axes; m, world */
} state;

/* --- Rolling ------------------------------------------------------------------------------------
 */

static v3 scale_axes(v3 size, v3 x) {
  return v3_make(size.x * size.x * x.x, size.y * size.y * x.y, size.z * size.z * x.z);
}

/* The lowest point, and its velocity where `up` has the velocity `turn`, both in the body's axes.
 */
static v3 find_contact(const body* b, v3 up, v3 turn, v3* rate) {
  if (b->is_coin) {
    double a = b->size.x, p = hypot(up.x, up.y), dp = (up.x * turn.x + up.y * turn.y) / p;
    *rate = v3_make(-a * (turn.x / p - up.x * dp / (p * p)),
                    -a * (turn.y / p - up.y * dp / (p * p)), 0);
    return v3_make(-a * up.x / p, -a * up.y / p, -copysign(b->size.y, up.z));
  }
  v3 D = scale_axes(b->size, up), dD = scale_axes(b->size, turn);
  double s = sqrt(v3_dot(up, D));
  *rate = v3_axpy(v3_scale(-1 / s, dD), v3_dot(up, dD) / (s * s * s), D);
  return v3_scale(-1 / s, D);
}

static v3 find_up(quat q) {
  m3 R = quat_to_m3(q);
  return v3_make(R.m[2][0], R.m[2][1], R.m[2][2]);
}

/* r × w in the body's axes. */
static v3 find_velocity(const body* b, const state* s) {
  v3 none, r = find_contact(b, find_up(s->q), v3_zero(), &none);
  return v3_cross(r, s->w);
}

static state differentiate(const body* b, const state* s) {
  v3 up = find_up(s->q), dr, r = find_contact(b, up, v3_cross(up, s->w), &dr);
  v3 v = v3_cross(r, s->w), weight = v3_scale(G, up);
  v3 pull = v3_add(v3_add(v3_cross(dr, s->w), v3_cross(s->w, v)), weight);
  v3 torque = v3_sub(v3_scale(MASS, v3_cross(r, pull)), v3_cross(s->w, m3_mulv(&b->inertia, s->w)));
  m3 rx = m3_skew(r), rx2 = m3_mul(&rx, &rx), A = b->inertia;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) A.m[i][k] -= MASS * rx2.m[i][k];
  m3 R = quat_to_m3(s->q);
  quat dq = quat_mul(s->q, (quat){0, 0.5 * s->w.x, 0.5 * s->w.y, 0.5 * s->w.z});
  return (state){dq, m3_solve(&A, torque), m3_mulv(&R, v)};
}

static state move(const state* s, double h, const state* by) {
  return (state){
      {s->q.w + h * by->q.w, s->q.x + h * by->q.x, s->q.y + h * by->q.y, s->q.z + h * by->q.z},
      v3_axpy(s->w, h, by->w),
      v3_axpy(s->x, h, by->x)};
}

static void take_step(const body* b, double h, state* s) {
  state k1 = differentiate(b, s), at = move(s, h / 2, &k1);
  state k2 = differentiate(b, &at);
  at = move(s, h / 2, &k2);
  state k3 = differentiate(b, &at);
  at = move(s, h, &k3);
  state k4 = differentiate(b, &at);
  *s = move(s, h / 6, &k1);
  *s = move(s, h / 3, &k2);
  *s = move(s, h / 3, &k3);
  *s = move(s, h / 6, &k4);
  s->q = quat_normalize(s->q);
}

/* --- Simulation ---------------------------------------------------------------------------------
 */

static state find_start(const body* b) {
  state s = {b->start, b->spin, v3_zero()};
  v3 none, r = find_contact(b, find_up(s.q), v3_zero(), &none);
  s.x.z = -v3_dot(find_up(s.q), r);
  return s;
}

static simulation create(const body* b, double dt, int relinearise, const state* at) {
  char text[1024];
  const m3* I = &b->inertia;
  snprintf(text, sizeof text,
           "<mujoco><default><geom friction='%d'/></default><worldbody><geom type='plane' "
           "size='9 9 1'/><body><freejoint/><inertial pos='0 0 0' mass='%g' "
           "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/><geom type='%s' "
           "size='%g %g %g'/></body></worldbody></mujoco>",
           FRICTION, MASS, I->m[0][0], I->m[1][1], I->m[2][2], I->m[0][1], I->m[0][2], I->m[1][2],
           b->geom, b->size.x, b->size.y, b->size.z);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.relinearise = relinearise;
  simulation s = simulation_create(text, &def);
  m3 R = quat_to_m3(at->q);
  double q[7] = {at->x.x, at->x.y, at->x.z, at->q.w, at->q.x, at->q.y, at->q.z}, v[6];
  v3_store(m3_mulv(&R, find_velocity(b, at)), v);
  v3_store(at->w, v + 3);
  assert_int_equal(carom_sim_set_state(s.sim, 0, q, v, NULL), CAROM_OK);
  return s;
}

/* How far a simulation with steps of dt ends up from what it should be. */
typedef struct error {
  double tilt;   /* root mean square, of the vertical component of its axis z */
  double spin;   /* the same of the angular velocity about the vertical, rad/s */
  double place;  /* m, at the end, along the plane */
  double energy; /* J, gained */
} error;

static double find_spin(quat q, v3 w) { return v3_dot(find_up(q), w); }

static error run(const body* b, double dt) {
  state at = find_start(b);
  simulation s = create(b, dt, 0, &at);
  error e = {0};
  carom_energy before = carom_sim_compute_energy(s.sim);
  int steps = (int)lround(b->duration / dt);
  for (int i = 0; i < steps; i++) {
    simulation_step(&s);
    assert_int_equal(s.report.substeps, 1);
    for (int k = 0; k < 100; k++) take_step(b, dt / 100, &at);
    quat q = quat_load(s.q + 3);
    e.tilt += pow(find_up(q).z - find_up(at.q).z, 2) / steps;
    e.spin += pow(find_spin(q, v3_load(s.v + 3)) - find_spin(at.q, at.w), 2) / steps;
  }
  carom_energy after = carom_sim_compute_energy(s.sim);
  e.energy = after.kinetic + after.potential - before.kinetic - before.potential;
  e.tilt = sqrt(e.tilt), e.spin = sqrt(e.spin);
  e.place = hypot(s.q[0] - at.x.x, s.q[1] - at.x.y);
  simulation_destroy(&s);
  return e;
}

/* Order from 4 to 0.5 ms. */
static double find_order(double coarse, double fine) { return log2(coarse / fine) / 3; }

static void show(const char* what, error e) {
  print_message("%s: tilt %.3g, spin %.3g rad/s, place %.3g m, energy %.3g J\n", what, e.tilt,
                e.spin, e.place, e.energy);
}

/* --- Tests --------------------------------------------------------------------------------------
 */

static quat turn_about_x(double degrees) {
  double half = degrees * M_PI / 360;
  return (quat){cos(half), sin(half), 0, 0};
}

/* A disc with a sharp edge that wobbles: nutation and precession. */
static body make_coin(void) {
  double a = 0.08, h = 0.004, A = MASS * (a * a / 4 + h * h / 3), C = MASS * a * a / 2;
  return (body){"cylinder",       {a, h, 0},      true, {{{A, 0, 0}, {0, A, 0}, {0, 0, C}}},
                turn_about_x(55), {0.4, 1.2, 14}, 3};
}

/* Without what the contact does from the middle of a step to its end the order is 1, and the place
 * off by decimetres. */
static void test_coin(void** test) {
  (void)test;
  const body coin = make_coin();
  error coarse = run(&coin, 4e-3), middle = run(&coin, 1e-3), fine = run(&coin, 5e-4);
  show("4 ms", coarse), show("1 ms", middle), show("0.5 ms", fine);
  assert_true(find_order(coarse.tilt, fine.tilt) > 1.9);
  assert_true(find_order(coarse.spin, fine.spin) > 1.9);
  assert_true(find_order(fabs(coarse.energy), fabs(fine.energy)) > 1.9);
  assert_true(middle.place < 1e-3);
}

static double find_energy(const simulation* s) {
  carom_energy energy = carom_sim_compute_energy(s->sim);
  return energy.kinetic + energy.potential;
}

/* How far the energy strays, relative, after the first tenth of a second, when what it does not
 * know of the last steps at the start is forgotten. */
static double find_stray(double duration, int relinearise) {
  const body coin = make_coin();
  state at = find_start(&coin);
  simulation s = create(&coin, 1e-3, relinearise, &at);
  double start = 0, most = 0;
  for (int i = 0; i < (int)lround(duration / 1e-3); i++) {
    simulation_step(&s);
    if (i == 99) start = find_energy(&s);
    if (i >= 99) most = fmax(most, fabs(find_energy(&s) / start - 1));
  }
  simulation_destroy(&s);
  print_message("energy in %g s, linearised anew %d times: %.2g\n", duration, relinearise, most);
  return most;
}

/* Rolling does no work: what is left of the error is that of a motion that is foreseen, third
 * order in the length of the step; where it is solved for, what keeps contacts from swinging. */
static void test_energy(void** test) {
  (void)test;
  assert_true(find_stray(100, 0) < 1e-6);
  assert_true(find_stray(10, 4) < 1e-8);
}

/* An ellipsoid whose axes of inertia are turned against those of its surface: spun against its
 * sense it starts to rock, and turns back. */
static void test_rattleback(void** test) {
  (void)test;
  double turn = 6 * M_PI / 180, c = cos(turn), s = sin(turn);
  double I1 = 0.8e-3, I2 = 6.5e-3, I3 = 7e-3;
  const body rattleback = {"ellipsoid",
                           {0.18, 0.03, 0.02},
                           false,
                           {{{c * c * I1 + s * s * I2, c * s * (I1 - I2), 0},
                             {c * s * (I1 - I2), s * s * I1 + c * c * I2, 0},
                             {0, 0, I3}}},
                           {1, 0, 0, 0},
                           {0, 0.06, -2.2},
                           5};
  error coarse = run(&rattleback, 4e-3), middle = run(&rattleback, 1e-3);
  error fine = run(&rattleback, 5e-4);
  show("4 ms", coarse), show("1 ms", middle), show("0.5 ms", fine);
  assert_true(find_order(coarse.spin, fine.spin) > 1.9);
  assert_true(find_order(fabs(coarse.energy), fabs(fine.energy)) > 1.9);
  assert_true(middle.spin < 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coin),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_rattleback),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
