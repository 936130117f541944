/* Derivatives of what impulses make in sensors (touch, contacts, limits' forces, forces between a
 * body and its parent) and of range finders, against differences of readings and closed forms. */
#include "sim/sim.h"
#include "support/reading_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Closed forms -------------------------------------------------------------------------------
 */

typedef struct closed {
  carom_model* model;
  carom_sim* sim;
  double x[64], u[8], theta[32];
} closed;

static closed create_closed(const char* text, int steps) {
  closed c = {.model = scene_load(text)};
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-13, def.sleep_share = 0;
  assert_int_equal(carom_sim_create(c.model, &def, &c.sim, NULL), 0);
  for (int i = 0; i < steps; i++) assert_int_equal(carom_sim_step(c.sim, NULL, NULL), 0);
  return c;
}

static void differentiate_closed(closed* c, int sensor, bool after, const char* const* names,
                                 int count) {
  carom_parameter p[8];
  carom_error error;
  const carom_builder* description = carom_model_get_description(c->model);
  for (int i = 0; i < count; i++)
    assert_int_equal(carom_builder_find_parameter(description, names[i], &p[i], NULL), 0);
  carom_reading_derivatives out = {.of = &sensor,
                                   .num_of = 1,
                                   .after_step = after,
                                   .x = c->x,
                                   .u = c->u,
                                   .theta = c->theta,
                                   .parameters = p,
                                   .num_parameters = count};
  if (carom_sim_differentiate_readings(c->sim, &out, &error) != CAROM_OK)
    fail_msg("%s", error.message);
}

static void destroy_closed(closed* c) {
  carom_sim_destroy(c->sim);
  carom_model_destroy(c->model);
}

static void expect_near(double x, double wanted, double tolerance, const char* what) {
  if (fabs(x - wanted) > tolerance) fail_msg("%s: %.12g, not %.12g", what, x, wanted);
}

/* A ball at rest that touches the floor presses with m g. */
static void test_resting_touch(void** state) {
  (void)state;
  closed c = create_closed(
      "<mujoco><option timestep='0.004' gravity='0 0 -9.81'/><worldbody>"
      "<geom name='floor' type='plane' size='5 5 1'/><body name='ball' pos='0 0 0.1'><freejoint/>"
      "<inertial pos='0 0 0' mass='3' diaginertia='0.01 0.01 0.01'/><geom size='0.1'/>"
      "<site name='pad' size='0.12'/></body></worldbody><sensor><touch site='pad'/></sensor>"
      "</mujoco>",
      50);
  double reading;
  assert_int_equal(carom_sim_compute_sensors(c.sim, &reading, NULL), 0);
  expect_near(reading, 3 * 9.81, 1e-9, "touch");
  differentiate_closed(&c, 0, true, (const char* const[]){"body.ball.mass", "model.gravity"}, 2);
  /* a rigid contact's compliance is 1e-8 of its mobility */
  expect_near(c.theta[0], 9.81, 3e-8 * 9.81, "by mass");
  expect_near(c.theta[3], -3, 3e-8 * 3, "by gravity");
  expect_near(c.x[8], -3 / 0.004, 3e-8 * 3 / 0.004, "by velocity");
  destroy_closed(&c);
}

/* What hangs in a joint is held with its weight. */
static void test_hanging_force(void** state) {
  (void)state;
  closed c = create_closed(
      "<mujoco><option gravity='0 0 -9.81'/><worldbody><body name='upper' pos='0 0 2'>"
      "<joint type='ball' damping='0.1'/><inertial pos='0 0 -0.2' mass='2' diaginertia='0.1 0.1 "
      "0.1'/>"
      "<body name='lower' pos='0 0 -0.4'><joint type='hinge' axis='0 1 0' damping='0.1'/>"
      "<inertial pos='0 0 -0.1' mass='0.5' diaginertia='0.01 0.01 0.01'/></body>"
      "<site name='top' pos='0 0 0'/></body></worldbody><sensor><force "
      "site='top'/></sensor></mujoco>",
      3);
  double reading[3];
  const char* const names[] = {"body.upper.mass", "body.lower.mass", "model.gravity"};
  assert_int_equal(carom_sim_compute_sensors(c.sim, reading, NULL), 0);
  expect_near(reading[2], 2.5 * 9.81, 1e-9, "force");
  differentiate_closed(&c, 0, true, names, 3);
  expect_near(c.theta[2 * 5], 9.81, 1e-9, "by upper mass");
  expect_near(c.theta[2 * 5 + 1], 9.81, 1e-9, "by lower mass");
  expect_near(c.theta[2 * 5 + 4], -2.5, 1e-9, "by gravity");
  destroy_closed(&c);
}

