/* Forces on a simulation: wrenches, springs and dampers between points, motors and servos, with
 * limits; against joint forces, closed forms, and each other. */
#include "support/world.h"

#include "carom/builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
enum { MOST_V = 40 };

static void set_wrench(world* w, int body, const double force[3], const double torque[3]) {
  carom_error error;
  check_ok(carom_sim_set_wrench(w->sim, body, force, torque, &error), &error);
}

static void compute_acceleration(world* w, double* a) {
  carom_step_report report;
  carom_error error;
  check_ok(carom_sim_compute_acceleration(w->sim, a, &report, &error), &error);
  assert_int_equal(report.outcome, CAROM_STEP_DONE);
}

/* --- Gravity compensation -----------------------------------------------------------------------
 */

/* An arm of two welded parts and a free body that bear their own weight, or a share of it. */
#define COMPENSATED                                                                             \
  "<body><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0' mass='2'/><body gravcomp='%g' "      \
  "pos='.5 0 0'><joint axis='0 1 0'/><geom size='.1' pos='.2 .1 .1' mass='1'/><body pos='.2 0 " \
  "0' gravcomp='%g'><geom size='.1' mass='.5'/></body></body></body><body pos='0 2 1' "         \
  "gravcomp='%g'><freejoint/><geom size='.1' mass='1.5' pos='.1 0 0'/></body>"

static world make_compensated(double inner, double outer, double alone, const carom_sim_def* def) {
  char body[1000], text[1200];
  snprintf(body, sizeof body, COMPENSATED, inner, outer, alone);
  snprintf(text, sizeof text, "<mujoco><worldbody>%s</worldbody></mujoco>", body);
  return world_create(text, def);
}

/* The passive force is the weight's joint force, by the difference of potential energies of models
 * that are lighter; what floats stays; and energy is balanced with the work that it does. */
static void test_gravity_compensation(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.001, CAROM_MIDPOINT);
  world w = make_compensated(1, 0.5, 1, &def);
  carom_dynamics* d;
  assert_int_equal(carom_dynamics_create(w.model, NULL, &d, NULL), CAROM_OK);
  double q[9] = {0.4, -0.7, 0, 2, 1, 1, 0, 0, 0}, passive[8];
  carom_dynamics_set(d, q, NULL, NULL, NULL);
  carom_dynamics_compute_passive(d, passive);
  /* About y, a point at (x, z) turns to -z and x: heights fall by x for a small angle. */
  double a = q[0] + q[1], x1 = 0.5 * cos(q[0]), x2 = 0.2 * cos(a) + 0.1 * sin(a), x3 = 0.2 * cos(a);
  double about_second = -G * (1 * x2 + 0.25 * x3), about_first = about_second - G * 1.25 * x1;
  check_near(passive[0], about_first, 1e-12);
  check_near(passive[1], about_second, 1e-12);
  check_near_array(passive + 2, ((double[]){0, 0, 1.5 * G}), 3, 1e-12);
  double start = world_energy(&w), work = 0;
  for (int i = 0; i < 300; i++) work += world_step(&w).actuator_work;
  assert_true(fabs(work) > 0.1);
  check_near(world_energy(&w) - start, work, 1e-4);
  check_near_array(world_q(&w) + 2, ((double[]){0, 2, 1}), 3, 1e-10);
  carom_dynamics_destroy(d);
  world_destroy(&w);
}

/* --- Wrenches -----------------------------------------------------------------------------------
 */

/* A floating chain with a ball joint, whose bodies' centres of mass are off their frames; an arm on
 * the ground. */
