/* The robot of a URDF file that an SDF file includes, as the SDF model that it stands for: links
 * get the pose of their joint in their parent, joints stand where their child is, attributes become
 * elements. Elements keep the file and line of what they come from, so that what is said of the
 * model is said of the URDF file. A link without <inertial> has no mass, as in URDF. */
#include "import/sdf/reader.h"

#include <stdio.h>
#include <string.h>

enum { NAME_LINK, NAME_COLOUR };

/* A model on its way from one format to the other. */
typedef struct writer {
  cr_sdf* s;
  const cr_xml_element* robot;
  cr_xml_element* model;
  cr_text text;
  cr_name_table names; /* of links and colours, in the lists' order */
  cr_list links;       /* of cr_xml_element*, in the model */
  cr_list colours;     /* of const char* */
  bool is_full;        /* memory has run out */
} writer;

/* ---- Elements */

static const cr_xml_element* find_child(const cr_xml_element* element, const char* name) {
  if (!element) return NULL;
  for (const cr_xml_element* e = element->first_child; e; e = e->next)
    if (strcmp(e->name, name) == 0) return e;
  return NULL;
}

/* The attribute of an element that may be missing, else `other`. */
static const char* get_or(const cr_xml_element* element, const char* name, const char* other) {
  const char* value = element ? cr_xml_get(element, name) : NULL;
  return value ? value : other;
}

/* Adds an element with the place of another one to a parent; null without memory. */
static cr_xml_element* add(writer* w, cr_xml_element* parent, const cr_xml_element* from,
                           const char* name, const char* text) {
  cr_xml_element* e = cr_pool_take(&w->s->document.xml.pool, sizeof *e);
  w->is_full = w->is_full || !e;
  if (!e) return NULL;
  *e = (cr_xml_element){.name = name,
                        .file = from->file,
                        .line = from->line,
                        .text_line = text ? from->line : 0,
                        .text = text};
  if (parent) e->depth = parent->depth + 1, cr_xml_append(parent, e);
  return e;
}

/* Gives an element one more attribute. */
static void set(writer* w, cr_xml_element* e, const char* name, const char* value) {
  if (!e) return;
  int count = e->num_attributes;
  cr_xml_attribute* all = cr_pool_take(&w->s->document.xml.pool, (size_t)(count + 1) * sizeof *all);
  w->is_full = w->is_full || !all;
  if (!all) return;
  for (int i = 0; i < count; i++) all[i] = e->attributes[i];
  all[count] = (cr_xml_attribute){name, value};
  e->attributes = all, e->num_attributes = count + 1;
}

/* Adds an element as it is, with what is in it. */
static void copy(writer* w, cr_xml_element* parent, const cr_xml_element* from, const char* name) {
  cr_xml_element* e = add(w, parent, from, name, from->text);
  if (!e) return;
  e->first_child = from->first_child, e->last_child = from->last_child;
  e->attributes = from->attributes, e->num_attributes = from->num_attributes;
}

/* Adds attributes of an element, where they are there, as elements of the same names. */
static void add_values(writer* w, cr_xml_element* parent, const cr_xml_element* from,
                       const char* const* names) {
  for (int i = 0; names[i]; i++) {
    const char* value = cr_xml_get(from, names[i]);
    if (value) add(w, parent, from, names[i], value);
  }
}

static const char* join(writer* w, const char* a, const char* b) {
  const char* text = cr_sdf_join(w->s, a, b);
  w->is_full = w->is_full || !text;
  return text;
}

/* The <origin> of an element as a <pose>. */
static cr_xml_element* add_pose(writer* w, cr_xml_element* parent, const cr_xml_element* from) {
  const cr_xml_element* origin = find_child(from, "origin");
  const char* start = join(w, get_or(origin, "xyz", "0 0 0"), " ");
  const char* text = start ? join(w, start, get_or(origin, "rpy", "0 0 0")) : NULL;
  return add(w, parent, origin ? origin : from, "pose", text);
}

/* ---- Names */

