/* Soft bodies against closed forms: a bar that hangs and one that rings, a cantilever with its
 * exact cubic field, the elastica, and the orders of the θ-schemes. E 1e6 Pa, nu 0, 1000 kg/m³,
 * length 1 m unless said otherwise. */
#include "soft/element.h"
#include "support/check.h"
#include "support/soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E 1e6

static const soft_theta MIDPOINT = {0.5, 0.5, 0.5}, SYMPLECTIC = {0, 1, 1}, IMPLICIT = {1, 1, 1};

/* --- The bar ---------------------------------------------------------------------------------- */

/* Along z, fixed above, at z = 1/2; its sides only slide where `is_guided`. */
static soft_case bar(bool is_quadratic, int cells, bool is_guided) {
  cr_soft_shape_def def = {CR_SOFT_BOX, {0.1, 0.1, 1}, {1, 1, cells}, CR_SOFT_SPLIT_SIX};
  cr_soft_material material = soft_material(CR_SOFT_LINEAR, E, 0, 1000);
  soft_case s = soft_case_create(&def, is_quadratic, &material);
  assert_true(soft_case_fix(&s, 2, 0.5, 7) >= 4);
  for (int i = 0; is_guided && i < 3 * s.mesh.num_nodes; i++) s.is_fixed[i] |= i % 3 != 2;
  return s;
}

/* u(z) = -rho g (l y - y²/2) / E with y below the top: quadratic, so that quadratic elements are
 * exact in every node; 0.004905 m at the end. */
static void test_hanging_bar(void** state) {
  (void)state;
  soft_case s = bar(true, 4, false);
  cr_soft_body_add_gravity(&s.body, (const double[3]){0, 0, -9.81}, s.load);
  soft_case_settle(&s);
  int num_ends = 0;
  for (int n = 0; n < s.mesh.num_nodes; n++) {
    double y = 0.5 - s.mesh.node[n][2], u = s.x[n][2] - s.mesh.node[n][2];
    check_near(u, -1000 * 9.81 / E * (y - 0.5 * y * y), 1e-12);
    if (y != 1) continue;
    num_ends++;
    check_near(u, -0.004905, 1e-12);
  }
  assert_true(num_ends >= 4);
  soft_case_destroy(&s);
}

/* c / 4l, from above; quadratic elements converge with h⁴. */
static void test_axial_frequency(void** state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    soft_case s = bar(true, 8 << k, true);
    error[k] = soft_case_frequency(&s) / 7.9056941504 - 1;
    soft_case_destroy(&s);
  }
  print_message("frequency error %.3e %.3e\n", error[0], error[1]);
  assert_true(error[1] > 0 && error[1] < 1e-5);
  check_near(log2(error[0] / error[1]), 4, 0.2);
}

/* The midpoint rule keeps a quadratic energy: what is left is round-off, here of 40,000 steps of
 * 1,000 periods of the first mode. The start, a quarter sine with corners, holds higher modes too.
 */
static void test_ringing_bar(void** state) {
  (void)state;
  int periods = check_repeats(1000);
  soft_case s = bar(false, 8, false);
  for (int n = 0; n < s.mesh.num_nodes; n++)
    s.x[n][2] -= 0.01 * sin(0.5 * M_PI * (0.5 - s.mesh.node[n][2]));
  s.is_factor_kept = true;
  double first = soft_case_elastic(&s), worst = 0, most_kinetic = 0;
  for (int step = 0; step < 40 * periods; step++) {
    soft_case_step(&s, MIDPOINT, 1 / (40 * 7.9057));
    if (step % 7 && step < 40 * periods - 1) continue;
    double kinetic = soft_case_kinetic(&s);
    worst = fmax(worst, fabs((soft_case_elastic(&s) + kinetic) / first - 1));
    most_kinetic = fmax(most_kinetic, kinetic / first);
  }
  assert_int_equal(s.num_factored, 1);
  assert_true(most_kinetic > 0.9);
  print_message("energy within %.1e of %d periods\n", worst, periods);
  check_near(worst, 0, 1e-6);
  soft_case_destroy(&s);
}

