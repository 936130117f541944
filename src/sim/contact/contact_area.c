/* What a manifold's points span, seen along its normal, and the quadrature over that. Place and
 * distance are linear over two faces, so that those of a point within are combinations of those of
 * the corners. */
#include "sim/contact/contact_area.h"

#include "geom/box_tree.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define STRAIGHT 1e-6 /* of the square of its size: what a corner must add to the area */
#define LEVEL    1e-6 /* of its size: how far from its plane a face may be */
#define ROUND    1e-5 /* of the radius: how far six points of a rim may be from a regular hexagon */
#define WHOLE    1e-8 /* of the polygon's area: what a face that is whole may miss */
#define SIDES    32   /* of a disc, where it is shown */

/* The corners, anticlockwise. */
typedef struct cr_outline {
  int count;
  const cr_manifold_point* point[CR_MANIFOLD_MAX];
  double x[CR_MANIFOLD_MAX][2]; /* m, across the normal */
} cr_outline;

static double find_length2(const double* a, const double* b) {
  double dx = b[0] - a[0], dy = b[1] - a[1];
  return dx * dx + dy * dy;
}

static double find_turn(const double* a, const double* b, const double* c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Enters the points within reach, by place, so that their order does not matter. */
static void enter_sorted(const cr_manifold* m, double reach, cr_outline* out) {
  v3 t1, t2;
  v3_tangents(m->normal, &t1, &t2);
  out->count = 0;
  for (int i = 0; i < m->count; i++) {
    if (!(m->points[i].distance <= reach)) continue;
    v3 at = v3_sub(m->points[i].a, m->points[0].a);
    const double x[2] = {v3_dot(t1, at), v3_dot(t2, at)};
    int k = out->count++;
    for (; k > 0 &&
           (x[0] < out->x[k - 1][0] || (x[0] == out->x[k - 1][0] && x[1] < out->x[k - 1][1]));
         k--) {
      memcpy(out->x[k], out->x[k - 1], sizeof x);
      out->point[k] = out->point[k - 1];
    }
    memcpy(out->x[k], x, sizeof x);
    out->point[k] = &m->points[i];
  }
}

/* One side of the hull (Andrew 1979): of sorted points from `first` on, `step` apart. */
static int walk(const cr_outline* in, int first, int step, double least, int* hull) {
  int count = 0;
  for (int i = first; i >= 0 && i < in->count; i += step) {
    while (count > 1 &&
           find_turn(in->x[hull[count - 2]], in->x[hull[count - 1]], in->x[i]) <= least)
      count--;
    hull[count++] = i;
  }
  return count;
}

/* The corners of what the points span, that with the least feature first: names follow from it. */
static void find_outline(const cr_manifold* m, double reach, cr_outline* out) {
  cr_outline in;
  enter_sorted(m, reach, &in);
  out->count = 0;
  if (in.count < 2) return;
  double size2 = 0;
  for (int i = 1; i < in.count; i++) size2 = scalar_max(find_length2(in.x[0], in.x[i]), size2);
  int hull[2 * CR_MANIFOLD_MAX], first = 0;
  int count = walk(&in, 0, 1, STRAIGHT * size2, hull) - 1;
  count += walk(&in, in.count - 1, -1, STRAIGHT * size2, hull + count) - 1;
  for (int i = 1; i < count; i++)
    if (in.point[hull[i]]->feature < in.point[hull[first]]->feature) first = i;
  for (int i = 0; i < count; i++) {
    int k = hull[(first + i) % count];
    out->point[i] = in.point[k];
    memcpy(out->x[i], in.x[k], sizeof in.x[k]);
  }
  out->count = count;
}

/* Whether the corners are the pattern on the rim of a cap that lies flat all round. */
static bool is_rim(const cr_outline* o, const cr_shape* shape) {
  if (shape->type != CAROM_GEOM_CYLINDER || o->count != 6) return false;
  double r = shape->size[0], center[2] = {0, 0};
  for (int i = 0; i < 6; i++) center[0] += o->x[i][0] / 6, center[1] += o->x[i][1] / 6;
  for (int i = 0; i < 6; i++) {
    const double *p = o->x[i], *q = o->x[i < 5 ? i + 1 : 0];
    if (fabs(hypot(p[0] - center[0], p[1] - center[1]) - r) > ROUND * r) return false;
    if (fabs(hypot(p[0] - q[0], p[1] - q[1]) - r) > ROUND * r) return false;
  }
  return true;
}

/* Place on A and the distance, along the normal to B, linear in the place across the normal: f =
 * mean + G (x - x_mean) with G of least squares over the corners, which are all on it but for
 * round-off. */
typedef struct cr_face_point {
  v3 a; /* m */
  double distance;
} cr_face_point;

typedef struct cr_face_fit {
  cr_face_point mean, slope[2];
  double x[2]; /* m */
} cr_face_fit;

static void add_scaled(cr_face_point* sum, double scale, const v3* a, double distance) {
  sum->a = v3_axpy(sum->a, scale, *a);
  sum->distance += scale * distance;
}

static void fit_faces(const cr_outline* o, cr_face_fit* fit) {
  double S[3] = {0, 0, 0}, part = 1.0 / o->count;
  *fit = (cr_face_fit){.x = {0, 0}};
  for (int i = 0; i < o->count; i++) {
    add_scaled(&fit->mean, part, &o->point[i]->a, o->point[i]->distance);
    for (int k = 0; k < 2; k++) fit->x[k] += part * o->x[i][k];
  }
  for (int i = 0; i < o->count; i++) {
    double u = o->x[i][0] - fit->x[0], v = o->x[i][1] - fit->x[1];
    S[0] += u * u, S[1] += u * v, S[2] += v * v;
  }
  /* The inverse of S; of a line, which has no slope across it, that along it. */
  double det = S[0] * S[2] - S[1] * S[1], over = o->count > 2 ? 1 / det : 1 / (S[0] + S[2]);
  for (int i = 0; i < o->count; i++) {
    double u = o->x[i][0] - fit->x[0], v = o->x[i][1] - fit->x[1];
    const double c[2] = {o->count > 2 ? S[2] * u - S[1] * v : u,
                         o->count > 2 ? S[0] * v - S[1] * u : v};
    for (int k = 0; k < 2; k++)
      add_scaled(&fit->slope[k], over * c[k], &o->point[i]->a, o->point[i]->distance);
  }
}

bool cr_contact_area_is_level(const cr_manifold* m) {
  cr_outline all;
  cr_face_fit fit;
  enter_sorted(m, INFINITY, &all);
  if (all.count < 3) return true;
  fit_faces(&all, &fit);
  double size2 = 0;
  for (int i = 1; i < all.count; i++) size2 = scalar_max(find_length2(all.x[0], all.x[i]), size2);
  for (int i = 0; i < all.count; i++) {
    double distance = fit.mean.distance;
    for (int k = 0; k < 2; k++) distance += (all.x[i][k] - fit.x[k]) * fit.slope[k].distance;
    if (!(fabs(all.point[i]->distance - distance) <= LEVEL * sqrt(size2))) return false;
  }
  return true;
}

static cr_manifold_point find_within(const cr_face_fit* fit, v3 normal, const double* x) {
  cr_face_point at = fit->mean;
  for (int k = 0; k < 2; k++)
    add_scaled(&at, x[k] - fit->x[k], &fit->slope[k].a, fit->slope[k].distance);
  return (cr_manifold_point){
      .a = at.a, .b = v3_axpy(at.a, at.distance, normal), .distance = at.distance};
}

static bool is_taken(const cr_spread* spread, uint32_t feature) {
  for (int i = 0; i < spread->count; i++)
    if (spread->points[i].feature == feature) return true;
  return false;
}

/* A name for a point within, after the first corner and its number; the top bit is the friction's.
 */
static uint32_t find_name(const cr_spread* spread, uint32_t corner, int number) {
  uint32_t name = (corner + ((uint32_t)number + 1) * UINT32_C(0x9e3779b1)) & 0x7fffffff;
  while (is_taken(spread, name)) name = (name + 1) & 0x7fffffff;
  return name;
}

/* The corners first, so that nothing takes their names. */
static void enter_rule(const cr_outline* o, v3 normal, const cr_area_rule* rule,
                       cr_spread* spread) {
  cr_face_fit fit;
  fit_faces(o, &fit);
  for (int i = 0; i < rule->count; i++) {
    const cr_area_point* p = &rule->point[i];
    cr_manifold_point point =
        p->corner >= 0 ? *o->point[p->corner] : find_within(&fit, normal, p->x);
    if (p->corner < 0) point.feature = find_name(spread, o->point[0]->feature, i - o->count);
    spread->share[spread->count] = p->weight;
    spread->area[spread->count] = p->weight * rule->area;
    spread->points[spread->count++] = point;
  }
  spread->error = rule->error;
}

/* The corners as they are looked at: where they are, and how far apart. */
static cr_area_look make_look(const cr_contact_area_pair* pair, const cr_manifold* m,
                              const cr_outline* o) {
  cr_area_look look = {.normal = m->normal, .reach = 0};
  v3_tangents(m->normal, &look.t[0], &look.t[1]);
  look.origin = m->points[0].a;
  cr_aabb box = cr_aabb_empty();
  for (int i = 0; i < o->count; i++) {
    cr_aabb_cover(&box, o->point[i]->a);
    look.reach = fmax(look.reach, fabs(o->point[i]->distance));
  }
  look.low = box.low, look.high = box.high;
  look.reach += LEVEL * v3_norm(v3_sub(box.high, box.low));
  for (int k = 0; k < 2; k++) look.shape[k] = pair->shape[k], look.X[k] = pair->X[k];
  return look;
}

/* The area of the polygon, or of the disc that it is the rim of. */
static double find_whole(const cr_outline* o, bool is_disc) {
  cr_area_moments moments;
  if (is_disc) return M_PI / 4 * find_length2(o->x[0], o->x[3]);
  return cr_area_measure_polygon((const double(*)[2])o->x, o->count, &moments) ? moments.area : 0;
}

/* The rule of the faces of surfaces; false also where they fill the polygon or the disc, whose rule
 * is the same. */
static bool make_surface(const cr_contact_area_pair* pair, const cr_manifold* m,
                         const cr_outline* o, bool is_disc, cr_contact_area* area) {
  cr_area_moments* moments = &area->moments;
  if (o->count < 3 || cr_shapes_meet_as_hulls(pair->shape[0], pair->shape[1])) return false;
  area->look = make_look(pair, m, o);
  if (!cr_area_measure_surface(&area->look, moments)) return false;
  double whole = find_whole(o, is_disc);
  if (fabs(moments->area - whole) <= WHOLE * whole) return false;
  const double(*corner)[2] = (const double(*)[2])o->x;
  area->is_surface = cr_area_make(corner, o->count, moments, pair->error, &area->rule);
  return area->is_surface;
}

/* The rule of what is no polygon: a surface's face with holes in it, a round cap. */
static bool make_other(const cr_contact_area_pair* pair, const cr_manifold* m, const cr_outline* o,
                       cr_contact_area* area) {
  bool is_disc = is_rim(o, pair->shape[0]) || is_rim(o, pair->shape[1]);
  bool has_surface = pair->shape[0]->surface || pair->shape[1]->surface;
  if (has_surface && make_surface(pair, m, o, is_disc, area)) return true;
  if (!is_disc) return false;
  area->kind = CR_AREA_OF_DISC;
  return cr_area_make_disc((const double(*)[2])o->x, o->count, pair->error, &area->rule);
}

/* What an outline spans, but for the corners. */
static bool make_rule(const cr_contact_area_pair* pair, const cr_manifold* m, const cr_outline* o,
                      cr_contact_area* area) {
  area->is_surface = false, area->kind = CR_AREA_OF_POLYGON;
  area->rule.count = 0, area->rule.error = 0, area->moments.area = 0;
  if (o->count < 2) return false;
  if (make_other(pair, m, o, area)) return true;
  area->kind = CR_AREA_OF_POLYGON;
  return cr_area_make_polygon((const double(*)[2])o->x, o->count, pair->error, &area->rule);
}

/* The corners of an outline, where there is a rule. */
static void enter_corners(const cr_manifold* m, const cr_outline* o, bool has_rule,
                          cr_contact_area* area) {
  area->count = has_rule ? o->count : 0;
  for (int i = 0; i < area->count; i++) {
    area->corner[i] = (int)(o->point[i] - m->points);
    for (int k = 0; k < 2; k++) area->x[i][k] = o->x[i][k];
  }
}

void cr_contact_area_spread(const cr_contact_area_pair* pair, const cr_manifold* manifold,
                            double reach, cr_spread* spread, cr_contact_area* area) {
  cr_outline outline;
  cr_contact_area own, *found = area ? area : &own;
  find_outline(manifold, reach, &outline);
  spread->count = 0;
  spread->error = 0;
  bool has_rule = make_rule(pair, manifold, &outline, found);
  if (has_rule) enter_rule(&outline, manifold->normal, &found->rule, spread);
  if (area) enter_corners(manifold, &outline, has_rule, area);
  for (int i = 0; i < manifold->count; i++) {
    if (has_rule && manifold->points[i].distance <= reach) continue;
    spread->share[spread->count] = 1.0 / manifold->count;
    spread->area[spread->count] = 0;
    spread->points[spread->count++] = manifold->points[i];
  }
}

/* The disc of which six points of the rim are known, as a polygon of as much area. */
static bool visit_disc(const cr_outline* o, cr_area_taker* take, void* user) {
  double turn = 2 * M_PI / SIDES, center[2] = {0, 0}, x[SIDES][2];
  for (int i = 0; i < o->count; i++)
    for (int k = 0; k < 2; k++) center[k] += o->x[i][k] / o->count;
  double r = sqrt(find_length2(o->x[0], center) * turn / sin(turn));
  for (int i = 0; i < SIDES; i++) {
    x[i][0] = center[0] + r * cos(i * turn);
    x[i][1] = center[1] + r * sin(i * turn);
  }
  return take(user, (const double(*)[2])x, SIDES);
}

void cr_contact_area_visit(const cr_contact_area_pair* pair, const cr_manifold* manifold,
                           double reach, cr_area_taker* take, void* user) {
  cr_outline outline;
  cr_contact_area area;
  find_outline(manifold, reach, &outline);
  if (outline.count < 3 || !make_rule(pair, manifold, &outline, &area)) return;
  if (area.is_surface) {
    cr_area_visit_surface(&area.look, take, user);
  } else if (area.kind == CR_AREA_OF_DISC) {
    visit_disc(&outline, take, user);
  } else {
    take(user, (const double(*)[2])outline.x, outline.count);
  }
}
