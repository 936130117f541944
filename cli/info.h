/* `carom info`: what a model or a recording holds. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "carom/model.h"

/* Prints everything about a model. */
void info_print_model(const carom_model* model, const char* path);

/* Prints what a recording holds; returns the exit code. */
int info_print_recording(const char* path);

#endif
