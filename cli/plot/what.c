/* From words to channels, by tables. */
#include "what.h"

#include "../state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANNELS = 7 };

/* A panel that a word gives. */
typedef struct panel_spec {
  const char* part; /* chooses it: "energy.balance" */
  bool by_default;  /* given without a part */
  bool is_log;
  const char *label, *unit;
  int num_channels;
  plot_channel channels[MAX_CHANNELS]; /* indices are added to where the joint or body stands */
} panel_spec;

/* --- Quantities ---------------------------------------------------------------------------------
 */

const plot_quantity PLOT_QUANTITIES[] = {
    {"energy", "kinetic, potential, elastic, total, dissipated, work, balance"},
    {"momentum", "linear, angular, origin"},
    {"contacts", "all, sticking, sliding"},
    {"certificate", "residual, bound"},
    {"steps", "iterations, newton, outer, time"},
    {"slip", ""},
    {NULL, NULL},
};

#define XYZ(kind, at)                                                 \
  {                                                                   \
    {kind, (at), "x"}, {kind, (at) + 1, "y"}, { kind, (at) + 2, "z" } \
  }
#define WXYZ(kind, at)                                                                       \
  {                                                                                          \
    {kind, (at), "w"}, {kind, (at) + 1, "x"}, {kind, (at) + 2, "y"}, { kind, (at) + 3, "z" } \
  }

static const panel_spec ENERGY[] = {
    {"energy",
     true,
     false,
     "energy",
     "J",
     6,
     {{PLOT_ENERGY, 0, "kinetic"},
      {PLOT_ENERGY, 1, "potential"},
      {PLOT_ENERGY, 2, "elastic"},
      {PLOT_TOTAL, 0, "total"},
      {PLOT_ENERGY, 3, "dissipated"},
      {PLOT_WORK, 0, "work"}}},
    {"balance", false, false, "energy not accounted for", "J", 1, {{PLOT_BALANCE, 0, "balance"}}},
    {0}};

static const panel_spec MOMENTUM[] = {
    {"linear", true, false, "linear momentum", "kg m/s", 3, XYZ(PLOT_MOMENTUM, 0)},
    {"angular", true, false, "angular momentum", "kg m²/s", 3, XYZ(PLOT_MOMENTUM, 3)},
    {"origin", false, false, "angular momentum, origin", "kg m²/s", 3, XYZ(PLOT_MOMENTUM, 6)},
    {0}};

static const panel_spec CONTACTS[] = {
    {"contacts",
     true,
     false,
     "contact points",
     "",
     3,
     {{PLOT_CONTACTS, 0, "all"}, {PLOT_CONTACTS, 2, "sticking"}, {PLOT_CONTACTS, 3, "sliding"}}},
    {0}};

static const panel_spec CERTIFICATE[] = {
    {"certificate",
     true,
     true,
     "residual, bound",
     "relative",
     2,
     {{PLOT_RESIDUAL, 0, "residual"}, {PLOT_BOUND, 0, "bound"}}},
    {0}};

static const panel_spec STEPS[] = {
    {"iterations",
     true,
     false,
     "iterations of a step",
     "",
     2,
     {{PLOT_NEWTON, 0, "newton"}, {PLOT_OUTER, 0, "outer"}}},
    {"time", true, false, "wall time of a step", "ms", 1, {{PLOT_WALL_TIME, 0, "wall time"}}},
    {0}};

static const panel_spec SLIP[] = {
    {"slip", true, false, "largest slip in stick", "m/s", 1, {{PLOT_SLIP, 0, "slip"}}}, {0}};

static const panel_spec* const QUANTITY_PANELS[] = {ENERGY,      MOMENTUM, CONTACTS,
                                                    CERTIFICATE, STEPS,    SLIP};

/* --- Joints and bodies --------------------------------------------------------------------------
 */

static const panel_spec FREE[] = {
    {"q", true, false, "position", "m", 3, XYZ(PLOT_Q, 0)},
    {"q", true, false, "quaternion", "", 4, WXYZ(PLOT_Q, 3)},
    {"v", true, false, "velocity", "m/s", 3, XYZ(PLOT_V, 0)},
    {"v", true, false, "angular velocity, body frame", "rad/s", 3, XYZ(PLOT_V, 3)},
    {0}};

