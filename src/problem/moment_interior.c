/* Contacts with moments for the interior-point solver: contact_interior.c in four or six
 * dimensions, R differing from row to row. */
#include "math/scalar.h"
#include "problem/lorentz_frame.h"
#include "problem/moment_law.h"

#include <string.h>

/* A constraint's state: vectors with the normal first, and what stays while directions are sought.
 */
typedef struct interior_moment {
  double *u, *s, *du, *ds;
  double* gap;   /* s - s(u), in the frame of u and s */
  double* frame; /* b, stretch, sign and share of it, then its axis but for the first number */
  double* L;     /* of R~ + W², see lorentz_frame_factor */
} interior_moment;

#define STATE_SIZE(n) (5 * (n) + 4 + ((n)-1) + (n) * ((n) + 1) / 2)
_Static_assert(STATE_SIZE(4) <= 4 * CR_LAW_INTERIOR_MOST, "the state must fit");
_Static_assert(STATE_SIZE(6) <= 6 * CR_LAW_INTERIOR_MOST, "the state must fit");

/* A function of one length or the other, which comes first of its arguments. */
#define OF_LENGTH(batch, function, ...) \
  ((batch)->rows == 4 ? function(4, __VA_ARGS__) : function(6, __VA_ARGS__))

FRAME_INLINE interior_moment load_of(int n, const cr_law_batch* batch, int i, const double* state) {
  double* x = (double*)state + cr_law_find_state(batch, i);
  return (interior_moment){x, x + n, x + 2 * n, x + 3 * n, x + 4 * n, x + 5 * n, x + 6 * n + 3};
}

static interior_moment load(const cr_law_batch* batch, int i, const double* state) {
  return load_of(batch->rows, batch, i, state);
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

/* --- Directions ---------------------------------------------------------------------------------
 *
 * W² du + ds = W (lambda \ rc) and ds = dx + R~ du - (s - s(u)) give (R~ + W²) du = W (lambda \ rc)
 * + s - s(u) - dx, solved in the scaling's frame as in contact_interior_lanes.h. Until a direction
 * is known its place holds the right-hand side without dx, and W (lambda \ rc), in the frame. */

FRAME_INLINE void store_frame(const interior_moment* c, const lorentz_frame* f, int n) {
  c->frame[0] = f->b, c->frame[1] = f->stretch, c->frame[2] = f->sign, c->frame[3] = f->share;
  for (int k = 1; k < n; k++) c->frame[3 + k] = f->axis[k];
}

FRAME_INLINE lorentz_frame load_frame(const interior_moment* c, int n) {
  lorentz_frame f = {c->frame[0], c->frame[1], c->frame[2], c->frame[3], {0}};
  for (int k = 1; k < n; k++) f.axis[k] = c->frame[3 + k];
  return f;
}

/* Finds the scaling where u and s are, the factor of R~ + W², and s - s(u). */
FRAME_INLINE void prepare(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                          int i, int n, const interior_moment* c) {
  double R[SMALL_MAX], gap[SMALL_MAX];
  lorentz_frame f = lorentz_find_frame(c->u, c->s, n);
  for (int k = 0; k < n; k++) R[k] = scaled_R(batch, point, i, k);
  compute_slack(batch, point, shift, i, c->u, gap);
  for (int k = 0; k < n; k++) gap[k] = c->s[k] - gap[k];
  store_frame(c, &f, n);
  lorentz_frame_factor(&f, R, n, c->L);
  lorentz_to_frame(&f, gap, n, c->gap);
}

/* W (lambda \ rc) with rc = target e - lambda ∘ lambda - (W du) ∘ (W^-1 ds), in the frame. */
FRAME_INLINE void compute_pull(const interior_moment* c, const lorentz_frame* f, double target,
                               bool corrector, int n, double* pull) {
  double x[SMALL_MAX], lambda[SMALL_MAX], rc[SMALL_MAX], a[SMALL_MAX], b[SMALL_MAX];
  lorentz_to_frame(f, c->u, n, x);
  lorentz_frame_apply(f, x, n, lambda);
  lorentz_frame_multiply(lambda, lambda, n, rc);
  for (int k = 0; k < n; k++) rc[k] = (k < 2 ? target : 0) - rc[k];
  if (corrector) {
    lorentz_to_frame(f, c->du, n, x);
    lorentz_frame_apply(f, x, n, a);
    lorentz_to_frame(f, c->ds, n, x);
    lorentz_frame_apply_inverse(f, x, n, b);
    lorentz_frame_multiply(a, b, n, a);
    for (int k = 0; k < n; k++) rc[k] -= a[k];
  }
  lorentz_frame_divide(lambda, rc, n, a);
  lorentz_frame_apply(f, a, n, pull);
}

/* Asks for W² du + ds = pull: h, and the right-hand sides that complete() finds. */
FRAME_INLINE void ask(const cr_law_batch* batch, int i, const interior_moment* c,
                      const lorentz_frame* f, int n, const double* pull, double* h) {
  double x[SMALL_MAX], step[SMALL_MAX];
  for (int k = 0; k < n; k++) c->du[k] = pull[k] + c->gap[k], c->ds[k] = pull[k];
  lorentz_frame_solve(c->L, c->du, n, x);
  lorentz_from_frame(f, x, n, step);
  for (int k = 0; k < n; k++) h[row_at(batch, i, k)] = scale_of(batch, i, k) * step[k];
}

/* G = (R~ + W²)^-1 in the contact's rows. */
FRAME_INLINE void store_resistance(const cr_law_batch* batch, int i, const interior_moment* c,
                                   const lorentz_frame* f, int n, double* G) {
  int first = batch->row[i];
  double* g = G + batch->ld * first;
  for (int b = 0; b < n; b++) {
    double x[SMALL_MAX] = {0}, column[SMALL_MAX];
    x[b] = scale_of(batch, i, b);
    lorentz_to_frame(f, x, n, x);
    lorentz_frame_solve(c->L, x, n, x);
    lorentz_from_frame(f, x, n, column);
    for (int a = 0; a <= b; a++) {
      int r = row_at(batch, i, a) - first, q = row_at(batch, i, b) - first;
      g[n * r + q] = g[n * q + r] = scale_of(batch, i, a) * column[a];
    }
  }
}

FRAME_INLINE void linearize_of(int n, const cr_law_batch* batch, const cr_law_point* point,
                               const double* shift, double target, bool corrector, double* state,
                               double* G, double* h) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load_of(n, batch, i, state);
    double pull[SMALL_MAX];
    if (!corrector) prepare(batch, point, shift, i, n, &c);
    lorentz_frame f = load_frame(&c, n);
    if (!corrector) store_resistance(batch, i, &c, &f, n, G);
    compute_pull(&c, &f, target, corrector, n, pull);
    ask(batch, i, &c, &f, n, pull, h);
  }
}

