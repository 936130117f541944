/* Reading state files, and setting keyframes by name. */
#include "state.h"

#include "cli.h"
#include "common/files.h"
#include "json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An array of the file; `values` is null where it has none. */
typedef struct numbers {
  const char* key;
  int expected; /* how many the model has */
  const char* of_what;
  double* values;
} numbers;

static carom_status read_numbers(const char* path, const json_t* root, numbers* n,
                                 carom_error* error) {
  const json_t* array = json_object_get(root, n->key);
  if (!array) return CAROM_OK;
  if (!json_is_array(array))
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: \"%s\" is not a list of numbers", path,
                     n->key);
  size_t count = json_array_size(array);
  if (count != (size_t)n->expected)
    return cli_error(error, CAROM_ERROR_BAD_INPUT,
                     "%s: \"%s\" has %zu numbers, the model has %d %s", path, n->key, count,
                     n->expected, n->of_what);
  n->values = calloc(count + 1, sizeof(double));
  if (!n->values) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  for (size_t i = 0; i < count; i++) {
    const json_t* item = json_array_get(array, i);
    if (!json_is_number(item))
      return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: \"%s\"[%zu] is not a number", path,
                       n->key, i);
    n->values[i] = json_number_value(item);
  }
  return CAROM_OK;
}

static carom_status read_time(const char* path, const json_t* root, double* time,
                              carom_error* error) {
  const json_t* value = json_object_get(root, "time");
  if (!value) return CAROM_OK;
  if (!json_is_number(value))
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: \"time\" is not a number", path);
  *time = json_number_value(value);
  return CAROM_OK;
}

/* Keys that a state does not have are most likely misspelt. */
static carom_status check_keys(const char* path, json_t* root, carom_error* error) {
  static const char* const KNOWN[] = {"q", "v", "ctrl", "act", "time", "version"};
  const char* key;
  json_t* value;
  json_object_foreach(root, key, value) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
      is_known = is_known || strcmp(key, KNOWN[i]) == 0;
    if (!is_known)
      return cli_error(error, CAROM_ERROR_BAD_INPUT,
                       "%s: the key \"%.60s\" is not known, must be q, v, ctrl, act or time", path,
                       key);
  }
  return CAROM_OK;
}

enum { Q, V, CTRL, ACT, NUM_ARRAYS };

static carom_status read_state(const char* path, json_t* root, numbers* arrays, double* time,
                               carom_error* error) {
  carom_status status = read_time(path, root, time, error);
  json_t* final = json_object_get(root, "final");
  json_t* state = final ? final : root;
  if (status == CAROM_OK && !json_is_object(state))
    status = cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: a state is an object with q, v and so on",
                       path);
  if (status == CAROM_OK) status = check_keys(path, state, error);
  for (int i = 0; i < NUM_ARRAYS && status == CAROM_OK; i++)
    status = read_numbers(path, state, &arrays[i], error);
  return status;
}

static carom_status restore_saved(const char* bytes, size_t length, const char* path,
                                  carom_sim* sim, carom_error* error) {
  carom_error own;
  carom_status status = carom_sim_restore(sim, bytes, length, &own);
  return status == CAROM_OK ? CAROM_OK : cli_error(error, status, "%s: %s", path, own.message);
}

static carom_status read_json(const char* text, size_t length, const char* path, carom_sim* sim,
                              carom_error* error) {
  json_error_t where;
  json_t* root = cli_json_read(text, length, CLI_JSON_FILE_DEPTH, &where);
  if (!root)
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s:%d: %s", path, where.line, where.text);

  carom_model_sizes sizes = carom_model_get_sizes(carom_sim_model(sim));
  numbers arrays[NUM_ARRAYS] = {{"q", sizes.num_q, "coordinates", NULL},
                                {"v", sizes.num_v, "velocities", NULL},
                                {"ctrl", sizes.num_controls, "controls", NULL},
                                {"act", sizes.num_activations, "activations", NULL}};
  double time = carom_sim_time(sim);
  carom_status status = read_state(path, root, arrays, &time, error);
  if (status == CAROM_OK)
    status = carom_sim_set_state(sim, time, arrays[Q].values, arrays[V].values, error);
  if (status == CAROM_OK && arrays[CTRL].values && sizes.num_controls > 0)
    memcpy(carom_sim_controls(sim), arrays[CTRL].values,
           sizeof(double) * (size_t)sizes.num_controls);
  if (status == CAROM_OK && arrays[ACT].values && sizes.num_activations > 0)
    memcpy(carom_sim_activations(sim), arrays[ACT].values,
           sizeof(double) * (size_t)sizes.num_activations);
  for (int i = 0; i < NUM_ARRAYS; i++) free(arrays[i].values);
  json_decref(root);
  return status;
}

carom_status cli_state_read(const char* text, size_t length, const char* path, carom_sim* sim,
                            carom_error* error) {
  bool is_saved = length > 0 && memchr(text, 0, length);
  return is_saved ? restore_saved(text, length, path, sim, error)
                  : read_json(text, length, path, sim, error);
}

/* Writes a file under another name, which then takes the place of the old one. */
static carom_status replace_file(const char* path, const void* bytes, size_t size,
                                 carom_error* error) {
  char beside[PATH_MAX];
  int length = snprintf(beside, sizeof beside, "%s.XXXXXX", path);
  int handle = length < (int)sizeof beside ? mkstemp(beside) : -1;
  FILE* file = handle >= 0 ? fdopen(handle, "wb") : NULL;
  if (!file)
    return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  mode_t mask = umask(0);
  umask(mask);
  bool done = fwrite(bytes, 1, size, file) == size && fchmod(handle, 0666 & ~mask) == 0;
  done = (fclose(file) == 0) && done && rename(beside, path) == 0;
  if (done) return CAROM_OK;
  cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  remove(beside);
  return CAROM_ERROR_FILE;
}

carom_status cli_state_save(const char* path, const carom_sim* sim, carom_error* error) {
  size_t size = carom_sim_state_size(sim);
  void* bytes = malloc(size);
  if (!bytes) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  carom_sim_save(sim, bytes);
  carom_status status = replace_file(path, bytes, size, error);
  free(bytes);
  return status;
}

carom_status cli_state_load(const char* path, carom_sim* sim, carom_error* error) {
  const char* why;
  size_t length;
  FILE* file = cli_open_input(path, &why);
  if (!file) return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be opened: %s", path, why);
  fclose(file);
  char* text = cli_read_file(path, &length);
  if (!text) return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be read", path);
  carom_status status = cli_state_read(text, length, path, sim, error);
  free(text);
  return status;
}

carom_energy cli_compute_energy(carom_sim* sim) {
  carom_energy energy = carom_sim_compute_energy(sim);
  return isnan(energy.kinetic) ? carom_sim_compute_energy(sim) : energy;
}

carom_status cli_keyframe_set(const char* name, const char* scene, carom_sim* sim,
                              carom_error* error) {
  const carom_model* model = carom_sim_model(sim);
  int index = carom_model_find_keyframe(model, name);
  if (index >= 0) return carom_sim_set_keyframe(sim, index, error);
  int count = carom_model_get_sizes(model).num_keyframes;
  char names[200] = "";
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", i ? ", " : "",
                             carom_model_get_keyframe_name(model, i));
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: there is no keyframe '%s'%s%s", scene, name,
                   count ? "; there are " : "; there are none", names);
}