/* A ray straight down at the offset x from a sphere's centre ends at sqrt(r² - x²) above it. */
static void test_range_above_sphere(void** state) {
  (void)state;
  closed c = create_closed(
      "<mujoco><worldbody><body name='eye' pos='0.2 0 3'><freejoint/><geom size='0.01'"
      " contype='0' conaffinity='0' mass='1'/><site name='s' euler='180 0 0'/></body>"
      "<body name='globe' pos='0 0 0'><joint type='slide' axis='0 0 1'/>"
      "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
      "<geom name='globe' size='0.5' contype='0' conaffinity='0'/></body></worldbody>"
      "<sensor><rangefinder site='s'/></sensor></mujoco>",
      0);
  double reading, root = sqrt(0.25 - 0.04), tilt = 0.2 / root;
  const char* const names[] = {"geom.globe.size", "geom.globe.position"};
  assert_int_equal(carom_sim_compute_sensors(c.sim, &reading, NULL), 0);
  expect_near(reading, 3 - root, 1e-12, "range");
  differentiate_closed(&c, 0, false, names, 2);
  expect_near(c.x[2], 1, 1e-12, "by height");
  expect_near(c.x[0], tilt, 1e-12, "by offset");
  expect_near(fabs(c.x[4]), (3 - root) * tilt, 1e-12, "by tilt");
  expect_near(c.x[6], -1, 1e-12, "by the globe's height");
  expect_near(c.theta[0], -0.5 / root, 1e-12, "by radius");
  expect_near(c.theta[3], -tilt, 1e-12, "by place");
  destroy_closed(&c);
}

/* --- Contacts -----------------------------------------------------------------------------------
 */

#define OF_ALL                                                                              \
  "<touch site='pad'/><contact body1='body' num='1' reduce='netforce' data='found force'/>" \
  "<force site='pad'/><torque site='pad'/>"                                                 \
  "<contact geom1='floor' body2='body' num='4' data='found dist pos normal tangent'/>"

/* What needs the share of each contact. */
#define OF_EACH                                                                          \
  "<contact geom1='floor' body2='body' num='4' data='found force torque'/>"              \
  "<contact subtree1='body' geom2='floor' num='2' reduce='maxforce' data='force dist'/>" \
  "<contact body1='body' num='1' reduce='netforce' data='torque pos'/>"

static const char* const OF_CONTACT[] = {"body.body.mass", "geom.own.friction", "model.gravity",
                                         "geom.own.stiffness", "geom.own.size"};

/* A state after that many steps, at rest or so but for a push, m/s, before the last ones. */
typedef struct course {
  const char *geom, *body, *sensors;
  carom_friction friction;
  double push, h, tolerance;
  int steps;
} course;

/* Whether all contacts of the next step press, and slide where each one's share is asked for. */
static bool presses(reading_differences* w, bool slides) {
  const carom_contact* contacts;
  int count;
  bool all = true;
  step_differences_save(&w->d);
  assert_int_equal(carom_sim_step(w->d.sim, NULL, NULL), 0);
  contacts = w->d.sim->contacts, count = w->d.sim->num_contacts;
  for (int i = 0; i < count; i++) {
    all &= fabs(contacts[i].impulse[2]) > 1e-6 && contacts[i].state != CAROM_SEPARATED;
    all &= !slides || contacts[i].state == CAROM_SLIDING;
  }
  assert_int_equal(carom_sim_restore(w->d.sim, w->d.state, w->d.size, NULL), 0);
  return all && count > 0;
}

static void shove(carom_sim* sim, double speed, int steps) {
  const double v[6] = {speed, 0.4 * speed, 0, 0, 0, 0.7 * speed};
  assert_int_equal(carom_sim_set_state(sim, 0, NULL, v, NULL), 0);
  for (int i = 0; i < steps; i++) assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
}

