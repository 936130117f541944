/* MJCF: bodies with their inertias, joints, geometries and sites. */
#include "export/writer.h"

#include <math.h>

/* ---- Inertia */

/* Off the diagonal only where there is something. */
static void write_inertial(cr_writer* w, int record) {
  const cr_body_model* b = &w->model->body;
  int body = cr_writer_body(w, record);
  const double *I = b->inertia + 6 * body, mass = b->mass[body];
  bool is_empty = mass == 0;
  for (int i = 0; i < 6; i++) is_empty = is_empty && I[i] == 0;
  if (is_empty) return;
  cr_write_open(w, "inertial");
  cr_write_numbers(w, "pos", b->com + 3 * body, 3);
  cr_write_number(w, "mass", mass);
  bool is_diagonal = I[3] == 0 && I[4] == 0 && I[5] == 0;
  cr_write_numbers(w, is_diagonal ? "diaginertia" : "fullinertia", I, is_diagonal ? 3 : 6);
  cr_write_close(w, "inertial");
}

/* ---- Joints */

static void write_limit(cr_writer* w, const carom_joint_def* def) {
  if (!def->limited) return;
  cr_write_text(w, "limited", "true");
  cr_write_numbers(w, "range", def->range, 2);
  cr_write_number_but(w, "margin", def->limit_margin, 0);
  cr_write_number_but(w, "carom:limit_stiffness", def->limit_stiffness, INFINITY);
  cr_write_number_but(w, "carom:limit_dissipation", def->limit_dissipation, NAN);
}

static void write_joint(cr_writer* w, int index) {
  static const char* const TYPES[] = {"free", "ball", "slide", "hinge"};
  const carom_joint_def* def = &CR_AT(&w->builder->joints, cr_joint_record, index)->def;
  bool is_scalar = def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE;
  cr_write_open(w, "joint");
  cr_write_name(w, CR_PART_JOINT, index);
  cr_write_text(w, "type", TYPES[def->type]);
  if (def->type != CAROM_JOINT_FREE) cr_write_vector_but_zero(w, "pos", def->anchor);
  if (is_scalar) cr_write_numbers(w, "axis", def->axis, 3);
  if (is_scalar) cr_write_number_but(w, "ref", def->reference, 0);
  cr_write_number_but(w, "carom:pitch", def->pitch, 0);
  write_limit(w, def);
  cr_write_powers(w, "stiffness", def->stiffness, def->stiffness_more);
  double rest = isnan(def->spring_reference) ? def->reference : def->spring_reference;
  if (is_scalar) cr_write_number_but(w, "springref", rest, 0);
  cr_write_powers(w, "damping", def->damping, def->damping_more);
  if (def->spring_damper[0] > 0 && def->spring_damper[1] > 0)
    cr_write_numbers(w, "springdamper", def->spring_damper, 2);
  cr_write_number_but(w, "armature", def->armature, 0);
  cr_write_number_but(w, "frictionloss", def->friction_loss, 0);
  if (def->drive_bears_weight) cr_write_text(w, "actuatorgravcomp", "true");
  if (def->drive_limited) {
    cr_write_text(w, "actuatorfrclimited", "true");
    cr_write_numbers(w, "actuatorfrcrange", def->drive_range, 2);
  }
  cr_write_close(w, "joint");
}

/* ---- Geometries and sites */

static const char* const SHAPES[] = {"plane", "sphere",    "capsule", "cylinder",
                                     "box",   "ellipsoid", "mesh",    "hfield"};
static const int NUM_SIZES[] = {3, 1, 2, 2, 3, 3, 0, 0};

/* Type, size and place. A plane's third size is the spacing of its grid. */
static void write_shape(cr_writer* w, carom_geom_type type, const double size[3],
                        const double position[3], const double quaternion[4]) {
  double shown[3] = {size[0], size[1], type == CAROM_GEOM_PLANE ? 1 : size[2]};
  cr_write_text(w, "type", SHAPES[type]);
  if (NUM_SIZES[type]) cr_write_numbers(w, "size", shown, NUM_SIZES[type]);
  cr_write_vector_but_zero(w, "pos", position);
  cr_write_quaternion_but_one(w, "quat", quaternion);
}

static void write_colour(cr_writer* w, int group, const float rgba[4]) {
  double x[4];
  for (int i = 0; i < 4; i++) x[i] = (double)rgba[i];
  if (group != 0) cr_write_integer(w, "group", group);
  cr_write_numbers(w, "rgba", x, 4);
}

/* Sliding, torsional and rolling friction, as many as differ from what the format takes. */
static void write_friction(cr_writer* w, const carom_geom_def* def) {
  const carom_surface *s = &def->surface, usual = carom_geom_def_default().surface;
  double friction[3] = {def->friction, s->torsional_friction, s->rolling_friction};
  int count = friction[0] != 1;
  if (friction[1] != usual.torsional_friction) count = 2;
  if (friction[2] != usual.rolling_friction) count = 3;
  if (count) cr_write_numbers(w, "friction", friction, count);
  cr_write_number_but(w, "carom:static_friction", s->static_friction, usual.static_friction);
  cr_write_number_but(w, "carom:stribeck_speed", s->stribeck_speed, usual.stribeck_speed);
  cr_write_number_but(w, "carom:hunt_crossley", s->hunt_crossley, usual.hunt_crossley);
  cr_write_number_but(w, "carom:restitution", s->restitution, usual.restitution);
  cr_write_number_but(w, "adhesion", s->adhesion, usual.adhesion);
}

