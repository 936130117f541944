/* Poses by the definition of the joints; velocities, Jacobians and bias accelerations against
 * finite differences of poses along the motion. */
#include "support/random_case.h"

#include <math.h>

enum { num_cases = 60 };

static v3 offset_from_origin(const random_case* c, int link, v3 x) {
  return v3_sub(x, c->m->kinematics.origin[c->m->model.link_tree[link]]);
}

/* A link on the ground with the given joints in order. */
static mechanism* create_one_link(const mechanism_joint* joints, int count) {
  mechanism_def def;
  mechanism_def_init(&def);
  mechanism_body body = {.position = {1, 2, 3}, .quaternion = {1, 0, 0, 0}, .mass = 1};
  body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
  mechanism_def_add_body(&def, &body);
  for (int j = 0; j < count; j++) {
    mechanism_joint joint = joints[j];
    joint.body = 1;
    mechanism_def_add_joint(&def, &joint);
  }
  mechanism* m = mechanism_create(&def);
  mechanism_def_destroy(&def);
  return m;
}

/* Quarter turns, where everything is known by heart. */
static void test_joints_act_in_order(void** state) {
  (void)state;
  const double quarter = 1.5707963267948966;
  const mechanism_joint joints[] = {
      {.type = CAROM_JOINT_HINGE, .anchor = {1, 0, 0}, .axis = {0, 0, 1}, .reference = 0.5},
      {.type = CAROM_JOINT_SLIDE, .axis = {1, 0, 0}, .reference = 2},
      {.type = CAROM_JOINT_BALL, .anchor = {0, 1, 0}, .axis = {0, 0, 1}},
  };
  mechanism* m = create_one_link(joints, 3);

  // The hinge turns x into y about (2, 2, 3): origin at (2, 1, 3). The slide moves along the new x.
  // The ball turns about the new x through the point one along the new y.
  double s = sqrt(0.5);
  double q[6] = {0.5 + quarter, 5, s, s, 0, 0}, v[5] = {0};
  mechanism_update(m, q, v);
  pose X = mechanism_compute_body_pose(m, 1);
  const double p[3] = {2 - 1, 1 + 3, 3 - 1}, R[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  check_near_array(&X.p.x, p, 3, 1e-14);
  check_near_array(X.R.m[0], R, 9, 1e-14);
  mechanism_destroy(m);
}

static void test_free_joint_places_the_frame(void** state) {
  (void)state;
  const mechanism_joint joint = {.type = CAROM_JOINT_FREE, .anchor = {9, 9, 9}};
  mechanism* m = create_one_link(&joint, 1);
  double q[7] = {4, 5, 6, 0, 0, 0, 2}; // not of unit length: half a turn about z
  mechanism_update(m, q, NULL);
  pose X = mechanism_compute_body_pose(m, 1);
  const double R[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
  check_near_array(&X.p.x, q, 3, 0);
  check_near_array(X.R.m[0], R, 9, 1e-15);
  mechanism_destroy(m);
}

/* The ground: at the world's origin, at rest, with the mass of what is welded to it. */
static void test_ground(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    const cr_tree_kinematics* kinematics = &c.m->kinematics;
    const double zero[12] = {0};
    check_near_array(&kinematics->link_pose[0].p.x, zero, 3, 0);
    check_near_array(&c.m->velocities.link_V[0].ang.x, zero, 6, 0);
    check_near_array(&c.m->velocities.link_bias[0].ang.x, zero, 6, 0);
    check_near_array(&kinematics->link_com[0].x, c.m->model.link_com, 3, 0);
    random_case_destroy(&c);
  }
}

/* Position and rotation of every link. */
static void write_poses(random_case* c, double* out) {
  for (int i = 0; i < c->m->model.num_links; i++, out += 15) {
    const pose* X = &c->m->kinematics.link_pose[i];
    v3_store(X->p, out);
    for (int k = 0; k < 3; k++) v3_store(m3_column(&X->R, k), out + 3 + 3 * k);
    v3_store(c->m->kinematics.link_com[i], out + 12);
  }
}

static void test_velocities(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    int n = c.m->model.num_links;
    double* rate = random_case_array(&c, 15 * n);
    random_case_differentiate(&c, NULL, write_poses, 15 * n, rate);
    for (int i = 1; i < n; i++) {
      const pose* X = &c.m->kinematics.link_pose[i];
      sv V = c.m->velocities.link_V[i];
      v3 com = c.m->kinematics.link_com[i];
      double expected[15];
      v3_store(sv_point_velocity(V, offset_from_origin(&c, i, X->p)), expected);
      for (int k = 0; k < 3; k++)
        v3_store(v3_cross(V.ang, m3_column(&X->R, k)), expected + 3 + 3 * k);
      v3_store(sv_point_velocity(V, offset_from_origin(&c, i, com)), expected + 12);
      check_near_array(rate + 15 * i, expected, 15, 1e-8);
    }
    random_case_destroy(&c);
  }
}

