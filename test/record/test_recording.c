/* Recordings: what is read is what was simulated, also while they grow, after a kill, and when the
 * file is not what it should be. */
#include "support/check.h"
#include "support/memory.h"

#include "carom/record.h"
#include "carom/scene.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A servo, a free box that lands on it, a ball joint, meshes aside: every kind of column. */
static const char SCENE[] =
    "<mujoco model='three'><option timestep='0.005'/><asset><mesh name='t' vertex='0 0 0 .1 0 0 0 "
    ".3 0 0 0 .7'/><mesh name='c' vertex='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1'/>"
    "</asset><worldbody><geom type='plane' size='1 1 1'/>"
    "<geom type='mesh' mesh='t' pos='9 0 0'/><geom type='mesh' mesh='c' pos='9 9 0'/>"
    "<geom type='mesh' mesh='t' pos='0 9 0'/>"
    "<body name='box' pos='0 0 0.2'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='arm' pos='2 0 1'><joint name='elbow' axis='0 1 0'/>"
    "<geom type='capsule' size='.05 .2'/><body name='hand' pos='0 0 -.3'><joint type='ball'/>"
    "<geom size='.05'/></body></body></worldbody>"
    "<actuator><position name='servo' joint='elbow' kp='10' ctrlrange='-1 1'/></actuator></mujoco>";

static char path[256];

typedef struct run {
  carom_model* model;
  carom_sim* sim;
  int num_q, num_v, num_bodies;
} run;

static run run_create(void) {
  run r;
  carom_error error;
  check_ok(carom_model_load_string(SCENE, strlen(SCENE), "three", NULL, &r.model, &error), &error);
  check_ok(carom_sim_create(r.model, NULL, &r.sim, &error), &error);
  carom_sim_controls(r.sim)[0] = 0.5;
  carom_model_sizes sizes = carom_model_get_sizes(r.model);
  r.num_q = sizes.num_q, r.num_v = sizes.num_v, r.num_bodies = sizes.num_bodies;
  return r;
}

static void run_destroy(run* r) {
  carom_sim_destroy(r->sim);
  carom_model_destroy(r->model);
}

static carom_recorder* start(run* r, double rate, int chunk) {
  carom_error error;
  carom_recorder_def def = carom_recorder_def_default();
  def.rate = rate;
  def.chunk = chunk;
  def.scene = SCENE;
  def.options = "as a test";
  carom_recorder* recorder;
  check_ok(carom_recorder_create(r->sim, path, &def, &recorder, &error), &error);
  return recorder;
}

static void step(run* r, carom_recorder* recorder) {
  carom_error error;
  carom_step_report report;
  check_ok(carom_sim_step(r->sim, &report, &error), &error);
  assert_int_equal(report.outcome, CAROM_STEP_DONE);
  check_ok(carom_recorder_append(recorder, &report, 1e-3, &error), &error);
}

static void record(int steps, double rate, int chunk) {
  run r = run_create();
  carom_error error;
  carom_recorder* recorder = start(&r, rate, chunk);
  for (int i = 0; i < steps; i++) step(&r, recorder);
  check_ok(carom_recorder_close(recorder, &error), &error);
  run_destroy(&r);
}

static carom_recording* open_recording(void) {
  carom_error error;
  carom_recording* recording;
  check_ok(carom_recording_open(path, NULL, &recording, &error), &error);
  return recording;
}

/* --- Contents -----------------------------------------------------------------------------------
 */

static void test_info(void** state) {
  (void)state;
  record(100, 0, 16);
  carom_recording* recording = open_recording();
  carom_recording_info info = carom_recording_get_info(recording);
  assert_int_equal(info.num_frames, 101);
  assert_int_equal(info.num_q, 12);
  assert_int_equal(info.num_v, 10);
  assert_int_equal(info.num_ctrl, 1);
  assert_int_equal(info.num_bodies, 4);
  assert_int_equal(info.version, 1);
  assert_string_equal(info.library, CR_PROJECT_VERSION);
  assert_string_equal(info.model, "three");
  assert_string_equal(info.scene, SCENE);
  assert_string_equal(info.options, "as a test");
  assert_true(info.start == 0 && info.dt == 0.005 && info.rate == 0);
  check_near(info.end, 0.5, 1e-12);
  assert_true(info.num_contacts > 0);
  assert_false(info.is_open);
  carom_recording_close(recording);
}

