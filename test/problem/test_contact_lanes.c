/* Contacts four at a time: as many as there are, wherever their rows stand, give what each gives
 * alone; and every instruction set gives the same bits. */
#include "problem/contact_lanes.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 9, ROWS = 9 * MOST, LD = 3 };

/* Contacts whose rows follow each other, or have gaps between them. */
typedef struct sample {
  int row[MOST];
  double parameter[2 * MOST], scale[MOST];
  double R[ROWS], v_hat[ROWS], v_c[ROWS], gamma[ROWS], anchor[ROWS], shift[ROWS], rho[ROWS];
  double state[CR_LAW_INTERIOR_MOST * ROWS]; /* inside both cones */
  cr_law_mode mode;
} sample;

/* All that is evaluated. */
typedef struct outcome {
  double evaluate, linearize, merit, residual, gap;
  double impulse[ROWS], projected[ROWS], pulled[ROWS], h[ROWS], G[LD * ROWS], G_coulomb[LD * ROWS];
  double interior_h[ROWS], interior_G[LD * ROWS], direction[CR_LAW_INTERIOR_MOST * ROWS];
} outcome;

static sample random_sample(check_random* random, int variant) {
  sample s = {.mode = {.proximal = variant & 1 ? 0.1 : 0, .coulomb = variant & 2 ? 1 : 0}};
  for (int i = 0, row = 0; i < MOST;
       i++, row += variant & 4 ? 3 : 3 * check_random_int(random, 1, 3)) {
    s.row[i] = row;
    s.parameter[2 * i] = exp(check_random_uniform(random, -3, 1));
    s.scale[i] = exp(check_random_uniform(random, -3, 3));
  }
  double* arrays[] = {s.v_hat, s.v_c, s.gamma, s.anchor, s.shift};
  for (int k = 0; k < ROWS; k++) {
    for (int a = 0; a < 5; a++) arrays[a][k] = check_random_normal(random);
    s.R[k] = exp(check_random_uniform(random, -6, 0));
    s.rho[k] = exp(check_random_uniform(random, -1, 1));
  }
  for (int i = 0; i < MOST; i++) s.R[s.row[i] + 1] = s.R[s.row[i]];
  for (int i = 0; i < MOST; i++) {
    double* c = s.state + cr_law_interior_size(LD) * s.row[i];
    for (int k = 1; k < 6; k++) c[k] = check_random_normal(random);
    c[0] = hypot(c[1], c[2]) + exp(check_random_uniform(random, -6, 0));
    c[3] = hypot(c[4], c[5]) + exp(check_random_uniform(random, -6, 0));
  }
  bool is_rigid = variant & 8;
  for (int k = 0; k < 3 && is_rigid; k++) s.R[s.row[2] + k] = 0; /* its gap is another */
  return s;
}

/* A predictor, a corrector and a correction of centrality of the interior point after the share
 * `alpha` of the direction; returns the longest step, which is no sum. */
static double run_interior(const cr_contact_lanes* lanes, const cr_law_batch* batch,
                           const cr_law_point* point, const sample* s, outcome* o) {
  double* state = o->direction;
  for (int i = 0; i < batch->count; i++) {
    int at = cr_law_interior_size(LD) * batch->row[i];
    memcpy(state + at, s->state + at, sizeof(double) * 6);
  }
  for (int corrector = 0; corrector < 2; corrector++) {
    lanes->interior_linearize(batch, point, s->shift, 0.1, corrector, state, o->interior_G,
                              o->interior_h);
    lanes->interior_complete(batch, s->v_c, state);
  }
  double longest = lanes->interior_longest_step(batch, state, INFINITY);
  lanes->interior_recenter(batch, 0.3, (cr_law_range){0.05, 0.2}, state, o->interior_h);
  lanes->interior_complete(batch, s->v_c, state);
  return lanes->interior_longest_step(batch, state, longest);
}

/* Contacts from the first on, so many. */
static outcome run(const cr_contact_lanes* lanes, sample* s, int first, int count,
                   double* longest) {
  outcome o = {0};
  cr_law_batch batch = {count, s->row + first, s->parameter + 2 * first, s->scale + first, 3, LD};
  cr_law_point point = {s->R, s->v_hat, s->v_c, s->gamma};
  cr_law_linearization to = {o.G, o.G_coulomb, o.h};
  o.evaluate = lanes->evaluate(&batch, &point, o.impulse);
  o.linearize = lanes->linearize(&batch, &point, &s->mode, &to);
  lanes->project(&batch, s->gamma, o.projected);
  o.gap = lanes->gap(&batch, &point);
  s->mode.anchor = s->anchor, s->mode.shift = s->mode.coulomb > 0 ? NULL : s->shift;
  o.merit = lanes->merit(&batch, &point, &s->mode);
  o.residual = lanes->residual(&batch, &point, &s->mode, s->rho, o.pulled);
  s->mode.anchor = s->mode.shift = NULL;
  *longest = run_interior(lanes, &batch, &point, s, &o);
  return o;
}

/* What contacts give alone adds up, in their order, to the bit: others' rows stay zero. */
static void add(const outcome* one, outcome* sum) {
  const double* from = (const double*)one;
  double* to = (double*)sum;
  for (size_t k = 0; k < sizeof *one / sizeof *from; k++) to[k] += from[k];
}

static void many_are_as_each_alone(void** state) {
  (void)state;
  check_random random = {11};
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX2; level++) {
    const cr_contact_lanes* lanes = cr_contact_lanes_get(level);
    for (int repeat = 0; repeat < 400 && lanes; repeat++) {
      sample s = random_sample(&random, repeat);
      int count = 1 + repeat % MOST;
      double longest, alone, least = INFINITY;
      outcome sum = {0}, all = run(lanes, &s, 0, count, &longest);
      for (int i = 0; i < count; i++) {
        outcome one = run(lanes, &s, i, 1, &alone);
        add(&one, &sum);
        least = fmin(least, alone);
      }
      assert_true(longest == least);
      add(&(outcome){0}, &all); /* -0 becomes 0, as in the sum */
      assert_memory_equal(&all, &sum, sizeof all);
    }
  }
}

static void instruction_sets_give_the_same_bits(void** state) {
  (void)state;
  const cr_contact_lanes *base = cr_contact_lanes_get(CR_KERNELS_BASE),
                         *avx2 = cr_contact_lanes_get(CR_KERNELS_AVX2);
  if (!avx2) skip();
  check_random random = {12};
  for (int repeat = 0; repeat < 1000; repeat++) {
    sample s = random_sample(&random, repeat);
    double longest_a, longest_b;
    outcome a = run(base, &s, 0, 1 + repeat % MOST, &longest_a);
    outcome b = run(avx2, &s, 0, 1 + repeat % MOST, &longest_b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(longest_a == longest_b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_are_as_each_alone),
      cmocka_unit_test(instruction_sets_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