static const char CHAIN[] =
    "<mujoco><worldbody>"
    "<body pos='0 0 1' euler='10 20 30'><freejoint/><geom size='.1' pos='.1 .05 0'/>"
    "<body pos='.3 0 0'><joint type='ball'/><geom type='box' size='.1 .05 .02' pos='.1 0 .1'/>"
    "<body pos='.3 0 0'><joint axis='1 1 0'/><geom size='.08' pos='.1 0 .05'/></body></body></body>"
    "<body pos='2 0 0'><joint type='slide' axis='0 1 1' damping='1'/><geom size='.1'/>"
    "<body><joint axis='0 0 1' pos='.1 0 0' stiffness='3'/><geom size='.1' pos='.3 0 0'/></body>"
    "</body></worldbody></mujoco>";

static void draw(check_random* random, double* x, int n) {
  for (int i = 0; i < n; i++) x[i] = check_random_normal(random);
}

static void draw_state(world* w, check_random* random, double* q, double* v) {
  memcpy(q, carom_model_get_reference(w->model), sizeof(double) * (size_t)w->sizes.num_q);
  for (int i = 0; i < w->sizes.num_q; i++) q[i] += 0.3 * check_random_normal(random);
  draw(random, v, w->sizes.num_v);
  world_set(w, q, v);
}

/* Joint forces of wrenches at the centres of mass, Jᵀ (f, t), into `forces`. */
static void add_joint_forces(const world* w, carom_dynamics* d, int body, const double force[3],
                             const double torque[3], double* forces) {
  double J[3 * MOST_V], W[3 * MOST_V], poses[7 * 16], x[3];
  carom_body_info info = carom_model_get_body(w->model, body);
  int n = w->sizes.num_v;
  carom_dynamics_compute_poses(d, poses);
  const double *p = poses + 7 * body, *u = p + 4, *c = info.com;
  double t[3] = {2 * (u[1] * c[2] - u[2] * c[1]), 2 * (u[2] * c[0] - u[0] * c[2]),
                 2 * (u[0] * c[1] - u[1] * c[0])};
  for (int k = 0; k < 3; k++)
    x[k] = p[k] + c[k] + p[3] * t[k] + u[(k + 1) % 3] * t[(k + 2) % 3] -
           u[(k + 2) % 3] * t[(k + 1) % 3];
  carom_dynamics_compute_jacobian(d, body, x, J, W);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) forces[i] += J[k * n + i] * force[k] + W[k * n + i] * torque[k];
}

/* Explicit steps accelerate as the dynamics say with the wrenches' joint forces. */
static void test_wrenches_are_joint_forces(void** state) {
  (void)state;
  check_random random = {1};
  carom_sim_def def = world_def(1e-3, CAROM_EXPLICIT);
  def.disable_contacts = true;
  world w = world_create(CHAIN, &def);
  carom_dynamics* d;
  assert_int_equal(carom_dynamics_create(w.model, NULL, &d, NULL), CAROM_OK);
  for (int repeat = 0; repeat < 100; repeat++) {
    double q[MOST_V], v[MOST_V], forces[MOST_V] = {0}, a[MOST_V], expected[MOST_V], size = 1;
    draw_state(&w, &random, q, v);
    assert_int_equal(carom_dynamics_set(d, q, v, NULL, NULL), CAROM_OK);
    for (int body = 1; body < w.sizes.num_bodies; body++) {
      double force[3], torque[3];
      draw(&random, force, 3);
      draw(&random, torque, 3);
      for (int k = 0; k < 3; k++) force[k] *= 10 * (repeat % 3), torque[k] *= repeat % 4;
      set_wrench(&w, body, force, torque);
      add_joint_forces(&w, d, body, force, torque, forces);
    }
    compute_acceleration(&w, a);
    assert_int_equal(carom_dynamics_compute_forward(d, forces, true, expected, NULL), CAROM_OK);
    for (int i = 0; i < w.sizes.num_v; i++) size = fmax(size, fabs(expected[i]));
    /* An acceleration is a difference of velocities over dt. */
    check_near_array(a, expected, w.sizes.num_v, 1e-15 / def.dt * 10 + 1e-11 * size);
  }
  carom_dynamics_destroy(d);
  world_destroy(&w);
}

