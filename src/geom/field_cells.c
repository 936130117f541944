/* Boxes and meshes are pyramids over their faces: a box's up to its medial axis, where two
 * depths are equal, a mesh's up to its middle. Round bodies are faceted where they are touched, on
 * the spot, so that a patch has as many facets however small it is: a wedge of a cylinder or a
 * pyramid of an ellipsoid has the linear extent that is zero on the mean over its part of the
 * surface. */
#include "geom/field_cells.h"

#include "math/scalar.h"

#include <math.h>

/* Of a tilt against the axis, up to which wedges all round begin anywhere: nothing comes of how
 * they turn. */
#define UPRIGHT 1e-4

enum {
  RINGS = 3,    /* of the facets of a ball about the direction, */
  SECTORS = 10, /* and in each of them */
  STRIPS = 12,  /* of a mantle that is within reach on one side, */
  AROUND = 32,  /* and all round */
  MOST_CELLS = AROUND + 2 * RINGS * SECTORS,
  MOST_SIDES = 5 * MOST_CELLS /* 2 caps of AROUND + 3 are no more */
};

/* Those of a body stay as they are in its own frame. */
static void add_cell(cr_field_cells* cells, v3 gradient, double value) {
  if (cells->dcell) cells->dcell[cells->count] = (cr_field_cell){.gradient = v3_zero()};
  cells->cell[cells->count++] = (cr_field_cell){gradient, value, cells->num_sides, 0};
}

static void add_side(cr_field_cells* cells, v3 n, double d) {
  if (cells->dside) cells->dside[cells->num_sides] = (cr_field_side){v3_zero(), 0};
  cells->side[cells->num_sides++] = (cr_field_side){n, d};
  cells->cell[cells->count - 1].count++;
}

/* Of the last cell, in its shape's own frame; where nothing moves there is no room for it. */
static void change_cell(cr_field_cells* cells, v3 gradient, double value) {
  if (!cells->dcell) return;
  cr_field_cell* d = &cells->dcell[cells->count - 1];
  d->gradient = gradient, d->value = value;
}

/* And of its last side. */
static void change_side(cr_field_cells* cells, v3 n, double d) {
  if (cells->dside) cells->dside[cells->num_sides - 1] = (cr_field_side){n, d};
}

/* A number and its change. */
typedef struct moved {
  double at, d;
} moved;

static moved find_ratio(moved a, moved b) {
  return (moved){a.at / b.at, (a.d - a.at / b.at * b.d) / b.at};
}

/* Axes, and a wedge about the first: the directions from `middle - half` to `middle + half`, from
 * x towards y. A d before a name is its change. */
typedef struct wedge {
  v3 z, x, y, dz, dx, dy;
  double middle, half, dmiddle, dhalf;
  v3 beyond; /* what a ball is cut by through its middle; zero: not */
} wedge;

static v3 turn(const wedge* w, double angle) {
  return v3_axpy(v3_scale(cos(angle), w->x), sin(angle), w->y);
}

static v3 turn_change(const wedge* w, double angle, double dangle) {
  v3 carried = v3_axpy(v3_scale(cos(angle), w->dx), sin(angle), w->dy);
  return v3_axpy(carried, dangle, turn(w, angle + M_PI / 2));
}

/* The side at an angle that changes by so much. */
static void add_wedge_side(const wedge* w, double angle, double dangle, cr_field_cells* cells) {
  add_side(cells, turn(w, angle), 0);
  if (cells->dside) change_side(cells, turn_change(w, angle, dangle), 0);
}

static void add_wedge_sides(const wedge* w, cr_field_cells* cells) {
  add_wedge_side(w, w->middle - w->half + M_PI / 2, w->dmiddle - w->dhalf, cells);
  add_wedge_side(w, w->middle + w->half - M_PI / 2, w->dmiddle + w->dhalf, cells);
}

/* An extent gradient.x + value, and its change. */
typedef struct extent {
  v3 gradient, dgradient;
  double value, dvalue;
} extent;

