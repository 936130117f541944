/* Adding bodies, joints and geometries: what a mechanism is made of. */
#include "model/inertia.h"
#include "model/kind.h"

#include <math.h>
#include <string.h>

/* Puts `index` at the end of a body's list of joints, geometries or children.
 * @param next_of_last of the present last one; null in an empty list */
static void append_link(int* first, int* last, int* next_of_last, int index) {
  if (next_of_last)
    *next_of_last = index;
  else
    *first = index;
  *last = index;
}

static carom_status check_body(const cr_addition* addition, const carom_body_def* def) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "parent", def->parent, 0));
  if (def->mocap && def->parent.id != 0)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "a mocap body must hang on the world");
  CR_TRY(cr_check_finite(subject, "gravity_compensation", &def->gravity_compensation, 1));
  CR_TRY(cr_check_finite(subject, "position", def->position, 3));
  CR_TRY(cr_check_quaternion(subject, "quaternion", def->quaternion));
  if (isnan(def->mass)) return CAROM_OK;
  CR_TRY(cr_check_not_negative(subject, "mass", def->mass));
  CR_TRY(cr_check_finite(subject, "com", def->com, 3));
  return cr_check_finite(subject, "inertia", def->inertia, 6);
}

/* Keeps a note about an inertia that is accepted although no rigid body can have it. */
static carom_status note_unphysical(const cr_addition* addition) {
  carom_error note;
  cr_subject subject = addition->subject;
  subject.error = &note;
  cr_subject_fail(&subject, CAROM_OK,
                  "inertia is not that of a rigid body (triangle inequality); "
                  "it is used as it stands");
  return carom_builder_add_note(addition->builder, CAROM_NOTE_MAPPED, note.message,
                                addition->subject.error);
}

carom_status cr_body_check(const cr_addition* addition, void* definition) {
  carom_body_def* def = definition;
  bool is_unphysical = false;
  CR_TRY(check_body(addition, def));
  if (!isnan(def->mass))
    CR_TRY(cr_inertia_check(&addition->subject, &addition->builder->def, def->inertia,
                            &is_unphysical));
  return is_unphysical ? note_unphysical(addition) : CAROM_OK;
}

void cr_body_resolve(const carom_builder* builder, const void* record, void* definition) {
  carom_body_def* def = definition;
  cr_mass mass = cr_mass_of_body(builder, record);
  def->mass = mass.mass;
  v3_store(mass.com, def->com);
  memcpy(def->inertia, mass.inertia, sizeof def->inertia);
}

/* Mass, centre and inertia are given together or not at all. */
carom_status cr_body_make_way(const cr_addition* addition, const void* resolved, const char* field,
                              void* definition) {
  const carom_body_def* whole = resolved;
  carom_body_def* def = definition;
  const carom_builder_def* options = &addition->builder->def;
  if (strcmp(field, "mass") != 0 && strcmp(field, "com") != 0 && strcmp(field, "inertia") != 0)
    return CAROM_OK;
  if (options->total_mass > 0)
    return cr_subject_fail(&addition->subject, CAROM_ERROR_UNSUPPORTED,
                           "%s cannot be set while all masses are scaled to total_mass, %.9g kg",
                           field, options->total_mass);
  if (options->inertia_source == CAROM_INERTIA_GEOMS)
    return cr_subject_fail(&addition->subject, CAROM_ERROR_UNSUPPORTED,
                           "%s cannot be set while all inertia is that of geometries "
                           "(inertia_source)",
                           field);
  if (!isnan(def->mass)) return CAROM_OK;
  def->mass = whole->mass;
  memcpy(def->com, whole->com, sizeof def->com);
  memcpy(def->inertia, whole->inertia, sizeof def->inertia);
  return CAROM_OK;
}

carom_status carom_builder_add_body(carom_builder* builder, const carom_body_def* def,
                                    carom_body* body, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("body", builder, error);
  cr_addition addition = {builder,
                          &builder->bodies,
                          CR_PART_BODY,
                          {"body", def->name, def->source, builder->bodies.count, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, body));
  cr_body_record record = {.def = *def,
                           .first_child = -1,
                           .last_child = -1,
                           .next = -1,
                           .first_joint = -1,
                           .last_joint = -1,
                           .first_geom = -1,
                           .last_geom = -1};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_body_check(&addition, &record.def));

  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  cr_body_record* parent = CR_AT(&builder->bodies, cr_body_record, def->parent.id);
  int* next = parent->last_child < 0
                  ? NULL
                  : &CR_AT(&builder->bodies, cr_body_record, parent->last_child)->next;
  append_link(&parent->first_child, &parent->last_child, next, index);
  if (body) body->id = index;
  return CAROM_OK;
}

