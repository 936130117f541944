/* Parts of shapes under witness points; see part.h. Primitive shapes are told by coordinates, hulls
 * by the code of the point, surfaces by the triangles that meet at it. */
#include "geom/part.h"

#include "geom/surface.h"

static double smaller(double a, double b) { return a < b ? a : b; }

jet3 cr_mover_carry_vector(const cr_mover* mover, v3 u) {
  jet3 carried = jet3_constant(u);
  if (!mover->moves) return carried;
  carried.d[0] = v3_make(0, -u.z, u.y);
  carried.d[1] = v3_make(u.z, 0, -u.x);
  carried.d[2] = v3_make(-u.y, u.x, 0);
  return carried;
}

jet3 cr_mover_carry_point(const cr_mover* mover, v3 x) {
  jet3 carried = cr_mover_carry_vector(mover, v3_sub(x, mover->center));
  carried.x = x;
  for (int i = 0; i < 3 && mover->moves; i++) carried.d[3 + i] = v3_set(v3_zero(), i, 1);
  return carried;
}

/* What the finders see: the point and the normal in the shape's axes. */
typedef struct seen {
  const cr_mover* mover;
  const cr_shape* shape;
  v3 x, m;
  double width;
  uint32_t feature;
} seen;

static v3 to_world(const seen* s, v3 x) {
  return v3_add(s->mover->center, m3_mulv(&s->mover->X->R, x));
}
static v3 turn(const seen* s, v3 u) { return m3_mulv(&s->mover->X->R, u); }

static void set_face(const seen* s, v3 normal, double room, cr_part* part) {
  part->kind = CR_PART_FACE;
  part->normal = turn(s, normal);
  part->room = room;
  part->cone = v3_norm(v3_sub(normal, s->m)) < s->mover->along ? 1 : -1;
}

/* --- Primitive shapes --------------------------------------------------------------------------
 */

/* The face of a box that lies flattest across m, and how far x is from its sides. */
static void find_box_face(const seen* s, cr_part* part) {
  v3 size = v3_abs(s->m);
  int axis = size.y > size.x ? 1 : 0;
  if (size.z > v3_get(size, axis)) axis = 2;
  double room = INFINITY;
  for (int i = 0; i < 3; i++)
    if (i != axis) room = smaller(room, s->shape->size[i] - fabs(v3_get(s->x, i)));
  set_face(s, v3_set(v3_zero(), axis, copysign(1, v3_get(s->m, axis))), room, part);
}

static void find_box(const seen* s, cr_part* part) {
  int outside = 0, along = 0;
  double cone = INFINITY;
  for (int i = 0; i < 3; i++) { /* the sides that x is on; `along`: the last one that it is not */
    double at = v3_get(s->x, i);
    if (fabs(at) < s->shape->size[i] - s->width) {
      along = i;
      continue;
    }
    outside++;
    cone = smaller(cone, copysign(1, at) * v3_get(s->m, i));
  }
  if (outside == 1) find_box_face(s, part);
  if (outside < 2) return;
  part->kind = outside == 3 ? CR_PART_VERTEX : CR_PART_EDGE;
  part->cone = cone;
  if (outside == 3) return;
  part->u = m3_column(&s->mover->X->R, along);
  part->room = s->shape->size[along] - fabs(v3_get(s->x, along));
  if (fabs(v3_get(s->m, along)) > s->mover->along) part->cone = -1;
}

static void set_side(const seen* s, double z, cr_part* part) {
  part->kind = CR_PART_SIDE;
  part->u = m3_column(&s->mover->X->R, 2);
  part->center = to_world(s, v3_make(0, 0, z));
  part->radius = s->shape->size[0];
  part->cone = fabs(s->m.z) < s->mover->along ? 1 : -1;
}

/* The end's ball where it leads along the normal and x lies straight along that from its centre; at
 * the other end x is the end of the side's line. */
static void find_capsule(const seen* s, cr_part* part) {
  double half = s->shape->size[1], end = copysign(1, s->x.z), beyond = end * s->x.z - half;
  v3 middle = v3_make(0, 0, end * half);
  v3 straight = v3_axpy(middle, s->shape->size[0], s->m);
  bool is_straight =
      v3_norm(v3_sub(s->x, straight)) < s->mover->along * s->shape->size[0] + s->width;
  if (beyond > s->width || (beyond > -s->width && is_straight && end * s->m.z >= 0)) {
    part->kind = CR_PART_BALL;
    part->center = to_world(s, middle);
    part->u = turn(s, v3_make(0, 0, end));
    part->radius = s->shape->size[0];
    part->cone = is_straight ? end * s->m.z : -1;
    return;
  }
  set_side(s, s->x.z, part);
  part->is_end = beyond > -s->width;
  part->room = part->is_end ? fabs(s->m.z) * half : -beyond;
}