/* The frame holds the simulation's state to the bit. */
static void compare_frame(run* r, carom_recording* recording, int index) {
  carom_frame frame;
  carom_error error;
  double poses[7 * 8];
  int count;
  check_ok(carom_recording_read(recording, index, &frame, &error), &error);
  carom_sim_compute_poses(r->sim, poses);
  const carom_contact* contacts = carom_sim_contacts(r->sim, &count);
  carom_energy energy = carom_sim_compute_energy(r->sim);
  assert_true(frame.time == carom_sim_time(r->sim));
  assert_memory_equal(frame.q, carom_sim_coordinates(r->sim), sizeof(double) * (size_t)r->num_q);
  assert_memory_equal(frame.v, carom_sim_velocities(r->sim), sizeof(double) * (size_t)r->num_v);
  assert_memory_equal(frame.poses, poses, sizeof(double) * 7 * (size_t)r->num_bodies);
  assert_true(frame.ctrl[0] == 0.5 && frame.energy[0] == energy.kinetic);
  assert_int_equal(frame.steps, index > 0);
  assert_int_equal(frame.num_contacts, count);
  for (int i = 0; i < count; i++) {
    assert_memory_equal(frame.contacts[i].impulse, contacts[i].impulse, 3 * sizeof(double));
    assert_memory_equal(frame.contacts[i].normal, contacts[i].normal, 3 * sizeof(double));
    assert_int_equal(frame.contacts[i].geom2, contacts[i].geom2);
    assert_int_equal(frame.contacts[i].state, contacts[i].state);
    assert_true(frame.contacts[i].distance == contacts[i].distance);
  }
}

/* The parts are those of the model, to the bit. */
static void test_parts_are_the_models(void** state) {
  (void)state;
  record(1, 0, 16);
  carom_recording* recording = open_recording();
  run r = run_create();
  carom_model_sizes sizes = carom_model_get_sizes(r.model);
  carom_recording_info info = carom_recording_get_info(recording);
  assert_true(info.has_parts);
  assert_int_equal(info.num_joints, sizes.num_joints);
  assert_int_equal(info.num_geoms, sizes.num_geoms);
  for (int i = 0; i < sizes.num_bodies; i++) {
    carom_body_info a = carom_recording_get_body(recording, i),
                    b = carom_model_get_body(r.model, i);
    assert_string_equal(a.name, b.name);
    assert_true(a.parent == b.parent && a.mass == b.mass);
    assert_memory_equal(a.com, b.com, sizeof a.com);
    assert_memory_equal(a.inertia, b.inertia, sizeof a.inertia);
  }
  for (int i = 0; i < sizes.num_joints; i++) {
    carom_joint_info a = carom_recording_get_joint(recording, i);
    carom_joint_info b = carom_model_get_joint(r.model, i);
    assert_string_equal(a.name, b.name);
    assert_true(a.type == b.type && a.body == b.body && a.limited == b.limited);
    assert_true(a.q_address == b.q_address && a.v_address == b.v_address);
    assert_memory_equal(a.anchor, b.anchor, sizeof a.anchor);
    assert_memory_equal(a.axis, b.axis, sizeof a.axis);
    assert_memory_equal(a.range, b.range, sizeof a.range);
  }
  for (int i = 0; i < sizes.num_geoms; i++) {
    carom_geom_info a = carom_recording_get_geom(recording, i),
                    b = carom_model_get_geom(r.model, i);
    assert_string_equal(a.name, b.name);
    assert_true(a.type == b.type && a.body == b.body && a.group == b.group);
    assert_true(a.friction == b.friction && a.stiffness == b.stiffness);
    assert_memory_equal(a.size, b.size, sizeof a.size);
    assert_memory_equal(a.position, b.position, sizeof a.position);
    assert_memory_equal(a.quaternion, b.quaternion, sizeof a.quaternion);
    assert_memory_equal(a.rgba, b.rgba, sizeof a.rgba);
    assert_int_equal(a.mesh, b.mesh);
  }
  assert_int_equal(info.num_meshes, 2);
  for (int i = 0; i < info.num_meshes; i++) {
    carom_mesh_info a = carom_recording_get_mesh(recording, i),
                    b = carom_model_get_mesh(r.model, i);
    assert_true(a.num_vertices == b.num_vertices && a.num_triangles == b.num_triangles);
    assert_int_equal(a.num_triangles, i ? 12 : 4);
    assert_memory_equal(a.vertices, b.vertices, sizeof(double) * 3 * (size_t)a.num_vertices);
    assert_memory_equal(a.triangles, b.triangles, sizeof(int) * 3 * (size_t)a.num_triangles);
  }
  carom_actuator_info a = carom_recording_get_actuator(recording, 0);
  assert_int_equal(info.num_actuators, 1);
  assert_string_equal(a.name, "servo");
  assert_true(a.joint == carom_model_find_joint(r.model, "elbow"));
  assert_true(a.control_range[0] == -1 && a.control_range[1] == 1 && isinf(a.force_range[1]));
  carom_recording_close(recording);
  run_destroy(&r);
}

