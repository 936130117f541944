#include "support/reading_differences.h"

#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double* push(int count) {
  double* x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

reading_differences reading_differences_create(const char* text, const carom_sim_def* def,
                                               int seed) {
  carom_sim_def own = def ? *def : carom_sim_def_default();
  own.tolerance = 1e-13;
  reading_differences w = {
      .d = step_differences_create(text, &own, seed), .h = 1e-4, .share = 3e-3, .tolerance = 1e-7};
  const carom_model* m = w.d.model;
  int sensors = carom_model_get_sizes(m).num_sensors;
  int* of = calloc((size_t)sensors + 2, sizeof *of);
  assert_non_null(of);
  for (int i = 0; i < sensors; i++) of[i] = i;
  of[sensors] = CAROM_READING_KINETIC, of[sensors + 1] = CAROM_READING_POTENTIAL;
  w.of = of, w.out.of = of, w.out.num_of = sensors + 2;
  w.rows = carom_model_count_readings(m, of, sensors + 2);
  w.num_x = w.d.num_x, w.num_u = w.d.num_u;
  w.out.x = push(w.rows * w.num_x), w.out.u = push(w.rows * w.num_u);
  return w;
}

void reading_differences_ask(reading_differences* w, bool after, const char* const* names,
                             int count) {
  const carom_builder* description = carom_model_get_description(w->d.model);
  w->out.after_step = after, w->out.num_parameters = count, w->num_theta = 0;
  for (int i = 0; i < count; i++) {
    carom_error error;
    if (carom_builder_find_parameter(description, names[i], &w->parameters[i], &error) != CAROM_OK)
      fail_msg("%s", error.message);
    w->num_theta += w->parameters[i].count;
  }
  free(w->out.theta);
  w->out.theta = push(w->rows * w->num_theta);
  step_differences_save(&w->d);
}

static void differentiate(reading_differences* w) {
  carom_error error;
  w->out.parameters = w->parameters;
  if (carom_sim_differentiate_readings(w->d.sim, &w->out, &error) != CAROM_OK)
    fail_msg("%s", error.message);
}

void reading_differences_destroy(reading_differences* w) {
  free(w->of), free(w->out.x), free(w->out.u), free(w->out.theta);
  step_differences_destroy(&w->d);
}

/* --- Differences --------------------------------------------------------------------------------
 */

static void read(const reading_differences* w, carom_sim* sim, double* y) {
  carom_error error;
  if (w->out.after_step) assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
  if (carom_sim_compute_sensors(sim, y, &error) != CAROM_OK) fail_msg("%s", error.message);
  carom_energy e = carom_sim_compute_energy(sim);
  y[w->rows - 2] = e.kinetic, y[w->rows - 1] = e.potential + e.elastic - sim->contact_energy;
}

/* Quaternions of either sign are the same. */
static void align(const reading_differences* w, const double* base, double* y) {
  for (int i = 0; i < w->out.num_of - 2; i++) {
    carom_sensor_info of = carom_model_get_sensor(w->d.model, i);
    double along = 0;
    if (of.type != CAROM_SENSOR_BALL_QUATERNION && of.type != CAROM_SENSOR_FRAME_QUATERNION)
      continue;
    for (int k = of.address; k < of.address + 4; k++) along += base[k] * y[k];
    for (int k = of.address; k < of.address + 4 && along < 0; k++) y[k] = -y[k];
  }
}

static const double NODE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};

static void expect_column(const reading_differences* w, const double* M, int columns, int c,
                          const double* sum, const char* name) {
  double most = 1;
  for (int i = 0; i < w->rows; i++) most = fmax(most, fabs(sum[i]));
  for (int i = 0; i < w->rows; i++)
    if (fabs(M[i * columns + c] - sum[i]) > w->tolerance * most)
      fail_msg("%s %d row %d: %.12g, by differences %.12g", name, c, i, M[i * columns + c], sum[i]);
}

static void check_state(reading_differences* w) {
  double *y = push(w->rows), *sum = push(w->rows), *base = push(w->rows);
  const double h = w->h;
  step_differences_move(&w->d, 0, 0);
  read(w, w->d.sim, base);
  for (int c = 0; c < w->num_x + w->num_u; c++) {
    memset(sum, 0, sizeof *sum * (size_t)w->rows);
    for (int k = 0; k < 4; k++) {
      step_differences_move(&w->d, c, NODE[k] * h);
      read(w, w->d.sim, y);
      align(w, base, y);
      for (int i = 0; i < w->rows; i++) sum[i] += WEIGHT[k] / (12 * h) * y[i];
    }
    bool is_x = c < w->num_x;
    expect_column(w, is_x ? w->out.x : w->out.u, is_x ? w->num_x : w->num_u,
                  is_x ? c : c - w->num_x, sum, is_x ? "x" : "u");
  }
  free(y), free(sum), free(base);
}

/* Readings of a model with a parameter moved by h. */
static void read_other(const reading_differences* w, const carom_parameter* p, int element,
                       double h, double* y) {
  carom_model* model = NULL;
  carom_sim* sim = parameter_differences_vary(&w->d, p, element, h, &model);
  read(w, sim, y);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static double scale_of(const reading_differences* w, const carom_parameter* p, int element) {
  double values[16];
  const carom_builder* description = carom_model_get_description(w->d.model);
  assert_int_equal(carom_builder_get_parameter(description, p, values, NULL), 0);
  return fmax(fabs(values[element]), 0.005);
}

static void check_parameters(reading_differences* w, const char* const* names) {
  double *y = push(w->rows), *sum = push(w->rows);
  assert_int_equal(carom_sim_restore(w->d.sim, w->d.state, w->d.size, NULL), 0);
  for (int i = 0, at = 0; i < w->out.num_parameters; i++)
    for (int e = 0; e < w->parameters[i].count; e++, at++) {
      double h = w->share * scale_of(w, &w->parameters[i], e);
      memset(sum, 0, sizeof *sum * (size_t)w->rows);
      for (int k = 0; k < 4; k++) {
        read_other(w, &w->parameters[i], e, NODE[k] * h, y);
        for (int r = 0; r < w->rows; r++) sum[r] += WEIGHT[k] / (12 * h) * y[r];
      }
      expect_column(w, w->out.theta, w->num_theta, at, sum, names[i]);
    }
  free(y), free(sum);
}

void reading_differences_expect(reading_differences* w, const char* const* names) {
  differentiate(w);
  check_state(w);
  check_parameters(w, names);
}
