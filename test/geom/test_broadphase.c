/* The broad phase against all pairs one by one, in random scenes; filters as MJCF has them; its
 * work, counted in comparisons; what is not finite; memory. */
#include "geom/broadphase.h"
#include "support/memory.h"
#include "support/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, MOST_KEYS = 64 };

/* A scene in which every array is owned; link i hangs on a random earlier one. */
typedef struct scene {
  cr_geom_model model;
  cr_shape shape[MOST];
  pose local[MOST], X[MOST];
  int link[MOST], body[MOST], link_parent[MOST];
  uint32_t contype[MOST], conaffinity[MOST];
  double margin[MOST], reach[MOST], pair_margin[MOST_KEYS];
  uint64_t exclude[MOST_KEYS], pair[MOST_KEYS];
} scene;

static uint64_t make_key(int a, int b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static int compare_keys(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

/* Sorted keys without doubles; returns their number. */
static int tidy_keys(uint64_t* keys, int count) {
  int kept = 0;
  qsort(keys, (size_t)count, sizeof *keys, compare_keys);
  for (int i = 0; i < count; i++)
    if (kept == 0 || keys[i] != keys[kept - 1]) keys[kept++] = keys[i];
  return kept;
}

static void connect(scene* s, int num_geoms) {
  s->model = (cr_geom_model){.num_geoms = num_geoms,
                             .shape = s->shape,
                             .local = s->local,
                             .link = s->link,
                             .contype = s->contype,
                             .conaffinity = s->conaffinity,
                             .margin = s->margin,
                             .link_parent = s->link_parent,
                             .exclude = s->exclude,
                             .pair = s->pair,
                             .pair_margin = s->pair_margin};
}

/* Where geometry i is: the ground's stays. */
static check_body body_of(const scene* s, int i) {
  return (check_body){s->shape[i], s->link[i] == 0 ? s->local[i] : s->X[i]};
}

/* --- The reference ------------------------------------------------------------------------------
 */

/* Whether bounds are no farther apart than `slack`, from support heights. */
static bool bounds_meet(const check_body* a, const check_body* b, double slack) {
  if (b->shape.type == CAROM_GEOM_PLANE) return bounds_meet(b, a, slack);
  if (a->shape.type == CAROM_GEOM_PLANE) {
    v3 n = m3_column(&a->X.R, 2);
    return -check_support_height(b, v3_neg(n)) - v3_dot(n, a->X.p) <= slack;
  }
  for (int i = 0; i < 3; i++) {
    v3 axis = v3_set(v3_zero(), i, 1);
    if (check_overlap(a, b, axis) < -slack || check_overlap(a, b, v3_neg(axis)) < -slack)
      return false;
  }
  return true;
}

static bool is_allowed(const cr_geom_model* m, int i, int j) {
  int a = m->link[i], b = m->link[j];
  if (a == b || (a != 0 && m->link_parent[b] == a) || (b != 0 && m->link_parent[a] == b))
    return false;
  for (int k = 0; k < m->num_excludes; k++)
    if (m->exclude[k] == (m->body ? make_key(m->body[i], m->body[j]) : make_key(a, b)))
      return false;
  if (m->shape[i].type == CAROM_GEOM_PLANE && m->shape[j].type == CAROM_GEOM_PLANE) return false;
  return (m->contype[i] & m->conaffinity[j]) != 0 || (m->contype[j] & m->conaffinity[i]) != 0;
}

/* Compares with all pairs, one by one; returns their number. */
static int check_pairs(const scene* s, bool with_reach, const cr_geom_pair* pairs, int num_pairs) {
  const cr_geom_model* m = &s->model;
  int count = 0;
  for (int i = 0; i < m->num_geoms; i++) {
    for (int j = i + 1; j < m->num_geoms; j++) {
      int explicit_pair = -1;
      for (int k = 0; k < m->num_pairs; k++)
        if (m->pair[k] == make_key(i, j)) explicit_pair = k;
      if (explicit_pair < 0 && !is_allowed(m, i, j)) continue;
      if (m->link[i] == 0 && m->link[j] == 0) continue;
      double margin =
          explicit_pair < 0 ? s->margin[i] + s->margin[j] : s->pair_margin[explicit_pair];
      check_body a = body_of(s, i), b = body_of(s, j);
      if (a.shape.type == CAROM_GEOM_PLANE && b.shape.type == CAROM_GEOM_PLANE) continue;
      if (!bounds_meet(&a, &b, margin + (with_reach ? s->reach[i] + s->reach[j] : 0))) continue;
      assert_true(count < num_pairs);
      assert_int_equal(pairs[count].geom1, i);
      assert_int_equal(pairs[count].geom2, j);
      assert_int_equal(pairs[count].pair, explicit_pair);
      count++;
    }
  }
  assert_int_equal(count, num_pairs);
  return count;
}

/* --- Random scenes ------------------------------------------------------------------------------
 */

static void place(check_random* random, double side, pose* X) {
  X->R = check_random_rotation(random);
  X->p = v3_make(check_random_uniform(random, 0, side), check_random_uniform(random, 0, side),
                 check_random_uniform(random, 0, side));
}

static void add_geom(check_random* random, scene* s, int i, int num_links, double side) {
  static const uint32_t bits[] = {0, 1, 1, 1, 2, 3, 0x80000000};
  s->link[i] = check_random_int(random, 0, 3) == 0 ? 0 : check_random_int(random, 0, num_links - 1);
  s->body[i] = 3 * s->link[i] + check_random_int(random, 0, 2);
  int type = check_random_int(random, 0, 30);
  type = type == 0 && s->link[i] == 0 ? CAROM_GEOM_PLANE : 1 + type % 4;
  s->shape[i] = check_random_shape(random, (carom_geom_type)type, 0.01, 1);
  s->contype[i] = bits[check_random_int(random, 0, 6)];
  s->conaffinity[i] = bits[check_random_int(random, 0, 6)];
  s->margin[i] = check_random_int(random, 0, 1) ? 0 : check_random_uniform(random, 0, 0.2);
  s->reach[i] = check_random_int(random, 0, 1) ? 0 : check_random_uniform(random, 0, 0.3);
  if (s->link[i] == 0) s->reach[i] = num_links % 2 ? 0.1 : 0; /* alike */
  place(random, side, &s->local[i]);
  place(random, side, &s->X[i]);
}

static void make_scene(check_random* random, scene* s) {
  int num_geoms = (int)pow(MOST, check_random_uniform(random, 0, 1));
  int num_links = check_random_int(random, 1, num_geoms);
  double side = cbrt(num_geoms) * check_random_uniform(random, 0.3, 3);
  memset(s, 0, sizeof *s);
  connect(s, num_geoms);
  s->model.num_links = num_links;
  s->link_parent[0] = -1;
  for (int i = 1; i < num_links; i++) s->link_parent[i] = check_random_int(random, 0, i - 1);
  for (int i = 0; i < num_geoms; i++) add_geom(random, s, i, num_links, side);
  bool by_body = check_random_int(random, 0, 1);
  if (by_body) s->model.body = s->body;
  for (int i = 0; i < MOST_KEYS; i++) {
    int most = by_body ? 3 * num_links - 1 : num_links - 1;
    int a = check_random_int(random, 0, most), b = check_random_int(random, 0, most);
    s->exclude[i] = make_key(a, b);
    a = check_random_int(random, 0, num_geoms - 1), b = check_random_int(random, 0, num_geoms - 1);
    if (a != b) s->pair[s->model.num_pairs++] = make_key(a, b);
    s->pair_margin[i] = check_random_uniform(random, 0, 2);
  }
  s->model.num_excludes = tidy_keys(s->exclude, check_random_int(random, 0, MOST_KEYS));
  s->model.num_pairs = tidy_keys(s->pair, s->model.num_pairs);
}

static cr_broadphase* create(const cr_geom_model* model) {
  carom_error error;
  cr_broadphase* broadphase;
  check_ok(cr_broadphase_create(model, NULL, &broadphase, &error), &error);
  return broadphase;
}

static int find(cr_broadphase* broadphase, const pose* X, const double* reach, cr_arena* arena,
                cr_geom_pair** pairs) {
  int count;
  assert_int_equal(cr_broadphase_find_pairs(broadphase, X, reach, arena, pairs, &count), CAROM_OK);
  return count;
}

/* Several calls of one broad phase, so that what it keeps shows in no answer. */
static void test_random_scenes(void** state) {
  (void)state;
  check_random random = {1};
  static scene s;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  int total = 0, num_scenes = check_repeats(300);
  for (int i = 0; i < num_scenes; i++) {
    make_scene(&random, &s);
    cr_broadphase* broadphase = create(&s.model);
    for (int call = 0; call < 4; call++) {
      bool with_reach = call % 2;
      cr_geom_pair* pairs;
      cr_arena_reset(&arena);
      int count = find(broadphase, s.X, with_reach ? s.reach : NULL, &arena, &pairs);
      total += check_pairs(&s, with_reach, pairs, count);
      for (int k = 0; call > 0 && k < s.model.num_geoms; k++) place(&random, 2 + 3 * call, &s.X[k]);
    }
    cr_broadphase_destroy(broadphase);
  }
  cr_arena_destroy(&arena);
  assert_true(total > 1000 * num_scenes / 300);
}

/* Everything moves by up to a fifth of its reach, and in one call of 16 something jumps; the others
 * need no search. */
static void test_slow_motion(void** state) {
  (void)state;
  check_random random = {3};
  static scene s;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  int64_t searched = 0, kept = 0;
  for (int i = 0, num_scenes = check_repeats(60); i < num_scenes; i++) {
    make_scene(&random, &s);
    int n = s.model.num_geoms;
    cr_broadphase* broadphase = create(&s.model);
    for (int call = 0; call < 48; call++) {
      cr_geom_pair* pairs;
      cr_arena_reset(&arena);
      int count = find(broadphase, s.X, s.reach, &arena, &pairs);
      check_pairs(&s, true, pairs, count);
      *(call % 16 == 0 ? &searched : &kept) += cr_broadphase_get_num_tests(broadphase);
      for (int k = 0; k < n; k++) {
        double most = 0.2 * s.reach[k];
        s.X[k].p = v3_add(s.X[k].p, v3_scale(most, check_random_direction(&random)));
      }
      int jumps = check_random_int(&random, 0, n - 1);
      if (call % 16 == 15) place(&random, 2, &s.X[jumps]);
    }
    cr_broadphase_destroy(broadphase);
  }
  cr_arena_destroy(&arena);
  assert_true(kept < 15 * searched);
}

/* Robots of 6 to 30 limbs, each a link of its own, beside three geometries of the ground. */
static void make_robots(check_random* random, scene* s, int* link_tree) {
  int num_geoms = check_random_int(random, 80, MOST), limbs = check_random_int(random, 6, 30);
  double side = cbrt(num_geoms) * check_random_uniform(random, 0.3, 3);
  memset(s, 0, sizeof *s);
  connect(s, num_geoms);
  s->model.num_links = num_geoms;
  s->model.link_tree = link_tree;
  for (int i = 0; i < num_geoms; i++) {
    add_geom(random, s, i, 1, side);
    link_tree[i] = i < 3 ? -1 : (i - 3) / limbs;
    s->link[i] = i < 3 ? 0 : i;
    s->link_parent[i] = i < 3 || (i - 3) % limbs == 0 ? 0 : i - 1;
    if (i < 3) s->reach[i] = 0.1;
  }
  s->link_parent[0] = -1;
}

/* The same pairs as by trees of geometries, by other comparisons. */
static void test_robots(void** state) {
  (void)state;
  check_random random = {7};
  static scene s;
  static int link_tree[MOST];
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  int total = 0, num_scenes = check_repeats(200);
  for (int i = 0; i < num_scenes; i++) {
    make_robots(&random, &s, link_tree);
    cr_geom_pair* pairs;
    int64_t tests[2];
    for (int k = 0; k < 2; k++) {
      s.model.link_tree = k ? NULL : link_tree;
      cr_broadphase* broadphase = create(&s.model);
      cr_arena_reset(&arena);
      int count = find(broadphase, s.X, s.reach, &arena, &pairs);
      total += check_pairs(&s, true, pairs, count);
      tests[k] = cr_broadphase_get_num_tests(broadphase);
      cr_broadphase_destroy(broadphase);
    }
    assert_true(tests[0] != tests[1]);
  }
  cr_arena_destroy(&arena);
  assert_true(total > 1000 * num_scenes / 200);
}

/* --- Filters ------------------------------------------------------------------------------------
 */

/* Unit spheres at the origin, one per link, all of whose bits are 1; a chain of links from the
 * ground. */
static void make_chain(scene* s, int num_geoms) {
  memset(s, 0, sizeof *s);
  connect(s, num_geoms);
  s->model.num_links = num_geoms;
  for (int i = 0; i < num_geoms; i++) {
    s->shape[i] = (cr_shape){.type = CAROM_GEOM_SPHERE, .size = {1}};
    s->X[i] = s->local[i] = pose_identity();
    s->link[i] = i, s->link_parent[i] = i - 1;
    s->contype[i] = s->conaffinity[i] = 1;
  }
}

static void check_filter(const scene* s, int a, int b, bool allowed) {
  assert_int_equal(cr_geom_filter_allows(&s->model, a, b), allowed);
  assert_int_equal(cr_geom_filter_allows(&s->model, b, a), allowed);
}

static void test_filter_by_bits(void** state) {
  (void)state;
  static scene s;
  make_chain(&s, 4);
  check_filter(&s, 1, 3, true);
  s.contype[1] = 2;
  check_filter(&s, 1, 3, true); /* 3's contype still meets 1's conaffinity */
  s.conaffinity[1] = 4;
  check_filter(&s, 1, 3, false);
  s.conaffinity[3] = 6;
  check_filter(&s, 1, 3, true);
  s.contype[1] = 0, s.conaffinity[1] = 0;
  check_filter(&s, 1, 3, false);
  s.contype[1] = s.conaffinity[3] = 0x80000000;
  check_filter(&s, 1, 3, true);
}

static void test_filter_by_links(void** state) {
  (void)state;
  static scene s;
  make_chain(&s, 5);
  check_filter(&s, 1, 2, false); /* parent and child */
  check_filter(&s, 1, 3, true);
  check_filter(&s, 0, 1, true); /* the ground is no parent */
  s.link[4] = 1;
  check_filter(&s, 1, 4, false); /* one link */
  s.link[4] = 0;
  check_filter(&s, 0, 4, false);
  s.shape[0].type = s.shape[3].type = CAROM_GEOM_PLANE;
  check_filter(&s, 0, 3, false);
  check_filter(&s, 2, 3, false);
  check_filter(&s, 1, 3, true);
}

/* Excludes name bodies: others on the same link still collide. */
static void test_filter_by_excludes(void** state) {
  (void)state;
  static scene s;
  make_chain(&s, 6);
  s.exclude[0] = make_key(0, 3), s.exclude[1] = make_key(1, 3), s.exclude[2] = make_key(2, 5);
  s.model.num_excludes = 3;
  check_filter(&s, 1, 3, false);
  check_filter(&s, 0, 3, false);
  check_filter(&s, 2, 5, false);
  check_filter(&s, 1, 5, true);
  s.model.body = s.body;
  for (int i = 0; i < 6; i++) s.body[i] = 10 + i;
  check_filter(&s, 1, 3, true);
  s.body[1] = 1, s.body[4] = 3;
  check_filter(&s, 1, 4, false);
}

/* Explicit pairs come whatever the filter says, by their own margin alone. */
static void test_explicit_pairs(void** state) {
  (void)state;
  static scene s;
  make_chain(&s, 4);
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_geom_pair* pairs;
  s.contype[1] = s.conaffinity[1] = 0;
  s.margin[1] = s.margin[2] = s.margin[3] = 5;
  s.pair[0] = make_key(1, 2), s.pair[1] = make_key(2, 3), s.model.num_pairs = 2;
  s.pair_margin[0] = 0.5, s.pair_margin[1] = 0;
  s.exclude[0] = make_key(2, 3), s.model.num_excludes = 1;
  s.X[1].p.x = 2.4, s.X[3].p.x = -2.1, s.local[0].p.z = 100;
  cr_broadphase* broadphase = create(&s.model);
  assert_int_equal(find(broadphase, s.X, NULL, &arena, &pairs), 1);
  assert_true(pairs[0].geom1 == 1 && pairs[0].geom2 == 2 && pairs[0].pair == 0);
  s.X[1].p.x = 2.6, s.X[3].p.x = -2;
  assert_int_equal(find(broadphase, s.X, NULL, &arena, &pairs), 1);
  assert_true(pairs[0].geom1 == 2 && pairs[0].geom2 == 3 && pairs[0].pair == 1);
  s.reach[1] = 0.11;
  assert_int_equal(find(broadphase, s.X, s.reach, &arena, &pairs), 2);
  cr_broadphase_destroy(broadphase);
  cr_arena_destroy(&arena);
}

/* --- Work ---------------------------------------------------------------------------------------
 */

/* Many spheres in a cube, 60% of which they fill, one per link that hangs on the ground. */
typedef struct cloud {
  cr_geom_model model;
  pose* X;
  cr_shape* shape;
  int *link, *parent;
  uint32_t *contype, *conaffinity;
  double* margin;
} cloud;

static void* allocate(int count, size_t size) {
  void* block = calloc((size_t)count, size);
  assert_non_null(block);
  return block;
}

static cloud make_cloud(int count, double ratio) {
  check_random random = {7};
  cloud c = {.X = allocate(count, sizeof(pose)),
             .shape = allocate(count, sizeof(cr_shape)),
             .link = allocate(count, sizeof(int)),
             .parent = allocate(count + 1, sizeof(int)),
             .contype = allocate(count, sizeof(uint32_t)),
             .conaffinity = allocate(count, sizeof(uint32_t)),
             .margin = allocate(count, sizeof(double))};
  double volume = 0;
  for (int i = 0; i < count; i++) {
    c.shape[i] = (cr_shape){.type = CAROM_GEOM_SPHERE,
                            .size = {pow(ratio, -check_random_uniform(&random, 0, 1))}};
    volume += cr_shape_compute_volume(&c.shape[i]);
  }
  for (int i = 0; i < count; i++) {
    place(&random, cbrt(volume / 0.6), &c.X[i]);
    c.link[i] = i + 1, c.contype[i] = c.conaffinity[i] = 1;
  }
  c.model = (cr_geom_model){.num_geoms = count,
                            .shape = c.shape,
                            .local = c.X,
                            .link = c.link,
                            .contype = c.contype,
                            .conaffinity = c.conaffinity,
                            .margin = c.margin,
                            .num_links = count + 1,
                            .link_parent = c.parent};
  return c;
}

static void free_cloud(cloud* c) {
  free(c->X), free(c->shape), free(c->link), free(c->parent);
  free(c->contype), free(c->conaffinity), free(c->margin);
}

/* Pairs and comparisons of one call. */
static int64_t count_tests(const cloud* c, int* num_pairs) {
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_broadphase* broadphase = create(&c->model);
  cr_geom_pair* pairs;
  *num_pairs = find(broadphase, c->X, NULL, &arena, &pairs);
  int64_t num_tests = cr_broadphase_get_num_tests(broadphase);
  cr_broadphase_destroy(broadphase);
  cr_arena_destroy(&arena);
  return num_tests;
}

static int count_pairs_one_by_one(const cloud* c, int count) {
  int found = 0;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      double radii = c->shape[i].size[0] + c->shape[j].size[0];
      v3 d = v3_abs(v3_sub(c->X[i].p, c->X[j].p));
      found += d.x <= radii && d.y <= radii && d.z <= radii;
    }
  }
  return found;
}

