/* Shape functions and quadrature of tetrahedra, on the corner (0,0,0), (1,0,0), (0,1,0), (0,0,1).
 */
#ifndef CR_SOFT_ELEMENT_H
#define CR_SOFT_ELEMENT_H

#include "soft/mesh.h"

/* A point of a rule; the weights of a rule add up to 1. */
typedef struct cr_soft_point {
  double at[3];
  double weight;
} cr_soft_point;

enum { CR_SOFT_MASS_POINTS = 14 };

extern const cr_soft_point cr_soft_points_1[1];                    /* exact to degree 1 */
extern const cr_soft_point cr_soft_points_4[4];                    /* to degree 2 */
extern const cr_soft_point cr_soft_points_14[CR_SOFT_MASS_POINTS]; /* to degree 5 */

/* Shape functions N [nodes] at a point, and their derivatives dN [nodes, 3] there. */
void cr_soft_shape(int nodes, const double xi[3], double* N);
void cr_soft_shape_slopes(int nodes, const double xi[3], double (*dN)[3]);

/* det dX/dxi of an element, six times its volume where the edges are straight. */
double cr_soft_element_jacobian(const cr_soft_mesh* mesh, int element, const double xi[3]);

/* Derivatives of the shape functions by the node coordinates, dN/dX [nodes, 3]; returns the
 * determinant. */
double cr_soft_element_gradients(const cr_soft_mesh* mesh, int element, const double xi[3],
                                 double (*gradient)[3]);

#endif
