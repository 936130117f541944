/* The frame of principal axes that the format gives a body or mesh: which of the many there are is
 * part of what its coordinates and fitted shapes mean. */
#ifndef CR_IMPORT_MJCF_PRINCIPAL_H
#define CR_IMPORT_MJCF_PRINCIPAL_H

#include "math/quat.h"

/* Axes along which a symmetric matrix is diagonal, falling moments first, as MuJoCo turns them: by
 * Jacobi's classical method (the largest element first, the smaller of two angles; Golub and Van
 * Loan, Matrix Computations, 8.5) until what is off the diagonal is below 1e-12 or turns it by less
 * than 1.4e-6 rad, then by quarter turns that exchange neighbours.
 * @param inertia [6] xx yy zz xy xz yz
 * @param moments along the axes
 * @return orientation of the axes */
quat cr_mjcf_principal_axes(const double inertia[6], v3* moments);

#endif
