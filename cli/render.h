/* `carom render` in two parts: options, and pictures. */
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include "cli.h"

/* As the options give them. */
typedef struct render_options {
  const char *recording, *output, *size, *look_at, *follow, *background;
  const char *soft_colours, *stress_range;
  double time, from, to, fps, speed; /* NaN: not given */
  double azimuth, elevation, distance, angle, force_scale;
  int samples; /* -1: not given */
  bool contacts, pressure, frames, trails, all_groups, no_planes, quiet;
} render_options;

/* What is written. */
typedef enum render_kind {
  RENDER_PICTURE,  /* frame.png */
  RENDER_SEQUENCE, /* frame-%04d.png */
  RENDER_MOVIE,    /* movie.mp4 */
} render_kind;

/* What options mean. */
typedef struct render_plan {
  render_kind kind;
  int width, height;
  bool has_look_at, is_transparent;
  double look_at[3];
  float top[3], bottom[3]; /* background, sRGB */
  bool by_stress;          /* soft bodies have the colours of their stress, else their own */
  double stress[2];        /* Pa, the range of these; NaN: not given */
} render_plan;

enum { RENDER_LONGEST_NAME = 4096 };

/* Reads the options that are texts, and checks that they go together.
 * @return -1 to go on, else an exit code, after a sentence */
int render_make_plan(const render_options* options, render_plan* plan);

/* The name of a numbered picture: its number in the place of %d or %04d. */
void render_number_name(const char* pattern, int number, char name[RENDER_LONGEST_NAME]);

/* The command. */
int render_run(int argc, char** argv);

#endif
