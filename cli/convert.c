/* `carom convert`: a recording in the formats of other programs, or a model in another format. */
#include "carom/convert.h"

#include "common/files.h"
#include "convert_model.h"
#include "page.h"
#include "progress.h"
#include "reading.h"

#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANIMATION_RATE 60 /* frames a second of glTF, where no rate is given */

typedef struct convert_options {
  const char *input, *output, *columns;
  int format; /* in FORMATS; NUM_FORMATS: by the ending */
  double rate, from, until;
  bool all, solid, quiet;
  cli_reading reading; /* of a model */
} convert_options;

#define FIELD(name) offsetof(convert_options, name)

/* In the order of carom_convert_format, then of models; the words are the endings too. */
static const char* const FORMATS[] = {"csv", "pvd", "vtkhdf", "glb", "gltf", "xml", "urdf", NULL};
enum { NUM_FORMATS = sizeof FORMATS / sizeof FORMATS[0] - 1, FORMAT_MJCF = 5, FORMAT_URDF };

/* In the order of the bits of carom_table_columns. */
static const char* const COLUMNS[] = {
    "q",     "v",      "ctrl",    "poses",     "energy",          "contacts",           "solver",
    "steps", "points", "sensors", "reactions", "joint_reactions", "equality_reactions", "pairs",
    NULL};

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT", CLI_TEXT, FIELD(output), CLI_ANY, NULL, "the file to write"},
    {"to", 0, "FORMAT", CLI_WORD, FIELD(format), CLI_ANY, FORMATS,
     "csv, pvd, vtkhdf, glb or gltf; of a model xml (MJCF)\nor urdf (by the ending of OUT)"},
    {"rate", 0, "HZ", CLI_NUMBER, FIELD(rate), CLI_POSITIVE, NULL,
     "frames per simulated second, at most (all frames;\nglb and gltf: 60)"},
    {"all", 0, NULL, CLI_FLAG, FIELD(all), CLI_ANY, NULL, "all frames, also for glb and gltf"},
    {"from", 0, "S", CLI_NUMBER, FIELD(from), CLI_ANY, NULL, "leave out what is before, s"},
    {"until", 0, "S", CLI_NUMBER, FIELD(until), CLI_ANY, NULL, "leave out what is after, s"},
    {"columns", 0, "LIST", CLI_TEXT, FIELD(columns), CLI_ANY, NULL,
     "of a csv, separated by commas: q, v, ctrl, poses,\nenergy, contacts, solver, steps, sensors; "
     "or points\nor pairs: a row for each contact point, or for two\nbodies that "
     "touch\n(q,v,energy,contacts,solver,sensors)"},
    {"solid", 0, NULL, CLI_FLAG, FIELD(solid), CLI_ANY, NULL,
     "pvd: bodies as volumes (.vtu), not surfaces (.vtp)"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL,
     "no progress, and not what was written"},
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    CLI_READING_FILES(FIELD(reading)),
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_convert = {
    "convert",
    "FILE OUT",
    "Write a recording or a model in other formats",
    "Writes a recording as a table (.csv), for ParaView (.pvd with .vtp or .vtu files, or "
    ".vtkhdf)\n"
    "or as glTF with an animation (.glb, .gltf); docs/export.md says what the files hold. Of a\n"
    "recording that was cut short it writes what can be read.\n"
    "Of a model (MJCF, URDF, SDF) it writes MJCF (.xml) or URDF (.urdf), with masses and inertias\n"
    "to all digits, and says on stderr what the format does not hold.",
    OPTIONS,
    run_command,
};

/* --- Options ------------------------------------------------------------------------------------
 */

/* Finds the format by the ending of the output where it is not given. */
static int find_format(convert_options* o) {
  if (o->format < NUM_FORMATS) return -1;
  const char* output = o->output ? o->output : "";
  const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
  const char* dot = strrchr(name, '.');
  for (int i = 0; i < NUM_FORMATS && dot; i++)
    if (strcmp(dot + 1, FORMATS[i]) == 0) {
      o->format = i;
      return -1;
    }
  if (dot && (strcmp(dot, ".vtp") == 0 || strcmp(dot, ".vtu") == 0))
    return cli_fail(EXIT_USAGE, "convert: %s: such files hold one frame; name their list, .pvd%s",
                    output, dot[3] == 'u' ? " with --solid" : "");
  return cli_fail(EXIT_USAGE,
                  "convert: %s: the ending names no format; end it in .csv, .pvd, .vtkhdf, .glb, "
                  ".gltf, .xml or .urdf, or give --to",
                  output);
}

static int read_columns(const char* list, unsigned* columns) {
  *columns = 0;
  for (const char* word = list; word;) {
    size_t length = strcspn(word, ",");
    unsigned found = 0;
    for (int i = 0; COLUMNS[i]; i++)
      if (strlen(COLUMNS[i]) == length && strncmp(COLUMNS[i], word, length) == 0) found = 1u << i;
    if (!found)
      return cli_fail(
          EXIT_USAGE,
          "convert: --columns: there is no '%.*s'; there are q, v, ctrl, poses, energy, "
          "contacts, solver, steps, points, sensors, reactions, joint_reactions, "
          "equality_reactions and pairs",
          (int)length, word);
    *columns |= found;
    word = word[length] ? word + length + 1 : NULL;
  }
  bool has_points = *columns & CAROM_TABLE_POINTS, has_pairs = *columns & CAROM_TABLE_PAIRS;
  if (!(has_points || has_pairs) || (*columns & (*columns - 1)) == 0) return -1;
  return cli_fail(EXIT_USAGE, "convert: --columns: %s have rows of their own, and stand alone",
                  has_points ? "points" : "pairs");
}