/* The depth h + n.x below a flat part of a surface, n unit, over the thickness t. */
static extent find_extent(v3 n, moved h, moved t) {
  moved value = find_ratio(h, t);
  return (extent){v3_scale(1 / t.at, n), v3_scale(-t.d / (t.at * t.at), n), value.at, value.d};
}

static void add_extent(const extent* e, cr_field_cells* cells) {
  add_cell(cells, e->gradient, e->value);
  change_cell(cells, e->dgradient, e->dvalue);
}

/* Where an extent that the last cell has is the least of some, of which it may be one. */
static void add_least_sides(const extent* own, const extent* of, int count, cr_field_cells* cells) {
  for (int i = 0; i < count; i++) {
    v3 n = v3_sub(of[i].gradient, own->gradient);
    if (!(v3_norm2(n) > 0)) continue;
    add_side(cells, n, of[i].value - own->value);
    change_side(cells, v3_sub(of[i].dgradient, own->dgradient), of[i].dvalue - own->dvalue);
  }
}

/* --- Boxes and meshes ---------------------------------------------------------------------------
 */

static void add_box(const moved size[3], moved thickness, cr_field_cells* cells) {
  extent of[6];
  for (int i = 0; i < 6; i++)
    of[i] = find_extent(v3_set(v3_zero(), i / 2, i % 2 ? 1 : -1), size[i / 2], thickness);
  for (int i = 0; i < 6; i++) {
    add_extent(&of[i], cells);
    add_least_sides(&of[i], of, 6, cells);
  }
}

/* The faces that reach into the layer. */
static void add_hull(const cr_hull* hull, v3 outward, double depth, cr_field_cells* cells) {
  double top = v3_dot(outward, cr_hull_vertex(hull, cr_hull_find_support(hull, outward)));
  for (int f = 0; f < hull->num_faces; f++) {
    const int* corner = hull->face_vertex + hull->face_start[f];
    int count = hull->face_start[f + 1] - hull->face_start[f];
    double most = -INFINITY, far = hull->plane[4 * f + 3];
    for (int k = 0; k < count; k++)
      most = fmax(most, v3_dot(outward, cr_hull_vertex(hull, corner[k])));
    if (most < top - depth || !(far > 0)) continue;
    add_cell(cells, v3_scale(-1 / far, cr_hull_normal(hull, f)), 1);
    for (int k = 0; k < count; k++) {
      v3 p = cr_hull_vertex(hull, corner[k]);
      v3 q = cr_hull_vertex(hull, corner[k + 1 < count ? k + 1 : 0]);
      add_side(cells, v3_cross(p, q), 0);
    }
  }
}

/* --- Round bodies -------------------------------------------------------------------------------
 */

/* Beyond (1) or within (-1) the cone of an angle about z: a plane in its place, with as much of
 * what lies across z. */
static void add_cone_side(const wedge* w, double angle, double dangle, double sign,
                          cr_field_cells* cells) {
  double narrow = sqrt(w->half / tan(w->half)), c = cos(angle), s = sin(angle);
  v3 out = turn(w, w->middle);
  add_side(cells, v3_scale(sign, v3_axpy(v3_scale(c, out), -narrow * s, w->z)), 0);
  if (!cells->dside) return;
  v3 dn = v3_axpy(v3_scale(c, turn_change(w, w->middle, 0)), -narrow * s, w->dz);
  dn = v3_axpy(v3_axpy(dn, -s * dangle, out), -narrow * c * dangle, w->z);
  change_side(cells, v3_scale(sign, dn), 0);
}

/* Two cones about z, and their changes, rad. */
typedef struct ring {
  double from, to, dfrom, dto;
} ring;

/* The mean of directions between them along z and across: sums over the solid angle. */
typedef struct facet_mean {
  double across, along, dacross, dalong;
} facet_mean;

