/* Soft bodies against published and closed forms, by the simulator run to rest or in time: the
 * patch test, uniaxial stretch, a hanging bar, a cantilever, the elastica, frequencies, the energy
 * of nonlinear materials. */
#include "support/soft_world.h"

#include <math.h>
#include <stdlib.h>

/* --- Patch test ---------------------------------------------------------------------------------
 */

/* Holds the six faces of a box, one layer at an edge after the other. */
static void hold_outside(carom_builder* builder, const carom_soft_def* def, carom_soft soft) {
  carom_error error;
  double inner[3];
  for (int i = 0; i < 3; i++) inner[i] = 0.5 * def->size[i] - 1e-9;
  for (int side = 0; side < 6; side++) {
    carom_attachment_def face = carom_attachment_def_default();
    face.soft = soft;
    for (int i = 0; i < 3; i++) {
      /* Axes before this one have their ends already. */
      double end = i < side / 2 ? inner[i] - 1e-9 : 10;
      face.low[i] = -end, face.high[i] = end;
    }
    if (side % 2)
      face.low[side / 2] = inner[side / 2];
    else
      face.high[side / 2] = -inner[side / 2];
    check_ok(carom_builder_add_attachment(builder, &face, &error), &error);
  }
}

static void test_patch(void** state) {
  (void)state;
  static const double F[3][3] = {{1.1, 0.05, 0}, {-0.02, 0.95, 0.1}, {0.03, 0, 1.02}};
  for (int k = 0; k < 8; k++) {
    static const carom_soft_law laws[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_FIXED_COROTATED,
                                          CAROM_SOFT_ST_VENANT_KIRCHHOFF, CAROM_SOFT_NEO_HOOKEAN};
    carom_builder* builder;
    carom_error error;
    carom_soft soft;
    carom_model* model;
    carom_soft_def def = soft_world_box(1, 2, 1.5, 3, 3, 3);
    carom_builder_def none = carom_builder_def_default();
    none.gravity[2] = 0;
    def.law = laws[k / 2], def.quadratic = k % 2, def.beta = 0.1;
    check_ok(carom_builder_create(&none, &builder, &error), &error);
    check_ok(carom_builder_add_soft(builder, &def, &soft, &error), &error);
    hold_outside(builder, &def, soft);
    check_ok(carom_builder_compile(builder, &model, &error), &error);
    carom_builder_destroy(builder);
    carom_sim_def options = world_def(1, CAROM_IMPLICIT);
    world w = world_create_from(model, &options);
    carom_soft_info s = carom_model_get_soft(model, 0);
    double* q = malloc(sizeof(double) * (size_t)w.sizes.num_q);
    double* exact = malloc(sizeof(double) * (size_t)w.sizes.num_q);
    assert_true(q && exact);
    check_random random = {7};
    for (int n = 0; n < s.num_nodes; n++)
      for (int i = 0; i < 3; i++) {
        const double* X = s.nodes + 3 * n;
        exact[3 * n + i] = F[i][0] * X[0] + F[i][1] * X[1] + F[i][2] * X[2];
        double off = s.held[n] ? 0 : check_random_uniform(&random, -0.02, 0.02);
        q[3 * n + i] = exact[3 * n + i] + off;
      }
    world_set(&w, q, NULL);
    world_run(&w, 20);
    check_near_array(world_q(&w), exact, w.sizes.num_q, 1e-12);
    free(q), free(exact);
    world_destroy(&w);
  }
}

/* --- Rest ---------------------------------------------------------------------------------------
 */

/* Dead loads on both ends of a free cube stretch it as published laws say, P at stretches 1.1, 1.5
 * and 2, and with Neo-Hookean rubber make it as thin. The field is uniform, so that elements have
 * it exactly. (Pressed by dead loads it would rather turn over: those numbers are the material's,
 * test/soft/test_material.c.) */
