/* Which features of two shapes face each other along a contact normal; see patch.h. */
#include "geom/patch.h"

/* A cylinder turns its cap where the cosine between axis and normal is larger, else its side. */
#define CAP_COSINE 0.7

/* Part of the pair's size by which a point may stand over the face that it is clipped by where
 * nothing else has the distance: the normal is no better known where the overlap is smooth. */
#define NORMAL_ERROR 1e-6

/* Part of the pair's thickness by which a flat patch may miss the deepest point: where faces are
 * tilted by next to nothing the normal of one stands for directions that are better by as little.
 */
#define FLAT_SLACK 1e-6

static void face_of_box(const cr_placed* placed, v3 out, cr_side* side) {
  const double* size = placed->shape->size;
  v3 local = m3_tmulv(placed->R, out);
  const double along[3] = {local.x, local.y, local.z};
  int axis = fabs(along[1]) > fabs(along[0]) ? 1 : 0;
  if (fabs(along[2]) > fabs(along[axis])) axis = 2;
  int i = axis < 2 ? axis + 1 : 0, k = axis > 0 ? axis - 1 : 2;
  int step = cr_box_feature_step(axis);
  v3 normal = m3_column(placed->R, axis);
  side->kind = CR_SIDE_RECTANGLE;
  side->normal = along[axis] < 0 ? v3_neg(normal) : normal;
  side->center = v3_axpy(placed->center, size[axis], side->normal);
  side->u = m3_column(placed->R, i);
  side->v = m3_column(placed->R, k);
  side->hu = size[i];
  side->hv = size[k];
  side->face = CR_BOX_MIDDLE + (along[axis] < 0 ? -step : step);
  side->step_u = cr_box_feature_step(i);
  side->step_v = cr_box_feature_step(k);
  side->sine = sqrt(along[i] * along[i] + along[k] * along[k]);
}

static void line_of(const cr_placed* placed, v3 axis, cr_side* side) {
  side->kind = CR_SIDE_LINE;
  side->center = placed->center;
  side->u = axis;
  side->ball = placed->shape->size[0];
  side->hu = placed->shape->size[1];
  side->sine = 1;
}

static void cap_of_cylinder(const cr_placed* placed, v3 out, v3 axis, cr_side* side) {
  double along = v3_dot(out, axis);
  side->kind = CR_SIDE_DISC;
  side->normal = along < 0 ? v3_neg(axis) : axis;
  side->center = v3_axpy(placed->center, placed->shape->size[1], side->normal);
  side->u = m3_column(placed->R, 0);
  side->v = m3_column(placed->R, 1);
  side->hu = placed->shape->size[0];
  side->sine = v3_norm(v3_cross(out, axis));
}

static void face_of_hull(const cr_placed* placed, v3 out, cr_side* side) {
  const cr_hull* hull = placed->shape->hull;
  side->kind = CR_SIDE_POLYGON;
  side->face = cr_placed_look(placed, out).face;
  side->normal = m3_mulv(placed->R, cr_hull_normal(hull, side->face));
  v3 corner = v3_scale(hull->plane[4 * side->face + 3], cr_hull_normal(hull, side->face));
  side->center = v3_add(placed->center, m3_mulv(placed->R, corner));
  v3_tangents(side->normal, &side->u, &side->v);
  side->sine = v3_norm(v3_cross(out, side->normal));
}

static void point_of(const cr_placed* placed, v3 out, cr_side* side) {
  v3 local = cr_shape_compute_support(placed->shape, m3_tmulv(placed->R, out));
  side->kind = CR_SIDE_POINT;
  side->center = v3_add(placed->center, m3_mulv(placed->R, local));
  side->sine = 1;
}

static void find_side(const cr_placed* placed, v3 out, cr_side* side) {
  v3 axis = m3_column(placed->R, 2);
  side->placed = placed;
  if (placed->shape->type == CAROM_GEOM_BOX)
    face_of_box(placed, out, side);
  else if (placed->shape->type == CAROM_GEOM_CYLINDER && fabs(v3_dot(out, axis)) > CAP_COSINE)
    cap_of_cylinder(placed, out, axis, side);
  else if (placed->shape->type == CAROM_GEOM_MESH)
    face_of_hull(placed, out, side);
  else if (placed->shape->type == CAROM_GEOM_SPHERE || placed->shape->type == CAROM_GEOM_ELLIPSOID)
    point_of(placed, out, side);
  else
    line_of(placed, axis, side);
}

