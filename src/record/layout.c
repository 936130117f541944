/* The table of a recording's datasets, and rows of them. */
#include "record/layout.h"

#include <stdint.h>

/* In the order of cr_stream_id. */
const cr_stream_spec cr_stream_specs[] = {
    {"time", CR_CELL_REAL, 0, 0, "s", "simulated time"},
    {"q", CR_CELL_REAL, CR_COUNT_Q, 0, "m, rad or 1",
     "coordinates in the order of the joints; quaternions are w x y z"},
    {"v", CR_CELL_REAL, CR_COUNT_V, 0, "m/s or rad/s", "velocities in the order of the joints"},
    {"ctrl", CR_CELL_REAL, CR_COUNT_CTRL, 0, "by actuator", "controls"},
    {"bodies/pose", CR_CELL_REAL, CR_COUNT_BODIES, 7, "m and 1",
     "position of the body frame's origin, quaternion w x y z"},
    {"energy", CR_CELL_REAL, 4, 0, "J", "kinetic, potential, elastic; dissipated since the start"},
    {"steps/count", CR_CELL_INT, 0, 0, "1", "steps since the frame before"},
    {"steps/substeps", CR_CELL_INT, 0, 0, "1", "most parts that a step was taken in"},
    {"steps/iterations", CR_CELL_INT, 0, 0, "1", "most Newton iterations of a step"},
    {"steps/outer_iterations", CR_CELL_INT, 0, 0, "1",
     "most proximal and friction iterations of a step"},
    {"steps/error_bound", CR_CELL_REAL, 0, 0, "1",
     "largest bound on the velocity error, relative; inf where rows are rigid"},
    {"steps/residual", CR_CELL_REAL, 0, 0, "1", "largest natural residual, relative"},
    {"steps/stick_slip", CR_CELL_REAL, 0, 0, "m/s", "largest slip of a sticking contact"},
    {"steps/actuator_work", CR_CELL_REAL, 0, 0, "J", "work of the actuators since the start"},
    {"steps/wall_time", CR_CELL_REAL, 0, 0, "s", "time that the steps took"},
    {"com", CR_CELL_REAL, 3, 0, "m", "centre of mass of everything, world frame"},
    {"momentum", CR_CELL_REAL, 6, 0, "kg m/s and kg m^2/s",
     "linear momentum of everything, angular momentum about the world's origin"},
    {"sensors/readings", CR_CELL_REAL, CR_COUNT_READINGS, 0, "by sensor",
     "readings of all sensors; see /sensors/name, unit and columns"},
    {"act", CR_CELL_REAL, CR_COUNT_ACT, 0, "by actuator",
     "activations of the actuators that have one"},
    {"attachments/reaction", CR_CELL_REAL, CR_COUNT_ATTACHMENTS, 6, "N and N m",
     "of attachments on their soft bodies in the last step: force, moment about the mean place of "
     "their nodes, world frame"},
    {"joints/reaction", CR_CELL_REAL, CR_COUNT_REACTING_JOINTS, 6, "N and N m",
     "of joints on their bodies in the last step: force, moment about the joint's anchor, world "
     "frame"},
    {"equalities/reaction", CR_CELL_REAL, CR_COUNT_REACTING_EQUALITIES, 6, "N and N m",
     "of equalities on body 2 in the last step: force, moment about its anchor, world frame; of "
     "joints and tendons first what acts along the first one"},
    {"areas/offset", CR_CELL_WIDE, 0, 0, "1",
     "first triangle of each frame, and one past the last one"},
    {"contacts/offset", CR_CELL_WIDE, 0, 0, "1",
     "first contact of each frame, and one past the last one"},
    {"contacts/geom", CR_CELL_INT, 2, 0, "1", "the two geometries"},
    {"contacts/point", CR_CELL_REAL, 3, 0, "m", "place, world frame"},
    {"contacts/normal", CR_CELL_REAL, 3, 0, "1",
     "unit normal from the first to the second geometry, world frame"},
    {"contacts/impulse", CR_CELL_REAL, 3, 0, "N s",
     "on the second geometry's body in the last step, world frame"},
    {"contacts/distance", CR_CELL_REAL, 0, 0, "m", "signed distance, negative in penetration"},
    {"contacts/slip", CR_CELL_REAL, 0, 0, "m/s", "relative sliding speed"},
    {"contacts/state", CR_CELL_BYTE, 0, 0, "1", "0: separated, 1: sticking, 2: sliding"},
    {"contacts/moment", CR_CELL_REAL, 3, 0, "N m s",
     "of torsional and rolling friction about the point, as the impulse"},
    {"contacts/area", CR_CELL_REAL, 0, 0, "m^2",
     "of the area of its patch, what the point stands for; 0: not known"},
    {"contacts/area_error", CR_CELL_REAL, 0, 0, "1",
     "relative, of the moment of friction of its patch's area, at most; 0: no area"},
    {"contacts/shared_force", CR_CELL_INT, 0, 0, "1",
     "contacts of one number share a force that is one of many; 0: determined, or not asked for"},
    {"areas/triangle", CR_CELL_REAL, 3, 4, "m and Pa",
     "of the areas over which contacts press: place of each corner, world frame, pressure there"},
};
_Static_assert(sizeof cr_stream_specs / sizeof cr_stream_specs[0] == CR_NUM_STREAMS,
               "one row for each stream");

