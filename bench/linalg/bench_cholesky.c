/* Times ordering, analysis, factorisation and solve on contact graphs of piles.
 *
 * Usage: bench_linalg_cholesky [FILE...]   a file holds `blocks pairs`, the block sizes, and the
 * pairs. Without files: packings of spheres, `flat` with 2.8 and `cube` with 3.7 pairs a body.
 * Every time is the smallest of many, in microseconds. */
#include "linalg/cholesky.h"
#include "linalg/elimination.h"
#include "linalg/ordering.h"
#include "linalg/plan.h"
#include "packing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct graph {
  char name[64];
  int num_blocks, num_pairs;
  int* size;
  int (*pair)[2];
} graph;

/* Processor time of this thread: others on the machine do not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* What is timed, with its data. */
typedef struct job {
  void (*prepare)(struct job*); /* not timed; may be null */
  void (*run)(struct job*);
  const cr_bsm_pattern* pattern;
  cr_ordering ordering;
  cr_symbolic symbolic;
  cr_arena* arena;
  double *values, *factor, *scratch, *x;
  float* single;
  cr_block_graph block_graph;
  cr_arena order_arena;
} job;

/* What a look at the clock costs. */
static double time_nothing(void) {
  double best = INFINITY;
  for (int count = 0; count < 1000; count++) {
    double begin = now(), taken = now() - begin;
    if (taken < best) best = taken;
  }
  return best;
}

static double time_job(job* j) {
  double best = INFINITY, start = now();
  for (int count = 0; count < 20000 && (count < 5 || now() - start < 3e5); count++) {
    if (j->prepare) j->prepare(j);
    double begin = now();
    j->run(j);
    double taken = now() - begin;
    if (taken < best) best = taken;
  }
  return best - time_nothing();
}

static void run_order(job* j) {
  cr_elimination elimination;
  double flops;
  cr_scratch_mark mark = cr_arena_mark_scratch(&j->order_arena);
  cr_ordering_choose(&j->block_graph, j->ordering, &j->order_arena, &elimination, &flops);
  cr_arena_pop_scratch(&j->order_arena, mark);
}

static void run_analysis(job* j) {
  cr_arena_reset(j->arena);
  cr_symbolic_analyze(j->pattern, j->ordering, j->arena, &j->symbolic);
}

static void run_load(job* j) { cr_cholesky_load(&j->symbolic, j->values, j->factor); }

static void run_factor(job* j) {
  if (cr_cholesky_factor(&j->symbolic, j->factor, j->scratch) >= 0) abort();
}

/* Of what was loaded in doubles; no part of the time. */
static void load_single(job* j) {
  run_load(j);
  for (int64_t k = 0; k < j->symbolic.factor_size; k++) j->single[k] = (float)j->factor[k];
}

static void run_single(job* j) {
  if (cr_cholesky_factor_single(&j->symbolic, j->single) >= 0) abort();
}

static void run_solve(job* j) {
  cr_cholesky_solve(&j->symbolic, j->factor, j->x, 1, j->pattern->num_rows, j->scratch);
}

/* A diagonally dominant matrix with the pattern. */
static void fill_matrix(const cr_bsm_pattern* p, double* values) {
  for (int k = 0; k < p->num_values; k++) values[k] = 0.1 * sin(k);
  for (int j = 0; j < p->num_blocks; j++) {
    double* diagonal = values + p->value_start[p->col_start[j]];
    for (int c = 0; c < p->size[j]; c++) diagonal[c * (p->size[j] + 1)] = 20;
  }
}

static void* allocate(size_t count) {
  void* block = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
  if (!block) abort();
  memset(block, 0, count * sizeof(double));
  return block;
}

static void print_times(job* j, const graph* g) {
  cr_block_graph_build(j->pattern, &j->order_arena, &j->block_graph);
  j->run = run_order;
  double order = time_job(j);
  j->run = run_analysis;
  double analysis = time_job(j);
  const cr_plan* plan = j->symbolic.plan;
  j->factor = allocate((size_t)j->symbolic.factor_size);
  j->scratch = allocate((size_t)j->symbolic.scratch_size);
  j->single = allocate((size_t)j->symbolic.factor_size);
  double factor[3], single = 0, solve = 0, load = 0;
  for (int level = 0; level < 3; level++) {
    factor[level] = NAN;
    if (!cr_kernels_get(level)) continue;
    j->symbolic.kernels = cr_kernels_get(level);
    j->run = run_load;
    load = time_job(j);
    j->prepare = run_load;
    j->run = run_factor;
    factor[level] = time_job(j);
    j->prepare = load_single;
    j->run = run_single;
    single = time_job(j);
    j->prepare = NULL;
    j->run = run_solve;
    solve = time_job(j);
  }
  double best = fmin(factor[1], factor[2]), mflop = 1e-6 * j->symbolic.flops;
  printf("%-22s %6d %5.2f %8.2f %6d %8.1f %8.1f %8.1f %9.1f %9.1f %9.1f %9.1f %8.1f %6.1f\n",
         g->name, g->num_blocks, (double)g->num_pairs / g->num_blocks, mflop, plan->num_supernodes,
         order, analysis, load, factor[0], factor[1], factor[2], single, solve, 1e3 * mflop / best);
  fflush(stdout);
  free(j->factor);
  free(j->single);
  free(j->scratch);
}

