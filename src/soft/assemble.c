/* Sums over elements and quadrature points: F = sum x_a (dN_a/dX)ᵀ, then energy, forces P dN_a/dX
 * and stiffness blocks; and the consistent mass matrix. */
#include "math/svd3.h"
#include "soft/element.h"
#include "soft/sums.h"

/* Adds K of nodes (a, b) to the stored block, column-major: Kᵀ where b's number is the larger. */
static void add_block(const m3* K, double scale, bool is_upper, double* block) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) block[3 * j + i] += scale * (is_upper ? K->m[j][i] : K->m[i][j]);
}

static void add_stiffness(const cr_soft_element* e, const double (*slope)[3], double scale,
                          const cr_soft_tangent* tangent, double* values) {
  const int* slot = e->slot;
  for (int a = 0; a < e->nodes; a++)
    for (int b = 0; b <= a; b++) {
      m3 K = cr_soft_tangent_contract(tangent, v3_load(slope[a]), v3_load(slope[b]));
      add_block(&K, scale, e->node[a] < e->node[b], values + *slot++);
    }
}

double cr_soft_body_evaluate(const cr_soft_body* body, const double (*x)[3],
                             const cr_soft_output* output) {
  double energy = 0;
  for (int k = 0; k < body->mesh.num_elements; k++) {
    cr_soft_element e = cr_soft_element_of(body, k);
    for (int p = 0; p < body->num_points; p++) {
      const double(*slope)[3] = e.slope + (size_t)p * (size_t)e.nodes;
      m3 F = cr_soft_element_deform(&e, slope, x), P;
      m3* V = output->turn ? output->turn + (size_t)k * (size_t)body->num_points + p : NULL;
      cr_soft_tangent tangent;
      if (output->values) {
        energy += e.weight[p] * cr_soft_compute_tangent(&body->material, &F, output->is_projected,
                                                        V, &P, &tangent);
        add_stiffness(&e, slope, e.weight[p] * output->stiffness_scale, &tangent, output->values);
      } else {
        energy += e.weight[p] * cr_soft_compute_stress(&body->material, &F, V, &P);
      }
      if (output->gradient)
        cr_soft_element_add_gradient(&e, slope, e.weight[p], &P, output->gradient);
    }
  }
  return energy;
}

static double norm2(const m3* F) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum += F->m[i][j] * F->m[i][j];
  return sum;
}

bool cr_soft_body_is_near(const cr_soft_body* body, const double (*x)[3], const double (*dx)[3],
                          double most) {
  for (int k = 0; k < body->mesh.num_elements; k++) {
    cr_soft_element e = cr_soft_element_of(body, k);
    for (int p = 0; p < body->num_points; p++) {
      const double(*slope)[3] = e.slope + (size_t)p * (size_t)e.nodes;
      m3 F = cr_soft_element_deform(&e, slope, x), dF = cr_soft_element_deform(&e, slope, dx);
      if (!(m3_determinant(&F) > 0) || !(norm2(&dF) <= most * most)) return false;
    }
  }
  return true;
}

/* gradient += weight K dx, block by block. */
static void add_product(const cr_soft_element* e, const double (*slope)[3], double weight,
                        const cr_soft_tangent* tangent, const double (*dx)[3], double* gradient) {
  for (int a = 0; a < e->nodes; a++)
    for (int b = 0; b < e->nodes; b++) {
      m3 K = cr_soft_tangent_contract(tangent, v3_load(slope[a]), v3_load(slope[b]));
      double* g = gradient + 3 * (size_t)e->node[a];
      v3_store(v3_axpy(v3_load(g), weight, m3_mulv(&K, v3_load(dx[e->node[b]]))), g);
    }
}

