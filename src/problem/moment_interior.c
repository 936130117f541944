/* Contacts with moments for the interior-point solver: contact_interior.c in four or six
 * dimensions, R differing from row to row.
 *
 * G = (R~ + W²)^-1 = W^-1 (1 + W^-1 R~ W^-1)^-1 W^-1, whose middle factor is never small. */
#include "math/scalar.h"
#include "problem/lorentz.h"
#include "problem/moment_law.h"

#include <string.h>

/* A constraint's state: four vectors, the normal first. */
typedef struct interior_moment {
  double *u, *s, *du, *ds;
} interior_moment;

_Static_assert(4 <= CR_LAW_INTERIOR_SIZE, "the state must fit");

static interior_moment load(const cr_law_batch* batch, int i, const double* state) {
  double* x = (double*)state + CR_LAW_INTERIOR_SIZE * batch->row[i];
  int n = batch->rows;
  return (interior_moment){x, x + n, x + 2 * n, x + 3 * n};
}

/* Row of the constraint at place k of a scaled vector. */
static int row_at(const cr_law_batch* batch, int i, int k) {
  return batch->row[i] + (k == 0 ? batch->rows - 1 : k - 1);
}

/* Elements of R~, and of gamma = T u. */
static double scaled_R(const cr_law_batch* batch, const cr_law_point* point, int i, int k) {
  double mu = batch->parameter[2 * i], R = point->R[row_at(batch, i, k)];
  return k == 0 ? R / (mu * mu) : R;
}

static double scale_of(const cr_law_batch* batch, int i, int k) {
  return k == 0 ? 1 / batch->parameter[2 * i] : 1;
}

/* The slack that v_c and u ask for. */
static void compute_slack(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                          int i, const double* u, double* s) {
  for (int k = 0; k < batch->rows; k++) {
    int r = row_at(batch, i, k);
    double d = point->v_c[r] - point->v_hat[r] + (shift ? shift[r] : 0);
    s[k] = scale_of(batch, i, k) * d + scaled_R(batch, point, i, k) * u[k];
  }
}

static void start(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                  double product, double* state) {
  int n = batch->rows;
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    double root = sqrt(batch->scale[i]), z[SMALL_MAX] = {0};
    memset(c.u, 0, sizeof(double) * 4 * (size_t)n);
    for (int k = 0; k < n; k++) c.u[k] = point->gamma[row_at(batch, i, k)] / scale_of(batch, i, k);
    compute_slack(batch, point, shift, i, c.u, c.s);
    for (int k = 0; k < n; k++) z[k] = root * c.u[k] - c.s[k] / root;
    lorentz_split(z, product, n, c.u, c.s);
    for (int k = 0; k < n; k++) c.u[k] /= root, c.s[k] *= root;
  }
}

/* W (lambda \ rc) with rc = target e - lambda ∘ lambda - (W du) ∘ (W^-1 ds). */
static void compute_target(const interior_moment* c, const lorentz_scaling* scaling, double target,
                           bool corrector, double* out) {
  int n = scaling->n;
  double lambda[SMALL_MAX] = {0}, rc[SMALL_MAX], a[SMALL_MAX] = {0}, b[SMALL_MAX];
  lorentz_apply(scaling->W, c->u, n, lambda);
  lorentz_multiply(lambda, lambda, n, rc);
  for (int k = 0; k < n; k++) rc[k] = -rc[k];
  rc[0] += target;
  if (corrector) {
    lorentz_apply(scaling->W, c->du, n, a);
    lorentz_apply(scaling->inverse, c->ds, n, b);
    lorentz_multiply(a, b, n, a);
    for (int k = 0; k < n; k++) rc[k] -= a[k];
  }
  lorentz_divide(lambda, rc, n, a);
  lorentz_apply(scaling->W, a, n, out);
}

/* G in scaled variables. */
static void compute_gradient(const lorentz_scaling* scaling, const double* R, double* G) {
  int n = scaling->n;
  const double* V = scaling->inverse;
  double X[SMALL_MAX * SMALL_MAX], Y[SMALL_MAX * SMALL_MAX];
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      X[n * a + b] = a == b;
      Y[n * a + b] = V[n * a + b];
      for (int k = 0; k < n; k++) X[n * a + b] += V[n * a + k] * R[k] * V[n * k + b];
    }
  small_solve(X, n, Y, n);
  for (int a = 0; a < n; a++)
    for (int b = a; b < n; b++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += V[n * a + k] * Y[n * k + b];
      G[n * a + b] = G[n * b + a] = sum;
    }
}

/* Writes matrix and step in the order of the rows. */
static void store_rows(const cr_law_batch* batch, int i, const double* g, const double* step,
                       double* G, double* h) {
  int n = batch->rows, first = batch->row[i];
  for (int a = 0; a < n; a++) {
    int r = row_at(batch, i, a);
    h[r] = scale_of(batch, i, a) * step[a];
    for (int b = 0; b < n; b++)
      G[n * (r - first) + row_at(batch, i, b) - first] =
          scale_of(batch, i, a) * g[n * a + b] * scale_of(batch, i, b);
  }
}

