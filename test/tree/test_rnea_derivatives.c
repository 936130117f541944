/* Derivatives of inverse dynamics against differences of it, and what they must be by themselves:
 * the mass matrix's part, gravity's Hessian. */
#include "support/random_case.h"
#include "tree/rnea_derivatives.h"

#include <math.h>

enum { num_cases = 120 };

/* Forces that their links carry: in link axes, about the frame's origin. */
typedef struct carried {
  sv* local;    /* [num_links] */
  sv* external; /* [num_links] the same where the mechanism stands */
} carried;

static carried draw_carried(random_case* c) {
  int n = c->m->model.num_links;
  carried loads = {(sv*)random_case_array(c, 6 * n), (sv*)random_case_array(c, 6 * n)};
  for (int i = 0; i < n; i++) {
    double f[6];
    for (int k = 0; k < 6; k++) f[k] = check_random_normal(&c->random);
    loads.local[i] = (sv){v3_load(f), v3_load(f + 3)};
  }
  return loads;
}

static void place(const random_case* c, const carried* loads) {
  const cr_tree_model* model = &c->m->model;
  for (int i = 1; i < model->num_links; i++) {
    if (model->link_tree[i] < 0) continue;
    const pose* X = &c->m->kinematics.link_pose[i];
    v3 force = m3_mulv(&X->R, loads->local[i].lin), moment = m3_mulv(&X->R, loads->local[i].ang);
    v3 arm = v3_sub(X->p, c->m->kinematics.origin[model->link_tree[i]]);
    loads->external[i] = (sv){v3_add(moment, v3_cross(arm, force)), force};
  }
}

/* tau at the configuration that q is along dof k by t, and velocities v + t e_k where asked. */
static void evaluate(random_case* c, const carried* loads, int dof, bool is_velocity, double t,
                     double* tau) {
  double *unit = random_case_array(c, c->nv), *v = random_case_array(c, c->nv);
  double* q = random_case_array(c, c->m->model.num_q);
  for (int k = 0; k < c->nv; k++) v[k] = c->v[k];
  if (is_velocity) v[dof] += t;
  unit[dof] = is_velocity ? 0 : 1;
  mechanism_advance(c->m, c->q, unit, t, q);
  mechanism_update(c->m, q, v);
  place(c, loads);
  cr_tree_loads all = {c->gravity, loads->external};
  mechanism_compute_inverse_dynamics(c->m, c->a, &all, tau);
}

/* Column of the derivative over all dofs, central, of fourth order. */
static void differentiate(random_case* c, const carried* loads, int dof, bool is_velocity,
                          double* column) {
  const double h = 1e-3, node[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double* tau = random_case_array(c, c->nv);
  for (int k = 0; k < c->nv; k++) column[k] = 0;
  for (int i = 0; i < 4; i++) {
    evaluate(c, loads, dof, is_velocity, node[i] * h, tau);
    for (int k = 0; k < c->nv; k++) column[k] += weight[i] / (12 * h) * tau[k];
  }
}

/* [nv, nv] over all dofs, zero between trees. */
typedef struct whole {
  double *q, *v;
} whole;

static whole compute(random_case* c, const carried* loads, const double* v, const double* a) {
  const cr_tree_model* model = &c->m->model;
  whole all = {random_case_array(c, c->nv * c->nv), random_case_array(c, c->nv * c->nv)};
  cr_rnea_tangents tangents;
  mechanism_update(c->m, c->q, v);
  if (loads) place(c, loads);
  cr_tree_motion motion = {
      &c->m->kinematics, &c->m->velocities, v, a, {c->gravity, loads ? loads->external : NULL}};
  for (int t = 0; t < model->num_trees; t++) {
    int start = model->tree_v_start[t], n = model->tree_v_start[t + 1] - start;
    cr_rnea_derivatives out = {random_case_array(c, n * n), random_case_array(c, n * n)};
    cr_scratch_mark mark = cr_arena_mark_scratch(&c->m->arena);
    assert_true(cr_tree_push_rnea_tangents(&c->m->arena, model, &c->m->scratch, &tangents));
    cr_tree_differentiate_inverse_dynamics(model, t, &motion, &tangents, &out);
    cr_arena_pop_scratch(&c->m->arena, mark);
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) {
        all.q[(start + k) * c->nv + start + j] = out.q[k * n + j];
        all.v[(start + k) * c->nv + start + j] = out.v[k * n + j];
      }
  }
  return all;
}

static double largest(const double* x, int n) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void test_differences(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    carried loads = draw_carried(&c);
    whole all = compute(&c, &loads, c.v, c.a);
    double* column = random_case_array(&c, c.nv);
    for (int k = 0; k < 2 * c.nv; k++) {
      bool is_velocity = k >= c.nv;
      int dof = is_velocity ? k - c.nv : k;
      const double* found = (is_velocity ? all.v : all.q) + dof * c.nv;
      differentiate(&c, &loads, dof, is_velocity, column);
      check_near_array(found, column, c.nv, 2e-9 * largest(column, c.nv));
    }
    random_case_destroy(&c);
  }
}

/* Coriolis forces are quadratic in v: their derivative along v is twice them. */
static void test_velocities_are_quadratic(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double *zero = random_case_array(&c, c.nv), *bias = random_case_array(&c, c.nv);
    double* still = random_case_array(&c, c.nv);
    cr_tree_loads loads = {c.gravity, NULL};
    mechanism_update(c.m, c.q, zero);
    mechanism_compute_inverse_dynamics(c.m, NULL, &loads, still);
    mechanism_update(c.m, c.q, c.v);
    mechanism_compute_inverse_dynamics(c.m, NULL, &loads, bias);
    whole all = compute(&c, NULL, c.v, NULL);
    for (int i = 0; i < c.nv; i++) {
      double sum = 0, scale = 1;
      for (int k = 0; k < c.nv; k++) {
        sum += all.v[k * c.nv + i] * c.v[k];
        scale = fmax(scale, fabs(all.v[k * c.nv + i] * c.v[k]));
      }
      check_near(sum, 2 * (bias[i] - still[i]), 1e-12 * scale);
    }
    random_case_destroy(&c);
  }
}

/* At rest gravity is what a potential asks for: its derivative is symmetric where joints have one
 * axis, along which configurations commute. */
static void test_gravity_is_a_hessian(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    mechanism_options options = mechanism_options_default();
    options.num_bodies = 1 + seed % 12, options.free_chance = options.ball_chance = 0;
    random_case c = random_case_create_from(&options, seed);
    whole all = compute(&c, NULL, random_case_array(&c, c.nv), NULL);
    double most = largest(all.q, c.nv * c.nv);
    for (int i = 0; i < c.nv; i++)
      for (int k = 0; k < i; k++)
        check_near(all.q[k * c.nv + i], all.q[i * c.nv + k], 1e-13 * most);
    random_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_differences),
      cmocka_unit_test(test_velocities_are_quadratic),
      cmocka_unit_test(test_gravity_is_a_hessian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
