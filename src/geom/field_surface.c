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

/* A convex part of a body: a cell with its sides, or a triangle of a rigid surface; and how it
 * changes, where that is wanted. */
typedef struct part {
  const cr_field_cell *cell, *dcell;
  const cr_field_side *side, *dside;
  const cr_field_piece *facet, *dfacet; /* null: a cell */
} part;

typedef struct search {
  const cr_field_pair* pair;
  const cr_field_motion* motion; /* null: nothing moves */
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

/* How it changes, where the pressure grows by a share. */
static field find_field_change(const cr_field_body* body, const part* p, double grows) {
  field f = find_field(body, p->cell), d = find_field(body, p->dcell);
  if (f.is_rigid) return d;
  d.gradient = v3_axpy(d.gradient, grows, f.gradient), d.value += grows * f.value;
  return d;
}

/* How both give way in series along the normal; 0 where a field does not press against it. */
static double find_slope(const field* a, const field* b, v3 normal) {
  double ga = -v3_dot(a->gradient, normal), gb = v3_dot(b->gradient, normal);
  if (a->is_rigid) return fmax(gb, 0);
  if (b->is_rigid) return fmax(ga, 0);
  return ga > 0 && gb > 0 ? ga * (gb / (ga + gb)) : 0;
}

static double find_slope_change(const field f[2], const field df[2], v3 normal, v3 dnormal) {
  double g[2], dg[2];
  for (int k = 0; k < 2; k++) {
    double sign = k ? 1 : -1;
    g[k] = sign * v3_dot(f[k].gradient, normal);
    dg[k] = sign * (v3_dot(df[k].gradient, normal) + v3_dot(f[k].gradient, dnormal));
  }
  for (int k = 0; k < 2; k++)
    if (f[k].is_rigid) return g[!k] > 0 ? dg[!k] : 0;
  if (!(g[0] > 0 && g[1] > 0)) return 0;
  double a = g[0] / (g[0] + g[1]), b = g[1] / (g[0] + g[1]);
  return b * b * dg[0] + a * a * dg[1];
}

/* What a plane between two soft bodies counts: where both pressures grow to one side, as where the
 * sides of two boxes are flush, they are equal by chance, and nothing presses. */
static double find_share(const field* a, const field* b) {
  if (a->is_rigid || b->is_rigid) return 1;
  double both = v3_norm(a->gradient) * v3_norm(b->gradient);
  return scalar_clamp((1 - v3_dot(a->gradient, b->gradient) / both) / APART, 0, 1);
}

static double find_share_change(const field f[2], const field df[2]) {
  double share = find_share(&f[0], &f[1]), dcosine = 0;
  if (!(share > 0 && share < 1)) return 0;
  v3 u[2] = {v3_normalize_or(f[0].gradient, v3_zero()), v3_normalize_or(f[1].gradient, v3_zero())};
  for (int k = 0; k < 2; k++) {
    v3 across = v3_axpy(u[!k], -v3_dot(u[0], u[1]), u[k]);
    dcosine += v3_dot(across, df[k].gradient) / v3_norm(f[k].gradient);
  }
  return -dcosine / APART;
}

/* Where two fields are equal, or the surface of the rigid one: towards B. */
static cr_field_side find_across(const field f[2], const field of[2]) {
  if (f[0].is_rigid) return (cr_field_side){v3_neg(of[0].gradient), -of[0].value};
  if (f[1].is_rigid) return (cr_field_side){of[1].gradient, of[1].value};
  return (cr_field_side){v3_sub(of[1].gradient, of[0].gradient), of[1].value - of[0].value};
}

/* The unit plane, and its change. */
static cr_field_plane scale_plane(const cr_field_side* at, const cr_field_side* d) {
  double size = v3_norm(at->n);
  cr_field_plane plane = {.at = {v3_scale(1 / size, at->n), at->d / size}};
  if (!d) return plane;
  double dsize = v3_dot(plane.at.n, d->n);
  plane.d.n = v3_scale(1 / size, v3_axpy(d->n, -dsize, plane.at.n));
  plane.d.d = (d->d - plane.at.d * dsize) / size;
  return plane;
}

static cr_field_plane make_plane(v3 n, double d, const cr_field_linear* change) {
  cr_field_plane plane = {.at = {n, d}};
  if (change) plane.d = (cr_field_side){change->gradient, change->value};
  return plane;
}

/* What lies within a cell's sides. */
static void cut_by_part(cr_field_cutter* cutter, const part* p) {
  for (int k = 0; k < p->cell->count && cutter->count > 2; k++) {
    int at = p->cell->first + k;
    cr_field_plane plane = {.at = p->side[at]};
    if (p->dside) plane.d = p->dside[at];
    cr_field_cutter_cut(cutter, &plane);
  }
}

/* A field of the share of another one. */
static field weigh(const field* f, double share) {
  return (field){v3_scale(share, f->gradient), share * f->value, f->is_rigid};
}

/* Enters what two cells' pressures have left. */
static bool enter_cells(search* s, const field f[2], const field df[2],
                        const cr_field_plane* plane) {
  int soft = f[0].is_rigid;
  double share = find_share(&f[0], &f[1]), slope = find_slope(&f[0], &f[1], plane->at.n);
  cr_field_face face = {plane->at.n, share * slope, weigh(&f[soft], share)};
  if (!s->cutter.dx) return cr_field_cutter_enter(&s->cutter, &face, NULL);
  double dshare = find_share_change(f, df);
  double dslope = find_slope_change(f, df, plane->at.n, plane->d.n);
  cr_field_face change = {plane->d.n, dshare * slope + share * dslope, weigh(&df[soft], share)};
  change.pressure.gradient = v3_axpy(change.pressure.gradient, dshare, f[soft].gradient);
  change.pressure.value += dshare * f[soft].value;
  return cr_field_cutter_enter(&s->cutter, &face, &change);
}

/* Where two cells' pressures are equal. */
static bool meet_cells(search* s, const part* part_a, const part* part_b) {
  const part* of[2] = {part_a, part_b};
  field f[2], df[2];
  bool moves = s->motion != NULL;
  for (int k = 0; k < 2; k++) {
    f[k] = find_field(&s->pair->body[k], of[k]->cell);
    if (moves) df[k] = find_field_change(&s->pair->body[k], of[k], s->motion->pressure[k]);
  }
  bool is_rigid = f[0].is_rigid || f[1].is_rigid;
  cr_field_side across = find_across(f, f), dacross = {v3_zero(), 0};
  if (moves) dacross = find_across(f, df);
  double least = is_rigid ? 0 : ALIKE * fmax(v3_norm(f[0].gradient), v3_norm(f[1].gradient));
  if (!(v3_norm(across.n) > least) || !(find_share(&f[0], &f[1]) > 0)) return true;
  cr_field_plane plane = scale_plane(&across, moves ? &dacross : NULL);
  int soft = f[0].is_rigid;
  cr_field_plane pressed = make_plane(f[soft].gradient, f[soft].value, moves ? &df[soft] : NULL);
  cr_field_cutter* cutter = &s->cutter;
  cr_field_cutter_start(cutter, &plane, s->size);
  cr_field_cutter_cut(cutter, &pressed);
  for (int k = 0; k < 2; k++) cut_by_part(cutter, of[k]);
  return cutter->count < 3 || enter_cells(s, f, df, &plane);
}

/* A rigid triangle bears the pressure of the cells that it lies in. */
static bool meet_facet(search* s, const part* facet, const part* cell, bool is_turned) {
  const cr_field_body* soft = &s->pair->body[is_turned ? 0 : 1];
  const cr_field_piece *at = facet->facet, *d = facet->dfacet;
  double sign = is_turned ? -1 : 1;
  bool moves = s->motion != NULL;
  field pressure = find_field(soft, cell->cell), dpressure;
  if (moves) dpressure = find_field_change(soft, cell, s->motion->pressure[is_turned ? 0 : 1]);
  cr_field_cutter* cutter = &s->cutter;
  cr_field_plane pressed = make_plane(pressure.gradient, pressure.value, moves ? &dpressure : NULL);
  cr_field_cutter_take(cutter, at->corner, d ? d->corner : NULL, 3);
  cr_field_cutter_cut(cutter, &pressed);
  cut_by_part(cutter, cell);
  if (cutter->count < 3) return true;
  double along = v3_dot(pressure.gradient, at->normal);
  cr_field_face face = {v3_scale(sign, at->normal), fmax(along, 0), pressure};
  if (!moves || !d) return cr_field_cutter_enter(cutter, &face, NULL);
  double grows = v3_dot(dpressure.gradient, at->normal) + v3_dot(pressure.gradient, d->normal);
  cr_field_face change = {v3_scale(sign, d->normal), along > 0 ? grows : 0, dpressure};
  return cr_field_cutter_enter(cutter, &face, &change);
}

static bool meet(search* s, const part* a, const part* b) {
  if (a->facet) return b->facet || meet_facet(s, a, b, false);
  return b->facet ? meet_facet(s, b, a, true) : meet_cells(s, a, b);
}

/* --- Convex bodies, and pieces of others --------------------------------------------------------
 */

static part cell_part(const cr_field_cells* cells, int i) {
  part p = {.cell = &cells->cell[i], .side = cells->side};
  if (cells->dcell) p.dcell = &cells->dcell[i], p.dside = cells->dside;
  return p;
}

static part piece_part(const cr_field_piece* piece, const cr_field_piece* change) {
  part p = {.cell = &piece->cell, .side = piece->side, .facet = piece->is_facet ? piece : NULL};
  if (change) p.dcell = &change->cell, p.dside = change->side, p.dfacet = change;
  return p;
}

/* Those of body k. */
static void list_cells(search* s, int k, const cr_field_view* view) {
  const cr_field_body* body = &s->pair->body[k];
  cr_field_carrier carrier;
  if (s->motion) carrier = cr_field_carry(body, s->motion, k);
  cr_field_list_cells(body, view, s->motion ? &carrier : NULL, &s->cells[k]);
}

static bool meet_convex(search* s) {
  const cr_field_pair* pair = s->pair;
  for (int k = 0; k < 2; k++) {
    double sign = k ? -1 : 1;
    cr_field_view view = {.outward = v3_scale(sign, pair->normal), .depth = pair->depth};
    view.origin = pair->place;
    if (s->motion)
      view.doutward = v3_scale(sign, s->motion->normal), view.ddepth = s->motion->depth;
    list_cells(s, k, &view);
  }
  for (int i = 0; i < s->cells[0].count; i++)
    for (int k = 0; k < s->cells[1].count; k++) {
      part a = cell_part(&s->cells[0], i), b = cell_part(&s->cells[1], k);
      if (!meet(s, &a, &b)) return false;
    }
  return true;
}

static cr_field_walk begin_pieces(const search* s, int k, const cr_aabb* box) {
  const cr_field_pair* pair = s->pair;
  const cr_field_body* body = &pair->body[k];
  cr_field_walk walk = cr_field_begin_pieces(body, box, pair->place, DEEPEST * pair->depth);
  if (!s->motion) return walk;
  walk.carrier = cr_field_carry(body, s->motion, k);
  walk.ddepth = DEEPEST * s->motion->depth;
  return walk;
}

/* A piece of body k and the other body, which is convex. */
static bool meet_body(search* s, int k, const part* own, const cr_field_piece* piece,
                      const cr_field_piece* change) {
  const cr_field_body* other = &s->pair->body[!k];
  cr_field_cells* cells = &s->cells[!k];
  cr_field_view view;
  cr_field_carrier carrier;
  if (change) carrier = cr_field_carry(other, s->motion, !k);
  const cr_field_seen seen = {other, piece, change, change ? &carrier : NULL};
  if (!cr_field_find_view(&seen, s->pair->place, &view)) return true;
  list_cells(s, !k, &view);
  for (int i = 0; i < cells->count; i++) {
    const part cell = cell_part(cells, i);
    if (!meet(s, k ? &cell : own, k ? own : &cell)) return false;
  }
  return true;
}

/* A piece of the first body and those of the other. */
static bool meet_pieces(search* s, const part* own, const cr_field_piece* piece) {
  const cr_field_body* other = &s->pair->body[1];
  cr_aabb box = cr_aabb_empty();
  for (int i = 0; i < piece->count; i++)
    cr_aabb_cover(&box, pose_inverse_point(other->X, v3_add(piece->corner[i], s->pair->place)));
  cr_field_walk walk = begin_pieces(s, 1, &box);
  cr_field_piece next, change;
  cr_field_piece* moved = s->motion ? &change : NULL;
  while (cr_field_next_piece(&walk, &next, moved)) {
    const part theirs = piece_part(&next, moved);
    if (!meet(s, own, &theirs)) return false;
  }
  return true;
}

/* Body k, which is not convex, piece by piece. */
static bool meet_piece_by_piece(search* s, int k) {
  const cr_field_body *own = &s->pair->body[k], *other = &s->pair->body[!k];
  bool both = cr_field_has_pieces(other);
  pose near = pose_relative(own->X, other->X);
  cr_aabb box = cr_shape_compute_aabb(other->shape, &near);
  cr_field_walk walk = begin_pieces(s, k, &box);
  cr_field_piece piece, change;
  cr_field_piece* moved = s->motion ? &change : NULL;
  while (cr_field_next_piece(&walk, &piece, moved)) {
    const part p = piece_part(&piece, moved);
    if (!(both ? meet_pieces(s, &p, &piece) : meet_body(s, k, &p, &piece, moved))) return false;
  }
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
    if (!cr_field_has_pieces(body) && !cr_field_reserve_cells(body, s->motion, arena, &s->cells[k]))
      return false;
    double radius = cr_shape_compute_bounding_radius(body->shape);
    s->size = fmin(s->size, 2 * radius + v3_norm(v3_sub(body->X->p, s->pair->place)));
  }
  return cr_field_cutter_init(&s->cutter, room, arena, surface);
}

bool cr_field_find_surface(const cr_field_pair* pair, const cr_field_motion* motion,
                           cr_arena* arena, cr_field_surface* surface) {
  *surface = (cr_field_surface){.moves = motion != NULL};
  search s = {.pair = pair, .motion = motion};
  if (!start_search(&s, arena, surface)) return false;
  for (int k = 0; k < 2; k++)
    if (cr_field_has_pieces(&pair->body[k])) return meet_piece_by_piece(&s, k);
  return meet_convex(&s);
}
