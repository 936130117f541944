/* Hyperelastic materials: energy density, stress and stiffness of a deformation gradient.
 *
 * With F = U diag(sigma) Vᵀ (rotations; the last value may be negative), J = det F:
 *
 *   linear            mu e:e + lambda/2 tr²(e),  e = (F + Fᵀ)/2 - 1       small rotations only
 *   corotated         mu sum (sigma - 1)² + lambda/2 (sum (sigma - 1))²
 *   fixed corotated   mu sum (sigma - 1)² + lambda/2 (J - 1)²
 *   St V.-Kirchhoff   mu E:E + lambda/2 tr²(E),  E = (Fᵀ F - 1)/2         softens when squeezed
 *   Neo-Hookean       mu/2 (tr Fᵀ F - 3) - mu ln J + lambda/2 ln² J
 *
 * Below J = CR_SOFT_SMALLEST_VOLUME the last one's function of J goes on as its parabola there, so
 * that squashed and inverted elements have a finite energy that drives them back. The
 * corotated laws' sum of singular values has a kink where two of them cancel, and where the third
 * one is stretched that is a valley without a derivative: it is rounded off, by no more than
 * CR_SOFT_SMOOTHING log 4, as material.c says. */
#ifndef CR_SOFT_MATERIAL_H
#define CR_SOFT_MATERIAL_H

#include "base/error.h"
#include "base/shared.h"
#include "math/vec3.h"

#include <stdbool.h>

#define CR_SOFT_SMALLEST_VOLUME 0.1
#define CR_SOFT_SMOOTHING       0.02

typedef enum cr_soft_law {
  CR_SOFT_COROTATED,
  CR_SOFT_LINEAR,
  CR_SOFT_FIXED_COROTATED,
  CR_SOFT_ST_VENANT_KIRCHHOFF,
  CR_SOFT_NEO_HOOKEAN,
} cr_soft_law;

typedef struct cr_soft_material {
  cr_soft_law law;
  double mu, lambda; /* Lamé's constants, Pa */
  double density;    /* kg/m³ */
  double alpha;      /* Rayleigh damping D = alpha M + beta K: 1/s */
  double beta;       /* s */
} cr_soft_material;

/* Sets Lamé's constants from Young's modulus (Pa, > 0) and Poisson's ratio (above -1, below 1/2),
 * and the density (kg/m³, > 0); no damping. `error` names the value that is out of range. */
CR_SHARED carom_status cr_soft_material_init(cr_soft_material* material, cr_soft_law law,
                                             double young, double poisson, double density,
                                             carom_error* error);

/* dP/dF in the frames of U and V: with dF~ = Uᵀ dF V and dP~ = Uᵀ dP V,
 *   dP~_ii = sum_j H_ij dF~_jj,   dP~_ij = a_k dF~_ij + b_k dF~_ji   (i, j, k all different). */
typedef struct cr_soft_tangent {
  m3 U, V;
  double H[3][3];
  double a[3], b[3];
} cr_soft_tangent;

/* Energy density (J/m³) and first Piola-Kirchhoff stress (Pa) of a deformation gradient.
 * @param V a rotation, best that of a deformation nearby, which saves time; receives that of F.
 *        Null: none is known */
double cr_soft_compute_stress(const cr_soft_material* material, const m3* F, m3* V, m3* P);

/* The stiffness dP/dF too.
 * @param is_projected negative eigenvalues of dP/dF (as a symmetric 9 x 9 matrix) are set to zero
 * @param V as above
 * @param P may be null */
double cr_soft_compute_tangent(const cr_soft_material* material, const m3* F, bool is_projected,
                               m3* V, m3* P, cr_soft_tangent* tangent);

/* dP of a change dF. */
m3 cr_soft_tangent_apply(const cr_soft_tangent* tangent, const m3* dF);

/* K [3, 3]: the force's derivative at a node with shape gradient g by the position of one with h,
 * K_ik = sum_jl dP_ij/dF_kl g_j h_l, per volume. */
m3 cr_soft_tangent_contract(const cr_soft_tangent* tangent, v3 g, v3 h);

#endif
