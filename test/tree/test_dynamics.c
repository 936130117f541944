/* The algorithms against each other: inverse = forward, composite bodies = columns of inverse
 * dynamics, articulated bodies = dense solve, energies and momenta = sums over links. */
#include "support/random_case.h"
#include "tree/factor.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { num_cases = 200 };

static double max_abs(const double* x, int count) {
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

/* Random external forces on all links. */
static cr_tree_loads draw_loads(random_case* c) {
  int n = c->m->model.num_links;
  sv* external = (sv*)random_case_array(c, 6 * n);
  for (int i = 1; i < n; i++) {
    double f[6];
    for (int k = 0; k < 6; k++) f[k] = check_random_normal(&c->random);
    external[i] = (sv){v3_load(f), v3_load(f + 3)};
  }
  return (cr_tree_loads){c->gravity, external};
}

static double* compute_mass_matrix(random_case* c) {
  double* M = random_case_array(c, c->nv * c->nv);
  mechanism_compute_mass_matrix(c->m, M);
  return M;
}

/* Column k is the force for unit acceleration of dof k at rest without gravity. */
static void test_mass_matrix_is_inverse_dynamics(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const double* M = compute_mass_matrix(&c);
    double *unit = random_case_array(&c, c.nv), *tau = random_case_array(&c, c.nv);
    cr_tree_loads none = {.gravity = {0, 0, 0}};
    for (int k = 0; k < c.nv; k++) {
      unit[k] = 1;
      for (int t = 0; t < c.m->model.num_trees; t++)
        cr_tree_compute_inverse_dynamics(&c.m->model, t, &c.m->kinematics, NULL, unit, &none,
                                         &c.m->scratch, tau);
      unit[k] = 0;
      check_near_array(M + c.nv * k, tau, c.nv, 1e-13 * fmax(1, M[k + c.nv * k]));
    }
    random_case_destroy(&c);
  }
}

static bool is_ancestor(const cr_tree_model* model, int ancestor, int dof) {
  while (dof > ancestor) dof = model->dof_parent[dof];
  return dof == ancestor;
}

/* Symmetric to the bit, and zero exactly where no path leads from one dof to the other. */
static void test_mass_matrix_sparsity(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const double* M = compute_mass_matrix(&c);
    for (int i = 0; i < c.nv; i++)
      for (int j = 0; j <= i; j++) {
        assert_true(M[i + c.nv * j] == M[j + c.nv * i]);
        if (!is_ancestor(&c.m->model, j, i)) assert_true(M[i + c.nv * j] == 0);
      }
    random_case_destroy(&c);
  }
}

/* ABA and then RNEA gives the forces back. */
static void test_inverse_of_forward_dynamics(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    cr_tree_loads loads = draw_loads(&c);
    const double* tau = c.a;
    double *a = random_case_array(&c, c.nv), *back = random_case_array(&c, c.nv);
    double* bias = random_case_array(&c, c.nv);
    assert_true(mechanism_compute_forward_dynamics(c.m, tau, NULL, &loads, a));
    mechanism_compute_inverse_dynamics(c.m, a, &loads, back);
    mechanism_compute_inverse_dynamics(c.m, NULL, &loads, bias);
    check_near_array(back, tau, c.nv, 1e-10 * fmax(1, max_abs(bias, c.nv)));
    random_case_destroy(&c);
  }
}

/* Solves (M + extra) x = b; returns an estimate of the condition number. */
static double solve_dense(double* M, int n, const double* extra, double* b) {
  double norm = 0, reciprocal = 0;
  for (int k = 0; k < n; k++) M[k + n * k] += extra[k];
  norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', n, M, n);
  assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, M, n), 0);
  assert_int_equal(LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, M, n, norm, &reciprocal), 0);
  assert_int_equal(LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, M, n, b, n), 0);
  return 1 / reciprocal;
}

static void test_forward_dynamics_is_dense_solve(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    cr_tree_loads loads = draw_loads(&c);
    int n = c.nv;
    double* M = compute_mass_matrix(&c);
    double *extra = random_case_array(&c, n), *tau = c.a, *a = random_case_array(&c, n);
    double* expected = random_case_array(&c, n);
    for (int k = 0; k < n; k++) extra[k] = seed % 2 ? check_random_uniform(&c.random, 0, 0.1) : 0;
    assert_true(mechanism_compute_forward_dynamics(c.m, tau, seed % 2 ? extra : NULL, &loads, a));

    mechanism_compute_inverse_dynamics(c.m, NULL, &loads, expected);
    for (int k = 0; k < n; k++) expected[k] = tau[k] - expected[k];
    double condition = solve_dense(M, n, extra, expected);
    check_near_array(a, expected, n, 1e-14 * condition * max_abs(expected, n));
    random_case_destroy(&c);
  }
}