static void build_flat(const cr_facing* facing, cr_manifold* manifold) {
  cr_side_kind base = facing->base.kind, other = facing->other.kind;
  if (base == CR_SIDE_DISC && other == CR_SIDE_DISC) {
    cr_patch_disc_disc(facing, manifold);
  } else if (base == CR_SIDE_DISC && other != CR_SIDE_LINE) {
    cr_patch_disc_face(facing, manifold);
  } else if (other == CR_SIDE_DISC) {
    cr_facing turned = cr_patch_turn(facing);
    cr_patch_disc_face(&turned, manifold);
  } else if (base == CR_SIDE_POLYGON || other >= CR_SIDE_POLYGON) {
    cr_patch_polygon(facing, manifold);
  } else if (other == CR_SIDE_LINE) {
    cr_patch_face_line(facing, manifold);
  } else {
    cr_patch_rectangle_rectangle(facing, manifold);
  }
}

/* True when two points are no farther from each other than this, in space. */
static bool has_point_at(const cr_manifold* manifold, double distance, double tolerance) {
  double farthest = fabs(distance) + 10 * tolerance;
  for (int i = 0; i < manifold->count; i++) {
    const cr_manifold_point* point = &manifold->points[i];
    if (point->distance <= distance + tolerance &&
        v3_norm2(v3_sub(point->b, point->a)) <= farthest * farthest)
      return true;
  }
  return false;
}

/* The flat patch, if a face or cap lies across the normal; the flatter one is the base. */
static void build_with_slack(const cr_contact_pair* pair, v3 normal, double slack,
                             cr_manifold* manifold) {
  cr_facing facing = {.pair = pair, .out = normal, .slack = slack};
  manifold->normal = normal;
  manifold->count = 0;
  find_side(&pair->a, normal, &facing.base);
  find_side(&pair->b, v3_neg(normal), &facing.other);
  if (facing.other.sine < facing.base.sine) facing = cr_patch_turn(&facing);
  if (facing.base.sine < CR_PATCH_SINE) build_flat(&facing, manifold);
}

bool cr_patch_try(const cr_contact_pair* pair, v3 normal, double distance, cr_manifold* manifold) {
  build_with_slack(pair, normal, pair->tolerance, manifold);
  if (has_point_at(manifold, distance, pair->tolerance)) return true;
  if (manifold->count == 0)
    cr_patch_lines(pair, manifold);
  else
    cr_patch_crossing(pair, manifold);
  return has_point_at(manifold, distance, pair->tolerance);
}

void cr_patch_flat(const cr_contact_pair* pair, v3 normal, cr_manifold* manifold) {
  build_with_slack(pair, normal, pair->tolerance, manifold);
}

bool cr_patch_build(const cr_contact_pair* pair, v3 normal, double distance,
                    cr_manifold* manifold) {
  double slack = FLAT_SLACK * pair->thickness;
  if (cr_patch_try(pair, normal, distance, manifold)) return true;
  build_with_slack(pair, normal, NORMAL_ERROR * pair->size, manifold);
  if (has_point_at(manifold, distance, pair->tolerance)) return true;
  if (has_point_at(manifold, distance, slack)) {
    cr_patch_crossing(pair, manifold);
    return true;
  }
  cr_patch_lines(pair, manifold);
  return has_point_at(manifold, distance, slack);
}

void cr_patch_add(const cr_facing* facing, v3 on_base, v3 on_other, cr_rim_point rim_base,
                  cr_rim_point rim_other, cr_manifold* manifold) {
  if (facing->base_is_b)
    cr_contact_add(facing->pair, on_other, on_base, rim_other, rim_base, manifold);
  else
    cr_contact_add(facing->pair, on_base, on_other, rim_base, rim_other, manifold);
}

v3 cr_patch_clamp(const cr_side* side, v3 x) {
  v3 at = v3_sub(x, side->center);
  if (side->kind == CR_SIDE_DISC) {
    double length2 = v3_norm2(at);
    if (length2 <= side->hu * side->hu) return x;
    return v3_axpy(side->center, side->hu / sqrt(length2), at);
  }
  if (side->kind != CR_SIDE_RECTANGLE) return x;
  double u = v3_dot(at, side->u), v = v3_dot(at, side->v);
  x = v3_axpy(x, cr_clamp(u, side->hu) - u, side->u);
  return v3_axpy(x, cr_clamp(v, side->hv) - v, side->v);
}
