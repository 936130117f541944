/* VTK's XML files with an unstructured grid: the one piece, its points, cells and data. What stands
 * behind all as bytes is no XML: the file is read up to there. */
#include "import/tets/vtk_cells.h"
#include "import/tets/vtu_array.h"

#include <string.h>

typedef struct vtu {
  cr_vtu_file file;
  cr_tets_found* found;
  cr_vtk_cells cells;
} vtu;

/* --- The file -----------------------------------------------------------------------------------
 */

static const char* find_bytes(const char* text, const char* end, const char* word) {
  size_t length = strlen(word);
  for (; (size_t)(end - text) >= length; text++) {
    text = memchr(text, word[0], (size_t)(end - text) - length + 1);
    if (!text) return NULL;
    if (memcmp(text, word, length) == 0) return text;
  }
  return NULL;
}

/* The elements of the file, without the bytes behind them.
 * @param copy receives the text that is read as XML */
static carom_status cut_appended(cr_vtu_file* file, char** copy, size_t* length) {
  static const char CLOSE[] = "</AppendedData></VTKFile>";
  const cr_tets_reader* r = file->r;
  const char* tag = find_bytes(r->text, r->end, "<AppendedData");
  const char* open = tag ? memchr(tag, '>', (size_t)(r->end - tag)) : NULL;
  const char* mark = open ? memchr(open, '_', (size_t)(r->end - open)) : NULL;
  size_t kept = (size_t)((mark ? open + 1 : r->end) - r->text);
  *copy = CR_PUSH(r->arena, char, kept + sizeof CLOSE);
  if (!*copy) return cr_error_memory(r->error);
  memcpy(*copy, r->text, kept);
  memcpy(*copy + kept, CLOSE, sizeof CLOSE);
  *length = mark ? kept + sizeof CLOSE - 1 : kept;
  if (!mark) return CAROM_OK;
  file->appended = mark + 1, file->appended_end = r->end;
  file->appended_is_base64 = find_bytes(tag, open, "base64") != NULL;
  return CAROM_OK;
}

