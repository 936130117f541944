/* The third stage of a step: the convex problem of its constraints is assembled and solved, and
 * again as long as the solution asks for it, by what revise() finds in it. */
#include "base/error.h"
#include "sim/mover.h"
#include "sim/rows/assemble.h"
#include "sim/rows/closed.h"
#include "sim/rows/recovery.h"
#include "sim/step/account.h"
#include "sim/step/equilibrium.h"
#include "sim/step/least_norm.h"
#include "sim/step/linearization.h"
#include "sim/step/observer.h"
#include "sim/step/solution.h"
#include "sim/step/stages.h"
#include "solve/island.h"

#include <math.h>

#define MOST_ASSEMBLIES 4 /* of a linearisation, with what its solution ran into */

/* From where on all is done again. */
typedef enum again { AGAIN_NOTHING, AGAIN_SOLUTION, AGAIN_ASSEMBLY, AGAIN_DETECTION } again;

/* What has been done so far. */
typedef struct progress {
  int assemblies;           /* of this linearisation */
  cr_linearization last;    /* the one before this one */
  double last_move;         /* how far its solution went, */
  int linearisations, most; /* at solutions, and how many there may be */
  bool is_back;             /* taken back, to the end */
} progress;

static cr_result revise(cr_stages* s, progress* p, again* from);
static cr_result count_impacts(const cr_stages* s, int* count);

static cr_result assemble(cr_stages* s) {
  CR_TRY(cr_step_assemble(&s->step, &s->set.points, &s->set.rows, &s->problem));
  if (s->problem.problem.num_constraints == 0) return CR_DONE;
  CR_TRY(cr_equilibrium_seek(&s->step, &s->problem, s->report));
  return cr_closed_hold(&s->step, &s->problem) ? CR_DONE : CR_NO_MEMORY;
}

cr_result cr_stage_solve_constraints(cr_stages* s) {
  cr_step* step = &s->step;
  progress p = {.last_move = INFINITY};
  again from = AGAIN_ASSEMBLY;
  if (!cr_linearization_init(step, &p.last)) return CR_NO_MEMORY;
  while (from != AGAIN_NOTHING) {
    if (from == AGAIN_DETECTION) CR_TRY(cr_contact_set_detect(step, &s->set));
    if (from >= AGAIN_ASSEMBLY) CR_TRY(assemble(s));
    CR_TRY(cr_solution_find(step, &s->problem, &s->v_c, s->report));
    CR_TRY(revise(s, &p, &from));
  }
  if (step->sim->def.forces == CAROM_FORCES_LEAST)
    CR_TRY(cr_least_norm_take(step, &s->problem, s->v_c, s->report));
  return count_impacts(s, &s->report->impact_islands);
}

/* Lets an observer see a solution that another one follows from. */
static cr_result show(cr_stages* s, cr_onward onward) {
  const cr_step_observer* observer = s->step.sim->observer;
  if (!observer || !observer->pass) return CR_DONE;
  return observer->pass(observer->data, &s->step, &s->set, &s->problem, onward);
}

/* Impulses of the last solution, for a problem assembled anew. */
static cr_result keep_guess(cr_stages* s) {
  return cr_account_guess(&s->step, &s->set.points, &s->problem) ? CR_DONE : CR_NO_MEMORY;
}

/* The same, where recovery presses in vain still, and begins softer. */
static cr_result keep_softer_guess(cr_stages* s) {
  if (cr_recovery_presses_in_vain(&s->problem)) CR_TRY(show(s, CR_ONWARD_ANEW));
  return keep_guess(s);
}

/* Recovery that presses in vain becomes softer. */
static cr_result soften(cr_stages* s, again* from) {
  cr_step_problem* problem = &s->problem;
  if (problem->problem.num_constraints == 0) return CR_DONE;
  bool is_in_vain = cr_recovery_presses_in_vain(problem);
  if (!is_in_vain || problem->num_softened + 1 == CR_RECOVERY_MOST_SOLUTIONS) {
    cr_recovery_leave(problem, is_in_vain);
    return CR_DONE;
  }
  CR_TRY(show(s, CR_ONWARD_SOFTER));
  cr_recovery_soften(problem);
  problem->has_guess = true;
  *from = AGAIN_SOLUTION;
  return CR_DONE;
}

