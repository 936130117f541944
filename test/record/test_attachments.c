/* Attachments in recordings: they are the model's, and their reactions the simulation's of every
 * step; at rest they bear weight and its moment. Energies of soft bodies. Early and damaged
 * recordings. */
#include "support/check.h"
#include "support/recording.h"

#include "carom/scene.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define G 9.81
#define BAR(count, pins)                                                                       \
  "<flexcomp name='bar' dim='3' type='grid' count='" count "' spacing='.05 .05 .05' mass='2' " \
  "pos='0 0 1'><elasticity young='2e5' poisson='.3' damping='.02'/><contact contype='0' "      \
  "conaffinity='0'/>" pins "</flexcomp>"
#define TOP         "<pin carom:body='world' carom:box='-1 -1 .0999 1 1 1'/>"
#define FOOT        "<pin carom:body='weight' carom:box='-1 -1 -1 1 1 -.0999'/>"
#define END         "<pin carom:body='world' carom:box='-1 -1 -1 -.0999 1 1'/>"
#define SCENE(body) "<mujoco><option gravity='0 0 -9.81'/><worldbody>" body "</worldbody></mujoco>"
#define GLUED                                                                   \
  SCENE("<body name='weight' pos='0 0 .875'><joint type='slide' axis='0 0 1'/>" \
        "<geom type='box' size='.05 .05 .025' mass='1'/></body>" BAR("3 3 5", TOP FOOT))

static char path[64];

static carom_model* load(const char* text) {
  carom_model* model;
  carom_error error;
  check_ok(carom_model_load_string(text, strlen(text), "scene", NULL, &model, &error), &error);
  return model;
}

/* Records implicit Euler's steps of 10 ms.
 * @param reactions [6 a frame and attachment] those of the simulation; null: not wanted */
