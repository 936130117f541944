/* Soft bodies on their way to ParaView: cells are the model's elements and triangles, points and
 * velocities those of the frame, the stress that of a closed form and of the simulation. The files
 * are read in test/cli/test_convert_softs.py. */
#include "convert/vtk_softs.h"
#include "support/check.h"
#include "support/recording.h"

#include "carom/scene.h"
#include "carom/sim.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The second body has ten nodes an element; it sags where it is held. */
static const char SCENE[] =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<flexcomp name='cube' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' pos='0 0 .1' "
    "radius='0' rgba='.2 .4 .6 1' carom:density='900'><elasticity young='1e5' poisson='.4' "
    "damping='.01'/></flexcomp>"
    "<flexcomp name='beam' type='grid' dim='3' count='3 2 2' spacing='.1 .1 .1' pos='1 0 1' "
    "radius='0' carom:quadratic='true'><elasticity young='1e5' poisson='.3'/>"
    "<pin carom:box='-.11 -1 -1 -.09 1 1'/></flexcomp></worldbody></mujoco>";

static char path[64];

typedef struct fixture {
  carom_allocator allocator;
  cr_convert_job job;
  cr_arena arena;
  cr_vtk_softs softs, skins;
} fixture;

static void open_all(fixture* f) {
  carom_error error;
  f->allocator = cr_allocator_resolve(NULL);
  f->job = (cr_convert_job){.recording = check_open_recording(path), .allocator = &f->allocator};
  f->job.info = carom_recording_get_info(f->job.recording);
  cr_arena_init(&f->arena, &f->allocator);
  check_ok(cr_vtk_softs_init(&f->softs, &f->job, true, &f->arena, &error), &error);
  check_ok(cr_vtk_softs_init(&f->skins, &f->job, false, &f->arena, &error), &error);
}

static void close_all(fixture* f) {
  cr_arena_destroy(&f->arena);
  carom_recording_close(f->job.recording);
}

/* Cells of one body, whose nodes come after those of the bodies before. */
static void expect_cells(const cr_vtk_mesh* mesh, int64_t* cell, int64_t first, int count,
                         int width, const int* nodes) {
  const int64_t* ids = mesh->slots[CR_VTK_SLOT_CONNECTIVITY].data;
  const int64_t* offsets = mesh->slots[CR_VTK_SLOT_OFFSETS].data;
  for (int i = 0; i < count; i++, (*cell)++) {
    assert_int_equal(offsets[*cell + 1] - offsets[*cell], width);
    for (int k = 0; k < width; k++)
      assert_int_equal(ids[offsets[*cell] + k], first + nodes[width * i + k]);
  }
}

static void test_cells(void** state) {
  (void)state;
  fixture f;
  open_all(&f);
  int64_t cell = 0, triangle = 0, first = 0;
  const uint8_t* types = f.softs.mesh.slots[CR_VTK_SLOT_TYPES].data;
  for (int i = 0; i < 2; i++) {
    carom_soft_info s = carom_recording_get_soft(f.job.recording, i);
    assert_int_equal(types[cell], i == 0 ? 10 : 24); /* VTK_TETRA, VTK_QUADRATIC_TETRA */
    expect_cells(&f.softs.mesh, &cell, first, s.num_elements, s.nodes_per_element, s.elements);
    expect_cells(&f.skins.mesh, &triangle, first, s.num_triangles, 3, s.triangles);
    first += s.num_nodes;
  }
  assert_true(cell == f.softs.mesh.num_cells && triangle == f.skins.mesh.num_cells);
  assert_true(first == f.softs.mesh.num_points && first == f.skins.mesh.num_points);
  close_all(&f);
}

/* Stretched by s along x: Cauchy's stress of the corotated law is (2 mu + lambda)(s - 1) along x
 * and lambda (s - 1) / s across. Green's strain is (s² - 1) / 2 along x only, whose deviator e has
 * e:e two thirds of its square. */
static void test_values_of_a_stretch(void** state) {
  (void)state;
  fixture f;
  carom_frame frame;
  carom_error error;
  const double stretch = 1.25;
  open_all(&f);
  check_ok(carom_recording_read(f.job.recording, 0, &frame, &error), &error);
  double* q = calloc((size_t)f.job.info.num_q, sizeof *q);
  for (int i = 0; i < f.job.info.num_q; i++) q[i] = frame.q[i] * (i % 3 == 0 ? stretch : 1);
  frame.q = q;
  check_ok(cr_vtk_softs_update(&f.softs, &frame, &error), &error);
  const float *stress = f.softs.stresses, *strain = f.softs.strains;
  for (int i = 0; i < 2; i++) {
    carom_soft_info s = carom_recording_get_soft(f.job.recording, i);
    double mu = s.young / (2 * (1 + s.poisson));
    double lambda = s.young * s.poisson / ((1 + s.poisson) * (1 - 2 * s.poisson));
    double along = (2 * mu + lambda) * (stretch - 1), across = lambda * (stretch - 1) / stretch;
    for (int e = 0; e < s.num_elements; e++) {
      check_near((double)*stress++, along - across, 1e-6 * along);
      check_near((double)*strain++, (stretch * stretch - 1) / 3, 1e-7);
    }
  }
  free(q);
  close_all(&f);
}