static void linearize(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                      double target, bool corrector, double* state, double* G, double* h) {
  int n = batch->rows;
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    lorentz_scaling scaling;
    double pull[SMALL_MAX], right[SMALL_MAX], R[SMALL_MAX] = {0}, step[SMALL_MAX] = {0};
    double g[SMALL_MAX * SMALL_MAX] = {0};
    lorentz_compute_scaling(c.u, c.s, n, &scaling);
    for (int k = 0; k < n; k++) R[k] = scaled_R(batch, point, i, k);
    compute_gradient(&scaling, R, g);
    compute_target(&c, &scaling, target, corrector, pull);
    compute_slack(batch, point, shift, i, c.u, right);
    for (int k = 0; k < n; k++) right[k] = pull[k] + c.s[k] - right[k];
    lorentz_apply(g, right, n, step);
    store_rows(batch, i, g, step, G + batch->room * batch->row[i], h);
    memcpy(c.ds, pull, sizeof(double) * (size_t)n); /* completed by complete() */
  }
}

/* ds = pull - W² du. */
static void complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                     const double* h, double* state) {
  int n = batch->rows;
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    lorentz_scaling scaling;
    double once[SMALL_MAX], twice[SMALL_MAX];
    int first = batch->row[i];
    for (int k = 0; k < n; k++) {
      int r = row_at(batch, i, k);
      double d = h[r];
      for (int b = 0; b < n; b++)
        d -= G[batch->room * first + n * (r - first) + b] * dv_c[first + b];
      c.du[k] = d / scale_of(batch, i, k);
    }
    lorentz_compute_scaling(c.u, c.s, n, &scaling);
    lorentz_apply(scaling.W, c.du, n, once);
    lorentz_apply(scaling.W, once, n, twice);
    for (int k = 0; k < n; k++) c.ds[k] -= twice[k];
  }
}

static double longest_step(const cr_law_batch* batch, const double* state, double most) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    most = scalar_min(most, scalar_min(lorentz_longest_step(c.u, c.du, batch->rows),
                                       lorentz_longest_step(c.s, c.ds, batch->rows)));
  }
  return most;
}

/* W (lambda \ t) for the products (lambda + alpha W du) ∘ (lambda + alpha W^-1 ds), where t takes
 * them into the range. */
static void compute_centering(const interior_moment* c, const lorentz_scaling* scaling,
                              double alpha, cr_law_range range, double* out) {
  int n = scaling->n;
  double lambda[SMALL_MAX] = {0}, a[SMALL_MAX] = {0}, b[SMALL_MAX] = {0}, t[SMALL_MAX] = {0};
  lorentz_apply(scaling->W, c->u, n, lambda);
  lorentz_apply(scaling->W, c->du, n, a);
  lorentz_apply(scaling->inverse, c->ds, n, b);
  for (int k = 0; k < n; k++) a[k] = lambda[k] + alpha * a[k], b[k] = lambda[k] + alpha * b[k];
  lorentz_multiply(a, b, n, t);
  lorentz_pull(t, n, range);
  lorentz_divide(lambda, t, n, a);
  lorentz_apply(scaling->W, a, n, out);
}

static void recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                     const double* G, double* state, double* h) {
  int n = batch->rows;
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    lorentz_scaling scaling;
    double more[SMALL_MAX], once[SMALL_MAX], twice[SMALL_MAX];
    int first = batch->row[i];
    lorentz_compute_scaling(c.u, c.s, n, &scaling);
    compute_centering(&c, &scaling, alpha, products, more);
    lorentz_apply(scaling.W, c.du, n, once);
    lorentz_apply(scaling.W, once, n, twice);
    for (int k = 0; k < n; k++) c.ds[k] += twice[k] + more[k];
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++)
        h[row_at(batch, i, a)] += G[batch->room * first + n * (row_at(batch, i, a) - first) +
                                    row_at(batch, i, b) - first] *
                                  more[b] / scale_of(batch, i, b);
  }
}

static double complementarity(const cr_law_batch* batch, const double* state, double alpha,
                              int* count) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    for (int k = 0; k < batch->rows; k++)
      sum += (c.u[k] + alpha * c.du[k]) * (c.s[k] + alpha * c.ds[k]);
  }
  *count += batch->count;
  return sum;
}

static void move(const cr_law_batch* batch, double alpha, double* state) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    for (int k = 0; k < batch->rows; k++) c.u[k] += alpha * c.du[k], c.s[k] += alpha * c.ds[k];
  }
}

static bool lift(const cr_law_batch* batch, double least, double* state) {
  bool any = false;
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    any |= lorentz_lift(c.u, c.s, batch->rows, batch->scale[i], least);
  }
  return any;
}

static void get_gamma(const cr_law_batch* batch, const double* state, double* gamma) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load(batch, i, state);
    for (int k = 0; k < batch->rows; k++)
      gamma[row_at(batch, i, k)] = scale_of(batch, i, k) * c.u[k];
  }
}

#define MOMENT_INTERIOR \
  { start, linearize, complete, longest_step, recenter, complementarity, move, lift, get_gamma }

const cr_law_interior cr_contact4_interior = MOMENT_INTERIOR;
const cr_law_interior cr_contact6_interior = MOMENT_INTERIOR;
