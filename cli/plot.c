/* `carom plot`: recordings as figures. */
#include "common/files.h"
#include "options.h"
#include "page.h"
#include "plot/chart.h"
#include "plot/near.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH     605.0 /* px, 160 mm */
#define PRINT_DPI 300.0

typedef struct plot_options {
  const char *output, *size, *title, *labels;
  double dpi, from, to;
  int format;
  bool is_log, quiet;
} plot_options;

#define FIELD(name) offsetof(plot_options, name)

static const char* const FORMATS[] = {"svg", "png", "pdf", NULL}; /* as plot_format */

static const cli_option OPTIONS[] = {
    {"output", 'o', "FILE", CLI_TEXT, FIELD(output), CLI_ANY, NULL,
     "write one file, panels above each other; .svg, .png\nor .pdf (REC.WHAT.svg, one for each)"},
    {"format", 0, "NAME", CLI_WORD, FIELD(format), CLI_ANY, FORMATS,
     "svg, png or pdf, where --output does not say (svg)"},
    {"size", 0, "WxH", CLI_TEXT, FIELD(size), CLI_ANY, NULL,
     "in px of 1/96 inch, or 160x90mm, 16x9cm, 6x4in\n(160 mm wide)"},
    {"dpi", 0, "N", CLI_NUMBER, FIELD(dpi), CLI_POSITIVE, NULL,
     "pixels per inch of a PNG (300; 96 with --size in px)"},
    {"title", 0, "TEXT", CLI_TEXT, FIELD(title), CLI_ANY, NULL, "above the figure (none)"},
    {"labels", 0, "A,B,...", CLI_TEXT, FIELD(labels), CLI_ANY, NULL,
     "what the legend calls the recordings (their files'\nnames)"},
    {"from", 0, "S", CLI_NUMBER, FIELD(from), CLI_ANY, NULL, "first time, s (the start)"},
    {"to", 0, "S", CLI_NUMBER, FIELD(to), CLI_ANY, NULL, "last time, s (the end)"},
    {"log", 0, NULL, CLI_FLAG, FIELD(is_log), CLI_ANY, NULL,
     "logarithmic axes of values (certificate only)"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL, "do not say what was written"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_plot = {
    "plot",
    "REC... WHAT...",
    "Plot what was recorded over time",
    "Draws quantities of recordings as SVG, PNG or PDF: energy, momentum, contacts, certificate,\n"
    "steps, slip, stress, any joint, body, soft body, attachment or equality by name, two bodies\n"
    "that touch (contact:table:box), or a part such as energy.total or elbow.reaction. Without\n"
    "WHAT it lists what there is. Several recordings are drawn over each other (docs/plots.md).",
    OPTIONS,
    run_command,
};

typedef struct plot_job {
  const plot_options* options;
  const char **paths, **words;
  int num_paths, num_words;
  double width, height, dpi; /* px; height 0: what suits */
  plot_format format;
  plot_chart chart;
} plot_job;

/* --- Options ------------------------------------------------------------------------------------
 */

/* "WxH", in px or with a unit. */
static int read_size(plot_job* job) {
  static const struct {
    const char* name;
    double px;
  } UNITS[] = {{"", 1}, {"px", 1}, {"mm", 96 / 25.4}, {"cm", 960 / 25.4}, {"in", 96}};
  const char* text = job->options->size;
  job->width = WIDTH, job->dpi = PRINT_DPI;
  if (text) {
    char *middle, *end = NULL;
    double width = strtod(text, &middle), height = *middle == 'x' ? strtod(middle + 1, &end) : 0;
    double px = 0;
    for (int u = 0; u < 5 && end && height > 0; u++)
      if (strcmp(end, UNITS[u].name) == 0) px = UNITS[u].px;
    if (!(width > 0) || !(height > 0) || px == 0 || !isfinite(width * height))
      return cli_fail(EXIT_USAGE, "plot: --size is '%s', must be such as 640x400 or 160x100mm",
                      text);
    job->width = width * px, job->height = height * px;
    if (px == 1) job->dpi = 96;
  }
  if (job->options->dpi > 0) job->dpi = job->options->dpi;
  return -1;
}

static int read_format(plot_job* job) {
  const char* output = job->options->output;
  job->format = (plot_format)(job->options->format < 0 ? PLOT_SVG : job->options->format);
  const char* suffix = output ? strrchr(output, '.') : NULL;
  for (int f = 0; suffix && FORMATS[f]; f++) {
    if (strcmp(suffix + 1, FORMATS[f]) != 0) continue;
    if (job->options->format >= 0 && job->options->format != f)
      return cli_fail(EXIT_USAGE, "plot: --output is '%s', but --format is %s", output,
                      FORMATS[job->options->format]);
    job->format = (plot_format)f;
    return -1;
  }
  if (!output || job->options->format >= 0) return -1;
  return cli_fail(EXIT_USAGE, "plot: --output is '%s', must end in .svg, .png or .pdf", output);
}

/* Names of the recordings in the legend, separated by commas. */
static int read_labels(plot_job* job) {
  const char* text = job->options->labels;
  for (int s = 0; text && s < job->num_paths; s++) {
    size_t length = strcspn(text, ",");
    bool is_last = s == job->num_paths - 1;
    if (length == 0 || (text[length] == ',') == is_last)
      return cli_fail(EXIT_USAGE, "plot: --labels is '%s', must name %d recordings",
                      job->options->labels, job->num_paths);
    snprintf(job->chart.labels[s], sizeof job->chart.labels[s], "%.*s", (int)length, text);
    text += length + !is_last;
  }
  return -1;
}

static int choose_times(plot_job* job) {
  const plot_options* o = job->options;
  plot_chart* c = &job->chart;
  double from = isnan(o->from) ? c->from : o->from, to = isnan(o->to) ? c->to : o->to;
  if (from < to && from <= c->to && to >= c->from) {
    c->from = from, c->to = to;
    return -1;
  }
  return cli_fail(EXIT_USAGE, "plot: nothing was recorded from %g s to %g s, but from %g s to %g s",
                  from, to, c->from, c->to);
}

/* --- Arguments ----------------------------------------------------------------------------------
 */

static bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text), of_end = strlen(end);
  return length > of_end && strcmp(text + length - of_end, end) == 0;
}

