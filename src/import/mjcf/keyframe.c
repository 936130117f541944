/* <keyframe>: stored states. What one does not say is the reference configuration, or zero, behind
 * its last number as for the joints of other models than its own. */
#include "base/copy.h"
#include "import/mjcf/layout.h"
#include "import/mjcf/reader.h"

#include <string.h>

typedef struct cr_mjcf_key {
  double time;
} cr_mjcf_key;

static const cr_attribute KEY[] = {
    CR_ELSEWHERE("name"),
    CR_NUMBER("time", cr_mjcf_key, time, CR_RULE_ANY),
    CR_ELSEWHERE("qpos"),
    CR_ELSEWHERE("qvel"),
    CR_ELSEWHERE("ctrl"),
    CR_ELSEWHERE("act"),
    CR_ELSEWHERE("mpos"),
    CR_ELSEWHERE("mquat"),
    CR_NOTED("plastic", "springs do not yield"),
    CR_END,
};

/* The format's nodes are slides among the other joints, and count from where they are at rest. */
static carom_status drop_nodes(cr_mjcf* m, const cr_xml_element* element, carom_keyframe_def* def) {
  static const char NODES[] = "states of models with soft bodies are not read from MJCF";
  if ((m->builder->softs.count == 0 && !m->has_rigid_flex) || !(def->q || def->v)) return CAROM_OK;
  const char* attribute = def->q ? "qpos" : "qvel";
  def->q = def->v = NULL;
  return cr_mjcf_refuse(m, element, attribute, NODES, NODES);
}

/* A quaternion of zeros is taken for that of no rotation, with a note. */
static carom_status mend_quaternion(cr_mjcf* m, const cr_xml_element* element,
                                    const double* given) {
  static const char ZERO[] = "its quaternion 0 0 0 0 is read as 1 0 0 0";
  double* part = (double*)given;
  if (part[0] != 0 || part[1] != 0 || part[2] != 0 || part[3] != 0) return CAROM_OK;
  part[0] = 1;
  return cr_mjcf_remark_on(m, element, NULL, ZERO, ZERO);
}

/* The quaternions of free and ball joints, and of mocap bodies. */
static carom_status mend_quaternions(cr_mjcf* m, const cr_xml_element* element,
                                     const cr_mjcf_layout* layout, const carom_keyframe_def* def) {
  for (int j = 0; def->q && j < m->builder->joints.count; j++) {
    carom_joint_type type = CR_AT(&m->builder->joints, cr_joint_record, j)->def.type;
    int first = layout->joint_q[j] + (type == CAROM_JOINT_FREE ? 3 : 0);
    bool turns = type == CAROM_JOINT_FREE || type == CAROM_JOINT_BALL;
    if (turns && first + 4 <= def->num_q) CR_TRY(mend_quaternion(m, element, def->q + first));
  }
  for (int i = 0; def->mocap_quaternion && i + 4 <= def->num_mocap_quaternion; i += 4)
    CR_TRY(mend_quaternion(m, element, def->mocap_quaternion + i));
  return CAROM_OK;
}

/* --- Arrays -------------------------------------------------------------------------------------
 */

/* An array of the builder's layout that starts from the reference; null without memory. */
static double* start_from(cr_mjcf* m, const double* reference, int count) {
  size_t size = ((size_t)count + 1) * sizeof(double);
  double* row = cr_pool_take(&m->xml.pool, size);
  if (!row) return NULL;
  memset(row, 0, size);
  if (reference) CR_COPY(row, reference, count);
  return row;
}

/* What the format calls an array, and the reference that completes it; null: zeros. */
typedef struct completion {
  const char* attribute;
  const double* reference;
  int wanted, group; /* numbers that stand together */
} completion;

/* Completes an array that is shorter than the layout. */
static carom_status complete(cr_mjcf* m, const cr_xml_element* element, const completion* c,
                             const double** given, int* count) {
  static const char SHORT[] =
      "has fewer numbers than the model: the rest is as in the reference configuration";
  int wanted = c->wanted;
  const double* reference = c->reference;
  if (!*given || *count >= wanted || *count % c->group) return CAROM_OK;
  CR_TRY(cr_mjcf_remark_on(m, element, c->attribute, SHORT, SHORT));
  double* whole = start_from(m, reference, wanted);
  if (!whole) return cr_error_memory(m->error);
  CR_COPY(whole, *given, (size_t)*count);
  *given = whole;
  *count = wanted;
  return CAROM_OK;
}

