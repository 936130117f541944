/* One attempt at a step: free motion, distances, the convex problem, its solution, the new state
 * (see take, below). */
#include "base/error.h"
#include "sim/contact/contact_set.h"
#include "sim/mover.h"
#include "sim/rows/assemble.h"
#include "sim/sleep.h"
#include "sim/step/account.h"
#include "sim/step/energy_watch.h"
#include "sim/step/linearization.h"
#include "sim/step/observer.h"
#include "sim/step/settle.h"
#include "sim/step/solution.h"
#include "sim/tree/adhesion.h"
#include "solve/island.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

#define MOST_ROUNDS 4 /* assemblies of a linearisation, with what its solution ran into */

/* What the stages of an attempt hand on. */
typedef struct attempt {
  const cr_attempt* how;
  carom_step_report* report;
  cr_step step;
  cr_contact_set set;      /* what was met */
  cr_step_problem problem; /* the last one, */
  double* v_c;             /* and J v [num_rows] at its solution */
  double contact_energy;   /* J, at the end */
} attempt;

/* --- Set-up -------------------------------------------------------------------------------------
 */

static bool init(cr_step* step, carom_sim* sim, const cr_attempt* how, bool is_direct) {
  const cr_theta implicit = {1, 1, 1};
  cr_arena_reset(&sim->arena);
  cr_solve_workers_turn(sim->workers);
  *step = (cr_step){.sim = sim,
                    .model = sim->model,
                    .arena = &sim->arena,
                    .problem_arena = &sim->problem_arena,
                    .dt = how->dt,
                    .failed_tree = -1,
                    .guess = &sim->memory,
                    .is_direct = is_direct,
                    .is_implicit = how->is_implicit};
  int num_movers = sim->model->num_movers;
  step->theta = CR_PUSH(&sim->arena, cr_theta, num_movers);
  double** vectors[] = {&step->v0,  &step->v_lin, &step->v_star, &step->v,
                        &step->v_q, &step->v_f,   &step->work};
  for (int i = 0; i < 7; i++) *vectors[i] = CR_PUSH(&sim->arena, double, sim->model->num_v);
  step->q_mid = CR_PUSH(&sim->arena, double, sim->model->num_q);
  if (sim->arena.failed) return false;
  memcpy(step->q_mid, sim->q, sizeof(double) * (size_t)sim->model->num_q);
  for (int i = 0; i < num_movers; i++) step->theta[i] = how->is_implicit ? implicit : sim->theta;
  if (!cr_movers_init(step)) return false;
  if (sim->order) {
    step->order = cr_arena_push(&sim->arena, cr_sim_order_size(sim));
    if (!step->order) return false;
    memcpy(step->order, sim->order, cr_sim_order_size(sim));
  }
  cr_energy_watch_begin(step);
  return cr_adhesion_find(step);
}

/* --- Second stage -------------------------------------------------------------------------------
 */

/* Impulses of the last solution, for a problem assembled anew. */
static cr_result keep_guess(attempt* a) {
  return cr_account_guess(&a->step, &a->set.points, &a->problem) ? CR_DONE : CR_NO_MEMORY;
}

/* Assembles and solves; once more with what the solution ran into.
 * @param is_impact receives whether that was an impact: its trees must start anew */
static cr_result solve_contacts(attempt* a, bool* is_impact) {
  cr_step* step = &a->step;
  cr_contact_set* s = &a->set;
  *is_impact = false;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    CR_TRY(cr_step_assemble(step, &s->points, &s->rows, &a->problem));
    CR_TRY(cr_solution_find(step, &a->problem, &a->v_c, a->report));
    if (cr_contact_set_activate(step, s) == 0) break;
    CR_TRY(keep_guess(a));
    *is_impact = !step->relinearised && cr_contact_set_mark_impacts(step, s);
    if (*is_impact) break;
  }
  return CR_DONE;
}

/* Looks and solves at v_lin, until nothing more has an impact and no limited actuator asks for too
 * much. */
static cr_result run_linearisation(attempt* a) {
  cr_step* step = &a->step;
  for (bool again = true; again;) {
    CR_TRY(cr_contact_set_detect(step, &a->set));
    CR_TRY(solve_contacts(a, &again));
    if (again) CR_TRY(cr_contact_set_restart_impacts(step, &a->set));
    if (again || a->problem.problem.num_constraints == 0) continue;
    CR_TRY(cr_contact_set_restart_limited(step, &a->set, step->v, &again));
    if (again) CR_TRY(keep_guess(a));
  }
  return CR_DONE;
}

/* Islands of the last problem with a tree that has an impact. */
static cr_result count_impacts(const attempt* a, int* count) {
  const cr_step_problem* p = &a->problem;
  cr_islands islands;
  bool any = false;
  *count = 0;
  for (int t = 0; t < a->step.model->num_movers; t++) any |= a->set.has_impact[t];
  if (p->problem.num_constraints == 0 || !any) return CR_DONE;
  if (!cr_islands_find(&p->problem, a->step.arena, &islands)) return CR_NO_MEMORY;
  for (int i = 0; i < islands.count; i++) {
    bool is_impact = false;
    for (int k = islands.block_start[i]; k < islands.block_start[i + 1]; k++)
      is_impact |= a->set.has_impact[p->blocks.block_mover[islands.block[k]]];
    *count += is_impact;
  }
  return CR_DONE;
}

/* How often the second stage is linearised at its own solution, at least as often as asked: once
 * where a mover bends too much for one linearisation. */
static int find_most(const cr_step* step) {
  int most = step->sim->def.relinearise;
  return most == 0 ? cr_movers_bend(step) : most;
}

