/* Derivatives of area.c along one direction, stage by stage: moments, what corners have of them,
 * rings, points. A d before a name is its change. */
#include "geom/area_tangent.h"

#include "geom/area_rule.h"

#include <string.h>

/* A direction, at the rule's place. */
typedef struct move {
  cr_area_frame f, df; /* df.moments is not used */
  cr_area_moments at, d;
  const cr_area_tier* tier;
  cr_area_rings r;
} move;

static double cross_change(const double* p, const double* q, const double* dp, const double* dq) {
  return cr_area_cross(dp, q) + cr_area_cross(p, dq);
}

static double length_change(const double* p, const double* dp) {
  double length = cr_area_length(p);
  return length > 0 ? (p[0] * dp[0] + p[1] * dp[1]) / length : 0;
}

/* --- Moments ------------------------------------------------------------------------------------
 */

/* Area, first and second moments, and their changes. */
typedef struct sums {
  double at[6], d[6];
} sums;

/* Of the triangle of the first corner and a side: area, first and second moments about it.
 * @param p, q from the first corner to the side's ends; the moments' changes are with it held */
static void change_triangle(const double* p, const double* q, const double* dp, const double* dq,
                            sums* s) {
  double *sum = s->at, *dsum = s->d;
  double area = cr_area_cross(p, q) / 2, darea = cross_change(p, q, dp, dq) / 2;
  const double total[2] = {p[0] + q[0], p[1] + q[1]}, dtotal[2] = {dp[0] + dq[0], dp[1] + dq[1]};
  sum[0] += area, dsum[0] += darea;
  for (int k = 0, at = 3; k < 2; k++) {
    sum[1 + k] += area / 3 * total[k];
    dsum[1 + k] += (darea * total[k] + area * dtotal[k]) / 3;
    for (int l = k; l < 2; l++, at++) {
      double all = total[k] * total[l] + p[k] * p[l] + q[k] * q[l];
      double dall = dtotal[k] * total[l] + total[k] * dtotal[l] + dp[k] * p[l] + p[k] * dp[l] +
                    dq[k] * q[l] + q[k] * dq[l];
      sum[at] += area / 12 * all;
      dsum[at] += (darea * all + area * dall) / 12;
    }
  }
}

/* ∫ r over the triangle of a point and a side: with the side's distance h, and u along it from the
 * foot of the perpendicular, F = h/6 (u r + h² asinh(u / |h|)), ∂F/∂u = h r / 3 and ∂F/∂h = (u r +
 * 3 h² asinh(u / |h|)) / 6. */
static double integral_change(double h, double u, double dh, double du) {
  double r = hypot(h, u), turn = h != 0 ? h * h * asinh(u / fabs(h)) : 0;
  return h * r / 3 * du + (u * r + 3 * turn) / 6 * dh;
}

/* Of the integral of the distance from a point over the triangle of it and a side. */
static double distances_change(const double* p, const double* q, const double* dp,
                               const double* dq) {
  const double e[2] = {q[0] - p[0], q[1] - p[1]}, de[2] = {dq[0] - dp[0], dq[1] - dp[1]};
  double length = cr_area_length(e), dlength = length_change(e, de);
  if (!(length > 0)) return 0;
  double h = cr_area_cross(p, e) / length, u = (p[0] * e[0] + p[1] * e[1]) / length;
  double dh = (cross_change(p, e, dp, de) - h * dlength) / length;
  double du = (dp[0] * e[0] + dp[1] * e[1] + p[0] * de[0] + p[1] * de[1] - u * dlength) / length;
  return integral_change(h, u + length, dh, du + dlength) - integral_change(h, u, dh, du);
}

static void subtract(const double* a, const double* b, double* out) {
  for (int k = 0; k < 2; k++) out[k] = a[k] - b[k];
}

