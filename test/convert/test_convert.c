/* Recordings in other formats: tables give the recorded numbers back to the bit, VTKHDF has the
 * published layout and the recorded places, velocities are those of the Jacobians; what goes wrong
 * is told. Other readers look at the files in test/cli/test_convert.py and test/viewer. */
#include "convert/scene.h"
#include "convert/surface.h"
#include "support/check.h"
#include "support/memory.h"
#include "support/recording.h"

#include "carom/convert.h"
#include "carom/dynamics.h"
#include "carom/scene.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char SCENE[] =
    "<mujoco model='m'><option timestep='0.005' carom:patches='corners'/><worldbody>"
    "<geom name='floor' type='plane' size='0 0 1'/>"
    "<body name='box, wide' pos='0 0 0.12'><freejoint/><geom type='box' size='.1 .2 .1'/></body>"
    "<body name='arm' pos='2 0 1'><joint name='elbow' axis='0 1 0'/>"
    "<geom type='capsule' size='.05 .2'/><body name='hand' pos='0 0 -.3'><joint type='ball'/>"
    "<geom type='cylinder' size='.05 .1'/></body></body></worldbody>"
    "<actuator><motor name='m' joint='elbow'/></actuator></mujoco>";

/* Several joints on one body, some away from zero where the scene places it. */
static const char JOINTS[] =
    "<mujoco><option timestep='0.005'/><worldbody><body pos='1 0 1' euler='10 20 30'>"
    "<joint type='hinge' axis='1 .2 0' pos='.1 0 .2'/><joint type='slide' axis='0 1 1' ref='.3'/>"
    "<joint type='hinge' axis='0 1 .3' pos='0 .1 0' ref='30'/><geom size='.1'/>"
    "<body pos='.3 0 0' euler='40 0 0'><joint type='ball' pos='.05 0 0'/><geom size='.05'/>"
    "<body pos='0 0 .3'><joint type='slide' axis='0 0 1' ref='.2'/><joint axis='1 0 0'/>"
    "<geom size='.05'/></body></body></body>"
    "<body pos='0 3 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";

static char folder[64], recording_path[96], out_path[96];

static const char* name_output(const char* name) {
  snprintf(out_path, sizeof out_path, "%s/%s", folder, name);
  return out_path;
}

static carom_convert_report convert(carom_recording* recording, const carom_convert_def* def,
                                    const char* name) {
  carom_convert_report report;
  carom_error error;
  check_ok(carom_convert_recording(recording, name_output(name), def, &report, &error), &error);
  return report;
}

/* --- Tables -------------------------------------------------------------------------------------
 */

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char* text = calloc(size + 1, 1);
  assert_int_equal(fread(text, 1, size, file), size);
  fclose(file);
  return text;
}

static void expect_number(char** at, double expected) {
  char* end;
  double number = strtod(*at, &end);
  assert_true(end != *at && (*end == ',' || *end == '\n'));
  if (memcmp(&number, &expected, sizeof number) != 0)
    fail_msg("%.17g, expected %.17g", number, expected);
  *at = end + 1;
}

static void expect_numbers(char** at, const double* expected, int count) {
  for (int i = 0; i < count; i++) expect_number(at, expected[i]);
}

static void expect_row(char** at, const carom_frame* f, const carom_recording_info* info) {
  expect_number(at, f->time);
  expect_numbers(at, f->q, info->num_q);
  expect_numbers(at, f->v, info->num_v);
  expect_numbers(at, f->ctrl, info->num_ctrl);
  expect_numbers(at, f->poses + 7, 7 * (info->num_bodies - 1));
  expect_numbers(at, f->energy, 4);
  const double figures[] = {f->num_contacts,  f->iterations,       f->residual,    f->steps,
                            f->substeps,      f->outer_iterations, f->error_bound, f->stick_slip,
                            f->actuator_work, f->wall_time};
  expect_numbers(at, figures, sizeof figures / sizeof figures[0]);
}

