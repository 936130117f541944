/* Between two frames nodes go straight and stresses change evenly. Stress of mixed positions would
 * be wrong: of a body that turns they are a little too near to each other. */
#include "softs.h"

#include "common/error.h"

#include "carom/soft.h"

#include <stdlib.h>

/* --- Making -------------------------------------------------------------------------------------
 */

static bool make(const carom_soft_info* info, int index, render_soft* s) {
  size_t nodes = (size_t)info->num_nodes, corners = 3 * (size_t)info->num_triangles + 1;
  int* work = calloc(nodes, sizeof *work);
  *s = (render_soft){.index = index,
                     .info = *info,
                     .corners = calloc(corners, sizeof *s->corners),
                     .nodes = calloc(corners, sizeof *s->nodes),
                     .x = calloc(3 * nodes, sizeof *s->x),
                     .stress = calloc(nodes, sizeof *s->stress),
                     .next_stress = calloc(nodes, sizeof *s->next_stress)};
  if (work && s->corners && s->nodes)
    s->num_vertices = carom_soft_list_vertices(info, s->corners, s->nodes, work);
  free(work);
  s->normals = calloc(3 * (size_t)s->num_vertices + 1, sizeof *s->normals);
  s->vertices = calloc((size_t)s->num_vertices + 1, sizeof *s->vertices);
  render_linear(info->rgba, s->colour);
  s->colour[3] = info->rgba[3];
  return s->corners && s->nodes && s->x && s->stress && s->next_stress && s->normals && s->vertices;
}

/* What was not given of the range of colours. */
static carom_status choose_range(carom_recording* recording, render_soft_look* look,
                                 carom_error* error) {
  if (!look->by_stress || !isnan(look->most)) return CAROM_OK;
  look->least = 0;
  carom_status status = carom_recording_compute_stress_range(recording, &look->most, error);
  return status;
}

carom_status render_softs_create(carom_recording* recording, bool all_groups,
                                 const render_soft_look* look, render_softs* s,
                                 carom_error* error) {
  int count = carom_recording_get_info(recording).num_softs;
  *s = (render_softs){.look = *look, .items = calloc((size_t)count + 1, sizeof *s->items)};
  bool is_made = s->items != NULL;
  for (int i = 0; i < count && is_made; i++) {
    carom_soft_info info = carom_recording_get_soft(recording, i);
    if (info.rgba[3] > 0 && (info.group < 3 || all_groups))
      is_made = make(&info, i, &s->items[s->count++]);
  }
  if (!is_made) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  return s->count ? choose_range(recording, &s->look, error) : CAROM_OK;
}

void render_softs_free(render_softs* s) {
  for (int i = 0; i < s->count; i++) {
    free(s->items[i].corners);
    free(s->items[i].nodes);
    free(s->items[i].x);
    free(s->items[i].normals);
    free(s->items[i].stress);
    free(s->items[i].next_stress);
    free(s->items[i].vertices);
  }
  free(s->items);
}

/* --- Placing ------------------------------------------------------------------------------------
 */

static double mix(double from, double to, double fraction) { return from + fraction * (to - from); }

/* Where a node is at the track's time. */
static void find_node(const render_soft* s, const render_track* t, int node, double x[3]) {
  size_t at = (size_t)s->info.q_address + 3 * (size_t)node;
  for (size_t k = 0; k < 3; k++) x[k] = mix(t->q[0][at + k], t->q[1][at + k], t->fraction);
}

bool render_soft_find_box(const render_soft* s, const render_track* t, render_box* box) {
  *box = (render_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < s->num_vertices; i++) {
    double x[3];
    find_node(s, t, s->nodes[i], x);
    if (!isfinite(x[0] + x[1] + x[2])) return false;
    for (int k = 0; k < 3; k++) {
      box->low[k] = fmin(box->low[k], x[k]);
      box->high[k] = fmax(box->high[k], x[k]);
    }
  }
  return s->num_vertices > 0;
}

static carom_status find_stress(render_soft* s, const render_track* t, carom_error* error) {
  carom_status status =
      carom_recording_compute_soft_stress(t->recording, s->index, t->q[0], NULL, s->stress, error);
  if (status != CAROM_OK || t->fraction == 0) return status;
  status = carom_recording_compute_soft_stress(t->recording, s->index, t->q[1], NULL,
                                               s->next_stress, error);
  for (int n = 0; n < s->info.num_nodes; n++)
    s->stress[n] = mix(s->stress[n], s->next_stress[n], t->fraction);
  return status;
}

static void find_colour(const render_soft* s, const render_soft_look* look, int node,
                        float colour[4]) {
  memcpy(colour, s->colour, sizeof s->colour);
  if (!look->by_stress) return;
  float rgb[3];
  carom_soft_get_colour((s->stress[node] - look->least) / (look->most - look->least), rgb);
  render_linear(rgb, colour);
}

static void fill(render_soft* s, const render_soft_look* look, const double middle[3]) {
  carom_soft_compute_normals(&s->info, s->corners, s->num_vertices, s->x, s->normals);
  for (int i = 0; i < s->num_vertices; i++) {
    size_t node = (size_t)s->nodes[i];
    render_soft_vertex* vertex = &s->vertices[i];
    for (size_t k = 0; k < 3; k++) {
      vertex->core[k] = (float)(s->x[3 * node + k] - middle[k]);
      vertex->normal[k] = (float)s->normals[3 * (size_t)i + k];
    }
    find_colour(s, look, (int)node, vertex->colour);
  }
}

static void find_middle(const render_box* box, double middle[3]) {
  for (int k = 0; k < 3; k++) middle[k] = 0.5 * (box->low[k] + box->high[k]);
}

carom_status render_softs_place(render_softs* softs, const render_track* t, carom_error* error) {
  for (render_soft* s = softs->items; s < softs->items + softs->count; s++) {
    double middle[3];
    s->is_there = render_soft_find_box(s, t, &s->box);
    if (!s->is_there) continue;
    for (int n = 0; n < s->info.num_nodes; n++) find_node(s, t, n, s->x + 3 * (size_t)n);
    carom_status status = softs->look.by_stress ? find_stress(s, t, error) : CAROM_OK;
    if (status != CAROM_OK) return status;
    find_middle(&s->box, middle);
    fill(s, &softs->look, middle);
  }
  return CAROM_OK;
}

void render_softs_add(const render_softs* softs, int first_shape, render_solids* solids) {
  static const double UNSCALED[3] = {1, 1, 1};
  for (int i = 0; i < softs->count; i++) {
    const render_soft* s = &softs->items[i];
    double pose[7] = {[3] = 1};
    find_middle(&s->box, pose);
    if (s->is_there)
      render_solids_add(solids, first_shape + i, pose, UNSCALED, 0, s->colour, RENDER_PLAIN,
                        1000003 + s->index);
  }
}
