/* Newton's method on the balance of momentum of trees,
 *
 *   m(v) = dt (inverse_dynamics(q^tq(v), v^tv(v), (v - v0) / dt) - forces) = dt f,
 *
 * f what constraints did in the last step where they go on (loaded.h), else 0; with A as its
 * Jacobian, corrected by what the steps have shown (secants.h) and renewed where convergence is
 * slow. */
#include "sim/tree/free_newton.h"

#include "base/copy.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "math/scalar.h"
#include "sim/contact/loaded.h"
#include "sim/rows/blocks.h"
#include "sim/tree/balance.h"
#include "sim/tree/damping.h"
#include "sim/tree/full_newton.h"
#include "sim/tree/limited_actuators.h"
#include "sim/tree/lines.h"
#include "sim/tree/secants.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

#define MAX_NEWTON     60
#define NEAR_ROUND_OFF 1e-12 /* steps that stop shrinking below this are round-off */
#define LIKELY_RATE    0.1   /* of contraction, before it is known, at most; */
#define LOADED_RATE    0.02  /* of what was loaded, near its solution: 95 in 100 are below */
#define NEAR           1e-5 /* of v*: a last step so short needs no other kinematics than its start's */
#define NEAR_MATRIX    1e-4 /* the same of A, which moves with positions: by dt times as much */
#define SHARE          0.1  /* of what constraints change: likewise, and v* needs no further step */
#define USUAL          1e-6 /* tolerance at which these three are enough: with less they shrink */
#define SLOW           0.25 /* contraction above which A is computed anew */

/* --- Newton -------------------------------------------------------------------------------------
 */

/* A linear solver for A of one tree or of the trees that springs join. */
typedef struct jacobian {
  cr_step* step;
  const int* trees;
  int num_trees;
  double tolerance; /* of v*, relative */
  bool is_loaded;   /* all of them were, see loaded.h; */
  bool carries;     /* some of them carry what constraints did */
  bool sparse;
  cr_blocks blocks;
  cr_symbolic symbolic;
  double *factor, *scratch, *x;
  cr_secants secants; /* of the steps taken with one factor */
  double* compact;    /* [2, secants.n] scratch */
} jacobian;

static bool init_sparse(jacobian* A) {
  cr_step* step = A->step;
  if (!cr_blocks_init(step, A->trees, A->num_trees, step->arena, &A->blocks)) return false;
  if (!cr_solve_cache_analyze(cr_solve_workers_cache(step->sim->workers), &A->blocks.pattern,
                              CR_ORDERING_AUTO, step->arena, &A->symbolic))
    return false;
  A->factor = CR_PUSH(step->arena, double, A->symbolic.factor_size);
  A->scratch = CR_PUSH(step->arena, double, A->symbolic.scratch_size);
  A->x = CR_PUSH(step->arena, double, A->blocks.pattern.num_rows);
  return !step->arena->failed;
}

static bool factor(jacobian* A) {
  cr_step* step = A->step;
  if (A->sparse) {
    cr_blocks_update(step, &A->blocks);
    cr_cholesky_load(&A->symbolic, A->blocks.values, A->factor);
    return cr_cholesky_factor(&A->symbolic, A->factor, A->scratch) < 0;
  }
  return cr_tree_factor_update(step, A->trees[0]);
}

/* delta = A^-1 residual, over the whole model's dofs. */
static bool solve(jacobian* A, const double* residual, double* delta) {
  cr_step* step = A->step;
  if (A->sparse) {
    cr_blocks_gather(step, &A->blocks, residual, A->x);
    cr_cholesky_solve(&A->symbolic, A->factor, A->x, 1, A->blocks.pattern.num_rows, A->scratch);
    cr_blocks_scatter(step, &A->blocks, A->x, delta);
    return true;
  }
  const cr_tree_model* model = &step->model->tree;
  int tree = A->trees[0], start = model->tree_v_start[tree];
  int n = model->tree_v_start[tree + 1] - start;
  CR_COPY(delta + start, residual + start, n);
  return cr_tree_factor_solve(step, tree, delta);
}

/* Sum over the trees' dofs of a . b. */
static double dot(const jacobian* A, const double* a, const double* b) {
  const cr_tree_model* model = &A->step->model->tree;
  double sum = 0;
  for (int k = 0; k < A->num_trees; k++) {
    int start = model->tree_v_start[A->trees[k]];
    sum += scalar_dot(a + start, b + start, model->tree_v_start[A->trees[k] + 1] - start);
  }
  return sum;
}

