/* URDF: joints, with their ranges, losses and couplings, and what drives them. */
#include "export/urdf.h"

#include <math.h>

/* Stands for no bound where the format wants a number, rad or m, and N or N m. */
#define FAR_AWAY 1e10

static const carom_joint_def* joint_at(const cr_writer* w, int joint) {
  return &CR_AT(&w->builder->joints, cr_joint_record, joint)->def;
}

static bool is_scalar(const carom_joint_def* def) {
  return def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE;
}

/* ---- What a joint's element holds */

static const char* find_type(const carom_joint_def* def) {
  switch (def->type) {
  case CAROM_JOINT_FREE:
    return "floating";
  case CAROM_JOINT_BALL:
    return "ball";
  case CAROM_JOINT_SLIDE:
    return "prismatic";
  case CAROM_JOINT_HINGE:
    break;
  }
  if (def->pitch != 0) return "screw";
  return def->limited ? "revolute" : "continuous";
}

/* A slide without a range gets one that it never reaches: others read none as locked. */
static void write_limit(cr_writer* w, const carom_joint_def* def) {
  static const char SOFT[] = "limits are rigid in this format, and limits of balls are left out";
  bool is_slide = def->type == CAROM_JOINT_SLIDE;
  bool is_soft = isfinite(def->limit_stiffness) || def->limit_margin != 0;
  if (def->limited && (is_soft || !is_scalar(def))) cr_write_remark(w, SOFT);
  if (!is_scalar(def) || (!def->limited && !is_slide && isinf(def->speed_limit))) return;
  cr_write_open(w, "limit");
  cr_write_number(w, "lower", def->limited ? def->range[0] - def->reference : -FAR_AWAY);
  cr_write_number(w, "upper", def->limited ? def->range[1] - def->reference : FAR_AWAY);
  cr_write_number(w, "effort", FAR_AWAY);
  cr_write_number(w, "velocity", isfinite(def->speed_limit) ? def->speed_limit : FAR_AWAY);
  cr_write_close(w, "limit");
}

static void write_dynamics(cr_writer* w, const carom_joint_def* def) {
  static const char SPRINGS[] = "springs of joints are left out";
  static const char POWERS[] = "higher powers of springs and dampers are left out";
  static const char FREE[] = "losses of free joints, and inertia of rotors on joints of several "
                             "degrees of freedom, are left out";
  bool has_losses = def->damping != 0 || def->friction_loss != 0;
  bool is_free = def->type == CAROM_JOINT_FREE;
  bool is_sprung = def->spring_damper[0] > 0 && def->spring_damper[1] > 0;
  bool has_powers = def->stiffness_more[0] != 0 || def->stiffness_more[1] != 0 ||
                    def->damping_more[0] != 0 || def->damping_more[1] != 0;
  if (def->stiffness != 0 || is_sprung) cr_write_remark(w, SPRINGS);
  if (has_powers) cr_write_remark(w, POWERS);
  if ((is_free && has_losses) || (!is_scalar(def) && def->armature != 0)) cr_write_remark(w, FREE);
  if (!has_losses || is_free) return;
  cr_write_open(w, "dynamics");
  cr_write_number(w, "damping", def->damping);
  cr_write_number(w, "friction", def->friction_loss);
  cr_write_close(w, "dynamics");
}

bool cr_urdf_is_mimic(const carom_equality_def* def) {
  const double* p = def->polynomial;
  return def->type == CAROM_EQUALITY_JOINT && def->joint2.id && def->active && p[2] == 0 &&
         p[3] == 0 && p[4] == 0;
}

/* q1 - q1_ref = p0 + p1 (q2 - q2_ref), which is how the format counts. */
static void write_mimic(cr_writer* w, int joint) {
  for (int i = 0; i < w->builder->equalities.count; i++) {
    const carom_equality_def* e = &CR_AT(&w->builder->equalities, cr_equality_record, i)->def;
    const double* p = e->polynomial;
    if (!cr_urdf_is_mimic(e) || e->joint1.id != joint + 1) continue;
    cr_write_open(w, "mimic");
    cr_write_reference(w, "joint", CR_PART_JOINT, e->joint2.id - 1);
    cr_write_number(w, "multiplier", p[1]);
    cr_write_number(w, "offset", p[0]);
    cr_write_close(w, "mimic");
    return;
  }
}

