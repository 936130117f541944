/* Derivatives of steps with soft bodies against differences of steps. */
#include "sim/sim.h"
#include "support/parameter_differences.h"
#include "support/soft_differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const carom_soft_law LAWS[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_LINEAR,
                                      CAROM_SOFT_FIXED_COROTATED, CAROM_SOFT_ST_VENANT_KIRCHHOFF,
                                      CAROM_SOFT_NEO_HOOKEAN};
static const carom_scheme SCHEMES[] = {CAROM_MIDPOINT, CAROM_IMPLICIT, CAROM_SYMPLECTIC,
                                       CAROM_EXPLICIT};

/* --- In the air ---------------------------------------------------------------------------------
 */

static void test_flight(void** state) {
  (void)state;
  const double none[3] = {0, 0, 0};
  for (int law = 0; law < 5; law++)
    for (int i = 0; i < 4; i++)
      for (int damped = 0; damped < 2; damped++) {
        bool is_explicit = i > 1;
        carom_sim_def def = soft_differences_def(SCHEMES[i], is_explicit ? 1e-3 : 2e-3);
        soft_scene s = soft_scene_create(NULL);
        carom_soft_def block = soft_differences_block(LAWS[law]);
        if (damped) block.alpha = 3, block.beta = is_explicit ? 1e-4 : 5e-3;
        if (damped) block.pressure = 3e3;
        if (law == 2 && i < 2) block.quadratic = true, block.young = 4e6, block.poisson = 0.44;
        soft_scene_add(&s, &block);
        step_differences d = soft_differences_finish(&s, &def);
        soft_differences_expect(&d, 0.004, 0.3, none, 5e-6);
        step_differences_destroy(&d);
      }
}

/* Stiff 10-node elements that fall, where Newton's method has all but nothing to do: with a
 * tolerance of 1e-13 it goes on until derivatives of what it ends at are right, too. */
