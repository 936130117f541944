/* One attempt at a step: free motion, distances, the convex problem, its solution, the new state.
 */
#include "base/error.h"
#include "convex/convert.h"
#include "sim/account.h"
#include "sim/adhesion.h"
#include "sim/damping.h"
#include "sim/energy_watch.h"
#include "sim/free_motion.h"
#include "sim/lines.h"
#include "sim/pushed.h"
#include "sim/recovery.h"
#include "sim/rest.h"
#include "sim/servos.h"
#include "sim/soft_step.h"
#include "sim/waypoint.h"
#include "solve/island.h"
#include "solve/solve.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

#define MOST_SOLUTIONS 4 /* of a problem whose recovery presses in vain */
#define MOST_ROUNDS    4 /* assemblies of a linearisation, with what its solution ran into */

/* --- Set-up -------------------------------------------------------------------------------------
 */

static bool init(cr_step* step, carom_sim* sim, const cr_attempt* how, bool is_direct) {
  const cr_theta implicit = {1, 1, 1};
  const cr_tree_model* model = &sim->model->tree;
  cr_arena_reset(&sim->arena);
  cr_solve_team_turn(sim->team);
  *step = (cr_step){.sim = sim,
                    .model = sim->model,
                    .arena = &sim->arena,
                    .problem_arena = &sim->problem_arena,
                    .dt = how->dt,
                    .failed_tree = -1,
                    .guess = &sim->memory,
                    .is_direct = is_direct};
  int num_trees = model->num_trees + sim->model->soft.num_parts;
  step->theta = CR_PUSH(&sim->arena, cr_theta, num_trees);
  double** vectors[] = {&step->v0,  &step->v_lin, &step->v_star, &step->v,
                        &step->v_q, &step->v_f,   &step->work};
  for (int i = 0; i < 7; i++) *vectors[i] = CR_PUSH(&sim->arena, double, sim->model->num_v);
  step->q_mid = CR_PUSH(&sim->arena, double, sim->model->num_q);
  step->external = CR_PUSH(&sim->arena, sv, model->num_links);
  step->M = CR_PUSH(&sim->arena, double, sim->plan.M_start[model->num_trees]);
  step->factor = CR_PUSH(&sim->arena, double*, model->num_trees);
  step->placement = CR_PUSH(&sim->arena, cr_placement, model->num_trees);
  if (!cr_tree_push_kinematics(&sim->arena, model, &step->kinematics) ||
      !cr_tree_push_velocities(&sim->arena, model, &step->velocities) ||
      !cr_tree_push_scratch(&sim->arena, model, &step->scratch) || sim->arena.failed ||
      !cr_damping_init(step) || !cr_servos_choose(step) || !cr_pushed_find(step) ||
      !cr_soft_init(step))
    return false;
  memcpy(step->q_mid, sim->q, sizeof(double) * (size_t)sim->model->num_q);
  cr_tree_update_ground(model, sim->q, &step->kinematics, &step->velocities);
  if (!cr_step_lines_init(step)) return false;
  for (int t = 0; t < num_trees; t++) step->theta[t] = how->is_implicit ? implicit : sim->theta;
  for (int t = 0; t < model->num_trees; t++) {
    step->placement[t] = (cr_placement){0}, step->factor[t] = NULL;
    cr_tree_to_internal(model, t, sim->q, sim->v, step->v0);
  }
  if (sim->order) {
    step->order = cr_arena_push(&sim->arena, cr_sim_order_size(sim));
    if (!step->order) return false;
    memcpy(step->order, sim->order, cr_sim_order_size(sim));
  }
  cr_energy_watch_begin(step);
  return cr_adhesion_find(step);
}

/* --- What might be met, and the trees that are about to be struck -------------------------------
 */

/* What a step looks at. */
typedef struct scene {
  cr_touches touches;
  cr_model_rows rows;
  sv *lin, *start;     /* [num_links] velocities at v_lin (later at a solution) and v0 */
  int *struck, *fresh; /* [num_trees + num_parts] */
} scene;

