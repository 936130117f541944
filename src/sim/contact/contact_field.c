/* The pressure is looked at where the step looks at distances, or, where the free motion goes on to
 * more than twice that overlap, half as deep as it ends: what comes nearer has a contact before it
 * overlaps. B is moved there along the normal, and its points are as much farther. Pressed in up to
 * their middles bodies are rigid: beyond, the pressure would grow no more, and let them through. */
#include "sim/contact/contact_field.h"

#include "geom/field.h"

#include <math.h>

#define TURNING 0.02 /* of the moment about any point, what fourteen springs are off by at most */
#define AHEAD   0.5  /* of the overlap that the free motion ends with */

/* Their names; a pair has no others. */
#define FEATURE UINT32_C(0x46000000)

static const cr_manifold_point* find_deepest(const cr_manifold* manifold) {
  const cr_manifold_point* deepest = manifold->points;
  for (int i = 1; i < manifold->count; i++)
    if (manifold->points[i].distance < deepest->distance) deepest = &manifold->points[i];
  return deepest;
}

/* How far B has to be moved for the overlap that is looked at. */
static double find_shift(const cr_scan* s, const cr_geom_pair* pair,
                         const cr_contact_values* values, const cr_manifold* manifold) {
  const cr_manifold_point* deepest = find_deepest(manifold);
  const cr_found_patch found = {.normal = manifold->normal, .count = 1};
  cr_contact_point probe;
  cr_scan_start_point(s, pair, values, &found, &probe);
  probe.position = deepest->a, probe.distance = deepest->distance;
  double end = AHEAD * cr_scan_find_end(s, &probe);
  return end < 0 && end < deepest->distance ? deepest->distance - end : 0;
}

static cr_field_body find_body(const cr_scan* s, int geom, const pose* X) {
  const carom_model* model = s->step->model;
  return (cr_field_body){&model->geom.shape[geom], X, model->contact.pressure[geom]};
}

/* How deep both can be pressed into each other: up to where they have no more to give way. */
static double find_room(const cr_scan* s, const cr_geom_pair* pair) {
  const cr_contact_model* contact = &s->step->model->contact;
  const int geom[2] = {pair->geom1, pair->geom2};
  double room = 0;
  for (int k = 0; k < 2; k++) {
    bool is_plane = s->step->model->geom.shape[geom[k]].type == CAROM_GEOM_PLANE;
    if (isinf(contact->pressure[geom[k]])) continue;
    room += is_plane ? INFINITY : contact->pressure[geom[k]] / contact->slope[geom[k]];
  }
  return room;
}

static bool add_points(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_field_patch* patch, double shift) {
  cr_manifold_point points[CR_FIELD_POINTS];
  double share[CR_FIELD_POINTS], area[CR_FIELD_POINTS];
  for (int i = 0; i < patch->count; i++) {
    v3 place = patch->point[i].place;
    points[i] =
        (cr_manifold_point){place, place, shift - patch->point[i].depth, FEATURE + (uint32_t)i};
    share[i] = patch->point[i].share;
    area[i] = share[i] * patch->area;
  }
  cr_contact_values own = *values;
  own.stiffness = patch->stiffness;
  const cr_found_patch found = {.normal = patch->normal,
                                .count = patch->count,
                                .points = points,
                                .share = share,
                                .area = area,
                                .error = fmax(patch->error, TURNING),
                                .reach = INFINITY,
                                .is_placed = true};
  return cr_scan_add_found(s, pair, &own, &found);
}

bool cr_scan_add_field(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold) {
  if (manifold->count == 0) return true;
  double shift = find_shift(s, pair, values, manifold);
  const cr_manifold_point* deepest = find_deepest(manifold);
  double depth = shift - deepest->distance;
  if (!(depth > 0)) return s->lists ? cr_scan_add_patch(s, pair, values, manifold) : true;
  if (depth > find_room(s, pair)) {
    cr_contact_values hard = *values;
    hard.stiffness = INFINITY;
    return cr_scan_add_patch(s, pair, &hard, manifold);
  }
  const pose *Xa = &s->poses[pair->geom1], *Xb = &s->poses[pair->geom2];
  pose moved = *Xb;
  moved.p = v3_axpy(Xb->p, -shift, manifold->normal);
  const cr_field_pair fields = {
      .body = {find_body(s, pair->geom1, Xa), find_body(s, pair->geom2, &moved)},
      .normal = manifold->normal,
      .place = deepest->a,
      .depth = depth};
  cr_field_patch patch;
  if (!cr_field_find_patch(&fields, s->step->arena, &patch)) return false;
  return patch.count == 0 || add_points(s, pair, values, &patch, shift);
}
