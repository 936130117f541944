/* Derivatives of contact normals, witness points and distances; see docs/derivatives.md.
 *
 * A stays and B moves by a twist; what A's motion does follows, since a motion of both carries all
 * along. The normal is that of a face, which turns with its shape, or that of two nearest points
 * (manifold_nearest.h). The other points of a patch lie over each other along the normal: a corner
 * over a face, two edges that cross. Points that the narrow phase places by a rule of its own
 * (manifold_rules.h) follow that. */
#include "geom/manifold_tangent.h"

#include "geom/manifold_kink.h"
#include "geom/manifold_nearest.h"
#include "geom/manifold_rules.h"
#include "geom/patches.h"

/* Sine by which a normal may miss what it should be: that of a face; that across an edge; of pairs
 * whose search ends before the last digits, or whose patches join triangles. */
#define ALONG_FACE  1e-9
#define ALONG       1e-6
#define ALONG_ROUND 1e-4

/* Part of the size within which witnesses lie over each other along the normal; for nearest points
 * times how well that is known. */
#define OVER 1e-6

/* Part of the smaller shape's size within which a point is at an edge, as for the points' codes, or
 * as well as the normal is known. */
#define WIDTH       1e-6
#define WIDTH_ROUND 2e-5

typedef struct cr_work {
  const cr_manifold* manifold;
  cr_mover mover[2];
  cr_part part[CR_MANIFOLD_MAX][2];
  double size;     /* m: of the smaller shape */
  double width;    /* m */
  double along;    /* sine by which the normal may miss what it should be */
  int leader;      /* the point whose parts give the normal: the deepest */
  int face_of;     /* whose face has the normal; -1: none */
  bool is_nearest; /* the leader's are the nearest points, and have it */
  jet3 n;
  cr_manifold_tangent* tangent;
} cr_work;

static void keep_smaller(double value, double* least) {
  if (value < *least) *least = value > 0 ? value : 0;
}

static bool refuse(cr_work* work, const char* obstacle) {
  if (!work->tangent->obstacle) work->tangent->obstacle = obstacle;
  return false;
}

static v3 outward_of(const cr_work* work, int side) {
  v3 n = work->manifold->normal;
  return side == 0 ? n : v3_neg(n);
}

/* --- The normal ---------------------------------------------------------------------------------
 */

/* The most by which a vector changes, in terms of `unit`, by a turn or by a displacement of a size;
 * at least 1. */
static double find_rate(const jet3* x, double size, double unit) {
  double most = 1;
  for (int j = 0; j < JET_SIZE; j++)
    most = fmax(most, v3_norm(x->d[j]) * (j < 3 ? 1 : size) / unit);
  return most;
}

static void store_point(cr_work* work, int i, const jet3* a, const jet3* b) {
  cr_point_tangent* point = &work->tangent->points[i];
  v3 between = v3_sub(b->x, a->x), n = work->n.x;
  for (int j = 0; j < JET_SIZE; j++) {
    point->a[1][j] = a->d[j];
    point->b[1][j] = b->d[j];
    point->distance[1][j] = v3_dot(work->n.d[j], between) + v3_dot(n, v3_sub(b->d[j], a->d[j]));
  }
}

/* Whether the leader's witnesses are the nearest points, and each part has the normal. */
static bool is_nearest(const cr_work* work) {
  const cr_part* part = work->part[work->leader];
  v3 n = work->manifold->normal, between = v3_sub(part[1].x, part[0].x);
  double aside = v3_norm(v3_axpy(between, -v3_dot(between, n), n));
  for (int s = 0; s < 2; s++) {
    if (part[s].kind == CR_PART_NONE || part[s].cone < -work->along) return false;
  }
  return aside <= work->along * work->size;
}

/* The normal, and the leader's points, of nearest points. */
static bool differentiate_nearest(cr_work* work) {
  cr_part* part = work->part[work->leader];
  cr_nearest nearest = {.mover = work->mover,
                        .part = part,
                        .distance = work->manifold->points[work->leader].distance,
                        .size = work->size,
                        .n = work->n};
  if (!is_nearest(work)) return refuse(work, "the normal is not that of two nearest points");
  if (work->along > ALONG) cr_nearest_polish(&nearest);
  if (!cr_nearest_differentiate(&nearest)) return refuse(work, "the nearest points are not unique");
  work->n = nearest.n;
  store_point(work, work->leader, &nearest.x[0], &nearest.x[1]);
  double turns = find_rate(&work->n, work->size, 1);
  double slides = find_rate(&nearest.x[0], work->size, work->size);
  for (int s = 0; s < 2; s++) {
    keep_smaller(part[s].cone / turns, &work->tangent->kink);
    keep_smaller(part[s].room / (work->size * slides), &work->tangent->kink);
  }
  keep_smaller(cr_kink_find_turn(work->mover, work->n.x) / turns, &work->tangent->kink);
  return true;
}

