/* What no simulation can use of a mesh, with the number of the first culprit, as its file has it.
 */
#include "math/vec3.h"
#include "soft/element.h"
#include "soft/mesh.h"

#include <stdlib.h>
#include <string.h>

/* An element is flat where its volume is below this part of its longest edge's cube. */
#define SMALLEST_VOLUME 1e-9
/* Nodes are in the same place on a lattice of this part of the mesh's extent. */
#define SAME_PLACE 1e-10

/* What is checked, and what its parts are called. */
typedef struct subject {
  const cr_soft_mesh* mesh;
  const cr_soft_numbers* numbers; /* may be null */
  carom_error* error;
} subject;

static long long node_number(const subject* s, int node) {
  return s->numbers && s->numbers->node ? (long long)s->numbers->node[node] : node;
}

static long long element_number(const subject* s, int element) {
  return s->numbers && s->numbers->element ? (long long)s->numbers->element[element] : element;
}

static const int* nodes_of(const cr_soft_mesh* mesh, int element) {
  return mesh->element + (size_t)element * (size_t)mesh->nodes_per_element;
}

static carom_status check_nodes(const subject* s) {
  const cr_soft_mesh* mesh = s->mesh;
  for (int n = 0; n < mesh->num_nodes; n++)
    for (int k = 0; k < 3; k++)
      if (!(fabs(mesh->node[n][k]) < 1e100))
        return cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                            "mesh: coordinate %d of node %lld is %g, must be a finite number", k,
                            node_number(s, n), mesh->node[n][k]);
  return CAROM_OK;
}

static carom_status check_indices(const subject* s) {
  const cr_soft_mesh* mesh = s->mesh;
  for (int e = 0; e < mesh->num_elements; e++) {
    const int* node = nodes_of(mesh, e);
    for (int a = 0; a < mesh->nodes_per_element; a++) {
      if (node[a] < 0 || node[a] >= mesh->num_nodes)
        return cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                            "mesh: element %lld names node %d, but there are %d nodes",
                            element_number(s, e), node[a], mesh->num_nodes);
      for (int b = 0; b < a; b++)
        if (node[a] == node[b])
          return cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                              "mesh: element %lld names node %lld twice", element_number(s, e),
                              node_number(s, node[a]));
    }
  }
  return CAROM_OK;
}

static double longest_edge(const cr_soft_mesh* mesh, const int* corner) {
  double longest = 0;
  for (int k = 0; k < 6; k++) {
    v3 a = v3_load(mesh->node[corner[cr_soft_edge[k][0]]]);
    v3 b = v3_load(mesh->node[corner[cr_soft_edge[k][1]]]);
    longest = fmax(longest, v3_norm(v3_sub(a, b)));
  }
  return longest;
}

/* The Jacobian of curved elements is looked at where it is used, and at the corners. */
static double smallest_volume(const cr_soft_mesh* mesh, int element) {
  double smallest = cr_soft_mesh_compute_volume(mesh, element);
  if (mesh->nodes_per_element == CR_SOFT_LINEAR_NODES) return smallest;
  for (int p = 0; p < 8; p++) {
    double at[3] = {0};
    if (p >= 5) at[p - 5] = 1;
    const double* xi = p < 4 ? cr_soft_points_4[p].at : at;
    smallest = fmin(smallest, cr_soft_element_jacobian(mesh, element, xi) / 6);
  }
  return smallest;
}

static carom_status check_volumes(const subject* s) {
  const cr_soft_mesh* mesh = s->mesh;
  for (int e = 0; e < mesh->num_elements; e++) {
    double volume = smallest_volume(mesh, e), length = longest_edge(mesh, nodes_of(mesh, e));
    if (fabs(volume) <= SMALLEST_VOLUME * length * length * length)
      return cr_error_set(
          s->error, CAROM_ERROR_BAD_INPUT,
          "mesh: element %lld is degenerate: its volume is %g m3 with an edge of %g m",
          element_number(s, e), volume, length);
    if (!(volume > 0))
      return cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                          "mesh: element %lld is inverted: its volume is %g m3, must be positive",
                          element_number(s, e), volume);
  }
  return CAROM_OK;
}

/* --- Nodes in the same place ---------------------------------------------------------------- */

typedef struct place {
  double at[3]; /* on the lattice */
  int node;
} place;

static int compare_places(const void* a, const void* b) {
  const place *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->at[k] != y->at[k]) return x->at[k] < y->at[k] ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static bool is_same_place(const place* a, const place* b) {
  return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static double extent_of(const cr_soft_mesh* mesh) {
  double extent = 0;
  for (int n = 1; n < mesh->num_nodes; n++)
    for (int k = 0; k < 3; k++) extent = fmax(extent, fabs(mesh->node[n][k] - mesh->node[0][k]));
  return extent;
}

static carom_status check_places(const subject* s) {
  const cr_soft_mesh* mesh = s->mesh;
  size_t bytes = sizeof(place) * (size_t)mesh->num_nodes;
  place* places = cr_alloc(&mesh->allocator, bytes);
  if (!places) return cr_error_memory(s->error);
  double unit = SAME_PLACE * extent_of(mesh);
  for (int n = 0; n < mesh->num_nodes; n++) {
    places[n].node = n;
    for (int k = 0; k < 3; k++)
      places[n].at[k] = round((mesh->node[n][k] - mesh->node[0][k]) / unit);
  }
  qsort(places, (size_t)mesh->num_nodes, sizeof *places, compare_places);
  carom_status status = CAROM_OK;
  for (int n = 1; n < mesh->num_nodes && status == CAROM_OK; n++)
    if (is_same_place(&places[n], &places[n - 1]))
      status = cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                            "mesh: nodes %lld and %lld are in the same place",
                            node_number(s, places[n - 1].node), node_number(s, places[n].node));
  cr_release(&mesh->allocator, places, bytes);
  return status;
}

