/* Thread CPU time of a scene's steps, in two phases: while things fall, and at rest. Prints one
 * line of JSON. Usage: bench_peers_steps SCENE DT FALL REST BUDGET
 *     coulomb|coulomb-euler|coulomb-compliant|convex|compliant|euler [KEYFRAME [THREADS [CHUNK]]]
 *   FALL, REST  seconds of simulated time of the phases; the first steps of the second do not count
 *   BUDGET      seconds of CPU time a phase may take. What is left of the first is then simulated
 *               with compliant friction to 1e-3, uncounted; what is left of the second is left out
 *   compliant   convex friction with the published near-rigid regularisation, as peers have it
 *   euler       the same by symplectic Euler, the scheme that MuJoCo has
 *   coulomb-... Coulomb friction, so regularised or by that scheme
 *   KEYFRAME    to start at; -1: none
 *   CHUNK       steps between two looks at the clocks, which take half a microsecond each; 1 */
#include "timing.h"

#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 10 };

/* What a phase's steps cost and left. */
typedef struct phase {
  double time, wall, most, iterations;
  double *residual, *bound; /* [steps] */
  int steps, relaxed, contacts;
  bool complete;
} phase;

typedef struct bench {
  carom_model* model;
  carom_sim* sim;
  carom_sim_def def;
  double budget;
  int chunk;
  carom_error error;
} bench;

static bool check(bench* b, carom_status status, const carom_step_report* report) {
  if (status == CAROM_OK && (!report || report->outcome == CAROM_STEP_DONE)) return true;
  fprintf(stderr, "%s\n", status == CAROM_OK ? "a step failed" : b->error.message);
  return false;
}

static void add_step(phase* p, const carom_step_report* report) {
  p->iterations += report->iterations;
  p->bound[p->steps] = report->error_bound;
  p->residual[p->steps++] = report->residual;
  p->relaxed += report->relaxed_islands;
  p->contacts = report->contacts;
}

/* Takes so many steps between two looks at the clocks. */
static bool run_chunk(bench* b, int steps, phase* p) {
  double begin = thread_time(), begin_wall = wall_time();
  for (int k = 0; k < steps; k++) {
    carom_step_report report;
    if (!check(b, carom_sim_step(b->sim, &report, &b->error), &report)) return false;
    add_step(p, &report);
  }
  double time = thread_time() - begin;
  p->time += time;
  p->wall += wall_time() - begin_wall;
  p->most = fmax(p->most, time / steps);
  return true;
}

/* Takes up to `steps` steps, while the budget lasts. */
static bool run(bench* b, int steps, phase* p) {
  p->residual = calloc((size_t)steps + 1, sizeof(double));
  p->bound = calloc((size_t)steps + 1, sizeof(double));
  if (!p->residual || !p->bound) return false;
  while (p->steps < steps && p->time < b->budget) {
    int left = steps - p->steps;
    if (!run_chunk(b, left < b->chunk ? left : b->chunk, p)) return false;
  }
  p->complete = p->steps == steps;
  return true;
}

/* Goes on with other options from the state of the present simulation, which is destroyed. */
static bool change_simulation(bench* b, const carom_sim_def* def) {
  carom_sim* sim;
  if (!check(b, carom_sim_create(b->model, def, &sim, &b->error), NULL)) return false;
  carom_status status =
      carom_sim_set_state(sim, carom_sim_time(b->sim), carom_sim_coordinates(b->sim),
                          carom_sim_velocities(b->sim), &b->error);
  memcpy(carom_sim_controls(sim), carom_sim_controls(b->sim),
         sizeof(double) * (size_t)carom_model_get_sizes(b->model).num_actuators);
  carom_sim_destroy(b->sim);
  b->sim = sim;
  return check(b, status, NULL);
}

static void set_compliant(carom_sim_def* def) {
  def->friction = CAROM_FRICTION_CONVEX;
  def->sigma = 1e-3;
  def->beta = 1;
}

/* What argv names of ours. */
typedef struct kind {
  const char* name;
  carom_friction friction;
  bool is_compliant, is_euler;
} kind;

static bool set_kind(const char* name, carom_sim_def* def) {
  static const kind kinds[] = {{"coulomb", CAROM_FRICTION_COULOMB, false, false},
                               {"coulomb-euler", CAROM_FRICTION_COULOMB, false, true},
                               {"coulomb-compliant", CAROM_FRICTION_COULOMB, true, false},
                               {"convex", CAROM_FRICTION_CONVEX, false, false},
                               {"compliant", CAROM_FRICTION_CONVEX, true, false},
                               {"euler", CAROM_FRICTION_CONVEX, true, true}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (strcmp(kinds[k].name, name) != 0) continue;
    if (kinds[k].is_compliant) set_compliant(def);
    def->friction = kinds[k].friction;
    if (kinds[k].is_euler) def->scheme = CAROM_SYMPLECTIC;
    return true;
  }
  fprintf(stderr, "bench_peers_steps: no kind '%s'\n", name);
  return false;
}