static void bench_graph(const graph* g, cr_ordering ordering) {
  cr_arena pattern_arena, arena;
  cr_arena_init(&pattern_arena, NULL);
  cr_arena_init(&arena, NULL);
  cr_bsm_pattern pattern;
  if (!cr_bsm_pattern_build(&pattern_arena, g->num_blocks, g->size, g->num_pairs,
                            (const int(*)[2])g->pair, &pattern))
    abort();
  job j = {.pattern = &pattern, .ordering = ordering, .arena = &arena};
  cr_arena_init(&j.order_arena, NULL);
  j.values = allocate((size_t)pattern.num_values);
  j.x = allocate((size_t)pattern.num_rows);
  fill_matrix(&pattern, j.values);
  for (int k = 0; k < pattern.num_rows; k++) j.x[k] = cos(k);
  print_times(&j, g);
  free(j.values);
  free(j.x);
  cr_arena_destroy(&j.order_arena);
  cr_arena_destroy(&arena);
  cr_arena_destroy(&pattern_arena);
}

static void make_packing(graph* g, const char* kind, const packing_def* def) {
  snprintf(g->name, sizeof g->name, "%s %d", kind, def->num_bodies);
  g->num_blocks = def->num_bodies;
  g->size = malloc(sizeof(int) * (size_t)g->num_blocks);
  g->pair = malloc(sizeof(int[2]) * (size_t)(def->num_bodies * def->pairs_per_body + 1));
  if (!g->size || !g->pair) abort();
  for (int k = 0; k < g->num_blocks; k++) g->size[k] = 6;
  g->num_pairs = packing_build(def, g->pair);
  if (g->num_pairs < 0) abort();
}

/* Reads the sizes and pairs after the two counts. */
static bool read_entries(FILE* file, graph* g) {
  g->size = malloc(sizeof(int) * (size_t)g->num_blocks);
  g->pair = malloc(sizeof(int[2]) * (size_t)(g->num_pairs + 1));
  bool ok = g->size && g->pair;
  for (int k = 0; ok && k < g->num_blocks; k++) ok = fscanf(file, "%d", &g->size[k]) == 1;
  for (int k = 0; ok && k < g->num_pairs; k++)
    ok = fscanf(file, "%d %d", &g->pair[k][0], &g->pair[k][1]) == 2;
  return ok;
}

static bool read_graph(const char* path, graph* g) {
  const char* slash = strrchr(path, '/');
  snprintf(g->name, sizeof g->name, "%.22s", slash ? slash + 1 : path);
  FILE* file = fopen(path, "r");
  if (!file) return false;
  bool ok = fscanf(file, "%d %d", &g->num_blocks, &g->num_pairs) == 2 && g->num_blocks > 0 &&
            g->num_pairs >= 0 && read_entries(file, g);
  fclose(file);
  return ok;
}

static void release_graph(graph* g) {
  free(g->size);
  free(g->pair);
}

int main(int argc, char** argv) {
  cr_ordering ordering = CR_ORDERING_AUTO;
  const char* chosen = getenv("BENCH_ORDERING"); /* the number of an ordering */
  if (chosen) ordering = (cr_ordering)strtol(chosen, NULL, 10);
  printf("%-22s %6s %5s %8s %6s %8s %8s %8s %9s %9s %9s %9s %8s %6s\n", "graph", "blocks", "pairs",
         "Mflop", "nodes", "order", "analyse", "load", "base", "AVX2", "AVX-512", "single", "solve",
         "Gf/s");
  for (int k = 1; k < argc; k++) {
    graph g = {0};
    bool ok = read_graph(argv[k], &g);
    if (ok) bench_graph(&g, ordering);
    release_graph(&g);
    if (!ok) return 1;
  }
  const int sizes[] = {40, 100, 400, 1000, 3000};
  for (int k = 0; argc == 1 && k < 10; k++) {
    graph g = {0};
    bool flat = k < 5;
    packing_def def = {sizes[k % 5], flat ? 4 : 0, flat ? 2.8 : 3.7};
    make_packing(&g, flat ? "flat" : "cube", &def);
    bench_graph(&g, ordering);
    release_graph(&g);
  }
  return 0;
}
