/* The second derivative P''[A, B] of the stress, law by law and without a singular value
 * decomposition, so that equal singular values are nothing special:
 *
 *   of g(J)      P = g' c, c = cof F, and c moves by X(F, A) with cof(A + B) = cof A + X(A, B) +
 * cof B of f(T)      P = f' R, T = tr S of the polar decomposition F = R S, where R moves by R
 * [w]x, (tr S - S) w = vee(Rᵀ A - Aᵀ R) of E         P = F (2 mu E + lambda tr E), E = (FᵀF - 1)/2
 *
 * It is symmetric as a trilinear form, P''[A, B] . C. */
#include "soft/material_slope.h"

#include "math/eigen3.h"
#include "math/svd3.h"

#include <math.h>
#include <stddef.h>

#define BLUNT (18 * CR_SOFT_SMOOTHING) /* least sum of two singular values that is not blunted */

/* --- Small matrices -----------------------------------------------------------------------------
 */

static double dot(const m3* A, const m3* B) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum += A->m[i][j] * B->m[i][j];
  return sum;
}

static void add(double s, const m3* A, m3* to) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) to->m[i][j] += s * A->m[i][j];
}

static double trace(const m3* A) { return A->m[0][0] + A->m[1][1] + A->m[2][2]; }

/* A - Aᵀ = [w]x. */
static v3 vee(const m3* A) {
  return v3_make(A->m[2][1] - A->m[1][2], A->m[0][2] - A->m[2][0], A->m[1][0] - A->m[0][1]);
}

static m3 transposed_product(const m3* A, const m3* B) {
  m3 At = m3_transpose(A);
  return m3_mul(&At, B);
}

/* tr A - A. */
static m3 turn_matrix(const m3* A) {
  m3 G = m3_scale(-1, A);
  for (int i = 0; i < 3; i++) G.m[i][i] += trace(A);
  return G;
}

/* X(A, B), twice the cofactors where A = B. */
static m3 cross_cofactors(const m3* A, const m3* B) {
  v3 c[3];
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] = v3_add(v3_cross(m3_column(A, i), m3_column(B, j)),
                  v3_cross(m3_column(B, i), m3_column(A, j)));
  }
  return m3_from_columns(c[0], c[1], c[2]);
}

/* --- P'' ----------------------------------------------------------------------------------------
 */

typedef struct point {
  const cr_soft_material* material;
  m3 F, R, RtF, G, cof;
  double f1, f2;     /* f' and f'' of the trace */
  double g1, g2, g3; /* and of the volume */
} point;

static bool has_trace(cr_soft_law law) {
  return law == CR_SOFT_COROTATED || law == CR_SOFT_FIXED_COROTATED;
}

static void find_volume(double J, point* at) {
  double mu = at->material->mu, lambda = at->material->lambda;
  if (at->material->law == CR_SOFT_FIXED_COROTATED) at->g1 = lambda * (J - 1), at->g2 = lambda;
  if (at->material->law != CR_SOFT_NEO_HOOKEAN) return;
  double x = fmax(J, CR_SOFT_SMALLEST_VOLUME), l = log(x);
  at->g2 = (mu + lambda * (1 - l)) / (x * x);
  at->g1 = (lambda * l - mu) / x + (J - x) * at->g2;
  at->g3 = J < x ? 0 : -(lambda + 2 * (mu + lambda * (1 - l))) / (x * x * x);
}

static point find_point(const cr_soft_material* material, const m3* F, const m3_svd* svd) {
  point at = {.material = material, .F = *F};
  m3 twice = cross_cofactors(F, F);
  at.cof = m3_scale(0.5, &twice);
  find_volume(m3_determinant(F), &at);
  if (!has_trace(material->law)) return at;
  double lambda = material->law == CR_SOFT_COROTATED ? material->lambda : 0;
  m3 Vt = m3_transpose(&svd->V);
  at.R = m3_mul(&svd->U, &Vt);
  at.RtF = transposed_product(&at.R, F);
  at.G = turn_matrix(&at.RtF);
  at.f1 = lambda * (trace(&at.RtF) - 3) - 2 * material->mu;
  at.f2 = lambda;
  return at;
}

/* w of R's change along A. */
static v3 find_turn(const point* at, const m3* A) {
  m3 RtA = transposed_product(&at->R, A);
  return m3_solve(&at->G, vee(&RtA));
}