/* Of what moves: kinematic trees, then soft bodies. */
static int count_trees(const cr_step* step) {
  return step->model->tree.num_trees + step->model->soft.num_parts;
}

static bool init_scene(cr_step* step, scene* s) {
  const cr_tree_model* model = &step->model->tree;
  s->struck = CR_PUSH(step->arena, int, count_trees(step));
  s->fresh = CR_PUSH(step->arena, int, count_trees(step));
  s->lin = CR_PUSH(step->arena, sv, model->num_links);
  s->start = CR_PUSH(step->arena, sv, model->num_links);
  s->touches = (cr_touches){0};
  s->rows = (cr_model_rows){0};
  if (step->arena->failed) return false;
  memset(s->struck, 0, sizeof(int) * (size_t)count_trees(step));
  for (int l = 0; l < model->num_links; l++)
    if (model->link_tree[l] < 0) s->lin[l] = s->start[l] = sv_zero();
  return true;
}

/* Marks a tree; true if it was not marked. */
static bool mark(int tree, int* struck) {
  if (tree < 0 || struck[tree]) return false;
  struck[tree] = 1;
  return true;
}

/* Marks what is struck itself. */
static bool mark_hits(const cr_step* step, scene* s) {
  const cr_tree_model* tree = &step->model->tree;
  bool any = false;
  for (int i = 0; i < s->touches.count; i++)
    for (int k = 0; k < 2 && s->touches.items[i].is_struck; k++)
      any |= mark(tree->link_tree[s->touches.items[i].link[k]], s->struck);
  for (int i = 0; i < s->rows.count; i++) {
    const cr_model_row* row = &s->rows.items[i];
    for (int k = 0, link;
         row->is_struck && (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
      any |= mark(tree->link_tree[link], s->struck);
  }
  return any;
}

/* Marks all trees that a row joins where one of them is marked. */
static bool spread_row(const cr_step* step, const cr_model_row* row, int* struck) {
  const int* tree_of = step->model->tree.link_tree;
  bool is_struck = false, any = false;
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
    is_struck |= tree_of[link] >= 0 && struck[tree_of[link]];
  for (int k = 0, link; is_struck && (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
    if (tree_of[link] >= 0) any |= mark(tree_of[link], struck);
  return any;
}

/* Marks what active points and equalities join to a marked tree; true if anything was. */
static bool spread_marks(const cr_step* step, scene* s) {
  const int* tree_of = step->model->tree.link_tree;
  bool any = false;
  for (int i = 0; i < s->touches.count; i++) {
    const cr_touch* t = &s->touches.items[i];
    int a = tree_of[t->link[0]], b = tree_of[t->link[1]];
    if (!t->is_active || a < 0 || b < 0) continue;
    if (s->struck[a] != s->struck[b]) any |= mark(s->struck[a] ? b : a, s->struck);
  }
  for (int i = 0; i < s->rows.count; i++) {
    const cr_model_row* row = &s->rows.items[i];
    if (row->rule == CR_ROW_EQUALITY || row->line >= 0) any |= spread_row(step, row, s->struck);
  }
  return any;
}

static bool mark_struck(const cr_step* step, scene* s) {
  bool any = mark_hits(step, s);
  while (spread_marks(step, s)) any = true;
  return any;
}

/* Struck trees take the step (theta_q, theta_vq) = (0, 1): free motion, distances and Jacobian at
 * q0, positions advanced by v. Their servos become laws, as those without damping are no linear
 * forces in such a step. */
static bool restart_struck(cr_step* step, const scene* s) {
  for (int t = 0; t < count_trees(step); t++) {
    s->fresh[t] = s->struck[t] && !(step->theta[t].q == 0 && step->theta[t].vq == 1);
    if (!s->fresh[t]) continue;
    step->theta[t].q = 0;
    step->theta[t].vq = 1;
    if (t < step->model->tree.num_trees) cr_damping_forget(step, t);
    if (t < step->model->tree.num_trees) cr_servos_bind(step, t);
  }
  return cr_free_motion_compute(step, s->fresh);
}

/* Kinematics at v_lin, and link velocities at v_lin and v0. */
static void place_all(cr_step* step, scene* s) {
  const cr_tree_model* model = &step->model->tree;
  for (int t = 0; t < model->num_trees; t++) {
    if (!step->placement[t].is_placed) cr_free_motion_place(step, t, step->v_lin);
    step->placement[t].is_placed = true;
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v_lin, s->lin);
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v0, s->start);
  }
  for (int k = 0; k < step->model->soft.num_parts; k++)
    cr_soft_place(step, &step->soft[k], step->v_lin);
}

/* Trees whose servos reach their bounds at the velocities v start anew; true where there are any.
 * A balance that is linearised at a solution is anew in any case. */
static bool restart_limited(cr_step* step, scene* s, const double* v, carom_step_report* report) {
  if (cr_servos_bind_limited(step, v, s->fresh) == 0) return false;
  if (!step->relinearised && !cr_free_motion_compute(step, s->fresh))
    report->outcome = CAROM_STEP_FREE_MOTION;
  return true;
}

/* Everything near at v_lin; trees that are about to be struck, or whose servos reach their bounds,
 * start anew, until no more are found. */
static carom_status look(cr_step* step, scene* s, carom_step_report* report) {
  for (;;) {
    place_all(step, s);
    if (!step->relinearised && restart_limited(step, s, step->v_star, report)) {
      if (report->outcome != CAROM_STEP_DONE) return CAROM_OK;
      continue;
    }
    const cr_motion lin = {s->lin, step->v_lin}, start = {s->start, step->v0};
    if (!cr_touches_find(step, &lin, &start, &s->touches) || !cr_model_rows_find(step, &s->rows))
      return CAROM_ERROR_OUT_OF_MEMORY;
    if (cr_rest_wake_touched(step, &s->touches, s->fresh) > 0) {
      if (!cr_free_motion_compute(step, s->fresh)) report->outcome = CAROM_STEP_FREE_MOTION;
      if (report->outcome != CAROM_STEP_DONE) return CAROM_OK;
      continue;
    }
    if (step->relinearised || !mark_struck(step, s)) return CAROM_OK;
    if (!restart_struck(step, s)) {
      report->outcome = CAROM_STEP_FREE_MOTION;
      return CAROM_OK;
    }
  }
}

/* --- Solution -----------------------------------------------------------------------------------
 */

static cr_solver_kind solver_kind(carom_solver solver) {
  switch (solver) {
  case CAROM_SOLVER_PRIMAL:
    return CR_SOLVER_PRIMAL;
  case CAROM_SOLVER_PGS:
    return CR_SOLVER_PGS;
  case CAROM_SOLVER_APGD:
    return CR_SOLVER_APGD;
  case CAROM_SOLVER_IPM:
    return CR_SOLVER_IPM;
  default:
    return CR_SOLVER_NEWTON;
  }
}

/* Impulses of the last step go with its velocities; those of a solution that is sought anew in the
 * same step go with its own. */
static cr_start choose_start(const cr_step* step, const cr_step_problem* p) {
  if (!p->has_guess) return CR_START_COLD;
  return step->guess == &step->sim->memory ? CR_START_VELOCITIES : CR_START_IMPULSES;
}

static cr_solve_options solver_options(const carom_sim* sim) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver_kind(sim->def.solver);
  bool exact =
      sim->def.friction == CAROM_FRICTION_COULOMB || sim->def.friction == CAROM_FRICTION_ANCHORED;
  options.friction = exact ? CR_FRICTION_COULOMB : CR_FRICTION_CONVEX;
  options.tolerance = sim->def.tolerance;
  options.max_iterations = sim->def.max_iterations;
  options.effort = sim->memory.count > 0 ? CR_EFFORT_BOUNDED : CR_EFFORT_START;
  return options;
}

static int max_int(int a, int b) { return a > b ? a : b; }

static void add_solve_report(const cr_solve_report* solve, carom_step_report* report) {
  report->islands = solve->islands;
  report->relaxed_islands = solve->relaxed;
  report->iterations = max_int(report->iterations, solve->iterations);
  report->outer_iterations = max_int(report->outer_iterations, solve->outer_iterations);
  report->factorizations += solve->factorizations;
  report->residual = solve->residual;
  report->coulomb_residual = solve->coulomb_residual;
  report->error_bound = solve->relative_gap;
  if (solve->outcome > CR_SOLVE_SETTLED || solve->inexact) report->outcome = CAROM_STEP_SOLVER;
}

/* Keeps a copy of the problem for who asked for it. */
static carom_status capture(const cr_step* step, const cr_step_problem* p) {
  carom_sim* sim = step->sim;
  const cr_convex_copy_def def = {.allocator = &sim->allocator,
                                  .name = carom_model_get_name(step->model),
                                  .dt = step->dt,
                                  .order = p->order,
                                  .guess = p->has_guess ? p->gamma : NULL};
  carom_problem_destroy(*sim->capture);
  *sim->capture = NULL;
  carom_status status = cr_convex_copy(&p->problem, &def, sim->capture, NULL);
  return status == CAROM_ERROR_OUT_OF_MEMORY ? status : CAROM_OK;
}

/* Free motion of the soft bodies that nothing touches. */
static bool move_waiting(cr_step* step) {
  for (int k = 0; k < step->model->soft.num_parts; k++) {
    cr_step_soft* soft = &step->soft[k];
    if (soft->is_waiting && soft->num_kept == 0 && !cr_soft_move(step, soft)) return false;
  }
  return true;
}

/* What is kept of the order of elimination, by the blocks of the problem. */
static bool give_order(const cr_step* step, cr_step_problem* p) {
  const int* segment = p->blocks.block_segment;
  int count = p->problem.pattern.num_blocks;
  p->problem.order = NULL;
  if (!step->order || !cr_order_is_kept(count)) return true;
  p->problem.order = CR_PUSH(step->problem_arena, cr_order_record, count);
  if (step->problem_arena->failed) return false;
  for (int b = 0; b < count; b++) p->problem.order[b] = step->order[segment[b]];
  return true;
}

static void take_order(cr_step* step, const cr_step_problem* p) {
  const int* segment = p->blocks.block_segment;
  for (int b = 0; p->problem.order && b < p->problem.pattern.num_blocks; b++)
    step->order[segment[b]] = p->problem.order[b];
}

/* Solves the problem into step->v; velocities of trees without constraints are those of the free
 * motion.
 * @param v_c receives J v [num_rows] */
static carom_status solve(cr_step* step, cr_step_problem* p, double** v_c,
                          carom_step_report* report) {
  int n = p->problem.pattern.num_rows;
  if (!move_waiting(step)) {
    report->outcome = CAROM_STEP_FREE_MOTION;
    return step->arena->failed ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_OK;
  }
  memcpy(step->v, step->v_star, sizeof(double) * (size_t)step->model->num_v);
  if (p->problem.num_constraints == 0) return CAROM_OK;
  *v_c = CR_PUSH(step->problem_arena, double, p->problem.num_rows);
  double* v = CR_PUSH(step->problem_arena, double, n);
  double* local = CR_PUSH(step->problem_arena, double, cr_problem_scratch_size(&p->problem));
  if (step->problem_arena->failed || !give_order(step, p)) return CAROM_ERROR_OUT_OF_MEMORY;
  if (step->sim->capture) CR_TRY(capture(step, p));
  cr_solve_options options = solver_options(step->sim);
  options.start = choose_start(step, p);
  cr_solve_report solved;
  carom_status status =
      cr_solve(&p->problem, &options, step->sim->team, step->problem_arena, v, p->gamma, &solved);
  if (status != CAROM_OK) return status;
  take_order(step, p);
  add_solve_report(&solved, report);
  cr_blocks_scatter(step, &p->blocks, v, step->v);
  for (int k = 0; k < p->blocks.num_trees; k++) {
    const cr_step_soft* soft = cr_soft_of_tree(step, p->blocks.trees[k]);
    if (soft && !cr_soft_complete(step, soft)) return CAROM_ERROR_OUT_OF_MEMORY;
  }
  cr_problem_apply_J(&p->problem, v, *v_c, local);
  return CAROM_OK;
}

/* Solves, and again where recovery presses in vain. */
static carom_status solve_softly(cr_step* step, cr_step_problem* p, double** v_c,
                                 carom_step_report* report) {
  for (int round = 0; round < MOST_SOLUTIONS; round++) {
    CR_TRY(solve(step, p, v_c, report));
    if (report->outcome != CAROM_STEP_DONE || p->problem.num_constraints == 0) break;
    if (!cr_recovery_soften(p)) break;
    p->has_guess = true;
  }
  return CAROM_OK;
}

/* Makes active what the solution would run into; returns how many points and rows. */
static int activate(cr_step* step, scene* s) {
  const cr_tree_model* model = &step->model->tree;
  if (s->touches.count + s->rows.count + s->rows.num_idle == 0) return 0;
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v, s->lin);
  const cr_motion solution = {s->lin, step->v};
  return cr_touches_activate(step, &solution, &s->touches) +
         cr_model_rows_activate(step, step->v, &s->rows);
}

