/* The first pass over a recording. Numbers are stored as multiples of steps that are powers of two:
 * positions to a 512th of the smallest size in the scene, quaternions to 2^-15, curves to a 2^14th
 * of their range, forces to a 2^18th of the largest. */
#include "html/survey.h"

#include "base/pace.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define ROTATION_STEP 0x1p-15

/* --- Which frames -------------------------------------------------------------------------------
 */

static void add_figures(cr_html_figures* sum, const carom_frame* frame) {
  int room = INT_MAX - sum->steps; /* a damaged frame may have any number */
  if (frame->steps > 0) sum->steps += frame->steps < room ? frame->steps : room;
  if (frame->substeps > sum->substeps) sum->substeps = frame->substeps;
  if (frame->iterations > sum->iterations) sum->iterations = frame->iterations;
  if (frame->outer_iterations > sum->outer_iterations)
    sum->outer_iterations = frame->outer_iterations;
  sum->error_bound = fmax(sum->error_bound, frame->error_bound);
  sum->residual = fmax(sum->residual, frame->residual);
  sum->stick_slip = fmax(sum->stick_slip, frame->stick_slip);
  if (!isnan(frame->wall_time)) sum->wall_time += frame->wall_time;
}

static carom_status take_frame(cr_html_survey* s, cr_html_figures* sum, int index,
                               carom_error* error) {
  if (!cr_reserve_one(s->allocator, (void**)&s->frames, s->num_frames, &s->capacity,
                      sizeof *s->frames))
    return cr_error_memory(error);
  sum->index = index;
  s->frames[s->num_frames++] = *sum;
  *sum = (cr_html_figures){.index = -1};
  return CAROM_OK;
}

/* --- How far ------------------------------------------------------------------------------------
 */

static void widen(double* least, double* most, double value) {
  if (!isfinite(value)) return;
  *least = fmin(*least, value);
  *most = fmax(*most, value);
}

static void measure_frame(cr_html_survey* s, const carom_frame* frame) {
  for (int body = 1; body < s->info.num_bodies; body++)
    for (int k = 0; k < 3; k++) widen(&s->least[k], &s->most[k], frame->poses[7 * body + k]);
  for (int i = 0; i < s->num_channels; i++) {
    cr_html_channel* c = &s->channels[i];
    widen(&c->least, &c->most, cr_html_channel_get(c, frame));
  }
  for (int i = 0; i < frame->num_contacts; i++) {
    for (int k = 0; k < 3; k++) {
      double force = fabs(frame->contacts[i].impulse[k]) / s->info.dt;
      if (isfinite(force)) s->largest_force = fmax(s->largest_force, force);
    }
  }
  for (int i = 0; i < 3 * frame->num_triangles; i++) {
    double pressure = frame->triangles[i / 3].corner[i % 3][3];
    if (isfinite(pressure)) s->largest_pressure = fmax(s->largest_pressure, pressure);
  }
}

static carom_status read_all(cr_html_survey* s, carom_recording* recording, carom_error* error) {
  cr_html_figures sum = {.index = -1};
  cr_pace pace = {.start = s->info.start, .rate = s->rate};
  int count = s->info.num_frames, i = 0;
  for (; i < count; i++) {
    carom_frame frame;
    carom_status status = carom_recording_read(recording, i, &frame, &s->unread);
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
    if (status != CAROM_OK) break;
    add_figures(&sum, &frame);
    measure_frame(s, &frame);
    sum.index = i;
    if (cr_pace_take(&pace, frame.time) || i == count - 1) CR_TRY(take_frame(s, &sum, i, error));
  }
  s->num_unread = count - i;
  /* What was read after the last frame taken ends with a frame of its own. */
  return sum.index >= 0 ? take_frame(s, &sum, i - 1, error) : CAROM_OK;
}

/* --- Steps --------------------------------------------------------------------------------------
 */

/* The largest power of two that is no larger, within what doubles carry well. */
static double round_to_power(double value) {
  return value > 1e-200 && value < 1e200 ? exp2(floor(log2(value))) : 1;
}

static double smallest_size(carom_recording* recording, int num_geoms) {
  static const int NUM_SIZES[] = {0, 1, 2, 2, 3, 3, 3, 3};
  double smallest = INFINITY;
  for (int i = 0; i < num_geoms; i++) {
    carom_geom_info geom = carom_recording_get_geom(recording, i);
    /* What is only drawn may be as thin as paper. */
    const double* size = geom.size;
    if (geom.type == CAROM_GEOM_MESH)
      smallest = fmin(smallest, fmax(size[0], fmax(size[1], size[2])));
    for (int k = 0; k < NUM_SIZES[geom.type] && geom.type != CAROM_GEOM_MESH; k++)
      if (size[k] > 0) smallest = fmin(smallest, size[k]);
  }
  return smallest;
}

