/* Friction with a given bound for the interior-point solver: u = (radius, gamma) with its first
 * entry fixed, and a slack (s0, d + R gamma) whose first entry is free; both inside the Lorentz
 * cone. */
#include "math/scalar.h"
#include "problem/cone.h"
#include "problem/disc_law.h"
#include "problem/lorentz.h"

#define LEAST_ROOM 1e-10 /* of the radius, between a start and the rim: above round-off */

typedef struct interior_disc {
  cone3 u, du, s, ds;
  cone_scaling scaling;
} interior_disc;

/* State: gamma, s, dgamma, ds: ten doubles. */
static interior_disc load(const cr_law_batch* batch, int i, const double* state) {
  const double* x = state + cr_law_find_state(batch, i);
  interior_disc c = {0};
  c.u = (cone3){{batch->parameter[2 * i], x[0], x[1]}};
  c.s = (cone3){{x[2], x[3], x[4]}};
  c.du = (cone3){{0, x[5], x[6]}};
  c.ds = (cone3){{x[7], x[8], x[9]}};
  return c;
}

static void store(const cr_law_batch* batch, int i, const interior_disc* c, double* state) {
  double* x = state + cr_law_find_state(batch, i);
  x[0] = c->u.x[1], x[1] = c->u.x[2], x[5] = c->du.x[1], x[6] = c->du.x[2];
  for (int k = 0; k < 3; k++) x[2 + k] = c->s.x[k], x[7 + k] = c->ds.x[k];
}

_Static_assert(10 <= 2 * CR_LAW_INTERIOR_LEAST, "the state must fit");

static bool is_frozen(const cr_law_batch* batch, int i) { return batch->parameter[2 * i] <= 0; }

static double slack(const cr_law_point* point, int row, double gamma) {
  return point->v_c[row] - point->v_hat[row] + point->R[row] * gamma;
}

/* The slack of u with u ∘ s = product (1, 0, 0). */
static cone3 invert(cone3 u, double product) {
  double scale = product / cone_determinant(u);
  return (cone3){{scale * u.x[0], -scale * u.x[1], -scale * u.x[2]}};
}

/* How far inside the rim is what is split; the direction is the guess's. */
static void start(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                  double product, double* state) {
  (void)shift;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    double radius = batch->parameter[2 * i], scale = batch->scale[i], z[2], inside, outside;
    interior_disc c = {.u = {{radius, 0, 0}}};
    for (int k = 0; k < 2; k++) {
      double gamma = point->gamma[r + k];
      z[k] = gamma - slack(point, r + k, gamma) / scale;
    }
    double size = scalar_norm2(z[0], z[1]);
    scalar_split(radius - size, 0.5 * product / scale, &inside, &outside);
    inside = scalar_max(inside, LEAST_ROOM * radius);
    if (size > 0 && inside < radius)
      for (int k = 0; k < 2; k++) c.u.x[1 + k] = (radius - inside) / size * z[k];
    if (!is_frozen(batch, i)) c.s = invert(c.u, product);
    store(batch, i, &c, state);
  }
}

static cone3 compute_target(const interior_disc* c, double target, bool corrector) {
  cone3 lambda = cone_apply(&c->scaling, c->u), rc = cone_product(lambda, lambda);
  for (int k = 0; k < 3; k++) rc.x[k] = -rc.x[k];
  rc.x[0] += target;
  if (corrector) {
    cone3 second =
        cone_product(cone_apply(&c->scaling, c->du), cone_apply_inverse(&c->scaling, c->ds));
    for (int k = 0; k < 3; k++) rc.x[k] -= second.x[k];
  }
  return cone_apply(&c->scaling, cone_divide(lambda, rc));
}

/* (R + W²_tt)^-1 on the two free directions: c along w1, b² across. */
static void compute_gradient(const cone_scaling* scaling, double R, double G[4]) {
  double b2 = scaling->b * scaling->b, tail = cone_tail(scaling->w), w0 = scaling->w.x[0];
  double along = 1 / (R + b2 * (w0 * w0 + tail * tail)), across = 1 / (R + b2);
  double t0 = tail > 0 ? scaling->w.x[1] / tail : 1, t1 = tail > 0 ? scaling->w.x[2] / tail : 0;
  G[0] = along * t0 * t0 + across * t1 * t1;
  G[3] = along * t1 * t1 + across * t0 * t0;
  G[1] = G[2] = (along - across) * t0 * t1;
}

