/* Reactions of joints and equalities: closed forms at rest and in motion, and for a robot that
 * beats on the floor the balance of every body, with accelerations from Jacobians. */
#include "support/simulation.h"
#include "support/world.h"

#include "carom/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

enum { MOST_JOINTS = 16, MOST_BODIES = 17, MOST_DOFS = 16 };

static void read_joints(simulation* s, carom_joint_reaction* reactions) {
  carom_error error;
  check_ok(carom_sim_compute_joint_reactions(s->sim, reactions, &error), &error);
}

static void read_equalities(simulation* s, carom_equality_reaction* reactions) {
  carom_error error;
  check_ok(carom_sim_compute_equality_reactions(s->sim, reactions, &error), &error);
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- At rest ------------------------------------------------------------------------------------
 */

/* A chain hangs: each joint bears what is below it, and nothing about itself. A motor's torque goes
 * through its joint and the ones above. */
static void test_hanging_chain(void** state) {
  (void)state;
  simulation s =
      simulation_create("<mujoco><worldbody><body pos='0 0 2'><joint axis='0 1 0'/>"
                        "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.03' mass='3'/>"
                        "<body pos='0 0 -.4'><joint axis='0 1 0'/>"
                        "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.03' mass='2'/>"
                        "<body pos='0 0 -.4'><joint type='ball'/>"
                        "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.03' mass='1'/>"
                        "</body></body></body></worldbody></mujoco>",
                        NULL);
  carom_joint_reaction r[3];
  read_joints(&s, r);
  for (int j = 0; j < 3; j++) assert_true(dot(r[j].on_body.force, r[j].on_body.force) == 0);
  simulation_step(&s);
  read_joints(&s, r);
  const double below[3] = {6, 3, 1};
  for (int j = 0; j < 3; j++) {
    const double force[3] = {0, 0, below[j] * G}, none[3] = {0};
    check_near_array(r[j].on_body.force, force, 3, 1e-11);
    check_near_array(r[j].force, force, 3, 1e-11);
    check_near_array(r[j].on_body.moment, none, 3, 1e-11);
    const double center[3] = {0, 0, 2 - 0.4 * j};
    check_near_array(r[j].on_body.center, center, 3, 1e-12);
  }
  carom_sim_forget(s.sim);
  read_joints(&s, r);
  for (int j = 0; j < 3; j++) assert_true(dot(r[j].on_body.force, r[j].on_body.force) == 0);
  simulation_destroy(&s);
}

/* Two rods lean against each other, pinned at the top: a three-hinged arch. Each bears its own
 * weight; the thrust is half a weight times the tangent of the angle from the vertical. */
static void test_arch(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_EXPLICIT, 2e-3);
  simulation s = simulation_create(
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<body name='left' pos='-.3 0 0'><joint axis='0 1 0'/>"
      "<geom type='capsule' fromto='0 0 0 .3 0 .4' size='.02' mass='2' contype='0'/></body>"
      "<body name='right' pos='.3 0 0'><joint axis='0 1 0'/>"
      "<geom type='capsule' fromto='0 0 0 -.3 0 .4' size='.02' mass='2' contype='0'/></body>"
      "</worldbody><equality><connect body1='left' body2='right' anchor='.3 0 .4'/></equality>"
      "</mujoco>",
      &def);
  carom_joint_reaction r[2];
  carom_equality_reaction top;
  simulation_run_until(&s, 0.1);
  read_joints(&s, r), read_equalities(&s, &top);
  double weight = 2 * G, thrust = 0.5 * weight * 0.75;
  const double left[3] = {thrust, 0, weight}, right[3] = {-thrust, 0, weight};
  const double on_right[3] = {thrust, 0, 0}, none[3] = {0};
  assert_int_equal(top.num_rows, 3);
  check_near_array(r[0].on_body.force, left, 3, 1e-6 * weight);
  check_near_array(r[1].on_body.force, right, 3, 1e-6 * weight);
  check_near_array(top.rows, on_right, 3, 1e-6 * weight);
  check_near_array(top.on_body2.force, on_right, 3, 1e-6 * weight);
  check_near_array(top.on_body2.moment, none, 3, 1e-6 * weight);
  for (int k = 0; k < 2; k++) check_near_array(r[k].on_body.moment, none, 3, 1e-6 * weight);
  simulation_destroy(&s);
}

