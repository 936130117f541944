/* <joint>: one joint of the model, none where it is fixed, or the two or three that act like it. */
#include "import/sdf/reader.h"

#include "carom/scene.h"

#include <math.h>
#include <string.h>

/* The format's word for "no bound". */
#define NO_BOUND 1e16

/* Stands for an infinite end of a range whose other end is finite, rad or m. */
#define FAR_AWAY 1e10

#define JOINT_CHILDREN                                                               \
  " parent child pose axis axis2 gearbox_ratio gearbox_reference_body thread_pitch " \
  "screw_thread_pitch drake:parent drake:child drake:damping drake:rotor_inertia "   \
  "drake:gear_ratio drake:mimic physics sensor "

/* What an <axis> says. */
typedef struct traits {
  v3 axis; /* in the world */
  double lower, upper;
  double effort; /* negative: none is given */
  double damping, friction, stiffness, spring_reference;
  double speed;                              /* m/s or rad/s; inf: not limited */
  double limit_stiffness, limit_dissipation; /* N m/rad, N m s/rad; NaN: not given */
} traits;

/* ---- <axis> */

static carom_status read_dynamics(cr_sdf* s, const cr_xml_element* axis, traits* t) {
  const cr_xml_element* e;
  CR_TRY(cr_document_child(&s->document, axis, "dynamics", &e));
  if (!e) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, e,
                                 " damping friction spring_reference spring_stiffness ", " "));
  CR_TRY(cr_sdf_numbers(s, e, "damping", 1, &t->damping));
  CR_TRY(cr_sdf_numbers(s, e, "friction", 1, &t->friction));
  CR_TRY(cr_sdf_numbers(s, e, "spring_reference", 1, &t->spring_reference));
  CR_TRY(cr_sdf_numbers(s, e, "spring_stiffness", 1, &t->stiffness));
  cr_subject subject = cr_document_subject(&s->document, e);
  CR_TRY(cr_check_not_negative(&subject, "damping", t->damping));
  CR_TRY(cr_check_not_negative(&subject, "friction", t->friction));
  return cr_check_not_negative(&subject, "spring_stiffness", t->stiffness);
}

static carom_status read_limit(cr_sdf* s, const cr_xml_element* axis, traits* t) {
  static const char NO_SPEED[] = "velocity is not enforced, but kept: it has no limit here";
  const cr_xml_element* e;
  double speed = INFINITY;
  CR_TRY(cr_document_child(&s->document, axis, "limit", &e));
  if (!e) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, e,
                                 " lower upper effort velocity stiffness dissipation "
                                 "drake:acceleration ",
                                 " "));
  CR_TRY(cr_sdf_bound(s, e, "lower", &t->lower));
  CR_TRY(cr_sdf_bound(s, e, "upper", &t->upper));
  CR_TRY(cr_sdf_bound(s, e, "effort", &t->effort));
  CR_TRY(cr_sdf_bound(s, e, "velocity", &speed));
  CR_TRY(cr_sdf_numbers(s, e, "stiffness", 1, &t->limit_stiffness));
  CR_TRY(cr_sdf_numbers(s, e, "dissipation", 1, &t->limit_dissipation));
  if (isfinite(speed) && speed >= 0 && speed < NO_BOUND)
    CR_TRY(cr_document_remark(&s->document, e, NULL, NO_SPEED));
  if (speed > 0 && speed < NO_BOUND) t->speed = speed;
  return CAROM_OK;
}

carom_status cr_sdf_direction(cr_sdf* s, const cr_sdf_joint* joint, const cr_xml_element* axis,
                              v3* direction) {
  const cr_sdf_scope* scope = cr_sdf_scope_at(s, joint->scope);
  const cr_xml_element* xyz = NULL;
  double x[3] = {0, 0, 1};
  bool in_model = scope->version < 105;
  int frame = joint->frame;
  if (axis) {
    CR_TRY(cr_document_child(&s->document, axis, "xyz", &xyz));
    CR_TRY(cr_sdf_numbers(s, axis, "xyz", 3, x));
    CR_TRY(cr_sdf_flag(s, axis, "use_parent_model_frame", &in_model));
  }
  if (in_model && scope->version < 107) frame = scope->frame;
  const char* name = xyz ? cr_xml_get(xyz, "expressed_in") : NULL;
  if (name && name[0]) CR_TRY(cr_sdf_resolve(s, joint->scope, xyz, "expressed_in", name, &frame));
  cr_subject subject = cr_document_subject(&s->document, axis ? axis : joint->element);
  CR_TRY(cr_check_direction(&subject, "xyz", x));
  *direction = m3_mulv(&cr_sdf_frame_at(s, frame)->world.R, v3_load(x));
  return CAROM_OK;
}

