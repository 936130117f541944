/* <surface>: friction, torsional friction, restitution. What else stands there is for the solvers
 * of other programs. */
#include "import/sdf/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Friction that is to have no bound: more than any slope asks for. */
#define NO_BOUND   100

#define FOR_OTHERS "not used: it is for the solver of another program"

/* Friction is the same in all directions here: that of mu. */
static carom_status read_ode(cr_sdf* s, const cr_xml_element* ode, double* friction) {
  static const char MU2[] = "not used: friction is the same in all directions, that of mu";
  static const char OPEN[] = "mu below zero: without a bound, read as 100";
  static const char SLIP[] = "not used: friction does not slip with the force here";
  double mu2 = NAN, slip[2] = {0, 0};
  CR_TRY(cr_document_check_known(&s->document, ode, " mu mu2 fdir1 slip1 slip2 ", " "));
  CR_TRY(cr_sdf_numbers(s, ode, "mu", 1, friction));
  if (*friction < 0) {
    *friction = NO_BOUND;
    CR_TRY(cr_document_remark(&s->document, ode, NULL, OPEN));
  }
  CR_TRY(cr_sdf_numbers(s, ode, "mu2", 1, &mu2));
  CR_TRY(cr_sdf_numbers(s, ode, "slip1", 1, slip));
  CR_TRY(cr_sdf_numbers(s, ode, "slip2", 1, slip + 1));
  if (!isnan(mu2) && mu2 != *friction) CR_TRY(cr_document_remark(&s->document, ode, NULL, MU2));
  if (slip[0] == 0 && slip[1] == 0) return CAROM_OK;
  return cr_document_remark(&s->document, ode, NULL, SLIP);
}

/* Moment over force of a patch of a given radius whose pressure is Hertz's: 3 pi / 16 of it. */
#define PATCH 0.58904862254808623

/* Torsional friction counts where a patch has a radius. */
static carom_status read_torsional(cr_sdf* s, const cr_xml_element* torsional, double* length) {
  static const char LEFT[] =
      "torsional friction is left out: its patch grows with a depth that is not known";
  double coefficient = 1, patch = 0, surface = 0;
  bool by_patch = true;
  CR_TRY(cr_document_check_known(&s->document, torsional,
                                 " coefficient patch_radius surface_radius use_patch_radius ode ",
                                 " "));
  CR_TRY(cr_sdf_numbers(s, torsional, "coefficient", 1, &coefficient));
  CR_TRY(cr_sdf_numbers(s, torsional, "patch_radius", 1, &patch));
  CR_TRY(cr_sdf_numbers(s, torsional, "surface_radius", 1, &surface));
  CR_TRY(cr_sdf_flag(s, torsional, "use_patch_radius", &by_patch));
  if (by_patch) {
    cr_subject subject = cr_document_subject(&s->document, torsional);
    *length = PATCH * coefficient * patch;
    return cr_check_not_negative(&subject, "coefficient times patch_radius", *length);
  }
  if (coefficient * surface == 0) return CAROM_OK;
  return cr_document_remark(&s->document, torsional, NULL, LEFT);
}

static carom_status read_friction(cr_sdf* s, const cr_xml_element* friction, cr_surface* surface) {
  const cr_xml_element *ode, *torsional, *bullet;
  CR_TRY(cr_document_check_known(&s->document, friction, " ode bullet torsional ", " "));
  CR_TRY(cr_document_child(&s->document, friction, "ode", &ode));
  CR_TRY(cr_document_child(&s->document, friction, "torsional", &torsional));
  CR_TRY(cr_document_child(&s->document, friction, "bullet", &bullet));
  if (bullet) CR_TRY(cr_document_remark(&s->document, bullet, NULL, FOR_OTHERS));
  if (torsional) CR_TRY(read_torsional(s, torsional, &surface->rest.torsional_friction));
  return ode ? read_ode(s, ode, &surface->friction) : CAROM_OK;
}

/* Speeds that no impact reaches: thresholds above it switch restitution off, as the format's
 * default of 1e5 m/s does. */
#define MOST_THRESHOLD 1e3

