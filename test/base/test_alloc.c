/* Allocation through the caller's hooks: alignment, sizes handed back, behaviour on failure. */
#include "base/alloc.h"
#include "support/check.h"
#include "support/memory.h"

#include <string.h>

static void test_blocks_are_aligned_and_returned_with_their_size(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  for (size_t size = 0; size < 300; size++) {
    unsigned char* block = cr_alloc(&hooks, size);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % CR_ALIGNMENT, 0);
    memset(block, 0xab, size);
    cr_release(&hooks, block, size);
  }
  cr_release(&hooks, NULL, 10);
  check_memory_expect_empty(&memory);
}

static void test_default_hooks_serve(void** state) {
  (void)state;
  carom_allocator none = {0};
  for (int i = 0; i < 2; i++) {
    carom_allocator hooks = cr_allocator_resolve(i == 0 ? NULL : &none);
    unsigned char* block = cr_alloc_zero(&hooks, 1000);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % CR_ALIGNMENT, 0);
    for (int k = 0; k < 1000; k++) assert_int_equal(block[k], 0);
    cr_release(&hooks, block, 1000);
  }
}

static void test_realloc_keeps_the_contents(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  unsigned char* block = cr_realloc(&hooks, NULL, 0, 40);
  for (int i = 0; i < 40; i++) block[i] = (unsigned char)i;
  block = cr_realloc(&hooks, block, 40, 4000);
  for (int i = 0; i < 40; i++) assert_int_equal(block[i], i);
  block = cr_realloc(&hooks, block, 4000, 20);
  for (int i = 0; i < 20; i++) assert_int_equal(block[i], i);

  memory.fail_at = memory.num_allocations;
  assert_null(cr_realloc(&hooks, block, 20, 50));
  for (int i = 0; i < 20; i++) assert_int_equal(block[i], i);
  cr_release(&hooks, block, 20);
  check_memory_expect_empty(&memory);
}

static void test_growing_array_survives_failure(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  void* items = NULL;
  int capacity = 0;
  for (int count = 0; count < 1000; count++) {
    memory.fail_at = count == capacity ? memory.num_allocations : -1;
    if (count == capacity) {
      int before = capacity;
      assert_false(cr_reserve_one(&hooks, &items, count, &capacity, sizeof(int)));
      assert_int_equal(capacity, before);
    }
    memory.fail_at = -1;
    assert_true(cr_reserve_one(&hooks, &items, count, &capacity, sizeof(int)));
    assert_true(capacity > count);
    ((int*)items)[count] = count;
  }
  for (int i = 0; i < 1000; i++) assert_int_equal(((int*)items)[i], i);
  assert_true(memory.num_allocations < 20);
  cr_release(&hooks, items, (size_t)capacity * sizeof(int));
  check_memory_expect_empty(&memory);
}

static void test_growing_array_ends_at_the_largest_count(void** state) {
  (void)state;
  carom_allocator hooks = cr_allocator_resolve(NULL);
  void* items = NULL;
  int capacity = INT32_MAX / 2 + 1, before = capacity;
  assert_false(cr_reserve_one(&hooks, &items, capacity, &capacity, 1));
  assert_int_equal(capacity, before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_are_aligned_and_returned_with_their_size),
      cmocka_unit_test(test_default_hooks_serve),
      cmocka_unit_test(test_realloc_keeps_the_contents),
      cmocka_unit_test(test_growing_array_survives_failure),
      cmocka_unit_test(test_growing_array_ends_at_the_largest_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
