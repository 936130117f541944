/* The model compiler: a mechanism made by hand, added in a muddled order, and what becomes of it.
 */
#include "model/contact_rule.h"
#include "model/model.h"
#include "support/check.h"

#include "carom/scene.h"

#include <math.h>
#include <string.h>

static carom_error error;

static carom_builder* create(void) {
  carom_builder* builder;
  check_ok(carom_builder_create(NULL, &builder, &error), &error);
  return builder;
}

static carom_model* compile(const carom_builder* builder) {
  carom_model* model;
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  return model;
}

/* A body of mass 1 and unit inertia. */
static carom_body add_body(carom_builder* builder, const char* name, carom_body parent, double x,
                           double y, double z) {
  carom_body_def def = carom_body_def_default();
  carom_body body;
  def.name = name;
  def.parent = parent;
  def.position[0] = x, def.position[1] = y, def.position[2] = z;
  def.mass = 1;
  def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
  check_ok(carom_builder_add_body(builder, &def, &body, &error), &error);
  return body;
}

static carom_joint add_joint(carom_builder* builder, const char* name, carom_body body,
                             carom_joint_type type) {
  carom_joint_def def = carom_joint_def_default();
  def.axis[2] = 1;
  carom_joint joint;
  def.name = name;
  def.body = body;
  def.type = type;
  check_ok(carom_builder_add_joint(builder, &def, &joint, &error), &error);
  return joint;
}

static carom_geom add_ball(carom_builder* builder, const char* name, carom_body body, double x) {
  carom_geom_def def = carom_geom_def_default();
  carom_geom geom;
  def.name = name;
  def.body = body;
  def.size[0] = 0.1;
  def.position[0] = x;
  check_ok(carom_builder_add_geom(builder, &def, &geom, &error), &error);
  return geom;
}

/* world ─┬─ table (welded)
 *        ├─ a (two hinges) ─── w (welded) ─┬─ b (slide)
 *        │                                 └─ c (ball) ─── d (hinge)
 *        ├─ e (free)
 *        └─ f (free) ─── g (hinge)
 * The order of addition is not that of the model. */
static carom_builder* make_mechanism(void) {
  carom_builder* builder = create();
  const carom_body world = {0};
  carom_body table = add_body(builder, "table", world, 5, 0, 0);
  carom_body a = add_body(builder, "a", world, 1, 0, 0);
  carom_body e = add_body(builder, "e", world, 0, 7, 0);
  carom_body f = add_body(builder, "f", world, 0, 8, 0);
  carom_body g = add_body(builder, "g", f, 0, 1, 0);
  carom_body w = add_body(builder, "w", a, 0, 2, 0);
  carom_body b = add_body(builder, "b", w, 0, 0, 3);
  carom_body c = add_body(builder, "c", w, 0, 0, 4);
  carom_body d = add_body(builder, "d", c, 0, 0, 5);
  add_joint(builder, "d", d, CAROM_JOINT_HINGE);
  add_joint(builder, "c", c, CAROM_JOINT_BALL);
  add_joint(builder, "b", b, CAROM_JOINT_SLIDE);
  add_joint(builder, "f", f, CAROM_JOINT_FREE);
  add_joint(builder, "g", g, CAROM_JOINT_HINGE);
  add_joint(builder, "e", e, CAROM_JOINT_FREE);
  add_joint(builder, "a1", a, CAROM_JOINT_HINGE);
  add_joint(builder, "a2", a, CAROM_JOINT_SLIDE);
  add_ball(builder, "on d", d, 0);
  add_ball(builder, "on w", w, 1);
  add_ball(builder, "on a", a, 0);
  add_ball(builder, "on table", table, 0);
  add_ball(builder, "on world", world, 0);
  return builder;
}

