/* What contact_field.c has found of a pair is found again: its deepest point, how far B is moved to
 * be looked at, the patches. These move with both bodies and with what the look is along, each a
 * direction of geom/field.h, of which a column is a sum. */
#include "derive/field_contact.h"

#include "derive/geom_parameters.h"
#include "derive/swept_contact.h"
#include "geom/patches.h"
#include "model/contact_rule.h"
#include "sim/contact/contact_field.h"
#include "sim/driven.h"

#include <math.h>

#define ROUND_OFF 1e-9 /* relative to sizes, of places that are found again */

/* The pair at hand. */
typedef struct look {
  cr_step_tangent* t;
  const cr_contact_point* points;
  const cr_shape* shape[2];
  const pose* X[2];
  pose moved; /* B's where it is looked at */
  cr_field_pair pair;
} look;

bool cr_field_contact_has(const cr_step* step, const cr_contact_point* point) {
  const carom_model* m = step->model;
  uint32_t name = point->key.feature - CR_FIELD_FEATURE;
  if (point->is_ahead || name >= CR_FIELD_POINTS * CR_FIELD_PATCHES) return false;
  return cr_contact_rule_has_field(&m->geom, &m->contact, point->geom[0], point->geom[1]);
}

/* --- The deepest point --------------------------------------------------------------------------
 */

static int find_deepest(const cr_manifold* m) {
  int deepest = 0;
  for (int i = 1; i < m->count; i++)
    if (m->points[i].distance < m->points[deepest].distance) deepest = i;
  return deepest;
}

static void take_deepest(const cr_collide_query* query, const cr_manifold* m, cr_field_contact* out,
                         const char** why) {
  cr_manifold_tangent tangent;
  int i = find_deepest(m);
  cr_manifold_compute_tangent(query, m, &tangent);
  *why = tangent.obstacle;
  if (*why) return;
  const cr_point_tangent* by = &tangent.points[i];
  out->normal = m->normal, out->distance = m->points[i].distance;
  out->place[0] = m->points[i].a, out->place[1] = m->points[i].b;
  for (int k = 0; k < 2; k++)
    for (int e = 0; e < 6; e++) {
      out->dnormal[k][e] = tangent.normal[k][e], out->dplace[k][e] = by->a[k][e];
      out->ddistance[k][e] = by->distance[k][e];
    }
}

/* How much farther than the deepest the next point is. */
static double find_others(const cr_manifold* m, int count, double deepest, int group) {
  double least = INFINITY;
  for (int g = 0; g < count; g++)
    for (int i = 0; i < m[g].count; i++)
      if (g != group || i != find_deepest(&m[g]))
        least = fmin(least, m[g].points[i].distance - deepest);
  return least;
}

static void find_pair(const look* l, cr_field_contact* out, const char** why) {
  const cr_step* step = l->t->step;
  const carom_model* model = step->model;
  const int* geom = l->points->geom;
  double margin = cr_contact_rule_mix(&model->geom, &model->contact, geom[0], geom[1]).margin +
                  step->sim->geom_reach[geom[0]] + step->sim->geom_reach[geom[1]];
  const cr_collide_query query = {l->shape[0], l->shape[1], l->X[0], l->X[1], margin, NULL};
  cr_patches all = {.count = 1};
  if (cr_geom_needs_patches(l->shape[0], l->shape[1]))
    cr_geom_collide_patches(l->shape[0], l->X[0], l->shape[1], l->X[1], margin, &all);
  else
    cr_geom_collide_pair(&query, &all.patch[0]);
  int deepest = -1;
  double least = INFINITY;
  for (int g = 0; g < all.count; g++) {
    const cr_manifold* m = &all.patch[g];
    double distance = m->count ? m->points[find_deepest(m)].distance : INFINITY;
    if (distance < least) least = distance, deepest = g;
  }
  *why = "it is not found again where the step looked at it";
  if (deepest < 0) return;
  take_deepest(&query, &all.patch[deepest], out, why);
  out->others = find_others(all.patch, all.count, least, deepest);
}

/* --- Where it is looked at ----------------------------------------------------------------------
 */

/* How fast bodies move by prescription where the deepest point is. */
static void find_drive(const look* l, cr_field_contact* out) {
  const cr_step* step = l->t->step;
  out->motion = out->turn = v3_zero();
  for (int k = 0; k < 2 && step->sim->num_driven; k++) {
    int link = l->points->link[k];
    if (step->model->tree.link_tree[link] >= 0) continue;
    v3 way = cr_driven_find_at(step, link, out->place[0]);
    out->motion = v3_axpy(out->motion, k ? 1 : -1, way);
    out->turn = v3_axpy(out->turn, k ? 1 : -1, cr_driven_find(step->sim, link).ang);
  }
}

