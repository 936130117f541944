/* Soft bodies of a page: their surfaces, whose nodes' places and stresses go into the frames. */
#ifndef CR_HTML_SOFTS_H
#define CR_HTML_SOFTS_H

#include "base/arena.h"
#include "base/error.h"

#include "carom/record.h"

typedef struct cr_html_soft {
  carom_soft_info info;
  int num_surface, num_vertices;
  int* surface;   /* [num_surface] nodes of the surface */
  int* corners;   /* [3 num_triangles] vertices */
  int* vertices;  /* [num_vertices] their places in `surface` */
  double step;    /* m, of places */
  double* stress; /* [num_nodes] Pa, room for a frame */
} cr_html_soft;

typedef struct cr_html_softs {
  cr_html_soft* items; /* [count] */
  int count;
  double most_stress, stress_step; /* Pa, the range of colours; of stresses */
} cr_html_softs;

/* Lists the soft bodies of a recording, and measures their stress.
 * @param arena holds the arrays */
carom_status cr_html_softs_init(cr_html_softs* softs, carom_recording* recording, cr_arena* arena,
                                carom_error* error);

#endif
