/* The command line of a recording is one line, its words joined by spaces. */
#include "scene.h"

#include "common/error.h"
#include "common/files.h"

#include "carom/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Command line -------------------------------------------------------------------------------
 */

/* The next word; false at the end. Words that do not fit are cut. */
static bool next_word(const char** at, char* word, size_t size) {
  *at += strspn(*at, " ");
  size_t length = strcspn(*at, " ");
  size_t kept = length < size ? length : size - 1;
  memcpy(word, *at, kept);
  word[kept] = '\0';
  *at += length;
  return length > 0;
}

bool plot_scene_find_option(const char* command, const char* name, char* value, size_t size) {
  char word[512];
  size_t length = strlen(name);
  while (next_word(&command, word, sizeof word)) {
    if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, length) != 0) continue;
    const char* rest = word + 2 + length;
    if (*rest == '=') snprintf(value, size, "%s", rest + 1);
    if (*rest == '=') return true;
    if (*rest) continue;
    next_word(&command, value, size);
    return true;
  }
  return false;
}

/* --- Scene --------------------------------------------------------------------------------------
 */

/* Whether a file holds exactly this text. */
static bool holds(const char* path, const char* text) {
  FILE* file = cli_open_input(path, NULL);
  if (!file) return false;
  char part[4096];
  size_t length = strlen(text), count;
  bool same = true;
  while (same && (count = fread(part, 1, sizeof part, file)) > 0) {
    same = count <= length && memcmp(part, text, count) == 0;
    text += count, length -= same ? count : 0;
  }
  same = same && length == 0 && !ferror(file);
  fclose(file);
  return same;
}

/* The word of the command line that names the scene; false where none does. */
static bool find_file(const carom_recording_info* info, char* path, size_t size) {
  const char* at = info->options;
  while (next_word(&at, path, size))
    if (path[0] != '-' && holds(path, info->scene)) return true;
  return false;
}

/* A recording may be a stranger's: what it says does not lead out of a model's tree, and its own
 * text reads no file at all. */
static carom_status load(const carom_recording_info* info, carom_model** model,
                         carom_error* error) {
  char path[1024], value[64];
  carom_load_def def = carom_load_def_default();
  def.floor = plot_scene_find_option(info->options, "floor", value, sizeof value);
  def.permissive = plot_scene_find_option(info->options, "permissive", value, sizeof value);
  if (plot_scene_find_option(info->options, "fixed-base", value, sizeof value))
    def.base = CAROM_BASE_FIXED;
  if (plot_scene_find_option(info->options, "free-base", value, sizeof value))
    def.base = CAROM_BASE_FREE;
  *model = NULL;
  if (!info->scene[0])
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "the recording holds no scene");
  if (find_file(info, path, sizeof path)) return carom_model_load(path, &def, model, error);
  def.alone = true;
  return carom_model_load_string(info->scene, strlen(info->scene), "the recorded scene", &def,
                                 model, error);
}

/* Bodies and joints have the recorded names. */
static bool has_same_parts(const carom_recording* recording, const carom_recording_info* info,
                           const carom_model* model) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  if (sizes.num_q != info->num_q || sizes.num_v != info->num_v ||
      sizes.num_bodies != info->num_bodies || sizes.num_joints != info->num_joints)
    return false;
  for (int j = 0; j < sizes.num_joints; j++)
    if (strcmp(carom_model_get_joint(model, j).name,
               carom_recording_get_joint(recording, j).name) != 0)
      return false;
  return true;
}

carom_status plot_scene_load(const carom_recording* recording, carom_model** model,
                             carom_error* error) {
  carom_recording_info info = carom_recording_get_info(recording);
  carom_status status = load(&info, model, error);
  if (status != CAROM_OK || !info.has_parts || has_same_parts(recording, &info, *model))
    return status;
  carom_model_destroy(*model);
  *model = NULL;
  return cli_error(error, CAROM_ERROR_BAD_INPUT,
                   "the recorded scene is not the model that was recorded");
}