static facet_mean find_mean(const wedge* w, const ring* r) {
  double half = w->half, from = r->from, to = r->to, sin_from = sin(from), sin_to = sin(to);
  double angle = 2 * half * (cos(from) - cos(to));
  double dangle = 2 * half * (sin_to * r->dto - sin_from * r->dfrom);
  double across = sin(half) * (to - from - (sin(2 * to) - sin(2 * from)) / 2);
  double dacross = 2 * sin(half) * (sin_to * sin_to * r->dto - sin_from * sin_from * r->dfrom);
  double along = half * (sin_to * sin_to - sin_from * sin_from);
  double dalong = half * (sin(2 * to) * r->dto - sin(2 * from) * r->dfrom);
  facet_mean m = {across / angle, along / angle, 0, 0};
  m.dacross = (dacross - m.across * dangle) / angle;
  m.dalong = (dalong - m.along * dangle) / angle;
  return m;
}

/* The facet of the unit ball between two cones: with the mean m of its directions, over the solid
 * angle, 1 - m.x / m² is zero on its mean. */
static void add_facet(const wedge* w, const ring* r, cr_field_cells* cells) {
  facet_mean m = find_mean(w, r);
  v3 out = turn(w, w->middle), mean = v3_axpy(v3_scale(m.across, out), m.along, w->z);
  double square = v3_norm2(mean);
  add_cell(cells, v3_scale(-1 / square, mean), 1);
  if (cells->dcell) {
    v3 d = v3_axpy(v3_scale(m.dacross, out), m.across, turn_change(w, w->middle, 0));
    d = v3_axpy(v3_axpy(d, m.dalong, w->z), m.along, w->dz);
    change_cell(
        cells, v3_axpy(v3_scale(-1 / square, d), 2 * v3_dot(mean, d) / (square * square), mean), 0);
  }
  add_wedge_sides(w, cells);
  if (r->from > 0) add_cone_side(w, r->from, r->dfrom, 1, cells);
  if (r->to < M_PI) add_cone_side(w, r->to, r->dto, -1, cells);
  if (v3_norm2(w->beyond) > 0) add_side(cells, w->beyond, 0);
}

/* acos, of what may be beyond its ends. */
static moved find_angle(double cosine, double change) {
  double square = 1 - cosine * cosine;
  return (moved){acos(scalar_clamp(cosine, -1, 1)), square > 0 ? -change / sqrt(square) : 0};
}

/* The unit ball where it reaches into a layer below its outermost point. */
static void add_ball(const wedge* axes, moved depth, cr_field_cells* cells) {
  moved reach = find_angle(1 - depth.at, -depth.d);
  wedge w = *axes;
  w.half = M_PI / SECTORS;
  for (int k = 0; k < RINGS && reach.at > 0; k++) {
    const ring r = {reach.at * k / RINGS, reach.at * (k + 1) / RINGS, reach.d * k / RINGS,
                    reach.d * (k + 1) / RINGS};
    for (int i = 0; i < SECTORS; i++) {
      w.middle = 2 * i * w.half;
      add_facet(&w, &r, cells);
    }
  }
}

/* A ball that is stretched: half axes and middle, and their changes. */
typedef struct oval {
  v3 size, dsize, at, dat;
} oval;

/* What is linear in x / size becomes so in x - at. */
static void stretch(const oval* o, v3* n, double* d) {
  v3 by = v3_make(1 / o->size.x, 1 / o->size.y, 1 / o->size.z);
  *n = v3_mul(*n, by);
  *d -= v3_dot(*n, o->at);
}

/* And its change, n being what it has become. */
static void stretch_change(const oval* o, v3 n, v3* dn, double* dd) {
  v3 by = v3_make(1 / o->size.x, 1 / o->size.y, 1 / o->size.z);
  *dn = v3_mul(v3_sub(*dn, v3_mul(n, o->dsize)), by);
  *dd -= v3_dot(*dn, o->at) + v3_dot(n, o->dat);
}

