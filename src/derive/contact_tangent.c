/* A point of a patch is where contact_patches.c puts it: between the witness points of both
 * surfaces, and, where the patch is flat, at the mean height of its points. The witness points move
 * with both shapes as geom/manifold_tangent.h says. */
#include "derive/contact_tangent.h"

#include "derive/area_patch.h"
#include "derive/found_again.h"
#include "derive/geom_parameters.h"
#include "derive/patch_sides.h"
#include "derive/soft_contact.h"
#include "derive/swept_contact.h"
#include "sim/contact/contact_patches.h"
#include "sim/rows/contact_rows.h"

#include <math.h>
#include <string.h>

struct cr_contact_tangent {
  const cr_found_again* patch;
  int index;             /* of the point in it */
  cr_soft_contact* soft; /* in place of a patch; null: no body is soft */
};

/* --- Points -----------------------------------------------------------------------------------
 */

static carom_status find_soft(cr_step_tangent* t, const cr_contact_point* point,
                              const cr_contact_tangent** tangent) {
  cr_contact_tangent* out = CR_PUSH(t->arena, cr_contact_tangent, 1);
  if (!out) return cr_error_memory(t->error);
  *out = (cr_contact_tangent){0};
  *tangent = out;
  return cr_soft_contact_find(t, point, &out->soft);
}

carom_status cr_contact_tangent_find(cr_step_tangent* t, const cr_contact_set* set, int point,
                                     const cr_contact_tangent** tangent) {
  const cr_contact_point* at = &set->points.items[point];
  if (at->geom[0] < 0 || at->geom[1] < 0) return find_soft(t, at, tangent);
  const cr_found_again* found;
  CR_TRY(cr_find_patch_again(t, set, at, &found));
  cr_contact_tangent* out = CR_PUSH(t->arena, cr_contact_tangent, 1);
  if (t->arena->failed) return cr_error_memory(t->error);
  *out = (cr_contact_tangent){.patch = found, .index = point - at->first};
  *tangent = out;
  return CAROM_OK;
}

/* Of the place of a point: one within an area moves with all corners. */
static double find_place_kink(const cr_found_again* p, int i) {
  double least = p->area_kink;
  if (p->source[i] >= 0) return fmin(least, p->tangent.points[p->source[i]].kink);
  for (int k = 0; k < p->area->count; k++)
    least = fmin(least, p->tangent.points[p->area->corner[k]].kink);
  return least;
}

/* Of a point that an area's corners give, the most of theirs; what starts from a disc's rim, or has
 * weights that are at a kink, is taken to have one. */
static cr_patch_sides find_sides(const cr_step* step, const cr_found_again* p, int i, double size,
                                 double change) {
  cr_patch_sides most = {0, 0};
  if (!p->area) return cr_patch_sides_find(step, p, p->source[i]);
  if (p->area->kind == CR_AREA_OF_DISC || p->area_kink * fmin(size, 1) <= change)
    return (cr_patch_sides){1 / size, 1};
  for (int k = 0; k < p->area->count; k++) {
    cr_patch_sides sides = cr_patch_sides_find(step, p, p->area->corner[k]);
    most.normal = fmax(most.normal, sides.normal), most.place = fmax(most.place, sides.place);
  }
  return most;
}

/* Where another point is as deep: what is looked at, and the springs where these are as long as the
 * overlap is deep, go with the deepest. Of these the force's damping alone depends on. */
static void mark_field(cr_step_tangent* t, const cr_contact_tangent* tangent, double nearing) {
  const cr_field_contact* f = tangent->patch->field;
  const cr_contact_point* p = &tangent->patch->points[tangent->index];
  double dt = t->step->dt, depth = f->along - f->distance;
  double time = dt + (isnan(p->dissipation) ? dt : p->dissipation);
  bool is_by_depth = f->by[CR_FIELD_DEPTH].stiffness != 0;
  bool is_felt = f->along > 0 || time * fabs(nearing) > CR_DERIVE_FELT * depth;
  if (!(f->along > 0 || is_by_depth)) return;
  bool counts = is_felt && f->others <= CR_NEAR_KINK_REACH * dt * CR_DERIVE_SMALL_CHANGE;
  t->num_kinks += counts;
  if (counts || is_felt) cr_step_tangent_note_kink(t, f->others, INFINITY);
}

