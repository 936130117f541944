/* Memory of earlier looks at a pair: with it and without it the manifolds are the same to the bit,
 * on pairs that creep, roll, rest, part and jump. */
#include "geom/pair_memory.h"
#include "support/shapes.h"
#include "support/solid.h"

#include <stdlib.h>
#include <string.h>

static cr_hull* random_hull(check_random* random, int count) {
  double* points = malloc((size_t)count * 3 * sizeof *points);
  carom_error error;
  cr_hull* hull;
  assert_non_null(points);
  solid_points_on_sphere(random, count, points);
  for (int i = 0; i < 3 * count; i++) points[i] *= i % 3 == 0 ? 0.5 : i % 3 == 1 ? 0.6 : 0.4;
  check_ok(cr_hull_create(points, count, solid_allocator(), &hull, &error), &error);
  free(points);
  return hull;
}

static cr_hull* box_hull(double x, double y, double z) {
  cr_mesh mesh = solid_box(v3_make(x, y, z), v3_zero());
  cr_hull* hull = solid_hull(&mesh);
  cr_mesh_release(&mesh);
  return hull;
}

static bool same_bits(v3 a, v3 b) {
  const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
  uint64_t p[3], q[3];
  memcpy(p, x, sizeof p);
  memcpy(q, y, sizeof q);
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* Fails unless both looks have the same bits; returns the number of points. */
static int compare(const check_body* a, const check_body* b, double margin,
                   cr_pair_memory* memory) {
  cr_manifold cold, warm;
  memset(&cold, 0, sizeof cold);
  memset(&warm, 0, sizeof warm);
  cr_collide_query query = {
      .a = &a->shape, .b = &b->shape, .Xa = &a->X, .Xb = &b->X, .margin = margin};
  cr_geom_collide_pair(&query, &cold);
  query.memory = memory;
  cr_geom_collide_pair(&query, &warm);
  bool is_same = cold.count == warm.count;
  if (is_same && cold.count > 0) is_same = same_bits(cold.normal, warm.normal);
  for (int i = 0; i < cold.count && is_same; i++)
    is_same = same_bits(cold.points[i].a, warm.points[i].a) &&
              same_bits(cold.points[i].b, warm.points[i].b) &&
              cold.points[i].distance == warm.points[i].distance &&
              cold.points[i].feature == warm.points[i].feature;
  if (is_same) return cold.count;
  check_print_pair(a, b);
  fail_msg("%d and %d points, normals differ by %g, distances %.17g and %.17g", cold.count,
           warm.count, v3_norm(v3_sub(cold.normal, warm.normal)), check_deepest(&cold),
           check_deepest(&warm));
  return 0;
}

/* A little nearer or farther, a little turned. */
static void move(check_random* random, double step, check_body* body) {
  quat turn = quat_exp(v3_scale(step, check_random_direction(random)));
  m3 R = quat_to_m3(turn);
  body->X.R = m3_mul(&R, &body->X.R);
  body->X.p = v3_axpy(body->X.p, step, check_random_direction(random));
}

/* Of pairs of these shapes, moved by steps of any size, how many looks had a memory to begin with.
 */
static double walk_pairs(check_random* random, const cr_shape* a, const cr_shape* b, int pairs) {
  int looks = 0, known = 0;
  for (int i = 0; i < pairs; i++) {
    check_body first = {.shape = *a}, second = {.shape = *b};
    cr_pair_memory memory = {0};
    double distance = check_random_uniform(random, 0.1, 1.3);
    double step = pow(10, check_random_uniform(random, -12, -1));
    first.X = (pose){check_random_direction(random), check_random_rotation(random)};
    second.X = (pose){v3_axpy(first.X.p, distance, check_random_direction(random)),
                      check_random_rotation(random)};
    for (int k = 0; k < 20; k++, looks++) {
      known += memory.num_points > 0;
      compare(&first, &second, 0.1, &memory);
      move(random, step, &second);
    }
  }
  return (double)known / looks;
}

static void test_hulls(void** state) {
  (void)state;
  check_random random = {71};
  static const int counts[4] = {8, 30, 100, 300};
  for (int i = 0; i < 4; i++) {
    cr_hull *a = random_hull(&random, counts[i]), *b = random_hull(&random, 60);
    const cr_shape first = {.type = CAROM_GEOM_MESH, .hull = a};
    const cr_shape second = {.type = CAROM_GEOM_MESH, .hull = b};
    double known = walk_pairs(&random, &first, &second, check_repeats(400));
    assert_true(known > 0.5);
    cr_hull_destroy(a, solid_allocator());
    cr_hull_destroy(b, solid_allocator());
  }
}

/* A hull against what else has corners. */
static void test_others(void** state) {
  (void)state;
  check_random random = {72};
  cr_hull* hull = random_hull(&random, 50);
  const cr_shape mesh = {.type = CAROM_GEOM_MESH, .hull = hull};
  static const carom_geom_type types[3] = {CAROM_GEOM_SPHERE, CAROM_GEOM_CAPSULE, CAROM_GEOM_BOX};
  for (int i = 0; i < 3; i++) {
    cr_shape other = check_random_shape(&random, types[i], 0.1, 0.6);
    assert_true(walk_pairs(&random, &other, &mesh, check_repeats(400)) > 0.1);
  }
  cr_hull_destroy(hull, solid_allocator());
}

/* Boxes as hulls that lie on each other, on faces parallel to within anything from nothing to a
 * tenth, side by side or turned: several directions are equally good, or nearly so. */
static void test_resting(void** state) {
  (void)state;
  check_random random = {73};
  cr_hull *small = box_hull(0.2, 0.3, 0.25), *big = box_hull(0.5, 0.4, 0.1);
  check_body low = {.shape = {.type = CAROM_GEOM_MESH, .hull = big}, .X.R = m3_identity()};
  check_body high = {.shape = {.type = CAROM_GEOM_MESH, .hull = small}};
  for (int i = 0; i < check_repeats(1000); i++) {
    cr_pair_memory memory = {0};
    double tilt = i % 3 ? pow(10, check_random_uniform(&random, -17, -1)) : 0;
    double step = i % 5 ? pow(10, check_random_uniform(&random, -17, -3)) : 0;
    double spin = i % 2 ? 0 : check_random_normal(&random);
    double shift = i % 7 ? 0.3 : 0; /* 0: the middles lie over each other */
    quat turn = quat_mul(quat_exp(v3_make(tilt, 0.3 * tilt, 0)), quat_exp(v3_make(0, 0, spin)));
    double depth = pow(10, check_random_uniform(&random, -12, -2)) * (i % 4 ? 1 : -1);
    high.X = (pose){v3_make(shift * check_random_normal(&random),
                            shift * check_random_normal(&random), 0.35 - depth),
                    quat_to_m3(turn)};
    low.X.R = i % 11 ? m3_identity() : check_random_rotation(&random);
    high.X.R = m3_mul(&low.X.R, &high.X.R);
    high.X.p = m3_mulv(&low.X.R, high.X.p);
    for (int k = 0; k < 10; k++) {
      compare(&low, &high, 0.01, &memory);
      if (step > 0) move(&random, step, &high);
    }
  }
  cr_hull_destroy(small, solid_allocator());
  cr_hull_destroy(big, solid_allocator());
}

/* What is remembered of a pair says nothing once the pair is elsewhere, or another one. */
static void test_stale(void** state) {
  (void)state;
  check_random random = {74};
  cr_hull* hull[3];
  check_body body[3];
  cr_pair_memory memory = {0};
  int touching = 0;
  for (int i = 0; i < 3; i++) {
    hull[i] = random_hull(&random, 20 + 30 * i);
    body[i].shape = (cr_shape){.type = CAROM_GEOM_MESH, .hull = hull[i]};
  }
  for (int k = 0; k < check_repeats(3000); k++) {
    for (int i = 0; i < 3; i++)
      body[i].X =
          (pose){v3_scale(0.4, check_random_direction(&random)), check_random_rotation(&random)};
    int other = k % 10 ? 1 : 2;
    touching += compare(&body[0], &body[other], 0.1, &memory) > 0;
  }
  assert_true(touching > 0);
  for (int i = 0; i < 3; i++) cr_hull_destroy(hull[i], solid_allocator());
}

/* Pairs find in the next round what they left in the last one, but for those few whose places
 * others have taken; pairs without a polyhedron have none. */
static void test_places(void** state) {
  (void)state;
  enum { SHAPES = 60 };
  check_random random = {75};
  cr_hull* hull = random_hull(&random, 40);
  cr_shape shape[SHAPES];
  cr_arena arena;
  cr_pair_memories memories;
  int again = 0, pairs = 0;
  cr_arena_init(&arena, solid_allocator());
  for (int i = 0; i < SHAPES; i++) shape[i] = (cr_shape){.type = CAROM_GEOM_MESH, .hull = hull};
  assert_true(cr_pair_memories_init(&memories, SHAPES, &arena));
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < SHAPES; i++)
      for (int k = i + 1; k < SHAPES && k < i + 5; k++) {
        cr_pair_memory* memory = cr_pair_memories_find(&memories, shape, i, k);
        assert_non_null(memory);
        pairs += round;
        again +=
            round && memory->num_points > 0 && memory->a == &shape[i] && memory->b == &shape[k];
        const pose Xi = {v3_zero(), m3_identity()}, Xk = {{0.6, 0.1, 0.2}, m3_identity()};
        cr_manifold manifold;
        cr_collide_query query = {&shape[i], &shape[k], &Xi, &Xk, 0.1, memory};
        assert_true(cr_geom_collide_pair(&query, &manifold) > 0);
      }
  assert_true(again > 0.9 * pairs);
  shape[3].type = shape[4].type = CAROM_GEOM_BOX;
  assert_null(cr_pair_memories_find(&memories, shape, 3, 4));
  assert_true(cr_pair_memories_init(&memories, 0, &arena));
  assert_null(cr_pair_memories_find(&memories, shape, 0, 1));
  cr_arena_destroy(&arena);
  cr_hull_destroy(hull, solid_allocator());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hulls), cmocka_unit_test(test_others), cmocka_unit_test(test_resting),
      cmocka_unit_test(test_stale), cmocka_unit_test(test_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
