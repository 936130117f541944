/* Passes: places of Halton's sequence in the pixel and on the sun's disc, and of a spiral over the
 * sky, so that any number of passes covers all of them evenly. */
#include "light.h"

#define SUN_RADIUS 0.045 /* rad: softer than the real one, for pictures */

static const double SUN[3] = {0.42, -0.62, 0.95};

/* The digits of a number in a base, mirrored at the point. */
static double halton(int index, int base) {
  double sum = 0, part = 1;
  for (; index > 0; index /= base) {
    part /= base;
    sum += part * (index % base);
  }
  return sum;
}

/* A direction within the sun's disc. */
static void choose_sun(int index, double sun[3]) {
  double across[3], along[3], up[3] = {0, 0, 1};
  memcpy(sun, SUN, sizeof SUN);
  render_normalise(sun);
  render_cross(up, sun, across);
  render_normalise(across);
  render_cross(sun, across, along);
  double radius = SUN_RADIUS * sqrt(halton(index, 5)), angle = 2 * M_PI * halton(index, 7);
  for (int k = 0; k < 3; k++)
    sun[k] += radius * (cos(angle) * across[k] + sin(angle) * along[k]);
  render_normalise(sun);
}

render_pass render_pass_choose(int index, int count) {
  static const double GOLDEN = 2.399963229728653; /* rad */
  render_pass pass = {.offset = {halton(index + 1, 2) - 0.5, halton(index + 1, 3) - 0.5}};
  if (count == 1) pass.offset[0] = pass.offset[1] = 0;
  choose_sun(count == 1 ? 0 : index, pass.sun);
  /* Even in height is even over the sphere. */
  double z = (index + 0.5) / count, level = sqrt(1 - z * z);
  pass.sky[0] = level * cos(GOLDEN * index);
  pass.sky[1] = level * sin(GOLDEN * index);
  pass.sky[2] = z;
  return pass;
}

render_matrix render_light_clip(const double direction[3], const double middle[3], double radius) {
  double eye[3];
  for (int k = 0; k < 3; k++) eye[k] = middle[k] + radius * direction[k];
  render_matrix look = render_matrix_look(eye, middle), box = render_matrix_box(radius);
  return render_matrix_multiply(&box, &look);
}

render_matrix render_light_map(const render_matrix* clip) {
  static const render_matrix HALF = {
      {[0] = 0.5, [5] = 0.5, [10] = 0.5, [12] = 0.5, [13] = 0.5, [14] = 0.5, [15] = 1}};
  return render_matrix_multiply(&HALF, clip);
}
