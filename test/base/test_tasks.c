/* Tasks: each is run once, whoever runs it, under the rounding of the caller. */
#include "base/locked.h"
#include "base/tasks.h"
#include "support/check.h"
#include "support/memory.h"

#include <fenv.h>
#include <string.h>

enum { MOST_TASKS = 100 };

/* What tasks leave behind; each writes only its own element. */
typedef struct marks {
  int runs[MOST_TASKS];
  int rounding[MOST_TASKS];
  volatile double third[MOST_TASKS];
} marks;

static void mark(void* data, int index) {
  marks* m = data;
  volatile double one = 1, three = 3;
  m->runs[index]++;
  m->rounding[index] = fegetround();
  m->third[index] = one / three;
}

static void check_marks(const marks* m, int count, int rounding) {
  for (int i = 0; i < MOST_TASKS; i++) assert_int_equal(m->runs[i], i < count);
  for (int i = 0; i < count; i++) {
    assert_int_equal(m->rounding[i], rounding);
    assert_true(m->third[i] == m->third[0]);
  }
}

static void run_and_check(const carom_tasks* tasks, int count, int rounding) {
  marks m;
  memset(&m, 0, sizeof m);
  fesetround(rounding);
  cr_tasks_run(tasks, count, mark, &m);
  assert_int_equal(fegetround(), rounding);
  fesetround(FE_TONEAREST);
  check_marks(&m, count, rounding);
}

static void test_without_threads(void** state) {
  (void)state;
  carom_tasks none = {0};
  run_and_check(NULL, MOST_TASKS, FE_TONEAREST);
  run_and_check(&none, MOST_TASKS, FE_UPWARD);
}

/* Many runs of all lengths, with more threads than cores and with none beside the caller. */
static void test_threads(void** state) {
  (void)state;
  for (int count = 1; count <= 5; count += 2) {
    carom_error error;
    cr_threads* threads;
    check_ok(cr_threads_create(NULL, count, &threads, &error), &error);
    carom_tasks tasks = cr_threads_tasks(threads);
    for (int i = 0; i < 300; i++)
      run_and_check(&tasks, i % (MOST_TASKS + 1), i % 3 ? FE_TONEAREST : FE_DOWNWARD);
    cr_threads_destroy(threads);
  }
}

static void test_threads_without_work(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  carom_error error;
  cr_threads* threads;
  check_ok(cr_threads_create(&hooks, 4, &threads, &error), &error);
  cr_threads_destroy(threads);
  check_memory_expect_empty(&memory);
  memory.fail_at = 0;
  assert_int_equal(cr_threads_create(&hooks, 4, &threads, &error), CAROM_ERROR_OUT_OF_MEMORY);
  assert_null(threads);
  cr_threads_destroy(NULL);
}

/* A host that lends a thread with a rounding of its own, and gets it back with it. */
static void run_rounding_up(void* user, int count, carom_task* task, void* data) {
  int before = fegetround();
  fesetround(FE_UPWARD);
  for (int i = count; i-- > 0;) task(data, i);
  *(int*)user = fegetround();
  fesetround(before);
}

static void test_host_threads(void** state) {
  (void)state;
  int rounding = 0;
  carom_tasks tasks = {run_rounding_up, &rounding};
  run_and_check(&tasks, MOST_TASKS, FE_TONEAREST);
  assert_int_equal(rounding, FE_UPWARD);
}

/* The hooks count without locks, so that a thread sanitizer sees whether two are inside. */
static void take_and_give(void* data, int index) {
  carom_allocator* allocator = data;
  for (int i = 0; i < 50; i++)
    cr_release(allocator, cr_alloc(allocator, (size_t)(i + index)), (size_t)(i + index));
}

static void test_locked_allocator(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  carom_error error;
  cr_threads* threads;
  cr_locked locked;
  cr_locked_init(&locked, &hooks);
  carom_allocator shared = cr_locked_allocator(&locked);
  check_ok(cr_threads_create(NULL, 3, &threads, &error), &error);
  carom_tasks tasks = cr_threads_tasks(threads);
  cr_tasks_run(&tasks, 8, take_and_give, &shared);
  cr_threads_destroy(threads);
  cr_locked_destroy(&locked);
  assert_int_equal(memory.num_allocations, 400);
  check_memory_expect_empty(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_threads),      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_threads_without_work), cmocka_unit_test(test_host_threads),
      cmocka_unit_test(test_locked_allocator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
