/* Derivatives of all worlds have the bits of simulations', for any number of threads; nothing
 * moves. */
#include "base/tasks.h"
#include "batch/pairing.h"

#include "carom/derivatives.h"

/* Balls of which some roll on a floor and some fly, and a driven pendulum. */
static const char BALLS[] =
    "<mujoco><worldbody><geom type='plane' size='5 5 1' friction='0.5'/>"
    "<body pos='0 0 0.1'><freejoint/><geom size='0.1' friction='0.5'/></body>"
    "<body pos='2 0 1'><joint name='j' axis='0 1 0' damping='0.01'/>"
    "<geom type='capsule' size='0.05 0.2' pos='0 0 -0.3'/></body></worldbody>"
    "<actuator><motor joint='j'/></actuator></mujoco>";

static void expect_same(int threads) {
  pairing p = pair_up(BALLS, threads);
  carom_error error;
  size_t x = (size_t)carom_model_get_num_x(p.model), u = (size_t)p.sizes.num_controls;
  double *A = calloc(WORLDS * x * x, sizeof *A), *B = calloc(WORLDS * x * u, sizeof *B);
  double *a = calloc(x * x, sizeof *a), *b = calloc(x * u, sizeof *b);
  int kinks[WORLDS], held[WORLDS];
  assert_true(A && B && a && b);
  for (int i = 0; i < 20; i++) {
    control(&p, i);
    if (i == 5) push(&p);
    check_ok(carom_batch_step(p.batch, 1, &error), &error);
    for (int w = 0; w < WORLDS; w++) check_ok(carom_sim_step(p.sims[w], NULL, &error), &error);
  }
  carom_batch_linearization all = {.A = A, .B = B, .num_kinks = kinks, .num_held = held};
  check_ok(carom_batch_linearize(p.batch, &all, &error), &error);
  for (int w = 0; w < WORLDS; w++) expect_same_world(&p, w);
  for (int w = 0; w < WORLDS; w++) {
    carom_linearization one = {.A = a, .B = b};
    check_ok(carom_sim_linearize(p.sims[w], &one, &error), &error);
    assert_memory_equal(A + (size_t)w * x * x, a, sizeof *a * x * x);
    assert_memory_equal(B + (size_t)w * x * u, b, sizeof *b * x * u);
    assert_int_equal(kinks[w], one.num_kinks);
    assert_int_equal(held[w], one.num_held);
  }
  free(A), free(B), free(a), free(b);
  part(&p);
}

static void test_bits(void** state) {
  (void)state;
  for (int threads = 1; threads < 4; threads++) expect_same(threads);
}

static void test_misuse(void** state) {
  (void)state;
  pairing p = pair_up(BALLS, 1);
  carom_error error;
  assert_int_equal(carom_batch_linearize(p.batch, NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "linearize: an argument is null");
  part(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_misuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
