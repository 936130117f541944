/* Vertices, edges and triangles of surfaces under witness points; see part.h. Sides between
 * triangles of one plane are no edges. */
#include "geom/part_seen.h"
#include "geom/surface.h"

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
static void look_at_side(const cr_seen* s, const cr_facet* f, int triangle, int side,
                         around* near) {
  v3 a = f->corner[side], b = f->corner[(side + 1) % 3], c = f->corner[(side + 2) % 3];
  v3 along = v3_sub(b, a), from = v3_sub(s->x, a);
  double length = v3_norm(along);
  v3 u = v3_scale(1 / length, along), inward = v3_cross(f->normal, u);
  if (v3_norm(from) <= s->width) {
    near->is_vertex = true;
    v3 back = v3_sub(c, a);
    near->vertex_fall = cr_smaller(near->vertex_fall, -v3_dot(s->m, u));
    near->vertex_fall = cr_smaller(near->vertex_fall, -v3_dot(s->m, back) / v3_norm(back));
  }
  bool is_inner = is_level_side(s->shape->surface, f, triangle, side);
  if (fabs(v3_dot(inward, from)) > s->width || (is_inner && near->is_edge)) return;
  near->is_edge = !is_inner;
  near->is_inner = is_inner;
  near->u = u;
  near->edge_room = cr_smaller(v3_dot(u, from), length - v3_dot(u, from));
  if (!is_inner) near->edge_fall = cr_smaller(near->edge_fall, -v3_dot(s->m, inward));
}

static around look_around(const cr_seen* s) {
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
static void find_triangle(const cr_seen* s, const around* near, cr_part* part) {
  const cr_facet* f = &near->facet;
  double room = INFINITY;
  for (int i = 0; i < 3; i++) {
    if (is_level_side(s->shape->surface, f, near->triangle, i)) continue;
    v3 along = v3_sub(f->corner[(i + 1) % 3], f->corner[i]);
    v3 inward = v3_normalize_or(v3_cross(f->normal, along), f->normal);
    room = cr_smaller(room, v3_dot(inward, v3_sub(s->x, f->corner[i])));
  }
  cr_seen_set_face(s, f->normal, room, part);
}

static void set_surface_edge(const cr_seen* s, const around* near, cr_part* part) {
  part->kind = CR_PART_EDGE;
  part->u = cr_seen_turn(s, near->u);
  part->room = near->edge_room;
  part->cone = fabs(v3_dot(near->u, s->m)) > s->mover->along ? -1 : near->edge_fall;
}

void cr_part_find_on_surface(const cr_seen* s, cr_part* part) {
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

void cr_part_flatten_on_surface(const cr_seen* s, cr_part* part) {
  around near = look_around(s);
  if (near.count > 0) find_triangle(s, &near, part);
}

bool cr_part_sharpen_on_surface(const cr_seen* s, int freedom, cr_part* part) {
  around near = look_around(s);
  if (freedom == 0 && near.is_vertex) {
    part->kind = CR_PART_VERTEX;
    return true;
  }
  if (freedom == 1 && near.is_inner) set_surface_edge(s, &near, part);
  return freedom == 1 && near.is_inner;
}
