/* Islands side by side: the number of threads and their order change no bit of the state or of the
 * reports, warm steps take no memory, and a lack of memory on any thread leaves the state. */
#include "support/memory.h"
#include "support/world.h"

#include "carom/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The scene ----------------------------------------------------------------------------------
 */

enum { FALLING_STEPS = 20 }; /* before stacks and heap are in contact */
enum { NUM_CROWD = 24 /* of 14 dofs */ };
enum { NUM_STACKS = 30, NUM_DOLLS = 4, NUM_SMALL = 24, TEXT = 60000 };

typedef struct writer {
  char text[TEXT];
  int at;
} writer;

#define WRITE(w, ...) \
  ((w)->at += snprintf((w)->text + (w)->at, (size_t)(TEXT - (w)->at), __VA_ARGS__))

/* Crooked towers of 1 to 5 boxes in rows of six. */
static void write_stack(writer* w, int number) {
  for (int k = 0; k <= number % 5; k++)
    WRITE(w,
          "<body pos='%d %d %g' euler='0 0 %d'><freejoint/>"
          "<geom type='box' size='.1 .1 .1'/></body>",
          number % 6, number / 6, 0.11 + 0.22 * k, 17 * k + number);
}

/* A trunk with four limbs of two links each, that falls on its feet and over. */
static void write_doll(writer* w, int number) {
  WRITE(w, "<body pos='%d -2 1' euler='%d 0 0'><freejoint/><geom type='capsule' size='.1 .15'/>",
        number, 5 + 10 * number);
  for (int limb = 0; limb < 4; limb++)
    WRITE(w,
          "<body pos='%g 0 %g'><joint axis='0 1 0' range='-60 60' damping='.1'/>"
          "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='.04'/><body pos='0 0 -.3'>"
          "<joint axis='0 1 0' range='-90 5' damping='.1'/>"
          "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='.04'/></body></body>",
          limb % 2 ? .15 : -.15, limb < 2 ? .2 : -.25);
  WRITE(w, "</body>");
}

/* Something of a heap that falls together, so that islands join and part. */
static void write_small(writer* w, int number) {
  static const char* const SHAPES[] = {"type='box' size='.08 .06 .05'", "type='sphere' size='.07'",
                                       "type='capsule' size='.05 .07'"};
  WRITE(w, "<body pos='%g %g %g' euler='%d 0 9'><freejoint/><geom %s/></body>",
        -2 + 0.16 * (number % 3), 0.16 * (number / 3 % 2), 0.2 + 0.18 * (number / 6), 31 * number,
        SHAPES[number % 3]);
}

