/* <collision> and <visual>: shapes on a link. What collides has group 3 where the link's own
 * looks are drawn, else group 0; looks have group 1 and never collide. */
#include "import/mesh_asset.h"
#include "import/urdf/reader.h"

#include <stdio.h>
#include <string.h>

enum { GROUP_ALONE, GROUP_LOOKS, GROUP_BEHIND = 3 };

/* A shape being read. */
typedef struct piece {
  const cr_xml_element* element; /* <collision> or <visual> */
  const cr_xml_element* shape;   /* <box> and the like */
  bool collides, is_coloured;    /* the element gives a colour */
  carom_geom_def def;
  int family;    /* of meshes */
  int num_added; /* geometries of the model that it has become */
} piece;

/* ---- Shapes: each fills type and size from its element. */

static carom_status read_box(cr_urdf* u, piece* p) {
  CR_TRY(cr_document_numbers(&u->document, p->shape, "size", 3, p->def.size));
  p->def.type = CAROM_GEOM_BOX;
  for (int i = 0; i < 3; i++) p->def.size[i] /= 2;
  return cr_document_check_known(&u->document, p->shape, " ", " size ");
}

static carom_status read_round(cr_urdf* u, piece* p, carom_geom_type type) {
  CR_TRY(cr_document_numbers(&u->document, p->shape, "radius", 1, p->def.size));
  CR_TRY(cr_document_numbers(&u->document, p->shape, "length", 1, p->def.size + 1));
  p->def.type = type;
  p->def.size[1] /= 2;
  return cr_document_check_known(&u->document, p->shape, " ", " radius length ");
}

static carom_status read_cylinder(cr_urdf* u, piece* p) {
  return read_round(u, p, CAROM_GEOM_CYLINDER);
}

static carom_status read_capsule(cr_urdf* u, piece* p) {
  return read_round(u, p, CAROM_GEOM_CAPSULE);
}

static carom_status read_sphere(cr_urdf* u, piece* p) {
  CR_TRY(cr_document_numbers(&u->document, p->shape, "radius", 1, p->def.size));
  p->def.type = CAROM_GEOM_SPHERE;
  return cr_document_check_known(&u->document, p->shape, " ", " radius ");
}

/* Drake's, by its half axes. */
static carom_status read_ellipsoid(cr_urdf* u, piece* p) {
  static const char* const AXES[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++)
    CR_TRY(cr_document_numbers(&u->document, p->shape, AXES[i], 1, p->def.size + i));
  p->def.type = CAROM_GEOM_ELLIPSOID;
  return cr_document_check_known(&u->document, p->shape, " ", " a b c ");
}

/* Bullet's, endless. */
static carom_status read_plane(cr_urdf* u, piece* p) {
  double normal[3] = {0, 0, 1};
  cr_subject subject = cr_document_subject(&u->document, p->shape);
  CR_TRY(cr_document_numbers(&u->document, p->shape, "normal", 3, normal));
  CR_TRY(cr_check_direction(&subject, "normal", normal));
  quat turn = quat_turn_z(v3_load(normal));
  quat_store(quat_mul(quat_load(p->def.quaternion), turn), p->def.quaternion);
  p->def.type = CAROM_GEOM_PLANE;
  return cr_document_check_known(&u->document, p->shape, " ", " normal ");
}

static const struct shape {
  const char* name;
  carom_status (*read)(cr_urdf*, piece*);
} SHAPES[] = {
    {"box", read_box},
    {"cylinder", read_cylinder},
    {"sphere", read_sphere},
    {"capsule", read_capsule},
    {"drake:capsule", read_capsule},
    {"plane", read_plane},
    {"drake:ellipsoid", read_ellipsoid},
};

/* ---- Meshes */

