/* <worldbody>, <body> and <frame>: a walk over the tree with a stack of its own, since mechanisms
 * may be nested deeper than the C stack likes. */
#include "import/mjcf/body.h"

#include "import/mjcf/layout.h"

#include <string.h>

/* A body or frame whose children are being read. */
typedef struct level {
  const cr_xml_element* child; /* the next one */
  cr_mjcf_place place;
} level;

typedef struct cr_mjcf_body {
  const char *name, *childclass;
  cr_numbers pos;
  cr_orientation orientation;
  double gravcomp;
  bool mocap;
} cr_mjcf_body;

static const cr_attribute BODY[] = {
    CR_ELSEWHERE("name"),
    CR_FIELD("childclass", CR_ATTRIBUTE_TEXT, cr_mjcf_body, childclass),
    CR_NUMBERS("pos", cr_mjcf_body, pos, 3, 3),
    CR_ORIENTATIONS(cr_mjcf_body, orientation),
    CR_FIELD("mocap", CR_ATTRIBUTE_FLAG, cr_mjcf_body, mocap),
    CR_NUMBER("gravcomp", cr_mjcf_body, gravcomp, CR_RULE_ANY),
    CR_NOTED("user", "it is for the programs of the file's author"),
    CR_NOTED("sleep", "bodies rest by themselves here"),
    CR_NOTED("fuse", "the list of bodies stays; welded bodies move as one in any case"),
    CR_NOTED("simple", "it serves the tools of its format"),
    CR_END,
};

static const cr_attribute FRAME[] = {
    CR_ELSEWHERE("name"),
    CR_FIELD("childclass", CR_ATTRIBUTE_TEXT, cr_mjcf_body, childclass),
    CR_NUMBERS("pos", cr_mjcf_body, pos, 3, 3),
    CR_ORIENTATIONS(cr_mjcf_body, orientation),
    CR_END,
};

void cr_mjcf_into_body(const cr_mjcf_place* place, double position[3], double quaternion[4]) {
  v3_store(v3_add(place->p, quat_rotate(place->q, v3_load(position))), position);
  quat_store(quat_mul(place->q, quat_load(quaternion)), quaternion);
}

/* Reads a body or frame, and the class that its children inherit. */
static carom_status read_attributes(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_attribute* table, cr_mjcf_body* body, int* class) {
  CR_TRY(cr_mjcf_read_attributes(m, element, table, body));
  if (!body->childclass) return CAROM_OK;
  return cr_mjcf_find_class(m, element, "childclass", body->childclass, class);
}

static carom_status push_level(cr_mjcf* m, cr_list* stack, const cr_xml_element* element,
                               const cr_mjcf_place* place) {
  level inner = {element->first_child, *place};
  return cr_list_push(stack, &m->allocator, &inner) ? CAROM_OK : cr_error_memory(m->error);
}

static carom_status open_body(cr_mjcf* m, cr_list* stack, const cr_xml_element* element,
                              const cr_mjcf_place* outer) {
  cr_mjcf_body body = {0};
  cr_mjcf_place place = {.class = outer->class, .q = quat_identity(), .suffix = outer->suffix};
  CR_TRY(read_attributes(m, element, BODY, &body, &place.class));
  carom_body_def def = carom_body_def_default();
  CR_TRY(cr_mjcf_name(m, element, outer, &def.name));
  def.source = cr_mjcf_source(element);
  def.parent = outer->body;
  memcpy(def.position, body.pos.x, sizeof def.position);
  quat_store(cr_mjcf_quaternion(m, &body.orientation), def.quaternion);
  cr_mjcf_into_body(outer, def.position, def.quaternion);
  def.gravity_compensation = m->option.no_passive ? 0 : body.gravcomp;
  def.mocap = body.mocap;
  bool is_given, is_node;
  CR_TRY(cr_mjcf_read_inertial(m, element, &def, &is_given, &place.inertial_axes));
  CR_TRY(cr_mjcf_take_flex_node(m, element, &def, place.class, &is_node));
  if (is_node) return CAROM_OK;
  place.has_inertial =
      m->compiler.inertiafromgeom == 0 || (is_given && m->compiler.inertiafromgeom == 2);
  if (!place.has_inertial) place.inertial_axes = (quat){0};
  CR_TRY(carom_builder_add_body(m->builder, &def, &place.body, m->error));
  if (def.mocap) cr_mjcf_fill_slot(m, element, place.body.id);
  return push_level(m, stack, element, &place);
}

/* A frame moves what stands in it, and is gone then. */
static carom_status open_frame(cr_mjcf* m, cr_list* stack, const cr_xml_element* element,
                               const cr_mjcf_place* outer) {
  cr_mjcf_body frame = {0};
  cr_mjcf_place place = *outer;
  CR_TRY(read_attributes(m, element, FRAME, &frame, &place.class));
  double position[3], quaternion[4];
  memcpy(position, frame.pos.x, sizeof position);
  quat_store(cr_mjcf_quaternion(m, &frame.orientation), quaternion);
  cr_mjcf_into_body(outer, position, quaternion);
  place.p = v3_load(position);
  place.q = quat_normalize(quat_load(quaternion));
  return push_level(m, stack, element, &place);
}

