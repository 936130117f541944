/* Cells and data of VTK's unstructured grids, legacy and XML alike (VTK user's guide, "File
 * formats"; types of cells as in vtkCellType.h). */
#include "import/tets/vtk_cells.h"

#include "base/copy.h"
#include "soft/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lagrange's tetrahedra of ten nodes have VTK's order of quadratic ones. */
enum { TRIANGLE = 5, TETRAHEDRON = 10, QUADRATIC_TETRAHEDRON = 24, LAGRANGE_TETRAHEDRON = 71 };

/* Other cells that fill a volume. */
static const int SOLIDS[] = {11, 12, 13, 14, 25, 26, 27, 29, 31, 32, 33,
                             37, 41, 42, 72, 73, 74, 78, 79, 80, 81};

carom_status cr_vtk_take_cells(cr_tets_reader* r, int num, int num_entries, cr_vtk_cells* cells) {
  *cells = (cr_vtk_cells){.num = num,
                          .num_entries = num_entries,
                          .start = CR_PUSH(r->arena, int, num + 1),
                          .type = CR_PUSH(r->arena, int, num),
                          .node = CR_PUSH(r->arena, int64_t, num_entries)};
  return r->arena->failed ? cr_error_memory(r->error) : CAROM_OK;
}

static bool is_solid(int type) {
  for (size_t k = 0; k < sizeof SOLIDS / sizeof SOLIDS[0]; k++)
    if (SOLIDS[k] == type) return true;
  return false;
}

/* Nodes of a tetrahedron of this type; 0: no tetrahedron. */
static int nodes_of_type(const cr_vtk_cells* c, int cell) {
  int size = c->start[cell + 1] - c->start[cell];
  switch (c->type[cell]) {
  case TETRAHEDRON:
    return CR_SOFT_LINEAR_NODES;
  case QUADRATIC_TETRAHEDRON:
    return CR_SOFT_QUADRATIC_NODES;
  case LAGRANGE_TETRAHEDRON:
    return size == CR_SOFT_LINEAR_NODES ? CR_SOFT_LINEAR_NODES : CR_SOFT_QUADRATIC_NODES;
  default:
    return 0;
  }
}

carom_status cr_vtk_collect(cr_tets_reader* r, const cr_vtk_cells* c, cr_tets_found* found) {
  for (int k = 0; k < c->num; k++) {
    int64_t* element = NULL;
    int nodes = nodes_of_type(c, k), size = c->start[k + 1] - c->start[k];
    if (is_solid(c->type[k]))
      return cr_tets_refuse(r, "cell %d is of type %d; a soft body is made of tetrahedra", k,
                            c->type[k]);
    found->num_triangles += c->type[k] == TRIANGLE;
    if (nodes == 0) continue;
    if (size != nodes)
      return cr_tets_refuse(r, "cell %d of type %d has %d nodes, must have %d", k, c->type[k], size,
                            nodes);
    CR_TRY(cr_tets_add_element(r, found, nodes, c->num, k, &element));
    CR_COPY(element, c->node + c->start[k], nodes);
  }
  return CAROM_OK;
}

/* --- Data ---------------------------------------------------------------------------------------
 */

/* The different values of an array, and the regions that they make. */
typedef struct values {
  int count;
  double value[CR_VTK_MOST_VALUES];
  int region[CR_VTK_MOST_VALUES];
} values;

static int find_value(const values* v, double value) {
  for (int k = v->count - 1; k >= 0; k--)
    if (v->value[k] == value) return k;
  return -1;
}

/* False where a value is no whole number, or there are too many. */
static bool list_values(const cr_vtk_data* data, values* v) {
  v->count = 0;
  for (int i = 0; i < data->num_values; i++) {
    double value = data->value[i];
    if (value != floor(value) || !(fabs(value) < 1e9)) return false;
    if (find_value(v, value) >= 0) continue;
    if (v->count == CR_VTK_MOST_VALUES) return false;
    v->value[v->count++] = value;
  }
  return true;
}

static carom_status name_values(cr_tets_reader* r, cr_tets_found* found, const cr_vtk_data* data,
                                values* v) {
  size_t size = strlen(data->name) + 20;
  for (int k = 0; k < v->count; k++) {
    char* name = CR_PUSH(r->arena, char, size);
    if (name) snprintf(name, size, "%s=%.0f", data->name, v->value[k]);
    CR_TRY(cr_tets_find_region(r, found, name, &v->region[k]));
  }
  return CAROM_OK;
}

/* The nodes of a cell; `element` is its number among tetrahedra, or -1. */
static carom_status mark_cell(cr_tets_reader* r, cr_tets_found* found, const cr_vtk_cells* c,
                              int cell, int element, int region) {
  if (element >= 0) return cr_tets_mark_item(r, found, (cr_tets_mark){region, true, element});
  for (int a = c->start[cell]; a < c->start[cell + 1]; a++)
    CR_TRY(cr_tets_mark_item(r, found, (cr_tets_mark){region, false, c->node[a]}));
  return CAROM_OK;
}

carom_status cr_vtk_mark_data(cr_tets_reader* r, cr_tets_found* found, const cr_vtk_data* data) {
  values v;
  int nonzero = 0, element = 0;
  if (!list_values(data, &v)) return CAROM_OK;
  CR_TRY(cr_tets_find_region(r, found, data->name, &nonzero));
  CR_TRY(name_values(r, found, data, &v));
  for (int i = 0; i < data->num_values; i++) {
    int tetrahedron = -1;
    if (data->is_of_cells && nodes_of_type(data->cells, i)) tetrahedron = element++;
    int regions[2] = {v.region[find_value(&v, data->value[i])], nonzero};
    for (int k = 0; k < (data->value[i] != 0 ? 2 : 1); k++)
      CR_TRY(data->is_of_cells ? mark_cell(r, found, data->cells, i, tetrahedron, regions[k])
                               : cr_tets_mark_item(r, found, (cr_tets_mark){regions[k], false, i}));
  }
  return CAROM_OK;
}
