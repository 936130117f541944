/* `carom report`: a recording as one page to read and to print. */
#include "common/files.h"
#include "options.h"
#include "page.h"
#include "plot/report_page.h"
#include "plot/scene.h"
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct report_options {
  const char *recording, *output;
  bool quiet;
} report_options;

#define FIELD(name) offsetof(report_options, name)

static const cli_option OPTIONS[] = {
    {"output", 'o', "FILE.html", CLI_TEXT, FIELD(output), CLI_ANY, NULL,
     "write the page there (RECORDING.report.html)"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL, "do not say what was written"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_report = {
    "report",
    "RECORDING",
    "Sum up a recording on one page",
    "Writes one page of HTML, to read in a browser or to print, with no network: warnings, a "
    "table\n"
    "of what happened, plots of energy, momentum, contacts, certificate and steps, the scene, the\n"
    "options, the versions, and what was ignored of the scene file (docs/plots.md).",
    OPTIONS,
    run_command,
};

/* What is plotted; momentum only where the recording has masses. */
static const report_figure FIGURES[] = {
    {"energy", "Energy", 0, 0},
    {"contacts", "Contact points", 0, 0},
    {"certificate", "Residual and bound on the velocity error, relative", 0, 0},
    {"steps", "Iterations and wall time of a step", 0, 0},
    {"momentum", "Momentum, and angular momentum about the centre of mass", 0, 0},
};
enum { NUM_FIGURES = sizeof FIGURES / sizeof FIGURES[0] };

typedef struct report_job {
  const report_options* options;
  char* output;
  plot_chart chart;
  report_figure figures[NUM_FIGURES];
  int num_figures, first_channel;
  carom_model* model;
  carom_error unknown; /* why there is no model */
} report_job;

static carom_status add_figures(report_job* job, carom_error* error) {
  carom_status status = CAROM_OK;
  bool has_momentum = job->chart.sources[0].info.has_momentum;
  for (int i = 0; i < NUM_FIGURES && status == CAROM_OK; i++) {
    report_figure* figure = &job->figures[job->num_figures];
    int missing;
    if (strcmp(FIGURES[i].word, "momentum") == 0 && !has_momentum) continue;
    *figure = FIGURES[i];
    figure->first_group = plot_chart_count(&job->chart);
    status = plot_chart_add(&job->chart, figure->word, &missing, error);
    figure->num_groups = plot_chart_count(&job->chart) - figure->first_group;
    job->num_figures++;
  }
  return status;
}

static carom_status read(report_job* job, carom_error* error) {
  carom_status status = plot_chart_open(&job->chart, &job->options->recording, 1, error);
  if (status == CAROM_OK) status = add_figures(job, error);
  if (status == CAROM_OK) status = plot_summary_add(&job->chart, &job->first_channel, error);
  if (status == CAROM_OK) status = plot_chart_read(&job->chart, error);
  if (status != CAROM_OK) return status;
  /* A report is whole without the scene; the page says why it is not there. */
  plot_scene_load(job->chart.sources[0].recording, &job->model, &job->unknown);
  return CAROM_OK;
}

static carom_status write_page(const report_job* job, carom_error* error) {
  plot_summary summary = plot_summary_make(&job->chart, job->first_channel);
  report_page page = {&job->chart,      &summary,   job->figures,
                      job->num_figures, job->model, &job->unknown};
  FILE* file = fopen(job->output, "wb");
  if (!file)
    return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be created: %s", job->output,
                     strerror(errno));
  carom_status status = report_page_write(&page, file, job->output, error);
  bool is_written = !ferror(file);
  is_written = fclose(file) == 0 && is_written;
  if (status != CAROM_OK || is_written) return status;
  return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s", job->output,
                   strerror(errno));
}

static int execute(report_job* job) {
  carom_error error;
  if (cli_is_same_file(job->options->recording, job->output))
    return cli_fail(EXIT_INPUT, "%s: is read by this command, and not overwritten", job->output);
  carom_status status = read(job, &error);
  if (status == CAROM_OK) plot_source_warn(&job->chart.sources[0], "report");
  if (status == CAROM_OK) status = write_page(job, &error);
  if (status != CAROM_OK) return cli_fail_with(&error);
  if (!job->options->quiet) cli_print("%s: open it in a browser\n", job->output);
  return cli_finish_output(EXIT_FINE);
}

/* The page's name: as asked for, or the recording's with another suffix. */
static char* name_output(const report_options* o) {
  const char* name = o->output ? o->output : o->recording;
  size_t length = strlen(name), size = length + sizeof ".report.html";
  if (!o->output && length > 3 && strcmp(name + length - 3, ".h5") == 0) length -= 3;
  char* text = calloc(size, 1);
  if (text) snprintf(text, size, "%.*s%s", (int)length, name, o->output ? "" : ".report.html");
  return text;
}

static int run_command(int argc, char** argv) {
  report_options options = {0};
  int code = cli_parse(&cli_report, argc, argv, &options, &options.recording);
  if (code >= 0) return code;
  report_job job = {.options = &options, .output = name_output(&options)};
  code = job.output ? execute(&job) : cli_fail(EXIT_INPUT, "out of memory");
  carom_model_destroy(job.model);
  plot_chart_close(&job.chart);
  plot_canvas_forget();
  free(job.output);
  return code;
}
