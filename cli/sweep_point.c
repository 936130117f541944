/* One point of a sweep: its model, its run, its line in the table. */
#include "interrupt.h"
#include "state.h"
#include "sweep.h"
#include "words.h"

#include "carom/parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Numbers ------------------------------------------------------------------------------------
 */

/* The next larger decimal of as many digits; false where all are nines. */
static bool raise_digits(char* text) {
  for (size_t i = strcspn(text, "e"); i-- > 0;) {
    if (text[i] == '.') continue;
    if (text[i] != '9') return ++text[i], true;
    text[i] = '0';
  }
  return false;
}

/* The fewest digits that are read as the same number: the nearest decimal of a length, or, at
 * powers of two, where numbers are denser below than above, the one after it. */
static void find_shortest(double x, char text[40]) {
  for (int digits = 0; digits <= 16; digits++) {
    snprintf(text, 40, "%.*e", digits, x);
    if (strtod(text, NULL) == x || (raise_digits(text) && strtod(text, NULL) == x)) return;
  }
}

void sweep_write_number(FILE* file, double number) {
  char text[40], digits[40];
  if (!isfinite(number)) {
    fprintf(file, "%s", isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    return;
  }
  if (signbit(number)) fputc('-', file);
  find_shortest(fabs(number), text);
  char* e = strchr(text, 'e');
  int power = atoi(e + 1), count = 0;
  for (char* at = text; at < e; at++)
    if (*at != '.') digits[count++] = *at;
  digits[count] = '\0';
  if (power < -4 || power >= 16) {
    fprintf(file, "%c%s%se%c%02d", digits[0], count > 1 ? "." : "", digits + 1,
            power < 0 ? '-' : '+', abs(power));
    return;
  }
  if (power < 0) fputs("0.", file);
  for (int i = -1; i > power; i--) fputc('0', file);
  for (int i = 0; i < count || i <= power; i++) {
    fputc(i < count ? digits[i] : '0', file);
    if (i == power) fputc('.', file);
  }
  if (power >= 0 && count <= power + 1) fputc('0', file);
}

/* --- The run ------------------------------------------------------------------------------------
 */

static carom_status set_parameters(const sweep* s, int point, carom_builder* builder,
                                   carom_error* error) {
  for (int i = 0; i < s->num_axes; i++) {
    carom_parameter parameter;
    const sweep_axis* axis = &s->axes[i];
    if (!strchr(axis->name, '.')) continue;
    carom_status status = carom_builder_find_parameter(builder, axis->name, &parameter, error);
    if (status == CAROM_OK && parameter.count > 1)
      status = cli_error(error, CAROM_ERROR_BAD_INPUT,
                         "parameter '%.200s' has %d numbers: vary one, such as %.200s[0]",
                         axis->name, parameter.count, axis->name);
    if (status == CAROM_OK)
      status = carom_builder_set_parameter(builder, &parameter,
                                           &axis->numbers[sweep_index(s, point, i)], error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

carom_status sweep_make_model(const sweep* s, int point, carom_model** model, carom_error* error) {
  carom_builder* builder = NULL;
  *model = NULL;
  carom_status status = carom_builder_copy(carom_model_get_description(s->model), &builder, error);
  if (status == CAROM_OK) status = set_parameters(s, point, builder, error);
  if (status == CAROM_OK) status = carom_builder_compile(builder, model, error);
  carom_builder_destroy(builder);
  return status;
}

/* The options of a point's run. */
typedef struct settings {
  double dt, tolerance, duration;
  const char *scheme, *friction, *solver, *keyframe; /* null: not given */
} settings;

static settings settings_of(const sweep* s, int point) {
  const sweep_options* o = s->options;
  settings found = {.dt = o->dt,
                    .tolerance = o->tolerance,
                    .duration = o->duration,
                    .scheme = o->scheme,
                    .friction = CLI_FRICTIONS[o->friction],
                    .solver = CLI_SOLVERS[o->solver],
                    .keyframe = o->keyframe};
  const struct {
    const char* name;
    double* number;
    const char** word;
  } fields[] = {{"dt", &found.dt, NULL},
                {"tolerance", &found.tolerance, NULL},
                {"duration", &found.duration, NULL},
                {"scheme", NULL, &found.scheme},
                {"friction", NULL, &found.friction},
                {"solver", NULL, &found.solver},
                {"keyframe", NULL, &found.keyframe}};
  for (int i = 0; i < s->num_axes; i++)
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      if (strcmp(s->axes[i].name, fields[f].name) != 0) continue;
      int index = sweep_index(s, point, i);
      if (fields[f].number) *fields[f].number = s->axes[i].numbers[index];
      if (fields[f].word) *fields[f].word = s->axes[i].words[index];
    }
  return found;
}

static carom_status find_word(const char* name, const char* const* words, const char* word,
                              int* value, carom_error* error) {
  *value = word ? cli_find_word(words, word) : 0;
  if (*value >= 0) return CAROM_OK;
  char known[160];
  cli_join_words(words, known, sizeof known);
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "sweep: %s is '%.200s', must be %s", name, word,
                   known);
}

static carom_status create_sim(const sweep* s, const settings* set, const carom_model* model,
                               carom_sim** sim, carom_error* error) {
  carom_sim_def def = carom_sim_def_default();
  int scheme, friction, solver;
  carom_status status = find_word("scheme", CLI_SCHEMES, set->scheme, &scheme, error);
  if (status == CAROM_OK)
    status = find_word("friction", CLI_FRICTIONS, set->friction, &friction, error);
  if (status == CAROM_OK) status = find_word("solver", CLI_SOLVERS, set->solver, &solver, error);
  if (status != CAROM_OK) return status;
  if (set->scheme) def.scheme = (carom_scheme)scheme;
  def.friction = (carom_friction)friction;
  def.solver = (carom_solver)solver;
  def.dt = set->dt;
  def.tolerance = set->tolerance;
  status = carom_sim_create(model, &def, sim, error);
  if (status == CAROM_OK && set->keyframe)
    status = cli_keyframe_set(set->keyframe, s->options->scene, *sim, error);
  return status;
}

typedef struct totals {
  int steps, failed;
  double residual;
  carom_step_report last;
} totals;

static carom_status take_steps(carom_sim* sim, double duration, totals* t, carom_error* error) {
  double count = rint(duration / carom_sim_dt(sim));
  if (!(count >= 1 && count < 2147483647.0))
    return cli_error(
        error, CAROM_ERROR_BAD_INPUT,
        "sweep: a duration of %g s in steps of %g s is %g steps, must be 1 to 2147483646", duration,
        carom_sim_dt(sim), count);
  while (t->steps < count && !cli_caught_signal()) {
    carom_status status = carom_sim_step(sim, &t->last, error);
    if (status != CAROM_OK) return status;
    bool is_repeated =
        t->last.first_outcome == CAROM_STEP_ENERGY || t->last.first_outcome == CAROM_STEP_PASSED;
    bool is_retried = t->last.first_outcome != CAROM_STEP_DONE && !is_repeated;
    t->steps++;
    t->failed += is_retried || t->last.outcome != CAROM_STEP_DONE;
    t->residual = fmax(t->residual, t->last.residual);
    if (t->last.outcome != CAROM_STEP_DONE) break;
  }
  return CAROM_OK;
}

/* --- The line -----------------------------------------------------------------------------------
 */

static const char* const OUTCOMES[] = {"done", "free_motion", "solver", "not_finite", "energy"};

static void write_point(const sweep* s, int point, FILE* file) {
  for (int i = 0; i < s->num_axes; i++) {
    int index = sweep_index(s, point, i);
    if (i > 0) fputc(',', file);
    if (s->axes[i].words)
      fputs(s->axes[i].words[index], file);
    else
      sweep_write_number(file, s->axes[i].numbers[index]);
  }
}

static void write_numbers(FILE* file, const double* numbers, int count) {
  for (int i = 0; i < count; i++) {
    fputc(',', file);
    sweep_write_number(file, numbers[i]);
  }
}

static void write_row(const sweep* s, int point, const totals* t, carom_sim* sim, FILE* file) {
  carom_model_sizes sizes = carom_model_get_sizes(s->model);
  carom_energy energy = cli_compute_energy(sim);
  double time = carom_sim_time(sim);
  write_point(s, point, file);
  write_numbers(file, &time, 1);
  fprintf(file, ",%d,%d,%s", t->steps, t->failed, OUTCOMES[t->last.outcome]);
  write_numbers(file, &t->residual, 1);
  fprintf(file, ",%d", t->last.contacts);
  write_numbers(file, (double[]){energy.kinetic, energy.potential}, 2);
  write_numbers(file, carom_sim_coordinates(sim), sizes.num_q);
  write_numbers(file, carom_sim_velocities(sim), sizes.num_v);
}

void sweep_write_header(const sweep* s, FILE* file) {
  carom_model_sizes sizes = carom_model_get_sizes(s->model);
  for (int i = 0; i < s->num_axes; i++) fprintf(file, "%s,", s->axes[i].name);
  fputs("time,steps,failed_steps,outcome,worst_residual,contacts,kinetic,potential", file);
  for (int i = 0; i < sizes.num_q; i++) fprintf(file, ",q[%d]", i);
  for (int i = 0; i < sizes.num_v; i++) fprintf(file, ",v[%d]", i);
  fputc('\n', file);
}

static carom_status make_row(const sweep* s, int point, const totals* t, carom_sim* sim, char** row,
                             carom_error* error) {
  size_t size;
  FILE* file = open_memstream(row, &size);
  if (file) write_row(s, point, t, sim, file);
  bool done = file && !ferror(file);
  if (file && fclose(file) == 0 && done && *row) return CAROM_OK;
  free(*row);
  *row = NULL;
  return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

carom_status sweep_measure(const sweep* s, int point, char** row, carom_error* error) {
  carom_model* model = NULL;
  carom_sim* sim = NULL;
  totals t = {0};
  settings set = settings_of(s, point);
  *row = NULL;
  carom_status status = sweep_make_model(s, point, &model, error);
  if (status == CAROM_OK) status = create_sim(s, &set, model, &sim, error);
  if (status == CAROM_OK) status = take_steps(sim, set.duration, &t, error);
  if (status == CAROM_OK && !cli_caught_signal()) status = make_row(s, point, &t, sim, row, error);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return status;
}
