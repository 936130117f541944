/* How the points of pressure fields move with both bodies, against differences of the points. */
#include "geom/collide.h"
#include "geom/field.h"
#include "support/shapes.h"

#include <math.h>
#include <string.h>

#define E 1e6

static const cr_shape plane = {.type = CAROM_GEOM_PLANE};
static const cr_shape ball = {.type = CAROM_GEOM_SPHERE, .size = {0.1}};
static const cr_shape marble = {.type = CAROM_GEOM_SPHERE, .size = {0.03}};
static const cr_shape box = {.type = CAROM_GEOM_BOX, .size = {0.1, 0.2, 0.05}};

enum { MOVES = 16 }; /* turns and ways of both bodies, the normal's three, the depth */

/* Two bodies that touch, in place. */
typedef struct touch {
  cr_shape shape[2];
  pose X[2];
  double pressure[2];
  v3 normal, place;
  double depth;
} touch;

static cr_field_motion make_motion(int move) {
  cr_field_motion m = {.depth = move == 15};
  double* const of[] = {&m.turn[0].x, &m.way[0].x, &m.turn[1].x, &m.way[1].x, &m.normal.x};
  if (move < 15) of[move / 3][move % 3] = 1;
  return m;
}

/* Patches with everything moved by h. */
static cr_field_patches press(const touch* t, const cr_field_motion* motion, double h) {
  pose X[2];
  cr_field_pair pair = {.place = t->place, .depth = t->depth + h * motion->depth};
  for (int k = 0; k < 2; k++) {
    m3 R = quat_to_m3(quat_exp(v3_scale(h, motion->turn[k])));
    X[k] = (pose){v3_axpy(t->X[k].p, h, motion->way[k]), m3_mul(&R, &t->X[k].R)};
    pair.body[k] = (cr_field_body){&t->shape[k], &X[k], t->pressure[k]};
  }
  pair.normal = v3_normalize_or(v3_axpy(t->normal, h, motion->normal), t->normal);
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
  assert_true(cr_field_is_differentiable(&pair));
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

/* Central differences over h and 2 h, extrapolated. */
static double compare(const touch* t, double h, double tolerance) {
  double worst = 0, size = 0.1, x[4][NUMBERS], exact[NUMBERS];
  static const double at[4] = {-2, -1, 1, 2};
  for (int move = 0; move < MOVES; move++) {
    cr_field_motion m = make_motion(move);
    if (move >= 12 && move < 15) {
      m.normal = v3_axpy(m.normal, -v3_dot(m.normal, t->normal), t->normal);
    }
    cr_field_patches zero = press(t, &m, 0), change = differentiate(t, &m);
    assert_int_equal(change.count, zero.count);
    for (int g = 0; g < zero.count; g++) {
      double stiffness = zero.patch[g].stiffness;
      for (int i = 0; i < 4; i++) {
        cr_field_patches moved = press(t, &m, at[i] * h);
        assert_int_equal(moved.count, zero.count);
        list_numbers(&moved.patch[g], stiffness, size, x[i]);
      }
      list_numbers(&change.patch[g], stiffness, size, exact);
      for (int i = 0; i < NUMBERS; i++) {
        double by_h = (x[2][i] - x[1][i]) / (2 * h), by_2h = (x[3][i] - x[0][i]) / (4 * h);
        double found = (4 * by_h - by_2h) / 3,
               error = fabs(found - exact[i]) / fmax(1, fabs(found));
        if (error > tolerance)
          print_message("move %d, number %d: %.10g, differences %.10g\n", move, i, exact[i], found);
        worst = fmax(worst, error);
      }
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
    cr_manifold m;
    int deepest = 0, count = cr_geom_collide(a, &t.X[0], b, &t.X[1], 2, &m);
    for (int k = 1; k < count; k++)
      if (m.points[k].distance < m.points[deepest].distance) deepest = k;
    t.normal = m.normal, t.place = m.points[deepest].a;
    t.X[1].p = v3_axpy(t.X[1].p, -depth - m.points[deepest].distance, m.normal);
  }
  return t;
}

static void expect(side a, side b, double depth, double h, double tolerance) {
  const side of[2] = {a, b};
  check_random random = {7};
  double worst = 0;
  for (int i = 0; i < 6; i++) {
    touch t = make_touch(of, depth, &random);
    worst = fmax(worst, compare(&t, h, tolerance));
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls),
      cmocka_unit_test(test_boxes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
