/* Smoothed derivatives of steps with soft bodies, against differences of what they are derivatives
 * of: the velocities at which the step's constraints are on the central path. And of steps that are
 * linearised anew, each of whose linearisations has its own. */
#include "derive/step_tangent.h"
#include "sim/sim.h"
#include "support/parameter_differences.h"
#include "support/step_differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Differences --------------------------------------------------------------------------------
 */

/* Velocities, and whether the step was solved with iterations. */
typedef struct taken {
  double* v; /* [num_v] */
  bool is_iterative;
} taken;

static carom_status take_velocities(void* data, cr_step_tangent* t, const cr_contact_set* set,
                                    const cr_step_problem* problem) {
  (void)set;
  taken* to = data;
  to->is_iterative = problem->problem.A_least != NULL;
  memcpy(to->v, t->step->v, sizeof(double) * (size_t)t->step->model->num_v);
  return CAROM_OK;
}

/* v [num_v] at a smoothing. */
static bool find_smoothed(carom_sim* sim, double smoothing, double* v) {
  carom_error error;
  taken to = {.v = v};
  const cr_derivation how = {.derive = take_velocities, .data = &to, .smoothing = smoothing};
  if (cr_derive_step(sim, &how, &error) != CAROM_OK) fail_msg("%s", error.message);
  return to.is_iterative;
}

