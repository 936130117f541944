/* The graph of links and joints: who is there, who hangs on whom, and that it is one tree. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

static const char* const TYPES[] = {"revolute", "continuous", "prismatic", "fixed", "floating",
                                    "planar",   "ball",       "universal", "screw", NULL};

static carom_status add_link(cr_urdf* u, const cr_xml_element* element) {
  const char* name;
  CR_TRY(cr_document_require(&u->document, element, "name", &name));
  cr_subject subject = cr_document_subject(&u->document, element);
  int other = cr_name_find(&u->names, &u->text, CR_URDF_NAME_LINK, name);
  if (other >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "another link at line %d has this name",
                           cr_urdf_link_at(u, other)->element->line);
  cr_urdf_link link = {.element = element,
                       .parent = -1,
                       .first_child = -1,
                       .last_child = -1,
                       .contact = cr_surface_default()};
  if (!cr_list_push(&u->links, &u->document.allocator, &link) ||
      !cr_urdf_add_name(u, CR_URDF_NAME_LINK, name, u->links.count - 1))
    return cr_error_memory(u->document.error);
  return CAROM_OK;
}

static carom_status read_type(const cr_urdf* u, const cr_xml_element* element, cr_urdf_type* type) {
  const char* word;
  CR_TRY(cr_document_require(&u->document, element, "type", &word));
  if (strcmp(word, "spherical") == 0) word = "ball"; /* Bullet's word */
  for (int i = 0; TYPES[i]; i++)
    if (strcmp(TYPES[i], word) == 0) {
      *type = (cr_urdf_type)i;
      return CAROM_OK;
    }
  cr_subject subject = cr_document_subject(&u->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "type is '%.60s', must be revolute, continuous, prismatic, fixed, "
                         "floating or planar (or Drake's ball or universal, or Bullet's spherical)",
                         word);
}

/* Adds the link `world` where a joint hangs on it and no link has this name, as in Drake's files.
 */
static carom_status add_world(cr_urdf* u, const cr_xml_element* parent) {
  static const cr_xml_attribute NAME = {"name", "world"};
  static const char NOTE[] = "world: read as the world itself: no link has this name";
  cr_xml_element* link = cr_pool_take(&u->document.xml.pool, sizeof *link);
  if (!link) return cr_error_memory(u->document.error);
  *link = (cr_xml_element){.name = "link",
                           .file = parent->file,
                           .line = parent->line,
                           .depth = 1,
                           .parent = parent->parent->parent,
                           .attributes = &NAME,
                           .num_attributes = 1};
  CR_TRY(cr_document_remark(&u->document, parent, NULL, NOTE));
  return add_link(u, link);
}

/* The link that <parent> or <child> names. */
static carom_status read_end(cr_urdf* u, const cr_xml_element* joint, const char* end, int* link) {
  const cr_xml_element* element;
  const char* name;
  CR_TRY(cr_document_child(&u->document, joint, end, &element));
  cr_subject subject = cr_document_subject(&u->document, joint);
  if (!element)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <%s> is missing", end);
  CR_TRY(cr_document_require(&u->document, element, "link", &name));
  bool is_world = strcmp(end, "parent") == 0 && strcmp(name, "world") == 0;
  *link = cr_name_find(&u->names, &u->text, CR_URDF_NAME_LINK, name);
  if (*link < 0 && is_world) {
    CR_TRY(add_world(u, element));
    *link = u->links.count - 1;
  }
  if (*link >= 0) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "its %s is '%.60s' (line %d), no link has this name", end, name,
                         element->line);
}

/* Hangs the child on the parent. */
static carom_status connect(cr_urdf* u, const cr_urdf_joint* joint, int index) {
  cr_urdf_link *parent = cr_urdf_link_at(u, joint->parent), *child;
  child = cr_urdf_link_at(u, joint->child);
  cr_subject subject = cr_document_subject(&u->document, joint->element);
  if (child->parent >= 0) {
    const cr_xml_element* other = cr_urdf_joint_at(u, child->parent)->element;
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "its child '%.60s' has a parent already, by joint '%.60s' at line %d",
                           cr_xml_get(child->element, "name"), cr_xml_get(other, "name"),
                           other->line);
  }
  child->parent = index;
  if (parent->last_child >= 0)
    cr_urdf_joint_at(u, parent->last_child)->next = index;
  else
    parent->first_child = index;
  parent->last_child = index;
  return CAROM_OK;
}

