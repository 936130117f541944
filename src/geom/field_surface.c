/* Two cells in which the pressures are linear have equal ones on a plane, of which both cells'
 * sides, and the surface where the pressure is zero, leave a convex polygon (Elandt et al. 2019;
 * Masterjohn et al. 2022). A rigid body is the limit of a stiff one: the plane is that of its own
 * surface. The force of the field of one rigid body is the derivative of the energy ∫ p dV of what
 * overlaps, so that it is continuous. */
#include "geom/field_surface.h"

#include "geom/field_piece.h"
#include "math/scalar.h"

#include <math.h>

/* Of the gradient of one pressure: what both together have at least, not to be one field. */
#define ALIKE 1e-9

/* 1 - cosine of the angle between two gradients up to which what lies between counts in part. */
#define APART 0.05

/* Of the overlap: how far below a surface that is not convex there is what presses. */
#define DEEPEST 3

/* A convex part of a body: a cell with its sides, or a triangle of a rigid surface. */
typedef struct part {
  const cr_field_cell* cell;
  const cr_field_side* side;
  const cr_field_piece* facet; /* null: a cell */
} part;

typedef struct search {
  const cr_field_pair* pair;
  cr_field_cells cells[2];
  cr_field_cutter cutter;
  double size; /* m, half a square that covers the overlap */
} search;

typedef cr_field_linear field;

static field find_field(const cr_field_body* body, const cr_field_cell* cell) {
  bool is_rigid = isinf(body->pressure);
  double scale = is_rigid ? 1 : body->pressure;
  return (field){v3_scale(scale, cell->gradient), scale * cell->value, is_rigid};
}

/* How both give way in series along the normal; 0 where a field does not press against it. */
static double find_slope(const field* a, const field* b, v3 normal) {
  double ga = -v3_dot(a->gradient, normal), gb = v3_dot(b->gradient, normal);
  if (a->is_rigid) return fmax(gb, 0);
  if (b->is_rigid) return fmax(ga, 0);
  return ga > 0 && gb > 0 ? ga * (gb / (ga + gb)) : 0;
}

/* What a plane between two soft bodies counts: where both pressures grow to one side, as where the
 * sides of two boxes are flush, they are equal by chance, and nothing presses. */
static double find_share(const field* a, const field* b) {
  if (a->is_rigid || b->is_rigid) return 1;
  double both = v3_norm(a->gradient) * v3_norm(b->gradient);
  return scalar_clamp((1 - v3_dot(a->gradient, b->gradient) / both) / APART, 0, 1);
}

/* Where two cells' pressures are equal. */
static bool meet_cells(search* s, const part* part_a, const part* part_b) {
  field a = find_field(&s->pair->body[0], part_a->cell);
  field b = find_field(&s->pair->body[1], part_b->cell);
  v3 across = a.is_rigid   ? v3_neg(a.gradient)
              : b.is_rigid ? b.gradient
                           : v3_sub(b.gradient, a.gradient);
  double d = a.is_rigid ? -a.value : b.is_rigid ? b.value : b.value - a.value;
  double size = v3_norm(across);
  double least =
      a.is_rigid || b.is_rigid ? 0 : ALIKE * fmax(v3_norm(a.gradient), v3_norm(b.gradient));
  if (!(size > least)) return true;
  v3 normal = v3_scale(1 / size, across);
  double share = find_share(&a, &b);
  if (!(share > 0)) return true;
  field pressure = a.is_rigid ? b : a;
  cr_field_cutter* cutter = &s->cutter;
  cr_field_cutter_start(cutter, normal, d / size, s->size);
  cr_field_cutter_cut(cutter, pressure.gradient, pressure.value);
  cr_field_cutter_cut_by_cell(cutter, part_a->side, part_a->cell);
  cr_field_cutter_cut_by_cell(cutter, part_b->side, part_b->cell);
  pressure.gradient = v3_scale(share, pressure.gradient), pressure.value *= share;
  double slope = share * find_slope(&a, &b, normal);
  return cutter->count < 3 || cr_field_cutter_enter(cutter, normal, slope, &pressure);
}

/* A rigid triangle bears the pressure of the cells that it lies in. */
static bool meet_facet(search* s, const part* facet, const part* cell, bool is_turned) {
  const cr_field_body* soft = &s->pair->body[is_turned ? 0 : 1];
  field pressure = find_field(soft, cell->cell);
  v3 normal = is_turned ? v3_neg(facet->facet->normal) : facet->facet->normal;
  cr_field_cutter* cutter = &s->cutter;
  cr_field_cutter_take(cutter, facet->facet->corner, 3);
  cr_field_cutter_cut(cutter, pressure.gradient, pressure.value);
  cr_field_cutter_cut_by_cell(cutter, cell->side, cell->cell);
  if (cutter->count < 3) return true;
  double along = v3_dot(pressure.gradient, normal);
  return cr_field_cutter_enter(cutter, normal, fmax(is_turned ? -along : along, 0), &pressure);
}

