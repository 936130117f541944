/* <flexcomp> of three dimensions: a soft body of finite elements, and the nodes that are pinned to
 * the body around it. Grids have the nodes of the format in its order; boxes, cylinders and
 * ellipsoids, which it makes of a skin around one node, are filled with elements here. */
#include "import/mjcf/body.h"
#include "import/tets/tets.h"

#include <math.h>
#include <string.h>

/* The first four fill a volume here. */
static const char* const TYPES[] = {"grid",   "box",    "cylinder", "ellipsoid", "gmsh", "mesh",
                                    "direct", "square", "disc",     "circle",    NULL};
enum { GRID, BOX, CYLINDER, ELLIPSOID, GMSH };

/* In the order of carom_soft_law. */
static const char* const LAWS[] = {"corotated", "linear",      "fixed_corotated",
                                   "stvk",      "neo_hookean", NULL};

#define SOFT_CONTACT "contact is rigid, or has the pressure per depth in Pa/m of carom:stiffness"
#define FOR_DRAWING  "it is for drawing"
#define ITS_SOLVER   "it serves the solver of its format"

typedef struct flex {
  int dim, type, group;
  cr_numbers count, spacing, pos, scale, origin, rgba;
  cr_orientation orientation;
  double mass, radius, density, alpha, pressure;
  int law;
  bool quadratic;
  const char *file, *material;
  int num_nodes; /* of a file's mesh */
} flex;

