/* Schur complements from a factor against elimination by the textbook: A_kk - A_ke A_ee^-1 A_ek. */
#include "linalg/ordering.h"
#include "linalg/schur.h"
#include "support/dense.h"
#include "support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct selection {
  int* is_kept; /* [num_blocks] */
  int* place;   /* [num_rows] */
  int count;    /* kept rows */
} selection;

static selection choose(const cr_bsm_pattern* p, check_random* random, double share) {
  selection s = {check_alloc(sizeof(int) * (size_t)p->num_blocks),
                 check_alloc(sizeof(int) * (size_t)p->num_rows), 0};
  for (int b = 0; b < p->num_blocks; b++) {
    s.is_kept[b] = check_random_uniform(random, 0, 1) < share;
    for (int r = p->row_start[b]; r < p->row_start[b + 1]; r++)
      s.place[r] = s.is_kept[b] ? s.count++ : -1;
  }
  return s;
}

/* S [count, count] row-major. */
static double* eliminate(const matrix_sample* m, const selection* s) {
  int n = m->pattern.num_rows, gone = n - s->count, e = 0;
  int* others = check_alloc(sizeof(int) * (size_t)n);
  int* kept = check_alloc(sizeof(int) * (size_t)n);
  for (int r = 0; r < n; r++) {
    if (s->place[r] >= 0)
      kept[s->place[r]] = r;
    else
      others[e++] = r;
  }
  double *ee = dense_zeros(gone * gone), *ek = dense_zeros(gone * s->count);
  double* S = dense_zeros(s->count * s->count);
  for (int i = 0; i < gone; i++) {
    for (int j = 0; j < gone; j++) ee[i * gone + j] = m->dense[others[j] * n + others[i]];
    for (int j = 0; j < s->count; j++) ek[i * s->count + j] = m->dense[kept[j] * n + others[i]];
  }
  dense_solve(ee, gone, ek, s->count);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j < s->count; j++) {
      double sum = m->dense[kept[j] * n + kept[i]];
      for (int k = 0; k < gone; k++)
        sum -= m->dense[others[k] * n + kept[i]] * ek[k * s->count + j];
      S[i * s->count + j] = sum;
    }
  free(others), free(kept), free(ee), free(ek);
  return S;
}

/* The factor is one of the whole matrix. */
static void check_solution(const matrix_sample* m, const cr_symbolic* symbolic,
                           const double* factor) {
  int n = m->pattern.num_rows;
  double *x = dense_zeros(n), *b = dense_zeros(n);
  double* scratch = check_alloc(sizeof(double) * (size_t)symbolic->scratch_size);
  for (int i = 0; i < n; i++) x[i] = 1 + i % 7;
  cr_bsm_multiply(&m->pattern, m->values, x, b);
  cr_cholesky_solve(symbolic, factor, b, 1, n, scratch);
  for (int i = 0; i < n; i++) check_near(b[i], x[i], 1e-8 * 7);
  free(x), free(b), free(scratch);
}

static void check_sample(const matrix_def* def, check_random* random) {
  matrix_sample m;
  matrix_sample_init(&m, def);
  selection s = choose(&m.pattern, random, 0.3);
  cr_symbolic symbolic;
  cr_block_graph graph;
  int* order = CR_PUSH(&m.arena, int, m.pattern.num_blocks);
  assert_true(cr_block_graph_build(&m.pattern, &m.arena, &graph));
  assert_true(cr_ordering_compute(&graph, CR_ORDERING_AMD, &m.arena, order));
  assert_true(cr_schur_analyze(&m.pattern, order, s.is_kept, &m.arena, &symbolic));
  double* factor = CR_PUSH(&m.arena, double, symbolic.factor_size);
  int stride = cr_schur_stride(s.count);
  double* S = CR_PUSH(&m.arena, double, s.count* stride);
  cr_cholesky_load(&symbolic, m.values, factor);
  assert_int_equal(cr_schur_factor(&symbolic, s.place, s.count, factor, S), -1);
  check_solution(&m, &symbolic, factor);
  double *expected = eliminate(&m, &s), scale = 0;
  for (int i = 0; i < s.count * s.count; i++) scale = fmax(scale, fabs(expected[i]));
  for (int i = 0; i < s.count; i++)
    for (int j = 0; j < s.count; j++)
      check_near(S[i * stride + j], expected[i * s.count + j], 1e-9 * scale);
  free(expected), free(s.is_kept), free(s.place);
  matrix_sample_destroy(&m);
}

static void test_shapes(void** state) {
  (void)state;
  check_random random = {5};
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int sizes = 0; sizes < SIZES_COUNT; sizes++) {
      matrix_def def = {(matrix_shape)shape, (matrix_sizes)sizes, 16, 100, 7};
      check_sample(&def, &random);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
