/* Figures as SVG 1.1. Colours are attributes, which a page's style overrides by class. */
#include "svg.h"

#include "text.h"

static const char* const CLASSES[PLOT_NUM_COLOURS] = {"paper", "ink", "frame", "grid", "c0", "c1",
                                                      "c2",    "c3",  "c4",    "c5",   "c6"};

void plot_svg_begin(plot_canvas* c) {
  const plot_page* p = &c->page;
  FILE* f = c->file;
  if (!p->is_inline) fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.6g %.6g\"", p->width,
          p->height);
  if (p->is_inline)
    fputs(" class=\"plot\"", f);
  else
    fprintf(f, " width=\"%.6gmm\" height=\"%.6gmm\"", p->width / 96 * 25.4, p->height / 96 * 25.4);
  fprintf(f,
          " role=\"img\" aria-labelledby=\"%s-title\" aria-describedby=\"%s-desc\""
          " font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
          p->id, p->id);
  fprintf(f, "<title id=\"%s-title\">", p->id);
  plot_put_text(f, p->title);
  fprintf(f, "</title>\n<desc id=\"%s-desc\">", p->id);
  plot_put_text(f, p->description);
  fputs("</desc>\n", f);
}

void plot_svg_end(plot_canvas* c) { fputs("</svg>\n", c->file); }

static void put_dash(FILE* f, const double* dash) {
  if (dash[0] == 0) return;
  fputs(" stroke-dasharray=\"", f);
  for (int k = 0; k < PLOT_MAX_DASH && dash[k] > 0; k++) fprintf(f, "%s%g", k ? " " : "", dash[k]);
  fputs("\"", f);
}

void plot_svg_line(plot_canvas* c, const double* points, int count, const plot_pen* pen) {
  FILE* f = c->file;
  fprintf(f,
          "<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\""
          " stroke-linejoin=\"round\"",
          CLASSES[pen->colour], PLOT_COLOURS[pen->colour], pen->width);
  if (pen->title) fputs(" stroke-linecap=\"round\"", f);
  put_dash(f, PLOT_DASHES[pen->dash]);
  fputs(" d=\"", f);
  for (int i = 0; i < count; i++)
    fprintf(f, "%s%.2f %.2f", i == 0 ? "M" : i == 1 ? "L" : " ", points[2 * i], points[2 * i + 1]);
  if (count == 1) fputs("h0", f);
  if (!pen->title) {
    fputs("\"/>\n", f);
    return;
  }
  fputs("\"><title>", f);
  plot_put_text(f, pen->title);
  fputs("</title></path>\n", f);
}

void plot_svg_fill(plot_canvas* c, const plot_box* box, int colour) {
  fprintf(c->file,
          "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
          CLASSES[colour], box->x, box->y, box->width, box->height, PLOT_COLOURS[colour]);
}

void plot_svg_text(plot_canvas* c, const plot_label* label) {
  static const char* const ANCHORS[] = {"start", "middle", "end"};
  FILE* f = c->file;
  fprintf(f, "<text class=\"ink %s\" x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" fill=\"%s\"",
          label->role, label->x, label->y, label->size, PLOT_COLOURS[PLOT_INK]);
  if (label->anchor != PLOT_START) fprintf(f, " text-anchor=\"%s\"", ANCHORS[label->anchor]);
  if (label->is_bold) fputs(" font-weight=\"bold\"", f);
  if (label->is_upright) fprintf(f, " transform=\"rotate(-90 %.2f %.2f)\"", label->x, label->y);
  fputs(">", f);
  plot_put_text(f, label->text);
  fputs("</text>\n", f);
}

void plot_svg_open_group(plot_canvas* c, const char* role, const plot_box* clip) {
  if (!clip) {
    fprintf(c->file, "<g class=\"%s\">\n", role);
    return;
  }
  c->num_clips++;
  fprintf(c->file,
          "<clipPath id=\"%s-clip%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\""
          " height=\"%.2f\"/></clipPath>\n<g class=\"%s\" clip-path=\"url(#%s-clip%d)\">\n",
          c->page.id, c->num_clips, clip->x, clip->y, clip->width, clip->height, role, c->page.id,
          c->num_clips);
}

void plot_svg_close_group(plot_canvas* c) { fputs("</g>\n", c->file); }
