/* How the points of pressure fields move with both bodies and their sizes, against differences of
 * the points. */
#include "geom/collide.h"
#include "geom/field.h"
#include "geom/manifold_tangent.h"
#include "support/shapes.h"

#include <math.h>
#include <string.h>

#define E 1e6

static const cr_shape plane = {.type = CAROM_GEOM_PLANE};
static const cr_shape ball = {.type = CAROM_GEOM_SPHERE, .size = {0.1}};
static const cr_shape marble = {.type = CAROM_GEOM_SPHERE, .size = {0.03}};
static const cr_shape box = {.type = CAROM_GEOM_BOX, .size = {0.1, 0.2, 0.05}};

static const cr_shape egg = {.type = CAROM_GEOM_ELLIPSOID, .size = {0.1, 0.08, 0.06}};
static const cr_shape capsule = {.type = CAROM_GEOM_CAPSULE, .size = {0.05, 0.1}};
static const cr_shape cylinder = {.type = CAROM_GEOM_CYLINDER, .size = {0.1, 0.05}};

enum {
  MOVES = 24
}; /* turns and ways of both bodies, the normal's three, depth, pressures, sizes */

/* Two bodies that touch, in place. */
typedef struct touch {
  cr_shape shape[2];
  pose X[2];
  double pressure[2];
  v3 normal, place;
  double depth;
} touch;

/* The deepest point of both, and how it moves with them; null: that is not asked for. */
static void look(touch* t, cr_manifold_tangent* tangent, int* deepest) {
  cr_manifold m;
  const cr_collide_query query = {&t->shape[0], &t->shape[1], &t->X[0], &t->X[1], 2, NULL};
  int count = cr_geom_collide_pair(&query, &m), i = 0;
  for (int k = 1; k < count; k++)
    if (m.points[k].distance < m.points[i].distance) i = k;
  t->normal = m.normal, t->place = m.points[i].a, t->depth = -m.points[i].distance;
  if (!tangent) return;
  cr_manifold_compute_tangent(&query, &m, tangent);
  assert_null(tangent->obstacle);
  *deepest = i;
}

/* @param follows the normal and the depth move with the bodies */
static cr_field_motion make_motion(const touch* t, int move, bool follows) {
  cr_field_motion m = {.depth = move == 15, .pressure = {move == 16, move == 17}};
  double* const of[] = {&m.turn[0].x, &m.way[0].x, &m.turn[1].x, &m.way[1].x, &m.normal.x};
  if (move < 15) of[move / 3][move % 3] = 1;
  if (move >= 18) m.size[(move - 18) / 3][move % 3] = 1;
  m.normal = v3_axpy(m.normal, -v3_dot(m.normal, t->normal), t->normal);
  if (!follows) return m;
  touch still = *t;
  cr_manifold_tangent tangent;
  int deepest = 0;
  look(&still, &tangent, &deepest);
  m.normal = tangent.normal[move / 6][move % 6];
  m.depth = -tangent.points[deepest].distance[move / 6][move % 6];
  return m;
}

/* Patches with everything moved by h. */
static cr_field_patches press(const touch* t, const cr_field_motion* motion, double h,
                              bool follows) {
  touch moved = *t;
  for (int k = 0; k < 2; k++) {
    m3 R = quat_to_m3(quat_exp(v3_scale(h, motion->turn[k])));
    moved.X[k] = (pose){v3_axpy(t->X[k].p, h, motion->way[k]), m3_mul(&R, &t->X[k].R)};
    for (int e = 0; e < 3; e++) moved.shape[k].size[e] += h * motion->size[k][e];
  }
  moved.depth += h * motion->depth;
  moved.normal = v3_normalize_or(v3_axpy(t->normal, h, motion->normal), t->normal);
  if (follows) look(&moved, NULL, NULL);
  cr_field_pair pair = {.normal = moved.normal, .place = moved.place, .depth = moved.depth};
  for (int k = 0; k < 2; k++)
    pair.body[k] = (cr_field_body){&moved.shape[k], &moved.X[k],
                                   t->pressure[k] * (1 + h * motion->pressure[k])};
  cr_arena arena;
  cr_field_patches patches;
  cr_arena_init(&arena, NULL);
  assert_true(cr_field_find_patches(&pair, &arena, &patches));
  cr_arena_destroy(&arena);
  return patches;
}

static cr_field_patches differentiate(const touch* t, const cr_field_motion* motion) {
  cr_field_pair pair = {.place = t->place, .depth = t->depth, .normal = t->normal};
  for (int k = 0; k < 2; k++)
    pair.body[k] = (cr_field_body){&t->shape[k], &t->X[k], t->pressure[k]};
  cr_arena arena;
  cr_field_patches change;
  cr_arena_init(&arena, NULL);
  assert_true(cr_field_differentiate(&pair, motion, &arena, &change));
  cr_arena_destroy(&arena);
  return change;
}

enum { NUMBERS = 4 + 5 * CR_FIELD_POINTS };

/* A patch's numbers, each in terms of what it is about. */
static void list_numbers(const cr_field_patch* p, double stiffness, double size, double* x) {
  v3_store(p->normal, x);
  x[3] = p->stiffness / stiffness;
  for (int i = 0; i < CR_FIELD_POINTS; i++) {
    v3_store(v3_scale(1 / size, p->point[i].place), x + 4 + 5 * i);
    x[7 + 5 * i] = p->point[i].share;
    x[8 + 5 * i] = p->point[i].depth / size;
  }
}

