/* A point of a shape at a given outward normal moves, as its size does, with the face, edge, vertex
 * or curve that it is on: of what is offset by a radius along the normal, of ellipsoids as their
 * support function's gradient x = W n / sqrt(n · W n), W = diag(half axes²). Inertia: of shapes of
 * uniform density about their centres, J = V u with the volume V and the moments u of unit mass. */
#include "derive/geom_parameters.h"

#include "base/error.h"
#include "derive/rotation_slope.h"
#include "geom/field_pair.h"
#include "model/record.h"
#include "sim/sim.h"
#include "sim/tree/external.h"

#include <math.h>

#define ON_SURFACE 1e-6 /* of the size: what counts as on a face */

static const carom_geom_def* def_of(const carom_model* m, int geom) {
  return &CR_AT(&m->description->geoms, cr_geom_record, m->place.geom_record[geom])->def;
}

/* E / layer per depth, the layer being the thickness where none is given; times the thickness. */
cr_geom_growth cr_geom_theta_find_growth(const carom_model* m, const cr_theta_column* theta) {
  const carom_geom_def* def = def_of(m, theta->index);
  const cr_shape* shape = &m->geom.shape[theta->index];
  bool is_thinnest = theta->element == cr_field_find_thinnest(shape);
  if (!isfinite(def->modulus)) return (cr_geom_growth){0, 0};
  if (theta->kind == CR_THETA_MODULUS) return (cr_geom_growth){1 / def->modulus, 1 / def->modulus};
  if (theta->kind == CR_THETA_LAYER) return (cr_geom_growth){-1 / def->layer, -1 / def->layer};
  if (theta->kind != CR_THETA_SIZE || !is_thinnest) return (cr_geom_growth){0, 0};
  double share = 1 / shape->size[theta->element];
  return isnan(def->layer) ? (cr_geom_growth){0, -share} : (cr_geom_growth){share, 0};
}

static pose pose_of(const cr_step* step, int geom) {
  const cr_geom_model* g = &step->model->geom;
  return pose_mul(&step->kinematics.link_pose[g->link[geom]], &g->local[geom]);
}

/* --- What has none ------------------------------------------------------------------------------
 */

static carom_status refuse(const cr_step_tangent* t, int geom, const char* why) {
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none with respect to sizes and places of geometry "
                      "\"%s\" (%d): %s",
                      carom_model_get_geom(t->step->model, geom).name, geom, why);
}

static bool is_of_tendon(const carom_model* m, int geom) {
  const cr_list* points = &m->description->tendon_points;
  for (int i = 0; i < points->count; i++) {
    const carom_tendon_point* p = CR_AT(points, carom_tendon_point, i);
    if (p->type == CAROM_PATH_GEOM && m->place.geom_index[p->geom.id - 1] == geom) return true;
  }
  return false;
}

static bool is_smooth(carom_geom_type type) {
  return type != CAROM_GEOM_MESH && type != CAROM_GEOM_HEIGHT_FIELD;
}

/* A body that gives no mass has that of its geometries. */
int cr_geom_theta_find_body(const carom_model* m, int geom) {
  const carom_geom_def* def = def_of(m, geom);
  carom_inertia_source source = m->description->def.inertia_source;
  int body = m->geom.body[geom];
  const cr_body_record* record =
      CR_AT(&m->description->bodies, cr_body_record, m->place.body_record[body]);
  bool asks =
      source == CAROM_INERTIA_GEOMS || (source == CAROM_INERTIA_AUTO && isnan(record->def.mass));
  bool has = asks && def->gives_mass && def->type != CAROM_GEOM_PLANE;
  return has && body > 0 ? body : -1;
}

carom_status cr_geom_theta_check_layer(const cr_step_tangent* t, const cr_theta_column* theta) {
  if (!isnan(def_of(t->step->model, theta->index)->layer)) return CAROM_OK;
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none with respect to the layer of geometry \"%s\" "
                      "(%d): it is half the thickness of its body; give it",
                      carom_model_get_geom(t->step->model, theta->index).name, theta->index);
}

carom_status cr_geom_theta_check(const cr_step_tangent* t, const cr_theta_column* theta) {
  const carom_model* m = t->step->model;
  const carom_builder_def* all = &m->description->def;
  const carom_geom_def* def = def_of(m, theta->index);
  if (theta->kind == CR_THETA_SIZE && !is_smooth(def->type))
    return refuse(t, theta->index, "a mesh has no size of its own");
  const double* belt =
      m->contact.num_moving ? m->contact.velocity + 6 * (size_t)theta->index : NULL;
  if (belt && v3_norm2(v3_load(belt + 3)) > 0)
    return refuse(t, theta->index, "its surface turns as a belt does");
  int tree = m->tree.link_tree[m->geom.link[theta->index]];
  if (tree >= 0 && cr_external_is_in_fluid(m, tree))
    return refuse(t, theta->index, "its body moves in the fluid");
  if (belt && theta->kind == CR_THETA_TURN && v3_norm2(v3_load(belt)) > 0)
    return refuse(t, theta->index, "its surface moves as a belt does, and would turn");
  if (is_of_tendon(m, theta->index)) return refuse(t, theta->index, "a string winds around it");
  if (cr_geom_theta_find_body(m, theta->index) < 0) return CAROM_OK;
  if (def->shell || !is_smooth(def->type))
    return refuse(t, theta->index, "its body's mass is that of a mesh or shell, give it its own");
  if (all->total_mass > 0 || all->minimum_mass > 0 || all->minimum_inertia > 0)
    return refuse(t, theta->index, "masses are scaled or raised, give its body its own");
  return CAROM_OK;
}

