/* Matrices at the points of a body that say how stresses there move with gradients of deformation
 * there: what derivatives of a step with respect to its nodes are summed of. */
#ifndef CR_SOFT_SLOPES_H
#define CR_SOFT_SLOPES_H

#include "soft/body.h"
#include "soft/surface.h"

typedef double cr_soft_slope[81]; /* [9, 9], entries 3 i + j of F and P */

/* X [num_elements * num_points] += scale dP/dF at x, with its negative curvature. */
void cr_soft_body_add_tangents(const cr_soft_body* body, const double (*x)[3], double scale,
                               cr_soft_slope* X);

/* X += scale (D C+[.]) W, how the projected stiffness at x, contracted with w, moves (material_
 * slope.h). */
void cr_soft_body_add_bends(const cr_soft_body* body, const double (*x)[3], const double (*w)[3],
                            double scale, cr_soft_slope* X);

/* How near the nearest curvature along which displacements w strain by more than `least` is to
 * where it is cut off, relative. */
double cr_soft_body_find_kink(const cr_soft_body* body, const double (*x)[3], const double (*w)[3],
                              double least);

/* y [num_nodes, 3] += the forces on nodes that these stresses make for displacements dx; its
 * transpose. */
void cr_soft_body_apply_slopes(const cr_soft_body* body, const cr_soft_slope* X,
                               const double (*dx)[3], double* y);
void cr_soft_body_apply_slopes_transposed(const cr_soft_body* body, const cr_soft_slope* X,
                                          const double (*y)[3], double* dx);

/* y += (dK) w where mu and lambda move by those of `change`, K projected at x. */
void cr_soft_body_add_variation(const cr_soft_body* body, const cr_soft_material* change,
                                const double (*x)[3], const double (*w)[3], double* y);

/* force += how the forces of a pressure of 1 Pa on a closed surface of the shape x change with
 * displacements dx, a symmetric matrix times dx: the second derivative of the volume. */
void cr_soft_body_add_pressure_change(const cr_soft_body* body, const double (*x)[3],
                                      const double (*dx)[3], const cr_soft_surface* surface,
                                      double (*force)[3]);

#endif
