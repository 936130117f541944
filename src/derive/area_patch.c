/* Corners are seen along the normal, x_k = t_k · (a - a_0). What turns about the normal itself
 * takes the points along, so that dt_k = -(t_k · dn) n will do. The least-squares fit of
 * contact_area.c makes of corners f_i the value Σ λ_i f_i at x, with λ_i = 1/n + (x - x̄) · S⁻¹ (x_i
 * - x̄), S the corners' second moments, of a line their trace. */
#include "derive/area_patch.h"

#include "geom/area_surface_tangent.h"
#include "math/vec3.h"

/* Corners across the normal, and their fit. */
typedef struct fit {
  int count;
  double x[CR_MANIFOLD_MAX][2], dx[CR_MANIFOLD_MAX][2];
  double mean[2], dmean[2];
  double S[3], dS[3]; /* xx, xy, yy */
} fit;

static void see_corners(const cr_manifold* m, const cr_contact_area* area,
                        const cr_corner_changes* corners, fit* f) {
  v3 t[2], n = m->normal;
  v3_tangents(n, &t[0], &t[1]);
  f->count = area->count;
  for (int i = 0; i < area->count; i++) {
    int at = area->corner[i];
    v3 arm = v3_sub(m->points[at].a, m->points[0].a);
    v3 darm = v3_sub(corners->of[at].a, corners->of[0].a);
    for (int k = 0; k < 2; k++) {
      f->x[i][k] = area->x[i][k];
      f->dx[i][k] = v3_dot(t[k], darm) - v3_dot(t[k], corners->normal) * v3_dot(n, arm);
    }
  }
}

static void sum_corners(fit* f) {
  for (int k = 0; k < 2; k++) f->mean[k] = f->dmean[k] = 0;
  for (int i = 0; i < 3; i++) f->S[i] = f->dS[i] = 0;
  for (int i = 0; i < f->count; i++)
    for (int k = 0; k < 2; k++)
      f->mean[k] += f->x[i][k] / f->count, f->dmean[k] += f->dx[i][k] / f->count;
  for (int i = 0; i < f->count; i++) {
    double u[2], du[2];
    for (int k = 0; k < 2; k++) u[k] = f->x[i][k] - f->mean[k], du[k] = f->dx[i][k] - f->dmean[k];
    for (int k = 0, at = 0; k < 2; k++)
      for (int l = k; l < 2; l++, at++)
        f->S[at] += u[k] * u[l], f->dS[at] += du[k] * u[l] + u[k] * du[l];
  }
  if (f->count > 2) return;
  f->S[0] = f->S[2] = f->S[0] + f->S[2], f->dS[0] = f->dS[2] = f->dS[0] + f->dS[2];
  f->S[1] = f->dS[1] = 0;
}

static void solve(const double* S, const double* b, double* x) {
  double det = S[0] * S[2] - S[1] * S[1], b0 = b[0], b1 = b[1];
  x[0] = (S[2] * b0 - S[1] * b1) / det;
  x[1] = (S[0] * b1 - S[1] * b0) / det;
}

/* The share of a corner in what is at x, and its change. */
static double find_share(const fit* f, const double* x, const double* dx, int corner,
                         double* change) {
  double u[2], du[2], y[2], e[2], de[2], rest[2];
  for (int k = 0; k < 2; k++) {
    u[k] = x[k] - f->mean[k], du[k] = dx[k] - f->dmean[k];
    e[k] = f->x[corner][k] - f->mean[k], de[k] = f->dx[corner][k] - f->dmean[k];
  }
  solve(f->S, u, y);
  rest[0] = du[0] - f->dS[0] * y[0] - f->dS[1] * y[1];
  rest[1] = du[1] - f->dS[1] * y[0] - f->dS[2] * y[1];
  *change = y[0] * de[0] + y[1] * de[1];
  solve(f->S, rest, y);
  *change += y[0] * e[0] + y[1] * e[1];
  solve(f->S, u, y);
  return 1.0 / f->count + y[0] * e[0] + y[1] * e[1];
}