/* Names in the model's order. */
static void test_order(void** state) {
  (void)state;
  static const char* const BODIES[] = {"world", "table", "a", "w", "b", "c", "d", "e", "f", "g"};
  static const char* const JOINTS[] = {"a1", "a2", "b", "c", "d", "e", "f", "g"};
  static const char* const GEOMS[] = {"on world", "on table", "on a", "on w", "on d"};
  static const int PARENTS[] = {-1, 0, 0, 2, 3, 3, 5, 0, 0, 8};
  static const int JOINT_BODIES[] = {2, 2, 4, 5, 6, 7, 8, 9};
  carom_builder* builder = make_mechanism();
  carom_model* model = compile(builder);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  assert_true(sizes.num_bodies == 10 && sizes.num_joints == 8 && sizes.num_geoms == 5);
  assert_true(sizes.num_q == 1 + 1 + 1 + 4 + 1 + 7 + 7 + 1 && sizes.num_v == 3 + 3 + 1 + 6 + 6 + 1);
  for (int i = 0; i < 10; i++) {
    assert_string_equal(carom_model_get_body(model, i).name, BODIES[i]);
    assert_int_equal(carom_model_find_body(model, BODIES[i]), i);
    assert_int_equal(carom_model_get_body(model, i).parent, PARENTS[i]);
  }
  for (int i = 0; i < 8; i++) {
    assert_string_equal(carom_model_get_joint(model, i).name, JOINTS[i]);
    assert_int_equal(carom_model_find_joint(model, JOINTS[i]), i);
    assert_int_equal(carom_model_get_joint(model, i).body, JOINT_BODIES[i]);
  }
  for (int i = 0; i < 5; i++) assert_int_equal(carom_model_find_geom(model, GEOMS[i]), i);
  assert_int_equal(carom_model_find_geom(model, "a"), -1);
  assert_int_equal(carom_model_find_geom(model, ""), -1);
  assert_int_equal(carom_model_find_geom(model, NULL), -1);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

#define CHECK_INTS(actual, ...)                                     \
  do {                                                              \
    const int expected[] = {__VA_ARGS__};                           \
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) \
      assert_int_equal((actual)[i], expected[i]);                   \
  } while (0)