static carom_status read_axis(cr_sdf* s, const cr_sdf_joint* joint, const char* name, traits* t) {
  static const char START[] = "not used: joints start at zero";
  const cr_xml_element* axis;
  double start = 0;
  *t = (traits){.lower = -INFINITY,
                .upper = INFINITY,
                .effort = -1,
                .limit_stiffness = NAN,
                .limit_dissipation = NAN,
                .speed = INFINITY};
  CR_TRY(cr_document_child(&s->document, joint->element, name, &axis));
  CR_TRY(cr_sdf_direction(s, joint, axis, &t->axis));
  if (joint->is_reversed) t->axis = v3_scale(-1, t->axis);
  if (!axis) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, axis,
                                 " xyz use_parent_model_frame dynamics limit mimic "
                                 "initial_position ",
                                 " "));
  CR_TRY(cr_sdf_numbers(s, axis, "initial_position", 1, &start));
  if (start != 0) CR_TRY(cr_document_remark(&s->document, axis, NULL, START));
  CR_TRY(read_dynamics(s, axis, t));
  return read_limit(s, axis, t);
}

/* Drake's inertia of the rotor times the square of the gear's ratio. */
static carom_status read_armature(cr_sdf* s, const cr_xml_element* joint, double* armature) {
  double rotor = 0, gear = 1;
  CR_TRY(cr_sdf_numbers(s, joint, "drake:rotor_inertia", 1, &rotor));
  CR_TRY(cr_sdf_numbers(s, joint, "drake:gear_ratio", 1, &gear));
  *armature = rotor * gear * gear;
  cr_subject subject = cr_document_subject(&s->document, joint);
  CR_TRY(cr_check_finite(&subject, "drake:gear_ratio squared", armature, 1));
  return cr_check_not_negative(&subject, "drake:rotor_inertia", rotor);
}

/* ---- Joints of the model */

/* A definition with what all parts of a joint share. */
static carom_joint_def start_def(const cr_sdf* s, const cr_sdf_joint* joint,
                                 carom_joint_type type) {
  const cr_sdf_link* child = cr_sdf_link_at(s, joint->child);
  const pose* body = &cr_sdf_frame_at(s, child->frame)->world;
  carom_joint_def def = carom_joint_def_default();
  def.source = (carom_source){joint->element->file, joint->element->line};
  def.type = type;
  def.name = joint->name;
  def.body = joint->half.id ? joint->half : child->body;
  v3_store(pose_inverse_point(body, cr_sdf_frame_at(s, joint->frame)->world.p), def.anchor);
  return def;
}

/* A range where one is meant. Lower and upper the same: the joint is held there. */
static carom_status set_range(cr_sdf* s, const cr_sdf_joint* joint, const traits* t,
                              carom_joint_def* def) {
  static const char OPEN[] = "not limited: lower is above upper";
  double lower = t->lower <= -NO_BOUND ? -INFINITY : t->lower;
  double upper = t->upper >= NO_BOUND ? INFINITY : t->upper;
  bool is_open = isinf(lower) && isinf(upper) && lower < upper;
  if (is_open || joint->type == CR_SDF_CONTINUOUS || lower == upper) return CAROM_OK;
  if (!(lower < upper)) return cr_document_remark(&s->document, joint->element, NULL, OPEN);
  def->limited = true;
  def->range[0] = fmax(lower, -FAR_AWAY);
  def->range[1] = fmin(upper, FAR_AWAY);
  if (isnan(t->limit_stiffness)) return CAROM_OK;
  cr_subject subject = cr_document_subject(&s->document, joint->element);
  CR_TRY(cr_check_positive(&subject, "stiffness", t->limit_stiffness));
  def->limit_stiffness = t->limit_stiffness;
  if (!isnan(t->limit_dissipation))
    def->limit_dissipation = t->limit_dissipation / t->limit_stiffness;
  return CAROM_OK;
}

