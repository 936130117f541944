/* Directions of the interior-point solver for contacts, part of contact_lanes_template.h.
 *
 * W² du + ds = W (lambda \ rc) and ds = dx + R~ du - (s - s(u)) give (R~ + W²) du = W (lambda \ rc)
 * + s - s(u) - dx. That is solved in the scaling's frame: near the cone's surface what keeps u and
 * s inside is as small as mu / |s| and mu / |u|, and G = (R~ + W²)^-1 in the rows, whose elements
 * are as large as 1 / R, would leave none of its digits. */
#ifndef CR_PROBLEM_CONTACT_INTERIOR_LANES_H
#define CR_PROBLEM_CONTACT_INTERIOR_LANES_H

#include "problem/cone_lanes.h"
#include "problem/contact_interior.h"

/* Four numbers of each contact's state. */
INLINE void gather_block(const four* f, const double* state, int at, lanes out[4]) {
  lanes x[4];
  for (int k = 0; k < LANES; k++) x[k] = lanes_load(state + f->state_size * f->row[k] + at);
  lanes_transpose(x, out);
}

/* Lanes without a contact write what the last one does. */
INLINE void scatter_block(const four* f, const lanes x[4], int at, double* state) {
  lanes y[4];
  lanes_transpose(x, y);
  for (int k = 0; k < LANES; k++) lanes_store(state + f->state_size * f->row[k] + at, y[k]);
}

INLINE lanes gather_one(const four* f, const double* state, int at) {
  const int size = f->state_size;
  const double* from = state + at;
  return (lanes){from[size * f->row[0]], from[size * f->row[1]], from[size * f->row[2]],
                 from[size * f->row[3]]};
}

INLINE void scatter_one(const four* f, lanes x, int at, double* state) {
  for (int k = 0; k < LANES; k++) state[f->state_size * f->row[k] + at] = x[k];
}

/* A point, its slack and the direction. */
typedef struct place {
  cone_lanes u, s, du, ds;
} place;

_Static_assert(CR_CONTACT_U == 0 && CR_CONTACT_S == 3 && CR_CONTACT_DU == 6 && CR_CONTACT_DS == 9,
               "a place is twelve numbers one after the other");

INLINE place gather_place(const four* f, const double* state) {
  lanes x[3][4];
  for (int k = 0; k < 3; k++) gather_block(f, state, CR_CONTACT_U + 4 * k, x[k]);
  return (place){.u = {{x[0][0], x[0][1], x[0][2]}},
                 .s = {{x[0][3], x[1][0], x[1][1]}},
                 .du = {{x[1][2], x[1][3], x[2][0]}},
                 .ds = {{x[2][1], x[2][2], x[2][3]}}};
}

/* The same with all but the slack in the frame. */
INLINE place gather_framed(const four* f, const cone_lanes_scaling* scaling, const double* state) {
  place x = gather_place(f, state);
  x.u = cone_lanes_to_frame(scaling, x.u);
  x.du = cone_lanes_to_frame(scaling, x.du), x.ds = cone_lanes_to_frame(scaling, x.ds);
  return x;
}

INLINE void scatter_direction(const four* f, const cone_lanes* du, const cone_lanes* ds,
                              double* state) {
  lanes x[4] = {du->x[0], du->x[1], du->x[2], ds->x[0]};
  scatter_block(f, x, CR_CONTACT_DU, state);
  scatter_one(f, ds->x[1], CR_CONTACT_DS + 1, state);
  scatter_one(f, ds->x[2], CR_CONTACT_DS + 2, state);
}

/* What stays while directions are sought: W, R~ and s - s(u). */
typedef struct setting {
  cone_lanes_scaling scaling;
  cone_lanes gap;
  lanes Rn, Rt;
} setting;

INLINE void scatter_setting(const four* f, const setting* x, double* state) {
  const cone_lanes_scaling* w = &x->scaling;
  lanes first[4] = {w->b, w->stretch, w->axis[0], w->axis[1]};
  lanes second[4] = {x->Rn, x->Rt, x->gap.x[0], x->gap.x[1]};
  scatter_block(f, first, CR_CONTACT_SETTING, state);
  scatter_block(f, second, CR_CONTACT_SETTING + 4, state);
  scatter_one(f, x->gap.x[2], CR_CONTACT_SETTING + 8, state);
}

/* That of the last linearisation. */
INLINE setting gather_setting(const four* f, const double* state) {
  lanes a[4], b[4], last = gather_one(f, state, CR_CONTACT_SETTING + 8);
  gather_block(f, state, CR_CONTACT_SETTING, a);
  gather_block(f, state, CR_CONTACT_SETTING + 4, b);
  return (setting){.scaling = {.b = a[0], .stretch = a[1], .axis = {a[2], a[3]}},
                   .gap = {{b[2], b[3], last}},
                   .Rn = b[0],
                   .Rt = b[1]};
}

