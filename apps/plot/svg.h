/* The SVG side of a canvas; see canvas.h. */
#ifndef PLOT_SVG_H
#define PLOT_SVG_H

#include "canvas.h"

void plot_svg_begin(plot_canvas* canvas);
void plot_svg_end(plot_canvas* canvas);
void plot_svg_line(plot_canvas* canvas, const double* points, int count, const plot_pen* pen);
void plot_svg_fill(plot_canvas* canvas, const plot_box* box, int colour);
void plot_svg_text(plot_canvas* canvas, const plot_label* label);
void plot_svg_open_group(plot_canvas* canvas, const char* role, const plot_box* clip);
void plot_svg_close_group(plot_canvas* canvas);

#endif