/* --- Faces ---------------------------------------------------------------------------------- */

/* A face of an element; seen from outside its corners run in one of two ways. */
typedef struct side {
  int corner[3]; /* ascending */
  bool is_turned;
  int element;
} side;

static int compare_sides(const void* a, const void* b) {
  const side *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->corner[k] != y->corner[k]) return x->corner[k] < y->corner[k] ? -1 : 1;
  if (x->is_turned != y->is_turned) return x->is_turned ? 1 : -1;
  return (x->element > y->element) - (x->element < y->element);
}

static void swap(side* s, int a, int b) {
  if (s->corner[a] < s->corner[b]) return;
  int corner = s->corner[a];
  s->corner[a] = s->corner[b], s->corner[b] = corner;
  s->is_turned = !s->is_turned;
}

static side side_of(const cr_soft_mesh* mesh, int number) {
  const int* node = nodes_of(mesh, number / 4);
  side s = {.element = number / 4};
  for (int k = 0; k < 3; k++) s.corner[k] = node[cr_soft_face_nodes[number % 4][k]];
  swap(&s, 0, 1), swap(&s, 1, 2), swap(&s, 0, 1);
  return s;
}

/* Two elements share a face from its two sides; on one side there is room for one. */
static carom_status check_sides(const subject* s) {
  const cr_soft_mesh* mesh = s->mesh;
  int count = 4 * mesh->num_elements;
  size_t bytes = sizeof(side) * (size_t)count;
  side* sides = cr_alloc(&mesh->allocator, bytes);
  if (!sides) return cr_error_memory(s->error);
  for (int p = 0; p < count; p++) sides[p] = side_of(mesh, p);
  qsort(sides, (size_t)count, sizeof *sides, compare_sides);
  carom_status status = CAROM_OK;
  for (int p = 1; p < count && status == CAROM_OK; p++)
    if (memcmp(sides[p].corner, sides[p - 1].corner, sizeof sides[p].corner) == 0 &&
        sides[p].is_turned == sides[p - 1].is_turned)
      status = cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                            "mesh: elements %lld and %lld lie on the same side of a face that "
                            "they share",
                            element_number(s, sides[p - 1].element),
                            element_number(s, sides[p].element));
  cr_release(&mesh->allocator, sides, bytes);
  return status;
}

/* --- Parts ---------------------------------------------------------------------------------- */

static int find_root(int* parent, int n) {
  while (parent[n] != n) n = parent[n] = parent[parent[n]];
  return n;
}

static carom_status report_parts(const subject* s, int* parent) {
  const cr_soft_mesh* mesh = s->mesh;
  int first = find_root(parent, mesh->element[0]);
  for (int e = 1; e < mesh->num_elements; e++)
    if (find_root(parent, nodes_of(mesh, e)[0]) != first)
      return cr_error_set(s->error, CAROM_ERROR_BAD_INPUT,
                          "mesh: element %lld shares no nodes with the part that element %lld is "
                          "in: the mesh has disconnected parts",
                          element_number(s, e), element_number(s, 0));
  for (int n = 0; n < mesh->num_nodes; n++)
    if (find_root(parent, n) != first)
      return cr_error_set(s->error, CAROM_ERROR_BAD_INPUT, "mesh: node %lld belongs to no element",
                          node_number(s, n));
  return CAROM_OK;
}

static carom_status check_parts(const subject* s) {
  const cr_soft_mesh* mesh = s->mesh;
  size_t bytes = sizeof(int) * (size_t)mesh->num_nodes;
  int* parent = cr_alloc(&mesh->allocator, bytes);
  if (!parent) return cr_error_memory(s->error);
  for (int n = 0; n < mesh->num_nodes; n++) parent[n] = n;
  for (int e = 0; e < mesh->num_elements; e++) {
    const int* node = nodes_of(mesh, e);
    for (int a = 1; a < mesh->nodes_per_element; a++)
      parent[find_root(parent, node[a])] = find_root(parent, node[0]);
  }
  carom_status status = report_parts(s, parent);
  cr_release(&mesh->allocator, parent, bytes);
  return status;
}

carom_status cr_soft_mesh_check(const cr_soft_mesh* mesh, const cr_soft_numbers* numbers,
                                carom_error* error) {
  subject s = {mesh, numbers, error};
  CR_TRY(check_nodes(&s));
  CR_TRY(check_indices(&s));
  CR_TRY(check_volumes(&s));
  CR_TRY(check_places(&s));
  CR_TRY(check_sides(&s));
  CR_TRY(check_parts(&s));
  return cr_error_clear(error);
}
