/* Simulations in tests: from text or a model, run until a time, with every step done. */
#ifndef CR_TEST_SIMULATION_H
#define CR_TEST_SIMULATION_H

#include "support/check.h"

#include "carom/sim.h"

typedef struct simulation {
  carom_model* model;
  carom_sim* sim;
  const double *q, *v;      /* the state, as it is now */
  carom_step_report report; /* of the last step */
} simulation;

/* A simulation of MJCF text, at its reference configuration or, where it has one, at its first
 * keyframe. Fails the test where that fails.
 * @param def null: the defaults */
simulation simulation_create(const char* text, const carom_sim_def* def);

/* The same of a model, which the simulation then owns. */
simulation simulation_create_from_model(carom_model* model, const carom_sim_def* def);

void simulation_destroy(simulation* s);

/* One step; fails the test unless it is done in one piece. */
void simulation_step(simulation* s);

/* Steps up to a time, which must be a whole number of steps away. */
void simulation_run_until(simulation* s, double time);

/* How many steps there are in a duration, which must hold a whole number of them. */
int simulation_count_steps(const simulation* s, double duration);

/* Sets q or v, or both; a trajectory starts there. */
void simulation_set(simulation* s, const double* q, const double* v);

/* Kinetic, potential and elastic energy together, J. */
double simulation_compute_energy(simulation* s);

/* Where a named part's coordinates or velocities start. */
int simulation_find_q(const simulation* s, const char* joint);
int simulation_find_v(const simulation* s, const char* joint);
int simulation_find_body(const simulation* s, const char* body);

/* Position of the origin of a body's frame, and its quaternion. */
void simulation_compute_pose(simulation* s, int body, double frame[7]);

/* Default options with this scheme and dt. */
carom_sim_def simulation_def(carom_scheme scheme, double dt);

/* The four named schemes, with their orders. */
typedef struct scheme_info {
  carom_scheme scheme;
  int order;
  const char* name;
} scheme_info;

#define NUM_SCHEMES 4
extern const scheme_info SCHEMES[NUM_SCHEMES];

#endif
