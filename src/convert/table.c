/* Tables of frames in CSV: the names of the columns come from a model or from a recording of one,
 * the rows from frames. */
#include "carom/table.h"

#include "base/alloc.h"
#include "base/cookie.h"
#include "convert/table_contacts.h"
#include "io/file.h"

#include <string.h>

struct carom_table {
  carom_allocator allocator;
  cr_file file;
  unsigned columns;
  int num_q, num_v, num_ctrl, num_bodies, num_readings, num_attachments;
  int num_reacting_joints, num_reacting_equalities;
  double dt;                        /* s */
  const carom_recording* recording; /* for pairs of bodies, else null */
  size_t path_size;
  char path[];
};

/* --- Names --------------------------------------------------------------------------------------
 */

/* Where names come from: one of the two is null. */
typedef struct source {
  const carom_model* model;
  const carom_recording* recording;
  int num_q, num_v, num_ctrl, num_bodies, num_joints, num_sensors, num_readings, num_attachments;
  int num_reacting_joints, num_reacting_equalities; /* all, or none */
} source;

static source make_source(const carom_table_def* def) {
  if (def->model) {
    carom_model_sizes s = carom_model_get_sizes(def->model);
    return (source){def->model,        NULL,           s.num_q,
                    s.num_v,           s.num_controls, s.num_bodies,
                    s.num_joints,      s.num_sensors,  s.num_readings,
                    s.num_attachments, s.num_joints,   s.num_equalities};
  }
  carom_recording_info i = carom_recording_get_info(def->recording);
  return (source){NULL,
                  def->recording,
                  i.num_q,
                  i.num_v,
                  i.num_ctrl,
                  i.num_bodies,
                  i.num_joints,
                  i.num_sensors,
                  i.num_readings,
                  i.num_attachments,
                  i.has_joint_reactions ? i.num_joints : 0,
                  i.has_equality_reactions ? i.num_equalities : 0};
}

static carom_joint_info get_joint(const source* s, int index) {
  return s->model ? carom_model_get_joint(s->model, index)
                  : carom_recording_get_joint(s->recording, index);
}

static const char* get_body_name(const source* s, int index) {
  return s->model ? carom_model_get_body(s->model, index).name
                  : carom_recording_get_body(s->recording, index).name;
}

/* Those of the joints; of soft bodies, whose nodes would be thousands of columns, a recording
 * tells.
 */
static source leave_out_nodes(source s) {
  if (s.num_joints > 0) {
    static const int NUM_Q[] = {7, 4, 1, 1}, NUM_V[] = {6, 3, 1, 1};
    carom_joint_info last = get_joint(&s, s.num_joints - 1);
    s.num_q = last.q_address + NUM_Q[last.type];
    s.num_v = last.v_address + NUM_V[last.type];
  } else if (s.model) {
    s.num_q = s.num_v = 0;
  }
  return s;
}

/* What a part is called: its name, or "kind" and its number. */
static void name_part(const char* given, const char* kind, int index, char* name, size_t size) {
  if (given[0])
    snprintf(name, size, "%s", given);
  else
    snprintf(name, size, "%s%d", kind, index);
}

/* What the columns of a joint are called: its name, its body's where that has no other, or its
 * number. */
static void name_joint(const source* s, int joint, char* name, size_t size) {
  carom_joint_info info = get_joint(s, joint);
  const char* given = info.name[0] ? info.name : get_body_name(s, info.body);
  for (int j = 0; j < s->num_joints && !info.name[0]; j++)
    if (j != joint && get_joint(s, j).body == info.body) given = "";
  name_part(given, "joint", joint, name, size);
}

/* --- Header -------------------------------------------------------------------------------------
 */

/* Whether a spreadsheet takes a cell for a formula; one before it an apostrophe makes it text. */
static bool is_formula(const char* name) { return name[0] && strchr("=+-@\t\r", name[0]); }

/* A column "name.part"; names with commas, quotes or controls, and what begins like a formula,
 * stand in quotes. */
