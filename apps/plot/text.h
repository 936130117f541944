/* Text from recordings in pages and drawings: names may hold anything. */
#ifndef PLOT_TEXT_H
#define PLOT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Copies text as UTF-8 that XML allows, cut to the size at a whole character; what is not such a
 * character becomes U+FFFD. */
void plot_clean_text(const char* text, char* clean, size_t size);

/* Writes text into XML or HTML: cleaned, and with markup escaped. */
void plot_put_text(FILE* file, const char* text);

/* The same of formatted text, 500 bytes at most. */
__attribute__((format(printf, 2, 3))) void plot_put_format(FILE* file, const char* format, ...);

#endif
