/* A top that turns over: a ball whose centre of mass lies below its centre spins about a nearly
 * vertical axis, and slides on the plane by Coulomb's law while it rises. Beside the equations of
 * that motion: with the contact at r = c - R g from the centre of mass, g the upward direction in
 * the body's axes, and the slip s = (v + w × r) along the plane,
 *
 *   m (v' + w × v) = N f - m |g| g,   I w' = -w × I w + r × N f,   f = g - mu s / |s|,
 *
 * and N such that the normal velocity at the contact stays zero, by the Runge-Kutta method of order
 * 4 with a hundred times smaller steps. */
#include "math/quat.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G        9.81
#define MASS     0.015
#define RADIUS   0.02
#define DEPTH    0.003 /* m, of the centre of mass below the ball's */
#define FRICTION 0.06
#define DURATION 0.24

static const double MOMENTS[3] = {2.2e-6, 2.2e-6, 2.35e-6};

typedef struct state {
  quat q;
  v3 w, v, x; /* rad/s and m/s, its axes; m, world */
} state;

static v3 find_up(quat q) {
  m3 R = quat_to_m3(q);
  return v3_make(R.m[2][0], R.m[2][1], R.m[2][2]);
}

static v3 find_contact(v3 up) { return v3_axpy(v3_make(0, 0, DEPTH), -RADIUS, up); }

static v3 multiply(v3 x) { return v3_make(MOMENTS[0] * x.x, MOMENTS[1] * x.y, MOMENTS[2] * x.z); }

static v3 divide(v3 x) { return v3_make(x.x / MOMENTS[0], x.y / MOMENTS[1], x.z / MOMENTS[2]); }

static state differentiate(const state* s) {
  v3 up = find_up(s->q), dup = v3_cross(up, s->w), r = find_contact(up),
     dr = v3_scale(-RADIUS, dup);
  v3 touch = v3_add(s->v, v3_cross(s->w, r)), slip = v3_axpy(touch, -v3_dot(up, touch), up);
  v3 f = v3_axpy(up, -FRICTION / v3_norm(slip), slip);
  v3 dv = v3_axpy(v3_neg(v3_cross(s->w, s->v)), -G, up), by_v = v3_scale(1 / MASS, f);
  v3 dw = divide(v3_neg(v3_cross(s->w, multiply(s->w)))), by_w = divide(v3_cross(r, f));
  double rate =
      v3_dot(dup, touch) + v3_dot(up, v3_add(dv, v3_add(v3_cross(dw, r), v3_cross(s->w, dr))));
  double N = -rate / v3_dot(up, v3_add(by_v, v3_cross(by_w, r)));
  m3 R = quat_to_m3(s->q);
  quat dq = quat_mul(s->q, (quat){0, 0.5 * s->w.x, 0.5 * s->w.y, 0.5 * s->w.z});
  return (state){dq, v3_axpy(dw, N, by_w), v3_axpy(dv, N, by_v), m3_mulv(&R, s->v)};
}

static state move(const state* s, double h, const state* by) {
  return (state){
      {s->q.w + h * by->q.w, s->q.x + h * by->q.x, s->q.y + h * by->q.y, s->q.z + h * by->q.z},
      v3_axpy(s->w, h, by->w),
      v3_axpy(s->v, h, by->v),
      v3_axpy(s->x, h, by->x)};
}

static void take_step(double h, state* s) {
  state k1 = differentiate(s), at = move(s, h / 2, &k1);
  state k2 = differentiate(&at);
  at = move(s, h / 2, &k2);
  state k3 = differentiate(&at);
  at = move(s, h, &k3);
  state k4 = differentiate(&at);
  *s = move(s, h / 6, &k1);
  *s = move(s, h / 3, &k2);
  *s = move(s, h / 3, &k3);
  *s = move(s, h / 6, &k4);
  s->q = quat_normalize(s->q);
}

/* Tilted by 12 degrees, spinning at 160 rad/s about its own axis; the contact has no normal
 * velocity. */
static state find_start(void) {
  double half = 6 * M_PI / 180;
  state s = {{cos(half), sin(half), 0, 0}, {0, 2, 160}, {0.02, 0, 0}, {0, 0, 0}};
  v3 up = find_up(s.q), r = find_contact(up);
  s.v = v3_axpy(s.v, -v3_dot(up, v3_add(s.v, v3_cross(s.w, r))), up);
  s.x.z = -v3_dot(up, r);
  return s;
}

static simulation create(double dt, const state* at) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><default><geom friction='%g'/></default><worldbody><geom type='plane' "
           "size='9 9 1'/><body><freejoint/><inertial pos='0 0 0' mass='%g' "
           "diaginertia='%.17g %.17g %.17g'/><geom size='%g' pos='0 0 %g'/></body></worldbody>"
           "</mujoco>",
           FRICTION, MASS, MOMENTS[0], MOMENTS[1], MOMENTS[2], RADIUS, DEPTH);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = simulation_create(text, &def);
  m3 R = quat_to_m3(at->q);
  double q[7] = {at->x.x, at->x.y, at->x.z, at->q.w, at->q.x, at->q.y, at->q.z}, v[6];
  v3_store(m3_mulv(&R, at->v), v);
  v3_store(at->w, v + 3);
  assert_int_equal(carom_sim_set_state(s.sim, 0, q, v, NULL), CAROM_OK);
  return s;
}

/* Root mean square error of the vertical component of its axis. */
static double run(double dt, double* place) {
  state at = find_start();
  simulation s = create(dt, &at);
  int steps = (int)lround(DURATION / dt);
  double sum = 0;
  for (int i = 0; i < steps; i++) {
    simulation_step(&s);
    assert_int_equal(s.report.substeps, 1);
    for (int k = 0; k < 100; k++) take_step(dt / 100, &at);
    sum += pow(find_up(quat_load(s.q + 3)).z - find_up(at.q).z, 2) / steps;
  }
  *place = hypot(s.q[0] - at.x.x, s.q[1] - at.x.y);
  simulation_destroy(&s);
  return sqrt(sum);
}

static void test_order(void** test) {
  (void)test;
  double place, coarse = run(4e-3, &place), middle = run(1e-3, &place);
  print_message("1 ms: axis %.3g, place %.3g m\n", middle, place);
  assert_true(place < 1e-5);
  double fine = run(5e-4, &place);
  print_message("order %.3f\n", log2(coarse / fine) / 3);
  assert_true(log2(coarse / fine) / 3 > 1.9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
