/* Reads any bytes as a height field, a PNG picture or MuJoCo's own form: whatever they are, the
 * answer is a grid or a sentence. Sums that libpng would stop at first are put right: those of the
 * chunks, and a chunk of type "IDAW" is deflated into one of type IDAT. */
#include "import/heights.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { SIGNATURE = 8, HEADER = 8, SUM = 4 };

static void put_uint32(uint8_t* to, uint32_t value) {
  for (int k = 0; k < 4; k++) to[k] = (uint8_t)(value >> (24 - 8 * k));
}

static uint32_t get_uint32(const uint8_t* from) {
  return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* Writes the chunk at `from`, with its sum; returns its bytes. */
static size_t copy_chunk(const uint8_t* from, uint32_t length, uint8_t* to) {
  uLongf packed = compressBound(length);
  memcpy(to, from, HEADER + length);
  if (memcmp(from + 4, "IDAW", 4) == 0 &&
      compress(to + HEADER, &packed, from + HEADER, length) == Z_OK) {
    memcpy(to + 4, "IDAT", 4);
    length = (uint32_t)packed;
  }
  put_uint32(to, length);
  put_uint32(to + HEADER + length, (uint32_t)crc32(crc32(0, NULL, 0), to + 4, 4 + length));
  return HEADER + length + SUM;
}

/* A copy, whose size `size` receives; what is cut off stays as it is. */
static uint8_t* mend(const uint8_t* data, size_t* size) {
  uint8_t* to = malloc(2 * *size + 4096);
  size_t at = *size < SIGNATURE ? *size : SIGNATURE, used = at;
  if (!to) abort();
  memcpy(to, data, at);
  while (*size - at >= HEADER + SUM && used < *size + 2048) {
    uint32_t length = get_uint32(data + at);
    if (length > *size - at - HEADER - SUM) break;
    used += copy_chunk(data + at, length, to + used);
    at += HEADER + length + SUM;
  }
  *size = used;
  return to;
}

static void check(const cr_heights* heights) {
  double sum = 0;
  if (heights->num_columns < 1 || heights->num_rows < 1) abort();
  for (int i = 0; i < heights->num_columns * heights->num_rows; i++) sum += heights->height[i];
  if (sum - sum != 0) abort();
}

static void read_heights(const uint8_t* data, size_t size) {
  carom_allocator allocator = cr_allocator_resolve(NULL);
  carom_error error = {0};
  cr_heights heights = {0};
  FILE* file = fmemopen((void*)(uintptr_t)data, size, "r");
  if (!file) abort();
  carom_status status = cr_heights_read(file, "input", &allocator, &heights, &error);
  if (status == CAROM_OK) check(&heights);
  if (status != CAROM_OK && !error.message[0]) abort();
  cr_heights_release(&heights, &allocator);
  fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if (data[0] != 0x89) {
    read_heights(data, size);
    return 0;
  }
  uint8_t* mended = mend(data, &size);
  read_heights(mended, size);
  free(mended);
  return 0;
}
