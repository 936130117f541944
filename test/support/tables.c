/* Comparison of a compiled model with tables of reference values. */
#include "support/tables.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-9

/* What is being compared: for messages. */
typedef struct subject {
  const tables_options* options;
  const char* table;
  int index;
} subject;

static int read_numbers(const json_t* object, const char* key, double* out, int max) {
  const json_t* value = json_object_get(object, key);
  if (json_is_number(value)) {
    out[0] = json_number_value(value);
    return 1;
  }
  int count = (int)json_array_size(value);
  assert_true(count <= max);
  for (int i = 0; i < count; i++) out[i] = json_number_value(json_array_get(value, (size_t)i));
  return count;
}

static int read_int(const json_t* object, const char* key) {
  return (int)json_integer_value(json_object_get(object, key));
}

static bool read_bool(const json_t* object, const char* key) {
  return json_is_true(json_object_get(object, key));
}

static const char* read_text(const json_t* object, const char* key) {
  const char* text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static void fail_at(const subject* s, const char* field, double actual, double expected) {
  fail_msg("%s: %s %d: %s is %.17g, expected %.17g", s->options->name, s->table, s->index, field,
           actual, expected);
}

static void compare(const subject* s, const char* field, const double* actual,
                    const double* expected, int count, double tolerance) {
  for (int i = 0; i < count; i++)
    if (!(fabs(actual[i] - expected[i]) <= tolerance)) fail_at(s, field, actual[i], expected[i]);
}

/* `count` numbers of a field, to the tolerance relative to the largest and to `scale`. */
static void compare_field(const subject* s, const json_t* object, const char* field,
                          const double* actual, int count, double scale) {
  double expected[16] = {0};
  assert_true(read_numbers(object, field, expected, 16) >= count);
  for (int i = 0; i < count; i++) scale = fmax(scale, fabs(expected[i]));
  compare(s, field, actual, expected, count, TOLERANCE * scale);
}

static void compare_int(const subject* s, const char* field, int actual, int expected) {
  if (actual != expected) fail_at(s, field, actual, expected);
}

static void compare_name(const subject* s, const char* actual, const char* expected) {
  if (strcmp(actual, expected) != 0)
    fail_msg("%s: %s %d: name is '%s', expected '%s'", s->options->name, s->table, s->index, actual,
             expected);
}

/* The same rotation, whatever the sign. */
static void compare_quaternion(const subject* s, const double* actual, const double* expected) {
  quat a = quat_normalize(quat_load(actual)), b = quat_normalize(quat_load(expected));
  m3 A = quat_to_m3(a), B = quat_to_m3(b);
  compare(s, "quaternion (as a matrix)", A.m[0], B.m[0], 9, TOLERANCE);
}

static void compare_bodies(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "bodies");
  s.table = "body";
  compare_int(&s, "count", model->body.num_bodies, (int)json_array_size(rows));
  for (s.index = 0; s.index < model->body.num_bodies; s.index++) {
    const json_t* row = json_array_get(rows, (size_t)s.index);
    carom_body_info body = carom_model_get_body(model, s.index);
    compare_name(&s, body.name, read_text(row, "name"));
    compare_int(&s, "parent", body.parent, s.index ? read_int(row, "parent") : -1);
    compare_field(&s, row, "mass", &body.mass, 1, 0);
    if (body.mass > 0) compare_field(&s, row, "com", body.com, 3, 1);
    double inertia[6];
    read_numbers(row, "inertia", inertia, 6);
    double scale = fmax(inertia[0], fmax(inertia[1], inertia[2]));
    compare(&s, "inertia", body.inertia, inertia, 6, s.options->inertia_tolerance * scale);
  }
}

static void compare_drive(const carom_model* model, const json_t* row, const subject* s, int dof) {
  double expected[2] = {-INFINITY, INFINITY};
  read_numbers(row, "actfrcrange", expected, 2);
  if (model->force.num_drive_ranges == 0 && isinf(expected[0])) return;
  for (int i = 0; i < 2; i++)
    if (model->force.dof_drive_range[2 * dof + i] != expected[i])
      fail_at(s, "actfrcrange", model->force.dof_drive_range[2 * dof + i], expected[i]);
}