/* Impulses of the last solution, for a problem assembled anew. */
static carom_status keep_guess(cr_step* step, const scene* s, const cr_step_problem* problem) {
  return cr_account_guess(step, &s->touches, problem) ? CAROM_OK : CAROM_ERROR_OUT_OF_MEMORY;
}

/* Assembles and solves; once more with what the solution ran into.
 * @param struck receives whether that was a blow: its trees must start anew */
static carom_status solve_contacts(cr_step* step, scene* s, cr_step_problem* problem, double** v_c,
                                   carom_step_report* report, bool* struck) {
  *struck = false;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    carom_status status = cr_step_assemble(step, &s->touches, &s->rows, problem);
    if (status == CAROM_ERROR_NUMERICAL) report->outcome = CAROM_STEP_SOLVER;
    if (status != CAROM_OK) return status == CAROM_ERROR_NUMERICAL ? CAROM_OK : status;
    CR_TRY(solve_softly(step, problem, v_c, report));
    if (report->outcome != CAROM_STEP_DONE || activate(step, s) == 0) break;
    CR_TRY(keep_guess(step, s, problem));
    *struck = !step->relinearised && mark_struck(step, s);
    if (*struck) break;
  }
  return CAROM_OK;
}

/* Looks and solves at v_lin, until nothing more is struck and no servo asks for too much. */
static carom_status run_linearisation(cr_step* step, scene* s, cr_step_problem* problem,
                                      double** v_c, carom_step_report* report) {
  for (bool again = true; again && report->outcome == CAROM_STEP_DONE;) {
    CR_TRY(look(step, s, report));
    if (report->outcome != CAROM_STEP_DONE) break;
    CR_TRY(solve_contacts(step, s, problem, v_c, report, &again));
    if (report->outcome != CAROM_STEP_DONE) break;
    if (again && !restart_struck(step, s)) report->outcome = CAROM_STEP_FREE_MOTION;
    if (again || problem->num_constraints == 0) continue;
    again = restart_limited(step, s, step->v, report);
    if (again) CR_TRY(keep_guess(step, s, problem));
  }
  return CAROM_OK;
}

