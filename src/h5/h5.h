/* HDF5 without its habits: nothing is printed, and a failure has a reason in words. */
#ifndef CR_H5_H5_H
#define CR_H5_H5_H

#include "base/arena.h"
#include "base/error.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between begin and end HDF5 prints nothing in this thread; it leaves the reason of its last
 * failure here. Then the host program's own setting is back. */
typedef struct cr_h5_guard {
  H5E_auto2_t report;
  void* data;
  char reason[256]; /* what HDF5 says, from the place where it happened */
  bool is_refused;  /* the file reaches beyond itself, the reason says how */
} cr_h5_guard;

void cr_h5_begin(cr_h5_guard* guard);
void cr_h5_end(const cr_h5_guard* guard);

/* A fixed-length string as an attribute, and as a scalar dataset. */
bool cr_h5_write_text_attribute(hid_t object, const char* name, const char* text);
bool cr_h5_write_text(hid_t group, const char* name, const char* text);

/* A number as an attribute. */
bool cr_h5_write_int_attribute(hid_t object, const char* name, int value);
bool cr_h5_write_real_attribute(hid_t object, const char* name, double value);

/* The number of an attribute; false where there is none. */
bool cr_h5_read_int_attribute(hid_t object, const char* name, int* value);
bool cr_h5_read_real_attribute(hid_t object, const char* name, double* value);

/* Bytes of a string attribute or scalar string dataset without its end, or -1 where there is none.
 */
long cr_h5_measure_text_attribute(hid_t object, const char* name);
long cr_h5_measure_text(hid_t group, const char* name);

/* Reads a string of the measured length into text [length + 1]. */
bool cr_h5_read_text_attribute(hid_t object, const char* name, long length, char* text);
bool cr_h5_read_text(hid_t group, const char* name, long length, char* text);

/* --- Whole datasets and files -------------------------------------------------------------------
 */

/* Opens a file that is there; negative where that cannot be, or where the file reaches beyond
 * itself: the guard's reason says which object of it does so, and how. Refused are external
 * storage, external links, links of a user's own kind, and virtual datasets, wherever in the file
 * they are: nothing of it can lead to other files then. Everything of it is closed with it.
 * @param flags of H5Fopen */
hid_t cr_h5_open(const char* path, unsigned flags, cr_h5_guard* guard);

/* The same for a file that lies in memory, which is copied, for reading. */
hid_t cr_h5_open_image(const void* data, size_t size, cr_h5_guard* guard);

/* Whether a file begins as HDF5 does; false for what is no regular file. */
bool cr_h5_is_file(const char* path);

/* Whether a file can be created, with room for its start. What the system says is clearer than what
 * HDF5 makes of it, and HDF5 1.10 crashes at the end of a program that could not create a file. */
carom_status cr_h5_check_writable(const char* path, carom_error* error);

/* Creates a file, replacing what is there; negative where it cannot be. */
hid_t cr_h5_create(const char* path);

/* Writes out all that HDF5 holds back of a file, so that closing it cannot fail: HDF5 1.10 keeps a
 * file half closed whose last flush fails, and crashes at the end of the program. False where the
 * disk is full; the file is to be abandoned then. */
bool cr_h5_flush(hid_t file);

/* Lets a file go that cannot be written; it is to be closed then. HDF5 would keep it open, try
 * again at the end of the program and crash there; what it still wants to write goes nowhere
 * instead. The file stays as it was flushed last. */
void cr_h5_abandon(hid_t file);

/* True where a group or dataset of this path is there, along the whole path. */
bool cr_h5_exists(hid_t object, const char* path);

/* The most elements that a dataset's stored bytes can be; a damaged file may declare any number,
 * and HDF5 would read them, chunk by chunk that was never written. */
hsize_t cr_h5_count_stored(hid_t dataset);

/* Reads all numbers of a dataset of any shape into the arena.
 * @param count receives how many
 * @return null, or what is wrong with it, to follow its name in a sentence */
const char* cr_h5_load_reals(hid_t object, const char* path, cr_arena* arena, double** values,
                             int64_t* count);
const char* cr_h5_load_ints(hid_t object, const char* path, cr_arena* arena, int** values,
                            int64_t* count);

/* What the functions above say when memory ran out. */
extern const char CR_H5_OUT_OF_MEMORY[];

/* Writes numbers as a dataset of one dimension; groups on the way are made. */
bool cr_h5_save_reals(hid_t object, const char* path, const double* values, int64_t count);
bool cr_h5_save_ints(hid_t object, const char* path, const int* values, int64_t count);

#endif
