/* Soft bodies as they are drawn: their surfaces, placed anew for every picture, smooth, in their
 * own colour or in those of von Mises' stress. */
#ifndef RENDER_SOFTS_H
#define RENDER_SOFTS_H

#include "solids.h"
#include "track.h"
#include "vector.h"

/* The order is that of the attributes in solid.vert. */
typedef struct render_soft_vertex {
  float core[3], normal[3]; /* m, from the middle of the box; unit */
  float colour[4];          /* linear; opacity */
} render_soft_vertex;

typedef struct render_soft {
  int index; /* in the recording */
  carom_soft_info info;
  float colour[4]; /* its own, linear; opacity */
  int num_vertices;
  int *corners, *nodes;         /* [3 num_triangles] vertices; their nodes */
  double *x, *normals;          /* [3 num_nodes] m; [3 num_vertices], at the time */
  double *stress, *next_stress; /* [num_nodes] Pa, at the time and in the frame after */
  render_soft_vertex* vertices; /* [num_vertices] */
  render_box box;               /* m, about the surface */
  bool is_there;                /* all of it is finite */
} render_soft;

/* How soft bodies are coloured. */
typedef struct render_soft_look {
  bool by_stress;
  double least, most; /* Pa, the range of colours; NaN: chosen by the recording */
} render_soft_look;

typedef struct render_softs {
  render_soft* items; /* [count] those that are shown */
  int count;
  render_soft_look look;
} render_softs;

/* Lists what is shown: all but what is fully transparent or in groups of 3 and more.
 * @param all_groups the latter too */
carom_status render_softs_create(carom_recording* recording, bool all_groups,
                                 const render_soft_look* look, render_softs* softs,
                                 carom_error* error);

void render_softs_free(render_softs* softs);

/* Places the surfaces where they are at the track's time: positions, normals, colours, boxes. */
carom_status render_softs_place(render_softs* softs, const render_track* track, carom_error* error);

/* Adds the surfaces as they were placed.
 * @param first_shape of the first of them */
void render_softs_add(const render_softs* softs, int first_shape, render_solids* solids);

/* The box about the surface of a soft body at the track's time; false where it is not finite. */
bool render_soft_find_box(const render_soft* soft, const render_track* track, render_box* box);

#endif
