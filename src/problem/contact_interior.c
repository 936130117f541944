/* Frictional contact for the interior-point solver: u = (mu gamma_n, gamma_t) and its slack s =
 * (d_n / mu, d_t) + R~ u, both inside the Lorentz cone, scaled by Nesterov and Todd; directions in
 * lanes (contact_interior_lanes.h). */
#include "problem/contact_interior.h"

#include "math/scalar.h"
#include "problem/cone.h"
#include "problem/contact_lanes.h"
#include "problem/contact_law.h"
#include "problem/lorentz.h"

typedef struct interior_contact {
  cone3 u, s, du, ds;
} interior_contact;

static interior_contact load(const double* state) {
  interior_contact c;
  for (int k = 0; k < 3; k++) {
    c.u.x[k] = state[CR_CONTACT_U + k], c.s.x[k] = state[CR_CONTACT_S + k];
    c.du.x[k] = state[CR_CONTACT_DU + k], c.ds.x[k] = state[CR_CONTACT_DS + k];
  }
  return c;
}

static void store(const interior_contact* c, double* state) {
  for (int k = 0; k < 3; k++) {
    state[CR_CONTACT_U + k] = c->u.x[k], state[CR_CONTACT_S + k] = c->s.x[k];
    state[CR_CONTACT_DU + k] = c->du.x[k], state[CR_CONTACT_DS + k] = c->ds.x[k];
  }
}

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
    store(&c, state + cr_law_find_state(batch, i));
  }
}

static void linearize(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                      double target, bool corrector, double* state, double* G, double* h) {
  cr_contact_lanes_select()->interior_linearize(batch, point, shift, target, corrector, state, G,
                                                h);
}

static void complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                     const double* h, double* state) {
  (void)G, (void)h; /* the state has more digits of them */
  cr_contact_lanes_select()->interior_complete(batch, dv_c, state);
}

static double longest_step(const cr_law_batch* batch, const double* state, double most) {
  return cr_contact_lanes_select()->interior_longest_step(batch, state, most);
}

static void recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                     const double* G, double* state, double* h) {
  (void)G;
  cr_contact_lanes_select()->interior_recenter(batch, alpha, products, state, h);
}

static double complementarity(const cr_law_batch* batch, const double* state, double alpha,
                              int* count) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    interior_contact c = load(state + cr_law_find_state(batch, i));
    for (int k = 0; k < 3; k++)
      sum += (c.u.x[k] + alpha * c.du.x[k]) * (c.s.x[k] + alpha * c.ds.x[k]);
  }
  *count += batch->count;
  return sum;
}

static void move(const cr_law_batch* batch, double alpha, double* state) {
  for (int i = 0; i < batch->count; i++) {
    interior_contact c = load(state + cr_law_find_state(batch, i));
    for (int k = 0; k < 3; k++) {
      c.u.x[k] += alpha * c.du.x[k];
      c.s.x[k] += alpha * c.ds.x[k];
    }
    store(&c, state + cr_law_find_state(batch, i));
  }
}

static bool lift(const cr_law_batch* batch, double least, double* state) {
  bool any = false;
  for (int i = 0; i < batch->count; i++) {
    double* x = state + cr_law_find_state(batch, i);
    any |= lorentz_lift(x + CR_CONTACT_U, x + CR_CONTACT_S, 3, batch->scale[i], least);
  }
  return any;
}

static void get_gamma(const cr_law_batch* batch, const double* state, double* gamma) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    const double* u = state + cr_law_find_state(batch, i);
    gamma[r] = u[1], gamma[r + 1] = u[2], gamma[r + 2] = u[0] / batch->parameter[2 * i];
  }
}

const cr_law_interior cr_contact_interior = {
    start, linearize, complete, longest_step, recenter, complementarity, move, lift, get_gamma};