/* A vector turned by the unit quaternion (w, u): v + 2 w (u x v) + 2 u x (u x v). */
static void turn(const double* q, const double* v, double* out) {
  const double* u = q + 1;
  double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]),
                 2 * (u[0] * v[1] - u[1] * v[0])};
  out[0] = v[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1];
  out[1] = v[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2];
  out[2] = v[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0];
}

/* The centre of mass is that of the bodies where the frame puts them; the momentum is the total
 * mass times what it moves by in the steps around, to the second order in dt. */
static void test_motion(void** state) {
  (void)state;
  record(12, 0, 16);
  carom_recording* recording = open_recording();
  carom_error error;
  double com[3][3] = {{0}}, momentum[3][3], mass = 0;
  for (int i = 0; i < 3; i++) {
    carom_frame f;
    double sum[3] = {0};
    mass = 0;
    check_ok(carom_recording_read(recording, 9 + i, &f, &error), &error);
    for (int b = 1; b < 4; b++) {
      carom_body_info body = carom_recording_get_body(recording, b);
      double place[3];
      turn(f.poses + 7 * b + 3, body.com, place);
      for (int k = 0; k < 3; k++) sum[k] += body.mass * (f.poses[7 * b + k] + place[k]);
      mass += body.mass;
    }
    for (int k = 0; k < 3; k++) com[i][k] = sum[k] / mass;
    check_near_array(f.com, com[i], 3, 1e-13);
    memcpy(momentum[i], f.momentum, sizeof momentum[i]);
  }
  for (int k = 0; k < 3; k++)
    check_near(momentum[1][k], mass * (com[2][k] - com[0][k]) / 0.01, 1e-3);
  assert_true(fabs(momentum[1][2]) > 1 && fabs(momentum[1][0]) > 0.01);
  carom_recording_close(recording);
}

