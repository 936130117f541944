/* Points of manifolds: feature codes, entry, and the pattern of points on a rim. */
#include "geom/contact.h"

/* -1, 0, 1: at the low end of [-half, half], between, at the high end. */
static int side_of(double x, double half, double tolerance) {
  if (fabs(x) < half - tolerance) return 0;
  return x < 0 ? -1 : 1;
}

/* One of 27 from the sides of the three coordinates: faces have one that is not zero, edges two,
 * corners three. */
static uint32_t box_feature(const double* half, v3 x, double tolerance) {
  int i = side_of(x.x, half[0], tolerance), j = side_of(x.y, half[1], tolerance);
  int k = side_of(x.z, half[2], tolerance);
  return (uint32_t)(9 * (i + 1) + 3 * (j + 1) + k + 1);
}

static uint32_t cylinder_feature(const double* size, v3 x, double tolerance, cr_rim_point rim) {
  int end = side_of(x.z, size[1], tolerance);
  bool outside = x.x * x.x + x.y * x.y > (size[0] - tolerance) * (size[0] - tolerance);
  return (uint32_t)(8 * (int)rim + 2 * (end + 1) + outside);
}

/* True when x is no farther from the line through two vertices than the root of `least2`. */
static bool is_on_edge(const cr_hull* hull, v3 x, int a, int b, double least2) {
  v3 p = cr_hull_vertex(hull, a), along = v3_sub(cr_hull_vertex(hull, b), p);
  return v3_norm2(v3_cross(v3_sub(x, p), along)) <= least2 * v3_norm2(along);
}

/* The half edge from a to b, which is there. */
static int half_edge(const cr_hull* hull, int a, int b) {
  int i = hull->neighbor_start[a];
  while (i + 1 < hull->neighbor_start[a + 1] && hull->neighbor[i] != b) i++;
  return i;
}

/* A vertex, edge or face from what lies around the support vertex. */
static uint32_t hull_feature(const cr_hull* hull, v3 x, cr_hull_view view, double tolerance) {
  double least2 = tolerance * tolerance;
  int face = view.face, first = hull->face_start[face];
  int count = hull->face_start[face + 1] - first, edge = -1, at = view.vertex;
  for (int i = 0; i < count; i++) {
    int a = hull->face_vertex[first + i],
        b = hull->face_vertex[first + (i + 1 < count ? i + 1 : 0)];
    if (v3_norm2(v3_sub(x, cr_hull_vertex(hull, a))) <= least2) return 1 + (uint32_t)a;
    if (edge < 0 && is_on_edge(hull, x, a, b, least2))
      edge = a < b ? half_edge(hull, a, b) : half_edge(hull, b, a);
  }
  for (int i = hull->neighbor_start[at]; edge < 0 && i < hull->neighbor_start[at + 1]; i++) {
    int b = hull->neighbor[i];
    if (v3_norm2(v3_sub(x, cr_hull_vertex(hull, b))) <= least2) return 1 + (uint32_t)b;
    if (is_on_edge(hull, x, at, b, least2)) edge = at < b ? i : half_edge(hull, b, at);
  }
  int name =
      edge >= 0 ? 1 + hull->num_vertices + edge : 1 + hull->num_vertices + hull->num_corners + face;
  return (uint32_t)name & 0xffff;
}

/* Names the part of a shape on which a point of its surface lies: a face, edge or corner of a box;
 * a cap, rim or side of a cylinder; an end or side of a capsule; a vertex, edge or face of a
 * polyhedron. `out` leads from the shape to the other one. */
static uint32_t find_feature(const cr_contact_pair* pair, const cr_placed* placed, v3 point, v3 out,
                             cr_rim_point rim) {
  const cr_shape* shape = placed->shape;
  double tolerance = CR_FEATURE_WIDTH * pair->thickness + pair->tolerance;
  if (shape->type <= CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_ELLIPSOID) return 0;
  v3 x = m3_tmulv(placed->R, v3_sub(point, placed->center));
  if (shape->type == CAROM_GEOM_BOX) return box_feature(shape->size, x, tolerance);
  if (shape->type == CAROM_GEOM_CYLINDER) return cylinder_feature(shape->size, x, tolerance, rim);
  if (shape->type == CAROM_GEOM_MESH)
    return hull_feature(shape->hull, x, cr_placed_look(placed, out), tolerance);
  return cr_contact_end_feature(x.z / shape->size[1]);
}

static void replace_shallowest(const cr_manifold_point* point, cr_manifold* manifold) {
  int shallowest = 0;
  for (int i = 1; i < manifold->count; i++)
    if (manifold->points[i].distance > manifold->points[shallowest].distance) shallowest = i;
  if (point->distance < manifold->points[shallowest].distance)
    manifold->points[shallowest] = *point;
}

static void add_point(const cr_manifold_point* point, cr_manifold* manifold) {
  for (int i = 0; i < manifold->count; i++) {
    if (manifold->points[i].feature != point->feature) continue;
    if (point->distance < manifold->points[i].distance) manifold->points[i] = *point;
    return;
  }
  if (manifold->count < CR_MANIFOLD_MAX)
    manifold->points[manifold->count++] = *point;
  else
    replace_shallowest(point, manifold);
}

void cr_contact_add(const cr_contact_pair* pair, v3 a, v3 b, cr_rim_point rim_a, cr_rim_point rim_b,
                    cr_manifold* manifold) {
  cr_manifold_point point = {a, b, v3_dot(manifold->normal, v3_sub(b, a)), 0};
  if (!(point.distance < pair->margin)) return;
  point.feature = find_feature(pair, &pair->a, a, manifold->normal, rim_a) << 16 |
                  find_feature(pair, &pair->b, b, v3_neg(manifold->normal), rim_b);
  add_point(&point, manifold);
}

v3 cr_contact_rim_start(v3 axis, v3 down) {
  v3 fixed = fabs(axis.x) < 0.8 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
  fixed = v3_axpy(fixed, -v3_dot(fixed, axis), axis);
  return cr_across(v3_axpy(down, 1e-11, fixed), axis, fixed);
}

v3 cr_contact_rim_direction(int k, v3 start, v3 side) {
  static const double root = 0.86602540378443864676;
  static const double cosine[CR_RIM_POINTS] = {1, 0.5, -0.5, -1, -0.5, 0.5};
  const double sine[CR_RIM_POINTS] = {0, root, root, 0, -root, -root};
  return v3_axpy(v3_scale(cosine[k], start), sine[k], side);
}
