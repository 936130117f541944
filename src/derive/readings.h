/* Derivatives of readings: what sensors and energies are at a state (sim/sense), and how they move
 * along a direction, in which state, controls or a parameter move. */
#ifndef CR_DERIVE_READINGS_H
#define CR_DERIVE_READINGS_H

#include "derive/line_tangent.h"
#include "derive/parameters.h"
#include "sim/sense/sensing.h"

/* A state with all that readings are differentiated with. */
typedef struct cr_readings {
  cr_step_tangent t; /* of a step that is placed at the state, for parameters and inputs */
  cr_step step;
  cr_sensing_place place;
  cr_sensing s;
  bool has_acceleration;  /* of the step that led here */
  cr_line_tangent* lines; /* [num_lines] */
  double* readings;       /* [num_readings] */
  double* spring_force;   /* [num_v] of the joints' springs, interface */
} cr_readings;

/* A direction. Links' fields [num_links] are about their trees' origins; how their velocities and
 * accelerations change is what turns with them, twist × V, and `own_V`, `own_A`. */
typedef struct cr_reading_direction {
  const double *dx, *du;        /* [num_x], [num_controls] of the interface */
  const cr_theta_column* theta; /* null: no parameter moves */
  double *q, *v, *a;            /* [num_v] internal; a is given, null: it stays */
  sv *twist, *own_V, *own_A;
} cr_reading_direction;

/* Places one whose t.arena, t.error and step.sim are given. */
carom_status cr_readings_init(cr_readings* r);

/* Room for a direction; false when memory ran out. Fills it from dx and a. */
bool cr_reading_direction_push(const cr_readings* r, cr_reading_direction* d);
void cr_reading_direction_fill(const cr_readings* r, cr_reading_direction* d);

/* Refuses sensors that have no derivative, in a sentence. */
carom_status cr_readings_check(const cr_readings* r, int sensor, const cr_theta_column* thetas,
                               int num_thetas);

/* How a sensor moves [its numbers]. */
void cr_reading_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              double* out);

/* How kinetic and potential energies move. */
double cr_kinetic_differentiate(const cr_readings* r, const cr_reading_direction* d);
double cr_potential_differentiate(const cr_readings* r, const cr_reading_direction* d);

/* How a sensor of a subtree moves. */
void cr_subtree_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              double out[3]);

#endif
