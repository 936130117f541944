/* `carom info`: a recording by its first bytes, else a model. */
#include "info.h"

#include "page.h"
#include "reading.h"

#include "carom/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct info_options {
  const char* path;
  cli_reading reading;
} info_options;

#define FIELD(name) offsetof(info_options, name)

static const cli_option OPTIONS[] = {
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    CLI_READING_PERMISSIVE(FIELD(reading)),
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
    "what it was made from, frames, times, sizes.",
    OPTIONS,
    run_command,
};

int info_print_recording(const char* path) {
  carom_recording* recording;
  carom_error error;
  if (carom_recording_open(path, NULL, &recording, &error) != CAROM_OK)
    return cli_fail_with(&error);
  carom_recording_info info = carom_recording_get_info(recording);
  printf("%s: recording, format version %d, written by Carom %s\n", path, info.version,
         info.library);
  if (info.is_open)
    printf("  not closed: it is being written, or its writer was killed; the frames below are "
           "whole\n");
  if (info.model[0]) printf("  %-12s %s\n", "model", info.model);
  if (info.options[0]) printf("  %-12s %s\n", "made by", info.options);
  printf("  %-12s %d", "frames", info.num_frames);
  if (info.num_frames) printf(", from %.6g s to %.6g s", info.start, info.end);
  printf("\n  %-12s %g ms", "steps of", 1e3 * info.dt);
  if (info.rate > 0) printf(", %g frames a second", info.rate);
  printf("\n  %-12s %d coordinates, %d velocities, %d actuators, %d bodies\n", "each holds",
         info.num_q, info.num_v, info.num_ctrl, info.num_bodies);
  printf("  %-12s %lld in all frames\n", "contacts", (long long)info.num_contacts);
  printf("  %-12s %zu bytes of text\n", "scene", strlen(info.scene));
  carom_recording_close(recording);
  return cli_finish_output(EXIT_FINE);
}

static int run_command(int argc, char** argv) {
  info_options options = {0};
  int code = cli_parse(&cli_info, argc, argv, &options, &options.path);
  if (code >= 0) return code;
  if (cli_is_hdf5(options.path)) return info_print_recording(options.path);
  carom_load_def def;
  carom_model* model;
  carom_error error;
  code = cli_make_load_def("info", &options.reading, &def);
  if (code >= 0) return code;
  if (carom_model_load(options.path, &def, &model, &error) != CAROM_OK)
    return cli_fail_with(&error);
  info_print_model(model, options.path);
  carom_model_destroy(model);
  return cli_finish_output(EXIT_FINE);
}
