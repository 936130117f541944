/* What numbers of surfaces do to the contacts that two of them make, by the rules that mix them
 * (model/contact_rule.h). */
#include "derive/contact_parameters.h"

#include "derive/geom_parameters.h"

#include <math.h>

int cr_theta_find_pair(const cr_geom_model* geom, int a, int b) {
  uint64_t key =
      a < b ? (uint64_t)(unsigned)a << 32 | (unsigned)b : (uint64_t)(unsigned)b << 32 | (unsigned)a;
  int low = 0, high = geom->num_pairs;
  while (low < high) {
    int middle = (low + high) / 2;
    if (geom->pair[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < geom->num_pairs && geom->pair[low] == key ? low : -1;
}

/* --- Two sides ----------------------------------------------------------------------------------
 */

/* How a coefficient of friction that two sides make grows with the first one's. */
static double mix_slope(const cr_contact_model* contact, double mu, double nu) {
  double sum = mu + nu;
  if (contact->friction_rule == CAROM_FRICTION_RULE_LARGER) return mu > nu ? 1 : mu < nu ? 0 : 0.5;
  if (contact->friction_rule == CAROM_FRICTION_RULE_SMALLER) return mu < nu ? 1 : mu > nu ? 0 : 0.5;
  return sum > 0 ? 2 * (nu / sum) * (nu / sum) : 0;
}

static double larger_slope(double own, double other) {
  return own > other ? 1 : own < other ? 0 : 0.5;
}

/* How the value of the kind that two sides make grows with the first one's. */
static double find_mixed_slope(const cr_contact_model* contact, cr_theta_kind kind,
                               const cr_contact_side* own, const cr_contact_side* other) {
  const carom_surface *s = own->surface, *t = other->surface;
  if (own->priority != other->priority) return own->priority > other->priority ? 1 : 0;
  switch (kind) {
  case CR_THETA_FRICTION:
    return mix_slope(contact, own->friction, other->friction);
  case CR_THETA_STATIC_FRICTION:
    return mix_slope(contact, s->static_friction, t->static_friction);
  case CR_THETA_STRIBECK_SPEED:
    return larger_slope(s->stribeck_speed, t->stribeck_speed);
  case CR_THETA_TORSION:
    return larger_slope(s->torsional_friction, t->torsional_friction);
  case CR_THETA_RESTITUTION:
    return larger_slope(s->restitution, t->restitution);
  case CR_THETA_ADHESION:
    return 1; /* of their sum */
  default:
    return larger_slope(s->rolling_friction, t->rolling_friction);
  }
}

/* Springs in series, of which the first changes: k = k1 k2 / (k1 + k2), tau = (k2 tau1 + k1 tau2) /
 * (k1 + k2). */
cr_contact_theta cr_theta_series_slope(cr_theta_kind kind, const cr_contact_side* own,
                                       const cr_contact_side* other) {
  double k1 = own->stiffness, k2 = other->stiffness;
  if (isinf(k1)) return (cr_contact_theta){0};
  double share = isinf(k2) ? 1 : k2 / (k1 + k2);
  if (kind == CR_THETA_CONTACT_DISSIPATION) return (cr_contact_theta){.dissipation = share};
  double tau = isinf(k2) ? 0 : share / (k1 + k2) * (other->dissipation - own->dissipation);
  return (cr_contact_theta){.stiffness = share * share, .dissipation = isnan(tau) ? 0 : tau};
}

/* Hunt-Crossley's slope, which is mixed as dissipation is. */
static double find_slope_of_slope(cr_theta_kind kind, const cr_contact_side* own,
                                  const cr_contact_side* other) {
  double k1 = own->stiffness, k2 = other->stiffness;
  if (isinf(k1)) return 0;
  if (kind == CR_THETA_HUNT_CROSSLEY) return isinf(k2) ? 1 : k2 / (k1 + k2);
  if (kind != CR_THETA_CONTACT_STIFFNESS || isinf(k2)) return 0;
  return k2 / (k1 + k2) / (k1 + k2) * (other->surface->hunt_crossley - own->surface->hunt_crossley);
}

/* What a soft body's own stiffness is of a point's, which is in series with another. */
static double find_own_stiffness(double stiffness, double other) {
  return isinf(stiffness) || isinf(other) ? stiffness : stiffness * other / (other - stiffness);
}

/* The area of a point whose sides are both soft is the same. */
static double find_soft_stiffness(const carom_model* m, const cr_contact_point* point, int k) {
  const cr_soft_part* own = &m->soft.part[-1 - point->geom[k]];
  int other = point->geom[1 - k];
  if (other >= 0) return find_own_stiffness(point->stiffness, m->contact.stiffness[other]);
  double share = own->stiffness / m->soft.part[-1 - other].stiffness;
  return isinf(own->stiffness) ? INFINITY : point->stiffness * (1 + share);
}

static bool has_field(const carom_model* m, const int geom[2]) {
  return geom[0] >= 0 && geom[1] >= 0 &&
         cr_contact_rule_has_field(&m->geom, &m->contact, geom[0], geom[1]);
}

/* Where pressures meet these give way, and nothing else. */
cr_contact_side cr_theta_side_of(const carom_model* m, const cr_contact_point* point, int k) {
  if (point->geom[k] >= 0) {
    cr_contact_side own = cr_contact_rule_side(&m->geom, &m->contact, point->geom[k]);
    if (has_field(m, point->geom)) own.stiffness = m->contact.slope[point->geom[k]];
    return own;
  }
  const cr_soft_part* p = &m->soft.part[-1 - point->geom[k]];
  return (cr_contact_side){.condim = p->condim,
                           .priority = p->priority,
                           .friction = p->friction,
                           .margin = p->margin,
                           .stiffness = find_soft_stiffness(m, point, k),
                           .dissipation = p->dissipation,
                           .surface = &p->contact_surface};
}

/* What one side's number changes by for a unit of the parameter: soft bodies give a pressure, and
 * the slope of a field follows from several. */
static double find_unit(const carom_model* m, const cr_theta_column* theta,
                        const cr_contact_side* own) {
  if (cr_theta_is_of_inside(theta))
    return isinf(own->stiffness) ? 0 : own->stiffness * cr_geom_theta_find_growth(m, theta).slope;
  bool is_pressure = theta->index < 0 && theta->kind == CR_THETA_CONTACT_STIFFNESS;
  return is_pressure ? own->stiffness / m->soft.part[-1 - theta->index].stiffness : 1;
}

/* --- A contact ----------------------------------------------------------------------------------
 */

/* What its numbers change by, those of its surfaces among them. */
typedef struct values {
  double friction, static_friction, stribeck_speed; /* of the surfaces */
  double torsion, rolling, hunt_crossley, restitution, adhesion;
  double stiffness, dissipation;
} values;

static values find_pair_values(cr_theta_kind kind) {
  return (values){.friction = kind == CR_THETA_FRICTION,
                  .static_friction = kind == CR_THETA_STATIC_FRICTION,
                  .stribeck_speed = kind == CR_THETA_STRIBECK_SPEED,
                  .torsion = kind == CR_THETA_TORSION,
                  .rolling = kind == CR_THETA_ROLLING,
                  .hunt_crossley = kind == CR_THETA_HUNT_CROSSLEY,
                  .restitution = kind == CR_THETA_RESTITUTION,
                  .adhesion = kind == CR_THETA_ADHESION,
                  .stiffness = kind == CR_THETA_CONTACT_STIFFNESS,
                  .dissipation = kind == CR_THETA_CONTACT_DISSIPATION};
}

/* Of both sides, where the parameter is of one. */
static values find_mixed_values(const carom_model* m, const cr_theta_column* theta,
                                const cr_contact_point* point) {
  values sum = {0};
  for (int k = 0; k < 2; k++) {
    if (point->geom[k] != theta->index) continue;
    cr_contact_side own = cr_theta_side_of(m, point, k);
    cr_contact_side other = cr_theta_side_of(m, point, 1 - k);
    cr_theta_kind kind = cr_theta_is_of_inside(theta) ? CR_THETA_CONTACT_STIFFNESS : theta->kind;
    double unit = find_unit(m, theta, &own);
    sum.hunt_crossley += unit * find_slope_of_slope(kind, &own, &other);
    if (kind == CR_THETA_CONTACT_STIFFNESS || kind == CR_THETA_CONTACT_DISSIPATION) {
      cr_contact_theta by = cr_theta_series_slope(kind, &own, &other);
      sum.stiffness += unit * by.stiffness, sum.dissipation += unit * by.dissipation;
    } else if (kind != CR_THETA_HUNT_CROSSLEY) {
      double by = find_mixed_slope(&m->contact, kind, &own, &other);
      values of = find_pair_values(kind);
      sum.friction += by * of.friction, sum.static_friction += by * of.static_friction;
      sum.stribeck_speed += by * of.stribeck_speed;
      sum.torsion += by * of.torsion, sum.rolling += by * of.rolling;
      sum.restitution += by * of.restitution, sum.adhesion += by * of.adhesion;
    }
  }
  return sum;
}

static int find_given(const carom_model* m, const cr_contact_point* point) {
  bool is_pair = point->geom[0] >= 0 && point->geom[1] >= 0;
  return is_pair ? cr_theta_find_pair(&m->geom, point->geom[0], point->geom[1]) : -1;
}

/* mu = mu_d + (mu_s - mu_d) e, e = exp(-(v / v_s)²) of contact_surface.c: e follows from mu. */
cr_slip_friction cr_slip_friction_find(const carom_model* m, const cr_contact_point* point) {
  cr_slip_friction out = {0};
  if (!point->extra || !point->extra->is_slowed) return out;
  int given = find_given(m, point);
  cr_contact_side a = cr_theta_side_of(m, point, 0), b = cr_theta_side_of(m, point, 1);
  cr_contact_values mixed = cr_contact_rule_mix_sides(&m->contact, &a, &b);
  carom_surface s = cr_contact_rule_mix_surfaces(&m->contact, &a, &b);
  if (given >= 0) s = m->contact.pair_surface[given];
  double kinetic = given >= 0 ? m->contact.pair_friction[given] : mixed.friction;
  double excess = s.static_friction - kinetic;
  out.at_rest = fmin(fmax((point->friction - kinetic) / excess, 0), 1);
  if (!(s.stribeck_speed > 0) || !(out.at_rest > 0)) return out;
  double square = -log(out.at_rest);
  out.by_speed = -2 * excess * out.at_rest * sqrt(square) / s.stribeck_speed;
  out.by_stribeck = 2 * excess * out.at_rest * square / s.stribeck_speed;
  return out;
}

/* Moments over lengths, which are coefficients over that of sliding. */
static void find_lengths(const cr_contact_point* point, const values* v, cr_contact_theta* out) {
  if (!point->extra || !(point->friction > 0)) return;
  const double* length = point->extra->length;
  bool is_least = v->torsion != 0 && !(length[0] * point->friction > CR_LEAST_TORSION);
  out->length[0] = ((is_least ? 0 : v->torsion) - length[0] * out->friction) / point->friction;
  out->length[1] = (v->rolling - length[1] * out->friction) / point->friction;
}

/* Of the pair where there is one, else of both sides. */
static values find_values(const carom_model* m, const cr_theta_column* theta,
                          const cr_contact_point* point) {
  int given = find_given(m, point);
  if (given < 0) return find_mixed_values(m, theta, point);
  bool is_its = theta->index == m->geom.num_geoms + given;
  return is_its ? find_pair_values(theta->kind) : (values){0};
}

double cr_theta_find_adhesion(const carom_model* m, const cr_theta_column* theta) {
  int geoms = m->geom.num_geoms, i = theta->index;
  if (i >= geoms) return m->contact.pair_surface ? m->contact.pair_surface[i - geoms].adhesion : 0;
  return cr_contact_rule_side(&m->geom, &m->contact, i).surface->adhesion;
}

double cr_theta_of_adhesion(const carom_model* m, const cr_theta_column* theta, const int geom[2]) {
  return find_values(m, theta, &(cr_contact_point){.geom = {geom[0], geom[1]}}).adhesion;
}

cr_contact_theta cr_theta_of_contact(const cr_step_tangent* t, const cr_theta_column* theta,
                                     const cr_contact_point* point) {
  const carom_model* m = t->step->model;
  cr_contact_theta out = {0};
  bool is_field = has_field(m, point->geom), is_of_inside = cr_theta_is_of_inside(theta);
  if (!is_of_inside && !cr_theta_is_of_surface(theta)) return out;
  if (is_field ? theta->kind == CR_THETA_CONTACT_STIFFNESS : is_of_inside) return out;
  values v = find_values(m, theta, point);
  cr_slip_friction slip = cr_slip_friction_find(m, point);
  out.friction = v.friction * (1 - slip.at_rest) + v.static_friction * slip.at_rest +
                 v.stribeck_speed * slip.by_stribeck;
  find_lengths(point, &v, &out);
  out.stiffness = is_field ? 0 : v.stiffness, out.restitution = v.restitution;
  out.dissipation = v.dissipation;
  if (point->extra && point->extra->hunt_crossley > 0)
    out.dissipation += v.hunt_crossley * fmax(-point->distance, 0);
  return out;
}

cr_contact_theta cr_theta_of_tie(const cr_step_tangent* t, const cr_theta_column* theta, int tie) {
  const cr_soft_model* m = &t->step->model->soft;
  bool is_stiffness = theta->kind == CR_THETA_TIE_STIFFNESS;
  cr_contact_theta none = {0};
  if (!is_stiffness && theta->kind != CR_THETA_TIE_DISSIPATION) return none;
  int hold = m->node_attached[m->tie_barycentric[tie].node[0]];
  bool is_its = hold >= m->attachment_start[theta->index] &&
                hold < m->attachment_start[theta->index + 1] && isfinite(m->tie_stiffness[tie]);
  if (!is_its) return none;
  return (cr_contact_theta){.stiffness = is_stiffness, .dissipation = !is_stiffness};
}