/* A kink is one of the normal or of a point's place; distances go on as they did. Beside what the
 * same displacement does to these the forces that turn or move with it are lost, where they make
 * little way of the bodies' size within the step; and where derivatives on both sides of a small
 * change are the same there is none. Where other points touch together impulses jump. */
void cr_contact_tangent_mark(cr_step_tangent* t, const cr_contact_tangent* tangent, double turning,
                             double moving, double nearing) {
  const cr_found_again* p = tangent->patch;
  if (p->field) {
    mark_field(t, tangent, nearing);
    return;
  }
  const cr_geom_model* geom = &t->step->model->geom;
  double dt = t->step->dt, change = dt * CR_DERIVE_SMALL_CHANGE, size = INFINITY;
  double kink = INFINITY;
  for (int k = 0; k < 2; k++)
    size = fmin(size, cr_shape_compute_bounding_radius(&geom->shape[p->points->geom[k]]));
  if (moving > CR_DERIVE_FELT * CR_DERIVE_SMALL_CHANGE && p->reach_kink <= change) {
    t->num_kinks++;
    cr_step_tangent_note_kink(t, p->reach_kink / size, p->reach_kink / dt);
    return;
  }
  if (dt * turning > CR_DERIVE_FELT * size) kink = p->tangent.kink;
  if (dt * moving > CR_DERIVE_FELT * size) kink = fmin(kink, find_place_kink(p, tangent->index));
  if (kink * fmin(size, 1) > (p->area ? 1 : CR_NEAR_KINK_REACH) * change) {
    cr_step_tangent_note_kink(t, kink, INFINITY);
    return;
  }
  cr_patch_sides sides = find_sides(t->step, p, tangent->index, size, change);
  if (!(dt * fmax(turning * sides.normal, moving * sides.place / size) > CR_DERIVE_FELT)) return;
  t->num_kinks++;
  cr_step_tangent_note_kink(t, kink, INFINITY);
}

void cr_contact_tangent_describe(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                                 cr_row_shape* rows) {
  cr_contact_row list[CR_LAW_MAX_ROWS];
  int count = cr_contact_rows_list(kind, moment, point, list);
  for (int r = 0; r < count; r++)
    rows[r] = (cr_row_shape){
        .kind = list[r].length > 0 ? CR_ROW_OF_MOMENT : CR_ROW_OF_POINT,
        .link = {point->link[0], point->link[1]},
        .axis = list[r].axis,
        .place = {cr_contact_point_place(point, 0), cr_contact_point_place(point, 1)},
        .length = list[r].length};
}

bool cr_contact_tangent_add_nodes(const cr_step_tangent* t, const cr_contact_tangent* tangent,
                                  int rows, cr_row_shape* shape) {
  return !tangent->soft || cr_soft_contact_describe(t, tangent->soft, rows, shape);
}

/* --- A column -----------------------------------------------------------------------------------
 */

void cr_contact_column_move_geom(const cr_step* step, const cr_contact_column* column, int geom,
                                 double move[6]) {
  int link = step->model->geom.link[geom], tree = step->model->tree.link_tree[link];
  v3 turn = v3_zero(), way = v3_zero();
  if (tree >= 0) {
    v3 centre = step->sim->geom_pose[geom].p;
    turn = column->twist[link].ang;
    way = sv_point_velocity(column->twist[link], v3_sub(centre, step->kinematics.origin[tree]));
  }
  if (column->shape && column->shape->index == geom) {
    cr_geom_move own = cr_geom_theta_move_frame(step, column->shape);
    turn = v3_add(turn, own.turn), way = v3_add(way, own.way);
  }
  v3_store(turn, move);
  v3_store(way, move + 3);
}

static bool is_size_of(const cr_theta_column* theta, int geom) {
  return theta && theta->kind == CR_THETA_SIZE && theta->index == geom;
}

