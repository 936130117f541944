/* From words to channels, by tables. */
#include "what.h"

#include "common/error.h"

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
    {"stress", ""},
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

static const panel_spec ALL_STRESS[] = {
    {"stress", true, false, "largest von Mises stress", "Pa", 1, {{PLOT_STRESS, -1, "stress"}}},
    {0}};

static const panel_spec* const QUANTITY_PANELS[] = {ENERGY, MOMENTUM, CONTACTS,  CERTIFICATE,
                                                    STEPS,  SLIP,     ALL_STRESS};

/* --- Parts -----------------------------------------------------------------------------
 */

#define WRENCH(kind, force, moment)                                                               \
  {"reaction", false, false, force, "N", 3, {{kind, 0, "fx"}, {kind, 1, "fy"}, {kind, 2, "fz"}}}, \
  {                                                                                               \
    "reaction", false, false, moment, "N m", 3, {                                                 \
      {kind, 3, "mx"}, {kind, 4, "my"}, { kind, 5, "mz" }                                         \
    }                                                                                             \
  }

#define JOINT_REACTION WRENCH(PLOT_JOINT_REACTION, "reaction", "reaction")

static const panel_spec FREE[] = {
    {"q", true, false, "position", "m", 3, XYZ(PLOT_Q, 0)},
    {"q", true, false, "quaternion", "", 4, WXYZ(PLOT_Q, 3)},
    {"v", true, false, "velocity", "m/s", 3, XYZ(PLOT_V, 0)},
    {"v", true, false, "angular velocity, body frame", "rad/s", 3, XYZ(PLOT_V, 3)},
    JOINT_REACTION,
    {0}};

static const panel_spec BALL[] = {
    {"q", true, false, "quaternion", "", 4, WXYZ(PLOT_Q, 0)},
    {"v", true, false, "angular velocity, body frame", "rad/s", 3, XYZ(PLOT_V, 0)},
    JOINT_REACTION,
    {0}};

static const panel_spec SLIDE[] = {
    {"q", true, false, "displacement", "m", 1, {{PLOT_Q, 0, "displacement"}}},
    {"v", true, false, "velocity", "m/s", 1, {{PLOT_V, 0, "velocity"}}},
    JOINT_REACTION,
    {0}};

static const panel_spec HINGE[] = {
    {"q", true, false, "angle", "rad", 1, {{PLOT_Q, 0, "angle"}}},
    {"v", true, false, "angular velocity", "rad/s", 1, {{PLOT_V, 0, "angular velocity"}}},
    JOINT_REACTION,
    {0}};

static const panel_spec* const JOINT_PANELS[] = {FREE, BALL, SLIDE, HINGE};

static const panel_spec BODY[] = {
    {"position", true, false, "position", "m", 3, XYZ(PLOT_POSE, 0)},
    {"orientation", false, false, "quaternion", "", 4, WXYZ(PLOT_POSE, 3)},
    {"velocity", true, false, "velocity", "m/s", 3, XYZ(PLOT_LINEAR, 0)},
    {"omega", true, false, "angular velocity", "rad/s", 3, XYZ(PLOT_ANGULAR, 0)},
    {0}};

static const panel_spec SOFT[] = {
    {"stress", true, false, "largest von Mises stress", "Pa", 1, {{PLOT_STRESS, 0, "stress"}}},
    {0}};

static const panel_spec ATTACHMENT[] = {
    {"force", true, false, "reaction", "N", 3, XYZ(PLOT_REACTION, 0)},
    {"moment", true, false, "reaction", "N m", 3, XYZ(PLOT_REACTION, 3)},
    {0}};

static const panel_spec EQUALITY[] = {
    {"force", true, false, "reaction", "N", 3, XYZ(PLOT_EQUALITY_REACTION, 0)},
    {"moment", true, false, "reaction", "N m", 3, XYZ(PLOT_EQUALITY_REACTION, 3)},
    {0}};

static const panel_spec PAIR[] = {
    {"force", true, false, "contact force", "N", 3, XYZ(PLOT_PAIR, 0)},
    {"moment", true, false, "contact moment", "N m", 3, XYZ(PLOT_PAIR, 3)},
    {"center", true, false, "centre of pressure", "m", 3, XYZ(PLOT_PAIR, 6)},
    {"normal", false, false, "normal force", "N", 1, {{PLOT_PAIR, 9, "normal"}}},
    {0}};

/* --- Adding -------------------------------------------------------------------------------------
 */

