/* Random mechanisms in random states. */
#include "support/random_case.h"

#include <string.h>

random_case random_case_create(int seed) {
  mechanism_options options = mechanism_options_default();
  options.num_bodies = 1 + seed % 12;
  options.max_joints = 1 + seed / 2 % 3;
  options.keep_free_origin = seed % 5 == 0;
  return random_case_create_from(&options, seed);
}

random_case random_case_create_from(const mechanism_options* options, int seed) {
  random_case c = {.random = {(uint64_t)seed}, .gravity = {0.3, -0.7, -9.81}};
  c.m = mechanism_create_random(options, &c.random);
  c.nv = c.m->model.num_v;
  c.q = random_case_array(&c, c.m->model.num_q);
  c.v = random_case_array(&c, c.nv);
  c.a = random_case_array(&c, c.nv);
  mechanism_draw_q(c.m, &c.random, c.q);
  mechanism_draw_v(c.m, &c.random, c.v);
  mechanism_draw_v(c.m, &c.random, c.a);
  mechanism_update(c.m, c.q, c.v);
  return c;
}

void random_case_destroy(random_case* c) { mechanism_destroy(c->m); }

double* random_case_array(random_case* c, int count) {
  double* array = CR_PUSH(&c->m->arena, double, count + 1);
  assert_non_null(array);
  return memset(array, 0, sizeof *array * (size_t)(count + 1));
}

void random_case_move(random_case* c, const double* a, double t) {
  double* mean = random_case_array(c, c->nv);
  double* v = random_case_array(c, c->nv);
  double* q = random_case_array(c, c->m->model.num_q);
  for (int k = 0; k < c->nv; k++) {
    mean[k] = c->v[k] + (a ? 0.5 * t * a[k] : 0);
    v[k] = c->v[k] + (a ? t * a[k] : 0);
  }
  mechanism_advance(c->m, c->q, mean, t, q);
  mechanism_update(c->m, q, v);
}

void random_case_differentiate(random_case* c, const double* a,
                               void (*evaluate)(random_case* c, double* out), int count,
                               double* derivative) {
  const double h = 5e-4;
  const double node[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double* sample = random_case_array(c, count);
  memset(derivative, 0, sizeof *derivative * (size_t)count);
  for (int i = 0; i < 4; i++) {
    random_case_move(c, a, node[i] * h);
    evaluate(c, sample);
    for (int k = 0; k < count; k++) derivative[k] += weight[i] / (12 * h) * sample[k];
  }
  mechanism_update(c->m, c->q, c->v);
}
