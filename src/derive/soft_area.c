/* Areas that contacts of soft bodies stand for: of triangles at a node, at an edge, or one itself.
 */
#include "derive/parameters.h"
#include "derive/soft_contact_parts.h"

#include <math.h>

static bool is_of_edge(const cr_soft_contact* c) {
  return c->kind == OF_EDGE || c->kind == OF_CROSSING;
}

/* The triangles at a node, or at both nodes of an edge. */
static bool find_triangles(const cr_step_tangent* t, cr_soft_contact* c, int part, const int* node,
                           int count) {
  const cr_soft_part* p = &t->step->model->soft.part[part];
  const int* corner = p->surface.triangle;
  for (int pass = 0; pass < 2; pass++) {
    c->num_area = 0;
    for (int i = 0; i < p->surface.num_triangles; i++) {
      bool is_its = true;
      for (int k = 0; k < count; k++)
        is_its &= cr_soft_is_at(corner + 3 * i, node[k] - p->first_node);
      if (!is_its) continue;
      for (int j = 0; pass && j < 3; j++)
        c->area[3 * c->num_area + j] = corner[3 * i + j] + p->first_node;
      c->num_area++;
    }
    if (!pass) c->area = CR_PUSH(t->arena, int, 3 * c->num_area);
    if (t->arena->failed) return false;
  }
  return true;
}

static bool touch_triangle(const cr_step_tangent* t, cr_soft_contact* c) {
  c->num_area = 1;
  c->area = CR_PUSH(t->arena, int, 3);
  if (!c->area) return false;
  for (int i = 0; i < 3; i++) c->area[i] = c->point->barycentric[c->side]->node[i];
  return true;
}

/* Twice the vector area of a triangle, and its change. */
v3 cr_soft_triangle_normal(const cr_step* step, const int* node, const cr_contact_column* column,
                           v3* change) {
  v3 x0 = cr_soft_node_place(step, node[0]), dx0 = cr_soft_node_way(step, column, node[0]);
  v3 a = v3_sub(cr_soft_node_place(step, node[1]), x0),
     da = v3_sub(cr_soft_node_way(step, column, node[1]), dx0);
  v3 b = v3_sub(cr_soft_node_place(step, node[2]), x0),
     db = v3_sub(cr_soft_node_way(step, column, node[2]), dx0);
  *change = v3_add(v3_cross(da, b), v3_cross(a, db));
  return v3_cross(a, b);
}

/* The sum of the areas however they are turned, and its change. */
static double sum_areas(const cr_step* step, const cr_soft_contact* c,
                        const cr_contact_column* column, double* change) {
  double sum = 0;
  *change = 0;
  for (int i = 0; i < c->num_area; i++) {
    v3 moved, N = cr_soft_triangle_normal(step, c->area + 3 * i, column, &moved);
    sum += c->share * v3_norm(N);
    *change += c->share * v3_dot(N, moved) / v3_norm(N);
  }
  return sum;
}

double cr_soft_area_differentiate(const cr_step* step, const cr_soft_contact* c,
                                  const cr_contact_column* column, v3 dn, double* change) {
  bool is_turned = c->point->geom[0] < 0 && c->side == 1;
  v3 n = v3_scale(is_turned ? 1 : -1, c->point->normal);
  v3 area = v3_zero(), darea = v3_zero(), moved;
  if (is_of_edge(c)) return sum_areas(step, c, column, change);
  for (int i = 0; i < c->num_area; i++) {
    area = v3_axpy(area, c->share, cr_soft_triangle_normal(step, c->area + 3 * i, column, &moved));
    darea = v3_axpy(darea, c->share, moved);
  }
  double size = v3_norm(area), along = v3_dot(area, n);
  if (along >= CR_SOFT_LEAST_FACING * size) {
    *change = v3_dot(darea, n) + (is_turned ? 1 : -1) * v3_dot(area, dn);
    return along;
  }
  *change = CR_SOFT_LEAST_FACING * v3_dot(area, darea) / size;
  return CR_SOFT_LEAST_FACING * size;
}

/* Of two edges the one around which there is less. */
static bool find_crossing(const cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_column still = {.index = -1};
  int of[2] = {c->side, 1 - c->side}, part[2];
  double area[2], none;
  for (int k = 0; k < 2; k++) {
    part[k] = -1 - c->point->geom[of[k]];
    if (!find_triangles(t, c, part[k], c->edge[k], 2)) return false;
    area[k] = sum_areas(t->step, c, &still, &none);
  }
  return area[1] <= area[0] || find_triangles(t, c, part[0], c->edge[0], 2);
}

static bool find_area(const cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  bool is_pair = p->geom[0] < 0, is_corner = c->kind == OF_TRIANGLE && !is_pair;
  int of = is_pair ? 1 - c->side : 1;
  const cr_barycentric_point* at = p->barycentric[of];
  c->share = is_corner ? 0.5 : is_pair || c->kind == OF_EDGE ? 1.0 / 12 : 1.0 / 6;
  if (is_corner) return touch_triangle(t, c);
  if (c->kind == OF_CROSSING) return find_crossing(t, c);
  return find_triangles(t, c, -1 - p->geom[of], at->node, at->count);
}

bool cr_soft_area_find(const cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  const carom_model* m = t->step->model;
  if (isinf(p->stiffness)) return true;
  if (!find_area(t, c)) return false;
  const cr_contact_column still = {.index = -1};
  double none, area = cr_soft_area_differentiate(t->step, c, &still, v3_zero(), &none);
  cr_contact_side side[2];
  for (int k = 0; k < 2; k++) {
    side[k] = cr_theta_side_of(m, p, k);
    if (p->geom[k] < 0) side[k].stiffness = cr_soft_contact_part(t->step, p, k)->stiffness * area;
  }
  for (int k = 0; k < 2; k++) {
    if (p->geom[k] >= 0 || isinf(side[k].stiffness)) continue;
    cr_contact_theta by = cr_theta_series_slope(CR_THETA_CONTACT_STIFFNESS, &side[k], &side[1 - k]);
    c->by_area[0] += by.stiffness * side[k].stiffness / area;
    c->by_area[1] += by.dissipation * side[k].stiffness / area;
  }
  return true;
}
