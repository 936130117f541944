/* What of a sweep is done, in FILE.csv.part: a line that says of which sweep, then "POINT,ROW" for
 * each point, as they come. */
#include "common/files.h"
#include "sweep.h"

#include "carom/parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Which sweep --------------------------------------------------------------------------------
 */

/* FNV-1a, 64 bits. */
static uint64_t add_bytes(uint64_t hash, const void* bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char*)bytes)[i]) * UINT64_C(1099511628211);
  return hash;
}

static uint64_t add_text(uint64_t hash, const char* text) {
  return text ? add_bytes(hash, text, strlen(text) + 1) : add_bytes(hash, "", 1);
}

/* All parameters of the parts of a kind, or of the model, that have the field of a row. */
static uint64_t add_field(uint64_t hash, const carom_builder* builder, int row) {
  carom_parameter_field field = carom_parameter_get_field(row);
  double values[64];
  for (int part = 0;; part++) {
    char name[160];
    carom_parameter parameter;
    bool is_model = strcmp(field.kind, "model") == 0;
    if (is_model)
      snprintf(name, sizeof name, "model.%s", field.name);
    else
      snprintf(name, sizeof name, "%s.%d.%s", field.kind, part, field.name);
    bool found = field.count <= 64 &&
                 carom_builder_find_parameter(builder, name, &parameter, NULL) == CAROM_OK;
    if (found && carom_builder_get_parameter(builder, &parameter, values, NULL) == CAROM_OK)
      hash = add_bytes(hash, values, sizeof *values * (size_t)parameter.count);
    bool is_world = part == 0 && strcmp(field.kind, "body") == 0; /* it has no parameters */
    if (is_model || (!found && !is_world)) return hash;
  }
}

/* Of the model's sizes and numbers, the axes, and the options of runs. */
static uint64_t hash_sweep(const sweep* s) {
  const sweep_options* o = s->options;
  carom_model_sizes sizes = carom_model_get_sizes(s->model);
  const double numbers[] = {o->duration, o->dt, o->tolerance, o->friction, o->solver};
  uint64_t hash = add_bytes(UINT64_C(14695981039346656037), &sizes, sizeof sizes);
  for (int row = 0; row < carom_parameter_count_fields(); row++)
    hash = add_field(hash, carom_model_get_description(s->model), row);
  for (int i = 0; i < o->vary.count; i++) hash = add_text(hash, o->vary.text[i]);
  hash = add_bytes(hash, numbers, sizeof numbers);
  return add_text(add_text(hash, o->scheme), o->keyframe);
}

/* --- The file -----------------------------------------------------------------------------------
 */

static carom_status refuse(carom_error* error, const char* path, const char* what) {
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: %s; remove it to begin anew", path, what);
}

static carom_status take_row(sweep* s, const char* path, char* line, carom_error* error) {
  char* end;
  long point = strtol(line, &end, 10);
  if (end == line || *end != ',' || point < 0 || point >= s->num_points)
    return refuse(error, path, "this is not what is done of a sweep");
  if (s->rows[point]) return CAROM_OK;
  s->rows[point] = strdup(end + 1);
  return s->rows[point] ? CAROM_OK : cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

/* Whole lines of the text; `*size` becomes their length. */
static carom_status take_text(sweep* s, const char* path, const char* head, char* text,
                              size_t* size, carom_error* error) {
  char* last = strrchr(text, '\n');
  size_t whole = last ? (size_t)(last + 1 - text) : 0, length = strlen(head);
  if (!whole && strncmp(text, head, *size) != 0)
    return refuse(error, path, "this is not what is done of a sweep");
  *size = whole;
  if (!whole) return CAROM_OK;
  if (strncmp(text, "carom sweep ", 12) != 0)
    return refuse(error, path, "this is not what is done of a sweep");
  if (strncmp(text, head, length) != 0) return refuse(error, path, "it is of another sweep");
  text[whole] = '\0';
  for (char *line = text + length, *end; *line; line = end) {
    end = strchr(line, '\n');
    *end++ = '\0';
    carom_status status = take_row(s, path, line, error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

carom_status sweep_open_part(sweep* s, const char* path, FILE** part, carom_error* error) {
  char head[64];
  size_t size = 0;
  *part = NULL;
  snprintf(head, sizeof head, "carom sweep 1 %016" PRIx64 "\n", hash_sweep(s));
  char* text = access(path, F_OK) == 0 ? cli_read_file(path, &size) : strdup("");
  if (!text) return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be read", path);
  carom_status status = strlen(text) == size
                            ? take_text(s, path, head, text, &size, error)
                            : refuse(error, path, "this is not what is done of a sweep");
  free(text);
  if (status != CAROM_OK) return status;
  FILE* file = fopen(path, "a");
  bool done = file && ftruncate(fileno(file), (off_t)size) == 0;
  if (done && size == 0) done = fputs(head, file) >= 0 && fflush(file) == 0;
  if (done) {
    *part = file;
    return CAROM_OK;
  }
  status = cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  if (file) fclose(file);
  return status;
}