static size_t cell_size(cr_cell cell) {
  static const size_t sizes[] = {sizeof(double), sizeof(int32_t), sizeof(int64_t), sizeof(int8_t)};
  return sizes[cell];
}

hid_t cr_cell_get_file_type(cr_cell cell) {
  hid_t types[] = {H5T_IEEE_F64LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_I8LE};
  return types[cell];
}

hid_t cr_cell_get_memory_type(cr_cell cell) {
  hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_INT8};
  return types[cell];
}

static int resolve_count(int columns, const cr_record_sizes* sizes) {
  switch (columns) {
  case CR_COUNT_Q:
    return sizes->num_q;
  case CR_COUNT_V:
    return sizes->num_v;
  case CR_COUNT_CTRL:
    return sizes->num_ctrl;
  case CR_COUNT_BODIES:
    return sizes->num_bodies;
  case CR_COUNT_READINGS:
    return sizes->num_readings;
  case CR_COUNT_ACT:
    return sizes->num_act;
  case CR_COUNT_ATTACHMENTS:
    return sizes->num_attachments;
  case CR_COUNT_REACTING_JOINTS:
    return sizes->num_reacting_joints;
  case CR_COUNT_REACTING_EQUALITIES:
    return sizes->num_reacting_equalities;
  default:
    return columns;
  }
}

cr_row_shape cr_stream_compute_shape(const cr_stream_spec* spec, const cr_record_sizes* sizes) {
  cr_row_shape shape = {.rank = 1, .cells = 1};
  for (int k = 0; k < 2; k++) {
    int columns = k ? spec->columns2 : spec->columns;
    if (columns == 0) break;
    int count = resolve_count(columns, sizes);
    shape.dims[shape.rank++] = (hsize_t)count;
    shape.cells *= (size_t)count;
  }
  shape.bytes = shape.cells * cell_size(spec->cell);
  return shape;
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

/* Spaces in the file and in memory for a run of rows; closed by close_run. */
typedef struct run {
  hid_t file, memory;
} run;

static run select_run(hid_t dataset, const cr_row_shape* shape, hsize_t start, hsize_t count) {
  hsize_t first[3] = {start, 0, 0}, extent[3] = {count, shape->dims[1], shape->dims[2]};
  run r = {H5Dget_space(dataset), H5Screate_simple(shape->rank, extent, NULL)};
  if (r.file >= 0) H5Sselect_hyperslab(r.file, H5S_SELECT_SET, first, NULL, extent, NULL);
  return r;
}

static void close_run(run r) {
  if (r.file >= 0) H5Sclose(r.file);
  if (r.memory >= 0) H5Sclose(r.memory);
}

bool cr_stream_read_rows(hid_t dataset, const cr_stream_spec* spec, const cr_row_shape* shape,
                         hsize_t start, hsize_t count, void* rows) {
  if (count * shape->cells == 0) return true;
  run r = select_run(dataset, shape, start, count);
  hid_t type = cr_cell_get_memory_type(spec->cell);
  bool done = H5Dread(dataset, type, r.memory, r.file, H5P_DEFAULT, rows) >= 0;
  close_run(r);
  return done;
}

bool cr_stream_write_rows(hid_t dataset, const cr_stream_spec* spec, const cr_row_shape* shape,
                          hsize_t start, hsize_t count, const void* rows) {
  if (count * shape->cells == 0) return true;
  run r = select_run(dataset, shape, start, count);
  hid_t type = cr_cell_get_memory_type(spec->cell);
  bool done = H5Dwrite(dataset, type, r.memory, r.file, H5P_DEFAULT, rows) >= 0;
  close_run(r);
  return done;
}
