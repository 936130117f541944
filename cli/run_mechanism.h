/* What `carom run --mechanism` says. */
#ifndef CLI_RUN_MECHANISM_H
#define CLI_RUN_MECHANISM_H

#include "json.h"
#include "run.h"

/* For people; nothing where it is not asked for. */
void run_print_mechanism(const run_options* options, const run_summary* summary, carom_sim* sim);

/* For programs: all joints. */
json_t* run_mechanism_list(const run_options* options, const run_summary* summary, carom_sim* sim);

#endif
