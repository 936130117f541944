/* Patches between a cap and the face of a box or polyhedron, or another cap.
 *
 * Candidates are the corners of the region where both overlap, seen along the normal (corners of
 * the face inside the disc, crossings of edges with the rim, crossings of two rims) and points
 * spaced evenly around the rim from its deepest one. The gap is linear over the region, so its
 * deepest point is among them. An even pattern resists tilting alike in all directions however it
 * is turned, so it does no harm that the pattern turns with the direction of the tilt. */
#include "geom/patch.h"

/* Part of the radius by which rim points may stand over, so that equal sizes count as inside. */
#define RIM_SLACK 1e-8

/* Half chords shorter than this part of the radius are no crossings: the arc between stands over by
 * less than RIM_SLACK. */
#define SHORTEST_CHORD 1e-4

/* A disc that is tilted less than this may carry the pattern for a smaller one. */
#define FLAT_SINE 1e-3

/* How far a rim point may stand over. */
static double rim_slack(const cr_facing* facing) {
  return cr_max(RIM_SLACK * facing->base.hu, facing->slack);
}

/* In-plane direction, as long as the relative tilt, in which a disc comes nearer to the plane of
 * another face along `out`. */
static v3 find_descent(const cr_side* disc, const cr_side* face, v3 out) {
  v3 in_plane = v3_axpy(face->normal, -v3_dot(face->normal, disc->normal), disc->normal);
  return v3_scale(1 / v3_dot(face->normal, out), in_plane);
}

/* The k-th point of the pattern of a disc. */
static v3 rim_point(const cr_side* disc, v3 start, int k) {
  v3 side = v3_cross(disc->normal, start);
  return v3_axpy(disc->center, disc->hu, cr_contact_rim_direction(k, start, side));
}

/* Corners of a face, seen in the disc's plane from its centre. */
typedef struct cr_seen_face {
  int count;
  v3 corner[CR_PATCH_CORNERS];
  double x[CR_PATCH_CORNERS], y[CR_PATCH_CORNERS];
  double turn;  /* 1: anticlockwise, -1 */
  unsigned cut; /* bits of sides that are none of the solid */
} cr_seen_face;

static void project_face(const cr_facing* facing, cr_seen_face* seen) {
  const cr_side* disc = &facing->base;
  double area = 0;
  seen->cut = facing->other.face == 0 ? facing->other.placed->cut : 0;
  seen->count = cr_patch_find_corners(&facing->other, seen->corner);
  for (int i = 0; i < seen->count; i++) {
    v3 foot = v3_sub(cr_patch_project(disc, seen->corner[i], facing->out), disc->center);
    seen->x[i] = v3_dot(foot, disc->u);
    seen->y[i] = v3_dot(foot, disc->v);
  }
  for (int i = 2; i < seen->count; i++) {
    double ax = seen->x[i - 1] - seen->x[0], ay = seen->y[i - 1] - seen->y[0];
    area += ax * (seen->y[i] - seen->y[0]) - ay * (seen->x[i] - seen->x[0]);
  }
  seen->turn = copysign(1, area);
}

static bool is_in_face(const cr_seen_face* seen, double x, double y, double slack) {
  for (int i = 0; i < seen->count; i++) {
    int k = i + 1 < seen->count ? i + 1 : 0;
    double dx = seen->x[k] - seen->x[i], dy = seen->y[k] - seen->y[i];
    double inside = seen->turn * (dx * (y - seen->y[i]) - dy * (x - seen->x[i]));
    if (inside < 0 && inside * inside > slack * slack * (dx * dx + dy * dy)) return false;
  }
  return true;
}

/* Candidates of a patch between a disc and a face: places on the disc, what lies over them, and
 * which points of the rim they are. */
#define MAX_CANDIDATES (CR_RIM_POINTS + 3 * CR_PATCH_CORNERS)

typedef struct cr_over {
  int count;
  v3 on_base[MAX_CANDIDATES], on_other[MAX_CANDIDATES];
  cr_rim_point rim[MAX_CANDIDATES];
} cr_over;

static void add_pair(cr_over* over, v3 on_base, v3 on_other, cr_rim_point rim) {
  int at = over->count++;
  over->on_base[at] = on_base;
  over->on_other[at] = on_other;
  over->rim[at] = rim;
}

/* Adds a point of the disc and what lies over it on the other face. */
static void add_under(const cr_facing* facing, v3 x, cr_rim_point rim, cr_over* over) {
  add_pair(over, x, cr_patch_project(&facing->other, x, facing->out), rim);
}

/* Whether the sides before and after a corner, or that after it alone, are cuts. */
static bool is_cut(const cr_seen_face* seen, int i, bool both) {
  int before = i > 0 ? i - 1 : seen->count - 1;
  return seen->cut && (seen->cut >> i & 1) && (!both || (seen->cut >> before & 1));
}

