/* Frictional contact for the interior-point solver: u = (mu gamma_n, gamma_t) and its slack s =
 * (d_n / mu, d_t) + R~ u, both inside the Lorentz cone, scaled by Nesterov and Todd.
 *
 * W² du + ds = W (lambda \ rc) and ds = dx + R~ du - (s - s(u)) give du = h - G dx with G = (R~ +
 * W²)^-1, whose closed form has no cancellation. */
#include "math/scalar.h"
#include "problem/cone.h"
#include "problem/contact_law.h"

typedef struct interior_contact {
  cone3 u, s, du, ds;
  cone_scaling scaling; /* seven doubles, recomputed at each linearisation */
} interior_contact;

#define STORED 12 /* doubles kept in the state: u, s, du, ds */

static interior_contact load(const double* state) {
  interior_contact c;
  for (int k = 0; k < 3; k++) {
    c.u.x[k] = state[k], c.s.x[k] = state[3 + k];
    c.du.x[k] = state[6 + k], c.ds.x[k] = state[9 + k];
  }
  return c;
}

static void store(const interior_contact* c, double* state) {
  for (int k = 0; k < 3; k++) {
    state[k] = c->u.x[k], state[3 + k] = c->s.x[k];
    state[6 + k] = c->du.x[k], state[9 + k] = c->ds.x[k];
  }
}

_Static_assert(STORED <= 3 * CR_LAW_INTERIOR_SIZE, "the state must fit");

/* The slack that v_c and u ask for. */
static cone3 compute_slack(const cr_law_batch* batch, const cr_law_point* point,
                           const double* shift, int i, cone3 u) {
  int r = batch->row[i];
  double mu = batch->parameter[2 * i], Rn = point->R[r + 2] / (mu * mu), Rt = point->R[r];
  double dn = point->v_c[r + 2] - point->v_hat[r + 2] + (shift ? shift[r + 2] : 0);
  return (cone3){{dn / mu + Rn * u.x[0], point->v_c[r] - point->v_hat[r] + Rt * u.x[1],
                  point->v_c[r + 1] - point->v_hat[r + 1] + Rt * u.x[2]}};
}

static void start(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                  double energy, double* state) {
  for (int i = 0; i < batch->count; i++) {
    interior_contact c = {0};
    c.s = compute_slack(batch, point, shift, i, c.u);
    double inside = cone_tail(c.s) + sqrt(energy * batch->scale[i]);
    c.s.x[0] = scalar_max(c.s.x[0], inside);
    c.u.x[0] = energy / c.s.x[0];
    store(&c, state + CR_LAW_INTERIOR_SIZE * batch->row[i]);
  }
}

static void start_near(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                       double product, double* state) {
  for (int i = 0; i < batch->count; i++) {
    const double* gamma = point->gamma + batch->row[i];
    double mu = batch->parameter[2 * i], root = sqrt(batch->scale[i]);
    cone3 u = {{mu * gamma[2], gamma[0], gamma[1]}}, z;
    cone3 s = compute_slack(batch, point, shift, i, u);
    interior_contact c = {0};
    for (int k = 0; k < 3; k++) z.x[k] = root * u.x[k] - s.x[k] / root;
    cone_split(z, product, &c.u, &c.s);
    for (int k = 0; k < 3; k++) c.u.x[k] /= root, c.s.x[k] *= root;
    store(&c, state + CR_LAW_INTERIOR_SIZE * batch->row[i]);
  }
}

