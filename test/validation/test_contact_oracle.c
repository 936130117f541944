/* Contacts of published robot models in configurations of their oracle.json: the least distance of
 * each pair of geometries that touch there, and its normal. Closed forms agree to 1e-9, what the
 * tables' generator finds by iteration (to 1e-6, as their README says) to 2e-6. Where shapes
 * overlap and the distances differ, ours has to be proven: the shapes overlap by just that along
 * our normal, and along the tables' by no less. The number of points and their places are a choice,
 * and are not compared. */
#include "geom/collide.h"
#include "model/model.h"
#include "support/check.h"
#include "support/oracle.h"
#include "support/shapes.h"

#include "carom/dynamics.h"
#include "carom/scene.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* shared;

/* ---- The tables' geometries in the model, which may have left some out */

enum { MAX_GEOMS = 256, MAX_Q = 256 };

static int type_of(const char* name) {
  static const char* const TYPES[] = {"plane", "sphere",    "capsule", "cylinder",
                                      "box",   "ellipsoid", "mesh",    "hfield"};
  for (int i = 0; i < 8; i++)
    if (strcmp(TYPES[i], name) == 0) return i;
  return -1;
}

static void map_geoms(const carom_model* model, const json_t* rows, int* index) {
  int next = 0, count = carom_model_get_sizes(model).num_geoms;
  size_t i;
  const json_t* row;
  json_array_foreach(rows, i, row) {
    assert_true(i < MAX_GEOMS);
    index[i] = -1;
    if (next >= count) continue;
    carom_geom_info geom = carom_model_get_geom(model, next);
    bool same = (int)geom.type == type_of(json_string_value(json_object_get(row, "type"))) &&
                geom.body == json_integer_value(json_object_get(row, "body"));
    if (same) index[i] = next++;
  }
}

/* ---- Distances */

static void place_geoms(const carom_model* model, const double* q, pose* poses) {
  carom_dynamics* d;
  carom_error error;
  carom_model_sizes sizes = carom_model_get_sizes(model);
  double* bodies = calloc((size_t)sizes.num_bodies, 7 * sizeof *bodies);
  assert_non_null(bodies);
  check_ok(carom_dynamics_create(model, NULL, &d, &error), &error);
  check_ok(carom_dynamics_set(d, q, NULL, NULL, &error), &error);
  carom_dynamics_compute_poses(d, bodies);
  carom_dynamics_destroy(d);
  for (int g = 0; g < sizes.num_geoms; g++) {
    const double* x = bodies + 7 * (size_t)model->geom.body[g];
    pose body = {v3_load(x), quat_to_m3(quat_normalize(quat_load(x + 3)))};
    pose local = pose_relative(&model->body.local[model->geom.body[g]], &model->geom.local[g]);
    poses[g] = pose_mul(&body, &local);
  }
  free(bodies);
}

typedef struct tally {
  const char* name;
  int pairs;
  double exact, iterated; /* worst difference of distances, m, where the tables' is the least */
  double turned;          /* worst difference of normals, of closed forms */
  int other;              /* pairs of which the tables do not have the least overlap */
} tally;

static bool is_closed(carom_geom_type a, carom_geom_type b) {
  if (a > b) return is_closed(b, a);
  if (a == CAROM_GEOM_SPHERE && b == CAROM_GEOM_CYLINDER) return true;
  return a <= CAROM_GEOM_BOX && b <= CAROM_GEOM_BOX && a != CAROM_GEOM_CYLINDER &&
         (b != CAROM_GEOM_CYLINDER || a == CAROM_GEOM_PLANE);
}

/* Whether two geometries overlap by just `distance` along n and by no less along another normal; of
 * shapes without meshes, along any direction. */
static bool is_least(const carom_model* model, const pose* poses, int a, int b, double distance,
                     v3 n, v3 other) {
  const cr_shape* shape = model->geom.shape;
  check_body p = {shape[a], poses[a]}, q = {shape[b], poses[b]};
  if (!(distance < 0) || fabs(check_overlap(&p, &q, n) + distance) > 1e-9) return false;
  if (check_overlap(&p, &q, other) < -distance - 1e-9) return false;
  bool is_mesh = shape[a].type == CAROM_GEOM_MESH || shape[b].type == CAROM_GEOM_MESH;
  return is_mesh || fabs(check_least_overlap(&p, &q) + distance) <= 1e-9;
}

