/* The frames of a page as bytes (docs/viewer.md describes them). */
#ifndef CR_HTML_FRAMES_H
#define CR_HTML_FRAMES_H

#include "html/sink.h"
#include "html/survey.h"

/* Writes the frames that the survey chose into the data of a page. */
carom_status cr_html_put_frames(cr_html_sink* sink, const cr_html_survey* survey,
                                carom_recording* recording, carom_error* error);

#endif