/* A wrench lasts until it is taken back, and on what is fixed it does nothing. */
static void test_wrench_lasts(void** state) {
  (void)state;
  const double up[3] = {0, 0, 3}, zero[3] = {0, 0, 0}, turn[3] = {0, 0, 0.5};
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  world w = world_create("<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
                         "<inertial pos='.1 0 0' mass='2' diaginertia='.1 .1 .1'/></body>"
                         "<body pos='3 0 0'><geom size='.1'/></body></worldbody></mujoco>",
                         &def);
  set_wrench(&w, 1, up, zero);
  set_wrench(&w, 2, up, turn);
  world_run(&w, 100);
  /* m v = F t at the centre of mass, without turning. */
  check_near(world_v(&w)[2], 1.5, 1e-13);
  check_near_array(world_v(&w) + 3, zero, 3, 1e-13);
  check_near(world_q(&w)[2], 0.75, 1e-13);
  set_wrench(&w, 1, zero, turn);
  world_run(&w, 100);
  check_near(world_v(&w)[5], 5, 1e-12);
  set_wrench(&w, 1, zero, zero);
  world_run(&w, 100);
  check_near(world_v(&w)[5], 5, 1e-12);
  check_near(world_v(&w)[2], 1.5, 1e-12);
  world_destroy(&w);
}

/* --- Springs between points ---------------------------------------------------------------------
 */

static carom_body add_ball(carom_builder* builder, double x, double mass) {
  carom_body_def body = carom_body_def_default();
  carom_joint_def joint = carom_joint_def_default();
  joint.axis[2] = 1;
  carom_body made;
  carom_error error;
  body.position[0] = x;
  body.mass = mass;
  body.inertia[0] = 0.01, body.inertia[1] = 0.02, body.inertia[2] = 0.025;
  check_ok(carom_builder_add_body(builder, &body, &made, &error), &error);
  joint.body = made;
  joint.type = CAROM_JOINT_FREE;
  check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
  return made;
}

/* Three free bodies in a row, each tied to the next and the first to the world: springs `springs`
 * of them, at points off their centres where `off` is not zero. */
static carom_model* make_springs(int springs, double off, double stiffness, double damping) {
  carom_builder_def def = carom_builder_def_default();
  carom_builder* builder;
  carom_error error;
  carom_model* model;
  carom_body bodies[4] = {{0}};
  def.gravity[2] = 0;
  check_ok(carom_builder_create(&def, &builder, &error), &error);
  for (int i = 1; i < 4; i++) bodies[i] = add_ball(builder, 0.5 * i, i);
  for (int i = 3 - springs; i < 3; i++) {
    carom_spring_def spring = carom_spring_def_default();
    spring.body1 = bodies[i], spring.body2 = bodies[i + 1];
    spring.point1[1] = off, spring.point2[2] = -off;
    spring.stiffness = stiffness, spring.damping = damping;
    check_ok(carom_builder_add_spring(builder, &spring, &error), &error);
  }
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return model;
}

/* Explicit steps accelerate as the dynamics say. */
static void test_springs_are_passive_forces(void** state) {
  (void)state;
  check_random random = {2};
  carom_sim_def def = world_def(1e-3, CAROM_EXPLICIT);
  world w = world_create_from(make_springs(3, 0.2, 40, 2), &def);
  carom_dynamics* d;
  assert_int_equal(carom_dynamics_create(w.model, NULL, &d, NULL), CAROM_OK);
  for (int repeat = 0; repeat < 100; repeat++) {
    double q[MOST_V], v[MOST_V], a[MOST_V], expected[MOST_V], size = 1;
    draw_state(&w, &random, q, v);
    assert_int_equal(carom_dynamics_set(d, q, v, NULL, NULL), CAROM_OK);
    compute_acceleration(&w, a);
    assert_int_equal(carom_dynamics_compute_forward(d, NULL, true, expected, NULL), CAROM_OK);
    for (int i = 0; i < w.sizes.num_v; i++) size = fmax(size, fabs(expected[i]));
    check_near_array(a, expected, w.sizes.num_v, 1e-15 / def.dt * 10 + 1e-11 * size);
  }
  carom_dynamics_destroy(d);
  world_destroy(&w);
}