/* The rest of the first phase, uncounted. */
static bool settle(bench* b, int steps) {
  carom_sim_def loose = b->def;
  set_compliant(&loose);
  loose.tolerance = 1e-3;
  if (!change_simulation(b, &loose)) return false;
  for (int k = 0; k < steps; k++) {
    carom_step_report report;
    if (!check(b, carom_sim_step(b->sim, &report, &b->error), &report)) return false;
  }
  return change_simulation(b, &b->def);
}

static bool warm_up(bench* b) {
  for (int k = 0; k < WARM_UP; k++) {
    carom_step_report report;
    if (!check(b, carom_sim_step(b->sim, &report, &b->error), &report)) return false;
  }
  return true;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Median and largest of a value of the steps; a bound that is not known is infinite and left out.
 */
static void print_spread(const char* name, double* values, int steps) {
  qsort(values, (size_t)steps, sizeof(double), compare);
  double most = steps > 0 ? values[steps - 1] : 0;
  if (isfinite(most))
    printf(", \"%s\": %.2g, \"%s_most\": %.2g", name, values[steps / 2], name, most);
}

static void print(const char* name, phase* p, double memory) {
  int n = p->steps > 0 ? p->steps : 1;
  printf("\"%s\": {\"us\": %.2f, \"us_most\": %.2f, \"wall_us\": %.2f, \"steps\": %d, ", name,
         1e6 * p->time / n, 1e6 * p->most, 1e6 * p->wall / n, p->steps);
  printf("\"complete\": %s, \"iterations\": %.2f, \"relaxed\": %d, \"contacts\": %d, ",
         p->complete ? "true" : "false", p->iterations / n, p->relaxed, p->contacts);
  printf("\"memory\": %.1f", memory);
  print_spread("residual", p->residual, p->steps);
  print_spread("error_bound", p->bound, p->steps);
  printf("}");
}

static bool open(bench* b, char** argv, int argc) {
  carom_load_def load = carom_load_def_default();
  load.permissive = true;
  b->def = carom_sim_def_default();
  b->def.sleep_share = 0; /* what rests is solved here, as the peers solve it */
  b->def.dt = strtod(argv[2], NULL);
  b->budget = strtod(argv[5], NULL);
  if (!set_kind(argv[6], &b->def)) return false;
  if (argc > 8) b->def.threads = (int)strtol(argv[8], NULL, 10);
  b->chunk = argc > 9 ? (int)strtol(argv[9], NULL, 10) : 1;
  if (!check(b, carom_model_load(argv[1], &load, &b->model, &b->error), NULL)) return false;
  if (!check(b, carom_sim_create(b->model, &b->def, &b->sim, &b->error), NULL)) return false;
  int keyframe = argc > 7 ? (int)strtol(argv[7], NULL, 10) : -1;
  return keyframe < 0 || check(b, carom_sim_set_keyframe(b->sim, keyframe, &b->error), NULL);
}

static bool run_phases(bench* b, double fall, double rest, phase phases[2]) {
  int fall_steps = (int)(fall / b->def.dt + 0.5), rest_steps = (int)(rest / b->def.dt + 0.5);
  if (!run(b, fall_steps, &phases[0])) return false;
  if (!phases[0].complete && !settle(b, fall_steps - phases[0].steps)) return false;
  return warm_up(b) && run(b, rest_steps, &phases[1]);
}

int main(int argc, char** argv) {
  if (argc < 7) {
    fprintf(stderr,
            "usage: %s SCENE DT FALL REST BUDGET coulomb|coulomb-euler|coulomb-compliant|convex|"
            "compliant|euler [KEYFRAME [THREADS [CHUNK]]]\n",
            argv[0]);
    return EXIT_FAILURE;
  }
  bench b = {0};
  phase phases[2] = {0};
  bool done =
      open(&b, argv, argc) && run_phases(&b, strtod(argv[3], NULL), strtod(argv[4], NULL), phases);
  if (done) {
    double memory = peak_memory();
    printf("{");
    print("fall", &phases[0], memory);
    printf(", ");
    print("rest", &phases[1], memory);
    printf("}\n");
  }
  for (int k = 0; k < 2; k++) free(phases[k].residual), free(phases[k].bound);
  carom_sim_destroy(b.sim);
  carom_model_destroy(b.model);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
