/* How a patch's points change with the sums that they stand for (field.c), stage by stage; a d
 * before a name is its change. Where a number is held at a bound it does not change. */
#include "geom/field_rule.h"
#include "math/scalar.h"

#define NARROWEST 1e-6 /* of the length: the width of what has derivatives */

typedef struct move {
  const cr_field_sums_motion* sums;
  double beta[2]; /* before what is too far out is borne so */
  cr_field_rings r, d;
} move;

static double length_change(const double* x, const double* dx) {
  double length = hypot(x[0], x[1]);
  return length > 0 ? (x[0] * dx[0] + x[1] * dx[1]) / length : 0;
}

static void solve(const double L[2][2], const double* b, double* x) {
  double det = L[0][0] * L[1][1] - L[0][1] * L[1][0];
  x[0] = (L[1][1] * b[0] - L[0][1] * b[1]) / det;
  x[1] = (L[0][0] * b[1] - L[1][0] * b[0]) / det;
}

/* The centre of pressure e from the centre of stiffness c, C, and their changes. */
typedef struct shape {
  double offset[2], doffset[2], C[3], dC[3];
} shape;

static void find_shape(move* m, shape* s) {
  const cr_field_sums *a = &m->sums->at, *d = &m->sums->d;
  double K = a->stiffness, F = a->force, c[2];
  v3 dt[2], to = v3_scale(1 / F, v3_cross(a->normal, a->moment));
  v3 turned = v3_add(v3_cross(d->normal, a->moment), v3_cross(a->normal, d->moment));
  v3 dto = v3_scale(1 / F, v3_axpy(turned, -d->force, to));
  cr_field_change_tangents(a->normal, d->normal, dt);
  for (int k = 0; k < 2; k++) {
    c[k] = a->first[k] / K;
    m->d.center[k] = (d->first[k] - c[k] * d->stiffness) / K;
    s->offset[k] = v3_dot(a->t[k], to) - c[k];
    s->doffset[k] = v3_dot(dt[k], to) + v3_dot(a->t[k], dto) - m->d.center[k];
  }
  for (int k = 0, at = 0; k < 2; k++)
    for (int l = k; l < 2; l++, at++) {
      s->C[at] = a->second[at] / K - c[k] * c[l];
      s->dC[at] = (d->second[at] - a->second[at] / K * d->stiffness) / K - m->d.center[k] * c[l] -
                  c[k] * m->d.center[l];
    }
}

/* Of L = (C + s 1) / t, s = √det, t = √(trace + 2 s), and β = L⁻¹ (e - c). */
static bool change_axes(move* m, const shape* s) {
  const double *C = s->C, *dC = s->dC;
  double det = C[0] * C[2] - C[1] * C[1], trace = C[0] + C[2];
  if (!(det > NARROWEST * NARROWEST * trace * trace)) return false;
  double root = sqrt(det), t = sqrt(trace + 2 * root), rest[2];
  double droot = (dC[0] * C[2] + C[0] * dC[2] - 2 * C[1] * dC[1]) / (2 * root);
  double dt = (dC[0] + dC[2] + 2 * droot) / (2 * t), L[2][2];
  for (int k = 0, at = 0; k < 2; k++)
    for (int l = k; l < 2; l++, at++) {
      L[k][l] = L[l][k] = (C[at] + (k == l ? root : 0)) / t;
      m->d.L[k][l] = m->d.L[l][k] = (dC[at] + (k == l ? droot : 0) - L[k][l] * dt) / t;
    }
  solve(L, s->offset, m->beta);
  for (int k = 0; k < 2; k++)
    rest[k] = s->doffset[k] - m->d.L[k][0] * m->beta[0] - m->d.L[k][1] * m->beta[1];
  solve(L, rest, m->d.beta);
  return true;
}

