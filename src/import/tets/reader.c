/* A cursor in a text; see reader.h. */
#include "import/tets/reader.h"

#include "import/number.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int line_of(const cr_tets_reader* reader) {
  int line = 1;
  for (const char* c = reader->text; c < reader->at; c++) line += *c == '\n';
  return line;
}

carom_status cr_tets_refuse(const cr_tets_reader* reader, const char* format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return cr_error_set(reader->error, CAROM_ERROR_BAD_INPUT, "%.180s:%d: %s", reader->name,
                      line_of(reader), text);
}

bool cr_tets_find(cr_tets_reader* reader, const char* word) {
  size_t length = strlen(word);
  for (const char* line = reader->text; line; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, word, length) == 0 && strchr(" \t\r\n", line[length])) {
      reader->at = line + length;
      return true;
    }
  }
  return false;
}

bool cr_tets_accept(cr_tets_reader* reader, const char* word) {
  int length;
  const char* next = cr_number_word(reader->at, &length);
  if (!next || (size_t)length != strlen(word) || strncmp(next, word, strlen(word)) != 0)
    return false;
  reader->at = next + length;
  return true;
}

carom_status cr_tets_read_real(cr_tets_reader* reader, const char* what, double* value) {
  int length;
  const char* word = cr_number_word(reader->at, &length);
  if (!word) {
    reader->at = reader->end;
    return cr_tets_refuse(reader, "the file ends where %s should be", what);
  }
  reader->at = word;
  cr_number_kind kind = cr_number_read(word, length, value);
  if (kind != CR_NUMBER_FINITE)
    return cr_tets_refuse(reader, "%s is '%.*s', must be a finite number", what,
                          length < 40 ? length : 40, word);
  reader->at = word + length;
  return CAROM_OK;
}

carom_status cr_tets_read_int(cr_tets_reader* reader, const char* what, int64_t* value) {
  double number = 0;
  CR_TRY(cr_tets_read_real(reader, what, &number));
  if (number != floor(number) || fabs(number) > 9e15)
    return cr_tets_refuse(reader, "%s is %.17g, must be a whole number", what, number);
  *value = (int64_t)number;
  return CAROM_OK;
}

carom_status cr_tets_read_count(cr_tets_reader* reader, const char* what, int* count) {
  int64_t value = 0;
  CR_TRY(cr_tets_read_int(reader, what, &value));
  int64_t most = (reader->end - reader->at) / 2;
  if (value < 0 || value > most || value > INT_MAX / 64)
    return cr_tets_refuse(reader, "%s is %lld, but what follows has room for %lld at most", what,
                          (long long)value, (long long)most);
  *count = (int)value;
  return CAROM_OK;
}

carom_status cr_tets_read_point(cr_tets_reader* reader, double point[3]) {
  for (int k = 0; k < 3; k++) CR_TRY(cr_tets_read_real(reader, "a coordinate", &point[k]));
  return CAROM_OK;
}

void cr_tets_skip_line(cr_tets_reader* reader) {
  const char* newline = strchr(reader->at, '\n');
  reader->at = newline ? newline + 1 : reader->end;
}
