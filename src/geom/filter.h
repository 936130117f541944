/* Keys of pairs, sorted arrays of them. */
#ifndef CR_GEOM_FILTER_H
#define CR_GEOM_FILTER_H

#include <stdint.h>

/* Two indices in one key, the smaller first. */
static inline uint64_t cr_pair_key(int a, int b) {
  return (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
}

/* Index of a key in a sorted array, -1 where it is not. */
int cr_pair_key_find(const uint64_t* keys, int count, uint64_t key);

#endif