/* --- The cantilever --------------------------------------------------------------------------- */

/* Plane stress of a cantilever with a load P along y at its end, by Timoshenko and Goodier, at nu
 * 0: exact in three dimensions. x from the support, y from the middle, c half the height. */
#define HALF 0.05
#define EI   (E * 0.1 * 0.1 * 0.1 * 0.1 / 12)

static void exact_displacement(const double X[3], double u[3]) {
  double x = X[0] + 0.5, y = X[1];
  u[0] = (-y * (x - 0.5 * x * x) + HALF * HALF * y - y * y * y / 3) / EI;
  u[1] = (0.5 * x * x - x * x * x / 6) / EI;
  u[2] = 0;
}

/* xx and xy strains; the others are zero. */
static void exact_strain(const double X[3], double* xx, double* xy) {
  *xx = -(0.5 - X[0]) * X[1] / EI;
  *xy = 0.5 * (HALF * HALF - X[1] * X[1]) / EI;
}

/* Energy of the difference between the strains of the mesh and the exact ones. */
static double error_energy(const soft_case* s) {
  double sum = 0;
  for (int e = 0; e < s->mesh.num_elements; e++)
    for (int p = 0; p < CR_SOFT_MASS_POINTS; p++) {
      const cr_soft_point* point = &cr_soft_points_14[p];
      const int* node = s->mesh.element + e * s->mesh.nodes_per_element;
      double N[10], slope[10][3], X[3] = {0}, H[3][3] = {{0}}, xx, xy, square = 0;
      cr_soft_shape(s->mesh.nodes_per_element, point->at, N);
      double det = cr_soft_element_gradients(&s->mesh, e, point->at, slope);
      for (int a = 0; a < s->mesh.nodes_per_element; a++)
        for (int i = 0; i < 3; i++) {
          X[i] += N[a] * s->mesh.node[node[a]][i];
          for (int j = 0; j < 3; j++)
            H[i][j] += (s->x[node[a]][i] - s->mesh.node[node[a]][i]) * slope[a][j];
        }
      exact_strain(X, &xx, &xy);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double exact = i + j == 0 ? xx : i + j == 1 ? xy : 0;
          double d = 0.5 * (H[i][j] + H[j][i]) - exact;
          square += d * d;
        }
      sum += 0.5 * E * square * point->weight * det / 6;
    }
  return sum;
}

/* Ends held at the exact field, sides free: strains converge with h², and the load, which is an
 * energy's derivative, with h⁴. The deflection is 0.04 m per newton. Nothing depends on z, so that
 * a slice of one cell stands for the whole width. */
static void test_cantilever(void** state) {
  (void)state;
  double error[3], load[3];
  for (int k = 0; k < 3; k++) {
    int across = 2 << k;
    cr_soft_shape_def def = {CR_SOFT_BOX, {1, 0.1, 0.1 / across}, {5 * across, across, 1}, 0};
    cr_soft_material material = soft_material(CR_SOFT_LINEAR, E, 0, 1000);
    soft_case s = soft_case_create(&def, true, &material);
    soft_case_fix(&s, 0, -0.5, 7);
    soft_case_fix(&s, 0, 0.5, 7);
    for (int n = 0; n < s.mesh.num_nodes; n++) {
      double u[3];
      exact_displacement(s.mesh.node[n], u);
      for (int i = 0; i < 3; i++) s.x[n][i] += s.is_fixed[3 * n + i] ? u[i] : 0;
      if (s.mesh.node[n][0] > 0.499) check_near(u[1], 0.04, 1e-15);
    }
    soft_case_settle(&s);
    error[k] = sqrt(error_energy(&s) / soft_case_elastic(&s));
    double* gradient = calloc((size_t)(3 * s.mesh.num_nodes), sizeof *gradient);
    assert_non_null(gradient);
    cr_soft_body_evaluate(&s.body, (const double(*)[3])s.x,
                          &(cr_soft_output){.gradient = gradient});
    load[k] = -1;
    for (int n = 0; n < s.mesh.num_nodes; n++)
      if (s.mesh.node[n][0] > 0.499) load[k] += across * gradient[3 * n + 1];
    free(gradient);
    soft_case_destroy(&s);
  }
  print_message("strain error %.3e %.3e %.3e, load error %.3e %.3e %.3e\n", error[0], error[1],
                error[2], load[0], load[1], load[2]);
  check_near(log2(error[1] / error[2]), 2, 0.1);
  check_near(load[2], 0, 1e-3);
}

