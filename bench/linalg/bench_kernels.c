/* Times the kernels for Jacobian rows: nanoseconds for one block of rows, smallest of many. */
#include "linalg/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCKS 64 /* blocks of rows in the first-level cache, visited in turn */
#define VALUES (12 * 60)

typedef struct sample {
  const cr_kernels* kernels;
  int num_rows, num_cols, stride;
  double J[BLOCKS][VALUES], G[12 * 12], B[VALUES], C[60 * 60], target[60 * 72], x[60], y[12];
} sample;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static cr_rows get_rows(const sample* s, int block) {
  return (cr_rows){s->J[block], s->num_rows, s->num_cols, s->stride};
}

static void run_product(sample* s, int block) {
  cr_rows J = get_rows(s, block);
  s->kernels->accumulate_product(&J, s->B, s->C);
}

static void run_product_upper(sample* s, int block) {
  cr_rows J = get_rows(s, block);
  s->kernels->multiply_product_upper(&J, s->B, s->C);
}

/* What the solver does for a contact: G J, Jᵀ G J. */
static void run_contact(sample* s, int block) {
  cr_rows J = get_rows(s, block);
  s->kernels->weight_rows(&J, J.num_rows, s->G, 0, s->B);
  s->kernels->multiply_product_upper(&J, s->B, s->C);
}

/* And for a pair of bodies: the three blocks of C into panels. */
static void run_pair(sample* s, int block) {
  run_contact(s, block);
  int half = s->num_cols / 2;
  const double* C = s->C;
  cr_rows parts[3] = {{C, half, half, s->stride},
                      {C + half, half, half, s->stride},
                      {C + half * s->stride + half, half, half, s->stride}};
  for (int k = 0; k < 3; k++) {
    cr_factor_target to = {12 * k, 1, 72};
    s->kernels->panels[CR_DOUBLE]->add_block(&parts[k], &to, s->target);
  }
}

static void run_multiply(sample* s, int block) {
  cr_rows J = get_rows(s, block);
  s->kernels->multiply_rows(&J, s->x, s->y);
}

static void run_transposed(sample* s, int block) {
  cr_rows J = get_rows(s, block);
  s->kernels->multiply_transposed(&J, s->y, s->x);
}

static double time_run(sample* s, void (*run)(sample*, int)) {
  double best = INFINITY;
  for (int repeat = 0; repeat < 200; repeat++) {
    double start = now();
    for (int k = 0; k < 16 * BLOCKS; k++) run(s, k % BLOCKS);
    double taken = (now() - start) / (16 * BLOCKS);
    if (taken < best) best = taken;
  }
  return best;
}

static void fill(double* values, int count) {
  for (int k = 0; k < count; k++) values[k] = 1e-3 * sin(k);
}

int main(void) {
  static const int shapes[][2] = {{3, 6}, {3, 12}, {12, 12}, {3, 24}, {3, 60}};
  sample* s = aligned_alloc(64, (sizeof(sample) + 63) / 64 * 64);
  if (!s) return 1;
  printf("%-8s %5s %5s %9s %9s %9s %9s %9s %9s\n", "kernels", "rows", "cols", "product", "upper",
         "contact", "pair", "J x", "Jt y");
  for (int level = 0; level < 3; level++) {
    s->kernels = cr_kernels_get((cr_kernel_level)level);
    for (size_t k = 0; s->kernels && k < sizeof shapes / sizeof shapes[0]; k++) {
      s->num_rows = shapes[k][0];
      s->num_cols = shapes[k][1];
      s->stride = (s->num_cols + 3) / 4 * 4;
      fill(s->J[0], BLOCKS * VALUES);
      fill(s->G, 144);
      fill(s->C, 3600);
      fill(s->target, 60 * 72);
      fill(s->x, 60);
      printf("%-8s %5d %5d %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", s->kernels->name, s->num_rows,
             s->num_cols, time_run(s, run_product), time_run(s, run_product_upper),
             time_run(s, run_contact), time_run(s, run_pair), time_run(s, run_multiply),
             time_run(s, run_transposed));
    }
  }
  free(s);
  return 0;
}
