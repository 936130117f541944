/* <collision> and <visual>: shapes on a link. What collides has group 3 where the link's own
 * looks are drawn, else group 0; looks have group 1 and never collide. */
#include "import/mesh/read.h"
#include "import/mesh_asset.h"
#include "import/sdf/reader.h"

#include <math.h>
#include <string.h>

enum { GROUP_ALONE, GROUP_LOOKS, GROUP_BEHIND = 3 };

/* What asks for more convex parts of a mesh asks for no number. */
#define MOST_HULLS 10000

/* A shape being read. */
typedef struct piece {
  const cr_sdf_link* link;
  const cr_xml_element* element; /* <collision> or <visual> */
  const cr_xml_element* shape;   /* <box> and the like */
  bool collides, is_coloured;    /* the element gives a colour */
  m3 turn;                       /* of the shape in its element's frame */
  v3 offset;                     /* m, the same */
  carom_geom_def def;
  int num_added; /* geometries of the model that it has become */
} piece;

/* ---- Shapes: each fills type and size from its element, over the format's own sizes. */

static void set_size(piece* p, double x, double y, double z) {
  p->def.size[0] = x, p->def.size[1] = y, p->def.size[2] = z;
}

static carom_status read_box(cr_sdf* s, piece* p) {
  set_size(p, 1, 1, 1);
  CR_TRY(cr_sdf_numbers(s, p->shape, "size", 3, p->def.size));
  p->def.type = CAROM_GEOM_BOX;
  for (int i = 0; i < 3; i++) p->def.size[i] /= 2;
  return cr_document_check_known(&s->document, p->shape, " size ", " ");
}

static carom_status read_round(cr_sdf* s, piece* p, carom_geom_type type) {
  set_size(p, type == CAROM_GEOM_CYLINDER ? 1 : 0.5, 1, 0);
  CR_TRY(cr_sdf_numbers(s, p->shape, "radius", 1, p->def.size));
  CR_TRY(cr_sdf_numbers(s, p->shape, "length", 1, p->def.size + 1));
  p->def.type = type;
  p->def.size[1] /= 2;
  return cr_document_check_known(&s->document, p->shape, " radius length ", " ");
}

static carom_status read_cylinder(cr_sdf* s, piece* p) {
  return read_round(s, p, CAROM_GEOM_CYLINDER);
}

static carom_status read_capsule(cr_sdf* s, piece* p) {
  return read_round(s, p, CAROM_GEOM_CAPSULE);
}

static carom_status read_sphere(cr_sdf* s, piece* p) {
  set_size(p, 1, 0, 0);
  CR_TRY(cr_sdf_numbers(s, p->shape, "radius", 1, p->def.size));
  p->def.type = CAROM_GEOM_SPHERE;
  return cr_document_check_known(&s->document, p->shape, " radius ", " ");
}

static carom_status read_ellipsoid(cr_sdf* s, piece* p) {
  set_size(p, 1, 1, 1);
  CR_TRY(cr_sdf_numbers(s, p->shape, "radii", 3, p->def.size));
  p->def.type = CAROM_GEOM_ELLIPSOID;
  return cr_document_check_known(&s->document, p->shape, " radii ", " ");
}

/* Endless, whatever its size says, which is for drawing. */
static carom_status read_plane(cr_sdf* s, piece* p) {
  double normal[3] = {0, 0, 1}, size[2] = {0, 0};
  CR_TRY(cr_sdf_numbers(s, p->shape, "normal", 3, normal));
  CR_TRY(cr_sdf_numbers(s, p->shape, "size", 2, size));
  cr_subject subject = cr_document_subject(&s->document, p->shape);
  CR_TRY(cr_check_direction(&subject, "normal", normal));
  p->turn = quat_to_m3(quat_turn_z(v3_load(normal)));
  p->def.type = CAROM_GEOM_PLANE;
  p->def.size[0] = fmax(size[0] / 2, 0), p->def.size[1] = fmax(size[1] / 2, 0);
  return cr_document_check_known(&s->document, p->shape, " normal size ", " ");
}

static carom_status read_polyline(cr_sdf* s, piece* p) {
  return cr_sdf_read_polyline(s, p->shape, &p->def);
}

static carom_status read_cone(cr_sdf* s, piece* p) {
  return cr_sdf_read_cone(s, p->shape, &p->def);
}

