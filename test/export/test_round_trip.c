/* What is written is what was read: each published model that loads, written as MJCF and read
 * again, has the same poses, mass matrix, forces and accelerations in the states of its
 * oracle.json, to 1e-12; and so with URDF where the format holds it. Small descriptions: each part
 * of one. */
#include "model/model.h"
#include "support/check.h"
#include "support/oracle.h"

#include "carom/carom.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* shared;

/* ---- Files in a folder of their own */

static char folder[64];

static int make_folder(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/carom_export_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

/* ---- Comparison at a state */

typedef struct evaluation {
  int num_q, num_v, num_bodies, num_u;
  double *poses, *M, *bias, *passive, *actuation, *acceleration;
} evaluation;

static double* new_array(int count) {
  double* array = calloc((size_t)count + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

static evaluation evaluate(const carom_model* model, const double* q, const double* v,
                           const double* u) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  carom_dynamics* d;
  carom_error error;
  int n = sizes.num_v;
  evaluation e = {sizes.num_q,
                  n,
                  sizes.num_bodies,
                  sizes.num_actuators,
                  new_array(7 * sizes.num_bodies),
                  new_array(n * n),
                  new_array(n),
                  new_array(n),
                  new_array(n),
                  new_array(n)};
  check_ok(carom_dynamics_create(model, NULL, &d, &error), &error);
  check_ok(carom_dynamics_set(d, q, v, u, &error), &error);
  double* act = new_array(sizes.num_activations);
  for (int i = 0; i < sizes.num_activations; i++) act[i] = 0.3 + 0.1 * i;
  check_ok(carom_dynamics_set_activations(d, act, &error), &error);
  free(act);
  carom_dynamics_compute_poses(d, e.poses);
  carom_dynamics_compute_mass_matrix(d, e.M);
  carom_dynamics_compute_bias(d, e.bias);
  carom_dynamics_compute_passive(d, e.passive);
  carom_dynamics_compute_actuation(d, e.actuation);
  check_ok(carom_dynamics_compute_forward(d, NULL, true, e.acceleration, &error), &error);
  carom_dynamics_destroy(d);
  return e;
}

static void release(evaluation* e) {
  free(e->poses), free(e->M), free(e->bias), free(e->passive), free(e->actuation);
  free(e->acceleration);
}

static void compare(const char* name, const char* what, const double* a, const double* b, int count,
                    double tolerance) {
  double scale = 1;
  for (int i = 0; i < count; i++) scale = fmax(scale, fabs(a[i]));
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance * scale))
      fail_msg("%s: %s[%d] was %.17g and is %.17g", name, what, i, a[i], b[i]);
}

/* Accelerations are compared as far as round-off goes on them: the forces' 1e-12 over M. */
static void check_same(const char* name, const carom_model* before, const carom_model* after,
                       const double* q, const double* v, const double* u, bool same_frames) {
  evaluation a = evaluate(before, q, v, u), b = evaluate(after, q, v, u);
  assert_int_equal(a.num_v, b.num_v);
  assert_int_equal(a.num_q, b.num_q);
  int n = a.num_v;
  if (same_frames) {
    assert_int_equal(a.num_bodies, b.num_bodies);
    compare(name, "pose", a.poses, b.poses, 7 * a.num_bodies, 1e-12);
  }
  compare(name, "M", a.M, b.M, n * n, 1e-12);
  compare(name, "bias", a.bias, b.bias, n, 1e-12);
  compare(name, "passive", a.passive, b.passive, n, 1e-12);
  compare(name, "actuation", a.actuation, b.actuation, n, 1e-12);
  double* force = new_array(n);
  double largest = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      force[i] += a.M[i * n + j] * (a.acceleration[j] - b.acceleration[j]);
      largest = fmax(largest, fabs(a.M[i * n + j] * a.acceleration[j]));
    }
  for (int i = 0; i < n; i++)
    if (!(fabs(force[i]) <= 1e-12 * largest))
      fail_msg("%s: M (difference of accelerations)[%d] is %.3g", name, i, force[i]);
  free(force), release(&a), release(&b);
}