static void add_corners(const cr_facing* facing, const cr_seen_face* seen, cr_over* over) {
  double radius = facing->base.hu + facing->slack;
  for (int i = 0; i < seen->count; i++) {
    if (seen->x[i] * seen->x[i] + seen->y[i] * seen->y[i] > radius * radius) continue;
    if (is_cut(seen, i, true)) continue;
    v3 foot = cr_patch_project(&facing->base, seen->corner[i], facing->out);
    add_pair(over, cr_patch_clamp(&facing->base, foot), seen->corner[i], CR_RIM_NONE);
  }
}

/* Where the side from corner i on enters and leaves the disc. */
static void add_chord(const cr_facing* facing, const cr_seen_face* seen, int i, cr_over* over) {
  const cr_side* disc = &facing->base;
  int k = i + 1 < seen->count ? i + 1 : 0;
  double dx = seen->x[k] - seen->x[i], dy = seen->y[k] - seen->y[i];
  double length = sqrt(dx * dx + dy * dy);
  if (!(length > 0)) return;
  dx /= length, dy /= length;
  double middle = -(seen->x[i] * dx + seen->y[i] * dy);
  double aside = seen->x[i] * dy - seen->y[i] * dx;
  double half2 = disc->hu * disc->hu - aside * aside;
  double shortest = SHORTEST_CHORD * disc->hu;
  if (!(half2 > shortest * shortest)) return;
  for (int end = -1; end <= 1; end += 2) {
    double t = middle + end * sqrt(half2);
    if (t < 0 || t > length) continue;
    v3 x = v3_axpy(disc->center, seen->x[i] + t * dx, disc->u);
    x = v3_axpy(x, seen->y[i] + t * dy, disc->v);
    add_under(facing, x, end < 0 ? CR_RIM_ENTRY : CR_RIM_EXIT, over);
  }
}

static void add_rim_under(const cr_facing* facing, const cr_seen_face* seen, v3 start, int k,
                          cr_over* over) {
  const cr_side* disc = &facing->base;
  v3 x = rim_point(disc, start, k), at = v3_sub(x, disc->center);
  if (is_in_face(seen, v3_dot(at, disc->u), v3_dot(at, disc->v), rim_slack(facing)))
    add_under(facing, x, CR_RIM_DEEPEST + k, over);
}

/* Enters the candidates that a manifold has room for. */
static void enter(const cr_facing* facing, const cr_over* over, cr_manifold* manifold) {
  const cr_side* disc = &facing->base;
  cr_patch_point candidate[MAX_CANDIDATES];
  bool is_chosen[MAX_CANDIDATES];
  for (int i = 0; i < over->count; i++) {
    v3 at = v3_sub(over->on_base[i], disc->center);
    v3 between = v3_sub(over->on_other[i], over->on_base[i]);
    candidate[i] =
        (cr_patch_point){v3_dot(at, disc->u), v3_dot(at, disc->v), v3_dot(facing->out, between)};
  }
  cr_patch_choose(candidate, over->count, is_chosen);
  for (int i = 0; i < over->count; i++)
    if (is_chosen[i])
      cr_patch_add(facing, over->on_base[i], cr_patch_clamp(&facing->other, over->on_other[i]),
                   over->rim[i], CR_RIM_NONE, manifold);
}

void cr_patch_disc_face(const cr_facing* facing, cr_manifold* manifold) {
  const cr_side* disc = &facing->base;
  cr_seen_face seen;
  cr_over over;
  over.count = 0;
  project_face(facing, &seen);
  v3 descent = find_descent(disc, &facing->other, facing->out);
  v3 start = cr_contact_rim_start(disc->normal, descent);
  int num_rim = seen.count > 2 ? CR_RIM_POINTS : 0;
  if (num_rim > 0) add_rim_under(facing, &seen, start, 0, &over);
  add_corners(facing, &seen, &over);
  for (int i = 0; i < seen.count; i++)
    if (!is_cut(&seen, i, false)) add_chord(facing, &seen, i, &over);
  for (int k = 1; k < num_rim; k++) add_rim_under(facing, &seen, start, k, &over);
  enter(facing, &over, manifold);
}

/* Enters a point of the disc and what lies over it on the other one. */
static void add_over(const cr_facing* facing, v3 x, cr_rim_point rim, cr_manifold* manifold) {
  v3 over = cr_patch_clamp(&facing->other, cr_patch_project(&facing->other, x, facing->out));
  cr_patch_add(facing, x, over, rim, CR_RIM_NONE, manifold);
}