static const struct shape {
  const char* name;
  carom_status (*read)(cr_sdf*, piece*);
} SHAPES[] = {
    {"box", read_box},
    {"cylinder", read_cylinder},
    {"sphere", read_sphere},
    {"capsule", read_capsule},
    {"drake:capsule", read_capsule},
    {"ellipsoid", read_ellipsoid},
    {"drake:ellipsoid", read_ellipsoid},
    {"plane", read_plane},
    {"polyline", read_polyline},
    {"cone", read_cone},
};

static const struct shape* find_shape(const char* name) {
  for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++)
    if (strcmp(SHAPES[i].name, name) == 0) return &SHAPES[i];
  return NULL;
}

/* ---- Meshes */

/* Where the shape is on its link. */
static carom_status set_pose(cr_sdf* s, piece* p) {
  pose world, local;
  int frame = p->link->frame;
  CR_TRY(cr_sdf_place_element(s, p->link->scope, p->element, frame, &world));
  local = pose_relative(&cr_sdf_frame_at(s, frame)->world, &world);
  m3 R = m3_mul(&local.R, &p->turn);
  v3_store(v3_add(local.p, m3_mulv(&local.R, p->offset)), p->def.position);
  quat_store(quat_from_m3(&R), p->def.quaternion);
  return CAROM_OK;
}

static carom_status add_geom(cr_sdf* s, piece* p) {
  bool is_there;
  CR_TRY(set_pose(s, p));
  CR_TRY(cr_document_add_shape(&s->document, s->builder, p->element, &p->def, &is_there));
  p->num_added += is_there;
  return CAROM_OK;
}

/* Which object of an OBJ or a scene is meant; of other files all is used. */
static carom_status read_submesh(cr_sdf* s, const piece* p, cr_mesh_asset* asset) {
  static const char ALL[] =
      "objects can be picked from OBJ, COLLADA and glTF files only, all of it is used";
  const cr_xml_element* part;
  CR_TRY(cr_document_child(&s->document, p->shape, "submesh", &part));
  if (!part) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, part, " name center ", " "));
  CR_TRY(cr_sdf_word(s, part, "name", &asset->object));
  CR_TRY(cr_sdf_flag(s, part, "center", &asset->centred));
  if (!asset->object || cr_mesh_has_objects(asset->path)) return CAROM_OK;
  asset->object = NULL, asset->centred = false;
  return p->collides ? cr_document_refuse(&s->document, part, NULL, ALL)
                     : cr_document_remark(&s->document, part, NULL, ALL);
}

/* How many convex parts a file wants at most. */
static carom_status read_decomposition(cr_sdf* s, const piece* p, cr_mesh_asset* asset) {
  const cr_xml_element* wish;
  double most = 0;
  CR_TRY(cr_document_child(&s->document, p->shape, "convex_decomposition", &wish));
  if (!wish) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, wish, " max_convex_hulls voxel_resolution ", " "));
  CR_TRY(cr_sdf_numbers(s, wish, "max_convex_hulls", 1, &most));
  if (most >= 1 && most <= MOST_HULLS) asset->most_parts = (int)most;
  return CAROM_OK;
}

/* Whether the file asks for a hull, or for convex parts, which are made where the caller can. */
static carom_status read_optimization(cr_sdf* s, const piece* p, cr_mesh_asset* asset) {
  static const char PARTS[] = "convex_decomposition is made where that is asked for (--decompose)";
  const cr_xml_element* declared;
  CR_TRY(cr_document_child(&s->document, p->shape, "drake:declare_convex", &declared));
  const char* word = cr_xml_get(p->shape, "optimization");
  asset->is_one_hull = declared || (word && strcmp(word, "convex_hull") == 0);
  if (!word || strcmp(word, "convex_decomposition") != 0) return CAROM_OK;
  CR_TRY(read_decomposition(s, p, asset));
  if (s->load->decompose) return CAROM_OK;
  return cr_document_remark(&s->document, p->shape, "optimization", PARTS);
}

/* A number for the links that joints hold together. */
static int find_family(const cr_sdf* s, const cr_sdf_link* link) {
  while (link->parent != CR_SDF_NONE) {
    int parent = cr_sdf_joint_at(s, link->parent)->parent;
    if (parent == CR_SDF_NONE) break;
    link = cr_sdf_link_at(s, parent);
  }
  return 1 + (int)(link - cr_sdf_link_at(s, 0));
}