/* The deepest contact of the tables of one pair against ours. */
static void compare(const carom_model* model, const pose* poses, int a, int b, const json_t* row,
                    tally* t) {
  const cr_shape* shape = model->geom.shape;
  v3 p, q, n;
  double expected = json_number_value(json_object_get(row, "dist")), normal[3];
  double got = cr_geom_compute_distance(&shape[a], &poses[a], &shape[b], &poses[b], &p, &q, &n);
  const json_t* frame = json_object_get(row, "frame");
  if (json_is_array(json_array_get(frame, 0))) frame = json_array_get(frame, 0);
  for (size_t k = 0; k < 3; k++) normal[k] = json_number_value(json_array_get(frame, k));
  bool closed = is_closed(shape[a].type, shape[b].type);
  double error = fabs(got - expected), turned = v3_norm(v3_sub(n, v3_load(normal)));
  double* worst = closed ? &t->exact : &t->iterated;
  t->pairs++;
  if (error > (closed ? 1e-9 : 2e-6) && is_least(model, poses, a, b, got, n, v3_load(normal))) {
    t->other++;
    return;
  }
  *worst = fmax(*worst, error);
  /* Axes that cross leave two directions that are equally good. */
  check_body first = {shape[a], poses[a]}, second = {shape[b], poses[b]};
  bool is_other = closed && turned > 1e-6 && shape[a].type != CAROM_GEOM_PLANE &&
                  fabs(check_overlap(&first, &second, v3_load(normal)) + got) <= 1e-9;
  if (closed && !is_other) t->turned = fmax(t->turned, turned);
}

/* The deepest row of each pair. */
static void compare_configuration(const carom_model* model, const json_t* configuration,
                                  const int* index, tally* t) {
  double q[MAX_Q];
  pose poses[MAX_GEOMS];
  size_t i, k;
  const json_t *value, *row, *other;
  json_array_foreach(json_object_get(configuration, "qpos"), i, value) q[i] =
      json_number_value(value);
  place_geoms(model, q, poses);
  const json_t* rows = json_object_get(configuration, "contacts");
  json_array_foreach(rows, i, row) {
    json_int_t g1 = json_integer_value(json_object_get(row, "geom1"));
    json_int_t g2 = json_integer_value(json_object_get(row, "geom2"));
    double dist = json_number_value(json_object_get(row, "dist"));
    bool is_deepest = true;
    json_array_foreach(rows, k, other) {
      double its = json_number_value(json_object_get(other, "dist"));
      if (json_integer_value(json_object_get(other, "geom1")) == g1 &&
          json_integer_value(json_object_get(other, "geom2")) == g2 &&
          (its < dist || (its == dist && k < i)))
        is_deepest = false;
    }
    if (is_deepest && index[g1] >= 0 && index[g2] >= 0)
      compare(model, poses, index[g1], index[g2], row, t);
  }
}

static void compare_model(const char* name, tally* t) {
  char folder[2048], path[2200];
  carom_error error;
  json_error_t fault;
  carom_load_def def = carom_load_def_default();
  def.permissive = true;
  snprintf(folder, sizeof folder, "%s/models/mjcf", shared);
  carom_model* model = oracle_load(folder, name, &def, &error);
  if (!model) fail_msg("%s", error.message);
  snprintf(path, sizeof path, "%s/%s/oracle.json", folder, name);
  json_t* tables = json_load_file(path, 0, &fault);
  assert_non_null(tables);
  int index[MAX_GEOMS];
  map_geoms(model, json_object_get(tables, "geoms"), index);
  size_t i;
  const json_t* configuration;
  json_array_foreach(json_object_get(tables, "contacts"), i, configuration)
      compare_configuration(model, configuration, index, t);
  carom_model_destroy(model);
  json_decref(tables);
}

static const char* const MODELS[] = {
    "agility_cassie", "booster_t1",      "dmc_ball_in_cup",   "dmc_cheetah",    "dmc_finger",
    "dmc_fish",       "dmc_humanoid",    "dmc_manipulator",   "dmc_quadruped",  "dmc_walker",
    "gym_ant",        "gym_humanoid",    "google_barkour_vb", "kuka_iiwa_14",   "mj_car",
    "mj_cube_3x3x3",  "mj_slider_crank", "skydio_x2",         "ufactory_xarm7", "wonik_allegro"};

static void test_contacts(void** state) {
  (void)state;
  int pairs = 0;
  printf("%-18s %6s %10s %10s %10s %7s\n", "model", "pairs", "closed m", "other m", "normal",
         "other");
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    tally t = {.name = MODELS[i]};
    compare_model(MODELS[i], &t);
    printf("%-18s %6d %10.1e %10.1e %10.1e %7d\n", t.name, t.pairs, t.exact, t.iterated, t.turned,
           t.other);
    pairs += t.pairs;
    assert_true(t.exact <= 1e-9 && t.iterated <= 2e-6 && t.turned <= 1e-6);
  }
  assert_true(pairs > 700);
}

int main(void) {
  shared = check_shared_folder();
  if (!shared) return 77;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
