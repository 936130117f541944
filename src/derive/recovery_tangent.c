/* With what closes the gap at once, v, a row opens by at most s sqrt(part), s the recovery speed
 * and part the least of 1, its share and what a mass asks for, m W; it opens by o, and R is the
 * most of its trace and what deep overlaps give way,
 *
 *   d = DEEP (o / most)² W / min(share, 1)    or    o / (2 load),    whichever is less.
 *
 * A rebound follows as compliance.c has it. */
#include "derive/recovery_tangent.h"

#include "derive/step_tangent.h"
#include "math/scalar.h"
#include "sim/rows/compliance.h"

#include <math.h>

#define SAME 1e-9  /* relative: round-off of what is found again, */
#define LEFT 1e-13 /* and of shares */

/* A number and how it grows. */
typedef struct moved {
  double x;
  cr_recovery_slopes by;
} moved;

static moved constant(double x) { return (moved){.x = x}; }

static moved combine(double x, double a, const moved* u, double b, const moved* v) {
  const cr_recovery_slopes *p = &u->by, *q = &v->by;
  return (moved){x,
                 {a * p->v_hat + b * q->v_hat, a * p->mobility + b * q->mobility,
                  a * p->lever + b * q->lever, a * p->area + b * q->area,
                  a * p->weight + b * q->weight, a * p->film + b * q->film, a * p->v0 + b * q->v0,
                  a * p->v1 + b * q->v1, a * p->distance + b * q->distance,
                  a * p->restitution + b * q->restitution}};
}

static moved multiply(moved u, moved v) { return combine(u.x * v.x, v.x, &u, u.x, &v); }
static moved divide(moved u, moved v) {
  return combine(u.x / v.x, 1 / v.x, &u, -u.x / (v.x * v.x), &v);
}
static moved add(moved u, double s, moved v) { return combine(u.x + s * v.x, 1, &u, s, &v); }
static moved scale(double s, moved u) { return combine(s * u.x, s, &u, 0, &u); }
static moved root(moved u) { return combine(sqrt(u.x), 0.5 / sqrt(u.x), &u, 0, &u); }
static moved least(moved u, moved v) { return u.x <= v.x ? u : v; }
static moved most_of(moved u, moved v) { return u.x >= v.x ? u : v; }

/* What a rigid point of an area has; nothing where it is none. */
static moved find_area_R(const cr_step* step, const cr_distance_row* at) {
  if (!(at->weight > 0)) return constant(0);
  double R = cr_compliance_find_area_R(step, at->area, at->weight);
  return (moved){R, {.area = R / at->area, .weight = -R / at->weight}};
}

/* How near two bounds are to each other, as a change of what closes the gap at once, where that
 * makes a difference: by the impulse gamma that R is times of, 1 for v_hat. */
static double find_tie(moved u, moved v, double gamma) {
  double jump = fabs(u.by.v_hat - v.by.v_hat);
  return gamma * jump > CR_DERIVE_FELT ? fabs(u.x - v.x) / jump : INFINITY;
}

/* What bound_row of recovery.c sets, and the least R of regularize_contact of compliance.c. */
typedef struct bounded {
  moved R, v_hat, energy;
  double kink; /* m/s, how near it is to where another bound holds */
} bounded;