static void expect_contacts(const course* at) {
  char text[4096];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -30'/><default><geom"
           " friction='0.6 0.02 0.01'%s/></default><worldbody><geom name='floor' friction='0.5 "
           "0.02 0.01' type='plane'"
           " size='5 5 1'/><body name='body' pos='0 0 0.1'><freejoint/><geom name='own' %s/>"
           "<inertial pos='0 0 0' mass='2' diaginertia='0.02 0.02 0.03'/>"
           "<site name='pad' type='box' size='0.4 0.4 0.4' euler='10 0 20'/></body></worldbody>"
           "<sensor>%s</sensor></mujoco>",
           at->geom, at->body, at->sensors);
  int compared = 0;
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.friction = at->friction, def.solver = CAROM_SOLVER_IPM;
      def.recovery_speed = 1e3, def.sleep_share = 0;
      reading_differences w = reading_differences_create(text, &def, seed);
      w.h = at->h, w.tolerance = at->tolerance, w.d.keeps_memory = true;
      step_differences_push(&w.d, 0.1, 30);
      shove(w.d.sim, at->push, at->steps);
      bool slides = strstr(at->body, "box") && strstr(at->sensors, "maxforce");
      if (presses(&w, slides) && !step_differences_has_kink(&w.d) && w.d.found.num_held == 0) {
        w.share = 1e-2;
        reading_differences_ask(&w, true, OF_CONTACT, 4);
        reading_differences_expect(&w, OF_CONTACT);
        w.share = 1e-4; /* of a size, by which contacts open soon */
        reading_differences_ask(&w, true, OF_CONTACT + 4, 1);
        reading_differences_expect(&w, OF_CONTACT + 4);
        compared++;
      }
      reading_differences_destroy(&w);
    }
  if (compared < 3) fail_msg("only %d compared", compared);
}

#define SOFT " carom:stiffness='4e5' carom:dissipation='0.004'"

static void test_contacts(void** state) {
  (void)state;
  const char *ball = "size='0.1' condim='6'", *box = "type='box' size='0.3 0.25 0.1'";
  /* So wide that all of it presses as it slides; friction of a box that sticks is shared by a trace
   * of compliance alone. */
  const course courses[] = {
      {SOFT, ball, OF_ALL OF_EACH, CAROM_FRICTION_COULOMB, 0.3, 1e-4, 1e-5, 30},
      {SOFT, box, OF_ALL, CAROM_FRICTION_COULOMB, 0.1, 3e-5, 1e-5, 30},
      {SOFT, box, OF_ALL OF_EACH, CAROM_FRICTION_COULOMB, 2, 1e-5, 1e-5, 10},
      {SOFT, box, OF_ALL OF_EACH, CAROM_FRICTION_CONVEX, 0.4, 1e-5, 1e-5, 4},
  };
  for (int i = 0; i < (int)(sizeof courses / sizeof *courses); i++) expect_contacts(&courses[i]);
}

/* --- Reactions ----------------------------------------------------------------------------------
 */

/* A chain with a body that is welded on, held by equalities, springs, a gravity compensation, and
 * limits that are passed. */
