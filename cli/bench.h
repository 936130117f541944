/* What the files of `carom bench` share: its own scenes, and what a peer takes for the same. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdbool.h>

/* Time of a scene's steps: those of the first half of the run, in which most things move, and of
 * the second. */
typedef struct bench_times {
  double first, second; /* s a step */
} bench_times;

/* The scenes that are timed where none is named, as MJCF; ends with a null name. */
typedef struct bench_scene {
  const char* name;
  int stacked, piled; /* boxes on each other, or boxes and balls in a bin */
} bench_scene;
extern const bench_scene BENCH_SCENES[];

/* The scene's text, to be freed; null where memory ran out. */
char* bench_make_text(const bench_scene* scene);

/* A file that MuJoCo is to read. */
typedef struct bench_peer {
  const char* path;
  double dt;
  int steps; /* of each half */
} bench_peer;

typedef enum bench_answer { BENCH_TIMED, BENCH_REFUSED, BENCH_NOT_INSTALLED } bench_answer;

/* What MuJoCo takes by its own defaults, asked through python3.
 * @param version [32] receives its version, also where it refuses the file */
bench_answer bench_ask_mujoco(const bench_peer* peer, char* version, bench_times* times);

#endif