/* Second stage, linearised at the free motion and then, as often as needed, at its own solution.
 * These are Newton steps: one that goes farther than the one before does not converge, as where two
 * branches of a mechanism cross, and is taken back. */
static cr_result solve_constraints(attempt* a) {
  cr_step* step = &a->step;
  cr_linearization last;
  double move, last_move = INFINITY;
  int most = 0;
  if (!cr_contact_set_init(step, &a->set) || !cr_linearization_init(step, &last))
    return CR_NO_MEMORY;
  for (int k = 0;; k++) {
    CR_TRY(run_linearisation(a));
    if (a->problem.problem.num_constraints == 0 || cr_contact_set_rebounds(step, &a->set)) break;
    if (k == 0) most = find_most(step);
    if (most == 0) break;
    if (!cr_linearization_measure(step, &a->problem, &move)) return CR_NO_MEMORY;
    CR_TRY(keep_guess(a));
    if (move > last_move) {
      cr_linearization_restore(step, &last);
      CR_TRY(run_linearisation(a));
      break;
    }
    if (k == most) break;
    cr_linearization_advance(step, &last);
    last_move = move;
  }
  return count_impacts(a, &a->report->struck_islands);
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

/* From here on nothing can fail. */
static void accept(cr_step* step, double contact_energy) {
  carom_sim* sim = step->sim;
  for (int i = 0; i < sim->model->num_v; i++) {
    double a_free = (step->v_star[i] - step->v0[i]) / step->dt;
    bool sleeps =
        i < sim->model->tree.num_v && cr_sleep_has_link(sim, sim->model->tree.dof_link[i]);
    sim->a_before[i] = sim->a_free[i];
    if (!sleeps) sim->a_free[i] = a_free;
    if (!sleeps) sim->constraint_force[i] = step->constraint_force[i];
    sim->a_last[i] = (step->v[i] - step->v0[i]) / step->dt;
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

/* --- The stages ---------------------------------------------------------------------------------
 */

static cr_result find_free_motion(attempt* a) {
  bool done = cr_movers_begin(&a->step, NULL);
  a->report->free_iterations = a->step.free_iterations;
  return done ? CR_DONE : CR_FREE_MOTION;
}

static cr_result account(attempt* a) {
  cr_step* step = &a->step;
  if (step->arena->failed) return CR_NO_MEMORY;
  return cr_account_step(step, &a->set.points, &a->problem, a->v_c, a->report,
                         &a->contact_energy) &&
                 cr_settle(step, &a->problem)
             ? CR_DONE
             : CR_NO_MEMORY;
}

static cr_result move(attempt* a) {
  cr_step* step = &a->step;
  const carom_model* m = step->model;
  cr_movers_advance(step);
  if (!is_finite(step->q_mid, m->num_q) || !is_finite(step->v_q, m->num_v)) {
    step->failed_tree = find_endless_tree(step);
    return CR_NOT_FINITE;
  }
  if (cr_energy_watch_measure(step, a->report)) return CR_DONE;
  step->failed_tree = -1;
  if (!isfinite(a->report->unexplained)) return CR_NOT_FINITE;
  return a->how->is_unwatched ? CR_DONE : CR_UNEXPLAINED;
}

/* Lets who has asked for it look at what is about to be accepted. */
static cr_result show(attempt* a) {
  const cr_step_observer* observer = a->step.sim->observer;
  return observer ? observer->look(observer->data, &a->step, &a->set, &a->problem) : CR_DONE;
}

static void finish(attempt* a) {
  const carom_sim* sim = a->step.sim;
  double left = cr_movers_find_left(&a->step);
  accept(&a->step, a->contact_energy);
  a->report->residual = fmax(a->report->residual, left);
  a->report->error_bound += left;
  a->report->time = sim->time;
  a->report->resting_trees = sim->sleep.count;
}

static cr_result take(attempt* a) {
  CR_TRY(find_free_motion(a));
  CR_TRY(solve_constraints(a));
  CR_TRY(account(a));
  CR_TRY(move(a));
  CR_TRY(show(a));
  finish(a);
  return CR_DONE;
}

/* @param is_direct matrices are factored, however large */
static cr_result try_once(carom_sim* sim, const cr_attempt* how, bool is_direct,
                          carom_step_report* report) {
  attempt a = {.how = how, .report = report};
  *report = (carom_step_report){
      .dt = how->dt, .substeps = 1, .is_implicit = how->is_implicit, .failed_body = -1};
  cr_sleep_begin(sim, how->dt);
  if (!init(&a.step, sim, how, is_direct)) return CR_NO_MEMORY;
  cr_result result = take(&a);
  if (sim->arena.failed) return CR_NO_MEMORY;
  if (result != CR_DONE) report->failed_body = find_body(sim->model, a.step.failed_tree);
  return result;
}

static carom_step_outcome outcome_of(cr_result result) {
  static const carom_step_outcome OUTCOME[] = {
      [CR_DONE] = CAROM_STEP_DONE,
      [CR_NO_MEMORY] = CAROM_STEP_DONE,
      [CR_FREE_MOTION] = CAROM_STEP_FREE_MOTION,
      [CR_UNSOLVED] = CAROM_STEP_SOLVER,
      [CR_NOT_FINITE] = CAROM_STEP_NOT_FINITE,
      [CR_UNEXPLAINED] = CAROM_STEP_ENERGY,
  };
  return OUTCOME[result];
}

/* Where iterations fail, all is factored after all. */
carom_status cr_step_attempt(carom_sim* sim, const cr_attempt* how, carom_step_report* report) {
  cr_result result = try_once(sim, how, false, report);
  if (result > CR_NO_MEMORY && sim->iterates) result = try_once(sim, how, true, report);
  report->outcome = outcome_of(result);
  return result == CR_NO_MEMORY ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_OK;
}
