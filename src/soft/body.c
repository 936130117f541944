/* Preparation of a body: gradients at the quadrature points, masses, the pattern of its matrices.
 */
#include "soft/body.h"

#include "soft/element.h"

#include <string.h>

static const int* nodes_of(const cr_soft_body* body, int element) {
  return body->mesh.element + (size_t)element * (size_t)body->mesh.nodes_per_element;
}

static bool prepare_gradients(cr_soft_body* body) {
  int nodes = body->mesh.nodes_per_element, count = body->mesh.num_elements * body->num_points;
  double* weight = CR_PUSH(&body->arena, double, count);
  double* gradient = CR_PUSH(&body->arena, double, (size_t)count*(size_t)(3 * nodes));
  if (body->arena.failed) return false;
  const cr_soft_point* points = body->num_points == 1 ? cr_soft_points_1 : cr_soft_points_4;
  for (int k = 0; k < count; k++) {
    const cr_soft_point* point = &points[k % body->num_points];
    double(*at)[3] = (double(*)[3])(gradient + (size_t)k * (size_t)(3 * nodes));
    double det = cr_soft_element_gradients(&body->mesh, k / body->num_points, point->at, at);
    weight[k] = point->weight * det / 6;
  }
  body->weight = weight;
  body->gradient = gradient;
  return true;
}

/* The element's integrals of density N_a and density N_a². */
static void integrate_shapes(const cr_soft_body* body, int element, double* first, double* second) {
  int nodes = body->mesh.nodes_per_element;
  memset(first, 0, sizeof *first * (size_t)nodes);
  memset(second, 0, sizeof *second * (size_t)nodes);
  for (int p = 0; p < CR_SOFT_MASS_POINTS; p++) {
    const cr_soft_point* point = &cr_soft_points_14[p];
    double N[CR_SOFT_QUADRATIC_NODES];
    cr_soft_shape(nodes, point->at, N);
    double det = cr_soft_element_jacobian(&body->mesh, element, point->at);
    double mass = body->material.density * point->weight * det / 6;
    for (int a = 0; a < nodes; a++) {
      first[a] += mass * N[a];
      second[a] += mass * N[a] * N[a];
    }
  }
}

/* Lumped masses share an element's mass in proportion to the diagonal of its consistent matrix, so
 * that none is negative (Hinton, Rock, Zienkiewicz 1976). */
static bool prepare_masses(cr_soft_body* body) {
  int nodes = body->mesh.nodes_per_element;
  double* mass = CR_PUSH(&body->arena, double, body->mesh.num_nodes);
  double* load = CR_PUSH(&body->arena, double, body->mesh.num_nodes);
  if (body->arena.failed) return false;
  memset(mass, 0, sizeof *mass * (size_t)body->mesh.num_nodes);
  memset(load, 0, sizeof *load * (size_t)body->mesh.num_nodes);
  for (int e = 0; e < body->mesh.num_elements; e++) {
    double first[CR_SOFT_QUADRATIC_NODES], second[CR_SOFT_QUADRATIC_NODES], all = 0, diagonal = 0;
    integrate_shapes(body, e, first, second);
    for (int a = 0; a < nodes; a++) all += first[a], diagonal += second[a];
    const int* node = nodes_of(body, e);
    for (int a = 0; a < nodes; a++) {
      load[node[a]] += first[a];
      mass[node[a]] += all * second[a] / diagonal;
    }
  }
  body->mass = mass;
  body->load = load;
  return true;
}

static bool build_pattern(cr_soft_body* body) {
  int nodes = body->mesh.nodes_per_element, num_couplings = 0;
  cr_scratch_mark mark = cr_arena_mark_scratch(&body->arena);
  int* size = CR_SCRATCH(&body->arena, int, body->mesh.num_nodes);
  int(*coupling)[2] = (int(*)[2])cr_arena_push_scratch(
      &body->arena, sizeof(int[2]) * (size_t)body->mesh.num_elements * (size_t)body->num_pairs);
  if (body->arena.failed) return false;
  for (int n = 0; n < body->mesh.num_nodes; n++) size[n] = 3;
  for (int e = 0; e < body->mesh.num_elements; e++)
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < a; b++, num_couplings++) {
        coupling[num_couplings][0] = nodes_of(body, e)[a];
        coupling[num_couplings][1] = nodes_of(body, e)[b];
      }
  bool ok = cr_bsm_pattern_build(&body->arena, body->mesh.num_nodes, size, num_couplings,
                                 (const int(*)[2])coupling, &body->pattern);
  cr_arena_pop_scratch(&body->arena, mark);
  return ok;
}

static bool prepare_slots(cr_soft_body* body) {
  int nodes = body->mesh.nodes_per_element;
  int* slot = CR_PUSH(&body->arena, int, (size_t)body->mesh.num_elements*(size_t)body->num_pairs);
  if (body->arena.failed) return false;
  body->slot = slot;
  for (int e = 0; e < body->mesh.num_elements; e++)
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b <= a; b++) {
        const int* node = nodes_of(body, e);
        int block = cr_bsm_find_block(&body->pattern, node[a], node[b]);
        *slot++ = body->pattern.value_start[block];
      }
  return true;
}

carom_status cr_soft_body_create(cr_soft_body* body, const cr_soft_mesh* mesh,
                                 const cr_soft_material* material, const carom_allocator* allocator,
                                 carom_error* error) {
  int nodes = mesh->nodes_per_element;
  *body = (cr_soft_body){.mesh = *mesh,
                         .material = *material,
                         .num_points = nodes == CR_SOFT_LINEAR_NODES ? 1 : 4,
                         .num_pairs = nodes * (nodes + 1) / 2};
  cr_arena_init(&body->arena, allocator);
  if (prepare_gradients(body) && prepare_masses(body) && build_pattern(body) && prepare_slots(body))
    return cr_error_clear(error);
  cr_soft_body_destroy(body);
  return cr_error_memory(error);
}

void cr_soft_body_destroy(cr_soft_body* body) { cr_arena_destroy(&body->arena); }
