/* Nonlinear elimination after a Newton step: what is changed is still a step, few constraints leave
 * their linearisation, and the merit falls. */
#include "solve/certificate.h"
#include "solve/newton/elimination_dual.h"
#include "solve/newton/nonlinear_elimination.h"
#include "support/dense.h"
#include "support/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CR_AT_ONCE, STEPS = 6 };

#define ENOUGH 1e-8 /* J, of the merit; below, changes are next to round-off */

/* A Newton iteration with all that a step needs. */
typedef struct newton {
  cr_arena arena;
  cr_system system;
  cr_iterate iterate;
  cr_law_mode mode;
  cr_law_linearization linear;
  cr_newton_step step;
  cr_nonlinear_elimination elimination;
  cr_elimination_budget budget;
  double *G, *h; /* of the linearisation, kept */
} newton;

static void start(newton* t, const cr_problem* p, cr_elimination_budget budget) {
  *t = (newton){.budget = budget};
  cr_arena_init(&t->arena, NULL);
  assert_true(cr_system_init(&t->system, p, NULL, &t->arena));
  assert_true(cr_iterate_init(&t->iterate, p, &t->arena));
  assert_true(cr_nonlinear_elimination_init(&t->elimination, &t->system, &t->arena));
  t->linear.G = dense_zeros(p->ld * p->num_rows), t->G = dense_zeros(p->ld * p->num_rows);
  t->linear.h = dense_zeros(p->num_rows), t->h = dense_zeros(p->num_rows);
  t->step = (cr_newton_step){dense_zeros(p->pattern.num_rows), dense_zeros(p->num_rows),
                             dense_zeros(p->num_rows)};
  memset(t->iterate.gamma, 0, sizeof(double) * (size_t)p->num_rows);
  cr_iterate_balance(&t->system, &t->iterate);
}

static void finish(newton* t) {
  double* arrays[] = {t->linear.G, t->G,         t->linear.h,   t->h,
                      t->step.dv,  t->step.dv_c, t->step.dgamma};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  cr_arena_destroy(&t->arena);
}

/* A full Newton step, linearised where the iterate is. */
static void compute_step(newton* t) {
  cr_system* s = &t->system;
  const cr_problem* p = s->problem;
  cr_law_point point = cr_system_point(s, &t->iterate);
  CR_FOR_EACH_LAW (k, s->batch)
    cr_law_get(k)->linearize(&s->batch[k], &point, &t->mode, &t->linear);
  memcpy(t->G, t->linear.G, sizeof(double) * (size_t)(p->ld * p->num_rows));
  memcpy(t->h, t->linear.h, sizeof(double) * (size_t)p->num_rows);
  assert_true(cr_system_factor(s, t->linear.G));
  for (int i = 0; i < p->pattern.num_rows; i++) t->step.dv[i] = -t->iterate.r[i];
  cr_problem_add_J_transposed(p, t->linear.h, t->step.dv, s->scratch_local);
  cr_system_solve(s, t->step.dv);
  cr_problem_apply_J(p, t->step.dv, t->step.dv_c, s->scratch_local);
  cr_system_multiply_G(s, t->linear.G, t->step.dv_c, t->step.dgamma);
  for (int i = 0; i < p->num_rows; i++) t->step.dgamma[i] = t->h[i] - t->step.dgamma[i];
}

static void take(newton* t) {
  const cr_problem* p = t->system.problem;
  for (int i = 0; i < p->pattern.num_rows; i++) t->iterate.v[i] += t->step.dv[i];
  for (int i = 0; i < p->num_rows; i++) t->iterate.gamma[i] += t->step.dgamma[i];
  cr_iterate_update(&t->system, &t->iterate);
}

/* Merit of the laws after the step. */
static double merit_after(newton* t) {
  const cr_problem* p = t->system.problem;
  double *v_c = dense_zeros(p->num_rows), *gamma = dense_zeros(p->num_rows), merit = 0;
  for (int i = 0; i < p->num_rows; i++) {
    v_c[i] = t->iterate.v_c[i] + t->step.dv_c[i];
    gamma[i] = t->iterate.gamma[i] + t->step.dgamma[i];
  }
  cr_law_point point = {t->system.R, t->system.v_hat, v_c, gamma};
  CR_FOR_EACH_LAW (k, t->system.batch)
    merit += cr_law_get(k)->merit(&t->system.batch[k], &point, &t->mode);
  free(v_c), free(gamma);
  return merit;
}

