/* Text for people: control characters of names, keys and paths are escaped, whoever wrote them. */
#ifndef COMMON_PRINT_H
#define COMMON_PRINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* What printf prints, but of each %s control characters (of C0, C1, and those that turn the
 * direction of writing) and bytes that are no UTF-8 come out as \x1b, \n or \u202e: a terminal
 * obeys nothing that a file says, and a line stays a line. Widths count what is printed. Of
 * conversions d, i, u, x, c, e, f, g and s are known, with -, +, 0, widths, precisions and l, ll
 * and z. */
__attribute__((format(printf, 1, 2))) void cli_print(const char* format, ...);

/* The same into any stream. */
__attribute__((format(printf, 2, 3))) void cli_print_to(FILE* stream, const char* format, ...);
__attribute__((format(printf, 2, 0))) void cli_print_list(FILE* stream, const char* format,
                                                          va_list arguments);

/* Prints "carom: ..." as one line on stderr. */
__attribute__((format(printf, 1, 2))) void cli_warn(const char* format, ...);

/* The same of a list of arguments. */
__attribute__((format(printf, 1, 0))) void cli_warn_list(const char* format, va_list arguments);

/* The character that a text begins with, and its bytes; 0 bytes at the end, and where it is no
 * UTF-8: then `code` is the byte. */
int cli_decode_utf8(const char* text, unsigned* code);

/* Whether a text is UTF-8 to its end. */
bool cli_is_utf8(const char* text);

#endif
