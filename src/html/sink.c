/* Text and deflated data into a file. */
#include "html/sink.h"

#include <string.h>

enum { LEVEL = 9 };

/* --- The file -----------------------------------------------------------------------------------
 */

carom_status cr_html_sink_open(cr_html_sink* sink, const char* path,
                               const carom_allocator* allocator, carom_error* error) {
  *sink = (cr_html_sink){.allocator = allocator};
  return cr_file_open(&sink->file, path, error);
}

void cr_html_put_text(cr_html_sink* sink, const char* text, size_t length) {
  cr_file_put(&sink->file, text, length);
}

carom_status cr_html_sink_close(cr_html_sink* sink, carom_error* error) {
  carom_status status = cr_file_close(&sink->file, error);
  return sink->out_of_memory ? cr_error_memory(error) : status;
}

/* --- Base64 -------------------------------------------------------------------------------------
 */

static void put_encoded(cr_html_sink* sink, const unsigned char* bytes, size_t count) {
  char line[4096];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    sink->rest[sink->num_rest++] = bytes[i];
    if (sink->num_rest < 3) continue;
    sink->num_rest = 0;
    cr_base64_encode_group(sink->rest, line + used);
    used += 4;
    if (used < sizeof line) continue;
    cr_html_put_text(sink, line, used);
    used = 0;
  }
  cr_html_put_text(sink, line, used);
}

static void put_last_group(cr_html_sink* sink) {
  char digits[4];
  cr_html_put_text(sink, digits, cr_base64_encode_last(sink->rest, sink->num_rest, digits));
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
  sink->deflate = cr_zlib_make_stream(sink->allocator);
  sink->out_of_memory = deflateInit(&sink->deflate, LEVEL) != Z_OK;
}

void cr_html_put(cr_html_sink* sink, const void* bytes, size_t count) {
  const unsigned char* from = bytes;
  if (sink->out_of_memory || sink->file.failure) return;
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
