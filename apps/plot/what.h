/* What can be plotted, and the words for it: quantities of the whole scene, joints, bodies. */
#ifndef PLOT_WHAT_H
#define PLOT_WHAT_H

#include "source.h"

#include <stddef.h>

/* A panel of a figure: channels that share their axes. */
typedef struct plot_group {
  char label[128];
  const char* unit; /* empty: none */
  bool is_log;
  int first_channel, num_channels;
} plot_group;

/* Channels of a recording, in groups, as words ask for them. */
typedef struct plot_what {
  const plot_source* source; /* that words are looked up in */
  plot_group* groups;
  plot_channel* channels;
  int num_groups, num_channels;
  bool has_actuators; /* else their work is no part of the energies */
} plot_what;

/* Adds what a word names: "energy", "energy.total", a joint, a body, "joint:NAME", "body:NAME",
 * "NAME.velocity".
 * @return CAROM_ERROR_BAD_INPUT when it names nothing in the recording */
carom_status plot_what_add(plot_what* what, const plot_source* source, const char* word,
                           carom_error* error);

/* Adds a channel that no panel shows.
 * @param channel receives its number */
carom_status plot_what_add_channel(plot_what* what, plot_kind kind, int index, int* channel,
                                   carom_error* error);

void plot_what_free(plot_what* what);

/* A quantity of the whole scene, for lists. */
typedef struct plot_quantity {
  const char *name, *parts;
} plot_quantity;

/* Ends with a null name. */
extern const plot_quantity PLOT_QUANTITIES[];

#endif
