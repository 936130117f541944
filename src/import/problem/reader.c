/* Sentences and datasets for the readers of contact problems. */
#include "import/problem/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Sentences ----------------------------------------------------------------------------------
 */

carom_status cr_problem_refuse(const cr_problem_source* source, const char* format, ...) {
  char text[320];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return cr_error_set(source->error, CAROM_ERROR_BAD_INPUT, "%.180s: %s", source->path, text);
}

carom_status cr_problem_pass(const cr_problem_source* source, int line, carom_status status) {
  if (status == CAROM_OK || status == CAROM_ERROR_OUT_OF_MEMORY) return status;
  char text[320];
  snprintf(text, sizeof text, "%.319s", source->error->message);
  if (line > 0)
    return cr_error_set(source->error, status, "%.160s:%d: %s", source->path, line, text);
  return cr_error_set(source->error, status, "%.180s: %s", source->path, text);
}

carom_status cr_problem_refuse_dataset(const cr_problem_source* source, const char* dataset,
                                       const char* wrong) {
  if (wrong == CR_H5_OUT_OF_MEMORY) return cr_error_memory(source->error);
  return cr_problem_refuse(source, "/%s %s", dataset, wrong);
}

/* --- Datasets -----------------------------------------------------------------------------------
 */

static carom_status check_count(const cr_problem_source* source, const char* dataset,
                                const char* wrong, int64_t found, int64_t* count) {
  if (wrong) return cr_problem_refuse_dataset(source, dataset, wrong);
  if (*count >= 0 && found != *count)
    return cr_problem_refuse(source, "/%s has %lld numbers, must have %lld", dataset,
                             (long long)found, (long long)*count);
  *count = found;
  return CAROM_OK;
}

carom_status cr_problem_load_reals(cr_problem_source* source, hid_t file, const char* dataset,
                                   int64_t* count, double** values) {
  int64_t found;
  const char* wrong = cr_h5_load_reals(file, dataset, &source->arena, values, &found);
  return check_count(source, dataset, wrong, found, count);
}

carom_status cr_problem_load_ints(cr_problem_source* source, hid_t file, const char* dataset,
                                  int64_t* count, int** values) {
  int64_t found;
  const char* wrong = cr_h5_load_ints(file, dataset, &source->arena, values, &found);
  return check_count(source, dataset, wrong, found, count);
}

carom_status cr_problem_load_int(cr_problem_source* source, hid_t file, const char* dataset,
                                 int* value) {
  int64_t count = -1;
  int* values;
  CR_TRY(cr_problem_load_ints(source, file, dataset, &count, &values));
  if (count < 1) return cr_problem_refuse(source, "/%s is empty", dataset);
  *value = values[0];
  return CAROM_OK;
}

const char* cr_problem_load_text(cr_problem_source* source, hid_t file, const char* dataset) {
  long length = cr_h5_exists(file, dataset) ? cr_h5_measure_text(file, dataset) : -1;
  if (length < 0 || length > 100000) return "";
  char* text = CR_PUSH(&source->arena, char, length + 1);
  return text && cr_h5_read_text(file, dataset, length, text) ? text : "";
}

const char* cr_problem_stem(cr_problem_source* source) {
  const char* slash = strrchr(source->path, '/');
  const char* start = slash ? slash + 1 : source->path;
  const char* dot = strrchr(start, '.');
  size_t length = dot && dot > start ? (size_t)(dot - start) : strlen(start);
  char* stem = CR_PUSH(&source->arena, char, length + 1);
  if (!stem) return "";
  memcpy(stem, start, length);
  stem[length] = '\0';
  return stem;
}