static const cr_xml_element* find_child(const cr_xml_element* element, const char* name) {
  const cr_xml_element* child = element ? element->first_child : NULL;
  while (child && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

static carom_status find_piece(const vtu* v, const cr_xml_element* root,
                               const cr_xml_element** piece) {
  const cr_xml_element* grid = find_child(root, "UnstructuredGrid");
  *piece = find_child(grid, "Piece");
  if (!grid) return cr_vtu_refuse(&v->file, root, "there is no UnstructuredGrid");
  if (!*piece) return cr_vtu_refuse(&v->file, grid, "there is no Piece");
  for (const cr_xml_element* e = (*piece)->next; e; e = e->next)
    if (strcmp(e->name, "Piece") == 0)
      return cr_vtu_refuse(&v->file, e, "there is a second Piece; a soft body is made of one");
  return CAROM_OK;
}

/* --- Points and cells ---------------------------------------------------------------------------
 */

/* Opens an array of `count` times `components` numbers. */
static carom_status open_sized(const vtu* v, const cr_xml_element* array, int64_t count,
                               int64_t components, cr_tets_reader* values, cr_tets_type* type) {
  int64_t given = 1;
  CR_TRY(cr_vtu_read_number(&v->file, array, "NumberOfComponents", 1, &given));
  if (components != 1 && given != components)
    return cr_vtu_refuse(&v->file, array, "NumberOfComponents is %lld, must be %lld",
                         (long long)given, (long long)components);
  CR_TRY(cr_vtu_open_array(&v->file, array, values, type));
  int64_t size = values->is_binary ? (int64_t)cr_tets_size_of(*type) : 2;
  int64_t most = (values->end - values->at + 1) / size;
  if (count * components > most || count > INT32_MAX / 64)
    return cr_vtu_refuse(&v->file, array, "%lld numbers are announced, there is room for %lld",
                         (long long)(count * components), (long long)most);
  return CAROM_OK;
}

static carom_status read_points(vtu* v, const cr_xml_element* piece) {
  const cr_xml_element* array = find_child(find_child(piece, "Points"), "DataArray");
  cr_tets_found* found = v->found;
  cr_tets_reader r = *v->file.r;
  cr_tets_type type = CR_TETS_NO_TYPE;
  int64_t count = 0;
  if (!array) return cr_vtu_refuse(&v->file, piece, "there is no DataArray in Points");
  CR_TRY(cr_vtu_read_number(&v->file, piece, "NumberOfPoints", 0, &count));
  CR_TRY(open_sized(v, array, count, 3, &r, &type));
  found->node = (double(*)[3])cr_arena_push(r.arena, sizeof(double[3]) * (size_t)count);
  if (!found->node) return cr_error_memory(r.error);
  for (; found->num_nodes < count; found->num_nodes++)
    CR_TRY(cr_tets_read_point(&r, type, found->num_nodes, found->node[found->num_nodes]));
  return CAROM_OK;
}

/* An array of Cells by its name. */
static carom_status open_cells(const vtu* v, const cr_xml_element* cells, const char* name,
                               int64_t count, cr_tets_reader* values, cr_tets_type* type) {
  const cr_xml_element* array = find_child(cells, "DataArray");
  for (; array; array = array->next)
    if (cr_xml_get(array, "Name") && strcmp(cr_xml_get(array, "Name"), name) == 0)
      return open_sized(v, array, count, 1, values, type);
  return cr_vtu_refuse(&v->file, cells, "there is no DataArray '%s' in Cells", name);
}

/* Offsets are where cells end. */
static carom_status read_offsets(vtu* v, const cr_xml_element* cells, int count, int** start) {
  cr_tets_reader r = *v->file.r;
  cr_tets_type type = CR_TETS_NO_TYPE;
  CR_TRY(open_cells(v, cells, "offsets", count, &r, &type));
  *start = CR_PUSH(r.arena, int, count + 1);
  if (!*start) return cr_error_memory(r.error);
  (*start)[0] = 0;
  for (int k = 0; k < count; k++) {
    int64_t end = 0;
    CR_TRY(cr_tets_read_int(&r, type, "the offset of a cell", &end));
    if (end < (*start)[k] || end > INT32_MAX / 64)
      return cr_tets_refuse(&r, "the offset of cell %d is %lld, must not fall nor pass %d", k,
                            (long long)end, INT32_MAX / 64);
    (*start)[k + 1] = (int)end;
  }
  return CAROM_OK;
}

static carom_status read_types(vtu* v, const cr_xml_element* cells) {
  cr_tets_reader r = *v->file.r;
  cr_tets_type type = CR_TETS_NO_TYPE;
  CR_TRY(open_cells(v, cells, "types", v->cells.num, &r, &type));
  for (int k = 0; k < v->cells.num; k++) {
    int64_t number = 0;
    CR_TRY(cr_tets_read_int(&r, type, "the type of a cell", &number));
    v->cells.type[k] = number > 0 && number < 1000 ? (int)number : 0;
  }
  return CAROM_OK;
}

static carom_status read_cells(vtu* v, const cr_xml_element* piece) {
  const cr_xml_element* cells = find_child(piece, "Cells");
  cr_tets_reader r = *v->file.r;
  cr_tets_type type = CR_TETS_NO_TYPE;
  int64_t count = 0;
  int* start;
  if (!cells) return cr_vtu_refuse(&v->file, piece, "there are no Cells");
  CR_TRY(cr_vtu_read_number(&v->file, piece, "NumberOfCells", 0, &count));
  if (count > INT32_MAX / 64)
    return cr_vtu_refuse(&v->file, piece, "NumberOfCells is %lld, must be at most %d",
                         (long long)count, INT32_MAX / 64);
  CR_TRY(read_offsets(v, cells, (int)count, &start));
  CR_TRY(open_cells(v, cells, "connectivity", start[count], &r, &type));
  CR_TRY(cr_vtk_take_cells(v->file.r, (int)count, start[count], &v->cells));
  v->cells.start = start;
  for (int k = 0; k < v->cells.num_entries; k++)
    CR_TRY(cr_tets_read_int(&r, type, "the node of a cell", &v->cells.node[k]));
  return read_types(v, cells);
}

/* --- Data ---------------------------------------------------------------------------------------
 */

/* An array of one number for each point or cell; others are passed over. */
static carom_status read_array(vtu* v, const cr_xml_element* array, bool is_of_cells) {
  cr_tets_reader r = *v->file.r;
  cr_tets_type type = CR_TETS_NO_TYPE;
  int64_t components = 1;
  const char* name = cr_xml_get(array, "Name");
  int count = is_of_cells ? v->cells.num : v->found->num_nodes;
  CR_TRY(cr_vtu_read_number(&v->file, array, "NumberOfComponents", 1, &components));
  if (components != 1 || !name || strcmp(array->name, "DataArray") != 0) return CAROM_OK;
  CR_TRY(open_sized(v, array, count, 1, &r, &type));
  double* value = CR_PUSH(r.arena, double, count);
  size_t length = strlen(name) + 1;
  char* kept = CR_PUSH(r.arena, char, length); /* longer than the elements */
  if (r.arena->failed) return cr_error_memory(r.error);
  memcpy(kept, name, length);
  for (int i = 0; i < count; i++) CR_TRY(cr_tets_read_any(&r, type, "a value of data", &value[i]));
  cr_vtk_data data = {kept, is_of_cells, &v->cells, count, value};
  return cr_vtk_mark_data(v->file.r, v->found, &data);
}

static carom_status read_data(vtu* v, const cr_xml_element* piece, bool is_of_cells) {
  const cr_xml_element* data = find_child(piece, is_of_cells ? "CellData" : "PointData");
  for (const cr_xml_element* array = data ? data->first_child : NULL; array; array = array->next)
    CR_TRY(read_array(v, array, is_of_cells));
  return CAROM_OK;
}

static carom_status read_piece(vtu* v, const cr_xml_element* piece) {
  CR_TRY(read_points(v, piece));
  CR_TRY(read_cells(v, piece));
  CR_TRY(cr_vtk_collect(v->file.r, &v->cells, v->found));
  CR_TRY(read_data(v, piece, true));
  return read_data(v, piece, false);
}

static carom_status read_root(vtu* v, const cr_xml_element* root) {
  const cr_xml_element* piece;
  if (strcmp(root->name, "VTKFile") != 0)
    return cr_vtu_refuse(&v->file, root, "the root is '%.40s', must be 'VTKFile'", root->name);
  CR_TRY(cr_vtu_read_root(&v->file, root));
  CR_TRY(find_piece(v, root, &piece));
  v->file.r->line = piece->line; /* for sentences about cells */
  return read_piece(v, piece);
}

carom_status cr_vtu_read(cr_tets_reader* r, cr_tets_found* found) {
  vtu v = {.file = {.r = r}, .found = found};
  cr_xml_tree tree;
  cr_xml_element* root = NULL;
  char* text = NULL;
  size_t length = 0;
  CR_TRY(cut_appended(&v.file, &text, &length));
  cr_xml_init(&tree, &r->arena->allocator);
  carom_status status = cr_xml_read(
      &tree, &(cr_xml_source){.name = r->name, .text = text, .length = length}, &root, r->error);
  if (status == CAROM_OK) status = read_root(&v, root);
  cr_xml_destroy(&tree);
  return status;
}