/* --- Surfaces -----------------------------------------------------------------------------------
 */

static bool is_at(double x, double size) { return fabs(fabs(x) - size) <= ON_SURFACE * size; }

/* Along the axis, where the point is at an end. */
static v3 move_end(v3 x, double half, int axis) {
  double at = v3_get(x, axis);
  return v3_set(v3_zero(), axis, is_at(at, half) ? copysign(1, at) : 0);
}

/* Caps of a capsule have their centres at both ends, where the foot of a point on the axis is. */
static v3 move_cap(double foot, double half) {
  bool is_cap = fabs(foot) > half * (1 - ON_SURFACE);
  return v3_make(0, 0, is_cap ? copysign(1, foot) : 0);
}

static v3 move_radius(v3 x, double radius) {
  v3 across = v3_make(x.x, x.y, 0);
  double distance = v3_norm(across);
  return is_at(distance, radius) ? v3_scale(1 / distance, across) : v3_zero();
}

static v3 move_ellipsoid(const double* size, int element, v3 n) {
  v3 W = v3_make(size[0] * size[0], size[1] * size[1], size[2] * size[2]);
  double root = sqrt(v3_dot(n, v3_mul(W, n))), own = 2 * size[element] * v3_get(n, element);
  v3 x = v3_scale(1 / root, v3_mul(W, n));
  v3 moved = v3_set(v3_zero(), element, own / root);
  return v3_axpy(moved, -0.5 * own * v3_get(n, element) / (root * root), x);
}

/* In the shape's frame. */
static v3 move_by_size(const cr_shape* shape, int element, v3 x, v3 n) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_SPHERE:
    return element == 0 ? n : v3_zero();
  case CAROM_GEOM_CAPSULE:
    if (element == 0) return n;
    return element == 1 ? move_cap(x.z - size[0] * n.z, size[1]) : v3_zero();
  case CAROM_GEOM_CYLINDER:
    if (element == 0) return move_radius(x, size[0]);
    return element == 1 ? move_end(x, size[1], 2) : v3_zero();
  case CAROM_GEOM_BOX:
    return move_end(x, size[element], element);
  case CAROM_GEOM_ELLIPSOID:
    return move_ellipsoid(size, element, n);
  default:
    return v3_zero();
  }
}

cr_geom_move cr_geom_theta_move_frame(const cr_step* step, const cr_theta_column* theta) {
  const cr_body_model* b = &step->model->body;
  const carom_geom_def* def = def_of(step->model, theta->index);
  int body = step->model->geom.body[theta->index];
  pose X = pose_mul(&step->kinematics.link_pose[b->link[body]], &b->local[body]);
  cr_geom_move move = {v3_zero(), v3_zero()};
  if (theta->kind == CR_THETA_PLACE) move.way = m3_column(&X.R, theta->element);
  if (theta->kind != CR_THETA_TURN) return move;
  quat own = quat_normalize(quat_load(def->quaternion));
  move.turn = m3_mulv(&X.R, quat_rotate(own, cr_quaternion_turn(def->quaternion, theta->element)));
  v3 about = pose_point(&X, v3_load(def->position));
  move.way = v3_cross(move.turn, v3_sub(pose_of(step, theta->index).p, about));
  return move;
}

v3 cr_geom_theta_move_surface(const cr_step* step, const cr_theta_column* theta, v3 x, v3 n) {
  pose X = pose_of(step, theta->index);
  v3 own = move_by_size(&step->model->geom.shape[theta->index], theta->element,
                        pose_inverse_point(&X, x), m3_tmulv(&X.R, n));
  return m3_mulv(&X.R, own);
}

v3 cr_geom_theta_find_stretch(const cr_step* step, const cr_theta_column* theta) {
  const cr_shape* shape = &step->model->geom.shape[theta->index];
  double part = 1 / shape->size[theta->element];
  if (shape->type == CAROM_GEOM_BOX) return v3_set(v3_zero(), theta->element, part);
  if (shape->type != CAROM_GEOM_CYLINDER) return v3_zero();
  return theta->element == 0 ? v3_make(part, part, 0) : v3_make(0, 0, part);
}

/* --- Inertia ------------------------------------------------------------------------------------
 */

/* Volume, moments of unit mass, and how both move with a size. */
typedef struct solid_change {
  double volume, dvolume;
  v3 unit, dunit;
} solid_change;

