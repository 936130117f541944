/* Numbers as options, tables and command lines hold them. */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stdbool.h>

/* Reads a finite number that fills the text; false otherwise. */
bool cli_read_number(const char* text, double* number);

#endif
