/* Andrews' squeezer: seven bodies, three closed loops in one point, a spring and a motor, over 0.03
 * s (benchmark A03 of the IFToMM library of multibody problems; data and reference of the Bari test
 * set for initial value problems, after Hairer and Wanner, Solving Ordinary Differential Equations
 * II).
 *
 * It is a stiff test of loops at high speed: the crank turns two and a half times while the others
 * swing to and fro. */
#include "support/convergence.h"

#include <math.h>

/* --- Data ---------------------------------------------------------------------------------------
 */

enum { NUM_LINKS = 7 };

static const double MASS[NUM_LINKS] = {.04325, .00365, .02373, .00706, .0705, .00706, .05498};
static const double INERTIA[NUM_LINKS] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7,
                                          1.169e-5, 5.667e-7, 1.912e-5};

static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035;
static const double sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916;
static const double u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;

/* In the order of the bodies below: beta, theta, gamma, delta, Phi, epsilon, Omega. */
static const double START[NUM_LINKS] = {-0.0617138900142764496, 0,
                                        0.455279819163070380,   0.487364979543842550,
                                        0.222668390165885885,   1.23054744454982120,
                                        -0.222668390165885885};
static const double END[NUM_LINKS] = {15.81077119629904,  -15.75637105984298,  0.04082224013073101,
                                      0.5244099658805304, -0.5347301163226948, 1.048080741042263,
                                      0.5347301163226948};

/* --- Mechanism ----------------------------------------------------------------------------------
 */

/* A link of the plane z = 0 on a hinge. Only the inertia about z counts. */
static carom_body add_link(carom_builder* builder, int number, carom_body parent, double x,
                           double y, double com_x, double com_y) {
  carom_error error;
  carom_body body;
  double I = INERTIA[number - 1];
  carom_body_def def = carom_body_def_default();
  def.parent = parent;
  def.position[0] = x, def.position[1] = y;
  def.mass = MASS[number - 1];
  def.com[0] = com_x, def.com[1] = com_y;
  def.inertia[0] = def.inertia[1] = 0.5 * I, def.inertia[2] = I;
  check_ok(carom_builder_add_body(builder, &def, &body, &error), &error);
  carom_joint_def joint = carom_joint_def_default();
  joint.body = body;
  joint.axis[0] = joint.axis[1] = 0, joint.axis[2] = 1;
  check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
  return body;
}

/* A point of the first body and one of the second coincide. */
static void join(carom_builder* builder, carom_body body1, double x1, double y1, carom_body body2,
                 double x2, double y2) {
  carom_error error;
  carom_equality_def def = carom_equality_def_default();
  def.type = CAROM_EQUALITY_CONNECT;
  def.body1 = body1, def.body2 = body2;
  def.anchor1[0] = x1, def.anchor1[1] = y1, def.anchor1[2] = 0;
  def.anchor2[0] = x2, def.anchor2[1] = y2, def.anchor2[2] = 0;
  check_ok(carom_builder_add_equality(builder, &def, NULL, &error), &error);
}

static void add_spring(carom_builder* builder, carom_body body) {
  carom_error error;
  carom_spring_def def = carom_spring_def_default();
  def.body1 = body;
  def.point1[0] = sd, def.point1[1] = -sc;
  def.point2[0] = xc, def.point2[1] = yc;
  def.stiffness = 4530;
  def.rest_length = .07785;
  check_ok(carom_builder_add_spring(builder, &def, &error), &error);
}

static carom_model* make_squeezer(void) {
  carom_error error;
  carom_builder* builder;
  carom_model* model;
  carom_builder_def def = carom_builder_def_default();
  carom_body world = {0};
  def.gravity[2] = 0;
  check_ok(carom_builder_create(&def, &builder, &error), &error);
  carom_body k1 = add_link(builder, 1, world, 0, 0, ra, 0);
  carom_body k2 = add_link(builder, 2, k1, rr, 0, -da, 0);
  carom_body k3 = add_link(builder, 3, world, xb, yb, sa, sb);
  carom_body k5 = add_link(builder, 5, world, xa, ya, ta, tb);
  carom_body k4 = add_link(builder, 4, k5, zt, 0, 0, -(e - ea));
  carom_body k7 = add_link(builder, 7, world, xa, ya, ua, ub);
  carom_body k6 = add_link(builder, 6, k7, 0, -u, zf - fa, 0);
  join(builder, k2, -d, 0, k3, 0, -ss);
  join(builder, k2, -d, 0, k4, 0, -e);
  join(builder, k2, -d, 0, k6, zf, 0);
  add_spring(builder, k3);
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return model;
}

static simulation start(const carom_sim_def* def) {
  static const double force[3] = {0}, torque[3] = {0, 0, .033};
  carom_error error;
  simulation s = simulation_create_from_model(make_squeezer(), def);
  simulation_set(&s, START, NULL);
  check_ok(carom_sim_set_wrench(s.sim, 1, force, torque, &error), &error);
  return s;
}

/* --- Where it is after 0.03 s -------------------------------------------------------------------
 */

static double find_error(const carom_sim_def* def) {
  double sum = 0;
  simulation s = start(def);
  simulation_run_until(&s, 0.03);
  for (int i = 0; i < NUM_LINKS; i++) sum += (s.q[i] - END[i]) * (s.q[i] - END[i]);
  simulation_destroy(&s);
  return sqrt(sum);
}

/* Second order once the step is linearised at its solution. */
static void test_order_with_relinearisation(void** state) {
  (void)state;
  for (int relinearise = 1; relinearise <= check_repeats(2); relinearise++) {
    convergence_def def = {.sim = simulation_def(CAROM_MIDPOINT, 2e-5),
                           .halvings = 3,
                           .order = 2,
                           .name = "midpoint, relinearised"};
    def.sim.relinearise = relinearise;
    check_order(&def, find_error);
  }
}

/* The crank turns with w < 1500 1/s through 16 rad: the midpoint's phase is off by (w dt)²/12 per
 * radian, and the loops hold points on their circles to 5/8 (w dt)² of the radius. */
static void test_end(void** state) {
  (void)state;
  double dt = 2.5e-6, z = 1500 * dt;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.relinearise = 1;
  simulation s = start(&def);
  simulation_run_until(&s, 0.03);
  for (int i = 0; i < NUM_LINKS; i++) check_near(s.q[i], END[i], 16 * (1.0 / 12 + 0.625) * z * z);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_with_relinearisation),
      cmocka_unit_test(test_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
