/* Decimal numbers: the grammar is checked here, the value is that of strtod in the "C" locale. */
#include "import/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Longer words are no numbers that anyone writes. */
#define MAX_LENGTH 400

/* A blank of one byte, or the one that keeps words together, which editors write; 0: none. */
static int blank_length(const char* c) {
  if (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r') return 1;
  return c[0] == '\xc2' && c[1] == '\xa0' ? 2 : 0;
}

const char* cr_number_word(const char* text, int* length) {
  while (blank_length(text)) text += blank_length(text);
  if (!*text) return NULL;
  *length = 0;
  while (text[*length] && !blank_length(text + *length)) (*length)++;
  return text;
}

/* The typographer's minus, which editors write too. */
#define MINUS "\xe2\x88\x92"

/* A word with plain signs; the length of the copy. */
static int copy_plain(const char* word, int length, char* copy) {
  int count = 0;
  for (int i = 0; i < length; i++) {
    bool is_minus = i + 3 <= length && memcmp(word + i, MINUS, 3) == 0;
    copy[count++] = is_minus ? '-' : word[i];
    if (is_minus) i += 2;
  }
  copy[count] = '\0';
  return count;
}

static const char* skip_digits(const char* text, const char* end) {
  while (text < end && *text >= '0' && *text <= '9') text++;
  return text;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or behind the point. */
static bool is_decimal(const char* text, const char* end) {
  if (text < end && (*text == '+' || *text == '-')) text++;
  const char* start = text;
  text = skip_digits(text, end);
  long digits = text - start;
  if (text < end && *text == '.') {
    start = ++text;
    text = skip_digits(text, end);
    digits += text - start;
  }
  if (digits == 0) return false;
  if (text < end && (*text == 'e' || *text == 'E')) {
    text++;
    if (text < end && (*text == '+' || *text == '-')) text++;
    start = text;
    text = skip_digits(text, end);
    if (text == start) return false;
  }
  return text == end;
}

/* nan, inf, infinity, with or without a sign, in any case. */
static bool is_special(const char* text, int length, double* value) {
  static const struct {
    const char* word;
    double value;
  } SPECIAL[] = {{"nan", NAN}, {"inf", INFINITY}, {"infinity", INFINITY}};
  double sign = *text == '-' ? -1 : 1;
  if (*text == '-' || *text == '+') text++, length--;
  for (int i = 0; i < 3; i++)
    if ((int)strlen(SPECIAL[i].word) == length &&
        strncasecmp(text, SPECIAL[i].word, (size_t)length) == 0) {
      *value = sign * SPECIAL[i].value;
      return true;
    }
  return false;
}

/* strtod as in the "C" locale, whatever the program has set. */
static double read_plain(const char* text) {
  const char* point = localeconv()->decimal_point;
  const char* dot = strchr(text, '.');
  if (!dot || strcmp(point, ".") == 0) return strtod(text, NULL);
  char copy[MAX_LENGTH + 16];
  snprintf(copy, sizeof copy, "%.*s%s%s", (int)(dot - text), text, point, dot + 1);
  return strtod(copy, NULL);
}

int cr_number_count_words(const char* text) {
  int count = 0, length;
  for (const char* word = text; (word = cr_number_word(word, &length)); word += length) count++;
  return count;
}

cr_number_kind cr_number_read(const char* word, int length, double* value) {
  char text[MAX_LENGTH + 1];
  if (length <= 0 || length > MAX_LENGTH) return CR_NUMBER_NONE;
  length = copy_plain(word, length, text);
  if (is_special(text, length, value)) return CR_NUMBER_NOT_FINITE;
  if (!is_decimal(text, text + length)) return CR_NUMBER_NONE;
  *value = read_plain(text);
  return isfinite(*value) ? CR_NUMBER_FINITE : CR_NUMBER_NOT_FINITE;
}