/* Velocity of every link about the tree's origin at t = 0, which does not move. */
static v3 start_origin[16];

static void write_velocities(random_case* c, double* out) {
  for (int i = 1; i < c->m->model.num_links; i++) {
    sv V = c->m->velocities.link_V[i];
    v3 x = start_origin[c->m->model.link_tree[i]];
    v3_store(V.ang, out + 6 * i);
    v3_store(sv_point_velocity(V, offset_from_origin(c, i, x)), out + 6 * i + 3);
  }
}

/* With dv/dt = 0 the acceleration of a link is the sum of the biases on its path. */
static void test_bias_accelerations(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    int n = c.m->model.num_links;
    assert_true(c.m->model.num_trees <= 16);
    for (int t = 0; t < c.m->model.num_trees; t++) start_origin[t] = c.m->kinematics.origin[t];
    double* rate = random_case_array(&c, 6 * n);
    random_case_differentiate(&c, NULL, write_velocities, 6 * n, rate);
    for (int i = 1; i < n; i++) {
      sv sum = sv_zero();
      for (int k = i; k > 0; k = c.m->model.link_parent[k])
        sum = sv_add(sum, c.m->velocities.link_bias[k]);
      check_near_array(rate + 6 * i, &sum.ang.x, 6, 1e-7);
    }
    random_case_destroy(&c);
  }
}

/* J v is the velocity of the point and of the frame, for every dof alone too. */
static void test_jacobians(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_case c = random_case_create(seed);
    int n = c.nv, link = c.m->model.num_links - 1;
    double *linear = random_case_array(&c, 3 * n), *angular = random_case_array(&c, 3 * n);
    double* unit = random_case_array(&c, n);
    v3 x = v3_add(c.m->kinematics.link_pose[link].p, v3_make(0.3, -0.2, 0.5));
    cr_tree_compute_jacobian(&c.m->model, &c.m->kinematics, link, x, linear, angular);
    for (int k = 0; k < n; k++) {
      unit[k] = 1;
      mechanism_update(c.m, c.q, unit);
      unit[k] = 0;
      sv V = c.m->velocities.link_V[link];
      v3 velocity = sv_point_velocity(V, offset_from_origin(&c, link, x));
      const double column[6] = {linear[k],  linear[n + k],  linear[2 * n + k],
                                angular[k], angular[n + k], angular[2 * n + k]};
      check_near_array(column, &velocity.x, 3, 1e-14);
      check_near_array(column + 3, &V.ang.x, 3, 1e-14);
    }
    random_case_destroy(&c);
  }
}

/* Either half of a Jacobian may be left out. */
static void test_jacobian_parts(void** state) {
  (void)state;
  random_case c = random_case_create(11);
  int n = c.nv, link = c.m->model.num_links - 1;
  double* both[2] = {random_case_array(&c, 3 * n), random_case_array(&c, 3 * n)};
  double* alone[2] = {random_case_array(&c, 3 * n), random_case_array(&c, 3 * n)};
  v3 x = {1, 2, 3};
  cr_tree_compute_jacobian(&c.m->model, &c.m->kinematics, link, x, both[0], both[1]);
  cr_tree_compute_jacobian(&c.m->model, &c.m->kinematics, link, x, alone[0], NULL);
  cr_tree_compute_jacobian(&c.m->model, &c.m->kinematics, link, x, NULL, alone[1]);
  check_near_array(alone[0], both[0], 3 * n, 0);
  check_near_array(alone[1], both[1], 3 * n, 0);
  random_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_act_in_order),
      cmocka_unit_test(test_free_joint_places_the_frame),
      cmocka_unit_test(test_ground),
      cmocka_unit_test(test_velocities),
      cmocka_unit_test(test_bias_accelerations),
      cmocka_unit_test(test_jacobians),
      cmocka_unit_test(test_jacobian_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
