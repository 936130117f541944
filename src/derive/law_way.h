/* What controllers and motors with states of their own go by at the start of a step. */
#ifndef CR_DERIVE_LAW_WAY_H
#define CR_DERIVE_LAW_WAY_H

#include "derive/actuator_tangent.h"

/* The length of a line at the start, and how it moves with q0. */
typedef struct cr_law_start {
  double length;
  int n;
  const int* dof;  /* [n] of the line, as at any place */
  const double* G; /* [n] */
} cr_law_start;

/* Those of lines whose controllers integrate. False when memory ran out. */
bool cr_law_starts_find(cr_step_tangent* t);

/* One's length at the start, which matters where it integrates. */
double cr_law_find_start(const cr_step_tangent* t, int actuator);

/* How long after the start forces count, s. */
double cr_law_find_time(const cr_step_tangent* t);

/* At a length and rate. */
cr_actuator_state cr_law_state_at(const cr_step_tangent* t, double length, double rate);

/* The column of an activation or control that it moves with (CR_BY_...); -1: it has fewer. */
int cr_law_find_column(const cr_step_tangent* t, int actuator, int by);

/* How the only input of a controller moves with its length at the start, */
double cr_law_find_start_slope(const cr_step_tangent* t, int actuator);

/* by that with q0, and back. */
double cr_law_move_start(const cr_step_tangent* t, int actuator, const double* q0);
void cr_law_pull_start(const cr_step_tangent* t, int actuator, double cotangent, double* q0);

/* The only input of a controller that its force moves with. */
cr_input_way cr_law_way_find(const cr_step_tangent* t, int actuator);

#endif
