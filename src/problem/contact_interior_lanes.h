/* Directions of the interior-point solver for contacts, part of contact_lanes_template.h.
 *
 * W² du + ds = W (lambda \ rc) and ds = dx + R~ du - (s - s(u)) give du = h - G dx with G = (R~ +
 * W²)^-1, whose closed form has no cancellation. */
#ifndef CR_PROBLEM_CONTACT_INTERIOR_LANES_H
#define CR_PROBLEM_CONTACT_INTERIOR_LANES_H

#include "problem/cone_lanes.h"
#include "problem/contact_interior.h"

/* Element `at` of what each contact has, `size` numbers for each row. */
INLINE lanes gather_sized(const four* f, const double* x, int size, int at) {
  const double* from = x + at;
  return (lanes){from[size * f->row[0]], from[size * f->row[1]], from[size * f->row[2]],
                 from[size * f->row[3]]};
}

/* A part of each contact's state. */
INLINE cone_lanes gather_part(const four* f, const double* state, int part) {
  const int size = CR_LAW_INTERIOR_SIZE;
  return (cone_lanes){{gather_sized(f, state, size, part), gather_sized(f, state, size, part + 1),
                       gather_sized(f, state, size, part + 2)}};
}

INLINE void scatter_part_of(const four* f, const cone_lanes* c, int part, double* state, int k) {
  double* to = state + CR_LAW_INTERIOR_SIZE * f->row[k] + part;
  to[0] = c->x[0][k], to[1] = c->x[1][k], to[2] = c->x[2][k];
}

INLINE void scatter_part(const four* f, const cone_lanes* c, int part, double* state) {
  FOR_EACH_CONTACT(f, scatter_part_of, f, c, part, state);
}

INLINE void scatter_b_of(const four* f, lanes b, double* state, int k) {
  state[CR_LAW_INTERIOR_SIZE * f->row[k] + CR_CONTACT_B] = b[k];
}

INLINE void scatter_scaling(const four* f, const cone_lanes_scaling* scaling, double* state) {
  scatter_part(f, &scaling->v, CR_CONTACT_V, state);
  FOR_EACH_CONTACT(f, scatter_b_of, f, scaling->b, state);
}

/* That of the last linearisation, but for w. */
INLINE cone_lanes_scaling gather_scaling(const four* f, const double* state) {
  return (cone_lanes_scaling){.v = gather_part(f, state, CR_CONTACT_V),
                              .b = gather_sized(f, state, CR_LAW_INTERIOR_SIZE, CR_CONTACT_B)};
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
INLINE cone_lanes compute_pull(const cone_lanes_scaling* scaling, const cone_lanes* u,
                               const cone_lanes* du, const cone_lanes* ds, double target) {
  cone_lanes lambda = cone_lanes_apply(scaling, *u), rc = cone_lanes_product(lambda, lambda);
  for (int k = 0; k < 3; k++) rc.x[k] = -rc.x[k];
  rc.x[0] += target;
  if (du) {
    cone_lanes second =
        cone_lanes_product(cone_lanes_apply(scaling, *du), cone_lanes_apply_inverse(scaling, *ds));
    for (int k = 0; k < 3; k++) rc.x[k] -= second.x[k];
  }
  return cone_lanes_apply(scaling, cone_lanes_divide(lambda, rc));
}

/* G = (R~ + W²)^-1 in the frame (e0, along w1, across), then in the contacts' rows. */
INLINE void compute_resistance(const four* f, const cr_law_point* point,
                               const cone_lanes_scaling* scaling, linearization* x) {
  lanes one = lanes_spread(1), zero = lanes_spread(0), inv_mu = 1 / f->mu;
  lanes Rn = gather(f, point->R, 2) * inv_mu * inv_mu, Rt = gather(f, point->R, 0);
  lanes b2 = scaling->b * scaling->b, tail = cone_lanes_tail(scaling->w), w0 = scaling->w.x[0];
  lanes c = b2 * (w0 * w0 + tail * tail), s = 2 * b2 * w0 * tail;
  lanes size = one_unless(tail > 0, tail);
  lanes t0 = lanes_choose(tail > 0, scaling->w.x[1] / size, one);
  lanes t1 = lanes_choose(tail > 0, scaling->w.x[2] / size, zero);
  lanes det = 1 / (Rn * Rt + c * (Rn + Rt) + b2 * b2);
  lanes g0t = -s * det, gtt = (Rn + c) * det, gbb = 1 / (Rt + b2);
  x->g[0][0] = inv_mu * (Rt + c) * det * inv_mu;
  x->g[0][1] = inv_mu * g0t * t0;
  x->g[0][2] = inv_mu * g0t * t1;
  x->g[1][1] = gtt * t0 * t0 + gbb * t1 * t1;
  x->g[2][2] = gtt * t1 * t1 + gbb * t0 * t0;
  x->g[1][2] = (gtt - gbb) * t0 * t1;
}

/* G of the last linearisation. */
INLINE void gather_resistance(const four* f, const double* G, int room, linearization* x) {
  x->g[1][1] = gather_sized(f, G, room, 0), x->g[1][2] = gather_sized(f, G, room, 1);
  x->g[0][1] = gather_sized(f, G, room, 2), x->g[2][2] = gather_sized(f, G, room, 4);
  x->g[0][2] = gather_sized(f, G, room, 5), x->g[0][0] = gather_sized(f, G, room, 8);
}

/* W² x */
INLINE cone_lanes apply_squared(const cone_lanes_scaling* scaling, cone_lanes x) {
  return cone_lanes_apply(scaling, cone_lanes_apply(scaling, x));
}

/* h = G right, in the contacts' rows. */
INLINE void multiply_resistance(const four* f, const cone_lanes* right, linearization* x) {
  lanes r[3] = {f->mu * right->x[0], right->x[1], right->x[2]};
  x->h[0] = x->g[0][0] * r[0] + x->g[0][1] * r[1] + x->g[0][2] * r[2];
  x->h[1] = x->g[0][1] * r[0] + x->g[1][1] * r[1] + x->g[1][2] * r[2];
  x->h[2] = x->g[0][2] * r[0] + x->g[1][2] * r[1] + x->g[2][2] * r[2];
}

static void interior_linearize(const cr_law_batch* batch, const cr_law_point* point,
                               const double* shift, double target, bool corrector, double* state,
                               double* G, double* h) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    cone_lanes u = gather_part(&f, state, CR_CONTACT_U), s = gather_part(&f, state, CR_CONTACT_S);
    cone_lanes pull, right, slack = compute_slack(&f, point, shift, &u);
    linearization x;
    if (corrector) {
      cone_lanes_scaling scaling = gather_scaling(&f, state);
      cone_lanes du = gather_part(&f, state, CR_CONTACT_DU);
      cone_lanes ds = gather_part(&f, state, CR_CONTACT_DS);
      pull = compute_pull(&scaling, &u, &du, &ds, target);
      gather_resistance(&f, G, batch->room, &x);
    } else {
      cone_lanes_scaling scaling = cone_lanes_compute_scaling(u, s);
      pull = compute_pull(&scaling, &u, NULL, NULL, target);
      compute_resistance(&f, point, &scaling, &x);
      store(&f, &x, batch->room, G);
      scatter_scaling(&f, &scaling, state);
    }
    for (int k = 0; k < 3; k++) right.x[k] = pull.x[k] + s.x[k] - slack.x[k];
    multiply_resistance(&f, &right, &x);
    scatter_rows(&f, (lanes[3]){x.h[1], x.h[2], x.h[0]}, h);
    scatter_part(&f, &pull, CR_CONTACT_DS, state); /* completed below: ds = pull - W² du */
  }
}

