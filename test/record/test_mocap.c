/* Recordings of mocap bodies: they are where they were put, in every frame. */
#include "support/check.h"
#include "support/recording.h"
#include "support/simulation.h"

#include "carom/record.h"

#include <stdlib.h>
#include <unistd.h>

static const char SCENE[] =
    "<mujoco><worldbody><body name='m' mocap='true'><geom size='.1'/><body name='w' pos='0 0 1'/>"
    "</body><body name='b' pos='0 0 .3'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";

enum { FRAMES = 20 };

static void record(const char* path) {
  simulation s = simulation_create(SCENE, NULL);
  carom_recorder* recorder;
  carom_error error;
  int body = simulation_find_body(&s, "m");
  check_ok(carom_recorder_create(s.sim, path, NULL, &recorder, &error), &error);
  for (int i = 1; i < FRAMES; i++) {
    const double position[3] = {0.1 * i, 0, 0}, quaternion[4] = {0, 0.6, 0, 0.8};
    check_ok(carom_sim_set_mocap(s.sim, body, position, quaternion, &error), &error);
    simulation_step(&s);
    check_ok(carom_recorder_append(recorder, &s.report, 0, &error), &error);
  }
  check_ok(carom_recorder_close(recorder, &error), &error);
  simulation_destroy(&s);
}

static void test_poses(void** state) {
  (void)state;
  char path[] = "/tmp/carom_mocap_XXXXXX";
  int handle = mkstemp(path);
  assert_true(handle >= 0);
  close(handle);
  record(path);
  carom_recording* r = check_open_recording(path);
  assert_int_equal(carom_recording_get_info(r).num_frames, FRAMES);
  for (int i = 0; i < FRAMES; i++) {
    carom_frame frame;
    carom_error error;
    const double moved[7] = {0.1 * i, 0, 0, 0, 0.6, 0, 0.8}, first[7] = {0, 0, 0, 1, 0, 0, 0};
    check_ok(carom_recording_read(r, i, &frame, &error), &error);
    check_near_array(frame.poses + 7, i ? moved : first, 7, 1e-15);
    check_near_array(frame.q + 7, i ? moved : first, 7, 1e-15);
    check_near(frame.poses[7 * 2 + 2], i ? 0.28 : 1, 1e-15);
  }
  carom_recording_close(r);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_poses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
