/* `carom solve`: contact problems from files, each solved and measured. */
#include "carom/solve.h"

#include "json.h"
#include "options.h"
#include "progress.h"
#include "words.h"

#include "carom/problem_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solve_options {
  int solver, friction, max_iterations;
  double tolerance, eta;
  bool guess, json, vectors;
} solve_options;

static const char* const FRICTIONS[] = {"convex", "coulomb", NULL};
static const char* const STATUSES[] = {"certified", "stalled", "failed"};

#define FIELD(name) offsetof(solve_options, name)

static const cli_option OPTIONS[] = {
    {"solver", 0, "NAME", CLI_WORD, FIELD(solver), CLI_ANY, CLI_SOLVERS,
     "newton, primal, pgs, apgd or ipm (newton)"},
    {"friction", 0, "LAW", CLI_WORD, FIELD(friction), CLI_ANY, FRICTIONS,
     "convex or coulomb (convex)"},
    {"tolerance", 0, "X", CLI_NUMBER, FIELD(tolerance), CLI_POSITIVE, NULL,
     "of the certificate, relative (1e-6)"},
    {"max-iterations", 0, "N", CLI_COUNT, FIELD(max_iterations), CLI_POSITIVE, NULL,
     "iterations of an attempt, of pgs and apgd a hundredth\n(100)"},
    {"eta", 0, "X", CLI_NUMBER, FIELD(eta), CLI_NOT_NEGATIVE, NULL,
     "added to R of every row, 1/kg: W + eta I (0)"},
    {"guess", 0, NULL, CLI_FLAG, FIELD(guess), CLI_ANY, NULL,
     "start from the guess in the file, where it has one"},
    {"json", 0, NULL, CLI_FLAG, FIELD(json), CLI_ANY, NULL, "print a list of JSON objects"},
    {"vectors", 0, NULL, CLI_FLAG, FIELD(vectors), CLI_ANY, NULL, "with v, u and impulses in it"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_solve = {
    "solve",
    "PROBLEM...",
    "Solve contact problems from files",
    "Reads contact problems (FCLIB HDF5, Carom's own HDF5, sapproblem text), solves each, and "
    "prints\n"
    "a line of figures for it. After all have been tried, one that was not solved to the "
    "tolerance\n"
    "gives exit code 3, a file that could not be read 2. carom-solve(1) says what the figures "
    "mean.",
    OPTIONS,
    run_command,
};

/* One file. */
typedef struct job {
  const solve_options* options;
  const char* path;
  carom_problem* problem;
  carom_solution* solution;
  carom_problem_sizes sizes;
  double wall_time; /* s, of the solver */
} job;

/* --- Solving ------------------------------------------------------------------------------------
 */

static carom_status solve(job* j, carom_error* error) {
  const solve_options* o = j->options;
  carom_solve_def def = carom_solve_def_default();
  carom_status status = carom_problem_load(j->path, &j->problem, error);
  if (status == CAROM_OK && o->eta > 0)
    status = carom_problem_add_regularization(j->problem, o->eta, error);
  if (status != CAROM_OK) return status;
  j->sizes = carom_problem_get_sizes(j->problem);
  def.solver = (carom_solver)o->solver;
  def.friction = o->friction == 0 ? CAROM_FRICTION_CONVEX : CAROM_FRICTION_COULOMB;
  def.tolerance = o->tolerance, def.max_iterations = o->max_iterations;
  if (o->guess) def.guess = carom_problem_get_guess(j->problem);
  double begin = cli_wall_time();
  status = carom_problem_solve(j->problem, &def, &j->solution, error);
  j->wall_time = cli_wall_time() - begin;
  return status;
}

/* --- Output -------------------------------------------------------------------------------------
 */

static void print_header(const solve_options* o) {
  cli_print("%s, %s friction, tolerance %g", CLI_SOLVERS[o->solver], FRICTIONS[o->friction],
            o->tolerance);
  if (o->eta > 0) cli_print(", eta %g", o->eta);
  cli_print("\n%-40s %-9s %8s %6s %5s %5s %9s %23s %9s %9s\n", "file", "status", "contacts", "dofs",
            "iter", "outer", "time", "cost", "gap/cost", "residual");
}

/* The last characters of a path, which tell files apart. */
static const char* shorten(const char* path) {
  size_t length = strlen(path);
  return length > 40 ? path + length - 40 : path;
}

/* A line of the table, the first one below its header: files that cannot be read leave none. */
static void print_row(const job* j, bool is_first) {
  if (is_first) print_header(j->options);
  const carom_solve_report* r = carom_solution_get_report(j->solution);
  cli_print("%-40s %-9s %8d %6d %5d %5d %7.2gms %23.15e %9.1e %9.1e\n", shorten(j->path),
            STATUSES[r->status], j->sizes.num_contacts, j->sizes.num_unknowns, r->iterations,
            r->outer_iterations, 1e3 * j->wall_time, r->dual_cost, r->relative_gap, r->residual);
  fflush(stdout);
}

static void add_vectors(const job* j, json_t* object) {
  const carom_solution* s = j->solution;
  int rows = j->sizes.num_rows;
  cli_json_set(object, "v", cli_json_numbers(carom_solution_get_v(s), j->sizes.num_unknowns));
  cli_json_set(object, "u", cli_json_numbers(carom_solution_get_u(s), rows));
  cli_json_set(object, "impulses", cli_json_numbers(carom_solution_get_gamma(s), rows));
}

static void add_report(const job* j, json_t* object) {
  const carom_solve_report* r = carom_solution_get_report(j->solution);
  cli_json_set(object, "status", cli_json_text(STATUSES[r->status]));
  cli_json_set(object, "iterations", cli_json_whole(r->iterations));
  cli_json_set(object, "outer_iterations", cli_json_whole(r->outer_iterations));
  cli_json_set(object, "wall_time", cli_json_number(j->wall_time));
  cli_json_set(object, "primal_cost", cli_json_number(r->primal_cost));
  cli_json_set(object, "cost", cli_json_number(r->dual_cost));
  cli_json_set(object, "gap", cli_json_number(r->gap));
  cli_json_set(object, "relative_gap", cli_json_number(r->relative_gap));
  cli_json_set(object, "velocity_error_bound", cli_json_number(r->velocity_error));
  cli_json_set(object, "residual", cli_json_number(r->residual));
  cli_json_set(object, "row_residual", cli_json_number(r->row_residual));
  cli_json_set(object, "momentum", cli_json_number(r->momentum));
  cli_json_set(object, "stick_slip", cli_json_number(r->stick_slip));
  cli_json_set(object, "float", cli_json_number(r->sliding_float));
}

static json_t* describe(const job* j) {
  json_t* object = cli_json_object();
  cli_json_set(object, "file", cli_json_text(j->path));
  cli_json_set(object, "solver", cli_json_text(CLI_SOLVERS[j->options->solver]));
  cli_json_set(object, "friction", cli_json_text(FRICTIONS[j->options->friction]));
  cli_json_set(object, "contacts", cli_json_whole(j->sizes.num_contacts));
  cli_json_set(object, "dofs", cli_json_whole(j->sizes.num_unknowns));
  add_report(j, object);
  if (j->options->vectors) add_vectors(j, object);
  return object;
}

/* --- Command ------------------------------------------------------------------------------------
 */

/* Solves one file and prints it, or puts it into the list; -1, or an exit code after a sentence.
 * @param solved counts problems, `missed` those of them that are not solved to the tolerance */
static int run_file(const solve_options* options, const char* path, json_t* list, int* solved,
                    int* missed) {
  job j = {.options = options, .path = path};
  carom_error error;
  int code = -1;
  if (solve(&j, &error) != CAROM_OK) {
    code = cli_fail_with(&error);
  } else {
    *missed += carom_solution_get_report(j.solution)->status != CAROM_SOLVE_CERTIFIED;
    if (options->json)
      cli_json_append(list, describe(&j));
    else
      print_row(&j, *solved == 0);
    ++*solved;
  }
  carom_solution_destroy(j.solution);
  carom_problem_destroy(j.problem);
  return code;
}

static int execute(const solve_options* options, const char* const* paths, int count) {
  json_t* list = cli_json_list();
  int solved = 0, missed = 0, unread = -1, code;
  for (int i = 0; i < count; i++) {
    code = run_file(options, paths[i], list, &solved, &missed);
    if (code >= 0) unread = code;
  }
  if (options->json && solved > 0)
    code = cli_json_print_list(list);
  else {
    json_decref(list);
    code = cli_finish_output(EXIT_FINE);
  }
  if (code != EXIT_FINE) return code;
  if (missed > 0)
    code = cli_fail(EXIT_NUMERICAL, "%d of %d problems were not solved to the tolerance", missed,
                    solved);
  return unread >= 0 ? unread : code;
}

static int run_command(int argc, char** argv) {
  solve_options options = {.tolerance = 1e-6, .max_iterations = 100};
  int count;
  const char** paths = calloc((size_t)argc + 1, sizeof *paths);
  if (!paths) return cli_fail(EXIT_INPUT, "out of memory");
  int code = cli_parse_many(&cli_solve, argc, argv, &options, paths, &count);
  if (code < 0 && options.max_iterations < 1)
    code = cli_fail(EXIT_USAGE, "solve: --max-iterations is '0', must be 1 or more");
  if (code < 0) code = execute(&options, paths, count);
  free((void*)paths);
  return code;
}