/* ---- Joints of a body */

/* The names of a joint's ends; `step` counts the links between a body's joints. */
static void write_end(cr_writer* w, const char* end, int body, int step) {
  cr_part_name name = cr_writer_name(w, CR_PART_BODY, body);
  char whole[CR_NAME_ROOM + 32];
  if (step > 0)
    snprintf(whole, sizeof whole, "%s.between%d", name.text, step);
  else
    snprintf(whole, sizeof whole, "%s", name.text);
  cr_write_open(w, end);
  cr_write_text(w, "link", whole);
  cr_write_close(w, end);
}

/* A link without mass between two joints of a body. */
static void write_between(cr_writer* w, int body, int step) {
  cr_part_name name = cr_writer_name(w, CR_PART_BODY, body);
  char whole[CR_NAME_ROOM + 32];
  snprintf(whole, sizeof whole, "%s.between%d", name.text, step);
  cr_write_open(w, "link");
  cr_write_text(w, "name", whole);
  cr_write_close(w, "link");
}

/* The joint that a body has not: it is fixed. */
static void write_fixed(cr_writer* w, int body) {
  const carom_body_def* def = cr_urdf_body(w, body);
  cr_part_name name = cr_writer_name(w, CR_PART_BODY, body);
  char whole[CR_NAME_ROOM + 32];
  snprintf(whole, sizeof whole, "%s.fixed", name.text);
  cr_write_open(w, "joint");
  cr_write_text(w, "name", whole);
  cr_write_text(w, "type", "fixed");
  write_end(w, "parent", def->parent.id, 0);
  write_end(w, "child", body, 0);
  cr_urdf_write_origin(w, v3_sub(v3_load(def->position), cr_urdf_offset(w, def->parent.id)),
                       cr_quat_unit(def->quaternion));
  cr_write_close(w, "joint");
}

/* Where the frame of a joint's child stands in that of its parent: the body's place for the first
 * joint, the way from anchor to anchor for the others. */
static void write_place(cr_writer* w, int body, int joint, int before) {
  const carom_body_def* def = cr_urdf_body(w, body);
  quat q = cr_quat_unit(def->quaternion);
  bool is_free = joint_at(w, joint)->type == CAROM_JOINT_FREE;
  v3 anchor = is_free ? v3_zero() : v3_load(joint_at(w, joint)->anchor);
  if (before >= 0) {
    cr_urdf_write_origin(w, v3_sub(anchor, v3_load(joint_at(w, before)->anchor)), quat_identity());
    return;
  }
  v3 place = v3_add(v3_load(def->position), quat_rotate(q, anchor));
  cr_urdf_write_origin(w, v3_sub(place, cr_urdf_offset(w, def->parent.id)), q);
}

/* @param step of the joint among its body's, from 1; `is_last`: its child is the body's link */
static void write_joint(cr_writer* w, int body, int joint, int before, int step, bool is_last) {
  static const char TURNED[] = "coordinates count from the reference configuration";
  const carom_joint_def* def = joint_at(w, joint);
  const char* element = def->type == CAROM_JOINT_BALL || def->pitch != 0 ? "drake:joint" : "joint";
  if (is_scalar(def) && def->reference != 0) cr_write_remark(w, TURNED);
  cr_write_open(w, element);
  cr_write_reference(w, "name", CR_PART_JOINT, joint);
  cr_write_text(w, "type", find_type(def));
  write_end(w, "parent", step == 1 ? cr_urdf_body(w, body)->parent.id : body, step - 1);
  write_end(w, "child", body, is_last ? 0 : step);
  write_place(w, body, joint, before);
  if (is_scalar(def)) {
    cr_write_open(w, "axis");
    cr_write_numbers(w, "xyz", def->axis, 3);
    cr_write_close(w, "axis");
  }
  write_limit(w, def);
  write_dynamics(w, def);
  write_mimic(w, joint);
  if (def->pitch != 0) {
    cr_write_open(w, "drake:screw_thread_pitch");
    cr_write_number(w, "value", def->pitch);
    cr_write_close(w, "drake:screw_thread_pitch");
  }
  cr_write_close(w, element);
}

