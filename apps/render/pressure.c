/* Colours go from blue, where nothing presses, over green to red at the largest pressure, as in the
 * viewer. */
#include "pressure.h"

#include "common/error.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 64 };

carom_status render_pressure_create(render_track* t, render_pressure* p, carom_error* error) {
  int frames = t->info.num_frames, stride = (frames + FRAMES - 1) / FRAMES;
  *p = (render_pressure){0};
  for (int i = 0; i < frames; i += stride) {
    carom_frame frame;
    if (carom_recording_read(t->recording, i, &frame, error) != CAROM_OK) break;
    for (int k = 0; k < 3 * frame.num_triangles; k++) {
      double pressure = frame.triangles[k / 3].corner[k % 3][3];
      if (isfinite(pressure)) p->most = fmax(p->most, pressure);
    }
  }
  return CAROM_OK;
}

/* A hue from blue to red. */
static void find_colour(double share, float colour[4]) {
  double hue = 4 * (1 - fmin(fmax(share, 0), 1));
  const double parts[3] = {2 - hue, hue < 2 ? hue : 4 - hue, hue - 2};
  float srgb[3];
  for (int k = 0; k < 3; k++) srgb[k] = 0.05F + 0.9F * (float)fmin(fmax(parts[k], 0), 1);
  render_linear(srgb, colour);
  colour[3] = 1;
}

static void add_corner(render_pressure* p, const carom_pressure_triangle* t, int corner,
                       const double middle[3]) {
  render_soft_vertex* vertex = &p->vertices[p->count++];
  *vertex = (render_soft_vertex){.normal = {0, 0, 1}};
  for (int k = 0; k < 3; k++) vertex->core[k] = (float)(t->corner[corner][k] - middle[k]);
  find_colour(p->most > 0 ? t->corner[corner][3] / p->most : 0, vertex->colour);
}

carom_status render_pressure_place(render_pressure* p, const render_track* t,
                                   const double middle[3], carom_error* error) {
  int count = t->num_triangles;
  p->count = 0;
  if (p->capacity < 6 * count) {
    render_soft_vertex* grown = realloc(p->vertices, sizeof *grown * 6 * (size_t)count);
    if (!grown) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
    p->vertices = grown, p->capacity = 6 * count;
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) add_corner(p, &t->triangles[i], k, middle);
    for (int k = 2; k >= 0; k--) add_corner(p, &t->triangles[i], k, middle);
  }
  return CAROM_OK;
}

void render_pressure_free(render_pressure* p) { free(p->vertices); }
