/* Linear and quadratic tetrahedra (Zienkiewicz, Taylor: The finite element method). The rule of 14
 * points is Walkington's (2000). */
#include "soft/element.h"

#include "math/vec3.h"

const cr_soft_point cr_soft_points_1[1] = {{{0.25, 0.25, 0.25}, 1}};

#define NEAR 0.13819660112501051518 /* (5 - sqrt 5) / 20 */
#define FAR  0.58541019662496845446 /* (5 + 3 sqrt 5) / 20 */
const cr_soft_point cr_soft_points_4[4] = {{{NEAR, NEAR, NEAR}, 0.25},
                                           {{FAR, NEAR, NEAR}, 0.25},
                                           {{NEAR, FAR, NEAR}, 0.25},
                                           {{NEAR, NEAR, FAR}, 0.25}};

/* Four points on each of two sets of lines to the corners, six towards the edges. */
#define A1 0.31088591926330060980
#define A2 0.092735250310891226402
#define B  0.045503704125649649492
#define C1 (1 - 3 * A1)
#define C2 (1 - 3 * A2)
#define D  (0.5 - B)
#define W1 0.11268792571801585080
#define W2 0.073493043116361949544
#define W3 0.042546020777081466438
const cr_soft_point cr_soft_points_14[CR_SOFT_MASS_POINTS] = {
    {{C1, A1, A1}, W1}, {{A1, C1, A1}, W1}, {{A1, A1, C1}, W1}, {{A1, A1, A1}, W1},
    {{C2, A2, A2}, W2}, {{A2, C2, A2}, W2}, {{A2, A2, C2}, W2}, {{A2, A2, A2}, W2},
    {{B, B, D}, W3},    {{B, D, B}, W3},    {{B, D, D}, W3},    {{D, B, B}, W3},
    {{D, B, D}, W3},    {{D, D, B}, W3},
};

void cr_soft_shape(int nodes, const double xi[3], double* N) {
  const double L[4] = {1 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
  bool is_linear = nodes == CR_SOFT_LINEAR_NODES;
  for (int a = 0; a < 4; a++) N[a] = is_linear ? L[a] : L[a] * (2 * L[a] - 1);
  for (int e = 0; e < 6 && !is_linear; e++)
    N[4 + e] = 4 * L[cr_soft_edge[e][0]] * L[cr_soft_edge[e][1]];
}

void cr_soft_shape_slopes(int nodes, const double xi[3], double (*dN)[3]) {
  static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double L[4] = {1 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
  bool is_linear = nodes == CR_SOFT_LINEAR_NODES;
  for (int k = 0; k < 3; k++) {
    for (int a = 0; a < 4; a++) dN[a][k] = is_linear ? dL[a][k] : (4 * L[a] - 1) * dL[a][k];
    for (int e = 0; e < 6 && !is_linear; e++) {
      int a = cr_soft_edge[e][0], b = cr_soft_edge[e][1];
      dN[4 + e][k] = 4 * (L[a] * dL[b][k] + L[b] * dL[a][k]);
    }
  }
}

/* dX/dxi from the slopes. */
static m3 jacobian_of(const cr_soft_mesh* mesh, int element, double (*dN)[3]) {
  const int* node = mesh->element + (size_t)element * (size_t)mesh->nodes_per_element;
  m3 J = m3_zero();
  for (int a = 0; a < mesh->nodes_per_element; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) J.m[i][j] += mesh->node[node[a]][i] * dN[a][j];
  return J;
}

double cr_soft_element_jacobian(const cr_soft_mesh* mesh, int element, const double xi[3]) {
  double dN[CR_SOFT_QUADRATIC_NODES][3];
  cr_soft_shape_slopes(mesh->nodes_per_element, xi, dN);
  m3 J = jacobian_of(mesh, element, dN);
  return m3_determinant(&J);
}

double cr_soft_element_gradients(const cr_soft_mesh* mesh, int element, const double xi[3],
                                 double (*gradient)[3]) {
  double dN[CR_SOFT_QUADRATIC_NODES][3];
  cr_soft_shape_slopes(mesh->nodes_per_element, xi, dN);
  m3 J = jacobian_of(mesh, element, dN), Jt = m3_transpose(&J);
  for (int a = 0; a < mesh->nodes_per_element; a++)
    v3_store(m3_solve(&Jt, v3_load(dN[a])), gradient[a]);
  return m3_determinant(&J);
}