static const char* write_yard(writer* w) {
  w->at = 0;
  WRITE(w, "<mujoco><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < NUM_STACKS; i++) write_stack(w, i);
  for (int i = 0; i < NUM_DOLLS; i++) write_doll(w, i);
  for (int i = 0; i < NUM_SMALL; i++) write_small(w, i);
  WRITE(w, "</worldbody></mujoco>");
  assert_true(w->at < TEXT - 1);
  return w->text;
}

/* @param tasks, memory the host's; null: none */
static carom_sim_def make_def(int threads, const carom_tasks* tasks, check_memory* memory) {
  carom_sim_def def = world_def(0.004, CAROM_MIDPOINT);
  def.threads = threads;
  if (tasks) def.tasks = *tasks;
  if (memory) def.allocator = check_memory_hooks(memory);
  return def;
}

/* What rests is left out, so that nothing runs at last. */
static bool is_rest_left_out = true;

static world make_yard(int threads, const carom_tasks* tasks, check_memory* memory) {
  static writer w;
  carom_sim_def def = make_def(threads, tasks, memory);
  if (!is_rest_left_out) def.sleep_share = 0;
  return world_create(write_yard(&w), &def);
}

/* --- The same bits ------------------------------------------------------------------------------
 */

/* Bytes of padding are not compared, so every field is. */
static void expect_same_report(const carom_step_report* a, const carom_step_report* b) {
#define SAME(field) assert_memory_equal(&a->field, &b->field, sizeof a->field)
  SAME(outcome), SAME(time), SAME(dt), SAME(substeps), SAME(contacts), SAME(constraints);
  SAME(islands), SAME(relaxed_islands), SAME(impact_islands), SAME(iterations);
  SAME(outer_iterations), SAME(factorizations), SAME(free_iterations), SAME(residual);
  SAME(error_bound), SAME(stick_slip), SAME(float_distance), SAME(dissipated), SAME(actuator_work);
#undef SAME
}

static void expect_same_contacts(const world* a, const world* b) {
  int count_a, count_b;
  const carom_contact* of_a = carom_sim_contacts(a->sim, &count_a);
  const carom_contact* of_b = carom_sim_contacts(b->sim, &count_b);
  assert_int_equal(count_a, count_b);
  for (int i = 0; i < count_a; i++) {
    assert_memory_equal(of_a[i].impulse, of_b[i].impulse, sizeof of_a[i].impulse);
    assert_int_equal(of_a[i].state, of_b[i].state);
  }
}

/* Steps both side by side; the second one is put back in between, and goes on after steps that led
 * elsewhere. */
static void expect_same_run(world* a, world* b, int steps) {
  int most_islands = 0;
  for (int i = 0; i < steps; i++) {
    carom_step_report of_a = world_step(a), of_b = world_step(b);
    expect_same_report(&of_a, &of_b);
    expect_same_contacts(a, b);
    world_expect_twins(a, b);
    if (of_a.islands > most_islands) most_islands = of_a.islands;
    if (i % 50 != 20) continue;
    world_state saved = world_save(b);
    world_run(b, 3);
    world_restore(b, &saved);
    free(saved.bytes);
  }
  assert_true(most_islands >= NUM_STACKS);
}

static void test_any_number_of_threads(void** state) {
  (void)state;
  static const int THREADS[] = {2, 3, 4};
  for (int i = 0; i < 3; i++) {
    world alone = make_yard(1, NULL, NULL), together = make_yard(THREADS[i], NULL, NULL);
    expect_same_run(&alone, &together, check_repeats(300));
    world_destroy(&alone), world_destroy(&together);
  }
}

/* A state saved under one number of threads goes on under another. */
static void test_state_of_another(void** state) {
  (void)state;
  world alone = make_yard(0, NULL, NULL), together = make_yard(4, NULL, NULL);
  world_run(&together, FALLING_STEPS + 5); /* before stacks rest */
  world_state saved = world_save(&together);
  world_restore(&alone, &saved);
  expect_same_run(&alone, &together, check_repeats(100));
  free(saved.bytes);
  world_destroy(&alone), world_destroy(&together);
}

/* --- The host's threads -------------------------------------------------------------------------
 */

/* A host that runs tasks backwards on the caller's thread. */
static void run_backwards(void* user, int count, carom_task* task, void* data) {
  int* runs = user;
  *runs += 1;
  for (int i = count; i-- > 0;) task(data, i);
}

static void test_host_tasks(void** state) {
  (void)state;
  int runs = 0;
  carom_tasks tasks = {run_backwards, &runs};
  is_rest_left_out = false;
  world alone = make_yard(1, NULL, NULL), hosted = make_yard(3, &tasks, NULL);
  int steps = check_repeats(200);
  expect_same_run(&alone, &hosted, FALLING_STEPS + steps);
  assert_true(runs >= steps);
  is_rest_left_out = true;
  world_destroy(&alone), world_destroy(&hosted);
}

/* A block of spheres that is one island, whose factor several threads make together. */
static world make_block(int threads, const carom_tasks* tasks, check_memory* memory) {
  static writer w;
  w.at = 0;
  WRITE(&w, "<mujoco><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < 343; i++)
    WRITE(&w, "<body pos='%g %g %g'><freejoint/><geom size='.1'/></body>",
          0.199 * (i % 7) + 0.001 * (i % 5), 0.199 * (i / 7 % 7), 0.099 + 0.199 * (i / 49));
  WRITE(&w, "</worldbody></mujoco>");
  assert_true(w.at < TEXT - 1);
  carom_sim_def def = make_def(threads, tasks, memory);
  def.friction = CAROM_FRICTION_CONVEX, def.sigma = 1e-3, def.beta = 1;
  return world_create(w.text, &def);
}

/* Many robots, whose free motion is shared out; also those that have fallen on each other. */
static world make_crowd(int threads, const carom_tasks* tasks, check_memory* memory) {
  static writer w;
  w.at = 0;
  WRITE(&w, "<mujoco><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < NUM_CROWD; i++) write_doll(&w, i);
  WRITE(&w, "</worldbody></mujoco>");
  assert_true(w.at < TEXT - 1);
  carom_sim_def def = make_def(threads, tasks, memory);
  return world_create(w.text, &def);
}

/* Steps b, which is then as a is after the step with that report. */
static void expect_same_step(const world* a, const carom_step_report* report, world* b) {
  carom_step_report of_b = world_step(b);
  expect_same_report(report, &of_b);
  expect_same_contacts(a, b);
  world_expect_twins(a, b);
}

static void expect_same_steps(world* a, world* b, int steps) {
  for (int i = 0; i < steps; i++) {
    carom_step_report of_a = world_step(a);
    expect_same_step(a, &of_a, b);
  }
}

static void test_one_island(void** state) {
  (void)state;
  enum { MOST = 4, COUNT = 2 * (MOST - 1) };
  int runs[COUNT] = {0};
  world alone = make_block(1, NULL, NULL), others[COUNT];
  for (int i = 0; i < COUNT; i++) {
    carom_tasks tasks = {run_backwards, &runs[i]};
    others[i] = make_block(2 + i / 2, i % 2 ? &tasks : NULL, NULL);
  }
  for (int step = 0; step < 3; step++) {
    carom_step_report report = world_step(&alone);
    for (int i = 0; i < COUNT; i++) expect_same_step(&alone, &report, &others[i]);
  }
  for (int i = 1; i < COUNT; i += 2) assert_true(runs[i] >= 3); /* one factor a step at least */
  for (int i = 0; i < COUNT; i++) world_destroy(&others[i]);
  world_destroy(&alone);
}

/* The order in which its blocks are eliminated is kept and made better, and goes with its state. */
static void test_state_of_one_island(void** state) {
  (void)state;
  world alone = make_block(1, NULL, NULL), together = make_block(2, NULL, NULL);
  int steps = check_repeats(40);
  world_run(&together, steps);
  world_state saved = world_save(&together);
  world_restore(&alone, &saved);
  expect_same_steps(&alone, &together, steps);
  world_set(&alone, carom_model_get_reference(alone.model), NULL);
  world_restore(&alone, &saved);
  world_restore(&together, &saved);
  expect_same_steps(&alone, &together, 3);
  free(saved.bytes);
  world_destroy(&alone), world_destroy(&together);
}

static void test_many_robots(void** state) {
  (void)state;
  int steps = check_repeats(150), runs = 0;
  carom_tasks tasks = {run_backwards, &runs};
  for (int threads = 2; threads <= 4; threads++) {
    world alone = make_crowd(1, NULL, NULL), together = make_crowd(threads, NULL, NULL);
    expect_same_steps(&alone, &together, steps);
    world_destroy(&alone), world_destroy(&together);
  }
  world alone = make_crowd(1, NULL, NULL), hosted = make_crowd(2, &tasks, NULL);
  expect_same_steps(&alone, &hosted, steps);
  assert_true(runs >= steps); /* one free motion a step */
  world_destroy(&alone), world_destroy(&hosted);
}

/* What takes the caller less time than to wake others is done by the caller. */
static void test_little_work_stays(void** state) {
  (void)state;
  int runs = 0;
  carom_tasks tasks = {run_backwards, &runs};
  carom_sim_def def = world_def(0.004, CAROM_MIDPOINT);
  def.threads = 2, def.tasks = tasks, def.sleep_share = 0; /* what rests is left out */
  world w =
      world_create("<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
                   "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
                   "<body pos='1 0 .1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
                   &def);
  world_run(&w, 10);
  assert_int_equal(world_step(&w).islands, 2);
  assert_int_equal(runs, 0);
  world_destroy(&w);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* Whatever the steps need is there when they come again, on every thread. An odd step in between
 * lets each of the two sets of analyses that take turns meet every step; what one of these outgrew
 * in the last steps is enlarged in a pass of its own. */
static void test_warm_steps(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  world w = make_yard(4, NULL, &memory);
  world_state start = world_save(&w);
  int steps = FALLING_STEPS + 2 * check_repeats(50);
  for (int pass = 0, warm = 0; pass < 4; pass++) {
    if (pass == 3) warm = memory.num_allocations;
    world_restore(&w, &start);
    world_run(&w, steps);
    if (pass == 0) world_step(&w);
    if (pass == 3) assert_int_equal(memory.num_allocations, warm);
  }
  free(start.bytes);
  world_destroy(&w);
  check_memory_expect_empty(&memory);
}

typedef world make_scene(int threads, const carom_tasks* tasks, check_memory* memory);

/* From some allocation on there is no more, on whatever thread it falls: the state stays, and with
 * memory the step does what it does on a simulation that never lacked any. Of allocations that come
 * after many others, as those of an equilibrium do, fewer are tried. */
static void expect_state_stays(make_scene* make) {
  world healthy = make(1, NULL, NULL);
  world_state before = world_save(&healthy);
  world_step(&healthy);
  int failures = 0;
  for (int i = 0, stride = 260 / check_repeats(130);; i += stride + i / 8) {
    check_memory memory = check_memory_make();
    world w = make(3, NULL, &memory);
    memory.fail_at = memory.num_allocations + i;
    carom_status status = carom_sim_step(w.sim, NULL, NULL);
    memory.fail_at = -1;
    if (status != CAROM_OK) {
      assert_int_equal(status, CAROM_ERROR_OUT_OF_MEMORY);
      world_state now = world_save(&w);
      world_expect_same(&now, &before);
      free(now.bytes);
      world_step(&w);
      failures++;
    }
    world_expect_twins(&w, &healthy);
    world_destroy(&w);
    check_memory_expect_empty(&memory);
    if (status == CAROM_OK) break;
  }
  assert_true(failures > 5);
  free(before.bytes);
  world_destroy(&healthy);
}

static void test_memory_runs_out(void** state) {
  (void)state;
  expect_state_stays(make_yard);
  expect_state_stays(make_crowd);
  expect_state_stays(make_block);
}

/* A simulation without memory for its threads is not made, and leaves nothing behind. */
static void test_creation_fails(void** state) {
  (void)state;
  world w = make_yard(1, NULL, NULL);
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; status != CAROM_OK; i++) {
    check_memory memory = check_memory_make();
    carom_sim_def def = carom_sim_def_default();
    carom_sim* sim;
    def.threads = 3;
    def.allocator = check_memory_hooks(&memory);
    memory.fail_at = i;
    status = carom_sim_create(w.model, &def, &sim, NULL);
    assert_true(status == CAROM_OK || status == CAROM_ERROR_OUT_OF_MEMORY);
    carom_sim_destroy(sim);
    check_memory_expect_empty(&memory);
  }
  world_destroy(&w);
}

static void test_impossible_numbers(void** state) {
  (void)state;
  world w = make_yard(1, NULL, NULL);
  static const int THREADS[] = {-1, 257};
  for (int i = 0; i < 2; i++) {
    carom_sim_def def = carom_sim_def_default();
    carom_sim* sim;
    carom_error error;
    char expected[100];
    def.threads = THREADS[i];
    assert_int_equal(carom_sim_create(w.model, &def, &sim, &error), CAROM_ERROR_INVALID_ARGUMENT);
    snprintf(expected, sizeof expected, "simulation: threads is %d, must be 0 to 256", THREADS[i]);
    assert_string_equal(error.message, expected);
  }
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_number_of_threads),
      cmocka_unit_test(test_state_of_another),
      cmocka_unit_test(test_host_tasks),
      cmocka_unit_test(test_one_island),
      cmocka_unit_test(test_state_of_one_island),
      cmocka_unit_test(test_many_robots),
      cmocka_unit_test(test_little_work_stays),
      cmocka_unit_test(test_warm_steps),
      cmocka_unit_test(test_memory_runs_out),
      cmocka_unit_test(test_creation_fails),
      cmocka_unit_test(test_impossible_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
