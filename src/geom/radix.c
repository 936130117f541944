/* Radix sort, least significant byte first; bytes in which all keys agree cost nothing. Few items
 * are sorted by insertion. */
#include "geom/radix.h"

#include <string.h>

enum { BYTES = 8, VALUES = 256, FEW = 48 };

static void insertion_sort(cr_radix_item* items, int count) {
  for (int i = 1; i < count; i++) {
    cr_radix_item moved = items[i];
    int k = i;
    for (; k > 0 && items[k - 1].key > moved.key; k--) items[k] = items[k - 1];
    items[k] = moved;
  }
}

static unsigned byte_of(uint64_t key, int byte) { return (unsigned)(key >> (8 * byte)) & 0xff; }

static void count_bytes(const cr_radix_item* items, int count, int number[BYTES][VALUES]) {
  memset(number, 0, sizeof(int[BYTES][VALUES]));
  for (int i = 0; i < count; i++)
    for (int byte = 0; byte < BYTES; byte++) number[byte][byte_of(items[i].key, byte)]++;
}

/* Moves the items to where their byte puts them. `number` becomes the places. */
static void scatter(const cr_radix_item* from, int count, int byte, int* number,
                    cr_radix_item* to) {
  int place = 0;
  for (int value = 0; value < VALUES; value++) {
    int here = number[value];
    number[value] = place;
    place += here;
  }
  for (int i = 0; i < count; i++) to[number[byte_of(from[i].key, byte)]++] = from[i];
}

void cr_radix_sort(cr_radix_item* items, int count, cr_radix_item* spare) {
  if (count <= FEW) {
    insertion_sort(items, count);
    return;
  }
  int number[BYTES][VALUES];
  count_bytes(items, count, number);
  cr_radix_item *from = items, *to = spare;
  for (int byte = 0; byte < BYTES; byte++) {
    if (number[byte][byte_of(items[0].key, byte)] == count) continue;
    scatter(from, count, byte, number[byte], to);
    cr_radix_item* swap = from;
    from = to, to = swap;
  }
  if (from != items) memcpy(items, from, (size_t)count * sizeof *items);
}
