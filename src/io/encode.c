/* zlib with the caller's memory, and base64. */
#include "io/encode.h"

#include <limits.h>
#include <string.h>

/* --- Memory for zlib: blocks that know their size, which the hooks want back ---------------------
 */

static voidpf allocate(voidpf user, uInt items, uInt size) {
  const carom_allocator* allocator = user;
  size_t whole = CR_ALIGNMENT + (size_t)items * size;
  char* block = cr_alloc(allocator, whole);
  if (!block) return NULL;
  memcpy(block, &whole, sizeof whole);
  return block + CR_ALIGNMENT;
}

static void release(voidpf user, voidpf address) {
  char* block = (char*)address - CR_ALIGNMENT;
  size_t whole;
  memcpy(&whole, block, sizeof whole);
  cr_release(user, block, whole);
}

z_stream cr_zlib_make_stream(const carom_allocator* allocator) {
  return (z_stream){.zalloc = allocate, .zfree = release, .opaque = (voidpf)allocator};
}

void cr_deflate_append(cr_buffer* buffer, const void* bytes, size_t count, int level) {
  z_stream z = cr_zlib_make_stream(buffer->allocator);
  if (deflateInit(&z, level) != Z_OK) {
    buffer->out_of_memory = true;
    return;
  }
  uLong most = deflateBound(&z, (uLong)count);
  z.next_in = (Bytef*)bytes, z.avail_in = (uInt)count;
  z.next_out = cr_buffer_extend(buffer, most), z.avail_out = (uInt)most;
  if (z.next_out) {
    deflate(&z, Z_FINISH);
    buffer->count -= z.avail_out;
  }
  deflateEnd(&z);
}

carom_status cr_inflate(const carom_allocator* allocator, const void* packed, size_t count,
                        void* bytes, size_t size) {
  z_stream z = cr_zlib_make_stream(allocator);
  if (count > UINT_MAX || size > UINT_MAX) return CAROM_ERROR_BAD_INPUT;
  if (inflateInit(&z) != Z_OK) return CAROM_ERROR_OUT_OF_MEMORY;
  z.next_in = (Bytef*)packed, z.avail_in = (uInt)count;
  z.next_out = bytes, z.avail_out = (uInt)size;
  int code = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  if (code == Z_MEM_ERROR) return CAROM_ERROR_OUT_OF_MEMORY;
  return code == Z_STREAM_END && z.avail_out == 0 ? CAROM_OK : CAROM_ERROR_BAD_INPUT;
}

/* --- Base64 -------------------------------------------------------------------------------------
 */

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void cr_base64_encode_group(const unsigned char bytes[3], char digits[4]) {
  unsigned bits = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
  for (int k = 0; k < 4; k++) digits[k] = DIGITS[bits >> (18 - 6 * k) & 63];
}

static int value_of_digit(char digit) {
  const char* at = digit ? strchr(DIGITS, digit) : NULL;
  return at ? (int)(at - DIGITS) : -1;
}

int cr_base64_decode_group(const char digits[4], unsigned char bytes[3]) {
  int count = digits[2] == '=' ? 1 : digits[3] == '=' ? 2 : 3;
  unsigned bits = 0;
  for (int k = 0; k < 4; k++) {
    int value = k <= count ? value_of_digit(digits[k]) : digits[k] == '=' ? 0 : -1;
    if (value < 0) return 0;
    bits = bits << 6 | (unsigned)value;
  }
  for (int k = 0; k < count; k++) bytes[k] = (unsigned char)(bits >> (16 - 8 * k));
  return count;
}

size_t cr_base64_encode_last(const unsigned char* bytes, size_t count, char digits[4]) {
  unsigned char group[3] = {0};
  if (count == 0) return 0;
  memcpy(group, bytes, count);
  cr_base64_encode_group(group, digits);
  for (size_t k = count + 1; k < 4; k++) digits[k] = '=';
  return 4;
}

void cr_base64_append(cr_buffer* buffer, const void* bytes, size_t count) {
  const unsigned char* from = bytes;
  char digits[4];
  char* to = cr_buffer_extend(buffer, count / 3 * 4);
  if (!to) return;
  for (size_t i = 0; i + 3 <= count; i += 3, to += 4) cr_base64_encode_group(from + i, to);
  size_t rest = count % 3;
  cr_buffer_append(buffer, digits, cr_base64_encode_last(from + count - rest, rest, digits));
}