static carom_status hold(cr_sdf* s, const cr_xml_element* element, carom_joint joint,
                         double value) {
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){element->file, element->line};
  def.type = CAROM_EQUALITY_JOINT;
  def.joint1 = joint;
  def.polynomial[0] = value;
  def.polynomial[1] = 0;
  return carom_builder_add_equality(s->builder, &def, NULL, s->document.error);
}

/* A motor for a joint whose effort has a limit, as Drake has it. */
static carom_status add_motor(cr_sdf* s, const carom_joint_def* joint, carom_joint handle,
                              double effort) {
  if (!(effort > 0) || effort >= NO_BOUND) return CAROM_OK;
  carom_actuator_def def = carom_actuator_def_default();
  def.source = joint->source;
  def.name = joint->name;
  def.joint = handle;
  def.force_limited = true;
  def.force_range[0] = -effort, def.force_range[1] = effort;
  return carom_builder_add_actuator(s->builder, &def, NULL, s->document.error);
}

/* A hinge or a slide with all that its axis says. */
static carom_status add_part(cr_sdf* s, cr_sdf_joint* joint, const traits* t,
                             carom_joint_def* def) {
  const cr_sdf_link* child = cr_sdf_link_at(s, joint->child);
  v3_store(m3_tmulv(&cr_sdf_frame_at(s, child->frame)->world.R, t->axis), def->axis);
  def->damping = t->damping;
  def->speed_limit = t->speed;
  def->friction_loss = t->friction;
  def->stiffness = t->stiffness;
  def->spring_reference = t->spring_reference;
  CR_TRY(read_armature(s, joint->element, &def->armature));
  CR_TRY(set_range(s, joint, t, def));
  CR_TRY(carom_builder_add_joint(s->builder, def, &joint->part, s->document.error));
  joint->axis = t->axis;
  if (t->lower == t->upper && joint->type != CR_SDF_CONTINUOUS)
    CR_TRY(hold(s, joint->element, joint->part, t->lower));
  return add_motor(s, def, joint->part, t->effort);
}

static carom_status add_single(cr_sdf* s, cr_sdf_joint* joint, carom_joint_type type) {
  carom_joint_def def = start_def(s, joint, type);
  traits t;
  CR_TRY(read_axis(s, joint, "axis", &t));
  return add_part(s, joint, &t, &def);
}

/* A hinge with a pitch in m per revolution; before 1.10 it stood in rad/m, and left-handed. */
static carom_status add_screw(cr_sdf* s, cr_sdf_joint* joint) {
  carom_joint_def def = start_def(s, joint, CAROM_JOINT_HINGE);
  cr_subject subject = cr_document_subject(&s->document, joint->element);
  double thread = NAN;
  traits t;
  def.pitch = 1; /* the format's default */
  CR_TRY(cr_sdf_numbers(s, joint->element, "thread_pitch", 1, &thread));
  if (thread == 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "thread_pitch is 0, must not be");
  if (!isnan(thread)) def.pitch = -2 * M_PI / thread;
  CR_TRY(cr_sdf_numbers(s, joint->element, "screw_thread_pitch", 1, &def.pitch));
  CR_TRY(read_axis(s, joint, "axis", &t));
  return add_part(s, joint, &t, &def);
}

static carom_status add_ball(cr_sdf* s, const cr_sdf_joint* joint) {
  carom_joint_def def = start_def(s, joint, CAROM_JOINT_BALL);
  traits t;
  CR_TRY(read_axis(s, joint, "axis", &t));
  def.damping = t.damping;
  def.friction_loss = t.friction;
  return carom_builder_add_joint(s->builder, &def, NULL, s->document.error);
}

/* Hinges about the first axis, then about the second, which has turned with the first. */
static carom_status add_two(cr_sdf* s, cr_sdf_joint* joint) {
  static const char* const AXES[] = {"axis", "axis2"};
  static const char ONE[] =
      "axis and axis2 are the same direction, so it turns about one axis only; "
      "give them two (0 0 1 where none is given)";
  for (int i = 0; i < 2; i++) {
    carom_joint_def def = start_def(s, joint, CAROM_JOINT_HINGE);
    const char* start = cr_sdf_join(s, joint->name, ".");
    traits t;
    def.name = start ? cr_sdf_join(s, start, AXES[i]) : NULL;
    if (!def.name) return cr_error_memory(s->document.error);
    CR_TRY(read_axis(s, joint, AXES[i], &t));
    if (i == 1 && cr_sdf_are_parallel(joint->axis, t.axis))
      CR_TRY(cr_document_refuse(&s->document, joint->element, NULL, ONE));
    CR_TRY(add_part(s, joint, &t, &def));
  }
  joint->part = (carom_joint){0};
  return CAROM_OK;
}