/* W (lambda \ t) for the products (lambda + alpha W du) ∘ (lambda + alpha W^-1 ds), where t takes
 * them into the range. */
INLINE cone_lanes compute_centering(const cone_lanes_scaling* scaling, const cone_lanes* u,
                                    const cone_lanes* du, const cone_lanes* ds, double alpha,
                                    cr_law_range range) {
  cone_lanes lambda = cone_lanes_apply(scaling, *u), a = cone_lanes_apply(scaling, *du);
  cone_lanes b = cone_lanes_apply_inverse(scaling, *ds);
  for (int k = 0; k < 3; k++) {
    a.x[k] = lambda.x[k] + alpha * a.x[k];
    b.x[k] = lambda.x[k] + alpha * b.x[k];
  }
  cone_lanes t = cone_lanes_pull(cone_lanes_product(a, b), range);
  return cone_lanes_apply(scaling, cone_lanes_divide(lambda, t));
}

static void interior_recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                              const double* G, double* state, double* h) {
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    cone_lanes_scaling scaling = gather_scaling(&f, state);
    cone_lanes u = gather_part(&f, state, CR_CONTACT_U);
    cone_lanes du = gather_part(&f, state, CR_CONTACT_DU);
    cone_lanes ds = gather_part(&f, state, CR_CONTACT_DS);
    cone_lanes more = compute_centering(&scaling, &u, &du, &ds, alpha, products);
    cone_lanes pull = apply_squared(&scaling, du);
    for (int k = 0; k < 3; k++) pull.x[k] += ds.x[k] + more.x[k];
    linearization x;
    lanes sum[3];
    gather_resistance(&f, G, batch->room, &x);
    multiply_resistance(&f, &more, &x);
    gather_rows(&f, h, sum);
    sum[0] += x.h[1], sum[1] += x.h[2], sum[2] += x.h[0];
    scatter_rows(&f, sum, h);
    scatter_part(&f, &pull, CR_CONTACT_DS, state);
  }
}

INLINE double find_least(const four* f, lanes x, double least) {
  for (int k = 0; k < f->count; k++) least = x[k] < least ? x[k] : least;
  return least;
}

static double interior_complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                                const double* h, double* state) {
  double longest = INFINITY;
  for (int i = 0; i < batch->count; i += LANES) {
    four f = find_four(batch, i);
    lanes dv[3], gamma[3];
    linearization x;
    gather_rows(&f, dv_c, dv);
    gather_rows(&f, h, gamma);
    gather_resistance(&f, G, batch->room, &x);
    gamma[0] -= x.g[1][1] * dv[0] + x.g[1][2] * dv[1] + x.g[0][1] * dv[2];
    gamma[1] -= x.g[1][2] * dv[0] + x.g[2][2] * dv[1] + x.g[0][2] * dv[2];
    gamma[2] -= x.g[0][1] * dv[0] + x.g[0][2] * dv[1] + x.g[0][0] * dv[2];
    cone_lanes du = {{f.mu * gamma[2], gamma[0], gamma[1]}};
    cone_lanes ds = gather_part(&f, state, CR_CONTACT_DS);
    cone_lanes_scaling scaling = gather_scaling(&f, state);
    cone_lanes pull = apply_squared(&scaling, du);
    for (int k = 0; k < 3; k++) ds.x[k] -= pull.x[k];
    lanes u = cone_lanes_longest_step(gather_part(&f, state, CR_CONTACT_U), du);
    lanes s = cone_lanes_longest_step(gather_part(&f, state, CR_CONTACT_S), ds);
    longest = find_least(&f, s, find_least(&f, u, longest));
    scatter_part(&f, &du, CR_CONTACT_DU, state);
    scatter_part(&f, &ds, CR_CONTACT_DS, state);
  }
  return longest;
}

#endif