static carom_status read_bounce(cr_sdf* s, const cr_xml_element* bounce, double* used) {
  static const char LEFT[] = "not used: no impact is as fast as its threshold";
  double restitution = 0, threshold = 1e5;
  CR_TRY(cr_document_check_known(&s->document, bounce, " restitution_coefficient threshold ", " "));
  CR_TRY(cr_sdf_numbers(s, bounce, "restitution_coefficient", 1, &restitution));
  CR_TRY(cr_sdf_numbers(s, bounce, "threshold", 1, &threshold));
  if (restitution == 0) return CAROM_OK;
  if (threshold > MOST_THRESHOLD) return cr_document_remark(&s->document, bounce, NULL, LEFT);
  *used = restitution;
  return CAROM_OK;
}

/* What other programs hold the contact with. */
static carom_status note_contact(cr_sdf* s, const cr_xml_element* contact) {
  static const char OTHER[] = FOR_OTHERS;
  for (const cr_xml_element* e = contact->first_child; e; e = e->next)
    if (strncmp(e->name, "collide_", 8) != 0)
      CR_TRY(cr_document_remark(&s->document, e, NULL, OTHER));
  return CAROM_OK;
}

carom_status cr_sdf_read_bits(cr_sdf* s, const cr_xml_element* collision, uint32_t* bits) {
  static const char FELT[] = "collide_without_contact: it does not collide, and is not felt";
  const cr_xml_element *surface, *contact = NULL;
  const char* mask;
  bool is_felt = false;
  *bits = s->has_bits ? CR_SDF_ALL_BITS : 1;
  CR_TRY(cr_document_child(&s->document, collision, "surface", &surface));
  if (surface) CR_TRY(cr_document_child(&s->document, surface, "contact", &contact));
  if (!contact) return CAROM_OK;
  CR_TRY(cr_sdf_flag(s, contact, "collide_without_contact", &is_felt));
  CR_TRY(cr_sdf_word(s, contact, "collide_bitmask", &mask));
  if (mask && s->has_bits) *bits = (uint32_t)strtoul(mask, NULL, 0) & CR_SDF_ALL_BITS;
  if (is_felt) *bits = 0;
  return is_felt ? cr_document_remark(&s->document, contact, NULL, FELT) : CAROM_OK;
}

/* Masks that all shapes share change nothing. */
static bool is_usual(const char* mask) {
  static const char* const USUAL[] = {"65535", "1", "0x1", "0x01", "0xffff", "0xff", "255", NULL};
  for (int i = 0; USUAL[i]; i++)
    if (strcmp(mask, USUAL[i]) == 0) return true;
  return false;
}

void cr_sdf_scan(cr_sdf* s, const cr_xml_element* root) {
  static const char* const DRAKES[] = {"drake:mu_static", "drake:mu_dynamic",
                                       "drake:proximity_properties", NULL};
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root)) {
    if (strcmp(e->name, "collide_bitmask") == 0 && e->text && !is_usual(e->text))
      s->has_bits = true;
    for (int i = 0; DRAKES[i]; i++)
      if (strcmp(e->name, DRAKES[i]) == 0) s->def.friction_rule = CAROM_FRICTION_RULE_HARMONIC;
  }
}

carom_status cr_sdf_read_surface(cr_sdf* s, const cr_xml_element* collision, cr_surface* surface) {
  const cr_xml_element *element, *part;
  CR_TRY(cr_document_child(&s->document, collision, "surface", &element));
  if (element) {
    CR_TRY(cr_document_check_known(&s->document, element, " friction bounce contact ", " "));
    CR_TRY(cr_document_child(&s->document, element, "friction", &part));
    if (part) CR_TRY(read_friction(s, part, surface));
    CR_TRY(cr_document_child(&s->document, element, "bounce", &part));
    if (part) CR_TRY(read_bounce(s, part, &surface->rest.restitution));
    CR_TRY(cr_document_child(&s->document, element, "contact", &part));
    if (part) CR_TRY(note_contact(s, part));
  }
  return cr_proximity_read(&s->document, collision, surface);
}