static carom_status use_mesh(cr_sdf* s, piece* p, const char* path) {
  cr_mesh_asset asset = {.builder = s->builder,
                         .load = s->load,
                         .element = p->shape,
                         .path = path,
                         .family = find_family(s, p->link),
                         .gives_mass = p->link->takes_mass};
  double scale[3] = {1, 1, 1};
  CR_TRY(cr_document_check_known(&s->document, p->shape,
                                 " uri scale submesh convex_decomposition drake:declare_convex ",
                                 " optimization "));
  const char* text;
  CR_TRY(cr_sdf_word(s, p->shape, "scale", &text));
  if (text) CR_TRY(cr_document_scale(&s->document, p->shape, "scale", text, scale));
  CR_TRY(read_submesh(s, p, &asset));
  if (p->collides) CR_TRY(read_optimization(s, p, &asset));
  asset.scale = v3_load(scale);
  CR_TRY(set_pose(s, p));
  if (!p->collides)
    return cr_mesh_asset_draw(&s->document, &asset, &p->def, p->is_coloured, &p->num_added);
  return cr_mesh_asset_collide(&s->document, &asset, &p->def, &p->num_added);
}

static carom_status read_mesh(cr_sdf* s, piece* p) {
  static const char FORMAT[] = "not drawn: its format is not read";
  static const char NO_FILE[] = "not drawn: there is no such file";
  static const char MISSING[] = "left out: there is no such file";
  static const char OTHER[] = CR_ASSET_STANDS_IN;
  cr_subject subject = cr_document_subject(&s->document, p->shape);
  cr_asset_search search = s->search;
  const char* uri;
  char* path;
  CR_TRY(cr_sdf_word(s, p->shape, "uri", &uri));
  if (!uri) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <uri> is missing");
  search.main_path = p->shape->file;
  if (!cr_asset_find(&search, uri, &path)) return cr_error_memory(s->document.error);
  if (path && cr_asset_stands_in(&search, uri, path))
    CR_TRY(cr_document_remark(&s->document, p->shape, NULL, OTHER));
  if (path && cr_mesh_asset_is_readable(path)) return use_mesh(s, p, path);
  if (!p->collides)
    return cr_document_remark(&s->document, p->shape, NULL, path ? FORMAT : NO_FILE);
  if (path) return cr_document_refuse(&s->document, p->shape, NULL, cr_mesh_asset_fault(path));
  if (s->document.permissive) return cr_document_remark(&s->document, p->shape, NULL, MISSING);
  return cr_asset_fail(&search, &subject, uri);
}

/* Drawn where it collides. */
static carom_status read_heightmap(cr_sdf* s, piece* p) {
  static const char LOOKS[] = "not drawn here: height maps are drawn where they collide";
  bool is_there;
  if (!p->collides) return cr_document_remark(&s->document, p->shape, NULL, LOOKS);
  CR_TRY(cr_sdf_read_heightmap(s, p->shape, &p->def, &p->offset, &is_there));
  return is_there ? add_geom(s, p) : CAROM_OK;
}

/* ---- Pieces */

/* A shape that is neither supported nor a mesh, or none at all. */
static carom_status leave_out(cr_sdf* s, const piece* p) {
  static const char NONE[] = "it holds no shape";
  static const char SHAPE[] = "shapes of this kind are not supported yet, left out";
  static const char LOOKS[] = "shapes of this kind are not supported yet; not drawn";
  const cr_xml_element* element = p->shape ? p->shape : p->element;
  if (!p->shape || !p->collides)
    return cr_document_remark(&s->document, element, NULL, p->shape ? LOOKS : NONE);
  return cr_document_refuse(&s->document, element, NULL, SHAPE);
}

/* The colour that a material's diffuse light has, else its ambient one. */
static carom_status read_colour(cr_sdf* s, piece* p) {
  static const char* const LIGHTS[] = {"ambient", "diffuse"};
  const cr_xml_element *material, *light;
  CR_TRY(cr_document_child(&s->document, p->element, "material", &material));
  for (int i = 0; i < 2 && material; i++) {
    bool is_there = false;
    CR_TRY(cr_document_child(&s->document, material, LIGHTS[i], &light));
    if (light && light->text)
      CR_TRY(cr_document_colour(&s->document, light, NULL, light->text, p->def.rgba, &is_there));
    p->is_coloured = p->is_coloured || is_there;
  }
  return CAROM_OK;
}

