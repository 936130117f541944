/* What <flexcomp> and <flex> share: attributes, <elasticity>, <contact> and <edge>, tetrahedra as
 * lists of numbers. */
#include "import/mjcf/flex_parts.h"

#include <math.h>
#include <string.h>

/* In the order of carom_soft_law. */
static const char* const LAWS[] = {"corotated", "linear",      "fixed_corotated",
                                   "stvk",      "neo_hookean", NULL};

#define SOFT_CONTACT "contact is rigid, or has the pressure per depth in Pa/m of carom:stiffness"
#define FOR_DRAWING  "it is for drawing"
#define ITS_SOLVER   "it serves the solver of its format"

/* In the order of cr_mjcf_flex_dof. */
static const char* const DOFS[] = {"full", "radial", "trilinear", "quadratic", "2d", NULL};

#define INTERPOLATED "read as a solid whose nodes move by themselves, not with the corners of cells"

const cr_attribute cr_mjcf_flex_table[] = {
    CR_ELSEWHERE("name"),
    CR_FIELD("dim", CR_ATTRIBUTE_INTEGER, cr_mjcf_flex, dim),
    CR_NUMBER("radius", cr_mjcf_flex, radius, CR_RULE_NOT_NEGATIVE),
    CR_FIELD("group", CR_ATTRIBUTE_INTEGER, cr_mjcf_flex, group),
    CR_NUMBERS("rgba", cr_mjcf_flex, rgba, 4, 4),
    CR_FIELD("material", CR_ATTRIBUTE_TEXT, cr_mjcf_flex, material),
    CR_WORD("carom:material", cr_mjcf_flex, law, LAWS),
    CR_FIELD("carom:substance", CR_ATTRIBUTE_TEXT, cr_mjcf_flex, substance),
    CR_QUANTITY("carom:density", cr_mjcf_flex, density, CR_RULE_POSITIVE, cr_mjcf_densities),
    CR_NUMBER("carom:alpha", cr_mjcf_flex, alpha, CR_RULE_NOT_NEGATIVE),
    CR_QUANTITY("carom:pressure", cr_mjcf_flex, pressure, CR_RULE_ANY, cr_mjcf_pressures),
    CR_FIELD("carom:quadratic", CR_ATTRIBUTE_FLAG, cr_mjcf_flex, quadratic),
    CR_WORD("dof", cr_mjcf_flex, dof, DOFS),
    CR_NOTED("cellcount", INTERPOLATED),
    CR_NOTED("flatskin", FOR_DRAWING),
    CR_NOTED("texcoord", FOR_DRAWING),
    CR_END,
};

cr_mjcf_flex cr_mjcf_flex_default(void) {
  return (cr_mjcf_flex){.dim = 2, .radius = 0.005, .density = NAN};
}

typedef struct elasticity {
  double young, poisson, damping;
} elasticity;

static const cr_attribute ELASTICITY[] = {
    CR_QUANTITY("young", elasticity, young, CR_RULE_POSITIVE, cr_mjcf_pressures),
    CR_NUMBER("poisson", elasticity, poisson, CR_RULE_ANY),
    CR_NUMBER("damping", elasticity, damping, CR_RULE_NOT_NEGATIVE),
    CR_NOTED("thickness", "solids have none"),
    CR_NOTED("elastic2d", "solids are not bent like shells"),
    CR_END,
};

typedef struct contact {
  uint32_t contype, conaffinity;
  int condim, priority;
  cr_numbers friction;
  double margin, stiffness, dissipation;
  carom_surface surface;
  int selfcollide;
} contact;

/* All but the first look for the same contacts. */
static const char* const SEARCHES[] = {"none", "narrow", "bvh", "sap", "auto", NULL};
enum { NEVER, AUTO = 4 };