static void change_polygon(const double (*x)[2], const double (*dx)[2], int count, move* m) {
  sums s = {{0}, {0}};
  const double *sum = s.at, *dsum = s.d;
  double p[2], q[2], dp[2], dq[2], dtotal = 0;
  for (int i = 1; i + 1 < count; i++) {
    subtract(x[i], x[0], p), subtract(x[i + 1], x[0], q);
    subtract(dx[i], dx[0], dp), subtract(dx[i + 1], dx[0], dq);
    change_triangle(p, q, dp, dq, &s);
  }
  double area = sum[0], mean[2], dmean[2];
  m->d.area = dsum[0];
  for (int k = 0, at = 0; k < 2; k++) {
    mean[k] = sum[1 + k] / area;
    dmean[k] = (dsum[1 + k] - mean[k] * dsum[0]) / area;
    m->d.center[k] = dx[0][k] + dmean[k];
    for (int l = 0; l <= k; l++) {
      at = k + l; /* xx, xy, yy */
      double second = sum[3 + at] / area;
      m->d.second[at] =
          (dsum[3 + at] - second * dsum[0]) / area - dmean[k] * mean[l] - mean[k] * dmean[l];
    }
  }
  for (int i = 0; i < count; i++) {
    int k = cr_area_next(i, count);
    subtract(x[i], m->at.center, p), subtract(x[k], m->at.center, q);
    subtract(dx[i], m->d.center, dp), subtract(dx[k], m->d.center, dq);
    dtotal += distances_change(p, q, dp, dq);
  }
  m->d.mean = (dtotal - m->at.mean * dsum[0]) / area;
}

int cr_area_change_mean_distance(const double (*x)[2], const double (*dx)[2], int count,
                                 double* mean, double* change) {
  const double origin[2] = {0, 0};
  double area = 0, darea = 0, dtotal = 0;
  *mean = cr_area_find_mean_distance(x, count, origin);
  for (int i = 0; i < count; i++) {
    int k = cr_area_next(i, count);
    area += cr_area_cross(x[i], x[k]) / 2;
    darea += cross_change(x[i], x[k], dx[i], dx[k]) / 2;
    dtotal += distances_change(x[i], x[k], dx[i], dx[k]);
  }
  if (!(*mean > 0)) return 0;
  *change = (dtotal - *mean * darea) / area;
  return 1;
}

static void change_disc(const double (*x)[2], const double (*dx)[2], int count, move* m) {
  double p[2], dp[2];
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) m->d.center[k] += dx[i][k] / count;
  subtract(x[0], m->at.center, p), subtract(dx[0], m->d.center, dp);
  double R = cr_area_length(p), dR = length_change(p, dp);
  m->d.area = 2 * M_PI * R * dR;
  m->d.second[0] = m->d.second[2] = R * dR / 2, m->d.second[1] = 0;
  m->d.mean = 2 * dR / 3;
}

/* --- Corners ------------------------------------------------------------------------------------
 */

/* Of cr_area_frame_init. */
static void change_frame(const double (*dx)[2], move* m) {
  const cr_area_frame* f = &m->f;
  cr_area_frame* df = &m->df;
  int count = f->count;
  double middle[2] = {0, 0}, dmiddle[2] = {0, 0}, twice[CR_AREA_CORNERS], dtwice[CR_AREA_CORNERS];
  double sum = 0, dsum = 0;
  *df = (cr_area_frame){.count = count};
  for (int i = 0; i < count; i++) {
    subtract(dx[i], m->d.center, df->d[i]);
    for (int k = 0; k < 2; k++) middle[k] += f->d[i][k] / count, dmiddle[k] += df->d[i][k] / count;
  }
  for (int i = 0; i < count; i++) {
    int k = cr_area_next(i, count);
    const double *p = f->d[i], *q = f->d[k], *dp = df->d[i], *dq = df->d[k];
    twice[i] = cr_area_corner_triangle(p, q, middle);
    dtwice[i] = twice[i] > 0 ? cross_change(p, q, dp, dq) - cross_change(middle, q, dmiddle, dq) +
                                   cross_change(middle, p, dmiddle, dp)
                             : 0;
    sum += twice[i], dsum += dtwice[i];
  }
  for (int i = 0; i < count; i++) {
    int before = i > 0 ? i - 1 : count - 1;
    double s = f->share[i], length = cr_area_length(f->d[i]);
    double ds = df->share[i] = (dtwice[i] + dtwice[before] - 2 * s * dsum) / (2 * sum);
    const double *d = f->d[i], *dd = df->d[i];
    df->mean += ds * length + s * length_change(d, dd);
    for (int k = 0, at = 0; k < 2; k++) {
      df->first[k] += ds * d[k] + s * dd[k];
      for (int l = k; l < 2; l++)
        df->second[at++] += ds * d[k] * d[l] + s * (dd[k] * d[l] + d[k] * dd[l]);
    }
  }
}