/* Two bodies on a line: the midpoint rule turns the phase by 2 atan(omega dt / 2) a step, exactly.
 */
static void test_spring_oscillation(void** state) {
  (void)state;
  const double k = 300, reduced = 2 * 3.0 / 5, dt = 0.01, pull = 0.05;
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create_from(make_springs(1, 0, k, 0), &def);
  double q[MOST_V], phase = 2 * atan(0.5 * dt * sqrt(k / reduced));
  memcpy(q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  double rest = q[14] - q[7];
  q[14] += pull;
  world_set(&w, q, NULL);
  for (int i = 1; i <= 1000; i++) {
    world_step(&w);
    check_near(world_q(&w)[14] - world_q(&w)[7] - rest, pull * cos(i * phase), 1e-12);
    /* The centre of mass stays. */
    check_near(2 * world_v(&w)[6] + 3 * world_v(&w)[12], 0, 1e-13);
  }
  world_destroy(&w);
}

/* The same with a damper: [1 + h c/2m + h² k/4m] x'' in discrete form has the amplification factor
 * of the 2 x 2 midpoint map, det = (1 - c h/2m + w²h²/4) / (1 + c h/2m + w²h²/4). */
static void test_spring_damper(void** state) {
  (void)state;
  const double k = 300, c = 4, reduced = 2 * 3.0 / 5, dt = 0.01;
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create_from(make_springs(1, 0, k, c), &def);
  double q[MOST_V], rest, s = 0.25 * dt * dt * k / reduced, r = 0.5 * dt * c / reduced;
  memcpy(q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  rest = q[14] - q[7];
  q[14] += 0.05;
  world_set(&w, q, NULL);
  double x = 0.05, v = 0;
  for (int i = 0; i < 500; i++) {
    double next = ((1 - r - s) * v - dt * k / reduced * x) / (1 + r + s);
    x += 0.5 * dt * (v + next);
    v = next;
    world_step(&w);
    check_near(world_q(&w)[14] - world_q(&w)[7] - rest, x, 1e-13);
    check_near(world_v(&w)[12] - world_v(&w)[6], v, 1e-12);
  }
  world_destroy(&w);
}

/* Stiff dampers between points close the budget of a step, whatever dt c / m and the spring. */
static void test_stiff_damper(void** state) {
  (void)state;
  const double reduced = 2 * 3.0 / 5, dt = 0.005;
  for (double z = 0.1; z < 2e4; z *= sqrt(10)) {
    carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
    world w = world_create_from(
        make_springs(1, 0, 0.05 * z * reduced / (dt * dt), z * reduced / dt), &def);
    double v[MOST_V] = {0}, lost = 0;
    v[6] = 0.9, v[12] = -0.6; /* towards each other, momentum 0 */
    world_set(&w, NULL, v);
    double start = world_energy(&w);
    for (int i = 0; i < 100; i++) {
      double before = world_energy(&w);
      carom_step_report r = world_step(&w);
      check_near(world_energy(&w) - before + r.dissipated, 0, 1e-9 * start);
      if (r.first_outcome != CAROM_STEP_DONE)
        fail_msg("z %g: step %d ended with %d first, gain %g", z, i, r.first_outcome,
                 r.unexplained);
      lost += r.dissipated;
    }
    assert_true(lost > 0.5 * start);
    world_destroy(&w);
  }
}

/* Springs join trees: momentum stays whatever they do. A spring so stiff that an explicit one would
 * burst is held by the implicit scheme. */
static void test_stiff_springs(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_IMPLICIT);
  world w = world_create_from(make_springs(2, 0.1, 1e7, 10), &def);
  double v[18] = {0};
  v[1] = 0.3, v[7] = -0.2, v[17] = 1;
  world_set(&w, NULL, v);
  double start = world_energy(&w), P = 0.3 * 1 - 0.2 * 2;
  for (int i = 0; i < 300; i++) {
    world_step(&w);
    assert_true(world_energy(&w) <= start * (1 + 1e-6));
    double now = world_v(&w)[1] + 2 * world_v(&w)[7] + 3 * world_v(&w)[13];
    check_near(now, P, 1e-10);
  }
  world_destroy(&w);
}

/* --- Actuators ----------------------------------------------------------------------------------
 */

/* A 2 kg slide along the vertical, with one actuator. */
static world make_slide(const char* actuator, const carom_sim_def* def) {
  char text[800];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body><joint name='j' type='slide' axis='0 0 1'/>"
           "<geom size='.1' mass='2'/></body></worldbody><actuator>%s</actuator></mujoco>",
           actuator);
  return world_create(text, def);
}

