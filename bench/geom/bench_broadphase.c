/* Time of the broad phase over piles of spheres on a plane, of one size and of mixed sizes, as
 * densely packed as random points allow: the least of several runs. */
#include "geom/broadphase.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 15, MOST = 100000 };

static uint64_t random_state = 1;

/* Uniform in [0, 1) (splitmix64). */
static double uniform(void) {
  uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static cr_shape shape[MOST + 1];
static pose X[MOST + 1];
static int link[MOST + 1];
static uint32_t bits[MOST + 1];
static double margin[MOST + 1];

/* A plane, and spheres whose volumes fill 60% of a cube above it. */
static cr_geom_model make_pile(int num_spheres, double ratio) {
  double volume = 0;
  shape[0] = (cr_shape){.type = CAROM_GEOM_PLANE};
  X[0] = pose_identity();
  for (int i = 1; i <= num_spheres; i++) {
    shape[i] = (cr_shape){.type = CAROM_GEOM_SPHERE, .size = {pow(ratio, -uniform())}};
    volume += cr_shape_compute_volume(&shape[i]);
  }
  double side = cbrt(volume / 0.6);
  for (int i = 0; i <= num_spheres; i++) {
    if (i > 0) X[i] = pose_identity();
    if (i > 0) X[i].p = v3_make(side * uniform(), side * uniform(), side * uniform());
    link[i] = i, bits[i] = 1, margin[i] = i > 0 ? 0.01 : 0;
  }
  return (cr_geom_model){.num_geoms = num_spheres + 1,
                         .shape = shape,
                         .local = X,
                         .link = link,
                         .contype = bits,
                         .conaffinity = bits,
                         .margin = margin,
                         .num_links = num_spheres + 1,
                         .link_parent = calloc((size_t)num_spheres + 1, sizeof(int))};
}

static void time_pile(int num_spheres, double ratio) {
  cr_geom_model model = make_pile(num_spheres, ratio);
  cr_broadphase* broadphase;
  cr_geom_pair* pairs;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  if (cr_broadphase_create(&model, NULL, &broadphase, NULL) != CAROM_OK) abort();
  double best = INFINITY;
  int num_pairs = 0;
  for (int run = 0; run < RUNS; run++) {
    cr_arena_reset(&arena);
    double start = now();
    cr_broadphase_find_pairs(broadphase, X, NULL, &arena, &pairs, &num_pairs);
    best = fmin(best, now() - start);
  }
  printf("%7d spheres, sizes 1:%-4g %9.3f ms  %8d pairs  %5.1f comparisons per sphere\n",
         num_spheres, ratio, best, num_pairs,
         (double)cr_broadphase_get_num_tests(broadphase) / num_spheres);
  cr_broadphase_destroy(broadphase);
  cr_arena_destroy(&arena);
  free((void*)model.link_parent);
}

int main(void) {
  const double ratios[] = {1, 10, 100};
  for (int i = 0; i < 3; i++)
    for (int count = 10; count <= MOST; count *= 10) time_pile(count, ratios[i]);
  return 0;
}