/* Constraints whose change of impulses is not that of their linearisation. */
static int count_off(newton* t) {
  const cr_problem* p = t->system.problem;
  int off = 0;
  double* expected = dense_zeros(p->num_rows);
  cr_system_multiply_G(&t->system, t->G, t->step.dv_c, expected);
  for (int i = 0; i < p->num_constraints; i++) {
    bool is_off = false;
    for (int r = p->row[i]; r < p->row[i] + cr_law_get(p->kind[i])->rows; r++) {
      double pull = expected[r], size = fabs(pull) + fabs(t->h[r]) + fabs(t->iterate.gamma[r]);
      is_off |= fabs(t->h[r] - pull - t->step.dgamma[r]) > 1e-6 * size;
    }
    off += is_off;
  }
  free(expected);
  return off;
}

/* J dv and the balance of momentum after the step. */
static void check_step(newton* t) {
  cr_system* s = &t->system;
  const cr_problem* p = s->problem;
  int n = p->pattern.num_rows;
  double *v_c = dense_zeros(p->num_rows), *dv = dense_zeros(n), *r = dense_zeros(n);
  double *gamma = dense_zeros(p->num_rows), *impulse = dense_zeros(n);
  cr_problem_apply_J(p, t->step.dv, v_c, s->scratch_local);
  check_near_array(t->step.dv_c, v_c, p->num_rows, 1e-9 * dense_norm(v_c, p->num_rows));
  for (int i = 0; i < n; i++) dv[i] = t->iterate.v[i] + t->step.dv[i] - p->v_star[i];
  for (int i = 0; i < p->num_rows; i++) gamma[i] = t->iterate.gamma[i] + t->step.dgamma[i];
  cr_system_multiply_A(s, dv, r);
  cr_problem_add_J_transposed(p, gamma, impulse, s->scratch_local);
  check_near_array(r, impulse, n, 1e-6 * dense_norm(impulse, n));
  free(v_c), free(dv), free(r), free(gamma), free(impulse);
}

/* One step, with elimination; how many constraints left their linearisation, 0: it was not changed.
 */
static int check_elimination(newton* t, int most) {
  const cr_problem* p = t->system.problem;
  compute_step(t);
  double before = merit_after(t), reported;
  double* dv = dense_zeros(p->pattern.num_rows);
  memcpy(dv, t->step.dv, sizeof(double) * (size_t)p->pattern.num_rows);
  bool changed =
      cr_nonlinear_elimination_apply(&t->elimination, &t->system, &t->iterate, &t->mode, &t->linear,
                                     t->budget, INFINITY, ENOUGH, &t->arena, &t->step, &reported);
  check_near(reported, before, 1e-12 * before);
  assert_memory_equal(t->linear.G, t->G, sizeof(double) * (size_t)(p->ld * p->num_rows));
  check_step(t);
  if (changed) {
    assert_true(merit_after(t) < 0.25 * before);
    assert_in_range(count_off(t), 1, most);
  } else {
    assert_memory_equal(dv, t->step.dv, sizeof(double) * (size_t)p->pattern.num_rows);
    assert_int_equal(count_off(t), 0);
  }
  free(dv);
  int off = count_off(t);
  take(t);
  return off;
}

/* Steps of random problems by how many constraints were eliminated: none, MOST at most, more. */
static void count_steps(const test_problem_def* def, cr_elimination_budget budget, int repeats,
                        int most, int count[3]) {
  check_random random = {11};
  for (int repeat = 0; repeat < repeats; repeat++) {
    test_problem p;
    test_problem_make_random(def, &random, &p);
    newton t;
    start(&t, &p.problem, budget);
    for (int i = 0; i < STEPS; i++) {
      int off = check_elimination(&t, most);
      count[off == 0 ? 0 : off <= MOST ? 1 : 2]++;
    }
    finish(&t);
    test_problem_destroy(&p);
  }
  print_message("%d steps as they were, %d with few constraints eliminated, %d with more\n",
                count[0], count[1], count[2]);
}