/* --- Rings --------------------------------------------------------------------------------------
 */

/* Of the root (M + s 1) / t, s = √det, t = √(trace + 2 s). */
static void change_root(const double* M, const double* dM, double* dL) {
  double s = sqrt(M[0] * M[2] - M[1] * M[1]), t = sqrt(M[0] + M[2] + 2 * s);
  double ds = (dM[0] * M[2] + M[0] * dM[2] - 2 * M[1] * dM[1]) / (2 * s);
  double dt = (dM[0] + dM[2] + 2 * ds) / (2 * t);
  for (int i = 0; i < 3; i++) {
    double L = (M[i] + (i != 1 ? s : 0)) / t;
    dL[i] = (dM[i] + (i != 1 ? ds : 0) - L * dt) / t;
  }
}

/* Of the turn, by that of the long axis of L. */
static void change_axis(const cr_area_rings* r, cr_area_rings* dr) {
  double a = r->L[0] - r->L[2], b = 2 * r->L[1], da = dr->L[0] - dr->L[2], db = 2 * dr->L[1];
  double angle = (a * db - b * da) / (2 * (a * a + b * b));
  dr->turn[0] = -angle * r->turn[1], dr->turn[1] = angle * r->turn[0];
}

/* Of cr_area_find_rings, where the corners' weight changes by dw, and where all else does, or not.
 */
static void change_rings(const move* m, double dw, bool all, cr_area_rings* dr) {
  const cr_area_frame* f = &m->f;
  const cr_area_rings* r = &m->r;
  double w = r->w, left = 1 - w, M[3], dM[3], on = all ? 1 : 0;
  *dr = (cr_area_rings){.w = dw};
  for (int k = 0; k < 2; k++)
    dr->center[k] = -(dw * f->first[k] + on * w * m->df.first[k]) / left + r->center[k] * dw / left;
  for (int k = 0, at = 0; k < 2; k++)
    for (int l = k; l < 2; l++, at++) {
      double rest = (m->at.second[at] - w * f->second[at]) / left;
      double drest = on * (m->d.second[at] - w * m->df.second[at]) - dw * f->second[at];
      M[at] = rest - r->center[k] * r->center[l];
      dM[at] =
          (drest + rest * dw) / left - dr->center[k] * r->center[l] - r->center[k] * dr->center[l];
    }
  change_root(M, dM, dr->L);
  if (f->is_slender) {
    change_axis(r, dr);
    return;
  }
  const double *d = f->d[0], *dd = m->df.d[0], *L = r->L, *dL = dr->L;
  const double u[2] = {L[2] * d[0] - L[1] * d[1], L[0] * d[1] - L[1] * d[0]};
  double size = cr_area_length(u);
  if (!(size > 0)) return;
  const double du[2] = {
      dL[2] * d[0] - dL[1] * d[1] + on * (L[2] * dd[0] - L[1] * dd[1]),
      dL[0] * d[1] - dL[1] * d[0] + on * (L[0] * dd[1] - L[1] * dd[0]),
  };
  double along = r->turn[0] * du[0] + r->turn[1] * du[1];
  for (int k = 0; k < 2; k++) dr->turn[k] = (du[k] - along * r->turn[k]) / size;
}

/* Of cr_area_place_point. */
static void change_point(const move* m, const cr_area_rings* dr, int ring, int i, double* dx) {
  const cr_area_rings* r = &m->r;
  cr_area_ring of = cr_area_find_ring(r, m->tier, ring);
  const double* part = of.part[of.step * i];
  double y[2], dy[2], radius = r->radius[ring];
  y[0] = radius * (r->turn[0] * part[0] - r->turn[1] * part[1]);
  y[1] = radius * (r->turn[1] * part[0] + r->turn[0] * part[1]);
  dy[0] = radius * (dr->turn[0] * part[0] - dr->turn[1] * part[1]);
  dy[1] = radius * (dr->turn[1] * part[0] + dr->turn[0] * part[1]);
  for (int k = 0; k < 2; k++)
    dx[k] = dr->center[k] + dr->L[k] * y[0] + dr->L[1 + k] * y[1] + r->L[k] * dy[0] +
            r->L[1 + k] * dy[1];
}

