/* Normals of faces and edges in place of what a search ends with; see settle.h. */
#include "geom/settle.h"

/* Sine between two edges below which their common normal is noise. */
#define PARALLEL 1e-6

/* The face at a corner that lies flattest across `out`, where there are any; in the shape's axes.
 */
static bool find_face(const cr_shape* shape, int corner, v3 out, v3* normal) {
  if (shape->type == CAROM_GEOM_MESH) {
    *normal = cr_hull_normal(shape->hull, cr_hull_find_flattest(shape->hull, corner, out));
    return true;
  }
  if (shape->type != CAROM_GEOM_BOX) return false;
  v3 size = v3_abs(out);
  bool is_x = size.x >= size.y && size.x >= size.z, is_y = !is_x && size.y >= size.z;
  *normal = is_x   ? v3_make(copysign(1, out.x), 0, 0)
            : is_y ? v3_make(0, copysign(1, out.y), 0)
                   : v3_make(0, 0, copysign(1, out.z));
  return true;
}

/* The two different corners of one shape among the points, the lower number first; false where
 * there are not just two. */
static bool find_two(const cr_difference_point* point, int count, bool of_b, int* two) {
  two[0] = two[1] = of_b ? point[0].b : point[0].a;
  for (int i = 1; i < count; i++) {
    int corner = of_b ? point[i].b : point[i].a;
    if (corner == two[0] || corner == two[1]) continue;
    if (two[0] != two[1]) return false;
    two[corner > two[0]] = corner;
  }
  return two[0] != two[1];
}

/* The normal to the lines through two corners of each, on the side of n. */
static bool find_edge_normal(const cr_difference* difference, const cr_difference_point* point,
                             int count, v3 n, v3* normal) {
  int a[2], b[2];
  if (!find_two(point, count, false, a) || !find_two(point, count, true, b)) return false;
  v3 corner = cr_difference_compute_point(difference, a[0], b[0]);
  v3 of_a = v3_sub(cr_difference_compute_point(difference, a[1], b[0]), corner);
  v3 of_b = v3_sub(cr_difference_compute_point(difference, a[0], b[1]), corner);
  v3 across = v3_cross(of_a, of_b);
  double area2 = v3_norm2(across);
  if (!(area2 > PARALLEL * PARALLEL * v3_norm2(of_a) * v3_norm2(of_b))) return false;
  *normal = v3_scale(copysign(1 / sqrt(area2), v3_dot(across, n)), across);
  return true;
}

void cr_direction_settle(const cr_difference* difference, const cr_difference_point* point,
                         int count, double near, double tie, cr_direction* direction) {
  cr_direction candidate[3];
  v3 n = direction->n, normal;
  int found = 0;
  if (find_face(difference->a, direction->a, n, &normal) &&
      v3_norm2(v3_sub(normal, n)) < near * near)
    candidate[found++].n = normal;
  v3 back = v3_neg(m3_tmulv(&difference->R, n));
  if (find_face(difference->b, direction->b, back, &normal) &&
      v3_norm2(v3_sub(normal, back)) < near * near)
    candidate[found++].n = v3_neg(m3_mulv(&difference->R, normal));
  if (find_edge_normal(difference, point, count, n, &normal)) candidate[found++].n = normal;
  double least = direction->overlap;
  for (int i = 0; i < found; i++) {
    cr_direction_measure(difference, &candidate[i]);
    least = cr_min(least, candidate[i].overlap);
  }
  for (int i = 0; i < found; i++) {
    if (candidate[i].overlap > least + tie) continue;
    *direction = candidate[i];
    return;
  }
}
