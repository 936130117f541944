/* What stands between bodies: pairs, excludes, equalities, keyframes. */
#include "support/scene.h"

#include <math.h>

#define BODIES                                                                               \
  "<worldbody><geom name='a' size='0.1' friction='0.5' margin='0.1'/>"                       \
  "<body name='A' pos='1 0 0' euler='90 0 0'><joint name='j1' axis='1 0 0'/>"                \
  "<geom name='b' size='0.1'/><body name='C' pos='0 0 1'><geom name='c' size='.1'/></body>"  \
  "</body><body name='B' pos='0 2 0' euler='0 90 0'><joint name='j2' type='slide' ref='2'/>" \
  "<geom name='d' size='0.1' friction='0.7'/></body></worldbody>"

static void test_pairs(void** state) {
  (void)state;
  carom_model* model =
      scene_load("<mujoco><default><default class='p'><pair friction='0.9' "
                 "condim='1'/></default></default>" BODIES
                 "<contact><pair geom1='d' geom2='a'/><pair geom1='a' geom2='b' friction='0.4 0.4 "
                 "0.1' condim='4' "
                 "carom:restitution='0.6' "
                 "margin='0.2' gap='0.1' carom:stiffness='5' carom:dissipation='0.1'/>"
                 "<pair class='p' geom1='b' geom2='d'/></contact></mujoco>");
  const cr_contact_model* c = &model->contact;
  assert_int_equal(model->geom.num_pairs, 3);
  /* Sorted by geometries; what is not given is the format's default, not the geometries'. */
  assert_true(model->geom.pair[0] == 1 && model->geom.pair[1] == 3);
  assert_true(model->geom.pair[2] == ((uint64_t)1 << 32 | 3));
  check_near_array(c->pair_friction, ((double[]){0.4, 1, 0.9}), 3, 0);
  check_near_array(model->geom.pair_margin, ((double[]){0.2, 0, 0}), 3, 0);
  check_near_array(c->pair_gap, ((double[]){0.1, 0, 0}), 3, 0);
  assert_true(c->pair_condim[0] == 4 && c->pair_condim[1] == 3 && c->pair_condim[2] == 1);
  const carom_surface* own = &c->pair_surface[0];
  assert_true(own->torsional_friction == 0.1 && own->rolling_friction == 0.0001);
  assert_true(own->static_friction == 0.4 && own->restitution == 0.6 && own->hunt_crossley == 0);
  assert_true(c->pair_stiffness[0] == 5 && c->pair_dissipation[0] == 0.1);
  assert_true(isinf(c->pair_stiffness[1]) && isnan(c->pair_dissipation[1]));
  carom_model_destroy(model);
}

/* Excludes are of bodies, not of what they are welded to. */
static void test_excludes(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco>" BODIES "<contact><exclude body1='B' body2='C'/><exclude body1='C' body2='B'/>"
      "<exclude name='e' body1='world' body2='A'/></contact></mujoco>");
  assert_int_equal(model->geom.num_excludes, 2);
  assert_true(model->geom.exclude[0] == 1);
  assert_true(model->geom.exclude[1] == ((uint64_t)2 << 32 | 3));
  const int bodies[] = {0, 1, 2, 3}, links[] = {0, 1, 1, 2};
  assert_memory_equal(model->geom.body, bodies, sizeof bodies);
  assert_memory_equal(model->geom.link, links, sizeof links);
  carom_model_destroy(model);
}

