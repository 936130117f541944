/* Von Mises' stress and strain of recorded soft bodies, from their nodes and materials
 * (docs/soft.md), without damping, and how far stress goes. */
#include "record/soft_stress.h"

#include "record/recording.h"

#include "carom/soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_FRAMES = 64 }; /* that the range is taken from */
#define RANGE_PART   0.99   /* of the values that are within it */
#define LEAST_STRAIN 1e-6   /* whose stress is within it in any case */

/* --- Bodies -------------------------------------------------------------------------------------
 */

static carom_status reserve(cr_stress_body* b, const carom_soft_info* soft, cr_arena* arena,
                            carom_error* error) {
  size_t nodes = (size_t)soft->num_nodes;
  size_t ids = (size_t)soft->nodes_per_element * (size_t)soft->num_elements;
  b->mesh = (cr_soft_mesh){.num_nodes = soft->num_nodes,
                           .num_elements = soft->num_elements,
                           .nodes_per_element = soft->nodes_per_element,
                           .node = cr_arena_push(arena, sizeof(double) * 3 * nodes),
                           .element = CR_PUSH(arena, int, ids)};
  b->volumes = CR_PUSH(arena, double, nodes);
  b->elements = CR_PUSH(arena, double, soft->num_elements);
  if (arena->failed) return cr_error_memory(error);
  memcpy(b->mesh.node, soft->nodes, sizeof(double) * 3 * nodes);
  memcpy(b->mesh.element, soft->elements, sizeof(int) * ids);
  return CAROM_OK;
}

static carom_status build(carom_recording* r, const carom_soft_info* soft, carom_error* error) {
  cr_stress_table* t = &r->stresses;
  cr_stress_body* b = &t->bodies[t->num_bodies];
  cr_soft_material material;
  CR_TRY(reserve(b, soft, &t->arena, error));
  b->mesh.allocator = r->allocator;
  CR_TRY(cr_soft_material_init(&material, (cr_soft_law)soft->law, soft->young, soft->poisson,
                               soft->density, error));
  CR_TRY(cr_soft_mesh_check(&b->mesh, NULL, error));
  CR_TRY(cr_soft_body_create(&b->body, &b->mesh, &material, &r->allocator, error));
  carom_soft_compute_volumes(soft, b->volumes);
  t->num_bodies++;
  return CAROM_OK;
}

static carom_status build_all(carom_recording* r, carom_error* error) {
  cr_stress_table* t = &r->stresses;
  cr_arena_init(&t->arena, &r->allocator);
  t->bodies = CR_PUSH(&t->arena, cr_stress_body, r->info.num_softs);
  carom_status status = t->bodies ? CAROM_OK : cr_error_memory(error);
  for (int i = 0; i < r->info.num_softs && status == CAROM_OK; i++)
    status = build(r, &r->softs[i], error);
  if (status != CAROM_OK) cr_stress_table_free(t);
  return status;
}

void cr_stress_table_free(cr_stress_table* t) {
  if (!t->bodies) return;
  while (t->num_bodies > 0) cr_soft_body_destroy(&t->bodies[--t->num_bodies].body);
  cr_arena_destroy(&t->arena);
  t->bodies = NULL;
}

/* --- Stress and strain --------------------------------------------------------------------------
 */

/* A figure of an element at positions x. */
typedef double measure(const cr_soft_body* body, const double (*x)[3], int element);

static carom_status compute(carom_recording* r, int index, const double* q, measure* of,
                            double* elements, double* nodes, carom_error* error) {
  if (!r || !q || index < 0 || index >= r->info.num_softs)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "recording: an argument is null, or there is no soft body %d", index);
  if (!r->stresses.bodies) CR_TRY(build_all(r, error));
  const carom_soft_info* soft = &r->softs[index];
  const cr_stress_body* b = &r->stresses.bodies[index];
  double* values = elements ? elements : b->elements;
  for (int e = 0; e < soft->num_elements; e++)
    values[e] = of(&b->body, (const double(*)[3])(q + soft->q_address), e);
  if (nodes) carom_soft_compute_means(soft, b->volumes, values, nodes);
  return cr_error_clear(error);
}