static void choose_steps(cr_html_survey* s, carom_recording* recording) {
  double extent = 1e-3;
  for (int k = 0; k < 3; k++) extent = fmax(extent, s->most[k] - s->least[k]);
  double wanted = smallest_size(recording, s->info.num_geoms) / 512;
  s->position_step = round_to_power(fmin(fmax(wanted, extent * 0x1p-30), extent * 0x1p-14));
  s->rotation_step = ROTATION_STEP;
  s->force_step = round_to_power(s->largest_force * 0x1p-18);
  s->area_step = s->position_step * 0x1p-4;
  s->pressure_step = round_to_power(s->largest_pressure * 0x1p-10);
  for (int i = 0; i < s->num_channels; i++) {
    cr_html_channel* c = &s->channels[i];
    double range = c->most > c->least ? c->most - c->least : fmax(fabs(c->most), 1e-9);
    c->step = round_to_power(fmax(range, fabs(c->most) * 1e-9) * 0x1p-14);
  }
}

/* --- Curves of joints ---------------------------------------------------------------------------
 */

static int count_components(const carom_joint_info* joint, bool of_velocity) {
  static const int NUM_Q[] = {0, 4, 1, 1}, NUM_V[] = {6, 3, 1, 1};
  return (of_velocity ? NUM_V : NUM_Q)[joint->type];
}

double cr_html_channel_get(const cr_html_channel* channel, const carom_frame* frame) {
  const double* const sources[] = {frame->q, frame->v, frame->ctrl};
  return sources[channel->source][channel->at];
}

static int count_most(const cr_html_survey* s) {
  return s->info.num_q + s->info.num_v + s->info.num_ctrl;
}

static void add_channel(cr_html_survey* s, cr_html_source source, int owner, int component,
                        int at) {
  if (s->num_channels >= count_most(s)) return;
  s->channels[s->num_channels++] = (cr_html_channel){.source = source,
                                                     .owner = owner,
                                                     .component = component,
                                                     .at = at,
                                                     .least = INFINITY,
                                                     .most = -INFINITY};
}

/* By actuator; early recordings do not say how many controls one has, and each has one. */
static void list_controls(cr_html_survey* s, carom_recording* recording) {
  int count = 0;
  for (int a = 0; a < s->info.num_actuators; a++)
    count += carom_recording_get_actuator(recording, a).num_controls;
  for (int i = 0; i < s->info.num_ctrl && count != s->info.num_ctrl; i++)
    add_channel(s, CR_HTML_CTRL, i, 0, i);
  for (int a = 0; a < s->info.num_actuators && count == s->info.num_ctrl; a++) {
    carom_actuator_info actuator = carom_recording_get_actuator(recording, a);
    for (int k = 0; k < actuator.num_controls; k++)
      add_channel(s, CR_HTML_CTRL, a, k, actuator.control + k);
  }
}

/* Coordinates of free joints are poses, and not stored twice. */
static carom_status list_channels(cr_html_survey* s, carom_recording* recording,
                                  carom_error* error) {
  s->channels = cr_alloc(s->allocator, sizeof *s->channels * (size_t)(count_most(s) + 1));
  if (!s->channels) return cr_error_memory(error);
  for (int j = 0; j < s->info.num_joints; j++) {
    carom_joint_info joint = carom_recording_get_joint(recording, j);
    for (int k = 0; k < count_components(&joint, false); k++)
      add_channel(s, CR_HTML_Q, j, k, joint.q_address + k);
    for (int k = 0; k < count_components(&joint, true); k++)
      add_channel(s, CR_HTML_V, j, k, joint.v_address + k);
  }
  list_controls(s, recording);
  return CAROM_OK;
}

/* --- All of it ----------------------------------------------------------------------------------
 */

carom_status cr_html_survey_init(cr_html_survey* survey, carom_recording* recording, double rate,
                                 const carom_allocator* allocator, carom_error* error) {
  *survey = (cr_html_survey){.allocator = allocator,
                             .info = carom_recording_get_info(recording),
                             .rate = rate,
                             .least = {INFINITY, INFINITY, INFINITY},
                             .most = {-INFINITY, -INFINITY, -INFINITY}};
  cr_arena_init(&survey->arena, allocator);
  CR_TRY(list_channels(survey, recording, error));
  CR_TRY(cr_html_softs_init(&survey->softs, recording, &survey->arena, error));
  CR_TRY(read_all(survey, recording, error));
  choose_steps(survey, recording);
  if (survey->num_frames > 0) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "the recording holds no frame%s%.300s",
                      survey->num_unread ? " that can be read: " : "", survey->unread.message);
}

void cr_html_survey_free(cr_html_survey* s) {
  cr_arena_destroy(&s->arena);
  cr_release(s->allocator, s->frames, sizeof *s->frames * (size_t)s->capacity);
  cr_release(s->allocator, s->channels, sizeof *s->channels * (size_t)(count_most(s) + 1));
}
