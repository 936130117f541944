#include "derive/found_again.h"

#include "base/error.h"
#include "derive/swept_contact.h"
#include "derive/theta.h"
#include "geom/patches.h"
#include "sim/contact/contact_patches.h"

#include <math.h>

#define ROUND_OFF 1e-9 /* relative, of distances that are found again */

static const char NOT_FOUND[] = "it is not found again where the step looked at it";

static carom_status refuse(const cr_step_tangent* t, const cr_contact_point* point,
                           const char* why) {
  const char* name[2];
  for (int k = 0; k < 2; k++)
    name[k] = point->geom[k] < 0 ? "" : carom_model_get_geom(t->step->model, point->geom[k]).name;
  return cr_error_set(
      t->error, CAROM_ERROR_UNSUPPORTED,
      "derivatives: there are none yet of the contact of geometries \"%s\" (%d) and "
      "\"%s\" (%d): %s",
      name[0], point->geom[0], name[1], point->geom[1], why);
}

static carom_status check_point(const cr_step_tangent* t, const cr_contact_point* point) {
  if (point->is_ahead && isnan(point->meeting))
    return refuse(t, point, "they meet later in the step, at a time that is known only about");
  return CAROM_OK;
}

static int find_feature(const cr_manifold_point* points, int count, uint32_t feature) {
  int k = 0;
  while (k < count && points[k].feature != feature) k++;
  return k < count ? k : -1;
}

/* Finds the patch's points among the manifold's and the area's; false where one is missing. */
static bool match(const cr_spread* spread, int count, cr_found_again* out) {
  for (int i = 0; i < count; i++) {
    uint32_t feature = out->points[i].key.feature;
    int k = find_feature(spread->points, spread->count, feature);
    if (k < 0) return false;
    out->found[i] = spread->points[k];
    out->source[i] = find_feature(out->manifold.points, out->manifold.count, feature);
    out->of_rule[i] = out->area && k < out->area->rule.count ? k : -1;
    if (out->source[i] < 0 && out->of_rule[i] < 0) return false;
  }
  return true;
}

static cr_contact_area_pair find_pair(const cr_step* step, const cr_found_again* p) {
  const cr_shape* shape = step->model->geom.shape;
  const int* geom = p->points->geom;
  return (cr_contact_area_pair){
      {&shape[geom[0]], &shape[geom[1]]}, {&p->X[0], &p->X[1]}, step->sim->def.patch_error};
}

/* Where both geometries are as the step looked at them. */
static bool place(cr_step_tangent* t, cr_found_again* p) {
  p->swept = NULL;
  for (int k = 0; k < 2; k++) p->X[k] = t->step->sim->geom_pose[p->points->geom[k]];
  if (!p->points->is_ahead) return true;
  cr_swept_pair* swept = CR_PUSH(t->arena, cr_swept_pair, 1);
  if (!swept) return false;
  cr_swept_pair_find(t->step, p->points, swept);
  p->swept = swept, p->X[0] = swept->X[0], p->X[1] = swept->X[1];
  return true;
}

/* The points that the manifold was spread to. */
static carom_status spread_area(cr_step_tangent* t, cr_found_again* out, cr_spread* spread) {
  const cr_contact_point* p = out->points;
  const cr_contact_area_pair pair = find_pair(t->step, out);
  cr_contact_area* area = CR_PUSH(t->arena, cr_contact_area, 1);
  if (t->arena->failed) return cr_error_memory(t->error);
  double reach = cr_contact_find_reach(t->step->model, p->geom, &out->manifold);
  reach = cr_contact_find_area_reach(&out->manifold, p->stiffness, reach);
  cr_contact_area_spread(&pair, &out->manifold, reach, spread, area);
  if (area->count == 0) return CAROM_OK;
  out->area = area;
  const cr_area_corners corners = {area->kind, area->count, (const double(*)[2])area->x,
                                   area->is_surface ? &area->moments : NULL, NULL};
  out->area_kink = cr_area_find_nearest_kink(&corners, &area->rule);
  return CAROM_OK;
}

/* What is no area stands for itself. */
static void spread_points(const cr_manifold* m, cr_spread* spread) {
  spread->count = m->count;
  for (int i = 0; i < m->count; i++) spread->points[i] = m->points[i];
}

/* Which points touch together follows from how far apart they are. */
static double find_reach_kink(const cr_step* step, const cr_found_again* p) {
  const cr_manifold* m = &p->manifold;
  double least = INFINITY, reach = cr_contact_find_reach(step->model, p->points->geom, m);
  double within = reach;
  if (p->points->is_area) within = cr_contact_find_area_reach(m, p->points->stiffness, reach);
  for (int i = 0; i < m->count && m->count > 1; i++) {
    double distance = m->points[i].distance;
    least = fmin(least, fmin(fabs(distance - reach), fabs(distance - within)));
  }
  return least;
}

static bool is_of_pair(const cr_contact_set* set, int i, const cr_contact_point* point) {
  return i >= 0 && i < set->points.count && set->points.items[i].key.pair == point->key.pair;
}

/* How far apart the points of a pair are at most, with what round-off may make of it: those of one
 * normal have names that depend on those of the others. */
