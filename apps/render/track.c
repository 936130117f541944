/* A recording at any time: the two frames about it are read, and poses mixed. */
#include "track.h"

#include "common/error.h"
#include "vector.h"

#include <stdlib.h>

carom_status render_track_open(const char* path, render_track* t, carom_error* error) {
  *t = (render_track){0};
  carom_status status = carom_recording_open(path, NULL, &t->recording, error);
  if (status != CAROM_OK) return status;
  t->info = carom_recording_get_info(t->recording);
  if (t->info.num_frames < 1)
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: the recording holds no frame", path);
  size_t size = sizeof *t->poses * 7 * (size_t)t->info.num_bodies;
  t->times = malloc(sizeof *t->times * (size_t)t->info.num_frames);
  t->poses = malloc(size);
  t->next = malloc(size);
  for (int k = 0; k < 2; k++) t->q[k] = malloc(sizeof *t->q[k] * ((size_t)t->info.num_q + 1));
  if (!t->times || !t->poses || !t->next || !t->q[0] || !t->q[1])
    return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  for (int i = 0; i < t->info.num_frames; i++) t->times[i] = NAN;
  return CAROM_OK;
}

void render_track_close(render_track* t) {
  carom_recording_close(t->recording);
  free(t->times);
  free(t->poses);
  free(t->next);
  for (int k = 0; k < 2; k++) free(t->q[k]);
}

static carom_status read_time(render_track* t, int frame, carom_error* error) {
  carom_frame read;
  if (!isnan(t->times[frame])) return CAROM_OK;
  carom_status status = carom_recording_read(t->recording, frame, &read, error);
  if (status == CAROM_OK) t->times[frame] = read.time;
  return status;
}

/* The last frame at or before a time, else the first, by bisection. */
static carom_status find_frame(render_track* t, double time, carom_error* error) {
  int low = 0, high = t->info.num_frames - 1;
  while (low < high) {
    int middle = low + (high - low + 1) / 2;
    carom_status status = read_time(t, middle, error);
    if (status != CAROM_OK) return status;
    if (t->times[middle] <= time)
      low = middle;
    else
      high = middle - 1;
  }
  t->frame = low;
  return read_time(t, low, error);
}

/* Reads a frame: poses and coordinates are copied, contacts live until the next one is read. */
static carom_status read_frame(render_track* t, int index, double* poses, double* q,
                               carom_frame* read, carom_error* error) {
  carom_status status = carom_recording_read(t->recording, index, read, error);
  if (status != CAROM_OK) return status;
  memcpy(poses, read->poses, sizeof *poses * 7 * (size_t)t->info.num_bodies);
  memcpy(q, read->q, sizeof *q * (size_t)t->info.num_q);
  return CAROM_OK;
}

carom_status render_track_seek(render_track* t, double time, carom_error* error) {
  carom_frame read;
  carom_status status = find_frame(t, time, error);
  if (status != CAROM_OK) return status;
  t->fraction = 0;
  if (t->frame + 1 < t->info.num_frames && time > t->times[t->frame]) {
    status = read_frame(t, t->frame + 1, t->next, t->q[1], &read, error);
    if (status != CAROM_OK) return status;
    t->fraction = (time - t->times[t->frame]) / (read.time - t->times[t->frame]);
  }
  status = read_frame(t, t->frame, t->poses, t->q[0], &read, error);
  if (status != CAROM_OK) return status;
  t->num_contacts = read.num_contacts;
  t->contacts = read.contacts;
  t->num_triangles = read.num_triangles;
  t->triangles = read.triangles;
  if (t->fraction == 0) memcpy(t->q[1], t->q[0], sizeof *t->q[0] * (size_t)t->info.num_q);
  for (int body = 0; body < t->info.num_bodies && t->fraction > 0; body++)
    render_pose_mix(t->poses + 7 * body, t->next + 7 * body, t->fraction, t->poses + 7 * body);
  return CAROM_OK;
}
