/* Drake's deformable links: a <link> with <drake:deformable_properties> is a soft body of the
 * tetrahedra that its one <collision> names (Drake's documentation of its parsers). What a file
 * leaves out has Drake's defaults. Drake refuses inertia and joints of such links; so do we. */
#include "import/sdf/reader.h"
#include "import/tets/tets.h"

#include <math.h>
#include <string.h>

const cr_xml_element* cr_sdf_find_deformable(const cr_sdf_link* link) {
  const cr_xml_element* e = link->element->first_child;
  while (e && strcmp(e->name, "drake:deformable_properties") != 0) e = e->next;
  return e;
}

/* --- Material -----------------------------------------------------------------------------------
 */

/* Drake's linear corotated model turns with the rotation at the start of a step and is linear
 * otherwise; its corotated one is the fixed corotated law (Stomakhin et al.). */
static carom_status read_law(cr_sdf* s, const cr_xml_element* properties, carom_soft_law* law) {
  static const char* const WORDS[] = {"linear_corotated", "corotated", "linear"};
  static const carom_soft_law LAWS[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_FIXED_COROTATED,
                                        CAROM_SOFT_LINEAR};
  const char* word;
  CR_TRY(cr_sdf_word(s, properties, "drake:material_model", &word));
  for (int k = 0; word && k < 3; k++)
    if (strcmp(WORDS[k], word) == 0) {
      *law = LAWS[k];
      return CAROM_OK;
    }
  if (!word) return CAROM_OK;
  cr_subject subject = cr_document_subject(&s->document, properties);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "drake:material_model is '%.60s', must be linear_corotated, corotated or "
                         "linear",
                         word);
}

static carom_status read_material(cr_sdf* s, const cr_xml_element* properties,
                                  carom_soft_def* def) {
  static const char KNOWN[] = " drake:youngs_modulus drake:poissons_ratio drake:mass_damping "
                              "drake:stiffness_damping drake:mass_density drake:material_model ";
  def->young = 1e8, def->poisson = 0.49, def->density = 1500;
  def->law = CAROM_SOFT_COROTATED;
  CR_TRY(cr_document_check_known(&s->document, properties, KNOWN, " "));
  CR_TRY(cr_sdf_numbers(s, properties, "drake:youngs_modulus", 1, &def->young));
  CR_TRY(cr_sdf_numbers(s, properties, "drake:poissons_ratio", 1, &def->poisson));
  CR_TRY(cr_sdf_numbers(s, properties, "drake:mass_damping", 1, &def->alpha));
  CR_TRY(cr_sdf_numbers(s, properties, "drake:stiffness_damping", 1, &def->beta));
  CR_TRY(cr_sdf_numbers(s, properties, "drake:mass_density", 1, &def->density));
  return read_law(s, properties, &def->law);
}

/* --- Shape --------------------------------------------------------------------------------------
 */

/* The one child of a name; two of them, or none, are refused. */
static carom_status find_one(cr_sdf* s, const cr_xml_element* parent, const char* name,
                             const cr_xml_element** child) {
  const cr_xml_element* found = NULL;
  cr_subject subject = cr_document_subject(&s->document, parent);
  for (const cr_xml_element* e = parent->first_child; e; e = e->next) {
    if (strcmp(e->name, name) != 0) continue;
    if (found)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "a deformable link has one <%s>, here are more", name);
    found = e;
  }
  if (!found)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "a deformable link needs a <%s>", name);
  *child = found;
  return CAROM_OK;
}

static carom_status find_file(cr_sdf* s, const cr_xml_element* mesh, char** path) {
  cr_subject subject = cr_document_subject(&s->document, mesh);
  cr_asset_search search = s->search;
  const char* uri;
  CR_TRY(cr_document_check_known(&s->document, mesh, " uri scale ", " "));
  CR_TRY(cr_sdf_word(s, mesh, "uri", &uri));
  if (!uri) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <uri> is missing");
  search.main_path = mesh->file;
  if (!cr_asset_find(&search, uri, path)) return cr_error_memory(s->document.error);
  if (*path) return CAROM_OK;
  return cr_asset_fail(&search, &subject, uri);
}

static carom_status load_mesh(cr_sdf* s, const cr_xml_element* collision, cr_soft_mesh* tets) {
  const cr_xml_element *geometry = collision, *mesh = collision;
  char* path = NULL;
  double scale[3] = {1, 1, 1};
  carom_error error = {0};
  CR_TRY(find_one(s, collision, "geometry", &geometry));
  CR_TRY(find_one(s, geometry, "mesh", &mesh));
  CR_TRY(find_file(s, mesh, &path));
  CR_TRY(cr_sdf_numbers(s, mesh, "scale", 3, scale));
  cr_subject subject = cr_document_subject(&s->document, mesh);
  carom_status status = cr_tets_load(path, &s->document.allocator, tets, &error);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(s->document.error);
  if (status != CAROM_OK) return cr_subject_fail(&subject, status, "%s", error.message);
  for (int n = 0; n < tets->num_nodes; n++)
    for (int k = 0; k < 3; k++) tets->node[n][k] *= scale[k];
  return CAROM_OK;
}

/* --- The link -----------------------------------------------------------------------------------
 */

