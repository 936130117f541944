/* Derivatives of a step with respect to parameters against differences of steps of models that were
 * compiled with other values. */
#ifndef CR_TEST_PARAMETER_DIFFERENCES_H
#define CR_TEST_PARAMETER_DIFFERENCES_H

#include "support/step_differences.h"

/* A simulation at the saved state, with the controls of then, of the model with a number of a
 * parameter moved by h. Both are the caller's. */
carom_sim* parameter_differences_vary(const step_differences* d, const carom_parameter* p,
                                      int element, double h, carom_model** model);

/* Fails where derivatives of the step from where the simulation is, forwards and backwards, with
 * respect to all numbers of these parameters differ from differences over `share` of each value. */
void parameter_differences_expect(step_differences* d, const char* const* names, int count,
                                  double share);

/* The same by four schemes from three random states of a scene each. */
void parameter_differences_expect_all(const char* text, const char* const* names, int count,
                                      double share);

#endif