static void test_uniaxial(void** state) {
  (void)state;
  static const double stretch[3] = {1.1, 1.5, 2};
  static const double stress[2][3] = {{93077.432, 378280.18, 646744.66},
                                      {96792.464, 442868.62, 836683.87}};
  static const double width[3] = {0.9714929459, 0.8801745918, 0.7980775445};
  for (int k = 0; k < 6; k++) {
    carom_sim_def options = world_def(1, CAROM_IMPLICIT);
    carom_soft_def def = soft_world_box(1, 1, 1, 2, 2, 2);
    def.law = k < 3 ? CAROM_SOFT_NEO_HOOKEAN : CAROM_SOFT_FIXED_COROTATED;
    def.quadratic = k % 2;
    world w = soft_world_create(&def, -1, NULL, &options);
    const double pull[3] = {stress[k / 3][k % 3], 0, 0}, back[3] = {-pull[0], 0, 0};
    double high[3], low[3], left[3], right[3];
    soft_world_pull(&w, 0, 0.5, pull);
    soft_world_pull(&w, 0, -0.5, back);
    world_run(&w, 10);
    soft_world_face_displacement(&w, 0, 0.5, high);
    soft_world_face_displacement(&w, 0, -0.5, low);
    soft_world_face_displacement(&w, 1, 0.5, left);
    soft_world_face_displacement(&w, 1, -0.5, right);
    check_near(1 + high[0] - low[0], stretch[k % 3], 1e-8);
    if (k < 3) check_near(1 + left[1] - right[1], width[k], 1e-8);
    world_destroy(&w);
  }
}

/* rho g l²/2E = 0.004905 m at the end of a bar that hangs. Lumped masses have the elements' centres
 * of mass, so that the mean over the end, which is the work of a uniform pull on it, is exact. */
static void test_hanging_bar(void** state) {
  (void)state;
  const double down[3] = {9.81, 0, 0};
  for (int k = 0; k < 2; k++) {
    carom_sim_def options = world_def(10, CAROM_IMPLICIT);
    carom_soft_def def = soft_world_box(1, 0.1, 0.1, 4, 1, 1);
    def.law = CAROM_SOFT_LINEAR, def.poisson = 0, def.quadratic = k == 1;
    world w = soft_world_create(&def, 0, down, &options);
    world_run(&w, 10);
    double u[3];
    soft_world_face_displacement(&w, 0, 0.5, u);
    check_near(u[0], 0.004905, 1e-11);
    world_destroy(&w);
  }
}

/* 0.04 m per newton by Euler and Bernoulli, and the shear of Timoshenko's beam, P l / kappa G A =
 * 2.4e-4. The held end adds what no beam has; h/l is a tenth. */
static void test_cantilever(void** state) {
  (void)state;
  carom_sim_def options = world_def(100, CAROM_IMPLICIT);
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 12, 1, 1);
  const double P = 1e-3, pull[3] = {0, 0, P / 0.01};
  def.poisson = 0, def.quadratic = true;
  world w = soft_world_create(&def, 0, NULL, &options);
  soft_world_pull(&w, 0, 0.5, pull);
  world_run(&w, 10);
  double u[3];
  soft_world_face_displacement(&w, 0, 0.5, u);
  print_message("tip %.6f m/N\n", u[2] / P);
  check_near(u[2] / P, 0.04 + 0.00024, 0.005 * 0.04);
  world_destroy(&w);
}

/* P l²/EI = 1 bends a strip far: w and u within half a percent, of which its thickness of 1/50
 * takes 2.4e-4 by shear. Steps much longer than its period are Newton's iterations for rest. */
static void test_elastica(void** state) {
  (void)state;
  if (check_repeats(100) < 100) skip();
  carom_sim_def options = world_def(1000, CAROM_IMPLICIT);
  const double h = 0.02, width = 0.1, P = 1e6 * width * h * h * h / 12;
  carom_soft_def def = soft_world_box(1, width, h, 20, 2, 1);
  def.poisson = 0, def.quadratic = true, def.self_contact = false;
  world w = soft_world_create(&def, 0, NULL, &options);
  soft_world_pull(&w, 0, 0.5, (const double[3]){0, 0, -P / (width * h)});
  world_run(&w, 8);
  double u[3];
  soft_world_face_displacement(&w, 0, 0.5, u);
  print_message("w/l %.6f u/l %.6f\n", -u[2], -u[0]);
  check_near(-u[2], .30172077, .005 * .30172077);
  check_near(-u[0], .05643324, .005 * .05643324);
  world_destroy(&w);
}

/* --- Frequencies --------------------------------------------------------------------------------
 */

/* Frequency of the mean displacement of the far end along an axis, over some periods, by where it
 * passes zero; what the midpoint rule changes of it, tan(w dt/2) = w0 dt/2, is taken out. */
static double measure_frequency(world* w, int axis, double dt, int periods) {
  double first = NAN, last = NAN, before = NAN;
  int passes = 0;
  for (int i = 1; passes <= 2 * periods; i++) {
    double u[3];
    world_step(w);
    soft_world_face_displacement(w, 0, 0.5, u);
    if (u[axis] * before < 0) {
      last = dt * (i - u[axis] / (u[axis] - before));
      if (passes++ == 0) first = last;
    }
    before = u[axis];
  }
  double f = periods / (last - first);
  return tan(M_PI * f * dt) / (M_PI * dt);
}