/* Of an early recording, without momentum, actuators and meshes, the rest is read. */
static void test_early_recording(void** state) {
  (void)state;
  record(10, 0, 64);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "com", H5P_DEFAULT);
  H5Ldelete(file, "momentum", H5P_DEFAULT);
  H5Ldelete(file, "actuators", H5P_DEFAULT);
  assert_true(H5Ldelete(file, "meshes", H5P_DEFAULT) >= 0);
  assert_true(H5Ldelete(file, "geoms/mesh", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  carom_recording* recording = open_recording();
  carom_frame frame;
  carom_error error;
  assert_int_equal(carom_recording_get_info(recording).num_frames, 11);
  assert_int_equal(carom_recording_get_info(recording).num_actuators, 0);
  assert_int_equal(carom_recording_get_info(recording).num_meshes, 0);
  assert_int_equal(carom_recording_get_geom(recording, 1).type, CAROM_GEOM_MESH);
  assert_int_equal(carom_recording_get_geom(recording, 1).mesh, -1);
  check_ok(carom_recording_read(recording, 10, &frame, &error), &error);
  assert_true(!frame.com && !frame.momentum && frame.ctrl[0] == 0.5);
  check_ok(carom_recording_refresh(recording, &error), &error);
  carom_recording_close(recording);
}

static void test_frames_are_the_states(void** state) {
  (void)state;
  record(100, 0, 16);
  carom_recording* recording = open_recording();
  run r = run_create();
  compare_frame(&r, recording, 0);
  for (int i = 1; i <= 100; i++) {
    check_ok(carom_sim_step(r.sim, NULL, NULL), &(carom_error){0});
    compare_frame(&r, recording, i);
  }
  carom_recording_close(recording);
  run_destroy(&r);
}

/* At 60 frames a second of steps of 5 ms: the first step at or after each frame's time, and the
 * last step whatever the rate. */
static void test_rate(void** state) {
  (void)state;
  record(101, 60, 64);
  carom_recording* recording = open_recording();
  carom_recording_info info = carom_recording_get_info(recording);
  assert_int_equal(info.num_frames, 32);
  int steps = 0;
  for (int i = 0; i < info.num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, NULL), &(carom_error){0});
    double expected = i == 31 ? 0.505 : 0.005 * ceil(i / 60.0 / 0.005 - 1e-9);
    check_near(frame.time, expected, 1e-9);
    check_near(frame.wall_time, 1e-3 * frame.steps, 1e-12);
    steps += frame.steps;
  }
  assert_int_equal(steps, 101);
  carom_recording_close(recording);
}

/* A simulation goes on from a frame as it did (warm starts are not in a frame, so within the
 * tolerance of the solver). */
static void test_restore_from_a_frame(void** state) {
  (void)state;
  record(60, 0, 64);
  carom_recording* recording = open_recording();
  carom_frame frame;
  carom_error error;
  run r = run_create();
  check_ok(carom_recording_read(recording, 40, &frame, &error), &error);
  check_ok(carom_sim_set_state(r.sim, frame.time, frame.q, frame.v, &error), &error);
  for (int i = 0; i < 20; i++) check_ok(carom_sim_step(r.sim, NULL, &error), &error);
  check_ok(carom_recording_read(recording, 60, &frame, &error), &error);
  check_near_array(carom_sim_coordinates(r.sim), frame.q, r.num_q, 1e-6);
  carom_recording_close(recording);
  run_destroy(&r);
}

/* --- While it grows, and after a kill -----------------------------------------------------------
 */

enum { chunk_frames = 8 };

/* Simulates and reports the number of frames taken after every step, until it is killed. */
static void write_for_ever(int report_to) {
  run r = run_create();
  carom_recorder* recorder = start(&r, 0, chunk_frames);
  for (;;) {
    int count = carom_recorder_count(recorder);
    if (write(report_to, &count, sizeof count) != sizeof count) _exit(1);
    step(&r, recorder);
  }
}

/* Starts a writer; `*reports` receives the end from which its counts are read. */
static pid_t fork_writer(int* reports) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[0]);
    write_for_ever(ends[1]);
  }
  close(ends[1]);
  *reports = ends[0];
  return child;
}

static int read_count(int reports) {
  int count = 0;
  if (read(reports, &count, sizeof count) != sizeof count) fail_msg("the writer has ended");
  return count;
}

/* Kills the writer; returns the last count that it reported. */
static int kill_writer(pid_t child, int reports, int count) {
  int status;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  for (int next; read(reports, &next, sizeof next) == sizeof next;) count = next;
  close(reports);
  return count;
}

static void read_all(int least) {
  carom_recording* recording = open_recording();
  carom_recording_info info = carom_recording_get_info(recording);
  assert_true(info.is_open);
  assert_true(info.num_frames >= least);
  for (int i = 0; i < info.num_frames; i++) {
    carom_frame frame;
    carom_error error;
    check_ok(carom_recording_read(recording, i, &frame, &error), &error);
    check_near(frame.time, 0.005 * i, 1e-9);
    assert_true(fabs(frame.q[2]) < 1 && fabs(frame.q[3]) <= 1);
    assert_true(frame.num_contacts <= 8);
  }
  carom_recording_close(recording);
}

