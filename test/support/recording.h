/* Recordings in tests: from text, and damaged ones. */
#ifndef CR_TEST_RECORDING_H
#define CR_TEST_RECORDING_H

#include "carom/record.h"

/* Records MJCF text from its reference configuration on.
 * @param velocities [num_v] at the start; null: at rest
 * @param rate frames a second; 0: every step. The first actuator, if any, swings at 20 rad/s. */
void check_record(const char* path, const char* text, const double* velocities, double duration,
                  double rate);

/* The same into a temporary file, whose name `path` receives: to be unlinked by the caller.
 * @return 0, or -1 where no file can be made: for set-ups of groups of tests */
int check_record_temporary(char path[64], const char* text, double duration, double rate);

/* Opens a recording, or fails. */
carom_recording* check_open_recording(const char* path);

/* Puts a number into a dataset of whole numbers, and expects that the recording is refused with
 * these words. */
void check_damage_number(const char* path, const char* name, int index, int value,
                         const char* words);

/* Makes contacts' offsets senseless from a frame on. */
void check_damage_recording(const char* path, int frame);

/* Takes bodies, joints and geometries out of a recording, as if it were of an early version. */
void check_strip_recording(const char* path);

#endif
