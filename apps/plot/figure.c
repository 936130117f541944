/* Layout and drawing. A channel has a colour, a recording a pattern of dashes; where a panel has
 * one channel only, recordings have colours too. */
#include "figure.h"

#include "axis.h"
#include "common/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK_FONT   10.5
#define LABEL_FONT  11.5
#define TITLE_FONT  13.5
#define LINE_HEIGHT 16.0
#define EDGE        8.0  /* around everything */
#define GAP         14.0 /* between panels */
#define TICK_LENGTH 4.0
#define SAMPLE      24.0 /* length of a line in the legend */
#define LEAST_SIDE  40.0 /* of a panel */
#define CURVE_WIDTH 1.4
#define FAR         100.0 /* sizes of the axes that a curve may go beyond them */

typedef struct layout {
  const plot_figure* figure;
  plot_canvas* canvas;
  plot_axis time;
  plot_axis* values; /* [num_panels] */
  plot_box* boxes;   /* [num_panels] of the axes */
  int* rows;         /* [num_panels] of the legend */
  int* chosen;       /* [most points] */
  double* points;    /* [2 most points] */
} layout;

/* --- Ranges -------------------------------------------------------------------------------------
 */

static const plot_curve* get_curve(const plot_panel* panel, int recording, int channel) {
  return &panel->curves[recording * panel->num_channels + channel];
}

/* The least and the largest value within the figure's times. */
static void widen(const plot_figure* figure, const plot_curve* curve, double* least, double* most) {
  for (int i = 0; i < curve->count; i++) {
    if (curve->x[i] < figure->from || curve->x[i] > figure->to || !isfinite(curve->y[i])) continue;
    *least = fmin(*least, curve->y[i]);
    *most = fmax(*most, curve->y[i]);
  }
}

static bool has_values(const plot_figure* figure, const plot_panel* panel, int channel) {
  double least = INFINITY, most = -INFINITY;
  for (int r = 0; r < figure->num_recordings; r++)
    widen(figure, get_curve(panel, r, channel), &least, &most);
  return least <= most;
}

static plot_axis make_axis(const plot_figure* figure, const plot_panel* panel, double height) {
  double least = INFINITY, most = -INFINITY;
  int count = (int)(height / 26);
  for (int i = 0; i < figure->num_recordings * panel->num_channels; i++)
    widen(figure, &panel->curves[i], &least, &most);
  return panel->is_log ? plot_axis_make_log(least, most, count)
                       : plot_axis_make(least, most, count);
}

/* --- Legend -------------------------------------------------------------------------------------
 */

/* Channels first, then recordings where there are several. */
static int count_entries(const plot_figure* figure, const plot_panel* panel) {
  int recordings = figure->num_recordings > 1 ? figure->num_recordings : 0;
  return (panel->num_channels > 1 ? panel->num_channels : 0) + recordings;
}

static plot_pen make_pen(const plot_panel* panel, int recording, int channel) {
  int colours = PLOT_NUM_COLOURS - PLOT_CURVE;
  int colour = panel->num_channels > 1 ? channel : recording;
  return (plot_pen){PLOT_CURVE + colour % colours, CURVE_WIDTH, recording % PLOT_NUM_DASHES, NULL};
}

/* An entry's words and line. */
static plot_pen describe_entry(const plot_figure* figure, const plot_panel* panel, int entry,
                               char* text, size_t size) {
  int channels = panel->num_channels > 1 ? panel->num_channels : 0;
  if (entry < channels) {
    bool is_there = has_values(figure, panel, entry);
    snprintf(text, size, "%s%s", panel->names[entry], is_there ? "" : " (no values)");
    return make_pen(panel, 0, entry);
  }
  snprintf(text, size, "%s", figure->recordings[entry - channels]);
  plot_pen pen = make_pen(panel, entry - channels, 0);
  if (channels) pen.colour = PLOT_FRAME;
  return pen;
}

/* Walks through the legend of a panel, from left to right in rows; draws it unless y is NaN.
 * @return rows */
