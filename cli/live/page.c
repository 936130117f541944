/* Pages are written to files; these are files of a temporary folder, gone when they are read. */
#include "page.h"

#include "../cli.h"
#include "../page.h"
#include "../state.h"
#include "common/files.h"

#include "carom/html.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder and the names of the two files in it. */
typedef struct workplace {
  char folder[PATH_MAX - 32], recording[PATH_MAX], page[PATH_MAX];
} workplace;

static carom_status make_workplace(workplace* w, carom_error* error) {
  const char* root = getenv("TMPDIR");
  int length = snprintf(w->folder, sizeof w->folder, "%s/carom-XXXXXX", root ? root : "/tmp");
  if (length >= (int)sizeof w->folder || !mkdtemp(w->folder))
    return cli_error(error, CAROM_ERROR_FILE, "%.200s: no folder can be made there: %s",
                     root ? root : "/tmp", strerror(errno));
  snprintf(w->recording, sizeof w->recording, "%s/live.h5", w->folder);
  snprintf(w->page, sizeof w->page, "%s/live.html", w->folder);
  return CAROM_OK;
}

/* Reads the page, if there is one, and clears the folder away. */
static void take_page(const workplace* w, live_page* page) {
  page->text = cli_read_file(w->page, &page->size);
  remove(w->recording);
  remove(w->page);
  rmdir(w->folder);
}

int live_page_of_recording(const char* recording, double rate, live_page* page) {
  workplace w;
  carom_error error;
  if (make_workplace(&w, &error) != CAROM_OK) return cli_fail_with(&error);
  int code = cli_page_write(recording, w.page, rate, true);
  take_page(&w, page);
  if (code != EXIT_FINE || page->text) return code;
  return cli_fail(EXIT_INPUT, "the page cannot be read back");
}

/* A recording of one frame. */
static carom_status record(carom_sim* sim, const char* path, carom_error* error) {
  carom_recorder* recorder;
  carom_status status = carom_recorder_create(sim, path, NULL, &recorder, error);
  return status == CAROM_OK ? carom_recorder_close(recorder, error) : status;
}

static carom_status write_page(const workplace* w, carom_error* error) {
  carom_recording* recording;
  carom_html_def def = carom_html_def_default();
  def.live = true;
  carom_status status = carom_recording_open(w->recording, NULL, &recording, error);
  if (status != CAROM_OK) return status;
  status = carom_html_write(recording, w->page, &def, NULL, error);
  carom_recording_close(recording);
  return status;
}

carom_status live_page_of_sim(carom_sim* sim, live_page* page, carom_error* error) {
  workplace w;
  carom_status status = make_workplace(&w, error);
  if (status != CAROM_OK) return status;
  status = record(sim, w.recording, error);
  if (status == CAROM_OK) status = write_page(&w, error);
  take_page(&w, page);
  if (status != CAROM_OK || page->text) return status;
  return cli_error(error, CAROM_ERROR_FILE, "the page cannot be read back");
}

void live_page_free(live_page* page) { free(page->text); }
