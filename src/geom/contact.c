/* Points of manifolds: feature codes, entry, and the pattern of points on a rim. */
#include "geom/contact.h"

static uint32_t box_feature(const double* half, v3 x, double width) {
  return (uint32_t)(CR_BOX_MIDDLE + 9 * cr_interval_side(x.x, half[0], width) +
                    3 * cr_interval_side(x.y, half[1], width) +
                    cr_interval_side(x.z, half[2], width));
}

static uint32_t cylinder_feature(const double* size, v3 x, double tolerance, cr_rim_point rim) {
  int end = cr_interval_side(x.z, size[1], tolerance);
  bool outside = x.x * x.x + x.y * x.y > (size[0] - tolerance) * (size[0] - tolerance);
  return (uint32_t)(8 * (int)rim + 2 * (end + 1) + outside);
}

/* The half edge from a to b, which is there. */
static int half_edge(const cr_hull* hull, int a, int b) {
  int i = hull->neighbor_start[a];
  while (i + 1 < hull->neighbor_start[a + 1] && hull->neighbor[i] != b) i++;
  return i;
}

/* Where a point is on a hull: at a vertex, else on an edge (by its half edge), else on a face; -1
 * for neither of the first two. */
typedef struct cr_hull_place {
  int vertex, edge;
} cr_hull_place;

/* The place of x on the outline of a face; true where it is there, or inside and on the face's
 * plane. */
static bool find_on_face(const cr_hull* hull, int face, v3 x, double least2, cr_hull_place* place) {
  int first = hull->face_start[face], end = hull->face_start[face + 1];
  v3 normal = cr_hull_normal(hull, face);
  double height = v3_dot(normal, x) - hull->plane[4 * face + 3];
  bool is_inside = height * height <= least2;
  int a = hull->face_vertex[end - 1];
  v3 at = cr_hull_vertex(hull, a), from = v3_sub(x, at);
  for (int i = first; i < end; i++) {
    int b = hull->face_vertex[i];
    v3 next = cr_hull_vertex(hull, b), along = v3_sub(next, at), beyond = v3_sub(x, next);
    v3 aside = v3_cross(along, from);
    double inwards = v3_dot(normal, aside), limit = least2 * v3_norm2(along);
    if (!(inwards > 0 && inwards * inwards > limit)) {
      is_inside = false;
      if (v3_norm2(from) <= least2 || v3_norm2(beyond) <= least2) {
        place->vertex = v3_norm2(beyond) <= least2 ? b : a;
        return true;
      }
      if (place->edge < 0 && v3_norm2(aside) <= limit)
        place->edge = a < b ? half_edge(hull, a, b) : half_edge(hull, b, a);
    }
    a = b, at = next, from = beyond;
  }
  return is_inside || place->edge >= 0;
}

/* The place of x on the edges at a vertex, and at their other ends. */
static void find_around(const cr_hull* hull, int at, v3 x, double least2, cr_hull_place* place) {
  v3 middle = cr_hull_vertex(hull, at), from = v3_sub(x, middle);
  for (int i = hull->neighbor_start[at]; i < hull->neighbor_start[at + 1]; i++) {
    int b = hull->neighbor[i];
    v3 along = v3_sub(cr_hull_vertex(hull, b), middle);
    if (v3_norm2(v3_sub(from, along)) <= least2) {
      place->vertex = b;
      return;
    }
    if (place->edge < 0 && v3_norm2(v3_cross(from, along)) <= least2 * v3_norm2(along))
      place->edge = at < b ? i : half_edge(hull, b, at);
  }
}

/* A vertex, edge or face: what the hull shows, or what lies around the support vertex. */
static uint32_t hull_feature(const cr_hull* hull, v3 x, cr_hull_view view, double tolerance) {
  double least2 = tolerance * tolerance;
  cr_hull_place place = {-1, -1};
  if (!find_on_face(hull, view.face, x, least2, &place))
    find_around(hull, view.vertex, x, least2, &place);
  if (place.vertex >= 0) return 1 + (uint32_t)place.vertex;
  int name = place.edge >= 0 ? 1 + hull->num_vertices + place.edge
                             : 1 + hull->num_vertices + hull->num_corners + view.face;
  return (uint32_t)name & 0xffff;
}

