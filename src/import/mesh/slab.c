/* Meshes whose points all lie in a plane: stickers, sheets, ground. */
#include "import/mesh/slab.h"

#include "math/vec3.h"

#include <math.h>

/* Of the mesh's extent: what points may be off the plane, and how thick the slab becomes. */
#define FLATNESS  1e-6
#define THICKNESS 1e-3

/* The largest triangle's normal, of twice its area. */
static v3 find_normal(const cr_mesh* mesh) {
  v3 best = v3_zero();
  for (int f = 0; f < mesh->num_triangles; f++) {
    const int* t = mesh->triangle + 3 * f;
    v3 a = cr_mesh_vertex(mesh, t[0]);
    v3 normal =
        v3_cross(v3_sub(cr_mesh_vertex(mesh, t[1]), a), v3_sub(cr_mesh_vertex(mesh, t[2]), a));
    if (v3_dot(normal, normal) > v3_dot(best, best)) best = normal;
  }
  return best;
}

/* How far the points reach from one of the mesh, and from the plane through it.
 * @return false where there is no plane */
static bool find_plane(const cr_mesh* mesh, v3* normal, double* extent, double* height) {
  *normal = find_normal(mesh), *extent = *height = 0;
  double area = v3_norm(*normal);
  if (!(area > 0)) return false;
  *normal = v3_scale(1 / area, *normal);
  for (int i = 0; i < mesh->num_vertices; i++) {
    v3 arm = v3_sub(cr_mesh_vertex(mesh, i), cr_mesh_vertex(mesh, mesh->triangle[0]));
    *extent = fmax(*extent, v3_norm(arm));
    *height = fmax(*height, fabs(v3_dot(arm, *normal)));
  }
  return true;
}

bool cr_mesh_is_flat(const cr_mesh* mesh) {
  v3 normal;
  double extent, height;
  return find_plane(mesh, &normal, &extent, &height) && height <= FLATNESS * extent;
}

bool cr_mesh_thicken(cr_mesh* mesh, bool* is_flat) {
  v3 normal;
  double extent, height;
  int count = mesh->num_vertices;
  *is_flat = find_plane(mesh, &normal, &extent, &height) && height <= FLATNESS * extent;
  for (int i = 0; i < count && *is_flat; i++) {
    double behind[3];
    v3_store(v3_axpy(cr_mesh_vertex(mesh, i), -THICKNESS * extent, normal), behind);
    if (!cr_mesh_add_vertex(mesh, behind)) return false;
  }
  return true;
}
