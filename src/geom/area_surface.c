/* The area of a surface that lies on a face: triangles level with the contact's plane, cut by the
 * convex face of the other shape, or by those triangles of another surface that are level, too.
 * They are gone through twice, for the sums up to second moments and, about the center, for the
 * mean distance, so that nothing has to be kept of them.
 *
 * A cylinder's cap is taken for a polygon of as much area. */
#include "geom/area_surface.h"

#include "geom/surface.h"

#include <math.h>
#include <string.h>

#define SIDES   32   /* of a cap, */
#define CORNERS 128  /* of a face, at most */
#define ALONG   1e-6 /* 1 less the cosine to the normal: a face's and a triangle's */
#define MOST    (CORNERS + 3)

/* A convex polygon across the normal. */
typedef struct outline {
  int count;
  double x[MOST][2]; /* m */
  bool is_cut[MOST]; /* the side from there to the next: it is one of what it was cut by */
} outline;

static void project(const cr_area_look* look, v3 x, double* out) {
  v3 from = v3_sub(x, look->origin);
  for (int k = 0; k < 2; k++) out[k] = v3_dot(look->t[k], from);
}

/* --- The face -----------------------------------------------------------------------------------
 */

static bool find_box_face(const cr_area_look* look, int side, outline* face) {
  const cr_shape* shape = look->shape[side];
  const pose* X = look->X[side];
  v3 up = m3_tmulv(&X->R, look->normal);
  const double n[3] = {up.x, up.y, up.z};
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) > fabs(n[axis])) axis = k;
  if (fabs(n[axis]) < 1 - ALONG) return false;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  face->count = 4;
  for (int i = 0; i < 4; i++) {
    double x[3] = {0, 0, 0};
    x[u] = (i == 1 || i == 2 ? 1 : -1) * shape->size[u];
    x[v] = (i > 1 ? 1 : -1) * shape->size[v];
    project(look, pose_point(X, v3_load(x)), face->x[i]);
  }
  return true;
}

static bool find_cap(const cr_area_look* look, int side, outline* face) {
  const pose* X = look->X[side];
  double turn = 2 * M_PI / SIDES, center[2];
  double r = look->shape[side]->size[0] * sqrt(turn / sin(turn));
  if (fabs(m3_tmulv(&X->R, look->normal).z) < 1 - ALONG) return false;
  project(look, X->p, center);
  face->count = SIDES;
  for (int i = 0; i < SIDES; i++) {
    face->x[i][0] = center[0] + r * cos(i * turn);
    face->x[i][1] = center[1] + r * sin(i * turn);
  }
  return true;
}

static bool find_hull_face(const cr_area_look* look, int side, outline* face) {
  const cr_hull* hull = look->shape[side]->hull;
  const pose* X = look->X[side];
  v3 up = m3_tmulv(&X->R, side ? v3_neg(look->normal) : look->normal);
  int f = cr_hull_look(hull, up).face, first = hull->face_start[f];
  face->count = hull->face_start[f + 1] - first;
  if (v3_dot(cr_hull_normal(hull, f), up) < 1 - ALONG || face->count > CORNERS) return false;
  for (int i = 0; i < face->count; i++)
    project(look, pose_point(X, cr_hull_vertex(hull, hull->face_vertex[first + i])), face->x[i]);
  return true;
}

/* No corners: all of the plane. */
static bool find_face(const cr_area_look* look, int side, outline* face) {
  const cr_shape* shape = look->shape[side];
  face->count = 0;
  if (shape->type == CAROM_GEOM_PLANE) return true;
  if (shape->type == CAROM_GEOM_BOX) return find_box_face(look, side, face);
  if (shape->hull) return find_hull_face(look, side, face);
  return shape->type == CAROM_GEOM_CYLINDER && find_cap(look, side, face);
}

/* Whether the corners of a convex polygon run clockwise. */
static bool is_clockwise(const outline* p) {
  const double *a = p->x[0], *b = p->x[1], *c = p->x[2];
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0;
}

static void turn_round(outline* p) {
  for (int i = 0, k = p->count - 1; i < k; i++, k--) {
    double x[2];
    memcpy(x, p->x[i], sizeof x);
    memcpy(p->x[i], p->x[k], sizeof x);
    memcpy(p->x[k], x, sizeof x);
  }
}

/* --- Triangles ----------------------------------------------------------------------------------
 */

/* What lies on the left of a side. */
static void clip(const double* from, const double* to, const outline* in, outline* out) {
  double e[2] = {to[0] - from[0], to[1] - from[1]};
  out->count = 0;
  for (int i = 0; i < in->count; i++) {
    const double *p = in->x[i], *q = in->x[i + 1 < in->count ? i + 1 : 0];
    double here = e[0] * (p[1] - from[1]) - e[1] * (p[0] - from[0]);
    double there = e[0] * (q[1] - from[1]) - e[1] * (q[0] - from[0]);
    if (here >= 0) {
      out->is_cut[out->count] = in->is_cut[i];
      memcpy(out->x[out->count++], p, sizeof out->x[0]);
    }
    if ((here >= 0) == (there >= 0)) continue;
    double s = here / (here - there);
    out->is_cut[out->count] = here >= 0 || in->is_cut[i];
    for (int k = 0; k < 2; k++) out->x[out->count][k] = p[k] + s * (q[k] - p[k]);
    out->count++;
  }
}

/* What is left of a polygon within a face. */
static void cut(const outline* face, outline* part) {
  outline other;
  for (int i = 0; i < face->count && part->count > 2; i++) {
    clip(face->x[i], face->x[i + 1 < face->count ? i + 1 : 0], part, &other);
    *part = other;
  }
}

static v3 find_middle(const cr_area_look* look) {
  return v3_scale(0.5, v3_add(look->low, look->high));
}