/* The part of a path behind its last slash. */
static const char* last_part(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* `meshdir`/`name`, in the pool. */
static char* join(cr_urdf* u, const char* folder, const char* name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char* path = cr_pool_take(&u->document.xml.pool, size);
  if (path) snprintf(path, size, "%s%s%s", folder, folder[0] ? "/" : "", name);
  return path;
}

/* Finds the file of a mesh: by its name, then where <mujoco><compiler> says. */
static carom_status find_mesh(cr_urdf* u, const char* name, char** path) {
  const cr_urdf_settings* settings = &u->settings;
  if (!cr_asset_find(&u->search, name, path)) return cr_error_memory(u->document.error);
  if (*path || (!settings->meshdir && !settings->strips_path)) return CAROM_OK;
  const char* stripped = settings->strips_path ? last_part(name) : name;
  char* other = join(u, settings->meshdir ? settings->meshdir : "", stripped);
  if (!other || !cr_asset_find(&u->search, other, path)) return cr_error_memory(u->document.error);
  return CAROM_OK;
}

static carom_status add_geom(cr_urdf* u, piece* p) {
  bool is_there;
  CR_TRY(cr_document_add_shape(&u->document, u->builder, p->element, &p->def, &is_there));
  p->num_added += is_there;
  return CAROM_OK;
}

static carom_status use_mesh(cr_urdf* u, piece* p, const char* path, const double scale[3]) {
  const cr_xml_element* declared;
  CR_TRY(cr_document_child(&u->document, p->shape, "drake:declare_convex", &declared));
  const char* concave = cr_xml_get(p->element, "concave");
  const cr_mesh_asset asset = {.builder = u->builder,
                               .load = u->load,
                               .element = p->shape,
                               .attribute = "filename",
                               .path = path,
                               .scale = v3_load(scale),
                               .is_one_hull = declared != NULL,
                               .is_surface = concave && strcmp(concave, "yes") == 0,
                               .family = p->family};
  if (!p->collides)
    return cr_mesh_asset_draw(&u->document, &asset, &p->def, p->is_coloured, &p->num_added);
  return cr_mesh_asset_collide(&u->document, &asset, &p->def, &p->num_added);
}

/* A file of a format that is not read. */
static carom_status leave_mesh_out(cr_urdf* u, const piece* p, const char* path) {
  static const char VISUAL[] = "not drawn: its format is not read";
  if (p->collides)
    return cr_document_refuse(&u->document, p->shape, "filename", cr_mesh_asset_fault(path));
  return cr_document_remark(&u->document, p->shape, "filename", VISUAL);
}

static carom_status read_mesh(cr_urdf* u, piece* p) {
  static const char NO_FILE[] = "not drawn: there is no such file";
  static const char MISSING[] = "left out: there is no such file";
  static const char OTHER[] = CR_ASSET_STANDS_IN;
  const char* name;
  char* path;
  double scale[3] = {1, 1, 1};
  CR_TRY(cr_document_require(&u->document, p->shape, "filename", &name));
  const char* text = cr_xml_get(p->shape, "scale");
  if (text) CR_TRY(cr_document_scale(&u->document, p->shape, "scale", text, scale));
  CR_TRY(find_mesh(u, name, &path));
  if (path && cr_asset_stands_in(&u->search, name, path))
    CR_TRY(cr_document_remark(&u->document, p->shape, "filename", OTHER));
  if (path && cr_mesh_asset_is_readable(path)) return use_mesh(u, p, path, scale);
  if (path) return leave_mesh_out(u, p, path);
  if (!p->collides) return cr_document_remark(&u->document, p->shape, "filename", NO_FILE);
  if (u->document.permissive)
    return cr_document_remark(&u->document, p->shape, "filename", MISSING);
  cr_subject subject = cr_document_subject(&u->document, p->shape);
  return cr_asset_fail(&u->search, &subject, name);
}

/* ---- Pieces */

/* Finds the reader of the shape; null where it is not one that is read here. */
static const struct shape* find_shape(const char* name) {
  for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++)
    if (strcmp(SHAPES[i].name, name) == 0) return &SHAPES[i];
  return NULL;
}

/* A shape that is neither supported nor a mesh, or none at all. */
static carom_status leave_out(cr_urdf* u, const piece* p) {
  static const char NONE[] = "it holds no shape";
  static const char SHAPE[] = "shapes of this kind are not supported yet, left out";
  static const char LOOKS[] = "shapes of this kind are not supported yet; not drawn";
  const cr_xml_element* element = p->shape ? p->shape : p->element;
  if (!p->shape || !p->collides)
    return cr_document_remark(&u->document, element, NULL, p->shape ? LOOKS : NONE);
  return cr_document_refuse(&u->document, element, NULL, SHAPE);
}