static int make_def(const convert_options* o, carom_convert_def* def) {
  *def = carom_convert_def_default();
  def->format = (carom_convert_format)o->format;
  bool is_animation = def->format == CAROM_CONVERT_GLB || def->format == CAROM_CONVERT_GLTF;
  def->rate = o->all ? 0 : o->rate > 0 ? o->rate : is_animation ? ANIMATION_RATE : 0;
  def->from = o->from, def->until = o->until;
  def->solid = o->solid;
  if (o->solid && def->format != CAROM_CONVERT_PVD)
    return cli_fail(EXIT_USAGE, "convert: --solid is for pvd only");
  if (o->columns && def->format != CAROM_CONVERT_CSV)
    return cli_fail(EXIT_USAGE, "convert: --columns is for csv only");
  return o->columns ? read_columns(o->columns, &def->columns) : -1;
}

/* The two arguments. */
static int parse(int argc, char** argv, convert_options* o) {
  int count;
  const char** names = calloc((size_t)argc + 1, sizeof *names);
  if (!names) return cli_fail(EXIT_INPUT, "out of memory");
  int code = cli_parse_many(&cli_convert, argc, argv, o, names, &count);
  int most = o->output ? 1 : 2;
  if (code < 0 && count < 2 && !o->output)
    code = cli_fail(EXIT_USAGE, "convert: OUT is missing; name the file, such as out.csv");
  if (code < 0 && count > most)
    code = cli_fail(EXIT_USAGE, "convert: '%s' is one argument too many", names[most]);
  o->input = names[0];
  if (!o->output) o->output = count > 1 ? names[1] : "";
  free((void*)names);
  return code;
}

/* --- Work ---------------------------------------------------------------------------------------
 */

static bool show_progress(void* progress, int done, int count) {
  cli_progress* p = progress;
  p->end = count;
  cli_progress_update_frames(p, done);
  return true;
}

static void print_report(const convert_options* o, const carom_convert_report* r, bool is_open) {
  if (is_open) cli_warn("%s: was not closed; what there is of it is written", o->input);
  if (r->num_unread) cli_warn("%d frames are left out: %s", r->num_unread, r->unread.message);
  if (o->quiet) return;
  cli_print("%s: %d frames", o->output, r->num_frames);
  if (r->num_files > 1) cli_print(" in %d files", r->num_files);
  cli_print(", %.1f MB\n", (double)r->num_bytes * 1e-6);
}

static int convert_recording(const convert_options* o, carom_convert_def* def) {
  carom_recording* recording;
  carom_convert_report report;
  carom_error error;
  if (cli_is_same_file(o->input, o->output))
    return cli_fail(EXIT_INPUT, "%s: is read by this command, and not overwritten", o->output);
  if (carom_recording_open(o->input, NULL, &recording, &error) != CAROM_OK)
    return cli_fail_with(&error);
  cli_progress progress = cli_progress_start(o->quiet, 0, 1);
  def->progress = show_progress, def->user = &progress;
  carom_status status = carom_convert_recording(recording, o->output, def, &report, &error);
  bool is_open = carom_recording_get_info(recording).is_open;
  int num_softs = carom_recording_get_info(recording).num_softs;
  cli_progress_finish(&progress);
  carom_recording_close(recording);
  if (status != CAROM_OK && status != CAROM_ERROR_FILE)
    return cli_fail(EXIT_INPUT, "%s: %s", o->input, error.message);
  if (status != CAROM_OK) return cli_fail_with(&error);
  if (def->format == CAROM_CONVERT_CSV && num_softs > 0)
    cli_warn("%s: the nodes of its soft bodies are not written; other formats hold them", o->input);
  print_report(o, &report, is_open);
  return cli_finish_output(EXIT_FINE);
}

static int convert_model(const convert_options* o) {
  carom_load_def load;
  carom_write_format format = o->format == FORMAT_URDF ? CAROM_WRITE_URDF : CAROM_WRITE_MJCF;
  int code = cli_make_load_def("convert", &o->reading, &load);
  if (code >= 0) return code;
  if (cli_is_same_file(o->input, o->output))
    return cli_fail(EXIT_INPUT, "%s: is read by this command, and not overwritten", o->output);
  return cli_convert_model(o->input, o->output, &load, format);
}

static int run_command(int argc, char** argv) {
  convert_options options = {.format = NUM_FORMATS, .from = -INFINITY, .until = INFINITY};
  carom_convert_def def;
  int code = parse(argc, argv, &options);
  if (code < 0) code = find_format(&options);
  if (code < 0 && options.format >= FORMAT_MJCF) return convert_model(&options);
  if (code < 0) code = make_def(&options, &def);
  return code >= 0 ? code : convert_recording(&options, &def);
}
