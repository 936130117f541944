/* Times the assembly and the factorisation of soft cubes.
 *
 * Usage: bench_soft_assembly [CELLS]   cells along an edge, 12 where none is given: 10,368 linear
 * tetrahedra. Every time is the smallest of some, of this thread's processor time. */
#include "linalg/cholesky.h"
#include "soft/body.h"
#include "soft/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void* allocate(size_t count) {
  void* block = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
  if (!block) abort();
  memset(block, 0, count * sizeof(double));
  return block;
}

typedef struct job {
  cr_soft_body body;
  cr_symbolic symbolic;
  double (*x)[3], *gradient, *values, *factor, *scratch, *rhs;
} job;

static void run_energy(job* j) {
  cr_soft_body_evaluate(&j->body, (const double(*)[3])j->x, &(cr_soft_output){0});
}

static void run_forces(job* j) {
  cr_soft_body_evaluate(&j->body, (const double(*)[3])j->x,
                        &(cr_soft_output){.gradient = j->gradient});
}

/* A = M + dt² K */
static void run_stiffness(job* j) {
  memset(j->values, 0, sizeof(double) * (size_t)j->body.pattern.num_values);
  cr_soft_output output = {
      .gradient = j->gradient, .values = j->values, .stiffness_scale = 1e-4, .is_projected = true};
  cr_soft_body_evaluate(&j->body, (const double(*)[3])j->x, &output);
  cr_soft_body_add_mass(&j->body, 1, false, j->values);
}

static void run_load(job* j) { cr_cholesky_load(&j->symbolic, j->values, j->factor); }

static void run_factor(job* j) {
  run_load(j);
  if (cr_cholesky_factor(&j->symbolic, j->factor, j->scratch) >= 0) abort();
}

static void run_solve(job* j) {
  cr_cholesky_solve(&j->symbolic, j->factor, j->rhs, 1, j->body.pattern.num_rows, j->scratch);
}

static double time_job(job* j, void (*run)(job*)) {
  double best = INFINITY, start = now();
  for (int count = 0; count < 1000 && (count < 3 || now() - start < 0.2); count++) {
    double begin = now();
    run(j);
    best = fmin(best, now() - begin);
  }
  return best;
}

static void bench_assembly(job* j, const char* name) {
  double per = 1e9 / j->body.mesh.num_elements;
  double energy = time_job(j, run_energy), forces = time_job(j, run_forces);
  double stiffness = time_job(j, run_stiffness);
  printf("%-18s %10.0f %10.0f %10.0f\n", name, per * energy, per * forces, per * stiffness);
}

static void bench_ordering(job* j, cr_ordering ordering, const char* name) {
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  double begin = now();
  if (!cr_symbolic_analyze(&j->body.pattern, ordering, &arena, &j->symbolic)) abort();
  double analysis = now() - begin;
  j->factor = allocate((size_t)j->symbolic.factor_size);
  j->scratch = allocate((size_t)j->symbolic.scratch_size + 1);
  run_stiffness(j);
  double factor = time_job(j, run_factor), solve = time_job(j, run_solve);
  printf("%-18s %10.0f %10.1f %10.1f %10.2f %10.1f %10.1f\n", name, 1e-6 * j->symbolic.flops,
         8e-6 * (double)j->symbolic.factor_size, 1e3 * factor, 1e3 * solve, 1e3 * analysis,
         1e-9 * j->symbolic.flops / factor);
  free(j->factor);
  free(j->scratch);
  cr_arena_destroy(&arena);
}

static void prepare(job* j, const cr_soft_mesh* mesh, cr_soft_law law) {
  cr_soft_material material;
  if (cr_soft_material_init(&material, law, 1e6, 0.3, 1000, NULL) != CAROM_OK ||
      cr_soft_body_create(&j->body, mesh, &material, NULL, NULL) != CAROM_OK)
    abort();
  size_t rows = (size_t)j->body.pattern.num_rows;
  j->x = allocate(rows);
  j->gradient = allocate(rows);
  j->rhs = allocate(rows);
  j->values = allocate((size_t)j->body.pattern.num_values);
  for (size_t i = 0; i < rows; i++) {
    (&j->x[0][0])[i] = (&mesh->node[0][0])[i] + 0.002 * sin((double)i);
    j->rhs[i] = cos((double)i);
  }
}

static void release(job* j) {
  free(j->x), free(j->gradient), free(j->rhs), free(j->values);
  cr_soft_body_destroy(&j->body);
}

static void bench_laws(const cr_soft_mesh* mesh) {
  static const char* const NAMES[] = {"corotated", "linear", "fixed corotated",
                                      "St Venant-Kirchhoff", "Neo-Hookean"};
  printf("%d nodes, %d elements of %d nodes\nns per element       energy     forces  stiffness\n",
         mesh->num_nodes, mesh->num_elements, mesh->nodes_per_element);
  for (int law = 0; law < 5; law++) {
    job j = {0};
    prepare(&j, mesh, (cr_soft_law)law);
    bench_assembly(&j, NAMES[law]);
    release(&j);
  }
}

static void bench_orderings(const cr_soft_mesh* mesh) {
  job j = {0};
  prepare(&j, mesh, CR_SOFT_COROTATED);
  printf("%-18s %10s %10s %10s %10s %10s %10s\n", "ordering", "Mflop", "MB", "factor ms",
         "solve ms", "analyse ms", "Gflop/s");
  bench_ordering(&j, CR_ORDERING_AMD, "AMD");
  if (mesh->num_nodes < 4096) {
    bench_ordering(&j, CR_ORDERING_MINIMUM_DEGREE, "minimum degree");
    bench_ordering(&j, CR_ORDERING_MINIMUM_FILL, "minimum fill");
  }
  release(&j);
}

int main(int argc, char** argv) {
  int cells = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 12;
  cr_soft_shape_def def = {CR_SOFT_BOX, {0.5, 0.5, 0.5}, {cells, cells, cells}, CR_SOFT_SPLIT_SIX};
  cr_soft_mesh linear, quadratic;
  carom_error error;
  if (cr_soft_mesh_make_shape(&def, NULL, &linear, &error) != CAROM_OK ||
      cr_soft_mesh_make_quadratic(&linear, &quadratic, &error) != CAROM_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  bench_laws(&linear);
  bench_orderings(&linear);
  bench_laws(&quadratic);
  cr_soft_mesh_destroy(&quadratic);
  cr_soft_mesh_destroy(&linear);
  return 0;
}
