/* The areas over which contacts press, coloured by pressure. */
#ifndef RENDER_PRESSURE_H
#define RENDER_PRESSURE_H

#include "softs.h"

/* The corners of their triangles, as vertices of soft bodies. */
typedef struct render_pressure {
  double most; /* Pa, at the end of the colours */
  render_soft_vertex* vertices;
  int count, capacity; /* of vertices: three a triangle, and three for its other side */
} render_pressure;

/* The largest pressure of many frames. */
carom_status render_pressure_create(render_track* track, render_pressure* pressure,
                                    carom_error* error);

/* Places the areas of the track's frame.
 * @param middle m, where positions count from */
carom_status render_pressure_place(render_pressure* pressure, const render_track* track,
                                   const double middle[3], carom_error* error);

void render_pressure_free(render_pressure* pressure);

#endif