static void linearize(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                      double target, bool corrector, double* state, double* G, double* h) {
  (void)shift;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    double* g = G + batch->ld * r;
    interior_disc c = load(batch, i, state);
    g[0] = g[1] = g[2] = g[3] = h[r] = h[r + 1] = 0;
    if (is_frozen(batch, i)) continue;
    c.scaling = cone_compute_scaling(c.u, c.s);
    compute_gradient(&c.scaling, point->R[r], g);
    cone3 right = compute_target(&c, target, corrector);
    double b0 = right.x[1] + c.s.x[1] - slack(point, r, c.u.x[1]);
    double b1 = right.x[2] + c.s.x[2] - slack(point, r + 1, c.u.x[2]);
    h[r] = g[0] * b0 + g[1] * b1;
    h[r + 1] = g[2] * b0 + g[3] * b1;
    c.ds = right; /* completed by complete() */
    store(batch, i, &c, state);
  }
}

static void complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                     const double* h, double* state) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    if (is_frozen(batch, i)) continue;
    interior_disc c = load(batch, i, state);
    const double* g = G + batch->ld * r;
    c.du.x[1] = h[r] - g[0] * dv_c[r] - g[1] * dv_c[r + 1];
    c.du.x[2] = h[r + 1] - g[2] * dv_c[r] - g[3] * dv_c[r + 1];
    c.scaling = cone_compute_scaling(c.u, c.s);
    cone3 pull = cone_apply(&c.scaling, cone_apply(&c.scaling, c.du));
    for (int k = 0; k < 3; k++) c.ds.x[k] -= pull.x[k];
    store(batch, i, &c, state);
  }
}

static double longest_step(const cr_law_batch* batch, const double* state, double most) {
  for (int i = 0; i < batch->count; i++) {
    if (is_frozen(batch, i)) continue;
    interior_disc c = load(batch, i, state);
    most = scalar_min(most, scalar_min(cone_longest_step(c.u, c.du), cone_longest_step(c.s, c.ds)));
  }
  return most;
}

/* W (lambda \ t) for the products (lambda + alpha W du) ∘ (lambda + alpha W^-1 ds), where t takes
 * them into the range. */
static cone3 compute_centering(const interior_disc* c, double alpha, cr_law_range range) {
  cone3 lambda = cone_apply(&c->scaling, c->u), a = cone_apply(&c->scaling, c->du);
  cone3 b = cone_apply_inverse(&c->scaling, c->ds);
  for (int k = 0; k < 3; k++) {
    a.x[k] = lambda.x[k] + alpha * a.x[k];
    b.x[k] = lambda.x[k] + alpha * b.x[k];
  }
  return cone_apply(&c->scaling, cone_divide(lambda, cone_pull(cone_product(a, b), range)));
}

static void recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                     const double* G, double* state, double* h) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    if (is_frozen(batch, i)) continue;
    const double* g = G + batch->ld * r;
    interior_disc c = load(batch, i, state);
    c.scaling = cone_compute_scaling(c.u, c.s);
    cone3 more = compute_centering(&c, alpha, products);
    cone3 pull = cone_apply(&c.scaling, cone_apply(&c.scaling, c.du));
    for (int k = 0; k < 3; k++) c.ds.x[k] += pull.x[k] + more.x[k];
    h[r] += g[0] * more.x[1] + g[1] * more.x[2];
    h[r + 1] += g[2] * more.x[1] + g[3] * more.x[2];
    store(batch, i, &c, state);
  }
}

static double complementarity(const cr_law_batch* batch, const double* state, double alpha,
                              int* count) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    if (is_frozen(batch, i)) continue;
    interior_disc c = load(batch, i, state);
    for (int k = 0; k < 3; k++)
      sum += (c.u.x[k] + alpha * c.du.x[k]) * (c.s.x[k] + alpha * c.ds.x[k]);
    ++*count;
  }
  return sum;
}

static void move(const cr_law_batch* batch, double alpha, double* state) {
  for (int i = 0; i < batch->count; i++) {
    if (is_frozen(batch, i)) continue;
    interior_disc c = load(batch, i, state);
    for (int k = 0; k < 3; k++) {
      c.u.x[k] += alpha * c.du.x[k];
      c.s.x[k] += alpha * c.ds.x[k];
    }
    store(batch, i, &c, state);
  }
}

/* The radius stays. */
static bool lift(const cr_law_batch* batch, double least, double* state) {
  bool any = false;
  for (int i = 0; i < batch->count; i++) {
    if (is_frozen(batch, i)) continue;
    interior_disc c = load(batch, i, state);
    if (!lorentz_lift(c.u.x, c.s.x, 3, batch->scale[i], least)) continue;
    any = true;
    for (int k = 1; k < 3; k++) c.u.x[k] *= batch->parameter[2 * i] / c.u.x[0];
    store(batch, i, &c, state);
  }
  return any;
}

static void get_gamma(const cr_law_batch* batch, const double* state, double* gamma) {
  for (int i = 0; i < batch->count; i++)
    for (int k = 0; k < 2; k++) gamma[batch->row[i] + k] = state[cr_law_find_state(batch, i) + k];
}

const cr_law_interior cr_disc_interior = {
    start, linearize, complete, longest_step, recenter, complementarity, move, lift, get_gamma};
