/* The faces that one element has alone, cut into flat triangles, and their nodes. */
#include "soft/surface.h"

#include "math/vec3.h"

#include <string.h>

/* Triangles of a face by its nodes in the order of cr_soft_face_nodes: of three, of six. */
static const int WHOLE[1][3] = {{0, 1, 2}};
static const int QUARTERS[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

static void fill_triangles(cr_soft_surface* s, const cr_soft_mesh* mesh) {
  bool is_linear = mesh->nodes_per_element == CR_SOFT_LINEAR_NODES;
  const int(*parts)[3] = is_linear ? WHOLE : QUARTERS;
  int count = is_linear ? 1 : 4, *to = s->triangle;
  for (int f = 0; f < s->num_faces; f++) {
    const int* node = mesh->element + (size_t)s->face[f].element * (size_t)mesh->nodes_per_element;
    const int* of_face = cr_soft_face_nodes[s->face[f].face];
    for (int t = 0; t < count; t++)
      for (int k = 0; k < 3; k++) *to++ = node[of_face[parts[t][k]]];
  }
}

static double triangle_area(const cr_soft_mesh* mesh, const int* corner) {
  v3 a = v3_load(mesh->node[corner[0]]), b = v3_load(mesh->node[corner[1]]);
  v3 c = v3_load(mesh->node[corner[2]]);
  return 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a)));
}

/* Areas of all nodes of the mesh; those off the surface keep none. */
static void fill_nodes(cr_soft_surface* s, const cr_soft_mesh* mesh, double* area) {
  memset(area, 0, sizeof *area * (size_t)mesh->num_nodes);
  for (int t = 0; t < s->num_triangles; t++) {
    const int* corner = s->triangle + 3 * t;
    for (int k = 0; k < 3; k++) area[corner[k]] += triangle_area(mesh, corner) / 3;
  }
  s->num_nodes = 0;
  for (int n = 0; n < mesh->num_nodes; n++) {
    if (!(area[n] > 0)) continue;
    s->node[s->num_nodes] = n;
    s->area[s->num_nodes++] = area[n];
  }
}

/* Room for all nodes of the surface: three of a triangle at most. */
static int most_nodes(const cr_soft_surface* s) { return 3 * s->num_triangles; }

static bool allocate(cr_soft_surface* s) {
  size_t count = (size_t)s->num_triangles;
  s->triangle = cr_alloc(&s->allocator, sizeof(int) * 3 * count);
  s->node = cr_alloc(&s->allocator, sizeof(int) * (size_t)most_nodes(s));
  s->area = cr_alloc(&s->allocator, sizeof(double) * (size_t)most_nodes(s));
  return s->triangle && s->node && s->area;
}

carom_status cr_soft_surface_create(cr_soft_surface* surface, const cr_soft_mesh* mesh,
                                    carom_error* error) {
  *surface = (cr_soft_surface){.allocator = mesh->allocator};
  CR_TRY(cr_soft_mesh_compute_surface(mesh, &surface->face, &surface->num_faces, error));
  bool is_linear = mesh->nodes_per_element == CR_SOFT_LINEAR_NODES;
  surface->num_triangles = (is_linear ? 1 : 4) * surface->num_faces;
  size_t bytes = sizeof(double) * (size_t)mesh->num_nodes;
  double* area = cr_alloc(&mesh->allocator, bytes);
  bool done = area && allocate(surface);
  if (done) fill_triangles(surface, mesh);
  if (done) fill_nodes(surface, mesh, area);
  cr_release(&mesh->allocator, area, bytes);
  if (done) return cr_error_clear(error);
  cr_soft_surface_destroy(surface);
  return cr_error_memory(error);
}

void cr_soft_surface_destroy(cr_soft_surface* s) {
  const carom_allocator* allocator = &s->allocator;
  if (s->face) cr_release(allocator, s->face, sizeof *s->face * (size_t)s->num_faces);
  if (s->triangle) cr_release(allocator, s->triangle, sizeof(int) * 3 * (size_t)s->num_triangles);
  if (s->node) cr_release(allocator, s->node, sizeof(int) * (size_t)most_nodes(s));
  if (s->area) cr_release(allocator, s->area, sizeof(double) * (size_t)most_nodes(s));
  *s = (cr_soft_surface){0};
}
