/* A recording as numbers over time: channels are chosen, then all frames are read once. */
#ifndef PLOT_SOURCE_H
#define PLOT_SOURCE_H

#include "carom/record.h"

/* What a channel holds; in brackets what its index chooses. */
typedef enum plot_kind {
  PLOT_ENERGY,   /* J [kinetic, potential, elastic, dissipated] */
  PLOT_TOTAL,    /* J, kinetic, potential and elastic */
  PLOT_WORK,     /* J, of actuators since the start */
  PLOT_BALANCE,  /* J, what total and dissipated energy less work have grown since the start */
  PLOT_MOMENTUM, /* [0 linear, kg m/s; angular, kg m²/s, 3 about the centre of mass, 6 the origin]
                  */
  PLOT_CONTACTS, /* [any, separated, sticking, sliding] */
  PLOT_SHARING,  /* contacts that share forces, which are one of many */
  PLOT_SHARED,   /* such forces */
  PLOT_AREAS,    /* relative, by which the moment of friction over an area may be off */
  PLOT_RESIDUAL, /* relative; here and below NaN where no step was taken */
  PLOT_BOUND,
  PLOT_NEWTON,
  PLOT_OUTER,
  PLOT_WALL_TIME, /* ms, of a step, mean since the frame before */
  PLOT_SLIP,      /* m/s */
  PLOT_STEPS,     /* since the frame before */
  PLOT_SUBSTEPS,
  PLOT_Q,                 /* [place in q] */
  PLOT_V,                 /* [place in v] */
  PLOT_POSE,              /* m or 1 [7 body + part] */
  PLOT_LINEAR,            /* m/s [3 body + axis] */
  PLOT_ANGULAR,           /* rad/s [3 body + axis] */
  PLOT_STRESS,            /* Pa, largest of von Mises' [soft body; -1: of all] */
  PLOT_REACTION,          /* N, N m [6 attachment + part] */
  PLOT_JOINT_REACTION,    /* N, N m [6 joint + part] */
  PLOT_EQUALITY_REACTION, /* N, N m [6 equality + part] */
  PLOT_PAIR,              /* N, N m, m, what one body does to another [10 pair + part] */
} plot_kind;

enum { PLOT_NUM_KINDS = PLOT_PAIR + 1 };

/* Named parts of a recording. */
typedef enum plot_part {
  PLOT_JOINT,
  PLOT_BODY,
  PLOT_SOFT,
  PLOT_ATTACHMENT,
  PLOT_EQUALITY
} plot_part;

enum { PLOT_NUM_PARTS = PLOT_EQUALITY + 1 };

/* The number of two bodies, as channels have it. */
static inline int plot_pair_number(const carom_recording_info* info, const int bodies[2]) {
  return bodies[0] * info->num_bodies + bodies[1];
}

typedef struct plot_channel {
  plot_kind kind;
  int index;
  const char* name; /* in the legend */
} plot_channel;

typedef struct plot_source {
  const char* path;
  carom_recording* recording;
  carom_recording_info info;
  int num_frames, num_unread; /* that were read, and that could not be */
  carom_error unread;         /* why */
  double* time;               /* [num_frames] s */
  double* data;               /* [num_channels, info.num_frames] */
} plot_source;

carom_status plot_source_open(plot_source* source, const char* path, carom_error* error);
void plot_source_close(plot_source* source);

/* Reads the channels of all frames, up to the first that cannot be read.
 * @return CAROM_ERROR_BAD_INPUT when there is none */
carom_status plot_source_read(plot_source* source, const plot_channel* channels, int num_channels,
                              carom_error* error);

/* How many parts of a kind there are, and their names; empty: none. */
int plot_source_count(const plot_source* source, plot_part part);
const char* plot_source_name(const plot_source* source, plot_part part, int index);

/* The numbers of a channel, [num_frames]. */
double* plot_source_get(const plot_source* source, int channel);

/* Says on standard error what is missing of a recording.
 * @param what is made of it, such as "plot" */
void plot_source_warn(const plot_source* source, const char* what);

#endif
