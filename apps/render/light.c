/* Passes: places of Halton's sequence in the pixel and on the sun's disc, and of a spiral over the
 * sky, so that any number of passes covers all of them evenly. */
#include "light.h"

#define SUN_RADIUS 0.045 /* rad: softer than the real one, for pictures */

#define SUN_HEIGHT 0.87 /* rad */

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
static void choose_sun(int index, double azimuth, double sun[3]) {
  const double across[3] = {-sin(azimuth), cos(azimuth), 0};
  double along[3];
  sun[0] = cos(SUN_HEIGHT) * cos(azimuth);
  sun[1] = cos(SUN_HEIGHT) * sin(azimuth);
  sun[2] = sin(SUN_HEIGHT);
  render_cross(sun, across, along);
  double radius = SUN_RADIUS * sqrt(halton(index, 5)), angle = 2 * M_PI * halton(index, 7);
  for (int k = 0; k < 3; k++) sun[k] += radius * (cos(angle) * across[k] + sin(angle) * along[k]);
  render_normalise(sun);
}

/* One of many directions to the sky: even in height is even over the sphere. */
static void choose_sky(int index, int count, double sky[3]) {
  static const double GOLDEN = 2.399963229728653; /* rad */
  double z = (index + 0.5) / count, level = sqrt(1 - z * z);
  sky[0] = level * cos(GOLDEN * index);
  sky[1] = level * sin(GOLDEN * index);
  sky[2] = z;
}

render_pass render_pass_choose(int index, int count, double azimuth) {
  render_pass pass = {.offset = {halton(index + 1, 2) - 0.5, halton(index + 1, 3) - 0.5}};
  int skies = RENDER_NUM_LIGHTS - 1;
  if (count == 1) pass.offset[0] = pass.offset[1] = 0;
  choose_sun(count == 1 ? 0 : index, azimuth, pass.lights[0]);
  for (int i = 0; i < skies; i++) choose_sky(i * count + index, skies * count, pass.lights[1 + i]);
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
