/* What of a recording can be plotted, for people who do not know its names. */
#ifndef PLOT_NEAR_H
#define PLOT_NEAR_H

#include "source.h"

/* The name that is nearest to a word: a quantity, joint or body; null where none is near. */
const char* plot_near_find(const plot_source* source, const char* word);

/* Prints on standard error what can be plotted, in colours on a terminal; joints and bodies whose
 * names are near to the word come first.
 * @param word null: none */
void plot_near_print(const plot_source* source, const char* word);

#endif
