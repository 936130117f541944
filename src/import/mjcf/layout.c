/* The layouts of states: of documents, by a walk over their elements, and of the builder. */
#include "import/mjcf/layout.h"

#include "import/mjcf/attach.h"
#include "import/mjcf/body.h"
#include "model/compile.h"

#include <stdlib.h>
#include <string.h>

/* --- Documents: what stands where ---------------------------------------------------------------
 */

static bool is(const cr_xml_element* e, const char* name) { return strcmp(e->name, name) == 0; }

/* The element behind all that stands in `e`, within `root`. */
static cr_xml_element* step_over(const cr_xml_element* e, const cr_xml_element* root) {
  while (e != root && !e->next) e = e->parent;
  return e == root ? NULL : e->next;
}

/* The class that an element names or inherits; null: that of its document. */
static const char* class_name(const cr_xml_element* e) {
  const char* name = cr_xml_get(e, "class");
  for (e = e->parent; e && !name; e = e->parent) name = cr_xml_get(e, "childclass");
  return name;
}

/* The <default> of a class, among those of a root. */
static const cr_xml_element* find_default(const cr_xml_element* root, const cr_xml_element* e) {
  const char* name = class_name(e);
  for (const cr_xml_element* d = root; d; d = cr_xml_next(d, root)) {
    if (!is(d, "default")) continue;
    const char* other = cr_xml_get(d, "class");
    bool is_main = d->parent == root && d->document == e->document;
    if (name ? other && strcmp(name, other) == 0 : is_main) return d;
  }
  return NULL;
}

/* An attribute that an element gives, or its classes; null: neither. Before classes are read, for
 * what is not going to be.
 * @param has_kind of the classes' elements */
static const char* find_value(const cr_xml_element* root, const cr_xml_element* e,
                              const char* attribute, bool (*has_kind)(const char*)) {
  const char* value = cr_xml_get(e, attribute);
  for (const cr_xml_element* d = find_default(root, e); d && !value && is(d, "default");
       d = d->parent)
    for (const cr_xml_element* c = d->first_child; c; c = c->next)
      if (has_kind(c->name) && cr_xml_get(c, attribute)) value = cr_xml_get(c, attribute);
  return value;
}

static bool is_joint(const char* name) { return strcmp(name, "joint") == 0; }

static cr_mjcf_slot joint_slot(const cr_xml_element* root, const cr_xml_element* e) {
  const char* type = is(e, "freejoint") ? "free" : find_value(root, e, "type", is_joint);
  carom_joint_type kind = CAROM_JOINT_HINGE;
  if (type && strcmp(type, "free") == 0) kind = CAROM_JOINT_FREE;
  if (type && strcmp(type, "ball") == 0) kind = CAROM_JOINT_BALL;
  return (cr_mjcf_slot){
      .part = CR_PART_JOINT, .num_q = cr_joint_num_q(kind), .num_v = cr_joint_num_v(kind)};
}

static bool is_positive(const cr_xml_element* root, const cr_xml_element* e,
                        const char* attribute) {
  const char* value = find_value(root, e, attribute, cr_mjcf_is_actuator);
  return value && strtod(value, NULL) > 0;
}

/* Whether one of the numbers [first, end) of a list is positive. */
static bool has_positive(const cr_xml_element* root, const cr_xml_element* e, const char* attribute,
                         int first, int end) {
  const char* at = find_value(root, e, attribute, cr_mjcf_is_actuator);
  bool any = false;
  for (int i = 0; at && *at && i < end; i++) {
    char* after;
    any |= strtod(at, &after) > 0 && i >= first;
    if (after == at) break;
    at = after;
  }
  return any;
}

static int count_words(const char* text) {
  int count = 0;
  for (; *text; text += strcspn(text, " \t\n")) {
    text += strspn(text, " \t\n");
    count += *text != 0;
  }
  return count;
}

/* Of <pid> and <dcmotor>. */
static cr_mjcf_slot controller_slot(const cr_xml_element* root, const cr_xml_element* e) {
  const char* input = find_value(root, e, "input", cr_mjcf_is_actuator);
  cr_mjcf_slot slot = {.part = CR_PART_ACTUATOR};
  slot.num_v = !input ? 1 + is(e, "pid") : strcmp(input, "none") == 0 ? 0 : count_words(input);
  if (is(e, "pid"))
    slot.num_q = is_positive(root, e, "ki") + is_positive(root, e, "slewmax");
  else
    slot.num_q = has_positive(root, e, "controller", 1, 2) +
                 has_positive(root, e, "controller", 3, 4) +
                 has_positive(root, e, "thermal", 0, 3) + has_positive(root, e, "lugre", 0, 1) +
                 has_positive(root, e, "inductance", 0, 2);
  return slot;
}

