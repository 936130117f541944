/* Keyframes, names and notes. */
#include "base/copy.h"
#include "model/compile.h"

#include <string.h>

static carom_status check_count(const cr_compile* c, int index, const char* field, int place,
                                int given, int wanted) {
  const cr_keyframe_record* record = CR_AT(&c->builder->keyframes, cr_keyframe_record, index);
  if (place < 0 || given == wanted) return CAROM_OK;
  cr_subject subject =
      cr_label_subject(c->builder, &record->label, "keyframe", index + 1, c->error);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has %d number%s, the model has %d",
                         field, given, given == 1 ? "" : "s", wanted);
}

/* One array of a keyframe, as it is where none is given. */
static carom_status fill_row(const cr_compile* c, int index, const char* field, int place,
                             int given, double* row, int wanted) {
  CR_TRY(check_count(c, index, field, place, given, wanted));
  if (place >= 0 && wanted > 0) CR_COPY(row, CR_AT(&c->builder->numbers, double, place), wanted);
  return CAROM_OK;
}

static carom_status normalize_part(const cr_compile* c, int index, double* part) {
  const cr_keyframe_record* record = CR_AT(&c->builder->keyframes, cr_keyframe_record, index);
  cr_subject subject =
      cr_label_subject(c->builder, &record->label, "keyframe", index + 1, c->error);
  CR_TRY(cr_check_quaternion(&subject, "a quaternion of q", part));
  quat_store(cr_quat_unit(part), part);
  return CAROM_OK;
}

/* Makes unit quaternions of a configuration's. */
static carom_status normalize_row(const cr_compile* c, int index, double* q) {
  const cr_tree_model* t = &c->model->tree;
  for (int j = 0; j < t->num_joints; j++) {
    if (t->joint_type[j] != CAROM_JOINT_FREE && t->joint_type[j] != CAROM_JOINT_BALL) continue;
    double* part = q + t->joint_q_start[j] + (t->joint_type[j] == CAROM_JOINT_FREE ? 3 : 0);
    CR_TRY(normalize_part(c, index, part));
  }
  for (int i = 0; i < t->num_mocaps; i++)
    CR_TRY(normalize_part(c, index, q + t->mocap_q + 7 * (size_t)i + 3));
  return CAROM_OK;
}

/* A part of the mocap bodies' poses: `size` numbers of each, from `offset` on. */
static carom_status fill_mocaps(const cr_compile* c, int index, const char* field, int place,
                                int given, int offset, int size, double* poses) {
  int count = place >= 0 ? c->model->tree.num_mocaps : 0;
  CR_TRY(check_count(c, index, field, place, given, size * count));
  for (int i = 0; i < count; i++)
    CR_COPY(poses + 7 * i + offset, CR_AT(&c->builder->numbers, double, place) + size * i, size);
  return CAROM_OK;
}

/* A configuration, which need not hold the poses of mocap bodies, then these where they are given
 * apart. */
static carom_status fill_configuration(const cr_compile* c, int index, double* q) {
  const carom_model* m = c->model;
  const cr_keyframe_record* record = CR_AT(&c->builder->keyframes, cr_keyframe_record, index);
  const carom_keyframe_def* def = &record->def;
  int first = m->tree.mocap_q, wanted = def->num_q == m->num_q ? m->num_q : first;
  CR_COPY(q, m->q_reference, m->num_q);
  CR_TRY(fill_row(c, index, "q", record->q, def->num_q, q, wanted));
  CR_TRY(fill_mocaps(c, index, "mocap_position", record->mocap_position, def->num_mocap_position, 0,
                     3, q + first));
  CR_TRY(fill_mocaps(c, index, "mocap_quaternion", record->mocap_quaternion,
                     def->num_mocap_quaternion, 3, 4, q + first));
  return normalize_row(c, index, q);
}

