/* VTK's HDF5 files, version 2.0 of their format. Every array of all steps stands in one dataset,
 * and the group Steps says where each step's part begins; what does not change is there once, and
 * all steps begin at it. */
#include "convert/vtk_hdf.h"

#include <stdio.h>
#include <string.h>

enum { FEWEST_ROWS = 64, MOST_ROWS = 16384, LEVEL = 4 };

static carom_status fail(cr_vtk_hdf* h, carom_error* error) {
  h->has_failed = true;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.250s: cannot be written: %s", h->path,
                      h->guard.reason);
}

static hid_t get_file_type(cr_vtk_type type) {
  hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U8LE};
  return types[type];
}

static hid_t get_memory_type(cr_vtk_type type) {
  hid_t types[] = {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64,
                   H5T_NATIVE_UINT8};
  return types[type];
}

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Chunks of about as many rows as come at a time. */
static hid_t make_creation(int rank, int components, int64_t rows) {
  hsize_t chunk[2] = {(hsize_t)(rows < FEWEST_ROWS ? FEWEST_ROWS
                                : rows > MOST_ROWS ? MOST_ROWS
                                                   : rows),
                      (hsize_t)components};
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, rank, chunk);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, LEVEL);
  }
  return creation;
}

/* @param rows that come at a time, about
 * Several components are a second dimension. */
static bool create_column(cr_vtk_column* c, hid_t group, const char* path, cr_vtk_type type,
                          int components, int64_t rows) {
  int rank = components > 1 ? 2 : 1;
  hsize_t extent[2] = {0, (hsize_t)components}, most[2] = {H5S_UNLIMITED, (hsize_t)components};
  hid_t space = H5Screate_simple(rank, extent, most), link = H5Pcreate(H5P_LINK_CREATE);
  hid_t creation = make_creation(rank, components, rows);
  H5Pset_create_intermediate_group(link, 1);
  *c = (cr_vtk_column){.type = get_memory_type(type), .components = components};
  c->dataset = H5Dcreate2(group, path, get_file_type(type), space, link, creation, H5P_DEFAULT);
  H5Pclose(creation), H5Pclose(link), H5Sclose(space);
  return c->dataset >= 0;
}

static bool append(cr_vtk_column* c, const void* rows, int64_t count) {
  int rank = c->components > 1 ? 2 : 1;
  hsize_t extent[2] = {(hsize_t)count, (hsize_t)c->components}, start[2] = {c->count, 0};
  hsize_t whole[2] = {c->count + (hsize_t)count, (hsize_t)c->components};
  if (count == 0) return true;
  if (H5Dset_extent(c->dataset, whole) < 0) return false;
  hid_t memory = H5Screate_simple(rank, extent, NULL), file = H5Dget_space(c->dataset);
  H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, extent, NULL);
  bool done = H5Dwrite(c->dataset, c->type, memory, file, H5P_DEFAULT, rows) >= 0;
  H5Sclose(memory), H5Sclose(file);
  c->count += (hsize_t)count;
  return done;
}

static bool append_number(cr_vtk_column* c, int64_t value) { return append(c, &value, 1); }

/* --- Layout -------------------------------------------------------------------------------------
 */

static int count_kinds(const cr_vtk_hdf* h) {
  return h->kind == CR_VTK_SOLID ? 1 : CR_VTK_NUM_CELL_KINDS;
}

static bool create_cells(cr_vtk_hdf* h, int64_t rows) {
  static const char* const KINDS[] = {"Vertices/", "Lines/", "Polygons/", "Strips/"};
  static const char* const COLUMNS[] = {"NumberOfCells", "NumberOfConnectivityIds", "Offsets",
                                        "Connectivity"};
  char path[64];
  bool is_grid = h->kind == CR_VTK_SOLID;
  for (int kind = 0; kind < count_kinds(h); kind++)
    for (int k = 0; k < CR_VTK_NUM_CELL_COLUMNS; k++) {
      snprintf(path, sizeof path, "%s%s", is_grid ? "" : KINDS[kind], COLUMNS[k]);
      if (!create_column(&h->cells[kind][k], h->group, path, CR_VTK_INT64, 1,
                         k < CR_VTK_CELL_OFFSETS ? 1 : rows))
        return false;
    }
  return !is_grid || create_column(&h->types, h->group, "Types", CR_VTK_UINT8, 1, rows);
}