v3 cr_contact_column_move_surface(const cr_step* step, const cr_contact_column* column, int geom,
                                  v3 x, v3 n) {
  bool is_its = is_size_of(column->shape, geom);
  return is_its ? cr_geom_theta_move_surface(step, column->shape, x, n) : v3_zero();
}

/* Displacements of both shapes in a column. */
static void displace(const cr_step* step, const cr_contact_point* point,
                     const cr_contact_column* column, double move[2][6]) {
  for (int k = 0; k < 2; k++) cr_contact_column_move_geom(step, column, point->geom[k], move[k]);
}

/* Adds to one how the part of the surface moves, by a size, that has a point.
 * @param at the point and its outward normal */
static void add_part(const cr_step* step, const cr_contact_column* column, int geom, const v3 at[2],
                     double part[6]) {
  v3 way = cr_contact_column_move_surface(step, column, geom, at[0], at[1]);
  for (int e = 0; e < 3; e++) part[3 + e] += v3_get(way, e);
}

/* Of a point of the manifold. */
static void displace_parts(const cr_step* step, const cr_found_again* p, int i,
                           const cr_contact_column* column, double part[2][6]) {
  const cr_manifold_point* found = &p->manifold.points[i];
  v3 n = p->manifold.normal;
  const v3 at[2][2] = {{found->a, n}, {found->b, v3_neg(n)}};
  for (int k = 0; k < 2; k++) add_part(step, column, p->points->geom[k], at[k], part[k]);
}

/* A witness point and the normal, and how they move. */
typedef struct witness {
  v3 x, dx, n, dn;
} witness;

/* A lever arm of contact_patches.c, and its change; infinite where the link is fixed. */
static double find_arm(const cr_step* step, const cr_contact_point* point, int k, const witness* w,
                       const double move[6], double* change) {
  *change = 0;
  if (step->model->tree.link_tree[point->link[k]] < 0) return INFINITY;
  v3 from = v3_sub(w->x, step->sim->geom_pose[point->geom[k]].p);
  double along = v3_dot(w->n, from);
  v3 way = v3_sub(w->dx, v3_load(move + 3));
  *change = copysign(1, along) * (v3_dot(w->dn, from) + v3_dot(w->n, way));
  return fabs(along);
}

/* The share of the way from A's surface to B's, and its change. */
static double find_share(const cr_step* step, const cr_contact_point* point, const witness w[2],
                         double move[2][6], double* change) {
  double da, db;
  double a = find_arm(step, point, 0, &w[0], move[0], &da);
  double b = find_arm(step, point, 1, &w[1], move[1], &db);
  *change = 0;
  if (isinf(a)) return 1;
  if (isinf(b)) return 0;
  if (!(a + b > 0)) return 0.5;
  *change = (b * da - a * db) / ((a + b) * (a + b));
  return a / (a + b);
}

/* How the distance at the start of the step changes, which decides where compliant surfaces yield.
 */
static double find_start_change(const cr_step* step, const cr_contact_point* point,
                                const witness* a, double distance,
                                const cr_contact_column* column) {
  cr_theta theta = cr_contact_find_theta(step, point->link);
  cr_row_shape row = {.kind = CR_ROW_OF_POINT,
                      .link = {point->link[0], point->link[1]},
                      .axis = a->n,
                      .place = {a->x, a->x}};
  cr_row_change change = {.axis = a->dn, .place = {a->dx, a->dx}};
  cr_row_carry(step, &row, column->twist, &change);
  double v1 = cr_row_rate_change(step, &row, &change, column->star);
  double v0 = cr_row_rate_change(step, &row, &change, column->v0);
  return distance - theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
}

/* What of the way is yielded, by the distance at the start: compliant ones that overlap. */
static bool gives_way(const cr_step* step, const cr_contact_point* point) {
  if (point->geom[0] < 0 || point->geom[1] < 0) return false; /* where they are looked at */
  return !isnan(cr_contact_find_yield(step->model, point)) && point->distance0 < 0;
}

