/* FNV-1a, for keys of patterns and hashes of states; not for anything that must resist an attacker.
 */
#ifndef CR_BASE_HASH_H
#define CR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CR_HASH_SEED UINT64_C(0xcbf29ce484222325)

/* Continues a hash over `size` bytes; start with CR_HASH_SEED. */
static inline uint64_t cr_hash_bytes(uint64_t hash, const void* data, size_t size) {
  const unsigned char* bytes = (const unsigned char*)data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Continues a hash with one integer, in one round over the whole word. */
static inline uint64_t cr_hash_u64(uint64_t hash, uint64_t value) {
  hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
  hash *= UINT64_C(0xff51afd7ed558ccd);
  return hash ^ (hash >> 32);
}

#endif
