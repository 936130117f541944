/* What controller.c and its slopes (controller_slopes.h) have in common. */
#ifndef CR_FORCE_CONTROLLER_LAW_H
#define CR_FORCE_CONTROLLER_LAW_H

#include "force/controller.h"

#include "carom/types.h"

#define CR_LAW_LEAST 1e-15 /* of divisors */

/* Controls that a motor's own controller goes by. */
enum { CR_LAW_CONTROLLER = CAROM_CONTROL_POSITION | CAROM_CONTROL_VELOCITY | CAROM_CONTROL_FORCE };

/* Places among a law's activations; -1: it has none. */
typedef struct cr_law_slots {
  int setpoint, integral, temperature, bristles, current, count;
} cr_law_slots;
cr_law_slots cr_law_find_slots(const double* law, bool stepwise);

/* How much of its way to the steady one the current goes in a time. */
double cr_law_find_way(double time_constant, double h);

#endif