static int read_numbers(const json_t* array, double* x) {
  size_t i;
  const json_t* value;
  json_array_foreach(array, i, value) { x[i] = json_number_value(value); }
  return (int)json_array_size(array);
}

/* Hinges and slides away from the reference configuration. */
static void make_state(const carom_model* model, int k, double* q) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  memcpy(q, carom_model_get_reference(model), sizeof *q * (size_t)sizes.num_q);
  for (int j = 0; j < sizes.num_joints; j++) {
    carom_joint_info joint = carom_model_get_joint(model, j);
    if (joint.type >= CAROM_JOINT_SLIDE) q[joint.q_address] += sin(j + 7.0 * k);
  }
}

/* In the states of the reference values. */
static void check_states(const char* name, const char* path, const carom_model* before,
                         const carom_model* after) {
  carom_model_sizes sizes = carom_model_get_sizes(before);
  json_t* oracle = json_load_file(path, 0, NULL);
  assert_non_null(oracle);
  size_t k;
  json_t* state;
  double *q = new_array(sizes.num_q), *v = new_array(sizes.num_v);
  double* u = new_array(sizes.num_actuators);
  json_array_foreach(json_object_get(oracle, "states"), k, state) {
    if ((int)json_array_size(json_object_get(state, "qpos")) == sizes.num_q)
      read_numbers(json_object_get(state, "qpos"), q);
    else
      make_state(before, (int)k, q); /* of a base that hangs otherwise */
    if ((int)json_array_size(json_object_get(state, "qvel")) == sizes.num_v)
      read_numbers(json_object_get(state, "qvel"), v);
    if ((int)json_array_size(json_object_get(state, "ctrl")) == sizes.num_actuators)
      read_numbers(json_object_get(state, "ctrl"), u);
    check_same(name, before, after, q, v, u, true);
  }
  free(q), free(v), free(u);
  json_decref(oracle);
}

/* The next geometry from `i` on that is no mesh: one that is only drawn is not read. */
static int next_solid(const carom_model* model, int i) {
  int count = carom_model_get_sizes(model).num_geoms;
  while (i < count && carom_model_get_geom(model, i).type == CAROM_GEOM_MESH) i++;
  return i;
}

static void check_geoms(const carom_model* a, const carom_model* b) {
  int i = next_solid(a, 0), k = next_solid(b, 0);
  for (; i < carom_model_get_sizes(a).num_geoms;
       i = next_solid(a, i + 1), k = next_solid(b, k + 1)) {
    assert_true(k < carom_model_get_sizes(b).num_geoms);
    carom_geom_info g = carom_model_get_geom(a, i), h = carom_model_get_geom(b, k);
    assert_int_equal(g.type, h.type);
    assert_int_equal(g.body, h.body);
    check_near(g.friction, h.friction, 0);
    check_near_array(h.size, g.size, g.type == CAROM_GEOM_PLANE ? 2 : 3, 1e-12);
    check_near_array(h.position, g.position, 3, 1e-12);
    assert_string_equal(g.name, h.name);
  }
  assert_int_equal(k, carom_model_get_sizes(b).num_geoms);
}

static void check_parts(const char* name, const carom_model* a, const carom_model* b) {
  carom_model_sizes s = carom_model_get_sizes(a), t = carom_model_get_sizes(b);
  if (s.num_joints != t.num_joints || s.num_actuators != t.num_actuators ||
      s.num_equalities != t.num_equalities || s.num_tendons != t.num_tendons ||
      s.num_keyframes != t.num_keyframes)
    fail_msg("%s: parts were lost", name);
  check_geoms(a, b);
  for (int i = 0; i < s.num_joints; i++) {
    carom_joint_info g = carom_model_get_joint(a, i), h = carom_model_get_joint(b, i);
    assert_int_equal(g.limited, h.limited);
    if (g.limited) check_near_array(h.range, g.range, 2, 0);
  }
}

