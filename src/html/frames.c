/* Frames: a number is a multiple of its step, written as what it differs from the line through its
 * last two values (a contact's: from the same pair's contact a frame earlier), zigzag, in groups of
 * seven bits. What rests or moves evenly is zeros, which deflate to nothing. */
#include "html/frames.h"

#include <math.h>
#include <string.h>

/* Numbers that a double in the page's program holds exactly. */
#define LARGEST     0x1p51

#define NORMAL_STEP 0x1p-10

enum { NUM_VALUES = 10, NUM_OF_TRIANGLE = 12 };

/* The last two values of a number. */
typedef struct track {
  int64_t last, before;
} track;

typedef struct contact_row {
  int64_t pair[2], values[NUM_VALUES]; /* state, point, force, normal */
} contact_row;

typedef struct triangle_row {
  int64_t values[NUM_OF_TRIANGLE]; /* of each corner place, pressure */
} triangle_row;

typedef struct contact_list {
  contact_row* rows;
  int count, capacity;
} contact_list;

typedef struct triangle_list {
  triangle_row* rows;
  int count, capacity;
} triangle_list;

typedef struct writer {
  cr_html_sink* sink;
  const cr_html_survey* survey;
  track *poses, *channels, *softs; /* of the latter four for each node of a surface */
  contact_list lists[2];           /* of this frame and the one before, by turns */
  triangle_list areas[2];          /* likewise */
  bool is_first;
} writer;

/* --- Numbers ------------------------------------------------------------------------------------
 */

static void put_integer(writer* w, int64_t value) {
  uint64_t bits = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
  unsigned char bytes[10];
  size_t count = 0;
  do {
    bytes[count++] = (unsigned char)((bits & 127) | (bits > 127 ? 128 : 0));
    bits >>= 7;
  } while (bits);
  cr_html_put(w->sink, bytes, count);
}

static void put_bits(writer* w, uint64_t bits, int num_bytes) {
  unsigned char bytes[8];
  for (int k = 0; k < num_bytes; k++) bytes[k] = (unsigned char)(bits >> 8 * k);
  cr_html_put(w->sink, bytes, (size_t)num_bytes);
}

static void put_double(writer* w, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_bits(w, bits, 8);
}

/* A figure for a plot; beyond the reach of a float it is infinite. */
static void put_float(writer* w, double value) {
  float rounded =
      fabs(value) <= 3e38 || isnan(value) ? (float)value : copysignf(INFINITY, (float)value);
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  put_bits(w, bits, 4);
}

static int64_t quantise(double value, double step) {
  double scaled = value / step;
  return isfinite(scaled) ? llround(fmin(fmax(scaled, -LARGEST), LARGEST)) : 0;
}

static void put_tracked(writer* w, track* t, int64_t value) {
  put_integer(w, w->is_first ? value : value - (2 * t->last - t->before));
  t->before = w->is_first ? value : t->last;
  t->last = value;
}

/* --- Parts of a frame ---------------------------------------------------------------------------
 */

static void put_figures(writer* w, const carom_frame* frame, const cr_html_figures* f) {
  put_double(w, frame->time);
  double values[] = {frame->energy[0],     frame->energy[1], frame->energy[2], frame->energy[3],
                     frame->actuator_work, f->steps,         f->substeps,      f->iterations,
                     f->outer_iterations,  f->error_bound,   f->residual,      f->stick_slip,
                     f->wall_time};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) put_float(w, values[i]);
  for (int k = 0; k < 3; k++) put_float(w, frame->com ? frame->com[k] : NAN);
  for (int k = 0; k < 6; k++) put_float(w, frame->momentum ? frame->momentum[k] : NAN);
}

/* Of a quaternion and its opposite, which turn alike, the one that is nearer to the last. */
static double choose_sign(const track* last, const double* quaternion) {
  double product = 0;
  for (int k = 0; k < 4; k++) product += (double)last[k].last * quaternion[k];
  return product < 0 ? -1 : 1;
}