static void few_constraints_are_eliminated(void** state) {
  (void)state;
  int count[3] = {0};
  test_problem_def def = test_problem_def_mild(20, 70, 20, true);
  def.moments = 0.3, def.length_low = 1e-3, def.length_high = 1e-1;
  count_steps(&def, CR_ELIMINATION_BRIEF, check_repeats(60), MOST, count);
  assert_true(count[0] > 0 && count[1] > 0);
}

/* Large factors: those that leave their linearisation as they respond are eliminated, too. */
static void eliminated_constraints_grow_in_number(void** state) {
  (void)state;
  int count[3] = {0};
  test_problem_def def = test_problem_def_mild(100, 500, 20, true);
  def.sigma = 1e-6;
  count_steps(&def, CR_ELIMINATION_BRIEF, 100, CR_ROUNDS * MOST, count);
  assert_true(count[1] > 0 && count[2] > 0);
}

/* Nearly rigid contacts: what leaves its linearisation is solved with what there is, also where
 * all constraints are few. */
static void stiff_constraints_are_solved_thoroughly(void** state) {
  (void)state;
  int count[3] = {0};
  test_problem_def def = test_problem_def_mild(12, 30, 6, false);
  def.sigma = 1e-6;
  count_steps(&def, CR_ELIMINATION_THOROUGH, check_repeats(100), CR_ROUNDS * MOST, count);
  assert_true(count[0] > 0 && count[2] > 0);
}

/* All constraints as S after a full step, and C of them. */
static void choose_all(newton* t, cr_elimination* x) {
  const cr_problem* p = t->system.problem;
  cr_half* half = &t->elimination.half;
  *x = (cr_elimination){.memory = &t->elimination, .system = &t->system, .mode = &t->mode};
  x->count = p->num_constraints, x->rows = p->num_rows;
  cr_system_start_half(&t->system, half);
  for (int g = 0; g < p->num_groups; g++)
    assert_true(cr_half_add(half, p->group_block + p->group[g].block_start, p->group[g].block_count,
                            p->J + p->group[g].J_start, p->group[g].stride, p->group[g].row_count));
  cr_half_compute_gram(half, 0, t->elimination.C, CR_ELIMINATION_ROWS);
  memcpy(t->elimination.G, t->G, sizeof(double) * (size_t)(p->ld * p->num_rows));
  for (int i = 0; i < x->rows; i++) {
    x->v_c[i] = t->iterate.v_c[i] + t->step.dv_c[i];
    x->gamma[i] = t->iterate.gamma[i] + t->step.dgamma[i];
    t->elimination.gamma[i] = x->gamma[i];
  }
  CR_FOR_EACH_LAW (k, t->system.batch)
    for (int i = 0; i < t->system.batch[k].count; i++) {
      int row = t->system.batch[k].row[i];
      int at = 0;
      while (p->row[at] != row) at++;
      x->chosen[at] = (cr_elimination_constraint){k, i, row, cr_law_get(k)->rows, 0};
    }
  x->point = (cr_law_point){t->system.R, t->system.v_hat, t->elimination.v_c, t->elimination.gamma};
}

/* Impulses that c moves by, and what they then are: gamma + c - G C c. */
static void take_impulses(newton* t, const cr_elimination* x) {
  const cr_problem* p = t->system.problem;
  double *dv = dense_zeros(x->rows), *pull = dense_zeros(x->rows);
  for (int i = 0; i < x->rows; i++)
    for (int j = 0; j < x->rows; j++)
      dv[i] += t->elimination.C[CR_ELIMINATION_ROWS * i + j] * x->c[j];
  cr_system_multiply_G(&t->system, t->G, dv, pull);
  for (int i = 0; i < p->num_rows; i++) t->iterate.gamma[i] = x->gamma[i] + x->c[i] - pull[i];
  cr_iterate_balance(&t->system, &t->iterate);
  free(dv), free(pull);
}

/* The bound of the error of what the interior point makes of all constraints of a random problem,
 * from v* or after a full step. */
