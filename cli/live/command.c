/* Reads the messages of pages. They come from outside: sizes, types, ranges and names of all fields
 * are checked, and what is not known is refused. */
#include "command.h"

#include "../json.h"
#include "../words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bounds that no sensible request passes, far inside what doubles carry. */
#define FARTHEST  1e6 /* m, of a drag */
#define STRONGEST 1e6 /* m/s², of gravity */

/* Fills the error of a bad message with a sentence; its status. */
#define COMPLAIN(error, ...)                                              \
  ((void)snprintf((error)->message, sizeof(error)->message, __VA_ARGS__), \
   (error)->status = CAROM_ERROR_BAD_INPUT)

/* In the order of live_verb. */
static const char* const VERBS[] = {"play", "pause",   "step", "reset", "speed",
                                    "drag", "release", "set",  "seen",  NULL};

/* The fields of each verb beside "do". */
static const char* const FIELDS[][5] = {
    [LIVE_SPEED] = {"factor"},
    [LIVE_DRAG] = {"body", "point", "target", "strength"},
    [LIVE_SET] = {"gravity", "dt", "scheme", "friction"},
    [LIVE_SEEN] = {"frame"},
};

static carom_status refuse(carom_error* error, const char* field, const char* rule) {
  return COMPLAIN(error, "message: \"%s\" must be %s", field, rule);
}

/* A finite number from `least` to `most`. */
static carom_status read_number(const json_t* root, const char* field, double least, double most,
                                double* number, carom_error* error) {
  const json_t* value = json_object_get(root, field);
  if (!json_is_number(value)) return refuse(error, field, "a number");
  double x = json_number_value(value);
  if (!(x >= least && x <= most))
    return COMPLAIN(error, "message: \"%s\" is %g, must be from %g to %g", field, x, least, most);
  *number = x;
  return CAROM_OK;
}

static carom_status read_whole(const json_t* root, const char* field, json_int_t most,
                               json_int_t* number, carom_error* error) {
  const json_t* value = json_object_get(root, field);
  json_int_t n = json_integer_value(value);
  if (!json_is_integer(value) || n < 0 || n > most)
    return refuse(error, field, "a whole number, 0 or more");
  *number = n;
  return CAROM_OK;
}

/* Three finite numbers no larger than `most`. */
static carom_status read_vector(const json_t* root, const char* field, double most, double* vector,
                                carom_error* error) {
  const json_t* list = json_object_get(root, field);
  if (!json_is_array(list) || json_array_size(list) != 3)
    return refuse(error, field, "a list of three numbers");
  for (size_t k = 0; k < 3; k++) {
    const json_t* item = json_array_get(list, k);
    if (!json_is_number(item)) return refuse(error, field, "a list of three numbers");
    vector[k] = json_number_value(item);
    if (!(fabs(vector[k]) <= most))
      return COMPLAIN(error, "message: \"%s\"[%zu] is %g, must be from %g to %g", field, k,
                      vector[k], -most, most);
  }
  return CAROM_OK;
}

static carom_status read_word(const json_t* root, const char* field, const char* const* words,
                              int* index, carom_error* error) {
  const char* word = json_string_value(json_object_get(root, field));
  if (!word) return refuse(error, field, "a word");
  *index = cli_find_word(words, word);
  if (*index >= 0) return CAROM_OK;
  return COMPLAIN(error, "message: \"%s\" is not known: '%.60s'", field, word);
}

/* --- Verbs --------------------------------------------------------------------------------------
 */

static carom_status read_spring(const json_t* root, live_spring* spring, carom_error* error) {
  json_int_t body = 0;
  carom_status status = read_whole(root, "body", INT32_MAX, &body, error);
  if (status == CAROM_OK) status = read_vector(root, "point", FARTHEST, spring->point, error);
  if (status == CAROM_OK) status = read_vector(root, "target", FARTHEST, spring->target, error);
  spring->body = (int)body;
  spring->strength = 1;
  if (status == CAROM_OK && json_object_get(root, "strength"))
    status = read_number(root, "strength", 1e-3, 1e3, &spring->strength, error);
  return status;
}

static carom_status read_change(const json_t* root, live_change* change, carom_error* error) {
  carom_status status = CAROM_OK;
  int word = 0;
  change->has_gravity = json_object_get(root, "gravity") != NULL;
  change->has_dt = json_object_get(root, "dt") != NULL;
  change->has_scheme = json_object_get(root, "scheme") != NULL;
  change->has_friction = json_object_get(root, "friction") != NULL;
  if (change->has_gravity) status = read_vector(root, "gravity", STRONGEST, change->gravity, error);
  if (status == CAROM_OK && change->has_dt)
    status = read_number(root, "dt", 1e-7, 1, &change->dt, error);
  if (status == CAROM_OK && change->has_scheme)
    status = read_word(root, "scheme", CLI_SCHEMES, &word, error), change->scheme = word;
  if (status == CAROM_OK && change->has_friction)
    status = read_word(root, "friction", CLI_FRICTIONS, &word, error), change->friction = word;
  return status;
}

static carom_status check_fields(json_t* root, live_verb verb, carom_error* error) {
  const char* key;
  json_t* value;
  json_object_foreach(root, key, value) {
    bool is_known = strcmp(key, "do") == 0;
    for (int i = 0; FIELDS[verb][i]; i++) is_known = is_known || !strcmp(key, FIELDS[verb][i]);
    if (!is_known) return COMPLAIN(error, "message: '%s' has no field \"%.60s\"", VERBS[verb], key);
  }
  return CAROM_OK;
}

static carom_status read_command(json_t* root, live_command* command, carom_error* error) {
  int verb = 0;
  json_int_t serial = 0;
  if (!json_is_object(root)) return COMPLAIN(error, "message: is not an object");
  carom_status status = read_word(root, "do", VERBS, &verb, error);
  command->verb = (live_verb)verb;
  if (status == CAROM_OK) status = check_fields(root, command->verb, error);
  if (status != CAROM_OK) return status;
  switch (command->verb) {
  case LIVE_SPEED:
    return read_number(root, "factor", 1e-3, 1e3, &command->speed, error);
  case LIVE_DRAG:
    return read_spring(root, &command->spring, error);
  case LIVE_SET:
    return read_change(root, &command->change, error);
  case LIVE_SEEN:
    status = read_whole(root, "frame", UINT32_MAX, &serial, error);
    command->serial = (uint32_t)serial;
    return status;
  default:
    return CAROM_OK;
  }
}

carom_status live_command_read(const char* text, size_t length, live_command* command,
                               carom_error* error) {
  json_error_t where;
  *command = (live_command){0};
  if (length > LIVE_MESSAGE_SIZE)
    return COMPLAIN(error, "message: has %zu bytes, may have %d", length, LIVE_MESSAGE_SIZE);
  json_t* root = cli_json_read(text, length, CLI_JSON_MESSAGE_DEPTH, &where);
  if (!root) return COMPLAIN(error, "message: is no JSON: %.120s", where.text);
  carom_status status = read_command(root, command, error);
  json_decref(root);
  return status;
}