void cr_urdf_write_joints(cr_writer* w, int body) {
  const cr_list* joints = &w->builder->joints;
  int joint = CR_AT(&w->builder->bodies, cr_body_record, body)->first_joint;
  if (joint < 0) write_fixed(w, body);
  for (int before = -1, step = 1; joint >= 0; step++) {
    int next = CR_AT(joints, cr_joint_record, joint)->next;
    if (next >= 0) write_between(w, body, step);
    write_joint(w, body, joint, before, step, next < 0);
    before = joint, joint = next;
  }
}

/* ---- Drives */

/* The first motor on a joint, or -1. */
static int find_motor(const cr_writer* w, int joint) {
  for (int i = 0; i < w->builder->actuators.count; i++)
    if (CR_AT(&w->builder->actuators, cr_actuator_record, i)->def.joint.id == joint + 1) return i;
  return -1;
}

/* Only a force that the control gives, with bounds, is the format's. */
static bool is_plain(const cr_writer* w, int actuator) {
  const carom_actuator_def* a = &CR_AT(&w->builder->actuators, cr_actuator_record, actuator)->def;
  const double* bias = w->model->force.actuator_bias + 3 * actuator;
  if (a->law != CAROM_LAW_GENERAL || a->is_muscle_gain || a->is_muscle_bias ||
      a->activation != CAROM_ACTIVATION_NONE || a->gain_feedback[0] != 0 ||
      a->gain_feedback[1] != 0 || joint_at(w, a->joint.id - 1)->drive_limited)
    return false;
  return a->gear == 1 && a->gain == 1 && bias[0] == 0 && bias[1] == 0 && bias[2] == 0;
}

static void write_transmission(cr_writer* w, int joint, int motor) {
  cr_part_name name = cr_writer_name(w, CR_PART_JOINT, joint);
  char whole[CR_NAME_ROOM + 32];
  snprintf(whole, sizeof whole, "%s.drive", name.text);
  cr_write_open(w, "transmission");
  cr_write_text(w, "name", whole);
  cr_write_text(w, "type", "SimpleTransmission");
  cr_write_open(w, "joint");
  cr_write_text(w, "name", name.text);
  cr_write_close(w, "joint");
  cr_write_open(w, "actuator");
  if (motor >= 0)
    cr_write_reference(w, "name", CR_PART_ACTUATOR, motor);
  else
    cr_write_text(w, "name", whole);
  if (joint_at(w, joint)->armature != 0) {
    cr_write_open(w, "drake:rotor_inertia");
    cr_write_number(w, "value", joint_at(w, joint)->armature);
    cr_write_close(w, "drake:rotor_inertia");
  }
  cr_write_close(w, "actuator");
  cr_write_close(w, "transmission");
}

void cr_urdf_write_drives(cr_writer* w) {
  static const char SERVOS[] =
      "servos, gears, muscles and actuators on anything but joints are left out; motors keep "
      "no bounds of their controls and forces";
  static const char ROTORS[] = "a joint whose rotor has inertia gets a motor";
  int num_plain = 0;
  for (int joint = 0; joint < w->builder->joints.count; joint++) {
    int motor = find_motor(w, joint);
    bool is_motor = motor >= 0 && is_plain(w, motor);
    bool has_rotor = is_scalar(joint_at(w, joint)) && joint_at(w, joint)->armature != 0;
    num_plain += is_motor;
    if (has_rotor && !is_motor) cr_write_remark(w, ROTORS);
    if (is_motor || has_rotor) write_transmission(w, joint, is_motor ? motor : -1);
  }
  if (num_plain < w->builder->actuators.count) cr_write_remark(w, SERVOS);
}
