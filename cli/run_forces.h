/* What `carom run --forces least` says of the last step. */
#ifndef CLI_RUN_FORCES_H
#define CLI_RUN_FORCES_H

#include "json.h"
#include "run.h"

/* Contacts, limits, dry friction and equalities that share a force which is not determined. */
json_t* run_shared_list(carom_sim* sim);

#endif
