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

static void set_stick(const cr_problem* p, int row, double scale, cr_law_tangent* out) {
  out->state = CR_LAW_STICK;
  set_identity(out->D, out->rows);
  for (int i = 0; i < out->rows; i++) out->E[i][i] = fmax(p->R[row + i], CR_LAW_LEAST_R * scale);
}

static void set_open(cr_law_tangent* out) {
  out->state = CR_LAW_OPEN;
  set_identity(out->E, out->rows);
}

/* --- Bounds -------------------------------------------------------------------------------------
 */

static void find_bounds(const cr_problem* p, int i, const double* d, const double* gamma,
                        double scale, cr_law_tangent* out) {
  const double* bound = p->parameter + 2 * i;
  double y = gamma[0] - (d[0] + p->R[p->row[i]] * gamma[0]) / scale;
  double inside = fmin(y - bound[0], bound[1] - y);
  double size = fabs(gamma[0]) + fabs(d[0]) / scale + fabs(inside);
  out->kink = isinf(inside) ? INFINITY : size > 0 ? fabs(inside) / size : 0;
  out->kink_speed = fabs(inside) * scale;
  if (inside > 0)
    set_stick(p, p->row[i], scale, out);
  else
    set_open(out), out->widen[0] = copysign(1, gamma[0]);
}

/* --- Cones --------------------------------------------------------------------------------------
 */

/* A cone's data, tangential rows first, the normal last; or a disc's. */
typedef struct cone {
  const cr_problem* p;
  int row, t;       /* the first row; how many are tangential */
  double mu, scale; /* of a disc its radius */
  const double *d, *gamma;
  bool is_coulomb;
} cone;

/* Whether anchors make some tangential rows give way, and not those of moments. */
static bool is_uneven(const cone* c) {
  bool any = false;
  for (int i = 1; i < c->t; i++) any |= c->p->R[c->row + i] != c->p->R[c->row];
  return any;
}

static void set_slide(const cone* c, cr_law_tangent* out) {
  const double* R = c->p->R + c->row;
  double speed2 = 0, normal = c->gamma[c->t];
  bool uneven = is_uneven(c); /* then t is not along d, but along d + R gamma */
  out->state = CR_LAW_SLIDE;
  double g[CR_LAW_MAX_ROWS], t[CR_LAW_MAX_ROWS];
  for (int i = 0; i < c->t; i++) {
    g[i] = c->d[i] + (uneven ? R[i] * c->gamma[i] : 0);
    speed2 += g[i] * g[i];
  }
  double speed = sqrt(speed2), turn = c->mu * normal * c->scale / speed, unit = 1 / (1 + turn);
  for (int i = 0; i < c->t; i++) t[i] = -g[i] / speed;
  /* Rows of the size of the others, from slow slip to fast. */
  for (int i = 0; i < c->t; i++) {
    out->E[i][i] = unit * c->scale;
    out->E[i][c->t] = -unit * c->scale * c->mu * t[i];
    for (int j = 0; j < c->t; j++) {
      out->D[i][j] = unit * turn * ((i == j) - t[i] * t[j]);
      if (uneven) out->E[i][j] += out->D[i][j] * R[j];
    }
  }
  for (int i = 0; i < c->t; i++) out->widen[i] = unit * c->scale * normal * t[i];
  out->D[c->t][c->t] = 1;
  out->E[c->t][c->t] = R[c->t];
  if (c->is_coulomb) return;
  out->E[c->t][c->t] += c->mu * c->mu * R[0];
  out->widen[c->t] = speed - 2 * c->mu * R[0] * normal;
  for (int i = 0; i < c->t; i++) out->D[c->t][i] = c->mu * t[i];
}

/* The edge of sliding, where it begins along - t with t given: no slip across it. */
static void set_edge(const cone* c, const double* t, cr_law_tangent* out) {
  const double* R = c->p->R + c->row;
  out->state = CR_LAW_SLIDE;
  for (int i = 0; i < c->t; i++) {
    for (int j = 0; j < c->t; j++) {
      out->E[i][j] = c->scale * t[i] * t[j];
      out->D[i][j] = (i == j) - t[i] * t[j];
    }
    out->E[i][c->t] = -c->scale * c->mu * t[i];
  }
  out->D[c->t][c->t] = 1;
  out->E[c->t][c->t] = R[c->t];
  if (c->is_coulomb) return;
  out->E[c->t][c->t] += c->mu * c->mu * R[0];
  for (int i = 0; i < c->t; i++) out->D[c->t][i] = c->mu * t[i];
}

/* gamma - s / scale, with De Saxce's term in s where Coulomb's law asks for it. */
static void find_trial(const cone* c, double* y) {
  double slip2 = 0;
  for (int i = 0; i <= c->t; i++) {
    double s = c->d[i] + c->p->R[c->row + i] * c->gamma[i];
    y[i] = c->gamma[i] - s / c->scale;
    if (i < c->t) slip2 += s * s;
  }
  if (c->is_coulomb) y[c->t] -= c->mu * sqrt(slip2) / c->scale;
}

static void find_cone(const cone* c, cr_law_tangent* out) {
  double y[CR_LAW_MAX_ROWS] = {0}, across2 = 0;
  find_trial(c, y);
  for (int i = 0; i < c->t; i++) across2 += y[i] * y[i];
  double across = sqrt(across2), normal = y[c->t], size = fabs(normal) + across;
  double inside = c->mu * normal - across, polar = normal + c->mu * across;
  double root = sqrt(1 + c->mu * c->mu);
  double nearest = fmin(fabs(inside), fabs(polar)) / root;
  out->kink = size > 0 ? nearest / size : 0;
  out->kink_speed = nearest * c->scale;
  if (inside >= 0 && normal > 0)
    set_stick(c->p, c->row, c->scale, out);
  else if (polar <= 0 || !(c->gamma[c->t] > 0))
    set_open(out);
  else
    set_slide(c, out);
}