/* Whether a shape has a face at the leader whose normal is that of the contact. */
static bool has_face(const cr_work* work, int side) {
  cr_part face = work->part[work->leader][side];
  if (!cr_part_flatten(&work->mover[side], work->width, &face)) return false;
  if (work->along > ALONG) return face.cone > 0;
  return v3_norm(v3_sub(face.normal, face.outward)) < ALONG_FACE;
}

/* The number of points at which a shape shows no more than its face. */
static int count_faces(const cr_work* work, int side) {
  int count = 0;
  for (int i = 0; i < work->manifold->count; i++) count += work->part[i][side].kind == CR_PART_FACE;
  return count;
}

/* Of two faces flush with each other the one that holds the other has the normal, whichever way
 * they tilt; where none does the first one is taken. */
static void find_face_of(cr_work* work) {
  bool has[2] = {has_face(work, 0), has_face(work, 1)};
  work->face_of = has[0] ? 0 : has[1] ? 1 : -1;
  if (!has[0] || !has[1]) return;
  int count = work->manifold->count;
  if (count_faces(work, 0) == count) return;
  work->face_of = count_faces(work, 1) == count;
  if (work->face_of == 0) work->tangent->kink = 0;
}

static bool differentiate_normal(cr_work* work) {
  find_face_of(work);
  keep_smaller(cr_kink_find_rival(work->mover, work->n.x) / work->size, &work->tangent->kink);
  if (work->face_of < 0 && cr_rule_follow_parallel(work->mover, &work->n)) {
    work->tangent->kink = 0;
    return true;
  }
  work->is_nearest = work->face_of < 0;
  if (work->is_nearest) return differentiate_nearest(work);
  cr_part face = work->part[work->leader][work->face_of];
  cr_part_flatten(&work->mover[work->face_of], work->width, &face);
  v3 n = work->face_of == 0 ? face.normal : v3_neg(face.normal);
  work->n = cr_mover_carry_vector(&work->mover[work->face_of], n);
  /* of a patch with an area a point may leave the face, and the others stay */
  if (work->manifold->count < 3)
    keep_smaller(work->part[work->leader][work->face_of].room / work->size, &work->tangent->kink);
  return true;
}

/* --- Points of a patch --------------------------------------------------------------------------
 */

/* The directions in which a point may slide on its part. */
static int find_slides(const cr_part* part, v3 slide[2]) {
  if (part->kind == CR_PART_FACE) {
    v3_tangents(part->normal, &slide[0], &slide[1]);
    return 2;
  }
  slide[0] = part->u;
  if (part->kind == CR_PART_RIM)
    slide[0] = v3_normalize_or(v3_cross(part->u, v3_sub(part->x, part->center)), part->u);
  return cr_part_count_freedom(part);
}

/* Where both leave more than two directions to slide in, triangles of level surfaces were clipped
 * by each other. */
static void sharpen_until_held(cr_work* work, cr_part* part) {
  int excess = cr_part_count_freedom(&part[0]) + cr_part_count_freedom(&part[1]) - 2;
  for (int freedom = 0; freedom < 2; freedom++)
    for (int s = 0; s < 2; s++)
      if (excess >= 2 - freedom && cr_part_sharpen(&work->mover[s], work->width, freedom, &part[s]))
        excess -= 2 - freedom;
}

/* Makes faces of parts until both leave two directions to slide in: where a corner is over an edge
 * it is the face that counts. */
static int flatten_until_free(cr_work* work, cr_part* part) {
  int freedom[2];
  for (int s = 0; s < 2; s++) freedom[s] = cr_part_count_freedom(&part[s]);
  bool is_rim[2] = {part[0].kind == CR_PART_RIM, part[1].kind == CR_PART_RIM};
  /* a rim under a face, or an end over a rim */
  for (int s = 0; s < 2; s++)
    if (is_rim[s] && freedom[1 - s] == 2) return s;
  if (freedom[0] + freedom[1] >= 2) return -1;
  int base = work->face_of >= 0 ? work->face_of : 0;
  if (freedom[base] == 0 && freedom[1 - base] == 1) base = 1 - base;
  if (!cr_part_flatten(&work->mover[base], work->width, &part[base]))
    cr_part_flatten(&work->mover[1 - base], work->width, &part[1 - base]);
  for (int s = 0; s < 2; s++) part[s].room = 0;
  return is_rim[1 - base] ? 1 - base : -1;
}

