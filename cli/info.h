/* `carom info`: what a model or a recording holds. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "carom/model.h"
#include "carom/record.h"

/* Prints everything about a model. */
void info_print_model(const carom_model* model, const char* path);

/* Prints a line about a soft body of a model or recording; the first has a heading above it. */
void info_print_soft(const carom_soft_info* soft, int index);

/* The same of models and recordings as JSON; returns the exit code. */
int info_print_model_json(const carom_model* model, const char* path);
int info_print_recording_json(const carom_recording* recording, const char* path);

#endif