static void put_pose(writer* w, track* tracks, const double* pose) {
  double sign = choose_sign(tracks + 3, pose + 3);
  for (int k = 0; k < 3; k++)
    put_tracked(w, &tracks[k], quantise(pose[k], w->survey->position_step));
  for (int k = 3; k < 7; k++)
    put_tracked(w, &tracks[k], quantise(sign * pose[k], w->survey->rotation_step));
}

static void put_channels(writer* w, const carom_frame* frame) {
  for (int i = 0; i < w->survey->num_channels; i++) {
    const cr_html_channel* c = &w->survey->channels[i];
    put_tracked(w, &w->channels[i], quantise(cr_html_channel_get(c, frame), c->step));
  }
}

/* A stress as a number; what has none that a double can hold is far out of the range. */
static int64_t quantise_stress(const cr_html_softs* softs, double stress) {
  double most = 0x1p12 * softs->stress_step;
  return quantise(stress < most ? stress : most, softs->stress_step);
}

static carom_status put_softs(writer* w, carom_recording* recording, const carom_frame* frame,
                              carom_error* error) {
  track* t = w->softs;
  for (int i = 0; i < w->survey->softs.count; i++) {
    const cr_html_soft* s = &w->survey->softs.items[i];
    const double* x = frame->q + s->info.q_address;
    CR_TRY(carom_recording_compute_soft_stress(recording, i, frame->q, NULL, s->stress, error));
    for (int n = 0; n < s->num_surface; n++) {
      size_t node = (size_t)s->surface[n];
      for (size_t k = 0; k < 3; k++) put_tracked(w, t++, quantise(x[3 * node + k], s->step));
      put_tracked(w, t++, quantise_stress(&w->survey->softs, s->stress[node]));
    }
  }
  return CAROM_OK;
}

/* --- Contacts -----------------------------------------------------------------------------------
 */

static contact_row make_row(const cr_html_survey* s, const carom_contact* c) {
  contact_row row = {{c->geom1, c->geom2}, {c->state}};
  for (int k = 0; k < 3; k++) {
    row.values[1 + k] = quantise(c->position[k], s->position_step);
    row.values[4 + k] = quantise(c->impulse[k] / s->info.dt, s->force_step);
    row.values[7 + k] = quantise(c->normal[k], NORMAL_STEP);
  }
  return row;
}

static bool is_pair_before(const contact_row* a, const contact_row* b) {
  return a->pair[0] != b->pair[0] ? a->pair[0] < b->pair[0] : a->pair[1] < b->pair[1];
}

/* Where a contact is expected: where its pair's next one was a frame ago, else at the contact
 * before it. `*at` walks through the old list. */
static const contact_row* predict(const contact_list* old, int* at, const contact_row* row,
                                  const contact_row* before) {
  while (*at < old->count && is_pair_before(&old->rows[*at], row)) ++*at;
  bool is_same = *at < old->count && !is_pair_before(row, &old->rows[*at]);
  return is_same ? &old->rows[(*at)++] : before;
}

static carom_status put_contacts(writer* w, const carom_frame* frame, carom_error* error) {
  contact_list *now = &w->lists[0], *old = &w->lists[1];
  contact_row before = {{0, 0}, {0}};
  now->count = 0;
  put_integer(w, frame->num_contacts);
  for (int i = 0, at = 0; i < frame->num_contacts; i++) {
    if (!cr_reserve_one(w->survey->allocator, (void**)&now->rows, now->count, &now->capacity,
                        sizeof *now->rows))
      return cr_error_memory(error);
    contact_row* row = &now->rows[now->count++];
    *row = make_row(w->survey, &frame->contacts[i]);
    const contact_row* expected = predict(old, &at, row, &before);
    for (int k = 0; k < 2; k++) put_integer(w, row->pair[k] - before.pair[k]);
    for (int k = 0; k < NUM_VALUES; k++) put_integer(w, row->values[k] - expected->values[k]);
    before = *row;
  }
  contact_list swap = *now;
  *now = *old, *old = swap;
  return CAROM_OK;
}

