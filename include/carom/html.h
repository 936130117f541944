/** @file
 * A recording as one web page, which shows it in three dimensions with plots beside.
 *
 * The page holds everything: it opens from disk in any current browser, with no network.
 * `docs/viewer.md` describes it and the format of the frames in it.
 */
#ifndef CAROM_HTML_H
#define CAROM_HTML_H

#include "carom/record.h"

CAROM_BEGIN_DECLS

/** Options of a page. */
typedef struct carom_html_def {
  uint32_t cookie;
  carom_allocator allocator;
  double rate; /**< frames per simulated second, at most; 0: all; default 60 */
  bool live;   /**< the page also shows what comes through the WebSocket `live` beside it, of a
                    server of its own (`carom view SCENE`, docs/viewer.md); default false */
} carom_html_def;

CAROM_API carom_html_def carom_html_def_default(void);

/** What a page holds. */
typedef struct carom_html_report {
  int num_frames;        /**< in the page; at least one */
  int num_unread;        /**< frames of the recording from the first that could not be read on */
  int64_t num_bytes;     /**< of the page */
  double position_error; /**< m, positions in the page are this near to the recorded ones */
  double rotation_error; /**< the same of the components of quaternions */
  carom_error unread;    /**< why the first unread frame could not be read */
} carom_html_report;

/** Writes the page of a recording. Frames after one that cannot be read are left out.
 * @param path an existing file is replaced; must not be the recording's own
 * @param def null: the defaults
 * @param report may be null
 * @return CAROM_ERROR_FILE when it cannot be written; CAROM_ERROR_BAD_INPUT when no frame can be
 * read */
CAROM_API carom_status carom_html_write(carom_recording* recording, const char* path,
                                        const carom_html_def* def, carom_html_report* report,
                                        carom_error* error);

CAROM_END_DECLS

#endif
