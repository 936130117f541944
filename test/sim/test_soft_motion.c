/* Soft bodies in simulations, without contact: what closed forms and conservation laws say of their
 * free motion, orders of the schemes, states, and what is refused. */
#include "support/soft_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E 1e6

static const int NONE = -1, LEFT = 0; /* what is held: the low end along x */

/* Linear momentum, angular momentum about the origin. */
static void compute_momenta(const world* w, double p[3], double L[3]) {
  carom_soft_info s = carom_model_get_soft(w->model, 0);
  const double *x = world_q(w) + s.q_address, *v = world_v(w) + s.v_address;
  memset(p, 0, 3 * sizeof *p);
  memset(L, 0, 3 * sizeof *L);
  /* Of equal cells of four-node elements the lumped mass is a quarter of the elements around. */
  double* mass = calloc((size_t)s.num_nodes, sizeof *mass);
  for (int e = 0; e < s.num_elements; e++) {
    const int* n = s.elements + 4 * e;
    double d[3][3];
    for (int a = 0; a < 3; a++)
      for (int k = 0; k < 3; k++) d[a][k] = s.nodes[3 * n[a + 1] + k] - s.nodes[3 * n[0] + k];
    double volume = (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                     d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                     d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
                    6;
    for (int a = 0; a < 4; a++) mass[n[a]] += 0.25 * s.density * volume;
  }
  for (int n = 0; n < s.num_nodes; n++, x += 3, v += 3)
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      p[k] += mass[n] * v[k];
      L[k] += mass[n] * (x[i] * v[j] - x[j] * v[i]);
    }
  free(mass);
}

/* The momenta and energy that the library sums. */
static void check_dynamics(world* w, const double p[3], const double L[3]) {
  carom_dynamics* d;
  double linear[3], angular[3], kinetic, potential;
  assert_int_equal(carom_dynamics_create(w->model, NULL, &d, NULL), CAROM_OK);
  assert_int_equal(carom_dynamics_set(d, world_q(w), world_v(w), NULL, NULL), CAROM_OK);
  carom_dynamics_compute_momentum(d, linear, angular);
  carom_dynamics_compute_energy(d, &kinetic, &potential);
  for (int i = 0; i < 3; i++) {
    check_near(linear[i], p[i], 1e-12);
    check_near(angular[i], L[i], 1e-12);
  }
  check_near(kinetic + potential, world_energy(w), 1e-12);
  carom_dynamics_destroy(d);
}

/* Sets velocities to a translation, a spin and a stretching. */
static void set_motion(world* w) {
  carom_soft_info s = carom_model_get_soft(w->model, 0);
  double* v = malloc(sizeof(double) * (size_t)w->sizes.num_v);
  for (int n = 0; n < s.num_nodes; n++) {
    const double* x = s.nodes + 3 * n;
    v[3 * n] = 0.3 - 2 * x[1] + 1.5 * x[0];
    v[3 * n + 1] = -0.2 + 2 * x[0] - x[2];
    v[3 * n + 2] = 0.1 + x[1];
  }
  world_set(w, NULL, v);
  free(v);
}

/* Translation, spin and stretching in free flight: linear momentum to round-off, angular to the
 * iteration's tolerance; the midpoint rule keeps energy to O(dt²). */
static void test_momenta(void** state) {
  (void)state;
  static const carom_soft_law laws[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_FIXED_COROTATED,
                                        CAROM_SOFT_ST_VENANT_KIRCHHOFF, CAROM_SOFT_NEO_HOOKEAN};
  for (int k = 0; k < 4; k++) {
    carom_sim_def options = world_def(0.002, CAROM_MIDPOINT);
    carom_soft_def def = soft_world_box(0.4, 0.2, 0.1, 4, 2, 1);
    def.law = laws[k];
    world w = soft_world_create(&def, NONE, NULL, &options);
    set_motion(&w);
    double p0[3], L0[3], p[3], L[3], start = world_energy(&w), worst = 0;
    compute_momenta(&w, p0, L0);
    for (int i = 0; i < 100; i++) {
      world_run(&w, 1);
      worst = fmax(worst, fabs(world_energy(&w) - start));
    }
    compute_momenta(&w, p, L);
    check_dynamics(&w, p, L);
    for (int i = 0; i < 3; i++) {
      check_near(p[i], p0[i], 1e-12);
      check_near(L[i], L0[i], 1e-9);
    }
    print_message("law %d: energy within %.1e of %.3g J\n", k, worst, start);
    check_near(worst, 0, 0.02 * start);
    world_destroy(&w);
  }
}

