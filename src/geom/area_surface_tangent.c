/* Reynolds' transport theorem: d ∫ f = ∮ f v · ν ds, with v of the shape whose edge it is; sides
 * within the area come twice and cancel. The center moves, too: of the mean distance from it ∫ r,
 * that takes off its change times ∫ ∇r = ∮ r ν ds. */
#include "geom/area_surface_tangent.h"

#include "geom/area_rule.h"

#define GAUSS 0.28867513459481288 /* 1 / √12: of two points on a side, from its middle */

/* Integrals over the sides, about the area's center. */
typedef struct flux {
  const double* center;
  const cr_area_flow* flow;
  double area, first[2], second[3], distances;
  double pull[2]; /* ∮ r ν ds */
} flux;

/* v times the outward normal, over the side e. */
static double find_rate(const cr_area_flow* f, const double* x, const double* e) {
  double v[2];
  for (int k = 0; k < 2; k++) v[k] = f->at[k] + f->by[k][0] * x[0] + f->by[k][1] * x[1];
  return cr_area_cross(v, e);
}

/* Up to second moments: of the third degree along a side. */
static void add_moments(flux* f, const cr_area_flow* flow, const double* from, const double* e) {
  for (int i = -1; i < 2; i += 2) {
    double x[2], d[2];
    for (int k = 0; k < 2; k++)
      x[k] = from[k] + (0.5 + i * GAUSS) * e[k], d[k] = x[k] - f->center[k];
    double rate = 0.5 * find_rate(flow, x, e);
    f->area += rate;
    for (int k = 0, at = 0; k < 2; k++) {
      f->first[k] += rate * d[k];
      for (int l = k; l < 2; l++) f->second[at++] += rate * d[k] * d[l];
    }
  }
}

/* ∫ r du = (u r + h² asinh(u / |h|)) / 2 at the distance h of a line. */
static double integrate(double h, double u) {
  return (u * hypot(h, u) + (h != 0 ? h * h * asinh(u / fabs(h)) : 0)) / 2;
}

/* Of the distance from the center, with the rate linear along the side. */
static void add_distances(flux* f, const cr_area_flow* flow, const double* from, const double* to,
                          const double* e) {
  const double p[2] = {from[0] - f->center[0], from[1] - f->center[1]};
  double length = cr_area_length(e);
  if (!(length > 0)) return;
  double h = cr_area_cross(p, e) / length, u = (p[0] * e[0] + p[1] * e[1]) / length,
         end = u + length;
  double plain = integrate(h, end) - integrate(h, u);
  double by_u = (pow(h * h + end * end, 1.5) - pow(h * h + u * u, 1.5)) / 3;
  double start = find_rate(flow, from, e), slope = (find_rate(flow, to, e) - start) / length;
  f->distances += ((start - slope * u) * plain + slope * by_u) / length;
  f->pull[0] += e[1] / length * plain, f->pull[1] -= e[0] / length * plain;
}

static void add_side(void* user, int shape, const double* from, const double* to) {
  flux* f = user;
  const double e[2] = {to[0] - from[0], to[1] - from[1]};
  add_moments(f, &f->flow[shape], from, e);
  add_distances(f, &f->flow[shape], from, to, e);
}

void cr_area_differentiate_surface(const cr_area_look* look, const cr_area_moments* moments,
                                   const cr_area_flow flow[2], cr_area_moments* change) {
  flux f = {.center = moments->center, .flow = flow};
  cr_area_visit_sides(look, add_side, &f);
  double distances = f.distances;
  change->area = f.area;
  for (int k = 0; k < 2; k++) {
    change->center[k] = f.first[k] / moments->area;
    distances -= change->center[k] * f.pull[k];
  }
  for (int i = 0; i < 3; i++)
    change->second[i] = (f.second[i] - moments->second[i] * f.area) / moments->area;
  change->mean = (distances - moments->mean * f.area) / moments->area;
}
