/* Files of contact problems: which form one has is found out from its content. */
#include "import/problem/reader.h"
#include "io/file.h"

#include "carom/problem_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FORMAT     "carom problem" /* attribute `format` of /meta in our own form */
#define LARGE_FILE ((long)1 << 30)

static const char HDF5_SIGNATURE[8] = "\x89HDF\r\n\x1a\n";

/* A file as far as it is known: its text, or an HDF5 file. */
typedef struct contents {
  bool is_h5; /* else it is text */
  hid_t h5;
  const char* text;
  cr_h5_guard guard; /* where it is HDF5: of text that library knows nothing */
} contents;

/* --- Forms --------------------------------------------------------------------------------------
 */

static bool is_ours(hid_t file) {
  char format[sizeof FORMAT] = "";
  hid_t meta = cr_h5_exists(file, "meta") ? H5Gopen2(file, "meta", H5P_DEFAULT) : -1;
  bool ours = meta >= 0 && cr_h5_measure_text_attribute(meta, "format") == (long)sizeof format &&
              cr_h5_read_text_attribute(meta, "format", (long)sizeof format - 1, format) &&
              strcmp(format, FORMAT) == 0;
  if (meta >= 0) H5Gclose(meta);
  return ours;
}

static bool is_fclib(hid_t file) {
  return cr_h5_exists(file, "fclib_local") || cr_h5_exists(file, "fclib_global");
}

static bool begins_with(const char* text, const char* word) {
  text += strspn(text, " \t\r\n");
  return strncmp(text, word, strlen(word)) == 0;
}

static carom_status load_any(cr_problem_source* s, const contents* c, carom_problem** problem) {
  if (c->h5 >= 0 && is_fclib(c->h5)) return cr_fclib_load(s, c->h5, problem);
  if (c->h5 >= 0 && is_ours(c->h5)) return cr_carom_problem_load(s, c->h5, problem);
  if (c->h5 >= 0)
    return cr_problem_refuse(s, "is an HDF5 file, but holds no contact problem of FCLIB or Carom");
  if (begins_with(c->text, "sapproblem")) return cr_sap_load(s, c->text, problem);
  if (begins_with(c->text, "sapsolution"))
    return cr_problem_refuse(s, "is a solution, not a problem");
  return cr_problem_refuse(s, "is no contact problem: neither HDF5 nor text that begins with "
                              "'sapproblem'");
}

static carom_status load_any_solution(cr_problem_source* s, const contents* c,
                                      const carom_problem* problem, cr_read_solution* solution) {
  if (c->h5 >= 0 && is_fclib(c->h5)) return cr_fclib_load_solution(s, c->h5, problem, solution);
  if (c->h5 >= 0 && is_ours(c->h5)) return cr_carom_load_solution(s, c->h5, problem, solution);
  if (c->h5 < 0 && begins_with(c->text, "sapsolution"))
    return cr_sap_load_solution(s, c->text, problem, solution);
  return cr_problem_refuse(s, "holds no solution of a contact problem");
}

/* --- Files --------------------------------------------------------------------------------------
 */

static carom_status read_whole(cr_problem_source* s, FILE* file, const char** text) {
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  if (size < 0 || size > LARGE_FILE)
    return cr_error_set(s->error, CAROM_ERROR_FILE, "%.180s: is no file that can be read", s->path);
  char* characters = CR_PUSH(&s->arena, char, (size_t)size + 1);
  if (!characters) return cr_error_memory(s->error);
  if (fread(characters, 1, (size_t)size, file) != (size_t)size)
    return cr_error_set(s->error, CAROM_ERROR_FILE, "%.180s: cannot be read: %s", s->path,
                        strerror(errno));
  characters[size] = '\0';
  *text = characters;
  return CAROM_OK;
}

/* Why an HDF5 file was not opened. */
static carom_status refuse_h5(cr_problem_source* s, const cr_h5_guard* guard) {
  if (guard->is_refused) return cr_problem_refuse(s, "%s", guard->reason);
  return cr_problem_refuse(s, "the file is damaged: %s", guard->reason);
}

