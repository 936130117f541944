/* Published values of substances at room temperature and small strains; docs/soft.md has their
 * sources and how far they scatter. */
#include "base/error.h"

#include "carom/builder.h"

#include <stdio.h>
#include <string.h>

typedef struct substance {
  const char* name;
  double young, poisson, density; /* Pa, 1, kg/m³ */
} substance;

/* "Near 1/2" is 0.49; of ranges the middle. */
static const substance SUBSTANCES[] = {
    {"liver", 5.4e3, 0.49, 1060},       {"rubber", 1.5e6, 0.49, 950},
    {"polyethylene", 1.08e9, 0.4, 970}, {"nylon", 2.8e9, 0.4, 1150},
    {"aluminium", 69e9, 0.33, 2700},    {"steel", 200e9, 0.29, 7850},
};

#define NUM_SUBSTANCES (sizeof SUBSTANCES / sizeof SUBSTANCES[0])

/* "a, b or c" */
static void list_names(char* text, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < NUM_SUBSTANCES && used < size; i++) {
    const char* gap = i == 0 ? "" : i + 1 < NUM_SUBSTANCES ? ", " : " or ";
    used += (size_t)snprintf(text + used, size - used, "%s%s", gap, SUBSTANCES[i].name);
  }
}

carom_status carom_soft_def_set_substance(carom_soft_def* def, const char* name,
                                          carom_error* error) {
  cr_error_clear(error);
  if (!def || !name)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "soft: %s is null",
                        def ? "the substance's name" : "the definition");
  for (size_t i = 0; i < NUM_SUBSTANCES; i++) {
    const substance* s = &SUBSTANCES[i];
    if (strcmp(s->name, name) != 0) continue;
    def->young = s->young, def->poisson = s->poisson, def->density = s->density;
    return CAROM_OK;
  }
  char names[120];
  list_names(names, sizeof names);
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "soft: substance is '%.60s', must be %s", name,
                      names);
}
