/* The pressure is looked at where the step looks at distances, or, where the free motion goes on to
 * more than twice that overlap, half as deep as it ends: what comes nearer has a contact before it
 * overlaps. B is moved there along the normal, and its points are as much farther. Pressed in up to
 * their middles bodies are rigid: beyond, the pressure would grow no more, and let them through. */
#include "sim/contact/contact_field.h"

#include "geom/field.h"

#include <math.h>

#define TURNING 0.02 /* of the moment about any point, what fourteen springs are off by at most */

/* What a look at a pair's shapes has found, and the deepest point of it. */
typedef struct look {
  const cr_geom_pair* pair;
  const cr_contact_values* values;
  const cr_manifold* manifold; /* all of them */
  int count;
  v3 normal, place; /* of the deepest */
  double distance;
} look;

static void find_deepest(look* l) {
  l->distance = INFINITY;
  for (int g = 0; g < l->count; g++)
    for (int i = 0; i < l->manifold[g].count; i++) {
      const cr_manifold_point* point = &l->manifold[g].points[i];
      if (!(point->distance < l->distance)) continue;
      l->normal = l->manifold[g].normal, l->place = point->a, l->distance = point->distance;
    }
}

/* How far B has to be moved for the overlap that is looked at. */
static double find_shift(const cr_scan* s, const look* l) {
  const cr_found_patch found = {.normal = l->normal, .count = 1};
  cr_contact_point probe;
  cr_scan_start_point(s, l->pair, l->values, &found, &probe);
  probe.position = l->place, probe.distance = l->distance;
  double end = CR_FIELD_AHEAD * cr_scan_find_end(s, &probe);
  return end < 0 && end < l->distance ? l->distance - end : 0;
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

/* Each patch has names of its own. B was moved by `shift` for the look. */
static bool add_points(cr_scan* s, const look* l, const cr_field_patch* patch, uint32_t name,
                       v3 shift) {
  cr_manifold_point points[CR_FIELD_POINTS];
  double share[CR_FIELD_POINTS], area[CR_FIELD_POINTS], apart = v3_dot(patch->normal, shift);
  for (int i = 0; i < patch->count; i++) {
    v3 place = patch->point[i].place;
    points[i] =
        (cr_manifold_point){place, place, apart - patch->point[i].depth, name + (uint32_t)i};
    share[i] = patch->point[i].share;
    area[i] = share[i] * patch->area;
  }
  cr_contact_values own = *l->values;
  own.stiffness = patch->stiffness;
  const cr_found_patch found = {.normal = patch->normal,
                                .count = patch->count,
                                .points = points,
                                .share = share,
                                .area = area,
                                .error = fmax(patch->error, TURNING),
                                .reach = INFINITY,
                                .is_placed = true};
  return cr_scan_add_found(s, l->pair, &own, &found);
}

/* As two bodies of this stiffness that have no pressure. */
static bool add_manifolds(cr_scan* s, const look* l, double stiffness) {
  cr_contact_values own = *l->values;
  own.stiffness = stiffness;
  for (int g = 0; g < l->count; g++)
    if (!cr_scan_add_patch(s, l->pair, &own, &l->manifold[g])) return false;
  return true;
}

/* Where a wall is thinner than elsewhere it may be sunk in deeper than there is pressure. */
static bool add_patches(cr_scan* s, const look* l, const cr_field_patches* patches, v3 shift) {
  if (patches->count == 0 && l->distance < 0) return add_manifolds(s, l, INFINITY);
  for (int g = 0; g < patches->count; g++)
    if (!add_points(s, l, &patches->patch[g], CR_FIELD_FEATURE + (uint32_t)(CR_FIELD_POINTS * g),
                    shift))
      return false;
  return true;
}

bool cr_scan_add_field(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold, int count) {
  look l = {.pair = pair, .values = values, .manifold = manifold, .count = count};
  find_deepest(&l);
  if (isinf(l.distance)) return true;
  double along = find_shift(s, &l), depth = along - l.distance;
  if (!(depth > 0)) return s->lists ? add_manifolds(s, &l, values->stiffness) : true;
  if (depth > find_room(s, pair)) return add_manifolds(s, &l, INFINITY);
  const pose *Xa = &s->poses[pair->geom1], *Xb = &s->poses[pair->geom2];
  pose moved = *Xb;
  moved.p = v3_axpy(Xb->p, -along, l.normal);
  const cr_field_pair fields = {
      .body = {find_body(s, pair->geom1, Xa), find_body(s, pair->geom2, &moved)},
      .normal = l.normal,
      .place = l.place,
      .depth = depth};
  cr_field_patches patches;
  if (!cr_field_find_patches(&fields, s->step->arena, &patches)) return false;
  return add_patches(s, &l, &patches, v3_scale(along, l.normal));
}