/* What B's velocity along the normal is over A's. */
static double find_rate(const look* l, const cr_field_contact* out, const double* v) {
  const cr_step* step = l->t->step;
  double rate = v3_dot(out->normal, out->motion);
  for (int k = 0; k < 2; k++) {
    int link = l->points->link[k], tree = step->model->tree.link_tree[link];
    if (tree < 0) continue;
    v3 arm = v3_sub(out->place[0], step->kinematics.origin[tree]);
    double along =
        v3_dot(out->normal, sv_point_velocity(cr_swept_find_velocity(step, link, v), arm));
    rate += k ? along : -along;
  }
  return rate;
}

/* As contact_field.c finds it. */
static double find_shift(const look* l, const cr_field_contact* out) {
  const cr_step* step = l->t->step;
  double v0 = find_rate(l, out, step->v0), v1 = find_rate(l, out, step->v_lin), dt = step->dt;
  cr_theta theta = cr_contact_find_theta(step, l->points->link);
  double end = out->distance - theta.q * dt * (theta.vq * v1 + (1 - theta.vq) * v0) + dt * v1;
  end *= CR_FIELD_AHEAD;
  return end < 0 && end < out->distance ? out->distance - end : 0;
}

static void place_pair(look* l, cr_field_contact* out) {
  const cr_contact_model* contact = &l->t->step->model->contact;
  find_drive(l, out);
  out->along = find_shift(l, out);
  l->moved = *l->X[1];
  l->moved.p = v3_axpy(l->moved.p, -out->along, out->normal);
  l->pair = (cr_field_pair){
      .normal = out->normal, .place = out->place[0], .depth = out->along - out->distance};
  for (int k = 0; k < 2; k++)
    l->pair.body[k] = (cr_field_body){l->shape[k], k ? &l->moved : l->X[k],
                                      contact->pressure[l->points->geom[k]]};
}

/* --- Patches ------------------------------------------------------------------------------------
 */

/* Whether it is the patch that the step has. */
static bool is_same(const look* l, const cr_field_patch* patch) {
  double reach = 0;
  for (int k = 0; k < 2; k++) reach = fmax(reach, v3_norm(v3_sub(l->X[k]->p, l->points->position)));
  if (patch->count != l->points->count) return false;
  for (int i = 0; i < patch->count; i++) {
    v3 apart = v3_sub(patch->point[i].place, l->points[i].position);
    if (!(v3_norm(apart) <= ROUND_OFF * fmax(reach, 1))) return false;
  }
  return true;
}

static cr_field_motion make_move(int move) {
  cr_field_motion m = {.depth = move == CR_FIELD_DEPTH};
  v3* const of[] = {&m.turn[0], &m.way[0], &m.turn[1], &m.way[1], &m.normal};
  for (int k = 0; k < 2; k++) m.pressure[k] = move == CR_FIELD_STIFFER + k;
  if (move >= CR_FIELD_LARGER) m.size[(move - CR_FIELD_LARGER) / 3][move % 3] = 1;
  if (move < CR_FIELD_DEPTH) *of[move / 3] = v3_set(v3_zero(), move % 3, 1);
  return m;
}

static bool is_size_of(const cr_theta_column* theta, int geom, int element) {
  return theta->kind == CR_THETA_SIZE && theta->index == geom && theta->element == element;
}

/* Whether any column has a part in it. */
static bool matters(const look* l, const cr_field_contact* out, int move) {
  const cr_step_tangent* t = l->t;
  int larger = move - CR_FIELD_LARGER;
  for (int i = 0; i < t->num_thetas && larger >= 0; i++)
    if (is_size_of(&t->thetas[i], l->points->geom[larger / 3], larger % 3)) return true;
  if (larger >= 0) return false;
  if (t->num_thetas > 0) return true;
  if (move >= CR_FIELD_STIFFER) return false;
  int k = move / 6, link = l->points->link[k == 1];
  bool is_held = k < 2 && l->t->step->model->tree.link_tree[link] < 0;
  return !is_held || (k == 1 && out->along > 0);
}

static bool find_patches(const look* l, cr_field_contact* out, const char** why) {
  cr_arena* arena = l->t->arena;
  cr_field_patches patches;
  int index = (int)((l->points->key.feature - CR_FIELD_FEATURE) / CR_FIELD_POINTS);
  if (!cr_field_find_patches(&l->pair, arena, &patches)) return false;
  *why = "it is not found again where the step looked at it";
  if (index >= patches.count || !is_same(l, &patches.patch[index])) return true;
  out->at = patches.patch[index];
  for (int i = 0; i < CR_FIELD_MOVES; i++) {
    const cr_field_motion motion = make_move(i);
    out->by[i] = (cr_field_patch){.count = 0};
    if (!matters(l, out, i)) continue;
    if (!cr_field_differentiate(&l->pair, &motion, arena, &patches)) return false;
    *why = "its pressure is on a line";
    if (index >= patches.count) return true;
    out->by[i] = patches.patch[index];
  }
  *why = NULL;
  return true;
}

