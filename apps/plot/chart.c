/* From recordings and words to figures. */
#include "chart.h"

#include "common/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Recordings ---------------------------------------------------------------------------------
 */

/* The name of a file without its folder and the suffix .h5. */
static void shorten(const char* path, char* label, size_t size) {
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  const char* dot = strrchr(name, '.');
  bool has_suffix = dot && dot > name && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
  snprintf(label, size, "%.*s", has_suffix ? (int)(dot - name) : (int)strlen(name), name);
}

/* Names of files where they are different, else paths. */
static void label_sources(plot_chart* c, const char* const* paths) {
  bool are_different = true;
  for (int i = 0; i < c->num_sources; i++) {
    shorten(paths[i], c->labels[i], sizeof c->labels[i]);
    for (int j = 0; j < i; j++)
      are_different = are_different && strcmp(c->labels[i], c->labels[j]) != 0;
  }
  for (int i = 0; i < c->num_sources && !are_different; i++)
    snprintf(c->labels[i], sizeof c->labels[i], "%s", paths[i]);
}

carom_status plot_chart_open(plot_chart* c, const char* const* paths, int num_paths,
                             carom_error* error) {
  *c = (plot_chart){0};
  c->sources = calloc((size_t)num_paths, sizeof *c->sources);
  c->whats = calloc((size_t)num_paths, sizeof *c->whats);
  c->labels = calloc((size_t)num_paths, sizeof *c->labels);
  if (!c->sources || !c->whats || !c->labels)
    return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  bool has_actuators = false;
  for (int i = 0; i < num_paths; i++) {
    carom_status status = plot_source_open(&c->sources[i], paths[i], error);
    if (status != CAROM_OK) return status;
    c->num_sources++;
    has_actuators = has_actuators || c->sources[i].info.num_ctrl > 0;
  }
  for (int i = 0; i < num_paths; i++) c->whats[i].has_actuators = has_actuators;
  label_sources(c, paths);
  return CAROM_OK;
}

void plot_chart_close(plot_chart* c) {
  for (int i = 0; i < c->num_sources; i++) {
    plot_source_close(&c->sources[i]);
    plot_what_free(&c->whats[i]);
  }
  free(c->sources);
  free(c->whats);
  free(c->labels);
  free(c->curves);
  free(c->panels);
  free((void*)c->names);
  *c = (plot_chart){0};
}

/* --- Words --------------------------------------------------------------------------------------
 */

/* Whether the last groups of two recordings hold the same. */
static bool are_alike(const plot_what* a, const plot_what* b) {
  if (a->num_groups != b->num_groups || a->num_channels != b->num_channels) return false;
  for (int g = 0; g < a->num_groups; g++)
    if (strcmp(a->groups[g].label, b->groups[g].label) != 0) return false;
  return true;
}

carom_status plot_chart_add(plot_chart* c, const char* word, int* missing, carom_error* error) {
  for (int i = 0; i < c->num_sources; i++) {
    *missing = i;
    carom_status status = plot_what_add(&c->whats[i], &c->sources[i], word, error);
    if (status != CAROM_OK) return status;
    *missing = -1;
    if (!are_alike(&c->whats[0], &c->whats[i]))
      return cli_error(error, CAROM_ERROR_BAD_INPUT, "%.150s: '%.100s' is not what it is in %.150s",
                       c->sources[i].path, word, c->sources[0].path);
  }
  return CAROM_OK;
}

int plot_chart_count(const plot_chart* c) { return c->whats[0].num_groups; }

/* --- Curves -------------------------------------------------------------------------------------
 */

/* A logarithmic axis has no place for zero and less. */
static void drop_zeros(double* values, int count) {
  for (int i = 0; i < count; i++)
    if (!(values[i] > 0)) values[i] = NAN;
}

static void make_panel(plot_chart* c, int g) {
  const plot_group* group = &c->whats[0].groups[g];
  plot_curve* curves = c->curves + group->first_channel * c->num_sources;
  c->panels[g] = (plot_panel){group->label,
                              group->unit,
                              group->is_log,
                              group->num_channels,
                              c->names + group->first_channel,
                              curves};
  for (int s = 0; s < c->num_sources; s++)
    for (int k = 0; k < group->num_channels; k++) {
      plot_source* source = &c->sources[s];
      double* values = plot_source_get(source, group->first_channel + k);
      if (group->is_log) drop_zeros(values, source->num_frames);
      curves[s * group->num_channels + k] = (plot_curve){source->time, values, source->num_frames};
    }
}

static void measure_time(plot_chart* c) {
  c->from = INFINITY, c->to = -INFINITY;
  for (int s = 0; s < c->num_sources; s++) {
    const plot_source* source = &c->sources[s];
    c->from = fmin(c->from, source->time[0]);
    c->to = fmax(c->to, source->time[source->num_frames - 1]);
  }
  /* One frame, or times that are none. */
  if (!isfinite(c->from)) c->from = 0;
  if (!(c->to > c->from) || !isfinite(c->to)) c->to = c->from + 1;
}

carom_status plot_chart_read(plot_chart* c, carom_error* error) {
  const plot_what* what = &c->whats[0];
  for (int s = 0; s < c->num_sources; s++) {
    carom_status status =
        plot_source_read(&c->sources[s], c->whats[s].channels, c->whats[s].num_channels, error);
    if (status != CAROM_OK) return status;
  }
  size_t channels = (size_t)what->num_channels + 1, sources = (size_t)c->num_sources;
  c->curves = calloc(channels * sources, sizeof *c->curves);
  c->panels = calloc((size_t)what->num_groups + 1, sizeof *c->panels);
  c->names = calloc(channels + sources, sizeof *c->names);
  if (!c->curves || !c->panels || !c->names)
    return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  for (int k = 0; k < what->num_channels; k++) c->names[k] = what->channels[k].name;
  for (int s = 0; s < c->num_sources; s++) c->names[what->num_channels + s] = c->labels[s];
  for (int g = 0; g < what->num_groups; g++) make_panel(c, g);
  measure_time(c);
  return CAROM_OK;
}

plot_figure plot_chart_figure(const plot_chart* c, int first_group, int num_groups) {
  return (plot_figure){.from = c->from,
                       .to = c->to,
                       .num_recordings = c->num_sources,
                       .num_panels = num_groups,
                       .recordings = c->names + c->whats[0].num_channels,
                       .panels = c->panels + first_group};
}
