/* Of all impulses that do the same, the least.
 *
 * Where rigid constraints are redundant their impulses gamma are some of many: all of one law at
 * the same velocities with the same Jᵀ gamma serve. The least of them in the norm
 *
 *     min  sum over constraints of D_i |gamma_i|²   with   Jᵀ gamma as it is,  gamma_i in F_i
 *
 * is one, whatever the order of bodies, the solver's way and the last step's impulses, and
 * symmetric where the problem is. F_i is what the law leaves at the velocities: the cone where a
 * contact sticks, the ray against the slip where it slides, zero where it parts. A contact point
 * has D = 1 over its share of its patch, as compliant contacts of one stiffness have: the least
 * impulses are their rigid limit. Compliant rows keep what they have. */
#ifndef CR_SIM_LEAST_NORM_H
#define CR_SIM_LEAST_NORM_H

#include "sim/rows/step_problem.h"

/* Puts the least impulses in the place of those found, where they are found to round-off.
 * @param v_c J v [num_rows] at the solution
 * @param report receives `undetermined` and `moved` */
cr_result cr_least_norm_take(cr_step* step, cr_step_problem* p, const double* v_c,
                             carom_step_report* report);

#endif