/* Limits, springs and losses: what a joint does beyond moving. */
static carom_status check_joint_forces(const cr_addition* addition, const carom_joint_def* def) {
  const cr_subject* subject = &addition->subject;
  if (def->limited) {
    if (def->type == CAROM_JOINT_FREE)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "a free joint cannot be limited");
    CR_TRY(cr_check_finite(subject, "range", def->range, 2));
    if (def->type == CAROM_JOINT_BALL && def->range[0] != 0)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "range[0] is %.9g, must be 0 for a ball joint", def->range[0]);
    bool is_locked = def->type == CAROM_JOINT_BALL && def->range[1] == 0;
    if (!is_locked) CR_TRY(cr_check_range(subject, "range", def->range));
  }
  CR_TRY(cr_check_not_negative(subject, "limit_margin", def->limit_margin));
  CR_TRY(cr_check_compliance(subject, "limit_stiffness", def->limit_stiffness, false,
                             "limit_dissipation", def->limit_dissipation));
  if (!(def->speed_limit > 0))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "speed_limit is %.9g, must be positive, or infinite", def->speed_limit);
  CR_TRY(cr_check_not_negative(subject, "stiffness", def->stiffness));
  if (!isnan(def->spring_reference))
    CR_TRY(cr_check_finite(subject, "spring_reference", &def->spring_reference, 1));
  CR_TRY(cr_check_not_negative(subject, "damping", def->damping));
  CR_TRY(cr_check_not_negative(subject, "spring_damper[0]", def->spring_damper[0]));
  CR_TRY(cr_check_not_negative(subject, "spring_damper[1]", def->spring_damper[1]));
  bool is_scalar = def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE;
  CR_TRY(cr_check_finite(subject, "stiffness_more", def->stiffness_more, 2));
  CR_TRY(cr_check_finite(subject, "damping_more", def->damping_more, 2));
  if (!is_scalar && (def->stiffness_more[0] != 0 || def->stiffness_more[1] != 0 ||
                     def->damping_more[0] != 0 || def->damping_more[1] != 0))
    return cr_subject_fail(subject, CAROM_ERROR_UNSUPPORTED,
                           "stiffness and damping have higher powers on hinges and slides only");
  CR_TRY(cr_check_not_negative(subject, "armature", def->armature));
  if (def->drive_limited) {
    CR_TRY(cr_check_finite(subject, "drive_range", def->drive_range, 2));
    CR_TRY(cr_check_range(subject, "drive_range", def->drive_range));
  }
  return cr_check_not_negative(subject, "friction_loss", def->friction_loss);
}

carom_status cr_joint_check(const cr_addition* addition, void* definition) {
  const carom_joint_def* def = definition;
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "body", def->body, 1));
  CR_TRY(cr_check_choice(subject, "type", (int)def->type, CAROM_JOINT_FREE, CAROM_JOINT_HINGE));
  if (CR_AT(&addition->builder->bodies, cr_body_record, def->body.id)->def.mocap)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "its body is a mocap body, which has no joints");
  const cr_list* joints = &addition->builder->joints;
  int first = CR_AT(&addition->builder->bodies, cr_body_record, def->body.id)->first_joint;
  if (first >= 0 && addition->part != CR_PART_CHANGES &&
      (def->type == CAROM_JOINT_FREE ||
       CR_AT(joints, cr_joint_record, first)->def.type == CAROM_JOINT_FREE))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "a free joint must be the only joint of its body");
  if (def->type != CAROM_JOINT_FREE) CR_TRY(cr_check_finite(subject, "anchor", def->anchor, 3));
  if (def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE) {
    CR_TRY(cr_check_direction(subject, "axis", def->axis));
    CR_TRY(cr_check_finite(subject, "reference", &def->reference, 1));
  }
  CR_TRY(cr_check_finite(subject, "pitch", &def->pitch, 1));
  if (def->pitch != 0 && def->type != CAROM_JOINT_HINGE)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "pitch is %.9g, must be 0 where the joint is no hinge", def->pitch);
  return check_joint_forces(addition, def);
}

carom_status cr_joint_make_way(const cr_addition* addition, const void* resolved, const char* field,
                               void* definition) {
  (void)resolved;
  const carom_joint_def* def = definition;
  bool is_meant = strcmp(field, "stiffness") == 0 || strcmp(field, "damping") == 0;
  if (!is_meant || !cr_joint_has_spring_damper(def)) return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_UNSUPPORTED,
                         "%s cannot be set while it follows from spring_damper, %.9g %.9g", field,
                         def->spring_damper[0], def->spring_damper[1]);
}