/* Copies the trees' entries of `whole` [num_v] to or from `part` [secants.n]. */
static void copy_part(const jacobian* A, double* whole, double* part, bool is_back) {
  const int* v_start = A->step->model->tree.tree_v_start;
  for (int k = 0; k < A->num_trees; k++) {
    int start = v_start[A->trees[k]], n = v_start[A->trees[k] + 1] - start;
    CR_COPY(is_back ? whole + start : part, is_back ? part : whole + start, n);
    part += n;
  }
}

static bool init_secants(jacobian* A) {
  const int* v_start = A->step->model->tree.tree_v_start;
  int n = 0;
  for (int k = 0; k < A->num_trees; k++) n += v_start[A->trees[k] + 1] - v_start[A->trees[k]];
  A->compact = CR_SCRATCH(A->step->arena, double, 2 * n);
  return cr_secants_init(&A->secants, n, A->step->arena);
}

/* The step with what those before have shown of the Jacobian. */
static void correct(jacobian* A, double* residual, double* delta) {
  double *r = A->compact, *d = A->compact + A->secants.n;
  copy_part(A, residual, r, false);
  copy_part(A, delta, d, false);
  cr_secants_correct(&A->secants, r, d);
  copy_part(A, delta, d, true);
}

/* residual += share dt carried, over the trees that carry it. */
static void add_carried(const jacobian* A, double share, double* residual) {
  const cr_step* step = A->step;
  const int* v_start = step->model->tree.tree_v_start;
  for (int k = 0; k < A->num_trees; k++)
    for (int i = v_start[A->trees[k]]; i < v_start[A->trees[k] + 1]; i++)
      residual[i] += step->carries[A->trees[k]] ? share * step->dt * step->carried[i] : 0;
}

/* What is carried did in the last step, |v - v*| in the norm of A: dt carried times v - v*. */
static double carried_scale(const jacobian* A) {
  const cr_step* step = A->step;
  const int* v_start = step->model->tree.tree_v_start;
  const double *a = step->sim->a_loaded, *a_free = step->sim->a_free;
  double sum = 0;
  for (int k = 0; k < A->num_trees; k++)
    for (int i = v_start[A->trees[k]]; i < v_start[A->trees[k] + 1] && step->carries[A->trees[k]];
         i++)
      sum += step->carried[i] * (a[i] - a_free[i]);
  return step->dt * sqrt(fabs(sum));
}

/* v_star moves on by -delta; v_lin stays where the kinematics are. */
static void move_on(const jacobian* A, const double* delta) {
  cr_step* step = A->step;
  const cr_tree_model* model = &step->model->tree;
  for (int k = 0; k < A->num_trees; k++)
    for (int i = model->tree_v_start[A->trees[k]]; i < model->tree_v_start[A->trees[k] + 1]; i++) {
      step->v_lin[i] = step->v_star[i];
      step->v_star[i] -= delta[i];
    }
}

void cr_free_newton_linearize(cr_step* step, const int* trees, int num_trees, bool is_placed,
                              bool keeps_matrix) {
  const int* v_start = step->model->tree.tree_v_start;
  for (int k = 0; k < num_trees; k++) {
    step->placement[trees[k]] = (cr_placement){is_placed, keeps_matrix, keeps_matrix, keeps_matrix};
    for (int i = v_start[trees[k]]; i < v_start[trees[k] + 1] && !is_placed; i++)
      step->v_lin[i] = step->v_star[i];
  }
}

/* v* = v_lin - A^-1 m(v_lin), where Newton's method has found m(v) = dt carried.
 * @param residual what it was at v_lin, or as good as zero */
static bool let_go(jacobian* A, double* residual, double* delta) {
  cr_step* step = A->step;
  const int* v_start = step->model->tree.tree_v_start;
  add_carried(A, 1, residual);
  if (!solve(A, residual, delta)) return false;
  for (int k = 0; k < A->num_trees; k++)
    for (int i = v_start[A->trees[k]]; i < v_start[A->trees[k] + 1]; i++)
      step->v_star[i] = step->v_lin[i] - delta[i];
  return true;
}

/* --- Round-off ----------------------------------------------------------------------------------
 */

