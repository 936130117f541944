/* Energies and momenta of soft bodies at a state, by their lumped masses. */
#ifndef CR_SIM_SOFT_SUMS_H
#define CR_SIM_SOFT_SUMS_H

#include "sim/sim.h"

/* Mass (kg) and mass times position (kg m) of all nodes; momenta of those that are not held in the
 * world, about its origin (kg m/s, kg m²/s). */
typedef struct cr_soft_sums {
  double mass;
  v3 moment, momentum, angular_momentum;
} cr_soft_sums;

/* Of one soft body, at the coordinates q [num_q] and velocities v [num_v] of a model. */
cr_soft_sums cr_soft_part_sum_state(const carom_model* model, int soft, const double* q,
                                    const double* v);
carom_energy cr_soft_part_sum_energy(const carom_model* model, int soft, const double* q,
                                     const double* v);

/* Of all together. */
cr_soft_sums cr_soft_sum_state(const carom_model* model, const double* q, const double* v);
carom_energy cr_soft_sum_energy(const carom_model* model, const double* q, const double* v);

#endif
