/* Contact forces, frames and trails as cylinders, cones and balls, sized and coloured as in the
 * viewer. */
#include "marks.h"

#include "common/error.h"
#include "vector.h"

#include <stdlib.h>

enum { FORCE_FRAMES = 64, TRAIL_TIMES = 400 };

static void to_linear(unsigned rgb, float colour[4]) {
  float srgb[3];
  for (int k = 0; k < 3; k++) srgb[k] = (float)(rgb >> (16 - 8 * k) & 255) / 255;
  render_linear(srgb, colour);
  colour[3] = 1;
}

static double norm(const double vector[3]) { return sqrt(render_dot(vector, vector)); }

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* --- Contacts -----------------------------------------------------------------------------------
 */

/* Appends the sizes of the impulses of a frame. */
static bool add_impulses(const carom_frame* frame, double** sizes, size_t* count) {
  double* grown = realloc(*sizes, sizeof **sizes * (*count + (size_t)frame->num_contacts + 1));
  if (!grown) return false;
  *sizes = grown;
  for (int i = 0; i < frame->num_contacts; i++) {
    double size = norm(frame->contacts[i].impulse);
    if (size > 0 && isfinite(size)) grown[(*count)++] = size;
  }
  return true;
}

carom_status render_typical_force(render_track* t, double* force, carom_error* error) {
  double* sizes = NULL;
  size_t count = 0;
  int frames = t->info.num_frames;
  int stride = (frames + FORCE_FRAMES - 1) / FORCE_FRAMES;
  carom_status status = CAROM_OK;
  for (int i = 0; i < frames && status == CAROM_OK; i += stride) {
    carom_frame frame;
    if (carom_recording_read(t->recording, i, &frame, error) != CAROM_OK) break;
    if (!add_impulses(&frame, &sizes, &count))
      status = cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  }
  if (count) qsort(sizes, count, sizeof *sizes, compare);
  *force = count ? sizes[count / 2] / t->info.dt : 1;
  free(sizes);
  return status;
}

/* An arrow from a point along `arrow`, no longer than twice the size of marks. */
static void add_arrow(const double from[3], const double arrow[3], double size, double line,
                      const float colour[4], render_solids* marks) {
  double axis[3], neck[3], tip[3];
  memcpy(axis, arrow, sizeof axis);
  double length = fmin(render_normalise(axis), 2 * size);
  double head = fmin(fmax(0.06 * size, 6 * line), 0.45 * length);
  double width = fmin(fmax(0.008 * size, line), 0.12 * length);
  for (int k = 0; k < 3; k++) {
    neck[k] = from[k] + (length - head) * axis[k];
    tip[k] = from[k] + length * axis[k];
  }
  render_solids_add_between(marks, RENDER_LINE, from, neck, width, colour);
  render_solids_add_between(marks, RENDER_CONE, neck, tip, 0, colour);
}

void render_add_contacts(const render_track* t, double size, double scale, double line,
                         render_solids* marks) {
  static const unsigned APART = 0x6b7280, STICKING = 0x0b62c4, SLIDING = 0xc2410c;
  static const double NOTHING[3] = {0, 0, 0};
  for (int i = 0; i < t->num_contacts; i++) {
    const carom_contact* contact = &t->contacts[i];
    double arrow[3], pose[7] = {[3] = 1};
    float colour[4];
    for (int k = 0; k < 3; k++) arrow[k] = scale * contact->impulse[k] / t->info.dt;
    bool pushes = norm(arrow) > 0, sticks = contact->state == CAROM_STICKING;
    to_linear(!pushes ? APART : sticks ? STICKING : SLIDING, colour);
    memcpy(pose, contact->position, sizeof contact->position);
    render_solids_add(marks, RENDER_BALL, pose, NOTHING, fmax(0.014 * size, 1.5 * line), colour,
                      RENDER_PLAIN, 0);
    add_arrow(contact->position, arrow, size, line, colour, marks);
  }
}

/* --- Frames -------------------------------------------------------------------------------------
 */

