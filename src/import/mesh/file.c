/* A mesh file as a whole: its bytes, its kind by its name, its vertices welded. */
#include "base/error.h"
#include "import/mesh/scene.h"
#include "import/tets/skin.h"

#include "carom/model.h"
#include "carom/scene.h"

#include <string.h>
#include <strings.h>

carom_status cr_mesh_bytes_read(FILE* file, const char* name, size_t most,
                                const carom_allocator* allocator, cr_mesh_bytes* bytes,
                                carom_error* error) {
  for (;;) {
    if (bytes->size == bytes->capacity) {
      size_t wanted = bytes->capacity ? 2 * bytes->capacity : (size_t)1 << 16;
      char* grown = cr_realloc(allocator, bytes->data, bytes->capacity, wanted);
      if (!grown) return cr_error_memory(error);
      bytes->data = grown;
      bytes->capacity = wanted;
    }
    size_t count = fread(bytes->data + bytes->size, 1, bytes->capacity - bytes->size, file);
    bytes->size += count;
    if (bytes->size > most)
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "%.200s: the file has more than %zu bytes, which is not accepted", name,
                          most);
    if (count == 0) break;
  }
  if (!ferror(file)) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.200s: cannot be read", name);
}

void cr_mesh_bytes_release(cr_mesh_bytes* bytes, const carom_allocator* allocator) {
  cr_release(allocator, bytes->data, bytes->capacity);
  *bytes = (cr_mesh_bytes){0};
}

cr_mesh_format cr_mesh_format_of(const char* name) {
  static const struct {
    const char* end;
    cr_mesh_format format;
  } ENDS[] = {{".stl", CR_MESH_FORMAT_STL},    {".obj", CR_MESH_FORMAT_OBJ},
              {".msh", CR_MESH_FORMAT_MSH},    {".dae", CR_MESH_FORMAT_SCENE},
              {".gltf", CR_MESH_FORMAT_SCENE}, {".glb", CR_MESH_FORMAT_SCENE},
              {".vtk", CR_MESH_FORMAT_TETS},   {".vtu", CR_MESH_FORMAT_TETS}};
  const char* dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof ENDS / sizeof ENDS[0]; i++)
    if (strcasecmp(dot, ENDS[i].end) == 0) return ENDS[i].format;
  return CR_MESH_FORMAT_NONE;
}

const char* carom_mesh_formats(void) {
  return cr_scene_is_supported() ? "stl obj msh vtk vtu dae gltf glb" : "stl obj msh vtk vtu";
}

static carom_status read_kind(const cr_mesh_source* source, cr_mesh* mesh, cr_mesh_ignored* ignored,
                              carom_error* error) {
  switch (cr_mesh_format_of(source->name)) {
  case CR_MESH_FORMAT_STL:
    return cr_stl_read(source, mesh, error);
  case CR_MESH_FORMAT_OBJ:
    return cr_obj_read(source, mesh, ignored, error);
  case CR_MESH_FORMAT_MSH:
    return cr_msh_read(source, mesh, error);
  case CR_MESH_FORMAT_SCENE:
    return cr_scene_read(source, mesh, error);
  case CR_MESH_FORMAT_TETS:
    return cr_tets_read_skin(source->name, source->bytes, source->size, mesh, error);
  case CR_MESH_FORMAT_NONE:
    break;
  }
  return cr_error_set(
      error, CAROM_ERROR_UNSUPPORTED,
      "%.200s: its name ends with none of .stl, .obj, .msh, .dae, .gltf, .glb, .vtk, "
      ".vtu: "
      "other meshes are not read",
      source->name);
}

carom_status cr_mesh_file_read(FILE* file, const char* name, cr_mesh* mesh,
                               cr_mesh_ignored* ignored, carom_error* error) {
  const cr_mesh_source whole = {.name = name};
  return cr_mesh_source_read(file, &whole, mesh, ignored, error);
}

bool cr_mesh_has_objects(const char* name) {
  cr_mesh_format format = cr_mesh_format_of(name);
  return format == CR_MESH_FORMAT_OBJ || format == CR_MESH_FORMAT_SCENE;
}

/* What stands in a checkout for a file that Git LFS keeps elsewhere. */
static carom_status refuse_pointer(const cr_mesh_source* source, carom_error* error) {
  static const char BEGIN[] = "version https://git-lfs.github.com/";
  size_t length = sizeof BEGIN - 1;
  if (source->size < length || memcmp(source->bytes, BEGIN, length) != 0) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE,
                      "%.200s: it is a pointer of Git LFS, its file is not found: 'git lfs pull' "
                      "fetches it",
                      source->name);
}

carom_status cr_mesh_source_read(FILE* file, const cr_mesh_source* wanted, cr_mesh* mesh,
                                 cr_mesh_ignored* ignored, carom_error* error) {
  const char* name = wanted->name;
  cr_mesh_bytes bytes = {0};
  *ignored = (cr_mesh_ignored){0};
  if (wanted->object && !cr_mesh_has_objects(name))
    return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                        "%.200s: objects can be picked from OBJ, COLLADA and glTF files only",
                        name);
  carom_status status =
      cr_mesh_bytes_read(file, name, CR_MESH_FILE_MAX_BYTES, &mesh->allocator, &bytes, error);
  cr_mesh_source source = *wanted;
  source.bytes = bytes.data, source.size = bytes.size;
  if (status == CAROM_OK) status = refuse_pointer(&source, error);
  if (status == CAROM_OK) status = read_kind(&source, mesh, ignored, error);
  cr_mesh_bytes_release(&bytes, &mesh->allocator);
  if (status == CAROM_OK && mesh->num_vertices == 0)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s: the mesh has no vertices", name);
  if (status == CAROM_OK && !cr_mesh_weld(mesh)) return cr_error_memory(error);
  return status;
}