/* Friction with a given bound r: gamma = r t in slide, t = - d / |d| as of a cone, so that
 * dgamma + (r / |d|) (I - t tᵀ) dd = t dr. */
static void slide_disc(double radius, const double* d, double scale, cr_law_tangent* out) {
  double speed = hypot(d[0], d[1]), turn = radius * scale / speed, unit = 1 / (1 + turn);
  const double t[2] = {-d[0] / speed, -d[1] / speed};
  out->state = CR_LAW_SLIDE;
  for (int i = 0; i < 2; i++) {
    out->E[i][i] = unit * scale;
    for (int j = 0; j < 2; j++) out->D[i][j] = unit * turn * ((i == j) - t[i] * t[j]);
    out->widen[i] = unit * scale * t[i];
  }
}

static void find_disc(const cone* c, cr_law_tangent* out) {
  const double* R = c->p->R + c->row;
  double y[2];
  for (int k = 0; k < 2; k++) y[k] = c->gamma[k] - (c->d[k] + R[k] * c->gamma[k]) / c->scale;
  double across = hypot(y[0], y[1]), inside = c->mu - across;
  out->kink = out->kink_speed = INFINITY;
  if (!(c->mu > 0)) {
    set_open(out);
    return;
  }
  out->kink = fabs(inside) / (c->mu + across), out->kink_speed = fabs(inside) * c->scale;
  if (inside >= 0)
    set_stick(c->p, c->row, c->scale, out);
  else
    slide_disc(c->mu, c->d, c->scale, out);
}

double cr_law_tangent_find_scale(const cr_problem* problem, const double* W, int constraint) {
  const cr_law* law = cr_law_get(problem->kind[constraint]);
  return cr_law_largest_eigenvalue(W + problem->ld * problem->row[constraint], law->rows);
}

void cr_law_tangent_find(const cr_problem* problem, int constraint, const double* v_c,
                         const double* gamma, double scale, bool is_coulomb, cr_law_tangent* out) {
  const cr_problem* p = problem;
  int i = constraint;
  double d[CR_LAW_MAX_ROWS] = {0};
  const cr_law* law = cr_law_get(p->kind[i]);
  memset(out, 0, sizeof *out);
  out->rows = law->rows;
  for (int k = 0; k < law->rows; k++) d[k] = v_c[k] - p->v_hat[p->row[i] + k];
  const cone c = {p, p->row[i], law->rows - 1, p->parameter[2 * i], scale, d, gamma, is_coulomb};
  if (law->is_cone)
    find_cone(&c, out);
  else if (p->kind[i] == CR_LAW_DISC)
    find_disc(&c, out);
  else
    find_bounds(p, i, d, gamma, scale, out);
}

/* A cone at a border: that of sticking, else that of opening. */
typedef struct border {
  cone c;
  double d[CR_LAW_MAX_ROWS], y[CR_LAW_MAX_ROWS], across;
  bool is_edge;
} border;

static void find_border(const cr_law_at* at, border* b) {
  const cr_problem* p = at->problem;
  int row = p->row[at->constraint], t = cr_law_get(p->kind[at->constraint])->rows - 1;
  double across2 = 0;
  memset(b, 0, sizeof *b);
  for (int k = 0; k <= t; k++) b->d[k] = at->v_c[k] - p->v_hat[row + k];
  b->c = (cone){p,         row,  t,         p->parameter[2 * at->constraint],
                at->scale, b->d, at->gamma, at->is_coulomb};
  find_trial(&b->c, b->y);
  for (int i = 0; i < t; i++) across2 += b->y[i] * b->y[i];
  b->across = sqrt(across2);
  b->is_edge = fabs(b->c.mu * b->y[t] - b->across) <= fabs(b->y[t] + b->c.mu * b->across);
}

bool cr_law_tangent_find_other(const cr_law_at* at, cr_law_state state, cr_law_tangent* out) {
  border b;
  find_border(at, &b);
  memset(out, 0, sizeof *out);
  out->rows = b.c.t + 1;
  if (state == CR_LAW_SLIDE) {
    if (b.across == 0) return false;
    for (int i = 0; i < b.c.t; i++) b.y[i] /= b.across;
    if (b.is_edge)
      set_edge(&b.c, b.y, out);
    else
      set_slide(&b.c, out);
    return true;
  }
  if (b.across > 0 && (state == CR_LAW_STICK) != b.is_edge) return false;
  if (state == CR_LAW_STICK)
    set_stick(at->problem, b.c.row, at->scale, out);
  else
    set_open(out);
  return true;
}

double cr_law_tangent_move_border(const cr_law_at* at, const double* dd, const double* dgamma) {
  border b;
  double dy[CR_LAW_MAX_ROWS] = {0}, along = 0, slip2 = 0, slip = 0;
  find_border(at, &b);
  int t = b.c.t;
  if (b.across == 0) return INFINITY;
  for (int i = 0; i <= t; i++) {
    double R = at->problem->R[b.c.row + i], s = b.d[i] + R * at->gamma[i];
    double ds = dd[i] + R * dgamma[i];
    dy[i] = at->scale * dgamma[i] - ds;
    if (i == t) break;
    along += b.y[i] / b.across * dy[i];
    slip2 += s * s, slip += s * ds;
  }
  if (at->is_coulomb && slip2 > 0) dy[t] -= b.c.mu * slip / sqrt(slip2);
  double change = b.is_edge ? b.c.mu * dy[t] - along : dy[t] + b.c.mu * along;
  return fabs(change) / sqrt(1 + b.c.mu * b.c.mu);
}
