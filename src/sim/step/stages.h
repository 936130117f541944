/* The five stages of a step, in their order, and what they hand on. Each leaves the simulation's
 * state as it is but for the last, and each ends in what became of it. */
#ifndef CR_SIM_STAGES_H
#define CR_SIM_STAGES_H

#include "sim/contact/contact_set.h"
#include "sim/rows/step_problem.h"

typedef struct cr_stages {
  const cr_attempt* how;
  carom_step_report* report;
  cr_step step;
  cr_contact_set set;      /* what was met */
  cr_step_problem problem; /* the last one, */
  double* v_c;             /* and J v [num_rows] at its solution */
  double contact_energy;   /* J, at the end */
} cr_stages;

/* Makes room for a step; false when memory ran out.
 * @param is_direct matrices are factored, however large */
bool cr_stages_begin(cr_stages* s, carom_sim* sim, bool is_direct);

/* v* of every mover by itself: the motion without constraints. */
cr_result cr_stage_find_free_motion(cr_stages* s);

/* The points and rows that v* might run into; what is about to have an impact starts anew. */
cr_result cr_stage_detect_contacts(cr_stages* s);

/* v and the impulses of the convex problem (problem.h), assembled anew until its solution runs into
 * nothing that it does not know of. */
cr_result cr_stage_solve_constraints(cr_stages* s);

/* The new positions, contacts and works; fails where energy comes from nowhere, or a body would go
 * through what it touches. */
cr_result cr_stage_account(cr_stages* s);

/* The new state. Fails only where an observer does (observer.h). */
cr_result cr_stage_accept(cr_stages* s);

#endif
