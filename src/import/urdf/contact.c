/* What contacts are like: Drake's proximity properties, Bullet's <contact>, Gazebo's mu1. URDF
 * itself says nothing; friction is then 1, and contact rigid. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

/* Drake's default, where a stiffness is given alone. */
#define DRAKE_RELAXATION_TIME 0.1

#define HYDROELASTIC          "not used: contact by pressure fields is not supported, contact is at points"
#define NO_ROLLING            "torsional and rolling friction are left out"

/* A number that must not be negative. */
static carom_status read_value(cr_urdf* u, const cr_xml_element* element, double* value) {
  cr_subject subject = cr_urdf_subject(u, element);
  CR_TRY(cr_urdf_value(u, element, value));
  return cr_check_not_negative(&subject, "value", *value);
}

static carom_status read_stiffness(cr_urdf* u, const cr_xml_element* element, double* stiffness) {
  cr_subject subject = cr_urdf_subject(u, element);
  CR_TRY(cr_urdf_value(u, element, stiffness));
  return cr_check_positive(&subject, "value", *stiffness);
}

/* ---- Drake */

typedef struct proximity {
  double stiffness, relaxation, hunt_crossley, mu_static, mu_dynamic; /* NaN: not given */
} proximity;

static carom_status read_property(cr_urdf* u, const cr_xml_element* element, proximity* p) {
  static const char FIELDS[] = HYDROELASTIC;
  const char* name = element->name + (strncmp(element->name, "drake:", 6) == 0 ? 6 : 0);
  if (strcmp(name, "point_contact_stiffness") == 0)
    return read_stiffness(u, element, &p->stiffness);
  if (strcmp(name, "relaxation_time") == 0) return read_value(u, element, &p->relaxation);
  if (strcmp(name, "hunt_crossley_dissipation") == 0)
    return read_value(u, element, &p->hunt_crossley);
  if (strcmp(name, "mu_static") == 0) return read_value(u, element, &p->mu_static);
  if (strcmp(name, "mu_dynamic") == 0) return read_value(u, element, &p->mu_dynamic);
  if (strstr(name, "hydroelastic") || strcmp(name, "mesh_resolution_hint") == 0)
    return cr_urdf_remark(u, element, NULL, FIELDS);
  return cr_urdf_note_stranger(u, element);
}

carom_status cr_urdf_read_proximity(cr_urdf* u, const cr_xml_element* collision,
                                    cr_urdf_contact* contact) {
  static const char ONE[] = "one coefficient of friction is used, the dynamic one";
  static const char SPEED[] = "Hunt-Crossley dissipation is not supported yet, relaxation_time is";
  const cr_xml_element* element;
  proximity p = {NAN, NAN, NAN, NAN, NAN};
  CR_TRY(cr_urdf_child(u, collision, "drake:proximity_properties", &element));
  if (!element) return CAROM_OK;
  for (const cr_xml_element* e = element->first_child; e; e = e->next)
    CR_TRY(read_property(u, e, &p));
  if (!isnan(p.mu_static) && !isnan(p.mu_dynamic) && p.mu_static != p.mu_dynamic)
    CR_TRY(cr_urdf_remark(u, element, NULL, ONE));
  if (!isnan(p.mu_static) || !isnan(p.mu_dynamic))
    contact->friction = isnan(p.mu_dynamic) ? p.mu_static : p.mu_dynamic;
  if (isnan(p.stiffness)) return CAROM_OK;
  contact->stiffness = p.stiffness;
  contact->dissipation = isnan(p.relaxation) ? DRAKE_RELAXATION_TIME : p.relaxation;
  if (p.hunt_crossley > 0) return cr_urdf_refuse(u, element, NULL, SPEED);
  return CAROM_OK;
}

/* ---- Bullet */

/* stiffness k and damping c: a spring and a damper side by side, so the time is c / k. */
static carom_status set_compliance(cr_urdf_contact* contact, double k, double c) {
  if (!isnan(k)) {
    contact->stiffness = k;
    if (!isnan(c)) contact->dissipation = c / k;
  }
  return CAROM_OK;
}

carom_status cr_urdf_read_link_contact(cr_urdf* u, cr_urdf_link* link) {
  static const char ROLLING[] = NO_ROLLING;
  static const char BOUNCE[] = "not used: restitution is not supported yet";
  static const char OTHER[] = "not used: it is for the solver of another program";
  const cr_xml_element* contact;
  double k = NAN, c = NAN, bounce = 0;
  CR_TRY(cr_urdf_child(u, link->element, "contact", &contact));
  if (!contact) return CAROM_OK;
  for (const cr_xml_element* e = contact->first_child; e; e = e->next) {
    if (strcmp(e->name, "lateral_friction") == 0)
      CR_TRY(read_value(u, e, &link->contact.friction));
    else if (strcmp(e->name, "stiffness") == 0)
      CR_TRY(read_stiffness(u, e, &k));
    else if (strcmp(e->name, "damping") == 0)
      CR_TRY(read_value(u, e, &c));
    else if (strcmp(e->name, "rolling_friction") == 0 || strcmp(e->name, "spinning_friction") == 0)
      CR_TRY(cr_urdf_remark(u, e, NULL, ROLLING));
    else if (strcmp(e->name, "restitution") == 0) {
      CR_TRY(read_value(u, e, &bounce));
      if (bounce > 0) CR_TRY(cr_urdf_remark(u, e, NULL, BOUNCE));
    } else {
      CR_TRY(cr_urdf_remark(u, e, NULL, OTHER));
    }
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
      CR_TRY(read_value(u, e, &mu1));
    else if (link >= 0 && strcmp(e->name, "mu2") == 0)
      CR_TRY(read_value(u, e, &mu2));
    else
      has_more = true;
  }
  if (has_more) CR_TRY(cr_urdf_remark(u, gazebo, NULL, GAZEBO));
  if (!isnan(mu1)) cr_urdf_link_at(u, link)->contact.friction = mu1;
  if (!isnan(mu2) && mu2 != mu1) return cr_urdf_remark(u, gazebo, NULL, MU2);
  return CAROM_OK;
}
