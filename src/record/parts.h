/* What a recording says about the parts of its model: bodies, joints, geometries, actuators, soft
 * bodies and their attachments, sensors. They are written once, at the start, a dataset a column;
 * one table for writer and reader. */
#ifndef CR_RECORD_PARTS_H
#define CR_RECORD_PARTS_H

#include "base/alloc.h"
#include "h5/h5.h"

#include "carom/sensor.h"

#include <stdint.h>

enum { CR_PART_MAX_INTS = 8, CR_PART_MAX_REALS = 23, CR_PART_MAX_COLUMNS = 10 };

typedef enum cr_part_kind {
  CR_PART_BODY,
  CR_PART_JOINT,
  CR_PART_GEOM,
  CR_PART_ACTUATOR,   /* not in early recordings */
  CR_PART_SOFT,       /* only where the model has soft bodies */
  CR_PART_ATTACHMENT, /* only where it has attachments; not in early recordings */
  CR_PART_EQUALITY,   /* only where it has equalities; not in early recordings */
  CR_PART_SENSOR,     /* these only where the model has sensors */
  CR_PART_SENSOR_KIND,
  CR_PART_SENSOR_OBJECT,
  CR_PART_SENSOR_UNIT,
  CR_NUM_PARTS
} cr_part_kind;

/* Whether a kind is there only where the model has such parts. */
static inline bool cr_part_is_optional(cr_part_kind kind) { return kind >= CR_PART_SOFT; }

/* A part as numbers, in the order of the columns. Kinds without columns are further texts. */
typedef struct cr_part_row {
  const char* name;
  int32_t ints[CR_PART_MAX_INTS];
  double reals[CR_PART_MAX_REALS];
} cr_part_row;

typedef struct cr_part_column {
  const char* path; /* null ends the table */
  int columns;
  bool is_real;
  const char *unit, *text;
  bool is_late; /* early recordings lack it: zeros */
} cr_part_column;

/* The columns of a kind, those of whole numbers first, and where the names are. */
typedef struct cr_part_spec {
  const char* names;
  int num_ints, num_reals;
  cr_part_column columns[CR_PART_MAX_COLUMNS];
} cr_part_spec;

extern const cr_part_spec cr_part_specs[];

/* Parts as they were read. */
typedef struct cr_part_table {
  int count;
  char* names; /* [count, name_length], each ends with a zero */
  size_t name_length;
  int32_t* ints; /* a column after the other: [count, its columns] */
  double* reals;
} cr_part_table;

/* A part of a model as a row, and back. */
cr_part_row cr_part_get_row(const carom_model* model, cr_part_kind kind, int index);
int cr_part_count(const carom_model* model, cr_part_kind kind);

/* Writes a column of `count` rows: int32 or double cells. False where HDF5 fails. */
bool cr_part_write_column(hid_t file, const cr_part_column* column, int count, const void* cells);

/* Writes all parts of a model.
 * @return CAROM_OK, CAROM_ERROR_FILE or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_parts_write(hid_t file, const carom_model* model, const carom_allocator* allocator);

/* Reads the parts of a kind; none where the recording has none.
 * @return CAROM_OK, CAROM_ERROR_BAD_INPUT or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_parts_read(hid_t file, cr_part_kind kind, const carom_allocator* allocator,
                           cr_part_table* table);

void cr_parts_free(const carom_allocator* allocator, cr_part_kind kind, cr_part_table* table);

/* A row of a table; the index must be in range. */
cr_part_row cr_parts_get(const cr_part_table* table, cr_part_kind kind, int index);

#endif
