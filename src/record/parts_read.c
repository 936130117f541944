/* Reading the parts of a model back. A recording without them, of an earlier version, has none. */
#include "base/copy.h"
#include "base/error.h"
#include "record/parts.h"

#include <limits.h>
#include <string.h>

/* Rows of a dataset with so many columns, or -1 where they are others or are not there. */
static int measure(hid_t dataset, int columns) {
  hsize_t extent[H5S_MAX_RANK] = {0};
  hid_t space = H5Dget_space(dataset);
  int rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
  if (space >= 0) H5Sclose(space);
  bool fits = rank == (columns > 1 ? 2 : 1) && extent[0] <= INT_MAX &&
              (columns == 1 || extent[1] == (hsize_t)columns);
  fits = fits && extent[0] * (hsize_t)columns <= cr_h5_count_stored(dataset);
  return fits ? (int)extent[0] : -1;
}

static bool read_column(hid_t file, const cr_part_column* column, int count, void* cells) {
  if (column->is_late && !cr_h5_exists(file, column->path)) {
    memset(cells, 0,
           (column->is_real ? sizeof(double) : sizeof(int32_t)) * (size_t)column->columns *
               (size_t)count);
    return true;
  }
  hid_t dataset = H5Dopen2(file, column->path, H5P_DEFAULT);
  hid_t type = column->is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
  bool done = dataset >= 0 && measure(dataset, column->columns) == count;
  if (done && count > 0) done = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >= 0;
  if (dataset >= 0) H5Dclose(dataset);
  return done;
}

/* The names, each with a zero at its end whatever the file says. */
static carom_status read_names(hid_t dataset, hid_t type, const carom_allocator* allocator,
                               cr_part_table* table) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type)) return CAROM_ERROR_BAD_INPUT;
  size_t length = H5Tget_size(type) + 1, rows = (size_t)(table->count ? table->count : 1);
  if (length > SIZE_MAX / rows) return CAROM_ERROR_BAD_INPUT;
  table->names = cr_alloc_zero(allocator, length * rows);
  if (!table->names) return CAROM_ERROR_OUT_OF_MEMORY;
  table->name_length = length;
  hid_t memory = H5Tcopy(type);
  H5Tset_size(memory, length);
  bool done = table->count == 0 ||
              H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, table->names) >= 0;
  H5Tclose(memory);
  for (size_t i = 1; i <= rows; i++) table->names[length * i - 1] = '\0';
  return done ? CAROM_OK : CAROM_ERROR_BAD_INPUT;
}

static carom_status open_names(hid_t file, const char* path, const carom_allocator* allocator,
                               cr_part_table* table) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) return CAROM_ERROR_BAD_INPUT;
  hid_t type = H5Dget_type(dataset);
  table->count = measure(dataset, 1);
  carom_status status = CAROM_ERROR_BAD_INPUT;
  if (table->count >= 0 && type >= 0) status = read_names(dataset, type, allocator, table);
  if (table->count < 0) table->count = 0;
  if (type >= 0) H5Tclose(type);
  H5Dclose(dataset);
  return status;
}

static size_t ints_size(cr_part_kind kind, int count) {
  return sizeof(int32_t) * (size_t)cr_part_specs[kind].num_ints * (size_t)(count ? count : 1);
}

static size_t reals_size(cr_part_kind kind, int count) {
  return sizeof(double) * (size_t)cr_part_specs[kind].num_reals * (size_t)(count ? count : 1);
}

static carom_status read_numbers(hid_t file, cr_part_kind kind, const carom_allocator* allocator,
                                 cr_part_table* table) {
  table->ints = cr_alloc(allocator, ints_size(kind, table->count));
  table->reals = cr_alloc(allocator, reals_size(kind, table->count));
  if (!table->ints || !table->reals) return CAROM_ERROR_OUT_OF_MEMORY;
  int32_t* ints = table->ints;
  double* reals = table->reals;
  for (const cr_part_column* c = cr_part_specs[kind].columns;
       c < cr_part_specs[kind].columns + CR_PART_MAX_COLUMNS && c->path; c++) {
    void* cells = c->is_real ? (void*)reals : (void*)ints;
    if (!read_column(file, c, table->count, cells)) return CAROM_ERROR_BAD_INPUT;
    ptrdiff_t taken = (ptrdiff_t)c->columns * table->count;
    if (c->is_real)
      reals += taken;
    else
      ints += taken;
  }
  return CAROM_OK;
}

carom_status cr_parts_read(hid_t file, cr_part_kind kind, const carom_allocator* allocator,
                           cr_part_table* table) {
  memset(table, 0, sizeof *table);
  if (!cr_h5_exists(file, "geoms")) return CAROM_OK;
  if (kind == CR_PART_ACTUATOR && !cr_h5_exists(file, "actuators")) return CAROM_OK;
  const char* group = kind == CR_PART_SOFT         ? "softs"
                      : kind == CR_PART_ATTACHMENT ? "attachments"
                      : kind == CR_PART_EQUALITY   ? "equalities"
                                                   : "sensors";
  if (cr_part_is_optional(kind) && !cr_h5_exists(file, group)) return CAROM_OK;
  CR_TRY(open_names(file, cr_part_specs[kind].names, allocator, table));
  return read_numbers(file, kind, allocator, table);
}

void cr_parts_free(const carom_allocator* allocator, cr_part_kind kind, cr_part_table* table) {
  size_t rows = (size_t)(table->count ? table->count : 1);
  cr_release(allocator, table->names, table->name_length * rows);
  cr_release(allocator, table->ints, ints_size(kind, table->count));
  cr_release(allocator, table->reals, reals_size(kind, table->count));
}

cr_part_row cr_parts_get(const cr_part_table* table, cr_part_kind kind, int index) {
  cr_part_row row = {.name = table->names + table->name_length * (size_t)index};
  const int32_t* ints = table->ints;
  const double* reals = table->reals;
  int32_t* own_ints = row.ints;
  double* own_reals = row.reals;
  for (const cr_part_column* c = cr_part_specs[kind].columns;
       c < cr_part_specs[kind].columns + CR_PART_MAX_COLUMNS && c->path; c++) {
    size_t columns = (size_t)c->columns, all = columns * (size_t)table->count;
    size_t at = columns * (size_t)index;
    if (c->is_real) {
      CR_COPY(own_reals, reals + at, columns);
      own_reals += columns, reals += all;
    } else {
      CR_COPY(own_ints, ints + at, columns);
      own_ints += columns, ints += all;
    }
  }
  return row;
}
