/* Free motion of every tree: in closed form for a free link, by one articulated-body sweep or one
 * solution with A where the configuration is known (theta_q = 0), else by Newton's method
 * (free_newton.h). Trees that springs between points join are solved together over a block-sparse
 * A. */
#include "sim/tree/free_motion.h"

#include "sim/sleep.h"
#include "sim/tree/balance.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/free_newton.h"
#include "sim/tree/tree_factor.h"
#include "sim/tree/tree_matrix.h"
#include "sim/tree/tree_parts.h"

#include <math.h>

#define MAX_NEWTON     60
#define ROUND_OFF      1e-15 /* relative error of a free body's spin that counts as converged */
#define NEAR_ROUND_OFF 1e-12 /* steps that stop shrinking below this are round-off */
#define SHARE          0.1   /* of what constraints change, that gyroscopic terms may be off by */

/* One sweep of the articulated-body algorithm: damping at v^tv enters its diagonal, Coriolis terms
 * count at v0. */
static bool sweep(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* tau = CR_SCRATCH(step->arena, double, model->num_v);
  double* extra = CR_SCRATCH(step->arena, double, model->num_v);
  if (step->arena->failed) return false;
  cr_balance_place(step, tree, step->v0);
  cr_external_update(step, &tree, 1);
  cr_tree_loads loads = cr_balance_find_loads(step, tree);
  for (int i = start; i < end; i++) tau[i] = 0;
  cr_balance_add_joint_forces(step, tree, tau);
  cr_step_compute_diagonal(step, tree, extra);
  bool done = cr_tree_compute_forward_dynamics(model, tree, &step->kinematics, &step->velocities,
                                               tau, extra, &loads, &step->scratch, step->work);
  for (int i = start; i < end && done; i++)
    step->v_star[i] = step->v0[i] + step->dt * step->work[i];
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

/* The same by A, v* = v0 - A^-1 m(v0), where the contact problem most likely asks for it. */
static bool balance(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* delta = CR_SCRATCH(step->arena, double, model->num_v);
  if (step->arena->failed) return false;
  step->placement[tree].is_near = false;
  cr_balance_compute_residual(step, &tree, 1, step->v0, delta);
  bool done = cr_tree_factor_update(step, tree) && cr_tree_factor_solve(step, tree, delta);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1] && done; i++)
    step->v_star[i] = step->v0[i] - delta[i];
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

/* Where the configuration is known the tree stands where it is linearised, with what was made of A.
 */
static bool move_known(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  bool by_matrix = step->is_loaded[tree];
  if (!(by_matrix ? balance(step, tree) : sweep(step, tree))) return false;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    step->v_lin[i] = step->v_star[i];
  cr_free_newton_linearize(step, &tree, 1, true, by_matrix);
  return true;
}

/* Body-frame angular velocity at the end of a free link's step: I (w - w0) + dt w^t × I w^t = 0, by
 * Newton with the full gyroscopic derivative; explicit where asked. */
static bool solve_rotation(const m3* I, v3 w0, double dt, double theta, bool explicit_gyro, v3* w) {
  v3 L0 = m3_mulv(I, w0), gyro = v3_cross(w0, L0);
  *w = v3_sub(w0, v3_scale(dt, m3_solve(I, gyro)));
  if (explicit_gyro || theta == 0) return true;
  double last = INFINITY;
  for (int i = 0; i < MAX_NEWTON; i++) {
    v3 wt = v3_axpy(v3_scale(theta, *w), 1 - theta, w0), Lt = m3_mulv(I, wt);
    v3 r = v3_axpy(m3_mulv(I, v3_sub(*w, w0)), dt, v3_cross(wt, Lt));
    m3 wx = m3_skew(wt), Lx = m3_skew(Lt), wxI = m3_mul(&wx, I), J;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) J.m[a][b] = I->m[a][b] + dt * theta * (wxI.m[a][b] - Lx.m[a][b]);
    v3 d = m3_solve(&J, r);
    *w = v3_sub(*w, d);
    double size = v3_norm(d), scale = v3_norm(*w) + v3_norm(w0);
    if (size <= 0.1 * ROUND_OFF * scale || (size <= NEAR_ROUND_OFF * scale && size > 0.5 * last))
      return true;
    last = size;
  }
  return false;
}

/* Whether Coriolis terms count at v0 although v^tv is implicit: the configuration is known. */
static bool is_coriolis_explicit(const cr_step* step, int tree) {
  return step->theta[tree].q == 0 && !step->sim->def.implicit_coriolis;
}

/* Whether a body keeps its angular velocity, because its momentum is along that. What is too fast
 * for its energy to be a number is left to Newton, which says so. */
static bool spins_on(const double inertia[6], v3 w) {
  return inertia[0] == inertia[1] && inertia[1] == inertia[2] && inertia[3] == 0 &&
         inertia[4] == 0 && inertia[5] == 0 && isfinite(inertia[0] * v3_norm2(w));
}