/* ---- Published models */

/* Reads, writes and reads; the models are the caller's. False where the file does not load. */
static bool go_round(const char* path, carom_write_format format, carom_model** before,
                     carom_model** after) {
  carom_builder* builder;
  carom_error error;
  carom_load_def load = carom_load_def_default();
  carom_write_def def = carom_write_def_default();
  char written[160];
  load.permissive = true;
  def.format = format;
  snprintf(written, sizeof written, "%s/model.%s", folder,
           format == CAROM_WRITE_URDF ? "urdf" : "xml");
  if (carom_builder_load(path, &load, &builder, &error) != CAROM_OK) return false;
  check_ok(carom_builder_compile(builder, before, &error), &error);
  check_ok(carom_builder_write(builder, written, &def, &error), &error);
  carom_builder_destroy(builder);
  check_ok(carom_model_load(written, NULL, after, &error), &error);
  return true;
}

static const char* const MJCF[] = {
    "dmc_humanoid",     "dmc_cheetah",     "dmc_walker",      "dmc_quadruped",   "dmc_fish",
    "dmc_finger",       "dmc_ball_in_cup", "dmc_manipulator", "gym_ant",         "gym_humanoid",
    "mj_car",           "mj_slider_crank", "mj_cube_3x3x3",   "mj_tendon_arm26", "skydio_x2",
    "wonik_allegro",    "agility_cassie",  "kuka_iiwa_14",    "ufactory_xarm7",  "booster_t1",
    "google_barkour_vb"};
static const char* const URDF[] = {"panda",  "ur5",           "double_pendulum", "anymal_b",
                                   "solo12", "talos_reduced", "icub_reduced",    "simple_humanoid"};
static const char* const SDF[] = {"cassie_v2",          "cupboard",       "iiwa7_box_collision",
                                  "rover_differential", "spatula",        "simple_gripper",
                                  "turtlebot3_burger",  "wsg_50_with_tip"};

/* Returns how many of the models came round. */
static int check_all(const char* kind, const char* const* names, int count,
                     carom_write_format format) {
  int done = 0;
  for (int i = 0; i < count; i++) {
    char place[1100], path[2048];
    carom_model *before, *after;
    snprintf(place, sizeof place, "%s/models/%s", shared, kind);
    oracle_find_model(place, names[i], path, sizeof path);
    if (!go_round(path, format, &before, &after)) continue;
    snprintf(path, sizeof path, "%s/%s/oracle.json", place, names[i]);
    check_parts(names[i], before, after);
    check_states(names[i], path, before, after);
    carom_model_destroy(before);
    carom_model_destroy(after);
    done++;
  }
  return done;
}

static void test_mjcf(void** state) {
  (void)state;
  if (!shared) skip();
  assert_true(check_all("mjcf", MJCF, 21, CAROM_WRITE_MJCF) >= 17);
}

static void test_urdf_to_mjcf(void** state) {
  (void)state;
  if (!shared) skip();
  assert_int_equal(check_all("urdf", URDF, 8, CAROM_WRITE_MJCF), 8);
}

static void test_sdf_to_mjcf(void** state) {
  (void)state;
  if (!shared) skip();
  assert_int_equal(check_all("sdf", SDF, 8, CAROM_WRITE_MJCF), 8);
}

static void test_urdf(void** state) {
  (void)state;
  if (!shared) skip();
  assert_int_equal(check_all("urdf", URDF, 8, CAROM_WRITE_URDF), 8);
}

/* ---- Small descriptions */

static const char MOCAP[] =
    "<mujoco><worldbody><body name='m' mocap='true' pos='1 2 3' euler='10 20 30'><geom size='.1'/>"
    "<body><joint/><geom size='.1'/></body></body><body name='n' mocap='true'/></worldbody>"
    "<keyframe><key qpos='.5' mpos='4 5 6 7 8 9' mquat='0 1 0 0 .6 .8 0 0'/></keyframe></mujoco>";