#define CHAIN(hinge)                                                                        \
  "<option timestep='0.002'/><worldbody><body name='base' pos='0 0 1'>"                     \
  "<joint name='lift' type='slide' axis='0 0 1' range='-1 -0.001' limited='true'/>"         \
  "<inertial pos='0.02 0.01 -0.03' mass='3' diaginertia='0.03 0.04 0.05'/>"                 \
  "<site name='foot' pos='0.1 0 0.05' euler='10 20 30'/>"                                   \
  "<body name='arm' pos='0.2 0 0'><joint name='ball' type='ball' damping='0.1'/>"           \
  "<inertial pos='0.1 0 0.02' mass='1' fullinertia='0.02 0.02 0.03 0 0.001 0'/>"            \
  "<site name='elbow' pos='0.2 0 0'/>"                                                      \
  "<body name='hand' pos='0.3 0 0' gravcomp='0.4'><joint name='hinge' " hinge " "           \
  "axis='0.2 1 0.1'"                                                                        \
  " stiffness='4' damping='0.05' armature='0.02' range='-0.2 -0.01' limited='true'/>"       \
  "<joint name='slide' type='slide' axis='1 0 0.3' damping='0.3'/>"                         \
  "<inertial pos='0.05 0.02 0' mass='0.6' diaginertia='0.004 0.005 0.006'/>"                \
  "<site name='tip' pos='0.15 0.02 0.03' euler='40 0 10'/>"                                 \
  "<body name='tool' pos='0.1 0 0.1' euler='0 20 0'><inertial pos='0.02 0 0' mass='0.3'"    \
  " diaginertia='0.001 0.002 0.002'/><site name='mount'/></body></body></body></body>"      \
  "<body name='crate' pos='1 0.2 1'><freejoint/><inertial pos='0 0 0' mass='2'"             \
  " diaginertia='0.02 0.03 0.04'/><site name='on' pos='0.1 0 0'/></body>"                   \
  "<body name='box' pos='0.4 1 1'><joint type='free'/><inertial pos='0 0 0' mass='1'"       \
  " diaginertia='0.02 0.03 0.04'/><site name='in'/></body></worldbody>"                     \
  "<tendon><fixed name='sum' limited='true' range='0.02 1'><joint joint='slide' coef='1'/>" \
  "<joint joint='lift' coef='0.5'/></fixed></tendon>"                                       \
  "<actuator><motor joint='hinge' gear='2'/></actuator>"

#define BEARS "actuatorgravcomp='true'"
#define GIVES " carom:stiffness='3e4' carom:dissipation='0.003'"
#define HOLD(what)                                                                               \
  "<mujoco><option><flag limit='disable'/></option>" CHAIN(BEARS) "<equality>" what              \
                                                                  "</equality>" REACTION_SENSORS \
                                                                  "</mujoco>"

#define REACTION_SENSORS                                                                       \
  "<sensor><force site='foot'/><torque site='foot'/><force site='elbow'/><torque site='tip'/>" \
  "<force site='tip'/><torque site='mount'/><force site='mount'/><force site='on'/>"           \
  "<torque site='on'/><force site='in'/><torque site='in'/><jointactuatorfrc "                 \
  "joint='hinge'/><jointlimitfrc joint='lift'/>"                                               \
  "<jointlimitfrc joint='hinge'/><tendonlimitfrc tendon='sum'/></sensor>"

static const char* const OF_CHAIN[] = {
    "model.gravity",
    "body.arm.mass",
    "body.hand.com",
    "body.tool.inertia",
    "joint.hinge.armature",
    "joint.hinge.stiffness",
    "body.hand.gravity_compensation",
};

static int expect_chain(const char* text, const char* const* names, int count, bool after) {
  int compared = 0;
  for (int i = 0; i < 3; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i], def.solver = CAROM_SOLVER_IPM, def.sleep_share = 0;
    def.recovery_speed = 1e3; /* beyond what a difference asks for: its bounds are kinks */
    reading_differences w = reading_differences_create(text, &def, 1 + i);
    w.h = 1e-5, w.share = 1e-3, w.tolerance = 1e-5; /* what the solver leaves of forces, over h */
    assert_int_equal(carom_sim_set_state(w.d.sim, 0, w.d.model->q_reference, NULL, NULL), 0);
    for (int k = 0; k < 20; k++) assert_int_equal(carom_sim_step(w.d.sim, NULL, NULL), 0);
    bool smooth = !after || (!step_differences_has_kink(&w.d) && w.d.found.num_held == 0);
    if (smooth) {
      reading_differences_ask(&w, after, names, count);
      reading_differences_expect(&w, names);
      compared++;
    }
    reading_differences_destroy(&w);
  }
  return compared;
}

static void test_reactions(void** state) {
  (void)state;
  static const char* const texts[] = {
      "<mujoco>" CHAIN(BEARS) REACTION_SENSORS "</mujoco>",
      HOLD("<connect body1='tool' body2='crate' anchor='0.05 0 0'" GIVES "/>"),
      HOLD("<weld body1='crate' body2='box'" GIVES "/>"),
      HOLD("<weld body1='tool' body2='box'" GIVES "/>"),
      HOLD("<carom:distance body1='arm' body2='box' anchor='0.1 0 0' carom:anchor2='0 0 0.1'" GIVES
           "/>")};
  int count = sizeof OF_CHAIN / sizeof *OF_CHAIN;
  for (int i = 0; i < 5; i++) assert_true(expect_chain(texts[i], OF_CHAIN, count, true));
}