/* The first argument is a recording, and so is what is called *.h5 or is an HDF5 file. */
static bool is_recording(const char* argument) {
  return ends_with(argument, ".h5") || ends_with(argument, ".hdf5") || cli_is_hdf5(argument);
}

/* Puts recordings first, in their order. */
static void sort_arguments(plot_job* job, const char** arguments, const char** sorted, int count) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < count; i++)
      if ((i == 0 || is_recording(arguments[i])) == (pass == 0))
        sorted[pass == 0 ? job->num_paths++ : job->num_paths + job->num_words++] = arguments[i];
  job->paths = sorted;
  job->words = sorted + job->num_paths;
}

/* --- Figures ------------------------------------------------------------------------------------
 */

static int write_figure(const plot_job* job, plot_figure* figure, const char* what,
                        const char* path) {
  char title[256], description[2000];
  carom_error error;
  for (int s = 0; s < job->num_paths; s++)
    if (cli_is_same_file(path, job->paths[s]))
      return cli_fail(EXIT_INPUT, "%s: is read by this command, and not overwritten", path);
  figure->title = job->options->title;
  plot_figure_describe(figure, description, sizeof description);
  snprintf(title, sizeof title, "%s", figure->title ? figure->title : what);
  plot_page page = {.format = job->format,
                    .width = job->width,
                    .height = job->height > 0 ? job->height : plot_figure_height(figure),
                    .dpi = job->dpi,
                    .title = title,
                    .description = description,
                    .id = "plot"};
  FILE* file = fopen(path, "wb");
  if (!file) return cli_fail(EXIT_INPUT, "%s: cannot be created: %s", path, strerror(errno));
  carom_status status = plot_figure_draw(figure, &page, file, path, &error);
  fclose(file);
  if (status == CAROM_OK) {
    if (!job->options->quiet) cli_print("%s\n", path);
    return EXIT_FINE;
  }
  remove(path);
  return status == CAROM_ERROR_INVALID_ARGUMENT ? cli_fail(EXIT_USAGE, "plot: %s", error.message)
                                                : cli_fail_with(&error);
}

