/* What a page says of a recording beside its frames, as JSON. */
#ifndef CR_HTML_HEADER_H
#define CR_HTML_HEADER_H

#include "html/survey.h"
#include "io/buffer.h"

typedef cr_buffer cr_html_text;

/* Writes the header; the text is to be freed in any case. */
void cr_html_make_header(cr_html_text* text, const cr_html_survey* survey,
                         const carom_recording* recording);

#endif
