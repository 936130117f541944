/* A half space against everything else, in closed form.
 *
 * The normal is the plane's. A box gives the lower one of each pair of opposite corners, a capsule
 * its ends, a cylinder points around the rim of its lower cap and the lowest point of the upper
 * one, a polyhedron its vertices, an ellipsoid one point; all that lie below the shape's centre and
 * within the margin. */
#include "geom/contact.h"

/* Enters a point of B; its partner lies straight below it on the plane. */
static void add_above(const cr_contact_pair* pair, v3 b, cr_rim_point rim, cr_manifold* manifold) {
  v3 a = v3_axpy(b, -v3_dot(manifold->normal, b), manifold->normal);
  cr_contact_add(pair, a, b, CR_RIM_NONE, rim, manifold);
}

static bool is_below_center(const cr_contact_pair* pair, v3 b, const cr_manifold* manifold) {
  return v3_dot(manifold->normal, v3_sub(b, pair->b.center)) < 0;
}

void cr_collide_plane_sphere(const cr_contact_pair* pair, cr_manifold* manifold) {
  manifold->normal = m3_column(pair->a.R, 2);
  v3 b = v3_axpy(pair->b.center, -pair->b.shape->size[0], manifold->normal);
  add_above(pair, b, CR_RIM_NONE, manifold);
}

/* The lower end is lowest along the normal; at the upper end the lowest point of the surface lies
 * on the side's line, straight across the axis. */
void cr_collide_plane_capsule(const cr_contact_pair* pair, cr_manifold* manifold) {
  v3 normal = manifold->normal = m3_column(pair->a.R, 2);
  double radius = pair->b.shape->size[0];
  v3 axis = m3_column(pair->b.R, 2);
  double rise = v3_dot(normal, axis);
  if (rise > 0) axis = v3_neg(axis);
  v3 half = v3_scale(pair->b.shape->size[1], axis);
  v3 lower = v3_axpy(v3_add(pair->b.center, half), -radius, normal);
  add_above(pair, lower, CR_RIM_NONE, manifold);
  v3 across = v3_normalize_or(v3_axpy(normal, -v3_dot(normal, axis), axis), axis);
  v3 upper = v3_axpy(v3_sub(pair->b.center, half), -radius, across);
  if (fabs(rise) < 0.9 && is_below_center(pair, upper, manifold))
    add_above(pair, upper, CR_RIM_NONE, manifold);
}

void cr_collide_plane_cylinder(const cr_contact_pair* pair, cr_manifold* manifold) {
  v3 normal = manifold->normal = m3_column(pair->a.R, 2);
  double radius = pair->b.shape->size[0];
  v3 axis = m3_column(pair->b.R, 2);
  if (v3_dot(normal, axis) > 0) axis = v3_neg(axis);
  v3 half = v3_scale(pair->b.shape->size[1], axis);
  v3 lower = v3_add(pair->b.center, half), upper = v3_sub(pair->b.center, half);
  v3 start = cr_contact_rim_start(axis, v3_axpy(v3_neg(normal), v3_dot(normal, axis), axis));
  v3 side = v3_cross(axis, start);
  for (int k = 0; k < CR_RIM_POINTS; k++) {
    v3 b = v3_axpy(lower, radius, cr_contact_rim_direction(k, start, side));
    if (k == 0 || is_below_center(pair, b, manifold))
      add_above(pair, b, CR_RIM_DEEPEST + k, manifold);
  }
  v3 other = v3_axpy(upper, radius, start);
  if (is_below_center(pair, other, manifold)) add_above(pair, other, CR_RIM_DEEPEST, manifold);
}

/* Of each two opposite corners one is lower than the centre. */
void cr_collide_plane_box(const cr_contact_pair* pair, cr_manifold* manifold) {
  v3 normal = manifold->normal = m3_column(pair->a.R, 2);
  const double* size = pair->b.shape->size;
  v3 x = v3_scale(size[0], m3_column(pair->b.R, 0));
  v3 y = v3_scale(size[1], m3_column(pair->b.R, 1));
  v3 z = v3_scale(size[2], m3_column(pair->b.R, 2));
  double least = v3_dot(normal, pair->b.center) - fabs(v3_dot(normal, x)) -
                 fabs(v3_dot(normal, y)) - fabs(v3_dot(normal, z));
  if (!(least < pair->margin)) return;
  for (int i = 0; i < 4; i++) {
    v3 corner = v3_axpy(v3_axpy(z, i & 1 ? 1 : -1, x), i & 2 ? 1 : -1, y);
    if (v3_dot(normal, corner) > 0) corner = v3_neg(corner);
    add_above(pair, v3_add(pair->b.center, corner), CR_RIM_NONE, manifold);
  }
}