/* Controls without those of the actuators that were left out. */
static carom_status drop_left_out(cr_mjcf* m, const double** ctrl, int* count) {
  if (!*ctrl || *count > m->num_controls || m->left_out.count == 0) return CAROM_OK;
  double* kept = cr_pool_take(&m->xml.pool, (size_t)*count * sizeof *kept);
  if (!kept) return cr_error_memory(m->error);
  int num_kept = 0, next = 0;
  for (int i = 0; i < *count; i++) {
    if (next < m->left_out.count && *CR_AT(&m->left_out, int, next) == i)
      next++;
    else
      kept[num_kept++] = (*ctrl)[i];
  }
  *ctrl = kept;
  *count = num_kept;
  return CAROM_OK;
}

static const char NO_ACT[] = "not used: it counts actuators that are left out";

/* The parts of a definition that both kinds of keyframes read alike. */
static carom_status read_numbers(cr_mjcf* m, const cr_xml_element* element,
                                 carom_keyframe_def* def) {
  cr_mjcf_key key = {0};
  CR_TRY(cr_mjcf_read_attributes(m, element, KEY, &key));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  *def = carom_keyframe_def_default();
  def->name = cr_xml_get(element, "name");
  def->source = cr_mjcf_source(element);
  def->time = key.time;
  CR_TRY(cr_mjcf_read_long(m, element, "qpos", &def->q, &def->num_q));
  CR_TRY(cr_mjcf_read_long(m, element, "qvel", &def->v, &def->num_v));
  CR_TRY(cr_mjcf_read_long(m, element, "ctrl", &def->ctrl, &def->num_ctrl));
  CR_TRY(cr_mjcf_read_long(m, element, "act", &def->act, &def->num_act));
  CR_TRY(cr_mjcf_read_long(m, element, "mpos", &def->mocap_position, &def->num_mocap_position));
  CR_TRY(
      cr_mjcf_read_long(m, element, "mquat", &def->mocap_quaternion, &def->num_mocap_quaternion));
  return drop_nodes(m, element, def);
}

static carom_status complete_all(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_layout* l,
                                 carom_keyframe_def* def) {
  const struct {
    completion c;
    const double** given;
    int* count;
  } rows[] = {
      {{"qpos", l->q, l->num_q, 1}, &def->q, &def->num_q},
      {{"qvel", NULL, l->num_v, 1}, &def->v, &def->num_v},
      {{"ctrl", NULL, l->num_ctrl, 1}, &def->ctrl, &def->num_ctrl},
      {{"act", NULL, l->num_act, 1}, &def->act, &def->num_act},
      {{"mpos", l->mocap_position, 3 * l->num_mocaps, 3},
       &def->mocap_position,
       &def->num_mocap_position},
      {{"mquat", l->mocap_rotation, 4 * l->num_mocaps, 4},
       &def->mocap_quaternion,
       &def->num_mocap_quaternion},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    CR_TRY(complete(m, element, &rows[i].c, rows[i].given, rows[i].count));
  return CAROM_OK;
}

static carom_status read_key(cr_mjcf* m, const cr_mjcf_layout* layout,
                             const cr_xml_element* element) {
  carom_keyframe_def def;
  CR_TRY(read_numbers(m, element, &def));
  CR_TRY(drop_left_out(m, &def.ctrl, &def.num_ctrl));
  if (def.act && m->left_out.count > 0) {
    def.act = NULL;
    CR_TRY(cr_mjcf_remark_on(m, element, "act", NO_ACT, NO_ACT));
  }
  CR_TRY(complete_all(m, element, layout, &def));
  CR_TRY(mend_quaternions(m, element, layout, &def));
  return carom_builder_add_keyframe(m->builder, &def, m->error);
}

/* --- Keyframes of attached models ---------------------------------------------------------------
 */

/* An array of a keyframe, and what each part that its document counts has in it. */
typedef struct row {
  const char* attribute;
  cr_part part;
  const double** given; /* of the definition, in the document's layout; then in the builder's */
  int* count;
  const double* reference; /* [wanted] null: zeros */
  int wanted;
  const int* place; /* of each record, times `stride`; null: as the records are counted */
  int stride;
} row;

/* How many numbers a slot has in a row. */
static int width_in(const row* r, const cr_mjcf_slot* slot) {
  if (slot->part != r->part) return 0;
  if (slot->part == CR_PART_BODY) return r->stride;
  if (slot->part == CR_PART_JOINT) return r->attribute[1] == 'p' ? slot->num_q : slot->num_v;
  return r->attribute[0] == 'a' ? slot->num_q : slot->num_v;
}

/* Spreads the numbers of a row over the builder's layout. */
static carom_status spread(cr_mjcf* m, const cr_xml_element* element, const row* r) {
  const cr_mjcf_document* document = CR_AT(&m->documents, cr_mjcf_document, element->document);
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!*r->given) return CAROM_OK;
  double* whole = start_from(m, r->reference, r->wanted);
  if (!whole) return cr_error_memory(m->error);
  int read = 0;
  for (int i = 0; i < document->num_slots; i++) {
    const cr_mjcf_slot* slot = CR_AT(&m->slots, cr_mjcf_slot, document->first_slot + i);
    int width = width_in(r, slot), from = read;
    read += width;
    if (width == 0 || slot->record < 0 || read > *r->count) continue;
    int place = r->stride * (r->place ? r->place[slot->record] : slot->record);
    CR_COPY(whole + place, *r->given + from, width);
  }
  if (read != *r->count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has %d number%s, its model has %d",
                           r->attribute, *r->count, *r->count == 1 ? "" : "s", read);
  *r->given = whole;
  *r->count = r->wanted;
  return CAROM_OK;
}

