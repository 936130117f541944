/* Sorting of 64-bit keys in time that grows with their number alone. */
#ifndef CR_GEOM_RADIX_H
#define CR_GEOM_RADIX_H

#include <stdint.h>

typedef struct cr_radix_item {
  uint64_t key;
  int value;
} cr_radix_item;

/* Sorts by key; items of one key keep their order.
 * @param spare [count] scratch */
void cr_radix_sort(cr_radix_item* items, int count, cr_radix_item* spare);

#endif
