/* Source of the contacts' laws in lanes. Each contact_lanes_*.c names its table in LANES_TABLE and
 * includes this.
 *
 * A lane is a contact. Lanes without one repeat the last, and count in no sum. What a contact does
 * not take, of the branches of its law, is computed too, with divisors of one. */
#ifndef CR_PROBLEM_CONTACT_LANES_TEMPLATE_H
#define CR_PROBLEM_CONTACT_LANES_TEMPLATE_H

#include "math/lanes.h"
#include "problem/cone_scale.h"
#include "problem/contact_lanes.h"

#define INLINE LANES_INLINE

/* --- Four contacts ------------------------------------------------------------------------------
 */

typedef struct four {
  int count; /* of contacts, 1 to LANES */
  int row[LANES];
  int state_size; /* of interior points, for each row */
  bool is_dense;  /* there are four, whose rows follow each other */
  lanes mu, scale;
} four;

INLINE four find_four(const cr_law_batch* batch, int first) {
  int left = batch->count - first;
  four f = {.count = left < LANES ? left : LANES, .state_size = cr_law_interior_size(batch->ld)};
  const double *mu = batch->parameter + 2 * first, *scale = batch->scale + first;
  int at[LANES];
  for (int k = 0; k < LANES; k++) {
    at[k] = k < left ? k : left - 1;
    f.row[k] = batch->row[first + at[k]];
  }
  f.is_dense = true;
  for (int k = 1; k < LANES; k++) f.is_dense &= f.row[k] == f.row[k - 1] + 3;
  f.mu = (lanes){mu[2 * at[0]], mu[2 * at[1]], mu[2 * at[2]], mu[2 * at[3]]};
  f.scale = (lanes){scale[at[0]], scale[at[1]], scale[at[2]], scale[at[3]]};
  return f;
}

/* Element `at` of every contact's rows. */
INLINE lanes gather(const four* f, const double* x, int at) {
  return (lanes){x[f->row[0] + at], x[f->row[1] + at], x[f->row[2] + at], x[f->row[3] + at]};
}

INLINE void gather_rows(const four* f, const double* x, lanes out[3]) {
  if (f->is_dense)
    lanes_load_triples(x + f->row[0], out);
  else
    for (int k = 0; k < 3; k++) out[k] = gather(f, x, k);
}

/* Calls function(..., k) for every contact k, a constant where there are four. */
#define FOR_EACH_CONTACT(f, function, ...)              \
  if ((f)->is_dense) {                                  \
    function(__VA_ARGS__, 0), function(__VA_ARGS__, 1); \
    function(__VA_ARGS__, 2), function(__VA_ARGS__, 3); \
  } else                                                \
    for (int contact = 0; contact < (f)->count; contact++) function(__VA_ARGS__, contact)

INLINE void scatter_row(const four* f, const lanes x[3], double* out, int k) {
  double* to = out + f->row[k];
  to[0] = x[0][k], to[1] = x[1][k], to[2] = x[2][k];
}

INLINE void scatter_rows(const four* f, const lanes x[3], double* out) {
  if (f->is_dense)
    lanes_store_triples(out + f->row[0], x);
  else
    for (int contact = 0; contact < f->count; contact++) scatter_row(f, x, out, contact);
}

INLINE void add_lane(lanes x, double* sum, int k) { *sum += x[k]; }

/* sum + x0 + x1 + ..., in the order of the contacts. */
INLINE double add_lanes(const four* f, lanes x, double sum) {
  FOR_EACH_CONTACT(f, add_lane, x, &sum);
  return sum;
}

/* Contacts, gathered. */
typedef struct contacts {
  lanes Rt, Rn;
  lanes d[3];     /* v_c - v_hat, order t1 t2 n */
  lanes gamma[3]; /* likewise */
} contacts;

INLINE contacts load(const four* f, const cr_law_point* point) {
  contacts c = {.Rt = gather(f, point->R, 0), .Rn = gather(f, point->R, 2)};
  lanes v_c[3], v_hat[3];
  gather_rows(f, point->v_c, v_c);
  gather_rows(f, point->v_hat, v_hat);
  for (int k = 0; k < 3; k++) c.d[k] = v_c[k] - v_hat[k];
  if (point->gamma) gather_rows(f, point->gamma, c.gamma);
  return c;
}

INLINE lanes one_unless(lanes_mask mask, lanes x) { return lanes_choose(mask, x, lanes_spread(1)); }

/* --- Analytic inverse dynamics ------------------------------------------------------------------
 */

