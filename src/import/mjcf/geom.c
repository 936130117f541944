/* <geom>: from attributes to a definition. */
#include "import/mjcf/body.h"

#include <math.h>
#include <string.h>

/* The first eight are carom_geom_type's; the last one is not supported. */
static const char* const TYPES[] = {"plane",     "sphere", "capsule", "cylinder", "box",
                                    "ellipsoid", "mesh",   "hfield",  "sdf",      NULL};
#define NUM_SUPPORTED 8

static const char* const FLUID_SHAPES[] = {"none", "ellipsoid", NULL};

#define SOFT_CONTACT "contact is rigid, or has the stiffness in N/m that carom:stiffness gives"
#define FOR_DRAWING  "it is for drawing"
#define FOR_TOOLS    "it is for the programs of the file's author"

const cr_attribute cr_mjcf_geom_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_WORD("type", cr_mjcf_geom, type, TYPES),
    CR_NUMBERS("size", cr_mjcf_geom, size, 1, 3),
    CR_NUMBERS("pos", cr_mjcf_geom, pos, 3, 3),
    CR_NUMBERS("fromto", cr_mjcf_geom, fromto, 6, 6),
    CR_ORIENTATIONS(cr_mjcf_geom, orientation),
    CR_NUMBER("mass", cr_mjcf_geom, mass, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("density", cr_mjcf_geom, density, CR_RULE_NOT_NEGATIVE),
    CR_FIELD("contype", CR_ATTRIBUTE_BITS, cr_mjcf_geom, contype),
    CR_FIELD("conaffinity", CR_ATTRIBUTE_BITS, cr_mjcf_geom, conaffinity),
    CR_FIELD("condim", CR_ATTRIBUTE_INTEGER, cr_mjcf_geom, condim),
    CR_FIELD("priority", CR_ATTRIBUTE_INTEGER, cr_mjcf_geom, priority),
    CR_FIELD("group", CR_ATTRIBUTE_INTEGER, cr_mjcf_geom, group),
    CR_NUMBERS("friction", cr_mjcf_geom, friction, 1, 3),
    CR_NUMBER("margin", cr_mjcf_geom, margin, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("gap", cr_mjcf_geom, gap, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:stiffness", cr_mjcf_geom, stiffness, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:dissipation", cr_mjcf_geom, dissipation, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:modulus", cr_mjcf_geom, modulus, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:layer", cr_mjcf_geom, layer, CR_RULE_POSITIVE),
    CR_NUMBER("carom:static_friction", cr_mjcf_geom, surface.static_friction, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:stribeck_speed", cr_mjcf_geom, surface.stribeck_speed, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:hunt_crossley", cr_mjcf_geom, surface.hunt_crossley, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:restitution", cr_mjcf_geom, surface.restitution, CR_RULE_NOT_NEGATIVE),
    CR_REFUSED("carom:tangential_stiffness", NULL, "tangential compliance is not supported yet"),
    CR_FIELD("material", CR_ATTRIBUTE_TEXT, cr_mjcf_geom, material),
    CR_NUMBERS("rgba", cr_mjcf_geom, rgba, 4, 4),
    CR_FIELD("mesh", CR_ATTRIBUTE_TEXT, cr_mjcf_geom, mesh),
    CR_FIELD("hfield", CR_ATTRIBUTE_TEXT, cr_mjcf_geom, hfield),
    CR_NOTED("solref", SOFT_CONTACT),
    CR_NOTED("solimp", SOFT_CONTACT),
    CR_NOTED("solmix", SOFT_CONTACT),
    CR_NUMBER("fitscale", cr_mjcf_geom, fitscale, CR_RULE_POSITIVE),
    CR_NOTED("castshadow", FOR_DRAWING),
    CR_NOTED("user", FOR_TOOLS),
    CR_FIELD("shellinertia", CR_ATTRIBUTE_FLAG, cr_mjcf_geom, shellinertia),
    CR_WORD("fluidshape", cr_mjcf_geom, fluidshape, FLUID_SHAPES),
    CR_NUMBERS("fluidcoef", cr_mjcf_geom, fluidcoef, 1, 5),
    CR_NUMBER("adhesion", cr_mjcf_geom, surface.adhesion, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("surfacevel", cr_mjcf_geom, surfacevel, 1, 6),
    CR_END,
};

/* Ends of a capsule, cylinder or box: its axis, half length and place, whatever pos and orientation
 * say. */
static carom_status apply_fromto(const cr_subject* subject, const cr_mjcf_geom* geom,
                                 carom_geom_def* def) {
  v3 from = v3_load(geom->fromto.x), to = v3_load(geom->fromto.x + 3);
  v3 axis = v3_sub(from, to);
  double length = v3_norm(axis);
  if (def->type == CAROM_GEOM_PLANE || def->type == CAROM_GEOM_SPHERE ||
      def->type >= CAROM_GEOM_MESH)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "fromto is given, but a %s has no ends",
                           TYPES[geom->type]);
  if (!(length > 1e-14))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "fromto has both ends at one point");
  if (def->type == CAROM_GEOM_BOX || def->type == CAROM_GEOM_ELLIPSOID) {
    def->size[1] = def->size[0];
    def->size[2] = length / 2;
  } else {
    def->size[1] = length / 2;
  }
  v3_store(v3_scale(0.5, v3_add(from, to)), def->position);
  quat_store(quat_turn_z(axis), def->quaternion);
  return CAROM_OK;
}

/* Refuses a list of sizes that is too short; `fromto` gives what is along its line. */
static carom_status check_size_count(const cr_subject* subject, const cr_mjcf_geom* geom) {
  static const int NUM_SIZES[] = {0, 1, 2, 2, 3, 3, 0, 0};
  int wanted = geom->fromto.count ? 1 : NUM_SIZES[geom->type];
  if (geom->size.count >= wanted) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "size has %d number%s, a %s takes %d",
                         geom->size.count, geom->size.count == 1 ? "" : "s", TYPES[geom->type],
                         wanted);
}

