/* Where frames are, and what they move with.
 *
 * Every pose is given relative to one frame: a named one, or a default that depends on what has the
 * pose. Frames of a scope are worked out in the frame of its model, each after the one that it is
 * given in; a circle is found as a frame that waits for itself. A model that is placed by a frame
 * of its own (placement_frame) lies at X P^-1, where P is that frame in the model. */
#include "import/sdf/reader.h"

#include <string.h>

/* Frames that wait for each other. Links in a file's order wait for none or few. */
#define MAX_WAITING 1000

/* ---- Names */

/* The frame that the first `length` bytes of a name mean in a scope, or -1. */
static int find_part(const cr_sdf* s, int scope, char* name, size_t length) {
  char end = name[length];
  name[length] = '\0';
  int index = cr_name_find(&s->names, &s->text, cr_sdf_scope_at(s, scope)->names, name);
  if (index < 0 && strcmp(name, "__model__") == 0) index = cr_sdf_scope_at(s, scope)->frame;
  if (index < 0 && scope == CR_SDF_WORLD && strcmp(name, "world") == 0) index = CR_SDF_WORLD;
  name[length] = end;
  return index;
}

carom_status cr_sdf_resolve(cr_sdf* s, int scope, const cr_xml_element* element, const char* what,
                            const char* name, int* frame) {
  cr_subject subject = cr_document_subject(&s->document, element);
  char* copy = cr_pool_copy(&s->document.xml.pool, name, strlen(name));
  if (!copy) return cr_error_memory(s->document.error);
  int place = scope;
  *frame = find_part(s, scope, copy, strlen(copy)); /* files of 1.7 name parts "arm::hand" */
  if (*frame >= 0) return CAROM_OK;
  for (char* part = copy;;) {
    char* end = strstr(part, "::");
    *frame = find_part(s, place, part, end ? (size_t)(end - part) : strlen(part));
    if (*frame < 0 || !end) break;
    const cr_sdf_frame* model = cr_sdf_frame_at(s, *frame);
    if (model->kind != CR_SDF_MODEL) *frame = -1;
    if (*frame < 0) break;
    place = model->item;
    part = end + 2;
  }
  if (*frame >= 0) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "%s is '%.100s', no frame has this name here", what, name);
}

/* The frame that <pose> names; before 1.7 in an attribute of another name. */
static const char* get_relative(const cr_sdf* s, int scope, const cr_xml_element* e) {
  const char* name = e ? cr_xml_get(e, "relative_to") : NULL;
  if (!name && e && cr_sdf_scope_at(s, scope)->version < 107) name = cr_xml_get(e, "frame");
  return name && name[0] ? name : NULL;
}

/* The scope that stands for itself among those that are merged into it. */
static int find_host(const cr_sdf* s, int scope) { return cr_sdf_scope_at(s, scope)->names; }

/* ---- Poses */

static carom_status place_frame(cr_sdf* s, int index, int waiting);

/* Reads the text within a joint's element that names a link. */
static carom_status read_end(cr_sdf* s, const cr_xml_element* joint, const char* end,
                             const char** name) {
  bool is_drakes = strncmp(joint->name, "drake:", 6) == 0;
  const char* key = is_drakes ? cr_sdf_join(s, "drake:", end) : end;
  if (!key) return cr_error_memory(s->document.error);
  CR_TRY(cr_sdf_word(s, joint, key, name));
  if (*name) return CAROM_OK;
  cr_subject subject = cr_document_subject(&s->document, joint);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <%s> is missing", key);
}

/* The frame that a frame's pose is given in. */
static carom_status find_base(cr_sdf* s, const cr_sdf_frame* f, int* base) {
  const char *name = get_relative(s, f->scope, f->pose), *what = "relative_to";
  const cr_xml_element* element = f->pose ? f->pose : f->element;
  if (!name && f->kind == CR_SDF_JOINT) {
    what = "its child", element = f->element;
    CR_TRY(read_end(s, f->element, "child", &name));
    *base = CR_SDF_WORLD;
    if (name && strcmp(name, "world") == 0) return CAROM_OK;
  }
  if (!name && f->kind == CR_SDF_FRAME) {
    what = "attached_to", element = f->element;
    name = cr_xml_get(f->element, "attached_to");
    if (name && (!name[0] || strcmp(name, "world") == 0)) name = NULL;
  }
  *base = cr_sdf_scope_at(s, f->scope)->frame;
  return name ? cr_sdf_resolve(s, f->scope, element, what, name, base) : CAROM_OK;
}

/* A placed frame's pose in the model of a scope above it. Models between are placed on the way. */
static carom_status climb(cr_sdf* s, int index, int scope, int waiting, pose* result) {
  *result = pose_identity();
  while (index != cr_sdf_scope_at(s, scope)->frame && index != CR_SDF_WORLD) {
    CR_TRY(place_frame(s, index, waiting));
    const cr_sdf_frame* f = cr_sdf_frame_at(s, index);
    *result = pose_mul(&f->local, result);
    index = cr_sdf_scope_at(s, f->scope)->frame;
  }
  return CAROM_OK;
}