/* In slide gamma_n = (mu |d_t| - d_n) / (R_n + mu² R_t), gamma_t = -mu gamma_n d_t / |d_t|; written
 * with d = -R y, so that R_t = 0 (no regularisation of friction) is allowed. Returns l. */
INLINE lanes invert(const four* f, const contacts* c, lanes gamma[3]) {
  lanes zero = lanes_spread(0), mu = f->mu, dt = lanes_norm2(c->d[0], c->d[1]);
  lanes_mask separate = c->d[2] >= mu * dt;
  lanes_mask stick = ~separate & (dt * c->Rn <= -mu * c->d[2] * c->Rt), slide = ~separate & ~stick;
  lanes_mask gives_way = stick & (c->Rt > 0);
  lanes reach = mu * dt - c->d[2], softness = lanes_choose(stick, c->Rn, c->Rn + mu * mu * c->Rt);
  gamma[2] = lanes_choose(stick, -c->d[2], reach) / one_unless(~separate, softness);
  lanes along = lanes_choose(slide, -mu * gamma[2], lanes_spread(-1)) /
                one_unless(slide | gives_way, lanes_choose(slide, dt, c->Rt));
  gamma[2] = lanes_choose(separate, zero, gamma[2]);
  for (int k = 0; k < 2; k++) gamma[k] = lanes_choose(slide | gives_way, along * c->d[k], zero);
  lanes work = gamma[0] * c->d[0] + gamma[1] * c->d[1] + gamma[2] * c->d[2];
  return 0.5 * lanes_choose(slide, gamma[2] * reach, -work);
}

static double evaluate(const cr_law_batch* batch, const cr_law_point* point, double* gamma) {
  double cost = 0;
  cr_law_point at = *point;
  at.gamma = NULL;
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    contacts c = load(&f, &at);
    lanes impulse[3];
    cost = add_lanes(&f, invert(&f, &c, impulse), cost);
    scatter_rows(&f, impulse, gamma);
  }
  return cost;
}

/* --- Primal-dual linearisation ------------------------------------------------------------------
 */

/* Contacts in the scaled variables, and their projection step. */
typedef struct scaled {
  lanes inv_mu, rho;
  lanes Rn, Rt; /* R~, with the proximal weight in linearisations */
  lanes u[3];   /* u0, u_t */
  lanes s[3];   /* slack, without the De Saxce term */
  lanes st;     /* |s_t|; zero without the De Saxce term */
  lanes z[3];   /* u - rho (s + De Saxce) */
  lanes zt;     /* |z_t| */
  lanes inv_zt; /* where the contact slides */
  lanes_mask stick, separate, slide;
  lanes p[3]; /* projection of z on Q */
} scaled;

/* The projection of those that slide. */
INLINE void project_sliding(const scaled* c, lanes p[3]) {
  lanes p0 = 0.5 * (c->z[0] + c->zt), ratio = p0 * c->inv_zt;
  p[0] = p0, p[1] = ratio * c->z[1], p[2] = ratio * c->z[2];
}

INLINE void project_on_cone(scaled* c) {
  lanes slack = CR_CONE_ULPS * 0x1p-52 * (lanes_abs(c->z[0]) + c->zt), zero = lanes_spread(0), p[3];
  c->stick = c->z[0] >= c->zt - slack;
  c->separate = ~c->stick & (c->z[0] <= -c->zt);
  c->slide = ~c->stick & ~c->separate;
  c->inv_zt = 1 / one_unless(c->slide, c->zt);
  project_sliding(c, p);
  for (int k = 0; k < 3; k++)
    c->p[k] = lanes_choose(c->stick, c->z[k], lanes_choose(c->separate, zero, p[k]));
}

#define ON_SURFACE 1e-9 /* from the cone's surface, relative, is an impulse on it */

/* Has those slide whose impulse lies on the surface. */
INLINE void slide_on_surface(scaled* c) {
  lanes ut = lanes_norm2(c->u[1], c->u[2]), p[3];
  lanes_mask on = c->stick & (ut > 0) & (c->zt > 0) & (lanes_abs(c->u[0] - ut) <= ON_SURFACE * ut);
  c->stick &= ~on;
  c->slide |= on;
  c->inv_zt = 1 / one_unless(c->slide, c->zt);
  project_sliding(c, p);
  for (int k = 0; k < 3; k++) c->p[k] = lanes_choose(on, p[k], c->p[k]);
}