/* How far a dof's coordinate is from zero: round-off of positions is a share of it. */
static double coordinate_size(const cr_step* step, int dof) {
  const cr_tree_model* model = &step->model->tree;
  int joint = model->dof_joint[dof], k = dof - model->joint_v_start[joint];
  carom_joint_type type = model->joint_type[joint];
  if (type == CAROM_JOINT_BALL || (type == CAROM_JOINT_FREE && k >= 3)) return 1;
  return fabs(step->q_mid[model->joint_q_start[joint] + k]);
}

/* Twice the energy of the joint springs and limited actuators of a tree, their coordinates counted
 * from zero.
 */
static double joint_energy(const cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  const cr_force_model* force = &step->model->force;
  const cr_sim_plan* plan = &step->sim->plan;
  double sum = cr_limited_actuators_compute_energy(step, tree);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    double stiffness = force->joint_stiffness[model->dof_joint[i]];
    if (stiffness > 0) sum += stiffness * pow(coordinate_size(step, i), 2);
  }
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++) {
    int a = plan->actuator[k];
    int dof = force->actuator_dof[a];
    if (plan->is_limited[a]) continue;
    double stiffness =
        cr_actuator_compute_drive(force, a, step->input,
                                  cr_step_joint_coordinate(step, force->actuator_q[a], dof),
                                  cr_step_joint_rate(step, dof))
            .stiffness;
    sum += fabs(stiffness) * pow(coordinate_size(step, dof), 2);
  }
  return sum;
}

/* The same of the springs between points. */
static double spring_energy(const cr_step* step) {
  const cr_force_model* force = &step->model->force;
  double sum = 0;
  for (int i = 0; i < force->num_springs; i++) {
    cr_force_spring s = cr_force_locate_spring(force, i, step->kinematics.link_pose);
    double size = s.length + v3_norm(s.point[0]) + v3_norm(s.point[1]);
    sum += force->spring_stiffness[i] * size * size;
  }
  return sum;
}

/* What gravity would do in a step, as a velocity in the norm of A: it moves a tree by no more than
 * dt g. */
static double weight_scale(const jacobian* A) {
  const cr_step* step = A->step;
  double mass = 0;
  for (int k = 0; k < A->num_trees; k++) mass += step->sim->plan.mass[A->trees[k]];
  return sqrt(mass) * step->dt * v3_norm(v3_load(step->model->force.gravity));
}

/* What contacts changed in the last step, |v - v*| in the norm of A, or less: of the trees' centres
 * of mass alone. The balance of momentum is linear about v*, A without gyroscopic terms, so that it
 * misses as large a share of that as Newton does of its steps. */
static double load_scale(const jacobian* A) {
  const cr_step* step = A->step;
  double sum = 0;
  for (int k = 0; k < A->num_trees; k++)
    sum += v3_norm2(step->load[A->trees[k]]) / step->sim->plan.mass[A->trees[k]];
  return sqrt(sum);
}

/* What the forces that hold each other in equilibrium would do in a step by themselves, likewise: a
 * spring of stiffness k at x moves a tree by no more than sqrt(k / (theta_q theta_vq)) x. Round-off
 * is a share of it, also at rest. */
static double force_scale(const jacobian* A, double weight) {
  const cr_step* step = A->step;
  double sum = weight * weight;
  for (int k = 0; k < A->num_trees; k++) {
    int tree = A->trees[k];
    double share = step->theta[tree].q * step->theta[tree].vq;
    if (share > 0) sum += joint_energy(step, tree) / share;
    if (share > 0 && A->sparse && k == 0)
      sum += (spring_energy(step) + cr_step_lines_energy(step)) / share;
  }
  return sqrt(sum);
}

/* --- Iterations ---------------------------------------------------------------------------------
 */

/* Quasi-Newton from v_star's entries; the measure is |delta|_A against the largest |v|_A estimate,
 * and of what was loaded against what holds it up, as its v* is near zero where limited actuators
 * do. */