carom_status carom_builder_add_joint(carom_builder* builder, const carom_joint_def* def,
                                     carom_joint* joint, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("joint", builder, error);
  cr_addition addition = {builder,
                          &builder->joints,
                          CR_PART_JOINT,
                          {"joint", def->name, def->source, builder->joints.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, joint));
  cr_joint_record record = {.def = *def, .next = -1};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_joint_check(&addition, &record.def));

  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  cr_body_record* body = CR_AT(&builder->bodies, cr_body_record, def->body.id);
  int* next = body->last_joint < 0
                  ? NULL
                  : &CR_AT(&builder->joints, cr_joint_record, body->last_joint)->next;
  append_link(&body->first_joint, &body->last_joint, next, index);
  if (joint) joint->id = index + 1;
  return CAROM_OK;
}

carom_status cr_check_shape_size(const cr_subject* subject, carom_geom_type type,
                                 const double size[3]) {
  static const int NUM_SIZES[] = {
      [CAROM_GEOM_PLANE] = 0,    [CAROM_GEOM_SPHERE] = 1,      [CAROM_GEOM_CAPSULE] = 2,
      [CAROM_GEOM_CYLINDER] = 2, [CAROM_GEOM_BOX] = 3,         [CAROM_GEOM_ELLIPSOID] = 3,
      [CAROM_GEOM_MESH] = 0,     [CAROM_GEOM_HEIGHT_FIELD] = 0};
  static const char* const FIELDS[] = {"size[0]", "size[1]", "size[2]"};
  int count = NUM_SIZES[type];
  if (count == 1) return cr_check_positive(subject, "size", size[0]);
  for (int i = 0; i < count && i < 3; i++) CR_TRY(cr_check_positive(subject, FIELDS[i], size[i]));
  if (type == CAROM_GEOM_PLANE) return cr_check_finite(subject, "size", size, 2);
  return CAROM_OK;
}

static carom_status check_contact(const cr_subject* subject, const carom_geom_def* def) {
  CR_TRY(cr_check_condim(subject, def->condim, false));
  CR_TRY(cr_check_not_negative(subject, "friction", def->friction));
  CR_TRY(cr_check_surface(subject, &def->surface, def->friction, false));
  CR_TRY(cr_check_finite(subject, "surface_velocity", def->surface_velocity, 6));
  CR_TRY(cr_check_not_negative(subject, "margin", def->margin));
  CR_TRY(cr_check_not_negative(subject, "gap", def->gap));
  CR_TRY(cr_check_compliance(subject, "stiffness", def->stiffness, true, "dissipation",
                             def->dissipation));
  double rgba[4] = {def->rgba[0], def->rgba[1], def->rgba[2], def->rgba[3]};
  CR_TRY(cr_check_finite(subject, "fluid_coefficients", def->fluid_coefficients, 5));
  return cr_check_finite(subject, "rgba", rgba, 4);
}

bool cr_geom_lacks_inside(const carom_builder* builder, const carom_geom_def* def,
                          const char** what, const char** remedy) {
  if (def->type == CAROM_GEOM_PLANE) {
    *what = "plane", *remedy = "give its layer, the depth at which the pressure is that";
    return isnan(def->layer);
  }
  if (def->type == CAROM_GEOM_HEIGHT_FIELD) {
    *what = "height field", *remedy = "let what touches it have the modulus";
    return true;
  }
  if (def->type != CAROM_GEOM_MESH) return false;
  const cr_mesh_record* mesh = cr_geom_mesh(builder, def);
  *what = "mesh that is only drawn", *remedy = "give one that collides";
  if (cr_mesh_is_drawn(mesh)) return true;
  *what = "mesh whose surface is open", *remedy = "close it, or let it collide as its hull";
  return mesh->surface && !cr_trisurface_is_closed(mesh->surface);
}

void cr_geom_measure_inside(const carom_builder* builder, const carom_geom_def* def) {
  if (def->type != CAROM_GEOM_MESH || isinf(def->modulus)) return;
  const cr_mesh_record* mesh = cr_geom_mesh(builder, def);
  if (mesh->surface) cr_trisurface_measure_reach(mesh->surface);
}

