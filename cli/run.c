/* `carom run`: simulates a scene, records it, says what happened. Nothing is written before the
 * scene, the state and the controls are read. */
#include "run.h"

#include "common/files.h"
#include "controls.h"
#include "interrupt.h"
#include "options.h"
#include "page.h"
#include "progress.h"
#include "state.h"
#include "table.h"
#include "words.h"

#include "carom/problem_file.h"
#include "carom/record.h"
#include "carom/scene.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLUSH_INTERVAL 1.0 /* s of wall time that a kill may cost */
#define RUN_OUTPUTS    4   /* recording, page, table, state */
#define PAGE_RATE      60  /* frames a second of a page, where no rate is given */

/* --- A run --------------------------------------------------------------------------------------
 */

/* Everything that a run owns. */
typedef struct run {
  run_options* options;
  carom_load_def load;
  const char* command; /* the command line, for the recording */
  const char* outputs[RUN_OUTPUTS];
  char* recording;   /* name of the recording; null: none */
  bool is_temporary; /* it is there for the page only */
  carom_model* model;
  carom_sim* sim;
  cli_controls controls, motion;
  carom_recorder* recorder;
  cli_table* table;
  double flushed; /* s, wall time of the last flush */
  run_summary summary;
} run;

/* The last step must advance time, too. */
static carom_status check_duration(const run* r, carom_error* error) {
  double duration = r->options->duration, dt = carom_sim_dt(r->sim);
  double end = carom_sim_time(r->sim) + duration;
  if (end + dt > end && isfinite(end + dt)) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_BAD_INPUT,
                   "%s: the run would end at %g s, where steps of %g s do not advance time",
                   r->options->scene, end, dt);
}

/* A saved state has a step of its own. */
static carom_status load_state(run* r, carom_error* error) {
  const run_options* o = r->options;
  carom_status status = cli_state_load(o->state, r->sim, error);
  if (status != CAROM_OK || !(o->dt > 0) || carom_sim_dt(r->sim) == o->dt) return status;
  return cli_error(error, CAROM_ERROR_BAD_INPUT,
                   "%s: this state was saved with steps of %.9g s, but --dt is %.9g", o->state,
                   carom_sim_dt(r->sim), o->dt);
}

static carom_status load(run* r, const carom_sim_def* def, carom_error* error) {
  const run_options* o = r->options;
  carom_status status = carom_model_load(o->scene, &r->load, &r->model, error);
  if (status == CAROM_OK) status = carom_sim_create(r->model, def, &r->sim, error);
  if (status == CAROM_OK && !o->scheme)
    r->options->scheme = CLI_SCHEMES[carom_sim_get_options(r->sim).scheme];
  if (status == CAROM_OK && o->keyframe)
    status = cli_keyframe_set(o->keyframe, o->scene, r->sim, error);
  if (status == CAROM_OK && o->state) status = load_state(r, error);
  if (status == CAROM_OK && o->ctrl)
    status = cli_controls_load(o->ctrl, r->model, &r->controls, error);
  if (status == CAROM_OK && o->motion)
    status = cli_controls_load(o->motion, r->model, &r->motion, error);
  return status == CAROM_OK ? check_duration(r, error) : status;
}

static carom_status create_recorder(run* r, carom_error* error) {
  carom_recorder_def def = carom_recorder_def_default();
  char* text = cli_read_file(r->options->scene, NULL);
  def.rate = r->options->output || r->options->rate > 0 ? r->options->rate : PAGE_RATE;
  def.scene = text;
  def.options = r->command;
  def.joint_reactions = r->options->reactions;
  carom_recorder* made = NULL;
  carom_status status = carom_recorder_create(r->sim, r->recording, &def, &made, error);
  r->recorder = made;
  free(text);
  return status;
}