static cr_mjcf_slot actuator_slot(const cr_xml_element* root, const cr_xml_element* e) {
  if (is(e, "pid") || is(e, "dcmotor")) return controller_slot(root, e);
  const char* type = find_value(root, e, "dyntype", cr_mjcf_is_actuator);
  const char* time = find_value(root, e, "timeconst", cr_mjcf_is_actuator);
  bool has_one = is(e, "cylinder") || is(e, "muscle") || is(e, "intvelocity") ||
                 (is(e, "position") && time && strcmp(time, "0") != 0) ||
                 (is(e, "general") && type && strcmp(type, "none") != 0);
  return (cr_mjcf_slot){.part = CR_PART_ACTUATOR, .num_q = has_one, .num_v = 1};
}

/* --- Documents: the list ------------------------------------------------------------------------
 */

static cr_mjcf_slot* slot_at(cr_mjcf* m, int number) {
  return CR_AT(&m->slots, cr_mjcf_slot, number - 1);
}

/* Puts a slot behind those of the element. Slots of a document follow one another in one row, the
 * rows of documents hang on the first slot of each. */
static carom_status add_slot(cr_mjcf* m, cr_xml_element* e, cr_mjcf_slot slot, int first) {
  slot.record = -1;
  if (!cr_list_push(&m->slots, &m->allocator, &slot)) return cr_error_memory(m->error);
  int number = m->slots.count, none = 0;
  if (!e->slot) {
    if (!cr_list_push(&m->waiting, &m->allocator, &none)) return cr_error_memory(m->error);
    e->slot = m->waiting.count;
  }
  int* head = CR_AT(&m->waiting, int, e->slot - 1);
  if (*head <= first) { /* none of this document yet */
    slot_at(m, number)->other = *head;
    slot_at(m, number)->last = number;
    *head = number;
    return CAROM_OK;
  }
  cr_mjcf_slot* row = slot_at(m, *head);
  slot_at(m, row->last)->next = number;
  row->last = number;
  return CAROM_OK;
}

/* What is being listed: a root, and the number of slots before it. */
typedef struct lister {
  cr_mjcf* m;
  cr_xml_element* root;
  int first;
} lister;

/* The joints of a body come before those of the bodies in it, wherever they stand. */
static carom_status list_body(const lister* l, cr_xml_element* body) {
  if (cr_xml_get(body, "mocap") && strcmp(cr_xml_get(body, "mocap"), "true") == 0)
    CR_TRY(add_slot(l->m, body, (cr_mjcf_slot){.part = CR_PART_BODY}, l->first));
  for (cr_xml_element* e = body->first_child; e;) {
    bool is_inner = is(e, "body") || is(e, "replicate") || is(e, "attach");
    if (is(e, "joint") || is(e, "freejoint"))
      CR_TRY(add_slot(l->m, e, joint_slot(l->root, e), l->first));
    e = is_inner ? step_over(e, body) : cr_xml_next(e, body);
  }
  return CAROM_OK;
}

static carom_status list_bodies(const lister* l, cr_xml_element* top) {
  for (cr_xml_element* e = cr_xml_next(top, top); e;) {
    bool is_many = is(e, "replicate");
    for (int i = 0; is_many && i < cr_mjcf_count_of(e); i++) {
      CR_TRY(cr_mjcf_count_copy(l->m, e));
      CR_TRY(list_bodies(l, e));
    }
    if (is(e, "body")) CR_TRY(list_body(l, e));
    e = is_many ? step_over(e, top) : cr_xml_next(e, top);
  }
  return CAROM_OK;
}

static bool has_keyframes(const cr_xml_element* root) {
  for (const cr_xml_element* s = root->first_child; s; s = s->next)
    if (is(s, "keyframe") && s->first_child) return true;
  return false;
}

carom_status cr_mjcf_list_slots(cr_mjcf* m, cr_xml_element* root) {
  cr_mjcf_document* document = CR_AT(&m->documents, cr_mjcf_document, root->document);
  const lister l = {m, root, m->slots.count};
  document->root = root;
  document->first_slot = l.first;
  if (!has_keyframes(root)) return CAROM_OK;
  for (cr_xml_element* s = root->first_child; s; s = s->next) {
    if (is(s, "worldbody")) CR_TRY(list_bodies(&l, s));
    for (cr_xml_element* e = s->first_child; is(s, "actuator") && e; e = e->next)
      CR_TRY(add_slot(m, e, actuator_slot(root, e), l.first));
  }
  CR_AT(&m->documents, cr_mjcf_document, root->document)->num_slots = m->slots.count - l.first;
  return CAROM_OK;
}

