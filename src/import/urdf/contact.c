/* What contacts are like: Bullet's <contact>, Gazebo's mu1. URDF
 * itself says nothing; friction is then 1, and contact rigid. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

/* ---- Bullet */

/* stiffness k and damping c: a spring and a damper side by side, so the time is c / k. */
static carom_status set_compliance(cr_surface* contact, double k, double c) {
  if (!isnan(k)) {
    contact->stiffness = k;
    if (!isnan(c)) contact->dissipation = c / k;
  }
  return CAROM_OK;
}

carom_status cr_urdf_read_link_contact(cr_urdf* u, cr_urdf_link* link) {
  static const char OTHER[] = "not used: it is for the solver of another program";
  const cr_xml_element* contact;
  double k = NAN, c = NAN;
  carom_surface* rest = &link->contact.rest;
  CR_TRY(cr_document_child(&u->document, link->element, "contact", &contact));
  if (!contact) return CAROM_OK;
  for (const cr_xml_element* e = contact->first_child; e; e = e->next) {
    if (strcmp(e->name, "lateral_friction") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &link->contact.friction));
    else if (strcmp(e->name, "stiffness") == 0)
      CR_TRY(cr_document_positive(&u->document, e, &k));
    else if (strcmp(e->name, "damping") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &c));
    else if (strcmp(e->name, "rolling_friction") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &rest->rolling_friction));
    else if (strcmp(e->name, "spinning_friction") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &rest->torsional_friction));
    else if (strcmp(e->name, "restitution") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &rest->restitution));
    else
      CR_TRY(cr_document_remark(&u->document, e, NULL, OTHER));
  }
  return set_compliance(&link->contact, k, c);
}

/* ---- Gazebo */

carom_status cr_urdf_read_gazebo(cr_urdf* u, const cr_xml_element* gazebo) {
  static const char GAZEBO[] = "not used, apart from mu1: it is for Gazebo";
  static const char MU2[] = "not used: friction is the same in all directions, that of mu1";
  const char* reference = cr_xml_get(gazebo, "reference");
  int link = reference ? cr_name_find(&u->names, &u->text, CR_URDF_NAME_LINK, reference) : -1;
  double mu1 = NAN, mu2 = NAN;
  bool has_more = !gazebo->first_child;
  for (const cr_xml_element* e = gazebo->first_child; e; e = e->next) {
    if (link >= 0 && strcmp(e->name, "mu1") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &mu1));
    else if (link >= 0 && strcmp(e->name, "mu2") == 0)
      CR_TRY(cr_document_not_negative(&u->document, e, &mu2));
    else
      has_more = true;
  }
  if (has_more) CR_TRY(cr_document_remark(&u->document, gazebo, NULL, GAZEBO));
  if (!isnan(mu1)) cr_urdf_link_at(u, link)->contact.friction = mu1;
  if (!isnan(mu2) && mu2 != mu1) return cr_document_remark(&u->document, gazebo, NULL, MU2);
  return CAROM_OK;
}
