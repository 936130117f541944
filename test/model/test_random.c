/* Random mechanisms: what compiling must keep, whatever is compiled; and the verdict on the mass
 * matrix against that of a dense eigenvalue solver. */
#include "model/model.h"
#include "support/mechanism.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BODIES 40

/* One mechanism twice: in a builder, and in the tests' own form. */
typedef struct twin {
  carom_builder* builder;
  mechanism_def def;
  carom_joint last_hinge; /* or slide; null: none */
} twin;

static carom_error error;

static v3 draw_v3(check_random* random) {
  return v3_make(check_random_normal(random), check_random_normal(random),
                 check_random_normal(random));
}

/* Mass properties of a body that may have none. */
static void draw_mass(check_random* random, double massless_chance, mechanism_body* body) {
  if (check_random_uniform(random, 0, 1) < massless_chance) return;
  body->mass = check_random_uniform(random, 0.1, 2);
  v3_store(draw_v3(random), body->com);
  double a = check_random_uniform(random, 0.1, 1), b = check_random_uniform(random, 0.1, 1);
  body->inertia[0] = a;
  body->inertia[1] = b;
  body->inertia[2] = check_random_uniform(random, fabs(a - b) + 0.01, a + b);
}

static void add_body(twin* t, check_random* random, int parent, double massless_chance) {
  mechanism_body body = {.parent = parent};
  v3_store(draw_v3(random), body.position);
  for (int i = 0; i < 4; i++) body.quaternion[i] = check_random_normal(random);
  draw_mass(random, massless_chance, &body);
  carom_body_def def = carom_body_def_default();
  def.parent.id = parent;
  def.mass = body.mass;
  memcpy(def.position, body.position, sizeof def.position);
  memcpy(def.quaternion, body.quaternion, sizeof def.quaternion);
  memcpy(def.com, body.com, sizeof def.com);
  memcpy(def.inertia, body.inertia, sizeof def.inertia);
  check_ok(carom_builder_add_body(t->builder, &def, NULL, &error), &error);
  quat_store(quat_normalize(quat_load(body.quaternion)), body.quaternion);
  mechanism_def_add_body(&t->def, &body);
}

static void add_joint(twin* t, check_random* random, int body, carom_joint_type type) {
  mechanism_joint joint = {.type = type, .body = body};
  v3_store(draw_v3(random), joint.anchor);
  v3_store(v3_normalize_or(draw_v3(random), v3_make(1, 0, 0)), joint.axis);
  bool is_scalar = type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE;
  if (is_scalar) joint.reference = check_random_normal(random);
  if (check_random_int(random, 0, 3) == 0) joint.armature = check_random_uniform(random, 0, 1);
  carom_joint_def def = carom_joint_def_default();
  carom_joint handle;
  def.body.id = body;
  def.type = type;
  def.reference = joint.reference;
  def.armature = joint.armature;
  memcpy(def.anchor, joint.anchor, sizeof def.anchor);
  memcpy(def.axis, joint.axis, sizeof def.axis);
  check_ok(carom_builder_add_joint(t->builder, &def, &handle, &error), &error);
  if (is_scalar) t->last_hinge = handle;
  mechanism_def_add_joint(&t->def, &joint);
}

/* Bodies depth first: each hangs on the last one or on one of its ancestors. */
static twin draw_twin(check_random* random, double massless_chance) {
  twin t = {0};
  check_ok(carom_builder_create(NULL, &t.builder, &error), &error);
  mechanism_def_init(&t.def);
  t.def.keep_free_origin = true;
  int parents[MAX_BODIES + 1] = {-1}, count = check_random_int(random, 1, MAX_BODIES);
  for (int i = 1; i <= count; i++) {
    int parent = i - 1;
    while (parent > 0 && check_random_int(random, 0, 2) == 0) parent = parents[parent];
    parents[i] = parent;
    add_body(&t, random, parent, massless_chance);
    if (parent == 0 && check_random_int(random, 0, 3) == 0) {
      add_joint(&t, random, i, CAROM_JOINT_FREE);
      continue;
    }
    static const carom_joint_type TYPES[] = {CAROM_JOINT_HINGE, CAROM_JOINT_SLIDE,
                                             CAROM_JOINT_HINGE, CAROM_JOINT_BALL};
    /* A ball beside a hinge moves nothing new: where all is to be definite, it stands alone. */
    int num_joints = check_random_int(random, 0, 2);
    int num_types = massless_chance > 0 || num_joints == 1 ? 4 : 3;
    for (int n = 0; n < num_joints; n++)
      add_joint(&t, random, i, TYPES[check_random_int(random, 0, num_types - 1)]);
  }
  return t;
}

