/* Drawn by cairo once, and laid over each picture. Sizes are in 720ths of the picture's height. */
#include "legend.h"

#include "common/error.h"
#include "plot/axis.h"
#include "plot/canvas.h"

#include "carom/soft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STOPS = 32 }; /* of the gradient */
#define MARGIN 24
#define PAD    14
#define BAR    18 /* width */
#define LENGTH 240
#define TEXT   15
#define TICK   5

/* Range and ticks in a unit that gives numbers from 1 to 1000. */
typedef struct scale {
  plot_axis axis;
  char title[60];
} scale;

static scale make_scale(double least, double most) {
  static const char* const UNITS[] = {"Pa", "kPa", "MPa", "GPa"};
  double largest = fmax(fabs(least), fabs(most)), factor = 1;
  int unit = 0;
  for (; unit < 3 && largest >= 1000 * factor * (1 - 1e-12); unit++) factor *= 1000;
  scale s = {.axis = plot_axis_make_exact(least / factor, most / factor, 6)};
  plot_axis_name(&s.axis, "von Mises stress", UNITS[unit], s.title, sizeof s.title);
  return s;
}

static double measure(cairo_t* c, const char* text) {
  cairo_text_extents_t extents;
  cairo_text_extents(c, text, &extents);
  return extents.x_advance;
}

static cairo_t* begin(cairo_surface_t* surface, double unit) {
  cairo_t* c = cairo_create(surface);
  cairo_scale(c, unit, unit);
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, TEXT);
  return c;
}

/* Width of all of it. */
static double find_width(const scale* s, double unit) {
  cairo_surface_t* nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  cairo_t* c = begin(nothing, unit);
  double width = measure(c, s->title);
  for (int i = 0; i < s->axis.num_ticks; i++)
    width = fmax(width, BAR + 2 * TICK + measure(c, s->axis.texts[i]));
  cairo_destroy(c);
  cairo_surface_destroy(nothing);
  return width + 2 * PAD;
}

static void draw_bar(cairo_t* c, double top) {
  cairo_pattern_t* colours = cairo_pattern_create_linear(0, top + LENGTH, 0, top);
  for (int i = 0; i <= STOPS; i++) {
    float rgb[3];
    carom_soft_get_colour((double)i / STOPS, rgb);
    cairo_pattern_add_color_stop_rgb(colours, (double)i / STOPS, (double)rgb[0], (double)rgb[1],
                                     (double)rgb[2]);
  }
  cairo_rectangle(c, PAD, top, BAR, LENGTH);
  cairo_set_source(c, colours);
  cairo_fill(c);
  cairo_pattern_destroy(colours);
}

static void draw_ticks(cairo_t* c, const plot_axis* axis, double top) {
  cairo_set_source_rgb(c, 0.13, 0.13, 0.13);
  cairo_set_line_width(c, 1);
  for (int i = 0; i < axis->num_ticks; i++) {
    double y = top + LENGTH * (1 - plot_axis_place(axis, axis->ticks[i]));
    cairo_move_to(c, PAD + BAR, y);
    cairo_rel_line_to(c, TICK, 0);
    cairo_stroke(c);
    cairo_move_to(c, PAD + BAR + 2 * TICK, y + 0.36 * TEXT);
    cairo_show_text(c, axis->texts[i]);
  }
}

static void draw(cairo_t* c, const scale* s, double width, double height) {
  double top = PAD + 2 * TEXT;
  cairo_set_source_rgba(c, 1, 1, 1, 0.8);
  cairo_rectangle(c, 0, 0, width, height);
  cairo_fill(c);
  cairo_set_source_rgb(c, 0.13, 0.13, 0.13);
  cairo_move_to(c, PAD, PAD + 0.8 * TEXT);
  cairo_show_text(c, s->title);
  draw_bar(c, top);
  draw_ticks(c, &s->axis, top);
}

carom_status render_legend_create(int width, int height, double least, double most,
                                  render_legend* legend, carom_error* error) {
  *legend = (render_legend){0};
  if (width < RENDER_LEGEND_WIDTH || height < RENDER_LEGEND_HEIGHT) return CAROM_OK;
  double unit = fmin(height / 720.0, width / 480.0);
  scale s = make_scale(least, most);
  double own_width = find_width(&s, unit), own_height = 2 * PAD + 2.4 * TEXT + LENGTH;
  legend->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(own_width * unit),
                                               (int)ceil(own_height * unit));
  cairo_t* c = begin(legend->surface, unit);
  draw(c, &s, own_width, own_height);
  cairo_status_t status = cairo_status(c);
  cairo_destroy(c);
  cairo_surface_flush(legend->surface);
  legend->x = width - cairo_image_surface_get_width(legend->surface) - (int)(MARGIN * unit);
  legend->y = (int)(MARGIN * unit);
  if (status == CAIRO_STATUS_SUCCESS) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "the bar of colours cannot be drawn: %s",
                   cairo_status_to_string(status));
}

/* A pixel of cairo (premultiplied, in one word) over one of a picture. */
static void lay_over(uint32_t own, unsigned char* pixel) {
  unsigned alpha = own >> 24, rest = 255 - alpha, below = pixel[3];
  unsigned opacity = alpha + (below * rest + 127) / 255;
  for (int k = 0; k < 3; k++) {
    unsigned part = (own >> (16 - 8 * k) & 255) + (pixel[k] * below / 255 * rest + 127) / 255;
    unsigned colour = opacity ? (255 * part + opacity / 2) / opacity : 0;
    pixel[k] = (unsigned char)(colour < 255 ? colour : 255);
  }
  pixel[3] = (unsigned char)opacity;
}

void render_legend_add(const render_legend* legend, int width, unsigned char* pixels) {
  if (!legend->surface) return;
  const unsigned char* data = cairo_image_surface_get_data(legend->surface);
  int own_width = cairo_image_surface_get_width(legend->surface);
  int stride = cairo_image_surface_get_stride(legend->surface);
  for (int y = 0; y < cairo_image_surface_get_height(legend->surface); y++)
    for (int x = 0; x < own_width; x++) {
      uint32_t own;
      memcpy(&own, data + (ptrdiff_t)y * stride + 4 * (ptrdiff_t)x, sizeof own);
      lay_over(own,
               pixels + 4 * ((size_t)(legend->y + y) * (size_t)width + (size_t)(legend->x + x)));
    }
}

void render_legend_free(render_legend* legend) {
  if (!legend->surface) return;
  cairo_surface_destroy(legend->surface);
  legend->surface = NULL;
  plot_canvas_forget();
}