static void change_mean_direction(move* m) {
  for (int i = 0; i < CR_FIELD_SIDES; i++) {
    double q[2], x[2], dx[2];
    cr_field_find_direction(i, 1, q);
    cr_field_place_point(&m->r, q, x);
    cr_field_place_point(&m->d, q, dx);
    m->d.mean_direction += length_change(x, dx) / CR_FIELD_SIDES;
  }
}

/* A number and its change. */
typedef struct ratio {
  double at, d;
} ratio;

static ratio find_ratio(double a, double da, double b, double db) {
  return (ratio){a / b, (da - a / b * db) / b};
}

/* @param mean in units of the ring's own */
static void change_radii(move* m, ratio mean) {
  const cr_field_rings* r = &m->r;
  cr_field_rings* d = &m->d;
  double beta = hypot(m->beta[0], m->beta[1]), outer = r->radius[0], weight = r->weight[0];
  bool is_free = beta * CR_FIELD_NEAREST < 1 && beta * CR_FIELD_FARTHEST > 1;
  d->radius[0] = is_free ? -length_change(m->beta, d->beta) / (beta * beta) : 0;
  double under = outer * outer - 2 * mean.at * outer + 2;
  double dunder = 2 * (outer - mean.at) * d->radius[0] - 2 * outer * mean.d;
  double wanted = under > 0 ? (2 - mean.at * mean.at) / under : CR_FIELD_LEAST;
  double most = 2 / (outer * outer), highest = fmin(most, 1 - CR_FIELD_LEAST);
  d->weight[0] = 0;
  if (wanted > highest && most == highest)
    d->weight[0] = -2 * most / outer * d->radius[0];
  else if (wanted > CR_FIELD_LEAST && wanted < highest)
    d->weight[0] = (-2 * mean.at * mean.d - wanted * dunder) / under;
  d->weight[1] = -d->weight[0];
  double square = r->radius[1] * r->radius[1];
  double dsquare =
      ((square - outer * outer) * d->weight[0] - 2 * weight * outer * d->radius[0]) / r->weight[1];
  d->radius[1] = square > 0 ? dsquare / (2 * r->radius[1]) : 0;
}

/* What is too far out of the middle: by how much the springs bear it, and how that moves them all.
 * @return beta and its change with what is left */
static ratio change_reach(move* m) {
  const cr_field_rings* r = &m->r;
  cr_field_rings* d = &m->d;
  int far = r->radius[0] < r->radius[1];
  ratio beta = {hypot(m->beta[0], m->beta[1]), length_change(m->beta, d->beta)};
  double reach = beta.at * r->radius[far], rest[2], drest[2], shift[2], by[2];
  if (!(reach > 1)) return beta;
  double left = 1 / reach;
  double dleft = -left * left * (beta.d * r->radius[far] + beta.at * d->radius[far]);
  for (int k = 0; k < 2; k++) {
    rest[k] = (1 - left) * m->beta[k];
    drest[k] = (1 - left) * d->beta[k] - dleft * m->beta[k];
    d->beta[k] = left * d->beta[k] + dleft * m->beta[k];
  }
  cr_field_place_point(d, rest, shift);
  cr_field_place_point(r, drest, by);
  for (int k = 0; k < 2; k++) d->center[k] += shift[k] + by[k];
  return (ratio){left * beta.at, left * beta.d + dleft * beta.at};
}

static void change_loads(move* m, ratio mean) {
  const cr_field_rings* r = &m->r;
  cr_field_rings* d = &m->d;
  ratio beta = change_reach(m);
  double across = r->radius[0] - r->radius[1], dacross = d->radius[0] - d->radius[1];
  ratio load = {1, 0};
  if (fabs(across) > 1e-3)
    load = find_ratio(mean.at - r->radius[1], mean.d - d->radius[1], r->weight[0] * across,
                      d->weight[0] * across + r->weight[0] * dacross);
  ratio least = {beta.at * r->radius[0], beta.d * r->radius[0] + beta.at * d->radius[0]};
  double inner = r->weight[1] * r->radius[1];
  double dinner = d->weight[1] * r->radius[1] + r->weight[1] * d->radius[1];
  ratio most = find_ratio(1 - inner * beta.at, -dinner * beta.at - inner * beta.d, r->weight[0],
                          d->weight[0]);
  if (!(most.at > least.at)) most = least;
  if (load.at < least.at) load = least;
  if (load.at > most.at) load = most;
  d->load[0] = load.d;
  d->load[1] = -(d->weight[0] * r->load[0] + r->weight[0] * load.d + d->weight[1] * r->load[1]) /
               r->weight[1];
}