static void linearize(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                      double target, bool corrector, double* state, double* G, double* h) {
  OF_LENGTH(batch, linearize_of, batch, point, shift, target, corrector, state, G, h);
}

FRAME_INLINE void complete_of(int n, const cr_law_batch* batch, const double* dv_c, double* state) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load_of(n, batch, i, state);
    lorentz_frame f = load_frame(&c, n);
    double x[SMALL_MAX], du[SMALL_MAX], ds[SMALL_MAX];
    for (int k = 0; k < n; k++) x[k] = scale_of(batch, i, k) * dv_c[row_at(batch, i, k)];
    lorentz_to_frame(&f, x, n, x);
    for (int k = 0; k < n; k++) x[k] = c.du[k] - x[k];
    lorentz_frame_solve(c.L, x, n, du);
    lorentz_frame_apply_squared(&f, du, n, ds);
    for (int k = 0; k < n; k++) ds[k] = c.ds[k] - ds[k];
    lorentz_from_frame(&f, du, n, c.du);
    lorentz_from_frame(&f, ds, n, c.ds);
  }
}

static void complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                     const double* h, double* state) {
  (void)G, (void)h; /* the state has more digits of them */
  OF_LENGTH(batch, complete_of, batch, dv_c, state);
}

/* Whether x leaves the cone before the end of a step along dx. */
FRAME_INLINE bool leaves(const double* x, const double* dx, double step, int n) {
  double first = x[0] + step * dx[0], tail2 = 0;
  for (int k = 1; k < n; k++) {
    double end = x[k] + step * dx[k];
    tail2 += end * end;
  }
  return !(first > 0 && first * first > tail2);
}

FRAME_INLINE double longest_step_of(int n, const cr_law_batch* batch, const double* state,
                                    double most) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load_of(n, batch, i, state);
    if (leaves(c.u, c.du, most, n)) most = scalar_min(most, lorentz_longest_step(c.u, c.du, n));
    if (leaves(c.s, c.ds, most, n)) most = scalar_min(most, lorentz_longest_step(c.s, c.ds, n));
  }
  return most;
}

static double longest_step(const cr_law_batch* batch, const double* state, double most) {
  return OF_LENGTH(batch, longest_step_of, batch, state, most);
}

/* W (lambda \ t) for the products (lambda + alpha W du) ∘ (lambda + alpha W^-1 ds), where t takes
 * them into the range; all in the frame. */
FRAME_INLINE void compute_centering(const interior_moment* c, const lorentz_frame* f,
                                    const double* du, const double* ds, double alpha,
                                    cr_law_range range, int n, double* out) {
  double x[SMALL_MAX], lambda[SMALL_MAX], a[SMALL_MAX], b[SMALL_MAX];
  lorentz_to_frame(f, c->u, n, x);
  lorentz_frame_apply(f, x, n, lambda);
  lorentz_frame_apply(f, du, n, a);
  lorentz_frame_apply_inverse(f, ds, n, b);
  for (int k = 0; k < n; k++) a[k] = lambda[k] + alpha * a[k], b[k] = lambda[k] + alpha * b[k];
  lorentz_frame_multiply(a, b, n, a);
  for (int k = 0; k < n; k++) out[k] = 0;
  if (!lorentz_frame_pull(a, n, range)) return;
  lorentz_frame_divide(lambda, a, n, b);
  lorentz_frame_apply(f, b, n, out);
}

FRAME_INLINE void recenter_of(int n, const cr_law_batch* batch, double alpha, cr_law_range products,
                              double* state, double* h) {
  for (int i = 0; i < batch->count; i++) {
    interior_moment c = load_of(n, batch, i, state);
    lorentz_frame f = load_frame(&c, n);
    double du[SMALL_MAX], ds[SMALL_MAX], more[SMALL_MAX], pull[SMALL_MAX];
    lorentz_to_frame(&f, c.du, n, du);
    lorentz_to_frame(&f, c.ds, n, ds);
    compute_centering(&c, &f, du, ds, alpha, products, n, more);
    lorentz_frame_apply_squared(&f, du, n, pull);
    for (int k = 0; k < n; k++) pull[k] += ds[k] + more[k];
    ask(batch, i, &c, &f, n, pull, h);
  }
}

static void recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                     const double* G, double* state, double* h) {
  (void)G;
  OF_LENGTH(batch, recenter_of, batch, alpha, products, state, h);
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
