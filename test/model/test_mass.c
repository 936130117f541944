/* Mass properties: sources, scaling, bounds, unphysical inertias; and mass matrices that are not
 * positive definite. */
#include "support/check.h"

#include "carom/model.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static carom_error error;

static carom_builder* create(const carom_builder_def* def) {
  carom_builder* builder;
  check_ok(carom_builder_create(def, &builder, &error), &error);
  return builder;
}

/* Body 1 on a hinge about z, with these mass properties (mass NaN: from geometries). */
static void add_body(carom_builder* builder, double mass, double ixx, double iyy, double izz) {
  carom_body_def body = carom_body_def_default();
  carom_joint_def joint = carom_joint_def_default();
  joint.axis[2] = 1;
  body.name = "b";
  body.mass = mass;
  body.inertia[0] = ixx, body.inertia[1] = iyy, body.inertia[2] = izz;
  check_ok(carom_builder_add_body(builder, &body, &joint.body, &error), &error);
  joint.name = "j";
  check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
}

static void add_geom(carom_builder* builder, carom_geom_type type, double a, double b, double c) {
  carom_geom_def def = carom_geom_def_default();
  def.body = (carom_body){1};
  def.type = type;
  def.density = 1;
  def.size[0] = a, def.size[1] = b, def.size[2] = c;
  check_ok(carom_builder_add_geom(builder, &def, NULL, &error), &error);
}

/* Compiles, destroys the builder, and returns body 1. */
static carom_body_info finish(carom_builder* builder) {
  carom_model* model;
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_body_info body = carom_model_get_body(model, 1);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
  return body;
}

