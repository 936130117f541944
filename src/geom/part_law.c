/* How witness points move on their parts; see part.h. */
#include "geom/part.h"

/* Adds w w^T, in components, to C and D with factors. */
static void add_direction(v3 w, const v3 t[2], const double factor[2], double C[2][2],
                          double D[2][2]) {
  double at[2] = {v3_dot(w, t[0]), v3_dot(w, t[1])};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      C[i][k] += factor[0] * at[i] * at[k];
      D[i][k] += factor[1] * at[i] * at[k];
    }
}

/* By the two principal directions, of which one is along the edge, axis or rim. */
static void find_law_of_line(const cr_part* part, const v3 t[2], double length, double C[2][2],
                             double D[2][2]) {
  v3 m = part->outward, w = v3_normalize_or(v3_cross(m, part->u), t[0]);
  double free[2] = {0, 1}, fixed[2] = {1, 0}, round[2] = {1, part->radius / length};
  if (part->kind == CR_PART_RIM) { /* w runs along the rim */
    v3 radial = v3_scale(1 / part->radius, v3_sub(part->x, part->center));
    w = v3_normalize_or(v3_cross(part->u, radial), t[0]);
    round[1] /= v3_dot(m, radial);
    add_direction(w, t, round, C, D);
    add_direction(v3_cross(m, w), t, fixed, C, D);
    return;
  }
  add_direction(v3_cross(w, m), t, free, C, D);
  add_direction(w, t, part->kind == CR_PART_EDGE ? fixed : round, C, D);
}

/* The derivative of an ellipsoid's support point by the normal: (W - x x^T) / |x.m| with x from the
 * centre, x = W m / |x.m|. */
static void find_law_of_ellipsoid(const cr_part* part, const v3 t[2], double length,
                                  double D[2][2]) {
  v3 m = part->outward, w = m3_mulv(&part->square, m);
  double q = sqrt(v3_dot(m, w));
  v3 x = v3_scale(1 / q, w);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      D[i][k] = (v3_dot(t[i], m3_mulv(&part->square, t[k])) - v3_dot(t[i], x) * v3_dot(t[k], x)) /
                (q * length);
}

void cr_part_find_law(const cr_part* part, const v3 t[2], double length, double C[2][2],
                      double D[2][2]) {
  for (int i = 0; i < 4; i++) C[i / 2][i % 2] = D[i / 2][i % 2] = 0;
  switch (part->kind) {
  case CR_PART_NONE:
    break;
  case CR_PART_FACE:
    D[0][0] = D[1][1] = 1;
    break;
  case CR_PART_VERTEX:
    C[0][0] = C[1][1] = 1;
    break;
  case CR_PART_BALL:
    C[0][0] = C[1][1] = 1;
    D[0][0] = D[1][1] = part->radius / length;
    break;
  case CR_PART_ROUND:
    C[0][0] = C[1][1] = 1;
    find_law_of_ellipsoid(part, t, length, D);
    break;
  case CR_PART_EDGE:
  case CR_PART_SIDE:
  case CR_PART_RIM:
    find_law_of_line(part, t, length, C, D);
    break;
  }
}

v3 cr_part_find_miss(const cr_part* part) {
  v3 u = part->u, m = part->outward;
  if (part->kind == CR_PART_FACE) return v3_sub(part->normal, m);
  if (part->kind == CR_PART_RIM)
    u = v3_normalize_or(v3_cross(u, v3_sub(part->x, part->center)), u);
  else if (part->kind != CR_PART_EDGE && part->kind != CR_PART_SIDE)
    return v3_zero();
  return v3_scale(-v3_dot(u, m), u);
}

void cr_part_move(cr_part* part, v3 by, v3 outward) {
  v3 x = part->x = v3_add(part->x, by), u = part->u;
  part->outward = outward;
  switch (part->kind) {
  case CR_PART_ROUND:
    x = m3_mulv(&part->square, outward);
    part->x = v3_axpy(part->center, 1 / sqrt(v3_dot(outward, x)), x);
    break;
  case CR_PART_BALL:
    part->x = v3_axpy(part->center, part->radius, outward);
    break;
  case CR_PART_SIDE:
    part->center = v3_axpy(part->center, v3_dot(by, u), u);
    x = v3_axpy(outward, -v3_dot(outward, u), u);
    part->x = v3_axpy(part->center, part->radius, v3_normalize_or(x, outward));
    break;
  case CR_PART_RIM:
    x = v3_sub(x, part->center);
    x = v3_axpy(x, -v3_dot(x, u), u);
    part->x = v3_axpy(part->center, part->radius, v3_normalize_or(x, outward));
    break;
  default:
    break;
  }
}

/* The support point of an ellipsoid: from the turn of the normal relative to the shape. */
static jet3 follow_ellipsoid(const cr_mover* mover, const cr_part* part, const jet3* m) {
  jet3 x = cr_mover_carry_point(mover, part->x), fixed = cr_mover_carry_vector(mover, m->x);
  v3 w = m3_mulv(&part->square, m->x);
  double q = sqrt(v3_dot(m->x, w));
  v3 at = v3_scale(1 / q, w);
  for (int i = 0; i < JET_SIZE; i++) {
    v3 turned = v3_sub(m->d[i], fixed.d[i]);
    v3 moved = v3_axpy(m3_mulv(&part->square, turned), -v3_dot(at, turned), at);
    x.d[i] = v3_axpy(x.d[i], 1 / q, moved);
  }
  return x;
}

jet3 cr_part_follow(const cr_mover* mover, const cr_part* part, const jet3* m) {
  if (part->kind == CR_PART_ROUND) return follow_ellipsoid(mover, part, m);
  if (part->kind != CR_PART_BALL && part->kind != CR_PART_SIDE)
    return cr_mover_carry_point(mover, part->x);
  jet3 out = *m, center = cr_mover_carry_point(mover, part->center);
  if (part->kind == CR_PART_SIDE)
    out = jet3_normalize(jet3_reject(out, cr_mover_carry_vector(mover, part->u)));
  return jet3_axpy(center, part->radius, out);
}