/* Slides both points so that they lie over each other along n. */
static bool slide_together(const cr_part* part, const jet3* n, jet3 x[2]) {
  v3 t[2], slide[2][2];
  int count[2];
  for (int s = 0; s < 2; s++) count[s] = find_slides(&part[s], slide[s]);
  if (count[0] + count[1] != 2) return false;
  v3_tangents(n->x, &t[0], &t[1]);
  double A[2][2], X[2][JET_SIZE], d = v3_dot(n->x, v3_sub(x[1].x, x[0].x));
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < count[0]; k++) A[i][k] = -v3_dot(t[i], slide[0][k]);
    for (int k = 0; k < count[1]; k++) A[i][count[0] + k] = v3_dot(t[i], slide[1][k]);
    for (int j = 0; j < JET_SIZE; j++)
      X[i][j] = v3_dot(t[i], v3_axpy(v3_sub(x[0].d[j], x[1].d[j]), d, n->d[j]));
  }
  if (!cr_nearest_solve(A[0], 2, X[0])) return false;
  for (int j = 0; j < JET_SIZE; j++)
    for (int k = 0; k < 2; k++) {
      int s = k < count[0] ? 0 : 1;
      x[s].d[j] = v3_axpy(x[s].d[j], X[k][j], slide[s][s == 0 ? k : k - count[0]]);
    }
  return true;
}

/* A point over another one along the normal. */
static bool differentiate_over(cr_work* work, int i) {
  cr_part part[2] = {work->part[i][0], work->part[i][1]};
  cr_point_tangent* point = &work->tangent->points[i];
  jet3 x[2];
  int patterned = flatten_until_free(work, part);
  if (patterned < 0) sharpen_until_held(work, part);
  for (int s = 0; s < 2; s++) {
    jet3 m = s == 0 ? work->n : jet3_scale(-1, work->n);
    x[s] = cr_part_follow(&work->mover[s], &part[s], &m);
    if (s != patterned) continue;
    if (!cr_rule_follow_rim(work->mover, part, s, &m, &x[s], &point->kink))
      return refuse(work, "a point of a rim is placed by no rule that is known");
    part[s].kind = CR_PART_VERTEX;
  }
  for (int s = 0; s < 2; s++) {
    bool bounds = cr_part_count_freedom(&part[s]) > 0 || part[s].is_end;
    if (bounds) keep_smaller(part[s].room / work->size, &point->kink);
    if (part[s].kind == CR_PART_BALL && work->mover[s].shape->type == CAROM_GEOM_CAPSULE)
      keep_smaller(part[s].cone, &point->kink);
  }
  if (!slide_together(part, &work->n, x))
    return refuse(work, "a point of the patch is not held by the parts under it");
  store_point(work, i, &x[0], &x[1]);
  return true;
}

/* Whether the witnesses are the leader's, under another name. */
static bool is_leader(const cr_work* work, int i) {
  const cr_part *part = work->part[i], *leader = work->part[work->leader];
  return v3_norm(v3_sub(part[0].x, leader[0].x)) < work->width &&
         v3_norm(v3_sub(part[1].x, leader[1].x)) < work->width;
}

static bool differentiate_point(cr_work* work, int i) {
  const cr_part* part = work->part[i];
  v3 n = work->n.x, between = v3_sub(part[1].x, part[0].x);
  double aside = v3_norm(v3_axpy(between, -v3_dot(between, n), n));
  cr_point_tangent* point = &work->tangent->points[i];
  jet3 x[2];
  if (work->is_nearest && is_leader(work, i)) {
    *point = work->tangent->points[work->leader];
    return true;
  }
  if (work->face_of < 0 && cr_rule_follow_lines(work->mover, part, &work->n, x, &point->kink)) {
    store_point(work, i, &x[0], &x[1]);
    return true;
  }
  if (part[0].kind == CR_PART_NONE || part[1].kind == CR_PART_NONE)
    return refuse(work, "a point is on no part of the shapes that is known");
  if (aside > work->width)
    return refuse(work, "two points of a patch do not lie over each other along the normal");
  return differentiate_over(work, i);
}

/* --- All ---------------------------------------------------------------------------------------
 */

static bool is_round(const cr_shape* shape) {
  return shape->type == CAROM_GEOM_CYLINDER || shape->type == CAROM_GEOM_ELLIPSOID;
}

/* How well the normal is known; see collide_support.c, collide_surface.c. */
static double find_along(const cr_collide_query* query, bool with_plane) {
  const cr_shape *a = query->a, *b = query->b;
  if (with_plane) return ALONG;
  if (cr_geom_needs_patches(a, b)) return ALONG_ROUND;
  bool is_searched = a->type == CAROM_GEOM_MESH || b->type == CAROM_GEOM_MESH ||
                     a->type == CAROM_GEOM_ELLIPSOID || b->type == CAROM_GEOM_ELLIPSOID;
  return is_searched && (is_round(a) || is_round(b)) ? ALONG_ROUND : ALONG;
}