/* Names the part of a shape on which a point of its surface lies: a face, edge or corner of a box;
 * a cap, rim or side of a cylinder; an end or side of a capsule; a vertex, edge or face of a
 * polyhedron. `out` leads from the shape to the other one. */
static uint32_t find_feature(const cr_contact_pair* pair, const cr_placed* placed, v3 point, v3 out,
                             cr_rim_point rim) {
  const cr_shape* shape = placed->shape;
  double tolerance = cr_contact_width(pair);
  v3 x = m3_tmulv(placed->R, v3_sub(point, placed->center));
  if (shape->type == CAROM_GEOM_BOX) return box_feature(shape->size, x, tolerance);
  if (shape->type <= CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_ELLIPSOID) return 0;
  if (shape->type == CAROM_GEOM_CYLINDER) return cylinder_feature(shape->size, x, tolerance, rim);
  if (shape->type == CAROM_GEOM_MESH)
    return hull_feature(shape->hull, x, cr_placed_look(placed, out), tolerance);
  return cr_contact_end_feature(x.z / shape->size[1]);
}

/* Where a point goes: to that of its own feature, to the end, or in place of the shallowest; null
 * where what is there is no less deep. */
static cr_manifold_point* find_place(double distance, uint32_t feature, cr_manifold* manifold) {
  cr_manifold_point* points = manifold->points;
  int count = manifold->count, at = 0;
  while (at < count && points[at].feature != feature) at++;
  if (at == count && count < CR_MANIFOLD_MAX) return &points[manifold->count++];
  if (at == count) { /* no room: the shallowest */
    at = 0;
    for (int i = 1; i < count; i++)
      if (points[i].distance > points[at].distance) at = i;
  }
  return distance < points[at].distance ? &points[at] : NULL;
}

static void add(v3 a, v3 b, double distance, uint32_t feature, cr_manifold* manifold) {
  cr_manifold_point* place = find_place(distance, feature, manifold);
  if (place) *place = (cr_manifold_point){a, b, distance, feature};
}

void cr_contact_add(const cr_contact_pair* pair, v3 a, v3 b, cr_rim_point rim_a, cr_rim_point rim_b,
                    cr_manifold* manifold) {
  double distance = v3_dot(manifold->normal, v3_sub(b, a));
  if (!(distance < pair->margin)) return;
  uint32_t of_a = find_feature(pair, &pair->a, a, manifold->normal, rim_a);
  uint32_t of_b = find_feature(pair, &pair->b, b, v3_neg(manifold->normal), rim_b);
  add(a, b, distance, of_a << 16 | of_b, manifold);
}

void cr_contact_add_named(const cr_contact_pair* pair, v3 a, v3 b, uint32_t feature_a,
                          uint32_t feature_b, cr_manifold* manifold) {
  double distance = v3_dot(manifold->normal, v3_sub(b, a));
  if (distance < pair->margin) add(a, b, distance, feature_a << 16 | feature_b, manifold);
}

static v3 find_fixed(v3 axis) {
  v3 fixed = fabs(axis.x) < 0.8 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
  return v3_axpy(fixed, -v3_dot(fixed, axis), axis);
}

v3 cr_contact_rim_lead(v3 axis, v3 down) { return v3_axpy(down, 1e-11, find_fixed(axis)); }

v3 cr_contact_rim_start(v3 axis, v3 down) {
  return cr_across(cr_contact_rim_lead(axis, down), axis, find_fixed(axis));
}

v3 cr_contact_rim_direction(int k, v3 start, v3 side) {
  static const double root = 0.86602540378443864676;
  static const double cosine[CR_RIM_POINTS] = {1, 0.5, -0.5, -1, -0.5, 0.5};
  const double sine[CR_RIM_POINTS] = {0, root, root, 0, -root, -root};
  return v3_axpy(v3_scale(cosine[k], start), sine[k], side);
}
