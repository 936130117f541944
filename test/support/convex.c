#include "support/convex.h"

#include "convex/convert.h"
#include "h5/h5.h"

#include "carom/problem_file.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

carom_problem* test_convex_copy(const test_problem* p, const double* guess) {
  carom_allocator allocator = {0};
  allocator = cr_allocator_resolve(&allocator);
  const cr_convex_copy_def def = {&allocator, p->name, 0.01, p->order, guess};
  carom_error error;
  carom_problem* copy;
  check_ok(cr_convex_copy(&p->problem, &def, &copy, &error), &error);
  return copy;
}

static void add_contact(carom_problem* p, int count, const int* blocks, double mu) {
  static const double plus[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double minus[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
  const double* first[2] = {plus, NULL};
  const double* second[2] = {minus, plus};
  carom_error error;
  carom_constraint_def def = carom_constraint_def_default();
  def.mu = mu;
  def.num_blocks = count, def.blocks = blocks, def.jacobian = count == 1 ? first : second;
  check_ok(carom_problem_add(p, &def, NULL, &error), &error);
}

carom_problem* test_convex_make_two(double speed, double mu) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int sizes[2] = {3, 3}, blocks[2] = {0, 1};
  const double v_star[6] = {speed, 0, -1, speed, 0, -1};
  carom_error error;
  carom_problem* p;
  carom_problem_def def = carom_problem_def_default();
  def.name = "two", def.num_blocks = 2, def.block_size = sizes;
  check_ok(carom_problem_create(&def, &p, &error), &error);
  for (int b = 0; b < 2; b++) check_ok(carom_problem_set_block(p, b, b, identity, &error), &error);
  check_ok(carom_problem_set_velocities(p, v_star, NULL, &error), &error);
  add_contact(p, 1, blocks, mu);
  add_contact(p, 2, blocks, mu);
  return p;
}

static double largest(const double* x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void expect_near(const double* a, const double* b, int count, double tolerance) {
  check_near_array(a, b, count, tolerance * (1e-300 + largest(b, count)));
}

static void expect_same_constraint(const carom_problem* a, const carom_problem* b, int i,
                                   double tolerance) {
  carom_constraint_info x = carom_problem_get_constraint(a, i);
  carom_constraint_info y = carom_problem_get_constraint(b, i);
  int columns = 0;
  assert_int_equal(x.kind, y.kind);
  assert_true(x.mu == y.mu && x.radius == y.radius && x.low == y.low && x.high == y.high);
  assert_int_equal(x.num_blocks, y.num_blocks);
  for (int k = 0; k < x.num_blocks; k++) {
    assert_int_equal(x.blocks[k], y.blocks[k]);
    columns += carom_problem_get_block_start(b, y.blocks[k] + 1) -
               carom_problem_get_block_start(b, y.blocks[k]);
  }
  expect_near(x.jacobian, y.jacobian, x.num_rows * columns, tolerance);
}

void test_convex_expect_same(const carom_problem* a, const carom_problem* b, double tolerance) {
  carom_problem_sizes x = carom_problem_get_sizes(a), y = carom_problem_get_sizes(b);
  assert_memory_equal(&x, &y, sizeof x);
  assert_string_equal(carom_problem_get_name(a), carom_problem_get_name(b));
  expect_near(carom_problem_get_v_star(a), carom_problem_get_v_star(b), x.num_unknowns, tolerance);
  expect_near(carom_problem_get_v0(a), carom_problem_get_v0(b), x.num_unknowns, tolerance);
  expect_near(carom_problem_get_R(a), carom_problem_get_R(b), x.num_rows, tolerance);
  expect_near(carom_problem_get_v_hat(a), carom_problem_get_v_hat(b), x.num_rows, tolerance);
  for (int i = 0; i < x.num_constraints; i++) expect_same_constraint(a, b, i, tolerance);
}

/* --- Files --------------------------------------------------------------------------------------
 */

char test_convex_path[64];

int test_convex_make_path(void** state) {
  (void)state;
  snprintf(test_convex_path, sizeof test_convex_path, "/tmp/carom-problem-%ld", (long)getpid());
  return 0;
}

int test_convex_remove_path(void** state) {
  (void)state;
  unlink(test_convex_path);
  return 0;
}

carom_problem* test_convex_load(void) {
  carom_error error;
  carom_problem* p;
  check_ok(carom_problem_load(test_convex_path, &p, &error), &error);
  return p;
}

void test_convex_put_ints(const char* dataset, const int* values, int count) {
  hid_t file = H5Fopen(test_convex_path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0 && H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  assert_true(cr_h5_save_ints(file, dataset, values, count));
  H5Fclose(file);
}

void test_convex_put_reals(const char* dataset, const double* values, int count) {
  hid_t file = H5Fopen(test_convex_path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0 && H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  assert_true(cr_h5_save_reals(file, dataset, values, count));
  H5Fclose(file);
}

void test_convex_save_two(carom_problem_format format) {
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  check_ok(carom_problem_save(p, test_convex_path, format, &error), &error);
  carom_problem_destroy(p);
}