static void test_fall(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><worldbody><flexcomp name='soft' type='grid' dim='3' count='2 2 3' radius='0'"
      " spacing='0.0677049 0.0677049 0.0338525' carom:density='2755.7'"
      " carom:material='fixed_corotated' carom:quadratic='true'>"
      "<elasticity young='4.48509e+06' poisson='0.440333'/></flexcomp></worldbody></mujoco>";
  for (int i = 0; i < 2; i++) {
    carom_sim_def def = soft_differences_def(SCHEMES[i], 2e-3);
    step_differences d = step_differences_create(TEXT, &def, 0);
    for (int k = 0; k < 14; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    step_differences_expect(&d, 5e-6, 1e-7);
    step_differences_destroy(&d);
  }
}

/* Presses a body together along x and y, past which it is inside out. */
static void squeeze(step_differences* d, double share) {
  double q[24];
  assert_int_equal(d->model->num_q, 24);
  memcpy(q, d->model->q_reference, sizeof q);
  for (int i = 0; i < 24; i++)
    if (i % 3 < 2) q[i] *= i % 3 ? fabs(share) : share;
  assert_int_equal(carom_sim_set_state(d->sim, 0, q, NULL, NULL), 0);
}

/* Elements of the corotated laws whose trace is blunted, damped. */
static void test_squeezed(void** state) {
  (void)state;
  const double none[3] = {0, 0, 0};
  for (int law = 0; law < 3; law += 2)
    for (int i = 0; i < 3; i++) {
      carom_sim_def def = soft_differences_def(SCHEMES[i], 1e-3);
      soft_scene s = soft_scene_create(NULL);
      carom_soft_def block = soft_differences_block(LAWS[law]);
      block.young = 1e3, block.beta = 5e-3;
      soft_scene_add(&s, &block);
      step_differences d = soft_differences_finish(&s, &def);
      for (int k = 0; k < 2; k++) {
        squeeze(&d, k ? -0.1 : 0.1);
        soft_differences_expect(&d, 0.001, 0.3, none, 1e-6);
      }
      step_differences_destroy(&d);
    }
}

/* Kinks of a damped block in its own shape, where turning meets no curvature, as it spins. */
static int count_spinning(double omega) {
  carom_sim_def def = soft_differences_def(CAROM_SYMPLECTIC, 1e-3);
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def block = soft_differences_block(CAROM_SOFT_NEO_HOOKEAN);
  block.beta = 1e-4;
  soft_scene_add(&s, &block);
  step_differences d = soft_differences_finish(&s, &def);
  int n = d.model->soft.num_nodes;
  const double* x = d.model->q_reference;
  double* v = calloc((size_t)(3 * n), sizeof *v);
  assert_non_null(v);
  for (int i = 0; i < n; i++) v[3 * i] = -omega * x[3 * i + 1], v[3 * i + 1] = omega * x[3 * i];
  carom_linearization found = {.A = d.A};
  check_ok(carom_sim_set_state(d.sim, 0, x, v, &s.error), &s.error);
  check_ok(carom_sim_linearize(d.sim, &found, &s.error), &s.error);
  assert_true(found.nearest_kink < 1e-6);
  free(v);
  step_differences_destroy(&d);
  return found.num_kinks;
}

/* It counts where the step turns it by more than a thousandth. */
static void test_spin(void** state) {
  (void)state;
  assert_int_equal(count_spinning(0.01), 0);
  assert_int_not_equal(count_spinning(10), 0);
}

/* --- On the floor -------------------------------------------------------------------------------
 */

static const char* const OF_BLOCK[] = {
    "model.gravity",         "soft.block.young",    "soft.block.poisson",    "soft.block.density",
    "soft.block.alpha",      "soft.block.beta",     "soft.block.pressure",   "soft.block.friction",
    "geom.floor.friction",   "geom.floor.position", "geom.floor.quaternion", "soft.block.stiffness",
    "soft.block.dissipation"};

/* How a block comes to the floor. */
typedef struct landing {
  double push;      /* m/s, along x */
  double stiffness; /* Pa/m; inf: rigid */
  int steps;
  double at_rest; /* coefficient of friction; 0: the same */
  bool is_belt;   /* the floor's surface moves */
} landing;

/* Numbers of the block and what it stands on; a belt's places aside. */
static void expect_parameters(step_differences* d, const landing* how) {
  enum { COUNT = sizeof OF_BLOCK / sizeof *OF_BLOCK, OF_FLOOR = 8, OF_CONTACT = 2 };
  const char* names[COUNT];
  int count = 0;
  for (int i = 0; i < COUNT; i++) {
    bool is_place = strstr(OF_BLOCK[i], "geom.floor.") && i > OF_FLOOR;
    bool is_contact = i >= COUNT - OF_CONTACT;
    if (!(is_contact && isinf(how->stiffness)) && !(is_place && how->is_belt))
      names[count++] = OF_BLOCK[i];
  }
  parameter_differences_expect(d, names, count, 1e-4);
}

/* Lets a block land, then compares the step from beside where it is. */
static void expect_landed(const carom_sim_def* def, carom_soft_law law, const landing* how) {
  const double gravity[3] = {0, 0, -50}, push[3] = {how->push, 0, 0};
  soft_scene s = soft_scene_create(gravity);
  carom_soft_def block = soft_differences_block(law);
  block.position[2] = 0.5 * block.size[2] + 1e-4;
  block.alpha = 3, block.beta = 2e-3, block.friction = 0.5;
  block.stiffness = how->stiffness, block.dissipation = 0.01;
  soft_scene_add(&s, &block);
  carom_geom_def floor = carom_geom_def_default();
  static const char* const OF_SLIP[] = {"geom.floor.static_friction", "geom.floor.stribeck_speed"};
  floor.type = CAROM_GEOM_PLANE, floor.name = "floor", floor.friction = 0.4;
  static const double BELT[6] = {0.4, 0.1, 0, 0, 0, 0.8};
  if (how->is_belt) memcpy(floor.surface_velocity, BELT, sizeof BELT);
  if (how->at_rest > 0) floor.surface.static_friction = how->at_rest;
  if (how->at_rest > 0) floor.surface.stribeck_speed = 0.7;
  check_ok(carom_builder_add_geom(s.builder, &floor, NULL, &s.error), &s.error);
  step_differences d = soft_differences_finish(&s, def);
  soft_differences_stir(&d, 7, 0, 0.01, push);
  for (int i = 0; i < how->steps; i++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  assert_true(d.sim->num_contacts > 1);
  soft_differences_expect(&d, 1e-6, 0.02, push, 2e-6);
  expect_parameters(&d, how);
  if (how->at_rest > 0) parameter_differences_expect(&d, OF_SLIP, 2, 1e-4);
  step_differences_destroy(&d);
}

static void test_floor(void** state) {
  (void)state;
  static const carom_friction FRICTION[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX,
                                            CAROM_FRICTION_LAGGED};
  static const landing LANDINGS[] = {{0, INFINITY, 40, 0, false},
                                     {1, INFINITY, 10, 0, false},
                                     {0, 1e7, 40, 0, false},
                                     {1, 1e7, 10, 0, false}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++)
      for (int law = 0; law < 5; law += 4) {
        carom_sim_def def = soft_differences_def(i % 2 ? CAROM_IMPLICIT : CAROM_MIDPOINT, 2e-3);
        def.friction = FRICTION[k];
        expect_landed(&def, LAWS[law], &LANDINGS[i]);
      }
}

/* Friction that falls with the slip. */
static void test_slip(void** state) {
  (void)state;
  static const landing LANDINGS[] = {{1, INFINITY, 10, 0.9, false}, {1, 1e7, 10, 0.9, false}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      carom_sim_def def = soft_differences_def(k ? CAROM_IMPLICIT : CAROM_MIDPOINT, 2e-3);
      def.friction = i ? CAROM_FRICTION_COULOMB : CAROM_FRICTION_CONVEX;
      expect_landed(&def, CAROM_SOFT_NEO_HOOKEAN, &LANDINGS[i]);
    }
}

/* A belt drags it along. */
static void test_belt(void** state) {
  (void)state;
  static const landing LANDINGS[] = {{0, INFINITY, 30, 0, true}, {0.5, 1e7, 10, 0, true}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      carom_sim_def def = soft_differences_def(k ? CAROM_IMPLICIT : CAROM_MIDPOINT, 2e-3);
      def.friction = i ? CAROM_FRICTION_LAGGED : CAROM_FRICTION_CONVEX;
      expect_landed(&def, CAROM_SOFT_NEO_HOOKEAN, &LANDINGS[i]);
    }
}

/* A plate that is driven upwards and aside, as it meets a block. */
static void test_driven(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><worldbody><body name='plate' mocap='true'><geom type='box' size='1 1 0.1'"
      " pos='0 0 -0.1' friction='0.5'/></body><flexcomp type='grid' dim='3' count='2 2 2' "
      "radius='0'"
      " spacing='0.1 0.08 0.06' pos='0 0 0.0301' carom:density='1000'"
      " carom:material='neo_hookean'><elasticity young='1e5' poisson='0.3' damping='2e-3'/>"
      "<contact friction='0.5' carom:stiffness='1e7' carom:dissipation='0.01'/></flexcomp>"
      "</worldbody></mujoco>";
  const double none[3] = {0, 0, 0}, velocity[3] = {0.3, -0.1, 0.2};
  for (int i = 0; i < 2; i++) {
    carom_sim_def def = soft_differences_def(SCHEMES[i], 2e-3);
    def.friction = i ? CAROM_FRICTION_LAGGED : CAROM_FRICTION_CONVEX;
    step_differences d = step_differences_create(TEXT, &def, 0);
    assert_int_equal(
        carom_sim_set_motion(d.sim, carom_model_find_body(d.model, "plate"), velocity, NULL, NULL),
        0);
    for (int k = 0; k < 6; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    assert_true(d.sim->num_contacts > 1);
    soft_differences_expect(&d, 1e-6, 0.02, none, 2e-6);
    step_differences_destroy(&d);
  }
}

/* --- Held ---------------------------------------------------------------------------------------
 */

static const char* const OF_HELD[] = {
    "model.gravity",   "soft.block.young", "soft.block.poisson",     "soft.block.density",
    "soft.block.beta", "body.arm.mass",    "body.arm.position",      "body.arm.quaternion",
    "joint.0.anchor",  "joint.0.axis",     "attachment.0.stiffness", "attachment.0.dissipation"};

/* Nodes of a block between two heights are held by a body. */
static void hold(soft_scene* s, carom_soft soft, carom_body body, double low, double high,
                 double stiffness) {
  carom_attachment_def def = carom_attachment_def_default();
  def.soft = soft, def.body = body, def.stiffness = stiffness, def.dissipation = 0.02;
  for (int k = 0; k < 3; k++) def.low[k] = -10, def.high[k] = 10;
  def.low[2] = low, def.high[2] = high;
  check_ok(carom_builder_add_attachment(s->builder, &def, &s->error), &s->error);
}

/* A block hangs from the world and carries an arm with a hinge. */
static void expect_held(const carom_sim_def* def, carom_soft_law law, double stiffness) {
  const double none[3] = {0, 0, 0}, size[3] = {0.05, 0.04, 0.03};
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def block = soft_differences_block(law);
  carom_joint_def joint = carom_joint_def_default();
  carom_body_def arm = carom_body_def_default();
  carom_geom_def geom = carom_geom_def_default();
  carom_body body, ground = {0};
  block.beta = 2e-3, block.cells[2] = 2;
  carom_soft soft = soft_scene_add(&s, &block);
  arm.name = "arm", arm.position[2] = 0.3, arm.mass = 1, arm.com[0] = 0.1;
  for (int k = 0; k < 3; k++) arm.inertia[k] = 0.01;
  check_ok(carom_builder_add_body(s.builder, &arm, &body, &s.error), &s.error);
  joint.body = body, joint.axis[1] = 1, joint.axis[2] = 0;
  check_ok(carom_builder_add_joint(s.builder, &joint, NULL, &s.error), &s.error);
  geom.body = body, geom.type = CAROM_GEOM_BOX;
  memcpy(geom.size, size, sizeof size);
  check_ok(carom_builder_add_geom(s.builder, &geom, NULL, &s.error), &s.error);
  hold(&s, soft, body, -10, -1e-3, stiffness);
  hold(&s, soft, ground, 1e-3, 10, INFINITY);
  step_differences d = soft_differences_finish(&s, def);
  for (int i = 0; i < 5; i++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  soft_differences_expect(&d, 2e-3, 0.02, none, 2e-6);
  int count = (int)(sizeof OF_HELD / sizeof *OF_HELD);
  parameter_differences_expect(&d, OF_HELD, isinf(stiffness) ? count - 2 : count, 1e-4);
  step_differences_destroy(&d);
}

static void test_held(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int law = 0; law < 5; law++) {
      carom_sim_def def = soft_differences_def(SCHEMES[i], 1e-3);
      expect_held(&def, LAWS[law], law % 2 ? INFINITY : 1e5);
    }
}

/* --- Iterations ---------------------------------------------------------------------------------
 */

/* What conjugate gradients solve has the derivative of what factors do. */
static void test_iterations(void** state) {
  (void)state;
  static const landing LANDINGS[] = {{0, INFINITY, 40, 0, false}, {1, 1e7, 10, 0, false}};
  for (int i = 0; i < 2; i++)
    for (int law = 0; law < 5; law += 4) {
      carom_sim_def def = soft_differences_def(i % 2 ? CAROM_IMPLICIT : CAROM_MIDPOINT, 2e-3);
      def.soft_solver = CAROM_SOFT_ITERATIVE;
      expect_landed(&def, LAWS[law], &LANDINGS[i]);
      def.dt = 1e-3;
      expect_held(&def, LAWS[law], i ? INFINITY : 1e5);
    }
}

/* --- Points on triangles ------------------------------------------------------------------------
 */

/* Moves a free body off the diagonal of the face below. */
static void shift(step_differences* d) {
  double* q = malloc(sizeof(double) * (size_t)d->model->num_q);
  assert_non_null(q);
  memcpy(q, carom_sim_coordinates(d->sim), sizeof(double) * (size_t)d->model->num_q);
  q[0] += 0.025, q[1] -= 0.02;
  assert_int_equal(carom_sim_set_state(d->sim, 0, q, NULL, NULL), 0);
  free(q);
}

/* Something lands on a block that stands on the floor, and is looked at from beside there, with the
 * parameters `names`. */
static void expect_on_block(soft_scene* s, const carom_sim_def* def, const char* const* names,
                            int count) {
  const double none[3] = {0, 0, 0};
  soft_scene_add_plane(s);
  step_differences d = soft_differences_finish(s, def);
  if (d.model->tree.num_q == 7) shift(&d);
  for (int touched = 0; touched < 3;) {
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    touched += soft_differences_is_touched(&d);
    assert_true(carom_sim_time(d.sim) < 1);
  }
  if (def->friction == CAROM_FRICTION_LAGGED) carom_sim_forget(d.sim); /* so that all is new */
  soft_differences_expect(&d, 1e-6, 0.02, none, 2e-6);
  parameter_differences_expect(&d, names, count, 1e-4);
  step_differences_destroy(&d);
}

/* What lands: a press, or a free body that stands. */
typedef struct lander {
  carom_geom_type type;
  double size[3], height; /* of its middle */
  int names;              /* of sizes, and places of what is not free */
} lander;

static void test_corner(void** state) {
  (void)state;
  const double gravity[3] = {0, 0, -50};
  static const char* const NAMES[] = {"geom.0.size[0]", "geom.0.size[1]", "geom.0.size[2]",
                                      "geom.0.position", "geom.0.quaternion"};
  static const lander LANDERS[] = {{CAROM_GEOM_BOX, {0.03, 0.02, 0.02}, 0.03, 5},
                                   {CAROM_GEOM_SPHERE, {0.03}, 0.0301, 1},
                                   {CAROM_GEOM_CAPSULE, {0.03, 0.02}, 0.0501, 2},
                                   {CAROM_GEOM_CYLINDER, {0.03, 0.02}, 0.0201, 2},
                                   {CAROM_GEOM_ELLIPSOID, {0.03, 0.025, 0.02}, 0.0201, 3}};
  for (int i = 0; i < 5; i++)
    for (int compliant = 0; compliant < 2; compliant++) {
      const lander* l = &LANDERS[i];
      soft_scene s = soft_scene_create(gravity);
      carom_soft_def block = soft_differences_block(CAROM_SOFT_NEO_HOOKEAN);
      block.position[2] = 0.5 * block.size[2] + 1e-4;
      block.young = 5e5, block.beta = 2e-3;
      if (compliant) block.stiffness = 1e7, block.dissipation = 0.01;
      soft_scene_add(&s, &block);
      if (l->type != CAROM_GEOM_BOX)
        soft_scene_add_free(&s, l->type, l->size, block.size[2] + l->height, 0.3);
      else
        soft_scene_add_press(&s, l->size, block.size[2] + l->height, 0.3, 1, 0.4);
      carom_sim_def def = soft_differences_def(i % 2 ? CAROM_MIDPOINT : CAROM_IMPLICIT, 2e-3);
      def.friction = CAROM_FRICTION_CONVEX; /* Coulomb's law ends at some 1e-10 m/s */
      expect_on_block(&s, &def, NAMES, l->names);
    }
}

/* What is new on a block that slides below is bounded by the weight of the nodes around it. */
static void test_lagged_corner(void** state) {
  (void)state;
  const double gravity[3] = {0, 0, -50}, size[3] = {0.03, 0.02, 0.02};
  static const char* const NAMES[] = {"soft.block.density", "soft.block.friction", "model.gravity"};
  for (int i = 0; i < 2; i++) {
    soft_scene s = soft_scene_create(gravity);
    carom_soft_def block = soft_differences_block(CAROM_SOFT_NEO_HOOKEAN);
    block.position[2] = 0.5 * block.size[2] + 1e-4;
    block.young = 5e5, block.beta = 2e-3, block.friction = 0.01;
    soft_scene_add(&s, &block);
    soft_scene_add_press(&s, size, block.size[2] + 0.03, 3, 1, 0.4);
    carom_sim_def def = soft_differences_def(SCHEMES[i], 2e-3);
    def.friction = CAROM_FRICTION_LAGGED;
    expect_on_block(&s, &def, NAMES, 3);
  }
}

/* --- Tapes --------------------------------------------------------------------------------------
 */

/* A bar that hangs by its top sags by u = rho g L² / (2 E) in the mean of its end where nothing
 * goes across (nu = 0, small strains): du/dE = -u / E, du/drho = u / rho. Implicit Euler's long
 * steps come to rest in a few. */
static void test_sag(void** state) {
  (void)state;
  const double E = 1e7, rho = 1000, L = 0.5, g = 9.81, sag = 0.5 * rho * g * L * L / E;
  const double gravity[3] = {0, 0, -g};
  static const char* const NAMES[2] = {"soft.bar.young", "soft.bar.density"};
  soft_scene s = soft_scene_create(gravity);
  carom_soft_def bar = carom_soft_def_default();
  bar.name = "bar", bar.shape = CAROM_SOFT_BOX, bar.law = CAROM_SOFT_LINEAR;
  bar.size[0] = bar.size[1] = 0.05, bar.size[2] = L;
  bar.cells[0] = bar.cells[1] = 1, bar.cells[2] = 4;
  bar.young = E, bar.poisson = 0, bar.density = rho;
  carom_body ground = {0};
  hold(&s, soft_scene_add(&s, &bar), ground, 0.5 * L - 1e-9, 10, INFINITY);
  carom_sim_def def = soft_differences_def(CAROM_IMPLICIT, 1);
  step_differences d = soft_differences_finish(&s, &def);
  carom_parameter parameters[2];
  for (int i = 0; i < 2; i++)
    check_ok(carom_builder_find_parameter(carom_model_get_description(d.model), NAMES[i],
                                          &parameters[i], &s.error),
             &s.error);
  carom_tape_def tape_def = {.parameters = parameters, .num_parameters = 2, .keep = 4};
  carom_tape* tape;
  check_ok(carom_tape_create(d.sim, &tape_def, &tape, &s.error), &s.error);
  for (int i = 0; i < 12; i++) check_ok(carom_tape_step(tape, NULL, &s.error), &s.error);
  double* end = calloc((size_t)d.num_x, sizeof *end);
  double theta[2], found = 0;
  assert_non_null(end);
  int count = 0;
  for (int n = 0; n < d.model->soft.num_nodes; n++)
    count += fabs(d.model->q_reference[3 * n + 2] + 0.5 * L) < 1e-9;
  for (int n = 0; n < d.model->soft.num_nodes; n++) {
    if (fabs(d.model->q_reference[3 * n + 2] + 0.5 * L) > 1e-9) continue;
    end[3 * n + 2] = -1.0 / count;
    found -= (carom_sim_coordinates(d.sim)[3 * n + 2] + 0.5 * L) / count;
  }
  carom_vjp vjp = {.theta = theta};
  check_ok(carom_tape_pull_back(tape, end, NULL, &vjp, &s.error), &s.error);
  check_near(theta[0], -found / E, 1e-9 * found / E);
  check_near(theta[1], found / rho, 1e-9 * found / rho);
  check_near(found, sag, 0.02 * sag); /* lumped masses and linear elements */
  assert_int_equal(vjp.num_kinks + vjp.num_held, 0);
  carom_tape_destroy(tape);
  free(end);
  step_differences_destroy(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flight),        cmocka_unit_test(test_fall),
      cmocka_unit_test(test_squeezed),      cmocka_unit_test(test_floor),
      cmocka_unit_test(test_held),          cmocka_unit_test(test_corner),
      cmocka_unit_test(test_lagged_corner), cmocka_unit_test(test_sag),
      cmocka_unit_test(test_spin),          cmocka_unit_test(test_iterations),
      cmocka_unit_test(test_slip),          cmocka_unit_test(test_belt),
      cmocka_unit_test(test_driven)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
