/* Sums, means and extremes of what was recorded. */
#include "summary.h"

#include "common/number.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOLERANCE 1e-6 /* of `carom run` */
#define DEFAULT_DURATION  10.0 /* s, of `carom run` */

/* In the order of their channels. */
enum {
  KINETIC,
  POTENTIAL,
  ELASTIC,
  DISSIPATED,
  TOTAL,
  WORK,
  BALANCE,
  CONTACTS,
  RESIDUAL,
  BOUND,
  NEWTON,
  OUTER,
  WALL_TIME,
  SLIP,
  STEPS,
  SUBSTEPS,
  SHARING,
  SHARED,
  AREAS,
};

static const struct {
  plot_kind kind;
  int index;
} CHANNELS[PLOT_NUM_SUMMARY_CHANNELS] = {
    [KINETIC] = {PLOT_ENERGY, 0},      [POTENTIAL] = {PLOT_ENERGY, 1},
    [ELASTIC] = {PLOT_ENERGY, 2},      [DISSIPATED] = {PLOT_ENERGY, 3},
    [TOTAL] = {PLOT_TOTAL, 0},         [WORK] = {PLOT_WORK, 0},
    [BALANCE] = {PLOT_BALANCE, 0},     [CONTACTS] = {PLOT_CONTACTS, 0},
    [RESIDUAL] = {PLOT_RESIDUAL, 0},   [BOUND] = {PLOT_BOUND, 0},
    [NEWTON] = {PLOT_NEWTON, 0},       [OUTER] = {PLOT_OUTER, 0},
    [WALL_TIME] = {PLOT_WALL_TIME, 0}, [SLIP] = {PLOT_SLIP, 0},
    [STEPS] = {PLOT_STEPS, 0},         [SUBSTEPS] = {PLOT_SUBSTEPS, 0},
    [SHARING] = {PLOT_SHARING, 0},     [SHARED] = {PLOT_SHARED, 0},
    [AREAS] = {PLOT_AREAS, 0},
};

carom_status plot_summary_add(plot_chart* chart, int* first, carom_error* error) {
  *first = chart->whats[0].num_channels;
  carom_status status = CAROM_OK;
  for (int c = 0; c < PLOT_NUM_SUMMARY_CHANNELS && status == CAROM_OK; c++) {
    int channel;
    status = plot_what_add_channel(&chart->whats[0], CHANNELS[c].kind, CHANNELS[c].index, &channel,
                                   error);
  }
  return status;
}

/* Of the finite values. */
static plot_statistics measure(const double* values, int count) {
  plot_statistics s = {.first = NAN, .last = NAN, .least = NAN, .most = NAN, .mean = NAN};
  double sum = 0;
  for (int i = 0; i < count; i++) {
    if (!isfinite(values[i])) continue;
    if (s.count++ == 0) s.first = s.least = s.most = values[i];
    s.last = values[i];
    s.least = fmin(s.least, values[i]);
    s.most = fmax(s.most, values[i]);
    sum += values[i];
  }
  if (s.count > 0) s.mean = sum / s.count;
  return s;
}

/* Values above a limit; infinite ones count. */
static int count_above(const double* values, int count, double limit) {
  int above = 0;
  for (int i = 0; i < count; i++) above += values[i] > limit;
  return above;
}

static double find_rise(const double* total, const double* work, int count) {
  double lowest = INFINITY, rise = 0;
  for (int i = 0; i < count; i++) {
    double energy = total[i] - work[i];
    lowest = fmin(lowest, energy);
    rise = fmax(rise, energy - lowest);
  }
  return rise;
}

/* The number of an option of the command that made a recording. */
static double find_number(const char* command, const char* name, double standard) {
  char text[64];
  double number;
  if (strncmp(command, "carom run ", 10) != 0) return NAN;
  if (!plot_scene_find_option(command, name, text, sizeof text)) return standard;
  return cli_read_number(text, &number) ? number : NAN;
}

static void add_steps(plot_summary* s, const plot_source* source, int first) {
  const double* steps = plot_source_get(source, first + STEPS);
  const double* times = plot_source_get(source, first + WALL_TIME);
  double sum = 0;
  int known = 0;
  for (int i = 0; i < source->num_frames; i++) {
    s->steps += steps[i];
    if (!isfinite(times[i])) continue;
    sum += 1e-3 * times[i] * steps[i];
    known++;
  }
  s->wall_time = known > 0 ? sum : NAN;
}

static void add_energies(plot_summary* s, const plot_source* source, int first) {
  const double* total = plot_source_get(source, first + TOTAL);
  const double* work = plot_source_get(source, first + WORK);
  s->total[0] = total[0];
  s->total[1] = total[source->num_frames - 1];
  s->rise = find_rise(total, work, source->num_frames);
  s->exchanged = s->kinetic.most + s->elastic.most + s->potential.most - s->potential.least;
}

static void add_ending(plot_summary* s, const plot_source* source) {
  const char* command = source->info.options;
  s->tolerance = find_number(command, "tolerance", DEFAULT_TOLERANCE);
  s->duration = find_number(command, "duration", DEFAULT_DURATION);
  double simulated = source->time[source->num_frames - 1] - source->time[0];
  s->has_ended_early = simulated < s->duration - 0.5 * source->info.dt;
}

plot_summary plot_summary_make(const plot_chart* chart, int first) {
  const plot_source* source = &chart->sources[0];
  plot_summary s = {0};
  plot_statistics* const targets[PLOT_NUM_SUMMARY_CHANNELS] = {
      [KINETIC] = &s.kinetic,   [POTENTIAL] = &s.potential,    [ELASTIC] = &s.elastic,
      [WORK] = &s.work,         [DISSIPATED] = &s.dissipated,  [BALANCE] = &s.balance,
      [CONTACTS] = &s.contacts, [RESIDUAL] = &s.residual,      [BOUND] = &s.bound,
      [NEWTON] = &s.iterations, [OUTER] = &s.outer_iterations, [SLIP] = &s.slip,
      [SHARING] = &s.sharing,   [SHARED] = &s.shared,          [AREAS] = &s.areas};
  int count = source->num_frames;
  for (int c = 0; c < PLOT_NUM_SUMMARY_CHANNELS; c++)
    if (targets[c]) *targets[c] = measure(plot_source_get(source, first + c), count);
  add_steps(&s, source, first);
  add_energies(&s, source, first);
  add_ending(&s, source);
  s.unbounded_frames = count_above(plot_source_get(source, first + BOUND), count, 1e300);
  s.loose_frames = count_above(plot_source_get(source, first + RESIDUAL), count, s.tolerance);
  s.divided_frames = count_above(plot_source_get(source, first + SUBSTEPS), count, 1);
  return s;
}