static bool create_steps(cr_vtk_hdf* h) {
  static const char* const COLUMNS[] = {"Values",       "PartOffsets", "NumberOfParts",
                                        "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"};
  char path[64];
  for (int k = 0; k < CR_VTK_NUM_STEP_COLUMNS; k++) {
    snprintf(path, sizeof path, "Steps/%s", COLUMNS[k]);
    cr_vtk_type type = k == CR_VTK_STEP_TIME ? CR_VTK_FLOAT64 : CR_VTK_INT64;
    if (!create_column(&h->steps[k], h->group, path, type,
                       k >= CR_VTK_STEP_CELLS ? count_kinds(h) : 1, 1))
      return false;
  }
  return true;
}

/* Readers want texts as ASCII, padded with zeros. */
static bool write_ascii(hid_t object, const char* name, const char* text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space), H5Tclose(type);
  return done;
}

/* An array, and where the steps begin in it; one that is called Normals is marked as such. */
static bool create_data(cr_vtk_hdf* h, const cr_vtk_mesh* mesh, int slot) {
  const cr_vtk_array* a = &mesh->slots[slot];
  const char* kind = slot < mesh->num_point_slots ? "Point" : "Cell";
  char path[128];
  snprintf(path, sizeof path, "%sData/%s", kind, a->name);
  if (!create_column(&h->data[slot], h->group, path, a->type, a->components, a->count))
    return false;
  if (strcmp(a->name, "Normals") == 0 &&
      !write_ascii(h->data[slot].dataset, "Attribute", "Normals"))
    return false;
  snprintf(path, sizeof path, "Steps/%sDataOffsets/%s", kind, a->name);
  return create_column(&h->starts[slot], h->group, path, CR_VTK_INT64, 1, 1);
}

static bool create_all(cr_vtk_hdf* h, const cr_vtk_mesh* mesh) {
  const cr_vtk_array* points = &mesh->slots[CR_VTK_SLOT_POSITIONS];
  bool done = create_column(&h->data[CR_VTK_SLOT_POSITIONS], h->group, "Points", points->type, 3,
                            points->count) &&
              create_column(&h->num_points, h->group, "NumberOfPoints", CR_VTK_INT64, 1, 1) &&
              create_cells(h, mesh->num_cells) && create_steps(h);
  for (int i = CR_VTK_FIRST_DATA; i < mesh->num_slots && done; i++) done = create_data(h, mesh, i);
  return done;
}

static bool write_version(hid_t group) {
  const int version[2] = {2, 0};
  hsize_t extent = 2;
  hid_t space = H5Screate_simple(1, &extent, NULL);
  hid_t attribute = H5Acreate2(group, "Version", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, version) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return done;
}