/* A triangle of side `mesh` where it is level and its plane within reach of where they touch. */
static bool find_triangle(const cr_area_look* look, int mesh, int triangle, outline* part) {
  cr_facet f;
  cr_trisurface_get(look->shape[mesh]->surface, triangle, &f);
  const pose* X = look->X[mesh];
  v3 normal = m3_mulv(&X->R, f.normal), corner = pose_point(X, f.corner[0]);
  double sign = mesh ? -1 : 1, height = v3_dot(normal, v3_sub(find_middle(look), corner));
  if (sign * v3_dot(normal, look->normal) < 1 - ALONG || fabs(height) > look->reach) return false;
  part->count = 3;
  for (int i = 0; i < 3; i++) {
    project(look, pose_point(X, f.corner[i]), part->x[i]);
    part->is_cut[i] = false;
  }
  if (mesh) turn_round(part);
  return true;
}

/* Bounds in the mesh's frame of where they touch, with room for what lies between the points. */
static cr_aabb find_bounds(const cr_area_look* look, const pose* X) {
  v3 middle = pose_inverse_point(X, find_middle(look));
  double r = 0.75 * v3_norm(v3_sub(look->high, look->low)) + look->reach;
  v3 n = m3_tmulv(&X->R, look->normal);
  v3 half = v3_make(r * sqrt(fmax(1 - n.x * n.x, 0)), r * sqrt(fmax(1 - n.y * n.y, 0)),
                    r * sqrt(fmax(1 - n.z * n.z, 0)));
  half = v3_add(half, v3_make(look->reach, look->reach, look->reach));
  return (cr_aabb){v3_sub(middle, half), v3_add(middle, half)};
}

/* What goes through the polygons. */
typedef struct visit {
  const cr_area_look* look;
  int mesh;     /* the side whose triangles are gone through */
  outline face; /* of the other, where that is no surface */
  cr_area_taker* take;
  cr_area_side_taker* take_side; /* in place of that */
  void* user;
} visit;

static bool give(const visit* v, const outline* part) {
  if (part->count < 3) return true;
  if (v->take) return v->take(v->user, part->x, part->count);
  for (int i = 0; i < part->count; i++)
    v->take_side(v->user, part->is_cut[i] ? !v->mesh : v->mesh, part->x[i],
                 part->x[i + 1 < part->count ? i + 1 : 0]);
  return true;
}

/* Bounds of a polygon in the frame of the other side. */
static cr_aabb find_polygon_bounds(const visit* v, const outline* part) {
  const cr_area_look* look = v->look;
  cr_aabb box = cr_aabb_empty();
  for (int i = 0; i < part->count; i++) {
    v3 x = v3_axpy(look->origin, part->x[i][0], look->t[0]);
    x = v3_axpy(x, part->x[i][1], look->t[1]);
    cr_aabb_cover(&box, pose_inverse_point(look->X[!v->mesh], x));
  }
  return cr_aabb_enlarge(box, look->reach);
}

/* What a triangle has in common with those of the other surface. */
static bool visit_triangles(const visit* v, const outline* own) {
  cr_aabb box = find_polygon_bounds(v, own);
  cr_trisurface_walk walk = cr_trisurface_begin(v->look->shape[!v->mesh]->surface, &box);
  outline theirs, part;
  for (int i = cr_trisurface_next(&walk); i >= 0; i = cr_trisurface_next(&walk)) {
    if (!find_triangle(v->look, !v->mesh, i, &theirs)) continue;
    part = *own;
    cut(&theirs, &part);
    if (!give(v, &part)) return false;
  }
  return true;
}

static void visit_all(const visit* v) {
  const cr_area_look* look = v->look;
  bool both = look->shape[!v->mesh]->surface != NULL;
  cr_aabb box = find_bounds(look, look->X[v->mesh]);
  cr_trisurface_walk walk = cr_trisurface_begin(look->shape[v->mesh]->surface, &box);
  outline part;
  bool goes_on = true;
  for (int i = cr_trisurface_next(&walk); i >= 0 && goes_on; i = cr_trisurface_next(&walk)) {
    if (!find_triangle(look, v->mesh, i, &part)) continue;
    if (!both) cut(&v->face, &part);
    goes_on = both ? visit_triangles(v, &part) : give(v, &part);
  }
}

/* False where the other side has no face that is level. */
static bool begin(const cr_area_look* look, visit* v) {
  v->look = look, v->mesh = look->shape[0]->surface ? 0 : 1, v->face.count = 0;
  v->take = NULL, v->take_side = NULL;
  if (look->shape[!v->mesh]->surface) return true;
  if (!find_face(look, !v->mesh, &v->face)) return false;
  if (v->face.count > 2 && is_clockwise(&v->face)) turn_round(&v->face);
  return true;
}

int cr_area_visit_surface(const cr_area_look* look, cr_area_taker* take, void* user) {
  visit v;
  if (!begin(look, &v)) return false;
  v.take = take, v.user = user;
  visit_all(&v);
  return true;
}

void cr_area_visit_sides(const cr_area_look* look, cr_area_side_taker* take, void* user) {
  visit v;
  if (!begin(look, &v)) return;
  v.take_side = take, v.user = user;
  visit_all(&v);
}

static bool add(void* sums, const double (*corner)[2], int count) {
  cr_area_add(sums, corner, count);
  return true;
}

int cr_area_measure_surface(const cr_area_look* look, cr_area_moments* moments) {
  cr_area_sums sums = {.count = 0};
  visit v;
  if (!begin(look, &v)) return false;
  v.take = add, v.user = &sums;
  visit_all(&v);
  if (!cr_area_find_center(&sums)) return false;
  visit_all(&v);
  cr_area_find_moments(&sums, moments);
  return true;
}
