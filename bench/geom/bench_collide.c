/* Nanoseconds of the narrow phase per pair of types, in typical states: random pairs that overlap
 * or are apart by a little, and bodies that rest on each other: minimum of several runs. Polyhedra
 * that move as in a simulation, without and with memory of the last look: median of several runs.
 */
#include "geom/pair_memory.h"
#include "timing.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 512, RUNS = 7, REPEATS = 20 };

typedef struct bench_pair {
  cr_shape a, b;
  pose Xa, Xb;
} bench_pair;

static uint64_t random_state = 1;

/* Uniform in [-1, 1] (splitmix64). */
static double uniform(void) {
  uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static m3 random_rotation(void) {
  return quat_to_m3(quat_normalize((quat){uniform(), uniform(), uniform(), uniform()}));
}

/* CPU time, ns. */
static double now(void) { return 1e9 * thread_time(); }

static cr_shape make_shape(carom_geom_type type) {
  cr_shape shape = {.type = type, .size = {0.5, 0.5, 0.5}};
  for (int i = 0; i < 3; i++) shape.size[i] += 0.2 * uniform();
  return shape;
}

/* Moves B along the line between the centres until the pair's distance is `gap`. */
static void place(bench_pair* pair, double gap) {
  v3 a, b, n;
  for (int i = 0; i < 20; i++) {
    double distance =
        cr_geom_compute_distance(&pair->a, &pair->Xa, &pair->b, &pair->Xb, &a, &b, &n);
    pair->Xb.p = v3_axpy(pair->Xb.p, gap - distance, n);
  }
}

static void make_random(bench_pair* pair, carom_geom_type a, carom_geom_type b, double gap) {
  *pair = (bench_pair){make_shape(a),
                       make_shape(b),
                       {v3_zero(), random_rotation()},
                       {{uniform(), uniform(), uniform()}, random_rotation()}};
  place(pair, gap);
}

/* B stands (its axis upright) or lies on A, sunk in by 1e-5, tilted by 1e-6. */
static void make_resting(bench_pair* pair, carom_geom_type a, carom_geom_type b, bool stands) {
  quat tilt = quat_exp(v3_make(1e-6 * uniform(), 1e-6 * uniform(), uniform()));
  quat lay = stands ? quat_identity() : quat_from_axis_angle(v3_make(1, 0, 0), 1.5707963267948966);
  *pair = (bench_pair){make_shape(a),
                       make_shape(b),
                       {v3_zero(), m3_identity()},
                       {{0.1 * uniform(), 0.1 * uniform(), 2}, quat_to_m3(quat_mul(tilt, lay))}};
  place(pair, -1e-5);
}

/* Prints the time of one call, and the mean number of points. */
static void time_pairs(const char* what, const bench_pair* pairs, double margin) {
  double best = INFINITY, points = 0;
  cr_manifold manifold;
  for (int run = 0; run < RUNS; run++) {
    points = 0;
    double start = now();
    for (int r = 0; r < REPEATS; r++)
      for (int i = 0; i < PAIRS; i++)
        points += cr_geom_collide(&pairs[i].a, &pairs[i].Xa, &pairs[i].b, &pairs[i].Xb, margin,
                                  &manifold);
    best = fmin(best, (now() - start) / (REPEATS * PAIRS));
  }
  printf("  %-22s %8.1f ns  %4.1f points\n", what, best, points / (REPEATS * PAIRS));
}

static void time_types(carom_geom_type a, carom_geom_type b) {
  static const char* const names[] = {"plane", "sphere",    "capsule", "cylinder",
                                      "box",   "ellipsoid", "mesh"};
  static bench_pair pairs[PAIRS];
  printf("%s-%s\n", names[a], names[b]);
  for (int i = 0; i < PAIRS; i++) make_random(&pairs[i], a, b, -0.01);
  time_pairs("shallow", pairs, 0.001);
  for (int i = 0; i < PAIRS; i++) make_random(&pairs[i], a, b, -0.2);
  time_pairs("deep", pairs, 0.001);
  for (int i = 0; i < PAIRS; i++) make_random(&pairs[i], a, b, 0.01);
  time_pairs("apart, within margin", pairs, 0.02);
  time_pairs("apart, beyond margin", pairs, 0.001);
  if (b == CAROM_GEOM_SPHERE || (a != CAROM_GEOM_PLANE && a < CAROM_GEOM_CYLINDER)) return;
  for (int i = 0; i < PAIRS; i++) make_resting(&pairs[i], a, b, true);
  time_pairs("standing", pairs, 0.001);
  if (b == CAROM_GEOM_BOX) return;
  for (int i = 0; i < PAIRS; i++) make_resting(&pairs[i], a, b, false);
  time_pairs("lying", pairs, 0.001);
}

/* Points of a stretched sphere, at random. */
static cr_hull* make_hull(const carom_allocator* allocator, int count) {
  double points[3 * 1000];
  cr_hull* hull;
  for (int i = 0; i < count; i++) {
    v3 x = v3_normalize_or(v3_make(uniform(), uniform(), uniform()), v3_make(0, 0, 1));
    v3_store(v3_mul(x, v3_make(0.5, 0.6, 0.4)), points + 3 * i);
  }
  return cr_hull_create(points, count, allocator, &hull, NULL) == CAROM_OK ? hull : NULL;
}

/* Poses of B as steps of a simulation move it. */
enum { FRAMES = 20 };
typedef struct bench_motion {
  pose X[FRAMES];
} bench_motion;

/* There and back, up to 0.2 mm and 0.5 mrad from one frame to the next. */
static void move(const pose* start, bench_motion* motion) {
  v3 step = v3_make(2e-4 * uniform(), 2e-4 * uniform(), 2e-4 * uniform());
  v3 turn = v3_make(5e-4 * uniform(), 5e-4 * uniform(), 5e-4 * uniform());
  for (int k = 0; k < FRAMES; k++) {
    int away = k < FRAMES / 2 ? k : FRAMES - k;
    m3 R = quat_to_m3(quat_exp(v3_scale(away, turn)));
    motion->X[k] = (pose){v3_axpy(start->p, away, step), m3_mul(&R, &start->R)};
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Nanoseconds of one call while the pairs move; median of the runs. */
static double time_motion(const bench_pair* pairs, const bench_motion* motion,
                          cr_pair_memory* memory, double* points) {
  double times[RUNS];
  cr_manifold manifold;
  for (int run = 0; run < RUNS; run++) {
    double start = now();
    *points = 0;
    for (int k = 0; k < FRAMES; k++)
      for (int i = 0; i < PAIRS; i++) {
        const bench_pair* p = &pairs[i];
        cr_collide_query query = {.a = &p->a, .b = &p->b, .Xa = &p->Xa, .margin = 0.02};
        query.Xb = &motion[i].X[k];
        query.memory = memory ? &memory[i] : NULL;
        *points += cr_geom_collide_pair(&query, &manifold);
      }
    times[run] = (now() - start) / (FRAMES * PAIRS);
  }
  *points /= FRAMES * PAIRS;
  qsort(times, RUNS, sizeof *times, compare);
  return times[RUNS / 2];
}

/* Two hulls of so many vertices that move a little, without memory and with it. */
static void time_hulls(int count) {
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_hull *a = make_hull(&allocator, count), *b = make_hull(&allocator, count);
  static const double gaps[] = {-0.05, -0.001, 0.01};
  static bench_pair pairs[PAIRS];
  static bench_motion motion[PAIRS];
  static cr_pair_memory memory[PAIRS];
  if (!a || !b) return;
  printf("mesh - mesh, %d vertices each\n", count);
  for (int k = 0; k < 3; k++) {
    double points;
    for (int i = 0; i < PAIRS; i++) {
      pairs[i] = (bench_pair){{.type = CAROM_GEOM_MESH, .hull = a},
                              {.type = CAROM_GEOM_MESH, .hull = b},
                              {v3_zero(), random_rotation()},
                              {{uniform(), uniform(), uniform()}, random_rotation()}};
      place(&pairs[i], gaps[k]);
      move(&pairs[i].Xb, &motion[i]);
    }
    memset(memory, 0, sizeof memory);
    double cold = time_motion(pairs, motion, NULL, &points);
    double warm = time_motion(pairs, motion, memory, &points);
    printf("  distance %-13g %8.1f ns, with memory %8.1f ns  %4.1f points\n", gaps[k], cold, warm,
           points);
  }
  cr_hull_destroy(a, &allocator);
  cr_hull_destroy(b, &allocator);
}

/* Times all pairs of types, or the one pair whose numbers are given, or hulls of so many vertices.
 */
int main(int argc, char** argv) {
  if (argc == 2) {
    time_hulls(atoi(argv[1]));
    return 0;
  }
  if (argc == 3) {
    time_types((carom_geom_type)(argv[1][0] - '0'), (carom_geom_type)(argv[2][0] - '0'));
    return 0;
  }
  for (int a = CAROM_GEOM_PLANE; a <= CAROM_GEOM_BOX; a++)
    for (int b = a == CAROM_GEOM_PLANE ? a + 1 : a; b <= CAROM_GEOM_BOX; b++)
      time_types((carom_geom_type)a, (carom_geom_type)b);
  time_hulls(8);
  time_hulls(100);
  time_hulls(1000);
  return 0;
}
