/* Legacy VTK files with an unstructured grid, as text (VTK user's guide, "File formats"). The cells
 * of version 5 stand as offsets and connectivity, those of older ones with their sizes. */
#include "import/tets/reader.h"
#include "soft/mesh.h"

enum { VTK_TETRAHEDRON = 10, VTK_TETRAHEDRON_10 = 24 };

/* Cells: cell c has the nodes from start[c] up to start[c + 1]. */
typedef struct cells {
  int num, num_entries;
  int *start, *type;
  int64_t* node;
} cells;

static carom_status read_points(cr_tets_reader* r, cr_tets_found* found) {
  int count = 0;
  if (!cr_tets_find(r, "POINTS")) return cr_tets_refuse(r, "there are no POINTS");
  CR_TRY(cr_tets_read_count(r, "the number of points", &count));
  cr_tets_skip_line(r);
  found->node = (double(*)[3])cr_arena_push(r->arena, sizeof(double[3]) * (size_t)count);
  if (!found->node) return cr_error_memory(r->error);
  for (; found->num_nodes < count; found->num_nodes++)
    CR_TRY(cr_tets_read_point(r, found->node[found->num_nodes]));
  return CAROM_OK;
}

static carom_status take_cells(cr_tets_reader* r, int num, int num_entries, cells* c) {
  *c = (cells){.num = num,
               .num_entries = num_entries,
               .start = CR_PUSH(r->arena, int, num + 1),
               .type = CR_PUSH(r->arena, int, num),
               .node = CR_PUSH(r->arena, int64_t, num_entries)};
  return r->arena->failed ? cr_error_memory(r->error) : CAROM_OK;
}

/* `size` numbers: of each cell how many nodes it has, and those. */
static carom_status read_sized_cells(cr_tets_reader* r, int size, cells* c) {
  int used = 0, count = 0;
  for (int k = 0; k < c->num; k++) {
    CR_TRY(cr_tets_read_count(r, "the size of a cell", &count));
    if (count > size - used - 1)
      return cr_tets_refuse(r, "cell %d has %d nodes, more than are left of CELLS", k, count);
    c->start[k] = used;
    for (int a = 0; a < count; a++)
      CR_TRY(cr_tets_read_int(r, "the node of a cell", &c->node[used++]));
  }
  c->start[c->num] = used;
  return CAROM_OK;
}

static carom_status read_offset_cells(cr_tets_reader* r, int size, cells* c) {
  cr_tets_skip_line(r);
  for (int k = 0; k <= c->num; k++) {
    int64_t start = 0;
    CR_TRY(cr_tets_read_int(r, "the offset of a cell", &start));
    if (start < (k ? c->start[k - 1] : 0) || start > size)
      return cr_tets_refuse(r, "the offset of cell %d is %lld, must not fall nor pass %d", k,
                            (long long)start, size);
    c->start[k] = (int)start;
  }
  if (!cr_tets_accept(r, "CONNECTIVITY")) return cr_tets_refuse(r, "there is no CONNECTIVITY");
  cr_tets_skip_line(r);
  for (int k = 0; k < size; k++) CR_TRY(cr_tets_read_int(r, "the node of a cell", &c->node[k]));
  return CAROM_OK;
}

static carom_status read_cells(cr_tets_reader* r, cells* c) {
  int num = 0, size = 0;
  if (!cr_tets_find(r, "CELLS")) return cr_tets_refuse(r, "there are no CELLS");
  CR_TRY(cr_tets_read_count(r, "the number of cells", &num));
  CR_TRY(cr_tets_read_count(r, "the size of CELLS", &size));
  bool has_offsets = cr_tets_accept(r, "OFFSETS");
  num -= has_offsets && num > 0; /* one offset more than cells */
  CR_TRY(take_cells(r, num, size, c));
  CR_TRY(has_offsets ? read_offset_cells(r, size, c) : read_sized_cells(r, size, c));
  if (!cr_tets_find(r, "CELL_TYPES")) return cr_tets_refuse(r, "there are no CELL_TYPES");
  CR_TRY(cr_tets_read_count(r, "the number of types", &size));
  if (size != num) return cr_tets_refuse(r, "there are %d CELL_TYPES for %d cells", size, num);
  for (int k = 0; k < num; k++) {
    int64_t type = 0;
    CR_TRY(cr_tets_read_int(r, "the type of a cell", &type));
    c->type[k] = type > 0 && type < 1000 ? (int)type : 0;
  }
  return CAROM_OK;
}

static carom_status collect(cr_tets_reader* r, const cells* c, cr_tets_found* found) {
  for (int k = 0; k < c->num; k++) {
    int nodes = c->type[k] == VTK_TETRAHEDRON      ? CR_SOFT_LINEAR_NODES
                : c->type[k] == VTK_TETRAHEDRON_10 ? CR_SOFT_QUADRATIC_NODES
                                                   : 0;
    if (nodes == 0) continue;
    if (c->start[k + 1] - c->start[k] != nodes)
      return cr_tets_refuse(r, "cell %d of type %d has %d nodes, must have %d", k, c->type[k],
                            c->start[k + 1] - c->start[k], nodes);
    if (found->nodes_per_element != 0 && found->nodes_per_element != nodes)
      return cr_tets_refuse(r, "tetrahedra with 4 and with 10 nodes cannot stand in one mesh");
    found->nodes_per_element = nodes;
    int64_t* element = found->element + (size_t)found->num_elements++ * (size_t)nodes;
    for (int a = 0; a < nodes; a++) element[a] = c->node[c->start[k] + a];
  }
  return CAROM_OK;
}

carom_status cr_vtk_read(cr_tets_reader* r, cr_tets_found* found) {
  cells c = {0};
  cr_tets_skip_line(r); /* the version */
  cr_tets_skip_line(r); /* the title */
  if (!cr_tets_accept(r, "ASCII"))
    return cr_tets_refuse(r, "only .vtk files with the word ASCII here are read");
  if (!cr_tets_accept(r, "DATASET") || !cr_tets_accept(r, "UNSTRUCTURED_GRID"))
    return cr_tets_refuse(r, "only .vtk files with DATASET UNSTRUCTURED_GRID here are read");
  CR_TRY(read_points(r, found));
  CR_TRY(read_cells(r, &c));
  found->element = CR_PUSH(r->arena, int64_t, c.num_entries);
  if (!found->element) return cr_error_memory(r->error);
  return collect(r, &c, found);
}
