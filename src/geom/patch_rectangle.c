/* Patches with a flat base and a polygon or line on it.
 *
 * Rectangle on rectangle: the other one's corners, seen along the normal in the base's plane, are
 * clipped by the base's four edges (Sutherland and Hodgman 1974). Line on a face: the interval of
 * the line over the face. */
#include "geom/patch.h"

/* A corner in the base's plane, with its height over it along the normal. */
typedef struct cr_corner {
  double x, y, height;
} cr_corner;

#define MAX_CORNERS 8

static cr_corner mix(const cr_corner* p, const cr_corner* q, double t) {
  return (cr_corner){p->x + t * (q->x - p->x), p->y + t * (q->y - p->y),
                     p->height + t * (q->height - p->height)};
}

/* Excess over the edge: 0 and 1 at +-hu, 2 and 3 at +-hv. */
static double beyond(const cr_corner* p, int edge, double half) {
  double x = edge < 2 ? p->x : p->y;
  return (edge & 1 ? -x : x) - half;
}

/* Clips a convex polygon by one edge, given the corners' excess. Corners within `slack` beyond it
 * stay; so do both ends of a side that runs along the edge, which would cross it wherever noise has
 * it. */
static int clip_by_edge(const cr_facing* facing, const double* excess, const cr_corner* in,
                        int count, cr_corner* out) {
  double width = CR_FEATURE_WIDTH * facing->pair->thickness;
  bool stays[MAX_CORNERS];
  for (int i = 0; i < count; i++) {
    double before = excess[i > 0 ? i - 1 : count - 1], after = excess[i + 1 < count ? i + 1 : 0];
    bool along = fabs(before) <= width || fabs(after) <= width;
    stays[i] = excess[i] <= facing->slack || (along && excess[i] <= width);
  }
  int num_out = 0;
  for (int i = 0; i < count; i++) {
    int k = i + 1 < count ? i + 1 : 0;
    if (stays[i] && num_out < MAX_CORNERS) out[num_out++] = in[i];
    if (stays[i] != stays[k] && (excess[i] > 0) != (excess[k] > 0) && num_out < MAX_CORNERS)
      out[num_out++] = mix(&in[i], &in[k], excess[i] / (excess[i] - excess[k]));
  }
  return num_out;
}

static cr_corner project_corner(const cr_facing* facing, v3 corner) {
  const cr_side* base = &facing->base;
  v3 foot = cr_patch_project(base, corner, facing->out);
  v3 at = v3_sub(foot, base->center);
  return (cr_corner){v3_dot(at, base->u), v3_dot(at, base->v),
                     v3_dot(v3_sub(corner, foot), facing->out)};
}

/* The feature of a rectangle's box at a point of its plane. */
static uint32_t name_feature(const cr_side* side, double x, double y, double width) {
  return (uint32_t)(side->face + side->step_u * cr_interval_side(x, side->hu, width) +
                    side->step_v * cr_interval_side(y, side->hv, width));
}

/* Enters a corner of the clipped polygon. */
static void add_corner(const cr_facing* facing, const cr_corner* p, cr_manifold* manifold) {
  const cr_side *base = &facing->base, *other = &facing->other;
  const cr_contact_pair* pair = facing->pair;
  v3 center = base->center;
  v3 foot = v3_axpy(v3_axpy(center, p->x, base->u), p->y, base->v);
  double x = cr_clamp(p->x, base->hu), y = cr_clamp(p->y, base->hv);
  v3 on_base = v3_axpy(v3_axpy(center, x, base->u), y, base->v);
  v3 on_other = v3_axpy(foot, p->height, facing->out), at = v3_sub(on_other, other->center);
  double width = cr_contact_width(pair);
  uint32_t of_base = name_feature(base, x, y, width);
  uint32_t of_other = name_feature(other, v3_dot(at, other->u), v3_dot(at, other->v), width);
  if (facing->base_is_b)
    cr_contact_add_named(pair, on_other, on_base, of_other, of_base, manifold);
  else
    cr_contact_add_named(pair, on_base, on_other, of_base, of_other, manifold);
}

/* A vector seen along the normal in the base's plane, which rises by 1 / cosine along its own
 * normal. */
static cr_corner flatten(const cr_side* base, v3 out, v3 rise, v3 x) {
  double height = v3_dot(rise, x);
  v3 flat = v3_axpy(x, -height, out);
  return (cr_corner){v3_dot(flat, base->u), v3_dot(flat, base->v), height};
}

/* The corners of the other rectangle, from its middle and half edges. */
static void project_corners(const cr_facing* facing, cr_corner* corner) {
  static const int sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const cr_side *base = &facing->base, *other = &facing->other;
  v3 out = facing->out, rise = v3_scale(1 / v3_dot(base->normal, out), base->normal);
  cr_corner m = flatten(base, out, rise, v3_sub(other->center, base->center));
  cr_corner u = flatten(base, out, rise, v3_scale(other->hu, other->u));
  cr_corner v = flatten(base, out, rise, v3_scale(other->hv, other->v));
  for (int i = 0; i < 4; i++) {
    int s = sign[i][0], t = sign[i][1];
    corner[i] = (cr_corner){m.x + s * u.x + t * v.x, m.y + s * u.y + t * v.y,
                            m.height + s * u.height + t * v.height};
  }
}

