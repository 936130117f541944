/* zlib with the caller's memory, and base64. */
#include "io/encode.h"

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

/* --- Base64 -------------------------------------------------------------------------------------
 */

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void cr_base64_encode_group(const unsigned char bytes[3], char digits[4]) {
  unsigned bits = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
  for (int k = 0; k < 4; k++) digits[k] = DIGITS[bits >> (18 - 6 * k) & 63];
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
