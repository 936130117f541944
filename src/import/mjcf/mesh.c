/* <mesh>: read when a geometry first needs it, moved, turned and scaled, and given to the builder.
 */
#include "import/mesh/read.h"
#include "import/mesh/slab.h"
#include "import/mjcf/body.h"
#include "import/mjcf/builtin_mesh.h"
#include "io/file.h"
#include "mesh/hull.h"

#include <string.h>

static const char* const INERTIAS[] = {"convex", "exact", "legacy", "shell", NULL};

#define FOR_DRAWING "it is for drawing"

const cr_attribute cr_mjcf_mesh_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_ELSEWHERE("vertex"),
    CR_ELSEWHERE("face"),
    CR_FIELD("file", CR_ATTRIBUTE_TEXT, cr_mjcf_mesh, file),
    CR_NUMBERS("scale", cr_mjcf_mesh, scale, 3, 3),
    CR_NUMBERS("refpos", cr_mjcf_mesh, refpos, 3, 3),
    CR_NUMBERS("refquat", cr_mjcf_mesh, refquat, 4, 4),
    CR_WORD("inertia", cr_mjcf_mesh, inertia, INERTIAS),
    CR_FIELD("carom:convex", CR_ATTRIBUTE_FLAG, cr_mjcf_mesh, convex),
    CR_NOTED("maxhullvert", "hulls keep all their vertices"),
    CR_WORD("builtin", cr_mjcf_mesh, builtin, cr_mjcf_builtin_names),
    CR_NUMBERS("params", cr_mjcf_mesh, params, 1, 10),
    CR_NOTED("content_type", "the name of the file says what it is"),
    CR_NOTED("normal", FOR_DRAWING),
    CR_NOTED("texcoord", FOR_DRAWING),
    CR_NOTED("smoothnormal", FOR_DRAWING),
    CR_NOTED("material", FOR_DRAWING),
    CR_NOTED("octree_maxdepth", "nothing here uses an octree"),
    CR_END,
};

const char* cr_mjcf_asset_name(cr_mjcf* m, const cr_xml_element* element, const char* file) {
  const char* name = cr_xml_get(element, "name");
  if ((name && name[0]) || !file) return name;
  const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file;
  const char* dot = strrchr(start, '.');
  return cr_pool_copy(&m->xml.pool, start, dot ? (size_t)(dot - start) : strlen(start));
}

carom_status cr_mjcf_read_mesh(cr_mjcf* m, const cr_xml_element* element) {
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_mjcf_mesh mesh = class->mesh;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_mesh_table, &mesh));
  cr_subject subject = cr_mjcf_subject(m, element);
  const char* name = cr_mjcf_asset_name(m, element, mesh.file);
  if (!name || !name[0])
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "attributes 'name' and 'file' are missing");
  if (cr_name_find(&m->names, &m->text, CR_MJCF_NAME_MESH, name) >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the name '%.60s' is used twice", name);
  int index = m->meshes.count;
  mesh.element = element;
  mesh.name = name;
  if (!cr_list_push(&m->meshes, &m->allocator, &mesh)) return cr_error_memory(m->error);
  return cr_mjcf_add_name(m, CR_MJCF_NAME_MESH, name, index);
}

/* A file's path: in the folder of meshes or of assets, beside `main_file`. */
static char* path_of(cr_mjcf* m, const cr_xml_element* element, const char* main_file,
                     const char* file) {
  const cr_mjcf_compiler* compiler = cr_mjcf_compiler_of(m, element);
  const char* folder = compiler->meshdir ? compiler->meshdir : compiler->assetdir;
  const char* slash = strrchr(main_file, '/');
  size_t beside = slash ? (size_t)(slash - main_file) + 1 : 0;
  if (compiler->strippath && strrchr(file, '/')) file = strrchr(file, '/') + 1;
  if (!folder) folder = "";
  if (file[0] == '/') folder = "";
  if (file[0] == '/' || folder[0] == '/') beside = 0;
  size_t size = beside + strlen(folder) + strlen(file) + 2;
  const char* between = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
  char* path = cr_pool_take(&m->xml.pool, size);
  if (path) snprintf(path, size, "%.*s%s%s%s", (int)beside, main_file, folder, between, file);
  return path;
}

carom_status cr_mjcf_open_asset(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                FILE** file, char** path) {
  const char* main_file = CR_AT(&m->documents, cr_mjcf_document, element->document)->file;
  const char* beside[2] = {main_file, element->file};
  const cr_mjcf_files* files = m->files;
  char* tried;
  *file = NULL, *path = NULL;
  for (int i = 0; i < 2 && !*file; i++) {
    if (!(tried = path_of(m, element, beside[i], name))) return cr_error_memory(m->error);
    if (!cr_mjcf_is_outside(m, tried))
      *file = files && files->open ? files->open(files->user, tried) : cr_file_open_regular(tried);
    if (*file || !*path) *path = tried;
  }
  if (*file) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_mjcf_fail_open(m, &subject, *path, *path);
}

