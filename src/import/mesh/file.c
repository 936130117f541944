/* A mesh file as a whole: its bytes, its kind by its name, its vertices welded. */
#include "base/error.h"
#include "import/mesh/read.h"

#include <string.h>
#include <strings.h>

/* Reads to the end of a file; `bytes` has `*capacity` bytes, to be given back by the caller. */
static carom_status read_bytes(FILE* file, const char* name, const carom_allocator* allocator,
                               char** bytes, size_t* size, size_t* capacity, carom_error* error) {
  for (;;) {
    if (*size == *capacity) {
      size_t wanted = *capacity ? 2 * *capacity : (size_t)1 << 16;
      if (*capacity > CR_MESH_FILE_MAX_BYTES)
        return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                            "%.200s: the file has more than %zu bytes, which is not accepted", name,
                            CR_MESH_FILE_MAX_BYTES);
      char* grown = cr_realloc(allocator, *bytes, *capacity, wanted);
      if (!grown) return cr_error_memory(error);
      *bytes = grown;
      *capacity = wanted;
    }
    size_t count = fread(*bytes + *size, 1, *capacity - *size, file);
    *size += count;
    if (count == 0) break;
  }
  if (!ferror(file)) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.200s: cannot be read", name);
}

static bool ends_with(const char* name, const char* end) {
  size_t length = strlen(name), wanted = strlen(end);
  return length >= wanted && strcasecmp(name + length - wanted, end) == 0;
}

static carom_status read_kind(const cr_mesh_source* source, cr_mesh* mesh, cr_mesh_ignored* ignored,
                              carom_error* error) {
  if (ends_with(source->name, ".obj")) return cr_obj_read(source, mesh, ignored, error);
  if (ends_with(source->name, ".stl")) return cr_stl_read(source, mesh, error);
  return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                      "%.200s: the name ends neither with .stl nor with .obj, other meshes are not "
                      "read yet",
                      source->name);
}

carom_status cr_mesh_file_read(FILE* file, const char* name, cr_mesh* mesh,
                               cr_mesh_ignored* ignored, carom_error* error) {
  char* bytes = NULL;
  size_t size = 0, capacity = 0;
  *ignored = (cr_mesh_ignored){0};
  carom_status status = read_bytes(file, name, &mesh->allocator, &bytes, &size, &capacity, error);
  cr_mesh_source source = {name, bytes, size};
  if (status == CAROM_OK) status = read_kind(&source, mesh, ignored, error);
  cr_release(&mesh->allocator, bytes, capacity);
  if (status == CAROM_OK && mesh->num_vertices == 0)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s: the mesh has no vertices", name);
  if (status == CAROM_OK && !cr_mesh_weld(mesh)) return cr_error_memory(error);
  return status;
}
