/* The second derivative P''[A, B] of the stress, law by law, so that equal singular values are
 * nothing special:
 *
 *   of g(J)      P = g' c, c = cof F, and c moves by X(F, A) with cof(A + B) = cof A + X(A, B) +
 *                cof B
 *   of f(T)      P = f' T', T = tau log tr exp(H / tau) of an H that is linear in F (material.c)
 *   of E         P = F (2 mu E + lambda tr E), E = (FᵀF - 1)/2
 *
 * It is symmetric as a trilinear form, P''[A, B] . C. In axes in which F is diagonal H is so, too.
 * With p(x) = exp((x - T) / tau) of its eigenvalues, and divided differences of that, and with what
 * A, B and C do to H
 *
 *   T'[A] = sum p_m A_mm,    T''[A, B] = sum p[m, n] A_mn B_mn,
 *   T'''[A, B, C] = sum p[l, m, n] (A_lm B_mn C_nl + A_lm C_mn B_nl),
 *
 * the latter two of A - T'[A] and so on: by what is added to H altogether T moves alone. */
#include "soft/material_slope.h"

#include "math/eigen3.h"
#include "math/svd3.h"

#include <math.h>
#include <stddef.h>

#define NEAR 0.1 /* of differences of exponents, below which series do */

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

static m3 transposed_product(const m3* A, const m3* B) {
  m3 At = m3_transpose(A);
  return m3_mul(&At, B);
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

/* --- The trace ----------------------------------------------------------------------------------
 */

/* exp[a, b] and exp[a, b, c] of a >= b >= c. */
static double first_difference(double a, double b) {
  return a > b ? exp(a) * expm1(b - a) / (b - a) : exp(a);
}

static double second_difference(double a, double b, double c) {
  double up = a - b, down = c - b, sum = 0, term = 1, power = 1, share = 0.5;
  if (up - down > NEAR) return (first_difference(a, b) - first_difference(b, c)) / (up - down);
  for (int n = 0; n < 10; n++) {
    sum += term * share;
    power *= down, term = up * term + power, share /= n + 3;
  }
  return exp(b) * sum;
}

/* T, in axes U and V in which F is diagonal. */
typedef struct blunt_trace {
  m3 U, V;
  double T, p[4], first[4][4], second[4][4][4];
} blunt_trace;

static void find_trace(const m3_svd* svd, blunt_trace* t) {
  const double s[3] = {svd->sigma.x, svd->sigma.y, svd->sigma.z}, tau = CR_SOFT_SMOOTHING;
  double e[4] = {s[0] + s[1] + s[2]}, sum = 0; /* in descending order */
  for (int i = 0; i < 3; i++) {
    e[i + 1] = s[i] - s[(i + 1) % 3] - s[(i + 2) % 3];
    sum += exp((e[i + 1] - e[0]) / tau);
  }
  t->U = svd->U, t->V = svd->V;
  t->T = e[0] + tau * log1p(sum);
  for (int l = 0; l < 4; l++) e[l] = (e[l] - t->T) / tau;
  for (int l = 0; l < 4; l++) {
    t->p[l] = exp(e[l]);
    for (int m = l; m < 4; m++) {
      t->first[l][m] = t->first[m][l] = first_difference(e[l], e[m]) / tau;
      for (int n = m; n < 4; n++) {
        double second = second_difference(e[l], e[m], e[n]) / (tau * tau);
        t->second[l][m][n] = t->second[m][n][l] = t->second[n][l][m] = second;
        t->second[l][n][m] = t->second[n][m][l] = t->second[m][l][n] = second;
      }
    }
  }
}

/* How H moves, less the change of T. */
typedef struct lifted {
  double H[4][4], T;
} lifted;

static lifted lift(const blunt_trace* t, const m3* A) {
  m3 UtA = transposed_product(&t->U, A), M = m3_mul(&UtA, &t->V);
  lifted out = {.T = 0};
  out.H[0][0] = trace(&M);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out.H[i + 1][i + 1] = 2 * M.m[i][i] - trace(&M);
    out.H[0][i + 1] = out.H[i + 1][0] = M.m[k][j] - M.m[j][k];
    out.H[j + 1][k + 1] = out.H[k + 1][j + 1] = M.m[k][j] + M.m[j][k];
  }
  for (int l = 0; l < 4; l++) out.T += t->p[l] * out.H[l][l];
  for (int l = 0; l < 4; l++) out.H[l][l] -= out.T;
  return out;
}

/* out += the gradient by F of what has the symmetric gradient G by H. */
static void add_lowered(const blunt_trace* t, double G[4][4], m3* out) {
  m3 M, Vt = m3_transpose(&t->V);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    M.m[i][i] = G[0][0] + G[i + 1][i + 1] - G[j + 1][j + 1] - G[k + 1][k + 1];
    M.m[k][j] = 2 * (G[j + 1][k + 1] + G[0][i + 1]);
    M.m[j][k] = 2 * (G[j + 1][k + 1] - G[0][i + 1]);
  }
  m3 UM = m3_mul(&t->U, &M), UMVt = m3_mul(&UM, &Vt);
  add(1, &UMVt, out);
}

/* --- P'' ----------------------------------------------------------------------------------------
 */

typedef struct point {
  const cr_soft_material* material;
  m3 F, cof;
  blunt_trace trace;
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

static void find_point(const cr_soft_material* material, const m3* F, point* at) {
  *at = (point){.material = material, .F = *F};
  m3 twice = cross_cofactors(F, F);
  at->cof = m3_scale(0.5, &twice);
  find_volume(m3_determinant(F), at);
  if (!has_trace(material->law)) return;
  m3_svd svd = m3_svd_compute(F);
  find_trace(&svd, &at->trace);
  at->f2 = material->law == CR_SOFT_COROTATED ? material->lambda : 0;
  at->f1 = at->f2 * (at->trace.T - 3) - 2 * material->mu;
}

static void add_of_trace(const point* at, const m3* A, const m3* B, m3* out) {
  const blunt_trace* t = &at->trace;
  lifted a = lift(t, A), b = lift(t, B);
  double G[4][4] = {{0}}, both = 0, sum = 0; /* both: T''[A, B] */
  for (int l = 0; l < 4; l++)
    for (int m = 0; m < 4; m++) {
      double third = 0;
      for (int n = 0; n < 4; n++)
        third += t->second[l][m][n] * (a.H[m][n] * b.H[n][l] + a.H[l][n] * b.H[n][m]);
      G[l][m] = at->f2 * t->first[l][m] * (a.T * b.H[l][m] + b.T * a.H[l][m]) + at->f1 * third;
      both += t->first[l][m] * a.H[l][m] * b.H[l][m];
      if (l == m) sum += third;
    }
  for (int l = 0; l < 4; l++) G[l][l] += (at->f2 * both - at->f1 * sum) * t->p[l];
  add_lowered(t, G, out);
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

void cr_soft_material_bend(const cr_soft_material* material, const m3* F, const m3* W, double scale,
                           double* X) {
  if (material->law == CR_SOFT_LINEAR) return;
  cr_soft_tangent tangent;
  modes m;
  double part[9];
  cr_soft_compute_tangent(material, F, false, NULL, NULL, &tangent);
  find_modes(&tangent, &m);
  point at;
  find_point(material, F, &at);
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