/* Drake's: slides along x and y of the joint's frame, then a hinge about z. */
static carom_status add_planar(cr_sdf* s, cr_sdf_joint* joint) {
  static const char* const SUFFIXES[] = {".x", ".y", ".angle"};
  const m3* R = &cr_sdf_frame_at(s, joint->frame)->world.R;
  const m3* body = &cr_sdf_frame_at(s, cr_sdf_link_at(s, joint->child)->frame)->world.R;
  double damping[3] = {0};
  CR_TRY(cr_sdf_numbers(s, joint->element, "drake:damping", 3, damping));
  for (int i = 0; i < 3; i++) {
    carom_joint_def def = start_def(s, joint, i < 2 ? CAROM_JOINT_SLIDE : CAROM_JOINT_HINGE);
    v3 axis = m3_mulv(R, v3_set(v3_zero(), i, 1));
    def.name = cr_sdf_join(s, joint->name, SUFFIXES[i]);
    if (!def.name) return cr_error_memory(s->document.error);
    v3_store(m3_tmulv(body, axis), def.axis);
    def.damping = damping[i];
    CR_TRY(carom_builder_add_joint(s->builder, &def, NULL, s->document.error));
  }
  return CAROM_OK;
}

static carom_status add_free(cr_sdf* s, const cr_sdf_link* link, const char* name) {
  carom_joint_def def = carom_joint_def_default();
  def.source = (carom_source){link->element->file, link->element->line};
  def.body = link->body;
  def.name = name;
  def.type = CAROM_JOINT_FREE;
  return carom_builder_add_joint(s->builder, &def, NULL, s->document.error);
}

static carom_status add_fixed(cr_sdf* s, const cr_sdf_joint* joint) {
  if (s->base != CAROM_BASE_FREE || joint->parent >= 0) return CAROM_OK;
  return add_free(s, cr_sdf_link_at(s, joint->child), joint->name);
}

/* What is not used of a joint, by name. */
static carom_status note_rest(cr_sdf* s, const cr_xml_element* joint) {
  static const char ENGINE[] = "not used: it is for the solver of another program";
  for (const cr_xml_element* e = joint->first_child; e; e = e->next) {
    if (strcmp(e->name, "physics") == 0) CR_TRY(cr_document_remark(&s->document, e, NULL, ENGINE));
  }
  return CAROM_OK;
}

carom_status cr_sdf_add_joint(cr_sdf* s, cr_sdf_joint* joint) {
  CR_TRY(cr_document_check_known(&s->document, joint->element, JOINT_CHILDREN, " name type "));
  CR_TRY(note_rest(s, joint->element));
  switch (joint->type) {
  case CR_SDF_REVOLUTE:
  case CR_SDF_CONTINUOUS:
    return add_single(s, joint, CAROM_JOINT_HINGE);
  case CR_SDF_PRISMATIC:
    return add_single(s, joint, CAROM_JOINT_SLIDE);
  case CR_SDF_FIXED:
    return add_fixed(s, joint);
  case CR_SDF_BALL:
    return add_ball(s, joint);
  case CR_SDF_UNIVERSAL:
  case CR_SDF_REVOLUTE2:
    return add_two(s, joint);
  case CR_SDF_SCREW:
    return add_screw(s, joint);
  case CR_SDF_PLANAR:
    return add_planar(s, joint);
  case CR_SDF_GEARBOX: /* hangs nothing on anything */
    return CAROM_OK;
  }
  return CAROM_OK;
}

carom_status cr_sdf_add_base(cr_sdf* s, const cr_sdf_link* link) {
  bool is_static = cr_sdf_scope_at(s, link->scope)->is_static;
  return is_static || s->base == CAROM_BASE_FIXED ? CAROM_OK : add_free(s, link, NULL);
}