/* A frame's pose within a scope whose own model may be merged into another. */
static carom_status place_base(cr_sdf* s, int base, int scope, int waiting, pose* result) {
  pose own;
  int host = find_host(s, scope), frame = cr_sdf_scope_at(s, scope)->frame;
  *result = pose_identity();
  if (base == frame) return CAROM_OK;
  if (base == CR_SDF_WORLD) {
    pose here = pose_identity();
    CR_TRY(climb(s, frame, CR_SDF_WORLD, waiting, &own));
    *result = pose_relative(&own, &here);
    return CAROM_OK;
  }
  CR_TRY(climb(s, base, host, waiting, result));
  if (host == scope) return CAROM_OK;
  CR_TRY(climb(s, frame, host, waiting, &own));
  *result = pose_relative(&own, result);
  return CAROM_OK;
}

/* X P^-1 for a model that a frame of its own places. */
static carom_status apply_placement(cr_sdf* s, int scope, int waiting, pose* local) {
  const cr_sdf_scope* model = cr_sdf_scope_at(s, scope);
  pose placement, identity = pose_identity();
  int frame;
  if (!model->placement || !model->placement[0]) return CAROM_OK;
  CR_TRY(cr_sdf_resolve(s, scope, model->element, "placement_frame", model->placement, &frame));
  CR_TRY(climb(s, frame, scope, waiting, &placement));
  pose inverse = pose_relative(&placement, &identity);
  *local = pose_mul(local, &inverse);
  return CAROM_OK;
}

static carom_status compute_local(cr_sdf* s, const cr_sdf_frame* f, int waiting, pose* local) {
  pose own, at;
  int base;
  CR_TRY(find_base(s, f, &base));
  CR_TRY(cr_sdf_pose(s, f->pose, &own));
  CR_TRY(place_base(s, base, f->scope, waiting, &at));
  *local = pose_mul(&at, &own);
  return f->kind == CR_SDF_MODEL ? apply_placement(s, f->item, waiting, local) : CAROM_OK;
}

static carom_status place_frame(cr_sdf* s, int index, int waiting) {
  cr_sdf_frame* f = cr_sdf_frame_at(s, index);
  if (f->placed == CR_SDF_DONE) return CAROM_OK;
  cr_subject subject = cr_xml_subject(f->element, s->document.error);
  if (f->placed == CR_SDF_BUSY || waiting > MAX_WAITING)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           f->placed == CR_SDF_BUSY
                               ? "its pose is relative to itself, by way of other frames"
                               : "its pose hangs on a chain of too many frames");
  f->placed = CR_SDF_BUSY;
  CR_TRY(compute_local(s, f, waiting + 1, &f->local));
  f->placed = CR_SDF_DONE;
  return CAROM_OK;
}

/* ---- What frames move with */

/* The frame whose link is that of `f`; CR_SDF_NONE: `f` is a link, or moves with the world. */
static carom_status find_carrier(cr_sdf* s, const cr_sdf_frame* f, int* carrier) {
  const char *name = NULL, *what = "attached_to";
  *carrier = CR_SDF_NONE;
  if (f->kind == CR_SDF_LINK) return CAROM_OK;
  int scope = f->scope;
  if (f->kind == CR_SDF_JOINT) {
    what = "its child";
    CR_TRY(read_end(s, f->element, "child", &name));
    if (name && strcmp(name, "world") == 0) return CAROM_OK;
  } else if (f->kind == CR_SDF_FRAME) {
    name = cr_xml_get(f->element, "attached_to");
    if (name && strcmp(name, "world") == 0) return CAROM_OK;
    *carrier = cr_sdf_scope_at(s, f->scope)->frame;
  } else {
    what = "canonical_link", scope = f->item;
    name = cr_xml_get(f->element, "canonical_link");
  }
  return name && name[0] ? cr_sdf_resolve(s, scope, f->element, what, name, carrier) : CAROM_OK;
}

/* The first link of a model, else of the models in it. */
static int find_first_link(const cr_sdf* s, int scope) {
  const cr_sdf_scope* model = cr_sdf_scope_at(s, scope);
  for (int i = model->first_link; i < model->end_link; i++)
    if (find_host(s, cr_sdf_link_at(s, i)->scope) == scope) return i;
  return model->first_link < model->end_link ? model->first_link : CR_SDF_NONE;
}

