/* The growing datasets of a recording: one table for writer and reader (docs/recording.md). */
#ifndef CR_RECORD_LAYOUT_H
#define CR_RECORD_LAYOUT_H

#include "h5/h5.h"

#define CR_RECORD_FORMAT  "carom recording"
#define CR_RECORD_VERSION 1

/* What a cell of a dataset holds. */
typedef enum cr_cell {
  CR_CELL_REAL, /* double */
  CR_CELL_INT,  /* int32_t */
  CR_CELL_WIDE, /* int64_t */
  CR_CELL_BYTE, /* int8_t */
} cr_cell;

/* Numbers of columns that depend on the model. */
enum {
  CR_COUNT_Q = -1,
  CR_COUNT_V = -2,
  CR_COUNT_CTRL = -3,
  CR_COUNT_BODIES = -4,
  CR_COUNT_READINGS = -5,
  CR_COUNT_ACT = -6,
  CR_COUNT_ATTACHMENTS = -7,
  CR_COUNT_REACTING_JOINTS = -8,
  CR_COUNT_REACTING_EQUALITIES = -9
};

typedef struct cr_record_sizes {
  int num_q, num_v, num_ctrl, num_bodies, num_readings, num_act, num_attachments;
  int num_reacting_joints, num_reacting_equalities; /* all, or none */
} cr_record_sizes;

/* The streams; those of contacts and their areas come last, so that a reader who looks at them in
 * this order sees the contacts of every frame that it has seen. */
typedef enum cr_stream_id {
  CR_STREAM_TIME,
  CR_STREAM_Q,
  CR_STREAM_V,
  CR_STREAM_CTRL,
  CR_STREAM_POSE,
  CR_STREAM_ENERGY,
  CR_STREAM_STEPS,
  CR_STREAM_SUBSTEPS,
  CR_STREAM_ITERATIONS,
  CR_STREAM_OUTER_ITERATIONS,
  CR_STREAM_BOUND,
  CR_STREAM_RESIDUAL,
  CR_STREAM_STICK_SLIP,
  CR_STREAM_WORK,
  CR_STREAM_WALL_TIME,
  CR_STREAM_COM, /* this one and the next three are not in early recordings */
  CR_STREAM_MOMENTUM,
  CR_STREAM_SENSORS,        /* only where the model has sensors */
  CR_STREAM_ACT,            /* only where it has activations */
  CR_STREAM_REACTION,       /* only where it has attachments; not in early recordings */
  CR_STREAM_JOINT_REACTION, /* this one and the next only where asked for */
  CR_STREAM_EQUALITY_REACTION,
  CR_STREAM_AREA_OFFSET, /* as the next; not in early recordings */
  CR_STREAM_OFFSET,      /* the last one of frames: one row more than there are frames */
  CR_STREAM_GEOM,
  CR_STREAM_POINT,
  CR_STREAM_NORMAL,
  CR_STREAM_IMPULSE,
  CR_STREAM_DISTANCE,
  CR_STREAM_SLIP,
  CR_STREAM_STATE,
  CR_STREAM_MOMENT, /* this one and the next are not in early recordings */
  CR_STREAM_AREA,
  CR_STREAM_AREA_ERROR,
  CR_STREAM_SHARED,
  CR_STREAM_TRIANGLE, /* of areas; not in early recordings */
  CR_NUM_STREAMS
} cr_stream_id;

#define CR_FIRST_CONTACT_STREAM CR_STREAM_GEOM
#define CR_END_CONTACT_STREAM   CR_STREAM_TRIANGLE

typedef struct cr_stream_spec {
  const char* path;
  cr_cell cell;
  int columns, columns2; /* beside the growing dimension; 0: none, negative: CR_COUNT_* */
  const char* unit;
  const char* text; /* attribute `description` */
} cr_stream_spec;

extern const cr_stream_spec cr_stream_specs[];

/* Whether a recording may lack a stream. */
static inline bool cr_stream_is_optional(int id) {
  return id == CR_STREAM_COM || id == CR_STREAM_MOMENTUM || id == CR_STREAM_SENSORS ||
         id == CR_STREAM_MOMENT || id == CR_STREAM_ACT || id == CR_STREAM_REACTION ||
         id == CR_STREAM_JOINT_REACTION || id == CR_STREAM_EQUALITY_REACTION ||
         id == CR_STREAM_AREA || id == CR_STREAM_AREA_ERROR || id == CR_STREAM_SHARED ||
         id == CR_STREAM_AREA_OFFSET || id == CR_STREAM_TRIANGLE;
}

/* The shape of one row. */
typedef struct cr_row_shape {
  int rank;        /* of the dataset: 1 to 3 */
  hsize_t dims[3]; /* [0] is left for the number of rows */
  size_t cells;    /* of a row */
  size_t bytes;    /* of a row in memory */
} cr_row_shape;

cr_row_shape cr_stream_compute_shape(const cr_stream_spec* spec, const cr_record_sizes* sizes);

/* Types of a cell in the file (little endian) and in memory; not to be closed. */
hid_t cr_cell_get_file_type(cr_cell cell);
hid_t cr_cell_get_memory_type(cr_cell cell);

/* Reads or writes rows [start, start + count) of a dataset; true for no rows. */
bool cr_stream_read_rows(hid_t dataset, const cr_stream_spec* spec, const cr_row_shape* shape,
                         hsize_t start, hsize_t count, void* rows);
bool cr_stream_write_rows(hid_t dataset, const cr_stream_spec* spec, const cr_row_shape* shape,
                          hsize_t start, hsize_t count, const void* rows);

#endif