void cr_mjcf_fill_slot(cr_mjcf* m, const cr_xml_element* element, int record) {
  if (!element->slot) return;
  for (int* link = CR_AT(&m->waiting, int, element->slot - 1); *link;) {
    cr_mjcf_slot* slot = slot_at(m, *link);
    slot->record = record;
    if (!slot->next) {
      *link = slot->other;
      continue;
    }
    cr_mjcf_slot* next = slot_at(m, slot->next);
    next->other = slot->other;
    *link = slot->next;
    link = &next->other;
  }
}

/* --- The builder --------------------------------------------------------------------------------
 */

/* The pose of a body that nothing moves, in the world. */
static void place_body(const cr_mjcf* m, int record, double position[3], double rotation[4]) {
  v3 p = v3_zero();
  quat q = quat_identity();
  for (int i = record; i > 0; i = CR_AT(&m->builder->bodies, cr_body_record, i)->def.parent.id) {
    const carom_body_def* def = &CR_AT(&m->builder->bodies, cr_body_record, i)->def;
    quat turn = quat_normalize(quat_load(def->quaternion));
    p = v3_add(v3_load(def->position), quat_rotate(turn, p));
    q = quat_mul(turn, q);
  }
  v3_store(p, position);
  quat_store(quat_normalize(q), rotation);
}

/* A joint's coordinates at the reference configuration. */
static void fill_joint(const cr_mjcf* m, const carom_joint_def* def, double* q) {
  if (def->type == CAROM_JOINT_FREE)
    place_body(m, def->body.id, q, q + 3);
  else if (def->type == CAROM_JOINT_BALL)
    quat_store(quat_identity(), q);
  else
    q[0] = def->reference;
}

/* Bodies are made in the order of the tree, each before what is in it. */
static void lay_out(const cr_mjcf* m, cr_mjcf_layout* l, double* q, int* joint_q, int* joint_v) {
  const carom_builder* b = m->builder;
  for (int i = 0; i < b->bodies.count; i++) {
    int j = CR_AT(&b->bodies, cr_body_record, i)->first_joint;
    for (; j >= 0; j = CR_AT(&b->joints, cr_joint_record, j)->next) {
      const carom_joint_def* def = &CR_AT(&b->joints, cr_joint_record, j)->def;
      joint_q[j] = l->num_q, joint_v[j] = l->num_v;
      fill_joint(m, def, q + l->num_q);
      l->num_q += cr_joint_num_q(def->type), l->num_v += cr_joint_num_v(def->type);
    }
  }
}

static void* take(cr_mjcf* m, int count, size_t size) {
  void* memory = cr_pool_take(&m->xml.pool, ((size_t)count + 1) * size);
  if (memory) memset(memory, 0, ((size_t)count + 1) * size);
  return memory;
}

carom_status cr_mjcf_make_layout(cr_mjcf* m, cr_mjcf_layout* layout) {
  const carom_builder* b = m->builder;
  int bodies = b->bodies.count, joints = b->joints.count, actuators = b->actuators.count;
  *layout = (cr_mjcf_layout){0};
  double *q = take(m, 7 * joints, sizeof *q), *position = take(m, 3 * bodies, sizeof *position);
  double* rotation = take(m, 4 * bodies, sizeof *rotation);
  int *joint_q = take(m, joints, sizeof(int)), *joint_v = take(m, joints, sizeof(int));
  int *act = take(m, actuators, sizeof(int)), *mocap = take(m, bodies, sizeof(int));
  int* ctrl = take(m, actuators, sizeof(int));
  if (!q || !position || !rotation || !joint_q || !joint_v || !act || !ctrl || !mocap)
    return cr_error_memory(m->error);
  lay_out(m, layout, q, joint_q, joint_v);
  for (int i = 0; i < actuators; i++) {
    const carom_actuator_def* def = &CR_AT(&b->actuators, cr_actuator_record, i)->def;
    cr_actuator_counts n = cr_count_actuator(def);
    act[i] = layout->num_act, ctrl[i] = layout->num_ctrl;
    layout->num_act += n.activations, layout->num_ctrl += n.controls;
  }
  for (int i = 0; i < bodies; i++) {
    if (!CR_AT(&b->bodies, cr_body_record, i)->def.mocap) continue;
    mocap[i] = layout->num_mocaps++;
    place_body(m, i, position + 3 * (size_t)mocap[i], rotation + 4 * (size_t)mocap[i]);
  }
  layout->q = q, layout->mocap_position = position, layout->mocap_rotation = rotation;
  layout->joint_q = joint_q, layout->joint_v = joint_v;
  layout->actuator_act = act, layout->actuator_ctrl = ctrl, layout->body_mocap = mocap;
  return CAROM_OK;
}
