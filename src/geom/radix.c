/* Radix sort, least significant byte first; bytes in which all keys agree cost nothing. Few items
 * are sorted by insertion. */
#include "geom/radix.h"

#include "base/copy.h"

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

/* Moves the items to where one byte of theirs puts them. */
static void scatter(const cr_radix_item* from, int count, int byte, cr_radix_item* to) {
  int place[VALUES] = {0}, next = 0;
  for (int i = 0; i < count; i++) place[byte_of(from[i].key, byte)]++;
  for (int value = 0; value < VALUES; value++) {
    int here = place[value];
    place[value] = next;
    next += here;
  }
  for (int i = 0; i < count; i++) to[place[byte_of(from[i].key, byte)]++] = from[i];
}

void cr_radix_sort(cr_radix_item* items, int count, cr_radix_item* spare) {
  if (count <= FEW) {
    insertion_sort(items, count);
    return;
  }
  uint64_t differing = 0;
  for (int i = 1; i < count; i++) differing |= items[i].key ^ items[0].key;
  cr_radix_item *from = items, *to = spare;
  for (int byte = 0; byte < BYTES; byte++) {
    if (byte_of(differing, byte) == 0) continue;
    scatter(from, count, byte, to);
    cr_radix_item* swap = from;
    from = to, to = swap;
  }
  if (from != items) CR_COPY(items, from, count);
}
