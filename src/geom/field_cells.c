/* Boxes and meshes are pyramids over their faces: a box's up to its medial axis, where two
 * depths are equal, a mesh's up to its middle. Round bodies are faceted where they are touched, on
 * the spot, so that a patch has as many facets however small it is: a wedge of a cylinder or a
 * pyramid of an ellipsoid has the linear extent that is zero on the mean over its part of the
 * surface. */
#include "geom/field_cells.h"

#include "geom/surface.h"
#include "math/scalar.h"

#include <math.h>

enum {
  RINGS = 3,    /* of the facets of a ball about the direction, */
  SECTORS = 10, /* and in each of them */
  STRIPS = 12,  /* of a mantle that is within reach on one side, */
  AROUND = 32,  /* and all round */
  MOST_CELLS = AROUND + 2 * RINGS * SECTORS,
  MOST_SIDES = 5 * MOST_CELLS /* 2 caps of AROUND + 3 are no more */
};

double cr_field_find_thickness(const cr_shape* shape) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_SPHERE:
  case CAROM_GEOM_CAPSULE:
    return size[0];
  case CAROM_GEOM_CYLINDER:
    return fmin(size[0], size[1]);
  case CAROM_GEOM_BOX:
  case CAROM_GEOM_ELLIPSOID:
    return fmin(size[0], fmin(size[1], size[2]));
  case CAROM_GEOM_PLANE:
  case CAROM_GEOM_HEIGHT_FIELD:
    return 0;
  case CAROM_GEOM_MESH:
    break;
  }
  if (shape->surface) return shape->surface->thickness;
  if (!shape->hull) return 0;
  double least = INFINITY;
  for (int f = 0; f < shape->hull->num_faces; f++)
    least = fmin(least, shape->hull->plane[4 * f + 3]);
  return fmax(least, 0);
}

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

/* Axes, and a wedge about the first: the directions from `middle - half` to `middle + half`, from
 * x towards y. */
typedef struct wedge {
  v3 z, x, y;
  double middle, half;
  v3 beyond; /* what a ball is cut by through its middle; zero: not */
} wedge;

static v3 turn(const wedge* w, double angle) {
  return v3_axpy(v3_scale(cos(angle), w->x), sin(angle), w->y);
}

static void add_wedge_sides(const wedge* w, cr_field_cells* cells) {
  add_side(cells, turn(w, w->middle - w->half + M_PI / 2), 0);
  add_side(cells, turn(w, w->middle + w->half - M_PI / 2), 0);
}

/* Where the last cell's extent is the least of some linear ones, of which it may be one. */
static void add_least_sides(const v3* gradient, const double* value, int count,
                            cr_field_cells* cells) {
  const cr_field_cell own = cells->cell[cells->count - 1];
  for (int i = 0; i < count; i++) {
    v3 n = v3_sub(gradient[i], own.gradient);
    if (v3_norm2(n) > 0) add_side(cells, n, value[i] - own.value);
  }
}

/* --- Boxes and meshes ---------------------------------------------------------------------------
 */

