/* Pieces of surfaces. A rigid body's are its triangles. Of a solid with a pressure there is a cell
 * below each triangle, in which the extent is the depth below it, up to half of the wall and no
 * deeper than bodies overlap. Between two triangles it ends in the plane that halves their angle,
 * on which both depths are equal, and where a corner is convex it ends where another triangle of
 * that corner is nearer. So the pressure is continuous but about corners at which a surface is bent
 * to both sides, where cells overlap or leave a gap of the size of the depth. */
#include "geom/field_piece.h"

#include "geom/triangle.h"

#include <math.h>

#define FLAT        1e-6 /* sine of the angle between planes that are one */
#define MOST_AROUND 64   /* triangles about a corner */

cr_field_walk cr_field_begin_pieces(const cr_field_body* body, const cr_aabb* box, v3 origin,
                                    double depth) {
  cr_aabb near = cr_aabb_enlarge(*box, depth);
  return (cr_field_walk){.body = body,
                         .depth = depth,
                         .origin = origin,
                         .triangles = cr_trisurface_begin(body->shape->surface, &near)};
}

/* The plane's normal through a side that halves the angle to the next triangle, into the cell. */
static v3 find_between(const cr_trisurface* surface, int triangle, int side, const cr_facet* f) {
  int beyond = surface->neighbor[3 * (size_t)triangle + (size_t)side];
  cr_facet other = *f;
  if (beyond >= 0) cr_trisurface_get(surface, beyond, &other);
  v3 along = v3_sub(f->corner[(side + 1) % 3], f->corner[side]);
  v3 middle = v3_add(f->normal, other.normal);
  if (v3_norm2(middle) < FLAT) middle = f->normal;
  return v3_normalize_or(v3_cross(middle, along), f->inward);
}

static void add_side(cr_field_piece* piece, v3 n, v3 through) {
  if (piece->cell.count == CR_FIELD_PIECE_SIDES || !(v3_norm2(n) > FLAT * FLAT)) return;
  piece->side[piece->cell.count++] = (cr_field_side){n, -v3_dot(n, through)};
}

/* The side beyond which another triangle of a corner is nearer, where both are bent away from each
 * other. */
static void add_nearer(const cr_facet* f, const cr_facet* other, v3 through, double tolerance,
                       cr_field_piece* piece) {
  for (int k = 0; k < 3; k++) {
    if (v3_dot(f->normal, v3_sub(other->corner[k], through)) > tolerance) return;
    if (v3_dot(other->normal, v3_sub(f->corner[k], through)) > tolerance) return;
  }
  add_side(piece, v3_sub(f->normal, other->normal), through);
}

/* Goes round a corner of a triangle, over all but the two beside it. */
static void add_corner(const cr_trisurface* surface, int triangle, int corner, const cr_facet* f,
                       cr_field_piece* piece) {
  int vertex = f->vertex[corner], at = surface->neighbor[3 * (size_t)triangle + (size_t)corner];
  for (int i = 0; i < MOST_AROUND && at >= 0 && at != triangle; i++) {
    cr_facet other;
    cr_trisurface_get(surface, at, &other);
    int own = other.vertex[0] == vertex ? 0 : other.vertex[1] == vertex ? 1 : 2;
    int next = surface->neighbor[3 * (size_t)at + (size_t)own];
    if (i > 0 && next != triangle)
      add_nearer(f, &other, f->corner[corner], FLAT * f->extent, piece);
    at = next;
  }
}

/* The cell below a triangle in the shape's frame; the corners below are where its sides meet. */
static void make_cell(const cr_field_walk* walk, int triangle, const cr_facet* f,
                      cr_field_piece* piece) {
  const cr_trisurface* surface = walk->body->shape->surface;
  double thickness = surface->thickness, most = fmin(surface->reach[triangle], walk->depth);
  v3 n = f->normal;
  piece->cell =
      (cr_field_cell){v3_scale(-1 / thickness, n), v3_dot(n, f->corner[0]) / thickness, 0, 0};
  for (int i = 0; i < 3; i++) add_side(piece, find_between(surface, triangle, i, f), f->corner[i]);
  for (int i = 0; i < 3; i++) {
    v3 down = v3_cross(piece->side[i].n, piece->side[(i + 2) % 3].n);
    double drop = -v3_dot(down, n);
    down = fabs(drop) > FLAT ? v3_scale(1 / drop, down) : v3_neg(n);
    piece->corner[3 + i] = v3_axpy(f->corner[i], most, down);
  }
  piece->count = 6;
  piece->below = walk->depth < surface->reach[triangle] ? piece->cell.count : -1;
  add_side(piece, n, v3_axpy(f->corner[0], -most, n));
  for (int i = 0; i < 3; i++) add_corner(surface, triangle, i, f, piece);
}

static void place_piece(const cr_field_walk* walk, cr_field_piece* piece) {
  const pose* X = walk->body->X;
  v3 at = pose_inverse_point(X, walk->origin), shift = v3_sub(X->p, walk->origin);
  for (int i = 0; i < piece->count; i++)
    piece->corner[i] = v3_add(m3_mulv(&X->R, piece->corner[i]), shift);
  piece->normal = m3_mulv(&X->R, piece->normal);
  piece->cell.value += v3_dot(piece->cell.gradient, at);
  piece->cell.gradient = m3_mulv(&X->R, piece->cell.gradient);
  for (int i = 0; i < piece->cell.count; i++) {
    piece->side[i].d += v3_dot(piece->side[i].n, at);
    piece->side[i].n = m3_mulv(&X->R, piece->side[i].n);
  }
}

/* How a piece that is placed changes: its sides move with it, but for the one below where that
 * follows from the depth, and its corners. */
static void carry_piece(const cr_field_walk* walk, const cr_field_piece* piece,
                        cr_field_piece* change) {
  const cr_field_carrier* c = &walk->carrier;
  for (int i = 0; i < piece->count; i++) {
    v3 arm = v3_sub(v3_add(piece->corner[i], walk->origin), c->X->p);
    change->corner[i] = v3_add(c->way, v3_cross(c->turn, arm));
  }
  change->normal = v3_cross(c->turn, piece->normal);
  cr_field_side by = cr_field_carry_plane(c, walk->origin, piece->cell.gradient);
  change->cell = (cr_field_cell){.gradient = by.n, .value = by.d};
  for (int i = 0; i < piece->cell.count; i++)
    change->side[i] = cr_field_carry_plane(c, walk->origin, piece->side[i].n);
  if (piece->below < 0) return;
  change->side[piece->below].d += walk->ddepth;
  for (int i = 0; i < 3; i++) {
    v3 down = v3_scale(1 / walk->depth, v3_sub(piece->corner[3 + i], piece->corner[i]));
    change->corner[3 + i] = v3_axpy(change->corner[3 + i], walk->ddepth, down);
  }
}

bool cr_field_next_piece(cr_field_walk* walk, cr_field_piece* piece, cr_field_piece* change) {
  int triangle = cr_trisurface_next(&walk->triangles);
  if (triangle < 0) return false;
  cr_facet f;
  cr_trisurface_get(walk->body->shape->surface, triangle, &f);
  *piece = (cr_field_piece){
      .is_facet = isinf(walk->body->pressure), .count = 3, .normal = f.normal, .below = -1};
  for (int i = 0; i < 3; i++) piece->corner[i] = f.corner[i];
  if (!piece->is_facet) make_cell(walk, triangle, &f, piece);
  place_piece(walk, piece);
  if (change) carry_piece(walk, piece, change);
  return true;
}