carom_status cr_mjcf_set_shape(const cr_mjcf* m, const cr_subject* subject,
                               const cr_mjcf_place* place, const cr_mjcf_geom* geom,
                               carom_geom_def* def) {
  def->type = (carom_geom_type)geom->type;
  memcpy(def->size, geom->size.x, sizeof def->size);
  memcpy(def->position, geom->pos.x, sizeof def->position);
  quat_store(cr_mjcf_quaternion(m, &geom->orientation), def->quaternion);
  CR_TRY(check_size_count(subject, geom));
  if (geom->fromto.count) CR_TRY(apply_fromto(subject, geom, def));
  cr_mjcf_into_body(place, def->position, def->quaternion);
  return CAROM_OK;
}

static void set_contact(cr_mjcf* m, const cr_mjcf_geom* geom, carom_geom_def* def) {
  def->contype = geom->contype;
  def->conaffinity = geom->conaffinity;
  def->condim = geom->condim;
  def->priority = geom->priority;
  def->friction = geom->friction.x[0];
  def->surface = geom->surface;
  def->surface.torsional_friction = geom->friction.x[1];
  def->surface.rolling_friction = geom->friction.x[2];
  memcpy(def->surface_velocity, geom->surfacevel.x, sizeof def->surface_velocity);
  def->margin = geom->margin;
  def->gap = geom->gap;
  if (!m->option.no_override) {
    const double* friction = m->option.o_friction.x;
    def->friction = friction[0];
    def->surface.torsional_friction = friction[2], def->surface.rolling_friction = friction[3];
    def->margin = 0.5 * m->option.o_margin; /* of a pair both count */
  }
  def->stiffness = geom->stiffness;
  def->dissipation = geom->dissipation;
  def->modulus = geom->modulus, def->layer = geom->layer;
  cr_mjcf_apply_compliance(m, CR_PART_GEOM, def->name, &def->stiffness, &def->dissipation);
  cr_mjcf_apply_surface(m, CR_PART_GEOM, def->name, &def->surface);
}

carom_status cr_mjcf_set_colour(const cr_mjcf* m, const cr_subject* subject,
                                const cr_mjcf_geom* geom, carom_geom_def* def) {
  const cr_numbers* rgba = &geom->rgba;
  if (geom->material) {
    int index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_MATERIAL, geom->material);
    if (index < 0)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "material is '%.60s', no material has this name", geom->material);
    if (!geom->rgba.count) rgba = CR_AT(&m->materials, cr_numbers, index);
  }
  for (int i = 0; i < 4; i++) def->rgba[i] = (float)rgba->x[i];
  return CAROM_OK;
}

/* Neither collides nor gives mass. */
static bool is_for_drawing(const cr_mjcf_place* place, const cr_mjcf_geom* geom, bool gives_mass) {
  bool is_massless = !gives_mass || place->has_inertial || place->body.id == 0 ||
                     (isnan(geom->mass) ? geom->density == 0 : geom->mass == 0);
  return is_massless && !geom->contype && !geom->conaffinity;
}

