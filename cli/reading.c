#include "reading.h"

#include "decompose.h"

#include "carom/builder.h"
#include "carom/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const cli_friction_rules[] = {"file", "larger", "harmonic", "smaller", NULL};

/* In the order of carom_mesh_shape. */
const char* const cli_mesh_shapes[] = {"file", "hull", "surface", NULL};

/* Folders in which other programs look for packages and models. */
static const char* const VARIABLES[] = {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH",
                                        "GAZEBO_MODEL_PATH",    "GAZEBO_RESOURCE_PATH",
                                        "ROS_PACKAGE_PATH",     "AMENT_PREFIX_PATH"};
#define NUM_VARIABLES (sizeof VARIABLES / sizeof VARIABLES[0])

/* The option's folders, then those of the environment; null without memory. */
static char* list_folders(const char* search) {
  size_t size = (search ? strlen(search) : 0) + 2;
  for (size_t i = 0; i < NUM_VARIABLES; i++) {
    const char* value = getenv(VARIABLES[i]);
    size += (value ? strlen(value) : 0) + 1;
  }
  char* all = malloc(size);
  if (!all) return NULL;
  size_t used = (size_t)snprintf(all, size, "%s", search ? search : "");
  for (size_t i = 0; i < NUM_VARIABLES; i++) {
    const char* more = getenv(VARIABLES[i]);
    if (more && *more)
      used += (size_t)snprintf(all + used, size - used, "%s%s", used ? ":" : "", more);
  }
  return all;
}

int cli_make_load_def(const char* command, const cli_reading* reading, carom_load_def* def) {
  *def = carom_load_def_default();
  def->floor = reading->floor;
  def->permissive = reading->permissive;
  def->outside = reading->outside;
  def->friction_rule = reading->friction_rule - 1;
  def->mesh = (carom_mesh_shape)reading->mesh;
  if (reading->decompose) def->decompose = cli_decompose;
  static char* folders; /* until the program ends */
  free(folders);
  def->search = folders = list_folders(reading->search);
  if (!folders) return cli_fail(EXIT_INPUT, "%s: out of memory", command);
  if (reading->fixed_base) def->base = CAROM_BASE_FIXED;
  if (reading->free_base) def->base = CAROM_BASE_FREE;
  if (!reading->fixed_base || !reading->free_base) return -1;
  return cli_fail(EXIT_USAGE, "%s: --fixed-base and --free-base are both given", command);
}