/* --- Areas --------------------------------------------------------------------------------------
 */

static triangle_row make_triangle(const cr_html_survey* s, const carom_pressure_triangle* t) {
  triangle_row row;
  for (int i = 0; i < NUM_OF_TRIANGLE; i++)
    row.values[i] = quantise(t->corner[i / 4][i % 4], i % 4 < 3 ? s->area_step : s->pressure_step);
  return row;
}

/* A triangle is expected where the one of its number was a frame ago, else at the one before it. */
static carom_status put_areas(writer* w, const carom_frame* frame, carom_error* error) {
  triangle_list *now = &w->areas[0], *old = &w->areas[1];
  static const triangle_row NONE;
  now->count = 0;
  put_integer(w, frame->num_triangles);
  for (int i = 0; i < frame->num_triangles; i++) {
    if (!cr_reserve_one(w->survey->allocator, (void**)&now->rows, now->count, &now->capacity,
                        sizeof *now->rows))
      return cr_error_memory(error);
    triangle_row* row = &now->rows[now->count++];
    *row = make_triangle(w->survey, &frame->triangles[i]);
    const triangle_row* expected = i < old->count ? &old->rows[i] : i > 0 ? row - 1 : &NONE;
    for (int k = 0; k < NUM_OF_TRIANGLE; k++) put_integer(w, row->values[k] - expected->values[k]);
  }
  triangle_list swap = *now;
  *now = *old, *old = swap;
  return CAROM_OK;
}

/* --- All frames ---------------------------------------------------------------------------------
 */

static carom_status put_all(writer* w, carom_recording* recording, carom_error* error) {
  const cr_html_survey* s = w->survey;
  for (int i = 0; i < s->num_frames; i++) {
    carom_frame frame;
    CR_TRY(carom_recording_read(recording, s->frames[i].index, &frame, error));
    w->is_first = i == 0;
    put_figures(w, &frame, &s->frames[i]);
    for (int body = 1; body < s->info.num_bodies; body++)
      put_pose(w, w->poses + 7 * body, frame.poses + 7 * body);
    put_channels(w, &frame);
    CR_TRY(put_softs(w, recording, &frame, error));
    CR_TRY(put_contacts(w, &frame, error));
    CR_TRY(put_areas(w, &frame, error));
  }
  return CAROM_OK;
}

carom_status cr_html_put_frames(cr_html_sink* sink, const cr_html_survey* survey,
                                carom_recording* recording, carom_error* error) {
  const carom_allocator* a = survey->allocator;
  size_t poses = sizeof(track) * 7 * (size_t)survey->info.num_bodies;
  size_t channels = sizeof(track) * (size_t)survey->num_channels;
  size_t softs = sizeof(track);
  for (int i = 0; i < survey->softs.count; i++)
    softs += sizeof(track) * 4 * (size_t)survey->softs.items[i].num_surface;
  writer w = {.sink = sink,
              .survey = survey,
              .poses = cr_alloc_zero(a, poses),
              .channels = cr_alloc_zero(a, channels),
              .softs = cr_alloc_zero(a, softs)};
  bool has_memory = w.poses && w.channels && w.softs;
  carom_status status = has_memory ? put_all(&w, recording, error) : cr_error_memory(error);
  for (int k = 0; k < 2; k++) {
    cr_release(a, w.lists[k].rows, sizeof(contact_row) * (size_t)w.lists[k].capacity);
    cr_release(a, w.areas[k].rows, sizeof(triangle_row) * (size_t)w.areas[k].capacity);
  }
  cr_release(a, w.poses, poses);
  cr_release(a, w.channels, channels);
  cr_release(a, w.softs, softs);
  return status;
}
