/* Springs and dampers of tendons, of lengths and rates along their lines. */
#ifndef CR_FORCE_TENDON_H
#define CR_FORCE_TENDON_H

#include "force/force.h"

/* How far a length is beyond where the spring is slack: negative below, positive above. */
double cr_tendon_compute_stretch(const cr_tendon_model* tendons, int tendon, double length);

/* Force of spring and damper on the tendon: negative pulls it shorter. */
double cr_tendon_compute_force(const cr_tendon_model* tendons, int tendon, double length,
                               double rate);

/* The damper's force over the rate. */
double cr_tendon_compute_damping(const cr_tendon_model* tendons, int tendon, double rate);

/* How that force falls with length and rate, where it does.
 * @param slope receives stiffness and damping, not negative */
void cr_tendon_compute_slopes(const cr_tendon_model* tendons, int tendon, double length,
                              double rate, double slope[2]);

/* Has it neither spring nor damper? */
bool cr_tendon_is_slack(const cr_tendon_model* tendons, int tendon);

/* Elastic energy at a length. */
double cr_tendon_compute_energy(const cr_tendon_model* tendons, int tendon, double length);

/* tau += springs and dampers of all tendons at the internal velocities v. */
void cr_tendon_add_passive(const cr_force_model* force, const cr_lines* lines, const double* v,
                           double* tau);

/* Kinetic energy of the tendons' inertias at the internal velocities v. */
double cr_tendon_sum_kinetic(const cr_force_model* force, const cr_lines* lines, const double* v);

/* Energy of the springs. */
double cr_tendon_sum_energy(const cr_tendon_model* tendons, const cr_lines* lines);

#endif
