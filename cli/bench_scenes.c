/* The scenes of `carom bench`: a stack of boxes, and piles of boxes and balls that fall into a bin.
 * bench/peers/scenes.py makes those of scripts/bench, which are larger and more. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF 0.05 /* m, of boxes, and radius of balls */

const bench_scene BENCH_SCENES[] = {
    {"stack of 10", 10, 0}, {"pile of 20", 0, 20}, {"pile of 100", 0, 100}, {NULL, 0, 0}};

static void add_body(FILE* out, bool is_box, const double x[3], double turn) {
  fprintf(out, "<body pos='%.9g %.9g %.9g' euler='%.9g %.9g 0'><freejoint/>", x[0], x[1], x[2],
          is_box ? turn : 0, is_box ? 2 * turn : 0);
  if (is_box)
    fprintf(out, "<geom type='box' size='%g %g %g'/></body>\n", HALF, HALF, HALF);
  else
    fprintf(out, "<geom type='sphere' size='%g'/></body>\n", HALF);
}

static void add_stack(FILE* out, int count) {
  for (int i = 0; i < count; i++) add_body(out, true, (double[3]){0, 0, HALF * (1 + 2 * i)}, 0);
}

/* Walls around the pile, half so far apart as `width`. */
static void add_bin(FILE* out, double width, double height) {
  for (int k = 0; k < 4; k++) {
    double sign = k % 2 ? 1 : -1, away = sign * (width + HALF);
    fprintf(out, "<geom type='box' pos='%g %g %g' size='%g %g %g'/>\n", k < 2 ? away : 0,
            k < 2 ? 0 : away, height / 2, k < 2 ? HALF : width + 2 * HALF,
            k < 2 ? width + 2 * HALF : HALF, height / 2);
  }
}

/* Layer over layer, each body a little off its place and turned. */
static void add_pile(FILE* out, int count) {
  int side = (int)fmax(2, round(cbrt(count / 5.0))), layer = side * side;
  int layers = count / layer;
  add_bin(out, 0.115 * side + 0.02, 0.5 + 0.18 * layers);
  for (int i = 0; i < count; i++) {
    int at = i % layer, row = at / side, column = at % side, level = i / layer;
    double off = 0.01 * sin(12.9898 * i), turn = 45 * (1 + sin(78.233 * i));
    double x[3] = {0.2 * (row - (side - 1) / 2.0) + off, 0.2 * (column - (side - 1) / 2.0) - off,
                   0.1 + 0.18 * level};
    add_body(out, (i + row) % 2 == 1, x, turn);
  }
}

char* bench_make_text(const bench_scene* scene) {
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (!out) return NULL;
  fprintf(out, "<mujoco model='%s'><option timestep='0.005' cone='elliptic'/>\n", scene->name);
  fprintf(out, "<default><geom friction='0.5' condim='3' density='1000'/></default><worldbody>\n");
  fprintf(out, "<geom type='plane' size='0 0 1'/>\n");
  if (scene->stacked) add_stack(out, scene->stacked);
  if (scene->piled) add_pile(out, scene->piled);
  fprintf(out, "</worldbody></mujoco>\n");
  bool is_written = !ferror(out);
  if (fclose(out) == 0 && is_written) return text;
  free(text);
  return NULL;
}