static const cr_attribute FLEX[] = {
    CR_ELSEWHERE("name"),
    CR_FIELD("dim", CR_ATTRIBUTE_INTEGER, flex, dim),
    CR_WORD("type", flex, type, TYPES),
    CR_NUMBERS("count", flex, count, 3, 3),
    CR_NUMBERS("spacing", flex, spacing, 3, 3),
    CR_NUMBERS("pos", flex, pos, 3, 3),
    CR_ORIENTATIONS(flex, orientation),
    CR_NUMBERS("scale", flex, scale, 3, 3),
    CR_NUMBERS("origin", flex, origin, 3, 3),
    CR_NUMBER("mass", flex, mass, CR_RULE_POSITIVE),
    CR_NUMBER("radius", flex, radius, CR_RULE_NOT_NEGATIVE),
    CR_FIELD("file", CR_ATTRIBUTE_TEXT, flex, file),
    CR_FIELD("group", CR_ATTRIBUTE_INTEGER, flex, group),
    CR_NUMBERS("rgba", flex, rgba, 4, 4),
    CR_FIELD("material", CR_ATTRIBUTE_TEXT, flex, material),
    CR_WORD("carom:material", flex, law, LAWS),
    CR_NUMBER("carom:density", flex, density, CR_RULE_POSITIVE),
    CR_NUMBER("carom:alpha", flex, alpha, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:pressure", flex, pressure, CR_RULE_ANY),
    CR_FIELD("carom:quadratic", CR_ATTRIBUTE_FLAG, flex, quadratic),
    CR_REFUSED("dof", "full", "every node moves by itself"),
    CR_REFUSED("rigid", "false", "rigid ones are bodies with a mesh"),
    CR_REFUSED("point", NULL, "nodes come from files or grids"),
    CR_REFUSED("element", NULL, "elements come from files or grids"),
    CR_NOTED("inertiabox", "nodes have no size"),
    CR_NOTED("flatskin", FOR_DRAWING),
    CR_NOTED("texcoord", FOR_DRAWING),
    CR_END,
};

typedef struct elasticity {
  double young, poisson, damping;
} elasticity;

static const cr_attribute ELASTICITY[] = {
    CR_NUMBER("young", elasticity, young, CR_RULE_POSITIVE),
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

static const cr_attribute PIN[] = {
    CR_ELSEWHERE("id"),         CR_ELSEWHERE("range"),
    CR_ELSEWHERE("grid"),       CR_ELSEWHERE("gridrange"),
    CR_ELSEWHERE("carom:box"),  CR_ELSEWHERE("carom:region"),
    CR_ELSEWHERE("carom:body"), CR_END,
};

static const cr_attribute EDGE[] = {
    CR_REFUSED("equality", "false", "the elements' elasticity takes the place of edges"),
    CR_REFUSED("stiffness", "0", "the elements' elasticity takes the place of edges"),
    CR_REFUSED("damping", "0", "the elements' elasticity takes the place of edges"),
    CR_NOTED("solref", ITS_SOLVER),
    CR_NOTED("solimp", ITS_SOLVER),
    CR_END,
};

/* --- Shape --------------------------------------------------------------------------------------
 */

/* Cells between the nodes that are counted. */
static carom_status set_cells(const cr_subject* subject, const flex* f, carom_soft_def* def) {
  static const carom_soft_shape SHAPES[] = {CAROM_SOFT_BOX, CAROM_SOFT_BOX, CAROM_SOFT_CYLINDER,
                                            CAROM_SOFT_BALL};
  def->shape = SHAPES[f->type];
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

/* The tetrahedra of a file, scaled and moved. */
static carom_status load_mesh(cr_mjcf* m, const cr_xml_element* element, flex* f,
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
  f->num_nodes = mesh->num_nodes;
  for (int n = 0; n < mesh->num_nodes; n++)
    for (int k = 0; k < 3; k++)
      mesh->node[n][k] = f->scale.x[k] * (mesh->node[n][k] - f->origin.x[k]);
  return CAROM_OK;
}

/* --- Children -----------------------------------------------------------------------------------
 */

static const cr_xml_element* find_child(const cr_xml_element* element, const char* name) {
  const cr_xml_element* child = element->first_child;
  while (child && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

static carom_status read_elasticity(cr_mjcf* m, const cr_xml_element* element,
                                    carom_soft_def* def) {
  const cr_xml_element* child = find_child(element, "elasticity");
  elasticity e = {0};
  cr_subject subject = cr_mjcf_subject(m, element);
  if (child) CR_TRY(cr_mjcf_read_attributes(m, child, ELASTICITY, &e));
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
               .selfcollide = AUTO};
  if (child) CR_TRY(cr_mjcf_read_attributes(m, child, CONTACT, &c));
  def->contype = c.contype, def->conaffinity = c.conaffinity;
  def->priority = c.priority;
  def->friction = c.friction.x[0];
  def->margin = c.margin;
  def->stiffness = c.stiffness, def->dissipation = c.dissipation;
  def->self_contact = c.selfcollide != NEVER;
  def->condim = c.condim == 1 ? 1 : 3;
  if (c.condim == 1 || c.condim == 3) return CAROM_OK;
  static const char POINTS[] = "nodes are points: 3 is taken, they have no moments";
  return cr_mjcf_remark_on(m, child, "condim", POINTS, POINTS);
}

/* --- Pins ---------------------------------------------------------------------------------------
 */

/* What pins are read against. */
typedef struct pinning {
  cr_mjcf* m;
  const cr_xml_element* element; /* <pin> */
  const flex* f;
  carom_attachment_def def;
  cr_list nodes; /* of int */
} pinning;

static carom_status add_node(pinning* p, int node) {
  return cr_list_push(&p->nodes, &p->m->allocator, &node) ? CAROM_OK : cr_error_memory(p->m->error);
}

/* The number of a grid's node here; in the format x is the slowest, here the fastest. */
static int grid_node(const flex* f, int x, int y, int z) {
  int nx = (int)f->count.x[0], ny = (int)f->count.x[1];
  return x + nx * (y + ny * z);
}

static carom_status add_id(pinning* p, int id) {
  const flex* f = p->f;
  int ny = (int)f->count.x[1], nz = (int)f->count.x[2];
  int count = f->type == GMSH ? f->num_nodes : (int)f->count.x[0] * ny * nz;
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  if (id < 0 || id >= count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "node is %d, there are %d nodes", id,
                           count);
  if (f->type == GMSH) return add_node(p, id);
  if (f->type != GRID)
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "nodes of a %s have other numbers here: carom:box pins a region",
                           TYPES[f->type]);
  return add_node(p, grid_node(f, id / (ny * nz), id / nz % ny, id % nz));
}

/* All nodes between two corners of a grid, inclusive. */
static carom_status add_corners(pinning* p, const double* low, const double* high) {
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  for (int k = 0; k < 3; k++)
    if (p->f->type != GRID || !(low[k] >= 0 && high[k] < p->f->count.x[k]))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "%.9g to %.9g along axis %d are not on a grid", low[k], high[k], k);
  for (int x = (int)low[0]; x <= (int)high[0]; x++)
    for (int y = (int)low[1]; y <= (int)high[1]; y++)
      for (int z = (int)low[2]; z <= (int)high[2]; z++)
        CR_TRY(add_node(p, grid_node(p->f, x, y, z)));
  return CAROM_OK;
}

/* The numbers of one attribute, `each` at a time. */
static carom_status read_numbers(pinning* p, const char* name, int each, const double** x,
                                 int* count) {
  CR_TRY(cr_mjcf_read_long(p->m, p->element, name, x, count));
  if (!*x) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  for (int i = 0; i < *count; i++)
    if (!(fabs((*x)[i]) <= 1e9))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "%s has %.9g, at most 1e9 is accepted", name, (*x)[i]);
  if (*count % each == 0) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "%s has %d numbers, must be a multiple of %d", name, *count, each);
}