/* Every column but contact points, every frame. */
static void test_table_is_the_recording(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.5, 0);
  carom_recording* recording = check_open_recording(recording_path);
  carom_recording_info info = carom_recording_get_info(recording);
  carom_convert_def def = carom_convert_def_default();
  def.columns = CAROM_TABLE_POINTS - 1;
  carom_convert_report report = convert(recording, &def, "out.csv");
  assert_int_equal(report.num_frames, info.num_frames);
  char *text = read_text(out_path), *at = strchr(text, '\n') + 1;
  assert_int_equal(report.num_bytes, strlen(text));
  assert_memory_equal(text, "time,\"box, wide.x\",", 19);
  assert_non_null(strstr(text, ",elbow.q,hand.qw,"));
  assert_non_null(strstr(text, ",actuator0.ctrl,\"box, wide.pose.x\","));
  for (int i = 0; i < info.num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, NULL), &(carom_error){0});
    expect_row(&at, &frame, &info);
  }
  assert_int_equal(*at, '\0');
  free(text);
  carom_recording_close(recording);
}

static void test_table_of_points(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.5, 0);
  carom_recording* recording = check_open_recording(recording_path);
  carom_recording_info info = carom_recording_get_info(recording);
  carom_convert_def def = carom_convert_def_default();
  def.columns = CAROM_TABLE_POINTS;
  convert(recording, &def, "out.csv");
  char *text = read_text(out_path), *at = strchr(text, '\n') + 1;
  int64_t count = 0;
  for (int i = 0; i < info.num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, NULL), &(carom_error){0});
    for (int k = 0; k < frame.num_contacts; k++, count++) {
      const carom_contact* c = &frame.contacts[k];
      const double ends[2] = {c->geom1, c->geom2}, last[3] = {c->distance, c->slip, c->state};
      expect_number(&at, frame.time);
      expect_numbers(&at, ends, 2);
      expect_numbers(&at, c->position, 3);
      expect_numbers(&at, c->normal, 3);
      expect_numbers(&at, c->impulse, 3);
      expect_numbers(&at, last, 3);
      expect_number(&at, c->area);
      assert_true(c->area == 0 &&
                  strncmp(at, "nan,nan,0\n", 10) == 0); /* corners know no pressure */
      at += 10;
    }
  }
  assert_true(*at == '\0' && count == info.num_contacts && count > 100);
  free(text);
  carom_recording_close(recording);
}

/* --- Which frames -------------------------------------------------------------------------------
 */

static void test_frames(void** state) {
  (void)state;
  static const struct {
    double rate, from, until;
    int count;
  } CASES[] = {{0, -INFINITY, INFINITY, 201},
               {50, -INFINITY, INFINITY, 51},
               {0.3, -INFINITY, INFINITY, 2},
               {1e9, -INFINITY, INFINITY, 201},
               {0, 0.3, 0.3, 1},
               {0, 0.3, INFINITY, 141},
               {0, -INFINITY, 0.7, 141},
               {10, 0.25, 0.75, 6}};
  check_record(recording_path, SCENE, NULL, 1, 0);
  carom_recording* recording = check_open_recording(recording_path);
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    carom_convert_def def = carom_convert_def_default();
    def.rate = CASES[i].rate, def.from = CASES[i].from, def.until = CASES[i].until;
    assert_int_equal(convert(recording, &def, "out.csv").num_frames, CASES[i].count);
  }
  carom_recording_close(recording);
}

static void test_times(void** state) {
  (void)state;
  double times[21];
  carom_error error;
  check_record(recording_path, SCENE, NULL, 0.1, 0);
  carom_recording* recording = check_open_recording(recording_path);
  check_ok(carom_recording_read_times(recording, 0, 21, times, &error), &error);
  for (int i = 0; i < 21; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, &error), &error);
    assert_true(times[i] == frame.time);
  }
  check_ok(carom_recording_read_times(recording, 21, 0, times, &error), &error);
  static const int WRONG[][2] = {{0, 22}, {-1, 2}, {0, -1}, {21, 1}};
  for (int i = 0; i < 4; i++)
    assert_int_equal(carom_recording_read_times(recording, WRONG[i][0], WRONG[i][1], times, &error),
                     CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "there are no frames 21 to 21, the recording has 21"));
  carom_recording_close(recording);
}

/* --- Velocities ---------------------------------------------------------------------------------
 */

