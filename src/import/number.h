/* Numbers in text, read alike in every locale and without mercy for what follows them. */
#ifndef CR_IMPORT_NUMBER_H
#define CR_IMPORT_NUMBER_H

#include <stdbool.h>

/* What a word was. */
typedef enum cr_number_kind {
  CR_NUMBER_FINITE,
  CR_NUMBER_NOT_FINITE, /* nan, inf, or too large for a double */
  CR_NUMBER_NONE,       /* anything else */
} cr_number_kind;

/* The next word of a list that is separated by blanks: its start, and its length in `length`; null
 * at the end. */
const char* cr_number_word(const char* text, int* length);

/* How many words a list has. */
int cr_number_count_words(const char* text);

/* Reads a decimal number that fills the whole word, correctly rounded. A value that is not finite
 * is stored all the same. */
cr_number_kind cr_number_read(const char* word, int length, double* value);

#endif
