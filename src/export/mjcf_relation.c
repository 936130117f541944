/* MJCF: what names bodies, joints and geometries. */
#include "export/writer.h"
#include "model/sensor_kind.h"

#include <math.h>
#include <string.h>

/* Opens an element whose own name is no other part's. */
static void open_named(cr_writer* w, const char* element, const cr_label* label) {
  const char* name = cr_text_get(&w->builder->text, label->name, NULL);
  cr_write_open(w, element);
  if (name) cr_write_text(w, "name", name);
}

static void write_compliance(cr_writer* w, double stiffness, double usual, double dissipation) {
  cr_write_number_but(w, "carom:stiffness", stiffness, usual);
  cr_write_number_but(w, "carom:dissipation", dissipation, NAN);
}

/* ---- Contact */

/* The two tangents, the normal, and the two tangents again; by the geometries' rule what is NaN. */
static void write_friction(cr_writer* w, const carom_pair_def* def) {
  const carom_surface* s = &def->surface;
  double friction[5] = {def->friction, def->friction, s->torsional_friction, s->rolling_friction,
                        s->rolling_friction};
  int count = isnan(def->friction) ? 0 : isnan(friction[2]) ? 2 : isnan(friction[3]) ? 3 : 5;
  if (count) cr_write_numbers(w, "friction", friction, count);
  cr_write_number_but(w, "carom:static_friction", s->static_friction, NAN);
  cr_write_number_but(w, "carom:stribeck_speed", s->stribeck_speed, NAN);
  cr_write_number_but(w, "carom:hunt_crossley", s->hunt_crossley, NAN);
  cr_write_number_but(w, "carom:restitution", s->restitution, NAN);
  cr_write_number_but(w, "adhesion", s->adhesion, NAN);
}

static void write_pair(cr_writer* w, const cr_pair_record* pair) {
  const carom_pair_def* def = &pair->def;
  open_named(w, "pair", &pair->label);
  cr_write_reference(w, "geom1", CR_PART_GEOM, def->geom1.id - 1);
  cr_write_reference(w, "geom2", CR_PART_GEOM, def->geom2.id - 1);
  if (def->condim) cr_write_integer(w, "condim", def->condim);
  write_friction(w, def);
  cr_write_number_but(w, "margin", def->margin, NAN);
  cr_write_number_but(w, "gap", def->gap, NAN);
  write_compliance(w, def->stiffness, NAN, def->dissipation);
  cr_write_close(w, "pair");
}

static void write_contacts(cr_writer* w) {
  const carom_builder* b = w->builder;
  if (b->pairs.count + b->excludes.count == 0) return;
  cr_write_open(w, "contact");
  for (int i = 0; i < b->pairs.count; i++) write_pair(w, CR_AT(&b->pairs, cr_pair_record, i));
  for (int i = 0; i < b->excludes.count; i++) {
    const cr_exclude_record* e = CR_AT(&b->excludes, cr_exclude_record, i);
    cr_write_open(w, "exclude");
    cr_write_reference(w, "body1", CR_PART_BODY, e->body1);
    cr_write_reference(w, "body2", CR_PART_BODY, e->body2);
    cr_write_close(w, "exclude");
  }
  cr_write_close(w, "contact");
}

/* ---- Equalities */

static void write_bodies(cr_writer* w, const carom_equality_def* def) {
  cr_write_reference(w, "body1", CR_PART_BODY, def->body1.id);
  if (def->body2.id) cr_write_reference(w, "body2", CR_PART_BODY, def->body2.id);
}

static void write_connect(cr_writer* w, const carom_equality_def* def) {
  static const char APART[] = "a connect's anchor on its second body stands in carom:anchor2";
  write_bodies(w, def);
  cr_write_numbers(w, "anchor", def->anchor1, 3);
  if (isnan(def->anchor2[0])) return;
  cr_write_numbers(w, "carom:anchor2", def->anchor2, 3);
  cr_write_remark(w, APART);
}

static void write_weld(cr_writer* w, const carom_equality_def* def) {
  write_bodies(w, def);
  if (!isnan(def->anchor2[0])) cr_write_numbers(w, "anchor", def->anchor2, 3);
  if (isnan(def->relative_position[0])) return;
  double relpose[7];
  memcpy(relpose, def->relative_position, sizeof def->relative_position);
  memcpy(relpose + 3, def->relative_quaternion, sizeof def->relative_quaternion);
  cr_write_numbers(w, "relpose", relpose, 7);
}

/* Not of the format: others read past it or refuse it. */
static void write_distance(cr_writer* w, const carom_equality_def* def) {
  static const char OURS[] = "points at a distance stand in elements carom:distance";
  write_bodies(w, def);
  cr_write_numbers(w, "anchor", def->anchor1, 3);
  if (!isnan(def->anchor2[0])) cr_write_numbers(w, "carom:anchor2", def->anchor2, 3);
  cr_write_number_but(w, "distance", def->distance, NAN);
  cr_write_remark(w, OURS);
}

static void write_polynomial(cr_writer* w, const carom_equality_def* def) {
  bool is_joint = def->type == CAROM_EQUALITY_JOINT;
  cr_part part = is_joint ? CR_PART_JOINT : CR_PART_TENDON;
  int first = is_joint ? def->joint1.id : def->tendon1.id;
  int second = is_joint ? def->joint2.id : def->tendon2.id;
  cr_write_reference(w, is_joint ? "joint1" : "tendon1", part, first - 1);
  if (second) cr_write_reference(w, is_joint ? "joint2" : "tendon2", part, second - 1);
  cr_write_numbers(w, "polycoef", def->polynomial, 5);
}

static void write_equality(cr_writer* w, const cr_equality_record* record) {
  static const char* const KINDS[] = {"connect", "weld", "joint", "tendon", "carom:distance"};
  const carom_equality_def* def = &record->def;
  open_named(w, KINDS[def->type], &record->label);
  if (!def->active) cr_write_text(w, "active", "false");
  if (def->type == CAROM_EQUALITY_CONNECT)
    write_connect(w, def);
  else if (def->type == CAROM_EQUALITY_WELD)
    write_weld(w, def);
  else if (def->type == CAROM_EQUALITY_DISTANCE)
    write_distance(w, def);
  else
    write_polynomial(w, def);
  write_compliance(w, def->stiffness, INFINITY, def->dissipation);
  cr_write_close(w, KINDS[def->type]);
}

static void write_equalities(cr_writer* w) {
  const cr_list* list = &w->builder->equalities;
  if (list->count == 0) return;
  cr_write_open(w, "equality");
  for (int i = 0; i < list->count; i++) write_equality(w, CR_AT(list, cr_equality_record, i));
  cr_write_close(w, "equality");
}

void cr_mjcf_write_relations(cr_writer* w) {
  write_contacts(w);
  cr_mjcf_write_tendons(w);
  write_equalities(w);
  cr_mjcf_write_actuators(w);
}