/* What the solution has run into becomes active; where that is an impact, its trees start anew. */
static cr_result activate(cr_stages* s, progress* p, again* from) {
  cr_step* step = &s->step;
  if (cr_contact_set_activate(step, &s->set) == 0) return CR_DONE;
  CR_TRY(keep_softer_guess(s));
  if (!step->relinearised && cr_contact_set_mark_impacts(step, &s->set)) {
    *from = AGAIN_DETECTION, p->assemblies = 0;
    return cr_contact_set_restart_impacts(step, &s->set);
  }
  if (++p->assemblies < MOST_ASSEMBLIES) *from = AGAIN_ASSEMBLY;
  return CR_DONE;
}

/* Limited actuators that would exceed their bounds become laws. */
static cr_result limit_actuators(cr_stages* s, again* from) {
  bool any;
  CR_TRY(cr_contact_set_restart_limited(&s->step, &s->set, s->step.v, &any));
  if (!any) return CR_DONE;
  *from = AGAIN_DETECTION;
  return keep_softer_guess(s);
}

/* Linearises at the solution, at least as often as asked: once where a mover bends too much for one
 * linearisation. These are Newton steps: one that goes farther than the one before does not
 * converge, as where two branches of a mechanism cross, and is taken back. */
static cr_result linearize(cr_stages* s, progress* p, again* from) {
  cr_step* step = &s->step;
  double move;
  if (p->is_back || cr_contact_set_rebounds(step, &s->set)) return CR_DONE;
  int asked = step->sim->def.relinearise;
  if (p->linearisations == 0) p->most = asked == 0 ? cr_movers_bend(step) : asked;
  if (p->most == 0) return CR_DONE;
  if (!cr_linearization_measure(step, &s->problem, &move)) return CR_NO_MEMORY;
  p->is_back = move > p->last_move;
  CR_TRY(p->is_back ? keep_softer_guess(s) : keep_guess(s));
  if (!p->is_back && p->linearisations++ == p->most) return CR_DONE;
  if (p->is_back) {
    cr_linearization_restore(step, &p->last);
  } else {
    CR_TRY(show(s, CR_ONWARD_LINEARISED));
    cr_linearization_advance(step, &p->last);
  }
  p->last_move = move;
  *from = AGAIN_DETECTION;
  return CR_DONE;
}

/* The first of these that the solution asks for, if any. */
static cr_result revise(cr_stages* s, progress* p, again* from) {
  *from = AGAIN_NOTHING;
  CR_TRY(soften(s, from));
  if (*from == AGAIN_NOTHING) CR_TRY(activate(s, p, from));
  if (*from != AGAIN_NOTHING) return CR_DONE;
  p->assemblies = 0;
  if (s->problem.problem.num_constraints == 0) return CR_DONE;
  CR_TRY(limit_actuators(s, from));
  return *from == AGAIN_NOTHING ? linearize(s, p, from) : CR_DONE;
}

/* Islands of the last problem with a tree that has an impact. */
static cr_result count_impacts(const cr_stages* s, int* count) {
  const cr_step_problem* p = &s->problem;
  cr_islands islands;
  bool any = false;
  *count = 0;
  for (int t = 0; t < s->step.model->num_movers; t++) any |= s->set.has_impact[t];
  if (p->problem.num_constraints == 0 || !any) return CR_DONE;
  if (!cr_islands_find(&p->problem, s->step.arena, &islands)) return CR_NO_MEMORY;
  for (int i = 0; i < islands.count; i++) {
    bool is_impact = false;
    for (int k = islands.block_start[i]; k < islands.block_start[i + 1]; k++)
      is_impact |= s->set.has_impact[p->blocks.block_mover[islands.block[k]]];
    *count += is_impact;
  }
  return CR_DONE;
}