static carom_status read_file(cr_mjcf* m, const cr_mjcf_mesh* mesh, cr_mesh* surface) {
  static const char IGNORED[] = "materials, lines and curves of its file are not used";
  FILE* file = NULL;
  char* path = NULL;
  CR_TRY(cr_mjcf_open_asset(m, mesh->element, mesh->file, &file, &path));
  cr_subject subject = cr_mjcf_subject(m, mesh->element);
  cr_mesh_ignored ignored;
  carom_error error;
  carom_status status = cr_mesh_file_read(file, path, surface, &ignored, &error);
  fclose(file);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(m->error);
  if (status != CAROM_OK) return cr_subject_fail(&subject, status, "%s", error.message);
  if (ignored.materials || ignored.lines)
    return cr_mjcf_remark_on(m, mesh->element, "file", IGNORED, IGNORED);
  return CAROM_OK;
}

/* Triangles of a list of vertices' numbers. */
static carom_status add_faces(cr_mjcf* m, const cr_subject* subject, const double* face, int count,
                              cr_mesh* surface) {
  if (count % 3)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "face has %d numbers, must be a multiple of 3", count);
  for (int i = 0; i < count; i++)
    if (!(face[i] >= 0 && face[i] < surface->num_vertices) || face[i] != (double)(int)face[i])
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "face has %.9g, must be a number from 0 to %d", face[i],
                             surface->num_vertices - 1);
  for (int i = 0; i < count; i += 3)
    if (!cr_mesh_add_triangle(surface, (int)face[i], (int)face[i + 1], (int)face[i + 2]))
      return cr_error_memory(m->error);
  return CAROM_OK;
}

/* Vertices and faces that stand in the element. */
static carom_status read_inline(cr_mjcf* m, const cr_mjcf_mesh* mesh, cr_mesh* surface) {
  cr_subject subject = cr_mjcf_subject(m, mesh->element);
  const double *vertex, *face;
  int num_vertex, num_face;
  CR_TRY(cr_mjcf_read_long(m, mesh->element, "vertex", &vertex, &num_vertex));
  CR_TRY(cr_mjcf_read_long(m, mesh->element, "face", &face, &num_face));
  if (!vertex)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "attributes 'file' and 'vertex' are missing");
  if (num_vertex % 3)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "vertex has %d numbers, must be a multiple of 3", num_vertex);
  for (int i = 0; i < num_vertex; i += 3)
    if (!cr_mesh_add_vertex(surface, vertex + i)) return cr_error_memory(m->error);
  return face ? add_faces(m, &subject, face, num_face, surface) : CAROM_OK;
}

/* Moves by -refpos, turns back by refquat, scales; a mirrored surface is turned inside out. */
static carom_status apply_frame(cr_mjcf* m, const cr_mjcf_mesh* mesh, cr_mesh* surface) {
  v3 origin = v3_load(mesh->refpos.x);
  cr_subject subject = cr_mjcf_subject(m, mesh->element);
  CR_TRY(cr_check_quaternion(&subject, "refquat", mesh->refquat.x));
  quat back = quat_conjugate(cr_quat_unit(mesh->refquat.x));
  for (int i = 0; i < surface->num_vertices; i++) {
    v3 x = quat_rotate(back, v3_sub(cr_mesh_vertex(surface, i), origin));
    v3_store(x, surface->vertex + 3 * (size_t)i);
  }
  cr_mesh_scale(surface, v3_load(mesh->scale.x));
  return CAROM_OK;
}

/* Points without faces are drawn as their hull. */
static carom_status span_hull(cr_mjcf* m, cr_mesh* surface) {
  carom_error error;
  cr_hull* hull = NULL;
  carom_status status =
      cr_hull_create(surface->vertex, surface->num_vertices, &m->allocator, &hull, &error);
  cr_mesh_release(surface);
  bool done = status == CAROM_OK && cr_hull_triangulate(hull, surface);
  cr_hull_destroy(hull, &m->allocator);
  if (status == CAROM_ERROR_BAD_INPUT) return cr_error_set(m->error, status, "%s", error.message);
  return done ? CAROM_OK : cr_error_memory(m->error);
}

/* What a mesh is read for; a flat one that only weighs is a sheet. */
typedef enum mesh_use { DRAWN, WEIGHED, TOUCHED } mesh_use;

