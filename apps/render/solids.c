/* Lists of what is drawn. */
#include "solids.h"

#include "vector.h"

#include <stdlib.h>

void render_solids_clear(render_solids* s, const double middle[3], int passes) {
  s->passes = passes;
  for (int i = 0; i < s->num_lists; i++) s->lists[i].count = 0;
  memcpy(s->middle, middle, sizeof s->middle);
}

/* The list of a shape; null without memory. */
static render_list* find_list(render_solids* s, int shape) {
  if (shape >= s->num_lists) {
    render_list* grown = realloc(s->lists, (size_t)(shape + 1) * sizeof *grown);
    s->out_of_memory |= !grown;
    if (!grown) return NULL;
    s->lists = grown;
    while (s->num_lists <= shape) s->lists[s->num_lists++] = (render_list){0};
  }
  return &s->lists[shape];
}

static render_solid* append(render_solids* s, int shape) {
  render_list* list = find_list(s, shape);
  if (!list) return NULL;
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 64;
    render_solid* grown = realloc(list->items, (size_t)capacity * sizeof *grown);
    s->out_of_memory |= !grown;
    if (!grown) return NULL;
    list->items = grown;
    list->capacity = capacity;
  }
  return &list->items[list->count++];
}

static bool is_finite(const double* numbers, int count) {
  for (int k = 0; k < count; k++)
    if (!isfinite(numbers[k])) return false;
  return true;
}

static int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

/* Steps that lead through all passes before one comes again, so that a body is there in the right
 * number of them; each body has another, so that what is seen through several is right too; none is
 * short, so that no body has one part of the sky only. */
static int choose_step(int key, int passes) {
  int least = passes / 5 + 1, count = 0;
  for (int step = least; step <= passes / 2; step++) count += common_divisor(step, passes) == 1;
  int left = count ? key % count : 0;
  for (int step = least; step <= passes / 2; step++)
    if (common_divisor(step, passes) == 1 && left-- == 0) return step;
  return 1;
}

void render_solids_add(render_solids* s, int shape, const double pose[7], const double size[3],
                       double radius, const float colour[4], render_sectors sectors, int key) {
  double rotation[9];
  render_rotation(pose + 3, rotation);
  render_solid* solid = is_finite(pose, 3) && is_finite(rotation, 9) ? append(s, shape) : NULL;
  if (!solid) return;
  *solid = (render_solid){.radius = (float)radius,
                          .sectors = (float)sectors,
                          .place = (float)((7 * (key % s->passes) % s->passes + 0.5) / s->passes),
                          .step = (float)choose_step(key, s->passes) / (float)s->passes};
  for (int row = 0; row < 3; row++) {
    for (int k = 0; k < 3; k++) solid->rows[4 * row + k] = (float)rotation[3 * row + k];
    solid->rows[4 * row + 3] = (float)(pose[row] - s->middle[row]);
    solid->size[row] = (float)size[row];
  }
  memcpy(solid->colour, colour, sizeof solid->colour);
}

/* The shortest turn of z to a unit vector. */
static void turn_up(const double axis[3], double quaternion[4]) {
  double made[4] = {1 + axis[2], -axis[1], axis[0], 0};
  double length = sqrt(made[0] * made[0] + made[1] * made[1] + made[2] * made[2]);
  if (length < 1e-9) made[0] = 0, made[1] = length = 1;
  for (int k = 0; k < 4; k++) quaternion[k] = made[k] / length;
}

void render_solids_add_between(render_solids* s, render_shape shape, const double from[3],
                               const double to[3], double radius, const float colour[4]) {
  double axis[3], pose[7];
  for (int k = 0; k < 3; k++) axis[k] = to[k] - from[k];
  double length = render_normalise(axis);
  if (!(length > 0)) return;
  bool is_cone = shape == RENDER_CONE;
  for (int k = 0; k < 3; k++) pose[k] = is_cone ? from[k] : 0.5 * (from[k] + to[k]);
  turn_up(axis, pose + 3);
  double rest = fmax(0.5 * length - radius, 0);
  const double cone[3] = {length, length, length}, core[3] = {0, 0, rest};
  render_solids_add(s, shape, pose, is_cone ? cone : core, is_cone ? 0 : radius, colour,
                    RENDER_PLAIN, 0);
}

void render_solids_free(render_solids* s) {
  for (int i = 0; i < s->num_lists; i++) free(s->lists[i].items);
  free(s->lists);
}
