/* Names near to a word, by the number of letters to change (Levenshtein 1966). */
#include "near.h"

#include "common/print.h"
#include "text.h"
#include "what.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LETTERS = 63, MAX_NAMES = 24, LINE = 78 };

/* --- Distances ----------------------------------------------------------------------------------
 */

/* Letters to add, remove or replace; those after the first 63 do not count. */
static int distance(const char* a, const char* b) {
  int row[MAX_LETTERS + 1];
  int n = (int)strnlen(a, MAX_LETTERS), m = (int)strnlen(b, MAX_LETTERS);
  for (int j = 0; j <= m; j++) row[j] = j;
  for (int i = 1; i <= n; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      int replaced = corner + (a[i - 1] != b[j - 1]);
      int changed = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      corner = row[j];
      row[j] = replaced < changed ? replaced : changed;
    }
  }
  return row[m];
}

/* How far a name is from what a word may mean: a part of it, or it misspelt; 0 without a word. */
static int rank(const char* word, const char* name) {
  if (!word) return 0;
  return strstr(name, word) ? 0 : distance(word, name);
}

/* --- Names --------------------------------------------------------------------------------------
 */

typedef struct near_name {
  const char* name;
  int rank, index;
} near_name;

static int compare(const void* a, const void* b) {
  const near_name *p = a, *q = b;
  return p->rank != q->rank ? p->rank - q->rank : p->index - q->index;
}

/* Named parts of a kind, without the world, the nearest first; null without memory. */
static near_name* sort_names(const plot_source* s, plot_part part, const char* word, int* count) {
  int total = plot_source_count(s, part);
  near_name* names = calloc((size_t)total + 1, sizeof *names);
  *count = 0;
  for (int i = part == PLOT_BODY ? 1 : 0; names && i < total; i++) {
    const char* name = plot_source_name(s, part, i);
    if (name[0]) names[(*count)++] = (near_name){name, rank(word, name), i};
  }
  if (names) qsort(names, (size_t)*count, sizeof *names, compare);
  return names;
}

static void consider(const char* word, const char* name, int* least, const char** nearest) {
  int letters = distance(word, name);
  if (name[0] && letters < *least) *least = letters, *nearest = name;
}

const char* plot_near_find(const plot_source* s, const char* word) {
  int least = (int)strnlen(word, MAX_LETTERS) / 3 + 2;
  const char* nearest = NULL;
  for (const plot_quantity* q = PLOT_QUANTITIES; q->name; q++)
    consider(word, q->name, &least, &nearest);
  for (int part = 0; part < PLOT_NUM_PARTS; part++)
    for (int i = 0; i < plot_source_count(s, (plot_part)part); i++)
      consider(word, plot_source_name(s, (plot_part)part, i), &least, &nearest);
  return nearest;
}

/* --- Printing -----------------------------------------------------------------------------------
 */

typedef struct palette {
  const char *heading, *name, *end;
} palette;

static palette choose_palette(void) {
  const char* none = getenv("NO_COLOR");
  if (!isatty(STDERR_FILENO) || (none && *none)) return (palette){"", "", ""};
  return (palette){"\x1b[1;33m", "\x1b[36m", "\x1b[0m"};
}

/* Stress is of soft bodies. */
static void print_quantities(const plot_source* s, const palette* p) {
  fprintf(stderr, "%squantities%s, all of it or a part such as energy.total:\n", p->heading,
          p->end);
  for (const plot_quantity* q = PLOT_QUANTITIES; q->name; q++)
    if (s->info.num_softs > 0 || strcmp(q->name, "stress") != 0)
      fprintf(stderr, "  %s%-12s%s %s\n", p->name, q->name, p->end, q->parts);
}

static void print_names(const plot_source* s, const palette* p, plot_part part, const char* word) {
  static const char* const KINDS[] = {"joints", "bodies", "soft bodies", "attachments"};
  static const char* const PARTS[] = {".q and .v", ".position, .orientation, .velocity, .omega",
                                      ".stress", ".force and .moment"};
  int count, column = 2;
  near_name* names = sort_names(s, part, word, &count);
  if (names && count > 0) {
    fprintf(stderr, "%s%s%s, or their %s:\n ", p->heading, KINDS[part], p->end, PARTS[part]);
    for (int i = 0; i < count && i < MAX_NAMES; i++) {
      char clean[128];
      plot_clean_text(names[i].name, clean, sizeof clean);
      column += (int)strlen(clean) + 1;
      if (column > LINE) fputs("\n ", stderr), column = 2 + (int)strlen(clean) + 1;
      fprintf(stderr, " %s%s%s", p->name, clean, p->end);
    }
    if (count > MAX_NAMES) fprintf(stderr, " and %d more", count - MAX_NAMES);
    fputs("\n", stderr);
  }
  free(names);
}

void plot_near_print(const plot_source* source, const char* word) {
  palette p = choose_palette();
  cli_print_to(stderr, "\nWhat can be plotted of %s:\n", source->path);
  print_quantities(source, &p);
  for (int part = 0; part < PLOT_NUM_PARTS; part++) print_names(source, &p, (plot_part)part, word);
  bool is_soft = source->info.num_softs > 0;
  fprintf(stderr,
          is_soft ? "joint:, body:, soft: and attachment:NAME say which is meant; a number stands "
                    "for one without a name\n"
                  : "joint:NAME and body:NAME say which is meant; a number stands for one without "
                    "a name\n");
}
