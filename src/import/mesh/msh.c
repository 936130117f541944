/* .msh: Gmsh's text and bytes, or MuJoCo's own bytes (MuJoCo's XML reference, "asset/mesh").
 *
 * MuJoCo's file has four counts, of vertices, normals, texture coordinates and faces, then single
 * precision numbers, 3, 3 and 2 of each, then three vertices of each face. Normals and texture
 * coordinates are not read. Numbers are little-endian, as all its writers leave them. */
#include "base/error.h"
#include "import/mesh/little.h"
#include "import/mesh/read.h"
#include "import/tets/surface.h"

#include <ctype.h>
#include <math.h>

#define HEADER 16

/* Gmsh's sections begin with a dollar and a word; read as a count that is more than 10^9. */
static bool is_gmsh(const cr_mesh_source* source) {
  const char* c = source->bytes;
  return source->size >= 4 && c[0] == '$' && isalpha((unsigned char)c[1]) &&
         isalpha((unsigned char)c[2]) && isalpha((unsigned char)c[3]);
}

typedef struct counts {
  uint32_t vertices, normals, texcoords, faces;
} counts;

static carom_status read_counts(const cr_mesh_source* source, counts* n, carom_error* error) {
  const char* at = source->bytes;
  if (source->size < HEADER)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: it has %zu bytes; a .msh file begins with '$MeshFormat' (Gmsh) or "
                        "four counts (MuJoCo)",
                        source->name, source->size);
  *n = (counts){cr_little_word(at), cr_little_word(at + 4), cr_little_word(at + 8),
                cr_little_word(at + 12)};
  if (n->vertices > CR_MESH_MAX_VERTICES || n->faces > CR_MESH_MAX_TRIANGLES)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: it announces %u vertices and %u faces, at most %d and %d are "
                        "accepted",
                        source->name, n->vertices, n->faces, CR_MESH_MAX_VERTICES,
                        CR_MESH_MAX_TRIANGLES);
  double wanted =
      HEADER + 12.0 * n->vertices + 12.0 * n->normals + 8.0 * n->texcoords + 12.0 * n->faces;
  if (wanted == (double)source->size) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "%.200s: it has %zu bytes, but the %u vertices, %u normals, %u texture "
                      "coordinates and %u faces that it announces take %.0f",
                      source->name, source->size, n->vertices, n->normals, n->texcoords, n->faces,
                      wanted);
}

static carom_status read_vertices(const cr_mesh_source* source, const counts* n, cr_mesh* mesh,
                                  carom_error* error) {
  const char* at = source->bytes + HEADER;
  for (uint32_t v = 0; v < n->vertices; v++) {
    double x[3];
    for (int k = 0; k < 3; k++, at += 4) {
      x[k] = cr_little_single(at);
      if (!isfinite(x[k]))
        return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                            "%.200s: vertex %u: coordinate is %g, must be a finite number",
                            source->name, v + 1, x[k]);
    }
    if (!cr_mesh_add_vertex(mesh, x)) return cr_error_memory(error);
  }
  return CAROM_OK;
}

static carom_status read_faces(const cr_mesh_source* source, const counts* n, cr_mesh* mesh,
                               carom_error* error) {
  const char* at = source->bytes + source->size - 12 * (size_t)n->faces;
  for (uint32_t f = 0; f < n->faces; f++) {
    int corner[3];
    for (int k = 0; k < 3; k++, at += 4) {
      int32_t vertex = (int32_t)cr_little_word(at);
      if (vertex < 0 || (uint32_t)vertex >= n->vertices)
        return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                            "%.200s: face %u: vertex is %d, must be at least 0 and less than %u",
                            source->name, f + 1, vertex, n->vertices);
      corner[k] = vertex;
    }
    if (!cr_mesh_add_triangle(mesh, corner[0], corner[1], corner[2])) return cr_error_memory(error);
  }
  return CAROM_OK;
}

carom_status cr_msh_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error) {
  counts n = {0};
  if (is_gmsh(source))
    return cr_gmsh_read_surface(source->name, source->bytes, source->size, mesh, error);
  CR_TRY(read_counts(source, &n, error));
  CR_TRY(read_vertices(source, &n, mesh, error));
  return read_faces(source, &n, mesh, error);
}
