/* `carom sweep`: measures all points on several threads, keeps what is done, writes the table. */
#include "sweep.h"

#include "common/files.h"
#include "interrupt.h"
#include "progress.h"
#include "words.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char** argv);

#define FIELD(name) offsetof(sweep_options, name)

static const cli_option OPTIONS[] = {
    {"vary", 0, "NAME=VALUES", CLI_TEXTS, FIELD(vary), CLI_ANY, NULL,
     "1:10:20 (20 values from 1 to 10) or 1,2,5 (these);\nNAME is a parameter such as "
     "body.box.mass\n(docs/parameters.md), or an option of runs: dt,\nduration, friction, "
     "keyframe, scheme, solver, tolerance.\nGiven again: all combinations"},
    {"output", 'o', "FILE.csv", CLI_TEXT, FIELD(output), CLI_ANY, NULL,
     "the table (standard output). What is done is kept in\nFILE.csv.part, from which the same "
     "command goes on"},
    {"duration", 0, "S", CLI_NUMBER, FIELD(duration), CLI_POSITIVE, NULL, "of every run, s (10)"},
    {"dt", 0, "S", CLI_NUMBER, FIELD(dt), CLI_POSITIVE, NULL,
     "step, s (the scene's timestep, else 0.002)"},
    {"scheme", 0, "NAME", CLI_TEXT, FIELD(scheme), CLI_ANY, NULL,
     "explicit, symplectic, implicit or midpoint"},
    {"friction", 0, "LAW", CLI_WORD, FIELD(friction), CLI_ANY, CLI_FRICTIONS,
     "coulomb, convex, lagged or anchored (coulomb)"},
    {"solver", 0, "NAME", CLI_WORD, FIELD(solver), CLI_ANY, CLI_SOLVERS,
     "newton, primal, pgs, apgd or ipm (newton)"},
    {"tolerance", 0, "X", CLI_NUMBER, FIELD(tolerance), CLI_POSITIVE, NULL,
     "of the solver's certificate, relative (1e-6)"},
    {"keyframe", 0, "NAME", CLI_TEXT, FIELD(keyframe), CLI_ANY, NULL,
     "start at a keyframe of the scene"},
    {"threads", 0, "N", CLI_COUNT, FIELD(threads), CLI_ANY, NULL,
     "runs at a time (as many as processors); changes no\nbyte of the table"},
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    CLI_READING_FILES(FIELD(reading)),
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL, "no progress"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

const cli_command cli_sweep = {
    "sweep",
    "SCENE",
    "Simulate copies of a scene with other numbers",
    "Runs a scene to its end at every combination of the values that vary, and writes a table:\n"
    "these, then time, steps, how it went, energies, contacts, q and v at the end.\n"
    "Ctrl-C ends it (exit code 130), and the same command goes on. The Python package's\n"
    "'carom sweep' takes samples too, and 'carom.sweep' any measure and machine.",
    OPTIONS,
    run,
};

/* --- Points side by side ------------------------------------------------------------------------
 */

typedef struct crew {
  sweep* s;
  FILE* part; /* null: none */
  cli_progress progress;
  pthread_mutex_t mutex; /* of all that follows, and of the rows */
  int next, done;
  carom_status status;
  carom_error error;
} crew;

/* The next point to measure; -1: none is left, or something has ended the work. */
static int take_point(crew* c) {
  pthread_mutex_lock(&c->mutex);
  while (c->next < c->s->num_points && c->s->rows[c->next]) c->next++;
  bool is_over = c->next == c->s->num_points || c->status != CAROM_OK || cli_caught_signal();
  int point = is_over ? -1 : c->next++;
  pthread_mutex_unlock(&c->mutex);
  return point;
}

/* Of what the point's numbers can have caused, with the point. */
static void keep_error(crew* c, int point, carom_status status, const carom_error* error) {
  if (c->status != CAROM_OK) return;
  c->status = status;
  c->error = *error;
  if (status != CAROM_ERROR_OUT_OF_MEMORY && status != CAROM_ERROR_FILE)
    cli_error(&c->error, status, "%s (sweep: at point %d)", error->message, point);
}

/* The row is the sweep's from here on. */
static void keep_row(crew* c, int point, char* row) {
  c->s->rows[point] = row;
  c->done++;
  cli_progress_update_frames(&c->progress, c->done);
  if (!c->part) return;
  fprintf(c->part, "%d,%s\n", point, row);
  if (fflush(c->part) == 0) return;
  carom_error error;
  cli_error(&error, CAROM_ERROR_FILE, "what is done cannot be written: %s", strerror(errno));
  keep_error(c, point, error.status, &error);
}

static void* work(void* data) {
  crew* c = data;
  for (int point; (point = take_point(c)) >= 0;) {
    char* row;
    carom_error error;
    carom_status status = sweep_measure(c->s, point, &row, &error);
    pthread_mutex_lock(&c->mutex);
    if (status != CAROM_OK) keep_error(c, point, status, &error);
    if (row) keep_row(c, point, row);
    pthread_mutex_unlock(&c->mutex);
  }
  return NULL;
}

static carom_status measure_all(sweep* s, FILE* part, carom_error* error) {
  pthread_t threads[256];
  crew c = {.s = s, .part = part, .mutex = PTHREAD_MUTEX_INITIALIZER};
  long wanted = s->options->threads ? s->options->threads : sysconf(_SC_NPROCESSORS_ONLN);
  int count = 0;
  for (int i = 0; i < s->num_points; i++) c.done += s->rows[i] != NULL;
  c.progress = cli_progress_start(s->options->quiet, 0, s->num_points);
  while (count + 1 < wanted && count < 256 && pthread_create(&threads[count], NULL, work, &c) == 0)
    count++;
  work(&c);
  while (count-- > 0) pthread_join(threads[count], NULL);
  cli_progress_finish(&c.progress);
  *error = c.error;
  return c.status;
}

/* --- The table ----------------------------------------------------------------------------------
 */

static carom_status write_table(const sweep* s, carom_error* error) {
  const char* path = s->options->output;
  FILE* file = path ? fopen(path, "w") : stdout;
  bool done = file != NULL;
  if (done) sweep_write_header(s, file);
  for (int i = 0; done && i < s->num_points; i++) done = fprintf(file, "%s\n", s->rows[i]) > 0;
  done = done && fflush(file) == 0 && !ferror(file);
  if (path && file && fclose(file) != 0) done = false;
  if (done) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s",
                   path ? path : "standard output", strerror(errno));
}