static double find_reach(const cr_step* step, const cr_contact_set* set,
                         const cr_contact_point* point) {
  double most = 0;
  v3 centre = step->sim->geom_pose[point->geom[1]].p;
  int first = point->first;
  while (is_of_pair(set, first - 1, point)) first--;
  for (int i = first; is_of_pair(set, i, point); i++) {
    const cr_contact_point* p = &set->points.items[i];
    double size = v3_norm(v3_sub(p->position, centre));
    most = fmax(most, p->distance + ROUND_OFF * (size + fabs(p->distance)));
  }
  return most;
}

/* As far as the step has looked, or farther where that does not matter. */
static double find_margin(const cr_step* step, const cr_contact_set* set, const cr_found_again* p,
                          const cr_contact_area_pair* pair) {
  const cr_shape *a = pair->shape[0], *b = pair->shape[1];
  if (!p->swept) return find_reach(step, set, p->points);
  return cr_geom_needs_patches(a, b) ? cr_sweep_find_hair(a, b)
                                     : cr_shape_compute_bounding_radius(a);
}

/* From where others of its patches touch, too, m. */
static double find_hair_kink(const cr_collide_query* query) {
  double hair = cr_sweep_find_hair(query->a, query->b), least = INFINITY;
  cr_patches near;
  if (!cr_geom_needs_patches(query->a, query->b)) return INFINITY;
  cr_geom_collide_patches(query->a, query->Xa, query->b, query->Xb, 2 * hair, &near);
  for (int g = 0; g < near.count; g++)
    for (int i = 0; i < near.patch[g].count; i++)
      least = fmin(least, fabs(near.patch[g].points[i].distance - hair));
  return least;
}

/* What the time follows at which a pair meets. */
static carom_status find_lead(const cr_step_tangent* t, const cr_collide_query* query,
                              cr_found_again* out) {
  cr_manifold manifold;
  cr_manifold_tangent tangent;
  if (cr_geom_collide_pair(query, &manifold) == 0) return refuse(t, out->points, NOT_FOUND);
  cr_manifold_compute_tangent(query, &manifold, &tangent);
  if (tangent.obstacle) return refuse(t, out->points, tangent.obstacle);
  out->reach_kink = find_hair_kink(query);
  out->lead = tangent.points[cr_manifold_find_deepest(&manifold)];
  for (int i = 0; i < out->manifold.count; i++)
    out->tangent.points[i].kink = fmin(out->tangent.points[i].kink, out->lead.kink);
  return CAROM_OK;
}

static carom_status search(cr_step_tangent* t, const cr_contact_set* set, cr_found_again* out) {
  const cr_contact_point* p = out->points;
  const cr_contact_area_pair pair = find_pair(t->step, out);
  double margin = find_margin(t->step, set, out, &pair);
  const cr_collide_query query = {pair.shape[0], pair.shape[1], pair.X[0], pair.X[1], margin, NULL};
  cr_spread spread;
  spread.count = 0;
  if (cr_geom_collide_along(&query, p->normal, &out->manifold) == 0) return refuse(t, p, NOT_FOUND);
  if (!out->swept) out->reach_kink = find_reach_kink(t->step, out);
  if (p->is_area)
    CR_TRY(spread_area(t, out, &spread));
  else
    spread_points(&out->manifold, &spread);
  if (out->area)
    cr_manifold_compute_area_tangent(&query, &out->manifold, &out->tangent);
  else
    cr_manifold_compute_tangent(&query, &out->manifold, &out->tangent);
  if (out->tangent.obstacle) return refuse(t, p, out->tangent.obstacle);
  if (!match(&spread, p->count, out)) return refuse(t, p, NOT_FOUND);
  return out->swept ? find_lead(t, &query, out) : CAROM_OK;
}

static carom_status find_field(cr_step_tangent* t, cr_found_again* out) {
  const cr_contact_point* p = out->points;
  const char* why = NULL;
  out->field = cr_field_contact_find(t, p, &why);
  if (!out->field) return cr_error_memory(t->error);
  if (why) return refuse(t, p, why);
  out->manifold.normal = out->field->at.normal, out->manifold.count = 0;
  for (int i = 0; i < p->count; i++) out->found[i].a = p[i].position;
  return CAROM_OK;
}

carom_status cr_find_patch_again(cr_step_tangent* t, const cr_contact_set* set,
                                 const cr_contact_point* at, const cr_found_again** found) {
  cr_found_again* p = t->patches;
  CR_TRY(check_point(t, at));
  while (p && p->first != at->first) p = p->next;
  if (!p) {
    p = CR_PUSH(t->arena, cr_found_again, 1);
    if (t->arena->failed) return cr_error_memory(t->error);
    p->first = at->first, p->points = &set->points.items[at->first];
    p->area = NULL, p->field = NULL, p->area_kink = INFINITY, p->next = t->patches;
    if (!place(t, p)) return cr_error_memory(t->error);
    p->change = CR_PUSH(t->arena, cr_patch_change, 1);
    if (t->arena->failed) return cr_error_memory(t->error);
    p->change->column = -1;
    bool is_field = cr_field_contact_has(t->step, at);
    CR_TRY(is_field ? find_field(t, p) : search(t, set, p));
    t->patches = p;
  }
  *found = p;
  return CAROM_OK;
}