/* W (lambda \ rc) with rc = target e - lambda ∘ lambda - (W du) ∘ (W^-1 ds). */
static cone3 compute_target(const interior_contact* c, double target, bool corrector) {
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

/* G = (R~ + W²)^-1 in the frame (e0, along w1, across). */
static void compute_gradient(const cone_scaling* scaling, double Rn, double Rt, double G[3][3]) {
  double b2 = scaling->b * scaling->b, tail = cone_tail(scaling->w), w0 = scaling->w.x[0];
  double c = b2 * (w0 * w0 + tail * tail), s = 2 * b2 * w0 * tail;
  double t0 = tail > 0 ? scaling->w.x[1] / tail : 1, t1 = tail > 0 ? scaling->w.x[2] / tail : 0;
  double det = 1 / (Rn * Rt + c * (Rn + Rt) + b2 * b2);
  double g00 = (Rt + c) * det, g0t = -s * det, gtt = (Rn + c) * det, gbb = 1 / (Rt + b2);
  G[0][0] = g00;
  G[0][1] = G[1][0] = g0t * t0;
  G[0][2] = G[2][0] = g0t * t1;
  G[1][1] = gtt * t0 * t0 + gbb * t1 * t1;
  G[2][2] = gtt * t1 * t1 + gbb * t0 * t0;
  G[1][2] = G[2][1] = (gtt - gbb) * t0 * t1;
}

/* Writes matrix and step in the order of the rows, gamma = Tᵀ u, T = diag(1 / mu, 1, 1). */
static void store_rows(double mu, double g[3][3], const double h[3], double* G, double* h_out) {
  static const int at[3] = {2, 0, 1};
  double scale[3] = {1 / mu, 1, 1};
  for (int a = 0; a < 3; a++) {
    h_out[at[a]] = scale[a] * h[a];
    for (int b = 0; b < 3; b++) G[3 * at[a] + at[b]] = scale[a] * g[a][b] * scale[b];
  }
}

static void linearize(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                      double target, bool corrector, double* state, double* G, double* h) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    double mu = batch->parameter[2 * i], g[3][3], step[3];
    interior_contact c = load(state + CR_LAW_INTERIOR_SIZE * r);
    c.scaling = cone_compute_scaling(c.u, c.s);
    compute_gradient(&c.scaling, point->R[r + 2] / (mu * mu), point->R[r], g);
    cone3 pull = compute_target(&c, target, corrector), right = pull;
    cone3 slack = compute_slack(batch, point, shift, i, c.u);
    for (int k = 0; k < 3; k++) right.x[k] += c.s.x[k] - slack.x[k];
    for (int k = 0; k < 3; k++)
      step[k] = g[k][0] * right.x[0] + g[k][1] * right.x[1] + g[k][2] * right.x[2];
    store_rows(mu, g, step, G + batch->room * r, h + r);
    c.ds = pull; /* completed by complete(): ds = pull - W² du */
    store(&c, state + CR_LAW_INTERIOR_SIZE * r);
  }
}

/* W² x */
static cone3 apply_squared(const cone_scaling* scaling, cone3 x) {
  return cone_apply(scaling, cone_apply(scaling, x));
}

static double complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                       const double* h, double* state) {
  double longest = INFINITY;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    double mu = batch->parameter[2 * i], dgamma[3];
    interior_contact c = load(state + CR_LAW_INTERIOR_SIZE * r);
    const double* g = G + batch->room * r;
    for (int a = 0; a < 3; a++)
      dgamma[a] =
          h[r + a] - g[3 * a] * dv_c[r] - g[3 * a + 1] * dv_c[r + 1] - g[3 * a + 2] * dv_c[r + 2];
    c.du = (cone3){{mu * dgamma[2], dgamma[0], dgamma[1]}};
    c.scaling = cone_compute_scaling(c.u, c.s);
    cone3 pull = apply_squared(&c.scaling, c.du);
    for (int k = 0; k < 3; k++) c.ds.x[k] -= pull.x[k];
    longest =
        scalar_min(longest, scalar_min(cone_longest_step(c.u, c.du), cone_longest_step(c.s, c.ds)));
    store(&c, state + CR_LAW_INTERIOR_SIZE * r);
  }
  return longest;
}

static double complementarity(const cr_law_batch* batch, const double* state, double alpha,
                              int* count) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    interior_contact c = load(state + CR_LAW_INTERIOR_SIZE * batch->row[i]);
    for (int k = 0; k < 3; k++)
      sum += (c.u.x[k] + alpha * c.du.x[k]) * (c.s.x[k] + alpha * c.ds.x[k]);
  }
  *count += batch->count;
  return sum;
}

static void move(const cr_law_batch* batch, double alpha, double* state) {
  for (int i = 0; i < batch->count; i++) {
    interior_contact c = load(state + CR_LAW_INTERIOR_SIZE * batch->row[i]);
    for (int k = 0; k < 3; k++) {
      c.u.x[k] += alpha * c.du.x[k];
      c.s.x[k] += alpha * c.ds.x[k];
    }
    store(&c, state + CR_LAW_INTERIOR_SIZE * batch->row[i]);
  }
}

static void get_gamma(const cr_law_batch* batch, const double* state, double* gamma) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    const double* u = state + CR_LAW_INTERIOR_SIZE * r;
    gamma[r] = u[1], gamma[r + 1] = u[2], gamma[r + 2] = u[0] / batch->parameter[2 * i];
  }
}

const cr_law_interior cr_contact_interior = {start,           start_near, linearize, complete,
                                             complementarity, move,       get_gamma};