static int lay_legend(const layout* l, const plot_panel* panel, double left, double right,
                      double y) {
  int rows = 0;
  double x = right;
  for (int e = 0; e < count_entries(l->figure, panel); e++) {
    char text[128];
    plot_pen pen = describe_entry(l->figure, panel, e, text, sizeof text);
    double width = SAMPLE + 6 + plot_canvas_measure(l->canvas, text, TICK_FONT);
    if (rows == 0 || x + width > right) x = left, rows++;
    if (!isnan(y)) {
      double base = y + LINE_HEIGHT * rows - 5;
      double line[4] = {x, base - 3.5, x + SAMPLE, base - 3.5};
      plot_canvas_line(l->canvas, line, 2, &pen);
      plot_label label = {text, x + SAMPLE + 6, base, TICK_FONT, .role = "legend"};
      plot_canvas_text(l->canvas, &label);
    }
    x += width + 16;
  }
  return rows;
}

/* --- Layout -------------------------------------------------------------------------------------
 */

double plot_figure_height(const plot_figure* figure) {
  int panels = figure->num_panels;
  return (panels == 1 ? 330 : 70 + 190.0 * panels) + (figure->title ? 24 : 0);
}

/* The widest text of ticks. */
static double measure_ticks(const layout* l, const plot_axis* axis) {
  double width = 0;
  for (int i = 0; i < axis->num_ticks; i++)
    width = fmax(width, plot_canvas_measure(l->canvas, axis->texts[i], TICK_FONT));
  return width;
}

/* Room left of the axes: names of the axes, ticks. */
static double measure_left(const layout* l) {
  double ticks = 0;
  for (int p = 0; p < l->figure->num_panels; p++)
    ticks = fmax(ticks, measure_ticks(l, &l->values[p]));
  return EDGE + LINE_HEIGHT + 4 + ticks + TICK_LENGTH + 3;
}

/* Axes of values for panels of a height. */
static void make_axes(layout* l, double height) {
  for (int p = 0; p < l->figure->num_panels; p++)
    l->values[p] = make_axis(l->figure, &l->figure->panels[p], height);
}

static carom_status place_panels(layout* l, carom_error* error) {
  const plot_figure* f = l->figure;
  double width = l->canvas->page.width, height = l->canvas->page.height;
  double top = EDGE + (f->title ? 24 : 0), bottom = height - EDGE - 2 * LINE_HEIGHT - TICK_LENGTH;
  make_axes(l, (bottom - top) / f->num_panels - LINE_HEIGHT);
  double left = measure_left(l), right = width - EDGE - 12;
  double free = bottom - top - GAP * (f->num_panels - 1);
  for (int p = 0; p < f->num_panels; p++) {
    l->rows[p] = lay_legend(l, &f->panels[p], left, right, NAN);
    free -= LINE_HEIGHT * l->rows[p];
  }
  double side = free / f->num_panels, y = top;
  for (int p = 0; p < f->num_panels; p++) {
    y += LINE_HEIGHT * l->rows[p];
    l->boxes[p] = (plot_box){left, y, right - left, side};
    y += side + GAP;
  }
  int room = (int)((right - left) / 75);
  l->time = plot_axis_make_exact(f->from, f->to, room > 2 ? room : 2);
  if (right - left >= LEAST_SIDE && side >= LEAST_SIDE) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_INVALID_ARGUMENT,
                   "a plot of %g x %g px is too small for %d panels and their legends", width,
                   height, f->num_panels);
}

/* --- Drawing ------------------------------------------------------------------------------------
 */

static void draw_line(const layout* l, double x0, double y0, double x1, double y1, int colour,
                      double width) {
  double points[4] = {x0, y0, x1, y1};
  plot_pen pen = {colour, width, 0, NULL};
  plot_canvas_line(l->canvas, points, 2, &pen);
}

static void draw_time_axis(const layout* l, const plot_box* box, bool is_last) {
  double bottom = box->y + box->height;
  for (int i = 0; i < l->time.num_ticks; i++) {
    double x = box->x + box->width * plot_axis_place(&l->time, l->time.ticks[i]);
    draw_line(l, x, box->y, x, bottom, PLOT_GRID, 0.8);
    draw_line(l, x, bottom, x, bottom + TICK_LENGTH, PLOT_FRAME, 0.8);
    plot_label label = {.text = l->time.texts[i],
                        .x = x,
                        .y = bottom + TICK_LENGTH + LABEL_FONT,
                        .size = TICK_FONT,
                        .anchor = PLOT_MIDDLE,
                        .role = "xtick"};
    if (is_last) plot_canvas_text(l->canvas, &label);
  }
  char name[128];
  plot_axis_name(&l->time, "time", "s", name, sizeof name);
  plot_label label = {.text = name,
                      .x = box->x + box->width / 2,
                      .y = bottom + TICK_LENGTH + 2 * LINE_HEIGHT - 3,
                      .size = LABEL_FONT,
                      .anchor = PLOT_MIDDLE,
                      .role = "xlabel"};
  if (is_last) plot_canvas_text(l->canvas, &label);
}