static void stretch_cells(cr_field_cells* cells, int first, const oval* o) {
  for (int i = first; i < cells->count; i++) {
    cr_field_cell *cell = &cells->cell[i], *d = cells->dcell ? &cells->dcell[i] : NULL;
    stretch(o, &cell->gradient, &cell->value);
    if (d) stretch_change(o, cell->gradient, &d->gradient, &d->value);
    for (int k = cell->first; k < cell->first + cell->count; k++) {
      cr_field_side *side = &cells->side[k], *dside = cells->dside ? &cells->dside[k] : NULL;
      stretch(o, &side->n, &side->d);
      if (dside) stretch_change(o, side->n, &dside->n, &dside->d);
    }
  }
}

/* A direction to look into, from within, and how deep. */
typedef struct look {
  v3 outward, aside; /* unit; across it, where rings begin */
  double depth;      /* m, of the layer below the outermost point */
  v3 doutward, daside;
  double ddepth;
  moved size[3]; /* of the shape */
} look;

/* How the shape's size along a direction that it is looked at in changes, as a ball. */
static v3 find_axis_change(const oval* o, const look* view) {
  return v3_add(v3_mul(o->size, view->doutward), v3_mul(o->dsize, view->outward));
}

/* The axes in which an ellipsoid that is a ball is looked at. */
static wedge find_axes(const oval* o, const look* view) {
  v3 to = v3_mul(o->size, view->outward), u, v;
  wedge w = {.z = v3_scale(1 / v3_norm(to), to)};
  v3_tangents(w.z, &u, &v);
  double lean = v3_dot(view->aside, w.z);
  v3 across = v3_axpy(view->aside, -lean, w.z);
  w.x = v3_normalize_or(across, u);
  w.y = v3_cross(w.z, w.x);
  w.dz = v3_normalize_change(to, find_axis_change(o, view));
  double dlean = v3_dot(view->daside, w.z) + v3_dot(view->aside, w.dz);
  w.dx = v3_normalize_change(across, v3_axpy(v3_axpy(view->daside, -dlean, w.z), -lean, w.dz));
  w.dy = v3_add(v3_cross(w.dz, w.x), v3_cross(w.z, w.dx));
  return w;
}

static void add_oval(const oval* o, v3 beyond, const look* view, cr_field_cells* cells) {
  wedge w = find_axes(o, view);
  moved far = {v3_norm(v3_mul(o->size, view->outward)), v3_dot(w.z, find_axis_change(o, view))};
  moved depth = find_ratio((moved){view->depth, view->ddepth}, far);
  int first = cells->count;
  w.beyond = beyond;
  if (depth.at > 0) add_ball(&w, depth, cells);
  stretch_cells(cells, first, o);
}

static void add_ellipsoid(const moved size[3], const look* view, cr_field_cells* cells) {
  const oval o = {.size = v3_make(size[0].at, size[1].at, size[2].at),
                  .dsize = v3_make(size[0].d, size[1].d, size[2].d)};
  add_oval(&o, v3_zero(), view, cells);
}

/* Wedges about z, `reach` to both sides of the direction; all round where that is more than to one
 * side, since what lies near the axis is then within reach on the other, too. Returns how many. */
static int list_wedges(const look* view, moved reach, wedge* list) {
  v3 z = v3_make(0, 0, 1), to = v3_make(view->outward.x, view->outward.y, 0);
  v3 dto = v3_make(view->doutward.x, view->doutward.y, 0);
  v3 x = v3_normalize_or(v3_make(view->aside.x, view->aside.y, 0), v3_make(1, 0, 0));
  bool is_round = reach.at > M_PI / 2;
  int count = reach.at > 0 ? is_round ? AROUND : STRIPS : 0;
  if (is_round) reach = (moved){M_PI, 0};
  wedge w = {.z = z, .x = v3_normalize_or(to, x)};
  if (v3_norm2(to) > UPRIGHT * UPRIGHT) w.dx = v3_normalize_change(to, dto);
  if (count) w.half = reach.at / count, w.dhalf = reach.d / count;
  w.y = v3_cross(z, w.x), w.dy = v3_cross(z, w.dx);
  for (int i = 0; i < count; i++) {
    w.middle = (2 * i + 1) * w.half - reach.at, w.dmiddle = (2 * i + 1) * w.dhalf - reach.d;
    list[i] = w;
  }
  return count;
}