static void add_of_trace(const point* at, const m3* A, const m3* B, m3* out) {
  v3 a = find_turn(at, A), b = find_turn(at, B);
  m3 ax = m3_skew(a), bx = m3_skew(b), RtA = transposed_product(&at->R, A);
  m3 Ra = m3_mul(&at->R, &ax), Rb = m3_mul(&at->R, &bx);
  add(at->f2 * dot(&Ra, B), &at->R, out);
  add(at->f2 * dot(&at->R, A), &Rb, out);
  add(at->f2 * dot(&at->R, B), &Ra, out);
  /* G a' = vee(R'ᵀA - Aᵀ R') - G' a, with S' along B. */
  m3 S = m3_mul(&bx, &at->RtF), dS = transposed_product(&at->R, B), turned = m3_mul(&bx, &RtA);
  add(-1, &S, &dS);
  m3 dG = turn_matrix(&dS);
  v3 moved = m3_solve(&at->G, v3_sub(v3_neg(vee(&turned)), m3_mulv(&dG, a)));
  m3 bent = m3_mul(&bx, &ax), skew = m3_skew(moved);
  add(1, &skew, &bent);
  m3 bend = m3_mul(&at->R, &bent);
  add(at->f1, &bend, out);
}

static void add_of_volume(const point* at, const m3* A, const m3* B, m3* out) {
  m3 XA = cross_cofactors(&at->F, A), XB = cross_cofactors(&at->F, B), AB = cross_cofactors(A, B);
  double a = dot(&at->cof, A), b = dot(&at->cof, B);
  add(at->g3 * a * b + at->g2 * dot(&XA, B), &at->cof, out);
  add(at->g2 * a, &XB, out);
  add(at->g2 * b, &XA, out);
  add(at->g1, &AB, out);
}

/* 2 mu sym(M) + lambda tr M. */
static m3 green_stress(const cr_soft_material* material, const m3* M) {
  m3 S;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      S.m[i][j] =
          material->mu * (M->m[i][j] + M->m[j][i]) + (i == j ? material->lambda * trace(M) : 0);
  return S;
}

static void add_of_green(const point* at, const m3* A, const m3* B, m3* out) {
  m3 FA = transposed_product(&at->F, A), FB = transposed_product(&at->F, B);
  m3 AB = transposed_product(A, B);
  m3 SA = green_stress(at->material, &FA), SB = green_stress(at->material, &FB);
  m3 SAB = green_stress(at->material, &AB);
  m3 one = m3_mul(A, &SB), two = m3_mul(B, &SA), three = m3_mul(&at->F, &SAB);
  add(1, &one, out), add(1, &two, out), add(1, &three, out);
}

static m3 find_second(const point* at, const m3* A, const m3* B) {
  m3 out = m3_zero();
  if (at->material->law == CR_SOFT_ST_VENANT_KIRCHHOFF) add_of_green(at, A, B, &out);
  if (has_trace(at->material->law)) add_of_trace(at, A, B, &out);
  if (at->g1 != 0 || at->g2 != 0) add_of_volume(at, A, B, &out);
  return out;
}

/* --- Eigenvectors -------------------------------------------------------------------------------
 */

typedef struct modes {
  double c[9];
  m3 Q[9]; /* of unit norm */
} modes;

/* U M Vᵀ */
static m3 turn_back(const cr_soft_tangent* t, const m3* M) {
  m3 Vt = m3_transpose(&t->V), UM = m3_mul(&t->U, M);
  return m3_mul(&UM, &Vt);
}

static void find_modes(const cr_soft_tangent* t, modes* out) {
  m3 H = m3_from_rows(v3_load(t->H[0]), v3_load(t->H[1]), v3_load(t->H[2])), V;
  v3 c = m3_eigen_symmetric(&H, &V);
  for (int k = 0; k < 3; k++) {
    m3 scaling = m3_diagonal(m3_column(&V, k)), flip = m3_zero(), twist = m3_zero();
    int i = (k + 1) % 3, j = (k + 2) % 3;
    flip.m[i][j] = flip.m[j][i] = twist.m[i][j] = M_SQRT1_2;
    twist.m[j][i] = -M_SQRT1_2;
    out->c[k] = v3_get(c, k), out->Q[k] = turn_back(t, &scaling);
    out->c[3 + k] = t->a[k] + t->b[k], out->Q[3 + k] = turn_back(t, &flip);
    out->c[6 + k] = t->a[k] - t->b[k], out->Q[6 + k] = turn_back(t, &twist);
  }
}

