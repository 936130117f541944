/* What the rows of the model's constraints are made of: lengths, forces, links. */
#ifndef CR_SIM_ROW_VALUES_H
#define CR_SIM_ROW_VALUES_H

#include "sim/rows/row.h"

/* A force along a row that falls with the row's velocity: f = f0 - kappa l'. Length and rate that
 * it counts at grow from `start` with l'. */
typedef struct cr_row_law {
  double f0, kappa;
  double start[2], growth[2];
} cr_row_law;

/* The law of an actuator with feedback (CR_ROW_ACTUATOR). */
cr_row_law cr_row_find_law(const cr_step* step, const cr_model_row* row);

/* Coordinate `k` of an equality of joints or tendons at q_mid, from its reference; 0 where there is
 * none. */
double cr_row_coupled_coordinate(const cr_step* step, int index, int k);

/* From the point on link 1 of a distance's ends to that on link 2, of unit length. */
v3 cr_equality_direction(const cr_equality_model* equality, int index, const pose* link);

/* What a limit's impulse is known by from step to step. */
cr_contact_key cr_row_limit_key(const cr_model_row* row);

/* Link k of those that the row's Jacobian touches, 0: the ground; -1: there are no more. */
int cr_model_row_get_link(const carom_model* model, const cr_model_row* row, int k);

#endif