/* How far round a mantle lies at `least` and more along a direction in which it reaches `most`. */
static moved find_reach(moved most, moved least) {
  if (least.at >= most.at) return (moved){0, 0};
  if (!(most.at > 0)) return (moved){M_PI, 0};
  double cosine = least.at / most.at;
  return find_angle(cosine, (least.d - cosine * most.d) / most.at);
}

/* How far a mantle of a radius reaches along the direction. */
static moved find_flat(moved radius, const look* view) {
  const v3 *to = &view->outward, *dto = &view->doutward;
  double across = hypot(to->x, to->y);
  double d = across > 0 ? (to->x * dto->x + to->y * dto->y) / across : 0;
  return (moved){radius.at * across, radius.at * d + radius.d * across};
}

/* Of the depth below a strip, zero at the radius on its mean, over a thickness. */
static extent find_strip(const wedge* w, moved radius, moved thickness) {
  double s = sin(w->half), grows = (s - w->half * cos(w->half)) / (s * s) * w->dhalf;
  extent e = find_extent(v3_scale(-w->half / s, turn(w, w->middle)), radius, thickness);
  v3 carried = v3_scale(-w->half / s, turn_change(w, w->middle, w->dmiddle));
  v3 change = v3_axpy(carried, -grows, turn(w, w->middle));
  e.dgradient = v3_axpy(e.dgradient, 1 / thickness.at, change);
  return e;
}

/* Strips of the mantle between both caps, and the caps between all strips. */
static void add_cylinder(const moved size[2], moved thin, const look* view, cr_field_cells* cells) {
  moved flat = find_flat(size[0], view);
  moved least = {flat.at - view->depth, flat.d - view->ddepth};
  wedge list[AROUND];
  int count = list_wedges(view, find_reach(flat, least), list);
  extent of[AROUND + 2];
  for (int k = 0; k < 2; k++) of[k] = find_extent(v3_make(0, 0, k ? 1 : -1), size[1], thin);
  for (int i = 0; i < count; i++) of[2 + i] = find_strip(&list[i], size[0], thin);
  for (int i = 0; i < count; i++) {
    add_extent(&of[2 + i], cells);
    add_wedge_sides(&list[i], cells);
    add_least_sides(&of[2 + i], of, 2, cells);
  }
  for (int k = 0; k < 2 && count > 0; k++) {
    const wedge *from = &list[0], *to = &list[count - 1];
    add_extent(&of[k], cells);
    add_least_sides(&of[k], of, count + 2, cells);
    if (count == AROUND) continue;
    add_wedge_side(from, from->middle - from->half + M_PI / 2, from->dmiddle - from->dhalf, cells);
    add_wedge_side(from, to->middle + to->half - M_PI / 2, to->dmiddle + to->dhalf, cells);
  }
}

/* The mantle, and half a ball at each end. */
static void add_capsule(const moved size[2], const look* view, cr_field_cells* cells) {
  moved radius = size[0], half = size[1];
  moved least = {radius.at - view->depth, radius.d - view->ddepth};
  wedge list[AROUND];
  int count = list_wedges(view, find_reach(find_flat(radius, view), least), list);
  for (int i = 0; i < count; i++) {
    extent strip = find_strip(&list[i], radius, radius);
    add_extent(&strip, cells);
    add_wedge_sides(&list[i], cells);
    for (int sign = 1; sign > -2; sign -= 2) {
      add_side(cells, v3_make(0, 0, sign), half.at);
      change_side(cells, v3_zero(), half.d);
    }
  }
  for (int sign = -1; sign < 2; sign += 2) {
    const oval ball = {.size = v3_make(radius.at, radius.at, radius.at),
                       .dsize = v3_make(radius.d, radius.d, radius.d),
                       .at = v3_make(0, 0, sign * half.at),
                       .dat = v3_make(0, 0, sign * half.d)};
    look end = *view;
    double up = copysign(1, view->outward.z) - sign;
    double behind = fabs(view->outward.z) - sign * view->outward.z;
    end.depth -= half.at * behind;
    end.ddepth -= half.at * up * view->doutward.z + half.d * behind;
    add_oval(&ball, v3_make(0, 0, sign), &end, cells);
  }
}