bool cr_contact_tangent_yields(const cr_step* step, const cr_contact_point* point) {
  if (point->geom[0] < 0 || point->geom[1] < 0) return false;
  return point->is_ahead || gives_way(step, point) || cr_field_contact_has(step, point);
}

/* What of the way from A's surface to B's lies in A: k_b / (k_a + k_b); as one of both moves. */
static double find_yield_change(const cr_step* step, const cr_contact_point* point,
                                const cr_theta_column* theta) {
  const double* stiffness = step->model->contact.stiffness;
  double ka = stiffness[point->geom[0]], kb = stiffness[point->geom[1]], sum = ka + kb;
  if (!theta || theta->kind != CR_THETA_CONTACT_STIFFNESS || isinf(sum)) return 0;
  double change = 0;
  if (theta->index == point->geom[0]) change -= kb / (sum * sum);
  if (theta->index == point->geom[1]) change += ka / (sum * sum);
  return change;
}

/* A point of the manifold. */
static cr_witness_change change_witness(const cr_step* step, const cr_found_again* p, int i,
                                        double move[2][6], const cr_contact_column* column) {
  const cr_point_tangent* by = &p->tangent.points[i];
  double part[2][6];
  memcpy(part, move, sizeof part);
  if (column->shape) displace_parts(step, p, i, column, part);
  return (cr_witness_change){cr_manifold_sum_vectors(by->a, part),
                             cr_manifold_sum_vectors(by->b, part),
                             cr_manifold_sum_numbers(by->distance, part)};
}

/* One point between the surfaces: a + depth n. */
static v3 move_point(const cr_step* step, const cr_found_again* p, int i, double move[2][6],
                     const cr_contact_column* column, const cr_witness_change* by) {
  const cr_contact_point* point = &p->points[i];
  const cr_manifold_point* found = &p->found[i];
  v3 n = p->manifold.normal, dn = p->change->normal;
  const witness w[2] = {{found->a, by->a, n, dn}, {found->b, by->b, n, dn}};
  double distance = p->change->distance[i] = by->distance;
  p->change->first[i] = w[0].dx;
  double dshare, share = find_share(step, point, w, move, &dshare), real = 0, dreal = 0;
  double yield = cr_contact_find_yield(step->model, point);
  if (gives_way(step, point)) {
    real = point->distance0;
    dreal = find_start_change(step, point, &w[0], distance, column);
  } else {
    yield = 0;
  }
  double rest = point->distance - real, depth = real * yield + rest * share;
  double change = dreal * yield + (distance - dreal) * share + rest * dshare;
  change += real * find_yield_change(step, point, column->shape);
  return v3_add(v3_axpy(w[0].dx, change, n), v3_scale(depth, dn));
}

/* Flat points at their mean height along the normal, each with what it counts; what rises was
 * already part of their places' changes. */
static void flatten(const cr_found_again* p, const v3* before, v3* place,
                    const cr_patch_change* out) {
  v3 n = p->manifold.normal;
  double sum = 0, dsum = 0, flat = 0, dflat = 0;
  int count = p->points->count;
  for (int i = 0; i < count; i++) {
    const cr_contact_point* point = &p->points[i];
    if (!point->is_active || !point->is_flat) continue;
    double height = v3_dot(n, before[i]);
    double rises = v3_dot(out->normal, before[i]) + v3_dot(n, place[i]);
    sum += point->share * height;
    dsum += point->share * rises + out->share[i] * height;
    flat += point->share, dflat += out->share[i];
  }
  for (int i = 0; i < count; i++) {
    if (!p->points[i].is_active || !p->points[i].is_flat) continue;
    double mean = sum / flat, dmean = (dsum - mean * dflat) / flat;
    double rise = mean - v3_dot(n, before[i]);
    double change = dmean - v3_dot(out->normal, before[i]) - v3_dot(n, place[i]);
    place[i] = v3_axpy(v3_axpy(place[i], change, n), rise, out->normal);
  }
}

