/* Joints of blocks that open, hinge and slide (carom/mechanism.h). */
#include "support/simulation.h"

#include "carom/mechanism.h"

#include <math.h>
#include <string.h>

/* A column of three blocks; poses put the second on its right edge, the third aside. */
static void test_kinds(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body name='table' pos='0 0 -.1'><geom type='box' size='1 1 .1'/></body>"
      "<body name='a' pos='0 0 .1'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
      "<body name='b' pos='0 0 .3'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
      "<body name='c' pos='0 0 .5'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
      "</worldbody></mujoco>",
      NULL);
  carom_error error;
  carom_mechanism* m;
  carom_block_joint joints[3];
  check_ok(carom_mechanism_create(s.sim, NULL, &m, &error), &error);
  assert_int_equal(carom_mechanism_count(m), 3);
  check_ok(carom_mechanism_find(m, s.sim, 1e-6, joints, &error), &error);
  for (int j = 0; j < 3; j++) {
    assert_int_equal(joints[j].motion, 0);
    assert_int_equal(joints[j].bodies[0], j + 1);
    assert_int_equal(joints[j].bodies[1], j + 2);
  }
  /* The first slides by 0.02 on the table; the second turns by t about its right lower edge; the
   * third goes 0.1 up from where the second has its top. */
  double q[21], t = 0.01;
  memcpy(q, carom_sim_coordinates(s.sim), sizeof q);
  q[0] += 0.02;
  q[7] = 0.22 - 0.2 * cos(t) + 0.1 * sin(t), q[9] = 0.2 + 0.2 * sin(t) + 0.1 * cos(t);
  q[10] = cos(t / 2), q[12] = sin(t / 2);
  q[16] += 0.1;
  check_ok(carom_sim_set_state(s.sim, 0, q, NULL, &error), &error);
  check_ok(carom_mechanism_find(m, s.sim, 1e-6, joints, &error), &error);
  assert_int_equal(joints[0].motion, CAROM_JOINT_SLID);
  check_near(joints[0].slide, 0.02, 1e-12);
  assert_int_equal(joints[1].motion, CAROM_JOINT_HINGED);
  check_near(joints[1].angle, t, 1e-12);
  check_near(joints[1].axis[1], 1, 1e-12);
  check_near(joints[1].opening, 0.4 * sin(t), 1e-12);
  check_near(joints[1].center[0], 0.22, 1e-9);
  check_near(joints[1].center[2], 0.2, 1e-9);
  assert_int_equal(joints[2].motion, CAROM_JOINT_OPENED);
  carom_mechanism_destroy(m);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