/* The first bending frequency: 0.51083455 Hz by Euler and Bernoulli, 0.50751121 by Timoshenko
 * (shooting, kappa 5/6), whose beam shears and turns. Quadratic elements, one across, come down
 * towards it. */
static void test_bending_frequency(void** state) {
  (void)state;
  double error[3];
  for (int k = 0; k < 3; k++) {
    cr_soft_shape_def def = {CR_SOFT_BOX, {1, 0.1, 0.1}, {4 << k, 1, 1}, CR_SOFT_SPLIT_SIX};
    cr_soft_material material = soft_material(CR_SOFT_LINEAR, E, 0, 1000);
    soft_case s = soft_case_create(&def, true, &material);
    soft_case_fix(&s, 0, -0.5, 7);
    double f = soft_case_frequency(&s);
    error[k] = f / 0.50751121 - 1;
    print_message("%d cells: %.6f Hz, %.2e above Timoshenko\n", 4 << k, f, error[k]);
    soft_case_destroy(&s);
  }
  assert_true(error[0] > error[1] && error[1] > error[2]);
  check_near(error[2], 0, 3e-3);
}

/* P l² / EI = 1 at the tip of a slender strip bends it by w/l, u/l; its thickness of 1/50 adds
 * shear, 3 EI / (5/6 G A l²) = 2.4e-4 of w. */
static void test_elastica(void** state) {
  (void)state;
  const double h = 0.02, width = 0.1, P = E * width * h * h * h / 12;
  cr_soft_shape_def def = {CR_SOFT_BOX, {1, width, h}, {24, 2, 1}, CR_SOFT_SPLIT_SIX};
  cr_soft_material material = soft_material(CR_SOFT_COROTATED, E, 0, 1000);
  soft_case s = soft_case_create(&def, true, &material);
  soft_case_fix(&s, 0, -0.5, 7);
  soft_case_pull(&s, 0, 0.5, (const double[3]){0, 0, -P / (width * h)});
  int iterations = soft_case_settle(&s), count = 0;
  double w = 0, u = 0;
  for (int n = 0; n < s.mesh.num_nodes; n++)
    if (fabs(s.mesh.node[n][0] - 0.5) < 1e-9 && fabs(s.mesh.node[n][2]) < 1e-9) {
      count++;
      w -= s.x[n][2];
      u -= s.x[n][0] - 0.5;
    }
  print_message("w/l %.6f u/l %.6f in %d iterations\n", w / count, u / count, iterations);
  check_near(w / count, .30172077, .005 * .30172077);
  check_near(u / count, .05643324, .005 * .05643324);
  soft_case_destroy(&s);
}

/* --- Orders -------------------------------------------------------------------------------------
 */

/* A short soft cantilever is let go under its weight; where its nodes are after 0.4 s. */
static void let_go(soft_theta theta, double dt, double* x) {
  cr_soft_shape_def def = {CR_SOFT_BOX, {1, 0.2, 0.2}, {4, 1, 1}, CR_SOFT_SPLIT_SIX};
  cr_soft_material material = soft_material(CR_SOFT_COROTATED, 1e5, 0.3, 1000);
  material.alpha = 0.1, material.beta = 1e-3;
  soft_case s = soft_case_create(&def, false, &material);
  soft_case_update_damping(&s);
  soft_case_fix(&s, 0, -0.5, 7);
  cr_soft_body_add_gravity(&s.body, (const double[3]){0, 0, -9.81}, s.load);
  for (int step = 0; step < (int)round(0.4 / dt); step++) soft_case_step(&s, theta, dt);
  memcpy(x, s.x, sizeof(double) * (size_t)(3 * s.mesh.num_nodes));
  soft_case_destroy(&s);
}