static void add_box(const double* size, cr_field_cells* cells) {
  double thickness = fmin(size[0], fmin(size[1], size[2])), value[6];
  v3 gradient[6];
  for (int i = 0; i < 6; i++) {
    gradient[i] = v3_set(v3_zero(), i / 2, (i % 2 ? 1 : -1) / thickness);
    value[i] = size[i / 2] / thickness;
  }
  for (int i = 0; i < 6; i++) {
    add_cell(cells, gradient[i], value[i]);
    add_least_sides(gradient, value, 6, cells);
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
static void add_cone_side(const wedge* w, double angle, double sign, cr_field_cells* cells) {
  double narrow = sqrt(w->half / tan(w->half));
  v3 n = v3_axpy(v3_scale(cos(angle), turn(w, w->middle)), -narrow * sin(angle), w->z);
  add_side(cells, v3_scale(sign, n), 0);
}

/* The facet of the unit ball between two cones: with the mean m of its directions, over the solid
 * angle, 1 - m.x / m² is zero on its mean. */
static void add_facet(const wedge* w, double from, double to, cr_field_cells* cells) {
  double angle = 2 * w->half * (cos(from) - cos(to));
  double across = sin(w->half) * (to - from - (sin(2 * to) - sin(2 * from)) / 2) / angle;
  double along = w->half * (pow(sin(to), 2) - pow(sin(from), 2)) / angle;
  v3 mean = v3_axpy(v3_scale(across, turn(w, w->middle)), along, w->z);
  add_cell(cells, v3_scale(-1 / v3_norm2(mean), mean), 1);
  add_wedge_sides(w, cells);
  if (from > 0) add_cone_side(w, from, 1, cells);
  if (to < M_PI) add_cone_side(w, to, -1, cells);
  if (v3_norm2(w->beyond) > 0) add_side(cells, w->beyond, 0);
}

/* The unit ball where it reaches into a layer below its outermost point. */
static void add_ball(const wedge* axes, double depth, cr_field_cells* cells) {
  double reach = acos(scalar_clamp(1 - depth, -1, 1));
  wedge w = *axes;
  w.half = M_PI / SECTORS;
  for (int k = 0; k < RINGS && reach > 0; k++)
    for (int i = 0; i < SECTORS; i++) {
      w.middle = 2 * i * w.half;
      add_facet(&w, reach * k / RINGS, reach * (k + 1) / RINGS, cells);
    }
}

/* What is linear in x / size becomes so in x - at. */
static void stretch_cells(cr_field_cells* cells, int first, v3 size, v3 at) {
  v3 by = v3_make(1 / size.x, 1 / size.y, 1 / size.z);
  for (int i = first; i < cells->count; i++) {
    cr_field_cell* cell = &cells->cell[i];
    cell->gradient = v3_mul(cell->gradient, by);
    cell->value -= v3_dot(cell->gradient, at);
    for (int k = cell->first; k < cell->first + cell->count; k++) {
      cr_field_side* side = &cells->side[k];
      side->n = v3_mul(side->n, by);
      side->d -= v3_dot(side->n, at);
    }
  }
}

/* A direction to look into, from within, and how deep. */
typedef struct look {
  v3 outward, aside; /* unit; across it, where rings begin */
  double depth;      /* m, of the layer below the outermost point */
} look;

/* An ellipsoid is a ball in coordinates over its half axes. */
static void add_ellipsoid(v3 size, v3 at, v3 beyond, const look* view, cr_field_cells* cells) {
  v3 to = v3_mul(size, view->outward), u, v;
  double far = v3_norm(to);
  wedge w = {.z = v3_scale(1 / far, to), .beyond = beyond};
  v3_tangents(w.z, &u, &v);
  w.x = v3_normalize_or(v3_axpy(view->aside, -v3_dot(view->aside, w.z), w.z), u);
  w.y = v3_cross(w.z, w.x);
  int first = cells->count;
  if (view->depth > 0) add_ball(&w, view->depth / far, cells);
  stretch_cells(cells, first, size, at);
}

/* Wedges about z, `reach` to both sides of the direction; all round where that is more than to one
 * side, since what lies near the axis is then within reach on the other, too. Returns how many. */
static int list_wedges(const look* view, double reach, wedge* list) {
  v3 z = v3_make(0, 0, 1), to = v3_make(view->outward.x, view->outward.y, 0);
  v3 x = v3_normalize_or(v3_make(view->aside.x, view->aside.y, 0), v3_make(1, 0, 0));
  bool is_round = reach > M_PI / 2;
  int count = reach > 0 ? is_round ? AROUND : STRIPS : 0;
  if (is_round) reach = M_PI;
  wedge w = {.z = z, .x = v3_normalize_or(to, x), .half = count ? reach / count : 0};
  w.y = v3_cross(z, w.x);
  for (int i = 0; i < count; i++) {
    w.middle = (2 * i + 1) * w.half - reach;
    list[i] = w;
  }
  return count;
}

/* How far round a mantle lies at `least` and more along a direction in which it reaches `most`. */
static double find_reach(double most, double least) {
  return least >= most ? 0 : most > 0 ? acos(scalar_clamp(least / most, -1, 1)) : M_PI;
}

/* Of the depth below a strip, zero at a radius of 1 on its mean. */
static v3 strip_gradient(const wedge* w) {
  return v3_scale(-w->half / sin(w->half), turn(w, w->middle));
}

/* Strips of the mantle between both caps, and the caps between all strips. */
static void add_cylinder(const double* size, const look* view, cr_field_cells* cells) {
  double radius = size[0], half = size[1], thin = fmin(radius, half);
  double flat = radius * hypot(view->outward.x, view->outward.y);
  wedge list[AROUND];
  int count = list_wedges(view, find_reach(flat, flat - view->depth), list);
  v3 gradient[AROUND + 2] = {v3_make(0, 0, -1 / thin), v3_make(0, 0, 1 / thin)};
  double value[AROUND + 2] = {half / thin, half / thin};
  for (int i = 0; i < count; i++) {
    gradient[2 + i] = v3_scale(1 / thin, strip_gradient(&list[i]));
    value[2 + i] = radius / thin;
  }
  for (int i = 0; i < count; i++) {
    add_cell(cells, gradient[2 + i], value[2 + i]);
    add_wedge_sides(&list[i], cells);
    add_least_sides(gradient, value, 2, cells);
  }
  for (int k = 0; k < 2 && count > 0; k++) {
    add_cell(cells, gradient[k], value[k]);
    add_least_sides(gradient, value, count + 2, cells);
    if (count == AROUND) continue;
    add_side(cells, turn(&list[0], list[0].middle - list[0].half + M_PI / 2), 0);
    add_side(cells, turn(&list[0], list[count - 1].middle + list[0].half - M_PI / 2), 0);
  }
}

/* The mantle, and half a ball at each end. */
static void add_capsule(const double* size, const look* view, cr_field_cells* cells) {
  double radius = size[0], half = size[1];
  double flat = radius * hypot(view->outward.x, view->outward.y);
  wedge list[AROUND];
  int count = list_wedges(view, find_reach(flat, radius - view->depth), list);
  for (int i = 0; i < count; i++) {
    add_cell(cells, v3_scale(1 / radius, strip_gradient(&list[i])), 1);
    add_wedge_sides(&list[i], cells);
    add_side(cells, v3_make(0, 0, 1), half);
    add_side(cells, v3_make(0, 0, -1), half);
  }
  for (int sign = -1; sign < 2; sign += 2) {
    look end = *view;
    end.depth -= half * (fabs(view->outward.z) - sign * view->outward.z);
    add_ellipsoid(v3_make(radius, radius, radius), v3_make(0, 0, sign * half), v3_make(0, 0, sign),
                  &end, cells);
  }
}

/* --- All ----------------------------------------------------------------------------------------
 */

static void add_shape(const cr_shape* shape, const look* view, cr_field_cells* cells) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
    add_cell(cells, v3_make(0, 0, -1), 0);
    break;
  case CAROM_GEOM_SPHERE:
    add_ellipsoid(v3_make(size[0], size[0], size[0]), v3_zero(), v3_zero(), view, cells);
    break;
  case CAROM_GEOM_CAPSULE:
    add_capsule(size, view, cells);
    break;
  case CAROM_GEOM_CYLINDER:
    add_cylinder(size, view, cells);
    break;
  case CAROM_GEOM_BOX:
    add_box(size, cells);
    break;
  case CAROM_GEOM_ELLIPSOID:
    add_ellipsoid(v3_load(size), v3_zero(), v3_zero(), view, cells);
    break;
  case CAROM_GEOM_MESH:
    if (shape->hull) add_hull(shape->hull, view->outward, view->depth, cells);
    break;
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
}

/* n.(ω × x) = (n × ω).x, of x from the origin. */
cr_field_side cr_field_carry_plane(const cr_field_carrier* carrier, v3 origin, v3 n) {
  v3 way = v3_add(carrier->way, v3_cross(carrier->turn, v3_sub(origin, carrier->X->p)));
  return (cr_field_side){v3_cross(carrier->turn, n), -v3_dot(n, way)};
}

/* Of what changes in the shape's frame, too. */
static void carry_plane(const cr_field_carrier* carrier, v3 origin, v3 n, v3* dn, double* d) {
  cr_field_side by = cr_field_carry_plane(carrier, origin, n);
  *d += v3_dot(*dn, pose_inverse_point(carrier->X, origin)) + by.d;
  *dn = v3_add(m3_mulv(&carrier->X->R, *dn), by.n);
}

/* Once they are placed. */
static void carry_cells(const cr_field_carrier* carrier, v3 origin, cr_field_cells* cells) {
  for (int i = 0; i < cells->count; i++) {
    cr_field_cell* d = &cells->dcell[i];
    carry_plane(carrier, origin, cells->cell[i].gradient, &d->gradient, &d->value);
  }
  for (int i = 0; i < cells->num_sides; i++)
    carry_plane(carrier, origin, cells->side[i].n, &cells->dside[i].n, &cells->dside[i].d);
}

/* From the shape's frame into the world about the origin. */
static void place_cells(cr_field_cells* cells, const pose* X, v3 origin) {
  v3 at = pose_inverse_point(X, origin);
  for (int i = 0; i < cells->count; i++) {
    cr_field_cell* cell = &cells->cell[i];
    cell->value += v3_dot(cell->gradient, at);
    cell->gradient = m3_mulv(&X->R, cell->gradient);
  }
  for (int i = 0; i < cells->num_sides; i++) {
    cr_field_side* side = &cells->side[i];
    side->d += v3_dot(side->n, at);
    side->n = m3_mulv(&X->R, side->n);
  }
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
  const look own = {m3_tmulv(R, view->outward), m3_tmulv(R, u), view->depth};
  cells->count = cells->num_sides = 0;
  add_shape(body->shape, &own, cells);
  place_cells(cells, body->X, view->origin);
  if (carrier) carry_cells(carrier, view->origin, cells);
}
