/* Small pieces of HDF5: error reports, strings, scalar attributes. */
#include "h5/h5.h"

#include <stdio.h>
#include <string.h>

/* --- Errors -------------------------------------------------------------------------------------
 */

/* The first entry of a walk upwards is where the failure began. Where it holds what the system
 * says, that is all that matters. */
static herr_t take_reason(unsigned n, const H5E_error2_t* entry, void* data) {
  static const char SYSTEM[] = "error message = '";
  cr_h5_guard* guard = data;
  if (n > 0 || !entry->desc || guard->is_refused) return 0;
  const char* system = strstr(entry->desc, SYSTEM);
  const char* text = system ? system + strlen(SYSTEM) : entry->desc;
  int length = (int)strcspn(text, system ? "'\n" : "\n");
  snprintf(guard->reason, sizeof guard->reason, "%.*s", length, text);
  return 0;
}

static herr_t take_failure(hid_t stack, void* data) {
  return H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, data);
}

void cr_h5_begin(cr_h5_guard* guard) {
  H5Eget_auto2(H5E_DEFAULT, &guard->report, &guard->data);
  H5Eset_auto2(H5E_DEFAULT, take_failure, guard);
  guard->is_refused = false;
  snprintf(guard->reason, sizeof guard->reason, "no reason is given");
}

void cr_h5_end(const cr_h5_guard* guard) { H5Eset_auto2(H5E_DEFAULT, guard->report, guard->data); }

/* --- Writing ------------------------------------------------------------------------------------
 */

static hid_t make_text_type(size_t length) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool cr_h5_write_text_attribute(hid_t object, const char* name, const char* text) {
  hid_t type = make_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  return done;
}

bool cr_h5_write_text(hid_t group, const char* name, const char* text) {
  hid_t type = make_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
  hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  if (dataset >= 0) H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(type);
  return done;
}

static bool write_number(hid_t object, const char* name, hid_t file_type, hid_t type,
                         const void* value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return done;
}

bool cr_h5_write_int_attribute(hid_t object, const char* name, int value) {
  return write_number(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

bool cr_h5_write_real_attribute(hid_t object, const char* name, double value) {
  return write_number(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

/* --- Reading ------------------------------------------------------------------------------------
 */

static hid_t open_attribute(hid_t object, const char* name) {
  return H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
}

/* Whether a space, which is closed, has exactly one element: what is read of it then has the size
 * of its type. */
static bool is_single(hid_t space) {
  bool single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
  if (space >= 0) H5Sclose(space);
  return single;
}

static bool read_number(hid_t object, const char* name, hid_t type, void* value) {
  hid_t attribute = open_attribute(object, name);
  if (attribute < 0) return false;
  bool done = is_single(H5Aget_space(attribute)) && H5Aread(attribute, type, value) >= 0;
  H5Aclose(attribute);
  return done;
}

bool cr_h5_read_int_attribute(hid_t object, const char* name, int* value) {
  return read_number(object, name, H5T_NATIVE_INT, value);
}

bool cr_h5_read_real_attribute(hid_t object, const char* name, double* value) {
  return read_number(object, name, H5T_NATIVE_DOUBLE, value);
}

/* The size of a fixed-length string type, which is closed; -1 for any other. */
static long measure_type(hid_t type) {
  long size = -1;
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0)
    size = (long)H5Tget_size(type);
  if (type >= 0) H5Tclose(type);
  return size;
}

long cr_h5_measure_text_attribute(hid_t object, const char* name) {
  hid_t attribute = open_attribute(object, name);
  if (attribute < 0) return -1;
  long size = is_single(H5Aget_space(attribute)) ? measure_type(H5Aget_type(attribute)) : -1;
  H5Aclose(attribute);
  return size;
}

long cr_h5_measure_text(hid_t group, const char* name) {
  hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
  if (dataset < 0) return -1;
  long size = is_single(H5Dget_space(dataset)) ? measure_type(H5Dget_type(dataset)) : -1;
  if (size > 0 && cr_h5_count_stored(dataset) == 0) size = -1;
  H5Dclose(dataset);
  return size;
}

bool cr_h5_read_text_attribute(hid_t object, const char* name, long length, char* text) {
  hid_t attribute = open_attribute(object, name), type = make_text_type((size_t)length);
  bool done = attribute >= 0 && H5Aread(attribute, type, text) >= 0;
  text[length] = '\0';
  H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  return done;
}

bool cr_h5_read_text(hid_t group, const char* name, long length, char* text) {
  hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT), type = make_text_type((size_t)length);
  bool done = dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  text[length] = '\0';
  H5Tclose(type);
  if (dataset >= 0) H5Dclose(dataset);
  return done;
}
