/* The step's problem on the central path: where every impulse and its slack are inside their cones
 * and their product is that of a given speed (central_path.c). */
#ifndef CR_DERIVE_CENTRAL_PATH_H
#define CR_DERIVE_CENTRAL_PATH_H

#include "derive/law_tangent.h"
#include "derive/step_tangent.h"

/* What would meet if it were faster by so many times the speed takes part. */
#define CR_CENTRAL_REACH 10.0

/* Where on the path a constraint is. */
typedef struct cr_central_speed {
  double speed;    /* m/s */
  double scale;    /* 1/kg, of its Delassus block */
  bool is_coulomb; /* Coulomb's law, else the convex one */
} cr_central_speed;

/* A constraint's law there, E dgamma + D dd = 0.
 * @param v_c, gamma [rows] of it, gamma inside
 */
void cr_central_law_find(const cr_problem* problem, int constraint, const double* v_c,
                         const double* gamma, const cr_central_speed* at, cr_law_tangent* out);

/* Whether a constraint stays as it is: contacts that a sweep has found. */
bool cr_central_path_leaves_out(const cr_step_problem* problem, int place);

/* Its Delassus scale, by which the product of impulse and slack is that of a speed, 1/kg. */
double cr_central_path_find_scale(const cr_step_problem* problem, int place);

/* Moves the step to its problem's point there: v, the impulses, and what the new configuration is
 * by; where t->smoothing is 0 nothing. */
carom_status cr_central_path_take(cr_step_tangent* t, const cr_step_problem* problem);

#endif
