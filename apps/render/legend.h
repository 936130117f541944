/* The bar that says what the colours of stress mean. */
#ifndef RENDER_LEGEND_H
#define RENDER_LEGEND_H

#include "carom/status.h"

#include <cairo.h>

/* A bar with ticks as it goes over pictures, at their right. */
typedef struct render_legend {
  cairo_surface_t* surface; /* null: none */
  int x, y;                 /* its upper left corner in the picture, pixels */
} render_legend;

enum { RENDER_LEGEND_WIDTH = 240, RENDER_LEGEND_HEIGHT = 160 }; /* smaller pictures have none */

/* Draws the bar for pictures of a size.
 * @param least, most Pa, the range of the colours
 * @return CAROM_ERROR_OUT_OF_MEMORY */
carom_status render_legend_create(int width, int height, double least, double most,
                                  render_legend* legend, carom_error* error);

/* Lays it over a picture.
 * @param pixels [4 width height] red, green, blue, opacity, sRGB, rows from the top */
void render_legend_add(const render_legend* legend, int width, unsigned char* pixels);

void render_legend_free(render_legend* legend);

#endif