static bounded bound(const cr_step* step, const cr_step_problem* out, const cr_recovery_row* row) {
  bounded to;
  const cr_recovery_reach* reach = &row->reach;
  moved W = {row->at->mobility, {.mobility = 1}}, one = constant(1), share = constant(reach->share);
  moved wanted = {row->v_hat, {.v_hat = 1}}, nothing = constant(0);
  if (reach->has_lever) share.by.lever = reach->share / reach->mobility;
  moved part = least(share, one);
  if (isfinite(reach->mass)) part = least(part, scale(reach->mass, W));
  moved most = scale(step->sim->def.recovery_speed, root(part));
  moved opening = least(most_of(wanted, nothing), most);
  moved depth = most.x > 0 ? divide(opening, most) : nothing;
  moved deep = scale(CR_RECOVERY_DEEP_R, multiply(multiply(depth, depth), W));
  if (reach->share < 1) deep = divide(deep, share);
  moved lent = out->load > 0 ? scale(0.5 / out->load, opening) : constant(INFINITY);
  double film = row->at->weight > 0 ? 0 : cr_compliance_find_film_R(step, row->at->film);
  moved given = most_of(find_area_R(step, row->at), scale(CR_RECOVERY_LEAST_R, W));
  if (film > 0) given = most_of(given, (moved){film, {.film = film / row->at->film}});
  moved give = least(deep, lent);
  to.v_hat = least(wanted, most);
  to.R = most_of(given, give);
  moved mass = divide(constant(out->recovery[row->row].mass * W.x), W);
  to.energy = multiply(mass, multiply(most, most));
  double gamma = out->gamma[row->row], nearest = find_tie(given, give, gamma);
  if (give.x > given.x) nearest = fmin(nearest, find_tie(deep, lent, gamma));
  to.kink = most.x > 0 ? fmin(nearest, find_tie(wanted, most, 1)) : INFINITY;
  return to;
}

/* set_rebound of compliance.c. */
static moved rebound(const cr_step* step, const cr_recovery_row* row, moved R, moved v_hat) {
  const cr_constraint* c = row->constraint;
  double dt = step->dt, e = c->extra->restitution;
  double rest = step->model->contact.rest_speed;
  moved W = {row->at->mobility, {.mobility = 1}}, v0 = {row->at->v0, {.v0 = 1}};
  moved e2 = {e * e, {.restitution = 2 * e}};
  moved v1 = {row->at->v1, {.v1 = 1}}, phi = {row->at->distance, {.distance = 1}};
  moved g = scale(-1 / dt, add(v1, -1, v0));
  moved impact2 = add(multiply(v0, v0), 2, multiply(g, phi));
  if (!(impact2.x > rest * rest)) return v_hat;
  moved left = add(scale(dt * dt, multiply(g, g)), 1, multiply(e2, impact2));
  left = add(left, -2, multiply(g, phi));
  if (!(left.x > 0)) return v_hat;
  moved speed = add(root(left), -dt, g);
  return most_of(v_hat, add(speed, 1, multiply(divide(R, W), add(speed, -1, v1))));
}

/* Whether both are the same but for round-off; a small share is what is left of one. */
static bool is_same(double x, double y, double size, double share) {
  return fabs(x - y) <= (SAME + LEFT / share) * size;
}

void cr_recovery_tangent_find(const cr_step* step, const cr_step_problem* problem,
                              const cr_recovery_row* row, cr_recovery_tangent* out) {
  const cr_constraint* c = row->constraint;
  double taken_R = problem->problem.R[row->row], taken = problem->problem.v_hat[row->row];
  *out = (cr_recovery_tangent){.is_known = false};
  if (row->reach.waits || !(row->reach.share > CR_RECOVERY_REDUNDANT)) return;
  bool rebounds = c->extra && c->is_hit && c->extra->restitution > 0;
  if (c->extra && c->extra->push != 0 && rebounds) return;
  if (c->extra) taken += c->extra->push;
  bounded to = bound(step, problem, row);
  moved v_hat = rebounds ? rebound(step, row, to.R, to.v_hat) : to.v_hat;
  out->kink = v_hat.x > to.v_hat.x ? INFINITY : to.kink;
  v_hat = scale(row->ease, v_hat);
  out->R = to.R.by, out->v_hat = v_hat.by, out->energy = to.energy.by;
  out->has_energy = !rebounds, out->ease = row->ease;
  double size = fabs(v_hat.x) + fabs(row->at->v0) + fabs(row->at->v1);
  bool is_taken = problem->is_held[row->row] || is_same(v_hat.x, taken, size, row->reach.share);
  out->is_known = is_taken && is_same(to.R.x, taken_R, to.R.x, row->reach.share);
}