static carom_status check_link(cr_sdf* s, const cr_sdf_link* link) {
  static const char NOTED[] = "not used: a deformable link looks like its tetrahedra";
  const cr_xml_element *visual, *inertial;
  cr_subject subject = cr_document_subject(&s->document, link->element);
  if (link->parent >= 0 || link->first_child >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "joints cannot hold a deformable link");
  CR_TRY(cr_document_child(&s->document, link->element, "inertial", &inertial));
  if (inertial)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "a deformable link has no <inertial>: its density gives its mass");
  CR_TRY(cr_document_child(&s->document, link->element, "visual", &visual));
  if (visual) CR_TRY(cr_document_remark(&s->document, visual, NULL, NOTED));
  return cr_document_check_known(&s->document, link->element,
                                 " pose visual collision drake:deformable_properties "
                                 "drake:wall_boundary_condition ",
                                 " name ");
}

/* Contacts of a soft body have a pressure per depth where others have a force: of what the file
 * says only friction is used. */
static carom_status read_contact(cr_sdf* s, const cr_xml_element* collision, carom_soft_def* def) {
  static const char LEFT[] = "not used but for friction: elements give way by themselves";
  cr_surface surface = cr_surface_default();
  CR_TRY(cr_sdf_read_surface(s, collision, &surface));
  def->friction = surface.friction;
  if (isnan(surface.stiffness) && !(surface.rest.hunt_crossley > 0)) return CAROM_OK;
  return cr_document_remark(&s->document, collision, "drake:proximity_properties", LEFT);
}

/* Where the collision's shape is, in the world. */
static carom_status set_pose(cr_sdf* s, const cr_sdf_link* link, const cr_xml_element* collision,
                             carom_soft_def* def) {
  pose world;
  CR_TRY(cr_sdf_place_element(s, link->scope, collision, link->frame, &world));
  v3_store(world.p, def->position);
  quat_store(quat_from_m3(&world.R), def->quaternion);
  return CAROM_OK;
}

/* Lists the nodes that lie at rest within the half space of a wall, each once. */
static carom_status list_behind(cr_sdf* s, const cr_xml_element* wall, const cr_soft_mesh* tets,
                                const pose* X, char* is_listed, cr_list* nodes) {
  double point[3] = {NAN, 0, 0}, normal[3] = {NAN, 0, 0};
  cr_subject subject = cr_document_subject(&s->document, wall);
  CR_TRY(cr_sdf_numbers(s, wall, "drake:point_on_plane", 3, point));
  CR_TRY(cr_sdf_numbers(s, wall, "drake:outward_normal", 3, normal));
  if (isnan(point[0]) || isnan(normal[0]))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "it needs drake:point_on_plane and drake:outward_normal");
  CR_TRY(cr_check_direction(&subject, "drake:outward_normal", normal));
  for (int n = 0; n < tets->num_nodes; n++) {
    v3 x = v3_sub(pose_point(X, v3_load(tets->node[n])), v3_load(point));
    if (is_listed[n] || !(v3_dot(x, v3_load(normal)) < 0)) continue;
    is_listed[n] = 1;
    if (!cr_list_push(nodes, &s->document.allocator, &n)) return cr_error_memory(s->document.error);
  }
  return CAROM_OK;
}

static carom_status list_walls(cr_sdf* s, const cr_sdf_link* link, const cr_soft_mesh* tets,
                               const carom_soft_def* def, cr_list* nodes) {
  pose X = {v3_load(def->position), quat_to_m3(quat_load(def->quaternion))};
  size_t bytes = (size_t)tets->num_nodes;
  char* is_listed = cr_alloc_zero(&s->document.allocator, bytes);
  carom_status status = is_listed ? CAROM_OK : cr_error_memory(s->document.error);
  for (const cr_xml_element* e = link->element->first_child; is_listed && e && status == CAROM_OK;
       e = e->next)
    if (strcmp(e->name, "drake:wall_boundary_condition") == 0)
      status = list_behind(s, e, tets, &X, is_listed, nodes);
  cr_release(&s->document.allocator, is_listed, bytes);
  return status;
}

/* Fixes what lies behind walls. */
static carom_status add_walls(cr_sdf* s, const cr_sdf_link* link, const cr_soft_mesh* tets,
                              const carom_soft_def* def, carom_soft soft) {
  cr_list nodes = CR_LIST_INIT(int);
  carom_attachment_def hold = carom_attachment_def_default();
  carom_status status = list_walls(s, link, tets, def, &nodes);
  hold.source = def->source;
  hold.soft = soft;
  hold.nodes = nodes.items, hold.num_nodes = nodes.count;
  if (status == CAROM_OK && nodes.count > 0)
    status = carom_builder_add_attachment(s->builder, &hold, s->document.error);
  cr_list_release(&nodes, &s->document.allocator);
  return status;
}

static carom_status add_soft(cr_sdf* s, const cr_sdf_link* link, const cr_soft_mesh* tets,
                             carom_soft_def* def) {
  carom_soft soft;
  CR_TRY(cr_tets_add(s->builder, tets, def, &soft, s->document.error));
  return add_walls(s, link, tets, def, soft);
}

carom_status cr_sdf_add_deformable(cr_sdf* s, const cr_sdf_link* link,
                                   const cr_xml_element* properties) {
  const cr_xml_element* collision = link->element;
  carom_soft_def def = carom_soft_def_default();
  cr_soft_mesh tets = {0};
  def.name = link->name;
  def.source = (carom_source){link->element->file, link->element->line};
  CR_TRY(check_link(s, link));
  CR_TRY(read_material(s, properties, &def));
  CR_TRY(find_one(s, link->element, "collision", &collision));
  CR_TRY(read_contact(s, collision, &def));
  CR_TRY(set_pose(s, link, collision, &def));
  CR_TRY(load_mesh(s, collision, &tets));
  carom_status status = add_soft(s, link, &tets, &def);
  cr_soft_mesh_destroy(&tets);
  return status;
}