/* In the last frame, of a cube that lies on the ground and a beam that sags. */
static void test_frame_is_the_states(void** state) {
  (void)state;
  fixture f;
  carom_model* model;
  carom_sim* sim;
  carom_frame frame;
  carom_error error;
  open_all(&f);
  check_ok(carom_model_load_string(SCENE, strlen(SCENE), "s", NULL, &model, &error), &error);
  check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
  check_ok(carom_recording_read(f.job.recording, f.job.info.num_frames - 1, &frame, &error),
           &error);
  check_ok(carom_sim_set_state(sim, frame.time, frame.q, frame.v, &error), &error);
  check_ok(cr_vtk_softs_update(&f.softs, &frame, &error), &error);
  check_ok(cr_vtk_softs_update(&f.skins, &frame, &error), &error);
  const float* stress = f.softs.stresses;
  int point = 0;
  for (int i = 0; i < 2; i++) {
    carom_soft_info s = carom_recording_get_soft(f.job.recording, i);
    double expected[512], largest = 0;
    assert_true(s.num_elements <= 512);
    carom_sim_compute_soft_stress(sim, i, expected);
    for (int e = 0; e < s.num_elements; e++) largest = fmax(largest, expected[e]);
    assert_true(largest > 100);
    for (int e = 0; e < s.num_elements; e++)
      check_near((double)*stress++, expected[e], 1e-6 * largest);
    for (int n = 0; n < 3 * s.num_nodes; n++) {
      int p = point + n / 3, k = n % 3;
      assert_true(f.softs.positions[p][k] == (float)frame.q[s.q_address + n]);
      assert_true(f.softs.velocities[p][k] == (float)frame.v[s.v_address + n]);
      assert_true(f.skins.positions[p][k] == f.softs.positions[p][k]);
    }
    double nodes[512];
    check_ok(carom_recording_compute_soft_stress(f.job.recording, i, frame.q, NULL, nodes, &error),
             &error);
    for (int n = 0; n < s.num_nodes; n++)
      assert_true(f.skins.stresses[point + n] == (float)nodes[n]);
    check_ok(carom_recording_compute_soft_strain(f.job.recording, i, frame.q, NULL, nodes, &error),
             &error);
    for (int n = 0; n < s.num_nodes; n++)
      assert_true(f.skins.strains[point + n] == (float)nodes[n]);
    point += s.num_nodes;
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  close_all(&f);
}

/* --- VTKHDF: the published layout ---------------------------------------------------------------
 */

static int64_t numbers[1 << 16];

/* Whole numbers of a dataset of one dimension. */
static const int64_t* read_whole(hid_t file, const char* name, hsize_t count) {
  char whole[128];
  hsize_t extent;
  snprintf(whole, sizeof whole, "VTKHDF/%s", name);
  hid_t dataset = H5Dopen2(file, whole, H5P_DEFAULT), space = H5Dget_space(dataset);
  assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
  H5Sget_simple_extent_dims(space, &extent, NULL);
  assert_int_equal(extent, count);
  assert_true(extent <= sizeof numbers / sizeof *numbers);
  assert_true(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Sclose(space), H5Dclose(dataset);
  return numbers;
}

/* The grid's cells are there once; points and stress of every frame follow each other. */
static void test_grid_of_vtkhdf(void** state) {
  (void)state;
  char folder[] = "/tmp/carom-XXXXXX", name[64], type[32] = "";
  carom_error error;
  carom_convert_report report;
  fixture f;
  open_all(&f);
  assert_non_null(mkdtemp(folder));
  snprintf(name, sizeof name, "%s/out.vtkhdf", folder);
  carom_convert_def def = carom_convert_def_default();
  def.format = CAROM_CONVERT_VTKHDF;
  check_ok(carom_convert_recording(f.job.recording, name, &def, &report, &error), &error);
  assert_int_equal(report.num_files, 4);
  snprintf(name, sizeof name, "%s/out_soft.vtkhdf", folder);
  hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t attribute = H5Aopen_by_name(file, "VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
  hid_t kind = H5Aget_type(attribute);
  H5Aread(attribute, kind, type), H5Tclose(kind), H5Aclose(attribute);
  assert_string_equal(type, "UnstructuredGrid");
  hsize_t steps = (hsize_t)report.num_frames, cells = (hsize_t)f.softs.mesh.num_cells;
  hsize_t points = (hsize_t)f.softs.mesh.num_points;
  assert_true(steps > 3);
  assert_int_equal(*read_whole(file, "NumberOfCells", 1), cells);
  assert_int_equal(*read_whole(file, "NumberOfPoints", 1), points);
  hsize_t ids = (hsize_t)*read_whole(file, "NumberOfConnectivityIds", 1);
  assert_memory_equal(read_whole(file, "Connectivity", ids),
                      f.softs.mesh.slots[CR_VTK_SLOT_CONNECTIVITY].data, ids * sizeof(int64_t));
  assert_int_equal(read_whole(file, "Offsets", cells + 1)[cells], ids);
  assert_int_equal(read_whole(file, "Types", cells)[cells - 1], 24);
  assert_int_equal(read_whole(file, "Steps/CellOffsets", steps)[steps - 1], 0);
  assert_int_equal(read_whole(file, "Steps/PointOffsets", steps)[3], 3 * points);
  assert_int_equal(read_whole(file, "Steps/CellDataOffsets/von_mises", steps)[3], 3 * cells);
  read_whole(file, "CellData/von_mises", steps * cells);
  read_whole(file, "CellData/von_mises_strain", steps * cells);
  H5Fclose(file);
  const char* const TAILS[] = {"", "_contacts", "_soft", "_soft_surface"};
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s/out%s.vtkhdf", folder, TAILS[i]);
    assert_int_equal(unlink(name), 0);
  }
  rmdir(folder);
  close_all(&f);
}

static int enter(void** state) {
  (void)state;
  return check_record_temporary(path, SCENE, 0.25, 20);
}

static int leave(void** state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cells),
      cmocka_unit_test(test_values_of_a_stretch),
      cmocka_unit_test(test_frame_is_the_states),
      cmocka_unit_test(test_grid_of_vtkhdf),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
