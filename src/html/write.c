/* A page: the viewer, and in it the recording as one block of data: the header's length (four
 * bytes), the header, the frames. */
#include "base/cookie.h"
#include "html/frames.h"
#include "html/header.h"
#include "html/page.h"

#include <math.h>
#include <string.h>

carom_html_def carom_html_def_default(void) {
  return (carom_html_def){.cookie = CR_COOKIE(html), .rate = 60};
}

static carom_status check_def(const carom_html_def* def, carom_error* error) {
  CR_TRY(CR_CHECK_COOKIE(def, html, "page", error));
  if (def->rate >= 0 && isfinite(def->rate)) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "page: rate is %g, must be 0 or more",
                      def->rate);
}

static carom_status put_data(cr_html_sink* sink, const cr_html_survey* survey,
                             carom_recording* recording, carom_error* error) {
  cr_html_text header = {.allocator = survey->allocator};
  cr_html_make_header(&header, survey, recording);
  unsigned char length[4];
  for (int k = 0; k < 4; k++) length[k] = (unsigned char)(header.count >> 8 * k);
  carom_status status = header.out_of_memory ? cr_error_memory(error) : CAROM_OK;
  if (status == CAROM_OK) {
    cr_html_put(sink, length, sizeof length);
    cr_html_put(sink, header.bytes, header.count);
    status = cr_html_put_frames(sink, survey, recording, error);
  }
  cr_buffer_free(&header);
  return status;
}

/* The page up to a mark; what follows the mark. */
static const char* put_until(cr_html_sink* sink, const char* page, const char* mark) {
  const char* end = strstr(page, mark);
  cr_html_put_text(sink, page, (size_t)(end - page));
  return end + strlen(mark);
}

static carom_status put_page(cr_html_sink* sink, const cr_html_survey* survey,
                             carom_recording* recording, carom_error* error) {
  /* Not all browsers take 'self' for the WebSockets of the page's own server. */
  const char* connect = survey->is_live ? "'self' ws: wss:" : "'none'";
  const char* page = (const char*)cr_html_page;
  page = put_until(sink, page, CR_HTML_CONNECT_MARK);
  cr_html_put_text(sink, connect, strlen(connect));
  page = put_until(sink, page, CR_HTML_MARK);
  cr_html_begin_data(sink);
  carom_status status = put_data(sink, survey, recording, error);
  cr_html_end_data(sink);
  cr_html_put_text(sink, page, strlen(page));
  return status;
}

static carom_status write_page(const cr_html_survey* survey, carom_recording* recording,
                               const char* path, int64_t* num_bytes, carom_error* error) {
  cr_html_sink sink;
  CR_TRY(cr_html_sink_open(&sink, path, survey->allocator, error));
  carom_status status = put_page(&sink, survey, recording, error);
  carom_status closed = cr_html_sink_close(&sink, status == CAROM_OK ? error : NULL);
  *num_bytes = sink.file.num_bytes;
  return status == CAROM_OK ? closed : status;
}

carom_status carom_html_write(carom_recording* recording, const char* path,
                              const carom_html_def* def, carom_html_report* report,
                              carom_error* error) {
  carom_html_def chosen = def ? *def : carom_html_def_default();
  carom_html_report made = {0};
  cr_html_survey survey;
  if (!recording || !path)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "page: an argument is null");
  CR_TRY(check_def(&chosen, error));
  carom_allocator allocator = cr_allocator_resolve(&chosen.allocator);
  carom_status status = cr_html_survey_init(&survey, recording, chosen.rate, &allocator, error);
  survey.is_live = chosen.live;
  if (status == CAROM_OK) status = write_page(&survey, recording, path, &made.num_bytes, error);
  made.num_frames = survey.num_frames;
  made.num_unread = survey.num_unread;
  made.unread = survey.unread;
  made.position_error = survey.position_step / 2;
  made.rotation_error = survey.rotation_step / 2;
  cr_html_survey_free(&survey);
  if (report) *report = made;
  return status == CAROM_OK ? cr_error_clear(error) : status;
}