static void record(const char* text, int steps, double* reactions) {
  carom_sim* sim;
  carom_recorder* recorder;
  carom_error error;
  carom_sim_def def = carom_sim_def_default();
  def.dt = 0.01, def.scheme = CAROM_IMPLICIT;
  carom_model* model = load(text);
  int count = carom_model_get_sizes(model).num_attachments;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  check_ok(carom_recorder_create(sim, path, NULL, &recorder, &error), &error);
  for (int i = 0; i <= steps; i++) {
    carom_step_report report;
    for (int a = 0; a < count && reactions; a++, reactions += 6) {
      carom_reaction reaction = carom_sim_compute_reaction(sim, a);
      memcpy(reactions, reaction.force, sizeof reaction.force);
      memcpy(reactions + 3, reaction.moment, sizeof reaction.moment);
    }
    if (i == steps) break;
    check_ok(carom_sim_step(sim, &report, &error), &error);
    check_ok(carom_recorder_append(recorder, &report, 0, &error), &error);
  }
  check_ok(carom_recorder_close(recorder, &error), &error);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void read_frame(carom_recording* recording, int index, carom_frame* frame) {
  carom_error error;
  check_ok(carom_recording_read(recording, index, frame, &error), &error);
}

static void test_attachments_are_the_models(void** state) {
  (void)state;
  record(GLUED, 1, NULL);
  carom_model* model = load(GLUED);
  carom_recording* recording = check_open_recording(path);
  assert_int_equal(carom_recording_get_info(recording).num_attachments, 2);
  for (int i = 0; i < 2; i++) {
    carom_attachment_info a = carom_recording_get_attachment(recording, i);
    carom_attachment_info b = carom_model_get_attachment(model, i);
    assert_string_equal(a.name, b.name);
    assert_true(a.soft == b.soft && a.body == b.body && a.num_nodes == b.num_nodes);
    assert_memory_equal(a.nodes, b.nodes, sizeof *a.nodes * (size_t)a.num_nodes);
  }
  assert_int_equal(carom_recording_get_attachment(recording, 1).body,
                   carom_model_find_body(model, "weight"));
  carom_recording_close(recording);
  carom_model_destroy(model);
}

static void test_reactions_are_the_simulations(void** state) {
  (void)state;
  enum { STEPS = 100 };
  static double reactions[12 * (STEPS + 1)];
  carom_frame frame;
  record(GLUED, STEPS, reactions);
  carom_recording* recording = check_open_recording(path);
  for (int i = 0; i <= STEPS; i++) {
    read_frame(recording, i, &frame);
    assert_memory_equal(frame.reactions, reactions + 12 * (size_t)i, 12 * sizeof(double));
    for (int k = 0; k < 12 && i == 0; k++) assert_true(frame.reactions[k] == 0);
  }
  check_near(frame.reactions[2], 3 * G, 0.3 * G);
  carom_recording_close(recording);
}

/* What it takes to hold a body of 2 kg at rest follows from the recorded centre of mass: the force
 * 2 g, and about the mean place c of the held nodes the moment -(com - c) × (2 kg) g. */
static void expect_rest(const char* text, double least_moment) {
  carom_frame frame;
  record(text, 600, NULL);
  carom_recording* recording = check_open_recording(path);
  carom_attachment_info hold = carom_recording_get_attachment(recording, 0);
  carom_soft_info soft = carom_recording_get_soft(recording, hold.soft);
  read_frame(recording, 600, &frame);
  double center[3] = {0};
  for (int i = 0; i < hold.num_nodes; i++)
    for (int k = 0; k < 3; k++)
      center[k] += frame.q[soft.q_address + 3 * hold.nodes[i] + k] / hold.num_nodes;
  const double expected[6] = {
      0, 0, 2 * G, 2 * G * (frame.com[1] - center[1]), -2 * G * (frame.com[0] - center[0]), 0};
  for (int k = 0; k < 6; k++) check_near(frame.reactions[k], expected[k], 1e-6);
  assert_true(-frame.reactions[4] >= least_moment);
  carom_recording_close(recording);
}

static void test_reaction_at_rest(void** state) {
  (void)state;
  expect_rest(SCENE(BAR("3 3 5", TOP)), -1e-2);
  expect_rest(SCENE(BAR("5 3 3", END)), 1.5); /* the arm is 0.1 m */
}

/* The bar's own: in the fall 2 kg v² / 2 and 2 kg g z, and no strain. What stretches it at rest
 * is half of what its weight gave, as far as strains (1e-2) are small. */
static void test_energies(void** state) {
  (void)state;
  carom_frame frame;
  record(SCENE(BAR("3 3 5", "")), 50, NULL);
  carom_recording* recording = check_open_recording(path);
  read_frame(recording, 50, &frame);
  check_near(frame.energy[0], G * G * 0.5 * 0.5, 1e-8);
  check_near(frame.energy[1], 2 * G * frame.com[2], 1e-9);
  check_near(frame.energy[2], 0, 1e-9);
  carom_recording_close(recording);
  record(SCENE(BAR("3 3 5", TOP)), 600, NULL);
  recording = check_open_recording(path);
  read_frame(recording, 0, &frame);
  double start = frame.energy[1];
  read_frame(recording, 600, &frame);
  double given = start - frame.energy[1];
  assert_true(given > 1e-3);
  check_near(frame.energy[0], 0, 1e-9);
  check_near(frame.energy[2], given / 2, 2e-2 * given / 2);
  carom_recording_close(recording);
}

static void test_early_recording_has_none(void** state) {
  (void)state;
  carom_frame frame;
  record(GLUED, 2, NULL);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "attachments", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  carom_recording* recording = check_open_recording(path);
  assert_int_equal(carom_recording_get_info(recording).num_attachments, 0);
  assert_int_equal(carom_recording_get_info(recording).num_softs, 1);
  read_frame(recording, 2, &frame);
  assert_null(frame.reactions);
  carom_recording_close(recording);
}

/* --- Damage -------------------------------------------------------------------------------------
 */

static void expect_refusal(void) {
  carom_recording* recording;
  carom_error error;
  assert_int_equal(carom_recording_open(path, NULL, &recording, &error), CAROM_ERROR_BAD_INPUT);
  assert_non_null(strstr(error.message, "damaged: the attachments cannot be read"));
}

/* Of a number in a dataset. */
static void expect_damage(const char* name, int index, int value) {
  record(GLUED, 1, NULL);
  check_damage_number(path, name, index, value, "damaged: the attachments cannot be read");
}

static void test_damaged(void** state) {
  (void)state;
  expect_damage("attachments/soft", 0, 1);
  expect_damage("attachments/soft", 1, -1);
  expect_damage("attachments/body", 1, 2);
  expect_damage("attachments/count", 0, 8);
  expect_damage("attachments/count", 1, 10);
  expect_damage("attachments/count", 1, 2147483647);
  expect_damage("attachments/nodes", 17, 45);
  expect_damage("attachments/nodes", 0, -1);
  record(GLUED, 1, NULL);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "attachments/reaction", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  expect_refusal();
}

static int enter(void** state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/carom-XXXXXX");
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int leave(void** state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attachments_are_the_models),
      cmocka_unit_test(test_reactions_are_the_simulations),
      cmocka_unit_test(test_reaction_at_rest),
      cmocka_unit_test(test_energies),
      cmocka_unit_test(test_early_recording_has_none),
      cmocka_unit_test(test_damaged),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
