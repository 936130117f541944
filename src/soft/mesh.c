/* Meshes: memory, edges, surface. Edges and faces are found by sorting. */
#include "base/copy.h"
#include "math/vec3.h"
#include "soft/regions.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const int cr_soft_edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
const int cr_soft_face_nodes[4][6] = {
    {0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}};

static size_t node_bytes(const cr_soft_mesh* mesh) {
  return sizeof *mesh->node * (size_t)mesh->num_nodes;
}

static size_t element_bytes(const cr_soft_mesh* mesh) {
  return sizeof(int) * (size_t)mesh->num_elements * (size_t)mesh->nodes_per_element;
}

carom_status cr_soft_mesh_create(cr_soft_mesh* mesh, int num_nodes, int num_elements,
                                 int nodes_per_element, const carom_allocator* allocator,
                                 carom_error* error) {
  *mesh = (cr_soft_mesh){.allocator = cr_allocator_resolve(allocator),
                         .num_nodes = num_nodes,
                         .num_elements = num_elements,
                         .nodes_per_element = nodes_per_element};
  if (num_nodes < 1 || num_elements < 1 || num_elements > INT_MAX / 64)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "mesh: %d nodes and %d elements, must be at least 1 and at most %d",
                        num_nodes, num_elements, INT_MAX / 64);
  mesh->node = cr_alloc(&mesh->allocator, node_bytes(mesh));
  mesh->element = cr_alloc(&mesh->allocator, element_bytes(mesh));
  if (mesh->node && mesh->element) return cr_error_clear(error);
  cr_soft_mesh_destroy(mesh);
  return cr_error_memory(error);
}

void cr_soft_mesh_destroy(cr_soft_mesh* mesh) {
  if (mesh->node) cr_release(&mesh->allocator, mesh->node, node_bytes(mesh));
  if (mesh->element) cr_release(&mesh->allocator, mesh->element, element_bytes(mesh));
  if (mesh->region) cr_soft_regions_release(mesh);
  *mesh = (cr_soft_mesh){0};
}

void cr_soft_mesh_get_tet(const cr_soft_mesh* mesh, int tet, int node[4]) {
  static const int WHOLE[1][4] = {{0, 1, 2, 3}};
  static const int EIGHTHS[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                    {6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}};
  bool is_linear = mesh->nodes_per_element == CR_SOFT_LINEAR_NODES;
  int parts = is_linear ? 1 : 8;
  const int* corner = is_linear ? WHOLE[0] : EIGHTHS[tet % 8];
  const int* element = mesh->element + (size_t)(tet / parts) * (size_t)mesh->nodes_per_element;
  for (int k = 0; k < 4; k++) node[k] = element[corner[k]];
}

double cr_soft_mesh_compute_volume(const cr_soft_mesh* mesh, int element) {
  const int* corner = mesh->element + (size_t)element * (size_t)mesh->nodes_per_element;
  v3 x0 = v3_load(mesh->node[corner[0]]), side[3];
  for (int k = 0; k < 3; k++) side[k] = v3_sub(v3_load(mesh->node[corner[k + 1]]), x0);
  return v3_dot(v3_cross(side[0], side[1]), side[2]) / 6;
}

/* --- Edges ---------------------------------------------------------------------------------- */

typedef struct edge {
  int low, high; /* corners */
  int place;     /* 6 element + edge of the element */
} edge;

