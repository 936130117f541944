#include "reading.h"

int cli_make_load_def(const char* command, const cli_reading* reading, carom_load_def* def) {
  *def = carom_load_def_default();
  def->floor = reading->floor;
  def->permissive = reading->permissive;
  def->outside = reading->outside;
  if (reading->fixed_base) def->base = CAROM_BASE_FIXED;
  if (reading->free_base) def->base = CAROM_BASE_FREE;
  if (!reading->fixed_base || !reading->free_base) return -1;
  return cli_fail(EXIT_USAGE, "%s: --fixed-base and --free-base are both given", command);
}
