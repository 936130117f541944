/* Many worlds of one model: each has its state in a buffer (sim/state.h) beside the arrays that
 * users see. Worlds are dealt out in shares, as long as each other; a share has a simulation that
 * takes up the state of one world after the other, so that its memory stays warm, and what the
 * worlds compute depends on none of this. A world with a model of its own has a simulation of its
 * own, which the share lends what it works in. */
#ifndef CR_BATCH_BATCH_H
#define CR_BATCH_BATCH_H

#include "base/locked.h"
#include "base/tasks.h"
#include "sim/state.h"

#include "carom/batch.h"

/* A state that worlds are reset to: the reference configuration, or a keyframe. */
typedef struct cr_world_start {
  void* state;
  size_t size;
  double* readings; /* [num_readings] */
} cr_world_start;

/* A world between calls. */
typedef struct cr_world {
  void* state; /* as cr_sim_put_away left it */
  size_t capacity;
  carom_contact* contacts;
  int num_contacts, capacity_contacts;
  carom_sim* own;       /* of a model of its own, without what it works in; null: the batch's */
  cr_world_start start; /* of that model, at the reference configuration */
} cr_world;

/* Worlds that are stepped one after the other. */
typedef struct cr_world_share {
  carom_sim* sim;
  int first, end; /* worlds */
  carom_status status;
  carom_error error;
} cr_world_share;

struct carom_batch {
  carom_allocator allocator;
  const carom_model* model;
  cr_locked locked; /* the allocator of several threads */
  carom_allocator shared;
  cr_threads* pool; /* null: the host's, or none */
  carom_tasks tasks;
  int num_worlds, num_shares, num_starts;
  double *time, *q, *v, *ctrl, *act, *readings; /* of all worlds */
  carom_step_report* reports;                   /* [num_worlds] */
  cr_world* worlds;                             /* [num_worlds] */
  cr_world_start* starts;                       /* [1 + num_keyframes] */
  cr_world_share* shares;                       /* [num_shares] */
};

/* Row `world` of an array of rows. */
static inline double* cr_row(double* rows, int world, int size) {
  return rows + (size_t)world * (size_t)size;
}

static inline const carom_model* cr_world_model(const carom_batch* batch, int world) {
  const carom_sim* own = batch->worlds[world].own;
  return own ? own->model : batch->model;
}

/* The simulation that a world is stepped by: `warm`, or one of the world's own model that works in
 * what `warm` works in until cr_world_close. */
carom_sim* cr_world_open(const carom_batch* batch, int world, carom_sim* warm);
void cr_world_close(const carom_batch* batch, int world, carom_sim* warm);

/* Frees what a world has of a model of its own. */
void cr_world_release_own(const carom_batch* batch, cr_world* world);

/* Keeps a simulation's state, and its readings, as one that worlds start from; on failure what is
 * there is to be freed, too. */
carom_status cr_world_start_init(const carom_batch* batch, carom_sim* sim, cr_world_start* start,
                                 carom_error* error);
void cr_world_start_release(const carom_batch* batch, cr_world_start* start);

/* Brings a simulation to the state of a world, with what users have written into its rows. */
carom_status cr_world_enter(const carom_batch* batch, int world, carom_sim* sim,
                            carom_error* error);

/* Keeps the state and the contacts of a simulation as a world's.
 * @return CAROM_ERROR_OUT_OF_MEMORY: the world is then as before */
carom_status cr_world_keep(carom_batch* batch, int world, const carom_sim* sim, carom_error* error);

/* Writes a row. */
void cr_world_copy_row(double* rows, int world, int size, const double* values);

#endif