static double bound_interior_point(const test_problem_def* def, bool after_step,
                                   check_random* random) {
  test_problem p;
  test_problem_make_random(def, random, &p);
  newton t;
  start(&t, &p.problem, CR_ELIMINATION_THOROUGH);
  if (after_step)
    compute_step(&t);
  else
    assert_true(cr_system_factor(&t.system, t.G));
  cr_elimination x;
  cr_elimination_active list = {.count = p.problem.num_constraints, .rows = p.problem.num_rows};
  assert_true(list.rows <= CR_ELIMINATION_ROWS);
  for (int i = 0; i < list.count; i++) list.chosen[i] = i;
  for (int i = 0; i < list.rows; i++) list.at[i] = i, list.is[i] = true;
  choose_all(&t, &x);
  cr_elimination_run_interior(&x, &list);
  take_impulses(&t, &x);
  double* scratch = dense_zeros(p.problem.num_rows);
  double gap = cr_certificate_gap(&t.system, &t.iterate, scratch);
  double bound = sqrt(2 * gap) / cr_certificate_scale(&t.system, &t.iterate);
  free(scratch);
  finish(&t);
  test_problem_destroy(&p);
  return bound;
}

/* With all constraints in S there is nothing that responds: the interior point solves the problem,
 * to the root of the product of point and slack at which it stops; with moments, whose scalings
 * lose more to round-off, to where Newton's method has no kinks ahead. After a step C holds the
 * factor's G, whose removal leaves velocities of 1e-16 / R, which count R^-1/2 times, but none in
 * the null space of redundant contacts: those would be all of R there. One problem in a thousand is
 * above 1e-3, none of 6000 above 5e-3. */
static void interior_point_solves_the_dual(void** state) {
  (void)state;
  check_random random = {14};
  double worst[2][2] = {{0}};
  int above = 0, count = check_repeats(300);
  for (int repeat = 0; repeat < count; repeat++) {
    bool after_step = repeat % 3 == 0, has_moments = repeat % 2;
    test_problem_def def = test_problem_def_mild(5, 18, 6, repeat % 4 > 1);
    def.sigma = 1e-8, def.redundant = 0.3, def.moments = has_moments ? 0.2 : 0;
    def.length_low = 1e-3, def.length_high = 1e-1;
    double bound = bound_interior_point(&def, after_step, &random);
    double* most = &worst[after_step][has_moments];
    *most = fmax(*most, isnan(bound) ? INFINITY : bound);
    above += !(bound < 1e-3);
  }
  print_message("bound of the error: %.1e at most, with moments %.1e; after a step %.1e and %.1e; "
                "%d of %d above 1e-3\n",
                worst[0][0], worst[0][1], worst[1][0], worst[1][1], above, count);
  assert_true(worst[0][0] < 1e-5 && worst[0][1] < 1e-2);
  assert_true(worst[1][0] < 1e-2 && worst[1][1] < 1e-2);
  assert_true(above <= count / 100);
}

/* Small problems have none that are few, and all get more budget after some steps, stiff ones soon.
 */
static void budget_follows_size_and_stiffness(void** state) {
  (void)state;
  check_random random = {13};
  for (double sigma = 1e-2; sigma > 1e-7; sigma *= 1e-4)
    for (int contacts = 8; contacts <= 128; contacts *= 16) {
      test_problem_def def = test_problem_def_mild(12, contacts, 0, false);
      def.sigma = sigma;
      test_problem p;
      test_problem_make_random(&def, &random, &p);
      newton t;
      start(&t, &p.problem, CR_ELIMINATION_BRIEF);
      const cr_law_mode mode = {0};
      cr_elimination_budget early = cr_nonlinear_elimination_choose(&t.system, &mode, 0, false);
      cr_elimination_budget hidden = cr_nonlinear_elimination_choose(&t.system, &mode, 1, true);
      cr_elimination_budget late =
          cr_nonlinear_elimination_choose(&t.system, &mode, CR_LATE, false);
      assert_int_equal(early, contacts > 100 ? CR_ELIMINATION_BRIEF : CR_ELIMINATION_NONE);
      assert_int_equal(hidden, sigma < CR_STIFF ? CR_ELIMINATION_THOROUGH : early);
      assert_int_equal(late, CR_ELIMINATION_THOROUGH);
      finish(&t);
      test_problem_destroy(&p);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_constraints_are_eliminated),
                                     cmocka_unit_test(eliminated_constraints_grow_in_number),
                                     cmocka_unit_test(stiff_constraints_are_solved_thoroughly),
                                     cmocka_unit_test(interior_point_solves_the_dual),
                                     cmocka_unit_test(budget_follows_size_and_stiffness)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