/* What names this geometry finds no shape: contacts, sensors and tendons go without it. */
static carom_status hide_name(cr_mjcf* m, const cr_xml_element* element) {
  const char* name = cr_xml_get(element, "name");
  if (!name || !name[0]) return CAROM_OK;
  return cr_mjcf_add_name(m, CR_MJCF_NAME_LEFT_OUT + CR_PART_GEOM, name, 0);
}

/* A shape that is not supported yet: left out with a note where it neither collides nor gives mass,
 * else refused. */
static carom_status leave_out(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_place* place,
                              const cr_mjcf_geom* geom, bool gives_mass) {
  static const char UNUSED[] =
      "left out, since it neither collides nor gives mass: shapes of this type are not drawn";
  static const char SHAPE[] = "shapes of this type are not supported yet, give a mesh";
  CR_TRY(hide_name(m, element));
  if (is_for_drawing(place, geom, gives_mass))
    return cr_mjcf_remark_on(m, element, NULL, UNUSED, UNUSED);
  if (m->permissive) return cr_mjcf_remark_on(m, element, NULL, SHAPE, SHAPE);
  char text[100];
  snprintf(text, sizeof text, "type is '%s': %s", TYPES[geom->type], SHAPE);
  return cr_remark_refuse(element, NULL, text, m->error);
}

/* A mesh that is only drawn, as the triangles that it has. */
static carom_status draw(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_place* place,
                         const cr_mjcf_geom* geom) {
  cr_subject subject = cr_mjcf_subject(m, element);
  carom_geom_def def = carom_geom_def_default();
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  CR_TRY(hide_name(m, element));
  def.source = cr_mjcf_source(element);
  def.body = place->body;
  def.group = geom->group;
  def.contype = def.conaffinity = 0;
  def.gives_mass = false;
  CR_TRY(cr_mjcf_name(m, element, place, &def.name));
  CR_TRY(cr_mjcf_draw_mesh(m, element, geom->mesh, &def.mesh));
  CR_TRY(cr_mjcf_set_shape(m, &subject, place, geom, &def));
  CR_TRY(cr_mjcf_set_colour(m, &subject, geom, &def));
  return def.mesh.id ? carom_builder_add_geom(m->builder, &def, NULL, m->error) : CAROM_OK;
}

carom_status cr_mjcf_read_geom(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_place* place) {
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, place->class, &class));
  cr_mjcf_geom geom = class->geom;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_geom_table, &geom));
  const double* groups = m->compiler.inertiagrouprange.x;
  bool gives_mass = geom.group >= groups[0] && geom.group <= groups[1];
  bool is_mesh = geom.type == CAROM_GEOM_MESH;
  if (geom.type >= NUM_SUPPORTED) return leave_out(m, element, place, &geom, gives_mass);
  if (geom.mesh && geom.type < CAROM_GEOM_MESH) CR_TRY(cr_mjcf_fit_geom(m, element, &geom));
  if (is_mesh && is_for_drawing(place, &geom, gives_mass)) return draw(m, element, place, &geom);
  CR_TRY(cr_mjcf_expect_no_children(m, element));

  cr_subject subject = cr_mjcf_subject(m, element);
  carom_geom_def def = carom_geom_def_default();
  def.source = cr_mjcf_source(element);
  CR_TRY(cr_mjcf_name(m, element, place, &def.name));
  def.body = place->body;
  def.mass = geom.mass;
  def.density = geom.density;
  def.shell = geom.shellinertia;
  def.group = geom.group;
  def.gives_mass = gives_mass;
  def.fluid_ellipsoid = geom.fluidshape;
  memcpy(def.fluid_coefficients, geom.fluidcoef.x, sizeof def.fluid_coefficients);
  bool collides = geom.contype || geom.conaffinity;
  if (is_mesh) CR_TRY(cr_mjcf_use_mesh(m, element, geom.mesh, collides, &def.mesh));
  if (geom.type == CAROM_GEOM_HEIGHT_FIELD)
    CR_TRY(cr_mjcf_use_hfield(m, element, geom.hfield, &def.height_field));
  CR_TRY(cr_mjcf_set_shape(m, &subject, place, &geom, &def));
  set_contact(m, &geom, &def);
  CR_TRY(cr_mjcf_set_colour(m, &subject, &geom, &def));
  m->has_plane = m->has_plane || def.type == CAROM_GEOM_PLANE;
  return carom_builder_add_geom(m->builder, &def, NULL, m->error);
}