/* A box held out by a weld: its weight, and that times the lever, in the world's and the box's
 * axes.
 */
static void test_weld(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body name='box' euler='0 0 90'><freejoint/>"
      "<geom type='box' size='.1 .1 .1' pos='.5 0 0' mass='2'/></body></worldbody>"
      "<equality><weld body1='world' body2='box'/></equality></mujoco>",
      NULL);
  carom_equality_reaction r;
  simulation_run_until(&s, 0.1);
  read_equalities(&s, &r);
  double weight = 2 * G;
  /* The lever is 0.5 m along the world's y, and along the box's x. */
  const double rows[6] = {0, 0, weight, 0, -0.5 * weight, 0};
  const double moment[3] = {0.5 * weight, 0, 0};
  assert_int_equal(r.num_rows, 6);
  check_near_array(r.rows, rows, 6, 1e-5 * weight);
  check_near_array(r.on_body2.force, rows, 3, 1e-5 * weight);
  check_near_array(r.on_body2.moment, moment, 3, 1e-5 * weight);
  simulation_destroy(&s);
}

/* A weight on a slide hangs from a string that is out: the string bears it, not the slide. Then the
 * string is a spring. */
static void test_string(void** state) {
  (void)state;
  static const char* const TENDONS[] = {
      "<spatial limited='true' range='0 1'><site site='a'/><site site='b'/></spatial>",
      "<spatial stiffness='1000' springlength='0.98038'><site site='a'/><site "
      "site='b'/></spatial>"};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body name='frame' pos='0 0 2'><joint axis='0 1 0' type='slide'/>"
             "<geom size='.1' mass='1'/><site name='a'/></body>"
             "<body pos='0 0 1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='2'/>"
             "<site name='b'/></body></worldbody><tendon>%s</tendon></mujoco>",
             TENDONS[k]);
    simulation s = simulation_create(text, NULL);
    carom_joint_reaction r[2];
    carom_tendon_reaction string;
    simulation_step(&s);
    read_joints(&s, r);
    carom_sim_compute_tendon_reactions(s.sim, &string);
    if (k == 0) check_near(string.limit, -2 * G, 1e-6 * G);
    if (k == 1) assert_true(string.limit == 0);
    assert_true(string.friction == 0);
    const double none[3] = {0}, both[3] = {0, 0, 3 * G};
    check_near_array(r[0].on_body.force, both, 3, 1e-6 * G);
    check_near_array(r[1].on_body.force, none, 3, 1e-6 * G);
    simulation_destroy(&s);
  }
}

/* --- In motion ----------------------------------------------------------------------------------
 */

/* A point mass on a rod, explicit, so that a step has the acceleration of its start: along the rod
 * m (g cos + l w²), across it nothing, and about the axis what friction and the motor do. */
static void test_pendulum(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_EXPLICIT, 1e-3);
  simulation s = simulation_create(
      "<mujoco><worldbody><body><joint axis='0 1 0' frictionloss='.2'/>"
      "<inertial pos='0 0 -.5' mass='2' diaginertia='1e-9 1e-9 1e-9'/></body></worldbody></mujoco>",
      &def);
  carom_error error;
  const double q0 = 1.2, v0 = 0.4;
  check_ok(carom_sim_set_state(s.sim, 0, &q0, &v0, &error), &error);
  for (int i = 0; i < 200; i++) {
    double q = carom_sim_coordinates(s.sim)[0], v = carom_sim_velocities(s.sim)[0];
    carom_joint_reaction r;
    simulation_step(&s);
    read_joints(&s, &r);
    double loss = v > 0 ? -0.2 : 0.2; /* N m, against the motion */
    double along = 2 * (G * cos(q) + 0.5 * v * v);
    check_near(r.friction[0], loss, 1e-9);
    check_near(r.moment[1], loss, 1e-8);
    check_near(r.force[2], along, 1e-9 * along);
    check_near(r.force[0], -loss / 0.5, 1e-6);
    if (fabs(v) < 0.1) break; /* it turns round: friction changes its sign within a step */
  }
  simulation_destroy(&s);
}

