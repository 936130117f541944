/* JSON output: numbers that are not finite are null, top-level keys stand on lines of their own. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>

json_t* cli_json_number(double value);
json_t* cli_json_numbers(const double* values, int count);

enum {
  CLI_JSON_FILE_DEPTH = 64,   /* of lists and objects in each other, of a file */
  CLI_JSON_MESSAGE_DEPTH = 8, /* of a message */
};

/* Reads a text that nests no deeper than `depth`, which is looked at before the parser, calling
 * itself for each level, walks down; null, with where and why, for any other.
 * @param length bytes of the text, which need not end with a zero */
json_t* cli_json_read(const char* text, size_t length, int depth, json_error_t* where);

/* Whatever of a value cannot be had for want of memory is remembered: printing then fails, and
 * prints nothing. */

/* Text; null where it is no UTF-8. */
json_t* cli_json_text(const char* text);

/* Rows of a matrix, row-major. */
json_t* cli_json_rows(const double* values, int rows, int columns);

/* Empty ones, a whole number, true or false. */
json_t* cli_json_list(void);
json_t* cli_json_group(void);
json_t* cli_json_whole(json_int_t value);
json_t* cli_json_flag(bool value);

/* Adds a new value, which the list takes over. */
void cli_json_append(json_t* list, json_t* value);

/* Remembers that something else could not be had. */
void cli_json_lack_memory(void);

/* Sets a new value, which the object takes over. */
void cli_json_set(json_t* object, const char* key, json_t* value);

/* A new object with the program's version in it. */
json_t* cli_json_object(void);

/* A value as one line of text, to be freed; frees the value. Null where memory ran out, since the
 * last such text of this thread. */
char* cli_json_take_text(json_t* value);

/* Prints a list of objects, each on a line of its own, and frees it; returns the exit code. */
int cli_json_print_list(json_t* list);

/* Prints the object on stdout and frees it; returns the exit code. */
int cli_json_print(json_t* object);

#endif