const cr_field_contact* cr_field_contact_find(cr_step_tangent* t, const cr_contact_point* points,
                                              const char** why) {
  look l = {.t = t, .points = points};
  cr_field_contact* out = CR_PUSH(t->arena, cr_field_contact, 1);
  if (!out) return NULL;
  for (int k = 0; k < 2; k++) {
    l.shape[k] = &t->step->model->geom.shape[points->geom[k]];
    l.X[k] = &t->step->sim->geom_pose[points->geom[k]];
  }
  out->points = points;
  find_pair(&l, out, why);
  if (*why) return out;
  place_pair(&l, out);
  return find_patches(&l, out, why) ? out : NULL;
}

/* --- A column -----------------------------------------------------------------------------------
 */

/* How the way to where it is looked at changes: half of the distance that the free motion ends with
 * is left. */
static double change_shift(const cr_step* step, const cr_field_contact* c,
                           const cr_contact_column* column, double part[2][6], v3 dn) {
  const int* link = c->points->link;
  double distance = cr_manifold_sum_numbers(c->ddistance, part);
  const cr_row_shape row = {.kind = CR_ROW_OF_POINT,
                            .link = {link[0], link[1]},
                            .axis = c->normal,
                            .place = {c->place[0], c->place[0]}};
  v3 way = cr_manifold_sum_vectors(c->dplace, part);
  cr_row_change change = {.axis = dn, .place = {way, way}};
  cr_row_carry(step, &row, column->twist, &change);
  cr_theta theta = cr_contact_find_theta(step, link);
  double drive = v3_dot(dn, c->motion) + v3_dot(c->normal, v3_cross(c->turn, way));
  double v1 = cr_row_rate_change(step, &row, &change, column->star) + drive;
  double v0 = cr_row_rate_change(step, &row, &change, column->v0) + drive;
  double begin = distance - theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
  return distance - CR_FIELD_AHEAD * (begin + step->dt * v1);
}

/* What a parameter does to a body's inside. */
static void grow_body(const cr_step* step, const cr_contact_column* column,
                      const cr_contact_point* point, int k, double by[CR_FIELD_MOVES]) {
  const cr_theta_column* theta = column->shape;
  by[CR_FIELD_STIFFER + k] = 0;
  for (int e = 0; e < 3; e++)
    by[CR_FIELD_LARGER + 3 * k + e] = theta && is_size_of(theta, point->geom[k], e);
  if (theta && theta->index == point->geom[k])
    by[CR_FIELD_STIFFER + k] = cr_geom_theta_find_growth(step->model, theta).pressure;
}

static void add_change(const cr_field_patch* by, double scale, cr_field_patch* sum) {
  sum->normal = v3_axpy(sum->normal, scale, by->normal);
  sum->stiffness += scale * by->stiffness;
  for (int i = 0; i < by->count; i++) {
    cr_field_point* point = &sum->point[i];
    point->place = v3_axpy(point->place, scale, by->point[i].place);
    point->share += scale * by->point[i].share;
    point->depth += scale * by->point[i].depth;
  }
}

void cr_field_contact_differentiate(const cr_step* step, const cr_field_contact* c,
                                    const cr_contact_column* column, cr_field_contact_move* move,
                                    cr_field_contact_change* change) {
  cr_field_patch* patch = &change->patch;
  v3 dn = cr_manifold_sum_vectors(c->dnormal, move->part);
  double by[CR_FIELD_MOVES], dalong = 0,
                             deepest = cr_manifold_sum_numbers(c->ddistance, move->part);
  if (c->along > 0) dalong = change_shift(step, c, column, move->part, dn);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) by[6 * k + i] = move->shape[k][i];
  for (int e = 0; e < 3; e++) {
    by[9 + e] -= dalong * v3_get(c->normal, e) + c->along * v3_get(dn, e);
    by[12 + e] = v3_get(dn, e);
  }
  by[CR_FIELD_DEPTH] = dalong - deepest;
  for (int k = 0; k < 2; k++) grow_body(step, column, c->points, k, by);
  *patch = (cr_field_patch){.count = c->at.count};
  for (int i = 0; i < CR_FIELD_MOVES; i++)
    if (by[i] != 0) add_change(&c->by[i], by[i], patch);
  double apart = dalong * v3_dot(c->at.normal, c->normal) +
                 c->along * (v3_dot(patch->normal, c->normal) + v3_dot(c->at.normal, dn));
  for (int i = 0; i < patch->count; i++) change->distance[i] = apart - patch->point[i].depth;
}
