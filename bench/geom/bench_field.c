/* Time of a look at the pressure fields of a pair, from shapes to springs: the least of several
 * runs. With a pair's number, and a number of looks, only these, for callgrind. */
#include "geom/collide.h"
#include "geom/field.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 9, LOOKS = 200 };

#define DEPTH 1e-3

typedef struct bench_case {
  const char* name;
  cr_shape a, b;
  v3 axis;
  double turn; /* of B */
} bench_case;

static const bench_case CASES[] = {
    {"box on plane",
     {.type = CAROM_GEOM_PLANE},
     {.type = CAROM_GEOM_BOX, .size = {.1, .1, .1}},
     {0, 0, 1},
     0.3},
    {"two boxes",
     {.type = CAROM_GEOM_BOX, .size = {.1, .1, .1}},
     {.type = CAROM_GEOM_BOX, .size = {.1, .1, .1}},
     {0, 0, 1},
     0.3},
    {"ball on plane",
     {.type = CAROM_GEOM_PLANE},
     {.type = CAROM_GEOM_SPHERE, .size = {.1}},
     {0, 0, 1},
     0.3},
    {"ball on box",
     {.type = CAROM_GEOM_BOX, .size = {.1, .1, .1}},
     {.type = CAROM_GEOM_SPHERE, .size = {.1}},
     {0, 0, 1},
     0.3},
    {"two balls",
     {.type = CAROM_GEOM_SPHERE, .size = {.1}},
     {.type = CAROM_GEOM_SPHERE, .size = {.1}},
     {0, 0, 1},
     0.3},
    {"two capsules",
     {.type = CAROM_GEOM_CAPSULE, .size = {.1, .2}},
     {.type = CAROM_GEOM_CAPSULE, .size = {.1, .2}},
     {1, 0, 0},
     1.2},
    {"two cylinders",
     {.type = CAROM_GEOM_CYLINDER, .size = {.1, .2}},
     {.type = CAROM_GEOM_CYLINDER, .size = {.1, .2}},
     {1, 0, 0},
     1.2},
    {"cylinder on cap",
     {.type = CAROM_GEOM_CYLINDER, .size = {.1, .2}},
     {.type = CAROM_GEOM_CYLINDER, .size = {.1, .2}},
     {0, 0, 1},
     1.2},
    {"two ellipsoids",
     {.type = CAROM_GEOM_ELLIPSOID, .size = {.1, .12, .08}},
     {.type = CAROM_GEOM_ELLIPSOID, .size = {.1, .12, .08}},
     {1, 0, 0},
     1.2},
};
enum { NUM_CASES = sizeof CASES / sizeof *CASES };

/* Both in touch, DEPTH deep, B over A; a plane is rigid. */
static void look_at(const bench_case* c, cr_arena* arena, int looks) {
  pose Xa = pose_identity(), Xb = pose_identity();
  v3 a, b, n;
  Xb.R = quat_to_m3(quat_from_axis_angle(c->axis, c->turn)), Xb.p.z = 1;
  double gap = cr_geom_compute_distance(&c->a, &Xa, &c->b, &Xb, &a, &b, &n);
  Xb.p = v3_axpy(Xb.p, -gap - DEPTH, n);
  gap = cr_geom_compute_distance(&c->a, &Xa, &c->b, &Xb, &a, &b, &n);
  bool is_plane = c->a.type == CAROM_GEOM_PLANE;
  const cr_field_pair pair = {
      {{&c->a, &Xa, is_plane ? INFINITY : 1e6}, {&c->b, &Xb, 2e6}}, n, a, -gap};
  cr_field_patches patches;
  for (int i = 0; i < looks; i++) cr_field_find_patches(&pair, arena, &patches);
}

static void time_case(const bench_case* c, cr_arena* arena) {
  double least = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double start = thread_time();
    look_at(c, arena, LOOKS);
    least = fmin(least, (thread_time() - start) / LOOKS);
  }
  printf("%-16s %7.1f us\n", c->name, 1e6 * least);
}

int main(int argc, char** argv) {
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  int only = argc > 1 ? atoi(argv[1]) : -1;
  if (only >= 0 && only < NUM_CASES)
    look_at(&CASES[only], &arena, argc > 2 ? atoi(argv[2]) : LOOKS);
  for (int i = 0; i < NUM_CASES && only < 0; i++) time_case(&CASES[i], &arena);
  cr_arena_destroy(&arena);
  return 0;
}
