/* Records of constraints: sorted by key whatever the order of addition, and found again. */
#include "sim/contact/memory.h"
#include "support/check.h"
#include "support/memory.h"

#include <string.h>

enum { MOST = 300 };

static cr_contact_key random_key(check_random* random) {
  static const uint64_t kinds[] = {0, CR_KEY_LIMIT, CR_KEY_EQUALITY, CR_KEY_DOF};
  return (cr_contact_key){.pair = kinds[check_random_int(random, 0, 3)] |
                                  (unsigned)check_random_int(random, 0, 40),
                          .feature = (unsigned)check_random_int(random, 0, 5) |
                                     (check_random_int(random, 0, 1) ? CR_KEY_FRICTION : 0)};
}

/* Adds keys that differ, in random or in ascending order; returns how many. */
static int fill(cr_contact_memory* memory, check_random* random, int wanted) {
  int count = 0;
  for (int i = 0; i < wanted; i++) {
    cr_contact_record record = {.key = random_key(random), .impulse = {i, 0, 0}};
    bool known = false;
    for (int k = 0; k < count; k++)
      known |= cr_contact_key_compare(memory->records[k].key, record.key) == 0;
    if (known) continue;
    cr_contact_memory_add(memory, &record);
    count++;
  }
  return count;
}

/* Every pair's records are found together, and only these. */
static void expect_pairs(const cr_contact_memory* memory) {
  const cr_contact_record* first;
  int count;
  for (int i = 0; i < memory->count; i += count) {
    uint64_t pair = memory->records[i].key.pair;
    count = cr_contact_memory_find_pair(memory, pair, &first);
    assert_ptr_equal(first, memory->records + i);
    assert_true(count > 0);
    for (int k = 0; k < count; k++) assert_true(first[k].key.pair == pair);
  }
  assert_int_equal(cr_contact_memory_find_pair(memory, CR_KEY_LIMIT | 50, &first), 0);
}

/* Keys in ascending order, of which some have no record, are found as by themselves. */
static void expect_walk(const cr_contact_memory* memory, check_random* random) {
  int place = 0;
  for (int i = 0; i < memory->count; i++) {
    if (check_random_int(random, 0, 2) == 0) continue;
    cr_contact_key key = memory->records[i].key, next = key;
    assert_ptr_equal(cr_contact_memory_follow(memory, key, &place), memory->records + i);
    next.feature++;
    bool is_last = i + 1 == memory->count;
    if (is_last || cr_contact_key_compare(next, memory->records[i + 1].key) < 0)
      assert_null(cr_contact_memory_follow(memory, next, &place));
  }
  cr_contact_key last = {.pair = UINT64_MAX};
  assert_null(cr_contact_memory_follow(memory, last, &place));
}

/* Whatever was found before, a key's record is found, or that there is none. */
static void expect_near(const cr_contact_memory* memory, check_random* random) {
  int place = 0;
  for (int i = 0; i < memory->count; i++) {
    int at = check_random_int(random, 0, 3) ? i : check_random_int(random, 0, memory->count - 1);
    cr_contact_key key = memory->records[at].key, absent = key;
    absent.moment = 7;
    assert_ptr_equal(cr_contact_memory_find_near(memory, key, &place), memory->records + at);
    assert_int_equal(place, at);
    assert_null(cr_contact_memory_find_near(memory, absent, &place));
  }
}

/* Records some of which have changed places with their neighbours. */
static void expect_sorted_again(cr_contact_memory* memory, check_random* random) {
  cr_contact_record sorted[MOST];
  memcpy(sorted, memory->records, sizeof *sorted * (size_t)memory->count);
  for (int i = 3; i < memory->count; i++) {
    int other = i - check_random_int(random, 0, 3);
    cr_contact_record moved = memory->records[i];
    memory->records[i] = memory->records[other], memory->records[other] = moved;
  }
  cr_contact_memory_sort(memory);
  assert_memory_equal(sorted, memory->records, sizeof *sorted * (size_t)memory->count);
}

static void test_sort_and_find(void** state) {
  (void)state;
  check_random random = {1};
  check_memory counted = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&counted);
  cr_contact_memory memory = {0};
  for (int repeat = 0; repeat < 200; repeat++) {
    cr_contact_record added[MOST];
    assert_true(cr_contact_memory_start(&memory, &hooks, MOST, 0.01));
    int count = fill(&memory, &random, check_random_int(&random, 0, MOST));
    memcpy(added, memory.records, sizeof(cr_contact_record) * (size_t)count);
    for (int again = 0; again < 2; again++) {
      cr_contact_memory_sort(&memory);
      assert_int_equal(memory.count, count);
      for (int i = 1; i < count; i++)
        assert_true(cr_contact_key_compare(memory.records[i - 1].key, memory.records[i].key) < 0);
    }
    for (int i = 0; i < count; i++) {
      const cr_contact_record* found = cr_contact_memory_find(&memory, added[i].key);
      assert_non_null(found);
      assert_memory_equal(found, &added[i], sizeof *found);
    }
    expect_pairs(&memory);
    expect_walk(&memory, &random);
    expect_near(&memory, &random);
    expect_sorted_again(&memory, &random);
    cr_contact_key absent = {.pair = CR_KEY_LIMIT | 50, .feature = 1};
    assert_null(cr_contact_memory_find(&memory, absent));
  }
  cr_contact_memory_destroy(&memory, &hooks);
  check_memory_expect_empty(&counted);
}

/* A start that finds no memory leaves the records as they are; one that needs none takes none. */
static void test_start(void** state) {
  (void)state;
  check_memory counted = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&counted);
  cr_contact_memory memory = {0};
  cr_contact_record record = {.key = {.pair = 7, .feature = 3}, .impulse = {1, 2, 3}};
  assert_true(cr_contact_memory_start(&memory, &hooks, 10, 0.01));
  cr_contact_memory_add(&memory, &record);
  counted.fail_at = counted.num_allocations;
  assert_false(cr_contact_memory_start(&memory, &hooks, 10000, 0.02));
  assert_int_equal(memory.count, 1);
  assert_true(memory.dt == 0.01);
  assert_memory_equal(cr_contact_memory_find(&memory, record.key), &record, sizeof record);
  assert_true(cr_contact_memory_start(&memory, &hooks, 10, 0.03));
  assert_int_equal(memory.count, 0);
  assert_true(memory.dt == 0.03);
  cr_contact_memory_destroy(&memory, &hooks);
  check_memory_expect_empty(&counted);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort_and_find),
                                     cmocka_unit_test(test_start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