/* Of the sum of weights times distances that compare() of area.c finds. */
static double change_mean(const move* m, const cr_area_rings* dr, bool all) {
  double sum = dr->w * m->f.mean + (all ? m->r.w * m->df.mean : 0), x[2], dx[2];
  for (int ring = 0; ring < 2; ring++) {
    cr_area_ring of = cr_area_find_ring(&m->r, m->tier, ring);
    double weight = of.weight, by_w = -weight / (1 - m->r.w) * dr->w;
    for (int i = 0; i < of.count; i++) {
      cr_area_place_point(&m->r, &of, i, x);
      change_point(m, dr, ring, i, dx);
      sum += by_w * cr_area_length(x) + weight * length_change(x, dx);
    }
  }
  return sum;
}

/* How the weight of the corners changes, so that the mean distance stays right. */
static double find_weight_change(const move* m) {
  cr_area_rings held, by_w;
  change_rings(m, 0, true, &held);
  change_rings(m, 1, false, &by_w);
  double slope = change_mean(m, &by_w, false);
  return slope != 0 ? (m->d.mean - change_mean(m, &held, true)) / slope : 0;
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* make_line() of area.c. */
static void change_line(const double (*x)[2], const double (*dx)[2], const cr_area_rule* rule,
                        cr_area_change* out) {
  const double e[2] = {x[1][0] - x[0][0], x[1][1] - x[0][1]};
  double length2 = e[0] * e[0] + e[1] * e[1];
  for (int i = 0; i < rule->count; i++) {
    const double* p = rule->point[i].x;
    double s = ((p[0] - x[0][0]) * e[0] + (p[1] - x[0][1]) * e[1]) / length2;
    for (int k = 0; k < 2; k++) out->x[i][k] = (1 - s) * dx[0][k] + s * dx[1][k];
  }
}

static void begin(const cr_area_corners* corners, const cr_area_rule* rule, move* m) {
  const double(*x)[2] = corners->x;
  int count = corners->count;
  *m = (move){.tier = cr_area_find_tier(rule)};
  if (corners->moments)
    m->at = *corners->moments;
  else if (corners->kind == CR_AREA_OF_DISC)
    cr_area_measure_disc(x, count, &m->at);
  else
    cr_area_measure_polygon(x, count, &m->at);
  double w = 0;
  for (int i = 0; i < rule->count; i++) w += rule->point[i].corner >= 0 ? rule->point[i].weight : 0;
  cr_area_frame_init(x, count, &m->at, &m->f);
  cr_area_find_rings(&m->f, m->tier, w, &m->r);
}

void cr_area_differentiate(const cr_area_corners* corners, const double (*change_of)[2],
                           const cr_area_rule* rule, cr_area_change* change) {
  const double(*x)[2] = corners->x;
  int count = corners->count;
  move m;
  cr_area_rings dr;
  memset(change, 0, sizeof *change);
  if (count == 2) {
    change_line(x, change_of, rule, change);
    return;
  }
  begin(corners, rule, &m);
  if (corners->change)
    m.d = *corners->change;
  else if (corners->kind == CR_AREA_OF_DISC)
    change_disc(x, change_of, count, &m);
  else
    change_polygon(x, change_of, count, &m);
  change_frame(change_of, &m);
  change_rings(&m, rule->is_exact ? find_weight_change(&m) : 0, true, &dr);
  change->area = m.d.area;
  int at = 0;
  for (; at < count; at++) {
    for (int k = 0; k < 2; k++) change->x[at][k] = change_of[at][k];
    change->weight[at] = dr.w * m.f.share[at] + m.r.w * m.df.share[at];
  }
  for (int ring = 0; ring < 2; ring++) {
    cr_area_ring of = cr_area_find_ring(&m.r, m.tier, ring);
    for (int i = 0; i < of.count; i++, at++) {
      change_point(&m, &dr, ring, i, change->x[at]);
      for (int k = 0; k < 2; k++) change->x[at][k] += m.d.center[k];
      change->weight[at] = -of.weight / (1 - m.r.w) * dr.w;
    }
  }
}

double cr_area_find_nearest_kink(const cr_area_corners* corners, const cr_area_rule* rule) {
  move m;
  if (corners->count == 2) return INFINITY;
  begin(corners, rule, &m);
  return cr_area_find_kink(rule, &m.at);
}
