/* A soft cube falls a little onto the ground and rests there: milliseconds a step, iterations,
 * certificate, memory.
 *
 *     bench_sim_soft_cube [cells along an edge] [steps] [dt, s] [E, Pa] [scheme] [solver]
 *
 * Scheme 2 is implicit Euler, 3 the midpoint rule (default); solver 0 what is expected to be faster
 * (default), 1 factors, 2 conjugate gradients. 12 cells (default) of six tetrahedra
 * make 10,368 of them, 26 some 105 thousand. */
#include "timing.h"

#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EDGE 0.3 /* m */

static void check(carom_status status, const carom_error* error) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error->message);
  exit(EXIT_FAILURE);
}

/* The mesh of a cube about the origin, six tetrahedra a cell, around its diagonal. */
static void mesh_cube(int cells, double* nodes, int* elements) {
  static const int PATH[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  int side = cells + 1, corner[8];
  for (int x = 0; x < side; x++)
    for (int y = 0; y < side; y++)
      for (int z = 0; z < side; z++, nodes += 3) {
        nodes[0] = EDGE * ((double)x / cells - 0.5), nodes[1] = EDGE * ((double)y / cells - 0.5);
        nodes[2] = EDGE * ((double)z / cells - 0.5);
      }
  for (int x = 0; x < cells; x++)
    for (int y = 0; y < cells; y++)
      for (int z = 0; z < cells; z++) {
        for (int c = 0; c < 8; c++)
          corner[c] = ((x + c % 2) * side + y + c / 2 % 2) * side + z + c / 4;
        for (int k = 0; k < 6; k++, elements += 4) {
          elements[0] = corner[0], elements[1] = corner[PATH[k][0]];
          elements[2] = corner[PATH[k][1]], elements[3] = corner[7];
        }
      }
}

static carom_model* make_cube(int cells, double young) {
  carom_error error;
  carom_model* model = NULL;
  carom_builder* builder;
  check(carom_builder_create(NULL, &builder, &error), &error);
  carom_geom_def ground = carom_geom_def_default();
  ground.type = CAROM_GEOM_PLANE;
  check(carom_builder_add_geom(builder, &ground, NULL, &error), &error);
  carom_soft_def cube = carom_soft_def_default();
  carom_soft soft;
  cube.num_nodes = (cells + 1) * (cells + 1) * (cells + 1);
  cube.num_elements = 6 * cells * cells * cells;
  double* nodes = malloc(sizeof(double) * 3 * (size_t)cube.num_nodes);
  int* elements = malloc(sizeof(int) * 4 * (size_t)cube.num_elements);
  mesh_cube(cells, nodes, elements);
  cube.nodes = nodes, cube.elements = elements;
  cube.position[2] = EDGE / 2 + 0.01;
  cube.young = young;
  cube.beta = 1e-3;
  cube.friction = 0.5;
  check(carom_builder_add_soft(builder, &cube, &soft, &error), &error);
  free(nodes), free(elements);
  check(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return model;
}

typedef struct tally {
  double* time; /* [steps] ascending */
  double residual;
  int iterations, steps;
} tally;

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static tally run(carom_sim* sim, int steps) {
  tally t = {.steps = steps, .time = malloc(sizeof(double) * (size_t)(steps + 1))};
  for (int i = 0; i < steps; i++) {
    carom_step_report report;
    carom_error error;
    double start = thread_time();
    check(carom_sim_step(sim, &report, &error), &error);
    t.time[i] = thread_time() - start;
    t.residual = fmax(t.residual, report.residual);
    t.iterations += report.iterations;
  }
  qsort(t.time, (size_t)steps, sizeof *t.time, compare);
  return t;
}

/* Of a phase: the least, the median and the most. */
static void print(const char* phase, const tally* t) {
  if (t->steps > 0)
    printf("%-8s %9.1f %9.1f %9.1f ms a step; %5.1f iterations, residual %.1e at most\n", phase,
           1e3 * t->time[0], 1e3 * t->time[t->steps / 2], 1e3 * t->time[t->steps - 1],
           (double)t->iterations / t->steps, t->residual);
  free(t->time);
}

int main(int argc, char** argv) {
  int cells = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 12;
  int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 100;
  double young = argc > 4 ? strtod(argv[4], NULL) : 1e5;
  double start = thread_time();
  carom_model* model = make_cube(cells, young);
  carom_sim_def def = carom_sim_def_default();
  def.dt = argc > 3 ? strtod(argv[3], NULL) : 0.01;
  if (argc > 5) def.scheme = (carom_scheme)strtol(argv[5], NULL, 10);
  if (argc > 6) def.soft_solver = (carom_soft_solver)strtol(argv[6], NULL, 10);
  carom_sim* sim;
  carom_error error;
  check(carom_sim_create(model, &def, &sim, &error), &error);
  printf("%d tetrahedra, made in %.0f ms; dt %g s, E = %g Pa\n", 6 * cells * cells * cells,
         1e3 * (thread_time() - start), def.dt, young);
  tally first = run(sim, 1), fall = run(sim, steps / 2), rest = run(sim, steps - steps / 2);
  print("first", &first);
  print("landing", &fall);
  print("at rest", &rest);
  printf("memory   %9.1f MiB at most\n", peak_memory());
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}