/* Factor and substitution of a tree's matrix against a dense solve. What the rows leave unwritten
 * is not a number, so that it shows where it is read. */
static void expect_dense_solve(random_case* c, int tree) {
  const cr_tree_model* model = &c->m->model;
  int n = model->tree_v_start[tree + 1] - model->tree_v_start[tree];
  cr_arena arena;
  cr_bsm_pattern pattern;
  cr_symbolic symbolic;
  double *M = random_case_array(c, n * n), *H = random_case_array(c, n * n);
  double *x = random_case_array(c, n), *expected = random_case_array(c, n);
  cr_tree_compute_mass_matrix(model, tree, &c->m->kinematics, &c->m->scratch, M);
  for (int k = 0; k < n * n; k++) H[k] = NAN;
  cr_tree_compute_mass_rows(model, tree, &c->m->kinematics, &c->m->scratch, H);
  for (int k = 0; k < n; k++) x[k] = expected[k] = check_random_normal(&c->random);
  cr_arena_init(&arena, NULL);
  assert_true(cr_tree_build_pattern(model, tree, &arena, &pattern));
  assert_true(cr_symbolic_analyze(&pattern, CR_ORDERING_REVERSE, &arena, &symbolic));
  double* factor = CR_PUSH(&arena, double, symbolic.factor_size);
  double* scratch = CR_PUSH(&arena, double, symbolic.scratch_size);
  cr_tree_load_matrix(&symbolic, H, factor);
  assert_int_equal(cr_cholesky_factor(&symbolic, factor, scratch), -1);
  cr_cholesky_solve(&symbolic, factor, x, 1, n, scratch);
  cr_arena_destroy(&arena);
  double condition = solve_dense(M, n, random_case_array(c, n), expected);
  check_near_array(x, expected, n, 1e-14 * condition * max_abs(expected, n));
}

static void test_tree_factor_is_dense_solve(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    mechanism_options options = mechanism_options_default();
    options.num_bodies = 1 + seed % 40;
    options.root_chance = 0.1;
    random_case c = random_case_create_from(&options, seed);
    for (int t = 0; t < c.m->model.num_trees; t++) expect_dense_solve(&c, t);
    random_case_destroy(&c);
  }
}

/* Null velocities are velocities of zero, null forces forces of zero. */
static void test_omitted_inputs(void** state) {
  (void)state;
  random_case c = random_case_create(23);
  cr_tree_loads loads = draw_loads(&c), no_external = {.gravity = c.gravity};
  double *zero = random_case_array(&c, c.nv), *x = random_case_array(&c, c.nv);
  double* y = random_case_array(&c, c.nv);
  mechanism* m = c.m;
  mechanism_update(m, c.q, zero);
  for (int t = 0; t < m->model.num_trees; t++) {
    int start = m->model.tree_v_start[t], count = m->model.tree_v_start[t + 1] - start;
    cr_tree_compute_inverse_dynamics(&m->model, t, &m->kinematics, NULL, NULL, &loads, &m->scratch,
                                     x);
    cr_tree_compute_inverse_dynamics(&m->model, t, &m->kinematics, &m->velocities, zero, &loads,
                                     &m->scratch, y);
    check_near_array(x + start, y + start, count, 0);
    assert_true(cr_tree_compute_forward_dynamics(&m->model, t, &m->kinematics, NULL, NULL, NULL,
                                                 &no_external, &m->scratch, x));
    loads.link_external = (sv*)random_case_array(&c, 6 * m->model.num_links);
    assert_true(cr_tree_compute_forward_dynamics(&m->model, t, &m->kinematics, &m->velocities, zero,
                                                 zero, &loads, &m->scratch, y));
    check_near_array(x + start, y + start, count, 0);
  }
  random_case_destroy(&c);
}

