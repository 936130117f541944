/* The stages of a step but for the third, which is solve_constraints.c. */
#include "sim/step/stages.h"

#include "base/copy.h"
#include "base/error.h"
#include "sim/contact/passing.h"
#include "sim/contact/rolling.h"
#include "sim/mover.h"
#include "sim/sleep.h"
#include "sim/step/account.h"
#include "sim/step/energy_watch.h"
#include "sim/step/observer.h"
#include "sim/step/settle.h"
#include "sim/tree/adhesion.h"

#include <math.h>
#include <string.h>

bool cr_stages_begin(cr_stages* s, carom_sim* sim, bool is_direct) {
  const cr_attempt* how = s->how;
  cr_step* step = &s->step;
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
  CR_COPY(step->q_mid, sim->q, sim->model->num_q);
  for (int i = 0; i < num_movers; i++) step->theta[i] = how->is_implicit ? implicit : sim->theta;
  for (int t = 0; t < sim->model->tree.num_trees && how->is_early; t++)
    step->theta[t] = (cr_theta){0, sim->theta.v, 1};
  if (!cr_movers_init(step)) return false;
  if (sim->order) {
    step->order = cr_arena_push(&sim->arena, cr_sim_order_size(sim));
    if (!step->order) return false;
    memcpy(step->order, sim->order, cr_sim_order_size(sim));
  }
  cr_energy_watch_begin(step);
  return cr_adhesion_find(step);
}

cr_result cr_stage_find_free_motion(cr_stages* s) {
  bool done = cr_movers_begin(&s->step, NULL);
  s->report->free_iterations = s->step.free_iterations;
  return done ? CR_DONE : CR_FREE_MOTION;
}

cr_result cr_stage_detect_contacts(cr_stages* s) {
  return cr_contact_set_init(&s->step, &s->set) ? cr_contact_set_detect(&s->step, &s->set)
                                                : CR_NO_MEMORY;
}

/* --- Account ------------------------------------------------------------------------------------
 */

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

/* Positions at the end of the step, and whether its energy is explained there. */
static cr_result advance(cr_stages* s) {
  cr_step* step = &s->step;
  const carom_model* m = step->model;
  cr_movers_advance(step);
  if (!is_finite(step->q_mid, m->num_q) || !is_finite(step->v_q, m->num_v)) {
    step->failed_tree = find_endless_tree(step);
    return CR_NOT_FINITE;
  }
  if (cr_energy_watch_measure(step, s->report)) return CR_DONE;
  step->failed_tree = -1;
  if (!isfinite(s->report->unexplained)) return CR_NOT_FINITE;
  if (!s->how->is_unwatched) return CR_UNEXPLAINED;
  cr_energy_watch_brake(step, s->report);
  return CR_DONE;
}

cr_result cr_stage_account(cr_stages* s) {
  cr_step* step = &s->step;
  if (step->arena->failed) return CR_NO_MEMORY;
  cr_result passing = s->how->lets_pass ? CR_DONE : cr_passing_find(step, &s->set);
  if (passing == CR_NO_MEMORY) return passing;
  if (!cr_account_step(step, &s->set.points, &s->problem, s->v_c, s->report, &s->contact_energy) ||
      !cr_settle(step, &s->problem))
    return CR_NO_MEMORY;
  CR_TRY(advance(s));
  return passing;
}

/* --- Accept -------------------------------------------------------------------------------------
 */

/* Velocities and accelerations of the dofs of a tree, or of soft bodies. */
static void take_velocities(cr_step* step, int first, int end, bool sleeps, bool had_impact) {
  carom_sim* sim = step->sim;
  for (int i = first; i < end; i++) {
    sim->a_before[i] = sim->a_free[i];
    if (!sleeps) sim->a_free[i] = (step->v_star[i] - step->v0[i]) / step->dt;
    if (!sleeps) sim->constraint_force[i] = step->constraint_force[i];
    sim->a_last[i] = (step->v[i] - step->v0[i]) / step->dt;
    sim->a_loaded[i] = had_impact ? NAN : sim->a_last[i];
    sim->v[i] = step->v_q[i];
  }
}

/* The acceleration of a tree that rolls goes on as it did. */
static void take_rolling(const cr_step* step, int tree, bool rolls) {
  const int* v_start = step->model->tree.tree_v_start;
  carom_sim* sim = step->sim;
  double *last = sim->a_rolled, *before = sim->a_rolled + sim->model->num_v;
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) {
    const double known[2] = {last[i], before[i]};
    if (rolls && isfinite(known[1]))
      sim->a_loaded[i] = cr_rolling_extrapolate(sim->a_last[i], known);
    before[i] = rolls ? last[i] : NAN;
    last[i] = rolls ? sim->a_last[i] : NAN;
  }
}

static void take_state(cr_step* step, const int* has_impact, double contact_energy) {
  carom_sim* sim = step->sim;
  const cr_tree_model* tree = &sim->model->tree;
  for (int t = 0; t < tree->num_trees; t++) {
    bool sleeps = cr_sleep_has(sim, t);
    take_velocities(step, tree->tree_v_start[t], tree->tree_v_start[t + 1], sleeps, has_impact[t]);
    take_rolling(step, t, step->rolls[t] && !sleeps && !has_impact[t]);
  }
  take_velocities(step, tree->num_v, sim->model->num_v, false, false);
  sim->has_last = true;
  CR_COPY(sim->q, step->q_mid, sim->model->num_q);
  CR_COPY(sim->act, step->act_end, sim->model->force.num_activations);
  if (sim->order) memcpy(sim->order, step->order, cr_sim_order_size(sim));
  sim->time += step->dt;
  sim->contact_energy = contact_energy;
  cr_energy_watch_accept(sim);
  cr_contact_memory old = sim->memory;
  sim->memory = sim->next;
  sim->next = old;
}

cr_result cr_stage_accept(cr_stages* s) {
  carom_sim* sim = s->step.sim;
  const cr_step_observer* observer = sim->observer;
  if (observer) CR_TRY(observer->look(observer->data, &s->step, &s->set, &s->problem));
  double left = cr_movers_find_left(&s->step);
  take_state(&s->step, s->set.has_impact, s->contact_energy);
  if (s->report->braked > 0) carom_sim_forget_motion(sim);
  s->report->residual = fmax(s->report->residual, left);
  s->report->error_bound += left;
  s->report->time = sim->time;
  s->report->sleeping_trees = sim->sleep.count;
  return CR_DONE;
}