void cr_collide_plane_ellipsoid(const cr_contact_pair* pair, cr_manifold* manifold) {
  v3 normal = manifold->normal = m3_column(pair->a.R, 2);
  v3 down = m3_tmulv(pair->b.R, v3_neg(normal));
  v3 lowest = m3_mulv(pair->b.R, cr_shape_compute_support(pair->b.shape, down));
  add_above(pair, v3_add(pair->b.center, lowest), CR_RIM_NONE, manifold);
}

/* Part of the thickness that a vertex may lie above the lowest one where not all have a place. */
#define LEVEL 0.02

/* Points to the eight sides of a polyhedron that lies on a plane, in its own frame. */
typedef struct cr_footprint {
  v3 down; /* unit */
  v3 side[CR_MANIFOLD_MAX - 1];
  double most[CR_MANIFOLD_MAX - 1];
  int vertex[CR_MANIFOLD_MAX]; /* the last one is the lowest */
} cr_footprint;

static cr_footprint make_footprint(v3 down, int lowest) {
  cr_footprint foot = {.down = down};
  v3 any = fabs(down.x) < 0.8 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
  v3 start = cr_across(any, down, any), across = v3_cross(down, start);
  for (int k = 0; k < CR_MANIFOLD_MAX - 1; k++) {
    double angle = k * (6.283185307179586 / (CR_MANIFOLD_MAX - 1));
    foot.side[k] = v3_axpy(v3_scale(cos(angle), start), sin(angle), across);
    foot.most[k] = -INFINITY;
    foot.vertex[k] = lowest;
  }
  foot.vertex[CR_MANIFOLD_MAX - 1] = lowest;
  return foot;
}

static void extend_footprint(cr_footprint* foot, v3 x, int vertex) {
  for (int k = 0; k < CR_MANIFOLD_MAX - 1; k++) {
    double reach = v3_dot(foot->side[k], x);
    if (!(reach > foot->most[k])) continue;
    foot->most[k] = reach;
    foot->vertex[k] = vertex;
  }
}

static void add_vertex(const cr_contact_pair* pair, int vertex, cr_manifold* manifold) {
  v3 local = cr_hull_vertex(pair->b.shape->hull, vertex);
  add_above(pair, v3_add(pair->b.center, m3_mulv(pair->b.R, local)), CR_RIM_NONE, manifold);
}

/* All vertices within the margin and below the centre, where they have a place; else of those near
 * the lowest one that and the farthest to several sides. */
void cr_collide_plane_mesh(const cr_contact_pair* pair, cr_manifold* manifold) {
  const cr_hull* hull = pair->b.shape->hull;
  v3 normal = manifold->normal = m3_column(pair->a.R, 2);
  v3 down = m3_tmulv(pair->b.R, v3_neg(normal));
  int lowest = cr_hull_find_support(hull, down), count = 0;
  double height = v3_dot(normal, pair->b.center);
  double deepest = v3_dot(down, cr_hull_vertex(hull, lowest));
  if (!(height - deepest < pair->margin)) return;
  cr_footprint foot = make_footprint(down, lowest);
  int near[CR_MANIFOLD_MAX];
  for (int i = 0; i < hull->num_vertices; i++) {
    v3 x = cr_hull_vertex(hull, i);
    double depth = v3_dot(down, x);
    if (depth > 0 && height - depth < pair->margin && count++ < CR_MANIFOLD_MAX)
      near[count - 1] = i;
    if (depth >= deepest - LEVEL * hull->thickness) extend_footprint(&foot, x, i);
  }
  const int* vertex = count > CR_MANIFOLD_MAX ? foot.vertex : near;
  if (count > CR_MANIFOLD_MAX) count = CR_MANIFOLD_MAX;
  if (count == 0) add_vertex(pair, lowest, manifold);
  for (int i = 0; i < count; i++) add_vertex(pair, vertex[i], manifold);
}
