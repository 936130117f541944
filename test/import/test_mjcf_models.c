/* Published robot models against reference tables that another program made of the same files. What
 * follows at states is compared in validation/test_oracle.c. */
#include "support/mechanism.h"
#include "support/tables.h"

#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* shared;

static json_t* read_tables(const char* model) {
  char path[2048];
  json_error_t error;
  snprintf(path, sizeof path, "%s/models/mjcf/%s/oracle.json", shared, model);
  json_t* tables = json_load_file(path, 0, &error);
  if (!tables) fail_msg("%s: %s", path, error.text);
  return tables;
}

static carom_model* load(const char* model, const json_t* tables, bool permissive) {
  char path[2048];
  const char* file = json_string_value(json_object_get(tables, "file"));
  snprintf(path, sizeof path, "%s/models/mjcf/%s/%s", shared, model, file);
  carom_load_def def = carom_load_def_default();
  def.permissive = permissive;
  carom_model* loaded;
  carom_error error;
  check_ok(carom_model_load(path, &def, &loaded, &error), &error);
  return loaded;
}

/* Models of which everything is supported. */
static const char* const WHOLE[] = {
    "dmc_humanoid",    "dmc_cheetah",     "dmc_walker",   "dmc_finger",      "gym_ant",
    "booster_t1",      "kuka_iiwa_14",    "gym_humanoid", "dmc_manipulator", "dmc_ball_in_cup",
    "mj_slider_crank", "mj_tendon_arm26", "mj_car"};

/* Models that lose meshes or sensors; their bodies and joints are whole. */
static const struct partial {
  const char* name;
  double
      inertia_tolerance; /* cassie, cube, hand: what the tables' own diagonalisation is good for */
} PARTIAL[] = {{"ufactory_xarm7", 1e-9},
               {"google_barkour_vb", 1e-9},
               {"agility_cassie", 2e-6},
               {"mj_cube_3x3x3", 2e-6},
               {"wonik_allegro", 5e-4}};

static void test_whole_models(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++) {
    json_t* tables = read_tables(WHOLE[i]);
    carom_model* model = load(WHOLE[i], tables, false);
    tables_options options = {WHOLE[i], 1e-9, false};
    tables_compare(model, tables, &options);
    carom_model_destroy(model);
    json_decref(tables);
  }
}

/* Cassie's heel springs have the one bent quad of these models. The tables are of MuJoCo 3.12,
 * which made fans; this is where 4.0 has their centres, which cuts along the shorter diagonal. */
static void move_heel_springs(json_t* tables) {
  const struct {
    int geom;
    double center[3];
  } MOVED[] = {{20, {0.08624805007892246, 0.00164018671193351, -0.00019313785871365}},
               {40, {0.08624805007892246, 0.00164018671193351, 0.00019313785871365}}};
  for (int i = 0; i < 2; i++) {
    json_t* row = json_array_get(json_object_get(tables, "geoms"), (size_t)MOVED[i].geom);
    const double* c = MOVED[i].center;
    assert_non_null(strstr(json_string_value(json_object_get(row, "mesh")), "heel-spring"));
    json_object_set_new(row, "pos", json_pack("[fff]", c[0], c[1], c[2]));
  }
}

static void test_partial_models(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof PARTIAL / sizeof *PARTIAL; i++) {
    json_t* tables = read_tables(PARTIAL[i].name);
    if (strcmp(PARTIAL[i].name, "agility_cassie") == 0) move_heel_springs(tables);
    carom_model* model = load(PARTIAL[i].name, tables, true);
    tables_options options = {PARTIAL[i].name, PARTIAL[i].inertia_tolerance, true};
    tables_compare(model, tables, &options);
    carom_model_destroy(model);
    json_decref(tables);
  }
}

static void check_ints(const char* name, const char* what, const int* actual, const int* expected,
                       int count) {
  for (int i = 0; i < count; i++)
    if (actual[i] != expected[i])
      fail_msg("%s: %s[%d] = %d, expected %d", name, what, i, actual[i], expected[i]);
}

/* --- Why the hand's inertias differ -------------------------------------------------------------
 */

/* The generator turns each mesh, of density 1, until what is left beside the diagonal of its
 * inertia is below 1e-12 m^5 or the next turn below acos(1 - 1e-12) = 1.4e-6 rad, and leaves the
 * rest out. So in its own principal axes the exact inertia has its moments, and beside the diagonal
 * no more than that. (The links of fingers have moments of 1e-9 m^5. The same mesh in ten times the
 * size, 1e5 times the moments, comes out exact there.) */