/* A page is made of a recording; where none is asked for, of one beside it that goes afterwards. */
static carom_status name_recording(run* r, carom_error* error) {
  static const char SUFFIX[] = ".XXXXXX.h5";
  const run_options* o = r->options;
  const char* name = o->output ? o->output : o->html;
  if (!name) return CAROM_OK;
  size_t size = strlen(name) + sizeof SUFFIX;
  r->recording = calloc(size, 1);
  if (!r->recording) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  snprintf(r->recording, size, "%s%s", name, o->output ? "" : SUFFIX);
  if (o->output) return CAROM_OK;
  int file = mkstemps(r->recording, 3);
  r->is_temporary = file >= 0;
  if (file >= 0) close(file);
  if (file >= 0) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be created: %s", o->html, strerror(errno));
}

static carom_status make_dump_folder(const run_options* o, carom_error* error) {
  if (o->dump_problems == 0 || mkdir(o->dump_folder, 0777) == 0 || errno == EEXIST) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be made: %s", o->dump_folder,
                   strerror(errno));
}

static carom_status create_outputs(run* r, carom_error* error) {
  const run_options* o = r->options;
  carom_status status = name_recording(r, error);
  if (status == CAROM_OK) status = make_dump_folder(o, error);
  if (status == CAROM_OK && r->recording) status = create_recorder(r, error);
  if (status == CAROM_OK && o->csv)
    status = cli_table_create(o->csv, r->sim, &(cli_table_options){o->rate, o->reactions},
                              &r->table, error);
  return status;
}

static void add_figure(run_figure* figure, int value) {
  figure->sum += value;
  figure->most = fmax(figure->most, value);
}

static void add_report(run_summary* s, const carom_step_report* report, double tolerance) {
  s->steps++;
  bool is_repeated =
      report->first_outcome == CAROM_STEP_ENERGY || report->first_outcome == CAROM_STEP_PASSED;
  s->failed_steps += report->first_outcome != CAROM_STEP_DONE && !is_repeated;
  s->repeated_steps += is_repeated;
  s->held_steps += report->held_trees > 0;
  if (report->unexplained > s->gain.largest)
    s->gain.largest = report->unexplained, s->gain.time = report->time;
  s->gain.sum_largest = fmax(s->gain.sum_largest, report->unexplained_sum);
  s->gain.braked += report->braked;
  s->penetration = fmax(s->penetration, report->penetration);
  add_figure(&s->contacts, report->contacts);
  add_figure(&s->iterations, report->iterations);
  add_figure(&s->outer_iterations, report->outer_iterations);
  s->error_bound = fmax(s->error_bound, report->error_bound);
  s->residual = fmax(s->residual, report->residual);
  s->loose_steps += report->residual > tolerance;
  s->coulomb_residual = fmax(s->coulomb_residual, report->coulomb_residual);
  s->far_steps += report->coulomb_residual > RUN_COULOMB_LIMIT;
  s->patch_error = fmax(report->patch_error, s->patch_error);
  s->undetermined = report->undetermined > s->undetermined ? report->undetermined : s->undetermined;
  if (report->undetermined_groups > s->undetermined_groups)
    s->undetermined_groups = report->undetermined_groups;
  s->found_steps += !report->is_least_norm;
  s->stick_slip = fmax(s->stick_slip, report->stick_slip);
  s->float_distance = fmax(s->float_distance, report->float_distance);
  s->dissipated += report->dissipated;
  s->actuator_work += report->actuator_work;
  s->external_work += report->external_work;
}

/* The outputs after a step. */
static carom_status write_step(run* r, const carom_step_report* report, double wall_time,
                               carom_error* error) {
  if (r->table) cli_table_append(r->table, r->sim, report);
  if (!r->recorder) return CAROM_OK;
  carom_status status = carom_recorder_append(r->recorder, report, wall_time, error);
  double now = cli_wall_time();
  if (status != CAROM_OK || now - r->flushed < FLUSH_INTERVAL) return status;
  r->flushed = now;
  return carom_recorder_flush(r->recorder, error);
}

