/* Differences of steps of scenes with soft bodies. */
#ifndef CR_TEST_SOFT_DIFFERENCES_H
#define CR_TEST_SOFT_DIFFERENCES_H

#include "support/soft_scene.h"
#include "support/step_differences.h"

/* Solved to round-off, as differences want it. */
carom_sim_def soft_differences_def(carom_scheme scheme, double dt);

/* A box of one cell with edges of 0.1, 0.12 and 0.14 m, half a metre up. */
carom_soft_def soft_differences_block(carom_soft_law law);

/* Compiles the scene, whose builder it destroys. */
step_differences soft_differences_finish(soft_scene* s, const carom_sim_def* def);

/* Moves nodes that nothing holds by `far` (m), and gives them velocities of `speed` beside v, m/s.
 */
void soft_differences_stir(step_differences* d, uint64_t seed, double far, double speed,
                           const double v[3]);

/* Stirs, and compares where differences over h cross no kink, which is the case in some seeds of
 * many. */
void soft_differences_expect(step_differences* d, double far, double speed, const double v[3],
                             double h);

/* Whether something else than the floor touches a soft body. */
bool soft_differences_is_touched(const step_differences* d);

#endif
