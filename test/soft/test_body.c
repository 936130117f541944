/* Assembled bodies: the patch test, derivatives, what forces and masses add up to. */
#include "math/random.h"
#include "soft/body.h"
#include "support/check.h"
#include "support/memory.h"
#include "support/soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cr_soft_law LAWS[] = {CR_SOFT_COROTATED, CR_SOFT_LINEAR, CR_SOFT_FIXED_COROTATED,
                                   CR_SOFT_ST_VENANT_KIRCHHOFF, CR_SOFT_NEO_HOOKEAN};
enum { NUM_LAWS = 5 };

static bool is_outer(const double X[3]) {
  return fabs(fabs(X[0]) - 0.5) < 1e-9 || fabs(fabs(X[1]) - 1) < 1e-9 ||
         fabs(fabs(X[2]) - 0.75) < 1e-9;
}

/* A box whose inner corners stand where they please; edges stay straight. */
static cr_soft_mesh irregular_mesh(check_random* random, bool is_quadratic) {
  cr_soft_shape_def def = {CR_SOFT_BOX, {1, 2, 1.5}, {3, 4, 3}, CR_SOFT_SPLIT_FIVE};
  cr_soft_mesh mesh, quadratic;
  carom_error error;
  check_ok(cr_soft_mesh_make_shape(&def, NULL, &mesh, &error), &error);
  for (int n = 0; n < mesh.num_nodes; n++)
    for (int k = 0; k < 3 && !is_outer(mesh.node[n]); k++)
      mesh.node[n][k] += check_random_uniform(random, -0.05, 0.05);
  check_ok(cr_soft_mesh_check(&mesh, NULL, &error), &error);
  if (!is_quadratic) return mesh;
  check_ok(cr_soft_mesh_make_quadratic(&mesh, &quadratic, &error), &error);
  cr_soft_mesh_destroy(&mesh);
  return quadratic;
}

static cr_soft_body body_of(const cr_soft_mesh* mesh, const cr_soft_material* material) {
  cr_soft_body body;
  carom_error error;
  check_ok(cr_soft_body_create(&body, mesh, material, NULL, &error), &error);
  return body;
}

static double* zeros(int count) {
  double* block = calloc((size_t)count, sizeof *block);
  assert_non_null(block);
  return block;
}

/* x = F X + shift */
static double (*moved(const cr_soft_mesh* mesh, const m3* F))[3] {
  double(*x)[3] = (double(*)[3])zeros(3 * mesh->num_nodes);
  for (int n = 0; n < mesh->num_nodes; n++)
    v3_store(v3_add(v3_make(1, 2, 3), m3_mulv(F, v3_load(mesh->node[n]))), x[n]);
  return x;
}

/* A gradient that is the same everywhere leaves no force inside, and the energy of its density. */
static void test_patch(void** state) {
  (void)state;
  check_random random = {1};
  for (int c = 0; c < 2 * NUM_LAWS; c++) {
    cr_soft_mesh mesh = irregular_mesh(&random, c % 2);
    cr_soft_material material = soft_material(LAWS[c / 2], 1, 0.3, 1000);
    cr_soft_body body = body_of(&mesh, &material);
    m3 F = m3_scale(0.1, (&(m3){{{1, 2, -1}, {0, -1, 1}, {2, 1, 1}}})), one = m3_identity(), P;
    F = m3_add(&one, &F);
    double density = cr_soft_compute_stress(&material, &F, NULL, &P), (*x)[3] = moved(&mesh, &F);
    double* gradient = zeros(3 * mesh.num_nodes);
    double energy = cr_soft_body_evaluate(&body, (const double(*)[3])x,
                                          &(cr_soft_output){.gradient = gradient});
    check_near(energy, 3 * density, 1e-13);
    for (int n = 0; n < mesh.num_nodes; n++)
      for (int k = 0; k < 3 && !is_outer(mesh.node[n]); k++)
        check_near(gradient[3 * n + k], 0, 1e-14);
    free(gradient), free(x);
    cr_soft_body_destroy(&body);
    cr_soft_mesh_destroy(&mesh);
  }
}

/* The same by solution: with the outside held at a linear field, the inside finds it. */
static void test_patch_solved(void** state) {
  (void)state;
  check_random random = {2};
  for (int c = 0; c < 2 * NUM_LAWS; c++) {
    cr_soft_shape_def def = {CR_SOFT_BOX, {1, 2, 1.5}, {3, 3, 3}, CR_SOFT_SPLIT_SIX};
    cr_soft_material material = soft_material(LAWS[c / 2], 1e5, 0.3, 1000);
    soft_case s = soft_case_create(&def, c % 2, &material);
    m3 F = {{{1.1, 0.05, 0}, {-0.02, 0.95, 0.1}, {0.03, 0, 1.02}}};
    double(*x)[3] = moved(&s.mesh, &F);
    for (int n = 0; n < s.mesh.num_nodes; n++)
      for (int k = 0; k < 3; k++) {
        s.is_fixed[3 * n + k] = is_outer(s.mesh.node[n]);
        s.x[n][k] = x[n][k];
        if (!s.is_fixed[3 * n + k]) s.x[n][k] += check_random_uniform(&random, -0.01, 0.01);
      }
    soft_case_settle(&s);
    check_near_array(&s.x[0][0], &x[0][0], 3 * s.mesh.num_nodes, 1e-13);
    free(x);
    soft_case_destroy(&s);
  }
}

