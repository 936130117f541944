/* `carom info`: a recording by its first bytes, else a model. */
#include "info.h"

#include "page.h"
#include "reading.h"

#include "carom/record.h"
#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct info_options {
  const char* path;
  cli_reading reading;
  bool json;
} info_options;

#define FIELD(name) offsetof(info_options, name)

static const cli_option OPTIONS[] = {
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    CLI_READING_FILES(FIELD(reading)),
    {"json", 0, NULL, CLI_FLAG, FIELD(json), CLI_ANY, NULL, "print JSON"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_info = {
    "info",
    "FILE",
    "Show what a model or a recording holds",
    "Of a model: bodies, joints, degrees of freedom, masses, geometry, actuators, equality\n"
    "constraints, keyframes, and what was ignored or mapped while reading and why. Of a "
    "recording:\n"
    "what it was made from, frames, times, sizes, soft bodies and what holds them.",
    OPTIONS,
    run_command,
};

/* What holds soft bodies, with the numbers that `carom plot` calls it by. */
static void print_attachments(const carom_recording* recording, int count) {
  if (count > 0) cli_print("\n  %-22s %6s  %-22s %s\n", "attachment", "nodes", "of", "to");
  for (int i = 0; i < count; i++) {
    carom_attachment_info a = carom_recording_get_attachment(recording, i);
    const char* soft = carom_recording_get_soft(recording, a.soft).name;
    const char* body = carom_recording_get_body(recording, a.body).name;
    char own[24], of[24], to[24];
    snprintf(own, sizeof own, "attachment:%d", i);
    snprintf(of, sizeof of, "soft:%d", a.soft);
    snprintf(to, sizeof to, "body:%d", a.body);
    cli_print("  %-22s %6d  %-22s %s\n", a.name[0] ? a.name : own, a.num_nodes, soft[0] ? soft : of,
              a.body == 0 ? "the world"
              : body[0]   ? body
                          : to);
  }
}

static int print_recording(const carom_recording* recording, const char* path) {
  carom_recording_info info = carom_recording_get_info(recording);
  cli_print("%s: recording, format version %d, written by Carom %s\n", path, info.version,
            info.library);
  if (info.is_open)
    cli_print("  not closed: it is being written, or its writer was killed; the frames below are "
              "whole\n");
  if (info.model[0]) cli_print("  %-12s %s\n", "model", info.model);
  if (info.options[0]) cli_print("  %-12s %s\n", "made by", info.options);
  cli_print("  %-12s %d", "frames", info.num_frames);
  if (info.num_frames) cli_print(", from %.6g s to %.6g s", info.start, info.end);
  cli_print("\n  %-12s %g ms", "steps of", 1e3 * info.dt);
  if (info.rate > 0) cli_print(", %g frames a second", info.rate);
  cli_print("\n  %-12s %d coordinates, %d velocities, %d actuators, %d bodies\n", "each holds",
            info.num_q, info.num_v, info.num_ctrl, info.num_bodies);
  cli_print("  %-12s %lld in all frames\n", "contacts", (long long)info.num_contacts);
  cli_print("  %-12s %zu bytes of text\n", "scene", strlen(info.scene));
  for (int i = 0; i < info.num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(recording, i);
    info_print_soft(&soft, i);
  }
  print_attachments(recording, info.num_attachments);
  return cli_finish_output(EXIT_FINE);
}

static int show_recording(const info_options* o) {
  carom_recording* recording;
  carom_error error;
  if (carom_recording_open(o->path, NULL, &recording, &error) != CAROM_OK)
    return cli_fail_with(&error);
  int code =
      o->json ? info_print_recording_json(recording, o->path) : print_recording(recording, o->path);
  carom_recording_close(recording);
  return code;
}

static int show_model(const info_options* o, const carom_model* model) {
  if (o->json) return info_print_model_json(model, o->path);
  info_print_model(model, o->path);
  return cli_finish_output(EXIT_FINE);
}

static int run_command(int argc, char** argv) {
  info_options options = {0};
  int code = cli_parse(&cli_info, argc, argv, &options, &options.path);
  if (code >= 0) return code;
  if (cli_is_hdf5(options.path)) return show_recording(&options);
  carom_load_def def;
  carom_model* model;
  carom_error error;
  code = cli_make_load_def("info", &options.reading, &def);
  if (code >= 0) return code;
  if (carom_model_load(options.path, &def, &model, &error) != CAROM_OK)
    return cli_fail_with(&error);
  code = show_model(&options, model);
  carom_model_destroy(model);
  return code;
}