static bool meet(search* s, const part* a, const part* b) {
  if (a->facet) return b->facet || meet_facet(s, a, b, false);
  return b->facet ? meet_facet(s, b, a, true) : meet_cells(s, a, b);
}

/* --- Convex bodies, and pieces of others --------------------------------------------------------
 */

static part cell_part(const cr_field_cells* cells, int i) {
  return (part){&cells->cell[i], cells->side, NULL};
}

static part piece_part(const cr_field_piece* piece) {
  return (part){&piece->cell, piece->side, piece->is_facet ? piece : NULL};
}

static bool meet_convex(search* s) {
  const cr_field_pair* pair = s->pair;
  for (int k = 0; k < 2; k++) {
    const cr_field_view view = {k ? v3_neg(pair->normal) : pair->normal, pair->depth, pair->place};
    cr_field_list_cells(&pair->body[k], &view, &s->cells[k]);
  }
  for (int i = 0; i < s->cells[0].count; i++)
    for (int k = 0; k < s->cells[1].count; k++) {
      part a = cell_part(&s->cells[0], i), b = cell_part(&s->cells[1], k);
      if (!meet(s, &a, &b)) return false;
    }
  return true;
}

/* A piece of body k and the other body, which is convex. */
static bool meet_body(search* s, int k, const cr_field_piece* piece) {
  const cr_field_body* other = &s->pair->body[!k];
  cr_field_cells* cells = &s->cells[!k];
  cr_field_view view;
  if (!cr_field_find_view(other, piece, s->pair->place, &view)) return true;
  cr_field_list_cells(other, &view, cells);
  const part own = piece_part(piece);
  for (int i = 0; i < cells->count; i++) {
    const part cell = cell_part(cells, i);
    if (!meet(s, k ? &cell : &own, k ? &own : &cell)) return false;
  }
  return true;
}

/* A piece of the first body and those of the other. */
static bool meet_pieces(search* s, const cr_field_piece* piece) {
  const cr_field_body* other = &s->pair->body[1];
  cr_aabb box = cr_aabb_empty();
  for (int i = 0; i < piece->count; i++)
    cr_aabb_cover(&box, pose_inverse_point(other->X, v3_add(piece->corner[i], s->pair->place)));
  cr_field_walk walk = cr_field_begin_pieces(other, &box, s->pair->place, DEEPEST * s->pair->depth);
  const part own = piece_part(piece);
  cr_field_piece next;
  while (cr_field_next_piece(&walk, &next)) {
    const part theirs = piece_part(&next);
    if (!meet(s, &own, &theirs)) return false;
  }
  return true;
}

/* Body k, which is not convex, piece by piece. */
static bool meet_piece_by_piece(search* s, int k) {
  const cr_field_body *own = &s->pair->body[k], *other = &s->pair->body[!k];
  bool both = cr_field_has_pieces(other);
  pose near = pose_relative(own->X, other->X);
  cr_aabb box = cr_shape_compute_aabb(other->shape, &near);
  cr_field_walk walk = cr_field_begin_pieces(own, &box, s->pair->place, DEEPEST * s->pair->depth);
  cr_field_piece piece;
  while (cr_field_next_piece(&walk, &piece))
    if (!(both ? meet_pieces(s, &piece) : meet_body(s, k, &piece))) return false;
  return true;
}

/* Sides that a cell has at most. */
static int count_sides(const cr_field_body* body) {
  const cr_hull* hull = body->shape->hull;
  int most = CR_FIELD_SIDES_MAX;
  for (int f = 0; hull && f < hull->num_faces; f++) {
    int count = hull->face_start[f + 1] - hull->face_start[f];
    most = count > most ? count : most;
  }
  return most;
}

/* Room for cells of both sides, and for polygons. False when memory ran out. */
static bool start_search(search* s, cr_arena* arena, cr_field_surface* surface) {
  int room = 8;
  s->size = INFINITY;
  for (int k = 0; k < 2; k++) {
    const cr_field_body* body = &s->pair->body[k];
    room += count_sides(body);
    if (!cr_field_has_pieces(body) && !cr_field_reserve_cells(body, arena, &s->cells[k]))
      return false;
    double radius = cr_shape_compute_bounding_radius(body->shape);
    s->size = fmin(s->size, 2 * radius + v3_norm(v3_sub(body->X->p, s->pair->place)));
  }
  return cr_field_cutter_init(&s->cutter, room, arena, surface);
}

bool cr_field_find_surface(const cr_field_pair* pair, cr_arena* arena, cr_field_surface* surface) {
  *surface = (cr_field_surface){0};
  search s = {.pair = pair};
  if (!start_search(&s, arena, surface)) return false;
  for (int k = 0; k < 2; k++)
    if (cr_field_has_pieces(&pair->body[k])) return meet_piece_by_piece(&s, k);
  return meet_convex(&s);
}
