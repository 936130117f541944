/* Frictional contact: rows t1 t2 n, |gamma_t| <= mu gamma_n.
 *
 * docs/theory.md, "Analytic inverse dynamics". Primal-dual linearisation in the scaled
 * variables x = (d_n / mu, d_t), u = (mu gamma_n, gamma_t), R~ = diag(R_n / mu², R_t, R_t), s = x +
 * R~ u, for which both cones are the Lorentz cone Q; the optimum is u in Q, s in Q, uᵀ s = 0. R is
 * isotropic in the tangent plane. mu must be positive: a frictionless contact is three rows of
 * bounds.
 *
 * Most of it is in contact_lanes_template.h; here is what is done one contact at a time. */
#include "problem/contact_law.h"

#include "math/scalar.h"
#include "math/vec3.h"
#include "problem/contact_lanes.h"
#include "problem/local.h"

/* --- Choice of the instruction set --------------------------------------------------------------
 */

extern const cr_contact_lanes* const cr_contact_lanes_base;
extern const cr_contact_lanes* const cr_contact_lanes_avx2;

const cr_contact_lanes* cr_contact_lanes_get(cr_kernel_level level) {
  if (level == CR_KERNELS_BASE) return cr_contact_lanes_base;
  return level == CR_KERNELS_AVX2 && cr_kernels_get(level) ? cr_contact_lanes_avx2 : NULL;
}

const cr_contact_lanes* cr_contact_lanes_select(void) {
  const cr_contact_lanes* best = cr_contact_lanes_get(CR_KERNELS_AVX2);
  return best ? best : cr_contact_lanes_get(CR_KERNELS_BASE);
}

/* --- One contact --------------------------------------------------------------------------------
 */

/* One contact, gathered. */
typedef struct contact {
  double mu, Rt, Rn;
  double d[3];     /* v_c - v_hat, order t1 t2 n */
  double gamma[3]; /* likewise */
} contact;

/* Inline, so that it is taken apart into registers. */
static inline __attribute__((always_inline)) contact load(const cr_law_batch* batch,
                                                          const cr_law_point* point, int i) {
  int r = batch->row[i];
  contact c = {.mu = batch->parameter[2 * i], .Rt = point->R[r], .Rn = point->R[r + 2]};
  for (int k = 0; k < 3; k++) {
    c.d[k] = point->v_c[r + k] - point->v_hat[r + k];
    c.gamma[k] = point->gamma[r + k];
  }
  return c;
}

typedef enum contact_state { CONTACT_SEPARATE, CONTACT_STICK, CONTACT_SLIDE } contact_state;

/* The region of y = -d / R, by products only. */
static contact_state classify(const contact* c, double dt) {
  if (c->d[2] >= c->mu * dt) return CONTACT_SEPARATE;
  if (dt * c->Rn <= -c->mu * c->d[2] * c->Rt) return CONTACT_STICK;
  return CONTACT_SLIDE;
}

/* G = -dgamma/dv_c in the region of d. */
static void inverse_gradient(const contact* c, double G[9]) {
  double dt = scalar_norm2(c->d[0], c->d[1]), mu = c->mu;
  contact_state state = classify(c, dt);
  for (int k = 0; k < 9; k++) G[k] = 0;
  if (state == CONTACT_SEPARATE) return;
  if (state == CONTACT_STICK) {
    G[0] = G[4] = 1 / c->Rt;
    G[8] = 1 / c->Rn;
    return;
  }
  double t0 = c->d[0] / dt, t1 = c->d[1] / dt;
  double g = 1 / (c->Rn + mu * mu * c->Rt), across = mu * c->gamma[2] / dt;
  double along = mu * mu * g;
  G[0] = along * t0 * t0 + across * t1 * t1;
  G[4] = along * t1 * t1 + across * t0 * t0;
  G[1] = G[3] = (along - across) * t0 * t1;
  G[2] = G[6] = -mu * g * t0;
  G[5] = G[7] = -mu * g * t1;
  G[8] = g;
}

static double evaluate(const cr_law_batch* batch, const cr_law_point* point, double* gamma,
                       double* G) {
  double cost = cr_contact_lanes_select()->evaluate(batch, point, gamma);
  cr_law_point at = *point;
  at.gamma = gamma;
  for (int i = 0; i < batch->count && G; i++) {
    contact c = load(batch, &at, i);
    inverse_gradient(&c, G + batch->ld * batch->row[i]);
  }
  return cost;
}

/* --- De Saxce term ------------------------------------------------------------------------------
 */

void cr_contact_linearize_slide(cr_contact_slide* c, double coulomb) {
  double t0 = c->z[1] / c->zt, t1 = c->z[2] / c->zt, ratio = c->z[0] / c->zt;
  m3 D = {{{0.5, 0.5 * t0, 0.5 * t1},
           {0.5 * t0, 0.5 * (1 + ratio - ratio * t0 * t0), -0.5 * ratio * t0 * t1},
           {0.5 * t1, -0.5 * ratio * t0 * t1, 0.5 * (1 + ratio - ratio * t1 * t1)}}};
  m3 N = m3_identity();
  if (c->st > 0) {
    N.m[0][1] = coulomb * c->s[1] / c->st;
    N.m[0][2] = coulomb * c->s[2] / c->st;
  }
  m3 DN = m3_mul(&D, &N), M;
  double R[3] = {c->Rn, c->Rt, c->Rt};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      M.m[a][b] = (a == b ? 1.0 : 0.0) - D.m[a][b] + c->rho * DN.m[a][b] * R[b];
  for (int b = 0; b < 3; b++) {
    v3 column = m3_solve(&M, v3_scale(c->rho, m3_column(&DN, b)));
    c->g[0][b] = column.x, c->g[1][b] = column.y, c->g[2][b] = column.z;
  }
  v3 step = m3_solve(&M, v3_load(c->p_less_u));
  v3_store(step, c->h);
}

static void compute_shift(const cr_law_batch* batch, const cr_law_point* point, double* shift) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    contact c = load(batch, point, i);
    shift[r] = shift[r + 1] = 0;
    shift[r + 2] = c.mu * scalar_norm2(c.d[0] + c.Rt * c.gamma[0], c.d[1] + c.Rt * c.gamma[1]);
  }
}

/* --- In lanes -----------------------------------------------------------------------------------
 */

static double linearize(const cr_law_batch* batch, const cr_law_point* point,
                        const cr_law_mode* mode, const cr_law_linearization* out) {
  return cr_contact_lanes_select()->linearize(batch, point, mode, out);
}

static double merit(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode) {
  return cr_contact_lanes_select()->merit(batch, point, mode);
}

static void project(const cr_law_batch* batch, const double* gamma, double* projected) {
  cr_contact_lanes_select()->project(batch, gamma, projected);
}

static double residual(const cr_law_batch* batch, const cr_law_point* point,
                       const cr_law_mode* mode, const double* rho, double* projected) {
  return cr_contact_lanes_select()->residual(batch, point, mode, rho, projected);
}

static double gap(const cr_law_batch* batch, const cr_law_point* point) {
  return cr_contact_lanes_select()->gap(batch, point);
}

const cr_law cr_contact_law = {.name = "contact",
                               .rows = 3,
                               .is_cone = true,
                               .evaluate = evaluate,
                               .linearize = linearize,
                               .merit = merit,
                               .project = project,
                               .residual = residual,
                               .compute_shift = compute_shift,
                               .gap = gap,
                               .minimize = cr_contact_minimize,
                               .interior = &cr_contact_interior};
