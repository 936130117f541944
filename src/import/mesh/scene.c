/* Scenes: assimp reads them, their nodes are laid out into one mesh. See scene.h. */
#include "import/mesh/scene.h"

#include "base/error.h"
#include "io/file.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Symbolic links followed. */
static bool is_beside(const char* main_path, size_t length, const char* path) {
  char folder[4096];
  if (length >= sizeof folder) return false;
  snprintf(folder, sizeof folder, "%.*s", (int)length, main_path);
  return cr_file_lies_in(path, folder);
}

bool cr_scene_may_open(const char* main_path, const char* path) {
  const char* slash = strrchr(main_path, '/');
  size_t folder = slash ? (size_t)(slash - main_path) + 1 : 0;
  if (strncmp(main_path, path, folder) != 0 || path[folder] == '/') return false;
  for (const char* at = path + folder; (at = strstr(at, "..")); at += 2)
    if ((at == path + folder || at[-1] == '/') && (at[2] == '/' || !at[2])) return false;
  return is_beside(main_path, folder, path);
}

#ifndef CAROM_HAS_ASSIMP

bool cr_scene_is_supported(void) { return false; }

carom_status cr_scene_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error) {
  (void)mesh;
  return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                      "%.200s: COLLADA and glTF are read where Carom is built with assimp (package "
                      "libassimp-dev), which this one is not",
                      source->name);
}

#else

#include "import/mesh/scene_files.h"
#include "math/quat.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

bool cr_scene_is_supported(void) { return true; }

/* A scene being laid out. */
typedef struct layout {
  const cr_mesh_source* source;
  const struct aiScene* scene;
  bool is_linear; /* glTF's colours are */
  cr_mesh* mesh;
  carom_error* error;
} layout;

/* ---- Colours */

/* A level of light as the display takes it (IEC 61966-2-1). */
static double encode_level(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* The paint of a mesh's material; none where it gives no colour, or a picture in its place. */
static uint32_t find_paint(const layout* l, const struct aiMesh* mesh) {
  if (mesh->mMaterialIndex >= l->scene->mNumMaterials) return 0;
  const struct aiMaterial* material = l->scene->mMaterials[mesh->mMaterialIndex];
  struct aiColor4D colour;
  struct aiString name;
  if (aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS &&
      strcmp(name.data, AI_DEFAULT_MATERIAL_NAME) == 0)
    return 0;
  if (aiGetMaterialTextureCount(material, aiTextureType_DIFFUSE) > 0 ||
      aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &colour) != aiReturn_SUCCESS)
    return 0;
  double rgba[4] = {(double)colour.r, (double)colour.g, (double)colour.b, 1};
  for (int i = 0; i < 3 && l->is_linear; i++) rgba[i] = encode_level(rgba[i]);
  return cr_mesh_mix_paint(rgba);
}

/* ---- Geometry */

static carom_status refuse(const layout* l, const struct aiMesh* mesh, const char* what) {
  return cr_error_set(l->error, CAROM_ERROR_BAD_INPUT, "%.200s: mesh '%.60s': %s", l->source->name,
                      mesh->mName.data, what);
}

/* A node's way from its own frame to its parent's, which may also stretch: x = R x + p. */
static pose load_transform(const struct aiMatrix4x4* m) {
  return (pose){.p = v3_make((double)m->a4, (double)m->b4, (double)m->c4),
                .R = {{{(double)m->a1, (double)m->a2, (double)m->a3},
                       {(double)m->b1, (double)m->b2, (double)m->b3},
                       {(double)m->c1, (double)m->c2, (double)m->c3}}}};
}

static carom_status add_vertices(layout* l, const struct aiMesh* mesh, const pose* X) {
  if (mesh->mNumVertices > (unsigned)(CR_MESH_MAX_VERTICES - l->mesh->num_vertices))
    return refuse(l, mesh, "there are more than 24000000 vertices");
  for (unsigned i = 0; i < mesh->mNumVertices; i++) {
    const struct aiVector3D* own = &mesh->mVertices[i];
    v3 x = v3_make((double)own->x, (double)own->y, (double)own->z);
    double at[3];
    v3_store(v3_add(X->p, m3_mulv(&X->R, x)), at);
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2]))
      return refuse(l, mesh, "a coordinate is not a finite number");
    if (!cr_mesh_add_vertex(l->mesh, at)) return cr_error_memory(l->error);
  }
  return CAROM_OK;
}

/* Triangles; what mirrors turns them over, so that they look outwards again. Points and lines are
 * left out. */