carom_status cr_compile_keyframes(cr_compile* c) {
  const carom_model* m = c->model;
  const cr_keyframe_model* k = &m->keyframe;
  int num_q = m->num_q, num_v = m->num_v, num_ctrl = m->force.num_controls;
  int num_act = m->force.num_activations;
  for (int i = 0; i < k->num_keyframes; i++) {
    const cr_keyframe_record* record = CR_AT(&c->builder->keyframes, cr_keyframe_record, i);
    const carom_keyframe_def* def = &record->def;
    double* q = CR_FILL(double, k->q) + (size_t)i * (size_t)num_q;
    double* v = CR_FILL(double, k->v) + (size_t)i * (size_t)num_v;
    double* ctrl = CR_FILL(double, k->ctrl) + (size_t)i * (size_t)num_ctrl;
    double* act = CR_FILL(double, k->act) + (size_t)i * (size_t)num_act;
    CR_SET(double, k->time, i, def->time);
    CR_TRY(fill_configuration(c, i, q));
    CR_TRY(fill_row(c, i, "v", record->v, def->num_v, v, num_v));
    CR_TRY(fill_row(c, i, "ctrl", record->ctrl, def->num_ctrl, ctrl, num_ctrl));
    CR_TRY(fill_row(c, i, "act", record->act, def->num_act, act, num_act));
  }
  return CAROM_OK;
}

/* Puts a named part into the model's hash table. */
static void add_slot(cr_name_model* n, int part, int index, int text) {
  if (text < 0) return;
  unsigned mask = (unsigned)n->num_slots - 1;
  unsigned slot = (unsigned)cr_name_hash(part, n->text + text) & mask;
  while (n->slot[2 * slot] >= 0) slot = (slot + 1) & mask;
  CR_SET(int, n->slot, 2 * slot, part);
  CR_SET(int, n->slot, 2 * slot + 1, index);
}

/* Names of one kind of part: `names[i]` from the label of record `records[i]` (null: i). */
static void fill_names(cr_compile* c, cr_part part, const int* records, int count,
                       size_t record_size, const void* first_label, const int* names) {
  for (int i = 0; i < count; i++) {
    size_t record = (size_t)(records ? records[i] : i);
    const cr_label* label =
        (const cr_label*)(const void*)((const char*)first_label + record * record_size);
    CR_SET(int, names, i, label->name);
    add_slot(&c->model->name, part, i, label->name);
  }
}

#define FILL_NAMES(part, list, type, records, names)        \
  fill_names(c, part, records, b->list.count, sizeof(type), \
             b->list.count ? (const void*)&CR_AT(&b->list, type, 0)->label : NULL, (names))

void cr_compile_names(cr_compile* c) {
  const carom_builder* b = c->builder;
  cr_name_model* n = &c->model->name;
  memcpy(CR_FILL(char, n->text), b->text.bytes, (size_t)b->text.count);
  memset(CR_FILL(int, n->slot), -1, 2 * (size_t)n->num_slots * sizeof(int));
  CR_SET(int, n->model, 0, b->name);
  FILL_NAMES(CR_PART_BODY, bodies, cr_body_record, c->body_record, n->body);
  FILL_NAMES(CR_PART_JOINT, joints, cr_joint_record, c->joint_record, n->joint);
  FILL_NAMES(CR_PART_GEOM, geoms, cr_geom_record, c->geom_record, n->geom);
  FILL_NAMES(CR_PART_ACTUATOR, actuators, cr_actuator_record, NULL, n->actuator);
  FILL_NAMES(CR_PART_EQUALITY, equalities, cr_equality_record, NULL, n->equality);
  FILL_NAMES(CR_PART_SPRING, springs, cr_spring_record, NULL, n->spring);
  FILL_NAMES(CR_PART_KEYFRAME, keyframes, cr_keyframe_record, NULL, n->keyframe);
  FILL_NAMES(CR_PART_TENDON, tendons, cr_tendon_record, NULL, n->tendon);
  FILL_NAMES(CR_PART_SITE, sites, cr_site_record, NULL, n->site);
  FILL_NAMES(CR_PART_SOFT, softs, cr_soft_record, NULL, n->soft);
  FILL_NAMES(CR_PART_SENSOR, sensors, cr_sensor_record, NULL, n->sensor);
  FILL_NAMES(CR_PART_ATTACHMENT, attachments, cr_attachment_record, NULL, n->attachment);
  for (int i = 0; i < n->num_notes; i++) {
    const cr_note_record* note = CR_AT(&b->notes, cr_note_record, i);
    CR_SET(int, n->note, 2 * i, note->text);
    CR_SET(int, n->note, 2 * i + 1, note->kind);
  }
}
