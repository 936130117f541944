/* A simulated scene in tests: a model and one simulation of it. */
#ifndef CR_TEST_WORLD_H
#define CR_TEST_WORLD_H

#include "support/check.h"

#include "carom/dynamics.h"
#include "carom/sim.h"

typedef struct world {
  carom_model* model;
  carom_sim* sim;
  carom_model_sizes sizes;
} world;

/* A floor with a box, a ball and a capsule above it, an arm with a limited servo, a plain one and a
 * limit, whose end is tied to a free body; a coupled pair of slides, dry friction, a ball joint
 * with a limit, a compliant contact: every kind of constraint. Two controls. */
extern const char WORLD_MACHINE[];

/* Text of a pile that is about to fall into a bin: `count` boxes, balls, capsules and cylinders
 * with friction, in columns of four. Free it. */
char* world_write_pile(int count);

/* Loads MJCF text and makes a simulation; fails the test where that fails.
 * @param def null: the defaults */
world world_create(const char* text, const carom_sim_def* def);

/* The same with a model, which the world destroys. */
world world_create_from(carom_model* model, const carom_sim_def* def);
void world_destroy(world* w);

/* The default options with a step and a scheme. */
carom_sim_def world_def(double dt, carom_scheme scheme);

/* One step; fails the test unless it is done, in as many parts as it takes. */
carom_step_report world_step(world* w);
void world_run(world* w, int steps);

/* Sets time zero and coordinates and velocities (null: as they are); a trajectory starts there. */
void world_set(world* w, const double* q, const double* v);

const double* world_q(const world* w);
const double* world_v(const world* w);

/* Kinetic, potential and elastic energy together. */
double world_energy(world* w);

/* A saved state; destroy with free(). */
typedef struct world_state {
  size_t size;
  void* bytes;
} world_state;

world_state world_save(const world* w);
void world_restore(world* w, const world_state* state);

/* Fails unless both states have the same bits. */
#define world_expect_same(a, b) world_expect_same_at((a), (b), __FILE__, __LINE__)
void world_expect_same_at(const world_state* a, const world_state* b, const char* file, int line);

/* Fails unless the states of two worlds have the same bits. */
#define world_expect_twins(a, b) world_expect_twins_at((a), (b), __FILE__, __LINE__)
void world_expect_twins_at(const world* a, const world* b, const char* file, int line);

#endif
