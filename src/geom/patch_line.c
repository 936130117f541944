/* Contact points of two edges, sides, rims or corners across the normal.
 *
 * Each shape shows a line (an edge of a box, the side of a cylinder or capsule) where it lies
 * across the normal, else a point (a corner, the rim's farthest point, a capsule's end). Two lines
 * meet where they cross as seen along the normal; nearly parallel ones also at the ends of their
 * overlap, each with the distance it has there. */
#include "geom/patch.h"
#include "geom/segment.h"

/* Overlaps shorter than this part of the line are no lines. */
#define SHORTEST_OVERLAP 1e-3

/* Distance sideways at the end of an overlap with which the end still belongs to the patch: of
 * round lines as part of their radii, of edges as part of the pair's thickness. */
#define ROUND_ASIDE 0.14
#define SHARP_ASIDE 1e-6

/* Sine between an axis and the normal below which any point of the rim is farthest. */
#define UPRIGHT 1e-6

/* Distance sideways, as part of the pair's size, at which features meet. */
#define MEETING 1e-7

/* Part of a line by which a point may miss its end and yet be the end. */
#define END_SLACK 1e-6

typedef struct cr_edge {
  cr_line_segment axis; /* `half` is zero for a point */
  double ball;          /* m: radius about the axis */
  v3 lift;              /* from the axis to the line of the surface that faces the other shape */
  bool has_round_ends;
} cr_edge;

static cr_edge edge_of_box(const cr_placed* placed, v3 out, double sine) {
  const double* size = placed->shape->size;
  v3 local = m3_tmulv(placed->R, out);
  const double along[3] = {local.x, local.y, local.z};
  int axis = fabs(along[1]) < fabs(along[0]) ? 1 : 0;
  if (fabs(along[2]) < fabs(along[axis])) axis = 2;
  cr_edge edge = {.axis.center = placed->center};
  for (int i = 0; i < 3; i++) {
    v3 u = m3_column(placed->R, i);
    if (i == axis && fabs(along[i]) < sine)
      edge.axis.half = v3_scale(size[i], u);
    else
      edge.axis.center = v3_axpy(edge.axis.center, copysign(size[i], along[i]), u);
  }
  return edge;
}

static cr_edge edge_of_cylinder(const cr_placed* placed, v3 out, double sine) {
  const double* size = placed->shape->size;
  v3 z = m3_column(placed->R, 2);
  double along = v3_dot(out, z);
  v3 down = v3_axpy(out, -along, z);
  bool upright = v3_norm2(down) < UPRIGHT * UPRIGHT;
  v3 lift = v3_scale(size[0], upright ? cr_contact_rim_start(z, down) : cr_across(down, z, down));
  if (fabs(along) < sine)
    return (cr_edge){{placed->center, v3_scale(size[1], z)}, size[0], lift, false};
  v3 rim = v3_axpy(placed->center, copysign(size[1], along), z);
  return (cr_edge){.axis.center = v3_add(rim, lift)};
}

static cr_edge edge_of_capsule(const cr_placed* placed, v3 out, double sine) {
  const double* size = placed->shape->size;
  v3 z = m3_column(placed->R, 2);
  double along = v3_dot(out, z);
  v3 lift = v3_scale(size[0], out);
  if (fabs(along) < sine)
    return (cr_edge){{placed->center, v3_scale(size[1], z)}, size[0], lift, true};
  v3 end = v3_axpy(placed->center, copysign(size[1], along), z);
  return (cr_edge){{end, v3_zero()}, size[0], lift, true};
}

int cr_patch_find_edge(const cr_hull* hull, int vertex, v3 out, double sine) {
  v3 x = cr_hull_vertex(hull, vertex);
  double least = sine;
  int end = vertex;
  for (int i = hull->neighbor_start[vertex]; i < hull->neighbor_start[vertex + 1]; i++) {
    v3 along = v3_sub(cr_hull_vertex(hull, hull->neighbor[i]), x);
    double tilt = fabs(v3_dot(out, along)) / v3_norm(along);
    if (!(tilt < least)) continue;
    least = tilt;
    end = hull->neighbor[i];
  }
  return end;
}

static cr_edge edge_of_hull(const cr_placed* placed, v3 out, double sine) {
  const cr_hull* hull = placed->shape->hull;
  int at = cr_placed_look(placed, out).vertex;
  int end = cr_patch_find_edge(hull, at, m3_tmulv(placed->R, out), sine);
  v3 x = cr_hull_vertex(hull, at), half = v3_scale(0.5, v3_sub(cr_hull_vertex(hull, end), x));
  v3 center = v3_add(placed->center, m3_mulv(placed->R, v3_add(x, half)));
  return (cr_edge){.axis = {center, m3_mulv(placed->R, half)}};
}

static cr_edge edge_of_point(const cr_placed* placed, v3 out) {
  if (placed->shape->type == CAROM_GEOM_SPHERE) {
    double radius = placed->shape->size[0];
    return (cr_edge){{placed->center, v3_zero()}, radius, v3_scale(radius, out), true};
  }
  v3 local = cr_shape_compute_support(placed->shape, m3_tmulv(placed->R, out));
  return (cr_edge){.axis.center = v3_add(placed->center, m3_mulv(placed->R, local))};
}

