/* What surfaces ask for at a contact point beside friction of one coefficient: torsional and
 * rolling friction, friction that falls with slip, belts, prescribed motion, restitution, adhesion.
 */
#include "sim/contact/contact_surface.h"

#include <math.h>

#define REST_SLIP 1e-9 /* m/s, slower is at rest where friction has no Stribeck speed */

carom_surface cr_contact_find_surface(const carom_model* model, const cr_geom_pair* pair) {
  const cr_contact_model* c = &model->contact;
  if (pair->pair >= 0) return c->pair_surface[pair->pair];
  return cr_contact_rule_mix_surface(&model->geom, c, pair->geom1, pair->geom2);
}

/* The dimensions whose coefficients are positive. Rolling friction brings torsional friction along:
 * CR_LEAST_TORSION where there is none. */
static int find_condim(const cr_contact_values* values, const carom_surface* surface) {
  bool rolls = values->condim == 6 && surface->rolling_friction > 0;
  bool twists = values->condim >= 4 && surface->torsional_friction > 0;
  if (!(values->friction > 0)) return 1;
  return rolls ? 6 : twists ? 4 : values->condim > 3 ? 3 : values->condim;
}

/* Coefficient of friction at the point's slip before the step, mu_d + (mu_s - mu_d) exp(-(v /
 * v_s)²): what it is during the step is not known, so that the step stays convex. */
static double find_friction(const cr_scan* s, const cr_contact_point* point, double friction,
                            const carom_surface* surface, const cr_contact_extra* extra) {
  double excess = surface->static_friction - friction;
  if (!(excess > 0)) return friction;
  v3 slip = v3_add(cr_contact_find_relative_velocity(s->step, s->start, point), extra->drift);
  double speed = v3_norm(v3_axpy(slip, -v3_dot(slip, point->normal), point->normal));
  double ratio = surface->stribeck_speed > 0 ? speed / surface->stribeck_speed
                 : speed > REST_SLIP         ? INFINITY
                                             : 0;
  return friction + excess * exp(-ratio * ratio);
}

/* How fast the surfaces move where they touch: what belts do. */
static void set_drift(const cr_scan* s, const cr_contact_point* point, cr_contact_extra* extra) {
  const cr_contact_model* contact = &s->step->model->contact;
  extra->drifts = false, extra->drift = extra->twist = v3_zero();
  for (int k = 0; k < 2 && contact->num_moving; k++) {
    if (point->geom[k] < 0) continue;
    const double* given = contact->velocity + 6 * (size_t)point->geom[k];
    const pose* X = &s->poses[point->geom[k]];
    v3 turn = m3_mulv(&X->R, v3_load(given + 3)), way = m3_mulv(&X->R, v3_load(given));
    way = v3_add(way, v3_cross(turn, v3_sub(point->position, X->p)));
    extra->drift = v3_axpy(extra->drift, k ? 1 : -1, way);
    extra->twist = v3_axpy(extra->twist, k ? 1 : -1, turn);
  }
  extra->drifts = v3_norm2(extra->drift) > 0 || v3_norm2(extra->twist) > 0;
}

/* How fast bodies move by prescription where they touch. The distance is that of the place where
 * the step looks at them; an impact looks at what it hits elsewhere in time. */
static void set_motion(const cr_scan* s, cr_contact_point* point, cr_contact_extra* extra) {
  const cr_step* step = s->step;
  extra->is_driven = false, extra->motion = extra->turn = v3_zero(), extra->push = 0;
  for (int k = 0; k < 2 && step->sim->num_driven; k++) {
    if (point->geom[k] < 0 || step->model->tree.link_tree[point->link[k]] >= 0) continue;
    v3 way = cr_driven_find_at(step, point->link[k], point->position);
    extra->motion = v3_axpy(extra->motion, k ? 1 : -1, way);
    extra->turn = v3_axpy(extra->turn, k ? 1 : -1, cr_driven_find(step->sim, point->link[k]).ang);
  }
  extra->is_driven = v3_norm2(extra->motion) + v3_norm2(extra->turn) > 0;
  if (!extra->is_driven) return;
  extra->push = v3_dot(extra->motion, point->normal);
  cr_theta theta = cr_contact_find_theta(step, point->link);
  point->distance += (theta.q - step->sim->theta.q) * step->dt * extra->push;
}

bool cr_scan_set_surface(const cr_scan* s, const cr_contact_values* values,
                         const carom_surface* surface, cr_contact_point* point) {
  cr_contact_extra* extra = CR_PUSH(s->step->arena, cr_contact_extra, 1);
  if (s->step->arena->failed) return false;
  point->condim = find_condim(values, surface);
  set_drift(s, point, extra);
  set_motion(s, point, extra);
  extra->is_slowed = surface->static_friction > values->friction;
  point->friction = find_friction(s, point, values->friction, surface, extra);
  extra->length[0] = fmax(surface->torsional_friction, CR_LEAST_TORSION) / point->friction;
  extra->length[1] = surface->rolling_friction / point->friction;
  extra->hunt_crossley = surface->hunt_crossley;
  extra->restitution = surface->restitution;
  extra->adhesion = surface->adhesion, extra->gap = values->gap;
  point->extra = extra;
  return true;
}