static void test_kill_loses_one_chunk_at_most(void** state) {
  (void)state;
  int trials = check_repeats(30);
  for (int trial = 0; trial < trials; trial++) {
    int reports, wanted = 20 + 17 * trial, count = 0;
    pid_t child = fork_writer(&reports);
    while (count < wanted) count = read_count(reports);
    count = kill_writer(child, reports, count);
    read_all(count - chunk_frames);
  }
}

/* A reader sees frames come in while the writer runs: never fewer than were flushed. */
static void test_following(void** state) {
  (void)state;
  int reports, count = 0, seen = 0, growths = 0;
  pid_t child = fork_writer(&reports);
  while (count < 3 * chunk_frames) count = read_count(reports);
  carom_recording* recording = open_recording();
  while (growths < 5) {
    carom_error error;
    count = read_count(reports);
    check_ok(carom_recording_refresh(recording, &error), &error);
    int frames = carom_recording_get_info(recording).num_frames;
    assert_true(frames >= count - chunk_frames && frames >= seen);
    growths += frames > seen;
    seen = frames;
    carom_frame frame;
    check_ok(carom_recording_read(recording, frames - 1, &frame, &error), &error);
    check_near(frame.time, 0.005 * (frames - 1), 1e-9);
  }
  carom_recording_close(recording);
  kill_writer(child, reports, count);
}

/* The file of a killed writer is replaced like any other. */
static void test_writing_over_a_killed_one(void** state) {
  (void)state;
  int reports, count = 0;
  pid_t child = fork_writer(&reports);
  while (count < 20) count = read_count(reports);
  kill_writer(child, reports, count);
  record(10, 0, 64);
  carom_recording* recording = open_recording();
  assert_int_equal(carom_recording_get_info(recording).num_frames, 11);
  assert_false(carom_recording_get_info(recording).is_open);
  carom_recording_close(recording);
}

/* --- Bad files ----------------------------------------------------------------------------------
 */

static void expect_refusal(carom_status status, const char* sentence) {
  carom_recording* recording = (carom_recording*)path;
  carom_error error;
  assert_int_equal(carom_recording_open(path, NULL, &recording, &error), status);
  assert_null(recording);
  if (!strstr(error.message, sentence)) fail_msg("'%s', expected '%s'", error.message, sentence);
}

static void write_text(const char* text) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void set_version(int version) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  hid_t meta = H5Gopen2(file, "meta", H5P_DEFAULT);
  assert_true(H5Adelete(meta, "version") >= 0);
  hid_t attribute = H5Acreate2(meta, "version", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
  H5Aclose(attribute), H5Gclose(meta), H5Sclose(space), H5Fclose(file);
}

/* Sets one of the whole numbers of a small dataset. */
static void damage(const char* name, int index, int value) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  int numbers[64];
  assert_true(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  numbers[index] = value;
  assert_true(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(dataset), H5Fclose(file);
}

/* Indices that lead out of the meshes. */
static void test_damaged_meshes(void** state) {
  (void)state;
  static const char FAULT[] = "damaged: the surfaces of meshes cannot be read";
  record(1, 0, 16);
  damage("meshes/triangles", 11, 4);
  expect_refusal(CAROM_ERROR_BAD_INPUT, FAULT);
  damage("meshes/triangles", 11, -1);
  expect_refusal(CAROM_ERROR_BAD_INPUT, FAULT);
  record(1, 0, 16);
  damage("meshes/vertex_start", 1, 13);
  expect_refusal(CAROM_ERROR_BAD_INPUT, FAULT);
  record(1, 0, 16);
  damage("geoms/mesh", 2, 2);
  expect_refusal(CAROM_ERROR_BAD_INPUT, "names what is not there");
}

/* Makes a dataset longer, without anything written there. */
static void grow(hid_t file, const char* name, hsize_t rows) {
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t extent[3];
  H5Sget_simple_extent_dims(space, extent, NULL);
  extent[0] = rows;
  assert_true(H5Dset_extent(dataset, extent) >= 0);
  H5Sclose(space), H5Dclose(dataset);
}

static herr_t grow_stream(hid_t group, const char* name, const H5L_info_t* info, void* rows) {
  (void)info;
  grow(group, name, *(hsize_t*)rows);
  return 0;
}

/* Writes a stream of one column anew in deflated chunks of a row. */
static void deflate_stream(hid_t file, const char* name) {
  double rows[64];
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t one = 1, unlimited = H5S_UNLIMITED, count = (hsize_t)H5Sget_simple_extent_npoints(space);
  assert_true(count <= 64);
  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
  H5Dclose(dataset), H5Sclose(space), H5Ldelete(file, name, H5P_DEFAULT);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, &one), H5Pset_deflate(creation, 9);
  space = H5Screate_simple(1, &count, &unlimited);
  dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
  H5Dclose(dataset), H5Sclose(space), H5Pclose(creation);
}