enum { ROWS = 60 };

/* Against the midpoint rule at two small steps, extrapolated. */
static void test_orders(void** state) {
  (void)state;
  double coarse[ROWS], exact[ROWS], x[ROWS];
  let_go(MIDPOINT, 1e-3, coarse);
  let_go(MIDPOINT, 5e-4, exact);
  for (int i = 0; i < ROWS; i++) exact[i] += (exact[i] - coarse[i]) / 3;
  const struct {
    soft_theta theta;
    double dt;
    int order;
  } scheme[] = {{IMPLICIT, 4e-4, 1}, {SYMPLECTIC, 4e-4, 1}, {MIDPOINT, 4e-3, 2}};
  for (int k = 0; k < 3; k++) {
    double error[2] = {0};
    for (int half = 0; half < 2; half++) {
      let_go(scheme[k].theta, scheme[k].dt / (1 << half), x);
      for (int i = 0; i < ROWS; i++) error[half] = hypot(error[half], x[i] - exact[i]);
    }
    print_message("scheme %d: errors %.3e %.3e, order %.3f\n", k, error[0], error[1],
                  log2(error[0] / error[1]));
    check_near(log2(error[0] / error[1]), scheme[k].order, 0.1);
  }
}

/* --- Free flight --------------------------------------------------------------------------------
 */

/* A squeezed and spinning ball in flight: the midpoint rule keeps linear momentum to round-off,
 * angular momentum to the iteration's tolerance, and the energy within a band that falls with dt².
 */
static void test_flight(void** state) {
  (void)state;
  double band[2];
  for (int half = 0; half < 2; half++) {
    cr_soft_shape_def def = {CR_SOFT_BALL, {1, 1, 1}, {4, 4, 4}, CR_SOFT_SPLIT_FIVE};
    cr_soft_material material = soft_material(CR_SOFT_COROTATED, 1e4, 0.3, 1000);
    soft_case s = soft_case_create(&def, false, &material);
    for (int n = 0; n < s.mesh.num_nodes; n++) {
      const double* X = s.mesh.node[n];
      s.x[n][0] *= 1.1;
      s.v[n][0] = 0.3 - 2 * X[1], s.v[n][1] = 2 * X[0] + X[2], s.v[n][2] = -0.2 - X[1];
    }
    double total[2] = {0}, momentum[2][6] = {{0}}, dt = 4e-3 / (1 << half), worst = 0;
    for (int step = 0; step <= 50 << half; step++) {
      if (step > 0) soft_case_step(&s, MIDPOINT, dt);
      bool is_first = step == 0;
      double* m = momentum[!is_first];
      memset(m, 0, sizeof momentum[0]);
      double* p = calloc((size_t)(3 * s.mesh.num_nodes), sizeof *p);
      assert_non_null(p);
      cr_bsm_multiply(&s.body.pattern, s.mass, &s.v[0][0], p);
      for (int n = 0; n < s.mesh.num_nodes; n++)
        for (int i = 0; i < 3; i++) {
          int j = (i + 1) % 3, k = (i + 2) % 3;
          m[i] += p[3 * n + i];
          m[3 + i] += s.x[n][j] * p[3 * n + k] - s.x[n][k] * p[3 * n + j];
        }
      free(p);
      total[!is_first] = soft_case_elastic(&s) + soft_case_kinetic(&s);
      if (!is_first) worst = fmax(worst, fabs(total[1] / total[0] - 1));
    }
    check_near_array(momentum[1], momentum[0], 3, 1e-10);
    check_near_array(momentum[1] + 3, momentum[0] + 3, 3, 1e-8);
    band[half] = worst;
    soft_case_destroy(&s);
  }
  print_message("energy band %.3e %.3e\n", band[0], band[1]);
  assert_true(band[1] < 0.35 * band[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hanging_bar),
      cmocka_unit_test(test_axial_frequency),
      cmocka_unit_test(test_ringing_bar),
      cmocka_unit_test(test_cantilever),
      cmocka_unit_test(test_bending_frequency),
      cmocka_unit_test(test_elastica),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
