/* The known word that a misspelt one may have been meant for. */
#ifndef CR_BASE_NEAREST_H
#define CR_BASE_NEAREST_H

#include "base/shared.h"

/* Longest word that is looked at, with its end. */
#define CR_NEAREST_MOST 40

/* How many letters must be put in, left out, changed or swapped to make one word of the other; big
 * and small letters count as the same. At most 99. */
CR_SHARED int cr_nearest_distance(const char* a, const char* b);

/* Whether two words that far apart are likely the same, misspelt. */
CR_SHARED int cr_nearest_is_close(const char* word, int distance);

/* The nearest word of a list, " a b ".
 * @param found [CR_NEAREST_MOST] receives it; empty where none is near */
CR_SHARED void cr_nearest_find(const char* list, const char* word, char* found);

#endif