static void destroy_twin(twin* t) {
  carom_builder_destroy(t->builder);
  mechanism_def_destroy(&t->def);
}

/* Mass, first and second moments about the world's origin, added up. */
typedef struct moments {
  double mass;
  v3 first;
  m3 second;
} moments;

static void add_moments(moments* sum, double mass, v3 com, const double* inertia, const pose* X) {
  v3 c = pose_point(X, com);
  m3 own = m3_symmetric(inertia), turned = m3_congruence(&X->R, &own), cc = m3_outer(c, c);
  cc = m3_scale(-mass, &cc);
  for (int i = 0; i < 3; i++) cc.m[i][i] += mass * v3_norm2(c);
  turned = m3_add(&turned, &cc);
  sum->mass += mass;
  sum->first = v3_axpy(sum->first, mass, c);
  sum->second = m3_add(&sum->second, &turned);
}

/* Links weigh what their bodies weigh, wherever they are. */
static void check_moments(const carom_model* model, const pose* links) {
  moments bodies = {0}, whole = {0};
  const cr_tree_model* t = &model->tree;
  for (int i = 0; i < model->body.num_bodies; i++) {
    pose X = pose_mul(&links[model->body.link[i]], &model->body.local[i]);
    add_moments(&bodies, model->body.mass[i], v3_load(model->body.com + 3 * i),
                model->body.inertia + 6 * i, &X);
  }
  for (int l = 0; l < t->num_links; l++)
    add_moments(&whole, t->link_mass[l], v3_load(t->link_com + 3 * l), t->link_inertia + 6 * l,
                &links[l]);
  check_near(whole.mass, bodies.mass, 1e-13 * (1 + bodies.mass));
  check_near_array(&whole.first.x, &bodies.first.x, 3, 1e-10 * (1 + v3_norm(bodies.first)));
  double scale = 1 + fabs(bodies.second.m[0][0]) + fabs(bodies.second.m[1][1]);
  check_near_array(whole.second.m[0], bodies.second.m[0], 9, 1e-11 * scale);
}

/* The reference configuration puts every body where its definition puts it. */
static void check_reference(const carom_model* model, const twin* t, const pose* links) {
  pose expected[MAX_BODIES + 1] = {pose_identity()};
  for (int i = 1; i < t->def.num_bodies; i++) {
    const mechanism_body* body = &t->def.bodies[i];
    pose local = {v3_load(body->position), quat_to_m3(quat_load(body->quaternion))};
    expected[i] = pose_mul(&expected[body->parent], &local);
    pose actual = pose_mul(&links[model->body.link[i]], &model->body.local[i]);
    check_near_array(&actual.p.x, &expected[i].p.x, 3, 1e-11);
    check_near_array(actual.R.m[0], expected[i].R.m[0], 9, 1e-12);
  }
}

/* Segments are runs without a branch, and as long as they can be. */
static void check_segments(const cr_tree_model* t) {
  int children[6 * MAX_BODIES + 1] = {0};
  for (int i = 0; i < t->num_v; i++)
    if (t->dof_parent[i] >= 0) children[t->dof_parent[i]]++;
  for (int i = 0; i < t->num_v; i++) {
    int parent = t->dof_parent[i];
    bool continues = parent >= 0 && children[parent] == 1;
    assert_true(parent < i);
    assert_int_equal(continues, i > 0 && t->dof_segment[i] == t->dof_segment[i - 1]);
    if (continues) assert_int_equal(parent, i - 1);
  }
  for (int s = 0; s < t->num_segments; s++) {
    int first = t->segment_v_start[s], parent = t->dof_parent[first];
    assert_int_equal(t->segment_parent[s], parent < 0 ? -1 : t->dof_segment[parent]);
    for (int i = first; i < t->segment_v_start[s + 1]; i++) assert_int_equal(t->dof_segment[i], s);
  }
}

static void check_trees(const cr_tree_model* t) {
  for (int l = 1; l < t->num_links; l++) {
    int parent = t->link_parent[l], tree = t->link_tree[l];
    assert_true(parent < l && l >= t->tree_link_start[tree] && l < t->tree_link_end[tree]);
    assert_true(parent == 0 ? t->tree_link_start[tree] == l : t->link_tree[parent] == tree);
    assert_int_equal(t->link_last_dof[l], t->link_v_start[l + 1] - 1);
    assert_int_equal(t->dof_parent[t->link_v_start[l]], t->link_last_dof[parent]);
  }
}

