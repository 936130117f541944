/* The tests' own compiler of mechanisms, and the arrays of the tree module. */
#include "support/random_case.h"

#include <stdlib.h>

enum { num_cases = 100 };

static int count_children(const cr_tree_model* model, int dof) {
  int count = 0;
  for (int k = 0; k < model->num_v; k++) count += model->dof_parent[k] == dof;
  return count;
}

/* Inside a segment every dof is the only child of the one before it; no segment could be longer. */
static void test_segments(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const cr_tree_model* model = &c.m->model;
    for (int k = 0; k < model->num_v; k++) {
      int parent = model->dof_parent[k], segment = model->dof_segment[k];
      bool is_start = model->segment_v_start[segment] == k;
      bool may_continue = parent >= 0 && parent == k - 1 && count_children(model, parent) == 1;
      assert_true(parent < k);
      assert_true(is_start != may_continue);
      if (is_start)
        assert_int_equal(model->segment_parent[segment],
                         parent < 0 ? -1 : model->dof_segment[parent]);
      else
        assert_int_equal(model->dof_segment[k - 1], segment);
    }
    assert_int_equal(model->segment_v_start[model->num_segments], model->num_v);
    random_case_destroy(&c);
  }
}

/* Links, dofs and trees are contiguous; only a tree's first link hangs on the ground. */
static void test_order(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const cr_tree_model* model = &c.m->model;
    int next_link = 1, next_v = 0;
    for (int t = 0; t < model->num_trees; t++) {
      assert_int_equal(model->tree_link_start[t], next_link);
      assert_int_equal(model->tree_v_start[t], next_v);
      for (int i = next_link; i < model->tree_link_end[t]; i++) {
        assert_true((model->link_parent[i] == 0) == (i == next_link));
        assert_int_equal(model->link_v_start[i + 1] - 1, model->link_last_dof[i]);
      }
      next_link = model->tree_link_end[t];
      next_v = model->link_v_start[next_link];
    }
    assert_int_equal(next_link, model->num_links);
    assert_int_equal(next_v, model->num_v);
    random_case_destroy(&c);
  }
}

/* A pendulum of two halves: welded, or one body with the sum of their mass properties. */
static void test_welding(void** state) {
  (void)state;
  mechanism_def def;
  mechanism_def_init(&def);
  mechanism_body half = {
      .quaternion = {1, 0, 0, 0}, .mass = 2, .com = {0.1, 0, 0}, .inertia = {1, 2, 3, 0, 0, 0}};
  mechanism_joint joint = {.type = CAROM_JOINT_HINGE, .axis = {0, 0, 1}};
  joint.body = mechanism_def_add_body(&def, &half);
  mechanism_def_add_joint(&def, &joint);
  half.parent = 1, half.position[0] = 1;
  half.quaternion[0] = half.quaternion[3] = 0.70710678118654757; // a quarter turn about z
  mechanism_def_add_body(&def, &half);
  mechanism* m = mechanism_create(&def);
  mechanism_def_destroy(&def);

  // Centres of mass at (0.1, 0, 0) and (1, 0.1, 0); the second body's x and y moments swap.
  assert_int_equal(m->model.num_links, 2);
  const double com[3] = {0.55, 0.05, 0};
  const double inertia[6] = {3 + 0.01, 3 + 0.81, 6 + 0.82, -0.09, 0, 0};
  check_near(m->model.link_mass[1], 4, 0);
  check_near_array(m->model.link_com + 3, com, 3, 1e-15);
  check_near_array(m->model.link_inertia + 6, inertia, 6, 1e-14);
  mechanism_destroy(m);
}

/* Memory that runs out after a number of blocks. */
static int blocks_left;

static void* allocate(void* user, size_t size, size_t alignment) {
  (void)user;
  if (blocks_left-- <= 0) return NULL;
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void* user, void* block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

static void test_arrays_without_memory(void** state) {
  (void)state;
  random_case c = random_case_create(7);
  carom_allocator allocator = {allocate, release, NULL};
  int failures = 0;
  for (int blocks = 0; blocks < 20; blocks++) {
    cr_arena arena;
    cr_tree_kinematics kinematics;
    cr_tree_velocities velocities;
    cr_tree_scratch scratch;
    blocks_left = blocks;
    cr_arena_init(&arena, &allocator);
    bool is_done = cr_tree_push_kinematics(&arena, &c.m->model, &kinematics) &&
                   cr_tree_push_velocities(&arena, &c.m->model, &velocities) &&
                   cr_tree_push_scratch(&arena, &c.m->model, &scratch);
    assert_true(is_done == !arena.failed);
    failures += !is_done;
    cr_arena_destroy(&arena);
  }
  assert_int_equal(failures, 15); // one block an array, five and two and seven of them
  random_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_segments),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_welding),
      cmocka_unit_test(test_arrays_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
