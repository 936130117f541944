/* Motion in configuration space: definitions of the mid configuration and of the updates, time
 * symmetry, orders of convergence, and the maps between interface and internal quantities. */
#include "support/random_case.h"

#include <math.h>
#include <string.h>

enum { num_cases = 60 };

#define FOR_TREES(c, t) for (int t = 0; t < (c).m->model.num_trees; t++)

static void advance(const random_case* c, const double* q0, const double* v, double dt,
                    double theta, cr_rotation_update update, double* q) {
  FOR_TREES(*c, t) cr_tree_advance(&c->m->model, t, q0, v, dt, theta, update, q);
}

static void compute_mid(const random_case* c, double dt, double theta, double* q) {
  FOR_TREES(*c, t)
  cr_tree_compute_mid_configuration(&c->m->model, t, c->q, c->v, dt, theta, q);
}

/* Largest difference of two configurations in the sense of cr_tree_compute_difference. */
static double measure_distance(random_case* c, const double* q0, const double* q1) {
  double *d = random_case_array(c, c->nv), largest = 0;
  FOR_TREES(*c, t) cr_tree_compute_difference(&c->m->model, t, q0, q1, d);
  for (int k = 0; k < c->nv; k++) largest = fmax(largest, fabs(d[k]));
  return largest;
}

/* The quaternion of a joint, or null. */
static const double* find_quaternion(const random_case* c, int joint, const double* q) {
  const double* at = q + c->m->model.joint_q_start[joint];
  int type = c->m->model.joint_type[joint];
  return type == CAROM_JOINT_FREE ? at + 3 : type == CAROM_JOINT_BALL ? at : NULL;
}

static v3 get_angular(const random_case* c, int joint, const double* v) {
  int skipped = c->m->model.joint_type[joint] == CAROM_JOINT_FREE ? 3 : 0;
  return v3_load(v + c->m->model.joint_v_start[joint] + skipped);
}