/* Where a point was before its patch was flattened. */
static v3 find_before(const cr_step* step, const cr_found_again* p, int i) {
  const cr_contact_point* point = &p->points[i];
  double move[2][6] = {{0}}, none;
  v3 n = p->manifold.normal;
  const witness w[2] = {{p->found[i].a, v3_zero(), n, v3_zero()},
                        {p->found[i].b, v3_zero(), n, v3_zero()}};
  double share = find_share(step, point, w, move, &none);
  double yield = cr_contact_find_yield(step->model, point);
  double real = isnan(yield) ? 0 : fmin(point->distance0, 0);
  if (isnan(yield)) yield = 0;
  double depth = real * yield + (point->distance - real) * share;
  return v3_axpy(p->found[i].a, depth, n);
}

/* Of the manifold's points, and of the area's; how much each of the patch's counts. */
static void change_witnesses(const cr_step* step, const cr_found_again* p, double move[2][6],
                             const cr_contact_column* column, cr_witness_change* of) {
  cr_corner_changes corners; /* filled as far as there are points */
  corners.normal = p->change->normal;
  cr_witness_change of_rule[CR_AREA_POINTS];
  cr_area_change rule;
  for (int i = 0; i < p->manifold.count; i++)
    corners.of[i] = change_witness(step, p, i, move, column);
  corners.motion = (cr_area_motion){(const double(*)[6])move, {v3_zero(), v3_zero()}};
  for (int k = 0; k < 2; k++)
    if (is_size_of(column->shape, p->points->geom[k]))
      corners.motion.stretch[k] = cr_geom_theta_find_stretch(step, column->shape);
  if (p->area) cr_area_patch_differentiate(&p->manifold, p->area, &corners, of_rule, &rule);
  for (int i = 0; i < p->points->count; i++) {
    int k = p->of_rule[i];
    of[i] = k >= 0 ? of_rule[k] : corners.of[p->source[i]];
    p->change->share[i] = k >= 0 ? rule.weight[k] : 0;
  }
}

static void change_patch(const cr_step* step, const cr_found_again* p,
                         const cr_contact_column* column) {
  cr_patch_change* out = p->change;
  double move[2][6], part[2][6];
  v3 before[CR_SPREAD_MAX];
  cr_witness_change of[CR_SPREAD_MAX];
  displace(step, p->points, column, move);
  memcpy(part, move, sizeof part);
  /* where the normal moves with the parts that it is of, they are those of the deepest point */
  int deepest = cr_manifold_find_deepest(&p->manifold);
  if (column->shape) displace_parts(step, p, deepest, column, part);
  out->column = column->index;
  out->normal = cr_manifold_sum_vectors(p->tangent.normal, part);
  change_witnesses(step, p, move, column, of);
  for (int i = 0; i < p->points->count; i++) {
    before[i] = find_before(step, p, i);
    out->place[i] = move_point(step, p, i, move, column, &of[i]);
  }
  flatten(p, before, out->place, out);
}

static void change_field(const cr_step* step, const cr_found_again* p,
                         const cr_contact_column* column) {
  cr_patch_change* out = p->change;
  cr_field_contact_change change;
  cr_field_contact_move move;
  const cr_field_contact* f = p->field;
  displace(step, p->points, column, move.shape);
  memcpy(move.part, move.shape, sizeof move.part);
  const v3 at[2][2] = {{f->place[0], f->normal}, {f->place[1], v3_neg(f->normal)}};
  for (int k = 0; k < 2; k++) add_part(step, column, p->points->geom[k], at[k], move.part[k]);
  cr_field_contact_differentiate(step, f, column, &move, &change);
  out->column = column->index;
  out->normal = change.patch.normal, out->stiffness = change.patch.stiffness;
  for (int i = 0; i < change.patch.count; i++) {
    out->distance[i] = change.distance[i];
    out->place[i] = out->first[i] = change.patch.point[i].place;
    out->share[i] = change.patch.point[i].share;
  }
}

