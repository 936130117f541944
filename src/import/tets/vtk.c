/* Legacy VTK files with an unstructured grid, as text and as bytes (VTK user's guide, "File
 * formats"). The cells of version 5 stand as offsets and connectivity, those of older ones with
 * their sizes. Bytes stand with the largest first; counts and names are text in both forms. */
#include "import/tets/vtk_data.h"

#include <string.h>

typedef struct vtk {
  cr_tets_reader* r;
  cr_tets_found* found;
  bool is_binary;
  cr_vtk_cells cells;
} vtk;

static bool is_little_endian(void) {
  uint16_t one = 1;
  unsigned char low;
  memcpy(&low, &one, 1);
  return low == 1;
}

/* The type of the numbers that follow, and the cursor where they begin. */
static carom_status open_array(const vtk* v, cr_tets_type* type) {
  char* name = NULL;
  CR_TRY(cr_tets_read_word(v->r, "the type of numbers", &name));
  *type = cr_vtk_type_of_name(name);
  if (*type == CR_TETS_NO_TYPE)
    return cr_tets_refuse(v->r, "numbers of type '%.40s' are not read", name);
  if (v->is_binary) cr_tets_skip_line(v->r);
  v->r->is_binary = v->is_binary;
  return CAROM_OK;
}

static carom_status read_points(const vtk* v) {
  cr_tets_reader* r = v->r;
  cr_tets_found* found = v->found;
  cr_tets_type type;
  int count = 0;
  if (!cr_tets_find(r, "POINTS")) return cr_tets_refuse(r, "there are no POINTS");
  CR_TRY(cr_tets_read_count(r, CR_TETS_NO_TYPE, "the number of points", &count));
  CR_TRY(open_array(v, &type));
  found->node = (double(*)[3])cr_arena_push(r->arena, sizeof(double[3]) * (size_t)count);
  if (!found->node) return cr_error_memory(r->error);
  for (; found->num_nodes < count; found->num_nodes++)
    CR_TRY(cr_tets_read_point(r, type, found->num_nodes, found->node[found->num_nodes]));
  r->is_binary = false;
  return CAROM_OK;
}

/* --- Cells --------------------------------------------------------------------------------------
 */

/* `size` numbers: of each cell how many nodes it has, and those. */
static carom_status read_sized_cells(vtk* v, int size) {
  cr_vtk_cells* c = &v->cells;
  int used = 0, count = 0;
  if (v->is_binary) cr_tets_skip_line(v->r);
  v->r->is_binary = v->is_binary;
  for (int k = 0; k < c->num; k++) {
    CR_TRY(cr_tets_read_count(v->r, CR_TETS_INT32, "the size of a cell", &count));
    if (count > size - used - 1)
      return cr_tets_refuse(v->r, "cell %d has %d nodes, more than are left of CELLS", k, count);
    c->start[k] = used;
    for (int a = 0; a < count; a++)
      CR_TRY(cr_tets_read_int(v->r, CR_TETS_INT32, "the node of a cell", &c->node[used++]));
  }
  c->start[c->num] = used;
  return CAROM_OK;
}

static carom_status read_offset_cells(vtk* v, int size) {
  cr_tets_reader* r = v->r;
  cr_vtk_cells* c = &v->cells;
  cr_tets_type type;
  CR_TRY(open_array(v, &type));
  for (int k = 0; k <= c->num; k++) {
    int64_t start = 0;
    CR_TRY(cr_tets_read_int(r, type, "the offset of a cell", &start));
    if (start < (k ? c->start[k - 1] : 0) || start > size)
      return cr_tets_refuse(r, "the offset of cell %d is %lld, must not fall nor pass %d", k,
                            (long long)start, size);
    c->start[k] = (int)start;
  }
  r->is_binary = false;
  if (!cr_tets_accept(r, "CONNECTIVITY")) return cr_tets_refuse(r, "there is no CONNECTIVITY");
  CR_TRY(open_array(v, &type));
  for (int k = 0; k < size; k++)
    CR_TRY(cr_tets_read_int(r, type, "the node of a cell", &c->node[k]));
  return CAROM_OK;
}

static carom_status read_types(const vtk* v) {
  cr_tets_reader* r = v->r;
  int size = 0;
  if (!cr_tets_find(r, "CELL_TYPES")) return cr_tets_refuse(r, "there are no CELL_TYPES");
  CR_TRY(cr_tets_read_count(r, CR_TETS_NO_TYPE, "the number of types", &size));
  if (size != v->cells.num)
    return cr_tets_refuse(r, "there are %d CELL_TYPES for %d cells", size, v->cells.num);
  if (v->is_binary) cr_tets_skip_line(r);
  r->is_binary = v->is_binary;
  for (int k = 0; k < size; k++) {
    int64_t type = 0;
    CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the type of a cell", &type));
    v->cells.type[k] = type > 0 && type < 1000 ? (int)type : 0;
  }
  r->is_binary = false;
  return CAROM_OK;
}

static carom_status read_cells(vtk* v) {
  cr_tets_reader* r = v->r;
  int num = 0, size = 0;
  if (!cr_tets_find(r, "CELLS")) return cr_tets_refuse(r, "there are no CELLS");
  CR_TRY(cr_tets_read_count(r, CR_TETS_NO_TYPE, "the number of cells", &num));
  CR_TRY(cr_tets_read_count(r, CR_TETS_NO_TYPE, "the size of CELLS", &size));
  bool has_offsets = cr_tets_accept(r, "OFFSETS");
  num -= has_offsets && num > 0; /* one offset more than cells */
  CR_TRY(cr_vtk_take_cells(r, num, size, &v->cells));
  CR_TRY(has_offsets ? read_offset_cells(v, size) : read_sized_cells(v, size));
  r->is_binary = false;
  return read_types(v);
}

/* --- The whole ----------------------------------------------------------------------------------
 */

/* The version, the title, the form and the kind of what is in the file. */
static carom_status read_head(vtk* v) {
  cr_tets_reader* r = v->r;
  cr_tets_skip_line(r);
  cr_tets_skip_line(r);
  v->is_binary = cr_tets_accept(r, "BINARY");
  r->is_swapped = v->is_binary && is_little_endian();
  if (!v->is_binary && !cr_tets_accept(r, "ASCII"))
    return cr_tets_refuse(r, "only .vtk files with the word ASCII or BINARY here are read");
  if (!cr_tets_accept(r, "DATASET") || !cr_tets_accept(r, "UNSTRUCTURED_GRID"))
    return cr_tets_refuse(r, "only .vtk files with DATASET UNSTRUCTURED_GRID here are read");
  return CAROM_OK;
}

carom_status cr_vtk_read(cr_tets_reader* r, cr_tets_found* found) {
  vtk v = {.r = r, .found = found};
  CR_TRY(read_head(&v));
  CR_TRY(read_points(&v));
  CR_TRY(read_cells(&v));
  CR_TRY(cr_vtk_collect(r, &v.cells, found));
  return cr_vtk_read_data(r, found, &v.cells, v.is_binary);
}