static void compare_joint(const carom_model* model, const json_t* row, const subject* s) {
  static const char* const TYPES[] = {"free", "ball", "slide", "hinge"};
  carom_joint_info joint = carom_model_get_joint(model, s->index);
  compare_name(s, joint.name, read_text(row, "name"));
  compare_name(s, TYPES[joint.type], read_text(row, "type"));
  compare_int(s, "body", joint.body, read_int(row, "body"));
  compare_int(s, "qposadr", joint.q_address, read_int(row, "qposadr"));
  compare_int(s, "dofadr", joint.v_address, read_int(row, "dofadr"));
  compare_int(s, "limited", joint.limited, read_bool(row, "limited"));
  if (joint.limited) compare_field(s, row, "range", joint.range, 2, 1);
  if (joint.type != CAROM_JOINT_FREE) compare_field(s, row, "pos", joint.anchor, 3, 1);
  if (joint.type > CAROM_JOINT_BALL) compare_field(s, row, "axis", joint.axis, 3, 1);
  compare_field(s, row, "stiffness", &model->force.joint_stiffness[s->index], 1, 0);
  compare_field(s, row, "damping", &model->force.dof_damping[joint.v_address], 1, 0);
  compare_drive(model, row, s, joint.v_address);
  compare_field(s, row, "armature", &model->tree.dof_armature[joint.v_address], 1, 0);
  compare_field(s, row, "frictionloss", &model->limit.dof_friction_loss[joint.v_address], 1, 0);
}

static void compare_joints(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "joints");
  s.table = "joint";
  compare_int(&s, "count", model->tree.num_joints, (int)json_array_size(rows));
  for (s.index = 0; s.index < model->tree.num_joints; s.index++)
    compare_joint(model, json_array_get(rows, (size_t)s.index), &s);
}

/* By name: the table has them in the order of bodies, the model in that of the file. */
static void compare_sites(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "sites");
  s.table = "site";
  s.index = 0;
  compare_int(&s, "count", model->site.num_sites, (int)json_array_size(rows));
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t* row = json_array_get(rows, i);
    double quaternion[4];
    if (!read_text(row, "name")[0]) continue;
    s.index = carom_model_find_site(model, read_text(row, "name"));
    assert_true(s.index >= 0);
    carom_site_info site = carom_model_get_site(model, s.index);
    read_numbers(row, "quat", quaternion, 4);
    compare_int(&s, "body", site.body, read_int(row, "body"));
    compare_field(&s, row, "pos", site.position, 3, 1);
    compare_quaternion(&s, site.quaternion, quaternion);
  }
}