static carom_status set_contact(cr_sdf* s, piece* p) {
  cr_surface surface = cr_surface_default();
  if (!p->collides) {
    p->def.contype = p->def.conaffinity = 0;
    p->def.gives_mass = false;
    return CAROM_OK;
  }
  CR_TRY(cr_sdf_read_surface(s, p->element, &surface));
  cr_surface_apply(&surface, &p->def);
  CR_TRY(cr_sdf_read_bits(s, p->element, &p->def.contype));
  p->def.conaffinity = p->def.contype;
  return CAROM_OK;
}

/* kg/m³, for links whose inertia comes from their shapes. */
static carom_status read_density(cr_sdf* s, piece* p) {
  const cr_xml_element* inertial;
  CR_TRY(cr_document_child(&s->document, p->link->element, "inertial", &inertial));
  if (inertial) CR_TRY(cr_sdf_numbers(s, inertial, "density", 1, &p->def.density));
  return cr_sdf_numbers(s, p->element, "density", 1, &p->def.density);
}

/* LINK::NAME, where nothing else has that name. */
static carom_status set_name(cr_sdf* s, piece* p) {
  const carom_builder* b = s->builder;
  const char* name = cr_xml_get(p->element, "name");
  if (!name || !name[0]) return CAROM_OK;
  const char* start = cr_sdf_join(s, p->link->name, "::");
  const char* whole = start ? cr_sdf_join(s, start, name) : NULL;
  if (!whole) return cr_error_memory(s->document.error);
  if (cr_name_find(&b->names, &b->text, CR_PART_GEOM, whole) < 0) p->def.name = whole;
  return CAROM_OK;
}

static carom_status start_piece(cr_sdf* s, piece* p) {
  const cr_xml_element* geometry;
  CR_TRY(cr_document_child(&s->document, p->element, "geometry", &geometry));
  p->shape = geometry ? geometry->first_child : NULL;
  p->turn = m3_identity();
  p->def = carom_geom_def_default();
  p->def.source = (carom_source){p->element->file, p->element->line};
  p->def.body = p->link->body;
  CR_TRY(set_name(s, p));
  CR_TRY(set_contact(s, p));
  CR_TRY(read_density(s, p));
  return read_colour(s, p);
}

static carom_status add_piece(cr_sdf* s, piece* p, int group) {
  static const char COLLISION[] = " pose geometry surface density max_contacts laser_retro "
                                  "drake:proximity_properties drake:visual ";
  static const char VISUAL[] = " pose geometry material cast_shadows laser_retro meta plugin "
                               "transparency visibility_flags ";
  CR_TRY(cr_document_check_known(&s->document, p->element, p->collides ? COLLISION : VISUAL,
                                 " name concave "));
  CR_TRY(start_piece(s, p));
  p->def.group = group;
  if (p->shape && strcmp(p->shape->name, "mesh") == 0) return read_mesh(s, p);
  if (p->shape && strcmp(p->shape->name, "heightmap") == 0) return read_heightmap(s, p);
  if (p->shape && strcmp(p->shape->name, "empty") == 0) return CAROM_OK;
  const struct shape* shape = p->shape ? find_shape(p->shape->name) : NULL;
  if (!shape) return leave_out(s, p);
  CR_TRY(shape->read(s, p));
  return add_geom(s, p);
}

/* All pieces of one kind; `count` receives how many geometries they are in the model. */
static carom_status add_pieces(cr_sdf* s, const cr_sdf_link* link, const char* kind, int group,
                               int* count) {
  *count = 0;
  for (const cr_xml_element* e = link->element->first_child; e; e = e->next) {
    piece p = {.link = link, .element = e, .collides = strcmp(kind, "collision") == 0};
    if (strcmp(e->name, kind) != 0) continue;
    CR_TRY(add_piece(s, &p, group));
    *count += p.num_added;
  }
  return CAROM_OK;
}

carom_status cr_sdf_add_geometry(cr_sdf* s, cr_sdf_link* link) {
  int num_looks, num_colliding;
  CR_TRY(add_pieces(s, link, "visual", GROUP_LOOKS, &num_looks));
  int group = num_looks ? GROUP_BEHIND : GROUP_ALONE;
  CR_TRY(add_pieces(s, link, "collision", group, &num_colliding));
  link->collides = num_colliding > 0;
  return CAROM_OK;
}
