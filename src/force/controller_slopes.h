/* How laws with states of their own (controller.h) move with what they are made of: activations,
 * controls and length at the start of a step, length and rate where they count. */
#ifndef CR_FORCE_CONTROLLER_SLOPES_H
#define CR_FORCE_CONTROLLER_SLOPES_H

#include "force/controller.h"

#define CR_LAW_MAX_ACTIVATIONS 5
#define CR_LAW_MAX_CONTROLS    4

/* What a number moves with. */
enum {
  CR_BY_ACTIVATION,
  CR_BY_CONTROL = CR_BY_ACTIVATION + CR_LAW_MAX_ACTIVATIONS,
  CR_BY_START = CR_BY_CONTROL + CR_LAW_MAX_CONTROLS, /* the length at the start */
  CR_BY_LENGTH,
  CR_BY_RATE,
  CR_NUM_BY,
};

typedef struct cr_moving {
  double x, by[CR_NUM_BY];
} cr_moving;

/* A law's force within its range, and how it falls with length and rate. */
typedef struct cr_law_drive {
  cr_moving force, stiffness, damping;
  double nearest; /* bound, relative to what decides it */
} cr_law_drive;

/* @param state at the start, as cr_controller_compute_inputs has it, as h */
cr_law_drive cr_law_find_drive(const cr_force_model* force, int actuator,
                               const cr_actuator_state* state, double h, const double at[2]);

/* What is added to a controller's bias, its only input that its force moves with. */
cr_moving cr_law_find_input(const cr_force_model* force, int actuator,
                            const cr_actuator_state* state, double h);

/* Its activations after the step, with length and rate as cr_controller_advance has them.
 * @param act [CR_LAW_MAX_ACTIVATIONS]
 * @return how near the nearest bound is */
double cr_law_find_advance(const cr_force_model* force, int actuator,
                           const cr_actuator_state* state, cr_moving* act);

/* Whether an integral counts that goes on with the length at the start. */
bool cr_law_integrates_start(const cr_force_model* force, int actuator);

#endif