/* w* of a free link that constraints load. Its balance of momentum is linear in the problem,
 * without gyroscopic terms: these count where the last step's acceleration leads, a, not in free
 * motion,
 *
 *   w* = w0 - dt I^-1 (w^t × I w^t),   w = w0 + dt a,
 *
 * which misses dt times the way from there to the solution: second order, as the scheme. Where they
 * would be far from those of the free motion, by SHARE of what constraints change, it stays: the
 * body turns by a radian in a step, and may be let go. */
static v3 turn_loaded(const cr_step* step, int tree, const m3* I, v3 free) {
  int start = step->model->tree.tree_v_start[tree] + 3;
  double theta = step->theta[tree].v;
  v3 w0 = v3_load(step->v0 + start);
  v3 w = v3_axpy(w0, step->dt, v3_load(step->sim->a_loaded + start));
  v3 wt = v3_axpy(v3_scale(theta, w), 1 - theta, w0);
  v3 loaded = v3_axpy(w0, -step->dt, m3_solve(I, v3_cross(wt, m3_mulv(I, wt))));
  v3 missed = v3_sub(loaded, free), way = v3_sub(w, free);
  double most = SHARE * SHARE * v3_dot(way, m3_mulv(I, way));
  return v3_dot(missed, m3_mulv(I, missed)) <= most ? loaded : free;
}

/* A free link without forces but gravity: its centre of mass falls, its rotation is solved apart.
 */
static bool fall_freely(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], link = model->tree_link_start[tree];
  const double *g = step->model->force.gravity, *inertia = model->link_inertia + 6 * link;
  for (int k = 0; k < 3; k++) step->v_star[start + k] = step->v0[start + k] + step->dt * g[k];
  v3 w = v3_load(step->v0 + start + 3);
  if (!spins_on(inertia, w)) {
    m3 I = m3_symmetric(inertia);
    bool is_explicit = is_coriolis_explicit(step, tree);
    if (!solve_rotation(&I, w, step->dt, step->theta[tree].v, is_explicit, &w)) return false;
    if (step->is_loaded[tree] && !is_explicit) w = turn_loaded(step, tree, &I, w);
  }
  v3_store(w, step->v_star + start + 3);
  return true;
}

/* Whether nothing but gravity acts on a free link. */
static bool is_falling(const cr_step* step, int tree) {
  const carom_model* model = step->model;
  return model->tree.tree_is_free_link[tree] && !cr_external_acts_on(step, tree) &&
         !step->sim->plan.has_joint_forces[tree];
}

bool cr_free_motion_is_known(const cr_step* step, int tree) {
  bool is_damped = step->theta[tree].v > 0 && cr_external_is_in_fluid(step->model, tree);
  return !is_damped && is_coriolis_explicit(step, tree);
}

double cr_free_motion_get_weight(const cr_step* step, int tree) {
  bool is_start = !step->sim->plan.has_spring[tree] && cr_free_motion_is_known(step, tree);
  return is_start ? 0 : step->theta[tree].v;
}

/* A tree by itself, with its matrix. */
static bool move_tree(cr_step* step, int tree) {
  if (cr_free_motion_is_known(step, tree)) {
    bool done = move_known(step, tree);
    if (!done) step->failed_tree = tree;
    return done;
  }
  return cr_free_newton_solve(step, &tree, 1, false);
}

/* The trees that springs join, together. */
static bool move_spring_trees(cr_step* step, const int* only) {
  const cr_sim_plan* plan = &step->sim->plan;
  int count = 0, wanted = 0;
  int* trees = CR_PUSH(step->arena, int, plan->num_spring_trees);
  if (step->arena->failed) return false;
  for (int t = 0; t < step->model->tree.num_trees; t++)
    if (plan->has_spring[t]) {
      trees[count++] = t;
      wanted += !only || only[t];
    }
  return wanted == 0 || cr_free_newton_solve(step, trees, count, true);
}

/* What sleeps stays where it is. */
static void rest_tree(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    step->v_star[i] = step->v_lin[i] = step->v0[i] = 0;
}

/* The trees that no spring joins: at once what sleeps or falls, then all others, for whose factors
 * there is room afterwards. */
static bool move_trees(cr_step* step, const int* only) {
  int num_trees = step->model->tree.num_trees, count = 0;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* trees = CR_SCRATCH(step->arena, int, num_trees);
  if (step->arena->failed) return false;
  for (int t = 0; t < num_trees; t++) {
    if ((only && !only[t]) || step->sim->plan.has_spring[t]) continue;
    if (cr_sleep_has(step->sim, t)) {
      rest_tree(step, t);
    } else if (is_falling(step, t)) {
      if (!fall_freely(step, t)) {
        step->failed_tree = t;
        return false;
      }
      cr_free_newton_linearize(step, &t, 1, false, false);
    } else if (cr_tree_factor_reserve(step, t)) {
      trees[count++] = t;
    }
  }
  bool done = !step->arena->failed && cr_tree_parts_work(step, trees, count, move_tree);
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

bool cr_free_motion_compute(cr_step* step, const int* only) {
  if (!move_trees(step, only)) return false;
  return step->sim->plan.num_spring_trees == 0 || move_spring_trees(step, only);
}