static bool is_block_struck(const cr_step* step, const scene* s, const cr_blocks* blocks,
                            int block) {
  return s->struck[cr_blocks_find_tree(step, blocks, block)];
}

/* Islands of the last problem with a struck tree. */
static carom_status count_struck(const cr_step* step, const scene* s,
                                 const cr_step_problem* problem, int* count) {
  cr_islands islands;
  bool any = false;
  *count = 0;
  for (int t = 0; t < count_trees(step); t++) any |= s->struck[t];
  if (problem->num_constraints == 0 || !any) return CAROM_OK;
  if (!cr_islands_find(&problem->problem, step->arena, &islands)) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < islands.count; i++) {
    bool struck = false;
    for (int k = islands.block_start[i]; k < islands.block_start[i + 1]; k++)
      struck |= is_block_struck(step, s, &problem->blocks, islands.block[k]);
    *count += struck;
  }
  return CAROM_OK;
}

/* Whether a blow makes something rebound: there its speed after the step is that of the impact law,
 * and its configuration is that of the start, so that nothing is left to linearise anew. */
static bool rebounds(const cr_step* step, const scene* s) {
  bool any = false;
  if (step->model->contact.is_plain) return false;
  for (int i = 0; i < s->touches.count; i++) {
    const cr_touch* t = &s->touches.items[i];
    any |= t->is_active && t->is_struck && t->is_fast && t->extra && t->extra->restitution > 0;
  }
  return any;
}

