/* Drake's proximity properties of a colliding shape; see proximity.h. */
#include "import/proximity.h"

#include "model/record.h"

#include <math.h>
#include <string.h>

/* Drake's default, where a stiffness is given alone. */
#define DRAKE_RELAXATION_TIME 0.1

#define FACETS                "not used: round shapes have facets where they touch, however small"
#define NO_MARGIN             "not used: pressures that have no overlap yet are looked at ahead"

cr_surface cr_surface_default(void) {
  cr_surface surface = {1, NAN, NAN, INFINITY, carom_geom_def_default().surface};
  surface.rest.torsional_friction = surface.rest.rolling_friction = 0;
  return surface;
}

void cr_surface_apply(const cr_surface* surface, carom_geom_def* def) {
  def->friction = surface->friction;
  def->stiffness = surface->stiffness;
  def->dissipation = surface->dissipation;
  def->modulus = surface->modulus;
  def->surface = surface->rest;
  if (surface->rest.torsional_friction > 0) def->condim = 4;
  if (surface->rest.rolling_friction > 0) def->condim = 6;
}

carom_status cr_surface_settle(cr_document* d, const carom_builder* builder,
                               const cr_xml_element* element, carom_geom_def* def) {
  static const char NONE[] = "contact is at points: planes and meshes that are open have no inside";
  const char *what, *remedy;
  if (isinf(def->modulus) || !cr_geom_lacks_inside(builder, def, &what, &remedy)) return CAROM_OK;
  def->modulus = INFINITY;
  return cr_document_remark(d, element, NULL, NONE);
}

typedef struct proximity {
  double stiffness, relaxation, hunt_crossley, mu_static, mu_dynamic, modulus; /* NaN: not given */
  bool is_compliant, is_rigid;
} proximity;

static carom_status read_property(cr_document* d, const cr_xml_element* element, proximity* p) {
  const char* name = element->name + (strncmp(element->name, "drake:", 6) == 0 ? 6 : 0);
  if (strcmp(name, "point_contact_stiffness") == 0)
    return cr_document_positive(d, element, &p->stiffness);
  if (strcmp(name, "relaxation_time") == 0)
    return cr_document_not_negative(d, element, &p->relaxation);
  if (strcmp(name, "hunt_crossley_dissipation") == 0)
    return cr_document_not_negative(d, element, &p->hunt_crossley);
  if (strcmp(name, "mu_static") == 0) return cr_document_not_negative(d, element, &p->mu_static);
  if (strcmp(name, "mu_dynamic") == 0) return cr_document_not_negative(d, element, &p->mu_dynamic);
  if (strcmp(name, "hydroelastic_modulus") == 0)
    return cr_document_positive(d, element, &p->modulus);
  p->is_rigid |= strcmp(name, "rigid_hydroelastic") == 0;
  p->is_compliant |=
      strcmp(name, "compliant_hydroelastic") == 0 || strcmp(name, "soft_hydroelastic") == 0;
  if (strstr(name, "_hydroelastic")) return CAROM_OK;
  if (strcmp(name, "hydroelastic_margin") == 0)
    return cr_document_remark(d, element, NULL, NO_MARGIN);
  if (strcmp(name, "mesh_resolution_hint") == 0)
    return cr_document_remark(d, element, NULL, FACETS);
  return cr_document_note_stranger(d, element, NULL);
}

/* Only bodies that are declared compliant have a pressure, as in Drake. */
static carom_status set_modulus(cr_document* d, const cr_xml_element* element, const proximity* p,
                                cr_surface* contact) {
  static const char ALONE[] = "contact is at points without compliant_hydroelastic";
  static const char NONE[] = "contact is at points without hydroelastic_modulus";
  if (p->is_rigid || (isnan(p->modulus) && !p->is_compliant)) return CAROM_OK;
  if (!p->is_compliant) return cr_document_remark(d, element, NULL, ALONE);
  if (isnan(p->modulus)) return cr_document_remark(d, element, NULL, NONE);
  contact->modulus = p->modulus;
  return CAROM_OK;
}

/* Of what gives way. */
static carom_status set_dissipation(cr_document* d, const cr_xml_element* element,
                                    const proximity* p, cr_surface* contact) {
  static const char TIME[] = "relaxation_time is not used beside hunt_crossley_dissipation";
  if (isnan(p->stiffness) && isinf(contact->modulus)) return CAROM_OK;
  if (!isnan(p->stiffness)) contact->stiffness = p->stiffness;
  contact->dissipation = isnan(p->relaxation) ? DRAKE_RELAXATION_TIME : p->relaxation;
  if (!(p->hunt_crossley > 0)) return CAROM_OK;
  contact->rest.hunt_crossley = p->hunt_crossley;
  contact->dissipation = 0;
  return isnan(p->relaxation) ? CAROM_OK : cr_document_remark(d, element, NULL, TIME);
}

carom_status cr_proximity_read(cr_document* d, const cr_xml_element* collision,
                               cr_surface* contact) {
  static const char BELOW[] = "mu_static is not used: it is below mu_dynamic";
  const cr_xml_element* element;
  proximity p = {NAN, NAN, NAN, NAN, NAN, NAN, false, false};
  CR_TRY(cr_document_child(d, collision, "drake:proximity_properties", &element));
  if (!element) return CAROM_OK;
  for (const cr_xml_element* e = element->first_child; e; e = e->next)
    CR_TRY(read_property(d, e, &p));
  if (p.mu_static < p.mu_dynamic) CR_TRY(cr_document_remark(d, element, NULL, BELOW));
  if (p.mu_static > p.mu_dynamic) contact->rest.static_friction = p.mu_static;
  if (!isnan(p.mu_static) || !isnan(p.mu_dynamic))
    contact->friction = isnan(p.mu_dynamic) ? p.mu_static : p.mu_dynamic;
  CR_TRY(set_modulus(d, element, &p, contact));
  return set_dissipation(d, element, &p, contact);
}
