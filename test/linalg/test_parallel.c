/* The factorisation by several tasks: the bits and the bad row of one thread, whoever runs them. */
#include "base/tasks.h"
#include "linalg/parallel.h"
#include "support/matrices.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4 };

/* A host that runs tasks backwards on the caller's thread. */
static void run_backwards(void* user, int count, carom_task* task, void* data) {
  *(int*)user += 1;
  for (int i = count; i-- > 0;) task(data, i);
}

/* Everyone who may run tasks. */
typedef struct runners {
  cr_threads* pool[MOST_THREADS];
  carom_tasks tasks[MOST_THREADS + 2]; /* pools, a host, nobody */
  int backward_runs;
} runners;

enum { NUM_RUNNERS = MOST_THREADS + 2 };

static void runners_init(runners* r) {
  carom_error error;
  *r = (runners){0};
  for (int k = 0; k < MOST_THREADS; k++) {
    check_ok(cr_threads_create(NULL, k + 1, &r->pool[k], &error), &error);
    r->tasks[k] = cr_threads_tasks(r->pool[k]);
  }
  r->tasks[MOST_THREADS] = (carom_tasks){run_backwards, &r->backward_runs};
}

static void runners_destroy(runners* r) {
  for (int k = 0; k < MOST_THREADS; k++) cr_threads_destroy(r->pool[k]);
}

/* A matrix loaded in one precision. */
static void load(const cr_symbolic* symbolic, const matrix_sample* s, cr_precision precision,
                 double* room, void* factor) {
  cr_cholesky_load(symbolic, s->values, room);
  if (precision == CR_DOUBLE)
    memcpy(factor, room, sizeof(double) * (size_t)symbolic->factor_size);
  else
    for (int64_t k = 0; k < symbolic->factor_size; k++) ((float*)factor)[k] = (float)room[k];
}

static int factor_alone(const cr_symbolic* symbolic, cr_precision precision, void* factor,
                        double* scratch) {
  return precision == CR_DOUBLE ? cr_cholesky_factor(symbolic, factor, scratch)
                                : cr_cholesky_factor_single(symbolic, factor);
}

/* Above the diagonal updates leave what they like, in the same order, too. */
static void expect_same(const cr_symbolic* symbolic, const matrix_sample* s, cr_precision precision,
                        const cr_schedule* schedule, const runners* r) {
  size_t size = symbolic->kernels->panels[precision]->number_size * (size_t)symbolic->factor_size;
  double* room = check_alloc(sizeof(double) * (size_t)symbolic->factor_size);
  double* scratch = check_alloc(sizeof(double) * (size_t)symbolic->scratch_size);
  void *alone = check_alloc(size), *together = check_alloc(size);
  load(symbolic, s, precision, room, alone);
  int bad = factor_alone(symbolic, precision, alone, scratch);
  for (int k = 0; k < NUM_RUNNERS; k++) {
    int count = k < MOST_THREADS ? k + 1 : 3;
    load(symbolic, s, precision, room, together);
    int found =
        cr_cholesky_factor_parallel(symbolic, precision, together, schedule, &r->tasks[k], count);
    assert_int_equal(found, bad);
    if (bad < 0) assert_memory_equal(together, alone, size);
  }
  free(room), free(scratch), free(alone), free(together);
}

/* @param broken diagonal elements that are made negative */
static void check_matrix(const matrix_def* def, int broken, const runners* r) {
  matrix_sample s;
  cr_symbolic symbolic;
  cr_schedule schedule;
  check_random random = {def->seed};
  matrix_sample_init(&s, def);
  for (int k = 0; k < broken; k++) {
    int block = check_random_int(&random, 0, s.pattern.num_blocks - 1);
    s.values[s.pattern.value_start[s.pattern.col_start[block]]] = -1;
  }
  assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &symbolic));
  assert_true(cr_schedule_build(&symbolic, &s.arena, &schedule));
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    symbolic.kernels = cr_kernels_get(level);
    for (int precision = 0; precision < CR_PRECISION_COUNT; precision++)
      expect_same(&symbolic, &s, precision, &schedule, r);
  }
  matrix_sample_destroy(&s);
}

static void test_same_bits(void** state) {
  (void)state;
  runners r;
  runners_init(&r);
  for (int k = 0; k < check_repeats(60); k++) {
    matrix_def def = {k % SHAPE_COUNT, k % SIZES_COUNT, 5 + k % 60, 10, (uint64_t)k};
    check_matrix(&def, 0, &r);
  }
  assert_true(r.backward_runs > 0);
  runners_destroy(&r);
}

/* Supernodes that are cut into parts. */
static void test_wide_panels(void** state) {
  (void)state;
  runners r;
  runners_init(&r);
  for (int k = 0; k < check_repeats(8); k++) {
    matrix_def def = {k % 3 ? SHAPE_FULL : SHAPE_CLIQUES, k % (SIZES_COUNT + 1), 40 + 3 * k, 10,
                      (uint64_t)k};
    check_matrix(&def, k % 4 == 3, &r);
  }
  runners_destroy(&r);
}

/* One to three bad pivots: the first one by the serial order is the one that is reported. */
static void test_bad_pivots(void** state) {
  (void)state;
  runners r;
  runners_init(&r);
  for (int k = 0; k < check_repeats(60); k++) {
    matrix_def def = {k % SHAPE_COUNT, k % SIZES_COUNT, 5 + k % 60, 10, (uint64_t)k};
    check_matrix(&def, 1 + k % 3, &r);
  }
  runners_destroy(&r);
}

static void test_no_memory(void** state) {
  (void)state;
  matrix_def def = {SHAPE_GRID, SIZES_SIX, 16, 10, 1};
  matrix_sample s;
  cr_symbolic symbolic;
  cr_schedule schedule;
  matrix_sample_init(&s, &def);
  assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &symbolic));
  s.arena.failed = true;
  assert_false(cr_schedule_build(&symbolic, &s.arena, &schedule));
  s.arena.failed = false;
  matrix_sample_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_wide_panels),
      cmocka_unit_test(test_bad_pivots),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