/* REC.WHAT.svg, beside the first recording. */
static void name_output(const plot_job* job, const char* word, char* path, size_t size) {
  const char* first = job->paths[0];
  int length = (int)strlen(first);
  length -= ends_with(first, ".h5") ? 3 : ends_with(first, ".hdf5") ? 5 : 0;
  int start = snprintf(path, size, "%.*s.", length, first);
  snprintf(path + start, size - (size_t)start, "%s.%s", word, FORMATS[job->format]);
  for (char* at = path + start; *at; at++)
    if (*at == '/' || *at == ':') *at = '_';
}

/* All groups in one file. */
static int write_together(const plot_job* job) {
  plot_figure figure = plot_chart_figure(&job->chart, 0, plot_chart_count(&job->chart));
  char what[256];
  size_t used = 0;
  for (int w = 0; w < job->num_words && used < sizeof what; w++)
    used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", w ? ", " : "", job->words[w]);
  return write_figure(job, &figure, what, job->options->output);
}

/* A file for each word.
 * @param ends [num_words] groups up to each */
static int write_apart(const plot_job* job, const int* ends) {
  int code = EXIT_FINE;
  for (int w = 0; w < job->num_words && code == EXIT_FINE; w++) {
    char path[4096];
    int first = w ? ends[w - 1] : 0;
    if (strlen(job->paths[0]) + strlen(job->words[w]) + 8 > sizeof path)
      return cli_fail(EXIT_USAGE, "plot: the name of the recording is too long");
    plot_figure figure = plot_chart_figure(&job->chart, first, ends[w] - first);
    name_output(job, job->words[w], path, sizeof path);
    code = write_figure(job, &figure, job->words[w], path);
  }
  return code;
}

/* --- Command ------------------------------------------------------------------------------------
 */

/* Says what a word may have meant. */
static int refuse_word(const plot_source* source, const char* word) {
  const char* nearest = plot_near_find(source, word);
  cli_fail(EXIT_USAGE, "plot: %s holds nothing called '%s'%s%s%s", source->path, word,
           nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  plot_near_print(source, word);
  return EXIT_USAGE;
}

static int add_words(plot_job* job, int* ends) {
  plot_chart* c = &job->chart;
  carom_error error;
  for (int w = 0; w < job->num_words; w++) {
    int missing;
    carom_status status = plot_chart_add(c, job->words[w], &missing, &error);
    if (status == CAROM_ERROR_BAD_INPUT && missing >= 0)
      return refuse_word(&c->sources[missing], job->words[w]);
    if (status != CAROM_OK) return cli_fail_with(&error);
    ends[w] = plot_chart_count(c);
  }
  for (int s = 0; s < c->num_sources && job->options->is_log; s++)
    for (int g = 0; g < c->whats[s].num_groups; g++) c->whats[s].groups[g].is_log = true;
  return -1;
}

static int execute(plot_job* job, int* ends) {
  plot_chart* c = &job->chart;
  carom_error error;
  if (plot_chart_open(c, job->paths, job->num_paths, &error) != CAROM_OK)
    return cli_fail_with(&error);
  if (job->num_words == 0) {
    cli_fail(EXIT_USAGE, "plot: WHAT is missing, such as energy");
    plot_near_print(&c->sources[0], NULL);
    return EXIT_USAGE;
  }
  int code = read_labels(job);
  if (code < 0) code = add_words(job, ends);
  if (code >= 0) return code;
  if (plot_chart_read(c, &error) != CAROM_OK) return cli_fail_with(&error);
  for (int s = 0; s < c->num_sources; s++) plot_source_warn(&c->sources[s], "plot");
  code = choose_times(job);
  if (code >= 0) return code;
  code = job->options->output ? write_together(job) : write_apart(job, ends);
  return cli_finish_output(code);
}

static int run_command(int argc, char** argv) {
  plot_options options = {.from = NAN, .to = NAN, .format = -1};
  plot_job job = {.options = &options};
  int count = 0;
  const char** arguments = calloc(2 * (size_t)argc, sizeof *arguments);
  int* ends = calloc((size_t)argc, sizeof *ends);
  int code = arguments && ends ? cli_parse_many(&cli_plot, argc, argv, &options, arguments, &count)
                               : cli_fail(EXIT_INPUT, "out of memory");
  if (code < 0) code = read_size(&job);
  if (code < 0) code = read_format(&job);
  if (code < 0) {
    sort_arguments(&job, arguments, arguments + argc, count);
    code = execute(&job, ends);
    plot_chart_close(&job.chart);
    plot_canvas_forget();
  }
  free((void*)arguments);
  free(ends);
  return code;
}