static quat make_rate(quat q, v3 w) {
  return quat_mul(q, (quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
}

static quat add_quat(quat a, double s, quat b) {
  return (quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static void check_quat(const double* actual, quat expected, double tolerance) {
  const double e[4] = {expected.w, expected.x, expected.y, expected.z};
  check_near_array(actual, e, 4, tolerance);
}

/* q^theta, not normalised, as formulation section 2 has it: q0 ∘ (1 + a)/(1 + |a|²). */
static quat compute_mid_quat(quat q0, v3 w, double dt, double theta) {
  v3 a = v3_scale(0.5 * theta * dt, w);
  quat product = quat_mul(q0, (quat){1, a.x, a.y, a.z});
  return add_quat((quat){0, 0, 0, 0}, 1 / (1 + v3_norm2(a)), product);
}

static void test_mid_configuration(void** state) {
  (void)state;
  const double thetas[] = {0.5, 1, 0.3}, dt = 0.1;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double theta = thetas[seed % 3], *q = random_case_array(&c, c.m->model.num_q);
    compute_mid(&c, dt, theta, q);
    for (int j = 0; j < c.m->model.num_joints; j++) {
      const double *q0 = find_quaternion(&c, j, c.q), *r = find_quaternion(&c, j, q);
      int at = c.m->model.joint_q_start[j];
      if (!r) {
        check_near(q[at], c.q[at] + theta * dt * c.v[c.m->model.joint_v_start[j]], 1e-15);
        continue;
      }
      quat mid = compute_mid_quat(quat_load(q0), get_angular(&c, j, c.v), dt, theta);
      check_quat(r, quat_normalize(mid), 1e-15);
    }
    random_case_destroy(&c);
  }
}

/* theta = 0 is the start to the bit, whatever its quaternions' lengths. */
static void test_mid_configuration_at_start(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double* q = random_case_array(&c, c.m->model.num_q);
    for (int i = 0; i < c.m->model.num_q; i++) c.q[i] *= 1.1;
    compute_mid(&c, 0.1, 0, q);
    check_near_array(q, c.q, c.m->model.num_q, 0);
    random_case_destroy(&c);
  }
}

/* q = q0 + dt N(q^theta) w, by the definition, for every theta; the Cayley map beside it. */
static void test_updates_by_definition(void** state) {
  (void)state;
  const double thetas[] = {0, 0.5, 1, 0.3}, dt = 0.1;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double *q = random_case_array(&c, c.m->model.num_q), theta = thetas[seed % 4];
    double* cayley = random_case_array(&c, c.m->model.num_q);
    advance(&c, c.q, c.v, dt, theta, CR_ROTATION_LINEAR, q);
    advance(&c, c.q, c.v, dt, theta, CR_ROTATION_CAYLEY, cayley);
    for (int j = 0; j < c.m->model.num_joints; j++) {
      int at = c.m->model.joint_q_start[j];
      const double* r = find_quaternion(&c, j, q);
      if (!r) {
        check_near(q[at], c.q[at] + dt * c.v[c.m->model.joint_v_start[j]], 1e-15);
        continue;
      }
      quat q0 = quat_load(find_quaternion(&c, j, c.q));
      v3 w = get_angular(&c, j, c.v);
      quat raw = add_quat(q0, dt, make_rate(compute_mid_quat(q0, w, dt, theta), w));
      if (theta == 0.5) check_near(quat_norm2(raw), 1, 1e-14);
      check_quat(r, quat_normalize(raw), 1e-15);

      quat map = quat_cayley(q0, v3_scale(0.5 * dt, w));
      check_quat(find_quaternion(&c, j, cayley), theta == 0.5 ? map : quat_normalize(raw), 1e-15);
    }
    random_case_destroy(&c);
  }
}

/* The anchor of a free joint moves on a straight line, its frame goes round it. */
static void test_free_joint_moves_by_its_anchor(void** state) {
  (void)state;
  const double dt = 0.1;
  const mechanism_options options = {.num_bodies = 1, .max_joints = 1, .free_chance = 1};
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create_from(&options, seed);
    double q[7];
    for (int kind = 0; kind < 3; kind++) {
      double theta = 0.5 * kind, h = kind == 0 ? dt : theta * dt;
      if (kind == 0)
        advance(&c, c.q, c.v, dt, 0.5, CR_ROTATION_CAYLEY, q);
      else
        compute_mid(&c, dt, theta, q);
      mechanism_update(c.m, c.q, NULL);
      v3 start = c.m->kinematics.link_com[1];
      mechanism_update(c.m, q, NULL);
      v3 end = v3_axpy(start, h, v3_load(c.v));
      check_near_array(&c.m->kinematics.link_com[1].x, &end.x, 3, 1e-14);
    }
    random_case_destroy(&c);
  }
}

/* Forth with v and back with -v. */
static void test_time_symmetry(void** state) {
  (void)state;
  const double thetas[] = {0, 0.5, 0.5, 1}, dt = 0.3;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    cr_rotation_update update = seed % 4 == 1 ? CR_ROTATION_LINEAR : CR_ROTATION_CAYLEY;
    double *q = random_case_array(&c, c.m->model.num_q), *back = random_case_array(&c, c.nv);
    for (int k = 0; k < c.nv; k++) back[k] = -c.v[k];
    advance(&c, c.q, c.v, dt, thetas[seed % 4], update, q);
    advance(&c, q, back, dt, thetas[seed % 4], update, q);
    check_near_array(q, c.q, c.m->model.num_q, 1e-14);
    random_case_destroy(&c);
  }
}

/* Quaternions stay of unit length over many steps, and are made so from any length. */
static void test_unit_quaternions(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double* q = random_case_array(&c, c.m->model.num_q);
    memcpy(q, c.q, sizeof *q * (size_t)c.m->model.num_q);
    for (int step = 0; step < 100; step++)
      advance(&c, q, c.v, 0.05, seed % 3 * 0.5, CR_ROTATION_LINEAR, q);
    for (int j = 0; j < c.m->model.num_joints; j++) {
      const double* r = find_quaternion(&c, j, q);
      if (r) check_near(quat_norm2(quat_load(r)), 1, 1e-15);
    }
    for (int i = 0; i < c.m->model.num_q; i++) q[i] *= 3;
    FOR_TREES(c, t) cr_tree_normalize(&c.m->model, t, q);
    for (int j = 0; j < c.m->model.num_joints; j++) {
      const double* r = find_quaternion(&c, j, q);
      if (r) check_near(quat_norm2(quat_load(r)), 1, 1e-15);
    }
    random_case_destroy(&c);
  }
}

