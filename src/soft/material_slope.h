/* How the stiffness dP/dF of a material moves with the deformation gradient and with its constants:
 * what derivatives of a step need where the step itself has a stiffness in it.
 *
 * That of a step is C+, dP/dF with its negative eigenvalues as a symmetric 9 x 9 matrix set to
 * zero. With its eigenvectors Q_a and eigenvalues c_a it changes by
 *
 *   dC+ = sum_ab Q_a D_ab (Q_a . dC Q_b) Q_bᵀ,   D_ab = (c_a+ - c_b+) / (c_a - c_b)
 *
 * (Daleckii and Krein), 1 for two that are positive and 0 for two that are not. */
#ifndef CR_SOFT_MATERIAL_SLOPE_H
#define CR_SOFT_MATERIAL_SLOPE_H

#include "soft/material.h"

/* X += scale (D C+(F)[.]) W, a matrix [9, 9] over the entries 3 i + j of changes of F and P. */
void cr_soft_material_bend(const cr_soft_material* material, const m3* F, const m3* W, double scale,
                           double* X);

/* The least |c_a| of those along which W has a part of more than `least`, relative to the largest;
 * at 0 the derivatives of C+ W to either side differ. */
double cr_soft_material_find_kink(const cr_soft_material* material, const m3* F, const m3* W,
                                  double least);

/* X += scale dP/dF, negative eigenvalues and all. */
void cr_soft_material_add_tangent(const cr_soft_material* material, const m3* F, double scale,
                                  double* X);

/* (dC+) W where the constants mu and lambda move by those of `change`. */
m3 cr_soft_material_vary(const cr_soft_material* material, const cr_soft_material* change,
                         const m3* F, const m3* W);

#endif
