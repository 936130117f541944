/* Where a convex body is looked at that is touched by a piece of a surface, and how that moves with
 * both. A d before a name is its change; where there is none nothing moves. */
#include "geom/field_piece.h"
#include "geom/triangle.h"

#include <math.h>

/* A point and its change. */
typedef struct moved {
  v3 at, d;
} moved;

/* In the shape's frame. */
typedef struct scene {
  const cr_shape* shape;
  double dsize[3]; /* of its sizes */
  int count;
  moved corner[CR_FIELD_CORNERS], normal;
} scene;

/* The point of the axis or the middle of a shape that is nearest to x. */
static moved find_core(const scene* s, const moved* x) {
  bool is_capsule = s->shape->type == CAROM_GEOM_CAPSULE;
  double half = is_capsule                              ? s->shape->size[1]
                : s->shape->type == CAROM_GEOM_CYLINDER ? INFINITY
                                                        : 0;
  moved core = {v3_make(0, 0, fmax(fmin(x->at.z, half), -half)), v3_zero()};
  if (fabs(x->at.z) < half)
    core.d.z = x->d.z;
  else if (is_capsule)
    core.d.z = copysign(s->dsize[1], x->at.z);
  return core;
}

/* Of the point of the line from p to q nearest to x. */
static v3 side_change(const moved* p, const moved* q, const moved* x) {
  v3 e = v3_sub(q->at, p->at), de = v3_sub(q->d, p->d), to = v3_sub(x->at, p->at);
  double length2 = v3_norm2(e), s = v3_dot(to, e) / length2;
  double ds = (v3_dot(v3_sub(x->d, p->d), e) + v3_dot(v3_axpy(to, -2 * s, e), de)) / length2;
  return v3_axpy(v3_axpy(p->d, s, de), ds, e);
}

/* Of the point of a triangle's plane. */
static v3 plane_change(const moved c[3], const moved* x) {
  v3 p = v3_sub(c[1].at, c[0].at), q = v3_sub(c[2].at, c[0].at), cross = v3_cross(p, q);
  v3 dcross = v3_add(v3_cross(v3_sub(c[1].d, c[0].d), q), v3_cross(p, v3_sub(c[2].d, c[0].d)));
  v3 n = v3_normalize_or(cross, v3_zero()), dn = v3_normalize_change(cross, dcross);
  v3 to = v3_sub(x->at, c[0].at);
  double dheight = v3_dot(dn, to) + v3_dot(n, v3_sub(x->d, c[0].d));
  return v3_axpy(v3_axpy(x->d, -v3_dot(n, to), dn), -dheight, n);
}

/* The point of a triangle nearest to x. */
static moved find_nearest(const moved c[3], const moved* x) {
  const v3 corner[3] = {c[0].at, c[1].at, c[2].at};
  double weight[3];
  moved out = {.at = cr_triangle_find_nearest(corner, x->at, weight)};
  int on[3], count = 0;
  for (int i = 0; i < 3; i++)
    if (weight[i] > 0) on[count++] = i;
  out.d = count == 1   ? c[on[0]].d
          : count == 2 ? side_change(&c[on[0]], &c[on[1]], x)
                       : plane_change(c, x);
  return out;
}

/* From the middle of a shape to a triangle, in coordinates in which an ellipsoid is a ball:
 * projections in turn, which end at the nearest points of both. */
static moved find_direction(const scene* s) {
  const double* size = s->shape->size;
  v3 by = v3_make(1, 1, 1), dby = v3_zero(), up = v3_make(0, 0, 1);
  if (s->shape->type == CAROM_GEOM_ELLIPSOID) {
    by = v3_make(1 / size[0], 1 / size[1], 1 / size[2]);
    dby = v3_neg(v3_mul(v3_mul(by, by), v3_load(s->dsize)));
  }
  moved core = {v3_zero(), v3_zero()}, x = core, corner[3];
  for (int i = 0; i < 3; i++) {
    v3 at = s->corner[i].at;
    corner[i] = (moved){v3_mul(by, at), v3_add(v3_mul(by, s->corner[i].d), v3_mul(dby, at))};
  }
  for (int i = 0; i < 4; i++) {
    x = find_nearest(corner, &core);
    core = find_core(s, &x);
  }
  v3 u = v3_normalize_or(v3_sub(x.at, core.at), up), to = v3_mul(by, u);
  v3 du = v3_normalize_change(v3_sub(x.at, core.at), v3_sub(x.d, core.d));
  return (moved){v3_normalize_or(to, up),
                 v3_normalize_change(to, v3_add(v3_mul(by, du), v3_mul(dby, u)))};
}

