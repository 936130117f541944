/* A recording at any time between its frames. */
#ifndef RENDER_TRACK_H
#define RENDER_TRACK_H

#include "carom/record.h"

typedef struct render_track {
  carom_recording* recording;
  carom_recording_info info;
  double* times;   /* [num_frames] s; NaN: not read yet */
  double* poses;   /* [7 num_bodies] at the time last sought */
  double* next;    /* [7 num_bodies] of the frame after */
  double* q[2];    /* [num_q] of the frame and the one after; the same where there is none */
  double fraction; /* of the way from one to the other, from 0 to 1 */
  int frame;       /* the one at or before that time */
  int num_contacts;
  const carom_contact* contacts; /* of that frame, alive until the next call, as the next */
  int num_triangles;
  const carom_pressure_triangle* triangles; /* of the areas over which they press */
} render_track;

/* Opens a recording, also one that is being written or was cut off by a kill; one without any frame
 * is an error. */
carom_status render_track_open(const char* path, render_track* track, carom_error* error);

void render_track_close(render_track* track);

/* Goes to a time from `info.start` to `info.end`, s. */
carom_status render_track_seek(render_track* track, double time, carom_error* error);

#endif
