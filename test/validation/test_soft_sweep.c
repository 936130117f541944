/* The soft scenes at stiffness from 1e3 to 1e9 Pa, Poisson's ratio up to 0.49 and steps up to 20
 * ms, every material: each step is certified, and done in one piece but where the energy watch
 * takes it anew, as in some steps of the softest bodies. What falls starts close above what it
 * falls on, the fingers close to the box, so that a few steps meet the impacts. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 8

/* A scene, and what stands in its text in place of something else, in pairs. */
typedef struct soft_scene {
  const char* path;
  const char* changes[8];
} soft_scene;

static const soft_scene BEAMS = {CR_SOURCE_DIR "/scenes/soft_beams.xml", {NULL}};
static const soft_scene GRIPPER = {
    CR_SOURCE_DIR "/scenes/soft_gripper.xml",
    {"\"-0.07 0 0\"", "\"-0.0445 0 0\"", "\"0.07 0 0\"", "\"0.0445 0 0\"", NULL}};
/* a smaller mattress: this one takes most of the time */
static const soft_scene MATTRESS = {CR_SOURCE_DIR "/scenes/soft_mattress.xml",
                                    {"\"13 13 4\"", "\"9 9 3\"", "\"0 0 0.0751\"", "\"0 0 0.0501\"",
                                     "\"0 0 0.4\"", "\"0 0 0.2004\"", "\"0.6 0 0.4\"",
                                     "\"0.6 0 0.0803\""}};

typedef struct material {
  const char* law;
  double young, poisson;
} material;

/* --- Text ---------------------------------------------------------------------------------------
 */

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be read", path);
  char* text = calloc(1, 1 << 16);
  size_t size = fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  assert_true(size > 0 && size < (1 << 16) - 1);
  return text;
}

/* Puts `to` in place of the text [at, at + length). */
static void replace(char* text, char* at, size_t length, const char* to) {
  size_t size = strlen(to), rest = strlen(at + length) + 1;
  assert_true((size_t)(at - text) + size + rest < 1 << 16);
  memmove(at + size, at + length, rest);
  memcpy(at, to, size);
}

/* Puts the material into every soft body; its damping stays. */
static void set_material(char* text, const material* m) {
  char with[128];
  int count = 0;
  for (char* at = text; (at = strstr(at, "<flexcomp ")); at++, count++) {
    snprintf(with, sizeof with, "<flexcomp carom:material=\"%s\" ", m->law);
    replace(text, at, strlen("<flexcomp "), with);
    char* young = strstr(at, "young=");
    size_t length = (size_t)(strstr(young, "damping=") - young);
    snprintf(with, sizeof with, "young=\"%g\" poisson=\"%g\" ", m->young, m->poisson);
    replace(text, young, length, with);
  }
  assert_true(count > 0);
}

static char* write_scene(const soft_scene* scene, const material* m) {
  char* text = read_text(scene->path);
  for (int k = 0; k < 8 && scene->changes[k]; k += 2) {
    char* at = strstr(text, scene->changes[k]);
    if (!at) fail_msg("%s has no %s", scene->path, scene->changes[k]);
    replace(text, at, strlen(scene->changes[k]), scene->changes[k + 1]);
  }
  set_material(text, m);
  return text;
}

/* --- Runs ---------------------------------------------------------------------------------------
 */

/* Figures of many runs. */
typedef struct tally {
  double certificate;
  int runs, steps, touching, repeated, free_iterations, iterations;
} tally;

static int max_int(int a, int b) { return a > b ? a : b; }

/* A step in one piece, or one that added energy in one piece. */
static void step_watched(simulation* s, tally* t) {
  carom_error error;
  check_ok(carom_sim_step(s->sim, &s->report, &error), &error);
  bool is_repeated = s->report.first_outcome == CAROM_STEP_ENERGY;
  t->repeated += is_repeated;
  if (s->report.outcome != CAROM_STEP_DONE || (s->report.substeps != 1 && !is_repeated))
    fail_msg("step to t = %g: outcome %d, first %d, in %d parts", carom_sim_time(s->sim),
             (int)s->report.outcome, (int)s->report.first_outcome, s->report.substeps);
}

static void run(const soft_scene* scene, const material* m, double dt, tally* t) {
  char* text = write_scene(scene, m);
  const carom_sim_def def = simulation_def(CAROM_IMPLICIT, dt);
  simulation s = simulation_create(text, &def);
  free(text);
  t->runs++;
  for (int i = 0; i < STEPS; i++, t->steps++) {
    step_watched(&s, t);
    double certificate = fmin(s.report.residual, s.report.error_bound);
    if (certificate > def.tolerance || s.report.relaxed_islands)
      fail_msg("%s, %s, E %g, nu %g, dt %g: step %d is certified to %g, %d islands relaxed",
               scene->path, m->law, m->young, m->poisson, dt, i, certificate,
               s.report.relaxed_islands);
    t->certificate = fmax(t->certificate, certificate);
    t->touching += s.report.contacts > 0;
    t->free_iterations = max_int(t->free_iterations, s.report.free_iterations);
    t->iterations = max_int(t->iterations, s.report.iterations);
  }
  simulation_destroy(&s);
}

/* Runs that take each law in turn (`is_whole`: all of them) at every stiffness, ratio and step. */
static tally sweep(const soft_scene* scene, bool is_whole) {
  static const char* const laws[] = {"corotated", "linear", "fixed_corotated", "stvk",
                                     "neo_hookean"};
  static const double young[] = {1e3, 1e5, 1e7, 1e9}, poisson[] = {0, 0.3, 0.49};
  static const double dt[] = {0.001, 0.005, 0.02};
  const int cases = 36, stride = cases / check_repeats(cases);
  tally t = {0};
  for (int i = 0; i < cases; i += stride)
    for (int law = 0; law < 5; law++) {
      if (!is_whole && law != (i + i / 5) % 5) continue;
      material m = {laws[law], young[i % 4], poisson[i / 4 % 3]};
      run(scene, &m, dt[i / 12], &t);
    }
  print_message("%d runs, %d steps, %d of them in contact, %d repeated: certificate %.1e, free "
                "motion %d, contact %d iterations at most\n",
                t.runs, t.steps, t.touching, t.repeated, t.certificate, t.free_iterations,
                t.iterations);
  assert_true(t.repeated <= t.steps / 20);
  return t;
}

static void test_beams(void** state) {
  (void)state;
  sweep(&BEAMS, true);
}

static void test_gripper(void** state) {
  (void)state;
  tally t = sweep(&GRIPPER, false);
  assert_true(t.touching > t.steps / 2);
}

static void test_mattress(void** state) {
  (void)state;
  tally t = sweep(&MATTRESS, false);
  assert_true(t.touching > t.steps / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_beams),
      cmocka_unit_test(test_gripper),
      cmocka_unit_test(test_mattress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
