/* UTF-8 as XML 1.0 allows it. */
#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Code points that XML 1.0 allows: no controls but tab and newlines, no surrogates. */
static bool is_allowed(unsigned code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0x7f && !(code >= 0xd800 && code < 0xe000) && (code & 0xfffe) != 0xfffe &&
         code <= 0x10ffff;
}

/* Bytes of the character at the start of a text; 0 where there is none that XML allows. */
static size_t measure_character(const char* text) {
  static const unsigned LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = (unsigned char)text[0];
  size_t length = first < 0x80             ? 1
                  : (first & 0xe0) == 0xc0 ? 2
                  : (first & 0xf0) == 0xe0 ? 3
                  : (first & 0xf8) == 0xf0 ? 4
                                           : 0;
  if (length == 0) return 0;
  unsigned code = length == 1 ? first : first & (0x7fu >> length);
  for (size_t k = 1; k < length; k++) {
    if (((unsigned char)text[k] & 0xc0) != 0x80) return 0;
    code = code << 6 | ((unsigned char)text[k] & 0x3f);
  }
  return code >= LEAST[length] && is_allowed(code) ? length : 0;
}

/* The next character, or what stands for it; moves on. */
static const char* next_character(const char** text, size_t* length) {
  const char* at = *text;
  *length = measure_character(at);
  *text += *length ? *length : 1;
  if (*length) return at;
  *length = sizeof REPLACEMENT - 1;
  return REPLACEMENT;
}

void plot_clean_text(const char* text, char* clean, size_t size) {
  size_t used = 0, length;
  while (*text) {
    const char* character = next_character(&text, &length);
    if (used + length >= size) break;
    memcpy(clean + used, character, length);
    used += length;
  }
  clean[used] = '\0';
}

void plot_put_text(FILE* file, const char* text) {
  size_t length;
  while (*text) {
    const char* character = next_character(&text, &length);
    switch (*character) {
    case '&':
      fputs("&amp;", file);
      break;
    case '<':
      fputs("&lt;", file);
      break;
    case '>':
      fputs("&gt;", file);
      break;
    case '"':
      fputs("&quot;", file);
      break;
    default:
      fwrite(character, 1, length, file);
    }
  }
}

void plot_put_format(FILE* file, const char* format, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  plot_put_text(file, text);
}