static int find_word(const char* const* words, int count, const char* word) {
  for (int i = 0; i < count; i++)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

/* Where the mass of a mesh would be that is only drawn, in the frame of its body: each triangle's
 * cone counts, as the format measures meshes that say nothing. */
static v3 find_center(const carom_model* model, const carom_geom_info* geom) {
  carom_mesh_info own = carom_model_get_mesh(model, geom->mesh);
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_mesh mesh;
  cr_mesh_mass mass;
  cr_mesh_init(&mesh, &allocator);
  for (int i = 0; i < own.num_vertices; i++)
    assert_true(cr_mesh_add_vertex(&mesh, own.vertices + 3 * (size_t)i));
  for (int i = 0; i < own.num_triangles; i++) {
    const int* corner = own.triangles + 3 * (size_t)i;
    assert_true(cr_mesh_add_triangle(&mesh, corner[0], corner[1], corner[2]));
  }
  cr_mesh_compute_mass(&mesh, CR_MESH_LEGACY, &mass);
  cr_mesh_release(&mesh);
  return v3_add(v3_load(geom->position), quat_rotate(quat_load(geom->quaternion), mass.center));
}

/* A mesh that is only drawn stands where the tables have it, and touches nothing. The tables'
 * program keeps vertices in single precision: 2^-24 of each coordinate. */
static void compare_drawn(const carom_model* model, const json_t* row, const subject* s) {
  carom_geom_info geom = carom_model_get_geom(model, s->index);
  double center[3], expected[3];
  compare_name(s, geom.name, read_text(row, "name"));
  compare_int(s, "body", geom.body, read_int(row, "body"));
  v3_store(find_center(model, &geom), center);
  assert_int_equal(read_numbers(row, "pos", expected, 3), 3);
  compare(s, "pos", center, expected, 3, 0x1p-24);
  compare_int(s, "contype", (int)model->geom.contype[s->index], 0);
  compare_int(s, "conaffinity", (int)model->geom.conaffinity[s->index], 0);
}

static void compare_geom(const carom_model* model, const json_t* row, const subject* s) {
  static const int NUM_SIZES[] = {2, 1, 2, 2, 3, 3};
  carom_geom_info geom = carom_model_get_geom(model, s->index);
  int i = s->index;
  compare_name(s, geom.name, read_text(row, "name"));
  compare_int(s, "body", geom.body, read_int(row, "body"));
  double quaternion[4];
  read_numbers(row, "quat", quaternion, 4);
  if (geom.type >=
      CAROM_GEOM_MESH) { /* of meshes the tables' frame is that of its principal axes */
    double center[3];
    v3_store(pose_inverse_point(&model->body.local[geom.body], model->geom.local[i].p), center);
    compare_field(s, row, "pos", center, 3, 1);
  } else {
    compare_field(s, row, "size", geom.size, NUM_SIZES[geom.type], 0);
    compare_field(s, row, "pos", geom.position, 3, 1);
    compare_quaternion(s, geom.quaternion, quaternion);
  }
  compare_int(s, "contype", (int)model->geom.contype[i], read_int(row, "contype"));
  compare_int(s, "conaffinity", (int)model->geom.conaffinity[i], read_int(row, "conaffinity"));
  compare_int(s, "condim", model->contact.condim[i], read_int(row, "condim"));
  double friction[3] = {geom.friction, geom.surface.torsional_friction,
                        geom.surface.rolling_friction};
  compare_field(s, row, "friction", friction, 3, 0);
  compare_field(s, row, "margin", &model->geom.margin[i], 1, 0);
  compare_field(s, row, "gap", &model->contact.gap[i], 1, 0);
}

/* Geometries of types that are not supported are left out of the model. */
static void compare_geoms(const carom_model* model, const json_t* tables, subject s) {
  static const char* const TYPES[] = {"plane", "sphere",    "capsule", "cylinder",
                                      "box",   "ellipsoid", "mesh",    "hfield"};
  s.table = "geom";
  s.index = 0;
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(tables, "geoms"), i, row) {
    int type = find_word(TYPES, 8, read_text(row, "type"));
    if (type < 0) continue;
    compare_int(&s, "type", (int)carom_model_get_geom(model, s.index).type, type);
    if (type == CAROM_GEOM_MESH && !model->geom.shape[s.index].hull)
      compare_drawn(model, row, &s);
    else
      compare_geom(model, row, &s);
    s.index++;
  }
  compare_int(&s, "count", model->geom.num_geoms, s.index);
}

/* What an actuator works on, in the tables' word and name; null where that is no named part. */
static const char* find_target(const carom_model* model, int index, const char** kind) {
  carom_actuator_info actuator = carom_model_get_actuator(model, index);
  int line = model->force.actuator_line[index];
  if (actuator.joint >= 0) {
    *kind = "joint";
    return carom_model_get_joint(model, actuator.joint).name;
  }
  *kind = actuator.tendon >= 0                            ? "tendon"
          : model->force.line.kind[line] == CR_LINE_CRANK ? "slidercrank"
                                                          : "site";
  if (actuator.tendon >= 0) return carom_model_get_tendon(model, actuator.tendon).name;
  return carom_model_get_site(model, actuator.site).name;
}