static void find_cylinder(const seen* s, cr_part* part) {
  double radius = s->shape->size[0], half = s->shape->size[1], end = copysign(1, s->x.z);
  v3 radial = v3_make(s->x.x, s->x.y, 0);
  double across = v3_norm(radial);
  if (across < radius - s->width) {
    set_face(s, v3_make(0, 0, end), radius - across, part);
    return;
  }
  if (end * s->x.z < half - s->width) {
    set_side(s, s->x.z, part);
    part->room = half - end * s->x.z;
    return;
  }
  radial = v3_scale(1 / across, radial);
  part->kind = CR_PART_RIM;
  part->u = turn(s, v3_make(0, 0, end));
  part->center = to_world(s, v3_make(0, 0, end * half));
  part->radius = radius;
  part->cone = smaller(v3_dot(radial, s->m), end * s->m.z);
  if (fabs(v3_dot(s->m, v3_cross(v3_make(0, 0, 1), radial))) > s->mover->along) part->cone = -1;
}

static void find_ellipsoid(const seen* s, cr_part* part) {
  v3 half = v3_load(s->shape->size);
  m3 square = m3_diagonal(v3_mul(half, half)), back = m3_transpose(&s->mover->X->R);
  square = m3_mul(&square, &back);
  part->kind = CR_PART_ROUND;
  part->center = s->mover->center;
  part->square = m3_mul(&s->mover->X->R, &square);
}

/* --- Hulls --------------------------------------------------------------------------------------
 */

static void find_hull_face(const seen* s, int face, cr_part* part) {
  const cr_hull* hull = s->shape->hull;
  v3 normal = cr_hull_normal(hull, face);
  int first = hull->face_start[face], end = hull->face_start[face + 1];
  if (fabs(v3_dot(normal, s->x) - hull->plane[4 * face + 3]) > s->width) return;
  double room = INFINITY;
  v3 a = cr_hull_vertex(hull, hull->face_vertex[end - 1]);
  for (int i = first; i < end; i++) {
    v3 b = cr_hull_vertex(hull, hull->face_vertex[i]);
    v3 inward = v3_normalize_or(v3_cross(normal, v3_sub(b, a)), normal);
    room = smaller(room, v3_dot(inward, v3_sub(s->x, a)));
    a = b;
  }
  set_face(s, normal, room, part);
}

/* The least sine by which edges at a vertex fall away from m, but that to `other`, each seen across
 * `u` where that is not zero. */
static double find_fall(const seen* s, int vertex, int other, v3 u) {
  const cr_hull* hull = s->shape->hull;
  double least = INFINITY;
  for (int i = hull->neighbor_start[vertex]; i < hull->neighbor_start[vertex + 1]; i++) {
    if (hull->neighbor[i] == other) continue;
    v3 e = v3_sub(cr_hull_vertex(hull, hull->neighbor[i]), cr_hull_vertex(hull, vertex));
    e = v3_axpy(e, -v3_dot(e, u), u);
    least = smaller(least, -v3_dot(s->m, e) / v3_norm(e));
  }
  return least;
}

static void find_hull_edge(const seen* s, int half_edge, cr_part* part) {
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
  part->u = turn(s, u);
  part->room = smaller(at, length - at);
  part->cone = smaller(find_fall(s, low, other, u), find_fall(s, other, low, u));
  if (fabs(v3_dot(s->m, u)) > s->mover->along) part->cone = -1;
}

