/* The hash: published values, continuation, and spread over the bits. */
#include "base/hash.h"
#include "support/check.h"

#include <stdlib.h>

static int compare_u64(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

static void test_bytes_give_the_published_values(void** state) {
  (void)state;
  /* FNV-1a, 64 bits: the test vectors of Noll's reference code. */
  assert_true(cr_hash_bytes(CR_HASH_SEED, "", 0) == UINT64_C(0xcbf29ce484222325));
  assert_true(cr_hash_bytes(CR_HASH_SEED, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  assert_true(cr_hash_bytes(CR_HASH_SEED, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void test_hash_continues(void** state) {
  (void)state;
  uint64_t hash = cr_hash_bytes(CR_HASH_SEED, "foo", 3);
  assert_true(cr_hash_bytes(hash, "bar", 3) == cr_hash_bytes(CR_HASH_SEED, "foobar", 6));
}

/* A million pairs of small integers, as patterns and feature keys are made of, stay apart: 64 bits
 * leave a chance of 3e-8 for one collision. The low 16 bits fill a table evenly: a
 * bucket holds 15.3 on average, and none four times as many. */
static void test_pairs_of_small_integers_stay_apart(void** state) {
  (void)state;
  enum { SIDE = 1000, BUCKETS = 65536 };
  static uint64_t hashes[SIDE * SIDE];
  static int load[BUCKETS];
  for (uint64_t i = 0; i < SIDE * SIDE; i++) {
    hashes[i] = cr_hash_u64(cr_hash_u64(CR_HASH_SEED, i / SIDE), i % SIDE);
    load[hashes[i] % BUCKETS]++;
  }
  qsort(hashes, SIDE * SIDE, sizeof hashes[0], compare_u64);
  for (int i = 1; i < SIDE * SIDE; i++) assert_true(hashes[i] != hashes[i - 1]);
  int largest = 0;
  for (int i = 0; i < BUCKETS; i++) largest = load[i] > largest ? load[i] : largest;
  assert_true(largest < 60);
}

static void test_order_of_integers_matters(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < 1000; i++) {
    uint64_t a = check_random_u64(&random) % 100, b = a + 1 + check_random_u64(&random) % 100;
    uint64_t ab = cr_hash_u64(cr_hash_u64(CR_HASH_SEED, a), b);
    uint64_t ba = cr_hash_u64(cr_hash_u64(CR_HASH_SEED, b), a);
    assert_true(ab != ba);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_give_the_published_values),
      cmocka_unit_test(test_hash_continues),
      cmocka_unit_test(test_pairs_of_small_integers_stay_apart),
      cmocka_unit_test(test_order_of_integers_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