/* The row of the model's next actuator: the next on its target with its name. */
static const json_t* next_actuator(const carom_model* model, const json_t* rows, int index,
                                   size_t* row) {
  const char *kind, *target = find_target(model, index, &kind);
  const char* field = strcmp(kind, "slidercrank") == 0 ? "target2" : "target";
  const char* name = carom_model_get_actuator(model, index).name;
  for (; *row < json_array_size(rows); (*row)++) {
    const json_t* candidate = json_array_get(rows, *row);
    bool is_driven = strncmp(read_text(candidate, "trntype"), kind, strlen(kind)) == 0;
    if (is_driven && strcmp(read_text(candidate, "name"), name) == 0 &&
        strcmp(read_text(candidate, field), target) == 0)
      return json_array_get(rows, (*row)++);
  }
  return NULL;
}

static void compare_range(const subject* s, const json_t* row, const char* key, bool is_limited,
                          const double* actual) {
  double open[2] = {-INFINITY, INFINITY};
  if (is_limited)
    compare_field(s, row, key, actual, 2, 0);
  else if (actual[0] != open[0] || actual[1] != open[1])
    fail_at(s, key, actual[0], open[0]);
}

/* Gear and law: gain, bias, activation. */
static void compare_law(const carom_model* model, const json_t* row, const subject* s) {
  const cr_force_model* f = &model->force;
  int line = f->actuator_line[s->index];
  bool is_muscle = strcmp(read_text(row, "gaintype"), "muscle") == 0;
  bool has_bias = strcmp(read_text(row, "biastype"), "affine") == 0;
  const char* dynamics = read_text(row, "dyntype"); /* random scenes do not give it */
  bool has_dynamics = dynamics[0] && strcmp(dynamics, "none") != 0;
  if (line >= 0 && f->line.kind[line] == CR_LINE_WRENCH)
    compare_field(s, row, "gear", f->line.wrench + 6 * line, 6, 0);
  else
    compare_field(s, row, "gear", &f->actuator_gear[s->index], 1, 0);
  if (!is_muscle) compare_field(s, row, "gainprm", &f->actuator_gain[3 * s->index], 1, 0);
  if (has_bias) compare_field(s, row, "biasprm", f->actuator_bias + 3 * s->index, 3, 0);
  compare_int(s, "activation",
              f->actuator_activation[s->index + 1] > f->actuator_activation[s->index],
              has_dynamics);
  if (has_dynamics) compare_field(s, row, "dynprm", f->actuator_time + 3 * s->index, 3, 0);
}

static void compare_tendons(const carom_model* model, const json_t* tables, subject s) {
  const cr_tendon_model* n = &model->force.tendon;
  s.table = "tendon";
  s.index = 0;
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(tables, "tendons"), i, row) {
    assert_true(s.index < n->num_tendons);
    carom_tendon_info tendon = carom_model_get_tendon(model, s.index);
    compare_name(&s, tendon.name, read_text(row, "name"));
    compare_int(&s, "npath", tendon.num_terms + tendon.num_points, read_int(row, "npath"));
    compare_int(&s, "limited", tendon.limited, read_bool(row, "limited"));
    compare_field(&s, row, "range", tendon.range, 2, 1);
    compare_field(&s, row, "stiffness", &tendon.stiffness, 1, 0);
    compare_field(&s, row, "damping", &tendon.damping, 1, 0);
    compare_field(&s, row, "frictionloss", &tendon.friction_loss, 1, 0);
    compare_field(&s, row, "springlength", n->rest + 2 * s.index, 2, 1);
    compare_field(&s, row, "length0", &model->force.line.reference[s.index], 1, 1);
    s.index++;
  }
  compare_int(&s, "count", n->num_tendons, s.index);
}

static void compare_actuators(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "actuators");
  const cr_force_model* f = &model->force;
  s.table = "actuator";
  s.index = 0;
  size_t next = 0;
  for (; s.index < f->num_actuators; s.index++) {
    const json_t* row = next_actuator(model, rows, s.index, &next);
    if (!row) fail_msg("%s: actuator %d is not in the table", s.options->name, s.index);
    compare_law(model, row, &s);
    compare_range(&s, row, "ctrlrange", read_bool(row, "ctrllimited"),
                  f->control_range + 2 * s.index);
    compare_range(&s, row, "forcerange", read_bool(row, "forcelimited"),
                  f->actuator_force_range + 2 * s.index);
  }
  if (!s.options->is_partial) compare_int(&s, "count", s.index, (int)json_array_size(rows));
}