/* Springs that are as long as the overlap is deep, or have the patch's own stiffness. */
static ratio find_stiffness(const move* m) {
  const cr_field_sums *a = &m->sums->at, *d = &m->sums->d;
  ratio longest = find_ratio(a->force, d->force, m->sums->depth, m->sums->ddepth);
  return a->stiffness >= longest.at ? (ratio){a->stiffness, d->stiffness} : longest;
}

static void change_points(const move* m, cr_field_patch* out) {
  const cr_field_sums *a = &m->sums->at, *da = &m->sums->d;
  const cr_field_rings *r = &m->r, *d = &m->d;
  v3 n = a->normal, dn = da->normal, dt[2];
  cr_field_change_tangents(n, dn, dt);
  ratio height =
      find_ratio(v3_dot(n, a->lean), v3_dot(dn, a->lean) + v3_dot(n, da->lean), a->load, da->load);
  ratio K = find_stiffness(m), deep = find_ratio(a->force, da->force, K.at, K.d);
  v3 middle = v3_axpy(v3_scale(height.at, dn), height.d, n);
  out->stiffness = K.d;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < CR_FIELD_SIDES; i++) {
      double q[2], dq[2], x[2], dx[2], by[2];
      cr_field_find_direction(i, k ? -r->radius[k] : r->radius[k], q);
      cr_field_find_direction(i, k ? -d->radius[k] : d->radius[k], dq);
      cr_field_place_point(r, q, x), cr_field_place_point(d, q, dx),
          cr_field_place_point(r, dq, by);
      double load = r->load[k] + r->beta[0] * q[0] + r->beta[1] * q[1];
      double dload = d->load[k] + d->beta[0] * q[0] + d->beta[1] * q[1] + r->beta[0] * dq[0] +
                     r->beta[1] * dq[1];
      cr_field_point* point = &out->point[out->count++];
      point->place = middle;
      for (int l = 0; l < 2; l++) {
        point->place = v3_axpy(point->place, d->center[l] + dx[l] + by[l], a->t[l]);
        point->place = v3_axpy(point->place, r->center[l] + x[l], dt[l]);
      }
      point->share = d->weight[k] / CR_FIELD_SIDES;
      point->depth = load > 0 ? dload * deep.at + load * deep.d : 0;
    }
}

bool cr_field_change_patch(const cr_field_sums_motion* sums, cr_field_patch* change) {
  const cr_field_sums *sum = &sums->at, *dsum = &sums->d;
  move m = {.sums = sums};
  shape s;
  *change = (cr_field_patch){.normal = dsum->normal, .area = dsum->area};
  cr_field_find_rings(sum, &m.r);
  find_shape(&m, &s);
  if (!change_axes(&m, &s)) return false;
  change_mean_direction(&m);
  double unit = m.r.mean_direction, dunit = m.d.mean_direction;
  ratio even = find_ratio(sum->lever[0], dsum->lever[0], sum->stiffness, dsum->stiffness);
  ratio loaded = find_ratio(sum->lever[1], dsum->lever[1], sum->load, dsum->load);
  change_radii(&m, find_ratio(even.at, even.d, unit, dunit));
  change_loads(&m, find_ratio(loaded.at, loaded.d, unit, dunit));
  change_points(&m, change);
  return true;
}