static run_stop stop_of(carom_step_outcome outcome) {
  switch (outcome) {
  case CAROM_STEP_FREE_MOTION:
    return RUN_FREE_MOTION;
  case CAROM_STEP_SOLVER:
    return RUN_SOLVER;
  case CAROM_STEP_NOT_FINITE:
    return RUN_NOT_FINITE;
  case CAROM_STEP_ENERGY:
  case CAROM_STEP_PASSED:
  case CAROM_STEP_DONE:
    break;
  }
  return RUN_COMPLETED;
}

/* Writes the problem of the step with this number, counted from 1, if it is one of those asked for
 * and anything is constrained in it. */
static carom_status dump_problem(run* r, int step, carom_error* error) {
  const run_options* o = r->options;
  carom_problem* problem = NULL;
  char path[PATH_MAX];
  if (o->dump_problems == 0 || step % o->dump_problems != 0) return CAROM_OK;
  carom_status status = carom_sim_compute_problem(r->sim, &problem, error);
  snprintf(path, sizeof path, "%s/step_%06d.h5", o->dump_folder, step);
  if (status == CAROM_OK && problem)
    status = carom_problem_save(problem, path, CAROM_PROBLEM_CAROM, error);
  carom_problem_destroy(problem);
  return status;
}

/* One step with its controls; false when the run is to stop. */
static bool take_step(run* r, cli_progress* progress, carom_status* status, carom_error* error) {
  carom_step_report report;
  double begin = cli_wall_time();
  *status = cli_controls_apply(&r->controls, r->sim, error);
  if (*status == CAROM_OK) *status = cli_motion_apply(&r->motion, r->sim, error);
  if (*status == CAROM_OK) *status = dump_problem(r, r->summary.steps + 1, error);
  if (*status == CAROM_OK) *status = carom_sim_step(r->sim, &report, error);
  if (*status != CAROM_OK) return false;
  if (report.outcome != CAROM_STEP_DONE) {
    r->summary.stop = stop_of(report.outcome);
    r->summary.failed_body = report.failed_body;
    r->summary.failed_steps++;
    return false;
  }
  add_report(&r->summary, &report, r->options->tolerance);
  *status = write_step(r, &report, cli_wall_time() - begin, error);
  cli_progress_update(progress, carom_sim_time(r->sim), report.contacts);
  return *status == CAROM_OK;
}

static carom_status simulate(run* r, carom_error* error) {
  carom_status status = CAROM_OK;
  double start = carom_sim_time(r->sim), duration = r->options->duration;
  double count = ceil(duration / carom_sim_dt(r->sim) * (1 - 1e-12) - 1e-9);
  cli_progress progress = cli_progress_start(r->options->quiet, start, start + duration);
  double begin = cli_wall_time();
  r->flushed = begin;
  r->summary.start_time = start;
  r->summary.start_energy = cli_compute_energy(r->sim);
  while (r->summary.steps < count && take_step(r, &progress, &status, error)) {
    if (!cli_caught_signal()) continue;
    r->summary.stop = RUN_INTERRUPTED;
    r->summary.signal = cli_caught_signal();
    break;
  }
  r->summary.wall_time = cli_wall_time() - begin;
  cli_progress_finish(&progress);
  return status;
}

/* Closes the outputs, whatever came before; the first failure counts. */
static carom_status close_outputs(run* r, carom_status status, carom_error* error) {
  carom_error own;
  carom_status closed = carom_recorder_close(r->recorder, &own);
  if (status == CAROM_OK && closed != CAROM_OK) *error = own, status = closed;
  closed = cli_table_close(r->table, r->sim, &own);
  if (status == CAROM_OK && closed != CAROM_OK) *error = own, status = closed;
  if (status == CAROM_OK && r->options->save_state)
    status = cli_state_save(r->options->save_state, r->sim, error);
  return status;
}

