/* JSON output: numbers that are not finite are null, top-level keys stand on lines of their own. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>

json_t* cli_json_number(double value);
json_t* cli_json_numbers(const double* values, int count);

/* Text; null where it is no UTF-8. */
json_t* cli_json_text(const char* text);

/* Rows of a matrix, row-major. */
json_t* cli_json_rows(const double* values, int rows, int columns);

/* Sets a new value, which the object takes over. */
void cli_json_set(json_t* object, const char* key, json_t* value);

/* A new object with the program's version in it. */
json_t* cli_json_object(void);

/* Prints a list of objects, each on a line of its own, and frees it; returns the exit code. */
int cli_json_print_list(json_t* list);

/* Prints the object on stdout and frees it; returns the exit code. */
int cli_json_print(json_t* object);

#endif