/* Ticks between those with numbers, where a logarithmic axis has room for them. */
static void draw_minor_ticks(const layout* l, const plot_axis* axis, const plot_box* box) {
  double decades = log10(axis->most / axis->least);
  if (!axis->is_log || decades * 30 > box->height) return;
  for (double power = axis->least; power < 0.99 * axis->most; power *= 10)
    for (int k = 2; k < 10; k++) {
      double y = box->y + box->height * (1 - plot_axis_place(axis, k * power));
      draw_line(l, box->x - TICK_LENGTH / 2, y, box->x, y, PLOT_FRAME, 0.6);
    }
}

static void draw_value_axis(const layout* l, int p) {
  const plot_box* box = &l->boxes[p];
  const plot_axis* axis = &l->values[p];
  for (int i = 0; i < axis->num_ticks; i++) {
    double y = box->y + box->height * (1 - plot_axis_place(axis, axis->ticks[i]));
    draw_line(l, box->x, y, box->x + box->width, y, PLOT_GRID, 0.8);
    draw_line(l, box->x - TICK_LENGTH, y, box->x, y, PLOT_FRAME, 0.8);
    plot_label label = {.text = axis->texts[i],
                        .x = box->x - TICK_LENGTH - 3,
                        .y = y + 0.36 * TICK_FONT,
                        .size = TICK_FONT,
                        .anchor = PLOT_END,
                        .role = "ytick"};
    plot_canvas_text(l->canvas, &label);
  }
  draw_minor_ticks(l, axis, box);
  char name[160];
  const plot_panel* panel = &l->figure->panels[p];
  plot_axis_name(axis, panel->label, panel->unit, name, sizeof name);
  double width = plot_canvas_measure(l->canvas, name, LABEL_FONT);
  plot_label label = {.text = name,
                      .x = EDGE + LABEL_FONT,
                      .y = box->y + box->height / 2,
                      .size = LABEL_FONT * fmin(1, box->height / width),
                      .anchor = PLOT_MIDDLE,
                      .is_upright = true,
                      .role = "ylabel"};
  plot_canvas_text(l->canvas, &label);
}

/* Pixels of a point; what is far outside of the axes is brought nearer. */
static void place_point(const layout* l, int p, double time, double value, double point[2]) {
  const plot_box* box = &l->boxes[p];
  double x = plot_axis_place(&l->time, time), y = plot_axis_place(&l->values[p], value);
  point[0] = box->x + box->width * fmax(-FAR, fmin(FAR, x));
  point[1] = box->y + box->height * (1 - fmax(-FAR, fmin(FAR, y)));
}

/* A curve, in as many lines as gaps leave. */
static void draw_curve(const layout* l, int p, const plot_curve* curve, const plot_pen* pen) {
  const plot_box* box = &l->boxes[p];
  int first, last, count = 0;
  if (curve->count == 0) return;
  plot_curve_cut(curve, l->figure->from, l->figure->to, &first, &last);
  /* A column is a pixel of a page on a screen, a third of it in print. */
  int columns = (int)(box->width * (l->canvas->page.format == PLOT_SVG ? 1 : 3));
  int num_chosen = plot_curve_thin(curve, first, last, columns, l->chosen);
  for (int k = 0; k <= num_chosen; k++) {
    int i = k < num_chosen ? l->chosen[k] : -1;
    if (i >= 0 && isfinite(curve->x[i]) && isfinite(curve->y[i])) {
      place_point(l, p, curve->x[i], curve->y[i], l->points + 2 * count++);
      continue;
    }
    if (count > 0) plot_canvas_line(l->canvas, l->points, count, pen);
    count = 0;
  }
}

static void draw_curves(const layout* l, int p) {
  const plot_figure* f = l->figure;
  const plot_panel* panel = &f->panels[p];
  for (int r = 0; r < f->num_recordings; r++)
    for (int c = 0; c < panel->num_channels; c++) {
      char title[200];
      plot_pen pen = make_pen(panel, r, c);
      pen.title = title;
      if (f->num_recordings > 1)
        snprintf(title, sizeof title, "%s, %s", panel->names[c], f->recordings[r]);
      else
        snprintf(title, sizeof title, "%s", panel->names[c]);
      draw_curve(l, p, get_curve(panel, r, c), &pen);
    }
}