static carom_status read_attached_key(cr_mjcf* m, const cr_mjcf_layout* l,
                                      const cr_xml_element* element) {
  carom_keyframe_def def;
  CR_TRY(read_numbers(m, element, &def));
  const row rows[] = {
      {"qpos", CR_PART_JOINT, &def.q, &def.num_q, l->q, l->num_q, l->joint_q, 1},
      {"qvel", CR_PART_JOINT, &def.v, &def.num_v, NULL, l->num_v, l->joint_v, 1},
      {"ctrl", CR_PART_ACTUATOR, &def.ctrl, &def.num_ctrl, NULL, l->num_ctrl, l->actuator_ctrl, 1},
      {"act", CR_PART_ACTUATOR, &def.act, &def.num_act, NULL, l->num_act, l->actuator_act, 1},
      {"mpos", CR_PART_BODY, &def.mocap_position, &def.num_mocap_position, l->mocap_position,
       3 * l->num_mocaps, l->body_mocap, 3},
      {"mquat", CR_PART_BODY, &def.mocap_quaternion, &def.num_mocap_quaternion, l->mocap_rotation,
       4 * l->num_mocaps, l->body_mocap, 4},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) CR_TRY(spread(m, element, &rows[i]));
  CR_TRY(mend_quaternions(m, element, l, &def));
  return carom_builder_add_keyframe(m->builder, &def, m->error);
}

/* --- Sections -----------------------------------------------------------------------------------
 */

static carom_status read_section(cr_mjcf* m, const cr_xml_element* section,
                                 carom_status (*read)(cr_mjcf*, const cr_mjcf_layout*,
                                                      const cr_xml_element*)) {
  cr_mjcf_layout layout;
  CR_TRY(cr_mjcf_make_layout(m, &layout));
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (strcmp(child->name, "key") != 0) return cr_mjcf_unknown_element(m, child);
    CR_TRY(read(m, &layout, child));
  }
  return CAROM_OK;
}

carom_status cr_mjcf_read_keyframe(cr_mjcf* m, const cr_xml_element* section) {
  return read_section(m, section, read_key);
}

carom_status cr_mjcf_read_attached_keyframes(cr_mjcf* m) {
  for (int i = 1; i < m->documents.count; i++) {
    const cr_xml_element* root = CR_AT(&m->documents, cr_mjcf_document, i)->root;
    for (const cr_xml_element* s = root ? root->first_child : NULL; s; s = s->next)
      if (strcmp(s->name, "keyframe") == 0) CR_TRY(read_section(m, s, read_attached_key));
  }
  return CAROM_OK;
}