/* How far the outermost point along a direction u moves along it as sizes do. */
static double find_growth(const scene* s, v3 u) {
  const double *size = s->shape->size, *d = s->dsize;
  double across = hypot(u.x, u.y), up = fabs(u.z);
  switch (s->shape->type) {
  case CAROM_GEOM_SPHERE:
    return d[0];
  case CAROM_GEOM_CAPSULE:
    return d[0] + up * d[1];
  case CAROM_GEOM_CYLINDER:
    return across * d[0] + up * d[1];
  case CAROM_GEOM_BOX:
    return v3_dot(v3_abs(u), v3_load(d));
  case CAROM_GEOM_ELLIPSOID: {
    v3 to = v3_mul(v3_load(size), u);
    return v3_dot(v3_mul(v3_load(d), u), v3_normalize_or(to, v3_zero()));
  }
  default:
    return 0;
  }
}

/* The layer of a shape that has what lies along a direction. */
static double find_layer(const scene* s, const moved* outward, double* change) {
  bool is_plane = s->shape->type == CAROM_GEOM_PLANE;
  v3 top = is_plane ? v3_zero() : cr_shape_compute_support(s->shape, outward->at);
  int lowest = 0;
  for (int i = 1; i < s->count; i++)
    if (v3_dot(outward->at, s->corner[i].at) < v3_dot(outward->at, s->corner[lowest].at))
      lowest = i;
  v3 layer = v3_sub(top, s->corner[lowest].at);
  *change = v3_dot(outward->d, layer) - v3_dot(outward->at, s->corner[lowest].d) +
            find_growth(s, outward->at);
  return v3_dot(outward->at, layer);
}

static scene find_scene(const cr_field_seen* seen, v3 origin) {
  const pose* X = seen->body->X;
  const cr_field_piece *piece = seen->piece, *change = seen->change;
  const cr_field_carrier* c = seen->carrier;
  scene s = {.shape = seen->body->shape, .count = piece->count};
  for (int i = 0; i < piece->count; i++) {
    v3 arm = v3_add(piece->corner[i], v3_sub(origin, X->p));
    s.corner[i].at = m3_tmulv(&X->R, arm);
    if (!change) continue;
    v3 carried = v3_add(c->way, v3_cross(c->turn, arm));
    s.corner[i].d = m3_tmulv(&X->R, v3_sub(change->corner[i], carried));
  }
  for (int i = 0; i < 3 && change; i++) s.dsize[i] = c->size[i];
  s.normal.at = m3_tmulv(&X->R, piece->normal);
  if (change)
    s.normal.d = m3_tmulv(&X->R, v3_sub(change->normal, v3_cross(c->turn, piece->normal)));
  return s;
}

/* From the middle of the shape to the triangle, or across that: whichever layer is thinner. */
bool cr_field_find_view(const cr_field_seen* seen, v3 origin, cr_field_view* view) {
  const m3* R = &seen->body->X->R;
  scene s = find_scene(seen, origin);
  bool is_plane = s.shape->type == CAROM_GEOM_PLANE;
  moved to[2] = {{v3_make(0, 0, 1), v3_zero()}, {v3_neg(s.normal.at), v3_neg(s.normal.d)}};
  double depth[2] = {0, INFINITY}, change[2] = {0, 0};
  if (!is_plane) to[0] = find_direction(&s);
  for (int k = 0; k < (is_plane ? 1 : 2); k++) depth[k] = find_layer(&s, &to[k], &change[k]);
  int thinner = depth[1] < depth[0];
  *view = (cr_field_view){.outward = m3_mulv(R, to[thinner].at),
                          .depth = depth[thinner],
                          .origin = origin,
                          .ddepth = change[thinner]};
  if (seen->change)
    view->doutward =
        v3_add(m3_mulv(R, to[thinner].d), v3_cross(seen->carrier->turn, view->outward));
  return view->depth > 0;
}