static double acceleration_at(world* w, double control) {
  double a[1];
  carom_sim_controls(w->sim)[0] = control;
  compute_acceleration(w, a);
  return a[0];
}

/* gear clamp(gain clamp(u)) / m - g. */
static void test_motor(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    world w = make_slide("<motor joint='j' gear='3' ctrlrange='-5 4' ctrllimited='true' "
                         "forcerange='-4.5 9' forcelimited='true'/>",
                         &def);
    check_near(acceleration_at(&w, 0), -G, 1e-12);
    check_near(acceleration_at(&w, 2), 3 * 2 / 2.0 - G, 1e-12);
    check_near(acceleration_at(&w, 7), 3 * 4 / 2.0 - G, 1e-12);
    check_near(acceleration_at(&w, -4.8), 3 * -4.5 / 2.0 - G, 1e-12);
    world_destroy(&w);
  }
}

/* Saturated, a servo's force is its limit; within them, the limited servo moves as the unlimited
 * one.
 */
static void test_limited_servo(void** state) {
  (void)state;
  for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    def.tolerance = 1e-12;
    world w = make_slide("<position joint='j' kp='400' kv='20' forcerange='-50 60'/>", &def);
    world free = make_slide("<position joint='j' kp='400' kv='20'/>", &def);
    check_near(acceleration_at(&w, 5), 60 / 2.0 - G, 1e-9);
    check_near(acceleration_at(&w, -5), -50 / 2.0 - G, 1e-9);
    for (int i = 0; i < 200; i++) {
      carom_sim_controls(w.sim)[0] = carom_sim_controls(free.sim)[0] = 0.05 * sin(0.1 * i);
      world_step(&w);
      world_step(&free);
      check_near(world_q(&w)[0], world_q(&free)[0], 1e-10);
      check_near(world_v(&w)[0], world_v(&free)[0], 1e-9);
    }
    world_destroy(&w);
    world_destroy(&free);
  }
}

/* A servo that goes in and out of its range has in every step the force of its law, held within the
 * range, at the scheme's weights. */
static void test_servo_at_bounds(void** state) {
  (void)state;
  static const double theta[][2] = {{0, 1}, {1, 1}, {0.5, 0.5}}; /* theta_q, theta_v */
  for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    def.tolerance = 1e-12;
    world w = make_slide("<position joint='j' kp='400' kv='20' forcerange='-50 60'/>", &def);
    int held = 0, changes = 0;
    for (int i = 0; i < 300; i++) {
      double u = i / 60 % 2 ? -0.4 : 0.5, q = world_q(&w)[0], v = world_v(&w)[0];
      const double* t = theta[scheme - CAROM_SYMPLECTIC];
      carom_sim_controls(w.sim)[0] = u;
      world_step(&w);
      double q1 = world_q(&w)[0], v1 = world_v(&w)[0];
      double law = 400 * (u - q - t[0] * (q1 - q)) - 20 * (v + t[1] * (v1 - v));
      double f = fmin(fmax(law, -50), 60);
      check_near(2 * (v1 - v) / 0.01, f - 2 * G, 1e-6);
      changes += held != (f != law);
      held = f != law;
    }
    assert_true(changes > 6);
    world_destroy(&w);
  }
}