/* The slack that v_c and u ask for. */
INLINE cone_lanes compute_slack(const four* f, const cr_law_point* point, const double* shift,
                                const cone_lanes* u) {
  cr_law_point at = *point;
  at.gamma = NULL;
  contacts c = load(f, &at);
  lanes dn = shift ? c.d[2] + gather(f, shift, 2) : c.d[2], inv_mu = 1 / f->mu;
  return (cone_lanes){
      {inv_mu * (dn + inv_mu * c.Rn * u->x[0]), c.d[0] + c.Rt * u->x[1], c.d[1] + c.Rt * u->x[2]}};
}

/* W (lambda \ rc) with rc = target e - lambda ∘ lambda - (W du) ∘ (W^-1 ds), the last where there
 * is a direction. */
INLINE cone_lanes compute_pull(const cone_lanes_scaling* scaling, cone_lanes u,
                               const cone_lanes* du, const cone_lanes* ds, double target) {
  cone_lanes lambda = cone_lanes_apply(scaling, u), rc = cone_lanes_product(lambda, lambda);
  for (int k = 0; k < 3; k++) rc.x[k] = -rc.x[k];
  rc.x[0] += target, rc.x[1] += target;
  if (du) {
    cone_lanes second =
        cone_lanes_product(cone_lanes_apply(scaling, *du), cone_lanes_apply_inverse(scaling, *ds));
    for (int k = 0; k < 3; k++) rc.x[k] -= second.x[k];
  }
  return cone_lanes_apply(scaling, cone_lanes_divide(lambda, rc));
}

/* Eigenvalues of W². */
INLINE cone_lanes square(const cone_lanes_scaling* scaling) {
  lanes b2 = scaling->b * scaling->b, k2 = scaling->stretch * scaling->stretch;
  return (cone_lanes){{b2 * k2, b2 / k2, b2}};
}

/* (R~ + W²)^-1 right, in the frame. */
INLINE cone_lanes solve_own(const setting* x, cone_lanes right) {
  cone_lanes w = square(&x->scaling);
  lanes mean = 0.5 * (x->Rn + x->Rt), half = 0.5 * (x->Rn - x->Rt);
  lanes inverse = 1 / (x->Rn * x->Rt + mean * (w.x[0] + w.x[1]) + w.x[2] * w.x[2]);
  return (cone_lanes){{((mean + w.x[1]) * right.x[0] - half * right.x[1]) * inverse,
                       ((mean + w.x[0]) * right.x[1] - half * right.x[0]) * inverse,
                       right.x[2] / (x->Rt + w.x[2])}};
}

/* W² x, in the frame. */
INLINE cone_lanes apply_squared(const cone_lanes_scaling* scaling, cone_lanes x) {
  cone_lanes w = square(scaling);
  return (cone_lanes){{w.x[0] * x.x[0], w.x[1] * x.x[1], w.x[2] * x.x[2]}};
}

/* G = (R~ + W²)^-1 in the contacts' rows. */
INLINE void compute_resistance(const four* f, const setting* x, linearization* out) {
  cone_lanes w = square(&x->scaling);
  lanes c = 0.5 * (w.x[0] + w.x[1]), s = 0.5 * (w.x[0] - w.x[1]), inv_mu = 1 / f->mu;
  lanes det = 1 / (x->Rn * x->Rt + c * (x->Rn + x->Rt) + w.x[2] * w.x[2]);
  lanes g0t = -s * det, gtt = (x->Rn + c) * det, gbb = 1 / (x->Rt + w.x[2]);
  lanes t0 = x->scaling.axis[0], t1 = x->scaling.axis[1];
  out->g[0][0] = inv_mu * (x->Rt + c) * det * inv_mu;
  out->g[0][1] = inv_mu * g0t * t0;
  out->g[0][2] = inv_mu * g0t * t1;
  out->g[1][1] = gtt * t0 * t0 + gbb * t1 * t1;
  out->g[2][2] = gtt * t1 * t1 + gbb * t0 * t0;
  out->g[1][2] = (gtt - gbb) * t0 * t1;
}

/* u of the frame as impulses of the contacts' rows. */
INLINE void find_impulses(const four* f, const setting* x, cone_lanes u, lanes gamma[3]) {
  u = cone_lanes_from_frame(&x->scaling, u);
  gamma[0] = u.x[1], gamma[1] = u.x[2], gamma[2] = u.x[0] / f->mu;
}

/* Asks for W² du + ds = pull: h, and the right-hand sides that interior_complete() finds. */
INLINE void ask(const four* f, const setting* x, cone_lanes pull, double* state, double* h) {
  cone_lanes right;
  lanes gamma[3];
  for (int k = 0; k < 3; k++) right.x[k] = pull.x[k] + x->gap.x[k];
  find_impulses(f, x, solve_own(x, right), gamma);
  scatter_rows(f, gamma, h);
  scatter_direction(f, &right, &pull, state);
}