static void compare_excludes(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "excludes");
  s.table = "exclude";
  compare_int(&s, "count", model->geom.num_excludes, (int)json_array_size(rows));
  for (s.index = 0; s.index < model->geom.num_excludes; s.index++) {
    const json_t* row = json_array_get(rows, (size_t)s.index);
    uint64_t key = model->geom.exclude[s.index];
    compare_int(&s, "first", (int)(key >> 32), (int)json_integer_value(json_array_get(row, 0)));
    compare_int(&s, "second", (int)(key & 0xffffffff),
                (int)json_integer_value(json_array_get(row, 1)));
  }
}

/* The pair of two geometries, or -1. */
static int find_pair(const carom_model* model, const json_t* row) {
  uint64_t a = (uint64_t)read_int(row, "geom1"), b = (uint64_t)read_int(row, "geom2");
  uint64_t key = a < b ? a << 32 | b : b << 32 | a;
  for (int i = 0; i < model->geom.num_pairs; i++)
    if (model->geom.pair[i] == key) return i;
  return -1;
}

static void compare_pairs(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "pairs");
  s.table = "pair";
  compare_int(&s, "count", model->geom.num_pairs, (int)json_array_size(rows));
  for (s.index = 0; s.index < model->geom.num_pairs; s.index++) {
    const json_t* row = json_array_get(rows, (size_t)s.index);
    int i = find_pair(model, row);
    assert_true(i >= 0);
    compare_int(&s, "condim", model->contact.pair_condim[i], read_int(row, "condim"));
    const carom_surface* surface = &model->contact.pair_surface[i];
    double mu = model->contact.pair_friction[i], roll = surface->rolling_friction;
    double across = json_real_value(json_array_get(json_object_get(row, "friction"), 1));
    double friction[5] = {mu, across, surface->torsional_friction, roll, roll};
    compare_field(&s, row, "friction", friction, 5, 0);
    compare_field(&s, row, "margin", &model->geom.pair_margin[i], 1, 0);
    compare_field(&s, row, "gap", &model->contact.pair_gap[i], 1, 0);
  }
}

/* A point of a body's frame, in the frame of the body's link. */
static void compare_anchor(const carom_model* model, const subject* s, int body,
                           const double* point, const double* actual) {
  v3 expected = pose_point(&model->body.local[body], v3_load(point));
  double numbers[3];
  v3_store(expected, numbers);
  compare(s, "anchor", actual, numbers, 3, TOLERANCE * fmax(1, v3_norm(expected)));
}

/* connect: data = point of body 1, of body 2. weld: point of body 2, of body 1, orientation. */
static void compare_equality(const carom_model* model, const json_t* row, const subject* s) {
  const cr_equality_model* e = &model->equality;
  int i = s->index, body1 = read_int(row, "obj1id"), body2 = read_int(row, "obj2id");
  double data[16] = {0};
  read_numbers(row, "data", data, 16);
  compare_int(s, "active", e->active[i], read_bool(row, "active0"));
  if (e->type[i] == CAROM_EQUALITY_JOINT) {
    compare_int(s, "joint1", e->joint[2 * i], body1);
    compare_int(s, "joint2", e->joint[2 * i + 1], body2);
    compare(s, "polynomial", e->polynomial + 5 * i, data, 5, 0);
    return;
  }
  if (e->type[i] == CAROM_EQUALITY_TENDON) {
    compare_int(s, "tendon1", e->tendon[2 * i], body1);
    compare_int(s, "tendon2", e->tendon[2 * i + 1], body2);
    compare(s, "polynomial", e->polynomial + 5 * i, data, 5, 0);
    return;
  }
  bool is_weld = e->type[i] == CAROM_EQUALITY_WELD;
  compare_int(s, "link1", e->link[2 * i], model->body.link[body1]);
  compare_int(s, "link2", e->link[2 * i + 1], model->body.link[body2]);
  compare_anchor(model, s, body1, data + (is_weld ? 3 : 0), e->anchor + 6 * i);
  compare_anchor(model, s, body2, data + (is_weld ? 0 : 3), e->anchor + 6 * i + 3);
  if (!is_weld) return;
  /* Orientation of body 2 in body 1, from that of the links. */
  m3 L = quat_to_m3(quat_load(e->relative_quaternion + 4 * i));
  m3 expected = quat_to_m3(quat_load(data + 6)), back = m3_transpose(&model->body.local[body1].R);
  m3 left = m3_mul(&back, &L), actual = m3_mul(&left, &model->body.local[body2].R);
  compare(s, "orientation", actual.m[0], expected.m[0], 9, 1e-7);
}

