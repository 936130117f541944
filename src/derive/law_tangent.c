/* A cone in slide has gamma_t = mu gamma_n t with t = - d_t / |d_t|, so that
 *
 *   dgamma_t - mu t dgamma_n + (mu gamma_n / |d_t|) (I - t tᵀ) dd_t = 0,
 *
 * and of the normal, in Coulomb's law d_n + R_n gamma_n = 0, in the convex one (docs/theory.md,
 * "Analytic inverse dynamics") (R_n + mu² R_t) gamma_n = mu |d_t| - d_n. What state a constraint is
 * in is that of the projection of gamma - s / scale on its set. */
#include "derive/law_tangent.h"

#include "problem/law_table.h"

#include <math.h>
#include <string.h>

static void set_identity(double M[CR_LAW_MAX_ROWS][CR_LAW_MAX_ROWS], int rows) {
  for (int i = 0; i < rows; i++) M[i][i] = 1;
}

/* @param s [rows] d + R gamma */
static void set_stick(const cr_problem* p, int row, double scale, const double* s,
                      cr_law_tangent* out) {
  out->state = CR_LAW_STICK;
  set_identity(out->D, out->rows);
  for (int i = 0; i < out->rows; i++) {
    out->E[i][i] = fmax(p->R[row + i], CR_LAW_LEAST_R * scale);
    out->f[i] = s[i];
  }
}

/* @param beyond [rows] gamma, less the bound that it stays at */
static void set_open(const double* beyond, cr_law_tangent* out) {
  out->state = CR_LAW_OPEN;
  set_identity(out->E, out->rows);
  for (int i = 0; i < out->rows; i++) out->f[i] = beyond[i];
}

/* --- Bounds -------------------------------------------------------------------------------------
 */

static void find_bounds(const cr_problem* p, int i, const double* d, const double* gamma,
                        double scale, cr_law_tangent* out) {
  const double* bound = p->parameter + 2 * i;
  double s = d[0] + p->R[p->row[i]] * gamma[0], y = gamma[0] - s / scale;
  double inside = fmin(y - bound[0], bound[1] - y);
  double size = fabs(gamma[0]) + fabs(d[0]) / scale + fabs(inside);
  out->kink = isinf(inside) ? INFINITY : size > 0 ? fabs(inside) / size : 0;
  out->kink_speed = fabs(inside) * scale;
  double beyond = gamma[0] - bound[y > bound[0]];
  if (inside > 0)
    set_stick(p, p->row[i], scale, &s, out);
  else
    set_open(&beyond, out), out->widen[0] = copysign(1, gamma[0]);
}

/* --- Cones --------------------------------------------------------------------------------------
 */

/* A cone's data, tangential rows first, the normal last; or a disc's, which has no normal. */
typedef struct cone {
  const cr_problem* p;
  int row, t;       /* the first row; how many are tangential */
  double mu, scale; /* of a disc its radius */
  const double *d, *gamma;
  bool is_coulomb;
  double least_slip; /* m/s */
} cone;

/* Whether anchors make some tangential rows give way, and not those of moments. */
static bool is_uneven(const cone* c) {
  bool any = false;
  for (int i = 1; i < c->t; i++) any |= c->p->R[c->row + i] != c->p->R[c->row];
  return any;
}

/* Tangential rows of sliding under a bound of friction: along the direction t of the trial impulse
 * y the impulse is at its bound, across it turns with the slip, the less the slower. At its edge,
 * where there is no slip yet, there is none across.
 * @param t [count] */
static void set_slip(const cone* c, const double* y, double bound, double* t, cr_law_tangent* out) {
  const double* R = c->p->R + c->row;
  bool uneven = is_uneven(c); /* then t is not along d, but along d + R gamma */
  double speed2 = 0, across2 = 0;
  out->state = CR_LAW_SLIDE;
  for (int i = 0; i < c->t; i++) {
    double g = c->d[i] + (uneven ? R[i] * c->gamma[i] : 0);
    speed2 += g * g, across2 += y[i] * y[i];
  }
  double speed = sqrt(speed2) + c->least_slip,
         slip = speed > 0 ? speed / (speed + bound * c->scale) : 0;
  for (int i = 0; i < c->t; i++) t[i] = y[i] / sqrt(across2);
  for (int i = 0; i < c->t; i++) {
    for (int j = 0; j < c->t; j++) {
      double along = t[i] * t[j], across = (i == j) - along;
      out->D[i][j] = (1 - slip) * across;
      out->E[i][j] = c->scale * (along + slip * across) + (uneven ? out->D[i][j] * R[j] : 0);
    }
    out->widen[i] = c->scale * t[i];
    out->f[i] = c->scale * (c->gamma[i] - bound * t[i]);
  }
}