/* A leaf visits the path of the tree to each of its neighbours, so that the work per sphere may
 * grow by as much as the depth does, which is log2 n plus a constant; 10,000 spheres take fewer
 * than 60 comparisons each. All pairs would be 5,000 each. */
static void test_work_of_many_spheres(void** state) {
  (void)state;
  const double ratios[] = {1, 10, 100};
  for (int i = 0; i < 3; i++) {
    double before = 0;
    for (int count = 625; count <= 40000; count *= 4) {
      cloud c = make_cloud(count, ratios[i]);
      int num_pairs;
      double num_tests = (double)count_tests(&c, &num_pairs);
      double each = num_tests / (count + num_pairs);
      if (count < 10000 || (count == 10000 && i == 1))
        assert_int_equal(num_pairs, count_pairs_one_by_one(&c, count));
      assert_true(num_pairs > count);
      assert_true(num_tests < 60.0 * count);
      if (before > 0) assert_true(each < before * log2(count) / log2(count / 4.0));
      before = each;
      free_cloud(&c);
    }
  }
}

/* Neither the ground's own pairs nor those without common bits are looked at, though all spheres
 * are in one place. */
static void test_work_of_pairs_that_cannot_be(void** state) {
  (void)state;
  enum { COUNT = 4000 };
  cloud c = make_cloud(COUNT, 1);
  int num_pairs;
  for (int i = 0; i < COUNT; i++) c.X[i] = pose_identity(), c.conaffinity[i] = 2;
  assert_true(count_tests(&c, &num_pairs) <= 16 * COUNT);
  assert_int_equal(num_pairs, 0);
  for (int i = 0; i < COUNT; i++) c.conaffinity[i] = 1, c.link[i] = i < COUNT - 1 ? 0 : 1;
  int64_t num_tests = count_tests(&c, &num_pairs);
  assert_true(num_tests <= 2 * COUNT + num_pairs); /* nodes of the tree, and what was found */
  assert_int_equal(num_pairs, COUNT - 1);
  for (int i = 0; i < COUNT; i++) c.link[i] = 0;
  assert_int_equal(count_tests(&c, &num_pairs), 0);
  free_cloud(&c);
}

