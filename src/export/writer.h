/* A scene on its way into a file: elements and attributes, names of parts, remarks. */
#ifndef CR_EXPORT_WRITER_H
#define CR_EXPORT_WRITER_H

#include "io/file.h"
#include "model/model.h"
#include "model/record.h"

#include "carom/scene.h"

/* A name, whole or made up. */
#define CR_NAME_ROOM 300
typedef struct cr_part_name {
  char text[CR_NAME_ROOM];
} cr_part_name;

enum { CR_MAX_REMARKS = 40 };

typedef struct cr_writer {
  const carom_builder* builder;
  const carom_model* model; /* what the builder compiles into */
  carom_error* error;
  cr_file file;
  int depth;                 /* of the element that is open */
  bool is_open;              /* its tag is, so that attributes may follow */
  bool* named[CR_NUM_PARTS]; /* [records of the part] other parts name it, so it needs a name */
  int* body_index;           /* [body records] place in the model */
  const carom_write_def* def;
  const char* told[CR_MAX_REMARKS]; /* remarks that were made */
  int num_told;
} cr_writer;

/* Opens an element within the one that is open, and closes it again. */
void cr_write_open(cr_writer* w, const char* name);
void cr_write_close(cr_writer* w, const char* name);

/* Attributes of the element just opened. Numbers read back to the same double. */
void cr_write_text(cr_writer* w, const char* name, const char* value);
void cr_write_number(cr_writer* w, const char* name, double value);
void cr_write_numbers(cr_writer* w, const char* name, const double* values, int count);
void cr_write_integer(cr_writer* w, const char* name, int64_t value);

/* The same where the value is another than the format's default. */
void cr_write_number_but(cr_writer* w, const char* name, double value, double usual);

/* The factors of the first three powers, as many as there are; nothing where all are zero. */
void cr_write_powers(cr_writer* w, const char* name, double first, const double more[2]);
void cr_write_vector_but_zero(cr_writer* w, const char* name, const double* x);
void cr_write_quaternion_but_one(cr_writer* w, const char* name, const double* q);

/* Tells once what the format does not hold; `text` lives on. */
void cr_write_remark(cr_writer* w, const char* text);

/* The name of a record: its own, else a made-up one that no other part has. */
cr_part_name cr_writer_name(const cr_writer* w, cr_part part, int record);

/* Writes name="..." where the record has a name or needs one. */
void cr_write_name(cr_writer* w, cr_part part, int record);

/* Writes an attribute that names another part. */
void cr_write_reference(cr_writer* w, const char* attribute, cr_part part, int record);

/* The list of the records of a part that names are asked of. */
const cr_list* cr_writer_list(const cr_writer* w, cr_part part);

/* The body of the model that a record became. */
static inline int cr_writer_body(const cr_writer* w, int record) { return w->body_index[record]; }

/* The formats. */
carom_status cr_write_mjcf(cr_writer* w);
carom_status cr_write_urdf(cr_writer* w);

/* The least height of a height field, and how far the others reach above it. */
double cr_mjcf_find_lowest(const cr_trisurface* field, double* span);

/* Parts of an MJCF file. */
void cr_mjcf_write_assets(cr_writer* w);
void cr_mjcf_write_bodies(cr_writer* w);
void cr_mjcf_write_relations(cr_writer* w);
void cr_mjcf_write_tendons(cr_writer* w);
void cr_mjcf_write_actuators(cr_writer* w);
void cr_mjcf_write_extensions(cr_writer* w);
void cr_mjcf_write_sensors(cr_writer* w);

#endif