static void interior_linearize(const cr_law_batch* batch, const cr_law_point* point,
                               const double* shift, double target, bool corrector, double* state,
                               double* G, double* h) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    cone_lanes pull;
    setting x;
    if (corrector) {
      x = gather_setting(&f, state);
      place at = gather_framed(&f, &x.scaling, state);
      pull = compute_pull(&x.scaling, at.u, &at.du, &at.ds, target);
    } else {
      place at = gather_place(&f, state);
      cone_lanes slack = compute_slack(&f, point, shift, &at.u), gap;
      lanes inv_mu = 1 / f.mu;
      for (int k = 0; k < 3; k++) gap.x[k] = at.s.x[k] - slack.x[k];
      x.scaling = cone_lanes_compute_scaling(at.u, at.s);
      x.gap = cone_lanes_to_frame(&x.scaling, gap);
      x.Rn = gather(&f, point->R, 2) * inv_mu * inv_mu, x.Rt = gather(&f, point->R, 0);
      pull = compute_pull(&x.scaling, cone_lanes_to_frame(&x.scaling, at.u), NULL, NULL, target);
      linearization matrix;
      compute_resistance(&f, &x, &matrix);
      store(&f, &matrix, batch->ld, G);
      scatter_setting(&f, &x, state);
    }
    ask(&f, &x, pull, state, h);
  }
}

/* W (lambda \ t) for the products (lambda + alpha W du) ∘ (lambda + alpha W^-1 ds), where t takes
 * them into the range. */
INLINE cone_lanes compute_centering(const cone_lanes_scaling* scaling, cone_lanes u, cone_lanes du,
                                    cone_lanes ds, double alpha, cr_law_range range) {
  cone_lanes lambda = cone_lanes_apply(scaling, u), a = cone_lanes_apply(scaling, du);
  cone_lanes b = cone_lanes_apply_inverse(scaling, ds);
  for (int k = 0; k < 3; k++) {
    a.x[k] = lambda.x[k] + alpha * a.x[k];
    b.x[k] = lambda.x[k] + alpha * b.x[k];
  }
  cone_lanes product = cone_lanes_product(a, b);
  if (cone_lanes_are_within(product, range))
    return (cone_lanes){{lanes_spread(0), lanes_spread(0), lanes_spread(0)}};
  return cone_lanes_apply(scaling, cone_lanes_divide(lambda, cone_lanes_pull(product, range)));
}

static void interior_recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                              double* state, double* h) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    setting x = gather_setting(&f, state);
    place at = gather_framed(&f, &x.scaling, state);
    cone_lanes more = compute_centering(&x.scaling, at.u, at.du, at.ds, alpha, products);
    cone_lanes pull = apply_squared(&x.scaling, at.du);
    for (int k = 0; k < 3; k++) pull.x[k] += at.ds.x[k] + more.x[k];
    ask(&f, &x, pull, state, h);
  }
}

static void interior_complete(const cr_law_batch* batch, const double* dv_c, double* state) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    setting x = gather_setting(&f, state);
    lanes dv[3];
    gather_rows(&f, dv_c, dv);
    cone_lanes dx = cone_lanes_to_frame(&x.scaling, (cone_lanes){{dv[2] / f.mu, dv[0], dv[1]}});
    place at = gather_place(&f, state);
    for (int k = 0; k < 3; k++) at.du.x[k] -= dx.x[k]; /* the right-hand side until now */
    cone_lanes du = solve_own(&x, at.du), pull = apply_squared(&x.scaling, du), ds = at.ds;
    for (int k = 0; k < 3; k++) ds.x[k] -= pull.x[k];
    du = cone_lanes_from_frame(&x.scaling, du), ds = cone_lanes_from_frame(&x.scaling, ds);
    scatter_direction(&f, &du, &ds, state);
  }
}

INLINE double find_least(const four* f, lanes x, double least) {
  for (int k = 0; k < f->count; k++) least = x[k] < least ? x[k] : least;
  return least;
}

/* Whether one of the four leaves the cone before the end of a step. */
INLINE bool leave(const cone_lanes* x, const cone_lanes* dx, double step) {
  cone_lanes end;
  for (int k = 0; k < 3; k++) end.x[k] = x->x[k] + step * dx->x[k];
  lanes_mask inside =
      (end.x[0] * end.x[0] > end.x[1] * end.x[1] + end.x[2] * end.x[2]) & (end.x[0] > 0);
  return !(inside[0] & inside[1] & inside[2] & inside[3]);
}

static double interior_longest_step(const cr_law_batch* batch, const double* state, double most) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    place at = gather_place(&f, state);
    if (leave(&at.u, &at.du, most))
      most = find_least(&f, cone_lanes_longest_step(at.u, at.du), most);
    if (leave(&at.s, &at.ds, most))
      most = find_least(&f, cone_lanes_longest_step(at.s, at.ds), most);
  }
  return most;
}

#endif