static void write_surface_velocity(cr_writer* w, const carom_geom_def* def) {
  if (cr_geom_moves(def)) cr_write_numbers(w, "surfacevel", def->surface_velocity, 6);
}

static void write_fluid(cr_writer* w, const carom_geom_def* def) {
  static const double USUAL[5] = {0.5, 0.25, 1.5, 1, 1};
  if (!def->fluid_ellipsoid) return;
  cr_write_text(w, "fluidshape", "ellipsoid");
  bool is_usual = true;
  for (int i = 0; i < 5; i++) is_usual = is_usual && def->fluid_coefficients[i] == USUAL[i];
  if (!is_usual) cr_write_numbers(w, "fluidcoef", def->fluid_coefficients, 5);
}

static void write_contact(cr_writer* w, const carom_geom_def* def) {
  write_surface_velocity(w, def);
  if (def->contype != 1) cr_write_integer(w, "contype", def->contype);
  if (def->conaffinity != 1) cr_write_integer(w, "conaffinity", def->conaffinity);
  if (def->condim != 3) cr_write_integer(w, "condim", def->condim);
  if (def->priority != 0) cr_write_integer(w, "priority", def->priority);
  write_friction(w, def);
  cr_write_number_but(w, "margin", def->margin, 0);
  cr_write_number_but(w, "gap", def->gap, 0);
  cr_write_number_but(w, "carom:stiffness", def->stiffness, NAN);
  cr_write_number_but(w, "carom:dissipation", def->dissipation, NAN);
  cr_write_number_but(w, "carom:modulus", def->modulus, INFINITY);
  cr_write_number_but(w, "carom:layer", def->layer, NAN);
}

/* A field's place is that of its lowest height. */
static v3 find_place(const cr_writer* w, const carom_geom_def* def) {
  v3 place = v3_load(def->position);
  double span;
  if (def->type != CAROM_GEOM_HEIGHT_FIELD) return place;
  double low = cr_mjcf_find_lowest(cr_geom_height_field(w->builder, def)->surface, &span);
  return v3_add(place, quat_rotate(cr_quat_unit(def->quaternion), v3_make(0, 0, low)));
}

static void write_asset_name(cr_writer* w, const carom_geom_def* def) {
  char name[32];
  bool is_mesh = def->type == CAROM_GEOM_MESH;
  if (!is_mesh && def->type != CAROM_GEOM_HEIGHT_FIELD) return;
  snprintf(name, sizeof name, is_mesh ? "mesh_%d" : "field_%d",
           is_mesh ? def->mesh.id : def->height_field.id);
  cr_write_text(w, is_mesh ? "mesh" : "hfield", name);
}

static void write_geom(cr_writer* w, int index) {
  const carom_geom_def* def = &CR_AT(&w->builder->geoms, cr_geom_record, index)->def;
  double place[3];
  v3_store(find_place(w, def), place);
  cr_write_open(w, "geom");
  cr_write_name(w, CR_PART_GEOM, index);
  write_shape(w, def->type, def->size, place, def->quaternion);
  write_asset_name(w, def);
  write_contact(w, def);
  write_fluid(w, def);
  write_colour(w, def->group, def->rgba);
  cr_write_close(w, "geom");
}

static void write_sites(cr_writer* w, int body) {
  for (int i = 0; i < w->builder->sites.count; i++) {
    const carom_site_def* def = &CR_AT(&w->builder->sites, cr_site_record, i)->def;
    if (def->body.id != body) continue;
    cr_write_open(w, "site");
    cr_write_name(w, CR_PART_SITE, i);
    write_shape(w, def->type, def->size, def->position, def->quaternion);
    write_colour(w, def->group, def->rgba);
    cr_write_close(w, "site");
  }
}

/* ---- Bodies */

/* What stands on a body, its children left out. */
static void write_contents(cr_writer* w, int body) {
  const carom_builder* b = w->builder;
  const cr_body_record* record = CR_AT(&b->bodies, cr_body_record, body);
  for (int j = record->first_joint; j >= 0; j = CR_AT(&b->joints, cr_joint_record, j)->next)
    write_joint(w, j);
  for (int g = record->first_geom; g >= 0; g = CR_AT(&b->geoms, cr_geom_record, g)->next)
    write_geom(w, g);
  write_sites(w, body);
}

static void open_body(cr_writer* w, int body) {
  const carom_body_def* def = &CR_AT(&w->builder->bodies, cr_body_record, body)->def;
  cr_write_open(w, "body");
  cr_write_name(w, CR_PART_BODY, body);
  cr_write_vector_but_zero(w, "pos", def->position);
  cr_write_quaternion_but_one(w, "quat", def->quaternion);
  if (def->mocap) cr_write_text(w, "mocap", "true");
  cr_write_number_but(w, "gravcomp", def->gravity_compensation, 0);
  write_inertial(w, body);
  write_contents(w, body);
}

/* Depth first; an element is closed when nothing more hangs on its body. */
void cr_mjcf_write_bodies(cr_writer* w) {
  const cr_list* bodies = &w->builder->bodies;
  cr_write_open(w, "worldbody");
  write_contents(w, 0);
  int body = CR_AT(bodies, cr_body_record, 0)->first_child;
  while (body > 0) {
    open_body(w, body);
    int next = CR_AT(bodies, cr_body_record, body)->first_child;
    while (next < 0 && body > 0) {
      const cr_body_record* done = CR_AT(bodies, cr_body_record, body);
      cr_write_close(w, "body");
      next = done->next;
      body = done->def.parent.id;
    }
    body = next;
  }
  cr_write_close(w, "worldbody");
}