/* One step against many small ones with the same velocity: local errors of third order. A plain
 * angle has none; each map has its own coefficient of |dt w|^3, 1/12 and 1/48. */
static void test_order_of_updates(void** state) {
  (void)state;
  const cr_rotation_update updates[] = {CR_ROTATION_CAYLEY, CR_ROTATION_LINEAR};
  const double coefficient[] = {1.0 / 12, 1.0 / 48};
  for (int u = 0; u < 2; u++)
    for (int seed = 1; seed <= num_cases; seed++) {
      random_case c = random_case_create(seed);
      double *q = random_case_array(&c, c.m->model.num_q), dt = 0.02;
      advance(&c, c.q, c.v, dt, 0.5, updates[u], q);
      for (int j = 0; j < c.m->model.num_joints; j++) {
        const double *q0 = find_quaternion(&c, j, c.q), *q1 = find_quaternion(&c, j, q);
        if (!q0) continue;
        double x = dt * v3_norm(get_angular(&c, j, c.v));
        double angle = v3_norm(quat_log(quat_mul(quat_conjugate(quat_load(q0)), quat_load(q1))));
        check_near(x - angle, coefficient[u] * x * x * x, 0.02 * x * x * x * x * x + 1e-15);
      }
      random_case_destroy(&c);
    }
}

/* difference(q, advance(q, v)) = dt v but for the update's own error of third order, and the exact
 * way round: exp of the difference leads from q0 to q1. */
static void test_difference(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double *q = random_case_array(&c, c.m->model.num_q), *d = random_case_array(&c, c.nv);
    double dt = 1e-4;
    advance(&c, c.q, c.v, dt, 0.5, CR_ROTATION_CAYLEY, q);
    FOR_TREES(c, t) cr_tree_compute_difference(&c.m->model, t, c.q, q, d);
    for (int k = 0; k < c.nv; k++) check_near(d[k], dt * c.v[k], 1e-10);

    mechanism_draw_q(c.m, &c.random, q);
    FOR_TREES(c, t) cr_tree_compute_difference(&c.m->model, t, c.q, q, d);
    for (int j = 0; j < c.m->model.num_joints; j++) {
      const double *q0 = find_quaternion(&c, j, c.q), *q1 = find_quaternion(&c, j, q);
      if (!q0) continue;
      v3 r = get_angular(&c, j, d);
      quat reached = quat_mul(quat_load(q0), quat_exp(r)), wanted = quat_load(q1);
      m3 R = quat_to_m3(reached), W = quat_to_m3(wanted);
      assert_true(v3_norm(r) <= 3.1415926535897936);
      check_near_array(R.m[0], W.m[0], 9, 1e-13);
    }
    random_case_destroy(&c);
  }
}