/* Equal codes: every pair of 200 spheres in one place. */
static void test_one_place(void** state) {
  (void)state;
  cloud c = make_cloud(200, 10);
  int num_pairs;
  for (int i = 0; i < 200; i++) c.X[i] = pose_identity();
  count_tests(&c, &num_pairs);
  assert_int_equal(num_pairs, 200 * 199 / 2);
  free_cloud(&c);
}

/* --- What is not finite -------------------------------------------------------------------------
 */

static void test_not_finite(void** state) {
  (void)state;
  static scene s;
  make_chain(&s, 8);
  s.shape[0].type = CAROM_GEOM_PLANE;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_geom_pair* pairs;
  s.pair[0] = make_key(0, 2), s.pair[1] = make_key(2, 3), s.model.num_pairs = 2;
  for (int i = 0; i < 8; i++) s.link_parent[i] = 0;
  cr_broadphase* broadphase = create(&s.model);
  assert_int_equal(find(broadphase, s.X, NULL, &arena, &pairs), 8 * 7 / 2);
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    s.X[2].p = v3_make(0, 0, bad[i]);
    assert_int_equal(find(broadphase, s.X, NULL, &arena, &pairs), 7 * 6 / 2);
    s.X[2] = pose_identity();
    s.X[2].R.m[1][1] = bad[i];
    assert_int_equal(find(broadphase, s.X, NULL, &arena, &pairs), 7 * 6 / 2);
    s.X[2] = pose_identity();
  }
  /* Very far, which leaves the others where they are; and a reach that meets everything. */
  s.X[2].p = v3_make(1e308, -1e308, 1e308);
  assert_int_equal(find(broadphase, s.X, NULL, &arena, &pairs), 7 * 6 / 2);
  s.reach[2] = INFINITY;
  assert_int_equal(find(broadphase, s.X, s.reach, &arena, &pairs), 8 * 7 / 2);
  s.reach[2] = NAN;
  assert_int_equal(find(broadphase, s.X, s.reach, &arena, &pairs), 7 * 6 / 2);
  cr_broadphase_destroy(broadphase);
  cr_arena_destroy(&arena);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* Every allocation fails once; afterwards a warm call takes none. */