static const panel_spec BALL[] = {
    {"q", true, false, "quaternion", "", 4, WXYZ(PLOT_Q, 0)},
    {"v", true, false, "angular velocity, body frame", "rad/s", 3, XYZ(PLOT_V, 0)},
    {0}};

static const panel_spec SLIDE[] = {
    {"q", true, false, "displacement", "m", 1, {{PLOT_Q, 0, "displacement"}}},
    {"v", true, false, "velocity", "m/s", 1, {{PLOT_V, 0, "velocity"}}},
    {0}};

static const panel_spec HINGE[] = {
    {"q", true, false, "angle", "rad", 1, {{PLOT_Q, 0, "angle"}}},
    {"v", true, false, "angular velocity", "rad/s", 1, {{PLOT_V, 0, "angular velocity"}}},
    {0}};

static const panel_spec* const JOINT_PANELS[] = {FREE, BALL, SLIDE, HINGE};

static const panel_spec BODY[] = {
    {"position", true, false, "position", "m", 3, XYZ(PLOT_POSE, 0)},
    {"orientation", false, false, "quaternion", "", 4, WXYZ(PLOT_POSE, 3)},
    {"velocity", true, false, "velocity", "m/s", 3, XYZ(PLOT_LINEAR, 0)},
    {"omega", true, false, "angular velocity", "rad/s", 3, XYZ(PLOT_ANGULAR, 0)},
    {0}};

/* --- Adding -------------------------------------------------------------------------------------
 */

/* Where a joint or body stands in what the channels of its panels count. */
typedef struct part_place {
  const char* name; /* before the label; empty: none */
  int at[PLOT_ANGULAR + 1];
} part_place;

static bool reserve(plot_what* w, int num_channels) {
  plot_group* groups = realloc(w->groups, sizeof *groups * (size_t)(w->num_groups + 1));
  if (groups) w->groups = groups;
  plot_channel* channels =
      realloc(w->channels, sizeof *channels * (size_t)(w->num_channels + num_channels));
  if (channels) w->channels = channels;
  return groups && channels;
}

/* Adds a panel, or one channel of it (-1: all). The work of actuators stands last, and is left out
 * where there are none. */
static carom_status add_panel(plot_what* w, const panel_spec* spec, const part_place* place,
                              int only, carom_error* error) {
  int first = only < 0 ? 0 : only, count = only < 0 ? spec->num_channels : 1;
  if (only < 0 && !w->has_actuators && spec->channels[count - 1].kind == PLOT_WORK) count--;
  if (!reserve(w, count)) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  plot_group* group = &w->groups[w->num_groups++];
  *group = (plot_group){.unit = spec->unit,
                        .is_log = spec->is_log,
                        .first_channel = w->num_channels,
                        .num_channels = count};
  bool is_part = only >= 0 && spec->num_channels > 1;
  snprintf(group->label, sizeof group->label, "%.80s%s%s%s%s", place->name,
           place->name[0] ? " " : "", spec->label, is_part ? ", " : "",
           is_part ? spec->channels[only].name : "");
  for (int c = first; c < first + count; c++) {
    plot_channel* channel = &w->channels[w->num_channels++];
    *channel = spec->channels[c];
    channel->index += place->at[channel->kind];
  }
  return CAROM_OK;
}

/* Adds the panels that a part names, or those by default where it is null.
 * @param added counts them */
static carom_status add_panels(plot_what* w, const panel_spec* specs, const part_place* place,
                               const char* part, int* added, carom_error* error) {
  carom_status status = CAROM_OK;
  for (const panel_spec* s = specs; s->part && status == CAROM_OK; s++) {
    bool is_asked = part ? strcmp(part, s->part) == 0 : s->by_default;
    if (is_asked) ++*added, status = add_panel(w, s, place, -1, error);
    for (int c = 0; c < s->num_channels && part && !is_asked && status == CAROM_OK; c++)
      if (strcmp(part, s->channels[c].name) == 0)
        ++*added, status = add_panel(w, s, place, c, error);
  }
  return status;
}

/* --- Words --------------------------------------------------------------------------------------
 */