static void test_links(void** state) {
  (void)state;
  carom_builder* builder = make_mechanism();
  carom_model* model = compile(builder);
  const cr_tree_model* t = &model->tree;
  /* ground, a (with w), b, c, d, e, f, g */
  assert_int_equal(t->num_links, 8);
  CHECK_INTS(model->body.link, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7);
  CHECK_INTS(model->body.link_body, 0, 2, 4, 5, 6, 7, 8, 9);
  CHECK_INTS(t->link_parent, -1, 0, 1, 1, 3, 0, 0, 6);
  CHECK_INTS(t->link_tree, -1, 0, 0, 0, 0, 1, 2, 2);
  CHECK_INTS(t->link_joint_start, 0, 0, 2, 3, 4, 5, 6, 7, 8);
  CHECK_INTS(t->link_v_start, 0, 0, 2, 3, 6, 7, 13, 19, 20);
  CHECK_INTS(t->link_last_dof, -1, 1, 2, 5, 6, 12, 18, 19);
  CHECK_INTS(t->joint_q_start, 0, 1, 2, 3, 7, 8, 15, 22);
  CHECK_INTS(t->joint_v_start, 0, 1, 2, 3, 6, 7, 13, 19);
  CHECK_INTS(t->joint_link, 1, 1, 2, 3, 4, 5, 6, 7);
  CHECK_INTS(t->dof_parent, -1, 0, 1, 1, 3, 4, 5, -1, 7, 8, 9, 10, 11, -1, 13, 14, 15, 16, 17, 18);
  CHECK_INTS(t->dof_joint, 0, 1, 2, 3, 3, 3, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 7);
  CHECK_INTS(t->dof_link, 1, 1, 2, 3, 3, 3, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 7);
  assert_int_equal(t->num_trees, 3);
  CHECK_INTS(t->tree_link_start, 1, 5, 6);
  CHECK_INTS(t->tree_link_end, 5, 6, 8);
  CHECK_INTS(t->tree_v_start, 0, 7, 13, 20);
  CHECK_INTS(t->tree_is_free_link, 0, 1, 0);
  /* a's two dofs; b; c with d; e; f with g */
  assert_int_equal(t->num_segments, 5);
  CHECK_INTS(t->segment_v_start, 0, 2, 3, 7, 13, 20);
  CHECK_INTS(t->segment_parent, -1, 0, 0, -1, -1);
  CHECK_INTS(t->dof_segment, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

static void test_frames(void** state) {
  (void)state;
  carom_builder* builder = make_mechanism();
  carom_model* model = compile(builder);
  const cr_tree_model* t = &model->tree;
  const double places[] = {0, 0, 0, 1, 0, 0, 0, 2, 3, 0, 2, 4, 0, 0, 5, 0, 7, 0, 0, 8, 0, 0, 1, 0};
  check_near_array(t->link_position, places, 24, 0);
  for (int i = 0; i < 8; i++)
    check_near_array(t->link_quaternion + 4 * i, ((double[]){1, 0, 0, 0}), 4, 0);
  check_near_array(carom_model_get_reference(model) + 8,
                   ((double[]){0, 7, 0, 1, 0, 0, 0, 0, 8, 0, 1, 0, 0, 0, 0}), 15, 0);
  check_near_array(&model->geom.local[3].p.x, ((double[]){1, 2, 0}), 3, 0);
  check_near_array(carom_model_get_geom(model, 3).position, ((double[]){1, 0, 0}), 3, 0);
  /* a and w: two unit masses two metres apart along y */
  assert_true(t->link_mass[1] == 2);
  check_near_array(t->link_com + 3, ((double[]){0, 1, 0}), 3, 0);
  check_near_array(t->link_inertia + 6, ((double[]){4, 2, 4, 0, 0, 0}), 6, 0);
  /* the ground holds the table */
  assert_true(t->link_mass[0] == 1);
  check_near_array(t->link_com, ((double[]){5, 0, 0}), 3, 0);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

/* The anchor of a lone free link is its centre of mass, unless its joint pushes back. */
static void test_free_link(void** state) {
  (void)state;
  for (int kind = 0; kind < 5; kind++) {
    carom_builder* builder = create();
    carom_body a = add_body(builder, NULL, (carom_body){0}, 0, 0, 0);
    add_body(builder, NULL, a, 2, 0, 0);
    carom_joint_def def = carom_joint_def_default();
    def.body = a;
    def.type = CAROM_JOINT_FREE;
    def.armature = kind == 1;
    def.damping = kind == 2;
    def.stiffness = kind == 3;
    def.friction_loss = kind == 4;
    check_ok(carom_builder_add_joint(builder, &def, NULL, &error), &error);
    carom_model* model = compile(builder);
    assert_int_equal(model->tree.tree_is_free_link[0], kind == 0);
    check_near(model->tree.joint_anchor[0], kind == 0, 0);
    check_near(carom_model_get_joint(model, 0).anchor[0], 0, 0);
    carom_model_destroy(model);
    carom_builder_destroy(builder);
  }
}

static void test_springs(void** state) {
  (void)state;
  carom_builder* builder = make_mechanism();
  carom_spring_def def = carom_spring_def_default();
  def.name = "s";
  def.body1 = (carom_body){6}; /* w */
  def.body2 = (carom_body){1}; /* table */
  def.point1[1] = -2;          /* at a's origin */
  def.point2[2] = 3;
  def.stiffness = 4;
  def.damping = 5;
  check_ok(carom_builder_add_spring(builder, &def, &error), &error);
  def.name = NULL;
  def.rest_length = 1;
  check_ok(carom_builder_add_spring(builder, &def, &error), &error);
  carom_model* model = compile(builder);
  const cr_force_model* f = &model->force;
  CHECK_INTS(f->spring_link, 1, 0, 1, 0);
  check_near_array(f->spring_point, ((double[]){0, 0, 0, 5, 0, 3}), 6, 0);
  check_near_array(f->spring_rest_length, ((double[]){5, 1}), 2, 0);
  assert_true(f->spring_stiffness[0] == 4 && f->spring_damping[1] == 5);
  carom_model_destroy(model);
  def.body2 = (carom_body){2}; /* a, which w is welded to */
  check_ok(carom_builder_add_spring(builder, &def, &error), &error);
  assert_int_equal(carom_builder_compile(builder, &model, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "spring 3: both ends are on one rigid body");
  carom_builder_destroy(builder);
}

static void add_ball_with(carom_builder* builder, double k, double tau, double friction, int condim,
                          int priority) {
  carom_geom_def def = carom_geom_def_default();
  def.size[0] = 1;
  def.stiffness = k;
  def.dissipation = tau;
  def.friction = friction;
  def.condim = condim;
  def.priority = priority;
  def.margin = 0.1;
  def.gap = 0.2;
  check_ok(carom_builder_add_geom(builder, &def, NULL, &error), &error);
}

/* What two geometries make of a contact. */
static void test_contact_rule(void** state) {
  (void)state;
  carom_builder* builder = create();
  add_ball_with(builder, NAN, NAN, 0.5, 1, 0);
  add_ball_with(builder, 3, 0.1, 0.4, 3, 0);
  add_ball_with(builder, 6, 0.4, 0.1, 1, 2);
  carom_model* model = compile(builder);
  cr_contact_values v = cr_contact_rule_mix(&model->geom, &model->contact, 0, 0);
  assert_true(isinf(v.stiffness) && isnan(v.dissipation) && v.condim == 1 && v.friction == 0.5);
  v = cr_contact_rule_mix(&model->geom, &model->contact, 0, 1);
  assert_true(v.stiffness == 3 && v.dissipation == 0.1 && v.condim == 3 && v.friction == 0.5);
  assert_true(v.margin == 0.2 && v.gap == 0.4);
  v = cr_contact_rule_mix(&model->geom, &model->contact, 2, 1);
  check_near(v.stiffness, 2, 1e-15);
  check_near(v.dissipation, 2.0 / 6 * 0.4 + 2.0 / 3 * 0.1, 1e-15);
  assert_true(v.condim == 1 && v.friction == 0.1);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

static void test_harmonic_friction(void** state) {
  (void)state;
  carom_builder_def options = carom_builder_def_default();
  options.friction_rule = CAROM_FRICTION_RULE_HARMONIC;
  carom_builder* builder;
  check_ok(carom_builder_create(&options, &builder, &error), &error);
  add_ball_with(builder, NAN, NAN, 0.5, 3, 0);
  add_ball_with(builder, NAN, NAN, 0.25, 3, 0);
  add_ball_with(builder, NAN, NAN, 0, 3, 0);
  carom_model* model = compile(builder);
  const cr_contact_model* contact = &model->contact;
  check_near(cr_contact_rule_mix(&model->geom, contact, 0, 1).friction, 1.0 / 3, 1e-15);
  assert_true(cr_contact_rule_mix(&model->geom, contact, 0, 2).friction == 0);
  assert_true(cr_contact_rule_mix(&model->geom, contact, 2, 2).friction == 0);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

/* A pair without values of its own takes the geometries'. */
static void test_pair(void** state) {
  (void)state;
  carom_builder* builder = create();
  carom_body a = add_body(builder, NULL, (carom_body){0}, 0, 0, 0);
  add_joint(builder, NULL, a, CAROM_JOINT_HINGE);
  carom_pair_def def = carom_pair_def_default();
  def.geom1 = add_ball(builder, NULL, a, 0);
  def.geom2 = add_ball(builder, NULL, (carom_body){0}, 0);
  check_ok(carom_builder_add_pair(builder, &def, &error), &error);
  carom_model* model = compile(builder);
  assert_true(model->geom.num_pairs == 1 && model->geom.pair[0] == 1);
  assert_true(model->contact.pair_condim[0] == 3 && model->contact.pair_friction[0] == 1);
  assert_true(isinf(model->contact.pair_stiffness[0]) && model->geom.pair_margin[0] == 0);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

/* Six times the volume within a surface: positive where its triangles look outwards. */
static double measure_surface(const carom_mesh_info* mesh) {
  double sum = 0;
  for (int i = 0; i < mesh->num_triangles; i++) {
    const int* t = mesh->triangles + 3 * i;
    const double *a = mesh->vertices + 3 * t[0], *b = mesh->vertices + 3 * t[1];
    const double* c = mesh->vertices + 3 * t[2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum;
}

/* A mesh's surface is its hull: a tetrahedron and a point inside, a cube whose sides are two
 * triangles each; vertices stand about the middle of the bounds. */
static void test_surfaces(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><asset><mesh name='t' vertex='1 0 0  3 0 0  1 4 0  1 0 6  1.1 .1 .1'/>"
      "<mesh name='c' vertex='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1'/></asset>"
      "<worldbody><geom type='mesh' mesh='t' pos='0 0 9'/><geom size='1'/>"
      "<geom type='mesh' mesh='c'/><geom type='mesh' mesh='t'/></worldbody></mujoco>";
  static const double TETRAHEDRON[] = {-1, -2, -3, 1, -2, -3, -1, 2, -3, -1, -2, 3};
  carom_model* model;
  check_ok(carom_model_load_string(TEXT, strlen(TEXT), NULL, NULL, &model, &error), &error);
  const int meshes[] = {0, -1, 1, 0};
  for (int i = 0; i < 4; i++) assert_int_equal(carom_model_get_geom(model, i).mesh, meshes[i]);
  assert_int_equal(carom_model_get_sizes(model).num_meshes, 2);
  carom_mesh_info mesh = carom_model_get_mesh(model, 0);
  assert_int_equal(mesh.num_vertices, 4);
  assert_int_equal(mesh.num_triangles, 4);
  for (int k = 0; k < 12; k++) check_near(mesh.vertices[k], TETRAHEDRON[k], 1e-14);
  check_near(measure_surface(&mesh), 2 * 4 * 6, 1e-13);
  check_near(carom_model_get_geom(model, 0).position[2], 9 + 3, 1e-14);
  mesh = carom_model_get_mesh(model, 1);
  assert_int_equal(mesh.num_vertices, 8);
  assert_int_equal(mesh.num_triangles, 12);
  check_near(measure_surface(&mesh), 6, 1e-14);
  carom_model_destroy(model);
}

static void test_keyframe_lengths(void** state) {
  (void)state;
  const double numbers[3] = {0};
  carom_builder* builder = create();
  carom_keyframe_def def = carom_keyframe_def_default();
  def.source = (carom_source){"a.c", 12};
  def.v = numbers;
  def.num_v = 3;
  check_ok(carom_builder_add_keyframe(builder, &def, &error), &error);
  carom_model* model;
  assert_int_equal(carom_builder_compile(builder, &model, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "a.c:12: keyframe: v has 3 numbers, the model has 0");
  carom_builder_destroy(builder);
}

/* A short text that asks for very much. */
static void test_keyframe_count(void** state) {
  (void)state;
  carom_builder* builder = make_mechanism();
  carom_keyframe_def def = carom_keyframe_def_default();
  for (int i = 0; i < 10; i++) check_ok(carom_builder_add_keyframe(builder, &def, &error), &error);
  carom_model* model = compile(builder);
  assert_int_equal(carom_model_get_sizes(model).num_keyframes, 10);
  check_near_array(model->keyframe.q + 9 * 23, carom_model_get_reference(model), 23, 0);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

/* An empty world, and notes. */
static void test_empty(void** state) {
  (void)state;
  carom_builder* builder = create();
  check_ok(carom_builder_add_note(builder, CAROM_NOTE_IGNORED, "first", &error), &error);
  check_ok(carom_builder_add_note(builder, CAROM_NOTE_UNUSED, "second", &error), &error);
  carom_model* model = compile(builder);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  assert_true(sizes.num_bodies == 1 && sizes.num_v == 0 && sizes.num_trees == 0);
  assert_int_equal(sizes.num_notes, 2);
  assert_string_equal(carom_model_get_note(model, 1), "second");
  assert_int_equal(carom_model_get_note_kind(model, 0), CAROM_NOTE_IGNORED);
  assert_int_equal(carom_model_get_note_kind(model, 1), CAROM_NOTE_UNUSED);
  assert_string_equal(carom_model_get_name(model), "");
  assert_string_equal(carom_model_get_body(model, 0).name, "world");
  assert_int_equal(carom_model_get_body(model, 0).parent, -1);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

/* A model does not need its builder, and two of one builder are alike to the byte. */
static void test_independence(void** state) {
  (void)state;
  carom_builder* builder = make_mechanism();
  carom_model *first = compile(builder), *second = compile(builder);
  carom_builder_destroy(builder);
  assert_true(first->block_size == second->block_size);
  size_t header = sizeof(carom_model) + 64;
  assert_memory_equal((char*)first + header, (char*)second + header, first->block_size - header);
  carom_model_destroy(first);
  assert_string_equal(carom_model_get_body(second, 9).name, "g");
  carom_model_destroy(second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_links),
      cmocka_unit_test(test_frames),
      cmocka_unit_test(test_free_link),
      cmocka_unit_test(test_springs),
      cmocka_unit_test(test_contact_rule),
      cmocka_unit_test(test_harmonic_friction),
      cmocka_unit_test(test_pair),
      cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_keyframe_lengths),
      cmocka_unit_test(test_keyframe_count),
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_independence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