/* What stops a joint can bring its servo to its bound, which the free motion does not reach. */
static void test_servo_against_floor(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'>"
      "<joint name='j' type='slide' axis='0 0 1'/><geom size='.1' mass='.2'/></body></worldbody>"
      "<actuator><position joint='j' kp='400' kv='20' forcerange='-60 60'/></actuator></mujoco>";
  for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    world w = world_create(text, &def);
    for (int i = 0; i < 40; i++) {
      int count;
      carom_sim_controls(w.sim)[0] = i < 20 ? -0.2 : -0.1;
      world_step(&w);
      const carom_contact* contacts = carom_sim_contacts(w.sim, &count);
      if (i % 20 < 10) continue;
      assert_int_equal(count, 1);
      check_near(fabs(contacts[0].impulse[2]), 0.01 * ((i < 20 ? 60 : 40) + 0.2 * G), 1e-5);
    }
    world_destroy(&w);
  }
}

/* At rest a servo sags by the load over its gain; gains that an explicit scheme could not carry
 * hold with and without limits, and a load beyond the limit falls. */
static void test_servo_holds(void** state) {
  (void)state;
  static const char* const actuators[] = {
      "<position joint='j' kp='1e3' kv='100'/>",
      "<position joint='j' kp='1e3' kv='100' forcerange='-30 30'/>",
      "<position joint='j' kp='1e8' kv='1e5'/>",
      "<position joint='j' kp='1e8' kv='1e5' forcerange='-30 30'/>",
  };
  for (int i = 0; i < 4; i++) {
    carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
    world w = make_slide(actuators[i], &def);
    world_run(&w, 1000);
    check_near(world_q(&w)[0], -2 * G / (i < 2 ? 1e3 : 1e8), 1e-7);
    check_near(world_v(&w)[0], 0, 1e-6);
    world_destroy(&w);
  }
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  world w = make_slide("<position joint='j' kp='1e8' kv='1e5' forcerange='-10 10'/>", &def);
  world_run(&w, 100);
  check_near(world_v(&w)[0], -(G - 5), 0.2);
  world_destroy(&w);
}

/* What has come to rest rests: forces that hold each other leave round-off, not failing steps. */
static void test_rest(void** state) {
  (void)state;
  static const char* const actuators[] = {"<position joint='j' kp='1e3' kv='100'/>",
                                          "<position joint='j' kp='1e6' kv='1e4' gear='3'/>"};
  for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    for (int i = 0; i < 2; i++) {
      world w = make_slide(actuators[i], &def);
      carom_sim_controls(w.sim)[0] = 0.7;
      world_run(&w, 3000);
      check_near(world_v(&w)[0], 0, 1e-6);
      world_destroy(&w);
    }
    world springs = world_create_from(make_springs(3, 0, 200, 30), &def);
    double v[18] = {0.1};
    world_set(&springs, NULL, v);
    world_run(&springs, 5000);
    check_near(carom_sim_compute_energy(springs.sim).kinetic, 0, 1e-15);
    world_destroy(&springs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gravity_compensation),
      cmocka_unit_test(test_wrenches_are_joint_forces),
      cmocka_unit_test(test_wrench_lasts),
      cmocka_unit_test(test_springs_are_passive_forces),
      cmocka_unit_test(test_spring_oscillation),
      cmocka_unit_test(test_spring_damper),
      cmocka_unit_test(test_stiff_damper),
      cmocka_unit_test(test_stiff_springs),
      cmocka_unit_test(test_motor),
      cmocka_unit_test(test_limited_servo),
      cmocka_unit_test(test_servo_at_bounds),
      cmocka_unit_test(test_servo_against_floor),
      cmocka_unit_test(test_servo_holds),
      cmocka_unit_test(test_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