/* --- All ----------------------------------------------------------------------------------------
 */

static void add_shape(const cr_shape* shape, const look* view, cr_field_cells* cells) {
  const moved* size = view->size;
  int thinnest = cr_field_find_thinnest(shape);
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
    add_cell(cells, v3_make(0, 0, -1), 0);
    break;
  case CAROM_GEOM_SPHERE:
    add_ellipsoid((const moved[3]){size[0], size[0], size[0]}, view, cells);
    break;
  case CAROM_GEOM_CAPSULE:
    add_capsule(size, view, cells);
    break;
  case CAROM_GEOM_CYLINDER:
    add_cylinder(size, size[thinnest], view, cells);
    break;
  case CAROM_GEOM_BOX:
    add_box(size, size[thinnest], cells);
    break;
  case CAROM_GEOM_ELLIPSOID:
    add_ellipsoid(size, view, cells);
    break;
  case CAROM_GEOM_MESH:
    if (shape->hull) add_hull(shape->hull, view->outward, view->depth, cells);
    break;
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
}

/* How a look changes in the frame of a body that turns. */
static void turn_look(const cr_field_view* view, const cr_field_carrier* carrier, look* own) {
  v3 u, v, d[2];
  v3_tangents(view->outward, &u, &v);
  cr_field_change_tangents(view->outward, view->doutward, d);
  v3 doutward = v3_sub(view->doutward, v3_cross(carrier->turn, view->outward));
  own->doutward = m3_tmulv(&carrier->X->R, doutward);
  own->daside = m3_tmulv(&carrier->X->R, v3_sub(d[0], v3_cross(carrier->turn, u)));
  own->ddepth = view->ddepth;
  for (int i = 0; i < 3; i++) own->size[i].d = carrier->size[i];
}

bool cr_field_reserve_cells(const cr_field_body* body, bool moves, cr_arena* arena,
                            cr_field_cells* cells) {
  const cr_hull* hull = body->shape->type == CAROM_GEOM_MESH ? body->shape->hull : NULL;
  int most_cells = hull ? hull->num_faces : MOST_CELLS;
  int most_sides = hull ? hull->num_corners : MOST_SIDES;
  *cells = (cr_field_cells){.cell = CR_SCRATCH(arena, cr_field_cell, most_cells),
                            .side = CR_SCRATCH(arena, cr_field_side, most_sides)};
  if (moves) {
    cells->dcell = CR_SCRATCH(arena, cr_field_cell, most_cells);
    cells->dside = CR_SCRATCH(arena, cr_field_side, most_sides);
  }
  return !arena->failed;
}

void cr_field_list_cells(const cr_field_body* body, const cr_field_view* view,
                         const cr_field_carrier* carrier, cr_field_cells* cells) {
  v3 u, v;
  v3_tangents(view->outward, &u, &v);
  const m3* R = &body->X->R;
  look own = {.outward = m3_tmulv(R, view->outward), .aside = m3_tmulv(R, u)};
  own.depth = view->depth;
  for (int i = 0; i < 3; i++) own.size[i] = (moved){body->shape->size[i], 0};
  if (carrier) turn_look(view, carrier, &own);
  cells->count = cells->num_sides = 0;
  add_shape(body->shape, &own, cells);
  cr_field_place_cells(cells, body->X, view->origin);
  if (carrier) cr_field_carry_cells(carrier, view->origin, cells);
}
