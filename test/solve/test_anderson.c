/* Anderson acceleration: on affine maps it is GMRES in disguise (Walker & Ni 2011). */
#include "solve/first_order/anderson.h"
#include "support/check.h"
#include "support/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x -> B x + c. */
typedef struct affine {
  int n;
  double *B, *c;
} affine;

/* B of spectral radius about `radius`; `span`: it acts on the first `span` coordinates alone. */
static affine affine_create(check_random* random, int n, int span, double radius) {
  affine map = {n, dense_zeros(n * n), dense_zeros(n)};
  for (int i = 0; i < span; i++)
    for (int j = 0; j < span; j++)
      map.B[i * n + j] = radius / sqrt(span) * check_random_normal(random);
  for (int i = 0; i < n; i++) map.c[i] = check_random_normal(random);
  return map;
}

static void affine_destroy(affine* map) { free(map->B), free(map->c); }

/* g = B x + c; returns |g - x|. */
static double evaluate(const affine* map, const double* x, double* g) {
  double sum = 0;
  for (int i = 0; i < map->n; i++) {
    g[i] = map->c[i];
    for (int j = 0; j < map->n; j++) g[i] += map->B[i * map->n + j] * x[j];
    sum += (g[i] - x[i]) * (g[i] - x[i]);
  }
  return sqrt(sum);
}

/* Evaluations from zero until the residual is below a share of the first. */
static int count_evaluations(const affine* map, bool accelerated, double share, int most) {
  cr_arena arena;
  cr_anderson anderson;
  cr_arena_init(&arena, NULL);
  assert_true(cr_anderson_init(&anderson, map->n, &arena));
  double *x = dense_zeros(map->n), *g = dense_zeros(map->n), first = evaluate(map, x, g);
  int count = 1;
  for (double now = first; now > share * first && count < most; count++) {
    if (accelerated)
      cr_anderson_step(&anderson, x, g);
    else
      memcpy(x, g, sizeof(double) * (size_t)map->n);
    now = evaluate(map, x, g);
  }
  free(x), free(g);
  cr_arena_destroy(&arena);
  return count;
}

/* A map of k directions, with no more than the depth of them, is solved by k + 3 evaluations (GMRES
 * takes k + 1 steps, and lags one) to the accuracy of the regularised normal equations, contraction
 * or not. */
static void test_affine(void** state) {
  (void)state;
  check_random random = {1};
  for (int repeat = 0; repeat < 200; repeat++) {
    int span = check_random_int(&random, 1, CR_MEMORY - 1);
    affine map = affine_create(&random, 20, span, repeat % 2 ? 0.5 : 1.5);
    int count = count_evaluations(&map, true, 1e-4, 50);
    assert_in_range(count, 2, span + 3);
    affine_destroy(&map);
  }
}

/* Slow contractions become fast. */
static void test_acceleration(void** state) {
  (void)state;
  affine map = {40, dense_zeros(40 * 40), dense_zeros(40)};
  for (int i = 0; i < 40; i++) map.B[41 * i] = 0.98 * i / 39, map.c[i] = 1;
  int plain = count_evaluations(&map, false, 1e-6, 10000);
  int accelerated = count_evaluations(&map, true, 1e-6, 10000);
  print_message("%d evaluations, %d accelerated\n", plain, accelerated);
  assert_true(plain > 300);
  assert_true(accelerated < plain / 4);
  affine_destroy(&map);
}

/* The first step is the map itself, and a fixed point stays. */
static void test_first_step_and_fixed_point(void** state) {
  (void)state;
  cr_arena arena;
  cr_anderson anderson;
  cr_arena_init(&arena, NULL);
  assert_true(cr_anderson_init(&anderson, 2, &arena));
  double x[2] = {1, 2}, g[2] = {3, -1};
  cr_anderson_step(&anderson, x, g);
  check_near_array(x, g, 2, 0);
  for (int i = 0; i < 2 * CR_MEMORY; i++) {
    cr_anderson_step(&anderson, x, g);
    check_near_array(x, g, 2, 1e-12);
  }
  cr_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_affine),
                                     cmocka_unit_test(test_acceleration),
                                     cmocka_unit_test(test_first_step_and_fixed_point)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