static solid_change differentiate_capsule(const double* size, int element) {
  double r = size[0], h = size[1];
  double body = 2 * M_PI * r * r * h, ends = 4 * M_PI * r * r * r / 3;
  double dbody = element == 0 ? 2 * body / r : 2 * M_PI * r * r;
  double dends = element == 0 ? 3 * ends / r : 0;
  double of_body = r * r / 4 + h * h / 3, of_ends = 0.4 * r * r + h * h + 0.75 * h * r;
  double dof_body = element == 0 ? r / 2 : 2 * h / 3;
  double dof_ends = element == 0 ? 0.8 * r + 0.75 * h : 2 * h + 0.75 * r;
  double volume = body + ends, dvolume = dbody + dends;
  double across = (body * of_body + ends * of_ends) / volume;
  double along = (body * r * r / 2 + ends * 0.4 * r * r) / volume;
  double dacross = dbody * of_body + body * dof_body + dends * of_ends + ends * dof_ends;
  double dalong = dbody * r * r / 2 + dends * 0.4 * r * r;
  if (element == 0) dalong += body * r + ends * 0.8 * r;
  dacross = (dacross - across * dvolume) / volume, dalong = (dalong - along * dvolume) / volume;
  return (solid_change){volume, dvolume, v3_make(across, across, along),
                        v3_make(dacross, dacross, dalong)};
}

/* Moments (b² + c²) / share of half sizes a, b, c. */
static v3 differentiate_axes(const double* size, int element, double share) {
  v3 d = v3_zero();
  for (int i = 0; i < 3; i++)
    if (i != element) d = v3_set(d, i, 2 * size[element] / share);
  return d;
}

static solid_change differentiate_solid(const cr_shape* shape, int element) {
  const double* size = shape->size;
  if (shape->type == CAROM_GEOM_CAPSULE) return differentiate_capsule(size, element);
  double volume = cr_shape_compute_volume(shape);
  solid_change c = {volume, volume / size[element], cr_shape_compute_unit_inertia(shape),
                    v3_zero()};
  if (shape->type == CAROM_GEOM_SPHERE) {
    c.dvolume *= 3, c.dunit = v3_scale(0.8 * size[0], v3_make(1, 1, 1));
  } else if (shape->type == CAROM_GEOM_CYLINDER && element == 0) {
    c.dvolume *= 2, c.dunit = v3_make(size[0] / 2, size[0] / 2, size[0]);
  } else if (shape->type == CAROM_GEOM_CYLINDER) {
    c.dunit = v3_make(2 * size[1] / 3, 2 * size[1] / 3, 0);
  } else {
    c.dunit = differentiate_axes(size, element, shape->type == CAROM_GEOM_BOX ? 3 : 5);
  }
  return c;
}

/* Numbers of a size that its type has. */
static int count_sizes(carom_geom_type type) {
  if (type == CAROM_GEOM_SPHERE) return 1;
  return type == CAROM_GEOM_CAPSULE || type == CAROM_GEOM_CYLINDER ? 2 : 3;
}

/* Moments along axes R that turn, about a centre that stays. */
static spatial_inertia turn_mass(v3 moments, const m3* R, v3 turn) {
  m3 I = m3_diagonal(moments), at = m3_congruence(R, &I), W = m3_skew(turn);
  m3 by = m3_mul(&W, &at), back = m3_transpose(&by);
  m3 sum = m3_add(&by, &back);
  return spatial_inertia_make(0, v3_zero(), &sum);
}

spatial_inertia cr_geom_theta_find_inertia(const cr_step* step, const cr_theta_column* theta,
                                           v3 origin) {
  const carom_model* m = step->model;
  const carom_geom_def* def = def_of(m, theta->index);
  const cr_shape* shape = &m->geom.shape[theta->index];
  pose X = pose_of(step, theta->index);
  v3 c = v3_sub(X.p, origin);
  if (theta->kind != CR_THETA_SIZE) {
    double volume = isnan(def->mass) ? cr_shape_compute_volume(shape) : 0;
    double mass = isnan(def->mass) ? def->density * volume : def->mass;
    cr_geom_move move = cr_geom_theta_move_frame(step, theta);
    if (theta->kind == CR_THETA_PLACE) return spatial_inertia_of_move(mass, c, move.way);
    return turn_mass(v3_scale(mass, cr_shape_compute_unit_inertia(shape)), &X.R, move.turn);
  }
  if (theta->element >= count_sizes(shape->type)) return (spatial_inertia){0};
  solid_change s = differentiate_solid(shape, theta->element);
  double mass = isnan(def->mass) ? def->density * s.volume : def->mass;
  double dmass = isnan(def->mass) ? def->density * s.dvolume : 0;
  m3 own = m3_diagonal(v3_axpy(v3_scale(mass, s.dunit), dmass, s.unit));
  m3 turned = m3_congruence(&X.R, &own);
  return spatial_inertia_make(dmass, c, &turned);
}