static void destroy(run* r) {
  if (r->is_temporary) remove(r->recording);
  free(r->recording);
  cli_controls_free(&r->controls), cli_controls_free(&r->motion);
  carom_mechanism_destroy(r->summary.mechanism);
  carom_sim_destroy(r->sim);
  carom_model_destroy(r->model);
}

static int conclude(run* r) {
  const run_summary* s = &r->summary;
  int code = EXIT_FINE;
  if (r->options->json)
    code = run_print_json(r->options, s, r->sim);
  else if (!r->options->quiet)
    code = run_print_summary(r->options, s, r->sim);
  if (code != EXIT_FINE || s->stop == RUN_COMPLETED) return code;
  if (s->stop == RUN_INTERRUPTED) return 128 + s->signal;
  char body[128];
  run_name_failed(s, carom_sim_model(r->sim), sizeof body, body);
  return cli_fail(EXIT_NUMERICAL, "%s: stopped at %.9g s: %s%s", r->options->scene,
                  carom_sim_time(r->sim), run_stop_text(s->stop), body);
}

/* The page, of whatever was recorded. */
static int write_page(const run* r) {
  const run_options* o = r->options;
  if (!o->html) return EXIT_FINE;
  double rate = o->rate > 0 ? o->rate : PAGE_RATE;
  return cli_page_write(r->recording, o->html, rate, true);
}

/* Outputs are none of the files that are read, meshes of the scene included, and no two are one. */
static carom_status check_files(run* r, carom_error* error) {
  const run_options* o = r->options;
  const char *inputs[] = {o->scene, o->state, o->ctrl, o->motion}, **outputs = r->outputs;
  outputs[0] = o->output, outputs[1] = o->html, outputs[2] = o->csv;
  outputs[3] = o->save_state;
  r->load.outputs = outputs, r->load.num_outputs = RUN_OUTPUTS;
  const cli_files files = {inputs, outputs, 4, RUN_OUTPUTS};
  return cli_check_files(&files, error);
}

static int execute(run* r, carom_sim_def* def) {
  carom_error error;
  carom_status status = check_files(r, &error);
  if (status == CAROM_OK) status = load(r, def, &error);
  if (status == CAROM_OK) {
    cli_catch_signals();
    status = create_outputs(r, &error);
    if (status == CAROM_OK && r->options->mechanism > 0)
      status = carom_mechanism_create(r->sim, NULL, &r->summary.mechanism, &error);
    if (status == CAROM_OK) status = simulate(r, &error);
    status = close_outputs(r, status, &error);
  }
  int code = status == CAROM_OK ? write_page(r) : cli_fail_with(&error);
  if (status == CAROM_OK && code == EXIT_FINE) code = conclude(r);
  destroy(r);
  return code;
}

/* "carom run ..." as one line. */
static char* join(int argc, char** argv) {
  size_t size = 8;
  for (int i = 0; i < argc; i++) size += strlen(argv[i]) + 1;
  char* line = calloc(size, 1);
  if (!line) return NULL;
  size_t used = (size_t)snprintf(line, size, "carom");
  for (int i = 0; i < argc; i++) used += (size_t)snprintf(line + used, size - used, " %s", argv[i]);
  return line;
}

int run_run(int argc, char** argv) {
  run_options options = {.duration = 10,
                         .tolerance = 1e-6,
                         .patches = CAROM_PATCHES_AUTO,
                         .rest = 1e-3,
                         .dump_folder = "problems"};
  int code = cli_parse(&cli_run, argc, argv, &options, &options.scene);
  if (code >= 0) return code;
  if (options.keyframe && options.state)
    return cli_fail(EXIT_USAGE, "run: --keyframe and --state are both given");
  carom_sim_def def;
  code = run_make_def(&options, &def);
  if (code >= 0) return code;
  run r = {.options = &options, .summary.failed_body = -1};
  code = cli_make_load_def("run", &options.reading, &r.load);
  if (code >= 0) return code;
  char* command = join(argc, argv);
  r.command = command;
  code = execute(&r, &def);
  free(command);
  return code;
}