static void compare_twist(carom_dynamics* dynamics, int body, const carom_frame* frame, int num_v,
                          const double twist[6]) {
  double linear[3 * 32], angular[3 * 32];
  carom_dynamics_compute_jacobian(dynamics, body, frame->poses + 7 * body, linear, angular);
  for (int k = 0; k < 3; k++) {
    double v = 0, w = 0;
    for (int i = 0; i < num_v; i++) {
      v += linear[k * num_v + i] * frame->v[i];
      w += angular[k * num_v + i] * frame->v[i];
    }
    check_near(twist[k], v, 1e-12 * 20);
    check_near(twist[k + 3], w, 1e-12 * 20);
  }
}

static void compare_frames(cr_convert_job* job, carom_dynamics* dynamics) {
  double twists[6 * 8];
  for (int i = 0; i < job->info.num_frames; i++) {
    carom_frame frame;
    carom_error error;
    check_ok(carom_recording_read(job->recording, i, &frame, &error), &error);
    check_ok(carom_dynamics_set(dynamics, frame.q, frame.v, NULL, &error), &error);
    check_ok(carom_recording_compute_velocities(job->recording, &frame, twists, &error), &error);
    for (int body = 0; body < job->info.num_bodies; body++)
      compare_twist(dynamics, body, &frame, job->info.num_v, twists + 6 * body);
  }
}

static void test_velocities(void** state) {
  (void)state;
  static const double V[14] = {2, -1, 3, 1, 2, -3, 0.5, 4, 1, 0.2, -0.3, 3, 1, 2};
  carom_model* model;
  carom_dynamics* dynamics;
  carom_error error;
  check_record(recording_path, JOINTS, V, 0.3, 0);
  carom_recording* recording = check_open_recording(recording_path);
  cr_convert_job job = {.recording = recording, .info = carom_recording_get_info(recording)};
  assert_true(job.info.num_v == 14 && job.info.num_bodies == 5);
  check_ok(carom_model_load_string(JOINTS, strlen(JOINTS), NULL, NULL, &model, &error), &error);
  check_ok(carom_dynamics_create(model, NULL, &dynamics, &error), &error);
  compare_frames(&job, dynamics);
  carom_dynamics_destroy(dynamics);
  carom_model_destroy(model);
  carom_recording_close(recording);
}

/* --- Surfaces -----------------------------------------------------------------------------------
 */

static double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Volume by Gauss's theorem; normals must look away from the middle, along the triangles'. */
static double measure_volume(const cr_surface* s) {
  double volume = 0;
  for (int i = 0; i < s->num_triangles; i++) {
    const int* t = s->triangles[i];
    const double *a = s->points[t[0]], *b = s->points[t[1]], *c = s->points[t[2]];
    double cross[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                       b[0] * c[1] - b[1] * c[0]};
    assert_true(dot(a, cross) > 0);
    volume += dot(a, cross) / 6;
  }
  for (int i = 0; i < s->num_points; i++) {
    check_near(dot(s->normals[i], s->normals[i]), 1, 1e-14);
    assert_true(dot(s->normals[i], s->points[i]) > 0);
  }
  return volume;
}

/* Prisms of regular polygons have area N/2 sin(2π/N) r². A sphere of such rings is frusta. */
static void test_surfaces(void** state) {
  (void)state;
  cr_arena arena;
  cr_surface s;
  cr_arena_init(&arena, NULL);
  assert_true(cr_surface_init(&s, NULL, &arena));
  const double pi = acos(-1), area = CR_SURFACE_SECTORS / 2.0 * sin(2 * pi / CR_SURFACE_SECTORS);
  carom_geom_info box = {.type = CAROM_GEOM_BOX, .size = {1, 2, 3}};
  cr_surface_make(&box, 1, &s);
  check_near(measure_volume(&s), 48, 1e-12);
  carom_geom_info cylinder = {.type = CAROM_GEOM_CYLINDER, .size = {0.5, 2}};
  cr_surface_make(&cylinder, 1, &s);
  check_near(measure_volume(&s), area * 0.25 * 4, 1e-12);
  double frusta = 0;
  for (int i = 0; i < CR_SURFACE_BANDS; i++) {
    double low = pi * ((double)i / CR_SURFACE_BANDS - 0.5), high = low + pi / CR_SURFACE_BANDS;
    double a = cos(low), b = cos(high);
    frusta += area * (sin(high) - sin(low)) * (a * a + a * b + b * b) / 3;
  }
  carom_geom_info sphere = {.type = CAROM_GEOM_SPHERE, .size = {2}};
  cr_surface_make(&sphere, 1, &s);
  check_near(measure_volume(&s), 8 * frusta, 1e-11);
  carom_geom_info capsule = {.type = CAROM_GEOM_CAPSULE, .size = {2, 1}};
  cr_surface_make(&capsule, 1, &s);
  check_near(measure_volume(&s), 8 * frusta + area * 4 * 2, 1e-11);
  assert_true(s.num_points <= CR_SURFACE_POINTS && s.num_triangles <= CR_SURFACE_TRIANGLES);
  cr_arena_destroy(&arena);
}

