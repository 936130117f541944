/* Damerau's distance of words in its form of optimal alignments: rows of the table of prefixes. */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

static int lower(char c) { return tolower((unsigned char)c); }

static int least(int a, int b) { return a < b ? a : b; }

int cr_nearest_distance(const char* a, const char* b) {
  int rows = (int)strlen(a), columns = (int)strlen(b);
  int table[CR_NEAREST_MOST][CR_NEAREST_MOST];
  if (rows >= CR_NEAREST_MOST || columns >= CR_NEAREST_MOST) return 99;
  for (int i = 0; i <= rows; i++) table[i][0] = i;
  for (int k = 0; k <= columns; k++) table[0][k] = k;
  for (int i = 1; i <= rows; i++)
    for (int k = 1; k <= columns; k++) {
      int change = table[i - 1][k - 1] + (lower(a[i - 1]) != lower(b[k - 1]));
      table[i][k] = least(change, 1 + least(table[i - 1][k], table[i][k - 1]));
      if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) &&
          lower(a[i - 2]) == lower(b[k - 1]))
        table[i][k] = least(table[i][k], 1 + table[i - 2][k - 2]);
    }
  return table[rows][columns];
}

int cr_nearest_is_close(const char* word, int distance) {
  return distance <= 2 && 3 * distance < (int)strlen(word);
}

void cr_nearest_find(const char* list, const char* word, char* found) {
  int best = 99;
  found[0] = '\0';
  for (const char* at = list; *at;) {
    char known[CR_NEAREST_MOST];
    size_t length = strcspn(at, " ");
    if (length > 0 && length < sizeof known) {
      memcpy(known, at, length);
      known[length] = '\0';
      int distance = cr_nearest_distance(word, known);
      if (distance < best && cr_nearest_is_close(word, distance)) {
        best = distance;
        memcpy(found, known, length + 1);
      }
    }
    at += length + (at[length] == ' ');
  }
}