static carom_status list_nodes(pinning* p) {
  const double* x;
  int count;
  CR_TRY(read_numbers(p, "id", 1, &x, &count));
  for (int i = 0; x && i < count; i++) CR_TRY(add_id(p, (int)x[i]));
  CR_TRY(read_numbers(p, "range", 2, &x, &count));
  for (int i = 0; x && i < count; i += 2)
    for (int id = (int)x[i]; id <= (int)x[i + 1]; id++) CR_TRY(add_id(p, id));
  CR_TRY(read_numbers(p, "grid", 3, &x, &count));
  for (int i = 0; x && i < count; i += 3) CR_TRY(add_corners(p, x + i, x + i));
  CR_TRY(read_numbers(p, "gridrange", 6, &x, &count));
  for (int i = 0; x && i < count; i += 6) CR_TRY(add_corners(p, x + i, x + i + 3));
  return CAROM_OK;
}

/* Another body than the one around: the world, or one that stands above. */
static carom_status find_body(pinning* p) {
  const char* name = cr_xml_get(p->element, "carom:body");
  if (!name) return CAROM_OK;
  int index = strcmp(name, "world") == 0 ? 0 : cr_mjcf_find_part(p->m, CR_PART_BODY, name);
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  if (index < 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "carom:body is '%.60s', no body above has this name", name);
  p->def.body.id = index;
  return CAROM_OK;
}

static carom_status add_pin(pinning* p) {
  const double* box;
  int count;
  p->def.source = cr_mjcf_source(p->element);
  CR_TRY(cr_mjcf_read_attributes(p->m, p->element, PIN, NULL));
  CR_TRY(find_body(p));
  CR_TRY(list_nodes(p));
  if (p->nodes.count > 0) {
    p->def.nodes = p->nodes.items, p->def.num_nodes = p->nodes.count;
    CR_TRY(carom_builder_add_attachment(p->m->builder, &p->def, p->m->error));
  }
  CR_TRY(read_numbers(p, "carom:box", 6, &box, &count));
  p->def.nodes = NULL;
  p->def.region = cr_xml_get(p->element, "carom:region");
  if (p->def.region) CR_TRY(carom_builder_add_attachment(p->m->builder, &p->def, p->m->error));
  p->def.region = NULL;
  for (int i = 0; box && i < count; i += 6) {
    memcpy(p->def.low, box + i, sizeof p->def.low);
    memcpy(p->def.high, box + i + 3, sizeof p->def.high);
    CR_TRY(carom_builder_add_attachment(p->m->builder, &p->def, p->m->error));
  }
  return CAROM_OK;
}

static carom_status read_pins(cr_mjcf* m, const cr_xml_element* element, const flex* f,
                              const cr_mjcf_place* place, carom_soft soft) {
  for (const cr_xml_element* child = element->first_child; child; child = child->next) {
    if (strcmp(child->name, "edge") == 0) CR_TRY(cr_mjcf_read_attributes(m, child, EDGE, NULL));
    if (strcmp(child->name, "pin") != 0) continue;
    pinning p = {.m = m, .element = child, .f = f, .nodes = CR_LIST_INIT(int)};
    p.def = carom_attachment_def_default();
    p.def.soft = soft, p.def.body = place->body;
    carom_status status = add_pin(&p);
    cr_list_release(&p.nodes, &m->allocator);
    CR_TRY(status);
  }
  return CAROM_OK;
}

/* --- The whole ----------------------------------------------------------------------------------
 */