/* --- Places -------------------------------------------------------------------------------------
 */

static const char* const OF_PLACES[] = {"body.arm.position",  "body.arm.quaternion",
                                        "joint.ball.anchor",  "joint.hinge.axis",
                                        "joint.hinge.anchor", "body.hand.position"};

#define PLACE_SENSORS                                                                     \
  "<framepos objtype='site' objname='tip'/><framequat objtype='site' objname='mount'/>"   \
  "<framelinvel objtype='site' objname='tip' reftype='site' refname='foot'/>"             \
  "<frameangvel objtype='site' objname='tip'/><subtreecom body='base'/>"                  \
  "<subtreeangmom body='base'/><velocimeter site='tip'/><gyro site='tip'/>"               \
  "<framezaxis objtype='body' objname='arm'/><jointpos joint='hinge'/><jointactuatorfrc " \
  "joint='hinge'/><e_kinetic/><e_potential/>"

#define MORE_PLACE_SENSORS                                                                      \
  "<accelerometer site='tip'/><frameangacc objtype='site' objname='tip'/><force site='elbow'/>" \
  "<torque site='foot'/>"

static void test_places(void** state) {
  (void)state;
  int count = sizeof OF_PLACES / sizeof *OF_PLACES;
  assert_true(expect_chain("<mujoco>" CHAIN("") "<sensor>" PLACE_SENSORS "</sensor></mujoco>",
                           OF_PLACES, count, false));
  assert_true(expect_chain("<mujoco>" CHAIN("") "<sensor>" PLACE_SENSORS MORE_PLACE_SENSORS
                                                "</sensor></mujoco>",
                           OF_PLACES, count, true));
}

/* --- Rays ---------------------------------------------------------------------------------------
 */

#define SEEN(k, pos, geom)                                                          \
  "<body pos='" pos "' euler='20 10 30'><freejoint/><inertial pos='0 0 0' mass='1'" \
  " diaginertia='1 1 1'/><geom name='seen" #k "' contype='0' conaffinity='0' " geom "/></body>"

#define EYE(k, pos)                                                                \
  "<body pos='" pos "' euler='0 170 0'><freejoint/><inertial pos='0 0 0' mass='1'" \
  " diaginertia='1 1 1'/><site name='eye" #k "' pos='0.02 0.03 0.01' euler='5 3 0'/></body>"

#define PAIR(k, x, geom) SEEN(k, x " 0 0", geom) EYE(k, x " 0.1 2")

static void test_rays(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 0.3'/></asset>"
      "<worldbody><geom name='floor' type='plane' size='0 0 1' pos='0 0 -3'/>" PAIR(
          0, "0", "type='sphere' size='0.7'") PAIR(1, "5", "type='capsule' size='0.4 0.5'")
          PAIR(2, "10", "type='box' size='0.6 0.5 0.4'")
              PAIR(3, "15", "type='ellipsoid' size='0.9 0.6 0.4'")
                  PAIR(4, "20", "type='cylinder' size='0.6 0.4'")
                      PAIR(5, "25", "type='mesh' mesh='wedge'")
                          EYE(6, "30 0 1") "</worldbody><sensor><rangefinder "
                                           "site='eye0'/><rangefinder site='eye1'/>"
                                           "<rangefinder site='eye2'/><rangefinder "
                                           "site='eye3'/><rangefinder site='eye4'/>"
                                           "<rangefinder site='eye5'/><rangefinder "
                                           "site='eye6'/></sensor></mujoco>";
  static const char* const names[] = {
      "geom.seen0.size", "geom.seen1.size",     "geom.seen2.size",    "geom.seen3.size",
      "geom.seen4.size", "geom.seen1.position", "geom.seen3.position"};
  reading_differences w = reading_differences_create(text, NULL, 0);
  w.h = 1e-5, w.share = 1e-4;
  reading_differences_ask(&w, false, names, 7);
  reading_differences_expect(&w, names);
  reading_differences_destroy(&w);
}