/* Four triangles, a sixth of the box of its bounds, of which the middle is not in it. */
static void test_surface_of_mesh(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><asset><mesh name='t' vertex='1 0 0 3 0 0 1 4 0 1 0 6'/></asset><worldbody>"
      "<body><freejoint/><geom type='mesh' mesh='t'/></body></worldbody></mujoco>";
  static const double MIDDLE[3] = {-0.5, -1, -1.5};
  check_record(recording_path, TEXT, NULL, 0.01, 0);
  carom_recording* recording = check_open_recording(recording_path);
  carom_geom_info geom = carom_recording_get_geom(recording, 0);
  cr_arena arena;
  cr_surface s;
  cr_arena_init(&arena, NULL);
  assert_true(cr_surface_init(&s, recording, &arena));
  cr_surface_make(&geom, 1, &s);
  assert_int_equal(s.num_points, 12);
  assert_int_equal(s.num_triangles, 4);
  check_near_array(s.middle, MIDDLE, 3, 1e-14);
  for (int i = 0; i < s.num_points; i++)
    for (int k = 0; k < 3; k++) s.points[i][k] -= s.middle[k];
  check_near(measure_volume(&s), 2 * 4 * 6 / 6.0, 1e-13);
  cr_arena_destroy(&arena);
  carom_recording_close(recording);
}

/* --- VTKHDF: the published layout ---------------------------------------------------------------
 */

static void read_data(hid_t file, const char* path, hid_t type, int rank, hsize_t extent[2],
                      void* values, size_t most) {
  char whole[128];
  snprintf(whole, sizeof whole, "VTKHDF/%s", path);
  hid_t dataset = H5Dopen2(file, whole, H5P_DEFAULT), space = H5Dget_space(dataset);
  assert_true(dataset >= 0);
  assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
  extent[1] = 1;
  H5Sget_simple_extent_dims(space, extent, NULL);
  assert_true(extent[0] * extent[1] * H5Tget_size(type) <= most);
  assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space), H5Dclose(dataset);
}

static int64_t big[1 << 18];

/* Whole numbers, whose count is expected; null: only their count. */
static const int64_t* expect_data(hid_t file, const char* path, hsize_t rows, hsize_t columns) {
  hsize_t extent[2];
  read_data(file, path, H5T_NATIVE_INT64, columns > 1 ? 2 : 1, extent, big, sizeof big);
  assert_int_equal(extent[0], rows);
  assert_int_equal(extent[1], columns);
  return big;
}

static void expect_head(hid_t file, int num_steps) {
  char type[16] = "";
  int version[2], steps = 0;
  hid_t group = H5Gopen2(file, "VTKHDF", H5P_DEFAULT), part;
  hid_t attribute = H5Aopen(group, "Type", H5P_DEFAULT), kind = H5Aget_type(attribute);
  assert_true(H5Tget_class(kind) == H5T_STRING && H5Tget_cset(kind) == H5T_CSET_ASCII &&
              !H5Tis_variable_str(kind));
  H5Aread(attribute, kind, type), H5Tclose(kind), H5Aclose(attribute);
  assert_string_equal(type, "PolyData");
  attribute = H5Aopen(group, "Version", H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_INT, version), H5Aclose(attribute);
  assert_true(version[0] == 2);
  part = H5Gopen2(group, "Steps", H5P_DEFAULT);
  attribute = H5Aopen(part, "NSteps", H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_INT, &steps), H5Aclose(attribute);
  assert_int_equal(steps, num_steps);
  H5Gclose(part), H5Gclose(group);
}

