/** @file
 * Tables of frames in CSV (RFC 4180): a header row, then a row a frame, time first.
 *
 * Numbers have 17 digits, so that a program that reads them gets the same doubles. `docs/export.md`
 * lists the columns with their units.
 */
#ifndef CAROM_TABLE_H
#define CAROM_TABLE_H

#include "carom/record.h"

CAROM_BEGIN_DECLS

/** Writes a table. */
typedef struct carom_table carom_table;

/** Groups of columns; a table holds any of them, in this order. Time always comes first. */
typedef enum carom_table_columns {
  CAROM_TABLE_Q = 1,         /**< coordinates, named after joints (or their bodies) */
  CAROM_TABLE_V = 2,         /**< velocities, likewise */
  CAROM_TABLE_CTRL = 4,      /**< controls, named after actuators; of a recording: actuator0, ... */
  CAROM_TABLE_POSES = 8,     /**< of all bodies but the world: position m, quaternion w x y z */
  CAROM_TABLE_ENERGY = 16,   /**< J: kinetic, potential, elastic; dissipated since the start */
  CAROM_TABLE_CONTACTS = 32, /**< number of contact points */
  CAROM_TABLE_SOLVER = 64,   /**< iterations, residual */
  CAROM_TABLE_STEPS = 128,   /**< the other figures of the steps since the frame before */
  CAROM_TABLE_SENSORS = 512, /**< readings, named after sensors; none where there are no sensors */
  CAROM_TABLE_REACTIONS = 1024,       /**< of attachments of soft bodies, named after them: force N,
                                         moment N m; none where there are no attachments */
  CAROM_TABLE_JOINT_REACTIONS = 2048, /**< of joints, named after them, likewise; none where the
                                         recording does not hold them */
  CAROM_TABLE_EQUALITY_REACTIONS = 4096, /**< of equalities, named after them, likewise */
  CAROM_TABLE_PAIRS = 8192, /**< stands alone: a row for each two bodies that touch in a frame; the
                               recording must outlive the table */
  CAROM_TABLE_POINTS = 256, /**< stands alone: a row for each contact point of each frame */
} carom_table_columns;

/** The columns of `carom run --csv`: q, v, energy, contacts, solver, sensors, reactions. */
#define CAROM_TABLE_DEFAULT                                                    \
  (CAROM_TABLE_Q | CAROM_TABLE_V | CAROM_TABLE_ENERGY | CAROM_TABLE_CONTACTS | \
   CAROM_TABLE_SOLVER | CAROM_TABLE_SENSORS | CAROM_TABLE_REACTIONS)

/** What a table is made of. */
typedef struct carom_table_def {
  uint32_t cookie;
  carom_allocator allocator;
  const carom_model* model;         /**< names of the columns: one of a model and ... */
  const carom_recording* recording; /**< ... a recording; must outlive the creation only */
  unsigned columns;                 /**< carom_table_columns, or-ed; CAROM_TABLE_DEFAULT */
} carom_table_def;

CAROM_API carom_table_def carom_table_def_default(void);

/** Creates the file and writes the header.
 * @param path an existing file is replaced
 * @return CAROM_ERROR_FILE when it cannot be created; CAROM_ERROR_INVALID_ARGUMENT */
CAROM_API carom_status carom_table_create(const char* path, const carom_table_def* def,
                                          carom_table** table, carom_error* error);

/** Writes the row of a frame, or its contact points.
 * @param frame arrays of columns that the table has not may be null */
CAROM_API void carom_table_append(carom_table* table, const carom_frame* frame);

/** Closes the file, and frees the table in any case; null is allowed.
 * @param num_bytes receives the size of the file; may be null
 * @return CAROM_ERROR_FILE when something could not be written, now or before */
CAROM_API carom_status carom_table_close(carom_table* table, int64_t* num_bytes,
                                         carom_error* error);

CAROM_END_DECLS

#endif