void cr_patch_rectangle_rectangle(const cr_facing* facing, cr_manifold* manifold) {
  cr_corner first[MAX_CORNERS], second[MAX_CORNERS];
  project_corners(facing, first);
  int count = 4;
  cr_corner *in = first, *out = second;
  for (int edge = 0; edge < 4; edge++) {
    double excess[MAX_CORNERS], most = -INFINITY;
    double half = edge < 2 ? facing->base.hu : facing->base.hv;
    for (int i = 0; i < count; i++) most = cr_max(most, excess[i] = beyond(&in[i], edge, half));
    if (most <= facing->slack) continue; /* nothing stands over it */
    count = clip_by_edge(facing, excess, in, count, out);
    cr_corner* swap = in;
    in = out;
    out = swap;
  }
  for (int i = 0; i < count; i++) add_corner(facing, &in[i], manifold);
}

/* Narrows [t0, t1] to where |p + t d| <= half, with slack. */
static void clip_by_slab(double p, double d, double half, double slack, double* t0, double* t1) {
  half += slack;
  if (fabs(p - d) <= half && fabs(p + d) <= half) return;
  if (d == 0) {
    *t1 = -INFINITY;
    return;
  }
  double low = (copysign(half, -d) - p) / d, high = (copysign(half, d) - p) / d;
  *t0 = cr_max(*t0, low);
  *t1 = cr_min(*t1, high);
}

/* Narrows [t0, t1] to where |(x, y) + t (dx, dy)| <= radius, with slack. */
static void clip_by_circle(cr_corner p, cr_corner d, double radius, double slack, double* t0,
                           double* t1) {
  double a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y;
  double cross = p.x * d.y - p.y * d.x, r2 = (radius + slack) * (radius + slack);
  double root2 = a * r2 - cross * cross;
  if (!(root2 >= 0) || a == 0) {
    if (p.x * p.x + p.y * p.y > r2) *t1 = -INFINITY;
    return;
  }
  *t0 = cr_max(*t0, (-b - sqrt(root2)) / a);
  *t1 = cr_min(*t1, (-b + sqrt(root2)) / a);
}

static bool is_over_base(const cr_facing* facing, v3 x) {
  const cr_side* base = &facing->base;
  cr_corner at = project_corner(facing, x);
  double slack = facing->slack;
  if (base->kind == CR_SIDE_DISC)
    return at.x * at.x + at.y * at.y <= (base->hu + slack) * (base->hu + slack);
  return fabs(at.x) <= base->hu + slack && fabs(at.y) <= base->hv + slack;
}

static void add_on_line(const cr_facing* facing, v3 x, cr_rim_point rim_base, cr_rim_point rim_line,
                        cr_manifold* manifold) {
  v3 foot = cr_patch_project(&facing->base, x, facing->out);
  cr_patch_add(facing, cr_patch_clamp(&facing->base, foot), x, rim_base, rim_line, manifold);
}

/* Where a capsule's end dips lower than its side's line: straight below the end of the axis. */
static bool find_dip(const cr_facing* facing, int end, v3* x) {
  const cr_side* line = &facing->other;
  if (line->placed->shape->type != CAROM_GEOM_CAPSULE) return false;
  if (end * v3_dot(line->u, facing->out) > 0) return false;
  *x = v3_axpy(v3_axpy(line->center, end * line->hu, line->u), -line->ball, facing->out);
  return is_over_base(facing, *x);
}

/* The part of the line over the base, in half lengths from its middle; `lowest` is its middle. */
static void clip_line(const cr_facing* facing, v3 lowest, double* t0, double* t1) {
  const cr_side *base = &facing->base, *line = &facing->other;
  double slack = facing->slack;
  cr_corner p = project_corner(facing, lowest);
  cr_corner q = project_corner(facing, v3_axpy(lowest, line->hu, line->u));
  cr_corner d = {q.x - p.x, q.y - p.y, q.height - p.height};
  *t0 = -1;
  *t1 = 1;
  if (base->kind == CR_SIDE_DISC) {
    clip_by_circle(p, d, base->hu, slack, t0, t1);
  } else {
    clip_by_slab(p.x, d.x, base->hu, slack, t0, t1);
    clip_by_slab(p.y, d.y, base->hv, slack, t0, t1);
  }
}

/* The lowest points of the line's surface at both ends of what lies over the base. A line that
 * stands on its end has that end only. */
void cr_patch_face_line(const cr_facing* facing, cr_manifold* manifold) {
  const cr_side* line = &facing->other;
  double t[2] = {1, -1}, along = v3_dot(line->u, facing->out);
  bool stands = fabs(along) > CR_STANDING_COSINE;
  v3 down = v3_axpy(v3_neg(facing->out), along, line->u);
  v3 lowest = v3_axpy(line->center, line->ball, v3_normalize_or(down, line->u));
  if (!stands) clip_line(facing, lowest, &t[0], &t[1]);
  for (int i = 0; i < 2; i++) {
    int end = 2 * i - 1;
    v3 x, at_end = v3_axpy(lowest, end * line->hu, line->u);
    bool dips = find_dip(facing, end, &x);
    bool whole = dips || (!stands && is_over_base(facing, at_end));
    if (!whole && !(t[0] <= t[1])) continue;
    if (!dips) x = whole ? at_end : v3_axpy(lowest, t[i] * line->hu, line->u);
    cr_rim_point crossing = i == 0 ? CR_RIM_ENTRY : CR_RIM_EXIT;
    add_on_line(facing, x, whole ? CR_RIM_NONE : crossing, whole ? CR_RIM_DEEPEST : crossing,
                manifold);
  }
}
