/* `carom bench`: the time of steps, of our own scenes or the user's, beside MuJoCo's where python3
 * has it. Nothing sleeps, so that what rests is solved too, as peers solve it. */
#include "bench.h"

#include "interrupt.h"
#include "json.h"
#include "reading.h"
#include "words.h"

#include "carom/scene.h"
#include "carom/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct bench_options {
  double duration, dt;
  int friction, threads;
  cli_reading reading;
  bool no_peers, json;
} bench_options;

#define FIELD(name) offsetof(bench_options, name)

static const cli_option OPTIONS[] = {
    {"duration", 0, "S", CLI_NUMBER, FIELD(duration), CLI_POSITIVE, NULL,
     "simulated time of each half (2 s)"},
    {"dt", 0, "S", CLI_NUMBER, FIELD(dt), CLI_POSITIVE, NULL, "time step (the scene's, else 2 ms)"},
    {"friction", 0, "LAW", CLI_WORD, FIELD(friction), CLI_ANY, CLI_FRICTIONS,
     "coulomb, convex, lagged or anchored (coulomb)"},
    {"threads", 0, "N", CLI_COUNT, FIELD(threads), CLI_ANY, NULL, "threads, of ours alone (1)"},
    {"no-peers", 0, NULL, CLI_FLAG, FIELD(no_peers), CLI_ANY, NULL, "Carom alone"},
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    CLI_READING_FILES(FIELD(reading)),
    {"json", 0, NULL, CLI_FLAG, FIELD(json), CLI_ANY, NULL, "print JSON"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_bench = {
    "bench",
    "[SCENE]...",
    "Time the steps of scenes, beside a peer",
    "Simulates each scene in two halves, in the first of which most things move, and prints what\n"
    "a step takes. Without scenes it takes a stack and piles of its own. Where python3 has the\n"
    "package mujoco the same file is timed with that, too, at its own defaults, which solve less\n"
    "accurately. scripts/bench of the sources compares more engines at equal accuracy.",
    OPTIONS,
    run_command,
};

/* A scene with what was found of it. */
typedef struct row {
  const char* name;
  int bodies, dofs, steps, contacts;
  double dt, iterations, residual;
  bench_times own, peer;
  double worst; /* s, the longest step */
  bench_answer answer;
  char version[32]; /* of the peer */
} row;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Takes so many steps; returns the mean time, negative where a step fails, after a sentence. */
static double time_steps(carom_sim* sim, int steps, row* r) {
  carom_step_report report;
  carom_error error;
  double sum = 0;
  for (int i = 0; i < steps; i++) {
    double begin = now();
    carom_status status = carom_sim_step(sim, &report, &error);
    double took = now() - begin;
    if (status != CAROM_OK) return cli_fail_with(&error), -1;
    if (report.outcome != CAROM_STEP_DONE)
      return cli_fail(EXIT_NUMERICAL, "%s: a step failed at %g s", r->name, report.time), -1;
    if (cli_caught_signal()) return -1;
    sum += took;
    r->worst = fmax(r->worst, took), r->residual = fmax(r->residual, report.residual);
    r->iterations += report.iterations / (2.0 * steps), r->contacts = report.contacts;
  }
  return sum / steps;
}

static int exit_code_of_steps(void) {
  return cli_caught_signal() ? 128 + cli_caught_signal() : EXIT_NUMERICAL;
}

/* Fills the row; returns -1 to go on, else an exit code, after a sentence. */
static int time_model(const bench_options* o, const carom_model* model, row* r) {
  carom_sim_def def = carom_sim_def_default();
  carom_sim* sim;
  carom_error error;
  def.sleep_share = 0, def.friction = (carom_friction)o->friction, def.threads = o->threads;
  if (o->dt > 0) def.dt = o->dt;
  if (carom_sim_create(model, &def, &sim, &error) != CAROM_OK) return cli_fail_with(&error);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  r->bodies = sizes.num_bodies - 1, r->dofs = sizes.num_v, r->dt = carom_sim_dt(sim);
  double steps = round(o->duration / r->dt);
  r->steps = steps < 1 ? 1 : steps > 1e8 ? 100000000 : (int)steps;
  r->own.first = time_steps(sim, r->steps, r);
  if (r->own.first >= 0) r->own.second = time_steps(sim, r->steps, r);
  carom_sim_destroy(sim);
  return r->own.first >= 0 && r->own.second >= 0 ? -1 : exit_code_of_steps();
}

static void ask_peer(const bench_options* o, const char* path, row* r) {
  const bench_peer peer = {path, r->dt, r->steps};
  r->answer = BENCH_NOT_INSTALLED;
  if (!o->no_peers) r->answer = bench_ask_mujoco(&peer, r->version, &r->peer);
}

static int time_file(const bench_options* o, const char* path, row* r) {
  carom_load_def def;
  carom_model* model;
  carom_error error;
  int code = cli_make_load_def("bench", &o->reading, &def);
  if (code >= 0) return code;
  if (carom_model_load(path, &def, &model, &error) != CAROM_OK) return cli_fail_with(&error);
  r->name = path;
  code = time_model(o, model, r);
  carom_model_destroy(model);
  if (code < 0) ask_peer(o, path, r);
  return code;
}

/* Writes the text where the peer can read it, asks, and takes it away. */
static void ask_peer_of_text(const bench_options* o, const char* text, row* r) {
  char path[300];
  const char* folder = getenv("TMPDIR");
  r->answer = BENCH_NOT_INSTALLED;
  int length =
      snprintf(path, sizeof path, "%s/carom_XXXXXX.xml", folder && *folder ? folder : "/tmp");
  int file = o->no_peers || length >= (int)sizeof path ? -1 : mkstemps(path, 4);
  if (file < 0) return;
  bool is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  close(file);
  if (is_written) ask_peer(o, path, r);
  unlink(path);
}

static int time_own(const bench_options* o, const bench_scene* scene, row* r) {
  carom_model* model;
  carom_error error;
  char* text = bench_make_text(scene);
  if (!text) return cli_fail(EXIT_INPUT, "out of memory");
  r->name = scene->name;
  int code = carom_model_load_string(text, strlen(text), scene->name, NULL, &model, &error);
  if (code != CAROM_OK) {
    free(text);
    return cli_fail_with(&error);
  }
  code = time_model(o, model, r);
  carom_model_destroy(model);
  if (code < 0) ask_peer_of_text(o, text, r);
  free(text);
  return code;
}

/* --- Output -------------------------------------------------------------------------------------
 */

static void print_row(const row* r, bool is_first) {
  if (is_first)
    cli_print("%-24s %7s %9s %8s %11s %10s %10s  %s\n", "scene", "bodies", "contacts", "newton",
              "first us", "second us", "worst us", "mujoco: first, second us");
  cli_print("%-24s %7d %9d %8.2f %11.1f %10.1f %10.1f", r->name, r->bodies, r->contacts,
            r->iterations, 1e6 * r->own.first, 1e6 * r->own.second, 1e6 * r->worst);
  if (r->answer == BENCH_TIMED)
    cli_print("  %.1f, %.1f (%s)\n", 1e6 * r->peer.first, 1e6 * r->peer.second, r->version);
  else
    cli_print("  %s\n", r->answer == BENCH_REFUSED ? "does not read it" : "-");
  fflush(stdout);
}

static json_t* make_times(const bench_times* times) {
  json_t* object = cli_json_group();
  cli_json_set(object, "first", cli_json_number(times->first));
  cli_json_set(object, "second", cli_json_number(times->second));
  return object;
}

static json_t* make_json(const row* r) {
  json_t* object = cli_json_object();
  cli_json_set(object, "scene", cli_json_text(r->name));
  cli_json_set(object, "bodies", cli_json_whole(r->bodies));
  cli_json_set(object, "dofs", cli_json_whole(r->dofs));
  cli_json_set(object, "contacts", cli_json_whole(r->contacts));
  cli_json_set(object, "dt", cli_json_number(r->dt));
  cli_json_set(object, "steps", cli_json_whole(2 * (json_int_t)r->steps));
  cli_json_set(object, "iterations", cli_json_number(r->iterations));
  cli_json_set(object, "residual", cli_json_number(r->residual));
  cli_json_set(object, "step_time", make_times(&r->own));
  cli_json_set(object, "step_time_most", cli_json_number(r->worst));
  json_t* peers = cli_json_list();
  if (r->answer == BENCH_TIMED) {
    json_t* peer = cli_json_group();
    cli_json_set(peer, "name", cli_json_text("mujoco"));
    cli_json_set(peer, "release", cli_json_text(r->version));
    cli_json_set(peer, "step_time", make_times(&r->peer));
    cli_json_append(peers, peer);
  }
  cli_json_set(object, "peers", peers);
  return object;
}

/* --- Command ------------------------------------------------------------------------------------
 */

static int run_scenes(const bench_options* o, const char** paths, int count) {
  int code = -1, num_own = 0;
  json_t* list = o->json ? cli_json_list() : NULL;
  while (BENCH_SCENES[num_own].name) num_own++;
  for (int i = 0; code < 0 && i < (count ? count : num_own); i++) {
    row r = {0};
    code = count ? time_file(o, paths[i], &r) : time_own(o, &BENCH_SCENES[i], &r);
    if (code < 0 && list) cli_json_append(list, make_json(&r));
    if (code < 0 && !list) print_row(&r, i == 0);
  }
  if (list) {
    int printed = cli_json_print_list(list);
    return code < 0 ? printed : code;
  }
  return code < 0 ? cli_finish_output(EXIT_FINE) : code;
}

static int run_command(int argc, char** argv) {
  bench_options options = {.duration = 2, .threads = 1};
  int count;
  const char** paths = calloc((size_t)argc + 1, sizeof *paths);
  if (!paths) return cli_fail(EXIT_INPUT, "out of memory");
  int code = cli_parse_many(&cli_bench, argc, argv, &options, paths, &count);
  if (code < 0) {
    cli_catch_signals();
    code = run_scenes(&options, paths, count);
  }
  free((void*)paths);
  return code;
}