static void set_slide(const cone* c, const double* y, cr_law_tangent* out) {
  const double* R = c->p->R + c->row;
  double t[CR_LAW_MAX_ROWS], speed2 = 0, normal = c->gamma[c->t];
  set_slip(c, y, c->mu * normal, t, out);
  for (int i = 0; i < c->t; i++) {
    out->E[i][c->t] = -c->scale * c->mu * t[i];
    out->widen[i] *= normal;
    speed2 += c->d[i] * c->d[i];
  }
  out->D[c->t][c->t] = 1;
  out->E[c->t][c->t] = R[c->t];
  out->f[c->t] = c->d[c->t] + R[c->t] * normal;
  if (c->is_coulomb) return;
  out->E[c->t][c->t] += c->mu * c->mu * R[0];
  out->f[c->t] += c->mu * (c->mu * R[0] * normal - sqrt(speed2));
  out->widen[c->t] = sqrt(speed2) - 2 * c->mu * R[0] * normal;
  for (int i = 0; i < c->t; i++) out->D[c->t][i] = c->mu * t[i];
}

/* Coulomb's law asks for gamma_n on the positive reals and gamma_t on the disc that it leaves
 * (Alart and Curnier 1991), the convex one for both on the cone. De Saxce's term, which makes a
 * cone of Coulomb's, too, is right at solutions alone: for mu >= 1 a slip that turns back would go
 * on. */
static void find_cone(const cone* c, cr_law_tangent* out) {
  double y[CR_LAW_MAX_ROWS] = {0}, s[CR_LAW_MAX_ROWS] = {0}, across2 = 0;
  for (int i = 0; i <= c->t; i++) s[i] = c->d[i] + c->p->R[c->row + i] * c->gamma[i];
  for (int i = 0; i <= c->t; i++) y[i] = c->gamma[i] - s[i] / c->scale;
  for (int i = 0; i < c->t; i++) across2 += y[i] * y[i];
  double across = sqrt(across2), normal = y[c->t], size = fabs(normal) + across;
  double root = sqrt(1 + c->mu * c->mu), inside = c->mu * normal - across;
  double polar = c->is_coulomb ? root * normal : normal + c->mu * across;
  double nearest = fmin(fabs(inside), fabs(polar)) / root;
  out->kink = size > 0 ? nearest / size : 0;
  out->kink_speed = nearest * c->scale;
  if (inside >= 0 && normal > 0)
    set_stick(c->p, c->row, c->scale, s, out);
  else if (polar <= 0 || !(c->gamma[c->t] > 0))
    set_open(c->gamma, out);
  else
    set_slide(c, y, out);
}

/* Friction with a given bound r: gamma = r t in slide, t = - d / |d| as of a cone, so that
 * dgamma + (r / |d|) (I - t tᵀ) dd = t dr. */
static void find_disc(const cone* c, cr_law_tangent* out) {
  const double* R = c->p->R + c->row;
  double s[CR_LAW_MAX_ROWS] = {0}, y[2], t[2];
  for (int k = 0; k < 2; k++) s[k] = c->d[k] + R[k] * c->gamma[k];
  for (int k = 0; k < 2; k++) y[k] = c->gamma[k] - s[k] / c->scale;
  double across = hypot(y[0], y[1]), inside = c->mu - across;
  out->kink = out->kink_speed = INFINITY;
  if (!(c->mu > 0)) {
    set_open(c->gamma, out);
    return;
  }
  out->kink = fabs(inside) / (c->mu + across), out->kink_speed = fabs(inside) * c->scale;
  if (inside >= 0)
    set_stick(c->p, c->row, c->scale, s, out);
  else
    set_slip(c, y, c->mu, t, out);
}

double cr_law_tangent_find_scale(const cr_problem* problem, const double* W, int constraint) {
  const cr_law* law = cr_law_get(problem->kind[constraint]);
  return cr_law_largest_eigenvalue(W + problem->ld * problem->row[constraint], law->rows);
}

void cr_law_tangent_find(const cr_law_at* at, cr_law_tangent* out) {
  const cr_problem* p = at->problem;
  int i = at->constraint, row = p->row[i];
  double d[CR_LAW_MAX_ROWS] = {0};
  const cr_law* law = cr_law_get(p->kind[i]);
  memset(out, 0, sizeof *out);
  out->rows = law->rows;
  for (int k = 0; k < law->rows; k++) d[k] = at->v_c[k] - p->v_hat[row + k];
  const cone c = {p, row,       law->rows - law->is_cone, p->parameter[2 * i], at->scale,
                  d, at->gamma, at->is_coulomb,           at->least_slip};
  if (law->is_cone)
    find_cone(&c, out);
  else if (p->kind[i] == CR_LAW_DISC)
    find_disc(&c, out);
  else
    find_bounds(p, i, d, at->gamma, at->scale, out);
}