/* Inline, so that each caller computes no more than it reads. */
INLINE scaled load_scaled(const four* f, const cr_law_point* point, const cr_law_mode* mode) {
  contacts c = load(f, point);
  lanes zero = lanes_spread(0), mu = f->mu, weight = mode->proximal * f->scale;
  lanes Pn = lanes_max(weight - c.Rn, zero), Pt = lanes_max(weight - c.Rt, zero);
  lanes P[3] = {Pt, Pt, Pn}, pull[3] = {zero, zero, zero}, anchor[3];
  if (mode->anchor) gather_rows(f, mode->anchor, anchor);
  for (int k = 0; k < 3 && mode->anchor; k++) pull[k] = P[k] * (c.gamma[k] - anchor[k]);
  lanes shift = mode->shift ? gather(f, mode->shift, 2) : zero;
  scaled q;
  q.inv_mu = 1 / mu;
  q.rho = cr_cone_choose_rho(mode) * mu / (f->scale + lanes_max(c.Rn, c.Rt));
  q.Rn = (c.Rn + Pn) * q.inv_mu * q.inv_mu;
  q.Rt = c.Rt + Pt;
  q.u[0] = mu * c.gamma[2], q.u[1] = c.gamma[0], q.u[2] = c.gamma[1];
  q.s[0] = (c.d[2] + c.Rn * c.gamma[2] + pull[2] + shift) * q.inv_mu;
  q.s[1] = c.d[0] + c.Rt * c.gamma[0] + pull[0];
  q.s[2] = c.d[1] + c.Rt * c.gamma[1] + pull[1];
  q.st = mode->coulomb > 0 ? lanes_norm2(q.s[1], q.s[2]) : zero;
  q.z[0] = q.u[0] - q.rho * (q.s[0] + mode->coulomb * q.st);
  q.z[1] = q.u[1] - q.rho * q.s[1];
  q.z[2] = q.u[2] - q.rho * q.s[2];
  q.zt = lanes_norm2(q.z[1], q.z[2]);
  project_on_cone(&q);
  return q;
}

/* |u - p|² */
INLINE lanes residual2(const scaled* c) {
  lanes e[3] = {c->u[0] - c->p[0], c->u[1] - c->p[1], c->u[2] - c->p[2]};
  return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

/* G~ and the step in the scaled variables. */
typedef struct linearization {
  lanes g[3][3]; /* on and above the diagonal */
  lanes h[3];
} linearization;

/* Without the De Saxce term. In slide, in the frame (e0, t, b) of z: G~ = g [1 1; 1 1] and G_b
 * across; in stick 1 / R~, in separation nothing. */
INLINE void linearize_flat(const scaled* c, linearization* out) {
  lanes zero = lanes_spread(0), one = lanes_spread(1);
  lanes t0 = c->z[1] * c->inv_zt, t1 = c->z[2] * c->inv_zt, half = 0.5 * c->inv_zt;
  lanes inside = (c->zt + c->z[0]) * half, outside = lanes_max((c->zt - c->z[0]) * half, zero);
  lanes resists_n = lanes_choose(c->slide, c->Rn + c->Rt, c->Rn);
  lanes resists_t = lanes_choose(c->slide, outside + c->rho * inside * c->Rt, c->Rt);
  lanes along = one / one_unless(~c->separate, resists_n);
  lanes pivot = one / one_unless(~c->separate, resists_t), across = c->rho * inside * pivot;
  lanes r[3] = {c->p[0] - c->u[0], c->p[1] - c->u[1], c->p[2] - c->u[2]};
  lanes rt = t0 * r[1] + t1 * r[2], hb = pivot * (t0 * r[2] - t1 * r[1]), scale = along / c->rho;
  lanes ht = scale * ((1 - c->rho * c->Rn) * r[0] + (1 + c->rho * c->Rn) * rt);
  lanes h[3] = {scale * ((1 + c->rho * c->Rt) * r[0] + (1 - c->rho * c->Rt) * rt),
                t0 * ht - t1 * hb, t1 * ht + t0 * hb};
  lanes g[3] = {along, along * t0 * t0 + across * t1 * t1, along * t1 * t1 + across * t0 * t0};
  for (int a = 0; a < 3; a++) {
    lanes stiffness = lanes_choose(c->stick, a == 0 ? along : pivot, zero);
    lanes step = lanes_choose(c->stick, -c->s[a] * stiffness, -c->u[a]);
    out->g[a][a] = lanes_choose(c->slide, g[a], stiffness);
    out->h[a] = lanes_choose(c->slide, h[a], step);
  }
  out->g[0][1] = lanes_choose(c->slide, along * t0, zero);
  out->g[0][2] = lanes_choose(c->slide, along * t1, zero);
  out->g[1][2] = lanes_choose(c->slide, (along - across) * t0 * t1, zero);
}

/* The matrices in the constraints' rows: gamma = Tᵀ u with T = diag(1 / mu, 1, 1) in the order
 * (n, t1, t2). */
INLINE void turn_back(const scaled* c, linearization* x) {
  x->g[0][0] = c->inv_mu * x->g[0][0] * c->inv_mu;
  for (int a = 1; a < 3; a++) x->g[0][a] = c->inv_mu * x->g[0][a];
  x->h[0] = x->h[0] * c->inv_mu;
}

INLINE void store_one(const four* f, const linearization* x, int ld, double* G, int k) {
  double* to = G + ld * f->row[k];
  to[0] = x->g[1][1][k], to[4] = x->g[2][2][k], to[8] = x->g[0][0][k];
  to[1] = to[3] = x->g[1][2][k];
  to[2] = to[6] = x->g[0][1][k];
  to[5] = to[7] = x->g[0][2][k];
}

INLINE void store(const four* f, const linearization* x, int ld, double* G) {
  FOR_EACH_CONTACT(f, store_one, f, x, ld, G);
}

/* Contact k alone. */
INLINE cr_contact_slide take_lane(const scaled* c, int k) {
  cr_contact_slide x = {
      .rho = c->rho[k], .Rn = c->Rn[k], .Rt = c->Rt[k], .st = c->st[k], .zt = c->zt[k]};
  for (int a = 0; a < 3; a++) {
    x.s[a] = c->s[a][k], x.z[a] = c->z[a][k];
    x.p_less_u[a] = c->p[a][k] - c->u[a][k];
  }
  return x;
}

/* Those that slide, with the De Saxce term: one by one, since their matrices have no closed form
 * that is as accurate. */
static void store_coulomb(const cr_law_batch* batch, const four* f, const scaled* c, double coulomb,
                          const cr_law_linearization* out) {
  for (int k = 0; k < f->count; k++) {
    if (!c->slide[k]) continue;
    double inv[3] = {c->inv_mu[k], 1, 1}, *h = out->h + f->row[k];
    double* G = out->G_coulomb + batch->ld * f->row[k];
    static const int at[3] = {2, 0, 1};
    cr_contact_slide x = take_lane(c, k);
    cr_contact_linearize_slide(&x, coulomb);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) G[3 * at[a] + at[b]] = inv[a] * x.g[a][b] * inv[b];
    h[0] = x.h[1], h[1] = x.h[2], h[2] = x.h[0] * inv[0];
  }
}

