/* URDF: links and joints of a tree, from the root outwards. A joint of the format turns about the
 * origin of its child's frame, so each link's frame stands at the anchor of its last joint, and a
 * body with several joints gets a link without mass between each two. Coordinates count from the
 * reference configuration. Contact, rotors, screws and filters are written as Drake's extensions
 * have them. */
#include "export/urdf.h"

#include <math.h>
#include <string.h>

/* ---- Poses */

/* Roll, pitch and yaw of a rotation. Each takes up what the one before left, so that what is lost
 * on one where two axes meet is made good by the next. */
static void find_rpy(quat q, double rpy[3]) {
  m3 R = quat_to_m3(q);
  double roll = atan2(R.m[2][1], R.m[2][2]), c = cos(roll), s = sin(roll);
  rpy[0] = roll;
  rpy[1] = atan2(-R.m[2][0], s * R.m[2][1] + c * R.m[2][2]);
  rpy[2] = atan2(s * R.m[0][2] - c * R.m[0][1], c * R.m[1][1] - s * R.m[1][2]);
}

void cr_urdf_write_origin(cr_writer* w, v3 position, quat q) {
  double x[3], rpy[3];
  v3_store(position, x);
  find_rpy(q, rpy);
  cr_write_open(w, "origin");
  cr_write_numbers(w, "xyz", x, 3);
  cr_write_numbers(w, "rpy", rpy, 3);
  cr_write_close(w, "origin");
}

const carom_body_def* cr_urdf_body(const cr_writer* w, int body) {
  return &CR_AT(&w->builder->bodies, cr_body_record, body)->def;
}

/* Where the link's frame stands on its body: at the anchor of the last joint. */
v3 cr_urdf_offset(const cr_writer* w, int body) {
  const cr_list* joints = &w->builder->joints;
  int last = CR_AT(&w->builder->bodies, cr_body_record, body)->last_joint;
  if (last < 0) return v3_zero();
  const carom_joint_def* def = &CR_AT(joints, cr_joint_record, last)->def;
  return def->type == CAROM_JOINT_FREE ? v3_zero() : v3_load(def->anchor);
}

/* ---- Links */

static void write_value(cr_writer* w, const char* element, const char* attribute, double value) {
  cr_write_open(w, element);
  cr_write_number(w, attribute, value);
  cr_write_close(w, element);
}