static double* push(int count) {
  double* x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

/* Of the derivatives that have been found, of slides and nodes. The products of impulses and slacks
 * are held there, which are of e² over masses that differences move, too: so much these are off. */
static void expect_differences(step_differences* d, double smoothing, double tolerance,
                               bool is_iterative) {
  static const double NODE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
  int nv = d->model->num_v;
  double dt = carom_sim_dt(d->sim), *v = push(nv), *slope = push(nv), worst = 0;
  step_differences_save(d);
  for (int c = 0; c < 2 * nv; c++) {
    double h = 0.02 * smoothing * (c < nv ? dt : 1), scale = c < nv ? 1 / dt : 1;
    memset(slope, 0, sizeof *slope * (size_t)nv);
    for (int k = 0; k < 4; k++) {
      step_differences_move(d, c, NODE[k] * h);
      assert_int_equal(find_smoothed(d->sim, smoothing, v), is_iterative);
      for (int i = 0; i < nv; i++) slope[i] += WEIGHT[k] / (12 * h) * v[i];
    }
    for (int i = 0; i < nv; i++) {
      double error = fabs(d->A[(nv + i) * d->num_x + c] - slope[i]) / scale;
      worst = fmax(worst, isfinite(error) ? error : INFINITY);
    }
  }
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  check_near(worst, 0, tolerance);
  free(v), free(slope);
}

/* Both ways. */
static void linearize(step_differences* d, double smoothing) {
  carom_error error;
  d->found = (carom_linearization){.A = d->A, .B = d->B, .smoothing = smoothing};
  if (carom_sim_linearize(d->sim, &d->found, &error) != CAROM_OK) fail_msg("%s", error.message);
  step_differences_expect_transpose(d, &d->found);
}

/* By how much velocities' derivatives are other than those of the step itself, relative. */
static double compare_exact(step_differences* d, double smoothing) {
  int nv = d->model->num_v;
  double most = 0, size = 0;
  double* exact = push(d->num_x * d->num_x);
  linearize(d, 0);
  memcpy(exact, d->A, sizeof *exact * (size_t)(d->num_x * d->num_x));
  linearize(d, smoothing);
  for (int i = nv; i < 2 * nv; i++)
    for (int c = nv; c < 2 * nv; c++) {
      most = fmax(most, fabs(d->A[i * d->num_x + c] - exact[i * d->num_x + c]));
      size = fmax(size, fabs(exact[i * d->num_x + c]));
    }
  free(exact);
  return most / size;
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

#define SOFT(name, pos, contact, pin)                                                              \
  "<flexcomp name='" name "' type='grid' dim='3' count='2 2 2' radius='0' pos='" pos               \
  "' spacing='0.1 0.08 0.06' carom:density='1000' carom:material='neo_hookean'>"                   \
  "<elasticity young='1e5' poisson='0.3' damping='2e-3'/><contact friction='0.5'" contact "/>" pin \
  "</flexcomp>"
#define WORLD(bodies)                                                             \
  "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1' " \
  "friction='0.5'/>" bodies "</worldbody></mujoco>"
#define GIVES " carom:stiffness='1e7' carom:dissipation='0.01'"

/* On the floor, one on another, and one by whose top a slider hangs. */
static const char* const SCENES[] = {
    WORLD(SOFT("a", "0 0 0.0299", "", "")),
    WORLD(SOFT("a", "0 0 0.0299", GIVES, "")),
    WORLD(SOFT("a", "0 0 0.0299", GIVES, "")
              SOFT("b", "0.013 -0.007 0.1004' euler='17 0 11", GIVES, "")),
    WORLD("<body name='lid' pos='0 0 0.0605'><joint type='slide' axis='0 0 1'/><joint type='slide'"
          " axis='1 0 0'/><inertial pos='0 0 0' mass='0.3' diaginertia='1 1 1'/>" SOFT(
              "a", "0 0 -0.0307", "", "<pin grid='0 0 1 1 0 1 0 1 1'/>") "</body>"),
};

static step_differences create(const char* text, const carom_sim_def* def, const double push_by[3],
                               int steps) {
  step_differences d = step_differences_create(text, def, 0);
  double* v = push(d.model->num_v);
  for (int i = d.model->tree.num_v; i < d.model->num_v; i++)
    v[i] = push_by[(i - d.model->tree.num_v) % 3] + 0.02 * sin(7 * i);
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  free(v);
  for (int k = 0; k < steps; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  return d;
}

static void test_soft(void** state) {
  (void)state;
  static const carom_friction FRICTION[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX,
                                            CAROM_FRICTION_LAGGED};
  static const double PUSH[2][3] = {{0, 0, 0}, {0.5, 0.2, 0}};
  bool is_other = false;
  for (int scene = 0; scene < 4; scene++)
    for (int i = 0; i < 3; i++) {
      carom_sim_def def = step_differences_def(step_schemes[i], FRICTION[(scene + i) % 3]);
      bool is_iterative = i == 2;
      if (is_iterative) def.soft_solver = CAROM_SOFT_ITERATIVE, def.solver = CAROM_SOLVER_NEWTON;
      step_differences d = create(SCENES[scene], &def, PUSH[i % 2], 8);
      is_other |= compare_exact(&d, 1e-3) > 0.01;
      assert_int_equal(d.found.num_held, 0);
      expect_differences(&d, 1e-3, 2e-5, is_iterative);
      step_differences_destroy(&d);
    }
  assert_true(is_other);
}

/* --- Linearised anew ----------------------------------------------------------------------------
 */

/* A box that tips over an edge as it slides, and a soft one that bends. */
static const char* const ANEW[] = {
    WORLD("<body pos='0 0 0.118' euler='20 10 0'><freejoint/><geom friction='0.6' type='box'"
          " size='0.1 0.12 0.08'" GIVES "/></body>"),
    WORLD(SOFT("a", "0 0 0.0299", GIVES, "")),
};

/* As the smoothing goes the derivative is that of the step, whose linearisations it goes through
 * likewise. */
static void test_relinearised(void** state) {
  (void)state;
  static const double v[6] = {0.5, 0.2, -0.3, 2, -3, 1}, push_by[3] = {0.5, -0.2, -1};
  for (int scene = 0; scene < 2; scene++)
    for (int i = 0; i < 3; i++)
      for (int times = 1; times < 3; times++) {
        carom_sim_def def = step_differences_def(step_schemes[i], CAROM_FRICTION_COULOMB);
        def.relinearise = times;
        step_differences d = create(ANEW[scene], &def, push_by, scene ? 5 : 0);
        if (scene == 0) assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
        if (scene == 0) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
        double some = compare_exact(&d, 1e-3), less = compare_exact(&d, 1e-4),
               least = compare_exact(&d, 1e-5);
        assert_true(some > 5 * less && less > 5 * least && least < 2e-5);
        step_differences_destroy(&d);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_soft),
                                     cmocka_unit_test(test_relinearised)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