/* Where a part stands in what the channels of its panels count. */
typedef struct part_place {
  const char* name; /* before the label; empty: none */
  int at[PLOT_NUM_KINDS];
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
static int find_part(const plot_source* source, plot_part part, const char* name, bool by_number) {
  int count = plot_source_count(source, part);
  char* end;
  for (int i = 0; i < count; i++) {
    const char* own = plot_source_name(source, part, i);
    if (own[0] && strcmp(own, name) == 0) return i;
  }
  long number = strtol(name, &end, 10);
  return by_number && *name && !*end && number >= 0 && number < count ? (int)number : -1;
}

static carom_status add_joint(plot_what* w, int index, const split_word* word, int* added,
                              carom_error* error) {
  carom_joint_info joint = carom_recording_get_joint(w->source->recording, index);
  part_place p = {.name = word->name};
  p.at[PLOT_Q] = joint.q_address, p.at[PLOT_V] = joint.v_address;
  p.at[PLOT_JOINT_REACTION] = 6 * index;
  return add_panels(w, JOINT_PANELS[joint.type], &p, word->part, added, error);
}

static carom_status add_body(plot_what* w, int index, const split_word* word, int* added,
                             carom_error* error) {
  part_place p = {.name = word->name};
  const char* part = word->part ? word->part : w->source->info.has_parts ? NULL : "position";
  p.at[PLOT_POSE] = 7 * index, p.at[PLOT_LINEAR] = p.at[PLOT_ANGULAR] = 3 * index;
  return add_panels(w, BODY, &p, part, added, error);
}

static carom_status add_soft(plot_what* w, int index, const split_word* word, int* added,
                             carom_error* error) {
  part_place p = {.name = word->name};
  p.at[PLOT_STRESS] = index;
  return add_panels(w, SOFT, &p, word->part, added, error);
}

static carom_status add_attachment(plot_what* w, int index, const split_word* word, int* added,
                                   carom_error* error) {
  char name[32];
  bool is_named = plot_source_name(w->source, PLOT_ATTACHMENT, index)[0];
  snprintf(name, sizeof name, "attachment %d", index);
  part_place p = {.name = is_named ? word->name : name};
  p.at[PLOT_REACTION] = 6 * index;
  return add_panels(w, ATTACHMENT, &p, word->part, added, error);
}

static carom_status add_equality(plot_what* w, int index, const split_word* word, int* added,
                                 carom_error* error) {
  part_place p = {.name = word->name};
  p.at[PLOT_EQUALITY_REACTION] = 6 * index;
  return add_panels(w, EQUALITY, &p, word->part, added, error);
}

/* Tries a word as two bodies that touch: "contact:table:box". Names may hold colons. */
static carom_status try_pair(plot_what* w, const plot_source* source, const split_word* word,
                             int* added, carom_error* error) {
  static const char PREFIX[] = "contact:";
  if (strncmp(word->name, PREFIX, sizeof PREFIX - 1) != 0) return CAROM_OK;
  part_place p = {.name = word->name + sizeof PREFIX - 1};
  for (const char* colon = strchr(p.name, ':'); colon; colon = strchr(colon + 1, ':')) {
    split_word first = {.part = NULL};
    memcpy(first.name, p.name, (size_t)(colon - p.name));
    const int bodies[2] = {find_part(source, PLOT_BODY, first.name, true),
                           find_part(source, PLOT_BODY, colon + 1, true)};
    if (bodies[0] < 0 || bodies[1] < 0) continue;
    p.at[PLOT_PAIR] = 10 * plot_pair_number(&source->info, bodies);
    return add_panels(w, PAIR, &p, word->part, added, error);
  }
  return CAROM_OK;
}

/* Tries a word as a quantity of the whole; stress only where there are soft bodies. */
static carom_status try_quantity(plot_what* w, const plot_source* source, const split_word* word,
                                 int* added, carom_error* error) {
  part_place p = {.name = ""};
  for (int q = 0; PLOT_QUANTITIES[q].name; q++)
    if (strcmp(PLOT_QUANTITIES[q].name, word->name) == 0 &&
        (QUANTITY_PANELS[q] != ALL_STRESS || source->info.num_softs > 0))
      return add_panels(w, QUANTITY_PANELS[q], &p, word->part, added, error);
  return CAROM_OK;
}

/* Tries a word as a quantity, then as a part of each kind, or of the kind that it names. */
static carom_status try_word(plot_what* w, const plot_source* source, const split_word* word,
                             int* added, carom_error* error) {
  static const char* const PREFIXES[] = {"joint:", "body:", "soft:", "attachment:", "equality:"};
  static carom_status (*const ADD[])(plot_what*, int, const split_word*, int*, carom_error*) = {
      add_joint, add_body, add_soft, add_attachment, add_equality};
  carom_status status = try_quantity(w, source, word, added, error);
  if (status == CAROM_OK && !*added) status = try_pair(w, source, word, added, error);
  int only = PLOT_NUM_PARTS - 1;
  while (only >= 0 && strncmp(word->name, PREFIXES[only], strlen(PREFIXES[only])) != 0) only--;
  split_word bare = *word;
  if (only >= 0) memmove(bare.name, strchr(bare.name, ':') + 1, strlen(strchr(word->name, ':')));
  for (int part = 0; part < PLOT_NUM_PARTS && status == CAROM_OK && !*added; part++) {
    if (only >= 0 && part != only) continue;
    int index = find_part(source, (plot_part)part, bare.name, only >= 0);
    if (index >= 0) return ADD[part](w, index, &bare, added, error);
  }
  return status;
}

carom_status plot_what_add(plot_what* what, const plot_source* source, const char* word,
                           carom_error* error) {
  int added = 0;
  what->source = source;
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
