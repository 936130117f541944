/* Tables with rows of their own: contact points of frames, and what bodies do to each other. */
#ifndef CR_CONVERT_TABLE_CONTACTS_H
#define CR_CONVERT_TABLE_CONTACTS_H

#include "io/file.h"

#include "carom/record.h"

/* Numbers after a comma each. */
void cr_table_put_numbers(cr_file* file, const double* values, int count);

/* A row for each contact point of a frame.
 * @param dt s, of the step */
void cr_table_put_points_header(cr_file* file);
void cr_table_put_points(cr_file* file, const carom_frame* frame, double dt);

/* A row for each pair of bodies that touch in a frame; -1: a soft body. */
void cr_table_put_pairs_header(cr_file* file);
void cr_table_put_pairs(cr_file* file, const carom_recording* recording, const carom_frame* frame);

#endif