/* Where the middle of a geometry's points is in a frame. */
static void find_middle(const float (*points)[3], const cr_surface* s, double middle[3]) {
  for (int k = 0; k < 3; k++) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < s->num_points; i++) {
      least = fmin(least, (double)points[i][k]);
      most = fmax(most, (double)points[i][k]);
    }
    middle[k] = (least + most) / 2;
  }
}

/* All geometries but the plane have their middle at their body's origin. */
static void compare_places(hid_t file, carom_recording* recording, int num_frames, int num_points) {
  static float points[1 << 17][3];
  hsize_t extent[2];
  read_data(file, "Points", H5T_NATIVE_FLOAT, 2, extent, points, sizeof points);
  assert_true(extent[0] == (hsize_t)num_frames * (hsize_t)num_points && extent[1] == 3);
  const float(*at)[3] = (const float(*)[3])points;
  cr_arena arena;
  cr_surface s;
  cr_arena_init(&arena, NULL);
  assert_true(cr_surface_init(&s, recording, &arena));
  for (int i = 0; i < num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, NULL), &(carom_error){0});
    for (int k = 0; k < 4; k++) {
      carom_geom_info geom = carom_recording_get_geom(recording, k);
      double middle[3];
      cr_surface_make(&geom, 1, &s);
      find_middle(at, &s, middle);
      if (k > 0) check_near_array(middle, frame.poses + 7 * geom.body, 3, 1e-6);
      at += s.num_points;
    }
  }
  cr_arena_destroy(&arena);
}

static void test_vtkhdf_of_bodies(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.2, 0);
  carom_recording* recording = check_open_recording(recording_path);
  carom_convert_def def = carom_convert_def_default();
  def.format = CAROM_CONVERT_VTKHDF;
  carom_convert_report report = convert(recording, &def, "out.vtkhdf");
  assert_true(report.num_files == 2 && report.num_frames == 41);
  hid_t file = H5Fopen(out_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  expect_head(file, 41);
  hsize_t n = (hsize_t)*expect_data(file, "NumberOfPoints", 1, 1);
  hsize_t cells = (hsize_t)*expect_data(file, "Polygons/NumberOfCells", 1, 1);
  assert_int_equal(*expect_data(file, "Polygons/NumberOfConnectivityIds", 1, 1), 3 * cells);
  assert_int_equal(expect_data(file, "Polygons/Offsets", cells + 1, 1)[cells], 3 * cells);
  expect_data(file, "Polygons/Connectivity", 3 * cells, 1);
  assert_int_equal(*expect_data(file, "Lines/NumberOfCells", 1, 1), 0);
  assert_int_equal(*expect_data(file, "Strips/Offsets", 1, 1), 0);
  expect_data(file, "Vertices/Connectivity", 0, 1);
  assert_int_equal(expect_data(file, "Steps/PartOffsets", 41, 1)[40], 0);
  assert_int_equal(expect_data(file, "Steps/NumberOfParts", 41, 1)[40], 1);
  assert_int_equal(expect_data(file, "Steps/PointOffsets", 41, 1)[40], 40 * n);
  assert_int_equal(expect_data(file, "Steps/CellOffsets", 41, 4)[40 * 4 + 2], 0);
  assert_int_equal(expect_data(file, "Steps/ConnectivityIdOffsets", 41, 4)[40 * 4 + 2], 0);
  assert_int_equal(expect_data(file, "Steps/CellDataOffsets/velocity", 41, 1)[40], 40 * cells);
  assert_int_equal(expect_data(file, "Steps/CellDataOffsets/body", 41, 1)[40], 0);
  assert_int_equal(expect_data(file, "CellData/geom", cells, 1)[cells - 1], 3);
  compare_places(file, recording, 41, (int)n);
  H5Fclose(file);
  carom_recording_close(recording);
}

