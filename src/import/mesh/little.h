/* Little-endian numbers of binary mesh files, wherever they stand. */
#ifndef CR_IMPORT_MESH_LITTLE_H
#define CR_IMPORT_MESH_LITTLE_H

#include <stdint.h>
#include <string.h>

static inline uint32_t cr_little_word(const char* bytes) {
  const unsigned char* b = (const unsigned char*)bytes;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline double cr_little_single(const char* bytes) {
  uint32_t bits = cr_little_word(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

#endif