static carom_status add_name(writer* w, int kind, const char* name, int index) {
  const carom_allocator* allocator = &w->s->document.allocator;
  int offset = cr_text_add(&w->text, allocator, name);
  if (offset < 0 || !cr_name_add(&w->names, allocator, &w->text, kind, offset, index))
    return cr_error_memory(w->s->document.error);
  return CAROM_OK;
}

/* A link of the model by its name; null: there is none. */
static cr_xml_element* find_link(const writer* w, const char* name) {
  int index = cr_name_find(&w->names, &w->text, NAME_LINK, name);
  if (index < 0 || index >= w->links.count) return NULL;
  return *CR_AT(&w->links, cr_xml_element*, index);
}

/* In SDF a joint may not have the name of a link. */
static const char* joint_name(writer* w, const char* name) {
  return find_link(w, name) ? join(w, name, "_joint") : name;
}

static carom_status add_colour(writer* w, const cr_xml_element* material) {
  const char *name = cr_xml_get(material, "name"), *rgba;
  rgba = get_or(find_child(material, "color"), "rgba", NULL);
  if (!name || !rgba || cr_name_find(&w->names, &w->text, NAME_COLOUR, name) >= 0) return CAROM_OK;
  if (!cr_list_push(&w->colours, &w->s->document.allocator, (const void*)&rgba))
    return cr_error_memory(w->s->document.error);
  return add_name(w, NAME_COLOUR, name, w->colours.count - 1);
}

/* ---- Links */

static void add_inertial(writer* w, cr_xml_element* link, const cr_xml_element* from) {
  static const char* const NAMES[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const cr_xml_element *own = find_child(from, "inertial"), *place = own ? own : from;
  const cr_xml_element *mass = find_child(own, "mass"), *inertia = find_child(own, "inertia");
  cr_xml_element* inertial = add(w, link, place, "inertial", NULL);
  if (own) add_pose(w, inertial, own);
  add(w, inertial, mass ? mass : place, "mass", get_or(mass, "value", "0"));
  place = inertia ? inertia : place;
  cr_xml_element* I = add(w, inertial, place, "inertia", NULL);
  for (int i = 0; i < 6; i++) add(w, I, place, NAMES[i], get_or(inertia, NAMES[i], "0"));
}

static void add_mesh(writer* w, cr_xml_element* geometry, const cr_xml_element* from) {
  static const char* const SCALE[] = {"scale", NULL};
  const char* file = cr_xml_get(from, "filename");
  cr_xml_element* mesh = add(w, geometry, from, "mesh", NULL);
  if (file) add(w, mesh, from, "uri", file);
  add_values(w, mesh, from, SCALE);
  const cr_xml_element* convex = find_child(from, "drake:declare_convex");
  if (convex) copy(w, mesh, convex, convex->name);
}

static void add_geometry(writer* w, cr_xml_element* piece, const cr_xml_element* from) {
  static const char* const SIZES[] = {"size", "radius", "length", NULL};
  const cr_xml_element *own = find_child(from, "geometry"), *shape = own ? own->first_child : NULL;
  if (!shape) return;
  cr_xml_element* geometry = add(w, piece, own, "geometry", NULL);
  if (strcmp(shape->name, "mesh") == 0) {
    add_mesh(w, geometry, shape);
    return;
  }
  bool is_capsule = strcmp(shape->name, "drake:capsule") == 0;
  add_values(w, add(w, geometry, shape, is_capsule ? "capsule" : shape->name, NULL), shape, SIZES);
}

static void add_material(writer* w, cr_xml_element* piece, const cr_xml_element* from) {
  const cr_xml_element* material = find_child(from, "material");
  const char *rgba = get_or(find_child(material, "color"), "rgba", NULL), *name;
  name = get_or(material, "name", NULL);
  int index = name && !rgba ? cr_name_find(&w->names, &w->text, NAME_COLOUR, name) : -1;
  if (index >= 0) rgba = *CR_AT(&w->colours, const char*, index);
  if (rgba) add(w, add(w, piece, material, "material", NULL), material, "diffuse", rgba);
}

/* A <collision> or <visual>. */
static void add_piece(writer* w, cr_xml_element* link, const cr_xml_element* from) {
  const cr_xml_element* proximity = find_child(from, "drake:proximity_properties");
  cr_xml_element* piece = add(w, link, from, from->name, NULL);
  if (cr_xml_get(from, "name")) set(w, piece, "name", cr_xml_get(from, "name"));
  add_pose(w, piece, from);
  add_geometry(w, piece, from);
  if (strcmp(from->name, "visual") == 0) add_material(w, piece, from);
  if (proximity) copy(w, piece, proximity, proximity->name);
}

static carom_status add_link(writer* w, const cr_xml_element* from) {
  const char* name;
  CR_TRY(cr_document_require(&w->s->document, from, "name", &name));
  cr_subject subject = cr_document_subject(&w->s->document, from);
  if (find_link(w, name))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "another link has this name");
  if (strcmp(name, "world") == 0) return CAROM_OK; /* the world itself */
  cr_xml_element* link = add(w, w->model, from, "link", NULL);
  if (!link || !cr_list_push(&w->links, &w->s->document.allocator, (const void*)&link))
    return cr_error_memory(w->s->document.error);
  set(w, link, "name", name);
  add_inertial(w, link, from);
  for (const cr_xml_element* e = from->first_child; e; e = e->next)
    if (cr_word_is_listed(" collision visual ", e->name)) add_piece(w, link, e);
  return add_name(w, NAME_LINK, name, w->links.count - 1);
}

