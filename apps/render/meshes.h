/* The shapes as triangles. */
#ifndef RENDER_MESHES_H
#define RENDER_MESHES_H

#include "solids.h"

#include "carom/model.h"

/* A vertex is core * size + radius * normal. */
typedef struct render_vertex {
  float core[3], normal[3];
} render_vertex;

typedef struct render_mesh {
  render_vertex* vertices;
  unsigned* indices; /* [num_indices], three to a triangle */
  int num_vertices, num_indices;
} render_mesh;

/* Makes a shape.
 * @param segments of a full turn; lines and cones have their own
 * @return false where there is no memory */
bool render_mesh_create(render_shape shape, int segments, render_mesh* mesh);

/* The same of a recorded surface: each triangle has its own corners, and so is flat. */
bool render_mesh_create_flat(const carom_mesh_info* surface, render_mesh* mesh);

void render_mesh_free(render_mesh* mesh);

#endif