/* --- Parts --------------------------------------------------------------------------------------
 */

static int count_parts(step_differences* d, int column, double h) {
  carom_step_report report;
  step_differences_move(d, column, h);
  assert_int_equal(carom_sim_step(d->sim, &report, NULL), 0);
  return report.outcome == CAROM_STEP_DONE && report.braked == 0 ? report.substeps : 0;
}

/* Whether all steps nearby are taken in as many parts, more than one. */
static bool is_in_parts(step_differences* d, double h) {
  step_differences_save(d);
  int parts = count_parts(d, 0, 0);
  bool is_same = parts > 1;
  for (int c = 0; c < d->num_x + d->num_u && is_same; c++)
    for (int k = -2; k <= 2; k++) is_same &= count_parts(d, c, k * h) == parts;
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  if (d->num_u > 0) memcpy(carom_sim_controls(d->sim), d->u, sizeof(double) * (size_t)d->num_u);
  return is_same;
}

/* Accelerations and forces are those of the last part, which the ones before it lead to. */
static void test_parts(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><option gravity='0 0 -9.81'/><worldbody><body><joint name='a' axis='0 1 0'"
      " damping='0.01'/><inertial pos='0.5 0 0' mass='1' diaginertia='0.1 0.1 0.1'/>"
      "<body name='lower' pos='1 0 0'><joint name='b' axis='0 1 0.3'/><site name='s'/>"
      "<inertial pos='0.5 0 0' mass='1' diaginertia='0.1 0.1 0.1'/></body></body></worldbody>"
      "<actuator><motor joint='a' gear='50'/><general joint='b' gainprm='30' dyntype='filter'"
      " dynprm='0.1'/></actuator><sensor><accelerometer site='s'/><force site='s'/>"
      "<torque site='s'/><framepos objtype='site' objname='s'/></sensor></mujoco>";
  static const char* const names[] = {"body.lower.mass"};
  int compared = 0;
  for (int k = 0; k < 26; k++) {
    carom_sim_def def = carom_sim_def_default();
    def.dt = 0.5;
    reading_differences w = reading_differences_create(text, &def, 1 + k);
    double v[2] = {pow(10, 0.1 * k), -2 * pow(10, 0.1 * k)}, q[2] = {0.3 * k, 1};
    w.h = 1e-5, w.tolerance = 1e-6, w.share = 1e-4;
    assert_int_equal(carom_sim_set_state(w.d.sim, 0, q, v, NULL), 0);
    if (is_in_parts(&w.d, w.h) && step_differences_has_kink(&w.d) && w.d.found.num_kinks == 1 &&
        w.d.found.num_held == 0) {
      reading_differences_ask(&w, true, names, 1);
      reading_differences_expect(&w, names);
      compared++;
    }
    reading_differences_destroy(&w);
  }
  assert_true(compared > 2);
}

/* --- Fluid --------------------------------------------------------------------------------------
 */

static void test_fluid(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.002' density='800' viscosity='0.9' wind='1 0.3 "
      "-0.2'/><worldbody>"
      "<body name='fin'><freejoint/><geom type='ellipsoid' size='0.2 0.1 0.05' fluidshape="
      "'ellipsoid' contype='0' conaffinity='0'/><inertial pos='0 0 0' mass='2'"
      " diaginertia='0.02 0.03 0.04'/><body name='tail' pos='0.3 0 0'><joint type='ball'/>"
      "<site name='s' pos='0.05 0 0' euler='10 20 0'/><inertial pos='0.1 0 0' mass='0.7'"
      " diaginertia='0.004 0.002 0.005'/></body></body></worldbody><sensor><force site='s'/>"
      "<torque site='s'/><accelerometer site='s'/></sensor></mujoco>";
  static const char* const names[] = {"model.gravity", "model.fluid_density",
                                      "model.fluid_viscosity", "model.wind"};
  reading_differences w = reading_differences_create(text, NULL, 4);
  w.tolerance = 1e-6;
  reading_differences_ask(&w, true, names, 4);
  reading_differences_expect(&w, names);
  reading_differences_destroy(&w);
}

/* --- Motors and controllers ---------------------------------------------------------------------
 */