/* Enters a point of the base's rim if the other disc lies over it. */
static bool add_rim_over_disc(const cr_facing* facing, v3 x, cr_rim_point rim,
                              cr_manifold* manifold) {
  const cr_side* other = &facing->other;
  v3 over = cr_patch_project(other, x, facing->out);
  double radius = other->hu + rim_slack(facing);
  if (v3_norm2(v3_sub(over, other->center)) > radius * radius) return false;
  cr_patch_add(facing, x, cr_patch_clamp(other, over), rim, rim, manifold);
  return true;
}

/* How far the point of the other plane over x lies outside of the other rim, as part of the square
 * of its radius, and the derivative of that along a tangent at x. */
static double find_excess(const cr_facing* facing, v3 x, v3 tangent, double* slope) {
  const cr_side* other = &facing->other;
  v3 over = v3_sub(cr_patch_project(other, x, facing->out), other->center);
  v3 moved = v3_sub(cr_patch_project(other, v3_add(x, tangent), facing->out), other->center);
  double square = other->hu * other->hu;
  *slope = 2 * v3_dot(over, v3_sub(moved, over)) / square;
  return v3_norm2(over) / square - 1;
}

/* Where the rims cross, on one side of the line between the centres: Newton's iteration for the
 * angle on the base's rim, from what it would be in one plane. */
static void add_crossing(const cr_facing* facing, v3 towards, double cosine, int side,
                         cr_manifold* manifold) {
  const cr_side* base = &facing->base;
  v3 across = v3_scale(side, v3_cross(base->normal, towards));
  double angle = acos(cosine);
  for (int iteration = 0; iteration < 10; iteration++) {
    v3 radial = v3_axpy(v3_scale(cos(angle), towards), sin(angle), across);
    v3 tangent = v3_axpy(v3_scale(-sin(angle), towards), cos(angle), across);
    v3 x = v3_axpy(base->center, base->hu, radial);
    double slope, excess = find_excess(facing, x, v3_scale(base->hu, tangent), &slope);
    if (fabs(excess) < 1e-14) {
      add_over(facing, x, side > 0 ? CR_RIM_LEFT : CR_RIM_RIGHT, manifold);
      return;
    }
    if (!(fabs(slope) > 1e-6)) return;
    angle -= cr_max(-0.1, cr_min(0.1, excess / slope));
  }
}

/* Points that only a lens-shaped region has. `towards` leads from the base's centre to that of the
 * other disc, seen in the base's plane. */
static void add_lens(const cr_facing* facing, v3 towards, double between, cr_manifold* manifold) {
  double r = facing->base.hu, other = facing->other.hu;
  double cosine = (between * between + r * r - other * other) / (2 * between * r);
  if (fabs(cosine) < 1)
    for (int side = -1; side <= 1; side += 2) add_crossing(facing, towards, cosine, side, manifold);
  add_rim_over_disc(facing, v3_axpy(facing->base.center, r, towards), CR_RIM_NEAR, manifold);
}

/* The base carries the pattern. */
static void build_discs(const cr_facing* facing, cr_manifold* manifold) {
  const cr_side *base = &facing->base, *other = &facing->other;
  cr_facing turned = cr_patch_turn(facing);
  v3 start = cr_contact_rim_start(base->normal, find_descent(base, other, facing->out));
  v3 from = cr_contact_rim_start(other->normal, find_descent(other, base, turned.out));
  v3 w = v3_sub(cr_patch_project(base, other->center, facing->out), base->center);
  double between = v3_norm(w);
  bool whole = between + base->hu <= other->hu + rim_slack(facing);
  add_rim_over_disc(facing, rim_point(base, start, 0), CR_RIM_DEEPEST, manifold);
  if (!whole && between > 0) {
    v3 towards = cr_across(w, base->normal, start);
    v3 back = v3_sub(cr_patch_project(other, base->center, facing->out), other->center);
    back = cr_across(back, other->normal, from);
    add_rim_over_disc(&turned, rim_point(other, from, 0), CR_RIM_OTHER, manifold);
    add_lens(facing, towards, between, manifold);
    add_rim_over_disc(&turned, v3_axpy(other->center, other->hu, back), CR_RIM_FAR, manifold);
  }
  for (int k = 1; k < CR_RIM_POINTS; k++)
    add_rim_over_disc(facing, rim_point(base, start, k), CR_RIM_DEEPEST + k, manifold);
}

void cr_patch_disc_disc(const cr_facing* facing, cr_manifold* manifold) {
  bool flat = facing->other.sine < FLAT_SINE;
  if (flat && facing->base.hu <= facing->other.hu) {
    build_discs(facing, manifold);
    return;
  }
  cr_facing turned = cr_patch_turn(facing);
  build_discs(&turned, manifold);
}
