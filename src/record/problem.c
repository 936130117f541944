/* Saving contact problems: the choice of the form, files, and our own form, which keeps everything
 * as it was given (docs/problems.md). */
#include "record/problem.h"

#include "base/error.h"

#include "carom/problem_file.h"
#include "carom/version.h"

#include <errno.h>
#include <string.h>

#define FORMAT  "carom problem"
#define VERSION 1

/* --- Our own form -------------------------------------------------------------------------------
 */

static bool save_meta(const carom_problem* p, hid_t file) {
  hid_t meta = H5Gcreate2(file, "meta", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = meta >= 0 && cr_h5_write_text_attribute(meta, "format", FORMAT) &&
              cr_h5_write_int_attribute(meta, "version", VERSION) &&
              cr_h5_write_text_attribute(meta, "library", carom_version()) &&
              cr_h5_write_real_attribute(meta, "dt", p->dt) &&
              cr_h5_write_text(meta, "name", p->name);
  if (meta >= 0) H5Gclose(meta);
  return done;
}

static bool save_A(const carom_problem* p, hid_t file, cr_arena* arena) {
  int count = (int)(p->A_blocks.used / sizeof(cr_convex_block));
  const cr_convex_block* blocks = (const cr_convex_block*)p->A_blocks.data;
  int *rows = CR_PUSH(arena, int, count), *columns = CR_PUSH(arena, int, count);
  if (arena->failed) return false;
  for (int k = 0; k < count; k++) rows[k] = blocks[k].i, columns[k] = blocks[k].j;
  return cr_h5_save_ints(file, "A/row", rows, count) &&
         cr_h5_save_ints(file, "A/column", columns, count) &&
         cr_h5_save_reals(file, "A/value", cr_convex_reals(&p->A_values),
                          (int64_t)(p->A_values.used / sizeof(double)));
}

static bool save_laws(const carom_problem* p, hid_t file, cr_arena* arena) {
  int count = p->num_constraints;
  int* kind = CR_PUSH(arena, int, count);
  int* start = CR_PUSH(arena, int, (size_t)count + 1);
  double* parameter = CR_PUSH(arena, double, 2 * (size_t)count);
  if (arena->failed) return false;
  start[0] = 0;
  for (int i = 0; i < count; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    kind[i] = c->kind, start[i + 1] = c->block_start + c->block_count;
    memcpy(parameter + 2 * (size_t)i, c->parameter, sizeof c->parameter);
  }
  return cr_h5_save_ints(file, "constraints/kind", kind, count) &&
         cr_h5_save_ints(file, "constraints/block_start", start, count + 1) &&
         cr_h5_save_reals(file, "constraints/parameter", parameter, 2 * (int64_t)count);
}

static bool save_own(const carom_problem* p, hid_t file, cr_arena* arena) {
  return save_meta(p, file) &&
         cr_h5_save_ints(file, "unknowns/block_size", p->size, p->num_blocks) &&
         cr_h5_save_reals(file, "unknowns/v_star", p->v_star, p->num_unknowns) &&
         cr_h5_save_reals(file, "unknowns/v0", p->v0, p->num_unknowns) && save_A(p, file, arena) &&
         save_laws(p, file, arena) &&
         cr_h5_save_ints(file, "constraints/block", (const int*)p->blocks.data,
                         (int64_t)(p->blocks.used / sizeof(int))) &&
         cr_h5_save_reals(file, "constraints/J", cr_convex_reals(&p->J),
                          (int64_t)(p->J.used / sizeof(double))) &&
         cr_h5_save_reals(file, "constraints/R", cr_convex_reals(&p->R), p->num_rows) &&
         cr_h5_save_reals(file, "constraints/v_hat", cr_convex_reals(&p->v_hat), p->num_rows) &&
         (!p->concave || cr_h5_save_reals(file, "constraints/concave", p->concave, p->num_rows)) &&
         (!p->has_guess ||
          cr_h5_save_reals(file, "constraints/guess", cr_convex_reals(&p->guess), p->num_rows));
}

static bool save_own_solution(const carom_solution* s, hid_t file) {
  return cr_h5_save_reals(file, "solution/v", s->v, s->num_unknowns) &&
         cr_h5_save_reals(file, "solution/gamma", s->gamma, s->num_rows);
}

/* --- Files --------------------------------------------------------------------------------------
 */

static carom_status refuse_file(const char* path, const char* reason, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be written: %s", path, reason);
}

/* Why the form cannot hold this problem, or null. */
static const char* refuse(const carom_problem* p, carom_problem_format format) {
  switch (format) {
  case CAROM_PROBLEM_CAROM:
    return NULL;
  case CAROM_PROBLEM_FCLIB_LOCAL:
    return cr_fclib_refuse_local(p);
  case CAROM_PROBLEM_FCLIB_GLOBAL:
    return cr_fclib_refuse_global(p);
  case CAROM_PROBLEM_SAP:
    return cr_sap_refuse(p);
  }
  return "there is no such form";
}

/* What is written: a problem, or a solution into its file. */
typedef struct job {
  const carom_problem* problem;
  const carom_solution* solution; /* null: the problem */
  const char* path;
  carom_problem_format format;
} job;

static bool save_h5(const job* j, hid_t file, cr_arena* arena) {
  const carom_problem* p = j->problem;
  bool local = j->format == CAROM_PROBLEM_FCLIB_LOCAL, own = j->format == CAROM_PROBLEM_CAROM;
  if (j->solution && cr_h5_exists(file, "solution") && H5Ldelete(file, "solution", H5P_DEFAULT) < 0)
    return false;
  if (j->solution)
    return own ? save_own_solution(j->solution, file)
               : cr_fclib_save_solution(p, j->solution, local, file, arena);
  if (own) return save_own(p, file, arena);
  return local ? cr_fclib_save_local(p, file, arena) : cr_fclib_save_global(p, file, arena);
}

static carom_status write_h5(const job* j, carom_error* error) {
  cr_arena arena;
  cr_h5_guard guard;
  cr_arena_init(&arena, &j->problem->allocator);
  cr_h5_begin(&guard);
  hid_t file = j->solution ? cr_h5_open(j->path, H5F_ACC_RDWR, &guard) : cr_h5_create(j->path);
  bool done = file >= 0 && save_h5(j, file, &arena);
  if (file >= 0) done = H5Fclose(file) >= 0 && done;
  cr_h5_end(&guard);
  bool failed = arena.failed;
  cr_arena_destroy(&arena);
  if (failed) return cr_error_memory(error);
  return done ? cr_error_clear(error) : refuse_file(j->path, guard.reason, error);
}

static carom_status write_text(const job* j, carom_error* error) {
  FILE* file = fopen(j->path, "w");
  if (!file) return refuse_file(j->path, strerror(errno), error);
  bool done = j->solution ? cr_sap_save_solution(j->problem, j->solution, file)
                          : cr_sap_save(j->problem, file);
  done = fclose(file) == 0 && done;
  return done ? cr_error_clear(error) : refuse_file(j->path, strerror(errno), error);
}

static carom_status write(const job* j, carom_error* error) {
  if (!j->path)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: the path is null");
  CR_TRY(cr_convex_check_finished(j->problem, error));
  const char* reason = refuse(j->problem, j->format);
  if (reason) return cr_error_set(error, CAROM_ERROR_UNSUPPORTED, "%.300s: %s", j->path, reason);
  return j->format == CAROM_PROBLEM_SAP ? write_text(j, error) : write_h5(j, error);
}

carom_status carom_problem_save(const carom_problem* problem, const char* path,
                                carom_problem_format format, carom_error* error) {
  job j = {problem, NULL, path, format};
  return write(&j, error);
}

carom_status carom_solution_save(const carom_solution* solution, const carom_problem* problem,
                                 const char* path, carom_problem_format format,
                                 carom_error* error) {
  job j = {problem, solution, path, format};
  if (!solution || !problem || solution->num_rows != problem->num_rows ||
      solution->num_unknowns != problem->num_unknowns)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "solution: it is not one of this problem");
  return write(&j, error);
}