/* A pressure needs an inside: what encloses a volume, or says how deep it is. */
static carom_status check_field(const cr_addition* addition, const carom_geom_def* def) {
  const cr_subject* subject = &addition->subject;
  const char *what, *remedy;
  if (!(def->modulus > 0))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "modulus is %.9g, must be positive or infinite", def->modulus);
  if (!isnan(def->layer)) CR_TRY(cr_check_positive(subject, "layer", def->layer));
  if (isinf(def->modulus)) return CAROM_OK;
  if (!cr_geom_lacks_inside(addition->builder, def, &what, &remedy)) {
    cr_geom_measure_inside(addition->builder, def);
    return CAROM_OK;
  }
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "modulus is %.9g Pa, but a %s has no inside: %s", def->modulus, what,
                         remedy);
}

/* The mass that a geometry gives must be a number: sizes near the end of the range overflow. */
static carom_status check_geom_mass(const cr_addition* addition, const carom_geom_def* def) {
  const cr_subject* subject = &addition->subject;
  if (!isnan(def->mass)) CR_TRY(cr_check_not_negative(subject, "mass", def->mass));
  CR_TRY(cr_check_not_negative(subject, "density", def->density));
  if (def->type == CAROM_GEOM_PLANE || def->type == CAROM_GEOM_HEIGHT_FIELD) return CAROM_OK;
  cr_mass own = cr_mass_of_geom(addition->builder, def);
  double moment = v3_norm(v3_load(own.inertia));
  if (isfinite(own.mass) && isfinite(moment)) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "mass is %.9g and its largest moment %.9g, must be finite numbers",
                         own.mass, moment);
}

/* A mesh or height field where the type wants one. */
static carom_status check_asset(const cr_addition* addition, const carom_geom_def* def) {
  bool is_mesh = def->type == CAROM_GEOM_MESH, is_field = def->type == CAROM_GEOM_HEIGHT_FIELD;
  const carom_builder* b = addition->builder;
  int count = is_mesh ? b->meshes.count : b->height_fields.count;
  int id = is_mesh ? def->mesh.id : def->height_field.id;
  bool is_there = id > 0 && id <= count;
  if (is_mesh && is_there && cr_mesh_is_drawn(cr_geom_mesh(b, def)) &&
      (def->contype || def->conaffinity ||
       (def->gives_mass && !(cr_geom_mesh(b, def)->mass.volume > 0))))
    return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                           "its mesh is only drawn: contype and conaffinity must be 0 and "
                           "gives_mass false");
  if ((!is_mesh && !is_field) || is_there) return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                         "%s is handle %d, which this builder did not give",
                         is_mesh ? "mesh" : "height_field", id);
}

carom_status cr_geom_check(const cr_addition* addition, void* definition) {
  const carom_geom_def* def = definition;
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "body", def->body, 0));
  CR_TRY(
      cr_check_choice(subject, "type", (int)def->type, CAROM_GEOM_PLANE, CAROM_GEOM_HEIGHT_FIELD));
  CR_TRY(check_asset(addition, def));
  CR_TRY(cr_check_shape_size(subject, def->type, def->size));
  CR_TRY(cr_check_finite(subject, "position", def->position, 3));
  CR_TRY(cr_check_quaternion(subject, "quaternion", def->quaternion));
  CR_TRY(check_geom_mass(addition, def));
  CR_TRY(check_field(addition, def));
  return check_contact(subject, def);
}

void cr_geom_resolve(const carom_builder* builder, const void* record, void* definition) {
  (void)record;
  carom_geom_def* def = definition;
  if (!isnan(def->mass))
    def->density = NAN;
  else if (def->type != CAROM_GEOM_PLANE && def->type != CAROM_GEOM_HEIGHT_FIELD)
    def->mass = cr_mass_of_geom(builder, def).mass;
}

/* Mass or density: what was given last counts. */
carom_status cr_geom_make_way(const cr_addition* addition, const void* resolved, const char* field,
                              void* definition) {
  (void)addition, (void)resolved;
  carom_geom_def* def = definition;
  if (strcmp(field, "density") == 0) def->mass = NAN;
  return CAROM_OK;
}

carom_status carom_builder_add_geom(carom_builder* builder, const carom_geom_def* def,
                                    carom_geom* geom, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("geom", builder, error);
  cr_addition addition = {builder,
                          &builder->geoms,
                          CR_PART_GEOM,
                          {"geom", def->name, def->source, builder->geoms.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, geom));
  cr_geom_record record = {.def = *def, .next = -1};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_geom_check(&addition, &record.def));

  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  cr_body_record* body = CR_AT(&builder->bodies, cr_body_record, def->body.id);
  int* next =
      body->last_geom < 0 ? NULL : &CR_AT(&builder->geoms, cr_geom_record, body->last_geom)->next;
  append_link(&body->first_geom, &body->last_geom, next, index);
  if (geom) geom->id = index + 1;
  return CAROM_OK;
}