/* What no chunk holds is not there, however long a file says that its streams are. */
static void test_rows_that_are_not_stored(void** state) {
  (void)state;
  hsize_t many = 1 << 20;
  record(40, 0, 4);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  deflate_stream(file, "time");
  grow(file, "time", many);
  H5Fclose(file);
  carom_recording* recording = open_recording();
  carom_recording_info info = carom_recording_get_info(recording);
  assert_int_equal(info.num_frames, 41);
  check_near(info.end, 40 * info.dt, 1e-12);
  carom_recording_close(recording);
  file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t contacts = H5Gopen2(file, "contacts", H5P_DEFAULT);
  H5Literate(contacts, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, grow_stream, &many);
  grow(contacts, "offset", 42);
  H5Gclose(contacts), H5Fclose(file);
  damage("contacts/offset", 41, 5000);
  expect_refusal(CAROM_ERROR_BAD_INPUT, "/contacts/offset leads beyond the contacts");
}

static void test_refusals(void** state) {
  (void)state;
  unlink(path);
  expect_refusal(CAROM_ERROR_FILE, "cannot be opened: No such file or directory");
  write_text("time,x\n0,1\n");
  expect_refusal(CAROM_ERROR_BAD_INPUT, "is no HDF5 file, so no recording of Carom");
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect_refusal(CAROM_ERROR_BAD_INPUT, "is an HDF5 file, but no recording of Carom");
  record(10, 0, 64);
  set_version(7);
  expect_refusal(CAROM_ERROR_BAD_INPUT,
                 "the recording's format has version 7, this program reads version 1");
  file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "contacts/point", H5P_DEFAULT);
  H5Fclose(file);
  set_version(1);
  expect_refusal(CAROM_ERROR_BAD_INPUT, "the recording is damaged: there is no /contacts/point");
}

/* Cut at any length: a sentence, or a recording whose frames can be read or refused. */
static void test_truncation(void** state) {
  (void)state;
  record(40, 0, 8);
  FILE* file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  for (int i = 1; i <= 20; i++) {
    record(40, 0, 8);
    assert_int_equal(truncate(path, size * (20 - i) / 20), 0);
    carom_recording* recording;
    carom_error error;
    carom_status status = carom_recording_open(path, NULL, &recording, &error);
    assert_true(status == CAROM_ERROR_BAD_INPUT && error.message[0] && !recording);
  }
}