static void rotate(const double q[4], const double x[3], double out[3]) {
  double t[3], u[3];
  cross(q + 1, x, t);
  for (int k = 0; k < 3; k++) t[k] *= 2;
  cross(q + 1, t, u);
  for (int k = 0; k < 3; k++) out[k] = x[k] + q[0] * t[k] + u[k];
}

/* The centre of mass of a body in the world. */
static void find_com(carom_dynamics* d, const carom_model* m, int body, double com[3]) {
  double poses[7 * MOST_BODIES];
  carom_dynamics_compute_poses(d, poses);
  rotate(poses + 7 * body + 3, carom_model_get_body(m, body).com, com);
  for (int k = 0; k < 3; k++) com[k] += poses[7 * body + k];
}

/* Motion of a body's centre of mass and its angular velocity, from Jacobians. */
typedef struct motion {
  double linear[3], angular[3];
} motion;

static motion find_motion(carom_dynamics* d, const carom_model* m, int body, const double* q,
                          const double* v) {
  double linear[3 * MOST_DOFS], angular[3 * MOST_DOFS];
  int n = carom_model_get_sizes(m).num_v;
  carom_error error;
  check_ok(carom_dynamics_set(d, q, v, NULL, &error), &error);
  double com[3];
  find_com(d, m, body, com);
  carom_dynamics_compute_jacobian(d, body, com, linear, angular);
  motion out = {{0}, {0}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++) {
      out.linear[k] += linear[k * n + i] * v[i];
      out.angular[k] += angular[k * n + i] * v[i];
    }
  return out;
}

/* Its rate of change where q' = v, as of hinges and slides, and v' = a: central differences. */
static motion find_acceleration(carom_dynamics* d, const carom_model* m, int body, const double* q,
                                const double* v, const double* a) {
  const double h = 1e-5;
  int n = carom_model_get_sizes(m).num_v;
  motion at[2], out;
  for (int side = 0; side < 2; side++) {
    double x[MOST_DOFS], y[MOST_DOFS], step = side ? h : -h;
    for (int i = 0; i < n; i++) x[i] = q[i] + step * v[i], y[i] = v[i] + step * a[i];
    at[side] = find_motion(d, m, body, x, y);
  }
  for (int k = 0; k < 3; k++) {
    out.linear[k] = (at[1].linear[k] - at[0].linear[k]) / (2 * h);
    out.angular[k] = (at[1].angular[k] - at[0].angular[k]) / (2 * h);
  }
  return out;
}

/* Force and moment about the world's origin. */
typedef struct wrench {
  double force[3], moment[3];
} wrench;

static void add(wrench* w, double sign, const double force[3], const double moment[3],
                const double point[3]) {
  double lever[3];
  cross(point, force, lever);
  for (int k = 0; k < 3; k++) {
    w->force[k] += sign * force[k];
    w->moment[k] += sign * (moment[k] + lever[k]);
  }
}

