/* Light and dark as the system asks; colours of curves are classes of the figures (svg.c). */
#include "report_page.h"

#include "text.h"

#include "carom/version.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define FIGURE_WIDTH 760.0 /* px */
#define RISE_SHARE   1e-2  /* of the energy exchanged: a larger rise is worth a warning */
#define NOISE_SHARE  1e-6  /* of the energy: no rise below it is */

static const char STYLE[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1d1f24;--soft:#5b6068;--line:#d9dce1;"
    "--wash:#f4f5f7;--warn:#8a3b00;--warn-wash:#fff1e3}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 Helvetica,Arial,'DejaVu Sans',sans-serif}\n"
    "main{max-width:58rem;margin:0 auto;padding:2rem 1.25rem 4rem}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:2.4rem 0 .7rem;border-bottom:1px solid var(--line)}\n"
    "p{margin:.4rem 0}.soft{color:var(--soft)}\n"
    "table{border-collapse:collapse;table-layout:fixed;width:100%;font-variant-numeric:tabular-"
    "nums}\n"
    "caption{text-align:left;color:var(--soft);padding-bottom:.3rem}\n"
    "th,td{text-align:left;vertical-align:top;padding:.28rem .8rem .28rem 0;"
    "border-bottom:1px solid var(--line);overflow-wrap:anywhere}\n"
    "th{font-weight:600;width:14rem}thead th:last-child{width:auto}\n"
    ".warnings{background:var(--warn-wash);border-left:4px solid var(--warn);"
    "padding:.6rem 1rem .6rem 2.2rem;margin:1rem 0}\n"
    "code,pre{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.85rem}\n"
    "pre{background:var(--wash);padding:.8rem;overflow:auto;max-height:40rem}\n"
    "figure{margin:1rem 0 1.8rem}figcaption{font-weight:600}\n"
    ".plot{display:block;width:100%;height:auto}.plot .paper{fill:var(--paper)}"
    ".plot text{fill:var(--ink)}.plot .grid{stroke:var(--line)}.plot .frame{stroke:var(--soft)}\n"
    "summary{cursor:pointer}summary:focus-visible{outline:2px solid currentColor}\n"
    "@media screen and (prefers-color-scheme:dark){"
    ":root{--paper:#16181d;--ink:#eceef2;--soft:#a5abb6;--line:#343943;--wash:#20242b;"
    "--warn:#ffb27a;--warn-wash:#33241a}\n"
    ".plot .c0{stroke:#4ea3e0}.plot .c1{stroke:#f0803c}.plot .c2{stroke:#2fc797}"
    ".plot .c3{stroke:#e39cc6}.plot .c4{stroke:#f2b632}.plot .c5{stroke:#9ad4f5}"
    ".plot .c6{stroke:#f4f5f7}}\n"
    "@media print{body{font-size:11pt}main{max-width:none;padding:0}"
    "figure,tr,.warnings{break-inside:avoid}h2{break-after:avoid}pre{max-height:none;"
    "white-space:pre-wrap}}\n";

/* --- Rows ---------------------------------------------------------------------------------------
 */

static void open_table(FILE* f, const char* caption) {
  fprintf(f,
          "<table><caption>%s</caption>\n<thead><tr><th scope=\"col\">Quantity</th>"
          "<th scope=\"col\">Value</th></tr></thead>\n<tbody>\n",
          caption);
}

static void close_table(FILE* f) { fputs("</tbody></table>\n", f); }

__attribute__((format(printf, 3, 4))) static void put_row(FILE* f, const char* name,
                                                          const char* format, ...) {
  char text[4000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(f, "<tr><th scope=\"row\">%s</th><td>", name);
  plot_put_text(f, text);
  fputs("</td></tr>\n", f);
}

static void put_statistics(FILE* f, const char* name, const plot_statistics* s) {
  if (s->count > 0)
    put_row(f, name, "mean %.3g, largest %.6g", s->mean, s->most);
  else
    put_row(f, name, "none");
}

/* --- Warnings -----------------------------------------------------------------------------------
 */

__attribute__((format(printf, 3, 4))) static void put_warning(FILE* f, int* count,
                                                              const char* format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if ((*count)++ == 0) fputs("<ul class=\"warnings\">\n", f);
  fputs("<li>", f);
  plot_put_text(f, text);
  fputs("</li>\n", f);
}

static void warn_of_file(FILE* f, int* count, const plot_source* source, const plot_summary* s) {
  if (source->info.is_open)
    put_warning(f, count,
                "The recording was not closed: it is being written, or its writer was killed. "
                "This report shows what there is of it.");
  if (source->num_unread)
    put_warning(f, count, "%d frames are left out: %s", source->num_unread, source->unread.message);
  if (s->has_ended_early)
    put_warning(f, count, "The run ended before the %g s that were asked for.", s->duration);
  if (!source->info.has_momentum)
    put_warning(f, count,
                "The recording is of an early version, without masses and joints: there is no "
                "momentum.");
}

static void warn_of_run(FILE* f, int* count, const plot_summary* s) {
  double noise = NOISE_SHARE * fmax(fabs(s->total[0]), fabs(s->total[1]));
  if (s->rise > RISE_SHARE * s->exchanged && s->rise > noise)
    put_warning(f, count,
                "Energy less the work of actuators rises by up to %.3g J, %.2g of the %.3g J that "
                "kinetic, elastic and potential energy exchange.",
                s->rise, s->rise / s->exchanged, s->exchanged);
  if (s->loose_frames)
    put_warning(f, count, "The residual is above the tolerance of %g in the steps of %d frames.",
                s->tolerance, s->loose_frames);
  if (s->divided_frames)
    put_warning(f, count, "Steps failed and were taken in parts in %d frames.", s->divided_frames);
}

static void put_warnings(const report_page* p, FILE* f) {
  int count = 0;
  fputs("<section aria-labelledby=\"warnings\"><h2 id=\"warnings\">Warnings</h2>\n", f);
  warn_of_file(f, &count, &p->chart->sources[0], p->summary);
  warn_of_run(f, &count, p->summary);
  fputs(count ? "</ul></section>\n" : "<p>None.</p></section>\n", f);
}

/* --- Summary ------------------------------------------------------------------------------------
 */

static void put_times(FILE* f, const plot_source* source, const plot_summary* s) {
  double start = source->time[0], end = source->time[source->num_frames - 1];
  put_row(f, "Ended", "%s",
          source->info.is_open ? "not closed: being written, or its writer was killed"
          : s->has_ended_early
              ? "before the time that was asked for; the recording does not say why"
          : isnan(s->duration) ? "closed by its writer; how long it was to be is not recorded"
                               : "completed");
  put_row(f, "Simulated", "%.9g s, from %.6g s to %.6g s", end - start, start, end);
  put_row(f, "Steps", "%.0f of %g ms, in %d frames", s->steps, 1e3 * source->info.dt,
          source->num_frames);
  if (isnan(s->wall_time))
    put_row(f, "Wall time", "not recorded");
  else
    put_row(f, "Wall time", "%.3g s, %.3g times real time, %.3g ms a step", s->wall_time,
            (end - start) / s->wall_time, 1e3 * s->wall_time / s->steps);
  if (s->divided_frames)
    put_row(f, "Failed steps", "in %d frames; taken in parts", s->divided_frames);
  else
    put_row(f, "Failed steps", "none");
}

static void put_solver(FILE* f, const plot_source* source, const plot_summary* s) {
  put_statistics(f, "Contacts", &s->contacts);
  put_statistics(f, "Newton iterations", &s->iterations);
  put_statistics(f, "Outer iterations", &s->outer_iterations);
  put_row(f, "Residual", "%.2g at most, relative", s->residual.count ? s->residual.most : 0);
  if (isnan(s->tolerance))
    put_row(f, "Above the tolerance", "not known: the recording does not say the tolerance");
  else
    put_row(f, "Above the tolerance", "steps of %d of %d frames, tolerance %g", s->loose_frames,
            source->num_frames, s->tolerance);
  if (s->unbounded_frames)
    put_row(f, "Velocity error", "no bound in %d frames, where contacts or constraints are rigid",
            s->unbounded_frames);
  else
    put_row(f, "Velocity error", "%.2g at most, relative", s->bound.count ? s->bound.most : 0);
  put_row(f, "Slip in stick", "%.2g m/s at most", s->slip.count ? s->slip.most : 0);
  if (s->sharing.count && s->sharing.most > 0)
    put_row(f, "Undetermined forces", "%.0f at most, shared by %.0f contacts at most",
            s->shared.most, s->sharing.most);
  if (s->areas.count && s->areas.most > 0)
    put_row(f, "Moment of areas", "off by %.2g at most, relative", s->areas.most);
  put_row(f, "Float in sliding", "not in recordings; 'carom run' prints it");
}

static void put_energies(FILE* f, const plot_source* source, const plot_summary* s) {
  put_row(f, "Energy at start", "%.9g J = kinetic %.6g + potential %.6g + elastic %.6g",
          s->total[0], s->kinetic.first, s->potential.first, s->elastic.first);
  put_row(f, "Energy at end", "%.9g J = kinetic %.6g + potential %.6g + elastic %.6g", s->total[1],
          s->kinetic.last, s->potential.last, s->elastic.last);
  put_row(f, "Dissipated", "%.6g J", s->dissipated.last);
  if (source->info.num_ctrl > 0) put_row(f, "Work of actuators", "%.6g J", s->work.last);
  put_row(f, "Not accounted for", "%.3g J at the end; from %.3g J to %.3g J", s->balance.last,
          s->balance.least, s->balance.most);
  put_row(f, "Largest rise", "%.3g J, of energy less the work of actuators", s->rise);
}

static void put_summary(const report_page* p, FILE* f) {
  const plot_source* source = &p->chart->sources[0];
  fputs("<section aria-labelledby=\"summary\"><h2 id=\"summary\">Summary</h2>\n", f);
  open_table(f, "Figures of steps are the largest since the frame before; means are over frames.");
  put_times(f, source, p->summary);
  put_solver(f, source, p->summary);
  put_energies(f, source, p->summary);
  close_table(f);
  fputs("</section>\n", f);
}

/* --- Origin -------------------------------------------------------------------------------------
 */

static void put_origin(const report_page* p, FILE* f) {
  const plot_source* source = &p->chart->sources[0];
  const carom_recording_info* info = &source->info;
  fputs("<section aria-labelledby=\"origin\"><h2 id=\"origin\">Scene and options</h2>\n", f);
  open_table(f, "Where this comes from.");
  put_row(f, "Recording", "%s", source->path);
  put_row(f, "Model", "%s", info->model[0] ? info->model : "without a name");
  put_row(f, "Made by", "%s", info->options[0] ? info->options : "not said");
  put_row(f, "Parts", "%d bodies besides the world, %d joints, %d geometries, %d actuators",
          info->num_bodies - 1, info->num_joints, info->num_geoms, info->num_ctrl);
  put_row(f, "Sizes", "%d coordinates, %d velocities", info->num_q, info->num_v);
  put_row(f, "Step", "%g ms", 1e3 * info->dt);
  if (info->rate > 0)
    put_row(f, "Frames", "%g a simulated second", info->rate);
  else
    put_row(f, "Frames", "every step");
  put_row(f, "Versions", "recorded by Carom %s, format %d; report by Carom %s", info->library,
          info->version, carom_version());
  close_table(f);
  fputs("</section>\n", f);
}

/* What the importer ignored or mapped. */
static void put_notes(const report_page* p, FILE* f) {
  int count = p->model ? carom_model_get_sizes(p->model).num_notes : 0;
  fputs("<section aria-labelledby=\"ignored\"><h2 id=\"ignored\">Ignored or mapped</h2>\n", f);
  if (!p->model) {
    fputs("<p>Not known: ", f);
    plot_put_text(f, p->unknown->message);
    fputs("</p>\n", f);
  } else if (count == 0) {
    fputs("<p>Nothing of the scene file.</p>\n", f);
  }
  for (int i = 0; i < count; i++) {
    fputs(i ? "<li>" : "<ul><li>", f);
    plot_put_text(f, carom_model_get_note(p->model, i));
    fputs("</li>\n", f);
  }
  fputs(count ? "</ul></section>\n" : "</section>\n", f);
}

static void put_scene(const report_page* p, FILE* f) {
  const char* scene = p->chart->sources[0].info.scene;
  if (!scene[0]) return;
  fputs("<section aria-labelledby=\"scene\"><h2 id=\"scene\">Scene file</h2>\n", f);
  fputs("<details><summary>Text of the scene, without the files that it includes</summary>\n<pre>",
        f);
  plot_put_text(f, scene);
  fputs("</pre></details></section>\n", f);
}

/* --- Figures ------------------------------------------------------------------------------------
 */

static carom_status put_figure(const report_page* p, const report_figure* figure, FILE* f,
                               const char* name, carom_error* error) {
  char description[2000], id[64];
  plot_figure drawn = plot_chart_figure(p->chart, figure->first_group, figure->num_groups);
  plot_figure_describe(&drawn, description, sizeof description);
  snprintf(id, sizeof id, "plot-%s", figure->word);
  plot_page page = {.format = PLOT_SVG,
                    .width = FIGURE_WIDTH,
                    .height = plot_figure_height(&drawn),
                    .title = figure->title,
                    .description = description,
                    .id = id,
                    .is_inline = true};
  fprintf(f, "<figure><figcaption>%s</figcaption>\n", figure->title);
  carom_status status = plot_figure_draw(&drawn, &page, f, name, error);
  fputs("</figure>\n", f);
  return status;
}

static carom_status put_figures(const report_page* p, FILE* f, const char* name,
                                carom_error* error) {
  carom_status status = CAROM_OK;
  fputs("<section aria-labelledby=\"plots\"><h2 id=\"plots\">Plots</h2>\n", f);
  for (int i = 0; i < p->num_figures && status == CAROM_OK; i++)
    status = put_figure(p, &p->figures[i], f, name, error);
  fputs("</section>\n", f);
  return status;
}

/* --- Page ---------------------------------------------------------------------------------------
 */

static void put_head(const report_page* p, FILE* f) {
  const plot_source* source = &p->chart->sources[0];
  const char* title = source->info.model[0] ? source->info.model : p->chart->labels[0];
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n<title>",
        f);
  plot_put_format(f, "%s: report", title);
  fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<header><h1>", STYLE);
  plot_put_text(f, title);
  fputs("</h1>\n<p class=\"soft\">Report of the recording ", f);
  plot_put_text(f, source->path);
  fputs("</p></header>\n", f);
}

carom_status report_page_write(const report_page* page, FILE* file, const char* name,
                               carom_error* error) {
  put_head(page, file);
  put_warnings(page, file);
  put_summary(page, file);
  carom_status status = put_figures(page, file, name, error);
  put_origin(page, file);
  put_notes(page, file);
  put_scene(page, file);
  fputs("</main>\n</body>\n</html>\n", file);
  return status;
}
