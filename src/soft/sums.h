/* What sums over elements and quadrature points are made of. */
#ifndef CR_SOFT_SUMS_H
#define CR_SOFT_SUMS_H

#include "soft/body.h"

/* An element at work. */
typedef struct cr_soft_element {
  int nodes;
  const int* node;          /* [nodes] */
  const int* slot;          /* [nodes (nodes + 1) / 2] */
  const double* weight;     /* [num_points] */
  const double (*slope)[3]; /* [num_points * nodes] */
} cr_soft_element;

static inline cr_soft_element cr_soft_element_of(const cr_soft_body* body, int e) {
  int nodes = body->mesh.nodes_per_element;
  size_t points = (size_t)e * (size_t)body->num_points;
  return (cr_soft_element){
      .nodes = nodes,
      .node = body->mesh.element + (size_t)e * (size_t)nodes,
      .slot = body->slot + (size_t)e * (size_t)body->num_pairs,
      .weight = body->weight + points,
      .slope = (const double(*)[3])(body->gradient + points * (size_t)(3 * nodes)),
  };
}

static inline m3 cr_soft_element_deform(const cr_soft_element* e, const double (*slope)[3],
                                        const double (*x)[3]) {
  m3 F = m3_zero();
  for (int a = 0; a < e->nodes; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) F.m[i][j] += x[e->node[a]][i] * slope[a][j];
  return F;
}

static inline void cr_soft_element_add_gradient(const cr_soft_element* e, const double (*slope)[3],
                                                double weight, const m3* P, double* gradient) {
  for (int a = 0; a < e->nodes; a++) {
    double* g = gradient + 3 * (size_t)e->node[a];
    v3_store(v3_axpy(v3_load(g), weight, m3_mulv(P, v3_load(slope[a]))), g);
  }
}

#endif