/* What a shape shows towards `out`: a line if that is as good as across, within `sine`. */
static cr_edge edge_of(const cr_placed* placed, v3 out, double sine) {
  switch (placed->shape->type) {
  case CAROM_GEOM_BOX:
    return edge_of_box(placed, out, sine);
  case CAROM_GEOM_CYLINDER:
    return edge_of_cylinder(placed, out, sine);
  case CAROM_GEOM_MESH:
    return edge_of_hull(placed, out, sine);
  case CAROM_GEOM_SPHERE:
  case CAROM_GEOM_ELLIPSOID:
    return edge_of_point(placed, out);
  default:
    return edge_of_capsule(placed, out, sine);
  }
}

/* The surface point at parameter t of the axis, farthest along `out`. */
static v3 surface_point(const cr_edge* edge, double t, v3 out) {
  v3 half = edge->axis.half;
  double length2 = v3_norm2(half), along = v3_dot(out, half);
  bool at_end = fabs(t) > 1 - END_SLACK;
  if (at_end) t = copysign(1, t);
  if (length2 > 0 && !(at_end && t * along >= 0 && edge->has_round_ends))
    out = v3_normalize_or(v3_axpy(out, -along / length2, half), out);
  return v3_axpy(cr_segment_point(&edge->axis, t), edge->ball, out);
}

/* The line of the surface as seen along n. */
static cr_line_segment flatten(const cr_edge* edge, v3 n) {
  v3 center = v3_add(edge->axis.center, edge->lift), half = edge->axis.half;
  return (cr_line_segment){v3_axpy(center, -v3_dot(center, n), n),
                           v3_axpy(half, -v3_dot(half, n), n)};
}

/* One end of the overlap, at parameter s of A, over the nearest point of B as seen along the
 * normal. Round lines part from each other sideways, so their nearest points lie along the line
 * between the axes of touching ones; sharp edges that are not quite parallel have no such points.
 */
static void add_overlap_end(const cr_contact_pair* pair, const cr_edge* a, const cr_edge* b,
                            double s, cr_manifold* manifold) {
  v3 n = manifold->normal, out = n;
  cr_line_segment flat_a = flatten(a, n), flat_b = flatten(b, n);
  v3 from = cr_segment_point(&flat_a, s);
  double along = v3_dot(v3_sub(from, flat_b.center), flat_b.half);
  double t = cr_clamp(along / v3_norm2(flat_b.half), 1), radii = a->ball + b->ball;
  v3 aside = v3_sub(cr_segment_point(&flat_b, t), from);
  double largest = radii > 0 ? ROUND_ASIDE * radii : SHARP_ASIDE * pair->thickness;
  if (v3_norm(aside) > largest) return;
  if (radii > 0) out = v3_normalize_or(v3_axpy(n, 1 / radii, aside), n);
  v3 on_a = surface_point(a, s, out), on_b = surface_point(b, t, v3_neg(out));
  cr_contact_add(pair, on_a, on_b, CR_RIM_DEEPEST, CR_RIM_DEEPEST, manifold);
}

/* Ends of the overlap of two nearly parallel lines. */
static void add_overlap(const cr_contact_pair* pair, const cr_edge* a, const cr_edge* b,
                        cr_manifold* manifold) {
  cr_line_segment flat_a = flatten(a, manifold->normal), flat_b = flatten(b, manifold->normal);
  double aa = v3_norm2(flat_a.half), bb = v3_norm2(flat_b.half);
  if (aa == 0 || bb == 0) return;
  double sine2 = v3_norm2(v3_cross(flat_a.half, flat_b.half));
  if (sine2 > CR_PATCH_SINE * CR_PATCH_SINE * aa * bb) return;
  double middle = v3_dot(v3_sub(flat_b.center, flat_a.center), flat_a.half) / aa;
  double reach = fabs(v3_dot(flat_b.half, flat_a.half)) / aa;
  double low = cr_max(-1, middle - reach), high = cr_min(1, middle + reach);
  if (!(high - low > SHORTEST_OVERLAP * cr_min(1, reach))) return;
  add_overlap_end(pair, a, b, low, manifold);
  add_overlap_end(pair, a, b, high, manifold);
}

void cr_patch_crossing(const cr_contact_pair* pair, cr_manifold* manifold) {
  v3 n = manifold->normal;
  double sine = pair->across;
  cr_edge a = edge_of(&pair->a, n, sine), b = edge_of(&pair->b, v3_neg(n), sine);
  cr_line_segment flat_a = flatten(&a, n), flat_b = flatten(&b, n);
  double s, t, least = INFINITY;
  cr_segment_find_closest(&flat_a, &flat_b, &s, &t);
  v3 on_a = surface_point(&a, s, n), on_b = surface_point(&b, t, v3_neg(n));
  v3 between = v3_sub(on_b, on_a);
  double distance = v3_dot(between, n);
  for (int i = 0; i < manifold->count; i++) least = cr_min(least, manifold->points[i].distance);
  if (distance > least - pair->tolerance) return;
  double aside = v3_norm(v3_axpy(between, -distance, n));
  if (manifold->count > 0 && aside > MEETING * pair->size) return;
  cr_contact_add(pair, on_a, on_b, CR_RIM_DEEPEST, CR_RIM_DEEPEST, manifold);
}

void cr_patch_lines(const cr_contact_pair* pair, cr_manifold* manifold) {
  cr_edge a = edge_of(&pair->a, manifold->normal, CR_PATCH_SINE);
  cr_edge b = edge_of(&pair->b, v3_neg(manifold->normal), CR_PATCH_SINE);
  add_overlap(pair, &a, &b, manifold);
  cr_patch_crossing(pair, manifold);
}
