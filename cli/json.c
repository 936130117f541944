/* JSON output on top of jansson. */
#include "json.h"

#include "cli.h"

#include "carom/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

json_t* cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t* cli_json_numbers(const double* values, int count) {
  json_t* array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_number(values[i]));
  return array;
}

json_t* cli_json_text(const char* text) {
  json_t* value = json_string(text);
  return value ? value : json_null();
}

json_t* cli_json_rows(const double* values, int rows, int columns) {
  json_t* array = json_array();
  for (int i = 0; i < rows; i++)
    json_array_append_new(array, cli_json_numbers(values + (size_t)i * (size_t)columns, columns));
  return array;
}

void cli_json_set(json_t* object, const char* key, json_t* value) {
  json_object_set_new(object, key, value);
}

json_t* cli_json_object(void) {
  json_t* object = json_object();
  cli_json_set(object, "version", json_string(carom_version()));
  return object;
}

int cli_json_print(json_t* object) {
  const char *key, *before = "{\n";
  json_t* value;
  bool done = true;
  json_object_foreach(object, key, value) {
    char* text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    done = done && text;
    printf("%s  \"%s\": %s", before, key, text ? text : "null");
    before = ",\n";
    free(text);
  }
  printf("\n}\n");
  json_decref(object);
  if (!done) return cli_fail(EXIT_INPUT, "out of memory");
  return cli_finish_output(EXIT_FINE);
}

int cli_json_print_list(json_t* list) {
  size_t index;
  json_t* value;
  const char* before = "[\n  ";
  bool done = true;
  json_array_foreach(list, index, value) {
    char* text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    done = done && text;
    printf("%s%s", before, text ? text : "null");
    before = ",\n  ";
    free(text);
  }
  printf("\n]\n");
  json_decref(list);
  if (!done) return cli_fail(EXIT_INPUT, "out of memory");
  return cli_finish_output(EXIT_FINE);
}