static carom_status add_faces(layout* l, const struct aiMesh* mesh, int first, bool is_mirrored) {
  for (unsigned f = 0; f < mesh->mNumFaces; f++) {
    const struct aiFace* face = &mesh->mFaces[f];
    if (face->mNumIndices != 3) continue;
    unsigned a = face->mIndices[0], b = face->mIndices[is_mirrored ? 2 : 1];
    unsigned c = face->mIndices[is_mirrored ? 1 : 2], count = mesh->mNumVertices;
    if (a >= count || b >= count || c >= count)
      return refuse(l, mesh, "a triangle has a vertex that is not there");
    if (l->mesh->num_triangles >= CR_MESH_MAX_TRIANGLES)
      return refuse(l, mesh, "there are more than 8000000 triangles");
    if (!cr_mesh_add_triangle(l->mesh, first + (int)a, first + (int)b, first + (int)c))
      return cr_error_memory(l->error);
  }
  return CAROM_OK;
}

static carom_status add_mesh(layout* l, unsigned index, const pose* X) {
  if (index >= l->scene->mNumMeshes) return CAROM_OK;
  const struct aiMesh* mesh = l->scene->mMeshes[index];
  int first = l->mesh->num_vertices;
  if (!mesh->mVertices) return CAROM_OK;
  l->mesh->brush = find_paint(l, mesh);
  CR_TRY(add_vertices(l, mesh, X));
  return add_faces(l, mesh, first, m3_determinant(&X->R) < 0);
}

/* Depth was bounded before the scene was read.
 * @param is_wanted what is around the node is the object that is wanted, or all is */
static carom_status add_node(layout* l, const struct aiNode* node, const pose* above,
                             bool is_wanted) {
  pose own = load_transform(&node->mTransformation);
  pose X = pose_mul(above, &own);
  is_wanted = is_wanted || strcmp(node->mName.data, l->source->object) == 0;
  for (unsigned i = 0; i < node->mNumMeshes && is_wanted; i++)
    CR_TRY(add_mesh(l, node->mMeshes[i], &X));
  for (unsigned i = 0; i < node->mNumChildren; i++)
    CR_TRY(add_node(l, node->mChildren[i], &X, is_wanted));
  return CAROM_OK;
}

static carom_status add_all(layout* l) {
  const pose origin = {.R = m3_identity(), .p = v3_zero()};
  const char* object = l->source->object;
  CR_TRY(add_node(l, l->scene->mRootNode, &origin, object == NULL));
  if (!object || l->mesh->num_triangles) return CAROM_OK;
  return cr_error_set(l->error, CAROM_ERROR_BAD_INPUT,
                      "%.200s: there is no node '%.60s' with triangles", l->source->name, object);
}

/* ---- The file */

static bool ends_with(const char* name, const char* end) {
  size_t length = strlen(name), wanted = strlen(end);
  return length >= wanted && strcasecmp(name + length - wanted, end) == 0;
}

static carom_status check(const cr_mesh_source* source, const carom_allocator* allocator,
                          carom_error* error) {
  if (source->size > CR_SCENE_MAX_BYTES)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: it has %zu bytes, at most %zu are accepted of scenes",
                        source->name, source->size, CR_SCENE_MAX_BYTES);
  return ends_with(source->name, ".dae") ? cr_collada_check(source, allocator, error)
                                         : cr_gltf_check(source, error);
}

static const struct aiScene* import_scene(const cr_mesh_source* source, cr_scene_files* files) {
  const unsigned flags = aiProcess_Triangulate | aiProcess_ValidateDataStructure;
  struct aiPropertyStore* properties = aiCreatePropertyStore();
  if (!properties) return NULL;
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
  const struct aiScene* scene =
      aiImportFileExWithProperties(source->name, flags, &files->io, properties);
  aiReleasePropertyStore(properties);
  return scene;
}

carom_status cr_scene_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error) {
  cr_scene_files files;
  CR_TRY(check(source, &mesh->allocator, error));
  cr_scene_files_init(&files, source, &mesh->allocator);
  const struct aiScene* scene = import_scene(source, &files);
  if (!scene || !scene->mRootNode) {
    cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s: assimp says: %.200s", source->name,
                 aiGetErrorString());
    if (scene) aiReleaseImport(scene);
    return CAROM_ERROR_BAD_INPUT;
  }
  layout l = {source, scene, !ends_with(source->name, ".dae"), mesh, error};
  carom_status status = add_all(&l);
  mesh->brush = 0;
  aiReleaseImport(scene);
  return status;
}
#endif
