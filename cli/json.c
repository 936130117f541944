/* JSON output on top of jansson. */
#include "json.h"

#include "cli.h"

#include "carom/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading */

static bool is_shallow(const char* text, size_t length, int most) {
  bool is_string = false;
  int depth = 0;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (is_string) {
      if (c == '\\') i++;
      is_string = c != '"';
      continue;
    }
    is_string = c == '"';
    if ((c == '[' || c == '{') && ++depth > most) return false;
    if ((c == ']' || c == '}') && depth > 0) depth--;
  }
  return true;
}

json_t* cli_json_read(const char* text, size_t length, int depth, json_error_t* where) {
  if (is_shallow(text, length, depth))
    return json_loadb(text, length, JSON_REJECT_DUPLICATES, where);
  *where = (json_error_t){.line = 1};
  snprintf(where->text, sizeof where->text,
           "lists and objects stand in each other more than %d deep", depth);
  return NULL;
}

/* ---- Making */

/* Somewhere memory ran out: what there is, is not all. */
static _Thread_local bool is_short;

static void* check(void* value) {
  is_short = is_short || !value;
  return value;
}

json_t* cli_json_number(double value) {
  return check(isfinite(value) ? json_real(value) : json_null());
}

json_t* cli_json_whole(json_int_t value) { return check(json_integer(value)); }

json_t* cli_json_flag(bool value) { return check(json_boolean(value)); }

json_t* cli_json_list(void) { return check(json_array()); }

json_t* cli_json_group(void) { return check(json_object()); }

void cli_json_lack_memory(void) { is_short = true; }

void cli_json_append(json_t* list, json_t* value) {
  if (json_array_append_new(list, value) != 0) is_short = true;
}

json_t* cli_json_numbers(const double* values, int count) {
  json_t* array = cli_json_list();
  for (int i = 0; i < count; i++) cli_json_append(array, cli_json_number(values[i]));
  return array;
}

json_t* cli_json_text(const char* text) {
  return cli_is_utf8(text) ? check(json_string(text)) : json_null();
}

json_t* cli_json_rows(const double* values, int rows, int columns) {
  json_t* array = cli_json_list();
  for (int i = 0; i < rows; i++)
    cli_json_append(array, cli_json_numbers(values + (size_t)i * (size_t)columns, columns));
  return array;
}

void cli_json_set(json_t* object, const char* key, json_t* value) {
  if (json_object_set_new(object, key, value) != 0) is_short = true;
}

json_t* cli_json_object(void) {
  json_t* object = cli_json_group();
  cli_json_set(object, "version", cli_json_text(carom_version()));
  return object;
}

/* ---- Printing */

/* A text that grows. */
typedef struct growing {
  char* text;
  size_t count, capacity;
} growing;

/* A piece of it. That memory ran out is kept here, since jansson forgets what some of its pieces
 * answer. */
static int add_piece(const char* piece, size_t size, void* user) {
  growing* g = user;
  if (g->count + size + 1 > g->capacity) {
    size_t capacity = 2 * g->capacity + size + 64;
    char* grown = realloc(g->text, capacity);
    if (!check(grown)) return -1;
    g->text = grown, g->capacity = capacity;
  }
  memcpy(g->text + g->count, piece, size);
  g->count += size;
  g->text[g->count] = '\0';
  return 0;
}

/* A value as text, to be freed; null without memory. */
static char* make_text(const json_t* value) {
  static const size_t FLAGS = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
  growing g = {0};
  if (json_dump_callback(value, add_piece, &g, FLAGS) != 0) is_short = true;
  if (!is_short) return g.text;
  free(g.text);
  return NULL;
}

/* The values of a list or an object as texts, before the first of them is printed. */
typedef struct texts {
  char** items; /* [count] */
  size_t count;
} texts;

static void add_text(texts* t, const json_t* value) {
  is_short = is_short || !t->items;
  if (t->items) t->items[t->count++] = make_text(value);
}

static int finish(texts* t, json_t* whole) {
  for (size_t i = 0; i < t->count; i++) free(t->items[i]);
  free((void*)t->items);
  json_decref(whole);
  if (is_short) return cli_fail(EXIT_INPUT, "out of memory");
  return cli_finish_output(EXIT_FINE);
}

char* cli_json_take_text(json_t* value) {
  char* text = make_text(value);
  is_short = false;
  json_decref(value);
  return text;
}

int cli_json_print(json_t* object) {
  const char *key, *before = "{\n";
  json_t* value;
  texts t = {.items = calloc(json_object_size(object) + 1, sizeof *t.items)};
  json_object_foreach(object, key, value) add_text(&t, value);
  if (is_short) return finish(&t, object);
  size_t i = 0;
  json_object_foreach(object, key, value) {
    printf("%s  \"%s\": %s", before, key, t.items[i++]);
    before = ",\n";
  }
  printf("\n}\n");
  return finish(&t, object);
}

int cli_json_print_list(json_t* list) {
  size_t index;
  json_t* value;
  texts t = {.items = calloc(json_array_size(list) + 1, sizeof *t.items)};
  json_array_foreach(list, index, value) add_text(&t, value);
  if (is_short) return finish(&t, list);
  for (size_t i = 0; i < t.count; i++) printf("%s%s", i ? ",\n  " : "[\n  ", t.items[i]);
  printf(t.count ? "\n]\n" : "[\n  \n]\n");
  return finish(&t, list);
}
