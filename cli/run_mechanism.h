/* What `carom run --mechanism` says. */
#ifndef CLI_RUN_MECHANISM_H
#define CLI_RUN_MECHANISM_H

#include "json.h"
#include "run.h"

/* A body's name, or its number, at most 63 characters. */
void run_name_body(const carom_sim* sim, int body, size_t size, char* text);

/* For people; nothing where it is not asked for. */
void run_print_mechanism(const run_options* options, const run_summary* summary, carom_sim* sim);

/* For programs: all joints. */
json_t* run_mechanism_list(const run_options* options, const run_summary* summary, carom_sim* sim);

#endif
