/* Drake's proximity properties of a colliding shape; see proximity.h. */
#include "import/proximity.h"

#include <math.h>
#include <string.h>

/* Drake's default, where a stiffness is given alone. */
#define DRAKE_RELAXATION_TIME 0.1

#define HYDROELASTIC          "not used: contact by pressure fields is not supported, contact is at points"

cr_surface cr_surface_default(void) {
  cr_surface surface = {1, NAN, NAN, carom_geom_def_default().surface};
  surface.rest.torsional_friction = surface.rest.rolling_friction = 0;
  return surface;
}

void cr_surface_apply(const cr_surface* surface, carom_geom_def* def) {
  def->friction = surface->friction;
  def->stiffness = surface->stiffness;
  def->dissipation = surface->dissipation;
  def->surface = surface->rest;
  if (surface->rest.torsional_friction > 0) def->condim = 4;
  if (surface->rest.rolling_friction > 0) def->condim = 6;
}

typedef struct proximity {
  double stiffness, relaxation, hunt_crossley, mu_static, mu_dynamic; /* NaN: not given */
} proximity;

static carom_status read_property(cr_document* d, const cr_xml_element* element, proximity* p) {
  static const char FIELDS[] = HYDROELASTIC;
  const char* name = element->name + (strncmp(element->name, "drake:", 6) == 0 ? 6 : 0);
  if (strcmp(name, "point_contact_stiffness") == 0)
    return cr_document_positive(d, element, &p->stiffness);
  if (strcmp(name, "relaxation_time") == 0)
    return cr_document_not_negative(d, element, &p->relaxation);
  if (strcmp(name, "hunt_crossley_dissipation") == 0)
    return cr_document_not_negative(d, element, &p->hunt_crossley);
  if (strcmp(name, "mu_static") == 0) return cr_document_not_negative(d, element, &p->mu_static);
  if (strcmp(name, "mu_dynamic") == 0) return cr_document_not_negative(d, element, &p->mu_dynamic);
  if (strstr(name, "hydroelastic") || strcmp(name, "mesh_resolution_hint") == 0)
    return cr_document_remark(d, element, NULL, FIELDS);
  return cr_document_note_stranger(d, element, NULL);
}

carom_status cr_proximity_read(cr_document* d, const cr_xml_element* collision,
                               cr_surface* contact) {
  static const char TIME[] = "relaxation_time is not used beside hunt_crossley_dissipation";
  static const char BELOW[] = "mu_static is not used: it is below mu_dynamic";
  const cr_xml_element* element;
  proximity p = {NAN, NAN, NAN, NAN, NAN};
  CR_TRY(cr_document_child(d, collision, "drake:proximity_properties", &element));
  if (!element) return CAROM_OK;
  for (const cr_xml_element* e = element->first_child; e; e = e->next)
    CR_TRY(read_property(d, e, &p));
  if (p.mu_static < p.mu_dynamic) CR_TRY(cr_document_remark(d, element, NULL, BELOW));
  if (p.mu_static > p.mu_dynamic) contact->rest.static_friction = p.mu_static;
  if (!isnan(p.mu_static) || !isnan(p.mu_dynamic))
    contact->friction = isnan(p.mu_dynamic) ? p.mu_static : p.mu_dynamic;
  if (isnan(p.stiffness)) return CAROM_OK;
  contact->stiffness = p.stiffness;
  contact->dissipation = isnan(p.relaxation) ? DRAKE_RELAXATION_TIME : p.relaxation;
  if (!(p.hunt_crossley > 0)) return CAROM_OK;
  contact->rest.hunt_crossley = p.hunt_crossley;
  contact->dissipation = 0;
  return isnan(p.relaxation) ? CAROM_OK : cr_document_remark(d, element, NULL, TIME);
}