/* Points that meet later, each where both bodies have it. */
static void change_ahead(const cr_step* step, const cr_found_again* p,
                         const cr_contact_column* column) {
  cr_patch_change* out = p->change;
  cr_swept_move move;
  double part[2][6];
  v3 before[CR_SPREAD_MAX];
  cr_witness_change of[CR_SPREAD_MAX];
  int deepest = cr_manifold_find_deepest(&p->manifold);
  displace(step, p->points, column, move.now);
  cr_swept_pair_move(p->swept, column, &p->lead, &move);
  memcpy(part, move.then, sizeof part);
  if (column->shape) displace_parts(step, p, deepest, column, part);
  out->column = column->index;
  out->normal = cr_manifold_sum_vectors(p->tangent.normal, part);
  change_witnesses(step, p, move.then, column, of);
  for (int i = 0; i < p->points->count; i++) {
    const cr_manifold_point* found = &p->found[i];
    const cr_swept_place_move place[2] = {{found->a, of[i].a, p->points[i].ahead[0]},
                                          {found->b, of[i].b, p->points[i].ahead[1]}};
    out->first[i] = of[i].a;
    out->place[i] = cr_swept_move_place(p->swept, &move, 0, &place[0]);
    out->other[i] = cr_swept_move_place(p->swept, &move, 1, &place[1]);
    const cr_row_change by = {.axis = out->normal, .place = {out->place[i], out->other[i]}};
    double carried = cr_swept_pair_carry(p->swept, &p->points[i], &by, move.time, column);
    out->distance[i] = of[i].distance + carried;
    out->position[i] = of[i].a, before[i] = found->a;
  }
  flatten(p, before, out->position, out);
}

double cr_contact_tangent_differentiate(const cr_step* step, const cr_contact_tangent* tangent,
                                        const cr_row_shape* shape, int rows,
                                        const cr_contact_column* column, cr_row_change* change) {
  if (tangent->soft) return cr_soft_contact_differentiate(step, tangent->soft, column, change);
  const cr_found_again* p = tangent->patch;
  if (p->change->column != column->index)
    (p->swept ? change_ahead : p->field ? change_field : change_patch)(step, p, column);
  v3 n = p->manifold.normal, dn = p->change->normal;
  for (int r = 0; r < rows; r++) {
    double along = v3_dot(shape[r].axis, n);
    bool is_normal = along > 0.5;
    v3 axis = is_normal ? dn : v3_scale(-v3_dot(shape[r].axis, dn), n);
    v3 place = p->change->place[tangent->index];
    v3 other = p->swept ? p->change->other[tangent->index] : place;
    change[r] = (cr_row_change){.axis = axis, .place = {place, other}};
  }
  return p->change->distance[tangent->index];
}

v3 cr_contact_tangent_turn_normal(const cr_contact_tangent* tangent) {
  if (tangent->soft) return cr_soft_contact_turn_normal(tangent->soft);
  return tangent->patch->change->normal;
}

cr_contact_give cr_contact_tangent_vary(const cr_step* step, const cr_contact_tangent* tangent,
                                        const cr_contact_column* column) {
  cr_contact_give give = {0, 0, 0};
  if (tangent->soft) {
    cr_soft_contact_vary(step, tangent->soft, column, &give.stiffness, &give.dissipation);
    return give;
  }
  const cr_contact_point* point = &tangent->patch->points[tangent->index];
  if (!point->is_area) return give;
  give.weight = tangent->patch->change->share[tangent->index];
  if (isfinite(point->stiffness)) give.stiffness = point->stiffness * give.weight;
  if (tangent->patch->field) give.stiffness += point->weight * tangent->patch->change->stiffness;
  return give;
}

double cr_contact_tangent_move_mass(const cr_step* step, const cr_contact_tangent* tangent, int k) {
  return tangent->soft ? cr_soft_contact_move_mass(step, tangent->soft, k) : 0;
}

v3 cr_contact_tangent_move_position(const cr_contact_tangent* tangent,
                                    const cr_row_change* change) {
  if (tangent->soft || !tangent->patch->swept) return change->place[0];
  return tangent->patch->change->position[tangent->index];
}

v3 cr_contact_tangent_find_first(const cr_contact_tangent* tangent, v3* change) {
  if (tangent->soft) return cr_soft_contact_find_place(tangent->soft, change);
  *change = tangent->patch->change->first[tangent->index];
  return tangent->patch->found[tangent->index].a;
}
