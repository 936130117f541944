/* Patches where a face of a polyhedron or a single point takes part, but no cap: what the other
 * shape shows is clipped by the base's edges (Sutherland and Hodgman 1974), whatever their number.
 * Of more points than a manifold holds the deepest stays and those that reach farthest to eight
 * sides, which turn with the base. */
#include "geom/patch.h"

/* Of a face; larger ones are thinned out. */
#define MAX_CORNERS CR_PATCH_CORNERS
#define MAX_POINTS  (2 * MAX_CORNERS)

typedef struct cr_outline {
  int count;
  v3 corner[MAX_CORNERS];
} cr_outline;

static void add_corner(cr_outline* outline, v3 x) { outline->corner[outline->count++] = x; }

static int find_polygon_corners(const cr_side* side, v3* corner) {
  const cr_placed* placed = side->placed;
  const cr_hull* hull = placed->shape->hull;
  int first = hull->face_start[side->face], count = hull->face_start[side->face + 1] - first;
  int stride = (count + MAX_CORNERS - 1) / MAX_CORNERS, found = 0;
  for (int i = 0; i < count; i += stride) {
    v3 local = cr_hull_vertex(hull, hull->face_vertex[first + i]);
    corner[found++] = v3_add(placed->center, m3_mulv(placed->R, local));
  }
  return found;
}

static int find_rectangle_corners(const cr_side* side, v3* corner) {
  static const int sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  bool is_right = v3_dot(v3_cross(side->u, side->v), side->normal) > 0;
  for (int i = 0; i < 4; i++) {
    int k = is_right ? i : 3 - i;
    v3 along = v3_axpy(side->center, sign[k][0] * side->hu, side->u);
    corner[i] = v3_axpy(along, sign[k][1] * side->hv, side->v);
  }
  return 4;
}

int cr_patch_find_corners(const cr_side* side, v3* corner) {
  if (side->kind == CR_SIDE_POLYGON) return find_polygon_corners(side, corner);
  if (side->kind == CR_SIDE_RECTANGLE) return find_rectangle_corners(side, corner);
  corner[0] = side->center;
  return 1;
}

/* The line of the surface that lies towards `out`; one that stands shows its end alone. */
static void outline_line(const cr_side* side, v3 out, cr_outline* outline) {
  double along = v3_dot(side->u, out);
  v3 lift = v3_scale(side->ball, v3_normalize_or(v3_axpy(out, -along, side->u), side->v));
  for (int end = -1; end <= 1; end += 2) {
    if (end * along < 0 && fabs(along) > CR_STANDING_COSINE) continue;
    add_corner(outline, v3_add(v3_axpy(side->center, end * side->hu, side->u), lift));
  }
}

/* What a side shows towards `out`. */
static void find_outline(const cr_side* side, v3 out, cr_outline* outline) {
  outline->count = 0;
  if (side->kind == CR_SIDE_LINE)
    outline_line(side, out, outline);
  else
    outline->count = cr_patch_find_corners(side, outline->corner);
}

/* The base's frame: coordinates in its plane and heights along the contact normal. */
typedef struct cr_base {
  const cr_facing* facing;
  v3 origin, u, v;
  v3 rise;                 /* height of x: rise.(x - origin) */
  double slant_u, slant_v; /* of the contact normal, in the plane */
} cr_base;

static cr_base make_base(const cr_facing* facing, v3 corner) {
  const cr_side* side = &facing->base;
  cr_base base = {.facing = facing, .origin = side->center};
  base.u = cr_across(v3_sub(corner, base.origin), side->normal, side->u);
  base.v = v3_cross(side->normal, base.u);
  base.rise = v3_scale(1 / v3_dot(side->normal, facing->out), side->normal);
  base.slant_u = v3_dot(facing->out, base.u);
  base.slant_v = v3_dot(facing->out, base.v);
  return base;
}

/* Where the line along the contact normal through x meets the plane, and how high x is over it. */
static cr_patch_point to_patch_point(const cr_base* base, v3 x) {
  v3 at = v3_sub(x, base->origin);
  double height = v3_dot(base->rise, at);
  return (cr_patch_point){v3_dot(at, base->u) - height * base->slant_u,
                          v3_dot(at, base->v) - height * base->slant_v, height};
}

static cr_patch_point mix(cr_patch_point p, cr_patch_point q, double t) {
  return (cr_patch_point){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y),
                          p.height + t * (q.height - p.height)};
}

/* A side of the base, from a corner on, and how near to it points count as on it. */
typedef struct cr_cut {
  cr_patch_point from;
  double ex, ey; /* unit, along the side; zero for no side */
  double slack, width;
} cr_cut;

static cr_cut make_cut(cr_patch_point from, cr_patch_point to, double slack, double width) {
  double ex = to.x - from.x, ey = to.y - from.y, length = sqrt(ex * ex + ey * ey);
  double scale = length > 0 ? 1 / length : 0;
  return (cr_cut){from, scale * ex, scale * ey, slack, width};
}

/* How far a point stands over the side. */
static double find_excess(const cr_cut* cut, const cr_patch_point* at) {
  return cut->ey * (at->x - cut->from.x) - cut->ex * (at->y - cut->from.y);
}

/* Clips by a side, whose left stays. Corners within the slack beyond it stay; so do both ends of a
 * side that runs along it, which would cross it wherever noise has it. */
