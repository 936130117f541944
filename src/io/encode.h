/* zlib with the caller's memory, and base64 (RFC 4648). */
#ifndef CR_IO_ENCODE_H
#define CR_IO_ENCODE_H

#include "io/buffer.h"

#include <zlib.h>

/* A stream of zlib that takes its memory from an allocator, which must outlive it. */
z_stream cr_zlib_make_stream(const carom_allocator* allocator);

/* Appends bytes, deflated (RFC 1950), to a buffer. */
void cr_deflate_append(cr_buffer* buffer, const void* bytes, size_t count, int level);

/* Four digits for three bytes. */
void cr_base64_encode_group(const unsigned char bytes[3], char digits[4]);

/* The last group, of `count` bytes, 0 to 3; returns the number of digits, 0 or 4. */
size_t cr_base64_encode_last(const unsigned char* bytes, size_t count, char digits[4]);

/* Appends the digits of bytes to a buffer. */
void cr_base64_append(cr_buffer* buffer, const void* bytes, size_t count);

#endif