static void test_memory(void** state) {
  (void)state;
  cloud c = make_cloud(2000, 10);
  for (int i = 0; i < 1000; i++) c.link[i] = 0;
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  for (int fail_at = 0; status != CAROM_OK; fail_at++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    memory.fail_at = fail_at;
    cr_broadphase* broadphase;
    cr_geom_pair* pairs;
    int num_pairs;
    cr_arena arena;
    cr_arena_init(&arena, &hooks);
    status = cr_broadphase_create(&c.model, &hooks, &broadphase, NULL);
    if (status == CAROM_OK) {
      status = cr_broadphase_find_pairs(broadphase, c.X, NULL, &arena, &pairs, &num_pairs);
      assert_true(status == CAROM_OK || num_pairs == 0);
    } else {
      assert_null(broadphase);
      assert_true(fail_at < 4); /* the block, and scratch: leaves, codes, spare */
    }
    memory.fail_at = -1;
    for (int i = 0; i < 3 && broadphase; i++) {
      int before = memory.num_allocations;
      cr_arena_reset(&arena);
      if (i == 2) before = memory.num_allocations;
      find(broadphase, c.X, NULL, &arena, &pairs);
      if (i == 2) assert_int_equal(memory.num_allocations, before);
    }
    cr_broadphase_destroy(broadphase);
    cr_arena_destroy(&arena);
    check_memory_expect_empty(&memory);
  }
  free_cloud(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_scenes),
      cmocka_unit_test(test_slow_motion),
      cmocka_unit_test(test_robots),
      cmocka_unit_test(test_filter_by_bits),
      cmocka_unit_test(test_filter_by_links),
      cmocka_unit_test(test_filter_by_excludes),
      cmocka_unit_test(test_explicit_pairs),
      cmocka_unit_test(test_work_of_many_spheres),
      cmocka_unit_test(test_work_of_pairs_that_cannot_be),
      cmocka_unit_test(test_one_place),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests_name("geom.broadphase", tests, NULL, NULL);
}