static void check_alignment(const char* name, const double* inertia, const json_t* row) {
  const double density = 800, least_angle = 1.5e-6;
  double moment[3], q[4];
  mechanism_read_numbers(json_object_get(row, "principal"), moment);
  mechanism_read_numbers(json_object_get(row, "principal_quat"), q);
  m3 axes = quat_to_m3(quat_load(q)), back = m3_transpose(&axes), I = m3_symmetric(inertia);
  m3 own = m3_congruence(&back, &I);
  double largest = fmax(moment[0], fmax(moment[1], moment[2]));
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    double most = fmax(density * 1e-12, least_angle * largest);
    if (!(fabs(own.m[i][i] - moment[i]) <= 1e-11 * largest && fabs(own.m[i][j]) <= most))
      fail_msg("%s: moment %d is %.15g, expected %.15g; %.3g beside it, at most %.3g", name, i,
               own.m[i][i], moment[i], own.m[i][j], most);
  }
}

static void test_alignment_of_small_meshes(void** state) {
  (void)state;
  json_t* tables = read_tables("wonik_allegro");
  carom_model* model = load("wonik_allegro", tables, false);
  const json_t* rows = json_object_get(tables, "bodies");
  for (int b = 1; b < model->body.num_bodies; b++) {
    carom_body_info body = carom_model_get_body(model, b);
    check_alignment(body.name, body.inertia, json_array_get(rows, (size_t)b));
  }
  carom_model_destroy(model);
  json_decref(tables);
}

/* The compiled mechanism is that which the tests of the tree module compile from the same tables.
 */
static void check_tree(const char* name, const cr_tree_model* t, const cr_tree_model* e) {
  int links = e->num_links, nv = e->num_v;
  int counts[] = {t->num_links, t->num_joints, t->num_q, t->num_v, t->num_trees, t->num_segments};
  int wanted[] = {e->num_links, e->num_joints, e->num_q, e->num_v, e->num_trees, e->num_segments};
  check_ints(name, "count", counts, wanted, 6);
  check_ints(name, "link_parent", t->link_parent, e->link_parent, links);
  check_ints(name, "link_tree", t->link_tree, e->link_tree, links);
  check_ints(name, "link_joint_start", t->link_joint_start, e->link_joint_start, links + 1);
  check_ints(name, "link_v_start", t->link_v_start, e->link_v_start, links + 1);
  check_ints(name, "link_last_dof", t->link_last_dof, e->link_last_dof, links);
  check_ints(name, "dof_parent", t->dof_parent, e->dof_parent, nv);
  check_ints(name, "dof_joint", t->dof_joint, e->dof_joint, nv);
  check_ints(name, "dof_link", t->dof_link, e->dof_link, nv);
  check_ints(name, "dof_segment", t->dof_segment, e->dof_segment, nv);
  check_ints(name, "tree_link_start", t->tree_link_start, e->tree_link_start, e->num_trees);
  check_ints(name, "tree_link_end", t->tree_link_end, e->tree_link_end, e->num_trees);
  check_ints(name, "tree_v_start", t->tree_v_start, e->tree_v_start, e->num_trees + 1);
  check_ints(name, "tree_is_free_link", t->tree_is_free_link, e->tree_is_free_link, e->num_trees);
  check_ints(name, "segment_v_start", t->segment_v_start, e->segment_v_start, e->num_segments + 1);
  check_ints(name, "segment_parent", t->segment_parent, e->segment_parent, e->num_segments);
  check_near_array(t->link_position, e->link_position, 3 * links, 1e-9);
  check_near_array(t->link_mass, e->link_mass, links, 1e-9);
  check_near_array(t->link_com, e->link_com, 3 * links, 1e-9);
  check_near_array(t->link_inertia, e->link_inertia, 6 * links, 1e-9);
  check_near_array(t->joint_anchor, e->joint_anchor, 3 * e->num_joints, 1e-9);
  check_near_array(t->dof_armature, e->dof_armature, nv, 1e-9);
}

static void test_trees(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++) {
    json_t* tables = read_tables(WHOLE[i]);
    carom_model* model = load(WHOLE[i], tables, false);
    mechanism* expected = mechanism_create_from_oracle(tables, false);
    check_tree(WHOLE[i], &model->tree, &expected->model);
    mechanism_destroy(expected);
    carom_model_destroy(model);
    json_decref(tables);
  }
}

int main(void) {
  shared = check_shared_folder();
  if (!shared) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_models),
      cmocka_unit_test(test_partial_models),
      cmocka_unit_test(test_alignment_of_small_meshes),
      cmocka_unit_test(test_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