/* What the body's inertia and gravity ask for. */
static wrench find_inertial(carom_dynamics* d, const carom_model* m, int body, const double* q,
                            const double* v, const double* a) {
  carom_body_info info = carom_model_get_body(m, body);
  motion rate = find_acceleration(d, m, body, q, v, a), now = find_motion(d, m, body, q, v);
  double poses[7 * MOST_BODIES], com[3], own[2][3], turned[2][3], spin[3], force[3], moment[3];
  carom_dynamics_compute_poses(d, poses);
  const double* quaternion = poses + 7 * body + 3;
  const double back[4] = {quaternion[0], -quaternion[1], -quaternion[2], -quaternion[3]};
  find_com(d, m, body, com);
  const double* vectors[2] = {rate.angular, now.angular};
  for (int k = 0; k < 2; k++) {
    double x[3];
    rotate(back, vectors[k], x);
    const double* I = info.inertia;
    own[k][0] = I[0] * x[0] + I[3] * x[1] + I[4] * x[2];
    own[k][1] = I[3] * x[0] + I[1] * x[1] + I[5] * x[2];
    own[k][2] = I[4] * x[0] + I[5] * x[1] + I[2] * x[2];
    rotate(quaternion, own[k], turned[k]);
  }
  cross(now.angular, turned[1], spin);
  for (int k = 0; k < 3; k++) {
    force[k] = info.mass * (rate.linear[k] + (k == 2 ? G : 0));
    moment[k] = turned[0][k] + spin[k];
  }
  wrench w = {{0}, {0}};
  add(&w, 1, force, moment, com);
  return w;
}