/* Names and values of the first point are right before anything is written. */
static carom_status load(sweep* s, const carom_load_def* def, carom_error* error) {
  carom_model* first = NULL;
  carom_status status = sweep_read_axes(s, error);
  if (status == CAROM_OK) status = carom_model_load(s->options->scene, def, &s->model, error);
  if (status == CAROM_OK) status = sweep_make_model(s, 0, &first, error);
  carom_model_destroy(first);
  if (status != CAROM_OK) return status;
  s->rows = calloc((size_t)s->num_points, sizeof *s->rows);
  return s->rows ? CAROM_OK : cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

static carom_status sweep_scene(sweep* s, const carom_load_def* def, carom_error* error) {
  char part_name[PATH_MAX];
  FILE* part = NULL;
  const char* output = s->options->output;
  carom_status status = load(s, def, error);
  if (output && snprintf(part_name, sizeof part_name, "%s.part", output) >= PATH_MAX)
    return cli_error(error, CAROM_ERROR_FILE, "%s: the name is too long", output);
  if (status == CAROM_OK && output) status = sweep_open_part(s, part_name, &part, error);
  if (status == CAROM_OK) status = measure_all(s, part, error);
  if (part) fclose(part);
  if (status != CAROM_OK || cli_caught_signal()) return status;
  status = write_table(s, error);
  if (status == CAROM_OK && output) unlink(part_name);
  return status;
}

static int run(int argc, char** argv) {
  sweep_options options = {.duration = 10, .tolerance = 1e-6};
  sweep s = {.options = &options};
  carom_load_def def;
  carom_error error;
  int code = cli_parse(&cli_sweep, argc, argv, &options, &options.scene);
  if (code >= 0) return code;
  code = cli_make_load_def("sweep", &options.reading, &def);
  if (code >= 0) return code;
  const char* outputs[] = {options.output};
  cli_files files = {&options.scene, outputs, 1, 1};
  if (cli_check_files(&files, &error) != CAROM_OK) return cli_fail_with(&error);
  cli_catch_signals();
  carom_status status = sweep_scene(&s, &def, &error);
  code = status == CAROM_OK ? EXIT_FINE : cli_fail_with(&error);
  if (cli_caught_signal()) code = 128 + cli_caught_signal();
  for (int i = 0; s.rows && i < s.num_points; i++) free(s.rows[i]);
  free((void*)s.rows);
  sweep_release_axes(&s);
  carom_model_destroy(s.model);
  return code;
}
