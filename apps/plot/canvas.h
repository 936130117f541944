/* What figures are drawn on: lines, filled boxes and text, on a page of SVG, PNG or PDF.
 *
 * Lengths are in px of 1/96 inch, y runs down. PNG and PDF are drawn by cairo. SVG is written as it
 * is (svg.c): with text that can be read and searched, titles for screen readers, and classes that
 * a page gives colours to; cairo would write outlines. */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include "carom/status.h"

#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF } plot_format;

/* Colours; curves have those from PLOT_CURVE on, told apart by the colour-blind. */
enum { PLOT_PAPER, PLOT_INK, PLOT_FRAME, PLOT_GRID, PLOT_CURVE, PLOT_NUM_COLOURS = PLOT_CURVE + 7 };
enum { PLOT_NUM_DASHES = 6, PLOT_MAX_DASH = 6 };

typedef struct plot_pen {
  int colour;
  double width;
  int dash;          /* 0: solid */
  const char* title; /* of a curve; null: none */
} plot_pen;

typedef enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END } plot_anchor;

typedef struct plot_label {
  const char* text;
  double x, y; /* on the base line */
  double size;
  plot_anchor anchor;
  bool is_upright; /* runs upwards */
  bool is_bold;
  const char* role; /* a class in SVG */
} plot_label;

typedef struct plot_box {
  double x, y, width, height;
} plot_box;

/* What a page is: in SVG title and description are for screen readers, the id makes names of parts
 * unique where several figures stand in one page. */
typedef struct plot_page {
  plot_format format;
  double width, height; /* px */
  double dpi;           /* pixels per inch of a PNG */
  const char *title, *description, *id;
  bool is_inline; /* SVG: part of a page of HTML, which gives it its width */
} plot_page;

typedef struct plot_canvas plot_canvas;

struct plot_canvas {
  plot_page page;
  FILE* file;
  cairo_t* cairo; /* null: SVG */
  cairo_t* ruler; /* measures text */
  int num_clips;
};

extern const char* const PLOT_COLOURS[PLOT_NUM_COLOURS];         /* #rrggbb */
extern const double PLOT_DASHES[PLOT_NUM_DASHES][PLOT_MAX_DASH]; /* px, ends with 0 */

/* Starts a page that goes to a file.
 * @return CAROM_ERROR_OUT_OF_MEMORY, CAROM_ERROR_INVALID_ARGUMENT when cairo cannot make it */
carom_status plot_canvas_begin(plot_canvas* canvas, const plot_page* page, FILE* file,
                               carom_error* error);

/* Writes what is left; the file stays open.
 * @param name of the file, for the sentence */
carom_status plot_canvas_end(plot_canvas* canvas, const char* name, carom_error* error);

/* Frees what cairo and fontconfig keep for later pages. No canvas may be open. */
void plot_canvas_forget(void);

/* Width of a text, px. */
double plot_canvas_measure(plot_canvas* canvas, const char* text, double size);

/* A line through points (x, y)[count]. */
void plot_canvas_line(plot_canvas* canvas, const double* points, int count, const plot_pen* pen);
void plot_canvas_fill(plot_canvas* canvas, const plot_box* box, int colour);
void plot_canvas_text(plot_canvas* canvas, const plot_label* label);

/* Between these, what is drawn counts as a part of a kind; outside of the box nothing is drawn
 * where one is given. */
void plot_canvas_open_group(plot_canvas* canvas, const char* role, const plot_box* clip);
void plot_canvas_close_group(plot_canvas* canvas);

#endif
