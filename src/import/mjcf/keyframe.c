/* <keyframe>: stored states. */
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

/* Controls without those of the actuators that were left out. */
static carom_status drop_left_out(cr_mjcf* m, const double** ctrl, int* count) {
  if (!*ctrl || *count != m->num_actuators || m->left_out.count == 0) return CAROM_OK;
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

/* The format's nodes are slides among the other joints, and count from where they are at rest. */
static carom_status drop_nodes(cr_mjcf* m, const cr_xml_element* element, carom_keyframe_def* def) {
  static const char NODES[] = "states of models with soft bodies are not read from MJCF";
  if (m->builder->softs.count == 0 || !(def->q || def->v)) return CAROM_OK;
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

/* The quaternions of free and ball joints, and of mocap bodies, as far as numbers are given. */
static carom_status mend_quaternions(cr_mjcf* m, const cr_xml_element* element,
                                     const carom_keyframe_def* def) {
  int place = 0;
  for (int j = 0; def->q && j < m->builder->joints.count; j++) {
    carom_joint_type type = CR_AT(&m->builder->joints, cr_joint_record, j)->def.type;
    int first = place + (type == CAROM_JOINT_FREE ? 3 : 0);
    bool turns = type == CAROM_JOINT_FREE || type == CAROM_JOINT_BALL;
    place = turns ? first + 4 : place + 1;
    if (place > def->num_q) break;
    if (turns) CR_TRY(mend_quaternion(m, element, def->q + first));
  }
  for (int i = 0; def->mocap_quaternion && i + 4 <= def->num_mocap_quaternion; i += 4)
    CR_TRY(mend_quaternion(m, element, def->mocap_quaternion + i));
  return CAROM_OK;
}

static const char NO_ACT[] = "not used: it counts actuators that are left out";

static carom_status read_key(cr_mjcf* m, const cr_xml_element* element) {
  cr_mjcf_key key = {0};
  CR_TRY(cr_mjcf_read_attributes(m, element, KEY, &key));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  carom_keyframe_def def = carom_keyframe_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = cr_mjcf_source(element);
  def.time = key.time;
  CR_TRY(cr_mjcf_read_long(m, element, "qpos", &def.q, &def.num_q));
  CR_TRY(cr_mjcf_read_long(m, element, "qvel", &def.v, &def.num_v));
  CR_TRY(cr_mjcf_read_long(m, element, "ctrl", &def.ctrl, &def.num_ctrl));
  CR_TRY(cr_mjcf_read_long(m, element, "act", &def.act, &def.num_act));
  CR_TRY(cr_mjcf_read_long(m, element, "mpos", &def.mocap_position, &def.num_mocap_position));
  CR_TRY(cr_mjcf_read_long(m, element, "mquat", &def.mocap_quaternion, &def.num_mocap_quaternion));
  CR_TRY(drop_nodes(m, element, &def));
  CR_TRY(mend_quaternions(m, element, &def));
  CR_TRY(drop_left_out(m, &def.ctrl, &def.num_ctrl));
  if (def.act && m->left_out.count > 0) {
    def.act = NULL;
    CR_TRY(cr_mjcf_remark_on(m, element, "act", NO_ACT, NO_ACT));
  }
  return carom_builder_add_keyframe(m->builder, &def, m->error);
}

carom_status cr_mjcf_read_keyframe(cr_mjcf* m, const cr_xml_element* section) {
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (strcmp(child->name, "key") != 0) return cr_mjcf_unknown_element(m, child);
    CR_TRY(read_key(m, child));
  }
  return CAROM_OK;
}