void render_add_frames(const render_track* t, double length, double line, render_solids* marks) {
  static const unsigned COLOURS[3] = {0xe03131, 0x2f9e44, 0x3b6ef5};
  for (int body = 0; body < t->info.num_bodies; body++) {
    const double* pose = t->poses + 7 * (size_t)body;
    double rotation[9], tip[3];
    render_rotation(pose + 3, rotation);
    for (int axis = 0; axis < 3; axis++) {
      float colour[4];
      to_linear(COLOURS[axis], colour);
      for (int k = 0; k < 3; k++) tip[k] = pose[k] + length * rotation[3 * k + axis];
      render_solids_add_between(marks, RENDER_LINE, pose, tip, fmax(0.04 * length, line), colour);
    }
  }
}

/* --- Trails -------------------------------------------------------------------------------------
 */

/* Trails have their bodies' colours, a little deeper. */
static void choose_colours(const render_scene* scene, render_trails* trails) {
  for (int body = 1; body < scene->num_bodies; body++) {
    trails->is_drawn[body] = scene->moves[body];
    to_linear(0x0b57d0, trails->colours + 4 * (size_t)body);
  }
  for (int i = scene->num_geoms - 1; i >= 0; i--) {
    const render_geom* geom = &scene->geoms[i];
    float* colour = trails->colours + 4 * (size_t)geom->body;
    for (int k = 0; k < 3; k++) colour[k] = 0.8F * geom->colour[k];
    colour[3] = 1;
  }
}

carom_status render_trails_create(const render_scene* scene, render_track* track, double from,
                                  double to, render_trails* t, carom_error* error) {
  *t = (render_trails){.start = from, .num_bodies = scene->num_bodies};
  t->num_times = to > from ? TRAIL_TIMES : 1;
  t->step = to > from ? (to - from) / (TRAIL_TIMES - 1) : 1;
  size_t bodies = (size_t)scene->num_bodies;
  t->places = calloc(3 * bodies * (size_t)t->num_times, sizeof *t->places);
  t->colours = calloc(4 * bodies, sizeof *t->colours);
  t->is_drawn = calloc(bodies, sizeof *t->is_drawn);
  if (!t->places || !t->colours || !t->is_drawn)
    return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  choose_colours(scene, t);
  for (int i = 0; i < t->num_times; i++) {
    carom_status status = render_track_seek(track, fmin(from + i * t->step, to), error);
    if (status != CAROM_OK) {
      t->num_times = i; /* as far as it can be read */
      break;
    }
    for (size_t body = 0; body < bodies; body++)
      memcpy(t->places + 3 * (bodies * (size_t)i + body), track->poses + 7 * body,
             3 * sizeof *t->places);
  }
  return CAROM_OK;
}

/* A piece of a trail; its ends are round and reach over, so that pieces join. */
static void add_piece(const double from[3], const double to[3], double width, const float colour[4],
                      render_solids* solids) {
  double way[3], ends[2][3];
  for (int k = 0; k < 3; k++) way[k] = to[k] - from[k];
  render_normalise(way);
  for (int k = 0; k < 3; k++) {
    ends[0][k] = from[k] - width * way[k];
    ends[1][k] = to[k] + width * way[k];
  }
  render_solids_add_between(solids, RENDER_LINE, ends[0], ends[1], width, colour);
}

/* Places nearer than a trail is wide are passed over, so that a body at rest adds nothing. */
static void add_trail(const render_trails* t, int body, const double present[3], int passed,
                      double width, render_solids* solids) {
  const double* from = t->places + 3 * (size_t)body;
  for (int i = 1; i <= passed + 1; i++) {
    const double* to =
        i <= passed ? t->places + 3 * ((size_t)t->num_bodies * (size_t)i + (size_t)body) : present;
    double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    if (!(norm(way) > 2 * width)) continue;
    add_piece(from, to, width, t->colours + 4 * (size_t)body, solids);
    from = to;
  }
}

void render_trails_add(const render_trails* t, const render_track* track, double time, double width,
                       render_solids* solids) {
  int passed = (int)fmin(floor((time - t->start) / t->step), t->num_times - 1);
  for (int body = 0; body < t->num_bodies && t->num_times > 0; body++)
    if (t->is_drawn[body])
      add_trail(t, body, track->poses + 7 * (size_t)body, passed, width, solids);
}

void render_trails_free(render_trails* t) {
  free(t->places);
  free(t->colours);
  free(t->is_drawn);
}