/* Forces are the energy's derivatives, stiffness is that of the forces, and both know nothing of
 * where the body stands: forces and their moments add up to nothing. */
static void test_derivatives(void** state) {
  (void)state;
  check_random random = {3};
  const double h = 1e-6;
  for (int c = 0; c < 2 * NUM_LAWS; c++) {
    cr_soft_mesh mesh = irregular_mesh(&random, c % 2);
    cr_soft_material material = soft_material(LAWS[c / 2], 1, 0.3, 1000);
    cr_soft_body body = body_of(&mesh, &material);
    int rows = 3 * mesh.num_nodes;
    m3 R = quat_to_m3(random_quat(&random)), one = m3_identity();
    double(*x)[3] = moved(&mesh, LAWS[c / 2] == CR_SOFT_LINEAR ? &one : &R);
    double *g = zeros(rows), *above = zeros(rows), *below = zeros(rows), *d = zeros(rows);
    double *Kd = zeros(rows), *values = zeros(body.pattern.num_values);
    for (int i = 0; i < rows; i++) {
      (&x[0][0])[i] += check_random_uniform(&random, -0.03, 0.03);
      d[i] = check_random_normal(&random);
    }
    cr_soft_output output = {.gradient = g, .values = values, .stiffness_scale = 1};
    cr_soft_body_evaluate(&body, (const double(*)[3])x, &output);
    v3 force = v3_zero(), moment = v3_zero();
    for (int n = 0; n < mesh.num_nodes; n++) {
      force = v3_add(force, v3_load(g + 3 * n));
      moment = v3_add(moment, v3_cross(v3_load(x[n]), v3_load(g + 3 * n)));
    }
    check_near(v3_norm(force), 0, 1e-13);
    if (LAWS[c / 2] != CR_SOFT_LINEAR) check_near(v3_norm(moment), 0, 1e-13);

    for (int i = 0; i < rows; i++) (&x[0][0])[i] += h * d[i];
    double slope =
        cr_soft_body_evaluate(&body, (const double(*)[3])x, &(cr_soft_output){.gradient = above});
    for (int i = 0; i < rows; i++) (&x[0][0])[i] -= 2 * h * d[i];
    slope -=
        cr_soft_body_evaluate(&body, (const double(*)[3])x, &(cr_soft_output){.gradient = below});
    double expected = 0, largest = 0;
    cr_bsm_multiply(&body.pattern, values, d, Kd);
    for (int i = 0; i < rows; i++) {
      expected += g[i] * d[i];
      largest = fmax(largest, fabs(Kd[i]));
    }
    check_near(slope / (2 * h), expected, 1e-7 * largest);
    for (int i = 0; i < rows; i++)
      check_near((above[i] - below[i]) / (2 * h), Kd[i], 1e-6 * largest);
    free(x), free(g), free(above), free(below), free(d), free(Kd), free(values);
    cr_soft_body_destroy(&body);
    cr_soft_mesh_destroy(&mesh);
  }
}

/* Integrals of rho, rho x and rho x² over the box: with the consistent matrix exactly. */
static void test_mass(void** state) {
  (void)state;
  check_random random = {4};
  for (int is_quadratic = 0; is_quadratic < 2; is_quadratic++) {
    cr_soft_mesh mesh = irregular_mesh(&random, is_quadratic);
    cr_soft_material material = soft_material(CR_SOFT_COROTATED, 1, 0.3, 1000);
    cr_soft_body body = body_of(&mesh, &material);
    int rows = 3 * mesh.num_nodes;
    double *M = zeros(body.pattern.num_values), *L = zeros(body.pattern.num_values);
    double *y = zeros(rows), *x = zeros(rows), lumped = 0, load = 0;
    cr_soft_body_add_mass(&body, 1, true, M);
    cr_soft_body_add_mass(&body, 1, false, L);
    for (int n = 0; n < mesh.num_nodes; n++) {
      assert_true(body.mass[n] > 0);
      lumped += body.mass[n];
      load += body.load[n] * mesh.node[n][0];
      x[3 * n + 1] = is_quadratic ? mesh.node[n][1] * mesh.node[n][1] : mesh.node[n][1];
      x[3 * n + 2] = 1;
    }
    check_near(lumped, 3000, 1e-10);
    check_near(load, 0, 1e-10);
    cr_bsm_multiply(&body.pattern, M, x, y);
    double square = 0, mass = 0;
    for (int i = 0; i < rows; i++) (i % 3 == 1 ? &square : &mass)[0] += x[i] * y[i];
    check_near(mass, 3000, 1e-10);
    check_near(square, is_quadratic ? 3000. / 5 : 3000. / 3, 1e-10); /* of y⁴, of y² */
    cr_bsm_multiply(&body.pattern, L, x, y);
    for (int n = 0; n < mesh.num_nodes; n++) check_near(y[3 * n + 2], body.mass[n], 1e-12);
    free(M), free(L), free(x), free(y);
    cr_soft_body_destroy(&body);
    cr_soft_mesh_destroy(&mesh);
  }
}

