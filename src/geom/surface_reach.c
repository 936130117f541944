/* How deep a solid is below its surface: rays from seven points of each triangle, past those that
 * meet it at its sides and corners. */
#include "geom/surface.h"

#include <math.h>

#define INSET 0.96 /* of the way from the middle to a corner or a side */

bool cr_trisurface_is_closed(const cr_trisurface* surface) {
  if (surface->num_columns > 0) return false;
  for (int i = 0; i < 3 * surface->num_triangles; i++)
    if (surface->neighbor[i] < 0) return false;
  return true;
}

static double measure(const cr_trisurface* surface, int triangle, double* area) {
  cr_facet f;
  cr_trisurface_get(surface, triangle, &f);
  const v3* c = f.corner;
  v3 middle = v3_scale(1.0 / 3, v3_add(v3_add(c[0], c[1]), c[2])), in = v3_neg(f.normal);
  double least = cr_trisurface_cast_across(surface, middle, in, triangle);
  for (int i = 0; i < 6; i++) {
    v3 at = i < 3 ? c[i] : v3_scale(0.5, v3_add(c[i - 3], c[(i + 1) % 3]));
    v3 x = v3_axpy(middle, INSET, v3_sub(at, middle));
    least = fmin(least, cr_trisurface_cast_across(surface, x, in, triangle));
  }
  *area = v3_norm(v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0]))) / 2;
  return least / 2;
}

/* Area of the triangles that reach no deeper. */
static double find_area(const cr_trisurface* s, double reach) {
  double sum = 0;
  for (int t = 0; t < s->num_triangles; t++) {
    cr_facet f;
    cr_trisurface_get(s, t, &f);
    v3 across = v3_cross(v3_sub(f.corner[1], f.corner[0]), v3_sub(f.corner[2], f.corner[0]));
    if (s->reach[t] <= reach) sum += v3_norm(across) / 2;
  }
  return sum;
}

void cr_trisurface_measure_reach(cr_trisurface* surface) {
  if (surface->thickness > 0 || surface->num_columns > 0) return;
  double whole = 0, area, low = 0, high = surface->radius;
  double* reach = (double*)surface->reach;
  for (int t = 0; t < surface->num_triangles; t++) {
    reach[t] = measure(surface, t, &area);
    whole += area;
  }
  while (high - low > 1e-12 * surface->radius) {
    double middle = low + (high - low) / 2;
    if (find_area(surface, middle) < whole / 2)
      low = middle;
    else
      high = middle;
  }
  surface->thickness = high;
}