static int clip(const cr_cut* cut, const double* excess, const cr_patch_point* in, int count,
                cr_patch_point* out) {
  bool stays[MAX_POINTS];
  int num_out = 0;
  for (int i = 0; i < count; i++) {
    double before = excess[i > 0 ? i - 1 : count - 1], after = excess[i + 1 < count ? i + 1 : 0];
    bool along = count > 1 && (fabs(before) <= cut->width || fabs(after) <= cut->width);
    stays[i] = excess[i] <= cut->slack || (along && excess[i] <= cut->width);
  }
  for (int i = 0; i < count; i++) {
    int k = i + 1 < count ? i + 1 : 0;
    if (stays[i] && num_out < MAX_POINTS) out[num_out++] = in[i];
    bool is_return = count == 2 && i == 1; /* a line has one side */
    if (!is_return && stays[i] != stays[k] && (excess[i] > 0) != (excess[k] > 0) &&
        num_out < MAX_POINTS)
      out[num_out++] = mix(in[i], in[k], excess[i] / (excess[i] - excess[k]));
  }
  return num_out;
}

/* A capsule's lower end dips lower than its line: straight below the end of the axis, where that is
 * over the base too. Returns the number of candidates. */
static int dip(const cr_base* base, const cr_patch_point* edge, int num_edges,
               cr_patch_point* candidate, int count) {
  const cr_side* line = &base->facing->other;
  if (line->kind != CR_SIDE_LINE || line->placed->shape->type != CAROM_GEOM_CAPSULE) return count;
  v3 out = base->facing->out;
  double end = v3_dot(line->u, out) > 0 ? -1 : 1;
  v3 x = v3_axpy(line->center, end * line->hu, line->u);
  cr_patch_point lowest = to_patch_point(base, v3_axpy(x, -line->ball, out));
  double slack = base->facing->slack;
  for (int e = 0; e < num_edges; e++) {
    cr_cut cut = make_cut(edge[e], edge[e + 1 < num_edges ? e + 1 : 0], slack, 0);
    if (find_excess(&cut, &lowest) > slack) return count;
  }
  int nearest = 0;
  double least2 = INFINITY;
  for (int i = 0; i < count; i++) {
    double dx = candidate[i].x - lowest.x, dy = candidate[i].y - lowest.y;
    if (!(dx * dx + dy * dy < least2)) continue;
    least2 = dx * dx + dy * dy;
    nearest = i;
  }
  if (count == 0 || lowest.height <= candidate[nearest].height) candidate[nearest] = lowest;
  return count > 0 ? count : 1;
}

static void enter(const cr_base* base, cr_patch_point at, cr_manifold* manifold) {
  v3 foot = v3_axpy(v3_axpy(base->origin, at.x, base->u), at.y, base->v);
  v3 above = v3_axpy(foot, at.height, base->facing->out);
  cr_patch_add(base->facing, foot, above, CR_RIM_NONE, CR_RIM_NONE, manifold);
}

void cr_patch_choose(const cr_patch_point* candidate, int count, bool* is_chosen) {
  static const double side[CR_MANIFOLD_MAX - 1][2] = {{1, 0},       {0.62, 0.78},  {-0.22, 0.97},
                                                      {-0.9, 0.43}, {-0.9, -0.43}, {-0.22, -0.97},
                                                      {0.62, -0.78}};
  int deepest = 0;
  for (int i = 0; i < count; i++) {
    is_chosen[i] = count <= CR_MANIFOLD_MAX;
    if (candidate[i].height < candidate[deepest].height) deepest = i;
  }
  is_chosen[deepest] = true;
  for (int k = 0; k < CR_MANIFOLD_MAX - 1 && count > CR_MANIFOLD_MAX; k++) {
    int farthest = 0;
    double most = -INFINITY;
    for (int i = 0; i < count; i++) {
      double reach = side[k][0] * candidate[i].x + side[k][1] * candidate[i].y;
      if (!(reach > most)) continue;
      most = reach;
      farthest = i;
    }
    is_chosen[farthest] = true;
  }
}

/* Clips by the edges of a face; those that nothing stands over change nothing. */
static int clip_by_edges(const cr_base* base, const cr_outline* edges, cr_patch_point** in,
                         int count, cr_patch_point** out) {
  const cr_facing* facing = base->facing;
  double width = CR_FEATURE_WIDTH * facing->pair->thickness, excess[MAX_POINTS];
  cr_patch_point edge[MAX_CORNERS];
  for (int e = 0; e < edges->count; e++) edge[e] = to_patch_point(base, edges->corner[e]);
  for (int e = 0; e < edges->count && count > 0; e++) {
    cr_cut cut = make_cut(edge[e], edge[e + 1 < edges->count ? e + 1 : 0], facing->slack, width);
    double most = -INFINITY;
    for (int i = 0; i < count; i++) most = cr_max(most, excess[i] = find_excess(&cut, &(*in)[i]));
    if (most <= facing->slack) continue;
    count = clip(&cut, excess, *in, count, *out);
    cr_patch_point* swap = *in;
    *in = *out;
    *out = swap;
  }
  return dip(base, edge, edges->count, *in, count);
}

void cr_patch_polygon(const cr_facing* facing, cr_manifold* manifold) {
  cr_outline outline, edges;
  cr_patch_point first[MAX_POINTS], second[MAX_POINTS], *in = first, *out = second;
  bool is_chosen[MAX_POINTS];
  find_outline(&facing->base, facing->out, &edges);
  find_outline(&facing->other, v3_neg(facing->out), &outline);
  cr_base base = make_base(facing, edges.corner[0]);
  int count = outline.count;
  for (int i = 0; i < count; i++) in[i] = to_patch_point(&base, outline.corner[i]);
  count = clip_by_edges(&base, &edges, &in, count, &out);
  cr_patch_choose(in, count, is_chosen);
  for (int i = 0; i < count; i++)
    if (is_chosen[i]) enter(&base, in[i], manifold);
}
