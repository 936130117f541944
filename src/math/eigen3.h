/* Eigenvalues of symmetric 3x3 matrices. */
#ifndef CR_MATH_EIGEN3_H
#define CR_MATH_EIGEN3_H

#include "math/vec3.h"

/* Eigenvalues (ascending) and orthonormal right-handed eigenvectors (columns of V) of a symmetric
 * matrix, by cyclic Jacobi rotations to round-off. V may be null. */
v3 m3_eigen_symmetric(const m3* A, m3* V);

#endif
