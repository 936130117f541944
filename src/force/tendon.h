/* Fixed tendons, and what actuators drive: a joint or a tendon. */
#ifndef CR_FORCE_TENDON_H
#define CR_FORCE_TENDON_H

#include "force/force.h"

/* Weighted sum over a tendon's coordinates or dofs: its length at q, its rate at v. */
double cr_tendon_compute_length(const cr_tendon_model* tendons, int tendon, const double* q);
double cr_tendon_compute_rate(const cr_tendon_model* tendons, int tendon, const double* v);

/* tau += the tendon's pull along each of its dofs. */
void cr_tendon_add_force(const cr_tendon_model* tendons, int tendon, double force, double* tau);

/* How far a length is beyond where the spring is slack: negative below, positive above. */
double cr_tendon_compute_stretch(const cr_tendon_model* tendons, int tendon, double length);

/* Force of spring and damper on the tendon: negative pulls it shorter. */
double cr_tendon_compute_force(const cr_tendon_model* tendons, int tendon, double length,
                               double rate);

/* Elastic energy at a length. */
double cr_tendon_compute_energy(const cr_tendon_model* tendons, int tendon, double length);

/* Springs and dampers of all tendons at (q, v), and the energy of the springs. */
void cr_tendon_add_passive(const cr_tendon_model* tendons, const double* q, const double* v,
                           double* tau);
double cr_tendon_sum_energy(const cr_tendon_model* tendons, const double* q);

/* Coordinate and rate of what an actuator drives, before its gear; and its force there. */
double cr_force_find_driven(const cr_force_model* force, int actuator, const double* q);
double cr_force_find_driven_rate(const cr_force_model* force, int actuator, const double* v);
void cr_force_add_driven(const cr_force_model* force, int actuator, double value, double* tau);

#endif