static void find_parts(const modes* at, const m3* W, double part[9]) {
  for (int k = 0; k < 9; k++) part[k] = dot(&at->Q[k], W);
}

/* (D C+[A]) W, W without its parts along what is cut off. */
static m3 bend(const point* at, const modes* m, const m3* W, const double* part, const m3* A) {
  m3 out = find_second(at, A, W);
  for (int n = 0; n < 9; n++)
    if (m->c[n] <= 0) add(-dot(&m->Q[n], &out), &m->Q[n], &out);
  for (int n = 0; n < 9; n++) {
    if (m->c[n] > 0) continue;
    m3 M = find_second(at, A, &m->Q[n]);
    for (int a = 0; a < 9; a++) {
      if (m->c[a] <= 0) continue;
      double t = dot(&m->Q[a], &M) * m->c[a] / (m->c[a] - m->c[n]);
      add(t * part[n], &m->Q[a], &out);
      add(t * part[a], &m->Q[n], &out);
    }
  }
  return out;
}

/* --- For bodies ---------------------------------------------------------------------------------
 */

double cr_soft_material_find_kink(const cr_soft_material* material, const m3* F, const m3* W,
                                  double least) {
  cr_soft_tangent tangent;
  modes m;
  double part[9], largest = 0, nearest = INFINITY;
  if (material->law == CR_SOFT_LINEAR) return INFINITY;
  cr_soft_compute_tangent(material, F, false, NULL, NULL, &tangent);
  find_modes(&tangent, &m);
  find_parts(&m, W, part);
  for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(m.c[k]));
  for (int k = 0; k < 9; k++)
    if (fabs(part[k]) > least) nearest = fmin(nearest, fabs(m.c[k]) / largest);
  return nearest;
}

bool cr_soft_material_bend(const cr_soft_material* material, const m3* F, const m3* W, double scale,
                           double* X) {
  if (material->law == CR_SOFT_LINEAR) return true;
  m3_svd svd = m3_svd_compute(F);
  if (has_trace(material->law) && !(svd.sigma.y + svd.sigma.z > BLUNT)) return false;
  cr_soft_tangent tangent;
  modes m;
  double part[9];
  cr_soft_compute_tangent(material, F, false, NULL, NULL, &tangent);
  find_modes(&tangent, &m);
  point at = find_point(material, F, &svd);
  find_parts(&m, W, part);
  m3 kept = *W;
  for (int n = 0; n < 9; n++)
    if (m.c[n] <= 0) add(-part[n], &m.Q[n], &kept);
  for (int k = 0; k < 9; k++) {
    m3 A = m3_zero();
    A.m[k / 3][k % 3] = 1;
    m3 column = bend(&at, &m, &kept, part, &A);
    for (int i = 0; i < 9; i++) X[9 * i + k] += scale * column.m[i / 3][i % 3];
  }
  return true;
}

void cr_soft_material_add_tangent(const cr_soft_material* material, const m3* F, double scale,
                                  double* X) {
  cr_soft_tangent tangent;
  cr_soft_compute_tangent(material, F, false, NULL, NULL, &tangent);
  for (int k = 0; k < 9; k++) {
    m3 A = m3_zero();
    A.m[k / 3][k % 3] = 1;
    m3 column = cr_soft_tangent_apply(&tangent, &A);
    for (int i = 0; i < 9; i++) X[9 * i + k] += scale * column.m[i / 3][i % 3];
  }
}

m3 cr_soft_material_vary(const cr_soft_material* material, const cr_soft_material* change,
                         const m3* F, const m3* W) {
  cr_soft_tangent own, moved;
  modes m;
  double part[9];
  m3 out = m3_zero();
  cr_soft_compute_tangent(material, F, false, NULL, NULL, &own);
  cr_soft_compute_tangent(change, F, false, NULL, NULL, &moved);
  find_modes(&own, &m);
  find_parts(&m, W, part);
  for (int b = 0; b < 9; b++) {
    m3 M = cr_soft_tangent_apply(&moved, &m.Q[b]);
    for (int a = 0; a < 9; a++) {
      double high = fmax(m.c[a], 0), low = fmax(m.c[b], 0);
      double D = m.c[a] > 0 && m.c[b] > 0     ? 1
                 : m.c[a] <= 0 && m.c[b] <= 0 ? 0
                                              : (high - low) / (m.c[a] - m.c[b]);
      add(D * part[b] * dot(&m.Q[a], &M), &m.Q[a], &out);
    }
  }
  return out;
}