/* A force at a point of a link acts on the dofs through the point's Jacobian. */
static void test_external_force_is_jacobian_transpose(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    int n = c.nv, link = c.m->model.num_links - 1, tree = c.m->model.link_tree[link];
    double *J = random_case_array(&c, 3 * n), *with = random_case_array(&c, n);
    double* without = random_case_array(&c, n);
    sv* external = (sv*)random_case_array(&c, 6 * c.m->model.num_links);
    v3 x = {0.4, -1, 2}, force = {3, 1, -2};
    external[link] = sv_point_force(force, v3_sub(x, c.m->kinematics.origin[tree]));
    cr_tree_loads loads = {c.gravity, external}, none = {c.gravity, NULL};
    mechanism_compute_inverse_dynamics(c.m, c.a, &loads, with);
    mechanism_compute_inverse_dynamics(c.m, c.a, &none, without);
    cr_tree_compute_jacobian(&c.m->model, &c.m->kinematics, link, x, J, NULL);
    double scale = 1e-12 * fmax(1, max_abs(without, n));
    for (int k = 0; k < n; k++)
      check_near(without[k] - with[k], v3_dot(force, v3_make(J[k], J[n + k], J[2 * n + k])), scale);
    random_case_destroy(&c);
  }
}

/* diag(m, m, m, I) with the body's own numbers, and the closed form of the dynamics. */
static void test_free_link(void** state) {
  (void)state;
  mechanism_options options = {.num_bodies = 1, .max_joints = 1, .free_chance = 1};
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create_from(&options, seed);
    const cr_tree_model* model = &c.m->model;
    assert_int_equal(model->tree_is_free_link[0], 1);
    double M[36], mass = model->link_mass[1], *a = random_case_array(&c, 6);
    m3 Ic = m3_symmetric(model->link_inertia + 6), R = c.m->kinematics.link_pose[1].R;
    mechanism_compute_mass_matrix(c.m, M);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        assert_true(M[i + 6 * j] == (i >= 3 && j >= 3 ? Ic.m[i - 3][j - 3] : i == j ? mass : 0));

    cr_tree_loads loads = draw_loads(&c);
    sv f = loads.link_external[1];
    v3 w = v3_load(c.v + 3), tau = v3_load(c.a + 3);
    assert_true(mechanism_compute_forward_dynamics(c.m, c.a, NULL, &loads, a));
    v3 linear = v3_axpy(c.gravity, 1 / mass, v3_add(v3_load(c.a), f.lin));
    v3 moment = v3_add(tau, m3_tmulv(&R, f.ang));
    v3 angular = m3_solve(&Ic, v3_sub(moment, v3_cross(w, m3_mulv(&Ic, w))));
    check_near_array(a, &linear.x, 3, 1e-13 * fmax(1, v3_norm(linear)));
    check_near_array(a + 3, &angular.x, 3, 1e-12 * fmax(1, v3_norm(angular)));
    random_case_destroy(&c);
  }
}

/* A point mass on a hinge, and a link without mass on a second one. */
static mechanism* create_massless_chain(double armature) {
  mechanism_def def;
  mechanism_def_init(&def);
  mechanism_body body = {.quaternion = {1, 0, 0, 0}, .mass = 1, .com = {1, 0, 0}};
  mechanism_joint joint = {.type = CAROM_JOINT_HINGE, .axis = {0, 0, 1}};
  joint.body = mechanism_def_add_body(&def, &body);
  mechanism_def_add_joint(&def, &joint);
  body = (mechanism_body){.parent = 1, .position = {1, 0, 0}, .quaternion = {1, 0, 0, 0}};
  joint.body = mechanism_def_add_body(&def, &body);
  joint.armature = armature;
  mechanism_def_add_joint(&def, &joint);
  mechanism* m = mechanism_create(&def);
  mechanism_def_destroy(&def);
  return m;
}

/* Without mass and armature a dof has no acceleration, and the sweep says so. */
static void test_massless_chain(void** state) {
  (void)state;
  const double q[2] = {0.3, 0.4}, v[2] = {1, 2};
  double a[2];
  cr_tree_loads loads = {.gravity = {0, -9.81, 0}};
  mechanism* m = create_massless_chain(0);
  mechanism_update(m, q, v);
  assert_false(mechanism_compute_forward_dynamics(m, NULL, NULL, &loads, a));
  mechanism_destroy(m);

  // With armature the first hinge is a pendulum that feels nothing of the second.
  m = create_massless_chain(0.1);
  mechanism_update(m, q, v);
  assert_true(mechanism_compute_forward_dynamics(m, NULL, NULL, &loads, a));
  check_near(a[0], -9.81 * cos(q[0]), 1e-14);
  check_near(a[1], 0, 1e-14);
  mechanism_destroy(m);
}

