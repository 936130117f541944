/* Links without mass: files use them as frames. What nothing heavy hangs on does not move against
 * its parent, and a root without mass stands in the world. Joints between links without mass and
 * heavy ones further out move; where one of them moves no inertia of its own, the model gives it a
 * trace of armature (model/compile_mass_matrix.c). */
#include "base/error.h"
#include "import/urdf/reader.h"

#include "carom/scene.h"

#include <string.h>

static bool has_number(const cr_xml_element* element, const char* name) {
  const char* text = element ? cr_xml_get(element, name) : NULL;
  return text && strpbrk(text, "123456789") != NULL;
}

static const cr_xml_element* child_of(const cr_xml_element* element, const char* name) {
  for (const cr_xml_element* c = element->first_child; c; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

/* Whether a link states a mass, or takes one from its shapes. */
static bool has_own_weight(const cr_urdf* u, const cr_xml_element* link) {
  const carom_builder_def* def = &u->settings.def;
  if (def->minimum_mass > 0) return true;
  if (def->inertia_source != CAROM_INERTIA_BODIES && child_of(link, "collision")) return true;
  const cr_xml_element* inertial = child_of(link, "inertial");
  const cr_xml_element* mass = inertial ? child_of(inertial, "mass") : NULL;
  return has_number(mass, "value") || (mass && mass->text && strpbrk(mass->text, "123456789"));
}

static bool has_own_inertia(const cr_urdf* u, const cr_xml_element* link) {
  static const char* const NAMES[] = {"ixx", "iyy", "izz"};
  const cr_xml_element* inertial = child_of(link, "inertial");
  const cr_xml_element* inertia = inertial ? child_of(inertial, "inertia") : NULL;
  bool found = u->settings.def.minimum_inertia > 0;
  for (int i = 0; i < 3; i++) found = found || has_number(inertia, NAMES[i]);
  return found;
}

/* The links, each before what hangs on it; they form a tree. */
static void list_outwards(const cr_urdf* u, int root, int* order) {
  int count = 0;
  order[count++] = root;
  for (int i = 0; i < count; i++)
    for (int j = cr_urdf_link_at(u, order[i])->first_child; j >= 0;
         j = cr_urdf_joint_at(u, j)->next)
      order[count++] = cr_urdf_joint_at(u, j)->child;
}

/* What a link has goes to its parent where a joint holds it there; what it carries always. */
static void pass_inwards(const cr_urdf* u, cr_urdf_link* link) {
  link->carries_mass = link->carries_mass || link->has_mass;
  if (link->parent < 0) return;
  const cr_urdf_joint* joint = cr_urdf_joint_at(u, link->parent);
  cr_urdf_link* parent = cr_urdf_link_at(u, joint->parent);
  parent->carries_mass = parent->carries_mass || link->carries_mass;
  if (joint->type != CR_URDF_FIXED) return;
  parent->has_mass = parent->has_mass || link->has_mass;
  parent->has_weight = parent->has_weight || link->has_weight;
}

static carom_status hold(cr_urdf* u, const cr_urdf_link* link) {
  static const char HELD[] =
      "read as fixed: what it moves has no mass; give its link an <inertial> to let it move";
  cr_urdf_joint* joint = cr_urdf_joint_at(u, link->parent);
  bool is_real = link->carries_mass || joint->armature > 0;
  if (is_real || joint->type == CR_URDF_FIXED) return CAROM_OK;
  joint->type = CR_URDF_FIXED;
  return cr_document_remark(&u->document, joint->element, NULL, HELD);
}

static bool is_world(const cr_urdf_link* link) {
  return strcmp(cr_xml_get(link->element, "name"), "world") == 0;
}

carom_status cr_urdf_hold_massless(cr_urdf* u, int root) {
  static const char STANDS[] =
      "read as fixed to the world: it has no mass; give it an <inertial> to let it move";
  int count = u->links.count;
  int* order = cr_pool_take(&u->document.xml.pool, (size_t)count * sizeof *order);
  if (!order) return cr_error_memory(u->document.error);
  list_outwards(u, root, order);
  for (int i = 0; i < count; i++) {
    cr_urdf_link* link = cr_urdf_link_at(u, i);
    link->has_weight = has_own_weight(u, link->element);
    link->has_mass = link->has_weight || has_own_inertia(u, link->element);
  }
  for (int i = count - 1; i >= 0; i--) pass_inwards(u, cr_urdf_link_at(u, order[i]));
  for (int i = 1; i < count; i++) CR_TRY(hold(u, cr_urdf_link_at(u, order[i])));
  const cr_urdf_link* base = cr_urdf_link_at(u, root);
  bool is_loose = u->base == CAROM_BASE_FREE && base->carries_mass;
  u->holds_root = !base->has_weight && !is_world(base) && !is_loose;
  if (!u->holds_root || u->base == CAROM_BASE_FIXED) return CAROM_OK;
  return cr_document_remark(&u->document, base->element, NULL, STANDS);
}
