/* <flexcomp> of three dimensions: a soft body of finite elements, and the nodes that are pinned to
 * the body around it. Grids have the nodes of the format in its order; boxes, cylinders and
 * ellipsoids, which it makes of a skin around one node, are filled with elements here. */
#include "import/mjcf/flex_parts.h"
#include "import/tets/tets.h"

#include <math.h>
#include <string.h>

/* The first four fill a volume here; those behind DIRECT are surfaces. */
static const char* const TYPES[] = {"grid", "box",    "cylinder", "ellipsoid", "gmsh", "direct",
                                    "mesh", "square", "disc",     "circle",    NULL};
enum { GRID, BOX, CYLINDER, ELLIPSOID, GMSH, DIRECT };

typedef struct flexcomp {
  cr_mjcf_flex flex;
  int type;
  cr_numbers count, spacing, pos, scale, origin;
  cr_orientation orientation;
  double mass; /* NaN: not given */
  int unit;    /* of points of meshes, one of cr_mjcf_lengths */
  const char* file;
} flexcomp;

static const cr_attribute FLEXCOMP[] = {
    CR_WORD("type", flexcomp, type, TYPES),
    CR_NUMBERS("count", flexcomp, count, 3, 3),
    CR_NUMBERS("spacing", flexcomp, spacing, 3, 3),
    CR_NUMBERS("pos", flexcomp, pos, 3, 3),
    CR_ORIENTATIONS(flexcomp, orientation),
    CR_NUMBERS("scale", flexcomp, scale, 3, 3),
    CR_NUMBERS("origin", flexcomp, origin, 3, 3),
    CR_NUMBER("mass", flexcomp, mass, CR_RULE_POSITIVE),
    CR_WORD("carom:unit", flexcomp, unit, cr_mjcf_lengths),
    CR_FIELD("file", CR_ATTRIBUTE_TEXT, flexcomp, file),
    CR_ELSEWHERE("point"),
    CR_ELSEWHERE("element"),
    CR_REFUSED("rigid", "false", "rigid ones are bodies with a mesh"),
    CR_NOTED("inertiabox", "nodes have no size"),
    CR_MORE(cr_mjcf_flex_table),
};

/* --- Shape --------------------------------------------------------------------------------------
 */

/* Cells between the nodes that are counted. */
static carom_status set_cells(const cr_subject* subject, const flexcomp* f, carom_soft_def* def) {
  static const carom_soft_shape SHAPES[] = {CAROM_SOFT_BOX, CAROM_SOFT_BOX, CAROM_SOFT_CYLINDER,
                                            CAROM_SOFT_BALL};
  def->shape = SHAPES[f->type];
  if (f->unit > 0)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "carom:unit is of points of files and lists; spacing is in m");
  for (int k = 0; k < 3; k++) {
    double count = f->count.x[k];
    if (!(count >= 2 && count <= 1e6) || count != floor(count))
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "count[%d] is %.9g, must be a number of nodes from 2 on", k, count);
    def->cells[k] = (int)count - 1;
    def->size[k] = f->spacing.x[k] * (count - 1) * f->scale.x[k];
  }
  return CAROM_OK;
}

static carom_status read_whole(cr_mjcf* m, const cr_xml_element* element, const char* name,
                               char** path, char** bytes, size_t* size) {
  FILE* file;
  CR_TRY(cr_mjcf_open_asset(m, element, name, &file, path));
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  *size = length > 0 ? (size_t)length : 0;
  *bytes = cr_alloc(&m->allocator, *size);
  bool done = *bytes && length >= 0 && fseek(file, 0, SEEK_SET) == 0 &&
              fread(*bytes, 1, *size, file) == *size;
  fclose(file);
  if (done) return CAROM_OK;
  if (!*bytes) return cr_error_memory(m->error);
  cr_release(&m->allocator, *bytes, *size);
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_FILE, "file '%.150s' cannot be read", *path);
}

/* A point of a file or list, scaled and moved. */
static void place_point(const flexcomp* f, const double from[3], double to[3]) {
  double unit = cr_mjcf_unit_scale(cr_mjcf_lengths[f->unit]);
  for (int k = 0; k < 3; k++) to[k] = unit * f->scale.x[k] * (from[k] - f->origin.x[k]);
}

/* The tetrahedra of a file, placed. */
static carom_status load_mesh(cr_mjcf* m, const cr_xml_element* element, const flexcomp* f,
                              cr_soft_mesh* mesh) {
  cr_subject subject = cr_mjcf_subject(m, element);
  char *bytes = NULL, *path = NULL;
  size_t size = 0;
  if (!f->file)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'file' is missing");
  CR_TRY(read_whole(m, element, f->file, &path, &bytes, &size));
  carom_error error;
  carom_status status = cr_tets_load_memory(path, bytes, size, &m->allocator, mesh, &error);
  cr_release(&m->allocator, bytes, size);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(m->error);
  if (status != CAROM_OK) return cr_subject_fail(&subject, status, "%s", error.message);
  for (int n = 0; n < mesh->num_nodes; n++) place_point(f, mesh->node[n], mesh->node[n]);
  return CAROM_OK;
}

