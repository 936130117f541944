/* A cursor in text and bytes; see reader.h. */
#include "import/tets/reader.h"

#include "import/number.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int line_of(const cr_tets_reader* reader) {
  int line = 1;
  if (reader->line) return reader->line;
  for (const char* c = reader->text; c < reader->at; c++) line += *c == '\n';
  return line;
}

carom_status cr_tets_refuse(const cr_tets_reader* reader, const char* format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (reader->is_binary && !reader->line)
    return cr_error_set(reader->error, CAROM_ERROR_BAD_INPUT, "%.180s: byte %lld: %s", reader->name,
                        (long long)(reader->at - reader->text), text);
  return cr_error_set(reader->error, CAROM_ERROR_BAD_INPUT, "%.180s:%d: %s", reader->name,
                      line_of(reader), text);
}

carom_status cr_tets_open(cr_tets_reader* reader, const void* data, size_t size) {
  char* text = CR_PUSH(reader->arena, char, size + 1);
  if (!text) return cr_error_memory(reader->error);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  reader->text = reader->at = text;
  reader->end = text + size;
  return CAROM_OK;
}

bool cr_tets_find(cr_tets_reader* reader, const char* word) {
  size_t length = strlen(word);
  const char* line = reader->text;
  while (line && (size_t)(reader->end - line) >= length) {
    if (memcmp(line, word, length) == 0 && memchr(" \t\r\n", line[length], 5)) {
      reader->at = line + length;
      return true;
    }
    line = memchr(line, '\n', (size_t)(reader->end - line));
    if (line) line++;
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

void cr_tets_skip_line(cr_tets_reader* reader) {
  const char* newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
  reader->at = newline ? newline + 1 : reader->end;
}

/* --- Numbers ------------------------------------------------------------------------------------
 */

size_t cr_tets_size_of(cr_tets_type type) {
  static const size_t SIZE[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0};
  return SIZE[type];
}

#define DECODE(kind)                   \
  do {                                 \
    kind number;                       \
    memcpy(&number, b, sizeof number); \
    return (double)number;             \
  } while (0)

/* Whole numbers beyond 2^53 are rounded: no mesh has as many of anything. */
static double decode(cr_tets_type type, const char* bytes, bool is_swapped) {
  char b[8];
  size_t size = cr_tets_size_of(type);
  for (size_t k = 0; k < size; k++) b[k] = bytes[is_swapped ? size - 1 - k : k];
  switch (type) {
  case CR_TETS_INT8:
    DECODE(int8_t);
  case CR_TETS_UINT8:
    DECODE(uint8_t);
  case CR_TETS_INT16:
    DECODE(int16_t);
  case CR_TETS_UINT16:
    DECODE(uint16_t);
  case CR_TETS_INT32:
    DECODE(int32_t);
  case CR_TETS_UINT32:
    DECODE(uint32_t);
  case CR_TETS_INT64:
    DECODE(int64_t);
  case CR_TETS_UINT64:
    DECODE(uint64_t);
  case CR_TETS_FLOAT32:
    DECODE(float);
  default:
    DECODE(double);
  }
}

static carom_status end_early(cr_tets_reader* reader, const char* what) {
  reader->at = reader->end;
  return cr_tets_refuse(reader, "the file ends where %s should be", what);
}

carom_status cr_tets_read_word(cr_tets_reader* reader, const char* what, char** word) {
  int length = 0;
  const char* next = cr_number_word(reader->at, &length);
  if (!next) return end_early(reader, what);
  *word = CR_PUSH(reader->arena, char, length + 1);
  if (!*word) return cr_error_memory(reader->error);
  memcpy(*word, next, (size_t)length);
  (*word)[length] = '\0';
  reader->at = next + length;
  return CAROM_OK;
}

static carom_status read_bytes(cr_tets_reader* reader, cr_tets_type type, const char* what,
                               double* value) {
  size_t size = cr_tets_size_of(type);
  if ((size_t)(reader->end - reader->at) < size) return end_early(reader, what);
  *value = decode(type, reader->at, reader->is_swapped);
  reader->at += size;
  return CAROM_OK;
}

carom_status cr_tets_read_any(cr_tets_reader* reader, cr_tets_type type, const char* what,
                              double* value) {
  int length;
  if (reader->is_binary) return read_bytes(reader, type, what, value);
  const char* word = cr_number_word(reader->at, &length);
  if (!word) return end_early(reader, what);
  reader->at = word;
  if (cr_number_read(word, length, value) == CR_NUMBER_NONE)
    return cr_tets_refuse(reader, "%s is '%.*s', must be a number", what, length < 40 ? length : 40,
                          word);
  reader->at = word + length;
  return CAROM_OK;
}

carom_status cr_tets_read_real(cr_tets_reader* reader, cr_tets_type type, const char* what,
                               double* value) {
  CR_TRY(cr_tets_read_any(reader, type, what, value));
  if (isfinite(*value)) return CAROM_OK;
  return cr_tets_refuse(reader, "%s is %g, must be a finite number", what, *value);
}

carom_status cr_tets_read_int(cr_tets_reader* reader, cr_tets_type type, const char* what,
                              int64_t* value) {
  double number = 0;
  CR_TRY(cr_tets_read_real(reader, type, what, &number));
  if (number != floor(number) || fabs(number) > 9e15)
    return cr_tets_refuse(reader, "%s is %.17g, must be a whole number", what, number);
  *value = (int64_t)number;
  return CAROM_OK;
}

carom_status cr_tets_read_count(cr_tets_reader* reader, cr_tets_type type, const char* what,
                                int* count) {
  int64_t value = 0;
  CR_TRY(cr_tets_read_int(reader, type, what, &value));
  int64_t most = (reader->end - reader->at) / (reader->is_binary ? 4 : 2);
  if (value < 0 || value > most || value > INT_MAX / 64)
    return cr_tets_refuse(reader, "%s is %lld, but what follows has room for %lld at most", what,
                          (long long)value, (long long)most);
  *count = (int)value;
  return CAROM_OK;
}

carom_status cr_tets_read_point(cr_tets_reader* reader, cr_tets_type type, int64_t number,
                                double point[3]) {
  char what[60];
  for (int k = 0; k < 3; k++) {
    snprintf(what, sizeof what, "coordinate %d of node %lld", k, (long long)number);
    CR_TRY(cr_tets_read_real(reader, type, what, &point[k]));
  }
  return CAROM_OK;
}
