/* Text and deflated data into a file. */
#include "html/sink.h"

#include <errno.h>
#include <string.h>

enum { LEVEL = 9 };

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

/* --- The file -----------------------------------------------------------------------------------
 */

carom_status cr_html_sink_open(cr_html_sink* sink, const char* path,
                               const carom_allocator* allocator, carom_error* error) {
  *sink = (cr_html_sink){.allocator = allocator, .path = path};
  sink->file = fopen(path, "wb");
  if (sink->file) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be created: %s", path,
                      strerror(errno));
}

void cr_html_put_text(cr_html_sink* sink, const char* text, size_t length) {
  if (sink->failure || length == 0) return;
  sink->num_bytes += (int64_t)length;
  if (fwrite(text, 1, length, sink->file) != length) sink->failure = errno ? errno : EIO;
}

carom_status cr_html_sink_close(cr_html_sink* sink, carom_error* error) {
  if (fclose(sink->file) != 0 && !sink->failure) sink->failure = errno ? errno : EIO;
  if (sink->out_of_memory) return cr_error_memory(error);
  if (!sink->failure) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be written: %s", sink->path,
                      strerror(sink->failure));
}

/* --- Base64 -------------------------------------------------------------------------------------
 */

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_group(const unsigned char bytes[3], char digits[4]) {
  unsigned bits = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
  for (int k = 0; k < 4; k++) digits[k] = DIGITS[bits >> (18 - 6 * k) & 63];
}

static void put_encoded(cr_html_sink* sink, const unsigned char* bytes, size_t count) {
  char line[4096];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    sink->rest[sink->num_rest++] = bytes[i];
    if (sink->num_rest < 3) continue;
    sink->num_rest = 0;
    encode_group(sink->rest, line + used);
    used += 4;
    if (used < sizeof line) continue;
    cr_html_put_text(sink, line, used);
    used = 0;
  }
  cr_html_put_text(sink, line, used);
}

static void put_last_group(cr_html_sink* sink) {
  size_t count = sink->num_rest;
  if (count == 0) return;
  char digits[4];
  memset(sink->rest + count, 0, 3 - count);
  encode_group(sink->rest, digits);
  for (size_t k = count + 1; k < 4; k++) digits[k] = '=';
  cr_html_put_text(sink, digits, 4);
  sink->num_rest = 0;
}

/* --- Deflate ------------------------------------------------------------------------------------
 */

/* Hands what has gathered to the deflater, and what comes out to the file. */
static void flush(cr_html_sink* sink, int mode) {
  unsigned char out[4096];
  z_stream* z = &sink->deflate;
  z->next_in = sink->in, z->avail_in = (uInt)sink->num_in;
  sink->num_in = 0;
  do {
    z->next_out = out, z->avail_out = sizeof out;
    deflate(z, mode);
    put_encoded(sink, out, sizeof out - z->avail_out);
  } while (z->avail_out == 0);
}

void cr_html_begin_data(cr_html_sink* sink) {
  sink->deflate =
      (z_stream){.zalloc = allocate, .zfree = release, .opaque = (voidpf)sink->allocator};
  sink->out_of_memory = deflateInit(&sink->deflate, LEVEL) != Z_OK;
}

void cr_html_put(cr_html_sink* sink, const void* bytes, size_t count) {
  const unsigned char* from = bytes;
  if (sink->out_of_memory || sink->failure) return;
  while (count > 0) {
    size_t room = sizeof sink->in - sink->num_in, part = count < room ? count : room;
    memcpy(sink->in + sink->num_in, from, part);
    sink->num_in += part, from += part, count -= part;
    if (sink->num_in == sizeof sink->in) flush(sink, Z_NO_FLUSH);
  }
}

void cr_html_end_data(cr_html_sink* sink) {
  if (sink->out_of_memory) return;
  flush(sink, Z_FINISH);
  deflateEnd(&sink->deflate);
  put_last_group(sink);
}