static double find_size(const cr_shape* shape) { return cr_shape_compute_bounding_radius(shape); }

static void place(const cr_collide_query* query, const cr_manifold* manifold, cr_work* work) {
  bool with_plane = query->a->type == CAROM_GEOM_PLANE || query->b->type == CAROM_GEOM_PLANE;
  bool as_hulls = with_plane || cr_shapes_meet_as_hulls(query->a, query->b);
  v3 apart = v3_sub(query->Xb->p, query->Xa->p);
  double along = work->along = find_along(query, with_plane);
  work->mover[0] = (cr_mover){query->a, query->Xa, v3_zero(), false, as_hulls, false, along};
  work->mover[1] = (cr_mover){query->b, query->Xb, apart, true, as_hulls, false, along};
  work->size = fmin(find_size(query->a), find_size(query->b));
  work->width = (along > ALONG ? WIDTH_ROUND : WIDTH) * work->size;
  work->n = jet3_constant(manifold->normal);
  for (int i = 0; i < manifold->count; i++) {
    const cr_manifold_point* point = &manifold->points[i];
    v3 x[2] = {v3_sub(point->a, query->Xa->p), v3_sub(point->b, query->Xa->p)};
    uint32_t feature[2] = {point->feature >> 16, point->feature & 0xffff};
    for (int s = 0; s < 2; s++)
      work->part[i][s] =
          cr_part_find(&work->mover[s], x[s], outward_of(work, s), work->width, feature[s]);
    if (point->distance < manifold->points[work->leader].distance) work->leader = i;
  }
}

/* Column j by A's twist of what has the derivatives `by_b` by B's, from `rigid`, that by both
 * moving as one about A's centre. */
static v3 by_a(const v3 by_b[6], v3 rigid, v3 apart, int j) {
  v3 column = v3_sub(rigid, by_b[j]);
  if (j >= 3) return column;
  v3 arm = v3_cross(v3_set(v3_zero(), j, 1), apart);
  for (int k = 0; k < 3; k++) column = v3_axpy(column, -v3_get(arm, k), by_b[3 + k]);
  return column;
}

/* Fills in what A's twist does. */
static void complete(cr_work* work) {
  cr_manifold_tangent* tangent = work->tangent;
  v3 apart = work->mover[1].center;
  cr_mover whole = {.moves = true};
  jet3 turned = cr_mover_carry_vector(&whole, work->n.x);
  for (int j = 0; j < 6; j++) tangent->normal[1][j] = work->n.d[j];
  for (int j = 0; j < 6; j++)
    tangent->normal[0][j] = by_a(tangent->normal[1], turned.d[j], apart, j);
  for (int i = 0; i < tangent->count; i++) {
    cr_point_tangent* point = &tangent->points[i];
    jet3 a = cr_mover_carry_point(&whole, work->part[i][0].x);
    jet3 b = cr_mover_carry_point(&whole, work->part[i][1].x);
    for (int j = 0; j < 6; j++) {
      v3 gap[6];
      for (int k = 0; k < 6; k++) gap[k] = v3_make(point->distance[1][k], 0, 0);
      point->a[0][j] = by_a(point->a[1], a.d[j], apart, j);
      point->b[0][j] = by_a(point->b[1], b.d[j], apart, j);
      point->distance[0][j] = by_a(gap, v3_zero(), apart, j).x;
    }
  }
}

static void differentiate(const cr_collide_query* query, const cr_manifold* manifold, bool is_area,
                          cr_manifold_tangent* tangent) {
  tangent->kink = INFINITY;
  tangent->count = manifold->count;
  tangent->obstacle = NULL;
  if (manifold->count <= 0) return;
  cr_work work;
  work.manifold = manifold;
  work.tangent = tangent;
  work.leader = 0;
  work.is_nearest = false;
  place(query, manifold, &work);
  for (int k = 0; k < 2; k++) work.mover[k].is_area = is_area;
  for (int i = 0; i < manifold->count; i++) tangent->points[i].kink = INFINITY;
  if (!differentiate_normal(&work)) return;
  for (int i = 0; i < manifold->count; i++) {
    bool is_done = work.is_nearest && i == work.leader;
    if (!is_done && !differentiate_point(&work, i)) return;
  }
  complete(&work);
}

void cr_manifold_compute_tangent(const cr_collide_query* query, const cr_manifold* manifold,
                                 cr_manifold_tangent* tangent) {
  differentiate(query, manifold, false, tangent);
}

void cr_manifold_compute_area_tangent(const cr_collide_query* query, const cr_manifold* manifold,
                                      cr_manifold_tangent* tangent) {
  differentiate(query, manifold, true, tangent);
}
