/* What a page says of a recording beside its frames, as JSON. */
#ifndef CR_HTML_HEADER_H
#define CR_HTML_HEADER_H

#include "html/survey.h"

/* Text that grows. */
typedef struct cr_html_text {
  const carom_allocator* allocator;
  char* bytes;
  size_t count, capacity;
  bool out_of_memory;
} cr_html_text;

/* Writes the header; the text is to be freed in any case. */
void cr_html_make_header(cr_html_text* text, const cr_html_survey* survey,
                         const carom_recording* recording);
void cr_html_text_free(cr_html_text* text);

#endif
