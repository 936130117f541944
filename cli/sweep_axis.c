/* The axes of a sweep, and the points that they span. */
#include "sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const WORDS[] = {"scheme", "friction", "solver", "keyframe", NULL};
static const char* const NUMBERS[] = {"dt", "tolerance", "duration", NULL};

static bool is_among(const char* const* words, const char* word) {
  while (*words && strcmp(*words, word) != 0) words++;
  return *words != NULL;
}

static carom_status refuse(carom_error* error, const char* text, const char* rule) {
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "--vary %.200s: %s", text, rule);
}

/* START:STOP:COUNT, both ends among them, to the bit. */
static carom_status read_range(sweep_axis* axis, const char* text, char* values,
                               carom_error* error) {
  double ends[2], count;
  char *stop = strchr(values, ':'), *number = strchr(stop + 1, ':');
  *stop++ = '\0';
  if (!number)
    return refuse(error, text,
                  "LOW:HIGH is for samples, which the Python package takes; give "
                  "NAME=START:STOP:COUNT");
  *number++ = '\0';
  if (!cli_read_number(values, &ends[0]) || !cli_read_number(stop, &ends[1]))
    return refuse(error, text, "START and STOP must be numbers");
  if (!cli_read_number(number, &count) || count != floor(count) || count < 1 || count > 1e8)
    return refuse(error, text, "COUNT must be a whole number, 1 or more");
  axis->count = (int)count;
  axis->numbers = calloc((size_t)axis->count, sizeof *axis->numbers);
  if (!axis->numbers) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  for (int i = 0; i < axis->count; i++) {
    double u = (double)i / (axis->count > 1 ? axis->count - 1 : 1);
    axis->numbers[i] = ends[0] * (1 - u) + ends[1] * u;
  }
  return CAROM_OK;
}

/* VALUE,VALUE,... */
static carom_status read_list(sweep_axis* axis, const char* text, char* values,
                              carom_error* error) {
  bool is_words = is_among(WORDS, axis->name);
  int count = 1;
  for (const char* at = values; *at; at++) count += *at == ',';
  if (is_words)
    axis->words = calloc((size_t)count, sizeof *axis->words);
  else
    axis->numbers = calloc((size_t)count, sizeof *axis->numbers);
  if (!axis->words && !axis->numbers)
    return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  for (char *value = values, *end; value; value = end) {
    if ((end = strchr(value, ','))) *end++ = '\0';
    if (is_words && !(axis->words[axis->count] = strdup(value)))
      return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
    if (!is_words && !cli_read_number(value, &axis->numbers[axis->count]))
      return cli_error(error, CAROM_ERROR_BAD_INPUT, "--vary %.200s: '%.200s' is no number", text,
                       value);
    axis->count++;
  }
  return CAROM_OK;
}

static carom_status read_axis(sweep_axis* axis, const char* text, carom_error* error) {
  axis->name = strdup(text);
  if (!axis->name) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  char* values = strchr(axis->name, '=');
  if (!values || !values[1])
    return refuse(error, text, "must be NAME=START:STOP:COUNT or NAME=VALUE,VALUE,...");
  *values++ = '\0';
  if (!strchr(axis->name, '.') && !is_among(WORDS, axis->name) && !is_among(NUMBERS, axis->name))
    return refuse(error, text,
                  "NAME must be a parameter such as body.box.mass (docs/parameters.md)"
                  ", or dt, duration, friction, keyframe, scheme, solver, tolerance");
  carom_status status = strchr(values, ':') ? read_range(axis, text, values, error)
                                            : read_list(axis, text, values, error);
  for (int i = 0; status == CAROM_OK && is_among(NUMBERS, axis->name) && i < axis->count; i++)
    if (!(axis->numbers[i] > 0)) return refuse(error, text, "must be positive");
  return status;
}

carom_status sweep_read_axes(sweep* s, carom_error* error) {
  const cli_texts* vary = &s->options->vary;
  s->num_points = 1;
  if (vary->count == 0)
    return cli_error(error, CAROM_ERROR_BAD_INPUT,
                     "sweep: nothing varies; give --vary NAME=START:STOP:COUNT");
  for (int i = 0; i < vary->count; i++) {
    sweep_axis* axis = &s->axes[s->num_axes++];
    carom_status status = read_axis(axis, vary->text[i], error);
    if (status != CAROM_OK) return status;
    for (int k = 0; k < i; k++)
      if (strcmp(s->axes[k].name, axis->name) == 0)
        return refuse(error, vary->text[i], "it varies twice");
    if (axis->count > INT_MAX / s->num_points)
      return refuse(error, vary->text[i], "there are too many points");
    s->num_points *= axis->count;
  }
  return CAROM_OK;
}

void sweep_release_axes(sweep* s) {
  for (int i = 0; i < s->num_axes; i++) {
    sweep_axis* axis = &s->axes[i];
    for (int k = 0; axis->words && k < axis->count; k++) free(axis->words[k]);
    free((void*)axis->words);
    free(axis->numbers);
    free(axis->name);
  }
}

int sweep_index(const sweep* s, int point, int axis) {
  for (int i = s->num_axes - 1; i > axis; i--) point /= s->axes[i].count;
  return point % s->axes[axis].count;
}