/* Points and tetrahedra that the element itself lists. */
static carom_status list_mesh(cr_mjcf* m, const cr_xml_element* element, const flexcomp* f,
                              carom_soft_def* def) {
  const double* point;
  int count;
  cr_subject subject = cr_mjcf_subject(m, element);
  CR_TRY(cr_mjcf_read_groups(m, element, "point", 3, &point, &count));
  if (!point || count == 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'point' is missing");
  double* x = cr_pool_take(&m->xml.pool, (size_t)count * sizeof *x);
  if (!x) return cr_error_memory(m->error);
  for (int i = 0; i < count; i += 3) place_point(f, point + i, x + i);
  def->nodes = x, def->num_nodes = count / 3;
  return cr_mjcf_set_flex_elements(m, element, def);
}

/* --- The whole ----------------------------------------------------------------------------------
 */

static carom_status fill_def(cr_mjcf* m, const cr_xml_element* element, const flexcomp* f,
                             const cr_mjcf_place* place, bool is_rigid, carom_soft_def* def) {
  CR_TRY(cr_mjcf_name(m, element, place, &def->name));
  def->body = place->body;
  memcpy(def->position, f->pos.x, sizeof def->position);
  quat_store(cr_mjcf_quaternion(m, &f->orientation), def->quaternion);
  cr_mjcf_into_body(place, def->position, def->quaternion);
  bool has_density = !isnan(f->flex.density) || (f->flex.substance && isnan(f->mass));
  if (!has_density) def->mass = isnan(f->mass) ? 1 : f->mass;
  return cr_mjcf_set_flex(m, element, &f->flex, is_rigid, def);
}

/* Adds the body, with a mesh where it is of a file or of lists. */
static carom_status add_body(cr_mjcf* m, const cr_xml_element* element, const flexcomp* f,
                             carom_soft_def* def, carom_soft* soft) {
  cr_subject subject = cr_mjcf_subject(m, element);
  cr_soft_mesh mesh = {0};
  if (f->type == GMSH) {
    CR_TRY(load_mesh(m, element, f, &mesh));
    carom_status status = cr_tets_add(m->builder, &mesh, def, soft, m->error);
    cr_soft_mesh_destroy(&mesh);
    return status;
  }
  CR_TRY(f->type == DIRECT ? list_mesh(m, element, f, def) : set_cells(&subject, f, def));
  return carom_builder_add_soft(m->builder, def, soft, m->error);
}

/* The tetrahedra of a body, to be destroyed. */
static carom_status make_mesh(cr_mjcf* m, const cr_xml_element* element, const flexcomp* f,
                              carom_soft_def* def, cr_soft_mesh* mesh) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (f->type == GMSH) return load_mesh(m, element, f, mesh);
  CR_TRY(f->type == DIRECT ? list_mesh(m, element, f, def) : set_cells(&subject, f, def));
  return cr_soft_def_make_mesh(&subject, def, &m->allocator, mesh);
}

static carom_status add_rigid(cr_mjcf* m, const cr_xml_element* element, const flexcomp* f,
                              carom_soft_def* def) {
  static const char RIGID[] = "read as a rigid body: its edges keep their lengths";
  static const char PINNED[] = "pins of a body whose edges keep their lengths are not supported";
  bool has_core = f->type == BOX || f->type == CYLINDER || f->type == ELLIPSOID;
  cr_soft_mesh mesh = {0};
  for (const cr_xml_element* e = element->first_child; e; e = e->next)
    if (strcmp(e->name, "pin") == 0) CR_TRY(cr_mjcf_refuse(m, e, NULL, PINNED, PINNED));
  CR_TRY(cr_mjcf_remark_on(m, element, NULL, RIGID, RIGID));
  carom_status status = make_mesh(m, element, f, def, &mesh);
  if (status == CAROM_OK)
    status = cr_mjcf_add_rigid_flex(m, &mesh, has_core, f->flex.dof != CR_MJCF_DOF_RADIAL, def);
  cr_soft_mesh_destroy(&mesh);
  return status;
}

/* The numbers that pins give nodes. */
static cr_mjcf_flex_nodes number_nodes(const flexcomp* f, const carom_soft_def* def) {
  cr_mjcf_flex_nodes nodes = {.is_grid = f->type == GRID, .type = TYPES[f->type]};
  if (f->type == GMSH || f->type == DIRECT) nodes.num_nodes = def->num_nodes;
  if (f->type != GRID) return nodes;
  nodes.num_nodes = 1;
  for (int k = 0; k < 3; k++) nodes.num_nodes *= nodes.count[k] = (int)f->count.x[k];
  return nodes;
}

carom_status cr_mjcf_read_flexcomp(cr_mjcf* m, const cr_xml_element* element,
                                   const cr_mjcf_place* place) {
  static const char SURFACE[] = "a surface is no solid: use grid, gmsh or direct";
  static const char FILLED[] = "it is filled with tetrahedra here, not a skin around one node";
  flexcomp f = {.flex = cr_mjcf_flex_default(),
                .count = {3, {10, 10, 10}},
                .spacing = {3, {0.02, 0.02, 0.02}},
                .scale = {3, {1, 1, 1}},
                .mass = NAN};
  carom_soft_def def = carom_soft_def_default();
  carom_soft soft;
  bool is_solid, is_rigid;
  CR_TRY(cr_mjcf_read_attributes(m, element, FLEXCOMP, &f));
  CR_TRY(cr_mjcf_check_flex_children(m, element, true));
  CR_TRY(cr_mjcf_check_flex_dim(m, element, f.flex.dim, &is_solid));
  if (!is_solid) return CAROM_OK;
  if (f.type > DIRECT) return cr_mjcf_refuse(m, element, "type", SURFACE, SURFACE);
  CR_TRY(cr_mjcf_is_flex_rigid(m, element, &is_rigid));
  CR_TRY(fill_def(m, element, &f, place, is_rigid, &def));
  if (is_rigid) return add_rigid(m, element, &f, &def);
  if (f.type == BOX || f.type == CYLINDER || f.type == ELLIPSOID)
    CR_TRY(cr_mjcf_remark_on(m, element, "type", FILLED, FILLED));
  CR_TRY(add_body(m, element, &f, &def, &soft));
  cr_mjcf_flex_nodes nodes = number_nodes(&f, &def);
  return cr_mjcf_read_pins(m, element, &nodes, place, soft);
}