/* Text as a file, before [0] and after [1]. */
static void go_round_as(carom_write_format format, const char* text, carom_model* models[2]) {
  char path[160];
  snprintf(path, sizeof path, "%s/scene.xml", folder);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  assert_true(go_round(path, format, &models[0], &models[1]));
}

/* Mocap bodies and where a keyframe has them. */
static void test_mocap(void** state) {
  (void)state;
  carom_model* models[2];
  carom_sim* sims[2];
  carom_error error;
  go_round_as(CAROM_WRITE_MJCF, MOCAP, models);
  for (int i = 0; i < 2; i++) {
    check_ok(carom_sim_create(models[i], NULL, &sims[i], &error), &error);
    assert_int_equal(carom_model_get_sizes(models[i]).num_mocaps, 2);
  }
  check_near_array(carom_sim_coordinates(sims[1]), carom_sim_coordinates(sims[0]), 15, 1e-15);
  for (int i = 0; i < 2; i++) check_ok(carom_sim_set_keyframe(sims[i], 0, &error), &error);
  check_near_array(carom_sim_coordinates(sims[1]), carom_sim_coordinates(sims[0]), 15, 1e-15);
  for (int i = 0; i < 2; i++) {
    carom_sim_destroy(sims[i]);
    carom_model_destroy(models[i]);
  }
}

/* Pressures inside: MJCF has the layer, URDF what the pressure is on the medial axis. */
static void test_pressure(void** state) {
  (void)state;
  static const char BOXES[] =
      "<mujoco xmlns:carom='urn:carom'><worldbody><body name='b'><freejoint/>"
      "<geom type='box' size='1 2 3' carom:modulus='1e6' carom:hunt_crossley='0.5'/>"
      "<geom type='box' size='1 2 3' carom:modulus='1e6' carom:layer='0.25'/>"
      "<geom type='sphere' size='1'/></body></worldbody></mujoco>";
  static const double EXPECTED[] = {1e6, 4e6, INFINITY};
  for (int format = 0; format < 2; format++) {
    carom_model* models[2];
    go_round_as(format ? CAROM_WRITE_URDF : CAROM_WRITE_MJCF, BOXES, models);
    for (int i = 0; i < 2; i++) {
      const cr_contact_model* contact = &models[i]->contact;
      for (int g = 0; g < 3; g++) assert_true(contact->pressure[g] == EXPECTED[g]);
      check_near(contact->surface[0].hunt_crossley, 0.5, 0);
      carom_model_destroy(models[i]);
    }
  }
}

/* What a scene says of areas: MJCF has it, URDF does not. */
static void test_patches(void** state) {
  (void)state;
  static const char CORNERS[] =
      "<mujoco><option carom:patches='corners' carom:patch_error='0.05'/><worldbody><body name='b'>"
      "<freejoint/><geom type='box' size='1 2 3'/></body></worldbody></mujoco>";
  for (int format = 0; format < 2; format++) {
    carom_model* models[2];
    go_round_as(format ? CAROM_WRITE_URDF : CAROM_WRITE_MJCF, CORNERS, models);
    assert_int_equal(models[0]->contact.patches, CAROM_PATCHES_CORNERS);
    assert_int_equal(models[1]->contact.patches,
                     format ? CAROM_PATCHES_AREA : CAROM_PATCHES_CORNERS);
    assert_true(models[1]->contact.patch_error == (format ? 0.1 : 0.05));
    for (int i = 0; i < 2; i++) carom_model_destroy(models[i]);
  }
}

int main(void) {
  shared = check_shared_folder();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mjcf),        cmocka_unit_test(test_urdf_to_mjcf),
      cmocka_unit_test(test_sdf_to_mjcf), cmocka_unit_test(test_urdf),
      cmocka_unit_test(test_mocap),       cmocka_unit_test(test_pressure),
      cmocka_unit_test(test_patches),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
