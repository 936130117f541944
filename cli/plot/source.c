/* One pass over the frames of a recording. */
#include "source.h"

#include "../state.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Values -------------------------------------------------------------------------------------
 */

static double total_energy(const carom_frame* f) {
  return f->energy[0] + f->energy[1] + f->energy[2];
}

static int count_contacts(const carom_frame* f, int index) {
  if (index == 0) return f->num_contacts;
  int count = 0;
  for (int i = 0; i < f->num_contacts; i++) count += (int)f->contacts[i].state == index - 1;
  return count;
}

/* Figures of steps, where one was taken. */
static double step_value(const carom_frame* f, plot_kind kind) {
  if (f->steps == 0) return NAN;
  switch (kind) {
  case PLOT_RESIDUAL:
    return f->residual;
  case PLOT_BOUND:
    return f->error_bound;
  case PLOT_NEWTON:
    return f->iterations;
  case PLOT_OUTER:
    return f->outer_iterations;
  case PLOT_WALL_TIME:
    return 1e3 * f->wall_time / f->steps;
  case PLOT_SLIP:
    return f->stick_slip;
  default:
    return f->substeps;
  }
}

static double value_of(const plot_channel* c, const carom_frame* f, const plot_motion* motion) {
  int i = c->index;
  switch (c->kind) {
  case PLOT_ENERGY:
    return f->energy[i];
  case PLOT_TOTAL:
    return total_energy(f);
  case PLOT_WORK:
    return f->actuator_work;
  case PLOT_BALANCE:
    return total_energy(f) + f->energy[3] - f->actuator_work;
  case PLOT_MOMENTUM:
    return plot_motion_momentum(motion)[i];
  case PLOT_CONTACTS:
    return count_contacts(f, i);
  case PLOT_STEPS:
    return f->steps;
  case PLOT_Q:
    return f->q[i];
  case PLOT_V:
    return f->v[i];
  case PLOT_POSE:
    return f->poses[i];
  case PLOT_LINEAR:
    return plot_motion_twist(motion, i / 3)->linear[i % 3];
  case PLOT_ANGULAR:
    return plot_motion_twist(motion, i / 3)->angular[i % 3];
  default:
    return step_value(f, c->kind);
  }
}

double* plot_source_get(const plot_source* source, int channel) {
  return source->data + (size_t)channel * (size_t)source->info.num_frames;
}

/* --- Frames -------------------------------------------------------------------------------------
 */

/* The motion of the bodies where a channel needs it, else null. */
static carom_status make_motion(plot_source* s, const plot_channel* channels, int num_channels,
                                plot_motion** motion, carom_error* error) {
  bool is_needed = false;
  for (int c = 0; c < num_channels; c++)
    is_needed = is_needed || channels[c].kind == PLOT_MOMENTUM || channels[c].kind == PLOT_LINEAR ||
                channels[c].kind == PLOT_ANGULAR;
  *motion = NULL;
  if (!is_needed) return CAROM_OK;
  carom_error own;
  carom_model* model = NULL;
  bool is_known = !plot_scene_needs_reference(s->recording) ||
                  plot_scene_load(s->recording, &model, &own) == CAROM_OK;
  if (!is_known)
    fprintf(stderr,
            "carom: %s: the scene in it cannot be read; velocities are right if joints that share "
            "a body are at 0 in the reference configuration: %s\n",
            s->path, own.message);
  carom_status status = plot_motion_create(
      s->recording, s->path, model ? carom_model_get_reference(model) : NULL, motion, error);
  carom_model_destroy(model);
  return status;
}

static carom_status read_frames(plot_source* s, const plot_channel* channels, int num_channels,
                                plot_motion* motion, carom_error* error) {
  for (int i = 0; i < s->info.num_frames; i++) {
    carom_frame frame;
    carom_status status = carom_recording_read(s->recording, i, &frame, &s->unread);
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return *error = s->unread, status;
    if (status != CAROM_OK) break;
    if (motion) plot_motion_update(motion, &frame);
    s->time[i] = frame.time;
    for (int c = 0; c < num_channels; c++)
      plot_source_get(s, c)[i] = value_of(&channels[c], &frame, motion);
    s->num_frames++;
  }
  s->num_unread = s->info.num_frames - s->num_frames;
  if (s->num_frames > 0) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%.200s: the recording holds no frame%s%.250s",
                   s->path, s->num_unread ? " that can be read: " : "",
                   s->num_unread ? s->unread.message : "");
}

/* Balances count from the first frame. */
static void start_balances(plot_source* s, const plot_channel* channels, int num_channels) {
  for (int c = 0; c < num_channels; c++) {
    double* data = plot_source_get(s, c);
    double start = data[0];
    for (int i = 0; i < s->num_frames && channels[c].kind == PLOT_BALANCE; i++) data[i] -= start;
  }
}

carom_status plot_source_read(plot_source* s, const plot_channel* channels, int num_channels,
                              carom_error* error) {
  size_t frames = (size_t)s->info.num_frames + 1;
  plot_motion* motion = NULL;
  s->time = calloc(frames, sizeof *s->time);
  s->data = calloc(frames * ((size_t)num_channels + 1), sizeof *s->data);
  if (!s->time || !s->data) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  carom_status status = make_motion(s, channels, num_channels, &motion, error);
  if (status == CAROM_OK) status = read_frames(s, channels, num_channels, motion, error);
  if (status == CAROM_OK) start_balances(s, channels, num_channels);
  plot_motion_destroy(motion);
  return status;
}

/* --- Opening ------------------------------------------------------------------------------------
 */

carom_status plot_source_open(plot_source* s, const char* path, carom_error* error) {
  *s = (plot_source){.path = path};
  carom_status status = carom_recording_open(path, NULL, &s->recording, error);
  if (status == CAROM_OK) s->info = carom_recording_get_info(s->recording);
  return status;
}

void plot_source_close(plot_source* s) {
  carom_recording_close(s->recording);
  free(s->time);
  free(s->data);
  *s = (plot_source){0};
}

void plot_source_warn(const plot_source* s, const char* what) {
  if (s->info.is_open)
    fprintf(stderr, "carom: %s: was not closed; the %s shows what there is of it\n", s->path, what);
  if (s->num_unread)
    fprintf(stderr, "carom: %d frames are left out of the %s: %s\n", s->num_unread, what,
            s->unread.message);
}
