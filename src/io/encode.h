/* zlib with the caller's memory, and base64 (RFC 4648). */
#ifndef CR_IO_ENCODE_H
#define CR_IO_ENCODE_H

#include "io/buffer.h"

#include "carom/status.h"

#include <zlib.h>

/* A stream of zlib that takes its memory from an allocator, which must outlive it. */
z_stream cr_zlib_make_stream(const carom_allocator* allocator);

/* Appends bytes, deflated (RFC 1950), to a buffer. */
void cr_deflate_append(cr_buffer* buffer, const void* bytes, size_t count, int level);

/* Inflates bytes (RFC 1950) that must give exactly `size` ones: CAROM_ERROR_BAD_INPUT where they do
 * not, CAROM_ERROR_OUT_OF_MEMORY. */
carom_status cr_inflate(const carom_allocator* allocator, const void* packed, size_t count,
                        void* bytes, size_t size);

/* Four digits for three bytes. */
void cr_base64_encode_group(const unsigned char bytes[3], char digits[4]);

/* The bytes of a group of digits, 1 to 3; 0 where it is none. */
int cr_base64_decode_group(const char digits[4], unsigned char bytes[3]);

/* The last group, of `count` bytes, 0 to 3; returns the number of digits, 0 or 4. */
size_t cr_base64_encode_last(const unsigned char* bytes, size_t count, char digits[4]);

/* Appends the digits of bytes to a buffer. */
void cr_base64_append(cr_buffer* buffer, const void* bytes, size_t count);

#endif
