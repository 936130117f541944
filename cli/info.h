/* `carom info`: what a model or a recording holds. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "carom/model.h"

/* Prints everything about a model. */
void info_print_model(const carom_model* model, const char* path);

/* Prints a line about a soft body of a model or recording; the first has a heading above it. */
void info_print_soft(const carom_soft_info* soft, int index);

/* Prints what a recording holds; returns the exit code. */
int info_print_recording(const char* path);

#endif