static double linearize(const cr_law_batch* batch, const cr_law_point* point,
                        const cr_law_mode* mode, const cr_law_linearization* out) {
  double merit = 0;
  cr_law_mode here = *mode;
  here.anchor = NULL;
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    scaled c = load_scaled(&f, point, &here);
    linearization x;
    merit = add_lanes(&f, f.scale * residual2(&c), merit);
    if (mode->slides_on_surface) slide_on_surface(&c);
    linearize_flat(&c, &x);
    turn_back(&c, &x);
    store(&f, &x, batch->ld, out->G);
    scatter_rows(&f, (lanes[3]){x.h[1], x.h[2], x.h[0]}, out->h);
    if (mode->coulomb == 0) continue;
    store(&f, &x, batch->ld, out->G_coulomb);
    store_coulomb(batch, &f, &c, mode->coulomb, out);
  }
  return merit;
}

static double merit(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode) {
  double sum = 0;
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    scaled c = load_scaled(&f, point, mode);
    sum = add_lanes(&f, f.scale * residual2(&c), sum);
  }
  return sum;
}

/* --- Projection, residual, certificate ----------------------------------------------------------
 */

/* Euclidean projection on |gamma_t| <= mu gamma_n. */
INLINE void project_four(lanes mu, const lanes gamma[3], lanes out[3]) {
  lanes zero = lanes_spread(0), gt = lanes_norm2(gamma[0], gamma[1]), gn = gamma[2];
  lanes_mask inside = gt <= mu * gn, outside = ~inside & (mu * gt <= -gn);
  lanes n = (gn + mu * gt) / (1 + mu * mu), along = mu * n / one_unless(~inside & ~outside, gt);
  lanes on[3] = {along * gamma[0], along * gamma[1], n};
  for (int k = 0; k < 3; k++)
    out[k] = lanes_choose(inside, gamma[k], lanes_choose(outside, zero, on[k]));
}