static void put_column(cr_file* file, const char* name, const char* part) {
  bool is_plain = !is_formula(name) && !strpbrk(name, ",\"");
  for (const char* at = name; *at; at++) is_plain = is_plain && (unsigned char)*at >= 0x20;
  if (is_plain) {
    cr_file_print(file, ",%s.%s", name, part);
    return;
  }
  cr_file_put_text(file, is_formula(name) ? ",\"'" : ",\"");
  for (; *name; name++) cr_file_print(file, *name == '"' ? "\"\"" : "%c", *name);
  cr_file_print(file, ".%s\"", part);
}

static void put_columns(cr_file* file, const char* name, const char* const* parts, int count) {
  for (int k = 0; k < count; k++) put_column(file, name, parts[k]);
}

static const char* const POSE[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char* const TWIST[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

static void put_joint(cr_file* file, const char* name, carom_joint_type type, bool velocities) {
  static const char *const Q[] = {"q"}, *const V[] = {"v"};
  bool is_ball = type == CAROM_JOINT_BALL;
  if (type == CAROM_JOINT_SLIDE || type == CAROM_JOINT_HINGE)
    put_columns(file, name, velocities ? V : Q, 1);
  else if (velocities)
    put_columns(file, name, TWIST + (is_ball ? 3 : 0), is_ball ? 3 : 6);
  else
    put_columns(file, name, POSE + (is_ball ? 3 : 0), is_ball ? 4 : 7);
}

/* Coordinates or velocities; numbered where the recording says nothing of joints. */
static void put_joints(cr_file* file, const source* s, bool velocities) {
  char name[256];
  for (int j = 0; j < s->num_joints; j++) {
    name_joint(s, j, name, sizeof name);
    put_joint(file, name, get_joint(s, j).type, velocities);
  }
  for (int i = 0; i < (velocities ? s->num_v : s->num_q) && s->num_joints == 0; i++)
    cr_file_print(file, velocities ? ",v%d" : ",q%d", i);
}

static void put_controls(cr_file* file, const source* s) {
  char name[256];
  for (int i = 0; i < s->num_ctrl; i++) {
    if (s->model)
      carom_model_get_control_name(s->model, i, name, sizeof name);
    else
      name_part("", "actuator", i, name, sizeof name);
    put_column(file, name, "ctrl");
  }
}

static void put_poses(cr_file* file, const source* s) {
  static const char* const PARTS[] = {"pose.x",  "pose.y",  "pose.z", "pose.qw",
                                      "pose.qx", "pose.qy", "pose.qz"};
  char name[256];
  for (int body = 1; body < s->num_bodies; body++) {
    name_part(get_body_name(s, body), "body", body, name, sizeof name);
    put_columns(file, name, PARTS, 7);
  }
}

static carom_sensor_info get_sensor(const source* s, int index) {
  return s->model ? carom_model_get_sensor(s->model, index)
                  : carom_recording_get_sensor(s->recording, index);
}

/* Vectors by their axes, quaternions by their parts, others by number. */
static void put_sensor(cr_file* file, const char* name, int dim) {
  static const char* const VECTOR[] = {"sensor.x", "sensor.y", "sensor.z"};
  static const char* const TURN[] = {"sensor.qw", "sensor.qx", "sensor.qy", "sensor.qz"};
  char part[32];
  if (dim == 1) put_column(file, name, "sensor");
  if (dim == 3) put_columns(file, name, VECTOR, 3);
  if (dim == 4) put_columns(file, name, TURN, 4);
  for (int k = 0; k < dim && (dim == 2 || dim > 4); k++) {
    snprintf(part, sizeof part, "sensor.%d", k);
    put_column(file, name, part);
  }
}

static void put_sensors(cr_file* file, const source* s) {
  char name[256];
  for (int i = 0; i < s->num_sensors; i++) {
    carom_sensor_info info = get_sensor(s, i);
    name_part(info.name, "sensor", i, name, sizeof name);
    put_sensor(file, name, info.dim);
  }
}

static carom_attachment_info get_attachment(const source* s, int index) {
  return s->model ? carom_model_get_attachment(s->model, index)
                  : carom_recording_get_attachment(s->recording, index);
}

static const char* const REACTION[] = {"reaction.fx", "reaction.fy", "reaction.fz",
                                       "reaction.mx", "reaction.my", "reaction.mz"};

static void put_reactions(cr_file* file, const source* s) {
  char name[256];
  for (int i = 0; i < s->num_attachments; i++) {
    name_part(get_attachment(s, i).name, "attachment", i, name, sizeof name);
    put_columns(file, name, REACTION, 6);
  }
}

static void put_joint_reactions(cr_file* file, const source* s) {
  char name[256];
  for (int i = 0; i < s->num_reacting_joints; i++) {
    name_joint(s, i, name, sizeof name);
    put_columns(file, name, REACTION, 6);
  }
}

static void put_equality_reactions(cr_file* file, const source* s) {
  char name[256];
  for (int i = 0; i < s->num_reacting_equalities; i++) {
    const char* given = s->model ? carom_model_get_equality(s->model, i).name
                                 : carom_recording_get_equality(s->recording, i).name;
    name_part(given, "equality", i, name, sizeof name);
    put_columns(file, name, REACTION, 6);
  }
}

static void put_header(carom_table* t, const source* s) {
  cr_file* file = &t->file;
  unsigned columns = t->columns;
  cr_file_put_text(file, "time");
  if (columns & CAROM_TABLE_Q) put_joints(file, s, false);
  if (columns & CAROM_TABLE_V) put_joints(file, s, true);
  if (columns & CAROM_TABLE_CTRL) put_controls(file, s);
  if (columns & CAROM_TABLE_POSES) put_poses(file, s);
  if (columns & CAROM_TABLE_ENERGY) cr_file_put_text(file, ",kinetic,potential,elastic,dissipated");
  if (columns & CAROM_TABLE_CONTACTS) cr_file_put_text(file, ",contacts");
  if (columns & CAROM_TABLE_SOLVER) cr_file_put_text(file, ",iterations,residual");
  if (columns & CAROM_TABLE_STEPS)
    cr_file_put_text(file, ",steps,substeps,outer_iterations,error_bound,stick_slip,actuator_work,"
                           "wall_time");
  if (columns & CAROM_TABLE_SENSORS) put_sensors(file, s);
  if (columns & CAROM_TABLE_REACTIONS) put_reactions(file, s);
  if (columns & CAROM_TABLE_JOINT_REACTIONS) put_joint_reactions(file, s);
  if (columns & CAROM_TABLE_EQUALITY_REACTIONS) put_equality_reactions(file, s);
  if (columns & CAROM_TABLE_POINTS) cr_table_put_points_header(file);
  if (columns & CAROM_TABLE_PAIRS) cr_table_put_pairs_header(file);
  cr_file_put_text(file, "\n");
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

static void put_row(carom_table* t, const carom_frame* f) {
  cr_file* file = &t->file;
  cr_file_print(file, "%.17g", f->time);
  if (t->columns & CAROM_TABLE_Q) cr_table_put_numbers(file, f->q, t->num_q);
  if (t->columns & CAROM_TABLE_V) cr_table_put_numbers(file, f->v, t->num_v);
  if (t->columns & CAROM_TABLE_CTRL) cr_table_put_numbers(file, f->ctrl, t->num_ctrl);
  if (t->columns & CAROM_TABLE_POSES)
    cr_table_put_numbers(file, f->poses + 7, 7 * (t->num_bodies - 1));
  if (t->columns & CAROM_TABLE_ENERGY) cr_table_put_numbers(file, f->energy, 4);
  if (t->columns & CAROM_TABLE_CONTACTS) cr_file_print(file, ",%d", f->num_contacts);
  if (t->columns & CAROM_TABLE_SOLVER) cr_file_print(file, ",%d,%.17g", f->iterations, f->residual);
  if (t->columns & CAROM_TABLE_STEPS)
    cr_file_print(file, ",%d,%d,%d,%.17g,%.17g,%.17g,%.17g", f->steps, f->substeps,
                  f->outer_iterations, f->error_bound, f->stick_slip, f->actuator_work,
                  f->wall_time);
  if (t->columns & CAROM_TABLE_SENSORS) cr_table_put_numbers(file, f->sensors, t->num_readings);
  if (t->columns & CAROM_TABLE_REACTIONS)
    cr_table_put_numbers(file, f->reactions, 6 * t->num_attachments);
  if (t->columns & CAROM_TABLE_JOINT_REACTIONS)
    cr_table_put_numbers(file, f->joint_reactions, 6 * t->num_reacting_joints);
  if (t->columns & CAROM_TABLE_EQUALITY_REACTIONS)
    cr_table_put_numbers(file, f->equality_reactions, 6 * t->num_reacting_equalities);
  cr_file_put_text(file, "\n");
}

void carom_table_append(carom_table* table, const carom_frame* frame) {
  if (table->columns & CAROM_TABLE_POINTS)
    cr_table_put_points(&table->file, frame, table->dt);
  else if (table->columns & CAROM_TABLE_PAIRS)
    cr_table_put_pairs(&table->file, table->recording, frame);
  else
    put_row(table, frame);
}

/* --- Creating -----------------------------------------------------------------------------------
 */

carom_table_def carom_table_def_default(void) {
  return (carom_table_def){.cookie = CR_COOKIE(table), .columns = CAROM_TABLE_DEFAULT};
}

static carom_status check_def(const carom_table_def* def, carom_error* error) {
  const char* wrong = NULL;
  CR_TRY(CR_CHECK_COOKIE(def, table, "table", error));
  if (!def->model == !def->recording)
    wrong = "names come from a model or from a recording, one of them must be given";
  else if (def->columns >= 2 * CAROM_TABLE_PAIRS)
    wrong = "columns holds what is no group of columns";
  else if ((def->columns & CAROM_TABLE_POINTS) && def->columns != CAROM_TABLE_POINTS)
    wrong = "contact points have rows of their own, and stand alone";
  else if ((def->columns & CAROM_TABLE_PAIRS) && def->columns != CAROM_TABLE_PAIRS)
    wrong = "pairs of bodies have rows of their own, and stand alone";
  else if ((def->columns & CAROM_TABLE_PAIRS) && !def->recording)
    wrong = "pairs of bodies are those of a recording";
  if (!wrong) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "table: %s", wrong);
}

carom_status carom_table_create(const char* path, const carom_table_def* def, carom_table** table,
                                carom_error* error) {
  if (!path || !def || !table)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "table: an argument is null");
  *table = NULL;
  CR_TRY(check_def(def, error));
  carom_allocator allocator = cr_allocator_resolve(&def->allocator);
  size_t path_size = strlen(path) + 1;
  carom_table* t = cr_alloc_zero(&allocator, sizeof *t + path_size);
  if (!t) return cr_error_memory(error);
  source names = leave_out_nodes(make_source(def));
  t->allocator = allocator, t->columns = def->columns, t->path_size = path_size;
  t->num_q = names.num_q, t->num_v = names.num_v;
  t->num_ctrl = names.num_ctrl, t->num_bodies = names.num_bodies;
  t->num_readings = names.num_readings, t->num_attachments = names.num_attachments;
  t->num_reacting_joints = names.num_reacting_joints;
  t->num_reacting_equalities = names.num_reacting_equalities;
  t->recording = def->recording;
  t->dt = def->recording ? carom_recording_get_info(def->recording).dt
                         : carom_model_get_timestep(def->model);
  memcpy(t->path, path, path_size);
  carom_status status = cr_file_open(&t->file, t->path, error);
  if (status != CAROM_OK) {
    cr_release(&allocator, t, sizeof *t + path_size);
    return status;
  }
  put_header(t, &names);
  *table = t;
  return cr_error_clear(error);
}

carom_status carom_table_close(carom_table* table, int64_t* num_bytes, carom_error* error) {
  if (!table) return cr_error_clear(error);
  carom_allocator allocator = table->allocator;
  carom_status status = cr_file_close(&table->file, error);
  if (num_bytes) *num_bytes = table->file.num_bytes;
  cr_release(&allocator, table, sizeof *table + table->path_size);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}