/* Whether bytes begin as HDF5 does; the guard is in place from then on. */
static bool begin_h5(contents* c, const char* bytes, size_t size) {
  size_t length = sizeof HDF5_SIGNATURE;
  c->is_h5 = size >= length && memcmp(bytes, HDF5_SIGNATURE, length) == 0;
  if (c->is_h5) cr_h5_begin(&c->guard);
  return c->is_h5;
}

static void close_contents(contents* c) {
  if (c->h5 >= 0) H5Fclose(c->h5);
  if (c->is_h5) cr_h5_end(&c->guard);
}

/* Opens a file, to be closed in any case; of HDF5 the library opens it. */
static carom_status open_contents(cr_problem_source* s, contents* c) {
  char start[sizeof HDF5_SIGNATURE] = {0};
  *c = (contents){.h5 = H5I_INVALID_HID, .text = ""};
  FILE* file = cr_file_open_regular(s->path);
  if (!file)
    return cr_error_set(s->error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", s->path,
                        cr_file_fault(s->path));
  bool is_h5 = begin_h5(c, start, fread(start, 1, sizeof start, file));
  carom_status status = is_h5 ? CAROM_OK : read_whole(s, file, &c->text);
  fclose(file);
  if (!is_h5) return status;
  c->h5 = cr_h5_open(s->path, H5F_ACC_RDONLY, &c->guard);
  return c->h5 >= 0 ? CAROM_OK : refuse_h5(s, &c->guard);
}

/* The source of a path; the error is the caller's or, where that is null, `own`. */
static cr_problem_source begin(const char* path, carom_error* error, carom_error* own) {
  cr_problem_source s = {.path = path, .error = error ? error : own};
  cr_arena_init(&s.arena, NULL);
  return s;
}

carom_status carom_problem_load(const char* path, carom_problem** problem, carom_error* error) {
  if (!path || !problem)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: the %s is null",
                        path ? "result" : "path");
  carom_error own;
  cr_problem_source s = begin(path, error, &own);
  contents c;
  *problem = NULL;
  carom_status status = open_contents(&s, &c);
  if (status == CAROM_OK) status = load_any(&s, &c, problem);
  close_contents(&c);
  cr_arena_destroy(&s.arena);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

carom_status carom_solution_load(const char* path, const carom_problem* problem,
                                 const carom_solve_def* def, carom_solution** solution,
                                 carom_error* error) {
  if (!path || !problem || !solution)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "solution: an argument is null");
  carom_error own;
  cr_problem_source s = begin(path, error, &own);
  cr_read_solution read = {0};
  contents c;
  *solution = NULL;
  carom_status status = open_contents(&s, &c);
  if (status == CAROM_OK) status = load_any_solution(&s, &c, problem, &read);
  close_contents(&c);
  if (status == CAROM_OK)
    status = cr_problem_pass(
        &s, 0, carom_problem_evaluate(problem, def, read.v, read.gamma, solution, s.error));
  cr_arena_destroy(&s.arena);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

static carom_status open_memory(cr_problem_source* s, const void* data, size_t size, contents* c) {
  *c = (contents){.h5 = H5I_INVALID_HID, .text = ""};
  if (begin_h5(c, data, size)) {
    c->h5 = cr_h5_open_image(data, size, &c->guard);
    return c->h5 >= 0 ? CAROM_OK : refuse_h5(s, &c->guard);
  }
  char* text = CR_PUSH(&s->arena, char, size + 1);
  if (!text) return cr_error_memory(s->error);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  c->text = text;
  return CAROM_OK;
}

carom_status cr_problem_load_memory(const char* name, const void* data, size_t size,
                                    carom_problem** problem, carom_error* error) {
  cr_problem_source s = begin(name, error, error);
  contents c;
  *problem = NULL;
  carom_status status = open_memory(&s, data, size, &c);
  if (status == CAROM_OK) status = load_any(&s, &c, problem);
  close_contents(&c);
  cr_arena_destroy(&s.arena);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}
