/* Places are stored to a 4096th of the body's size, stresses to a 256th of the range of colours. */
#include "html/softs.h"

#include "carom/soft.h"

#include <math.h>
#include <string.h>

#define PLACE_PART  0x1p-12
#define STRESS_PART 0x1p-8

/* The largest power of two that is no larger. */
static double round_to_power(double value) { return value > 0 ? exp2(floor(log2(value))) : 1; }

/* The longest side of the box about a body at rest, m. */
static double find_size(const carom_soft_info* soft) {
  double size = 0;
  for (size_t k = 0; k < 3; k++) {
    double least = INFINITY, most = -INFINITY;
    for (size_t n = 0; n < (size_t)soft->num_nodes; n++) {
      least = fmin(least, soft->nodes[3 * n + k]);
      most = fmax(most, soft->nodes[3 * n + k]);
    }
    size = fmax(size, most - least);
  }
  return size;
}

/* From nodes of the body to their places in the list of those of the surface, which ascends. */
static void renumber(cr_html_soft* s, int* places) {
  for (int i = 0; i < s->num_surface; i++) places[s->surface[i]] = i;
  for (int i = 0; i < s->num_vertices; i++) s->vertices[i] = places[s->vertices[i]];
}

static carom_status list_soft(cr_html_soft* s, cr_arena* arena, carom_error* error) {
  size_t corners = 3 * (size_t)s->info.num_triangles;
  int* work = CR_PUSH(arena, int, s->info.num_nodes);
  s->surface = CR_PUSH(arena, int, s->info.num_nodes);
  s->corners = CR_PUSH(arena, int, corners);
  s->vertices = CR_PUSH(arena, int, corners);
  s->stress = CR_PUSH(arena, double, s->info.num_nodes);
  if (arena->failed) return cr_error_memory(error);
  s->num_surface = carom_soft_list_surface(&s->info, s->surface);
  s->num_vertices = carom_soft_list_vertices(&s->info, s->corners, s->vertices, work);
  renumber(s, work);
  s->step = round_to_power(find_size(&s->info) * PLACE_PART);
  return CAROM_OK;
}

carom_status cr_html_softs_init(cr_html_softs* softs, carom_recording* recording, cr_arena* arena,
                                carom_error* error) {
  int count = carom_recording_get_info(recording).num_softs;
  *softs = (cr_html_softs){.count = count, .items = CR_PUSH(arena, cr_html_soft, count)};
  if (arena->failed) return cr_error_memory(error);
  for (int i = 0; i < count; i++) {
    softs->items[i] = (cr_html_soft){.info = carom_recording_get_soft(recording, i)};
    CR_TRY(list_soft(&softs->items[i], arena, error));
  }
  CR_TRY(carom_recording_compute_stress_range(recording, &softs->most_stress, error));
  softs->stress_step = round_to_power(softs->most_stress * STRESS_PART);
  return CAROM_OK;
}