static void test_invariants(void** state) {
  (void)state;
  check_random random = {11};
  for (int i = check_repeats(500); i > 0; i--) {
    twin t = draw_twin(&random, 0);
    carom_model* model;
    check_ok(carom_builder_compile(t.builder, &model, &error), &error);
    mechanism* m = mechanism_create(&t.def);
    /* The mechanism lends its scratch; the arrays are the compiled model's. */
    cr_tree_model own = m->model;
    m->model = model->tree;
    mechanism_update(m, carom_model_get_reference(model), NULL);
    check_reference(model, &t, m->kinematics.link_pose);
    check_moments(model, m->kinematics.link_pose);
    m->model = own;
    check_segments(&model->tree);
    check_trees(&model->tree);
    mechanism_destroy(m);
    carom_model_destroy(model);
    destroy_twin(&t);
  }
}

/* The mass matrix at the reference configuration. */
static double* reference_mass_matrix(mechanism* m) {
  int n = m->model.num_v;
  double q[7 * MAX_BODIES + 1], *M = calloc((size_t)(n * n) + 1, sizeof *M);
  for (int j = 0; j < m->model.num_joints; j++) {
    double* at = q + m->model.joint_q_start[j];
    int link = m->model.joint_link[j];
    switch (m->model.joint_type[j]) {
    case CAROM_JOINT_FREE:
      memcpy(at, m->model.link_position + 3 * link, 3 * sizeof *at);
      memcpy(at + 3, m->model.link_quaternion + 4 * link, 4 * sizeof *at);
      break;
    case CAROM_JOINT_BALL:
      quat_store(quat_identity(), at);
      break;
    default:
      *at = m->model.joint_reference[j];
    }
  }
  mechanism_update(m, q, NULL);
  mechanism_compute_mass_matrix(m, M);
  return M;
}

/* The smallest eigenvalue of M with its diagonal scaled to one. */
static double smallest_eigenvalue(const double* M, int n) {
  double *A = malloc((size_t)(n * n) * sizeof *A), *w = malloc((size_t)n * sizeof *w);
  for (int i = 0; i < n; i++) {
    if (!(M[i * n + i] > 0)) {
      free(A), free(w);
      return 0;
    }
    for (int j = 0; j < n; j++)
      A[i * n + j] = M[i * n + j] / sqrt(M[i * n + i] * fmax(M[j * n + j], 1e-300));
  }
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, A, n, w), 0);
  double smallest = w[0];
  free(A), free(w);
  return smallest;
}

/* Massless bodies make some matrices singular: the compiler refuses exactly those. */
static void test_definiteness(void** state) {
  (void)state;
  check_random random = {12};
  int num_singular = 0, num_definite = 0;
  for (int i = check_repeats(2000); i > 0; i--) {
    twin t = draw_twin(&random, 0.2);
    mechanism* m = mechanism_create(&t.def);
    double* M = reference_mass_matrix(m);
    double smallest = m->model.num_v ? smallest_eigenvalue(M, m->model.num_v) : 1;
    carom_model* model;
    carom_status status = carom_builder_compile(t.builder, &model, &error);
    bool is_singular = smallest<1e-13, is_definite = smallest> 1e-7;
    if (is_singular) assert_int_equal(status, CAROM_ERROR_BAD_INPUT);
    if (is_definite) check_ok(status, &error);
    num_singular += is_singular;
    num_definite += is_definite;
    carom_model_destroy(model);
    free(M);
    mechanism_destroy(m);
    destroy_twin(&t);
  }
  assert_true(num_singular > 10 && num_definite > 10);
}

/* A servo's damping ratio refers to the inverse of the mass matrix. */
static void test_damping_ratio(void** state) {
  (void)state;
  check_random random = {13};
  int num_checked = 0;
  for (int i = check_repeats(300); i > 0; i--) {
    twin t = draw_twin(&random, 0);
    if (t.last_hinge.id) {
      carom_actuator_def def = carom_actuator_def_default();
      def.joint = t.last_hinge;
      def.gear = -3;
      def.gain = 5;
      def.bias[1] = -5;
      def.damping_ratio = 0.7;
      check_ok(carom_builder_add_actuator(t.builder, &def, NULL, &error), &error);
      carom_model* model;
      check_ok(carom_builder_compile(t.builder, &model, &error), &error);
      mechanism* m = mechanism_create(&t.def);
      double* M = reference_mass_matrix(m);
      int n = m->model.num_v, dof = model->force.actuator_dof[0];
      assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, M, n), 0);
      assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', n, M, n), 0);
      double expected = -0.7 * 2 * sqrt(5 / M[dof * n + dof]) / 3;
      check_near(model->force.actuator_bias[2], expected, 1e-9 * fabs(expected));
      num_checked++;
      free(M);
      mechanism_destroy(m);
      carom_model_destroy(model);
    }
    destroy_twin(&t);
  }
  assert_true(num_checked > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_invariants),
      cmocka_unit_test(test_definiteness),
      cmocka_unit_test(test_damping_ratio),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