static void test_vtkhdf_of_contacts(void** state) {
  (void)state;
  static double forces[4096][3];
  hsize_t extent[2];
  check_record(recording_path, SCENE, NULL, 0.3, 0);
  carom_recording* recording = check_open_recording(recording_path);
  carom_recording_info info = carom_recording_get_info(recording);
  carom_convert_def def = carom_convert_def_default();
  def.format = CAROM_CONVERT_VTKHDF;
  convert(recording, &def, "out.vtkhdf");
  hid_t file = H5Fopen(name_output("out_contacts.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hsize_t n = (hsize_t)info.num_frames, all = (hsize_t)info.num_contacts;
  expect_head(file, info.num_frames);
  expect_data(file, "Vertices/Offsets", all + n, 1);
  expect_data(file, "Vertices/Connectivity", all, 1);
  expect_data(file, "Polygons/Offsets", n, 1);
  read_data(file, "PointData/force", H5T_NATIVE_DOUBLE, 2, extent, forces, sizeof forces);
  assert_int_equal(extent[0], all);
  for (int i = 0, at = 0; i < info.num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, NULL), &(carom_error){0});
    assert_int_equal(expect_data(file, "NumberOfPoints", n, 1)[i], frame.num_contacts);
    assert_int_equal(expect_data(file, "Steps/PointOffsets", n, 1)[i], at);
    assert_int_equal(expect_data(file, "Steps/CellOffsets", n, 4)[4 * i], at);
    assert_int_equal(expect_data(file, "Steps/PartOffsets", n, 1)[i], i);
    for (int k = 0; k < frame.num_contacts; k++, at++)
      check_near(forces[at][2] * info.dt, frame.contacts[k].impulse[2], 1e-15);
  }
  H5Fclose(file);
  carom_recording_close(recording);
}

/* --- What goes wrong ----------------------------------------------------------------------------
 */

static const char* const NAMES[] = {"out.csv", "out.pvd", "out.vtkhdf", "out.glb", "out.gltf"};

static void refuse(carom_recording* recording, const char* path, const carom_convert_def* def,
                   carom_status expected, const char* sentence) {
  carom_error error;
  assert_int_equal(carom_convert_recording(recording, path, def, NULL, &error), expected);
  assert_int_equal(error.status, expected);
  if (!strstr(error.message, sentence)) fail_msg("'%s', expected '%s'", error.message, sentence);
}

static void test_refusals(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.1, 0);
  carom_recording* recording = check_open_recording(recording_path);
  carom_convert_def def = {.rate = 60};
  refuse(recording, "x", &def, CAROM_ERROR_INVALID_ARGUMENT, "carom_convert_def_default");
  refuse(recording, NULL, NULL, CAROM_ERROR_INVALID_ARGUMENT, "null");
  refuse(NULL, "x", NULL, CAROM_ERROR_INVALID_ARGUMENT, "null");
  def = carom_convert_def_default();
  def.rate = -1;
  refuse(recording, "x", &def, CAROM_ERROR_INVALID_ARGUMENT, "rate is -1");
  def.rate = 0, def.from = NAN;
  refuse(recording, "x", &def, CAROM_ERROR_INVALID_ARGUMENT, "no number");
  def.from = 1, def.until = 2;
  refuse(recording, "x", &def, CAROM_ERROR_INVALID_ARGUMENT, "no frame from 1 s to 2 s");
  def = carom_convert_def_default();
  def.format = (carom_convert_format)7;
  refuse(recording, "x", &def, CAROM_ERROR_INVALID_ARGUMENT, "no format 7");
  def = carom_convert_def_default();
  def.columns = CAROM_TABLE_POINTS | CAROM_TABLE_Q;
  refuse(recording, "x", &def, CAROM_ERROR_INVALID_ARGUMENT, "stand alone");
  carom_recording_close(recording);
}

static void test_targets_that_cannot_be_written(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.1, 0);
  carom_recording* recording = check_open_recording(recording_path);
  for (int format = 0; format <= CAROM_CONVERT_GLTF; format++) {
    carom_convert_def def = carom_convert_def_default();
    char path[64];
    def.format = (carom_convert_format)format;
    snprintf(path, sizeof path, "/nowhere/%s", NAMES[format]);
    refuse(recording, path, &def, CAROM_ERROR_FILE, "cannot be created: No such file or directory");
    bool is_one_file = format != CAROM_CONVERT_PVD && format != CAROM_CONVERT_VTKHDF;
    if (is_one_file && access("/dev/full", W_OK) == 0)
      refuse(recording, "/dev/full", &def, CAROM_ERROR_FILE,
             "/dev/full: cannot be written: No space left on device");
  }
  carom_recording_close(recording);
}