static const cr_attribute CONTACT[] = {
    CR_FIELD("contype", CR_ATTRIBUTE_BITS, contact, contype),
    CR_FIELD("conaffinity", CR_ATTRIBUTE_BITS, contact, conaffinity),
    CR_FIELD("condim", CR_ATTRIBUTE_INTEGER, contact, condim),
    CR_FIELD("priority", CR_ATTRIBUTE_INTEGER, contact, priority),
    CR_NUMBERS("friction", contact, friction, 1, 3),
    CR_NUMBER("margin", contact, margin, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:stiffness", contact, stiffness, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:dissipation", contact, dissipation, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:static_friction", contact, surface.static_friction, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:stribeck_speed", contact, surface.stribeck_speed, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:hunt_crossley", contact, surface.hunt_crossley, CR_RULE_NOT_NEGATIVE),
    CR_REFUSED("carom:restitution", "0", "soft bodies rebound by their elasticity"),
    CR_NOTED("gap", "points beyond the margin are not listed"),
    CR_NOTED("solref", SOFT_CONTACT),
    CR_NOTED("solimp", SOFT_CONTACT),
    CR_NOTED("solmix", SOFT_CONTACT),
    CR_NOTED("internal", "elements resist inversion by themselves"),
    CR_WORD("selfcollide", contact, selfcollide, SEARCHES),
    CR_NOTED("activelayers", ITS_SOLVER),
    CR_NOTED("vertcollide", "nodes touch in any case"),
    CR_NOTED("passive", ITS_SOLVER),
    CR_END,
};

typedef struct edge {
  int equality;
} edge;

static const char* const EQUALITIES[] = {"false", "true", "vert", "strain", NULL};

static const cr_attribute EDGE[] = {
    CR_WORD("equality", edge, equality, EQUALITIES),
    CR_REFUSED("stiffness", "0", "the elements' elasticity takes the place of edges"),
    CR_NOTED("damping", "edges have none, elements have that of <elasticity>"),
    CR_NOTED("solref", ITS_SOLVER),
    CR_NOTED("solimp", ITS_SOLVER),
    CR_END,
};

/* --- Children -----------------------------------------------------------------------------------
 */

static const cr_xml_element* find_child(const cr_xml_element* element, const char* name) {
  const cr_xml_element* child = element->first_child;
  while (child && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

/* Of a substance its numbers, where the file gives no others. */
static carom_status set_substance(const cr_subject* subject, const cr_mjcf_flex* flex,
                                  carom_soft_def* def) {
  carom_error error;
  def->poisson = 0;
  if (flex->substance) {
    carom_status status = carom_soft_def_set_substance(def, flex->substance, &error);
    if (status != CAROM_OK) return cr_subject_fail(subject, status, "%s", error.message);
  }
  if (!isnan(flex->density)) def->density = flex->density;
  return CAROM_OK;
}

static carom_status read_elasticity(cr_mjcf* m, const cr_xml_element* element, bool is_held,
                                    carom_soft_def* def) {
  const cr_xml_element* child = find_child(element, "elasticity");
  elasticity e = {.young = def->young, .poisson = def->poisson};
  cr_subject subject = cr_mjcf_subject(m, element);
  if (child) CR_TRY(cr_mjcf_read_attributes(m, child, ELASTICITY, &e));
  if (is_held && !(e.young > 0)) e.young = 1; /* what cannot move has no use for it */
  if (!(e.young > 0))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "'elasticity' with a 'young' is missing: nothing holds it together");
  def->young = e.young, def->poisson = e.poisson, def->beta = e.damping;
  return CAROM_OK;
}

static carom_status read_contact(cr_mjcf* m, const cr_xml_element* element, carom_soft_def* def) {
  const cr_xml_element* child = find_child(element, "contact");
  contact c = {.contype = 1,
               .conaffinity = 1,
               .condim = 3,
               .friction = {1, {1}},
               .stiffness = INFINITY,
               .dissipation = NAN,
               .surface = def->surface,
               .selfcollide = AUTO};
  if (child) CR_TRY(cr_mjcf_read_attributes(m, child, CONTACT, &c));
  def->contype = c.contype, def->conaffinity = c.conaffinity;
  def->priority = c.priority;
  def->friction = c.friction.x[0];
  def->margin = c.margin;
  def->stiffness = c.stiffness, def->dissipation = c.dissipation;
  def->surface = c.surface;
  def->self_contact = c.selfcollide != NEVER;
  def->condim = c.condim == 1 ? 1 : 3;
  if (c.condim == 1 || c.condim == 3) return CAROM_OK;
  static const char POINTS[] = "nodes are points: 3 is taken, they have no moments";
  return cr_mjcf_remark_on(m, child, "condim", POINTS, POINTS);
}

/* --- Numbers ------------------------------------------------------------------------------------
 */

carom_status cr_mjcf_read_groups(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                 int each, const double** x, int* count) {
  CR_TRY(cr_mjcf_read_long(m, element, name, x, count));
  if (!*x) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  for (int i = 0; i < *count; i++)
    if (!(fabs((*x)[i]) <= 1e9))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "%s has %.9g, at most 1e9 is accepted", name, (*x)[i]);
  if (*count % each == 0) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "%s has %d numbers, must be a multiple of %d", name, *count, each);
}

/* The format leaves open which way round the corners stand. */
static void turn_outwards(const double* nodes, int tet[4]) {
  v3 x0 = v3_load(nodes + 3 * (size_t)tet[0]), e[3];
  for (int k = 0; k < 3; k++) e[k] = v3_sub(v3_load(nodes + 3 * (size_t)tet[k + 1]), x0);
  if (!(v3_dot(v3_cross(e[0], e[1]), e[2]) < 0)) return;
  int corner = tet[2];
  tet[2] = tet[3], tet[3] = corner;
}

