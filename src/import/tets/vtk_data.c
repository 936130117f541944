/* CELL_DATA and POINT_DATA of legacy VTK files: arrays of one number make regions, others are
 * passed over. Tables of colours and texts end the reading: where they end is not told. */
#include "import/tets/vtk_data.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

cr_tets_type cr_vtk_type_of_name(const char* name) {
  static const struct {
    const char* name;
    cr_tets_type type;
  } NAMES[] = {
      {"double", CR_TETS_FLOAT64},     {"float", CR_TETS_FLOAT32},
      {"int", CR_TETS_INT32},          {"unsigned_int", CR_TETS_UINT32},
      {"vtkIdType", CR_TETS_INT32},    {"vtktypeint64", CR_TETS_INT64},
      {"long", CR_TETS_INT64},         {"unsigned_long", CR_TETS_UINT64},
      {"short", CR_TETS_INT16},        {"unsigned_short", CR_TETS_UINT16},
      {"char", CR_TETS_INT8},          {"unsigned_char", CR_TETS_UINT8},
      {"signed_char", CR_TETS_INT8},   {"vtktypeuint64", CR_TETS_UINT64},
      {"vtktypeint32", CR_TETS_INT32}, {"vtktypeuint32", CR_TETS_UINT32},
  };
  for (size_t k = 0; name && k < sizeof NAMES / sizeof NAMES[0]; k++)
    if (strcasecmp(NAMES[k].name, name) == 0) return NAMES[k].type;
  return CR_TETS_NO_TYPE;
}

typedef struct reading {
  cr_tets_reader* r;
  cr_tets_found* found;
  const cr_vtk_cells* cells;
  bool is_binary, is_of_cells, is_done;
  int count; /* of the section */
} reading;

/* An array of `count` tuples. */
typedef struct array {
  const char* name;
  cr_tets_type type;
  int components, count;
} array;

static carom_status read_values(reading* d, const array* a) {
  cr_tets_reader* r = d->r;
  double* value = CR_PUSH(r->arena, double, a->count);
  if (!value) return cr_error_memory(r->error);
  if (d->is_binary) cr_tets_skip_line(r);
  r->is_binary = d->is_binary;
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < a->components; k++)
      CR_TRY(cr_tets_read_any(r, a->type, "a value of data", &value[i]));
  r->is_binary = false;
  cr_vtk_data data = {a->name, d->is_of_cells, d->cells, a->count, value};
  bool is_of_all = a->count == (d->is_of_cells ? d->cells->num : d->found->num_nodes);
  return a->components == 1 && is_of_all ? cr_vtk_mark_data(r, d->found, &data) : CAROM_OK;
}

/* Names are written like addresses, "%20" for a blank. */
static void decode_name(char* name) {
  char* to = name;
  for (const char* c = name; *c; c++) {
    char digits[3] = {c[0] == '%' ? c[1] : '\0', c[0] == '%' && c[1] ? c[2] : '\0'}, *end;
    long code = strtol(digits, &end, 16);
    bool is_code = end == digits + 2 && code > 0;
    *to++ = is_code ? (char)code : *c;
    c += is_code ? 2 : 0;
  }
  *to = '\0';
}

static carom_status read_name(reading* d, const char** name) {
  char* word = NULL;
  CR_TRY(cr_tets_read_word(d->r, "the name of an array", &word));
  decode_name(word);
  *name = word;
  return CAROM_OK;
}

static carom_status read_type(reading* d, array* a) {
  char* word = NULL;
  CR_TRY(cr_tets_read_word(d->r, "the type of numbers", &word));
  a->type = cr_vtk_type_of_name(word);
  d->is_done = a->type == CR_TETS_NO_TYPE;
  return CAROM_OK;
}

/* Ends with an empty line. */
static void skip_metadata(cr_tets_reader* r) {
  cr_tets_skip_line(r);
  while (r->at < r->end && *r->at != '\n' && *r->at != '\r') cr_tets_skip_line(r);
}

/* FIELD: any number of arrays with their own sizes. */
static carom_status read_field(reading* d) {
  array a = {.name = NULL};
  int num_arrays = 0;
  CR_TRY(read_name(d, &a.name));
  CR_TRY(cr_tets_read_count(d->r, CR_TETS_NO_TYPE, "the number of arrays", &num_arrays));
  for (int i = 0; i < num_arrays; i++) {
    if (cr_tets_accept(d->r, "METADATA")) skip_metadata(d->r);
    CR_TRY(read_name(d, &a.name));
    CR_TRY(cr_tets_read_count(d->r, CR_TETS_NO_TYPE, "the number of components", &a.components));
    CR_TRY(cr_tets_read_count(d->r, CR_TETS_NO_TYPE, "the number of tuples", &a.count));
    CR_TRY(read_type(d, &a));
    if (d->is_done) return CAROM_OK;
    CR_TRY(read_values(d, &a));
  }
  return CAROM_OK;
}

/* The number of components may stand behind the type, and a table's name on the next line. */
static carom_status read_scalars(reading* d) {
  array a = {.components = 1, .count = d->count};
  char* table = NULL;
  CR_TRY(read_name(d, &a.name));
  CR_TRY(read_type(d, &a));
  for (int k = 1; k <= 4; k++) {
    char digit[2] = {(char)('0' + k), '\0'};
    if (!d->is_done && cr_tets_accept(d->r, digit)) a.components = k;
  }
  if (!d->is_done && !cr_tets_accept(d->r, "LOOKUP_TABLE"))
    return cr_tets_refuse(d->r, "there is no LOOKUP_TABLE behind SCALARS");
  if (d->is_done) return CAROM_OK;
  CR_TRY(cr_tets_read_word(d->r, "the name of a table", &table));
  return read_values(d, &a);
}

static carom_status read_plain(reading* d, int components) {
  array a = {.components = components, .count = d->count};
  CR_TRY(read_name(d, &a.name));
  CR_TRY(read_type(d, &a));
  return d->is_done ? CAROM_OK : read_values(d, &a);
}

/* The next section or array; what is none of them ends the reading. */
static carom_status read_next(reading* d) {
  static const struct {
    const char* word;
    int components;
  } PLAIN[] = {{"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},
               {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"TENSORS6", 6}};
  bool is_of_cells = cr_tets_accept(d->r, "CELL_DATA");
  if (is_of_cells || cr_tets_accept(d->r, "POINT_DATA")) {
    d->is_of_cells = is_of_cells;
    return cr_tets_read_count(d->r, CR_TETS_NO_TYPE, "the number of tuples", &d->count);
  }
  if (cr_tets_accept(d->r, "FIELD")) return read_field(d);
  if (cr_tets_accept(d->r, "SCALARS")) return read_scalars(d);
  for (size_t k = 0; k < sizeof PLAIN / sizeof PLAIN[0]; k++)
    if (cr_tets_accept(d->r, PLAIN[k].word)) return read_plain(d, PLAIN[k].components);
  if (!cr_tets_accept(d->r, "METADATA")) d->is_done = true;
  if (!d->is_done) skip_metadata(d->r);
  return CAROM_OK;
}

carom_status cr_vtk_read_data(cr_tets_reader* r, cr_tets_found* found, const cr_vtk_cells* cells,
                              bool is_binary) {
  reading d = {.r = r, .found = found, .cells = cells, .is_binary = is_binary};
  while (!d.is_done) CR_TRY(read_next(&d));
  return CAROM_OK;
}