/* How often the second stage is linearised at its own solution, at least as often as asked: once
 * where a soft body bends too much for one linearisation. */
static int find_most(const cr_step* step) {
  int most = step->sim->def.relinearise;
  for (int k = 0; k < step->model->soft.num_parts && most == 0; k++)
    most = cr_soft_bends(step, &step->soft[k]);
  return most;
}

/* Second stage, linearised at the free motion and then, as often as needed, at its own solution.
 * These are Newton steps: one that goes farther than the one before does not converge, as where two
 * branches of a mechanism cross, and is taken back. */
static carom_status run_second_stage(cr_step* step, scene* s, cr_step_problem* problem,
                                     double** v_c, carom_step_report* report) {
  cr_waypoint last;
  double move, last_move = INFINITY;
  int most = 0;
  if (!init_scene(step, s) || !cr_waypoint_init(step, &last)) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int k = 0;; k++) {
    CR_TRY(run_linearisation(step, s, problem, v_c, report));
    if (report->outcome != CAROM_STEP_DONE) return CAROM_OK;
    if (problem->problem.num_constraints == 0 || rebounds(step, s)) break;
    if (k == 0) most = find_most(step);
    if (most == 0) break;
    if (!cr_waypoint_measure(step, problem, &move)) return CAROM_ERROR_OUT_OF_MEMORY;
    CR_TRY(keep_guess(step, s, problem));
    if (move > last_move) {
      cr_waypoint_restore(step, &last);
      CR_TRY(run_linearisation(step, s, problem, v_c, report));
      if (report->outcome != CAROM_STEP_DONE) return CAROM_OK;
      break;
    }
    if (k == most) break;
    cr_waypoint_advance(step, &last);
    last_move = move;
  }
  return count_struck(step, s, problem, &report->struck_islands);
}

