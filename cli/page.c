/* Writes pages, and says what could not be read of their recordings. */
#include "page.h"

#include "common/files.h"

#include "carom/html.h"

#include <stdio.h>
#include <string.h>

bool cli_is_hdf5(const char* path) {
  static const char SIGNATURE[] = "\x89HDF\r\n\x1a\n";
  char start[8] = "";
  FILE* file = cli_open_input(path, NULL);
  bool same = file && fread(start, 1, 8, file) == 8 && memcmp(start, SIGNATURE, 8) == 0;
  if (file) fclose(file);
  return same;
}

static void print_report(const char* path, const carom_html_report* report) {
  cli_print("%s: %d frames, %.1f MB; open it in a browser\n", path, report->num_frames,
            (double)report->num_bytes * 1e-6);
}

int cli_page_write(const char* name, const char* path, double rate, bool quiet) {
  carom_recording* recording;
  carom_html_report report;
  carom_error error;
  if (cli_is_same_file(name, path))
    return cli_fail(EXIT_INPUT, "%s: is read by this command, and not overwritten", path);
  if (carom_recording_open(name, NULL, &recording, &error) != CAROM_OK)
    return cli_fail_with(&error);
  carom_html_def def = carom_html_def_default();
  def.rate = rate;
  carom_status status = carom_html_write(recording, path, &def, &report, &error);
  bool is_open = carom_recording_get_info(recording).is_open;
  carom_recording_close(recording);
  if (status != CAROM_OK) return cli_fail_with(&error);
  if (is_open) cli_warn("%s: was not closed; the page shows what there is of it", name);
  if (report.num_unread)
    cli_warn("%d frames are left out of the page: %s", report.num_unread, report.unread.message);
  if (!quiet) print_report(path, &report);
  return cli_finish_output(EXIT_FINE);
}
