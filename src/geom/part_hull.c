/* Vertices, edges and faces of convex polyhedra under witness points; see part.h. */
#include "geom/part_seen.h"

static void find_hull_face(const cr_seen* s, int face, cr_part* part) {
  const cr_hull* hull = s->shape->hull;
  v3 normal = cr_hull_normal(hull, face);
  int first = hull->face_start[face], end = hull->face_start[face + 1];
  if (fabs(v3_dot(normal, s->x) - hull->plane[4 * face + 3]) > s->width) return;
  double room = INFINITY;
  v3 a = cr_hull_vertex(hull, hull->face_vertex[end - 1]);
  for (int i = first; i < end; i++) {
    v3 b = cr_hull_vertex(hull, hull->face_vertex[i]);
    v3 inward = v3_normalize_or(v3_cross(normal, v3_sub(b, a)), normal);
    room = cr_smaller(room, v3_dot(inward, v3_sub(s->x, a)));
    a = b;
  }
  cr_seen_set_face(s, normal, room, part);
}

/* The least sine by which edges at a vertex fall away from m, but that to `other`, each seen across
 * `u` where that is not zero. */
static double find_fall(const cr_seen* s, int vertex, int other, v3 u) {
  const cr_hull* hull = s->shape->hull;
  double least = INFINITY;
  for (int i = hull->neighbor_start[vertex]; i < hull->neighbor_start[vertex + 1]; i++) {
    if (hull->neighbor[i] == other) continue;
    v3 e = v3_sub(cr_hull_vertex(hull, hull->neighbor[i]), cr_hull_vertex(hull, vertex));
    e = v3_axpy(e, -v3_dot(e, u), u);
    least = cr_smaller(least, -v3_dot(s->m, e) / v3_norm(e));
  }
  return least;
}

static void find_hull_edge(const cr_seen* s, int half_edge, cr_part* part) {
  const cr_hull* hull = s->shape->hull;
  int low = 0, high = hull->num_vertices - 1, other = hull->neighbor[half_edge];
  while (low < high) { /* the vertex that the half edge leaves */
    int middle = (low + high + 1) / 2;
    if (hull->neighbor_start[middle] <= half_edge)
      low = middle;
    else
      high = middle - 1;
  }
  v3 a = cr_hull_vertex(hull, low), b = cr_hull_vertex(hull, other), along = v3_sub(b, a);
  double length = v3_norm(along);
  v3 u = v3_scale(1 / length, along), from = v3_sub(s->x, a);
  double at = v3_dot(u, from);
  if (v3_norm(v3_axpy(from, -at, u)) > 2 * s->width) return;
  part->kind = CR_PART_EDGE;
  part->u = cr_seen_turn(s, u);
  part->room = cr_smaller(at, length - at);
  part->cone = cr_smaller(find_fall(s, low, other, u), find_fall(s, other, low, u));
  if (fabs(v3_dot(s->m, u)) > s->mover->along) part->cone = -1;
}

/* The vertex, edge or face of a name, see contact.c, if x lies there. */
static void try_hull_name(const cr_seen* s, int name, cr_part* part) {
  const cr_hull* hull = s->shape->hull;
  if (name < 0) return;
  if (name < hull->num_vertices) {
    if (v3_norm(v3_sub(s->x, cr_hull_vertex(hull, name))) > 2 * s->width) return;
    part->kind = CR_PART_VERTEX;
    part->cone = find_fall(s, name, -1, v3_zero());
  } else if (name < hull->num_vertices + hull->num_corners) {
    find_hull_edge(s, name - hull->num_vertices, part);
  } else if (name < hull->num_vertices + hull->num_corners + hull->num_faces) {
    find_hull_face(s, name - hull->num_vertices - hull->num_corners, part);
  }
}

/* By the code of the point. Where that does not say where x is, or is beside what has the normal by
 * less than that is known, by trying all. */
void cr_part_find_on_hull(const cr_seen* s, cr_part* part) {
  const cr_hull* hull = s->shape->hull;
  int count = hull->num_vertices + hull->num_corners + hull->num_faces;
  cr_part other = *part;
  try_hull_name(s, (int)s->feature - 1, part);
  if (part->kind == CR_PART_VERTEX || (part->kind != CR_PART_NONE && part->room > s->width)) return;
  for (int name = 0; name < count; name++) {
    other.kind = CR_PART_NONE;
    try_hull_name(s, name, &other);
    if (other.kind == CR_PART_NONE) continue;
    bool has_normal = other.cone >= -s->mover->along;
    if (part->kind == CR_PART_NONE || has_normal) *part = other;
    if (has_normal) return;
  }
}

void cr_part_flatten_on_hull(const cr_seen* s, cr_part* part) {
  find_hull_face(s, cr_hull_look(s->shape->hull, s->m).face, part);
}