/* A body that falls is not strained: every node moves by g t²/2, elastic energy stays zero. Of
 * ten-node elements too. */
static void test_fall(void** state) {
  (void)state;
  const double gravity[3] = {0, 0, -10};
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    carom_sim_def options = world_def(0.01, CAROM_MIDPOINT);
    carom_soft_def def = soft_world_box(0.2, 0.2, 0.2, 2, 2, 2);
    def.quadratic = quadratic;
    world w = soft_world_create(&def, NONE, gravity, &options);
    carom_soft_info s = carom_model_get_soft(w.model, 0);
    check_near(s.mass, 8, 1e-12);
    world_run(&w, 10);
    for (int n = 0; n < s.num_nodes; n++)
      check_near(world_q(&w)[3 * n + 2], s.nodes[3 * n + 2] - 0.05, 1e-10);
    check_near(carom_sim_compute_energy(w.sim).elastic, 0, 1e-15);
    world_destroy(&w);
  }
}

/* A bar of the linear law, its left end held, pulled by gravity along it: the sag of
 * one-dimensional linear elements with lumped masses is that of the bar in every node, rho g L²/2E
 * at the end. Damped by mass it settles. */
static void test_sag(void** state) {
  (void)state;
  const double gravity[3] = {9.81, 0, 0};
  carom_sim_def options = world_def(0.02, CAROM_IMPLICIT);
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 10, 1, 1);
  def.law = CAROM_SOFT_LINEAR;
  def.poisson = 0;
  def.alpha = 20;
  world w = soft_world_create(&def, LEFT, gravity, &options);
  world_run(&w, 400);
  carom_soft_info s = carom_model_get_soft(w.model, 0);
  double mean = 0;
  for (int n = 0; n < s.num_nodes; n++)
    if (s.nodes[3 * n] > 0.4999) mean += 0.25 * (world_q(&w)[3 * n] - 0.5);
  check_near(mean, 0.004905, 5e-5);
  world_destroy(&w);
}

/* --- Orders -------------------------------------------------------------------------------------
 */

/* Where the tip of a damped, falling beam is after 0.08 s. */
static double run_beam(carom_scheme scheme, int steps) {
  const double gravity[3] = {0, 0, -9.81};
  carom_sim_def options = world_def(0.08 / steps, scheme);
  carom_soft_def def = soft_world_box(0.5, 0.1, 0.1, 4, 1, 1);
  def.alpha = 1, def.beta = 1e-3;
  world w = soft_world_create(&def, LEFT, gravity, &options);
  world_run(&w, steps);
  double z = world_q(&w)[3 * 4 + 2];
  world_destroy(&w);
  return z;
}

/* From three results at dt, dt/2, dt/4: log2 of the ratio of their differences. */
static double observed_order(carom_scheme scheme, int steps) {
  double a = run_beam(scheme, steps), b = run_beam(scheme, 2 * steps);
  double c = run_beam(scheme, 4 * steps);
  double order = log2(fabs((a - b) / (b - c)));
  print_message("scheme %d: order %.3f\n", (int)scheme, order);
  return order;
}

static void test_orders(void** state) {
  (void)state;
  check_near(observed_order(CAROM_IMPLICIT, 160), 1, 0.15);
  check_near(observed_order(CAROM_SYMPLECTIC, 160), 1, 0.15);
  check_near(observed_order(CAROM_MIDPOINT, 80), 2, 0.15);
}