static carom_status add_joint(cr_urdf* u, const cr_xml_element* element) {
  const char* name;
  cr_urdf_joint joint = {.element = element, .next = -1};
  CR_TRY(cr_document_require(&u->document, element, "name", &name));
  CR_TRY(read_type(u, element, &joint.type));
  CR_TRY(read_end(u, element, "parent", &joint.parent));
  CR_TRY(read_end(u, element, "child", &joint.child));
  cr_subject subject = cr_document_subject(&u->document, element);
  int other = cr_name_find(&u->names, &u->text, CR_URDF_NAME_JOINT, name);
  if (other >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "another joint at line %d has this name",
                           cr_urdf_joint_at(u, other)->element->line);
  int index = u->joints.count;
  if (!cr_list_push(&u->joints, &u->document.allocator, &joint) ||
      !cr_urdf_add_name(u, CR_URDF_NAME_JOINT, name, index))
    return cr_error_memory(u->document.error);
  return connect(u, &joint, index);
}

/* A material with a name and a colour, wherever it stands; the first one counts. */
static carom_status add_material(cr_urdf* u, const cr_xml_element* element) {
  const char* name = cr_xml_get(element, "name");
  const cr_xml_element* color;
  cr_urdf_colour colour = {{0.5F, 0.5F, 0.5F, 1}};
  CR_TRY(cr_document_child(&u->document, element, "color", &color));
  if (!name || !name[0] || !color) return CAROM_OK;
  if (cr_name_find(&u->names, &u->text, CR_URDF_NAME_MATERIAL, name) >= 0) return CAROM_OK;
  const char* text = cr_xml_get(color, "rgba");
  bool is_there = text != NULL;
  if (text) CR_TRY(cr_document_colour(&u->document, color, "rgba", text, colour.x, &is_there));
  if (!is_there) return CAROM_OK;
  if (!cr_list_push(&u->materials, &u->document.allocator, &colour) ||
      !cr_urdf_add_name(u, CR_URDF_NAME_MATERIAL, name, u->materials.count - 1))
    return cr_error_memory(u->document.error);
  return CAROM_OK;
}

/* The one link that hangs on nothing. */
static carom_status find_root(const cr_urdf* u, int* root) {
  *root = -1;
  for (int i = 0; i < u->links.count; i++) {
    const cr_urdf_link *link = cr_urdf_link_at(u, i), *first;
    if (link->parent >= 0) continue;
    cr_subject subject = cr_document_subject(&u->document, link->element);
    first = *root >= 0 ? cr_urdf_link_at(u, *root) : NULL;
    if (first)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "it hangs on no joint, and neither does link '%.60s' at line %d; a "
                             "robot has one root",
                             cr_xml_get(first->element, "name"), first->element->line);
    *root = i;
  }
  if (*root >= 0) return CAROM_OK;
  cr_subject subject = cr_document_subject(&u->document, u->root);
  if (!u->links.count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the robot has no links");
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "every link is the child of a joint, so no link is the root");
}

/* With one root and one parent each, what the root does not reach closes on itself. */
static carom_status check_tree(const cr_urdf* u, int root) {
  int reached = 1, joint = cr_urdf_link_at(u, root)->first_child;
  while (joint >= 0) {
    reached++;
    int down = cr_urdf_link_at(u, cr_urdf_joint_at(u, joint)->child)->first_child;
    while (down < 0 && joint >= 0) {
      down = cr_urdf_joint_at(u, joint)->next;
      joint = cr_urdf_link_at(u, cr_urdf_joint_at(u, joint)->parent)->parent;
    }
    joint = down;
  }
  if (reached == u->links.count) return CAROM_OK;
  cr_subject subject = cr_document_subject(&u->document, u->root);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "%d links hang on each other in a circle, and not on the root '%.60s'",
                         u->links.count - reached,
                         cr_xml_get(cr_urdf_link_at(u, root)->element, "name"));
}

static bool is_joint(const cr_xml_element* element) {
  return strcmp(element->name, "joint") == 0 || strcmp(element->name, "drake:joint") == 0;
}

carom_status cr_urdf_index(cr_urdf* u, int* root) {
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next)
    if (strcmp(e->name, "link") == 0) CR_TRY(add_link(u, e));
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next)
    if (is_joint(e)) CR_TRY(add_joint(u, e));
  for (const cr_xml_element* e = u->root; e; e = cr_xml_next(e, u->root))
    if (strcmp(e->name, "material") == 0 && strcmp(e->parent->name, "gazebo") != 0)
      CR_TRY(add_material(u, e));
  CR_TRY(find_root(u, root));
  return check_tree(u, *root);
}