static carom_status create(cr_vtk_hdf* h, carom_error* error) {
  h->file = cr_h5_create(h->path);
  if (h->file < 0) return fail(h, error);
  h->group = H5Gcreate2(h->file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const char* type = h->kind == CR_VTK_SOLID ? "UnstructuredGrid" : "PolyData";
  bool done = h->group >= 0 && write_version(h->group) && write_ascii(h->group, "Type", type);
  return done ? CAROM_OK : fail(h, error);
}

carom_status cr_vtk_hdf_create(cr_vtk_hdf* hdf, const char* path, cr_vtk_kind kind,
                               carom_error* error) {
  *hdf =
      (cr_vtk_hdf){.path = path, .kind = kind, .file = H5I_INVALID_HID, .group = H5I_INVALID_HID};
  CR_TRY(cr_h5_check_writable(path, error));
  cr_h5_begin(&hdf->guard);
  carom_status status = create(hdf, error);
  cr_h5_end(&hdf->guard);
  return status;
}

/* --- Steps --------------------------------------------------------------------------------------
 */

/* Where the next part of each kind of cells begins: among the cells, among their points. */
static bool append_cell_starts(cr_vtk_hdf* h, bool is_new) {
  int64_t cells[CR_VTK_NUM_CELL_KINDS] = {0}, ids[CR_VTK_NUM_CELL_KINDS] = {0};
  for (int kind = 0; kind < count_kinds(h) && is_new; kind++) {
    cells[kind] = (int64_t)(h->cells[kind][CR_VTK_CELL_OFFSETS].count -
                            h->cells[kind][CR_VTK_NUM_CELLS].count);
    ids[kind] = (int64_t)h->cells[kind][CR_VTK_CELL_IDS].count;
  }
  return append(&h->steps[CR_VTK_STEP_CELLS], cells, 1) &&
         append(&h->steps[CR_VTK_STEP_IDS], ids, 1);
}

/* A part: its number of points, and its cells, of one of the kinds. */
static bool append_part(cr_vtk_hdf* h, const cr_vtk_mesh* mesh) {
  static const int64_t ZERO = 0;
  const cr_vtk_array *ids = &mesh->slots[CR_VTK_SLOT_CONNECTIVITY],
                     *offsets = &mesh->slots[CR_VTK_SLOT_OFFSETS];
  int used = mesh->kind == CR_VTK_SURFACE ? CR_VTK_POLYGONS : 0;
  const cr_vtk_array* types = &mesh->slots[CR_VTK_SLOT_TYPES];
  bool done = append_number(&h->num_points, mesh->num_points) &&
              (h->kind != CR_VTK_SOLID || append(&h->types, types->data, types->count));
  for (int kind = 0; kind < count_kinds(h) && done; kind++) {
    cr_vtk_column* c = h->cells[kind];
    bool is_used = kind == used;
    done = append_number(&c[CR_VTK_NUM_CELLS], is_used ? mesh->num_cells : 0) &&
           append_number(&c[CR_VTK_NUM_IDS], is_used ? ids->count : 0) &&
           append(&c[CR_VTK_CELL_OFFSETS], is_used ? offsets->data : &ZERO,
                  is_used ? offsets->count : 1) &&
           append(&c[CR_VTK_CELL_IDS], ids->data, is_used ? ids->count : 0);
  }
  return done;
}

static bool append_data(cr_vtk_hdf* h, const cr_vtk_array* array, int slot, bool is_new) {
  cr_vtk_column* data = &h->data[slot];
  bool is_there = array->is_fixed && !is_new;
  if (slot >= CR_VTK_FIRST_DATA &&
      !append_number(&h->starts[slot], is_there ? 0 : (int64_t)data->count))
    return false;
  return is_there || append(data, array->data, array->count);
}

static bool append_step(cr_vtk_hdf* h, const cr_vtk_mesh* mesh, double time) {
  bool is_first = h->num_steps == 0;
  bool is_new = is_first || !mesh->slots[CR_VTK_SLOT_CONNECTIVITY].is_fixed;
  cr_vtk_column* s = h->steps;
  bool done =
      append(&s[CR_VTK_STEP_TIME], &time, 1) &&
      append_number(&s[CR_VTK_STEP_PART], is_new ? h->num_steps : 0) &&
      append_number(&s[CR_VTK_STEP_PARTS], 1) &&
      append_number(&s[CR_VTK_STEP_POINTS], (int64_t)h->data[CR_VTK_SLOT_POSITIONS].count) &&
      append_cell_starts(h, is_new) && (!is_new || append_part(h, mesh)) &&
      append_data(h, &mesh->slots[CR_VTK_SLOT_POSITIONS], CR_VTK_SLOT_POSITIONS, is_first);
  for (int i = CR_VTK_FIRST_DATA; i < mesh->num_slots && done; i++)
    done = append_data(h, &mesh->slots[i], i, is_first);
  h->num_steps++;
  return done;
}

carom_status cr_vtk_hdf_append(cr_vtk_hdf* hdf, const cr_vtk_mesh* mesh, double time,
                               carom_error* error) {
  cr_h5_begin(&hdf->guard);
  bool done = (hdf->num_steps > 0 || create_all(hdf, mesh)) && append_step(hdf, mesh, time);
  cr_h5_end(&hdf->guard);
  return done ? CAROM_OK : fail(hdf, error);
}

/* The number of steps, and all that HDF5 holds back. */
static bool flush(cr_vtk_hdf* h, int64_t* num_bytes) {
  hsize_t size = 0;
  hid_t steps = h->num_steps > 0 ? H5Gopen2(h->group, "Steps", H5P_DEFAULT) : -1;
  bool done = steps < 0 || cr_h5_write_int_attribute(steps, "NSteps", h->num_steps);
  if (steps >= 0) H5Gclose(steps);
  done = done && cr_h5_flush(h->file) && H5Fget_filesize(h->file, &size) >= 0;
  *num_bytes = (int64_t)size;
  return done;
}

carom_status cr_vtk_hdf_close(cr_vtk_hdf* hdf, int64_t* num_bytes, carom_error* error) {
  if (hdf->file < 0) return CAROM_OK;
  cr_h5_begin(&hdf->guard);
  bool done = !hdf->has_failed && flush(hdf, num_bytes);
  carom_status status = done ? CAROM_OK : fail(hdf, error);
  if (!done) cr_h5_abandon(hdf->file);
  if (H5Fclose(hdf->file) < 0 && done) status = fail(hdf, error);
  cr_h5_end(&hdf->guard);
  hdf->file = H5I_INVALID_HID;
  return status;
}
