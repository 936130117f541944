/* What must be known of a recording before its frames are written: which of them go into the page,
 * what happened in the steps up to each, and how far the numbers reach. */
#ifndef CR_HTML_SURVEY_H
#define CR_HTML_SURVEY_H

#include "base/alloc.h"
#include "base/error.h"

#include "carom/html.h"

/* Of the steps between a frame of the page and the one before. */
typedef struct cr_html_figures {
  int index; /* of the frame in the recording */
  int steps, substeps, iterations, outer_iterations;
  double error_bound, residual, stick_slip, wall_time;
} cr_html_figures;

/* A coordinate or velocity of a joint that is shown as a curve. */
typedef struct cr_html_channel {
  int joint, component, at; /* `at`: its place in q or v */
  bool is_velocity;
  double least, most, step;
} cr_html_channel;

typedef struct cr_html_survey {
  const carom_allocator* allocator;
  carom_recording_info info;
  double rate;
  bool is_live;            /* the page follows a server */
  cr_html_figures* frames; /* [num_frames, capacity] */
  int num_frames, capacity, num_unread, num_channels;
  cr_html_channel* channels;
  double least[3], most[3]; /* m, of the positions of the bodies */
  double largest_force;     /* N */
  double position_step, rotation_step, force_step;
  carom_error unread;
} cr_html_survey;

/* Reads all frames once.
 * @param rate of the page, 0: all frames */
carom_status cr_html_survey_init(cr_html_survey* survey, carom_recording* recording, double rate,
                                 const carom_allocator* allocator, carom_error* error);
void cr_html_survey_free(cr_html_survey* survey);

#endif