static bool run_newton(jacobian* A) {
  cr_step* step = A->step;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int n = step->model->tree.num_v;
  double* residual = CR_SCRATCH(step->arena, double, n);
  double* delta = CR_SCRATCH(step->arena, double, n);
  if (!init_secants(A) || step->arena->failed) return false;
  double weight = weight_scale(A), forces = 0, scale = A->is_loaded ? weight : 0;
  double care = fmin(1, step->sim->def.tolerance / USUAL);
  double load = A->carries ? carried_scale(A) : A->is_loaded ? load_scale(A) : 0;
  double enough = care * SHARE * load;
  double last = INFINITY, since_matrix = 0;
  bool done = false;
  for (int k = 0; k < A->num_trees; k++) step->placement[A->trees[k]].is_near = false;
  for (int i = 0; i < MAX_NEWTON && !done; i++) {
    cr_balance_compute_residual(step, A->trees, A->num_trees, step->v_star, residual);
    add_carried(A, -1, residual);
    if (i == 0) forces = force_scale(A, weight);
    if (i == 0 && !factor(A)) break;
    if (!solve(A, residual, delta)) break;
    double size = sqrt(fabs(dot(A, residual, delta)));
    if (!isfinite(size)) break;
    double near = NEAR_ROUND_OFF * fmax(scale, forces);
    if (i > 0 && size > SLOW * last && size > near) {
      if (!factor(A) || !solve(A, residual, delta)) break;
      since_matrix = 0;
      size = sqrt(fabs(dot(A, residual, delta)));
      cr_secants_forget(&A->secants);
    }
    correct(A, residual, delta);
    move_on(A, delta);
    since_matrix += size;
    scale = fmax(scale, size + sqrt(fabs(dot(A, step->v_star, step->v_star))));
    /* What is left after a step of this size, by the contraction seen. */
    double rate = i > 0 ? fmin(LIKELY_RATE, size / last) : A->is_loaded ? LOADED_RATE : LIKELY_RATE;
    near = NEAR_ROUND_OFF * fmax(scale, forces);
    done = rate * size <= A->tolerance * scale || size <= enough ||
           (size <= near && size > 0.5 * last);
    last = size;
    if (i + 1 > step->free_iterations) step->free_iterations = i + 1;
  }
  bool is_placed = last <= fmax(care * NEAR * scale, enough);
  double moved = is_placed ? since_matrix - last : since_matrix;
  cr_free_newton_linearize(step, A->trees, A->num_trees, is_placed,
                           !A->sparse &&
                               moved <= fmax(care * NEAR_MATRIX * scale, A->carries ? 0 : enough));
  if (A->carries && done && !is_placed) memset(residual, 0, sizeof(double) * (size_t)n);
  if (A->carries && done) done = let_go(A, residual, delta);
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

/* Predicts the solution by an acceleration that goes on as it did from step to step, or as it was
 * with what constraints did. */
static void guess(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  const double *a = step->sim->a_free, *before = step->sim->a_before, *loaded = step->sim->a_loaded;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    step->v_star[i] =
        step->v0[i] + step->dt * (step->carries[tree] ? loaded[i] : 2 * a[i] - before[i]);
}

/* Where nothing is known of what constraints do. */
static void forget_carried(jacobian* A) {
  A->carries = false;
  for (int k = 0; k < A->num_trees; k++) {
    A->step->carries[A->trees[k]] = false;
    guess(A->step, A->trees[k]);
  }
}

/* With A as far as that leads, else with all derivatives. */
static bool find_balance(jacobian* A) {
  if (run_newton(A)) return true;
  if (A->carries) {
    forget_carried(A);
    if (run_newton(A)) return true;
  }
  if (A->step->arena->failed || !cr_full_newton_solve(A->step, A->trees, A->num_trees)) {
    A->step->failed_tree = A->trees[0];
    return false;
  }
  cr_free_newton_linearize(A->step, A->trees, A->num_trees, false, false);
  return true;
}

bool cr_free_newton_solve(cr_step* step, const int* trees, int num_trees, bool is_sparse) {
  jacobian A = {.step = step,
                .trees = trees,
                .num_trees = num_trees,
                .tolerance = INFINITY,
                .is_loaded = true,
                .sparse = is_sparse};
  for (int k = 0; k < num_trees; k++) {
    guess(step, trees[k]);
    A.tolerance = fmin(A.tolerance, cr_loaded_tolerance(step, trees[k]));
    A.is_loaded = A.is_loaded && step->is_loaded[trees[k]];
    A.carries = A.carries || step->carries[trees[k]];
  }
  return (!is_sparse || init_sparse(&A)) && find_balance(&A);
}