/* A pressure on a closed surface pushes nowhere and does work p dV; a traction adds up to area
 * times traction; the weight is the mass's. */
static void test_loads(void** state) {
  (void)state;
  for (int is_quadratic = 0; is_quadratic < 2; is_quadratic++) {
    cr_soft_shape_def def = {CR_SOFT_BOX, {1, 2, 1.5}, {2, 3, 2}, CR_SOFT_SPLIT_SIX};
    cr_soft_material material = soft_material(CR_SOFT_COROTATED, 1, 0.3, 1000);
    soft_case s = soft_case_create(&def, is_quadratic, &material);
    cr_soft_face* faces;
    int num_faces;
    carom_error error;
    check_ok(cr_soft_mesh_compute_surface(&s.mesh, &faces, &num_faces, &error), &error);
    m3 F = {{{1.1, 0.2, 0}, {0, 0.9, 0.1}, {0.3, 0, 1.2}}};
    double(*x)[3] = moved(&s.mesh, &F), sum[3] = {0}, work = 0;
    cr_soft_body_add_pressure(&s.body, (const double(*)[3])x, faces, num_faces, 7, s.load);
    for (int n = 0; n < s.mesh.num_nodes; n++)
      for (int k = 0; k < 3; k++) sum[k] += s.load[n][k], work += s.load[n][k] * x[n][k];
    check_near_array(sum, (const double[3]){0}, 3, 1e-12);
    check_near(work, -3 * 7 * 3 * m3_determinant(&F), 1e-11); /* div x = 3 */

    memset(s.load, 0, sizeof *s.load * (size_t)s.mesh.num_nodes);
    soft_case_pull(&s, 1, 1, (const double[3]){1, 2, 3});
    cr_soft_body_add_gravity(&s.body, (const double[3]){0, 0, -10}, s.load);
    memset(sum, 0, sizeof sum);
    for (int n = 0; n < s.mesh.num_nodes; n++)
      for (int k = 0; k < 3; k++) sum[k] += s.load[n][k];
    const double expected[3] = {1.5, 3, 4.5 - 30000};
    check_near_array(sum, expected, 3, 1e-9);
    cr_soft_faces_release(&s.mesh, faces, num_faces);
    free(x);
    soft_case_destroy(&s);
  }
}

/* In simple tension von Mises' stress is the tension: here P over the shrunk cross-section. */
static void test_von_mises(void** state) {
  (void)state;
  cr_soft_shape_def def = {CR_SOFT_BOX, {1, 1, 1}, {2, 2, 2}, CR_SOFT_SPLIT_SIX};
  cr_soft_material material = soft_material(CR_SOFT_NEO_HOOKEAN, 1e6, 0.3, 1000);
  for (int is_quadratic = 0; is_quadratic < 2; is_quadratic++) {
    soft_case s = soft_case_create(&def, is_quadratic, &material);
    double lateral = 0.8801745918, stress = 378280.18 / (lateral * lateral);
    m3 F = m3_diagonal(v3_make(1.5, lateral, lateral));
    double(*x)[3] = moved(&s.mesh, &F);
    for (int e = 0; e < s.mesh.num_elements; e++)
      check_near(cr_soft_body_compute_von_mises(&s.body, (const double(*)[3])x, e), stress,
                 1e-7 * stress);
    free(x);
    soft_case_destroy(&s);
  }
}

static void test_memory_fails(void** state) {
  (void)state;
  check_random random = {5};
  cr_soft_mesh mesh = irregular_mesh(&random, true);
  cr_soft_material material = soft_material(CR_SOFT_COROTATED, 1, 0.3, 1000);
  bool is_done = false;
  for (int fail_at = 0; !is_done; fail_at++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    memory.fail_at = fail_at;
    cr_soft_body body;
    carom_error error;
    is_done = cr_soft_body_create(&body, &mesh, &material, &hooks, &error) == CAROM_OK;
    assert_true(is_done || error.status == CAROM_ERROR_OUT_OF_MEMORY);
    if (is_done) cr_soft_body_destroy(&body);
    check_memory_expect_empty(&memory);
  }
  cr_soft_mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch),        cmocka_unit_test(test_patch_solved),
      cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_mass),
      cmocka_unit_test(test_loads),        cmocka_unit_test(test_von_mises),
      cmocka_unit_test(test_memory_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