static const char ROBOT[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/><body pos='0 0 .5'>"
    "<joint type='slide' axis='1 0 0' damping='3' armature='.2'/>"
    "<geom type='box' size='.1 .1 .05' mass='3' contype='0'/><site name='s' pos='0 .2 .1'/>"
    "<body pos='.1 0 0'><joint axis='0 1 0' range='-40 80' damping='.1' armature='.03'/>"
    "<joint name='knob' axis='0 0 1' stiffness='3'/>"
    "<geom type='capsule' fromto='0 0 0 .4 .05 0' size='.03'/>"
    "<body name='hand' pos='.4 .05 0'><joint axis='0 1 .2' range='-60 30' frictionloss='.02'/>"
    "<geom type='capsule' fromto='0 0 0 .35 0 0' size='.03'/><site name='t' pos='.2 0 .05'/>"
    "<site name='u' pos='.1 0 0'/>"
    "</body></body></body>"
    "<body name='bob' pos='.85 .05 .6'><joint type='slide' axis='1 0 0'/>"
    "<joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>"
    "<joint axis='1 0 0'/><geom size='.05' contype='0'/></body></worldbody>"
    "<tendon><spatial name='string' stiffness='30' damping='.5'><site site='s'/><site site='t'/>"
    "</spatial></tendon>"
    "<actuator><motor joint='knob'/><motor tendon='string'/><motor site='u' refsite='s' "
    "gear='0 0 0 .1 .3 0'/></actuator>"
    "<equality><connect body1='hand' body2='bob' anchor='.35 0 .1'/></equality></mujoco>";

static int find_joint_of(const carom_model* m, int body) {
  for (int j = 0; j < carom_model_get_sizes(m).num_joints; j++)
    if (carom_model_get_joint(m, j).body == body) return j;
  return -1;
}

/* The sum of what acts on a body, less what it asks for: but for the string and the actuator on
 * sites, which are internal forces of the robot, and told by what they leave over. */
static wrench find_rest(simulation* s, carom_dynamics* d, int body, const double* state) {
  const carom_model* m = s->model;
  int n = carom_model_get_sizes(m).num_v, count;
  carom_joint_reaction joints[MOST_JOINTS];
  carom_equality_reaction pin;
  const double none[3] = {0};
  read_joints(s, joints), read_equalities(s, &pin);
  wrench ask = find_inertial(d, m, body, state, state + n, state + 2 * n), sum = {{0}, {0}};
  for (int b = 1; b < carom_model_get_sizes(m).num_bodies; b++) {
    const carom_reaction* r = &joints[find_joint_of(m, b)].on_body;
    if (b == body) add(&sum, 1, r->force, r->moment, r->center);
    if (carom_model_get_body(m, b).parent == body) add(&sum, -1, r->force, r->moment, r->center);
  }
  int hand = carom_model_find_body(m, "hand"), bob = carom_model_find_body(m, "bob");
  if (body == bob) add(&sum, 1, pin.on_body2.force, pin.on_body2.moment, pin.on_body2.center);
  if (body == hand) add(&sum, -1, pin.on_body2.force, pin.on_body2.moment, pin.on_body2.center);
  const carom_contact* contacts = carom_sim_contacts(s->sim, &count);
  for (int i = 0; i < count; i++) {
    double force[3];
    for (int k = 0; k < 3; k++) force[k] = contacts[i].impulse[k] / carom_sim_dt(s->sim);
    int second = carom_model_get_geom(m, contacts[i].geom2).body;
    int first = carom_model_get_geom(m, contacts[i].geom1).body;
    if (second == body) add(&sum, 1, force, none, contacts[i].position);
    if (first == body) add(&sum, -1, force, none, contacts[i].position);
  }
  for (int k = 0; k < 3; k++) sum.force[k] -= ask.force[k], sum.moment[k] -= ask.moment[k];
  return sum;
}

/* Fails unless two wrenches cancel. */
static void expect_opposite(const wrench* a, const wrench* b, double tolerance) {
  for (int k = 0; k < 3; k++) {
    check_near(a->force[k], -b->force[k], tolerance);
    check_near(a->moment[k], -b->moment[k], tolerance);
  }
}

/* Every body of a robot that beats on the floor is in balance; what the string and the actuator
 * between sites do to the two bodies that they are on cancels, and is not zero. Whatever the
 * solver's tolerance: the joints' reactions take what is left. */
static void expect_balance(double accuracy) {
  carom_sim_def def = simulation_def(CAROM_EXPLICIT, 5e-4);
  def.tolerance = accuracy;
  simulation s = simulation_create(ROBOT, &def);
  carom_dynamics* d;
  carom_error error;
  int n = carom_model_get_sizes(s.model).num_v, pressed = 0;
  check_ok(carom_dynamics_create(s.model, NULL, &d, &error), &error);
  for (int i = 0; i < 800; i++) {
    double before[3 * MOST_DOFS];
    for (int a = 0; a < 3; a++) carom_sim_controls(s.sim)[a] = 2 * sin(0.02 * i + a);
    memcpy(before, carom_sim_coordinates(s.sim), sizeof(double) * (size_t)n);
    memcpy(before + n, carom_sim_velocities(s.sim), sizeof(double) * (size_t)n);
    simulation_step(&s);
    for (int k = 0; k < n; k++)
      before[2 * n + k] = (carom_sim_velocities(s.sim)[k] - before[n + k]) / def.dt;
    if (i % 20) continue;
    int count, hand = carom_model_find_body(s.model, "hand");
    carom_sim_contacts(s.sim, &count);
    pressed += count > 0;
    double scale = 0, tolerance;
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(before[2 * n + k]));
    tolerance = 1e-9 * (30 + scale);
    wrench carriage = find_rest(&s, d, 1, before), tip = find_rest(&s, d, hand, before);
    expect_opposite(&carriage, &tip, 1e3 * tolerance);
    assert_true(dot(tip.force, tip.force) > 0);
    for (int b = 2; b < carom_model_get_sizes(s.model).num_bodies; b++) {
      const wrench none = {{0}, {0}}, rest = find_rest(&s, d, b, before);
      if (b != hand) expect_opposite(&rest, &none, tolerance);
    }
  }
  assert_true(pressed > 3);
  carom_dynamics_destroy(d);
  simulation_destroy(&s);
}

static void test_balance(void** state) {
  (void)state;
  expect_balance(1e-2);
  expect_balance(1e-11);
}

