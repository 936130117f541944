/* The laws of a step's rows: stiffness and dissipation, recovery from overlaps, rebounds, the
 * published regularisation, anchors, as R and v_hat. */
#ifndef CR_SIM_COMPLIANCE_H
#define CR_SIM_COMPLIANCE_H

#include "sim/rows/step_problem.h"

/* Sets R and v_hat of all rows that have laws, and the anchors where friction is anchored; reads W,
 * J v0 and J v_lin. False without memory. */
bool cr_compliance_set(cr_step* step, const cr_contact_points* points, cr_step_problem* out);

#define CR_CLOSED_GAP 100 /* tolerances of g dt², of gaps that are none */

/* Gaps that are none, no more than what steps leave within the solver's tolerance, m or rad. */
double cr_compliance_find_closed(const cr_step* step);

/* Of which rows there may be such: of rigid contacts and limits. */
bool cr_compliance_can_close(const cr_constraint* c);

/* phi at the start of the step, of a row of distance. */
double cr_compliance_find_start(const cr_step* step, const cr_step_problem* out,
                                const cr_constraint* c, int row);

#define CR_EQUALITY_R 1e-9 /* of W_ii, of equalities: see docs/solver.md */

/* R of a rigid point that stands for the share `weight` of an area whose mean mobility is W. */
double cr_compliance_find_area_R(const cr_step* step, double W, double weight);

/* w of the published regularisation, |W|_F / 3 over the rows of a cone's force; 1/kg.
 * @param W [rows²] */
double cr_compliance_find_film(const double* W, int rows);

/* The least R of its normal row at w. */
double cr_compliance_find_film_R(const cr_step* step, double w);

#endif
