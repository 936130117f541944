/* Parts of shapes under witness points; see part.h. Primitive shapes are told by coordinates, hulls
 * by the code of the point, surfaces by the triangles that meet at it. */
#include "geom/part_seen.h"

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

static v3 to_world(const cr_seen* s, v3 x) {
  return v3_add(s->mover->center, m3_mulv(&s->mover->X->R, x));
}

/* --- Primitive shapes --------------------------------------------------------------------------
 */

/* The face of a box that lies flattest across m, and how far x is from its sides. */
static void find_box_face(const cr_seen* s, cr_part* part) {
  v3 size = v3_abs(s->m);
  int axis = size.y > size.x ? 1 : 0;
  if (size.z > v3_get(size, axis)) axis = 2;
  double room = INFINITY;
  for (int i = 0; i < 3; i++)
    if (i != axis) room = cr_smaller(room, s->shape->size[i] - fabs(v3_get(s->x, i)));
  cr_seen_set_face(s, v3_set(v3_zero(), axis, copysign(1, v3_get(s->m, axis))), room, part);
}

static void find_box(const cr_seen* s, cr_part* part) {
  int outside = 0, along = 0;
  double cone = INFINITY;
  for (int i = 0; i < 3; i++) { /* the sides that x is on; `along`: the last one that it is not */
    double at = v3_get(s->x, i);
    if (fabs(at) < s->shape->size[i] - s->width) {
      along = i;
      continue;
    }
    outside++;
    cone = cr_smaller(cone, copysign(1, at) * v3_get(s->m, i));
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

static void set_side(const cr_seen* s, double z, cr_part* part) {
  part->kind = CR_PART_SIDE;
  part->u = m3_column(&s->mover->X->R, 2);
  part->center = to_world(s, v3_make(0, 0, z));
  part->radius = s->shape->size[0];
  part->cone = fabs(s->m.z) < s->mover->along ? 1 : -1;
}

/* The end's ball where it leads along the normal and x lies straight along that from its centre; at
 * the other end x is the end of the side's line. */
static void find_capsule(const cr_seen* s, cr_part* part) {
  double half = s->shape->size[1], end = copysign(1, s->x.z), beyond = end * s->x.z - half;
  v3 middle = v3_make(0, 0, end * half);
  v3 straight = v3_axpy(middle, s->shape->size[0], s->m);
  bool is_straight =
      v3_norm(v3_sub(s->x, straight)) < s->mover->along * s->shape->size[0] + s->width;
  if (beyond > s->width || (beyond > -s->width && is_straight && end * s->m.z >= 0)) {
    part->kind = CR_PART_BALL;
    part->center = to_world(s, middle);
    part->u = cr_seen_turn(s, v3_make(0, 0, end));
    part->radius = s->shape->size[0];
    part->cone = is_straight ? end * s->m.z : -1;
    return;
  }
  set_side(s, s->x.z, part);
  part->is_end = beyond > -s->width;
  part->room = part->is_end ? fabs(s->m.z) * half : -beyond;
}

static void find_cylinder(const cr_seen* s, cr_part* part) {
  double radius = s->shape->size[0], half = s->shape->size[1], end = copysign(1, s->x.z);
  v3 radial = v3_make(s->x.x, s->x.y, 0);
  double across = v3_norm(radial);
  if (across < radius - s->width) {
    cr_seen_set_face(s, v3_make(0, 0, end), radius - across, part);
    return;
  }
  if (end * s->x.z < half - s->width) {
    set_side(s, s->x.z, part);
    part->room = half - end * s->x.z;
    return;
  }
  radial = v3_scale(1 / across, radial);
  part->kind = CR_PART_RIM;
  part->u = cr_seen_turn(s, v3_make(0, 0, end));
  part->center = to_world(s, v3_make(0, 0, end * half));
  part->radius = radius;
  part->cone = cr_smaller(v3_dot(radial, s->m), end * s->m.z);
  if (fabs(v3_dot(s->m, v3_cross(v3_make(0, 0, 1), radial))) > s->mover->along) part->cone = -1;
}

static void find_ellipsoid(const cr_seen* s, cr_part* part) {
  v3 half = v3_load(s->shape->size);
  m3 square = m3_diagonal(v3_mul(half, half)), back = m3_transpose(&s->mover->X->R);
  square = m3_mul(&square, &back);
  part->kind = CR_PART_ROUND;
  part->center = s->mover->center;
  part->square = m3_mul(&s->mover->X->R, &square);
}

/* --- All ---------------------------------------------------------------------------------------
 */

static bool is_surface(const cr_mover* mover) { return mover->shape->surface && !mover->is_hull; }

static cr_seen look(const cr_mover* mover, v3 x, v3 outward, double width) {
  const m3* R = &mover->X->R;
  return (cr_seen){.mover = mover,
                   .shape = mover->shape,
                   .x = m3_tmulv(R, v3_sub(x, mover->center)),
                   .m = m3_tmulv(R, outward),
                   .width = width};
}

static void find(const cr_seen* s, cr_part* part) {
  if (is_surface(s->mover)) {
    cr_part_find_on_surface(s, part);
    return;
  }
  switch (s->shape->type) {
  case CAROM_GEOM_PLANE:
    cr_seen_set_face(s, v3_make(0, 0, 1), INFINITY, part);
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
    cr_part_find_on_hull(s, part);
    break;
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
}

cr_part cr_part_find(const cr_mover* mover, v3 x, v3 outward, double width, uint32_t feature) {
  cr_part part = {.x = x, .outward = outward, .room = INFINITY, .cone = 1};
  cr_seen s = look(mover, x, outward, width);
  s.feature = feature;
  find(&s, &part);
  return part;
}

bool cr_part_flatten(const cr_mover* mover, double width, cr_part* part) {
  bool has_faces =
      part->kind == CR_PART_EDGE || part->kind == CR_PART_VERTEX || part->kind == CR_PART_RIM;
  cr_seen s = look(mover, part->x, part->outward, width);
  if (!has_faces) return part->kind == CR_PART_FACE;
  part->kind = CR_PART_NONE;
  if (is_surface(mover)) {
    cr_part_flatten_on_surface(&s, part);
  } else if (mover->shape->type == CAROM_GEOM_BOX) {
    find_box_face(&s, part);
  } else if (mover->shape->type == CAROM_GEOM_CYLINDER) {
    cr_seen_set_face(&s, v3_make(0, 0, copysign(1, s.x.z)), 0, part);
  } else {
    cr_part_flatten_on_hull(&s, part);
  }
  return part->kind == CR_PART_FACE;
}

bool cr_part_sharpen(const cr_mover* mover, double width, int freedom, cr_part* part) {
  if (!is_surface(mover) || part->kind != CR_PART_FACE) return false;
  cr_seen s = look(mover, part->x, part->outward, width);
  return cr_part_sharpen_on_surface(&s, freedom, part);
}
