/* A soft body with supports, solved by Newton's method: at rest, and in time by the θ-schemes. */
#ifndef CR_TEST_SOFT_H
#define CR_TEST_SOFT_H

#include "linalg/cholesky.h"
#include "soft/body.h"
#include "soft/shapes.h"

typedef struct soft_case {
  cr_soft_mesh mesh;
  cr_soft_body body;
  cr_symbolic symbolic;
  cr_arena arena;
  double (*x)[3], (*v)[3]; /* [num_nodes] state */
  double (*load)[3];       /* [num_nodes] constant forces, N */
  bool* is_fixed;          /* [num_nodes * 3] these coordinates stay where x has them */
  double *mass, *damping;  /* [num_values] consistent M; D */
  double *values, *factor; /* of the matrix last factored */
  bool is_factor_kept;     /* the factor of the first step serves all (linear bodies) */
  bool has_factor;
  int num_factored;
} soft_case;

/* At rest in its reference shape, nothing fixed, no loads. Fails the test on errors. */
soft_case soft_case_create(const cr_soft_shape_def* shape, bool is_quadratic,
                           const cr_soft_material* material);
void soft_case_destroy(soft_case* s);

cr_soft_material soft_material(cr_soft_law law, double young, double poisson, double density);

/* Fixes the coordinates with their bits set (x 1, y 2, z 4) of nodes with |X[axis] - at| < 1e-9;
 * returns how many nodes there are. */
int soft_case_fix(soft_case* s, int axis, double at, int coordinates);

/* A traction on the surface where X[axis] = at. */
void soft_case_pull(soft_case* s, int axis, double at, const double traction[3]);

/* Moves x to a minimum of E - load x; returns the iterations. Fails where 60 are not enough. */
int soft_case_settle(soft_case* s);

/* Elastic, and kinetic energy. */
double soft_case_elastic(const soft_case* s);
double soft_case_kinetic(const soft_case* s);

/* D = alpha M + beta K at x. */
void soft_case_update_damping(soft_case* s);

/* One step of a θ-scheme: (θq, θv, θvq). */
typedef struct soft_theta {
  double q, v, vq;
} soft_theta;
void soft_case_step(soft_case* s, soft_theta theta, double dt);

/* The lowest frequency of K u = (2 pi f)² M u at x, Hz, by inverse iteration from all ones. */
double soft_case_frequency(soft_case* s);

#endif