static void write_inertial(cr_writer* w, int record) {
  static const char* const NAMES[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const cr_body_model* b = &w->model->body;
  int body = cr_writer_body(w, record);
  const double *I = b->inertia + 6 * body, mass = b->mass[body];
  bool is_empty = mass == 0;
  for (int i = 0; i < 6; i++) is_empty = is_empty && I[i] == 0;
  if (is_empty || record == 0) return;
  cr_write_open(w, "inertial");
  cr_urdf_write_origin(w, v3_sub(v3_load(b->com + 3 * body), cr_urdf_offset(w, record)),
                       quat_identity());
  write_value(w, "mass", "value", mass);
  cr_write_open(w, "inertia");
  for (int i = 0; i < 6; i++) cr_write_number(w, NAMES[i], I[i]);
  cr_write_close(w, "inertia");
  cr_write_close(w, "inertial");
}

static void write_link(cr_writer* w, int body) {
  static const char BORNE[] = "gravity compensation is left out";
  if (cr_urdf_body(w, body)->gravity_compensation != 0) cr_write_remark(w, BORNE);
  cr_write_open(w, "link");
  cr_write_reference(w, "name", CR_PART_BODY, body);
  write_inertial(w, body);
  cr_urdf_write_shapes(w, body);
  cr_write_close(w, "link");
}

/* ---- The robot */

/* The one body that moves freely where nothing stands in the world, else 0. */
static int find_free_root(const cr_writer* w) {
  const carom_builder* b = w->builder;
  const cr_body_record* world = CR_AT(&b->bodies, cr_body_record, 0);
  if (world->first_child < 0 || world->first_child != world->last_child) return 0;
  for (int g = world->first_geom; g >= 0; g = CR_AT(&b->geoms, cr_geom_record, g)->next)
    if (CR_AT(&b->geoms, cr_geom_record, g)->def.type != CAROM_GEOM_PLANE) return 0;
  int joint = CR_AT(&b->bodies, cr_body_record, world->first_child)->first_joint;
  if (joint < 0) return 0;
  const cr_joint_record* record = CR_AT(&b->joints, cr_joint_record, joint);
  bool is_free = record->def.type == CAROM_JOINT_FREE && record->label.name < 0;
  const carom_body_def* def = cr_urdf_body(w, world->first_child);
  bool is_at_origin = def->quaternion[1] == 0 && def->quaternion[2] == 0 &&
                      def->quaternion[3] == 0 && v3_norm2(v3_load(def->position)) == 0;
  return is_free && is_at_origin ? world->first_child : 0;
}

static void write_bodies(cr_writer* w) {
  static const char PLANES[] = "planes are left out";
  const cr_list* bodies = &w->builder->bodies;
  int root = find_free_root(w);
  for (int g = 0; g < w->builder->geoms.count; g++)
    if (CR_AT(&w->builder->geoms, cr_geom_record, g)->def.type == CAROM_GEOM_PLANE)
      cr_write_remark(w, PLANES);
  if (!root) write_link(w, 0);
  int body = CR_AT(bodies, cr_body_record, 0)->first_child;
  while (body > 0) {
    write_link(w, body);
    if (body != root) cr_urdf_write_joints(w, body);
    int next = CR_AT(bodies, cr_body_record, body)->first_child;
    while (next < 0 && body > 0) {
      const cr_body_record* done = CR_AT(bodies, cr_body_record, body);
      next = done->next;
      body = done->def.parent.id;
    }
    body = next;
  }
}

static void write_option(cr_writer* w) {
  cr_write_open(w, "mujoco");
  cr_write_open(w, "option");
  cr_write_number(w, "timestep", w->builder->def.timestep);
  cr_write_numbers(w, "gravity", w->builder->def.gravity, 3);
  cr_write_close(w, "option");
  cr_write_close(w, "mujoco");
}

static int count_mocaps(const carom_builder* b) {
  int count = 0;
  for (int i = 0; i < b->bodies.count; i++)
    count += CR_AT(&b->bodies, cr_body_record, i)->def.mocap;
  return count;
}

static void write_left_out(cr_writer* w) {
  static const char RULE[] = "friction of a pair is read as 2 mu1 mu2 / (mu1 + mu2), and was the "
                             "larger one";
  static const char CORNERS[] = "that faces touch at corners, not over areas, is left out";
  static const char FLUID[] = "the fluid is left out";
  const carom_builder* b = w->builder;
  const struct {
    int count;
    const char* text;
  } LISTS[] = {{b->sites.count, "sites are left out"},
               {b->sensors.count, "sensors are left out"},
               {b->tendons.count, "tendons are left out"},
               {b->pairs.count, "explicit pairs of geometries are left out"},
               {b->keyframes.count, "keyframes are left out"},
               {count_mocaps(b), "mocap bodies stay where they are"},
               {b->springs.count, "springs between points are left out"},
               {b->softs.count, "soft bodies are left out"}};
  for (size_t i = 0; i < sizeof LISTS / sizeof LISTS[0]; i++)
    if (LISTS[i].count) cr_write_remark(w, LISTS[i].text);
  if (b->def.friction_rule != CAROM_FRICTION_RULE_HARMONIC) cr_write_remark(w, RULE);
  if (b->def.patches == CAROM_PATCHES_CORNERS) cr_write_remark(w, CORNERS);
  if (b->def.fluid_density > 0 || b->def.fluid_viscosity > 0) cr_write_remark(w, FLUID);
}

carom_status cr_write_urdf(cr_writer* w) {
  const char* name = cr_text_get(&w->builder->text, w->builder->name, "robot");
  cr_write_open(w, "robot");
  cr_write_text(w, "name", name);
  cr_write_text(w, "xmlns:drake", "http://drake.mit.edu");
  write_option(w);
  write_bodies(w);
  cr_urdf_write_drives(w);
  cr_urdf_write_filters(w);
  write_left_out(w);
  cr_write_close(w, "robot");
  return cr_urdf_write_meshes(w);
}