/* A word without its last part: "box.velocity" gives "box" and "velocity". */
typedef struct split_word {
  char name[256];
  const char* part; /* null: none */
} split_word;

static bool split(const char* word, split_word* s) {
  const char* dot = strrchr(word, '.');
  size_t length = dot ? (size_t)(dot - word) : 0;
  if (!dot || length >= sizeof s->name) return false;
  memcpy(s->name, word, length);
  s->name[length] = '\0';
  s->part = dot + 1;
  return true;
}

/* Index of a name, or of the number that stands for it; -1: none. */
static int find_part(const plot_source* source, bool is_joint, const char* name, bool by_number) {
  int count = is_joint ? source->info.num_joints : source->info.num_bodies;
  char* end;
  for (int i = 0; i < count; i++) {
    const char* own = is_joint ? carom_recording_get_joint(source->recording, i).name
                               : carom_recording_get_body(source->recording, i).name;
    if (own[0] && strcmp(own, name) == 0) return i;
  }
  long number = strtol(name, &end, 10);
  return by_number && *name && !*end && number >= 0 && number < count ? (int)number : -1;
}

static carom_status add_joint(plot_what* w, const plot_source* source, int index,
                              const split_word* word, int* added, carom_error* error) {
  carom_joint_info joint = carom_recording_get_joint(source->recording, index);
  part_place p = {.name = word->name};
  p.at[PLOT_Q] = joint.q_address, p.at[PLOT_V] = joint.v_address;
  return add_panels(w, JOINT_PANELS[joint.type], &p, word->part, added, error);
}

static carom_status add_body(plot_what* w, const plot_source* source, int index,
                             const split_word* word, int* added, carom_error* error) {
  part_place p = {.name = word->name};
  const char* part = word->part ? word->part : source->info.has_parts ? NULL : "position";
  p.at[PLOT_POSE] = 7 * index, p.at[PLOT_LINEAR] = p.at[PLOT_ANGULAR] = 3 * index;
  return add_panels(w, BODY, &p, part, added, error);
}

/* Tries a word as a quantity, a joint, a body. */
static carom_status try_word(plot_what* w, const plot_source* source, const split_word* word,
                             int* added, carom_error* error) {
  const char* name = word->name;
  bool only_joint = strncmp(name, "joint:", 6) == 0, only_body = strncmp(name, "body:", 5) == 0;
  for (int q = 0; PLOT_QUANTITIES[q].name; q++) {
    part_place p = {.name = ""};
    if (strcmp(PLOT_QUANTITIES[q].name, name) == 0)
      return add_panels(w, QUANTITY_PANELS[q], &p, word->part, added, error);
  }
  split_word bare = *word;
  if (only_joint || only_body)
    memmove(bare.name, strchr(bare.name, ':') + 1, strlen(strchr(name, ':')));
  int joint = only_body ? -1 : find_part(source, true, bare.name, only_joint);
  if (joint >= 0) return add_joint(w, source, joint, &bare, added, error);
  int body = only_joint ? -1 : find_part(source, false, bare.name, only_body);
  if (body >= 0) return add_body(w, source, body, &bare, added, error);
  return CAROM_OK;
}

carom_status plot_what_add(plot_what* what, const plot_source* source, const char* word,
                           carom_error* error) {
  int added = 0;
  split_word whole = {.part = NULL}, parts;
  snprintf(whole.name, sizeof whole.name, "%s", word);
  carom_status status = try_word(what, source, &whole, &added, error);
  if (status == CAROM_OK && !added && split(word, &parts))
    status = try_word(what, source, &parts, &added, error);
  if (status != CAROM_OK || added) return status;
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%.200s: nothing in it is called '%.100s'",
                   source->path, word);
}

carom_status plot_what_add_channel(plot_what* what, plot_kind kind, int index, int* channel,
                                   carom_error* error) {
  *channel = what->num_channels;
  if (!reserve(what, 1)) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  what->channels[what->num_channels++] = (plot_channel){kind, index, ""};
  return CAROM_OK;
}

void plot_what_free(plot_what* what) {
  free(what->groups);
  free(what->channels);
  *what = (plot_what){0};
}