static void test_damage(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.2, 0);
  check_damage_recording(recording_path, 20);
  carom_recording* recording = check_open_recording(recording_path);
  for (int format = 0; format <= CAROM_CONVERT_GLTF; format++) {
    carom_convert_def def = carom_convert_def_default();
    def.format = (carom_convert_format)format;
    carom_convert_report report = convert(recording, &def, NAMES[format]);
    assert_true(report.num_frames == 19 && report.num_unread == 22);
    assert_non_null(strstr(report.unread.message, "does not ascend"));
  }
  carom_recording_close(recording);
  check_damage_recording(recording_path, 0);
  recording = check_open_recording(recording_path);
  refuse(recording, name_output("out.csv"), NULL, CAROM_ERROR_BAD_INPUT,
         "holds no frame that can be read");
  carom_recording_close(recording);
}

static void test_early_recording(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.1, 0);
  check_strip_recording(recording_path);
  carom_recording* recording = check_open_recording(recording_path);
  carom_convert_def def = carom_convert_def_default();
  def.columns |= CAROM_TABLE_POSES;
  assert_int_equal(convert(recording, &def, "out.csv").num_frames, 21);
  char* text = read_text(out_path);
  assert_memory_equal(text, "time,q0,q1,", 11);
  assert_non_null(strstr(text, ",body1.pose.x,"));
  free(text);
  for (int format = 1; format <= CAROM_CONVERT_GLTF; format++) {
    def.format = (carom_convert_format)format;
    refuse(recording, name_output(NAMES[format]), &def, CAROM_ERROR_UNSUPPORTED, "early version");
  }
  carom_recording_close(recording);
}

static bool stop_at_third(void* user, int done, int count) {
  *(int*)user = done;
  return done < 3 || count < 3;
}

static void test_interruption(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.1, 0);
  carom_recording* recording = check_open_recording(recording_path);
  for (int format = 0; format <= CAROM_CONVERT_GLTF; format++) {
    carom_convert_def def = carom_convert_def_default();
    int done = 0;
    def.format = (carom_convert_format)format;
    def.progress = stop_at_third, def.user = &done;
    refuse(recording, name_output(NAMES[format]), &def, CAROM_ERROR_INTERRUPTED, "stopped");
    assert_int_equal(done, 3);
  }
  carom_recording_close(recording);
}

static void test_out_of_memory(void** state) {
  (void)state;
  check_record(recording_path, SCENE, NULL, 0.02, 0);
  carom_recording* recording = check_open_recording(recording_path);
  for (int format = 0; format <= CAROM_CONVERT_GLTF; format++) {
    bool done = false;
    for (int i = 0; !done; i++) {
      check_memory memory = check_memory_make();
      carom_convert_def def = carom_convert_def_default();
      carom_error error;
      def.format = (carom_convert_format)format;
      def.allocator = check_memory_hooks(&memory);
      memory.fail_at = i;
      carom_status status =
          carom_convert_recording(recording, name_output(NAMES[format]), &def, NULL, &error);
      check_memory_expect_empty(&memory);
      done = status == CAROM_OK;
      assert_true(i < 1000 && (done || status == CAROM_ERROR_OUT_OF_MEMORY));
    }
  }
  carom_recording_close(recording);
}

static int enter(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "test_convert.%ld", (long)getpid());
  snprintf(recording_path, sizeof recording_path, "%s/in.h5", folder);
  return mkdir(folder, 0777);
}

static int leave(void** state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table_is_the_recording),
      cmocka_unit_test(test_table_of_points),
      cmocka_unit_test(test_frames),
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_velocities),
      cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_surface_of_mesh),
      cmocka_unit_test(test_vtkhdf_of_bodies),
      cmocka_unit_test(test_vtkhdf_of_contacts),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_targets_that_cannot_be_written),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_early_recording),
      cmocka_unit_test(test_interruption),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
