#include "soft/slopes.h"

#include "soft/material_slope.h"
#include "soft/sums.h"

#include <math.h>

/* A point of a body. */
typedef struct point {
  cr_soft_element element;
  const double (*slope)[3]; /* [nodes] of its shape functions */
  double weight;
} point;

static int count_points(const cr_soft_body* body) {
  return body->mesh.num_elements * body->num_points;
}

static point point_of(const cr_soft_body* body, int k) {
  point p = {.element = cr_soft_element_of(body, k / body->num_points)};
  int at = k % body->num_points;
  p.slope = p.element.slope + (size_t)at * (size_t)p.element.nodes;
  p.weight = p.element.weight[at];
  return p;
}

void cr_soft_body_add_tangents(const cr_soft_body* body, const double (*x)[3], double scale,
                               cr_soft_slope* X) {
  for (int k = 0; k < count_points(body); k++) {
    point p = point_of(body, k);
    m3 F = cr_soft_element_deform(&p.element, p.slope, x);
    cr_soft_material_add_tangent(&body->material, &F, scale, X[k]);
  }
}

void cr_soft_body_add_bends(const cr_soft_body* body, const double (*x)[3], const double (*w)[3],
                            double scale, cr_soft_slope* X) {
  for (int k = 0; k < count_points(body); k++) {
    point p = point_of(body, k);
    m3 F = cr_soft_element_deform(&p.element, p.slope, x);
    m3 W = cr_soft_element_deform(&p.element, p.slope, w);
    cr_soft_material_bend(&body->material, &F, &W, scale, X[k]);
  }
}

double cr_soft_body_find_kink(const cr_soft_body* body, const double (*x)[3], const double (*w)[3],
                              double least) {
  double nearest = INFINITY;
  for (int k = 0; k < count_points(body); k++) {
    point p = point_of(body, k);
    m3 F = cr_soft_element_deform(&p.element, p.slope, x);
    m3 W = cr_soft_element_deform(&p.element, p.slope, w);
    nearest = fmin(nearest, cr_soft_material_find_kink(&body->material, &F, &W, least));
  }
  return nearest;
}

static m3 multiply(const cr_soft_slope X, const m3* A, bool is_transposed) {
  m3 out = m3_zero();
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 9; k++)
      out.m[i / 3][i % 3] += X[is_transposed ? 9 * k + i : 9 * i + k] * A->m[k / 3][k % 3];
  return out;
}

static void apply(const cr_soft_body* body, const cr_soft_slope* X, const double (*dx)[3],
                  bool is_transposed, double* y) {
  for (int k = 0; k < count_points(body); k++) {
    point p = point_of(body, k);
    m3 dF = cr_soft_element_deform(&p.element, p.slope, dx);
    m3 dP = multiply(X[k], &dF, is_transposed);
    cr_soft_element_add_gradient(&p.element, p.slope, p.weight, &dP, y);
  }
}

void cr_soft_body_apply_slopes(const cr_soft_body* body, const cr_soft_slope* X,
                               const double (*dx)[3], double* y) {
  apply(body, X, dx, false, y);
}

void cr_soft_body_apply_slopes_transposed(const cr_soft_body* body, const cr_soft_slope* X,
                                          const double (*y)[3], double* dx) {
  apply(body, X, y, true, dx);
}

void cr_soft_body_add_variation(const cr_soft_body* body, const cr_soft_material* change,
                                const double (*x)[3], const double (*w)[3], double* y) {
  for (int k = 0; k < count_points(body); k++) {
    point p = point_of(body, k);
    m3 F = cr_soft_element_deform(&p.element, p.slope, x);
    m3 W = cr_soft_element_deform(&p.element, p.slope, w);
    m3 dP = cr_soft_material_vary(&body->material, change, &F, &W);
    cr_soft_element_add_gradient(&p.element, p.slope, p.weight, &dP, y);
  }
}
