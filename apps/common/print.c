/* A format is walked conversion by conversion: numbers are left to the C library, texts are
 * escaped.
 */
#include "print.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Characters */

int cli_decode_utf8(const char* text, unsigned* code) {
  static const unsigned LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char* b = (const unsigned char*)text;
  int size = b[0] < 0x80 ? b[0] != 0 : b[0] < 0xc0 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
  *code = b[0];
  if (size < 2) return size;
  unsigned value = b[0] & (0xffu >> (size + 1));
  for (int i = 1; i < size; i++) {
    if ((b[i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (b[i] & 0x3fu);
  }
  if (value < LEAST[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
  *code = value;
  return size;
}

bool cli_is_utf8(const char* text) {
  unsigned code;
  for (int size; *text; text += size)
    if ((size = cli_decode_utf8(text, &code)) == 0) return false;
  return true;
}

/* Controls of C0 and C1, separators of lines, and what changes the direction of writing (Unicode
 * 15, chapter 23.2). */
static bool is_control(unsigned code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

/* How many characters from here on are shown as they are, one byte each; at most up to `end`, null:
 * of the text. */
static size_t count_plain(const char* text, const char* end) {
  const char* at = text;
  while ((!end || at < end) && *at >= 0x20 && *at < 0x7f) at++;
  return (size_t)(at - text);
}

/* One character as it is shown; `text` moves behind it. Returns its width in `shown`. */
static int show(const char** text, const char* end, char shown[16]) {
  unsigned code;
  int size = cli_decode_utf8(*text, &code);
  bool is_whole = size > 0 && (!end || *text + size <= end);
  if (!is_whole) code = (unsigned char)**text, size = 1;
  const char* from = *text;
  *text += size;
  if (is_whole && !is_control(code)) return snprintf(shown, 16, "%.*s", size, from);
  if (code == '\n') return snprintf(shown, 16, "\\n");
  if (code == '\t') return snprintf(shown, 16, "\\t");
  return snprintf(shown, 16, code < 0x100 && size == 1 ? "\\x%02x" : "\\u%04x", code);
}

static void pad(FILE* stream, size_t count) {
  for (size_t i = 0; i < count; i++) putc(' ', stream);
}

/* ---- Conversions */

/* One of them: "%-*.3s". */
typedef struct conversion {
  char flags[6];
  int width, precision; /* -1: none */
  char size;            /* 'l', 'L' of ll, 'z', or 0 */
  char kind;
} conversion;

/* The analyser does not follow lists of arguments through pointers.
 * NOLINTBEGIN(clang-analyzer-valist.Uninitialized) */

/* A number of the format, or of the arguments where it is a star. */
static int read_number(const char** at, va_list* arguments) {
  if (**at == '*') {
    (*at)++;
    return va_arg(*arguments, int);
  }
  int number = 0;
  for (; **at >= '0' && **at <= '9'; (*at)++) number = 10 * number + (**at - '0');
  return number;
}

static const char* read_conversion(const char* at, va_list* arguments, conversion* c) {
  size_t count = strspn(at, "-+ 0");
  *c = (conversion){.precision = -1};
  memcpy(c->flags, at, count < 5 ? count : 5);
  at += count;
  c->width = read_number(&at, arguments);
  if (*at == '.') at++, c->precision = read_number(&at, arguments);
  if (*at == 'l' || *at == 'z') c->size = *at++;
  if (c->size == 'l' && *at == 'l') c->size = 'L', at++;
  c->kind = *at;
  return *at ? at + 1 : at;
}

/* The C library's own conversion of it, with numbers in place of stars. */
static void make_format(const conversion* c, const char* size, char format[48]) {
  char precision[16] = "", width[16] = "";
  if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
  if (c->width) snprintf(width, sizeof width, "%d", c->width);
  snprintf(format, 48, "%%%s%s%s%s%c", c->flags, width, precision, size, c->kind);
}

/* Formats are made here, of conversions that were checked where they were written. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void print_whole(FILE* stream, const conversion* c, va_list* arguments) {
  char format[48];
  bool is_signed = c->kind == 'd' || c->kind == 'i';
  intmax_t value;
  if (c->size == 'L')
    value = is_signed ? va_arg(*arguments, long long)
                      : (intmax_t)va_arg(*arguments, unsigned long long);
  else if (c->size == 'l')
    value = is_signed ? va_arg(*arguments, long) : (intmax_t)va_arg(*arguments, unsigned long);
  else if (c->size == 'z')
    value = (intmax_t)va_arg(*arguments, size_t);
  else
    value = is_signed ? va_arg(*arguments, int) : (intmax_t)va_arg(*arguments, unsigned);
  make_format(c, "j", format);
  fprintf(stream, format, value);
}

static void print_real(FILE* stream, const conversion* c, va_list* arguments) {
  char format[48];
  make_format(c, "", format);
  fprintf(stream, format, va_arg(*arguments, double));
}

#pragma GCC diagnostic pop

/* A text as it is shown. Returns its width.
 * @param stream null: only its width is wanted */
static size_t show_text(FILE* stream, const char* text, const char* end) {
  char shown[16];
  size_t width = 0;
  for (const char* at = text; (!end || at < end) && *at;) {
    size_t plain = count_plain(at, end);
    if (stream) fwrite(at, 1, plain, stream);
    at += plain, width += plain;
    if ((end && at >= end) || !*at) break;
    width += (size_t)show(&at, end, shown);
    if (stream) fputs(shown, stream);
  }
  return width;
}

static void print_text(FILE* stream, const conversion* c, const char* text) {
  bool is_left = strchr(c->flags, '-') || c->width < 0;
  size_t wanted = (size_t)(c->width < 0 ? -c->width : c->width);
  const char* end = c->precision >= 0 ? text + strnlen(text, (size_t)c->precision) : NULL;
  size_t width = wanted ? show_text(NULL, text, end) : 0,
         padding = wanted > width ? wanted - width : 0;
  if (!is_left) pad(stream, padding);
  show_text(stream, text, end);
  if (is_left) pad(stream, padding);
}

static void print_one(FILE* stream, const conversion* c, va_list* arguments) {
  if (c->kind == 's')
    print_text(stream, c, va_arg(*arguments, const char*));
  else if (c->kind == 'c')
    putc(va_arg(*arguments, int), stream);
  else if (c->kind == '%')
    putc('%', stream);
  else if (strchr("efgEFG", c->kind))
    print_real(stream, c, arguments);
  else
    print_whole(stream, c, arguments);
}

/* ---- Sentences and tables */

/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

void cli_print_list(FILE* stream, const char* format, va_list arguments) {
  conversion c;
  va_list rest;
  va_copy(rest, arguments);
  for (const char* at = format; *at;) {
    size_t plain = strcspn(at, "%");
    fwrite(at, 1, plain, stream);
    at += plain;
    if (!*at) break;
    at = read_conversion(at + 1, &rest, &c);
    print_one(stream, &c, &rest);
  }
  va_end(rest);
}

void cli_print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cli_print_list(stdout, format, arguments);
  va_end(arguments);
}

void cli_print_to(FILE* stream, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cli_print_list(stream, format, arguments);
  va_end(arguments);
}

void cli_warn_list(const char* format, va_list arguments) {
  fputs("carom: ", stderr);
  cli_print_list(stderr, format, arguments);
  fputc('\n', stderr);
}

void cli_warn(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cli_warn_list(format, arguments);
  va_end(arguments);
}