/* About an axis the reaction is what the joint itself does: springs, dampers, motors, limits, dry
 * friction, less what its armature takes. To the step's own accuracy, whatever the scheme. */
static void test_axes(void** state) {
  (void)state;
  for (int k = 0; k < NUM_SCHEMES; k++) {
    carom_sim_def def = simulation_def(SCHEMES[k].scheme, 1e-3);
    simulation s = simulation_create(
        "<mujoco><worldbody><body pos='0 0 .5'><joint axis='0 1 0' range='-20 70' armature='.1'/>"
        "<geom type='capsule' fromto='0 0 0 .4 .1 0' size='.03'/><body pos='.4 .1 0'>"
        "<joint axis='1 1 0' range='-60 30' frictionloss='.3'/>"
        "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/></body></body></worldbody>"
        "</mujoco>",
        &def);
    int limited = 0;
    for (int i = 0; i < 600; i++) {
      carom_joint_reaction r[2];
      double v0 = carom_sim_velocities(s.sim)[0];
      simulation_step(&s);
      if (s.report.substeps > 1) continue;
      read_joints(&s, r);
      double armature = 0.1 * (carom_sim_velocities(s.sim)[0] - v0) / def.dt;
      const double along[3] = {sqrt(0.5), sqrt(0.5), 0};
      double scale = 10 + fabs(r[0].limit) + fabs(r[1].limit) + fabs(armature);
      check_near(r[0].moment[1], r[0].limit - armature, 1e-6 * scale);
      check_near(dot(r[1].moment, along), r[1].limit + r[1].friction[0], 1e-6 * scale);
      limited += r[0].limit != 0 || r[1].limit != 0;
    }
    assert_true(limited > 10);
    simulation_destroy(&s);
  }
}

/* Two free bodies that a pin holds together beat on the floor and slide: contacts and the pin sum
 * to what each one's momentum asks for, to round-off at the default tolerance. */
static void test_pinned_bodies(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body name='a' pos='0 0 "
      ".12'><freejoint/>"
      "<geom type='box' size='.1 .1 .1' mass='1'/></body><body name='b' pos='.25 .02 .3'>"
      "<freejoint/><geom type='box' size='.05 .05 .05' mass='2'/></body></worldbody><equality>"
      "<connect body1='a' body2='b' anchor='.15 0 .1'/></equality></mujoco>",
      NULL);
  const double mass[2] = {1, 2}, dt = carom_sim_dt(s.sim);
  double pressed = 0, held = 0, v0[12] = {[1] = 2, [7] = 2};
  simulation_set(&s, NULL, v0);
  for (int step = 0; step < 300; step++) {
    memcpy(v0, s.v, sizeof v0);
    simulation_step(&s);
    carom_equality_reaction pin;
    read_equalities(&s, &pin);
    double scale = 3 * G + carom_sim_sum_contacts(s.sim, -1, -1).normal;
    for (int k = 0; k < 3; k++) scale += fabs(pin.on_body2.force[k]);
    for (int b = 0; b < 2; b++) {
      carom_contact_sum sum = carom_sim_sum_contacts(s.sim, -1, b + 1);
      pressed = fmax(pressed, sum.normal);
      for (int k = 0; k < 3; k++) {
        double force = sum.force[k] + (b == 1 ? 1 : -1) * pin.on_body2.force[k];
        double asked = mass[b] * ((s.v[6 * b + k] - v0[6 * b + k]) / dt + (k == 2 ? G : 0));
        check_near(force, asked, 1e-13 * scale);
        held = fmax(held, fabs(pin.on_body2.force[k]));
      }
    }
  }
  assert_true(pressed > 3 * G && held > G);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hanging_chain), cmocka_unit_test(test_arch),
      cmocka_unit_test(test_weld),          cmocka_unit_test(test_string),
      cmocka_unit_test(test_pendulum),      cmocka_unit_test(test_balance),
      cmocka_unit_test(test_axes),          cmocka_unit_test(test_pinned_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
