/* Derivatives of all sensors and both energies against differences: at a state, or after a step;
 * with respect to parameters, of models that were compiled with them. */
#ifndef CR_TEST_READING_DIFFERENCES_H
#define CR_TEST_READING_DIFFERENCES_H

#include "support/parameter_differences.h"

#include "carom/parameter.h"
#include "carom/sensor.h"

/* All sensors and both energies of a simulation, with their derivatives. */
typedef struct reading_differences {
  step_differences d;
  carom_reading_derivatives out;
  int* of; /* its sensors and energies */
  int rows, num_x, num_u, num_theta;
  carom_parameter parameters[32];
  double h, share;  /* of differences over state and controls, and of parameters, of their values */
  double tolerance; /* relative to a column's largest */
} reading_differences;

/* Of a scene in a random state (of the simulation's own without a seed), with these parameters. */
reading_differences reading_differences_create(const char* text, const carom_sim_def* def,
                                               int seed);

/* Chooses parameters, and whether readings are those after a step, from where the simulation is. */
void reading_differences_ask(reading_differences* w, bool after, const char* const* names,
                             int count);
void reading_differences_destroy(reading_differences* w);

/* Differentiates, and fails where they differ from differences over state and controls, and over
 * parameters. */
void reading_differences_expect(reading_differences* w, const char* const* names);

#endif