static carom_status check_children(cr_mjcf* m, const cr_xml_element* element) {
  static const char* const KNOWN[] = {"edge", "elasticity", "contact", "pin"};
  for (const cr_xml_element* child = element->first_child; child; child = child->next) {
    bool is_known = false;
    for (int i = 0; i < 4; i++) is_known |= strcmp(child->name, KNOWN[i]) == 0;
    if (!is_known) return cr_mjcf_unknown_element(m, child);
    CR_TRY(cr_mjcf_expect_no_children(m, child));
  }
  return CAROM_OK;
}

static carom_status set_colour(const cr_mjcf* m, const cr_subject* subject, const flex* f,
                               carom_soft_def* def) {
  cr_mjcf_geom look = {.rgba = f->rgba, .material = f->material};
  carom_geom_def shown = carom_geom_def_default();
  if (look.rgba.count == 0) memcpy(look.rgba.x, (double[4]){0.5, 0.5, 0.5, 1}, 4 * sizeof(double));
  CR_TRY(cr_mjcf_set_colour(m, subject, &look, &shown));
  memcpy(def->rgba, shown.rgba, sizeof def->rgba);
  return CAROM_OK;
}

static carom_status fill_def(cr_mjcf* m, const cr_xml_element* element, const flex* f,
                             const cr_mjcf_place* place, carom_soft_def* def) {
  def->source = cr_mjcf_source(element);
  CR_TRY(cr_mjcf_name(m, element, place, &def->name));
  def->body = place->body;
  memcpy(def->position, f->pos.x, sizeof def->position);
  quat_store(cr_mjcf_quaternion(m, &f->orientation), def->quaternion);
  cr_mjcf_into_body(place, def->position, def->quaternion);
  def->law = (carom_soft_law)f->law;
  def->quadratic = f->quadratic;
  def->alpha = f->alpha;
  def->pressure = f->pressure;
  def->radius = f->radius;
  def->group = f->group;
  if (isnan(f->density))
    def->mass = f->mass;
  else
    def->density = f->density;
  CR_TRY(read_elasticity(m, element, def));
  return read_contact(m, element, def);
}

/* Adds the body, with a mesh of a file where it is of that type. */
static carom_status add_body(cr_mjcf* m, const cr_xml_element* element, flex* f,
                             carom_soft_def* def, carom_soft* soft) {
  cr_subject subject = cr_mjcf_subject(m, element);
  cr_soft_mesh mesh = {0};
  if (f->type < GMSH) {
    CR_TRY(set_cells(&subject, f, def));
    return carom_builder_add_soft(m->builder, def, soft, m->error);
  }
  CR_TRY(load_mesh(m, element, f, &mesh));
  carom_status status = cr_tets_add(m->builder, &mesh, def, soft, m->error);
  cr_soft_mesh_destroy(&mesh);
  return status;
}

carom_status cr_mjcf_read_flexcomp(cr_mjcf* m, const cr_xml_element* element,
                                   const cr_mjcf_place* place) {
  static const char FLAT[] = "only soft bodies of three dimensions are supported";
  static const char SURFACE[] = "a surface or a list of points is no solid: use a grid or gmsh";
  static const char FILLED[] = "it is filled with tetrahedra here, not a skin around one node";
  flex f = {.dim = 2,
            .count = {3, {10, 10, 10}},
            .spacing = {3, {0.02, 0.02, 0.02}},
            .scale = {3, {1, 1, 1}},
            .mass = 1,
            .radius = 0.005,
            .density = NAN};
  cr_subject subject = cr_mjcf_subject(m, element);
  carom_soft_def def = carom_soft_def_default();
  carom_soft soft;
  CR_TRY(cr_mjcf_read_attributes(m, element, FLEX, &f));
  CR_TRY(check_children(m, element));
  const char* dim = cr_xml_get(element, "dim") ? "dim" : NULL; /* 2 when nothing is said */
  if (f.dim != 3) return cr_mjcf_refuse(m, element, dim, FLAT, FLAT);
  if (f.type > GMSH) return cr_mjcf_refuse(m, element, "type", SURFACE, SURFACE);
  if (f.type == BOX || f.type == CYLINDER || f.type == ELLIPSOID)
    CR_TRY(cr_mjcf_remark_on(m, element, "type", FILLED, FILLED));
  CR_TRY(fill_def(m, element, &f, place, &def));
  CR_TRY(set_colour(m, &subject, &f, &def));
  CR_TRY(add_body(m, element, &f, &def, &soft));
  return read_pins(m, element, &f, place, soft);
}