static void draw_panel(const layout* l, int p) {
  const plot_box* box = &l->boxes[p];
  double right = box->x + box->width, bottom = box->y + box->height;
  plot_canvas_open_group(l->canvas, "panel", NULL);
  draw_time_axis(l, box, p == l->figure->num_panels - 1);
  draw_value_axis(l, p);
  plot_canvas_open_group(l->canvas, "curves", box);
  draw_curves(l, p);
  plot_canvas_close_group(l->canvas);
  draw_line(l, box->x, box->y, box->x, bottom, PLOT_FRAME, 1);
  draw_line(l, box->x, bottom, right, bottom, PLOT_FRAME, 1);
  lay_legend(l, &l->figure->panels[p], box->x, right, box->y - LINE_HEIGHT * l->rows[p]);
  plot_canvas_close_group(l->canvas);
}

static void draw_all(const layout* l) {
  const plot_page* page = &l->canvas->page;
  plot_box paper = {0, 0, page->width, page->height};
  plot_canvas_fill(l->canvas, &paper, PLOT_PAPER);
  if (l->figure->title) {
    plot_label title = {.text = l->figure->title,
                        .x = page->width / 2,
                        .y = EDGE + TITLE_FONT,
                        .size = TITLE_FONT,
                        .anchor = PLOT_MIDDLE,
                        .is_bold = true,
                        .role = "title"};
    plot_canvas_text(l->canvas, &title);
  }
  for (int p = 0; p < l->figure->num_panels; p++) draw_panel(l, p);
}

/* --- Figures ------------------------------------------------------------------------------------
 */

void plot_figure_describe(const plot_figure* figure, char* text, size_t size) {
  size_t used =
      (size_t)snprintf(text, size, "Over time from %.6g s to %.6g s.", figure->from, figure->to);
  for (int p = 0; p < figure->num_panels; p++) {
    const plot_panel* panel = &figure->panels[p];
    for (int i = 0; i < figure->num_recordings * panel->num_channels && used < size; i++) {
      double least = INFINITY, most = -INFINITY;
      widen(figure, &panel->curves[i], &least, &most);
      used += (size_t)snprintf(
          text + used, size - used, " %s, %s%s%s: ", panel->label,
          panel->names[i % panel->num_channels], figure->num_recordings > 1 ? ", " : "",
          figure->num_recordings > 1 ? figure->recordings[i / panel->num_channels] : "");
      if (used >= size) break;
      used += least <= most ? (size_t)snprintf(text + used, size - used, "from %.5g to %.5g%s%s.",
                                               least, most, panel->unit[0] ? " " : "", panel->unit)
                            : (size_t)snprintf(text + used, size - used, "no values.");
    }
  }
}

static int count_points(const plot_figure* figure) {
  int most = 0;
  for (int p = 0; p < figure->num_panels; p++) {
    const plot_panel* panel = &figure->panels[p];
    for (int i = 0; i < figure->num_recordings * panel->num_channels; i++)
      if (panel->curves[i].count > most) most = panel->curves[i].count;
  }
  return most;
}

static bool reserve(layout* l) {
  size_t panels = (size_t)l->figure->num_panels, most = (size_t)count_points(l->figure) + 1;
  l->values = calloc(panels, sizeof *l->values);
  l->boxes = calloc(panels, sizeof *l->boxes);
  l->rows = calloc(panels, sizeof *l->rows);
  l->chosen = calloc(most, sizeof *l->chosen);
  l->points = calloc(2 * most, sizeof *l->points);
  return l->values && l->boxes && l->rows && l->chosen && l->points;
}

static void release(layout* l) {
  free(l->values);
  free(l->boxes);
  free(l->rows);
  free(l->chosen);
  free(l->points);
}

carom_status plot_figure_draw(const plot_figure* figure, const plot_page* page, FILE* file,
                              const char* name, carom_error* error) {
  plot_canvas canvas;
  carom_error late;
  layout l = {.figure = figure, .canvas = &canvas};
  carom_status status = plot_canvas_begin(&canvas, page, file, error);
  if (status != CAROM_OK) return status;
  if (reserve(&l))
    status = place_panels(&l, error);
  else
    status = cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  if (status == CAROM_OK) draw_all(&l);
  release(&l);
  carom_status ended = plot_canvas_end(&canvas, name, status == CAROM_OK ? error : &late);
  return status == CAROM_OK ? ended : status;
}
