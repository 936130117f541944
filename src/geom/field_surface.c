/* Two cells in which the pressures are linear have equal ones on a plane, of which both cells'
 * sides, and the surface where the pressure is zero, leave a convex polygon (Elandt et al. 2019;
 * Masterjohn et al. 2022). A rigid body is the limit of a stiff one: the plane is that of its own
 * surface. The force of the field of one rigid body is the derivative of the energy ∫ p dV of what
 * overlaps, so that it is continuous. */
#include "geom/field_surface.h"

#include "geom/field_cells.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

/* Of the gradient of one pressure: what both together have at least, not to be one field. */
#define ALIKE 1e-9

/* 1 - cosine of the angle between two gradients up to which what lies between counts in part. */
#define APART 0.05

typedef struct polygon {
  int count;
  v3* x; /* m */
} polygon;

typedef struct search {
  const cr_field_pair* pair;
  cr_field_cells cells[2];
  polygon now, next;
  int room;    /* corners of both */
  double size; /* m, half a square that covers the overlap */
  cr_arena* arena;
  cr_field_surface* surface;
} search;

/* Keeps of a convex polygon what lies where n.x + d is not negative. Round-off may bend one that
 * is thin: there is an end to its corners. */
static void clip(search* s, v3 n, double d) {
  polygon from = s->now, to = s->next;
  double least = 0;
  for (int i = 0; i < from.count; i++) least = fmin(least, v3_dot(n, from.x[i]) + d);
  if (least >= 0) return;
  to.count = 0;
  for (int i = 0; i < from.count && to.count + 2 <= s->room; i++) {
    v3 p = from.x[i], q = from.x[i + 1 < from.count ? i + 1 : 0];
    double a = v3_dot(n, p) + d, b = v3_dot(n, q) + d;
    if (a >= 0) to.x[to.count++] = p;
    if ((a < 0 && b > 0) || (a > 0 && b < 0))
      to.x[to.count++] = v3_axpy(p, a / (a - b), v3_sub(q, p));
  }
  s->now = to, s->next = from;
}

/* A square in the plane n.x + d = 0, n unit, that covers the overlap. */
static void start_polygon(search* s, v3 n, double d) {
  v3 u, v, middle = v3_scale(-d, n);
  v3_tangents(n, &u, &v);
  s->now.count = 4;
  for (int i = 0; i < 4; i++) {
    double a = i == 0 || i == 3 ? s->size : -s->size, b = i < 2 ? s->size : -s->size;
    s->now.x[i] = v3_axpy(v3_axpy(middle, a, u), b, v);
  }
}

static void clip_by_cell(search* s, const cr_field_cells* cells, const cr_field_cell* cell) {
  for (int k = 0; k < cell->count && s->now.count > 2; k++) {
    const cr_field_side* side = &cells->side[cell->first + k];
    clip(s, side->n, side->d);
  }
}

static bool grow(cr_field_surface* surface, cr_arena* arena) {
  if (surface->count < surface->capacity) return true;
  int capacity = 2 * surface->capacity + 32;
  cr_field_triangle* triangle = CR_SCRATCH(arena, cr_field_triangle, capacity);
  if (arena->failed) return false;
  if (surface->count)
    memcpy(triangle, surface->triangle, sizeof *triangle * (size_t)surface->count);
  surface->triangle = triangle, surface->capacity = capacity;
  return true;
}

/* A pressure, or where it is rigid the extent. */
typedef struct field {
  v3 gradient;
  double value;
  bool is_rigid;
} field;

/* The polygon as a fan, with the pressure gradient.x + value. */
static bool add_polygon(search* s, v3 normal, double slope, const field* pressure) {
  for (int i = 1; i + 1 < s->now.count; i++) {
    if (!grow(s->surface, s->arena)) return false;
    cr_field_triangle* t = &s->surface->triangle[s->surface->count++];
    const v3 x[3] = {s->now.x[0], s->now.x[i], s->now.x[i + 1]};
    for (int k = 0; k < 3; k++) {
      t->x[k] = x[k];
      t->pressure[k] = fmax(v3_dot(pressure->gradient, x[k]) + pressure->value, 0);
    }
    double area = v3_norm(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]))) / 2;
    t->area = v3_scale(area, normal);
    t->slope = slope;
  }
  return true;
}

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

static bool add_cells(search* s, const cr_field_cell* cell_a, const cr_field_cell* cell_b) {
  field a = find_field(&s->pair->body[0], cell_a), b = find_field(&s->pair->body[1], cell_b);
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
  start_polygon(s, normal, d / size);
  clip(s, pressure.gradient, pressure.value);
  if (s->now.count > 2) clip_by_cell(s, &s->cells[0], cell_a);
  if (s->now.count > 2) clip_by_cell(s, &s->cells[1], cell_b);
  pressure.gradient = v3_scale(share, pressure.gradient), pressure.value *= share;
  return s->now.count < 3 || add_polygon(s, normal, share * find_slope(&a, &b, normal), &pressure);
}

/* Cells on both sides, and room for polygons. False when memory ran out. */
static bool start_search(search* s) {
  const cr_field_pair* pair = s->pair;
  int most[2] = {0, 0};
  s->size = INFINITY;
  for (int k = 0; k < 2; k++) {
    const cr_field_body* body = &pair->body[k];
    const cr_field_view view = {k ? v3_neg(pair->normal) : pair->normal, pair->depth, pair->place};
    if (!cr_field_list_cells(body, &view, s->arena, &s->cells[k])) return false;
    for (int i = 0; i < s->cells[k].count; i++)
      if (s->cells[k].cell[i].count > most[k]) most[k] = s->cells[k].cell[i].count;
    double radius = cr_shape_compute_bounding_radius(body->shape);
    s->size = fmin(s->size, 2 * radius + v3_norm(v3_sub(body->X->p, pair->place)));
  }
  s->room = 8 + most[0] + most[1];
  s->now = (polygon){0, CR_SCRATCH(s->arena, v3, s->room)};
  s->next = (polygon){0, CR_SCRATCH(s->arena, v3, s->room)};
  return !s->arena->failed;
}

bool cr_field_find_surface(const cr_field_pair* pair, cr_arena* arena, cr_field_surface* surface) {
  *surface = (cr_field_surface){0};
  search s = {.pair = pair, .arena = arena, .surface = surface};
  if (!start_search(&s)) return false;
  for (int i = 0; i < s.cells[0].count; i++)
    for (int k = 0; k < s.cells[1].count; k++)
      if (!add_cells(&s, &s.cells[0].cell[i], &s.cells[1].cell[k])) return false;
  return true;
}