/* Copies of what stands in a <replicate>, the first one on top of the stack. */
static carom_status open_replicate(cr_mjcf* m, cr_list* stack, const cr_xml_element* element,
                                   const cr_mjcf_place* outer) {
  cr_list places = CR_LIST_INIT(cr_mjcf_place);
  carom_status status = cr_mjcf_open_replicate(m, element, outer, &places);
  for (int i = places.count - 1; i >= 0 && status == CAROM_OK; i--)
    status = push_level(m, stack, element, CR_AT(&places, cr_mjcf_place, i));
  cr_list_release(&places, &m->allocator);
  return status;
}

/* What another model brings; classes around it do not count there. */
static carom_status open_attach(cr_mjcf* m, cr_list* stack, const cr_xml_element* element,
                                const cr_mjcf_place* outer) {
  cr_mjcf_place place = *outer;
  if (!element->first_child) return CAROM_OK;
  int document = element->first_child->document;
  place.class = CR_AT(&m->documents, cr_mjcf_document, document)->main_class;
  return push_level(m, stack, element, &place);
}

carom_status cr_mjcf_read_frame(cr_mjcf* m, const cr_xml_element* frame, v3* position,
                                quat* orientation) {
  cr_mjcf_body read = {0};
  CR_TRY(cr_mjcf_read_attributes(m, frame, FRAME, &read));
  *position = v3_load(read.pos.x);
  *orientation = cr_mjcf_quaternion(m, &read.orientation);
  return CAROM_OK;
}

static carom_status read_inertial_element(cr_mjcf* m, const cr_xml_element* element) {
  cr_subject subject = cr_mjcf_subject(m, element);
  const cr_xml_element* around = element->parent;
  while (strcmp(around->name, "frame") == 0) around = around->parent;
  if (strcmp(around->name, "body") == 0) return CAROM_OK; /* read with its body */
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the world has no inertia");
}

/* What a body may hold and is not used here, and why. */
typedef struct unused {
  const char* name;
  bool changes_physics;
  const char* text;
} unused;

static const unused UNUSED[] = {
    {"camera", false, "not used: it is for drawing"},
    {"light", false, "not used: it is for drawing"},
    {"plugin", true, "plugins are not supported"},
    {"composite", true, "composite objects are not supported"},
};

static carom_status read_unused(cr_mjcf* m, const cr_xml_element* element) {
  for (size_t i = 0; i < sizeof UNUSED / sizeof UNUSED[0]; i++) {
    const unused* row = &UNUSED[i];
    if (strcmp(element->name, row->name) != 0) continue;
    if (row->changes_physics) return cr_mjcf_refuse(m, element, NULL, row, row->text);
    return cr_mjcf_remark_on(m, element, NULL, row, row->text);
  }
  return cr_mjcf_unknown_element(m, element);
}

static carom_status read_child(cr_mjcf* m, cr_list* stack, const cr_xml_element* element,
                               const cr_mjcf_place* place) {
  const char* name = element->name;
  if (place->suffix) CR_TRY(cr_mjcf_count_copy(m, element));
  if (strcmp(name, "body") == 0) return open_body(m, stack, element, place);
  if (strcmp(name, "frame") == 0) return open_frame(m, stack, element, place);
  if (strcmp(name, "attach") == 0) return open_attach(m, stack, element, place);
  if (strcmp(name, "replicate") == 0) return open_replicate(m, stack, element, place);
  if (strcmp(name, "geom") == 0) return cr_mjcf_read_geom(m, element, place);
  if (strcmp(name, "site") == 0) return cr_mjcf_read_site(m, element, place);
  if (strcmp(name, "joint") == 0) return cr_mjcf_read_joint(m, element, place);
  if (strcmp(name, "freejoint") == 0) return cr_mjcf_read_freejoint(m, element, place);
  if (strcmp(name, "flexcomp") == 0) return cr_mjcf_read_flexcomp(m, element, place);
  if (strcmp(name, "inertial") == 0) return read_inertial_element(m, element);
  return read_unused(m, element);
}

static carom_status read_tree(cr_mjcf* m, const cr_xml_element* section) {
  static const cr_attribute NONE[] = {CR_END};
  CR_TRY(cr_mjcf_read_attributes(m, section, NONE, NULL));
  cr_list stack = CR_LIST_INIT(level);
  cr_mjcf_place world = {.q = quat_identity()};
  carom_status status = push_level(m, &stack, section, &world);
  while (status == CAROM_OK && stack.count > 0) {
    level* top = CR_AT(&stack, level, stack.count - 1);
    const cr_xml_element* child = top->child;
    if (!child) {
      stack.count--;
      continue;
    }
    top->child = child->next;
    cr_mjcf_place place = top->place; /* the stack may move */
    status = read_child(m, &stack, child, &place);
  }
  cr_list_release(&stack, &m->allocator);
  return status;
}

carom_status cr_mjcf_read_worldbody(cr_mjcf* m, const cr_xml_element* section) {
  m->aligned.count = 0;
  CR_TRY(read_tree(m, section));
  return cr_mjcf_align_bodies(m);
}
