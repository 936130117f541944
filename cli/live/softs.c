/* The same nodes in the same order as in a page (src/html/softs.c). */
#include "softs.h"

#include "carom/soft.h"

#include <stdlib.h>

static bool make(const carom_soft_info* info, live_soft* s) {
  size_t nodes = (size_t)info->num_nodes;
  *s = (live_soft){.surface = calloc(nodes, sizeof *s->surface),
                   .volumes = calloc(nodes, sizeof *s->volumes),
                   .elements = calloc((size_t)info->num_elements, sizeof *s->elements),
                   .nodes = calloc(nodes, sizeof *s->nodes)};
  if (!s->surface || !s->volumes || !s->elements || !s->nodes) return false;
  s->num_surface = carom_soft_list_surface(info, s->surface);
  carom_soft_compute_volumes(info, s->volumes);
  return true;
}

bool live_softs_create(const carom_model* model, live_softs* softs) {
  int count = carom_model_get_sizes(model).num_softs;
  *softs = (live_softs){.items = calloc((size_t)count + 1, sizeof *softs->items)};
  bool is_made = softs->items != NULL;
  while (is_made && softs->count < count) {
    carom_soft_info info = carom_model_get_soft(model, softs->count);
    is_made = make(&info, &softs->items[softs->count++]);
  }
  return is_made;
}

const double* live_softs_compute_stress(live_softs* softs, int index, const carom_model* model,
                                        const carom_sim* sim) {
  live_soft* s = &softs->items[index];
  carom_soft_info info = carom_model_get_soft(model, index);
  carom_sim_compute_soft_stress(sim, index, s->elements);
  carom_soft_compute_means(&info, s->volumes, s->elements, s->nodes);
  return s->nodes;
}

void live_softs_free(live_softs* softs) {
  for (int i = 0; i < softs->count; i++) {
    free(softs->items[i].surface);
    free(softs->items[i].volumes);
    free(softs->items[i].elements);
    free(softs->items[i].nodes);
  }
  free(softs->items);
}