/* How a derivative differs from central differences over h and 2 h, extrapolated. */
static double compare_patch(const double x[4][NUMBERS], const double* exact, double h) {
  double worst = 0;
  for (int i = 0; i < NUMBERS; i++) {
    double by_h = (x[2][i] - x[1][i]) / (2 * h), by_2h = (x[3][i] - x[0][i]) / (4 * h);
    double found = (4 * by_h - by_2h) / 3;
    worst = fmax(worst, fabs(found - exact[i]) / fmax(1, fabs(found)));
  }
  return worst;
}

static double compare(const touch* t, double h, bool follows) {
  double worst = 0, size = 0.1, x[4][NUMBERS], exact[NUMBERS];
  static const double at[4] = {-2, -1, 1, 2};
  for (int move = 0; move < (follows ? 12 : MOVES); move++) {
    cr_field_motion m = make_motion(t, move, follows);
    cr_field_patches zero = press(t, &m, 0, follows), change = differentiate(t, &m);
    assert_int_equal(change.count, zero.count);
    for (int g = 0; g < zero.count; g++) {
      double stiffness = zero.patch[g].stiffness;
      for (int i = 0; i < 4; i++) {
        cr_field_patches moved = press(t, &m, at[i] * h, follows);
        assert_int_equal(moved.count, zero.count);
        list_numbers(&moved.patch[g], stiffness, size, x[i]);
      }
      list_numbers(&change.patch[g], stiffness, size, exact);
      worst = fmax(worst, compare_patch((const double(*)[NUMBERS])x, exact, h));
    }
  }
  return worst;
}

typedef struct side {
  const cr_shape* shape;
  double pressure;
} side;

/* In the direction of both centres, moved until they overlap by the depth. */
static touch make_touch(const side of[2], double depth, check_random* random) {
  const cr_shape *a = of[0].shape, *b = of[1].shape;
  touch t = {.shape = {*a, *b}, .pressure = {of[0].pressure, of[1].pressure}, .depth = depth};
  for (int k = 0; k < 2; k++) t.X[k] = (pose){v3_zero(), check_random_rotation(random)};
  t.X[0].p = v3_make(0.3, -0.2, 0.1);
  v3 way = check_random_direction(random);
  if (a->type == CAROM_GEOM_PLANE) way = m3_column(&t.X[0].R, 2);
  t.X[1].p = v3_axpy(t.X[0].p, 0.5, way);
  for (int i = 0; i < 60; i++) {
    look(&t, NULL, NULL);
    t.X[1].p = v3_axpy(t.X[1].p, t.depth - depth, t.normal);
  }
  look(&t, NULL, NULL);
  return t;
}

/* Borders between facets start from the deepest point, which is on edges of the other body, too: a
 * kink, but in motions of all together. The narrow phase finds ellipsoids' normals to 1e-6 only. */
static bool follows_it(const cr_shape* a, const cr_shape* b) {
  if (a == &egg || b == &egg) return false;
  return a == &capsule || b == &capsule || a == &cylinder || b == &cylinder;
}

/* Of each motion by itself, or of what the bodies' motions are with all that follows them. */
static void expect(side a, side b, double depth, double h, double tolerance) {
  const side of[2] = {a, b};
  check_random random = {7};
  double worst = 0;
  bool follows = follows_it(a.shape, b.shape);
  for (int i = 0; i < 6; i++) {
    touch t = make_touch(of, depth, &random);
    worst = fmax(worst, compare(&t, h, follows));
  }
  print_message("%s on %s, %g m deep: off by %.1e at most\n", check_type_name(b.shape->type),
                check_type_name(a.shape->type), depth, worst);
  assert_true(worst < tolerance);
}

static void test_balls(void** state) {
  (void)state;
  expect((side){&plane, INFINITY}, (side){&ball, E}, 1e-2, 1e-5, 1e-8);
  expect((side){&plane, E / 0.05}, (side){&ball, INFINITY}, 1e-2, 1e-5, 1e-8);
  expect((side){&plane, E / 0.05}, (side){&ball, E}, 1e-2, 1e-5, 1e-8);
  expect((side){&ball, E}, (side){&plane, INFINITY}, 1e-2, 1e-5, 1e-8);
  expect((side){&ball, E}, (side){&marble, 3 * E}, 1e-2, 1e-5, 1e-8);
  expect((side){&ball, INFINITY}, (side){&marble, E}, 1e-3, 1e-6, 1e-8);
}

static void test_boxes(void** state) {
  (void)state;
  expect((side){&plane, INFINITY}, (side){&box, E}, 1e-2, 1e-6, 1e-7);
  expect((side){&plane, E / 0.05}, (side){&box, INFINITY}, 1e-2, 1e-6, 1e-7);
  expect((side){&plane, E / 0.05}, (side){&box, E}, 1e-2, 1e-6, 1e-7);
  expect((side){&box, E}, (side){&box, 2 * E}, 1e-2, 1e-6, 1e-7);
  expect((side){&box, INFINITY}, (side){&box, E}, 1e-2, 1e-6, 1e-7);
}

/* Corners of many facets pass each other, at which second derivatives jump: of two round bodies
 * differences are over little, and not as good. */
static void test_round(void** state) {
  (void)state;
  static const cr_shape* const shapes[] = {&egg, &capsule, &cylinder};
  for (int i = 0; i < 3; i++) {
    expect((side){&plane, INFINITY}, (side){shapes[i], E}, 1e-2, 1e-6, 1e-7);
    expect((side){&box, INFINITY}, (side){shapes[i], E}, 1e-2, 1e-6, 1e-7);
    expect((side){shapes[i], E}, (side){&egg, 2 * E}, 1e-2, 1e-8, 5e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls),
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
