/* A soft body: a mesh of one material, with what the assembly needs of it.
 *
 * Positions, forces are [num_nodes, 3]; matrices are block-sparse with a block row of 3 for every
 * node, in the body's pattern (linalg/bsm.h). Nothing here allocates but the creation. */
#ifndef CR_SOFT_BODY_H
#define CR_SOFT_BODY_H

#include "base/arena.h"
#include "base/shared.h"
#include "linalg/bsm.h"
#include "soft/material.h"
#include "soft/mesh.h"

typedef struct cr_soft_body {
  cr_soft_mesh mesh; /* borrowed */
  cr_soft_material material;
  int num_points;         /* quadrature points of an element: 1 or 4 */
  int num_pairs;          /* nodes (nodes + 1) / 2 */
  const double* weight;   /* [num_elements, num_points] m³ */
  const double* gradient; /* [num_elements, num_points, nodes, 3] dN/dX, 1/m */
  const double* mass;     /* [num_nodes] lumped, all positive, kg */
  const double* load;     /* [num_nodes] density times the integral of N, kg: for gravity */
  const int* slot; /* [num_elements, num_pairs] first value of the stored block of nodes a, b */
  cr_bsm_pattern pattern;
  cr_arena arena;
} cr_soft_body;

/* Prepares a checked mesh (cr_soft_mesh_check), which must outlive the body. */
CR_SHARED carom_status cr_soft_body_create(cr_soft_body* body, const cr_soft_mesh* mesh,
                                           const cr_soft_material* material,
                                           const carom_allocator* allocator, carom_error* error);
CR_SHARED void cr_soft_body_destroy(cr_soft_body* body);

/* What cr_soft_body_evaluate adds to; null arrays are left out. */
typedef struct cr_soft_output {
  double* gradient; /* [num_nodes, 3] dE/dx: minus the elastic force, N */
  double* values;   /* [pattern.num_values] += stiffness_scale K */
  double stiffness_scale;
  bool is_projected; /* K has no negative curvature in any element */
  m3* turn;          /* [num_elements, num_points] V of the elements (material.h), of this body at
                      * positions nearby or identities; receives those at x */
} cr_soft_output;

/* Elastic energy (J) at node positions x (m); adds forces and stiffness. */
double cr_soft_body_evaluate(const cr_soft_body* body, const double (*x)[3],
                             const cr_soft_output* output);

/* gradient [num_nodes, 3] += dE/dx + K dx of the elements listed, at x, with K projected. */
void cr_soft_body_add_linear(const cr_soft_body* body, const double (*x)[3], const double (*dx)[3],
                             const int* elements, int num_elements, double* gradient);

/* values += scale M with the consistent or the lumped mass matrix. */
void cr_soft_body_add_mass(const cr_soft_body* body, double scale, bool is_consistent,
                           double* values);

/* force += weight of all nodes, consistent with the shape functions. */
void cr_soft_body_add_gravity(const cr_soft_body* body, const double gravity[3],
                              double (*force)[3]);

/* force += what a traction (Pa, per area of the reference shape) does on faces. */
void cr_soft_body_add_traction(const cr_soft_body* body, const cr_soft_face* faces, int num_faces,
                               const double traction[3], double (*force)[3]);

/* force += what a pressure (Pa) does on faces of the shape x, inwards where it is positive. */
void cr_soft_body_add_pressure(const cr_soft_body* body, const double (*x)[3],
                               const cr_soft_face* faces, int num_faces, double pressure,
                               double (*force)[3]);

/* Whether no element is inside out at x, and displacements dx change no gradient of deformation by
 * more than `most` (Frobenius). */
bool cr_soft_body_is_near(const cr_soft_body* body, const double (*x)[3], const double (*dx)[3],
                          double most);

/* Von Mises' equivalent of Green's strain E = (FᵀF - 1)/2 of the element `index` at positions x:
 * sqrt(2/3 e:e) of its deviator e, the mean over its points. */
CR_SHARED double cr_soft_body_compute_strain(const cr_soft_body* body, const double (*x)[3],
                                             int index);

/* Von Mises' stress of the element `index` (Pa) at positions x: of Cauchy's stress, the mean over
 * its points. */
CR_SHARED double cr_soft_body_compute_von_mises(const cr_soft_body* body, const double (*x)[3],
                                                int index);

#endif