static void project(const cr_law_batch* batch, const double* gamma, double* projected) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    lanes from[3], to[3];
    gather_rows(&f, gamma, from);
    project_four(f.mu, from, to);
    scatter_rows(&f, to, projected);
  }
}

static double residual(const cr_law_batch* batch, const cr_law_point* point,
                       const cr_law_mode* mode, const double* rho, double* projected) {
  double sum = 0;
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    contacts c = load(&f, point);
    lanes s[3] = {c.d[0] + c.Rt * c.gamma[0], c.d[1] + c.Rt * c.gamma[1],
                  c.d[2] + c.Rn * c.gamma[2]};
    if (mode->shift) s[2] += gather(&f, mode->shift, 2);
    if (mode->coulomb > 0) s[2] += mode->coulomb * f.mu * lanes_norm2(s[0], s[1]);
    lanes z[3], p[3], weight = gather(&f, rho, 0), norm2 = lanes_spread(0);
    for (int k = 0; k < 3; k++) z[k] = c.gamma[k] - weight * s[k];
    project_four(f.mu, z, p);
    if (projected) scatter_rows(&f, p, projected);
    for (int k = 0; k < 3; k++) norm2 += (c.gamma[k] - p[k]) * (c.gamma[k] - p[k]);
    sum = add_lanes(&f, norm2, sum);
  }
  return sum;
}

/* The gap of contacts without any regularisation: gammaᵀ d where d is in the dual cone. */
INLINE lanes find_rigid_gap(const four* f, const contacts* c) {
  lanes_mask outside = f->mu * lanes_norm2(c->d[0], c->d[1]) > c->d[2];
  lanes work = c->gamma[0] * c->d[0] + c->gamma[1] * c->d[1] + c->gamma[2] * c->d[2];
  return lanes_choose(outside, lanes_spread(INFINITY), work);
}

/* gammaᵀ (R P + d) with P of the inverse dynamics (gap.h): nothing in stick, gammaᵀ d where P = 0,
 * and in slide, where the size of the tangential part of R P + d is
 *
 *   m = (R_n |d_t| + mu R_t d_n) / (R_n + mu² R_t)  along d_t,
 *
 * m times what gamma lags behind P's direction. */
INLINE lanes find_work(const four* f, const contacts* c) {
  lanes zero = lanes_spread(0), mu = f->mu, dt = lanes_norm2(c->d[0], c->d[1]);
  lanes gt = lanes_norm2(c->gamma[0], c->gamma[1]);
  lanes_mask separate = c->d[2] >= mu * dt, moves = dt > 0, pulls = gt > 0;
  lanes m = c->Rn * dt + mu * c->Rt * c->d[2], softness = c->Rn + mu * mu * c->Rt;
  lanes_mask slide = ~separate & (m > 0);
  lanes slack = mu * c->gamma[2] - gt, off = lanes_spread(0), along = gt / one_unless(moves, dt);
  for (int k = 0; k < 2; k++) {
    lanes turn = c->gamma[k] + along * c->d[k];
    off += turn * turn;
  }
  slack = lanes_choose(slack > CR_CONE_ULPS * 0x1p-52 * gt, slack, zero);
  lanes excess = slack + 0.5 * off / one_unless(pulls, gt);
  lanes work = c->gamma[0] * c->d[0] + c->gamma[1] * c->d[1] + c->gamma[2] * c->d[2];
  lanes sliding = lanes_choose(slide, m / one_unless(slide, softness) * excess, zero);
  return lanes_choose(separate, work, sliding);
}

static double gap(const cr_law_batch* batch, const cr_law_point* point) {
  double sum = 0;
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    contacts c = load(&f, point);
    lanes P[3], R[3] = {c.Rt, c.Rt, c.Rn}, part = find_work(&f, &c);
    lanes_mask rigid = c.Rn + f.mu * f.mu * c.Rt <= 0;
    invert(&f, &c, P);
    for (int k = 0; k < 3; k++) {
      lanes e = c.gamma[k] - P[k];
      part += 0.5 * R[k] * e * e;
    }
    sum = add_lanes(&f, lanes_choose(rigid, find_rigid_gap(&f, &c), part), sum);
  }
  return sum;
}

#include "problem/contact_interior_lanes.h"

static const cr_contact_lanes contact_table = {.evaluate = evaluate,
                                               .linearize = linearize,
                                               .merit = merit,
                                               .project = project,
                                               .residual = residual,
                                               .gap = gap,
                                               .interior_linearize = interior_linearize,
                                               .interior_complete = interior_complete,
                                               .interior_longest_step = interior_longest_step,
                                               .interior_recenter = interior_recenter};

#endif