static void test_output_that_cannot_be_created(void** state) {
  (void)state;
  run r = run_create();
  carom_recorder* recorder = (carom_recorder*)path;
  carom_error error;
  assert_int_equal(carom_recorder_create(r.sim, "/no/such/folder/x.h5", NULL, &recorder, &error),
                   CAROM_ERROR_FILE);
  assert_null(recorder);
  assert_string_equal(error.message,
                      "/no/such/folder/x.h5: cannot be created: No such file or directory");
  carom_recorder_def def = carom_recorder_def_default();
  def.rate = -1;
  assert_int_equal(carom_recorder_create(r.sim, path, &def, &recorder, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "recorder: rate is -1, must be 0 or more");
  run_destroy(&r);
}

/* Records until the file outgrows what the process may write; returns true when that ends in a
 * sentence. */
static bool overflow(void) {
  struct rlimit small = {600000, 600000};
  signal(SIGXFSZ, SIG_IGN);
  run r = run_create();
  carom_recorder* recorder = start(&r, 0, 16);
  carom_step_report report;
  carom_error error;
  carom_status status = CAROM_OK;
  bool done = setrlimit(RLIMIT_FSIZE, &small) == 0;
  for (int i = 0; i < 4000 && status == CAROM_OK; i++) {
    done = done && carom_sim_step(r.sim, &report, &error) == CAROM_OK;
    status = carom_recorder_append(recorder, &report, 0, &error);
  }
  done = done && status == CAROM_ERROR_FILE && strstr(error.message, ".h5: cannot be written: ");
  done = done && carom_recorder_append(recorder, &report, 0, NULL) == CAROM_ERROR_FILE;
  done = done && carom_recorder_close(recorder, NULL) == CAROM_ERROR_FILE;
  run_destroy(&r);
  return done;
}

/* In a process of its own, which ends as any other: HDF5 has nothing left to do then. What was
 * written before is there. */
static void test_full_disk(void** state) {
  (void)state;
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) exit(overflow() ? 0 : 1);
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  read_all(33);
}

static void test_frame_out_of_range(void** state) {
  (void)state;
  record(3, 0, 64);
  carom_recording* recording = open_recording();
  carom_frame frame;
  carom_error error;
  assert_int_equal(carom_recording_read(recording, 4, &frame, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "there is no frame 4, the recording has 4"));
  carom_recording_close(recording);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* Records and reads with hooks of which the allocation `fail_at` fails; true when all went well. */
static bool record_and_read(run* r, const carom_allocator* hooks) {
  carom_recorder_def def = carom_recorder_def_default();
  def.allocator = *hooks;
  def.chunk = 4;
  carom_recorder* recorder;
  carom_recording* recording = NULL;
  carom_step_report report;
  carom_frame frame;
  if (carom_recorder_create(r->sim, path, &def, &recorder, NULL) != CAROM_OK) return false;
  bool done = true;
  for (int i = 0; i < 40 && done; i++) {
    done = carom_sim_step(r->sim, &report, NULL) == CAROM_OK &&
           carom_recorder_append(recorder, &report, NAN, NULL) == CAROM_OK;
  }
  done = carom_recorder_close(recorder, NULL) == CAROM_OK && done;
  done = done && carom_recording_open(path, hooks, &recording, NULL) == CAROM_OK;
  for (int i = 0; i < 40 && done; i++)
    done = carom_recording_read(recording, i, &frame, NULL) == CAROM_OK;
  carom_recording_close(recording);
  return done;
}

static void test_out_of_memory(void** state) {
  (void)state;
  run r = run_create();
  bool done = false;
  for (int i = 0; !done; i++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    memory.fail_at = i;
    done = record_and_read(&r, &hooks);
    check_memory_expect_empty(&memory);
    assert_true(i < 1000);
  }
  run_destroy(&r);
}

/* --- Set-up -------------------------------------------------------------------------------------
 */

static int enter(void** state) {
  (void)state;
  snprintf(path, sizeof path, "test_recording.%ld.h5", (long)getpid());
  return 0;
}

static int leave(void** state) {
  (void)state;
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_info),
      cmocka_unit_test(test_parts_are_the_models),
      cmocka_unit_test(test_motion),
      cmocka_unit_test(test_early_recording),
      cmocka_unit_test(test_frames_are_the_states),
      cmocka_unit_test(test_rate),
      cmocka_unit_test(test_restore_from_a_frame),
      cmocka_unit_test(test_kill_loses_one_chunk_at_most),
      cmocka_unit_test(test_following),
      cmocka_unit_test(test_writing_over_a_killed_one),
      cmocka_unit_test(test_damaged_meshes),
      cmocka_unit_test(test_rows_that_are_not_stored),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_truncation),
      cmocka_unit_test(test_output_that_cannot_be_created),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_frame_out_of_range),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