static int compare_edges(const void* a, const void* b) {
  const edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

/* The edges of all elements, equal ones side by side; returns how many different ones there are. */
static int sort_edges(const cr_soft_mesh* linear, edge* edges) {
  int count = 6 * linear->num_elements, different = 0;
  for (int e = 0; e < count; e++) {
    const int* corner = linear->element + (size_t)(e / 6) * CR_SOFT_LINEAR_NODES;
    int a = corner[cr_soft_edge[e % 6][0]], b = corner[cr_soft_edge[e % 6][1]];
    edges[e] = (edge){a < b ? a : b, a < b ? b : a, e};
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int e = 0; e < count; e++)
    different += e == 0 || edges[e].low != edges[e - 1].low || edges[e].high != edges[e - 1].high;
  return different;
}

/* Copies corners and puts a node into the middle of every edge. */
static void fill_quadratic(const cr_soft_mesh* linear, const edge* edges, cr_soft_mesh* quadratic) {
  memcpy(quadratic->node, linear->node, node_bytes(linear));
  for (int e = 0; e < linear->num_elements; e++)
    CR_COPY(quadratic->element + (size_t)e * CR_SOFT_QUADRATIC_NODES,
            linear->element + (size_t)e * CR_SOFT_LINEAR_NODES, CR_SOFT_LINEAR_NODES);
  int node = linear->num_nodes - 1;
  for (int e = 0; e < 6 * linear->num_elements; e++) {
    const edge* at = &edges[e];
    if (e == 0 || at->low != at[-1].low || at->high != at[-1].high) {
      v3 sum = v3_add(v3_load(linear->node[at->low]), v3_load(linear->node[at->high]));
      v3_store(v3_scale(0.5, sum), quadratic->node[++node]);
    }
    size_t element = (size_t)(at->place / 6) * CR_SOFT_QUADRATIC_NODES;
    quadratic->element[element + CR_SOFT_LINEAR_NODES + (size_t)(at->place % 6)] = node;
  }
}

carom_status cr_soft_mesh_make_quadratic(const cr_soft_mesh* linear, cr_soft_mesh* quadratic,
                                         carom_error* error) {
  *quadratic = (cr_soft_mesh){0};
  size_t bytes = sizeof(edge) * 6 * (size_t)linear->num_elements;
  edge* edges = cr_alloc(&linear->allocator, bytes);
  if (!edges) return cr_error_memory(error);
  int num_edges = sort_edges(linear, edges);
  carom_status status =
      cr_soft_mesh_create(quadratic, linear->num_nodes + num_edges, linear->num_elements,
                          CR_SOFT_QUADRATIC_NODES, &linear->allocator, error);
  if (status == CAROM_OK) {
    fill_quadratic(linear, edges, quadratic);
    status = cr_soft_regions_refine(linear, quadratic, error);
  }
  cr_release(&linear->allocator, edges, bytes);
  return status;
}

/* --- Surface -------------------------------------------------------------------------------- */

typedef struct triangle {
  int corner[3]; /* ascending */
  int place;     /* 4 element + face */
} triangle;

static int compare_triangles(const void* a, const void* b) {
  const triangle *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->corner[k] != y->corner[k]) return x->corner[k] < y->corner[k] ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static int compare_places(const void* a, const void* b) {
  int x = ((const triangle*)a)->place, y = ((const triangle*)b)->place;
  return (x > y) - (x < y);
}

static triangle triangle_of(const cr_soft_mesh* mesh, int place) {
  const int* node = mesh->element + (size_t)(place / 4) * (size_t)mesh->nodes_per_element;
  const int* corner = cr_soft_face_nodes[place % 4];
  int a = node[corner[0]], b = node[corner[1]], c = node[corner[2]], t;
  if (a > b) t = a, a = b, b = t;
  if (b > c) t = b, b = c, c = t;
  if (a > b) t = a, a = b, b = t;
  return (triangle){{a, b, c}, place};
}

static bool is_same(const triangle* a, const triangle* b) {
  return memcmp(a->corner, b->corner, sizeof a->corner) == 0;
}

/* Keeps what stands alone, in order of elements; returns how many. */
static int find_single(const cr_soft_mesh* mesh, triangle* all) {
  int count = 4 * mesh->num_elements, kept = 0;
  for (int p = 0; p < count; p++) all[p] = triangle_of(mesh, p);
  qsort(all, (size_t)count, sizeof *all, compare_triangles);
  for (int p = 0, end; p < count; p = end) {
    for (end = p + 1; end < count && is_same(&all[p], &all[end]);) end++;
    if (end == p + 1) all[kept++] = all[p];
  }
  qsort(all, (size_t)kept, sizeof *all, compare_places);
  return kept;
}

carom_status cr_soft_mesh_compute_surface(const cr_soft_mesh* mesh, cr_soft_face** faces,
                                          int* num_faces, carom_error* error) {
  size_t bytes = sizeof(triangle) * 4 * (size_t)mesh->num_elements;
  triangle* all = cr_alloc(&mesh->allocator, bytes);
  if (!all) return cr_error_memory(error);
  *num_faces = find_single(mesh, all);
  *faces = cr_alloc(&mesh->allocator, sizeof **faces * (size_t)*num_faces);
  for (int f = 0; *faces && f < *num_faces; f++)
    (*faces)[f] = (cr_soft_face){all[f].place / 4, all[f].place % 4};
  cr_release(&mesh->allocator, all, bytes);
  return *faces ? cr_error_clear(error) : cr_error_memory(error);
}

void cr_soft_faces_release(const cr_soft_mesh* mesh, cr_soft_face* faces, int num_faces) {
  cr_release(&mesh->allocator, faces, sizeof *faces * (size_t)num_faces);
}