/* The colour that a material gives, by itself or by its name. */
static carom_status read_colour(cr_urdf* u, piece* p) {
  const cr_xml_element *material, *color;
  CR_TRY(cr_document_child(&u->document, p->element, "material", &material));
  if (!material) return CAROM_OK;
  CR_TRY(cr_document_child(&u->document, material, "color", &color));
  const char* name = cr_xml_get(material, "name");
  const char* text = color ? cr_xml_get(color, "rgba") : NULL;
  if (text)
    return cr_document_colour(&u->document, color, "rgba", text, p->def.rgba, &p->is_coloured);
  int index = name ? cr_name_find(&u->names, &u->text, CR_URDF_NAME_MATERIAL, name) : -1;
  p->is_coloured = index >= 0;
  if (index < 0) return CAROM_OK;
  memcpy(p->def.rgba, CR_AT(&u->materials, cr_urdf_colour, index)->x, sizeof p->def.rgba);
  return CAROM_OK;
}

static carom_status set_contact(cr_urdf* u, const cr_urdf_link* link, piece* p) {
  carom_geom_def* def = &p->def;
  if (!p->collides) {
    def->contype = def->conaffinity = 0;
    def->gives_mass = false;
    return CAROM_OK;
  }
  cr_surface contact = link->contact;
  CR_TRY(cr_proximity_read(&u->document, p->element, &contact));
  cr_surface_apply(&contact, def);
  return CAROM_OK;
}

/* Names of <collision> and <visual> need not be unique: the first one keeps it. */
static const char* free_name(const cr_urdf* u, const cr_xml_element* element) {
  const char* name = cr_xml_get(element, "name");
  const carom_builder* b = u->builder;
  return name && cr_name_find(&b->names, &b->text, CR_PART_GEOM, name) < 0 ? name : NULL;
}

static carom_status add_piece(cr_urdf* u, const cr_urdf_link* link, int group, piece* p) {
  const cr_xml_element* geometry;
  CR_TRY(cr_document_check_known(&u->document, p->element,
                                 " origin geometry material drake:proximity_properties ",
                                 " name group concave "));
  CR_TRY(cr_document_child(&u->document, p->element, "geometry", &geometry));
  p->shape = geometry ? geometry->first_child : NULL;
  p->def = carom_geom_def_default();
  p->def.source = (carom_source){p->element->file, p->element->line};
  p->def.name = free_name(u, p->element);
  p->def.body = link->body;
  p->def.group = group;
  CR_TRY(cr_urdf_pose(u, p->element, p->def.position, p->def.quaternion));
  CR_TRY(set_contact(u, link, p));
  CR_TRY(read_colour(u, p));
  if (p->shape && strcmp(p->shape->name, "mesh") == 0) return read_mesh(u, p);
  const struct shape* shape = p->shape ? find_shape(p->shape->name) : NULL;
  if (!shape) return leave_out(u, p);
  CR_TRY(shape->read(u, p));
  return add_geom(u, p);
}

/* A number for the links that hang together by joints that are not free. */
static int find_family(const cr_urdf* u, const cr_urdf_link* link) {
  while (link->parent >= 0) {
    const cr_urdf_joint* joint = cr_urdf_joint_at(u, link->parent);
    if (joint->type == CR_URDF_FLOATING) break;
    link = cr_urdf_link_at(u, joint->parent);
  }
  return 1 + (int)(link - cr_urdf_link_at(u, 0));
}

/* All pieces of one kind; `count` receives how many geometries they are in the model. */
static carom_status add_pieces(cr_urdf* u, const cr_urdf_link* link, const char* kind, int group,
                               int* count) {
  *count = 0;
  for (const cr_xml_element* e = link->element->first_child; e; e = e->next) {
    piece p = {.element = e, .collides = strcmp(kind, "collision") == 0};
    p.family = find_family(u, link);
    if (strcmp(e->name, kind) != 0) continue;
    CR_TRY(add_piece(u, link, group, &p));
    *count += p.num_added;
  }
  return CAROM_OK;
}

carom_status cr_urdf_add_geometry(cr_urdf* u, const cr_urdf_link* link) {
  int num_looks, num_colliding;
  CR_TRY(add_pieces(u, link, "visual", GROUP_LOOKS, &num_looks));
  int group = num_looks ? GROUP_BEHIND : GROUP_ALONE;
  return add_pieces(u, link, "collision", group, &num_colliding);
}