/* --- New state ----------------------------------------------------------------------------------
 */

/* The first body of a tree, -1 for none. */
static int find_body(const carom_model* m, int tree) {
  if (tree < 0 || tree >= m->tree.num_trees) return -1;
  for (int b = 1; b < m->body.num_bodies; b++)
    if (m->body.link[b] == m->tree.tree_link_start[tree]) return b;
  return -1;
}

/* The tree of the first velocity that is no number, -1 where they all are. */
static int find_endless_tree(const cr_step* step) {
  const cr_tree_model* model = &step->model->tree;
  for (int t = 0; t < model->num_trees; t++)
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++)
      if (!isfinite(step->v_q[i])) return t;
  return -1;
}

static bool is_finite(const double* x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* q and interface velocities at the end of the step, into q_mid and v_q. */
static void advance(cr_step* step) {
  const cr_tree_model* model = &step->model->tree;
  cr_rotation_update update =
      step->sim->def.rotation == CAROM_ROTATION_LINEAR ? CR_ROTATION_LINEAR : CR_ROTATION_CAYLEY;
  for (int t = 0; t < model->num_trees; t++) {
    cr_theta theta = step->theta[t];
    cr_step_blend(step, t, theta.vq, step->v, step->v0, step->v_q);
    cr_tree_advance(model, t, step->sim->q, step->v_q, step->dt, theta.q, update, step->q_mid);
    cr_tree_to_interface(model, t, step->q_mid, step->v, step->v_q);
  }
  for (int k = 0; k < step->model->soft.num_parts; k++) cr_soft_advance(step, &step->soft[k]);
}

/* From here on nothing can fail. */
static void accept(cr_step* step, double contact_energy) {
  carom_sim* sim = step->sim;
  for (int i = 0; i < sim->model->num_v; i++) {
    double a_free = (step->v_star[i] - step->v0[i]) / step->dt;
    bool rests = i < sim->model->tree.num_v && cr_rest_has_link(sim, sim->model->tree.dof_link[i]);
    sim->a_before[i] = sim->a_free[i];
    if (!rests) sim->a_free[i] = a_free;
    if (sim->a_last) sim->a_last[i] = (step->v[i] - step->v0[i]) / step->dt;
    sim->v[i] = step->v_q[i];
  }
  sim->has_last = true;
  memcpy(sim->q, step->q_mid, sizeof(double) * (size_t)sim->model->num_q);
  memcpy(sim->act, step->act_end, sizeof(double) * (size_t)sim->model->force.num_activations);
  if (sim->order) memcpy(sim->order, step->order, cr_sim_order_size(sim));
  sim->time += step->dt;
  sim->contact_energy = contact_energy;
  cr_energy_watch_accept(sim);
  cr_contact_memory old = sim->memory;
  sim->memory = sim->next;
  sim->next = old;
}

/* The worst of what iterations have left of the soft bodies' v*. */
static double find_left(const cr_step* step) {
  double most = 0;
  for (int k = 0; k < step->model->soft.num_parts; k++) most = fmax(most, step->soft[k].left);
  return most;
}

/* @param is_direct soft bodies are factored, however large */
static carom_status attempt(carom_sim* sim, const cr_attempt* how, bool is_direct,
                            carom_step_report* report) {
  cr_step step;
  scene seen;
  cr_step_problem problem = {0};
  double *v_c = NULL, contact_energy;
  *report = (carom_step_report){
      .dt = how->dt, .substeps = 1, .is_implicit = how->is_implicit, .failed_body = -1};
  cr_rest_begin(sim, how->dt);
  if (!init(&step, sim, how, is_direct)) return CAROM_ERROR_OUT_OF_MEMORY;
  if (!cr_free_motion_compute(&step, NULL)) report->outcome = CAROM_STEP_FREE_MOTION;
  report->free_iterations = step.free_iterations;
  if (report->outcome == CAROM_STEP_DONE) {
    carom_status status = run_second_stage(&step, &seen, &problem, &v_c, report);
    if (status != CAROM_OK) return status;
  }
  if (sim->arena.failed) return CAROM_ERROR_OUT_OF_MEMORY;
  if (report->outcome != CAROM_STEP_DONE) {
    report->failed_body = find_body(sim->model, step.failed_tree);
    return CAROM_OK;
  }
  if (!cr_account_step(&step, &seen.touches, &problem, v_c, report, &contact_energy) ||
      !cr_rest_settle(&step, &problem))
    return CAROM_ERROR_OUT_OF_MEMORY;
  advance(&step);
  if (!is_finite(step.q_mid, sim->model->num_q) || !is_finite(step.v_q, sim->model->num_v)) {
    report->outcome = CAROM_STEP_NOT_FINITE;
    report->failed_body = find_body(sim->model, find_endless_tree(&step));
    return CAROM_OK;
  }
  bool is_explained = cr_energy_watch_measure(&step, report);
  if (!is_explained && !isfinite(report->unexplained))
    report->outcome = CAROM_STEP_NOT_FINITE;
  else if (!is_explained && !how->is_unwatched)
    report->outcome = CAROM_STEP_ENERGY;
  if (report->outcome != CAROM_STEP_DONE) return CAROM_OK;
  accept(&step, contact_energy);
  double left = find_left(&step);
  report->residual = fmax(report->residual, left);
  report->error_bound += left;
  report->time = sim->time;
  report->resting_trees = sim->rest.count;
  return CAROM_OK;
}

/* Where iterations fail, the soft bodies are factored after all. */
carom_status cr_step_attempt(carom_sim* sim, const cr_attempt* how, carom_step_report* report) {
  bool iterates = false;
  for (int k = 0; k < sim->model->soft.num_parts; k++) iterates |= sim->soft_cache[k].is_iterative;
  carom_status status = attempt(sim, how, false, report);
  if (status != CAROM_OK || report->outcome == CAROM_STEP_DONE || !iterates) return status;
  return attempt(sim, how, true, report);
}
