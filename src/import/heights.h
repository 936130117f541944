/* Files of heights over a grid: PNG pictures and MuJoCo's own binary form. */
#ifndef CR_IMPORT_HEIGHTS_H
#define CR_IMPORT_HEIGHTS_H

#include "base/alloc.h"

#include "carom/status.h"

#include <stdio.h>

/* Columns and rows of a file at most, and heights in all. */
#define CR_HEIGHTS_MAX_SIDE  32768
#define CR_HEIGHTS_MAX_COUNT (1 << 26)

/* Heights as the file has them, the row of least y first. */
typedef struct cr_heights {
  int num_columns, num_rows;
  double* height; /* [num_rows num_columns] */
} cr_heights;

/* Reads a whole file: a picture where it begins like a PNG, whose brightness (of 256 steps, as
 * MuJoCo reads it) is the height and whose last row is the first, else two 32-bit integers, the
 * numbers of rows and of columns, and a float for each height.
 * @param name for sentences
 * @param heights to be freed with cr_heights_release, whatever the result */
carom_status cr_heights_read(FILE* file, const char* name, const carom_allocator* allocator,
                             cr_heights* heights, carom_error* error);

void cr_heights_release(cr_heights* heights, const carom_allocator* allocator);

/* Reads a PNG from its start; false where it is damaged or too large. */
bool cr_heights_read_png(FILE* file, const carom_allocator* allocator, cr_heights* heights,
                         bool* is_out_of_memory);

/* Makes room for the numbers of columns and rows that are set. */
bool cr_heights_reserve(cr_heights* heights, const carom_allocator* allocator);

#endif