static void test_kinetic_energy(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const double* M = compute_mass_matrix(&c);
    double twice = 0;
    for (int i = 0; i < c.nv; i++)
      for (int j = 0; j < c.nv; j++) twice += c.v[i] * M[i + c.nv * j] * c.v[j];
    check_near(mechanism_compute_kinetic_energy(c.m, c.v), 0.5 * twice, 1e-12 * twice);
    random_case_destroy(&c);
  }
}

/* Energies from the state alone against those from the tree's kinematics, screws among the hinges.
 */
static void test_energies(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const cr_tree_model* model = &c.m->model;
    const cr_tree_kinematics* kinematics = &c.m->kinematics;
    double* pitch = (double*)model->joint_pitch; /* of the test's own model */
    for (int j = 0; j < model->num_joints; j += 3)
      if (model->joint_type[j] == CAROM_JOINT_HINGE) pitch[j] = 0.1;
    mechanism_update(c.m, c.q, c.v);
    for (int t = 0; t < model->num_trees; t++) {
      int first = model->tree_link_start[t];
      const cr_tree_state at = {kinematics->link_pose[model->link_parent[first]], c.gravity, c.q,
                                c.v};
      cr_tree_energies found = cr_tree_compute_energies(model, t, &at, &c.m->scratch);
      double kinetic = cr_tree_compute_kinetic_energy(model, t, kinematics, &c.m->velocities, c.v);
      double potential = cr_tree_compute_gravity_energy(model, t, kinematics, c.gravity);
      sv h = cr_tree_compute_momentum(model, t, kinematics, &c.m->velocities);
      check_near(found.kinetic, kinetic, 1e-12 * kinetic);
      check_near(found.potential, potential, 1e-12 * fmax(1, fabs(potential)));
      check_near(found.fall, v3_dot(c.gravity, h.lin),
                 1e-12 * v3_norm(c.gravity) * fmax(1, v3_norm(h.lin)));
    }
    random_case_destroy(&c);
  }
}

/* Momentum, mass and potential energy against sums over the links in the world frame. */
static void test_sums_over_links(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const cr_tree_model* model = &c.m->model;
    for (int t = 0; t < model->num_trees; t++) {
      sv h = sv_zero();
      double mass = 0, potential = 0, actual_mass = 0;
      v3 moment = v3_zero(), actual_moment = v3_zero();
      for (int i = model->tree_link_start[t]; i < model->tree_link_end[t]; i++) {
        const pose* X = &c.m->kinematics.link_pose[i];
        v3 com = pose_point(X, v3_load(model->link_com + 3 * i));
        sv V = c.m->velocities.link_V[i];
        v3 velocity = sv_point_velocity(V, v3_sub(com, c.m->kinematics.origin[t]));
        m3 body = m3_symmetric(model->link_inertia + 6 * i), Ic = m3_congruence(&X->R, &body);
        sv own = sv_point_force(v3_scale(model->link_mass[i], velocity), com);
        own.ang = v3_add(own.ang, m3_mulv(&Ic, V.ang));
        h = sv_add(h, own);
        mass += model->link_mass[i];
        moment = v3_axpy(moment, model->link_mass[i], com);
        potential -= model->link_mass[i] * v3_dot(c.gravity, com);
      }
      sv actual = cr_tree_compute_momentum(model, t, &c.m->kinematics, &c.m->velocities);
      cr_tree_add_mass_moment(model, t, &c.m->kinematics, &actual_mass, &actual_moment);
      check_near_array(&actual.ang.x, &h.ang.x, 6, 1e-12 * fmax(1, max_abs(&h.ang.x, 6)));
      check_near(actual_mass, mass, 1e-13 * mass);
      check_near_array(&actual_moment.x, &moment.x, 3, 1e-12);
      check_near(cr_tree_compute_gravity_energy(model, t, &c.m->kinematics, c.gravity), potential,
                 1e-12 * fmax(1, fabs(potential)));
    }
    random_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mass_matrix_is_inverse_dynamics),
      cmocka_unit_test(test_mass_matrix_sparsity),
      cmocka_unit_test(test_inverse_of_forward_dynamics),
      cmocka_unit_test(test_forward_dynamics_is_dense_solve),
      cmocka_unit_test(test_tree_factor_is_dense_solve),
      cmocka_unit_test(test_omitted_inputs),
      cmocka_unit_test(test_external_force_is_jacobian_transpose),
      cmocka_unit_test(test_free_link),
      cmocka_unit_test(test_massless_chain),
      cmocka_unit_test(test_kinetic_energy),
      cmocka_unit_test(test_energies),
      cmocka_unit_test(test_sums_over_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