/* The vertex, edge or face of a name, see contact.c, if x lies there. */
static void try_hull_name(const seen* s, int name, cr_part* part) {
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
static void find_hull(const seen* s, cr_part* part) {
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

/* --- Surfaces -----------------------------------------------------------------------------------
 */

/* What the triangles that meet at a point say of it. */
typedef struct around {
  int count;                     /* of triangles */
  cr_facet facet;                /* the one that lies flattest across m */
  int triangle;                  /* its number */
  bool is_level;                 /* all normals are one */
  bool is_vertex;                /* at a corner */
  bool is_edge;                  /* on a side that is not level */
  bool is_inner;                 /* on one that is level, if on no other */
  v3 u;                          /* along that side */
  double edge_room;              /* m */
  double vertex_fall, edge_fall; /* least sines by which sides, or triangles, fall away from m */
} around;

static bool is_level_side(const cr_trisurface* surface, const cr_facet* f, int triangle, int side) {
  v3 beyond;
  if (!cr_trisurface_find_opposite(surface, triangle, side, &beyond)) return false;
  return fabs(v3_dot(f->normal, v3_sub(beyond, f->corner[side]))) <= 1e-7 * f->extent;
}

static bool holds(const cr_facet* f, v3 x, double width) {
  if (fabs(v3_dot(f->normal, v3_sub(x, f->corner[0]))) > width) return false;
  for (int i = 0; i < 3; i++) {
    v3 along = v3_sub(f->corner[(i + 1) % 3], f->corner[i]);
    v3 inward = v3_normalize_or(v3_cross(f->normal, along), f->normal);
    if (v3_dot(inward, v3_sub(x, f->corner[i])) < -width) return false;
  }
  return true;
}

/* A corner or side of a triangle at x. */
static void look_at_side(const seen* s, const cr_facet* f, int triangle, int side, around* near) {
  v3 a = f->corner[side], b = f->corner[(side + 1) % 3], c = f->corner[(side + 2) % 3];
  v3 along = v3_sub(b, a), from = v3_sub(s->x, a);
  double length = v3_norm(along);
  v3 u = v3_scale(1 / length, along), inward = v3_cross(f->normal, u);
  if (v3_norm(from) <= s->width) {
    near->is_vertex = true;
    v3 back = v3_sub(c, a);
    near->vertex_fall = smaller(near->vertex_fall, -v3_dot(s->m, u));
    near->vertex_fall = smaller(near->vertex_fall, -v3_dot(s->m, back) / v3_norm(back));
  }
  bool is_inner = is_level_side(s->shape->surface, f, triangle, side);
  if (fabs(v3_dot(inward, from)) > s->width || (is_inner && near->is_edge)) return;
  near->is_edge = !is_inner;
  near->is_inner = is_inner;
  near->u = u;
  near->edge_room = smaller(v3_dot(u, from), length - v3_dot(u, from));
  if (!is_inner) near->edge_fall = smaller(near->edge_fall, -v3_dot(s->m, inward));
}

static around look_around(const seen* s) {
  v3 reach = v3_make(2 * s->width, 2 * s->width, 2 * s->width);
  around near = {.is_level = true, .vertex_fall = INFINITY, .edge_fall = INFINITY};
  cr_aabb box = {v3_sub(s->x, reach), v3_add(s->x, reach)};
  cr_trisurface_walk walk = cr_trisurface_begin(s->shape->surface, &box);
  for (int i; (i = cr_trisurface_next(&walk)) >= 0;) {
    cr_facet f;
    cr_trisurface_get(s->shape->surface, i, &f);
    if (!holds(&f, s->x, s->width)) continue;
    if (near.count > 0 && v3_norm(v3_sub(f.normal, near.facet.normal)) > 1e-7)
      near.is_level = false;
    for (int side = 0; side < 3; side++) look_at_side(s, &f, i, side, &near);
    if (near.count++ > 0 && v3_dot(f.normal, s->m) <= v3_dot(near.facet.normal, s->m)) continue;
    near.facet = f;
    near.triangle = i;
  }
  return near;
}

/* The triangle that lies flattest, up to its sides that are not level. */
static void find_triangle(const seen* s, const around* near, cr_part* part) {
  const cr_facet* f = &near->facet;
  double room = INFINITY;
  for (int i = 0; i < 3; i++) {
    if (is_level_side(s->shape->surface, f, near->triangle, i)) continue;
    v3 along = v3_sub(f->corner[(i + 1) % 3], f->corner[i]);
    v3 inward = v3_normalize_or(v3_cross(f->normal, along), f->normal);
    room = smaller(room, v3_dot(inward, v3_sub(s->x, f->corner[i])));
  }
  set_face(s, f->normal, room, part);
}

static void set_surface_edge(const seen* s, const around* near, cr_part* part) {
  part->kind = CR_PART_EDGE;
  part->u = turn(s, near->u);
  part->room = near->edge_room;
  part->cone = fabs(v3_dot(near->u, s->m)) > s->mover->along ? -1 : near->edge_fall;
}

static void find_surface(const seen* s, cr_part* part) {
  around near = look_around(s);
  if (near.count == 0) return;
  if (near.is_vertex && !near.is_level) {
    part->kind = CR_PART_VERTEX;
    part->cone = near.vertex_fall;
  } else if (near.is_edge) {
    set_surface_edge(s, &near, part);
  } else {
    find_triangle(s, &near, part);
  }
}

/* --- All ---------------------------------------------------------------------------------------
 */

static bool is_surface(const cr_mover* mover) { return mover->shape->surface && !mover->is_hull; }

static seen look(const cr_mover* mover, v3 x, v3 outward, double width) {
  const m3* R = &mover->X->R;
  return (seen){.mover = mover,
                .shape = mover->shape,
                .x = m3_tmulv(R, v3_sub(x, mover->center)),
                .m = m3_tmulv(R, outward),
                .width = width};
}

static void find(const seen* s, cr_part* part) {
  if (is_surface(s->mover)) {
    find_surface(s, part);
    return;
  }
  switch (s->shape->type) {
  case CAROM_GEOM_PLANE:
    set_face(s, v3_make(0, 0, 1), INFINITY, part);
    break;
  case CAROM_GEOM_SPHERE:
    part->kind = CR_PART_BALL;
    part->center = s->mover->center;
    part->radius = s->shape->size[0];
    break;
  case CAROM_GEOM_CAPSULE:
    find_capsule(s, part);
    break;
  case CAROM_GEOM_CYLINDER:
    find_cylinder(s, part);
    break;
  case CAROM_GEOM_BOX:
    find_box(s, part);
    break;
  case CAROM_GEOM_ELLIPSOID:
    find_ellipsoid(s, part);
    break;
  case CAROM_GEOM_MESH:
    find_hull(s, part);
    break;
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
}

cr_part cr_part_find(const cr_mover* mover, v3 x, v3 outward, double width, uint32_t feature) {
  cr_part part = {.x = x, .outward = outward, .room = INFINITY, .cone = 1};
  seen s = look(mover, x, outward, width);
  s.feature = feature;
  find(&s, &part);
  return part;
}

bool cr_part_flatten(const cr_mover* mover, double width, cr_part* part) {
  bool has_faces =
      part->kind == CR_PART_EDGE || part->kind == CR_PART_VERTEX || part->kind == CR_PART_RIM;
  seen s = look(mover, part->x, part->outward, width);
  if (!has_faces) return part->kind == CR_PART_FACE;
  part->kind = CR_PART_NONE;
  if (is_surface(mover)) {
    around near = look_around(&s);
    if (near.count > 0) find_triangle(&s, &near, part);
  } else if (mover->shape->type == CAROM_GEOM_BOX) {
    find_box_face(&s, part);
  } else if (mover->shape->type == CAROM_GEOM_CYLINDER) {
    set_face(&s, v3_make(0, 0, copysign(1, s.x.z)), 0, part);
  } else {
    find_hull_face(&s, cr_hull_look(mover->shape->hull, s.m).face, part);
  }
  return part->kind == CR_PART_FACE;
}

bool cr_part_sharpen(const cr_mover* mover, double width, int freedom, cr_part* part) {
  if (!is_surface(mover) || part->kind != CR_PART_FACE) return false;
  seen s = look(mover, part->x, part->outward, width);
  around near = look_around(&s);
  if (freedom == 0 && near.is_vertex) {
    part->kind = CR_PART_VERTEX;
    return true;
  }
  if (freedom == 1 && near.is_inner) set_surface_edge(&s, &near, part);
  return freedom == 1 && near.is_inner;
}

/* Adds w w^T, in components, to C and D with factors. */
static void add_direction(v3 w, const v3 t[2], const double factor[2], double C[2][2],
                          double D[2][2]) {
  double at[2] = {v3_dot(w, t[0]), v3_dot(w, t[1])};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      C[i][k] += factor[0] * at[i] * at[k];
      D[i][k] += factor[1] * at[i] * at[k];
    }
}

/* By the two principal directions, of which one is along the edge, axis or rim. */
static void find_law_of_line(const cr_part* part, const v3 t[2], double length, double C[2][2],
                             double D[2][2]) {
  v3 m = part->outward, w = v3_normalize_or(v3_cross(m, part->u), t[0]);
  double free[2] = {0, 1}, fixed[2] = {1, 0}, round[2] = {1, part->radius / length};
  if (part->kind == CR_PART_RIM) { /* w runs along the rim */
    v3 radial = v3_scale(1 / part->radius, v3_sub(part->x, part->center));
    w = v3_normalize_or(v3_cross(part->u, radial), t[0]);
    round[1] /= v3_dot(m, radial);
    add_direction(w, t, round, C, D);
    add_direction(v3_cross(m, w), t, fixed, C, D);
    return;
  }
  add_direction(v3_cross(w, m), t, free, C, D);
  add_direction(w, t, part->kind == CR_PART_EDGE ? fixed : round, C, D);
}

/* The derivative of an ellipsoid's support point by the normal: (W - x x^T) / |x.m| with x from the
 * centre, x = W m / |x.m|. */
static void find_law_of_ellipsoid(const cr_part* part, const v3 t[2], double length,
                                  double D[2][2]) {
  v3 m = part->outward, w = m3_mulv(&part->square, m);
  double q = sqrt(v3_dot(m, w));
  v3 x = v3_scale(1 / q, w);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      D[i][k] = (v3_dot(t[i], m3_mulv(&part->square, t[k])) - v3_dot(t[i], x) * v3_dot(t[k], x)) /
                (q * length);
}

void cr_part_find_law(const cr_part* part, const v3 t[2], double length, double C[2][2],
                      double D[2][2]) {
  for (int i = 0; i < 4; i++) C[i / 2][i % 2] = D[i / 2][i % 2] = 0;
  switch (part->kind) {
  case CR_PART_NONE:
    break;
  case CR_PART_FACE:
    D[0][0] = D[1][1] = 1;
    break;
  case CR_PART_VERTEX:
    C[0][0] = C[1][1] = 1;
    break;
  case CR_PART_BALL:
    C[0][0] = C[1][1] = 1;
    D[0][0] = D[1][1] = part->radius / length;
    break;
  case CR_PART_ROUND:
    C[0][0] = C[1][1] = 1;
    find_law_of_ellipsoid(part, t, length, D);
    break;
  case CR_PART_EDGE:
  case CR_PART_SIDE:
  case CR_PART_RIM:
    find_law_of_line(part, t, length, C, D);
    break;
  }
}

v3 cr_part_find_miss(const cr_part* part) {
  v3 u = part->u, m = part->outward;
  if (part->kind == CR_PART_FACE) return v3_sub(part->normal, m);
  if (part->kind == CR_PART_RIM)
    u = v3_normalize_or(v3_cross(u, v3_sub(part->x, part->center)), u);
  else if (part->kind != CR_PART_EDGE && part->kind != CR_PART_SIDE)
    return v3_zero();
  return v3_scale(-v3_dot(u, m), u);
}

void cr_part_move(cr_part* part, v3 by, v3 outward) {
  v3 x = part->x = v3_add(part->x, by), u = part->u;
  part->outward = outward;
  switch (part->kind) {
  case CR_PART_ROUND:
    x = m3_mulv(&part->square, outward);
    part->x = v3_axpy(part->center, 1 / sqrt(v3_dot(outward, x)), x);
    break;
  case CR_PART_BALL:
    part->x = v3_axpy(part->center, part->radius, outward);
    break;
  case CR_PART_SIDE:
    part->center = v3_axpy(part->center, v3_dot(by, u), u);
    x = v3_axpy(outward, -v3_dot(outward, u), u);
    part->x = v3_axpy(part->center, part->radius, v3_normalize_or(x, outward));
    break;
  case CR_PART_RIM:
    x = v3_sub(x, part->center);
    x = v3_axpy(x, -v3_dot(x, u), u);
    part->x = v3_axpy(part->center, part->radius, v3_normalize_or(x, outward));
    break;
  default:
    break;
  }
}

/* The support point of an ellipsoid: from the turn of the normal relative to the shape. */
static jet3 follow_ellipsoid(const cr_mover* mover, const cr_part* part, const jet3* m) {
  jet3 x = cr_mover_carry_point(mover, part->x), fixed = cr_mover_carry_vector(mover, m->x);
  v3 w = m3_mulv(&part->square, m->x);
  double q = sqrt(v3_dot(m->x, w));
  v3 at = v3_scale(1 / q, w);
  for (int i = 0; i < JET_SIZE; i++) {
    v3 turned = v3_sub(m->d[i], fixed.d[i]);
    v3 moved = v3_axpy(m3_mulv(&part->square, turned), -v3_dot(at, turned), at);
    x.d[i] = v3_axpy(x.d[i], 1 / q, moved);
  }
  return x;
}

jet3 cr_part_follow(const cr_mover* mover, const cr_part* part, const jet3* m) {
  if (part->kind == CR_PART_ROUND) return follow_ellipsoid(mover, part, m);
  if (part->kind != CR_PART_BALL && part->kind != CR_PART_SIDE)
    return cr_mover_carry_point(mover, part->x);
  jet3 out = *m, center = cr_mover_carry_point(mover, part->center);
  if (part->kind == CR_PART_SIDE)
    out = jet3_normalize(jet3_reject(out, cr_mover_carry_vector(mover, part->u)));
  return jet3_axpy(center, part->radius, out);
}
