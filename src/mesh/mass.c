/* Mass properties of meshes: sums over the triangles of the moments of cones to one point, or of
 * the triangles themselves.
 *
 * A tetrahedron (0, a, b, c) of volume V = a.(b x c)/6 has the integrals of x xᵀ
 *   V/20 ((a+b+c)(a+b+c)ᵀ + a aᵀ + b bᵀ + c cᵀ),
 * a triangle of area A the same with A/12. Signed volumes of cones sum to the divergence theorem.
 * Places are taken relative to the middle of the vertices, so that nothing cancels far from the
 * origin. */
#include "mesh/mesh.h"

/* Integrals of 1, x and x xᵀ (xx yy zz xy xz yz). */
typedef struct moments {
  double zero;
  v3 first;
  double second[6];
} moments;

static void add_outer(double weight, v3 x, double* second) {
  second[0] += weight * x.x * x.x, second[1] += weight * x.y * x.y;
  second[2] += weight * x.z * x.z, second[3] += weight * x.x * x.y;
  second[4] += weight * x.x * x.z, second[5] += weight * x.y * x.z;
}

/* Of a simplex with the corners a, b, c and, for a cone, the origin. */
static void add_simplex(double measure, bool is_cone, v3 a, v3 b, v3 c, moments* sum) {
  double first = measure / (is_cone ? 4 : 3), second = measure / (is_cone ? 20 : 12);
  v3 all = v3_add(v3_add(a, b), c);
  sum->zero += measure;
  sum->first = v3_axpy(sum->first, first, all);
  add_outer(second, all, sum->second);
  add_outer(second, a, sum->second);
  add_outer(second, b, sum->second);
  add_outer(second, c, sum->second);
}

static moments integrate(const cr_mesh* mesh, cr_mesh_solid solid, v3 origin) {
  moments sum = {0};
  for (int f = 0; f < mesh->num_triangles; f++) {
    const int* corner = mesh->triangle + 3 * (size_t)f;
    v3 a = v3_sub(cr_mesh_vertex(mesh, corner[0]), origin);
    v3 b = v3_sub(cr_mesh_vertex(mesh, corner[1]), origin);
    v3 c = v3_sub(cr_mesh_vertex(mesh, corner[2]), origin);
    double volume = v3_dot(a, v3_cross(b, c)) / 6;
    double area = v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a))) / 2;
    double measure = solid == CR_MESH_SHELL    ? area
                     : solid == CR_MESH_LEGACY ? fabs(volume)
                                               : volume;
    add_simplex(measure, solid != CR_MESH_SHELL, a, b, c, &sum);
  }
  return sum;
}

/* The centroid of the surface; the middle of the vertices where that has no area. */
static v3 find_centroid(const cr_mesh* mesh) {
  v3 low = v3_make(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  for (int i = 0; i < mesh->num_vertices; i++) {
    v3 x = cr_mesh_vertex(mesh, i);
    low = v3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = v3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  if (mesh->num_vertices == 0) return v3_zero();
  v3 middle = v3_scale(0.5, v3_add(low, high));
  moments surface = integrate(mesh, CR_MESH_SHELL, middle);
  return surface.zero > 0 ? v3_axpy(middle, 1 / surface.zero, surface.first) : middle;
}

/* The centre of a sum about an origin. */
static v3 find_center(const moments* sum, v3 origin) {
  return sum->zero > 0 ? v3_axpy(origin, 1 / sum->zero, sum->first) : origin;
}

/* Cones to the surface's centroid say where the centre is, cones to that centre the rest. */
void cr_mesh_compute_mass(const cr_mesh* mesh, cr_mesh_solid solid, cr_mesh_mass* mass) {
  v3 origin = find_centroid(mesh);
  moments sum = integrate(mesh, solid, origin);
  *mass = (cr_mesh_mass){.volume = sum.zero, .center = find_center(&sum, origin)};
  if (solid == CR_MESH_LEGACY || solid == CR_MESH_SIGNED) {
    sum = integrate(mesh, solid, mass->center);
    mass->volume = sum.zero;
  } else if (sum.zero > 0) {
    add_outer(-sum.zero, v3_sub(mass->center, origin), sum.second);
  }
  if (!(sum.zero > 0)) return;
  const double* s = sum.second;
  double trace = s[0] + s[1] + s[2];
  for (int i = 0; i < 3; i++) mass->inertia[i] = trace - s[i];
  for (int i = 3; i < 6; i++) mass->inertia[i] = -s[i];
}