static void test_laws(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.002'/><worldbody><body><joint name='a' axis='0 1 0'/>"
      "<inertial pos='0.5 0 0' mass='1' diaginertia='0.1 0.1 0.1'/><body pos='1 0 0'>"
      "<joint name='b' type='slide' axis='1 0 0.3'/><inertial pos='0.5 0 0' mass='1'"
      " diaginertia='0.1 0.1 0.1'/></body></body></worldbody><tendon><fixed name='f'>"
      "<joint joint='a' coef='0.7'/><joint joint='b' coef='-1.2'/></fixed></tendon><actuator>"
      "<dcmotor name='m' joint='a' motorconst='0.5' resistance='2' input='voltage' gear='2'/>"
      "<dcmotor name='n' tendon='f' motorconst='0.3' resistance='1' inductance='0.01'"
      " input='voltage'/></actuator><sensor><actuatorfrc actuator='m'/><actuatorfrc actuator='n'/>"
      "<jointactuatorfrc joint='a'/><tendonactuatorfrc tendon='f'/></sensor></mujoco>";
  for (int after = 0; after < 2; after++) {
    reading_differences w = reading_differences_create(text, NULL, 3);
    w.h = 1e-5;
    reading_differences_ask(&w, after, NULL, 0);
    reading_differences_expect(&w, NULL);
    reading_differences_destroy(&w);
  }
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

#define PRESSED(sensors)                                                                      \
  "<mujoco><option timestep='0.002' gravity='0 0 -9.81'/><worldbody><geom name='floor'"       \
  " type='plane' size='5 5 1' carom:stiffness='1e5' carom:dissipation='0.01'/>"               \
  "<flexcomp name='block' type='grid' count='3 3 2' spacing='0.1 0.1 0.1' dim='3' radius='0'" \
  " mass='2' pos='0 0 0.0499'><elasticity young='3e4' poisson='0.3' damping='0.01'/>"         \
  "<contact friction='0.6' carom:stiffness='4e6' carom:dissipation='0.01'/></flexcomp>"       \
  "<body name='ball' pos='0.01 0.02 0.1795'><freejoint/><geom size='0.08'"                    \
  " carom:stiffness='1e5' carom:dissipation='0.01' mass='1'/><site name='pad' size='0.5'/>"   \
  "<body name='head' pos='0 0 0.1'><joint axis='1 0 0' stiffness='5' damping='0.1'/>"         \
  "<site name='neck'/><inertial pos='0.02 0 0.05' mass='0.2' diaginertia='1e-3 1e-3 1e-3'/>"  \
  "</body></body></worldbody><sensor><e_kinetic/><e_potential/>" sensors                      \
  "<framepos objtype='site' objname='neck'/></sensor></mujoco>"

/* A ball on a block that lies on the floor: energies, and what passes between them. */
static void test_soft(void** state) {
  (void)state;
  static const char* const texts[] = {PRESSED(""),
                                      PRESSED("<touch site='pad'/><force site='neck'/>")};
  static const char* const names[] = {"soft.block.young", "soft.block.poisson", "soft.block.mass",
                                      "model.gravity", "body.head.mass"};
  carom_sim_def def = carom_sim_def_default();
  def.scheme = CAROM_IMPLICIT, def.recovery_speed = 1e3, def.sleep_share = 0;
  for (int after = 0; after < 2; after++) {
    reading_differences w = reading_differences_create(texts[after], &def, 0);
    w.h = 1e-6, w.share = 1e-4, w.tolerance = 1e-5;
    for (int k = 0; k < 25; k++) assert_int_equal(carom_sim_step(w.d.sim, NULL, NULL), 0);
    double y[16];
    assert_int_equal(carom_sim_compute_sensors(w.d.sim, y, NULL), 0);
    if (after) assert_true(y[2] > 0);
    reading_differences_ask(&w, after, names, 5);
    reading_differences_expect(&w, names);
    reading_differences_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resting_touch),
      cmocka_unit_test(test_hanging_force),
      cmocka_unit_test(test_range_above_sphere),
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_reactions),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_rays),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_fluid),
      cmocka_unit_test(test_laws),
      cmocka_unit_test(test_soft),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
