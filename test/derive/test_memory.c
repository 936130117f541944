/* Derivatives take no memory once they have had it, and have the same bits for any number of
 * threads. */
#include "support/memory.h"
#include "support/world.h"

#include "carom/derivatives.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 30 };

/* A derivative of the next step, and a cotangent that is pulled back through it. */
typedef struct derivative {
  carom_linearization forwards;
  carom_vjp backwards;
  carom_parameter mass;
  int num_x, num_controls;
  double *x1, *all; /* [num_x] a cotangent; [count_all] A, B, C, x0, u and theta */
} derivative;

static size_t count_all(const derivative* d) {
  size_t n = (size_t)d->num_x, m = (size_t)d->num_controls;
  return n * (n + m + 1) + n + m + 1;
}

static derivative create(const world* w) {
  carom_error error;
  derivative d = {.num_x = carom_model_get_num_x(w->model), .num_controls = w->sizes.num_controls};
  size_t n = (size_t)d.num_x, m = (size_t)d.num_controls;
  if (carom_builder_find_parameter(carom_model_get_description(w->model), "body.1.mass", &d.mass,
                                   &error) != CAROM_OK)
    fail_msg("%s", error.message);
  d.x1 = calloc(n, sizeof *d.x1), d.all = calloc(count_all(&d), sizeof *d.all);
  assert_true(d.x1 && d.all);
  for (size_t i = 0; i < n; i++) d.x1[i] = 1 + 0.1 * (double)(i % 7);
  double *B = d.all + n * n, *C = B + n * m, *x0 = C + n;
  d.forwards = (carom_linearization){.A = d.all, .B = B, .C = C};
  d.backwards = (carom_vjp){.x0 = x0, .u = x0 + n, .theta = x0 + n + m};
  return d;
}

static void destroy(derivative* d) {
  free(d->x1);
  free(d->all);
}

static void find(const world* w, derivative* d) {
  carom_error error;
  d->forwards.parameters = d->backwards.parameters = &d->mass;
  d->forwards.num_parameters = d->backwards.num_parameters = 1;
  if (carom_sim_linearize(w->sim, &d->forwards, &error) != CAROM_OK ||
      carom_sim_compute_vjp(w->sim, d->x1, &d->backwards, &error) != CAROM_OK)
    fail_msg("%s", error.message);
}

/* Of a pile as it falls, and of every kind of constraint. */
static char* write_scene(int i) {
  char* text = i == 0 ? world_write_pile(8) : strdup(WORLD_MACHINE);
  assert_non_null(text);
  return text;
}

static void test_warm(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    check_memory memory = check_memory_make();
    carom_sim_def def = world_def(0.004, CAROM_MIDPOINT);
    def.allocator = check_memory_hooks(&memory);
    char* text = write_scene(i);
    world w = world_create(text, &def);
    derivative d = create(&w);
    world_run(&w, STEPS);
    find(&w, &d), find(&w, &d);
    int warm = memory.num_allocations;
    for (int k = 0; k < 4; k++) find(&w, &d);
    assert_int_equal(memory.num_allocations, warm);
    destroy(&d), world_destroy(&w), free(text);
    check_memory_expect_empty(&memory);
  }
}

static void test_threads(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    char* text = write_scene(i);
    carom_sim_def def = world_def(0.004, CAROM_MIDPOINT), many = def;
    many.threads = 3;
    world alone = world_create(text, &def), together = world_create(text, &many);
    derivative of_one = create(&alone), of_many = create(&together);
    world_run(&alone, STEPS), world_run(&together, STEPS);
    find(&alone, &of_one), find(&together, &of_many);
    assert_memory_equal(of_one.all, of_many.all, sizeof(double) * count_all(&of_one));
    destroy(&of_one), destroy(&of_many);
    world_destroy(&alone), world_destroy(&together), free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_warm), cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