static void compare_equalities(const carom_model* model, const json_t* tables, subject s) {
  static const char* const TYPES[] = {"connect", "weld", "joint", "tendon"};
  s.table = "equality";
  s.index = 0;
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(tables, "equalities"), i, row) {
    int type = find_word(TYPES, 4, read_text(row, "type"));
    if (type < 0 && s.options->is_partial) continue;
    compare_int(&s, "type", model->equality.type[s.index], type);
    compare_equality(model, row, &s);
    s.index++;
  }
  compare_int(&s, "count", model->equality.num_equalities, s.index);
}

/* Keyframes; a partial model has fewer controls. */
static void compare_keyframes(const carom_model* model, const json_t* tables, subject s) {
  const json_t* rows = json_object_get(tables, "keyframes");
  const cr_keyframe_model* k = &model->keyframe;
  int nq = model->tree.num_q, nv = model->tree.num_v, nu = model->force.num_actuators;
  s.table = "keyframe";
  int count = (int)json_array_size(rows);
  /* The format's size section may ask for keyframes that nobody gives. */
  while (count > 0 && !read_text(json_array_get(rows, (size_t)count - 1), "name")[0]) count--;
  if (!s.options->is_partial) compare_int(&s, "count", k->num_keyframes, count);
  for (s.index = 0; s.index < k->num_keyframes; s.index++) {
    const json_t* row = json_array_get(rows, (size_t)s.index);
    double numbers[256];
    compare_int(&s, "nq", nq, read_numbers(row, "qpos", numbers, 256));
    compare(&s, "qpos", k->q + s.index * nq, numbers, nq, TOLERANCE);
    compare_int(&s, "nv", nv, read_numbers(row, "qvel", numbers, 256));
    compare(&s, "qvel", k->v + s.index * nv, numbers, nv, TOLERANCE);
    if (s.options->is_partial) continue;
    read_numbers(row, "ctrl", numbers, 256);
    compare(&s, "ctrl", k->ctrl + s.index * nu, numbers, nu, TOLERANCE);
  }
}

static void compare_options(const carom_model* model, const json_t* tables, subject s) {
  const json_t* option = json_object_get(tables, "option");
  const int gravity_disabled = 128;
  double none[3] = {0}, numbers[256];
  s.table = "option";
  double timestep = carom_model_get_timestep(model), gravity[3];
  carom_model_get_gravity(model, gravity);
  compare_field(&s, option, "timestep", &timestep, 1, 0);
  if (read_int(option, "disableflags") & gravity_disabled)
    compare(&s, "gravity", gravity, none, 3, 0);
  else
    compare_field(&s, option, "gravity", gravity, 3, 0);
  compare_int(&s, "nq", model->tree.num_q, read_numbers(tables, "qpos0", numbers, 256));
  compare(&s, "qpos0", model->q_reference, numbers, model->tree.num_q, TOLERANCE);
  read_numbers(tables, "qpos_spring", numbers, 256);
  compare(&s, "qpos_spring", model->force.q_spring, numbers, model->tree.num_q, TOLERANCE);
}

void tables_compare(const carom_model* model, const json_t* tables, const tables_options* options) {
  subject s = {.options = options};
  compare_options(model, tables, s);
  compare_bodies(model, tables, s);
  compare_joints(model, tables, s);
  compare_geoms(model, tables, s);
  compare_sites(model, tables, s);
  compare_tendons(model, tables, s);
  compare_actuators(model, tables, s);
  compare_excludes(model, tables, s);
  compare_pairs(model, tables, s);
  compare_equalities(model, tables, s);
  compare_keyframes(model, tables, s);
}
