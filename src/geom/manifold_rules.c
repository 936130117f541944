/* Points placed by rules; see manifold_rules.h. Each rule is tried with the numbers at hand, and
 * holds where it gives the point that is there. */
#include "geom/manifold_rules.h"

#include "geom/patch.h"

/* Part of the radius, or sine, within which a rule gives the point. */
#define SAME 1e-6

/* Tilt of a disc below which its pattern starts anywhere, and is held where it starts. Of an area
 * that is more: it is the same whichever way its points are turned. */
#define NO_TILT      1e-9
#define NO_AREA_TILT 1e-4

/* --- Rims ---------------------------------------------------------------------------------------
 */

/* The pattern's start: the direction on the rim's plane that leads along `down`, and a little along
 * one of the world's (cr_contact_rim_start), or, for a disc that is hardly tilted, the one that it
 * has in the world.
 * @param least the tilt up to which it is held */
static jet3 find_start(const jet3* axis, const jet3* down, double least, double* tilt) {
  jet3 in_plane = jet3_reject(*down, *axis);
  v3 start = cr_contact_rim_start(axis->x, in_plane.x);
  *tilt = v3_norm(in_plane.x);
  if (*tilt < least) {
    *tilt = least > NO_TILT ? 1 : 0;
    return jet3_normalize(jet3_reject(jet3_constant(start), *axis));
  }
  in_plane.x = cr_contact_rim_lead(axis->x, in_plane.x);
  return jet3_normalize(in_plane);
}

/* Whether the direction is that of a point of the pattern, and which way that turns. */
static bool match_pattern(const jet3* axis, const jet3* start, v3 radial, jet3* direction) {
  jet3 side = jet3_cross(*axis, *start);
  for (int k = 0; k < CR_RIM_POINTS; k++) {
    v3 at = cr_contact_rim_direction(k, start->x, side.x);
    if (v3_norm(v3_sub(at, radial)) > SAME) continue;
    double cosine = v3_dot(at, start->x), sine = v3_dot(at, side.x);
    *direction = jet3_axpy(jet3_scale(cosine, *start), sine, side);
    return true;
  }
  return false;
}

/* The direction from a cap's centre to that of another shape's cap, as seen along the normal. */
static jet3 find_towards(const cr_mover* other, const cr_part* face, const jet3* axis,
                         const jet3* center, const jet3* m) {
  double end = v3_dot(face->normal, m3_column(&other->X->R, 2)) > 0 ? 1 : -1;
  v3 middle = v3_axpy(other->center, end * other->shape->size[1], m3_column(&other->X->R, 2));
  jet3 between = jet3_sub(cr_mover_carry_point(other, middle), *center);
  jet over = jet_neg(jet_div(jet3_dot(between, *axis), jet3_dot(*m, *axis)));
  return jet3_normalize(jet3_reject(jet3_add_scaled(between, over, *m), *axis));
}

bool cr_rule_follow_rim(const cr_mover mover[2], const cr_part part[2], int side, const jet3* m,
                        jet3* x, double* kink) {
  const cr_part *rim = &part[side], *face = &part[1 - side];
  const cr_mover *own = &mover[side], *other = &mover[1 - side];
  jet3 axis = cr_mover_carry_vector(own, rim->u), center = cr_mover_carry_point(own, rim->center);
  jet3 facing = jet3_scale(-1, cr_mover_carry_vector(other, face->normal)), direction;
  const jet3* down[2] = {&facing, m};
  v3 radial = v3_scale(1 / rim->radius, v3_sub(rim->x, rim->center));
  bool is_found = false;
  for (int i = 0; i < 2 && !is_found; i++) {
    double tilt;
    jet3 start = find_start(&axis, down[i], own->is_area ? NO_AREA_TILT : NO_TILT, &tilt);
    is_found = match_pattern(&axis, &start, radial, &direction);
    if (is_found) *kink = fmin(*kink, tilt);
  }
  if (!is_found && other->shape->type == CAROM_GEOM_CYLINDER) {
    direction = find_towards(other, face, &axis, &center, m);
    is_found = v3_norm(v3_sub(direction.x, radial)) <= SAME;
  }
  *x = jet3_axpy(center, rim->radius, direction);
  return is_found;
}

/* --- Lines --------------------------------------------------------------------------------------
 */

/* An edge or axis, and a ball about it. */
typedef struct cr_rule_line {
  jet3 center, half;
  jet3 lift; /* from the axis to the line of the surface, as of a cylinder */
  double ball;
  bool has_round_ends;
} cr_rule_line;