static carom_status load(cr_mjcf* m, cr_mjcf_mesh* mesh, mesh_use use, cr_mesh* surface) {
  if (mesh->builtin)
    CR_TRY(cr_mjcf_make_mesh(m, mesh->element, mesh->builtin, &mesh->params, surface));
  else
    CR_TRY(mesh->file ? read_file(m, mesh, surface) : read_inline(m, mesh, surface));
  cr_subject subject = cr_mjcf_subject(m, mesh->element);
  if (mesh->builtin == CR_MJCF_BUILTIN_PLATE && use == TOUCHED)
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "a plate has no volume, so that it touches nothing: give what names it "
                           "contype and conaffinity 0, or make it a box");
  CR_TRY(apply_frame(m, mesh, surface));
  bool is_shell = mesh->inertia == CAROM_MESH_SHELL || mesh->builtin == CR_MJCF_BUILTIN_PLATE;
  bool is_sheet = use == WEIGHED && is_shell && cr_mesh_is_flat(surface);
  bool only_drawn = use == DRAWN || is_sheet;
  carom_mesh* handle = use == DRAWN ? &mesh->drawn : is_sheet ? &mesh->sheet : &mesh->handle;
  if (only_drawn && surface->num_triangles == 0) CR_TRY(span_hull(m, surface));
  static const carom_mesh_inertia KINDS[] = {CAROM_MESH_CONVEX, CAROM_MESH_EXACT, CAROM_MESH_LEGACY,
                                             CAROM_MESH_SHELL};
  carom_mesh_def def = carom_mesh_def_default();
  def.source = cr_mjcf_source(mesh->element);
  def.name = mesh->name;
  def.vertices = surface->vertex;
  def.num_vertices = surface->num_vertices;
  def.triangles = surface->triangle;
  def.num_triangles = surface->num_triangles;
  def.inertia = is_sheet       ? CAROM_MESH_SHELL
                : use == DRAWN ? CAROM_MESH_CONVEX
                               : KINDS[mesh->inertia];
  def.convex = mesh->convex;
  def.only_drawn = only_drawn;
  if (only_drawn && surface->num_triangles > CR_MESH_MOST_DRAWN)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "it has %d triangles, at most %d are drawn", surface->num_triangles,
                           CR_MESH_MOST_DRAWN);
  return carom_builder_add_mesh(m->builder, &def, handle, m->error);
}

/* Reads a mesh for the first time. */
static carom_status load_once(cr_mjcf* m, cr_mjcf_mesh* mesh, mesh_use use) {
  cr_mesh surface;
  cr_mesh_init(&surface, &m->allocator);
  carom_status status = load(m, mesh, use, &surface);
  cr_mesh_release(&surface);
  return status;
}

/* The sentence of a failure as a note: nothing hangs on what is drawn. */
static carom_status note_failure(cr_mjcf* m, cr_mjcf_mesh* mesh, const carom_error* failure) {
  char note[560];
  mesh->cannot_be_drawn = true;
  snprintf(note, sizeof note, "%.480s: not drawn", failure->message);
  return carom_builder_add_note(m->builder, CAROM_NOTE_UNUSED, note, m->error);
}

carom_status cr_mjcf_draw_mesh(cr_mjcf* m, const cr_xml_element* geom, const char* name,
                               carom_mesh* handle) {
  static const char NONE[] = "not drawn: no mesh has the name that it gives";
  int index = name ? cr_name_find(&m->names, &m->text, CR_MJCF_NAME_MESH, name) : -1;
  *handle = (carom_mesh){0};
  if (index < 0) return cr_mjcf_remark_on(m, geom, NULL, NONE, NONE);
  cr_mjcf_mesh* mesh = CR_AT(&m->meshes, cr_mjcf_mesh, index);
  if (mesh->drawn.id == 0 && !mesh->cannot_be_drawn) {
    carom_error failure, *error = m->error;
    m->error = &failure;
    carom_status status = load_once(m, mesh, DRAWN);
    m->error = error;
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
    if (status != CAROM_OK) CR_TRY(note_failure(m, mesh, &failure));
  }
  *handle = mesh->drawn;
  return CAROM_OK;
}

carom_status cr_mjcf_use_mesh(cr_mjcf* m, const cr_xml_element* geom, const char* name,
                              bool collides, carom_mesh* handle) {
  cr_subject subject = cr_mjcf_subject(m, geom);
  if (!name) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'mesh' is missing");
  int index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_MESH, name);
  if (index < 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "mesh is '%.60s', no mesh has this name", name);
  cr_mjcf_mesh* mesh = CR_AT(&m->meshes, cr_mjcf_mesh, index);
  bool is_there = mesh->handle.id || (mesh->sheet.id && !collides);
  if (!is_there) CR_TRY(load_once(m, mesh, collides ? TOUCHED : WEIGHED));
  *handle = mesh->sheet.id && !collides ? mesh->sheet : mesh->handle;
  return CAROM_OK;
}