/* c/4l = 7.9056941504 Hz along the bar. Lumped masses of 16 linear cells make it lower by about (pi
 * h/2l)²/24 = 4e-4. */
static void test_axial_frequency(void** state) {
  (void)state;
  const double dt = 2e-3;
  carom_sim_def options = world_def(dt, CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 16, 1, 1);
  def.law = CAROM_SOFT_LINEAR, def.poisson = 0;
  world w = soft_world_create(&def, 0, NULL, &options);
  double* v = calloc((size_t)w.sizes.num_v, sizeof *v);
  assert_non_null(v);
  carom_soft_info s = carom_model_get_soft(w.model, 0);
  for (int n = 0; n < s.num_nodes; n++) v[3 * n] = 0.01 * sin(0.5 * M_PI * (s.nodes[3 * n] + 0.5));
  world_set(&w, NULL, v);
  free(v);
  double f = measure_frequency(&w, 0, dt, 10);
  print_message("%.6f Hz\n", f);
  check_near(f / 7.9056941504, 1, 1e-3);
  world_destroy(&w);
}

/* 0.51083455 Hz by Euler and Bernoulli, 0.50751121 by Timoshenko. An impact that is shaped like the
 * deflection of a tip load leaves little to higher modes. */
static void test_bending_frequency(void** state) {
  (void)state;
  if (check_repeats(100) < 100) skip();
  const double dt = 0.02;
  carom_sim_def options = world_def(dt, CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 12, 1, 1);
  def.law = CAROM_SOFT_LINEAR, def.poisson = 0, def.quadratic = true;
  world w = soft_world_create(&def, 0, NULL, &options);
  double* v = calloc((size_t)w.sizes.num_v, sizeof *v);
  assert_non_null(v);
  carom_soft_info s = carom_model_get_soft(w.model, 0);
  for (int n = 0; n < s.num_nodes; n++) {
    double X = s.nodes[3 * n] + 0.5;
    v[3 * n + 2] = 0.01 * X * X * (3 - X);
    v[3 * n] = -0.01 * s.nodes[3 * n + 2] * (6 * X - 3 * X * X);
  }
  world_set(&w, NULL, v);
  free(v);
  double f = measure_frequency(&w, 2, dt, 3);
  print_message("%.6f Hz\n", f);
  check_near(f / 0.50751121, 1, 5e-3);
  world_destroy(&w);
}

/* --- Energy -------------------------------------------------------------------------------------
 */

/* The energy of a body that is stretched and let go, over 0.06 s: how far it strays. */
static double energy_band(carom_soft_law law, double dt) {
  carom_sim_def options = world_def(dt, CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(0.4, 0.2, 0.1, 4, 2, 1);
  def.law = law;
  world w = soft_world_create(&def, -1, NULL, &options);
  double* q = malloc(sizeof(double) * (size_t)w.sizes.num_q);
  assert_non_null(q);
  for (int i = 0; i < w.sizes.num_q; i++) q[i] = world_q(&w)[i] * (i % 3 == 0 ? 1.1 : 1);
  world_set(&w, q, NULL);
  free(q);
  double start = world_energy(&w), worst = 0;
  for (int i = 0; i < (int)round(0.06 / dt); i++) {
    world_run(&w, 1);
    worst = fmax(worst, fabs(world_energy(&w) / start - 1));
  }
  world_destroy(&w);
  return worst;
}

/* The midpoint rule keeps it within a band that falls with dt². */
static void test_energy(void** state) {
  (void)state;
  if (check_repeats(100) < 100) skip();
  static const carom_soft_law laws[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_FIXED_COROTATED,
                                        CAROM_SOFT_ST_VENANT_KIRCHHOFF, CAROM_SOFT_NEO_HOOKEAN};
  for (int k = 0; k < 4; k++) {
    double coarse = energy_band(laws[k], 2.5e-4), fine = energy_band(laws[k], 1.25e-4);
    print_message("law %d: energy within %.2e, %.2e\n", (int)laws[k], coarse, fine);
    assert_true(log2(coarse / fine) > 1.7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch),
      cmocka_unit_test(test_uniaxial),
      cmocka_unit_test(test_hanging_bar),
      cmocka_unit_test(test_cantilever),
      cmocka_unit_test(test_elastica),
      cmocka_unit_test(test_axial_frequency),
      cmocka_unit_test(test_bending_frequency),
      cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