/* A straight edge from its middle, in the shape's axes. */
static void set_edge(const cr_mover* mover, v3 middle, v3 half, cr_rule_line* line) {
  v3 at = v3_add(mover->center, m3_mulv(&mover->X->R, middle));
  line->center = cr_mover_carry_point(mover, at);
  line->half = cr_mover_carry_vector(mover, m3_mulv(&mover->X->R, half));
}

/* Of a box the edge that lies flattest across m. */
static void find_box_edge(const cr_mover* mover, v3 m, cr_rule_line* line) {
  v3 half = v3_load(mover->shape->size), along = v3_abs(m);
  int axis = along.y < along.x ? 1 : 0;
  if (along.z < v3_get(along, axis)) axis = 2;
  v3 corner = v3_make(copysign(half.x, m.x), copysign(half.y, m.y), copysign(half.z, m.z));
  set_edge(mover, v3_set(corner, axis, 0), v3_set(v3_zero(), axis, v3_get(half, axis)), line);
}

static void find_hull_edge(const cr_mover* mover, v3 m, cr_rule_line* line) {
  const cr_hull* hull = mover->shape->hull;
  int at = cr_hull_look(hull, m).vertex, end = cr_patch_find_edge(hull, at, m, CR_PATCH_SINE);
  v3 x = cr_hull_vertex(hull, at), half = v3_scale(0.5, v3_sub(cr_hull_vertex(hull, end), x));
  set_edge(mover, v3_add(x, half), half, line);
}

static void find_axis(const cr_mover* mover, const jet3* m, cr_rule_line* line) {
  const cr_shape* shape = mover->shape;
  set_edge(mover, v3_zero(), v3_make(0, 0, shape->size[1]), line);
  line->has_round_ends = shape->type == CAROM_GEOM_CAPSULE;
  line->ball = shape->size[0];
  line->lift = *m;
  if (!line->has_round_ends)
    line->lift = jet3_normalize(jet3_reject(*m, jet3_normalize(line->half)));
  line->lift = jet3_scale(line->ball, line->lift);
}

/* What a shape shows across its outward normal m: its axis, or an edge; false where that is not as
 * good as across. */
static bool find_line(const cr_mover* mover, const jet3* m, cr_rule_line* line) {
  carom_geom_type type = mover->shape->type;
  v3 local = m3_tmulv(&mover->X->R, m->x);
  *line = (cr_rule_line){.ball = 0};
  if (type == CAROM_GEOM_BOX)
    find_box_edge(mover, local, line);
  else if (type == CAROM_GEOM_CAPSULE || type == CAROM_GEOM_CYLINDER)
    find_axis(mover, m, line);
  else if (type == CAROM_GEOM_MESH && (mover->is_hull || !mover->shape->surface))
    find_hull_edge(mover, local, line);
  double length = v3_norm(line->half.x);
  return length > 0 && fabs(v3_dot(m->x, line->half.x)) < CR_PATCH_SINE * length;
}

/* The line of the surface as seen along n. */
static void flatten(const cr_rule_line* line, const jet3* n, jet3* center, jet3* half) {
  *center = jet3_reject(jet3_axpy(line->center, 1, line->lift), *n);
  *half = jet3_reject(line->half, *n);
}

/* The surface point at parameter t of the axis, farthest along `out`. */
static jet3 find_surface_point(const cr_rule_line* line, const jet* t, jet3 out) {
  bool at_end = fabs(t->x) > 1 - SAME;
  double along = v3_dot(out.x, line->half.x);
  if (!(at_end && t->x * along >= 0 && line->has_round_ends))
    out = jet3_normalize(jet3_reject(out, jet3_normalize(line->half)));
  jet3 axis = jet3_add_scaled(line->center, *t, line->half);
  return jet3_axpy(axis, line->ball, out);
}

/* Both points at parameter s of A's line; see add_overlap_end of patch_line.c. */
static void follow_end(const cr_rule_line line[2], const jet* s, const jet3* n, jet3 x[2]) {
  jet3 center[2], half[2], out = *n;
  for (int i = 0; i < 2; i++) flatten(&line[i], n, &center[i], &half[i]);
  jet3 from = jet3_add_scaled(center[0], *s, half[0]);
  jet t = jet_div(jet3_dot(jet3_sub(from, center[1]), half[1]), jet3_dot(half[1], half[1]));
  if (fabs(t.x) >= 1) t = (jet){.x = copysign(1, t.x)};
  jet3 aside = jet3_sub(jet3_add_scaled(center[1], t, half[1]), from);
  double radii = line[0].ball + line[1].ball;
  if (radii > 0) out = jet3_normalize(jet3_axpy(out, 1 / radii, aside));
  x[0] = find_surface_point(&line[0], s, out);
  x[1] = find_surface_point(&line[1], &t, jet3_scale(-1, out));
}

