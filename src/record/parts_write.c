/* Writing the parts of a model: fixed datasets, made before frames come. */
#include "base/error.h"
#include "record/parts.h"

#include <stdio.h>
#include <string.h>

/* A dataset of `count` rows; true for none. */
static bool write_dataset(hid_t file, const char* path, const hid_t types[2], int count,
                          const cr_part_column* column, const void* cells) {
  hsize_t extent[2] = {(hsize_t)count, column ? (hsize_t)column->columns : 1};
  hid_t space = H5Screate_simple(extent[1] > 1 ? 2 : 1, extent, NULL);
  hid_t link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  hid_t dataset = H5Dcreate2(file, path, types[0], space, link, H5P_DEFAULT, H5P_DEFAULT);
  bool done = dataset >= 0;
  if (done && count > 0)
    done = H5Dwrite(dataset, types[1], H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >= 0;
  if (done && column)
    done = cr_h5_write_text_attribute(dataset, "unit", column->unit) &&
           cr_h5_write_text_attribute(dataset, "description", column->text);
  if (dataset >= 0) H5Dclose(dataset);
  H5Pclose(link), H5Sclose(space);
  return done;
}

bool cr_part_write_column(hid_t file, const cr_part_column* column, int count, const void* cells) {
  const hid_t real[2] = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
  const hid_t whole[2] = {H5T_STD_I32LE, H5T_NATIVE_INT32};
  return write_dataset(file, column->path, column->is_real ? real : whole, count, column, cells);
}

/* Strings of one length, filled up with zeros. */
static carom_status write_names(hid_t file, const carom_model* model, cr_part_kind kind,
                                const carom_allocator* allocator) {
  int count = cr_part_count(model, kind);
  size_t length = 1;
  for (int i = 0; i < count; i++) {
    size_t needed = strlen(cr_part_get_row(model, kind, i).name) + 1;
    if (needed > length) length = needed;
  }
  size_t size = length * (size_t)(count ? count : 1);
  char* text = cr_alloc_zero(allocator, size);
  if (!text) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < count; i++)
    snprintf(text + length * (size_t)i, length, "%s", cr_part_get_row(model, kind, i).name);
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length);
  H5Tset_cset(type, H5T_CSET_UTF8);
  bool done =
      write_dataset(file, cr_part_specs[kind].names, (hid_t[]){type, type}, count, NULL, text);
  H5Tclose(type);
  cr_release(allocator, text, size);
  return done ? CAROM_OK : CAROM_ERROR_FILE;
}

/* One column; `first` is the place of its numbers in a row. */
static carom_status write_column(hid_t file, const carom_model* model, cr_part_kind kind,
                                 const cr_part_column* column, int first,
                                 const carom_allocator* allocator) {
  int count = cr_part_count(model, kind);
  size_t cell = column->is_real ? sizeof(double) : sizeof(int32_t);
  size_t row_size = cell * (size_t)column->columns, size = row_size * (size_t)(count ? count : 1);
  char* cells = cr_alloc(allocator, size);
  if (!cells) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < count; i++) {
    cr_part_row row = cr_part_get_row(model, kind, i);
    const void* from = column->is_real ? (void*)(row.reals + first) : (void*)(row.ints + first);
    memcpy(cells + row_size * (size_t)i, from, row_size);
  }
  bool done = cr_part_write_column(file, column, count, cells);
  cr_release(allocator, cells, size);
  return done ? CAROM_OK : CAROM_ERROR_FILE;
}

static carom_status write_kind(hid_t file, const carom_model* model, cr_part_kind kind,
                               const carom_allocator* allocator) {
  int first[2] = {0, 0};
  if (cr_part_is_optional(kind) && cr_part_count(model, kind) == 0) return CAROM_OK;
  CR_TRY(write_names(file, model, kind, allocator));
  for (const cr_part_column* c = cr_part_specs[kind].columns;
       c < cr_part_specs[kind].columns + CR_PART_MAX_COLUMNS && c->path; c++) {
    CR_TRY(write_column(file, model, kind, c, first[c->is_real], allocator));
    first[c->is_real] += c->columns;
  }
  return CAROM_OK;
}

carom_status cr_parts_write(hid_t file, const carom_model* model,
                            const carom_allocator* allocator) {
  for (int kind = 0; kind < CR_NUM_PARTS; kind++)
    CR_TRY(write_kind(file, model, (cr_part_kind)kind, allocator));
  return CAROM_OK;
}
