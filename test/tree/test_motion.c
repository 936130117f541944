/* Inverse dynamics against the laws of motion themselves: the rate of momentum, the rate of energy
 * and Lagrange's equations, with derivatives by finite differences. */
#include "support/random_case.h"

#include <math.h>

enum { num_cases = 60, max_trees = 16 };

/* The trees' origins at t = 0, as fixed points of the world. */
static v3 start_origin[max_trees];

static void fix_origins(const random_case* c) {
  assert_true(c->m->model.num_trees <= max_trees);
  for (int t = 0; t < c->m->model.num_trees; t++) start_origin[t] = c->m->kinematics.origin[t];
}

/* Momentum of every link about its tree's fixed point. */
static void write_momenta(random_case* c, double* out) {
  const cr_tree_kinematics* kinematics = &c->m->kinematics;
  for (int i = 1; i < c->m->model.num_links; i++) {
    int tree = c->m->model.link_tree[i];
    sv h = spatial_inertia_mulv(&kinematics->link_I[i], c->m->velocities.link_V[i]);
    v3 shift = v3_sub(kinematics->origin[tree], start_origin[tree]);
    v3_store(v3_add(h.ang, v3_cross(shift, h.lin)), out + 6 * i);
    v3_store(h.lin, out + 6 * i + 3);
  }
}

/* Takes the weights out of the rates of momentum, and adds what is left of every link to its
 * parent: the force through its joints. */
static void accumulate_forces(const random_case* c, double* rate) {
  const cr_tree_model* model = &c->m->model;
  for (int i = model->num_links - 1; i > 0; i--) {
    v3 arm = v3_sub(c->m->kinematics.link_com[i], start_origin[model->link_tree[i]]);
    v3 weight = v3_scale(model->link_mass[i], c->gravity);
    double *f = rate + 6 * i, *parent = rate + 6 * model->link_parent[i];
    v3_store(v3_sub(v3_load(f), v3_cross(arm, weight)), f);
    v3_store(v3_sub(v3_load(f + 3), weight), f + 3);
    for (int k = 0; k < 6; k++) parent[k] += f[k];
  }
}

/* Newton and Euler for every link, projected on the dofs: no formula for dS/dt takes part. */
static void test_rate_of_momentum(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    int count = 6 * c.m->model.num_links;
    double *rate = random_case_array(&c, count), *tau = random_case_array(&c, c.nv);
    fix_origins(&c);
    random_case_differentiate(&c, c.a, write_momenta, count, rate);
    accumulate_forces(&c, rate);
    cr_tree_loads loads = {.gravity = c.gravity};
    mechanism_compute_inverse_dynamics(c.m, c.a, &loads, tau);
    for (int k = 0; k < c.nv; k++) {
      const double* f = rate + 6 * c.m->model.dof_link[k];
      double expected = sv_dot(c.m->kinematics.S[k], (sv){v3_load(f), v3_load(f + 3)});
      expected += c.m->model.dof_armature[k] * c.a[k];
      check_near(tau[k], expected, 1e-7 * fmax(1, fabs(expected)));
    }
    random_case_destroy(&c);
  }
}

/* Kinetic energy without armature, and potential energy. */
static void write_energy(random_case* c, double* out) {
  out[0] = mechanism_compute_gravity_energy(c->m, c->gravity);
  for (int i = 1; i < c->m->model.num_links; i++) {
    sv V = c->m->velocities.link_V[i];
    out[0] += 0.5 * sv_dot(V, spatial_inertia_mulv(&c->m->kinematics.link_I[i], V));
  }
}

/* The joints' power is the rate of energy; that of the armature, v . armature a, stands apart. */
static void test_rate_of_energy(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double *tau = random_case_array(&c, c.nv), rate, power = 0;
    random_case_differentiate(&c, c.a, write_energy, 1, &rate);
    cr_tree_loads loads = {.gravity = c.gravity};
    mechanism_compute_inverse_dynamics(c.m, c.a, &loads, tau);
    for (int k = 0; k < c.nv; k++) power += c.v[k] * (tau[k] - c.m->model.dof_armature[k] * c.a[k]);
    check_near(rate, power, 1e-7 * fmax(1, fabs(power)));
    random_case_destroy(&c);
  }
}

/* p = M v along the motion. */
static void write_generalised_momentum(random_case* c, double* out) {
  double* M = random_case_array(c, c->nv * c->nv);
  mechanism_compute_mass_matrix(c->m, M);
  for (int i = 0; i < c->nv; i++) {
    out[i] = 0;
    for (int j = 0; j < c->nv; j++) out[i] += M[i + c->nv * j] * c->v[j];
  }
}

/* The Lagrangian as a function of q alone: kinetic minus potential energy at the case's v. */
static double compute_lagrangian(random_case* c, const double* q) {
  mechanism_update(c->m, q, c->v);
  return mechanism_compute_kinetic_energy(c->m, c->v) -
         mechanism_compute_gravity_energy(c->m, c->gravity);
}

static double differentiate_lagrangian(random_case* c, int k) {
  const double h = 5e-4;
  const double node[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double derivative = 0, q = c->q[k];
  for (int i = 0; i < 4; i++) {
    c->q[k] = q + node[i] * h;
    derivative += weight[i] / (12 * h) * compute_lagrangian(c, c->q);
  }
  c->q[k] = q;
  mechanism_update(c->m, c->q, c->v);
  return derivative;
}

/* tau = d/dt (M v) - dL/dq at constant v, where v is the rate of q: hinges and slides. */
static void test_lagrange(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    mechanism_options options = {
        .num_bodies = 1 + seed % 5, .max_joints = 2, .weld_chance = 0.2, .armature_chance = 0.5};
    random_case c = random_case_create_from(&options, seed);
    assert_int_equal(c.m->model.num_q, c.nv);
    double *rate = random_case_array(&c, c.nv), *tau = random_case_array(&c, c.nv);
    random_case_differentiate(&c, NULL, write_generalised_momentum, c.nv, rate);
    cr_tree_loads loads = {.gravity = c.gravity};
    mechanism_compute_inverse_dynamics(c.m, NULL, &loads, tau);
    for (int k = 0; k < c.nv; k++) {
      double expected = rate[k] - differentiate_lagrangian(&c, k);
      check_near(tau[k], expected, 1e-7 * fmax(1, fabs(expected)));
    }
    random_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rate_of_momentum),
      cmocka_unit_test(test_rate_of_energy),
      cmocka_unit_test(test_lagrange),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
