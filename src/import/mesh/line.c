/* Lines and words; see line.h. */
#include "import/mesh/line.h"

#include "base/error.h"
#include "import/number.h"

#include <string.h>

cr_line_reader cr_line_reader_make(const cr_mesh_source* source, carom_error* error) {
  const char *start = source->bytes, *end = start + source->size;
  if (source->size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) start += 3; /* editors' mark */
  return (cr_line_reader){source, start, end, 1, error};
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* True where a backslash ends the line; goes on behind it. */
static bool skip_continuation(cr_line_reader* reader) {
  const char* at = reader->at + 1;
  if (*reader->at != '\\') return false;
  while (at < reader->end && is_blank(*at)) at++;
  if (at < reader->end && *at != '\n') return false;
  reader->at = at < reader->end ? at + 1 : at;
  reader->number++;
  return true;
}

cr_line_word cr_line_word_next(cr_line_reader* reader) {
  while (reader->at < reader->end && (is_blank(*reader->at) || skip_continuation(reader)))
    if (reader->at < reader->end && is_blank(*reader->at)) reader->at++;
  const char* start = reader->at;
  while (reader->at < reader->end && !is_blank(*reader->at) && *reader->at != '\n') reader->at++;
  ptrdiff_t length = reader->at - start;
  return (cr_line_word){start, length < 4096 ? (int)length : 4096};
}

bool cr_line_next(cr_line_reader* reader, cr_line_word* first) {
  for (;;) {
    *first = cr_line_word_next(reader);
    if (first->length > 0) return true;
    if (reader->at >= reader->end) return false;
    reader->at++; /* the end of a blank line */
    reader->number++;
  }
}

bool cr_line_word_is(cr_line_word word, const char* text) {
  return (size_t)word.length == strlen(text) && memcmp(word.text, text, strlen(text)) == 0;
}

carom_status cr_line_fail(const cr_line_reader* reader, const char* what, cr_line_word word,
                          const char* rest) {
  return cr_error_set(reader->error, CAROM_ERROR_BAD_INPUT, "%.200s:%d: %s '%.*s' %s",
                      reader->source->name, reader->number, what,
                      word.length < 60 ? word.length : 60, word.text, rest);
}

carom_status cr_line_read_position(cr_line_reader* reader, const char* what, double position[3]) {
  for (int i = 0; i < 3; i++) {
    cr_line_word word = cr_line_word_next(reader);
    if (cr_number_read(word.text, word.length, &position[i]) != CR_NUMBER_FINITE)
      return cr_line_fail(reader, what, word, "is not a finite number");
  }
  return CAROM_OK;
}