static void finish_with_error(carom_builder* builder, const char* message) {
  carom_model* model;
  assert_int_equal(carom_builder_compile(builder, &model, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, message);
  assert_null(model);
  carom_builder_destroy(builder);
}

/* Volumes and moments of the shapes, by hand. */
static void test_shapes(void** state) {
  (void)state;
  carom_builder* builder = create(NULL);
  add_body(builder, NAN, 0, 0, 0);
  add_geom(builder, CAROM_GEOM_SPHERE, 2, 0, 0);
  carom_body_info body = finish(builder);
  double m = 4.0 / 3 * PI * 8;
  check_near(body.mass, m, 1e-13);
  check_near_array(body.inertia, ((double[]){1.6 * m, 1.6 * m, 1.6 * m}), 3, 1e-12);

  builder = create(NULL);
  add_body(builder, NAN, 0, 0, 0);
  add_geom(builder, CAROM_GEOM_BOX, 1, 2, 3);
  body = finish(builder);
  check_near_array(body.inertia, ((double[]){48 * 13 / 3.0, 48 * 10 / 3.0, 48 * 5 / 3.0}), 3,
                   1e-12);

  builder = create(NULL);
  add_body(builder, NAN, 0, 0, 0);
  add_geom(builder, CAROM_GEOM_CYLINDER, 1, 2, 0);
  body = finish(builder);
  m = 4 * PI;
  check_near_array(body.inertia, ((double[]){m * 19 / 12, m * 19 / 12, m / 2}), 3, 1e-13);

  builder = create(NULL);
  add_body(builder, NAN, 0, 0, 0);
  add_geom(builder, CAROM_GEOM_CAPSULE, 1, 2, 0);
  body = finish(builder);
  double ball = 4.0 / 3 * PI;
  check_near(body.mass, m + ball, 1e-13);
  check_near(body.inertia[2], m / 2 + 0.4 * ball, 1e-13);
  check_near(body.inertia[0], m * 19 / 12 + ball * (0.4 + 4 + 1.5), 1e-12);
}

static void test_sources(void** state) {
  (void)state;
  const double ball = 4.0 / 3 * PI;
  for (int source = CAROM_INERTIA_AUTO; source <= CAROM_INERTIA_BODIES; source++)
    for (int is_given = 0; is_given < 2; is_given++) {
      carom_builder_def def = carom_builder_def_default();
      def.inertia_source = (carom_inertia_source)source;
      carom_builder* builder = create(&def);
      add_body(builder, is_given ? 5 : NAN, 1, 1, 1);
      add_geom(builder, CAROM_GEOM_SPHERE, 1, 0, 0);
      bool uses_geoms =
          source == CAROM_INERTIA_GEOMS || (source == CAROM_INERTIA_AUTO && !is_given);
      if (uses_geoms || is_given)
        check_near(finish(builder).mass, uses_geoms ? ball : 5, 1e-14);
      else
        carom_builder_destroy(builder);
    }
}

static void test_scaling(void** state) {
  (void)state;
  carom_builder_def def = carom_builder_def_default();
  def.total_mass = 10;
  carom_builder* builder = create(&def);
  add_body(builder, 2, 1, 1, 1);
  carom_body_def body = carom_body_def_default();
  body.mass = 6;
  check_ok(carom_builder_add_body(builder, &body, NULL, &error), &error);
  carom_body_info info = finish(builder);
  check_near(info.mass, 2.5, 1e-15);
  check_near(info.inertia[1], 1.25, 1e-15);

  def = carom_builder_def_default();
  def.minimum_mass = 3;
  def.minimum_inertia = 0.5;
  builder = create(&def);
  add_body(builder, 1, 0.4, 1, 1);
  info = finish(builder);
  check_near(info.mass, 3, 0);
  check_near_array(info.inertia, ((double[]){0.5, 1, 1, 0, 0, 0}), 6, 1e-15);

  def = carom_builder_def_default();
  def.balance_inertia = true;
  builder = create(&def);
  add_body(builder, 1, 1, 2, 6);
  info = finish(builder);
  check_near_array(info.inertia, ((double[]){3, 3, 3, 0, 0, 0}), 6, 1e-15);
}

/* Round-off in a file may push an inertia over the edge; a thin rod lies on it. */
static void test_triangle_slack(void** state) {
  (void)state;
  carom_builder* builder = create(NULL);
  add_body(builder, 1, 0.1, 0.2, 0.3);
  finish(builder);
  builder = create(NULL);
  add_body(builder, 1, 0.7, 0.1, 0.8 + 1e-12);
  finish(builder);
}

/* Allowed, with a note, while the mass matrix stays definite. */
static void test_unphysical(void** state) {
  (void)state;
  carom_builder_def def = carom_builder_def_default();
  def.allow_unphysical = true;
  carom_builder* builder = create(&def);
  add_body(builder, 1, -1, 1, 3);
  carom_model* model;
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  assert_string_equal(carom_model_get_note(model, 0),
                      "body 'b': inertia is not that of a rigid body (triangle inequality); it is "
                      "used as it stands");
  carom_model_destroy(model);
  carom_builder_destroy(builder);
  builder = create(&def);
  add_body(builder, 1, 1, 1, -1);
  finish_with_error(
      builder, "body 'b': its joint 'j' moves a negative inertia, -1, so the mass matrix is not "
               "positive definite; correct the inertia of the body, or of what hangs on it");
}

#define SINGULAR                                                                             \
  "body 'b': its joint 'j' moves no inertia of its own, so the mass matrix is not positive " \
  "definite; give the body mass and inertia, or the joint armature"

#define DOUBLE                                                                                   \
  "body 'b': its joint 'j' moves nothing that other joints, of this body or on it, do not move " \
  "in the same way, so the mass matrix is not positive definite; give it another axis or "       \
  "armature, or leave it out"

static void test_singular(void** state) {
  (void)state;
  /* Nothing at all, and a point mass on its own hinge. */
  carom_builder* builder = create(NULL);
  add_body(builder, NAN, 0, 0, 0);
  finish_with_error(builder, SINGULAR);
  builder = create(NULL);
  add_body(builder, 1, 0, 0, 0);
  finish_with_error(builder, SINGULAR);
  /* A welded child with inertia is enough. */
  builder = create(NULL);
  add_body(builder, NAN, 0, 0, 0);
  carom_body_def child = carom_body_def_default();
  child.parent = (carom_body){1};
  child.position[0] = 1;
  child.mass = 1;
  check_ok(carom_builder_add_body(builder, &child, NULL, &error), &error);
  check_near(finish(builder).mass, 0, 0);
  /* Two hinges about one axis, with and without armature. */
  for (int i = 0; i < 2; i++) {
    builder = create(NULL);
    add_body(builder, 1, 1, 1, 1);
    carom_joint_def joint = carom_joint_def_default();
    joint.axis[2] = 1;
    joint.body = (carom_body){1};
    joint.armature = i;
    check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
    if (i)
      finish(builder);
    else
      finish_with_error(builder, DOUBLE);
  }
}

static void test_total_of_nothing(void** state) {
  (void)state;
  carom_builder_def def = carom_builder_def_default();
  def.total_mass = 1;
  def.name = "m";
  finish_with_error(create(&def), "model: total_mass is 1, but the masses sum to 0");
}

static void test_misplaced(void** state) {
  (void)state;
  carom_builder* builder = create(NULL);
  add_body(builder, 1, 1, 1, 1);
  add_geom(builder, CAROM_GEOM_PLANE, 0, 0, 0);
  finish_with_error(builder, "geom 1: a plane must be on a body that does not move, give a box");
  builder = create(NULL);
  add_body(builder, 1, 1, 1, 1);
  carom_body_def body = carom_body_def_default();
  carom_joint_def joint = carom_joint_def_default();
  body.parent = (carom_body){1};
  joint.type = CAROM_JOINT_FREE;
  joint.name = "f";
  check_ok(carom_builder_add_body(builder, &body, &joint.body, &error), &error);
  check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
  finish_with_error(builder,
                    "joint 'f': a free joint must be on a body whose parent does not move");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),           cmocka_unit_test(test_sources),
      cmocka_unit_test(test_scaling),          cmocka_unit_test(test_triangle_slack),
      cmocka_unit_test(test_unphysical),       cmocka_unit_test(test_singular),
      cmocka_unit_test(test_total_of_nothing), cmocka_unit_test(test_misplaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
