/* What frames tell of soft bodies: the nodes of their surfaces, and von Mises' stress there. */
#ifndef LIVE_SOFTS_H
#define LIVE_SOFTS_H

#include "carom/sim.h"

#include <stdbool.h>

typedef struct live_soft {
  int *surface, num_surface; /* [num_surface] nodes of the surface, in order */
  double* volumes;           /* [num_nodes] weights of means */
  double *elements, *nodes;  /* [num_elements], [num_nodes] Pa, of the last call */
} live_soft;

typedef struct live_softs {
  live_soft* items; /* [count] */
  int count;
} live_softs;

/* Lists the soft bodies of a model, and of any other of the same scene; false without memory. */
bool live_softs_create(const carom_model* model, live_softs* softs);

/* Computes the stresses at the nodes of a soft body. */
const double* live_softs_compute_stress(live_softs* softs, int index, const carom_model* model,
                                        const carom_sim* sim);

void live_softs_free(live_softs* softs);

#endif