carom_status cr_mjcf_set_flex_elements(cr_mjcf* m, const cr_xml_element* element,
                                       carom_soft_def* def) {
  const double* x;
  int count;
  cr_subject subject = cr_mjcf_subject(m, element);
  CR_TRY(cr_mjcf_read_groups(m, element, "element", 4, &x, &count));
  if (!x || count == 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'element' is missing");
  int* corner = cr_pool_take(&m->xml.pool, (size_t)count * sizeof *corner);
  if (!corner) return cr_error_memory(m->error);
  for (int i = 0; i < count; i++) {
    if (!(x[i] >= 0 && x[i] < def->num_nodes) || x[i] != floor(x[i]))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "element %d has node %.9g, must be a number from 0 to %d", i / 4, x[i],
                             def->num_nodes - 1);
    corner[i] = (int)x[i];
  }
  for (int i = 0; i < count; i += 4) turn_outwards(def->nodes, corner + i);
  def->elements = corner;
  def->num_elements = count / 4;
  return CAROM_OK;
}

/* --- The whole ----------------------------------------------------------------------------------
 */

carom_status cr_mjcf_check_flex_children(const cr_mjcf* m, const cr_xml_element* element,
                                         bool has_pins) {
  static const char* const KNOWN[] = {"edge", "elasticity", "contact", "pin"};
  for (const cr_xml_element* child = element->first_child; child; child = child->next) {
    bool is_known = false;
    for (int i = 0; i < (has_pins ? 4 : 3); i++) is_known |= strcmp(child->name, KNOWN[i]) == 0;
    if (!is_known) return cr_mjcf_unknown_element(m, child);
    CR_TRY(cr_mjcf_expect_no_children(m, child));
  }
  return CAROM_OK;
}

carom_status cr_mjcf_check_flex_dim(cr_mjcf* m, const cr_xml_element* element, int dim,
                                    bool* is_solid) {
  static const char FLAT[] =
      "only soft bodies of three dimensions are supported, give a chain of bodies or a thin solid";
  const char* attribute = cr_xml_get(element, "dim") ? "dim" : NULL; /* 2 when nothing is said */
  *is_solid = dim == 3;
  return *is_solid ? CAROM_OK : cr_mjcf_refuse(m, element, attribute, FLAT, FLAT);
}

carom_status cr_mjcf_is_flex_rigid(cr_mjcf* m, const cr_xml_element* element, bool* is_rigid) {
  const cr_xml_element* child = find_child(element, "edge");
  edge e = {0};
  if (child) CR_TRY(cr_mjcf_read_attributes(m, child, EDGE, &e));
  *is_rigid = e.equality != 0;
  return CAROM_OK;
}

/* Of nodes that do not move by themselves. */
static carom_status check_dof(cr_mjcf* m, const cr_xml_element* element, int dof) {
  static const char LINES[] = "nodes that move along lines only are not supported";
  static const char CELLS[] = INTERPOLATED;
  if (dof == CR_MJCF_DOF_FULL) return CAROM_OK;
  if (dof == CR_MJCF_DOF_TRILINEAR || dof == CR_MJCF_DOF_QUADRATIC)
    return cr_mjcf_remark_on(m, element, "dof", CELLS, CELLS);
  return cr_mjcf_refuse(m, element, "dof", LINES, LINES);
}

static carom_status set_colour(const cr_mjcf* m, const cr_subject* subject,
                               const cr_mjcf_flex* flex, carom_soft_def* def) {
  cr_mjcf_geom look = {.rgba = flex->rgba, .material = flex->material};
  carom_geom_def shown = carom_geom_def_default();
  if (look.rgba.count == 0) memcpy(look.rgba.x, (double[4]){0.5, 0.5, 0.5, 1}, 4 * sizeof(double));
  CR_TRY(cr_mjcf_set_colour(m, subject, &look, &shown));
  memcpy(def->rgba, shown.rgba, sizeof def->rgba);
  return CAROM_OK;
}

carom_status cr_mjcf_set_flex(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_flex* flex,
                              bool is_held, carom_soft_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  def->source = cr_mjcf_source(element);
  def->law = (carom_soft_law)flex->law;
  def->quadratic = flex->quadratic;
  def->alpha = flex->alpha;
  def->pressure = flex->pressure;
  def->radius = flex->radius;
  def->group = flex->group;
  CR_TRY(set_substance(&subject, flex, def));
  CR_TRY(read_elasticity(m, element, is_held, def));
  CR_TRY(read_contact(m, element, def));
  if (!is_held) CR_TRY(check_dof(m, element, flex->dof));
  return set_colour(m, &subject, flex, def);
}
