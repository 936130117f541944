/* What must be known of a recording before its frames are written: which of them go into the page,
 * what happened in the steps up to each, and how far the numbers reach. */
#ifndef CR_HTML_SURVEY_H
#define CR_HTML_SURVEY_H

#include "base/alloc.h"
#include "base/error.h"
#include "html/softs.h"

#include "carom/html.h"

/* Of the steps between a frame of the page and the one before. */
typedef struct cr_html_figures {
  int index; /* of the frame in the recording */
  int steps, substeps, iterations, outer_iterations;
  double error_bound, residual, stick_slip, wall_time;
} cr_html_figures;

/* Where the numbers of a curve come from. */
typedef enum cr_html_source { CR_HTML_Q, CR_HTML_V, CR_HTML_CTRL } cr_html_source;

/* A coordinate or velocity of a joint, or a control, that is shown as a curve. */
typedef struct cr_html_channel {
  cr_html_source source;
  int owner, component, at; /* joint or actuator; `at`: its place in q, v or ctrl */
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
  double largest_pressure;  /* Pa */
  double position_step, rotation_step, force_step;
  double area_step, pressure_step; /* of the corners of areas */
  cr_html_softs softs;
  cr_arena arena; /* holds these */
  carom_error unread;
} cr_html_survey;

/* Reads all frames once.
 * @param rate of the page, 0: all frames */
carom_status cr_html_survey_init(cr_html_survey* survey, carom_recording* recording, double rate,
                                 const carom_allocator* allocator, carom_error* error);

/* The value of a channel in a frame. */
double cr_html_channel_get(const cr_html_channel* channel, const carom_frame* frame);

void cr_html_survey_free(cr_html_survey* survey);

#endif