/* A linear bar that rings under the midpoint rule keeps its energy. */
static void test_ringing(void** state) {
  (void)state;
  carom_sim_def options = world_def(1 / (40 * 7.9057), CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 6, 1, 1);
  def.law = CAROM_SOFT_LINEAR, def.poisson = 0;
  world w = soft_world_create(&def, LEFT, NULL, &options);
  carom_soft_info s = carom_model_get_soft(w.model, 0);
  double* q = malloc(sizeof(double) * (size_t)w.sizes.num_q);
  memcpy(q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  for (int n = 0; n < s.num_nodes; n++) q[3 * n] += 0.01 * (q[3 * n] + 0.5);
  world_set(&w, q, NULL);
  free(q);
  double start = world_energy(&w);
  int periods = check_repeats(1000);
  for (int i = 0; i < periods; i++) {
    world_run(&w, 40);
    check_near(world_energy(&w) / start, 1, 1e-9);
  }
  world_destroy(&w);
}

/* A bar pulled by a thousandth along x has the stress E eps in every element. */
static void test_stress(void** state) {
  (void)state;
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 4, 1, 1);
  def.law = CAROM_SOFT_LINEAR, def.poisson = 0;
  world w = soft_world_create(&def, LEFT, NULL, NULL);
  carom_soft_info s = carom_model_get_soft(w.model, 0);
  double *q = malloc(sizeof(double) * (size_t)w.sizes.num_q), stress[20];
  memcpy(q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  for (int n = 0; n < s.num_nodes; n++) q[3 * n] *= 1.001;
  world_set(&w, q, NULL);
  assert_int_equal(s.num_elements, 20);
  carom_sim_compute_soft_stress(w.sim, 0, stress);
  /* Cauchy's stress is P Fᵀ / J with J = 1.001 here. */
  for (int e = 0; e < 20; e++) check_near(stress[e], 1e-3 * E, 1e-6 * E);
  free(q);
  world_destroy(&w);
}

/* What damping takes is what is missing. */
static void test_dissipation(void** state) {
  (void)state;
  carom_sim_def options = world_def(0.002, CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(1, 0.1, 0.1, 6, 1, 1);
  def.law = CAROM_SOFT_LINEAR, def.alpha = 0.5, def.beta = 1e-3;
  world w = soft_world_create(&def, NONE, NULL, &options);
  set_motion(&w);
  double start = world_energy(&w), taken = 0;
  for (int i = 0; i < 100; i++) taken += world_step(&w).dissipated;
  assert_true(taken > 0.05 * start);
  check_near(start - world_energy(&w), taken, 1e-9 * start);
  world_destroy(&w);
}

/* --- Hard cases ---------------------------------------------------------------------------------
 */

/* What a bar is made of its rest shape, its left end held. */
typedef enum distortion { STRETCHED, INSIDE_OUT, FLAT, SHUFFLED, NUM_DISTORTIONS } distortion;

static void distort(distortion kind, int num_nodes, check_random* random, double* q) {
  for (int n = 0; n < num_nodes; n++, q += 3) {
    bool is_held = q[0] < -0.14;
    if (kind == STRETCHED) q[0] = 1.1 * q[0] + 0.015;
    if (kind == INSIDE_OUT) q[0] = fmin(q[0], -0.2 - q[0]);
    if (kind == FLAT) q[0] = 0.05 * (q[0] + 0.15) - 0.15;
    for (int k = 0; k < 3 && kind == SHUFFLED && !is_held; k++)
      q[k] = check_random_uniform(random, -0.15, 0.15);
  }
}

static void run_hard_case(const carom_soft_def* def, distortion kind, check_random* random) {
  const double gravity[3] = {0, 0, -9.81};
  carom_sim_def options = world_def(0.02, CAROM_IMPLICIT);
  world w = soft_world_create(def, LEFT, gravity, &options);
  double* q = malloc(sizeof(double) * (size_t)w.sizes.num_q);
  memcpy(q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  distort(kind, w.sizes.num_soft_nodes, random, q);
  world_set(&w, q, NULL);
  free(q);
  for (int i = 0; i < 20; i++) world_step(&w);
  world_destroy(&w);
}

/* Stretched by a tenth, turned inside out, squashed to a twentieth, its nodes thrown anywhere:
 * every law, soft and stiff, up to nearly incompressible, in steps of 20 ms. */
static void test_hard_cases(void** state) {
  (void)state;
  static const double young[] = {1e3, 1e6, 1e9}, poisson[] = {0.3, 0.49};
  check_random random = {7};
  for (int law = CAROM_SOFT_COROTATED; law <= CAROM_SOFT_NEO_HOOKEAN; law++)
    for (int k = 0; k < 6; k++)
      for (int kind = 0; kind < NUM_DISTORTIONS; kind++) {
        carom_soft_def def = soft_world_box(0.3, 0.1, 0.1, 3, 1, 1);
        def.law = (carom_soft_law)law, def.young = young[k / 2], def.poisson = poisson[k % 2];
        run_hard_case(&def, (distortion)kind, &random);
      }
}

/* --- State and refusals -------------------------------------------------------------------------
 */

static void test_saved_state(void** state) {
  (void)state;
  carom_sim_def options = world_def(0.005, CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(0.4, 0.2, 0.1, 4, 2, 1);
  def.name = "slab";
  world w = soft_world_create(&def, LEFT, NULL, &options),
        other = soft_world_create(&def, LEFT, NULL, &options);
  assert_int_equal(carom_model_find_soft(w.model, "slab"), 0);
  assert_int_equal(w.sizes.num_q, 3 * w.sizes.num_soft_nodes);
  set_motion(&w);
  world_run(&w, 5);
  world_state saved = world_save(&w);
  world_restore(&other, &saved);
  world_run(&w, 5), world_run(&other, 5);
  world_expect_twins(&w, &other);
  free(saved.bytes);
  world_destroy(&w), world_destroy(&other);
}

static void expect_refused(const carom_soft_def* def, const char* sentence) {
  carom_builder* builder;
  carom_error error;
  assert_int_equal(carom_builder_create(NULL, &builder, &error), CAROM_OK);
  assert_int_equal(carom_builder_add_soft(builder, def, NULL, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, sentence);
  carom_builder_destroy(builder);
}

static void test_refusals(void** state) {
  (void)state;
  double nodes[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5};
  int elements[4] = {0, 1, 2, 3};
  carom_soft_def def = carom_soft_def_default();
  def.nodes = nodes, def.num_nodes = 4, def.elements = elements, def.num_elements = 1;
  def.young = -1;
  def.name = "jelly";
  expect_refused(&def, "soft 'jelly': material: Young's modulus is -1 Pa, must be positive");
  def.young = E, def.poisson = 0.5;
  expect_refused(&def, "soft 'jelly': material: Poisson's ratio is 0.5, must be above -1 and below "
                       "0.5");
  def.poisson = 0.3;
  elements[2] = 3, elements[3] = 2;
  expect_refused(&def,
                 "soft 'jelly': mesh: element 0 is inverted: its volume is -0.166667 m3, must "
                 "be positive");
  elements[2] = 2, elements[3] = 3;
  nodes[5] = NAN;
  expect_refused(&def,
                 "soft 'jelly': mesh: coordinate 2 of node 1 is nan, must be a finite number");
  nodes[5] = 0;
  def.num_nodes = 5;
  expect_refused(&def, "soft 'jelly': mesh: node 4 belongs to no element");
}

static void test_empty_region(void** state) {
  (void)state;
  carom_builder* builder;
  carom_error error;
  carom_soft soft;
  carom_soft_def def = soft_world_box(1, 1, 1, 1, 1, 1);
  carom_attachment_def foot = carom_attachment_def_default();
  assert_int_equal(carom_builder_create(NULL, &builder, &error), CAROM_OK);
  assert_int_equal(carom_builder_add_soft(builder, &def, &soft, &error), CAROM_OK);
  foot.soft = soft, foot.name = "foot";
  foot.low[0] = foot.high[0] = 3;
  assert_int_equal(carom_builder_add_attachment(builder, &foot, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "attachment 'foot': it holds no node of the soft body");
  carom_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momenta),      cmocka_unit_test(test_fall),
      cmocka_unit_test(test_sag),          cmocka_unit_test(test_orders),
      cmocka_unit_test(test_ringing),      cmocka_unit_test(test_dissipation),
      cmocka_unit_test(test_stress),       cmocka_unit_test(test_hard_cases),
      cmocka_unit_test(test_saved_state),  cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_empty_region),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
