#include "support/parameter_differences.h"

#include "carom/parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

carom_sim* parameter_differences_vary(const step_differences* d, const carom_parameter* p,
                                      int element, double h, carom_model** model) {
  carom_builder* builder = NULL;
  carom_sim* sim = NULL;
  carom_error error;
  double values[16];
  carom_sim_def def = carom_sim_get_options(d->sim);
  assert_int_equal(carom_builder_copy(carom_model_get_description(d->model), &builder, NULL), 0);
  assert_int_equal(carom_builder_get_parameter(builder, p, values, NULL), 0);
  values[element] += h;
  if (carom_builder_set_parameter(builder, p, values, &error) != CAROM_OK ||
      carom_builder_compile(builder, model, &error) != CAROM_OK ||
      carom_sim_create(*model, &def, &sim, &error) != CAROM_OK)
    fail_msg("%s", error.message);
  carom_builder_destroy(builder);
  assert_int_equal(carom_sim_restore(sim, d->state, d->size, NULL), 0);
  carom_sim_forget_motion(sim);
  if (d->num_u) memcpy(carom_sim_controls(sim), d->u, sizeof(double) * (size_t)d->num_u);
  return sim;
}

/* A state after a step of a model with another value, less that of `base`, as a tangent. */
static void probe(const step_differences* d, const carom_parameter* p, int element, double h,
                  const double* q_base, double* x) {
  carom_model* model = NULL;
  carom_sim* sim = parameter_differences_vary(d, p, element, h, &model);
  int nv = d->model->num_v;
  assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
  step_differences_subtract(d->model, q_base, carom_sim_coordinates(sim), x);
  memcpy(x + nv, carom_sim_velocities(sim), sizeof(double) * (size_t)nv);
  for (int i = 0; i < d->model->force.num_activations; i++)
    x[2 * nv + i] = carom_sim_activations(sim)[i];
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static double scale_of(const step_differences* d, const carom_parameter* p, int element) {
  double values[16];
  assert_int_equal(
      carom_builder_get_parameter(carom_model_get_description(d->model), p, values, NULL), 0);
  return fmax(fabs(values[element]), 0.01);
}

static bool is_place(const char* name) {
  return !strstr(name, "geom.") && (strstr(name, ".position") || strstr(name, ".quaternion") ||
                                    strstr(name, ".anchor") || strstr(name, ".axis"));
}

/* One number of a parameter: a column by differences of the fourth order. */
static void check_column(step_differences* d, const carom_parameter* p, int element,
                         const double* C, int column, int columns, const char* name, double share) {
  double* q_end = calloc((size_t)d->model->num_q + 1, sizeof *q_end);
  assert_non_null(q_end);
  static const double NODE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
  int n = d->num_x;
  double unit = scale_of(d, p, element), h = share * unit, most = 0, worst = 0;
  bool is_of_geom =
      strstr(name, "geom.") && (strstr(name, ".position") || strstr(name, ".quaternion"));
  if (strstr(name, ".size") || is_of_geom) h = 2e-6;
  if (is_place(name)) h = 1e-4, most = 10; /* what no place moves is not told apart by solvers */
  double* x = calloc((size_t)d->num_x, sizeof *x);
  double* sum = calloc((size_t)d->num_x, sizeof *sum);
  assert_true(x && sum);
  carom_sim_forget_motion(d->sim);
  assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
  memcpy(q_end, carom_sim_coordinates(d->sim), sizeof(double) * (size_t)d->model->num_q);
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  for (int k = 0; k < 4; k++) {
    probe(d, p, element, NODE[k] * h, q_end, x);
    for (int i = 0; i < n; i++) sum[i] += WEIGHT[k] / (12 * h) * x[i];
  }
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(sum[i]));
    worst = fmax(worst, fabs(C[i * columns + column] - sum[i]));
  }
  if (worst > 2e-7 * most + 1e-9 / unit)
    for (int i = 0; i < n; i++)
      print_error("%s[%d] row %d: %.12g, by differences %.12g\n", name, element, i,
                  C[i * columns + column], sum[i]);
  assert_true(worst <= 2e-7 * most + 1e-9 / unit);
  free(x), free(sum), free(q_end);
}

void parameter_differences_expect(step_differences* d, const char* const* names, int count,
                                  double share) {
  carom_parameter parameters[32];
  carom_error error;
  int columns = 0;
  for (int i = 0; i < count; i++) {
    if (carom_builder_find_parameter(carom_model_get_description(d->model), names[i],
                                     &parameters[i], &error) != CAROM_OK)
      fail_msg("%s", error.message);
    columns += parameters[i].count;
  }
  double* C = calloc((size_t)d->num_x * (size_t)columns + 1, sizeof *C);
  assert_non_null(C);
  carom_linearization out = {
      .A = d->A, .B = d->B, .C = C, .parameters = parameters, .num_parameters = count};
  step_differences_save(d);
  if (carom_sim_linearize(d->sim, &out, &error) != CAROM_OK) fail_msg("%s", error.message);
  if (out.num_kinks > 0)
    fail_msg("%d kinks, nearest %g, %g m/s", out.num_kinks, out.nearest_kink, out.kink_speed);
  assert_int_equal(out.num_held, 0);
  step_differences_expect_transpose(d, &out);
  for (int i = 0, at = 0; i < count; i++)
    for (int k = 0; k < parameters[i].count; k++, at++)
      check_column(d, &parameters[i], k, C, at, columns, names[i], share);
  free(C);
}

void parameter_differences_expect_all(const char* text, const char* const* names, int count,
                                      double share) {
  for (int i = 0; i < 4; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13;
      step_differences d = step_differences_create(text, &def, seed);
      parameter_differences_expect(&d, names, count, share);
      step_differences_destroy(&d);
    }
}