/* Of the angle between the lines as seen along n. */
static double find_sine(const cr_rule_line line[2], const jet3* n) {
  v3 half[2];
  for (int i = 0; i < 2; i++) half[i] = v3_normalize_or(jet3_reject(line[i].half, *n).x, n->x);
  return v3_norm(v3_cross(half[0], half[1]));
}

/* Where the end of B's line lies beside A's, in half lengths. */
static jet find_beside(const cr_rule_line line[2], const jet3* n, double end) {
  jet3 center[2], half[2];
  for (int i = 0; i < 2; i++) flatten(&line[i], n, &center[i], &half[i]);
  jet3 at = jet3_axpy(jet3_sub(center[1], center[0]), end, half[1]);
  return jet_div(jet3_dot(at, half[0]), jet3_dot(half[0], half[0]));
}

/* The lines of a pair in an order; false where one shows none. */
static bool find_lines(const cr_mover mover[2], int first, const jet3* n, cr_rule_line line[2]) {
  jet3 out[2] = {*n, jet3_scale(-1, *n)};
  for (int s = 0; s < 2; s++)
    if (!find_line(&mover[s], &out[s], &line[s == 0 ? first : 1 - first])) return false;
  return true;
}

static bool is_same(const cr_rule_line line[2], const cr_part* part[2], const jet3 x[2]) {
  double near = 0;
  for (int i = 0; i < 2; i++) near += SAME * (line[i].ball + v3_norm(line[i].half.x));
  return v3_norm(v3_sub(x[0].x, part[0]->x)) < near && v3_norm(v3_sub(x[1].x, part[1]->x)) < near;
}

/* The middle of what is beside each other, as parameters of both lines. */
static bool find_middle(const cr_rule_line line[2], const jet3* n, double t[2]) {
  double s[2] = {find_beside(line, n, -1).x, find_beside(line, n, 1).x};
  double low = cr_max(-1, cr_min(s[0], s[1])), high = cr_min(1, cr_max(s[0], s[1]));
  v3 half = line[1].half.x;
  t[0] = 0.5 * (low + high);
  v3 at = v3_axpy(line[0].center.x, t[0], line[0].half.x);
  t[1] = v3_dot(v3_sub(at, line[1].center.x), half) / v3_norm2(half);
  return high > low;
}

bool cr_rule_follow_parallel(const cr_mover mover[2], jet3* n) {
  cr_rule_line line[2];
  double t[2];
  if (!find_lines(mover, 0, n, line) || find_sine(line, n) > SAME) return false;
  jet3 u[2] = {jet3_normalize(line[0].half), jet3_normalize(line[1].half)};
  double sign = copysign(1, v3_dot(u[0].x, u[1].x));
  if (fabs(v3_dot(u[0].x, n->x)) > SAME || fabs(v3_dot(u[1].x, n->x)) > SAME) return false;
  if (!find_middle(line, n, t)) return false;
  jet3 mean = jet3_normalize(jet3_axpy(u[0], sign, u[1]));
  jet3 between = jet3_sub(jet3_axpy(line[1].center, t[1], line[1].half),
                          jet3_axpy(line[0].center, t[0], line[0].half));
  between = jet3_reject(between, mean);
  if (!(v3_norm(between.x) > 0)) return false;
  jet3 found = jet3_normalize(jet3_scale(copysign(1, v3_dot(between.x, n->x)), between));
  if (v3_norm(v3_sub(found.x, n->x)) > SAME) return false;
  *n = found;
  return true;
}

bool cr_rule_follow_lines(const cr_mover mover[2], const cr_part part[2], const jet3* n, jet3 x[2],
                          double* kink) {
  const cr_mover *a = &mover[0], *b = &mover[1];
  int first = cr_geom_stands_first(a->shape, a->X, b->shape, b->X) ? 0 : 1;
  const cr_part* ordered[2] = {&part[first], &part[1 - first]};
  jet3 out = first ? jet3_scale(-1, *n) : *n, found[2];
  cr_rule_line line[2];
  if (!find_lines(mover, first, n, line)) return false;
  double sine = find_sine(line, &out);
  if (sine > CR_PATCH_SINE) return false;
  for (int i = 0; i < 4; i++) {
    double end = i & 1 ? 1 : -1;
    jet s = i < 2 ? (jet){.x = end} : find_beside(line, &out, end);
    if (fabs(s.x) > 1) continue;
    follow_end(line, &s, &out, found);
    if (!is_same(line, ordered, found)) continue;
    x[first] = found[0], x[1 - first] = found[1];
    *kink = fmin(*kink, sine);
    return true;
  }
  return false;
}
