/* What contacts are like: Bullet's <contact>. URDF itself says nothing; friction is then 1, and
 * contact rigid. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

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
