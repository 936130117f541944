/* Grids of cells, bent into cylinders and balls by turning shells of squares and cubes into shells
 * of circles and spheres. */
#include "soft/shapes.h"

#include "math/vec3.h"

#include <string.h>

/* Corners of a cell by their bits: x + 2 y + 4 z. Kuhn's six around the diagonal 0-7. */
static const int SIX[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                              {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
static const int FIVE[2][5][4] = {
    {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}},
    {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}, {0, 3, 6, 5}}};

static carom_status check_def(const cr_soft_shape_def* def, carom_error* error) {
  double count = 1;
  for (int k = 0; k < 3; k++) {
    bool is_round = def->kind == CR_SOFT_BALL || (def->kind == CR_SOFT_CYLINDER && k < 2);
    if (!(def->size[k] > 0) || !isfinite(def->size[k]))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "mesh: size %d is %g m, must be positive",
                          k, def->size[k]);
    if (def->cells[k] < (is_round ? 2 : 1))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "mesh: %d cells along axis %d, must be at least %d", def->cells[k], k,
                          is_round ? 2 : 1);
    count *= def->cells[k];
  }
  if (count > 5e6)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "mesh: %g cells, may be at most 5e6", count);
  return CAROM_OK;
}

/* Where a point of [-1, 1]³ goes: what it is in the largest norm becomes what it is in the
 * Euclidean one, over the first `dimensions` coordinates. */
static void bend(int dimensions, double u[3]) {
  double largest = 0, squares = 0;
  for (int k = 0; k < dimensions; k++) {
    largest = fmax(largest, fabs(u[k]));
    squares += u[k] * u[k];
  }
  for (int k = 0; k < dimensions && largest > 0; k++) u[k] *= largest / sqrt(squares);
}

static void place_nodes(const cr_soft_shape_def* def, cr_soft_mesh* mesh) {
  int dimensions = def->kind == CR_SOFT_BALL ? 3 : def->kind == CR_SOFT_CYLINDER ? 2 : 0;
  int nx = def->cells[0] + 1, ny = def->cells[1] + 1;
  for (int n = 0; n < mesh->num_nodes; n++) {
    const int at[3] = {n % nx, n / nx % ny, n / (nx * ny)};
    double u[3];
    for (int k = 0; k < 3; k++) u[k] = 2.0 * at[k] / def->cells[k] - 1;
    bend(dimensions, u);
    for (int k = 0; k < 3; k++) mesh->node[n][k] = 0.5 * def->size[k] * u[k];
  }
}

static void fill_cell(const cr_soft_shape_def* def, const int at[3], int* element) {
  int nx = def->cells[0] + 1, nxy = nx * (def->cells[1] + 1);
  int corner = at[0] + nx * at[1] + nxy * at[2];
  int count = def->split == CR_SOFT_SPLIT_FIVE ? 5 : 6;
  const int(*tetrahedra)[4] = count == 6 ? SIX : FIVE[(at[0] + at[1] + at[2]) % 2];
  for (int e = 0; e < count; e++)
    for (int a = 0; a < 4; a++) {
      int bits = tetrahedra[e][a];
      element[4 * e + a] = corner + (bits & 1) + nx * (bits >> 1 & 1) + nxy * (bits >> 2);
    }
}

carom_status cr_soft_mesh_make_shape(const cr_soft_shape_def* def, const carom_allocator* allocator,
                                     cr_soft_mesh* mesh, carom_error* error) {
  *mesh = (cr_soft_mesh){0};
  CR_TRY(check_def(def, error));
  const int* n = def->cells;
  int per_cell = def->split == CR_SOFT_SPLIT_FIVE ? 5 : 6;
  CR_TRY(cr_soft_mesh_create(mesh, (n[0] + 1) * (n[1] + 1) * (n[2] + 1),
                             per_cell * n[0] * n[1] * n[2], CR_SOFT_LINEAR_NODES, allocator,
                             error));
  place_nodes(def, mesh);
  for (int c = 0; c < n[0] * n[1] * n[2]; c++) {
    const int at[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
    fill_cell(def, at, mesh->element + (size_t)(4 * per_cell) * (size_t)c);
  }
  return CAROM_OK;
}