/* ---- Joints */

/* What <axis>, <limit>, <dynamics> and <mimic> say, in one <axis>. */
static void add_axis(writer* w, cr_xml_element* joint, const cr_xml_element* from) {
  static const char* const DYNAMICS[] = {"damping", "friction", NULL};
  static const char* const FOLLOW[] = {"multiplier", "offset", NULL};
  static const char* const REST[] = {"effort", "velocity", NULL};
  const cr_xml_element *own = find_child(from, "axis"), *limit = find_child(from, "limit");
  const cr_xml_element *dynamics = find_child(from, "dynamics"), *mimic = find_child(from, "mimic");
  cr_xml_element* axis = add(w, joint, own ? own : from, "axis", NULL);
  add(w, axis, own ? own : from, "xyz", get_or(own, "xyz", "1 0 0"));
  if (limit) {
    cr_xml_element* e = add(w, axis, limit, "limit", NULL);
    const char *lower = cr_xml_get(limit, "lower"), *upper = cr_xml_get(limit, "upper");
    if (lower || upper) add(w, e, limit, "lower", lower ? lower : "0");
    if (lower || upper) add(w, e, limit, "upper", upper ? upper : "0");
    add_values(w, e, limit, REST);
  }
  if (dynamics) add_values(w, add(w, axis, dynamics, "dynamics", NULL), dynamics, DYNAMICS);
  const char* lead = get_or(mimic, "joint", NULL);
  if (!lead) return;
  cr_xml_element* follow = add(w, axis, mimic, "mimic", NULL);
  set(w, follow, "joint", joint_name(w, lead));
  add_values(w, follow, mimic, FOLLOW);
}

/* The link that an end of a joint names; of the parent also the world, null. */
static carom_status find_end(writer* w, const cr_xml_element* joint, const char* end,
                             const char** name, cr_xml_element** link) {
  const cr_xml_element* element = find_child(joint, end);
  cr_subject subject = cr_document_subject(&w->s->document, joint);
  if (!element)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <%s> is missing", end);
  CR_TRY(cr_document_require(&w->s->document, element, "link", name));
  *link = find_link(w, *name);
  bool is_world = strcmp(end, "parent") == 0 && strcmp(*name, "world") == 0;
  if (*link || is_world) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "its %s is '%.60s', no link has this name", end, *name);
}