/* Numbers by hand: A is turned by 90° about x, B about y. */
static void test_equalities(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco>" BODIES "<equality><connect body1='A' body2='B' anchor='1 2 3'/>"
      "<connect body1='C' anchor='0 0 0' active='false'/><weld body1='A' body2='B'/>"
      "<weld body1='A' body2='B' anchor='1 2 3'/>"
      "<weld body1='B' body2='C' relpose='1 2 3 1 0 0 1' anchor='4 5 6'/>"
      "<joint joint1='j1' joint2='j2' polycoef='1 2'/><joint joint1='j1'/></equality></mujoco>");
  const cr_equality_model* e = &model->equality;
  const double s = 0.70710678118654752;
  const int links[] = {1, 2, 1, 0, 1, 2, 1, 2, 2, 1};
  assert_memory_equal(e->link, links, sizeof links);
  assert_true(e->active[0] == 1 && e->active[1] == 0);
  /* A point of A is at (1, 0, 0) + (x, -z, y) in the world; B takes (x, y, z) to (z, y + 2, -x). */
  check_near_array(e->anchor, ((double[]){1, 2, 3, -2, -5, 2}), 6, 1e-14);
  /* C hangs at (0, 0, 1) in the link of A, which is at (1, -1, 0) in the world. */
  check_near_array(e->anchor + 6, ((double[]){0, 0, 1, 1, -1, 0}), 6, 1e-14);
  check_near_array(e->anchor + 12, ((double[]){-1, 0, -2, 0, 0, 0}), 6, 1e-14);
  check_near_array(e->relative_quaternion + 8, ((double[]){0.5, -0.5, 0.5, -0.5}), 4, 1e-15);
  check_near_array(e->anchor + 18, ((double[]){2, -1, -4, 1, 2, 3}), 6, 1e-14);
  check_near_array(e->anchor + 24, ((double[]){1, 2, 3, 4, 5, 7}), 6, 1e-14);
  check_near_array(e->relative_quaternion + 16, ((double[]){s, 0, 0, s}), 4, 1e-15);
  const int joints[] = {-1, -1, 0, 1, 0, -1};
  assert_memory_equal(e->joint + 8, joints, sizeof joints);
  check_near_array(e->polynomial + 25, ((double[]){1, 2, 0, 0, 0, 0, 1, 0, 0, 0}), 10, 0);
  carom_model_destroy(model);
}

static void test_keyframes(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><body pos='1 2 3'><freejoint/>" BALL
      "</body><body><joint name='j' ref='1'/>" BALL
      "</body></worldbody><actuator><motor joint='j'/></actuator><keyframe>"
      "<key name='k' time='2' qpos='1 2 3 0 0 0 5 4' qvel='1 2 3 4 5 6 7' ctrl='8'/><key/>"
      "</keyframe></mujoco>");
  const double degree = 3.14159265358979323846 / 180;
  assert_int_equal(carom_model_find_keyframe(model, "k"), 0);
  assert_int_equal(carom_model_find_keyframe(model, "l"), -1);
  assert_string_equal(carom_model_get_keyframe_name(model, 1), "");
  check_near(model->keyframe.time[0], 2, 0);
  check_near_array(model->keyframe.q,
                   ((double[]){1, 2, 3, 0, 0, 0, 1, 4, 1, 2, 3, 1, 0, 0, 0, degree}), 16, 1e-15);
  check_near_array(model->keyframe.v, ((double[]){1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0}), 14,
                   0);
  check_near_array(model->keyframe.ctrl, ((double[]){8, 0}), 2, 0);
  carom_model_destroy(model);
}

/* Sites that stand in one frame of the world hold what a weld or a connect of the bodies there
 * does.
 */
static void test_sites(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><body name='a' pos='1 0 0' euler='0 0 90'><freejoint/>" BALL
      "<site name='a' pos='2 -1 .5' euler='0 0 -90'/></body><body name='b' pos='0 0 1' "
      "euler='90 0 0'><freejoint/>" BALL "<site name='b' pos='2 -.5 -2' euler='-90 0 0'/></body>"
      "</worldbody><equality><weld site1='a' site2='b'/><weld body1='a' body2='b'/>"
      "<connect site1='a' site2='b'/><connect body1='a' body2='b' anchor='2 -1 .5'/></equality>"
      "</mujoco>");
  const cr_equality_model* e = &model->equality;
  const v3 place = v3_make(2, 2, 0.5); /* of both sites */
  for (int i = 0; i < 4; i += 2) {
    for (int k = 0; k < 2; k++) assert_int_equal(e->link[2 * i + k], e->link[2 * i + 2 + k]);
    quat by_sites = quat_load(e->relative_quaternion + 4 * i);
    quat by_bodies = quat_load(e->relative_quaternion + 4 * i + 4);
    check_near(v3_norm(quat_log(quat_mul(by_sites, quat_conjugate(by_bodies)))), 0, 1e-12);
    for (int k = 0; k < 2; k++) {
      int link = e->link[2 * i + k];
      pose X = {v3_load(model->tree.link_position + 3 * link),
                quat_to_m3(quat_load(model->tree.link_quaternion + 4 * link))};
      v3 at = pose_point(&X, v3_load(e->anchor + 6 * i + 3 * k));
      check_near(v3_norm(v3_sub(at, place)), 0, 1e-12);
    }
  }
  check_near_array(e->anchor + 12, e->anchor + 18, 6, 1e-12);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sites),     cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_excludes),  cmocka_unit_test(test_equalities),
      cmocka_unit_test(test_keyframes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
