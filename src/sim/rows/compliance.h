/* The laws of a step's rows: stiffness and dissipation, recovery from overlaps, rebounds, the
 * published regularisation, anchors, as R and v_hat. */
#ifndef CR_SIM_COMPLIANCE_H
#define CR_SIM_COMPLIANCE_H

#include "sim/rows/step_problem.h"

/* Sets R and v_hat of all rows that have laws, and the anchors where friction is anchored; reads W,
 * J v0 and J v_lin. False without memory. */
bool cr_compliance_set(cr_step* step, const cr_contact_points* points, cr_step_problem* out);

/* What the tangential rows of a contact that stays head for. They are of the moment at which the
 * step looks, J_q; from there to its end the contact goes on along the surfaces, which changes J by
 *
 *   (J_1 - J_q) v = s (J_q - J_q') v + O(dt²),   s = (1 - theta_q) dt / (theta_q dt + (1 - theta_q)
 * dt')
 *
 * with J_q' and dt' of the step before. The velocity at the end is J_q v - v_hat: to second order
 * it is 0 where the contact sticks.
 * @param v_hat [CR_LAW_MAX_ROWS] receives it, -s (J_q v0 - J_q' v0)
 * @return how many rows there are; 0 where the last step's velocity is not known */
int cr_compliance_find_roll(const cr_step* step, const cr_step_problem* out, int place,
                            const cr_contact_point* point, double* v_hat);

#endif