static carom_status add_joint(writer* w, const cr_xml_element* from) {
  static const char PLANAR[] = "planar joints of an included URDF file are not supported, left out";
  const char *name = NULL, *type = NULL, *parent = NULL, *child = NULL;
  cr_xml_element *above = NULL, *link = NULL;
  CR_TRY(cr_document_require(&w->s->document, from, "name", &name));
  CR_TRY(cr_document_require(&w->s->document, from, "type", &type));
  CR_TRY(find_end(w, from, "parent", &parent, &above));
  CR_TRY(find_end(w, from, "child", &child, &link));
  cr_subject subject = cr_document_subject(&w->s->document, from);
  if (find_child(link, "pose"))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "its child '%.60s' has a parent already", child);
  set(w, add_pose(w, link, from), "relative_to", above ? parent : "__model__");
  if (strcmp(type, "floating") == 0) return CAROM_OK;
  if (strcmp(type, "planar") == 0) return cr_document_refuse(&w->s->document, from, NULL, PLANAR);
  cr_xml_element* joint = add(w, w->model, from, "joint", NULL);
  set(w, joint, "name", joint_name(w, name));
  set(w, joint, "type", strcmp(type, "spherical") == 0 ? "ball" : type);
  add(w, joint, from, "parent", parent);
  add(w, joint, from, "child", child);
  if (strcmp(type, "fixed") != 0) add_axis(w, joint, from);
  return CAROM_OK;
}

/* ---- The robot */

/* What <gazebo reference> says of a link: its sensors, and whether it meets links of its own. */
static carom_status add_gazebo(writer* w, const cr_xml_element* gazebo) {
  static const char REST[] = "not used: of <gazebo> in an included URDF file sensor, selfCollide "
                             "and gravity of links are";
  const char* name = cr_xml_get(gazebo, "reference");
  cr_xml_element* link = name ? find_link(w, name) : NULL;
  for (const cr_xml_element* e = gazebo->first_child; e; e = e->next) {
    bool is_own = strcmp(e->name, "selfCollide") == 0 || strcmp(e->name, "self_collide") == 0;
    if (link && is_own)
      copy(w, link, e, "self_collide");
    else if (link && cr_word_is_listed(" sensor gravity ", e->name))
      copy(w, link, e, e->name);
    else
      CR_TRY(cr_document_remark(&w->s->document, e, NULL, REST));
  }
  return CAROM_OK;
}

/* Links before what names them. */
static carom_status add_parts(writer* w) {
  static const char REST[] = "not used: it stands in a URDF file that an SDF file includes";
  const cr_xml_element* first = w->robot->first_child;
  for (const cr_xml_element* e = first; e; e = e->next)
    if (strcmp(e->name, "material") == 0) CR_TRY(add_colour(w, e));
  for (const cr_xml_element* e = first; e; e = e->next)
    if (strcmp(e->name, "link") == 0) CR_TRY(add_link(w, e));
  for (const cr_xml_element* e = first; e; e = e->next) {
    if (cr_word_is_listed(" joint drake:joint ", e->name))
      CR_TRY(add_joint(w, e));
    else if (strcmp(e->name, "gazebo") == 0)
      CR_TRY(add_gazebo(w, e));
    else if (!cr_word_is_listed(" link material ", e->name))
      CR_TRY(cr_document_remark(&w->s->document, e, NULL, REST));
  }
  return w->is_full ? cr_error_memory(w->s->document.error) : CAROM_OK;
}

carom_status cr_sdf_convert_urdf(cr_sdf* s, const cr_xml_element* robot,
                                 const cr_xml_element** model) {
  const carom_allocator* allocator = &s->document.allocator;
  const char* name;
  CR_TRY(cr_document_refuse_xacro(&s->document, robot));
  CR_TRY(cr_document_require(&s->document, robot, "name", &name));
  writer w = {.s = s,
              .robot = robot,
              .names = CR_NAME_TABLE_INIT,
              .links = CR_LIST_INIT(cr_xml_element*),
              .colours = CR_LIST_INIT(const char*)};
  w.model = add(&w, NULL, robot, "model", NULL);
  if (w.model) w.model->depth = robot->depth + 1;
  set(&w, w.model, "name", name);
  carom_status status = w.model ? add_parts(&w) : cr_error_memory(s->document.error);
  *model = w.model;
  cr_list_release(&w.links, allocator);
  cr_list_release(&w.colours, allocator);
  cr_name_release(&w.names, allocator);
  cr_text_release(&w.text, allocator);
  return status;
}