static carom_status attach(cr_sdf* s, int index, int waiting) {
  cr_sdf_frame* f = cr_sdf_frame_at(s, index);
  int carrier;
  if (f->attached == CR_SDF_DONE) return CAROM_OK;
  cr_subject subject = cr_xml_subject(f->element, s->document.error);
  if (f->attached == CR_SDF_BUSY || waiting > MAX_WAITING)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "it is attached to itself, by way of other frames, or to a chain of "
                           "too many");
  f->attached = CR_SDF_BUSY;
  CR_TRY(find_carrier(s, f, &carrier));
  f->link = CR_SDF_NONE;
  if (f->kind == CR_SDF_LINK) f->link = f->item;
  if (carrier >= 0) {
    CR_TRY(attach(s, carrier, waiting + 1));
    f->link = cr_sdf_frame_at(s, carrier)->link;
  } else if (f->kind == CR_SDF_MODEL) {
    f->link = find_first_link(s, f->item);
  }
  f->attached = CR_SDF_DONE;
  return CAROM_OK;
}

/* ---- The passes */

carom_status cr_sdf_place(cr_sdf* s) {
  for (int i = 0; i < s->frames.count; i++) {
    CR_TRY(place_frame(s, i, 0));
    CR_TRY(attach(s, i, 0));
  }
  for (int i = 0; i < s->frames.count; i++)
    CR_TRY(climb(s, i, CR_SDF_WORLD, 0, &cr_sdf_frame_at(s, i)->world));
  return CAROM_OK;
}

carom_status cr_sdf_place_element(cr_sdf* s, int scope, const cr_xml_element* element, int base,
                                  pose* world) {
  const cr_xml_element* child;
  pose own;
  CR_TRY(cr_document_child(&s->document, element, "pose", &child));
  CR_TRY(cr_sdf_pose(s, child, &own));
  const char* name = get_relative(s, scope, child);
  if (name) CR_TRY(cr_sdf_resolve(s, scope, child, "relative_to", name, &base));
  *world = pose_mul(&cr_sdf_frame_at(s, base)->world, &own);
  return CAROM_OK;
}

/* ---- Links on joints */

/* The link that a joint's end means; CR_SDF_NONE: the world. */
static carom_status find_end(cr_sdf* s, const cr_sdf_joint* joint, const char* end, int* link) {
  const char* name = "";
  int frame = -1;
  CR_TRY(read_end(s, joint->element, end, &name));
  *link = CR_SDF_NONE;
  if (strcmp(name, "world") == 0) return CAROM_OK;
  const char* what = strcmp(end, "parent") == 0 ? "its parent" : "its child";
  CR_TRY(cr_sdf_resolve(s, joint->scope, joint->element, what, name, &frame));
  *link = cr_sdf_frame_at(s, frame)->link;
  return CAROM_OK;
}

/* Does a link hang on another, or is it that? */
static bool hangs_on(const cr_sdf* s, int link, int other) {
  while (link >= 0 && link != other) {
    int joint = cr_sdf_link_at(s, link)->parent;
    link = joint >= 0 ? cr_sdf_joint_at(s, joint)->parent : CR_SDF_NONE;
  }
  return link == other;
}

static bool is_still(const cr_sdf* s, int link) {
  return link < 0 || cr_sdf_scope_at(s, cr_sdf_link_at(s, link)->scope)->is_static;
}

/* Hangs the child on the parent, unless it hangs on something, or the parent on it. */
static void connect(cr_sdf* s, int index) {
  cr_sdf_joint* joint = cr_sdf_joint_at(s, index);
  cr_sdf_link *child = cr_sdf_link_at(s, joint->child), *parent;
  bool is_held = is_still(s, joint->child);
  joint->is_idle = is_held && is_still(s, joint->parent);
  if (joint->is_idle || joint->type == CR_SDF_GEARBOX) return;
  joint->closes_loop = is_held || child->parent >= 0 || hangs_on(s, joint->parent, joint->child);
  if (joint->closes_loop) return;
  child->parent = index;
  if (joint->parent < 0) return;
  parent = cr_sdf_link_at(s, joint->parent);
  if (parent->last_child >= 0)
    cr_sdf_joint_at(s, parent->last_child)->next = index;
  else
    parent->first_child = index;
  parent->last_child = index;
}

/* A joint whose child is the world holds its parent there, and turns the other way. */
static void turn_round(cr_sdf_joint* joint) {
  joint->child = joint->parent;
  joint->parent = CR_SDF_NONE;
  joint->is_reversed = true;
}

carom_status cr_sdf_hang(cr_sdf* s) {
  for (int i = 0; i < s->joints.count; i++) {
    cr_sdf_joint* joint = cr_sdf_joint_at(s, i);
    cr_subject subject = cr_document_subject(&s->document, joint->element);
    CR_TRY(find_end(s, joint, "parent", &joint->parent));
    CR_TRY(find_end(s, joint, "child", &joint->child));
    if (joint->child < 0 && joint->parent >= 0) turn_round(joint);
    if (joint->child < 0)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "its child is the world, or a model without links");
    if (joint->child == joint->parent)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "its parent and its child are the same link '%.60s'",
                             cr_sdf_link_at(s, joint->child)->name);
    connect(s, i);
  }
  return CAROM_OK;
}
