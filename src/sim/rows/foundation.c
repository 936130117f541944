#include "sim/rows/foundation.h"

#include "math/scalar.h"

#include <math.h>

#define THIN   1e-6  /* of the sum of the second moments, squared: points on a line */
#define BESIDE 0.999 /* square of a cosine: 2 degrees off a line */

/* Pressure as a linear function of the place over what bears: N s for the whole area. */
typedef struct pressure {
  const v3* t;     /* tangents, [2] */
  double x[2];     /* m, the middle of what bears */
  double mean;     /* N s */
  double slope[2]; /* N s / m */
  double S[3];     /* second moments over what bears, by shares, m² */
  bool is_line;    /* that is on one line */
  double sum;      /* N s */
} pressure;

void cr_foundation_add(cr_foundation* foundation, const cr_contact_point* point, int row,
                       double W) {
  foundation->items[foundation->count++] =
      (cr_footing){.point = point, .row = row, .soft = foundation->softness * W / point->weight};
}

static int find_end(const cr_foundation* f, int start) {
  int end = start + 1;
  while (end < f->count && f->items[end].point->first == f->items[start].point->first) end++;
  return end;
}

static void locate(const pressure* p, const cr_footing* f, double x[2]) {
  for (int k = 0; k < 2; k++) x[k] = v3_dot(p->t[k], f->point->position) - p->x[k];
}

/* The generalised inverse of second moments times b: of points on a line the slope along it. */
static void find_slope(const double b[2], pressure* p) {
  const double* S = p->S;
  double trace = S[0] + S[2], det = S[0] * S[2] - S[1] * S[1];
  p->is_line = !(det > THIN * trace * trace);
  if (!(trace > 0)) return;
  double scale = p->is_line ? trace * trace : det;
  const double M[3] = {S[p->is_line ? 0 : 2], p->is_line ? S[1] : -S[1], S[p->is_line ? 2 : 0]};
  p->slope[0] = (M[0] * b[0] + M[1] * b[1]) / scale;
  p->slope[1] = (M[1] * b[0] + M[2] * b[1]) / scale;
}

/* Fits gamma over the share of the area where it is positive, each point by its share. */
static pressure fit_pressure(const cr_footing* f, int count, const double* gamma) {
  pressure p = {.t = f->point->tangent};
  double weight = 0, b[2] = {0}, x[2], *S = p.S;
  for (int i = 0; i < count; i++) {
    double impulse = gamma[f[i].row], w = f[i].point->weight;
    if (!(impulse > 0)) continue;
    for (int k = 0; k < 2; k++) p.x[k] += w * v3_dot(p.t[k], f[i].point->position);
    weight += w, p.sum += impulse;
  }
  if (!(weight > 0)) return p;
  for (int k = 0; k < 2; k++) p.x[k] /= weight;
  p.mean = p.sum / weight;
  for (int i = 0; i < count; i++) {
    double impulse = gamma[f[i].row], w = f[i].point->weight;
    if (!(impulse > 0)) continue;
    locate(&p, &f[i], x);
    for (int k = 0; k < 2; k++) b[k] += (impulse - w * p.mean) * x[k];
    S[0] += w * x[0] * x[0], S[1] += w * x[0] * x[1], S[2] += w * x[1] * x[1];
  }
  find_slope(b, &p);
  return p;
}

/* A load on a line says nothing of what is beside it. */
static bool is_beside(const pressure* p, const double x[2]) {
  const double* S = p->S;
  double along = S[0] * x[0] * x[0] + 2 * S[1] * x[0] * x[1] + S[2] * x[1] * x[1];
  return p->is_line && along < BESIDE * (S[0] + S[2]) * (x[0] * x[0] + x[1] * x[1]);
}

/* What the foundation gives at a point under a pressure, m/s, also where it is not loaded: less
 * than nothing is what it would rise by. */
static double find_give(const cr_footing* f, const pressure* p) {
  double x[2];
  if (!(f->soft > f->R)) return 0;
  locate(p, f, x);
  double share = (f->soft - f->R) * f->point->weight;
  double give = share * (p->mean + p->slope[0] * x[0] + p->slope[1] * x[1]);
  return is_beside(p, x) ? scalar_min(give, 0) : give;
}

/* Moves v_hat of a patch. Where nothing bears it is no matter that it falls.
 * @return whether the pressure was off by more than the tolerance, of the mean one */
static bool settle_patch(cr_footing* f, int count, double tolerance, cr_problem* problem,
                         const double* gamma) {
  const pressure p = fit_pressure(f, count, gamma);
  bool is_off = false;
  for (int i = 0; i < count; i++) {
    bool bears = gamma[f[i].row] > 0;
    double give = find_give(&f[i], &p), change = give - f[i].give;
    double most = tolerance * f[i].soft * f[i].point->weight * p.sum;
    is_off |= (bears ? fabs(change) : change) > most;
    f[i].give = give;
    problem->v_hat[f[i].row] = f[i].v_hat + give;
  }
  return is_off;
}

bool cr_foundation_gives(cr_foundation* f, cr_problem* problem, const double* gamma,
                         double tolerance) {
  bool any = false;
  for (int start = 0, end; start < f->count; start = end) {
    end = find_end(f, start);
    any |= settle_patch(f->items + start, end - start, tolerance, problem, gamma);
  }
  return any;
}

void cr_foundation_lay(cr_foundation* foundation, cr_problem* problem) {
  for (int i = 0; i < foundation->count; i++) {
    cr_footing* f = &foundation->items[i];
    f->R = problem->R[f->row], f->v_hat = problem->v_hat[f->row], f->give = 0;
    problem->R[f->row] = scalar_max(f->R, f->soft);
  }
}

void cr_foundation_lift(const cr_foundation* foundation, cr_problem* problem) {
  for (int i = 0; i < foundation->count; i++) {
    const cr_footing* f = &foundation->items[i];
    problem->R[f->row] = f->R, problem->v_hat[f->row] = f->v_hat;
  }
}