/* N(q) v against the difference quotient of the coordinates. */
static void test_rates(void** state) {
  (void)state;
  const double h = 1e-3;
  const double node[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    int nq = c.m->model.num_q;
    double *rate = random_case_array(&c, nq), *q = random_case_array(&c, nq);
    double *v = random_case_array(&c, c.nv), *expected = random_case_array(&c, nq);
    for (int i = 0; i < 4; i++) {
      advance(&c, c.q, c.v, node[i] * h, 0.5, CR_ROTATION_CAYLEY, q);
      for (int k = 0; k < nq; k++) rate[k] += weight[i] / (12 * h) * q[k];
    }
    FOR_TREES(c, t) {
      cr_tree_to_interface(&c.m->model, t, c.q, c.v, v);
      cr_tree_compute_rates(&c.m->model, t, c.q, v, expected);
    }
    check_near_array(rate, expected, nq, 1e-9);
    random_case_destroy(&c);
  }
}

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* There and back; power is the same on both sides. */
static void test_interface_round_trip(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    double *v = random_case_array(&c, c.nv), *u = random_case_array(&c, c.nv);
    double *f = random_case_array(&c, c.nv), *g = random_case_array(&c, c.nv);
    FOR_TREES(c, t) {
      cr_tree_to_interface(&c.m->model, t, c.q, c.v, v);
      cr_tree_to_internal(&c.m->model, t, c.q, v, u);
      cr_tree_force_to_interface(&c.m->model, t, c.q, c.a, f);
      cr_tree_force_to_internal(&c.m->model, t, c.q, f, g);
    }
    check_near_array(u, c.v, c.nv, 1e-14);
    check_near_array(g, c.a, c.nv, 1e-14);
    check_near(dot(f, v, c.nv), dot(c.a, c.v, c.nv), 1e-12);
    random_case_destroy(&c);
  }
}

/* Velocity of the free frame's origin. */
static void write_origin_velocity(random_case* c, double* out) {
  v3 arm = v3_sub(c->m->kinematics.link_pose[1].p, c->m->kinematics.origin[0]);
  v3_store(sv_point_velocity(c->m->velocities.link_V[1], arm), out);
}

/* The origin's acceleration from the anchor's, against the derivative of the origin's velocity. */
static void test_interface_acceleration(void** state) {
  (void)state;
  const mechanism_options options = {.num_bodies = 1, .max_joints = 1, .free_chance = 1};
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create_from(&options, seed);
    double rate[3], a[6], v[6];
    random_case_differentiate(&c, c.a, write_origin_velocity, 3, rate);
    cr_tree_acceleration_to_interface(&c.m->model, 0, c.q, c.v, c.a, a);
    check_near_array(a, rate, 3, 1e-8);
    check_near_array(a + 3, c.a + 3, 3, 0);

    cr_tree_to_interface(&c.m->model, 0, c.q, c.v, v);
    write_origin_velocity(&c, rate);
    check_near_array(v, rate, 3, 1e-14);
    random_case_destroy(&c);
  }
}

/* The pose under a velocity that changes linearly in time, by the midpoint rule. */
static void integrate(random_case* c, int steps, double* q) {
  double *v = random_case_array(c, c->nv), dt = 0.5 / steps;
  memcpy(q, c->q, sizeof *q * (size_t)c->m->model.num_q);
  for (int i = 0; i < steps; i++) {
    for (int k = 0; k < c->nv; k++) v[k] = c->v[k] + (i + 0.5) * dt * c->a[k];
    advance(c, q, v, dt, 0.5, CR_ROTATION_CAYLEY, q);
  }
}

/* Halving the step divides the error by four. */
static void test_order_of_midpoint(void** state) {
  (void)state;
  const mechanism_options options = {.num_bodies = 1, .max_joints = 1, .free_chance = 1};
  for (int seed = 1; seed <= 20; seed++) {
    random_case c = random_case_create_from(&options, seed);
    double exact[7], coarse[7], fine[7];
    integrate(&c, 4096, exact);
    integrate(&c, 32, coarse);
    integrate(&c, 64, fine);
    double ratio = measure_distance(&c, exact, coarse) / measure_distance(&c, exact, fine);
    check_near(log2(ratio), 2, 0.05);
    random_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mid_configuration),
      cmocka_unit_test(test_mid_configuration_at_start),
      cmocka_unit_test(test_updates_by_definition),
      cmocka_unit_test(test_free_joint_moves_by_its_anchor),
      cmocka_unit_test(test_time_symmetry),
      cmocka_unit_test(test_unit_quaternions),
      cmocka_unit_test(test_order_of_updates),
      cmocka_unit_test(test_difference),
      cmocka_unit_test(test_rates),
      cmocka_unit_test(test_interface_round_trip),
      cmocka_unit_test(test_interface_acceleration),
      cmocka_unit_test(test_order_of_midpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
