/* How sums over a surface's triangles change with these: product by product, as field.c sums them.
 */
#include "geom/area_tangent.h"
#include "geom/field_rule.h"

/* --- Force --------------------------------------------------------------------------------------
 */

static double sum_pressures(const cr_field_triangle* t) {
  return t->pressure[0] + t->pressure[1] + t->pressure[2];
}

/* Twelve times the mean of p x. */
static v3 find_lean(const cr_field_triangle* p, const cr_field_triangle* x) {
  v3 lean = v3_scale(sum_pressures(p), v3_add(v3_add(x->x[0], x->x[1]), x->x[2]));
  for (int i = 0; i < 3; i++) lean = v3_axpy(lean, p->pressure[i], x->x[i]);
  return lean;
}

static void change_force(const cr_field_triangle* t, const cr_field_triangle* d, v3* force,
                         cr_field_sums* out) {
  double area = v3_norm(t->area), p = sum_pressures(t), dp = sum_pressures(d);
  if (!(area > 0)) return;
  v3 n = v3_scale(1 / area, t->area), lean = find_lean(t, t);
  double darea = v3_dot(n, d->area);
  v3 dlean = v3_add(find_lean(t, d), find_lean(d, t));
  out->load += (darea * p + area * dp) / 3;
  out->lean = v3_add(out->lean, v3_axpy(v3_scale(darea / 12, lean), area / 12, dlean));
  *force = v3_axpy(v3_axpy(*force, dp / 3, t->area), p / 3, d->area);
  v3 moment = v3_add(v3_cross(dlean, t->area), v3_cross(lean, d->area));
  out->moment = v3_axpy(out->moment, 1.0 / 12, moment);
}

/* --- Across the normal --------------------------------------------------------------------------
 */

/* Corners across the normal, and what a triangle counts. */
typedef struct flat {
  double x[3][2], dx[3][2];
  double k, dk; /* N/m, of its stiffness */
  double along, dalong, area, darea;
} flat;

static void flatten(const cr_field_triangle* t, const cr_field_triangle* d,
                    const cr_field_sums* sum, const cr_field_sums* change, flat* f) {
  v3 dt[2];
  cr_field_change_tangents(sum->normal, change->normal, dt);
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 2; a++) {
      f->x[i][a] = v3_dot(sum->t[a], t->x[i]);
      f->dx[i][a] = v3_dot(dt[a], t->x[i]) + v3_dot(sum->t[a], d->x[i]);
    }
  f->area = v3_norm(t->area), f->darea = v3_dot(t->area, d->area) / f->area;
  f->along = v3_dot(t->area, sum->normal);
  f->dalong = v3_dot(d->area, sum->normal) + v3_dot(t->area, change->normal);
  double cosine = f->along / f->area;
  f->k = t->slope * f->along * cosine;
  f->dk = d->slope * f->along * cosine + t->slope * cosine * (2 * f->dalong - cosine * f->darea);
}

static void change_stiffness(const flat* f, cr_field_sums* out) {
  double total[2] = {0, 0}, dtotal[2] = {0, 0};
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 2; a++) total[a] += f->x[i][a], dtotal[a] += f->dx[i][a];
  out->area += f->along > 0 ? f->dalong : 0;
  out->stiffness += f->dk;
  for (int a = 0; a < 2; a++) out->first[a] += (f->dk * total[a] + f->k * dtotal[a]) / 3;
  for (int a = 0, at = 0; a < 2; a++)
    for (int b = a; b < 2; b++, at++) {
      double s = total[a] * total[b], ds = dtotal[a] * total[b] + total[a] * dtotal[b];
      for (int i = 0; i < 3; i++) {
        s += f->x[i][a] * f->x[i][b];
        ds += f->dx[i][a] * f->x[i][b] + f->x[i][a] * f->dx[i][b];
      }
      out->second[at] += (f->dk * s + f->k * ds) / 12;
    }
}

/* Those of the corners and of the sides' middles from the centre, whose mean over the middles is
 * even, and with the pressure loaded. */
typedef struct levers {
  double even, deven, loaded, dloaded;
} levers;

static levers find_levers(const cr_field_triangle* t, const cr_field_triangle* d,
                          const double (*x)[2], const double (*dx)[2]) {
  levers l = {0, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3;
    const double u[2] = {(x[i][0] + x[k][0]) / 2, (x[i][1] + x[k][1]) / 2};
    const double du[2] = {(dx[i][0] + dx[k][0]) / 2, (dx[i][1] + dx[k][1]) / 2};
    double size = hypot(u[0], u[1]), dsize = size > 0 ? (u[0] * du[0] + u[1] * du[1]) / size : 0;
    double p = (t->pressure[i] + t->pressure[k]) / 2, dp = (d->pressure[i] + d->pressure[k]) / 2;
    l.even += size / 3, l.deven += dsize / 3;
    l.loaded += p * size / 3, l.dloaded += (dp * size + p * dsize) / 3;
  }
  return l;
}

static void change_levers(const cr_field_triangle* t, const cr_field_triangle* d, const flat* f,
                          const double center[2][2], cr_field_sums* out) {
  double x[3][2], dx[3][2];
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 2; a++)
      x[i][a] = f->x[i][a] - center[0][a], dx[i][a] = f->dx[i][a] - center[1][a];
  levers l = find_levers(t, d, (const double(*)[2])x, (const double(*)[2])dx);
  double exact, dexact, mean = sum_pressures(t) / 3, dmean = sum_pressures(d) / 3;
  if (!cr_area_change_mean_distance((const double(*)[2])x, (const double(*)[2])dx, 3, &exact,
                                    &dexact))
    exact = l.even, dexact = l.deven;
  double all = l.loaded + mean * (exact - l.even);
  out->lever[0] += f->dk * exact + f->k * dexact;
  out->lever[1] +=
      f->darea * all + f->area * (l.dloaded + dmean * (exact - l.even) + mean * (dexact - l.deven));
}

/* --- All ----------------------------------------------------------------------------------------
 */

void cr_field_change_sums(const cr_field_surface* surface, const cr_field_sums* sum,
                          cr_field_sums* change) {
  const cr_field_triangle *t = surface->triangle, *d = surface->change;
  v3 force = v3_zero();
  flat f;
  *change = (cr_field_sums){0};
  for (int i = 0; i < surface->count; i++) change_force(&t[i], &d[i], &force, change);
  change->force = v3_dot(sum->normal, force);
  change->normal = v3_scale(1 / sum->force, v3_axpy(force, -change->force, sum->normal));
  for (int i = 0; i < surface->count; i++) {
    if (!(v3_norm2(t[i].area) > 0)) continue;
    flatten(&t[i], &d[i], sum, change, &f);
    change_stiffness(&f, change);
  }
  double center[2][2];
  for (int a = 0; a < 2; a++) {
    center[0][a] = sum->first[a] / sum->stiffness;
    center[1][a] = (change->first[a] - center[0][a] * change->stiffness) / sum->stiffness;
  }
  for (int i = 0; i < surface->count; i++) {
    if (!(v3_norm2(t[i].area) > 0)) continue;
    flatten(&t[i], &d[i], sum, change, &f);
    change_levers(&t[i], &d[i], &f, (const double(*)[2])center, change);
  }
}