/* --- Faces of surfaces --------------------------------------------------------------------------
 */

/* Of a shape's points in the plane, which is seen as corners are. A cap stays where it is when it
 * turns about its axis.
 * @param height of the face over the first point of A, m */
static cr_area_flow find_flow(const cr_area_look* look, int shape, const cr_corner_changes* corners,
                              double height) {
  const cr_area_motion* motion = &corners->motion;
  const pose* X = look->X[shape];
  v3 turn = v3_load(motion->move[shape]), way = v3_load(motion->move[shape] + 3), n = look->normal;
  if (look->shape[shape]->type == CAROM_GEOM_CYLINDER) turn = v3_axpy(turn, -v3_dot(turn, n), n);
  v3 from = v3_sub(look->origin, X->p);
  cr_area_flow flow;
  for (int k = 0; k < 2; k++) {
    v3 t = look->t[k];
    v3 own = m3_mulv(&X->R, v3_mul(motion->stretch[shape], m3_tmulv(&X->R, t)));
    v3 by = v3_add(v3_cross(t, turn), own); /* t · (turn × x) = (t × turn) · x */
    flow.at[k] = v3_dot(t, way) + v3_dot(by, from) - v3_dot(t, corners->of[0].a) -
                 v3_dot(t, corners->normal) * height;
    for (int l = 0; l < 2; l++) flow.by[k][l] = v3_dot(by, look->t[l]);
  }
  return flow;
}

static void change_surface(const cr_manifold* m, const cr_contact_area* area,
                           const cr_corner_changes* corners, cr_area_moments* change) {
  double height[2] = {0, 0};
  for (int i = 0; i < area->count; i++) {
    const cr_manifold_point* point = &m->points[area->corner[i]];
    double at = v3_dot(m->normal, v3_sub(point->a, m->points[0].a));
    height[0] += at / area->count, height[1] += (at + point->distance) / area->count;
  }
  const cr_area_flow flow[2] = {find_flow(&area->look, 0, corners, height[0]),
                                find_flow(&area->look, 1, corners, height[1])};
  cr_area_differentiate_surface(&area->look, &area->moments, flow, change);
}

void cr_area_patch_differentiate(const cr_manifold* m, const cr_contact_area* area,
                                 const cr_corner_changes* corners, cr_witness_change* of,
                                 cr_area_change* rule) {
  fit f;
  cr_area_moments change;
  see_corners(m, area, corners, &f);
  sum_corners(&f);
  if (area->is_surface) change_surface(m, area, corners, &change);
  const cr_area_corners at_corners = {area->kind, f.count, (const double(*)[2])f.x,
                                      area->is_surface ? &area->moments : NULL,
                                      area->is_surface ? &change : NULL};
  cr_area_differentiate(&at_corners, (const double(*)[2])f.dx, &area->rule, rule);
  for (int i = 0; i < area->rule.count; i++) {
    const cr_area_point* point = &area->rule.point[i];
    cr_witness_change sum = {v3_zero(), v3_zero(), 0};
    if (point->corner >= 0) {
      of[i] = corners->of[area->corner[point->corner]];
      continue;
    }
    double distance = 0;
    for (int c = 0; c < f.count; c++) {
      const cr_manifold_point* at = &m->points[area->corner[c]];
      const cr_witness_change* d = &corners->of[area->corner[c]];
      double by, share = find_share(&f, point->x, rule->x[i], c, &by);
      sum.a = v3_axpy(v3_axpy(sum.a, share, d->a), by, at->a);
      sum.distance += share * d->distance + by * at->distance;
      distance += share * at->distance;
    }
    sum.b = v3_axpy(v3_axpy(sum.a, sum.distance, m->normal), distance, corners->normal);
    of[i] = sum;
  }
}