void cr_soft_body_add_linear(const cr_soft_body* body, const double (*x)[3], const double (*dx)[3],
                             const int* elements, int num_elements, double* gradient) {
  for (int k = 0; k < num_elements; k++) {
    cr_soft_element e = cr_soft_element_of(body, elements[k]);
    for (int p = 0; p < body->num_points; p++) {
      const double(*slope)[3] = e.slope + (size_t)p * (size_t)e.nodes;
      m3 F = cr_soft_element_deform(&e, slope, x), P;
      cr_soft_tangent tangent;
      cr_soft_compute_tangent(&body->material, &F, true, NULL, &P, &tangent);
      cr_soft_element_add_gradient(&e, slope, e.weight[p], &P, gradient);
      add_product(&e, slope, e.weight[p], &tangent, dx, gradient);
    }
  }
}

/* --- Mass ----------------------------------------------------------------------------------- */

static void add_to_diagonal(double mass, double* block) {
  for (int i = 0; i < 3; i++) block[4 * i] += mass;
}

static void add_consistent(const cr_soft_body* body, int k, double scale, double* values) {
  cr_soft_element e = cr_soft_element_of(body, k);
  for (int p = 0; p < CR_SOFT_MASS_POINTS; p++) {
    const cr_soft_point* point = &cr_soft_points_14[p];
    double N[CR_SOFT_QUADRATIC_NODES];
    cr_soft_shape(e.nodes, point->at, N);
    double det = cr_soft_element_jacobian(&body->mesh, k, point->at);
    double mass = scale * body->material.density * point->weight * det / 6;
    const int* slot = e.slot;
    for (int a = 0; a < e.nodes; a++)
      for (int b = 0; b <= a; b++) add_to_diagonal(mass * N[a] * N[b], values + *slot++);
  }
}

void cr_soft_body_add_mass(const cr_soft_body* body, double scale, bool is_consistent,
                           double* values) {
  const cr_bsm_pattern* pattern = &body->pattern;
  for (int k = 0; is_consistent && k < body->mesh.num_elements; k++)
    add_consistent(body, k, scale, values);
  for (int n = 0; !is_consistent && n < body->mesh.num_nodes; n++)
    add_to_diagonal(scale * body->mass[n], values + pattern->value_start[pattern->col_start[n]]);
}

/* --- Stress and strain ---------------------------------------------------------------------- */

/* s:s of the deviator of a matrix's symmetric part */
static double deviator_norm2(const m3* S) {
  double mean = (S->m[0][0] + S->m[1][1] + S->m[2][2]) / 3, sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double s = 0.5 * (S->m[i][j] + S->m[j][i]) - (i == j ? mean : 0);
      sum += s * s;
    }
  return sum;
}

/* sqrt(3/2 s:s) of the deviator of P Fᵀ / J */
static double von_mises(const m3* P, const m3* F) {
  m3 Ft = m3_transpose(F), S = m3_mul(P, &Ft);
  double J = m3_determinant(F);
  return J == 0 ? 0 : sqrt(1.5 * deviator_norm2(&S)) / fabs(J);
}

double cr_soft_body_compute_strain(const cr_soft_body* body, const double (*x)[3], int index) {
  cr_soft_element e = cr_soft_element_of(body, index);
  double sum = 0, volume = 0;
  for (int p = 0; p < body->num_points; p++) {
    m3 F = cr_soft_element_deform(&e, e.slope + (size_t)p * (size_t)e.nodes, x),
       Ft = m3_transpose(&F);
    m3 C = m3_mul(&Ft, &F); /* the deviator of E is half of that of C */
    sum += e.weight[p] * 0.5 * sqrt(2.0 / 3 * deviator_norm2(&C));
    volume += e.weight[p];
  }
  return sum / volume;
}

double cr_soft_body_compute_von_mises(const cr_soft_body* body, const double (*x)[3], int index) {
  cr_soft_element e = cr_soft_element_of(body, index);
  double sum = 0, volume = 0;
  for (int p = 0; p < body->num_points; p++) {
    m3 F = cr_soft_element_deform(&e, e.slope + (size_t)p * (size_t)e.nodes, x), P;
    cr_soft_compute_stress(&body->material, &F, NULL, &P);
    sum += e.weight[p] * von_mises(&P, &F);
    volume += e.weight[p];
  }
  return sum / volume;
}