carom_status carom_recording_compute_soft_stress(carom_recording* recording, int soft,
                                                 const double* q, double* elements, double* nodes,
                                                 carom_error* error) {
  return compute(recording, soft, q, cr_soft_body_compute_von_mises, elements, nodes, error);
}

carom_status carom_recording_compute_soft_strain(carom_recording* recording, int soft,
                                                 const double* q, double* elements, double* nodes,
                                                 carom_error* error) {
  return compute(recording, soft, q, cr_soft_body_compute_strain, elements, nodes, error);
}

/* --- Range --------------------------------------------------------------------------------------
 */

/* Stresses at the nodes of the surface, of all bodies and some frames. */
typedef struct sample {
  double *values, *nodes; /* [capacity]; [most nodes of a body] */
  int* surface;           /* likewise */
  size_t count;
} sample;

static carom_status add_frame(carom_recording* r, int index, sample* s, carom_error* error) {
  carom_frame frame;
  CR_TRY(carom_recording_read(r, index, &frame, error));
  for (int i = 0; i < r->info.num_softs; i++) {
    CR_TRY(carom_recording_compute_soft_stress(r, i, frame.q, NULL, s->nodes, error));
    int num_surface = carom_soft_list_surface(&r->softs[i], s->surface);
    for (int n = 0; n < num_surface; n++)
      if (isfinite(s->nodes[s->surface[n]])) s->values[s->count++] = s->nodes[s->surface[n]];
  }
  return CAROM_OK;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The round number at or above a value that is positive. */
static double round_up(double value) {
  static const double FACTORS[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
  double power = pow(10, floor(log10(value)));
  int i = 0;
  while (i < 9 && FACTORS[i] * power < value * (1 - 1e-12)) i++;
  return FACTORS[i] * power;
}

static carom_status gather(carom_recording* r, int frames, sample* s, carom_error* error) {
  int last = r->info.num_frames - 1;
  for (int i = 0; i < frames; i++) {
    int index = frames > 1 ? (int)((int64_t)last * i / (frames - 1)) : last;
    carom_status status = add_frame(r, index, s, error);
    if (status == CAROM_ERROR_BAD_INPUT && i > 0 && r->stresses.bodies) break;
    CR_TRY(status);
  }
  return CAROM_OK;
}

carom_status carom_recording_compute_stress_range(carom_recording* r, double* most,
                                                  carom_error* error) {
  if (!r || !most)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "recording: an argument is null");
  *most = 0;
  int frames = r->info.num_frames < RANGE_FRAMES ? r->info.num_frames : RANGE_FRAMES;
  size_t total = 0, largest = 0;
  double least = INFINITY;
  for (int i = 0; i < r->info.num_softs; i++) {
    size_t nodes = (size_t)r->softs[i].num_nodes;
    total += nodes;
    largest = nodes > largest ? nodes : largest;
    least = fmin(least, LEAST_STRAIN * r->softs[i].young);
  }
  if (total == 0 || frames == 0) return cr_error_clear(error);
  cr_arena arena;
  cr_arena_init(&arena, &r->allocator);
  sample s = {.values = CR_PUSH(&arena, double, total*(size_t)frames),
              .nodes = CR_PUSH(&arena, double, largest),
              .surface = CR_PUSH(&arena, int, largest)};
  carom_status status = arena.failed ? cr_error_memory(error) : gather(r, frames, &s, error);
  if (status == CAROM_OK && s.count > 0) {
    qsort(s.values, s.count, sizeof *s.values, compare);
    *most = round_up(fmax(s.values[(size_t)(RANGE_PART * (double)(s.count - 1))], least));
  }
  cr_arena_destroy(&arena);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}
