/* Where a page goes: text as it is, and data deflated and in base64. Failures are kept until the
 * end, so that writers need not look after each byte. */
#ifndef CR_HTML_SINK_H
#define CR_HTML_SINK_H

#include "io/encode.h"
#include "io/file.h"

typedef struct cr_html_sink {
  const carom_allocator* allocator;
  cr_file file;
  bool out_of_memory;
  z_stream deflate;
  unsigned char in[4096]; /* on the way into the deflater */
  size_t num_in;
  unsigned char rest[3]; /* deflated bytes that do not fill a group of base64 */
  size_t num_rest;
} cr_html_sink;

/* Opens the file; text goes there. */
carom_status cr_html_sink_open(cr_html_sink* sink, const char* path,
                               const carom_allocator* allocator, carom_error* error);
void cr_html_put_text(cr_html_sink* sink, const char* text, size_t length);

/* Between begin and end bytes are deflated (RFC 1950) and written in base64 (RFC 4648). */
void cr_html_begin_data(cr_html_sink* sink);
void cr_html_put(cr_html_sink* sink, const void* bytes, size_t count);
void cr_html_end_data(cr_html_sink* sink);

/* Closes the file and tells what went wrong, if anything. */
carom_status cr_html_sink_close(cr_html_sink* sink, carom_error* error);

#endif
