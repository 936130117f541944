/* PNG and PDF by cairo; SVG goes to svg.c. Colours: Okabe and Ito 2008, "Color universal design".
 */
#include "canvas.h"

#include "common/error.h"
#include "svg.h"
#include "text.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const PLOT_COLOURS[PLOT_NUM_COLOURS] = {"#ffffff", "#222222", "#555555", "#e6e6e6",
                                                    "#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                    "#e69f00", "#56b4e9", "#222222"};

const double PLOT_DASHES[PLOT_NUM_DASHES][PLOT_MAX_DASH] = {
    {0}, {6, 4}, {1.5, 3.5}, {9, 3.5, 1.5, 3.5}, {12, 4}, {6, 3.5, 1.5, 3.5, 1.5, 3.5}};

/* --- Pages --------------------------------------------------------------------------------------
 */

static cairo_status_t write_bytes(void* file, const unsigned char* bytes, unsigned length) {
  return fwrite(bytes, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t* make_surface(const plot_page* page, FILE* file, double* scale) {
  *scale = (page->format == PLOT_PNG ? page->dpi : 72) / 96;
  double width = page->width * *scale, height = page->height * *scale;
  if (page->format == PLOT_PNG)
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(width), (int)lround(height));
  return cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
}

/* Text is set as wide as it is designed, not in whole pixels. */
static cairo_t* make_context(cairo_surface_t* surface) {
  cairo_t* cairo = cairo_create(surface);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo, options);
  cairo_font_options_destroy(options);
  cairo_surface_destroy(surface);
  return cairo;
}

static carom_status fail(const plot_canvas* c, cairo_status_t status, carom_error* error) {
  carom_status kind =
      status == CAIRO_STATUS_NO_MEMORY ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_ERROR_INVALID_ARGUMENT;
  return cli_error(error, kind, "a plot of %g x %g px at %g dpi cannot be drawn: %s", c->page.width,
                   c->page.height, c->page.dpi, cairo_status_to_string(status));
}

static void destroy(plot_canvas* c) {
  if (c->cairo) cairo_destroy(c->cairo);
  if (c->ruler) cairo_destroy(c->ruler);
}

carom_status plot_canvas_begin(plot_canvas* c, const plot_page* page, FILE* file,
                               carom_error* error) {
  *c = (plot_canvas){.page = *page, .file = file};
  c->ruler = make_context(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  cairo_status_t status = cairo_status(c->ruler);
  if (page->format != PLOT_SVG && status == CAIRO_STATUS_SUCCESS) {
    double scale;
    c->cairo = make_context(make_surface(page, file, &scale));
    cairo_set_source_rgb(c->cairo, 1, 1, 1);
    cairo_paint(c->cairo); /* pixels that the page covers in part are white too */
    cairo_scale(c->cairo, scale, scale);
    status = cairo_status(c->cairo);
  }
  if (status != CAIRO_STATUS_SUCCESS) {
    fail(c, status, error);
    destroy(c);
    return error->status;
  }
  if (!c->cairo) plot_svg_begin(c);
  return CAROM_OK;
}

static cairo_status_t finish_cairo(plot_canvas* c) {
  cairo_surface_t* surface = cairo_get_target(c->cairo);
  cairo_status_t status = cairo_status(c->cairo);
  if (status != CAIRO_STATUS_SUCCESS) return status;
  if (c->page.format == PLOT_PNG)
    return cairo_surface_write_to_png_stream(surface, write_bytes, c->file);
  cairo_show_page(c->cairo);
  cairo_surface_finish(surface);
  return cairo_surface_status(surface);
}

carom_status plot_canvas_end(plot_canvas* c, const char* name, carom_error* error) {
  cairo_status_t status = CAIRO_STATUS_SUCCESS;
  if (c->cairo)
    status = finish_cairo(c);
  else
    plot_svg_end(c);
  if (status == CAIRO_STATUS_WRITE_ERROR || fflush(c->file) != 0 || ferror(c->file))
    cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s", name, strerror(errno));
  else if (status != CAIRO_STATUS_SUCCESS)
    fail(c, status, error);
  else
    error->status = CAROM_OK;
  destroy(c);
  return error->status;
}

void plot_canvas_forget(void) {
  cairo_debug_reset_static_data();
  FcFini();
}

/* --- Drawing ------------------------------------------------------------------------------------
 */

static void set_colour(cairo_t* cairo, int colour) {
  unsigned long rgb = strtoul(PLOT_COLOURS[colour] + 1, NULL, 16);
  cairo_set_source_rgb(cairo, (double)(rgb >> 16) / 255, (double)(rgb >> 8 & 255) / 255,
                       (double)(rgb & 255) / 255);
}

static void set_font(cairo_t* cairo, double size, bool is_bold) {
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, size);
}

/* Width of clean text. */
static double measure(cairo_t* cairo, const char* text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text, &extents);
  return extents.x_advance;
}

double plot_canvas_measure(plot_canvas* c, const char* text, double size) {
  char clean[256];
  plot_clean_text(text, clean, sizeof clean);
  set_font(c->ruler, size, false);
  return measure(c->ruler, clean);
}

void plot_canvas_line(plot_canvas* c, const double* points, int count, const plot_pen* pen) {
  if (!c->cairo) {
    plot_svg_line(c, points, count, pen);
    return;
  }
  const double* dash = PLOT_DASHES[pen->dash];
  int num_dashes = 0;
  while (num_dashes < PLOT_MAX_DASH && dash[num_dashes] > 0) num_dashes++;
  cairo_new_path(c->cairo);
  for (int i = 0; i < count; i++) cairo_line_to(c->cairo, points[2 * i], points[2 * i + 1]);
  if (count == 1) cairo_close_path(c->cairo);
  set_colour(c->cairo, pen->colour);
  cairo_set_line_width(c->cairo, pen->width);
  cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(c->cairo, pen->title ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_dash(c->cairo, dash, num_dashes, 0);
  cairo_stroke(c->cairo);
}

void plot_canvas_fill(plot_canvas* c, const plot_box* box, int colour) {
  if (!c->cairo) {
    plot_svg_fill(c, box, colour);
    return;
  }
  cairo_rectangle(c->cairo, box->x, box->y, box->width, box->height);
  set_colour(c->cairo, colour);
  cairo_fill(c->cairo);
}

void plot_canvas_text(plot_canvas* c, const plot_label* label) {
  if (!c->cairo) {
    plot_svg_text(c, label);
    return;
  }
  char clean[256];
  plot_clean_text(label->text, clean, sizeof clean);
  set_font(c->cairo, label->size, label->is_bold);
  double width = measure(c->cairo, clean);
  cairo_save(c->cairo);
  cairo_translate(c->cairo, label->x, label->y);
  if (label->is_upright) cairo_rotate(c->cairo, -acos(0));
  cairo_move_to(c->cairo, -width * label->anchor / 2, 0);
  set_colour(c->cairo, PLOT_INK);
  cairo_show_text(c->cairo, clean);
  cairo_restore(c->cairo);
}

void plot_canvas_open_group(plot_canvas* c, const char* role, const plot_box* clip) {
  if (!c->cairo) {
    plot_svg_open_group(c, role, clip);
    return;
  }
  cairo_save(c->cairo);
  if (!clip) return;
  cairo_rectangle(c->cairo, clip->x, clip->y, clip->width, clip->height);
  cairo_clip(c->cairo);
}

void plot_canvas_close_group(plot_canvas* c) {
  if (c->cairo)
    cairo_restore(c->cairo);
  else
    plot_svg_close_group(c);
}
