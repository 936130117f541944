/* A soft body within a step: its forces and its part of A, from which the nodes that no constraint
 * touches are eliminated (docs/soft.md, "Theory in a page").
 *
 * Nodes count as segments behind those of the trees, see cr_soft_model. Those that are held in the
 * world keep their rows: their velocity is zero and nothing couples to them. */
#ifndef CR_SIM_SOFT_STEP_H
#define CR_SIM_SOFT_STEP_H

#include "linalg/schur.h"
#include "sim/sim.h"

/* What a simulation keeps of a soft body: analyses, by the nodes that are touched. */
struct cr_soft_cache {
  cr_arena arena;      /* for the two below, which stay */
  bool is_iterative;   /* A is not factored, see soft_inverse.h */
  int most_iterations; /* in a contact problem, beyond which a factor would be cheaper */
  int* order;         /* [num_nodes] node eliminated k-th, by nested dissection of the rest shape */
  cr_symbolic whole;  /* of A, for the free motion */
  cr_arena kept;      /* for the next two */
  int* is_kept;       /* [num_nodes] of the last analysis; null: none yet */
  cr_symbolic partly; /* of A with these nodes last */
};

struct cr_step_soft {
  const cr_soft_part* part;
  cr_soft_cache* cache;
  const int* held;       /* [num_nodes] */
  int tree;              /* its number among the trees of the step */
  int first_q, first_v;  /* of its first node */
  const double (*x0)[3]; /* [num_nodes] at the start of the step */
  cr_theta theta;        /* of its elements, see cr_soft_prepare */
  double* load;          /* [num_nodes, 3] N, constant in the step */
  m3* turn;              /* [num_elements, num_points] see cr_soft_output, of the step alone: a step
                          * is the same whatever came before it */
  double* K;          /* [num_values] N/m, projected stiffness at the predicted q^tq; null: it has
                       * no part */
  double* K_x;        /* [num_nodes, 3] m, that q^tq */
  double K_time;      /* s, how far v0 carries it from the start */
  double* K_gradient; /* [num_nodes, 3] N, dE/dx there */
  double K_energy;    /* J, E there */
  bool is_iterative;  /* A is not factored; all nodes that are not held are in the problem */
  double left;        /* of v*, relative: a bound of the error that an iteration has left */
  int num_kept;       /* nodes in the problem */
  int* kept;          /* [num_kept] ascending */
  double *A, *factor; /* values at v_lin; factor of cache->partly */
  double* S;          /* [3 num_kept, stride] what A leaves for the kept nodes */
  bool is_waiting;    /* v_lin is v0; v* follows from it once A is known, or is the free motion */
};

/* Sets up the soft bodies of a step; false when memory ran out. */
bool cr_soft_init(cr_step* step);

/* Chooses the weights of the elements: those of the step, but implicit Euler's for a body that has
 * an impact, since (0, 1) would leave stiffness explicit. Then forces, and stiffness at the q^tq
 * that v_star predicts: close enough to that of the solution for damping of second order. False
 * when memory ran out. */
bool cr_soft_prepare(cr_step* step, cr_step_soft* soft);

/* Where the step is linearised, into v_lin: at v0 where that hardly turns or strains the elements
 * in a step, so that a body that is held at rest stays there; else at the free motion, which is
 * v_star too. The body waits where it is v0. False when the free motion does not converge. */
bool cr_soft_begin(cr_step* step, cr_step_soft* soft);

/* Free motion into v_star and v_lin, by Newton with line search on the incremental potential; false
 * when it does not converge. */
bool cr_soft_move(cr_step* step, cr_step_soft* soft);

/* m(v) = M (v - v0) + dt (dE/dx(q^tq) + D v^tv - load) into residual [3 num_nodes]; held nodes have
 * none.
 * @param x [num_nodes] receives q^tq
 * @param gradient [3 num_nodes] scratch
 * @return the incremental potential whose gradient m is, up to a constant; NaN without stiffness */
double cr_soft_compute_residual(const cr_step* step, const cr_step_soft* soft, const double* v,
                                double (*x)[3], double* gradient, double* residual);

/* A [num_values] with the stiffness at x, without negative curvature where it is projected; null:
 * soft->K. */
void cr_soft_compute_matrix(const cr_step* step, const cr_step_soft* soft, const double (*x)[3],
                            bool is_projected, double* A);

/* q^tq [3 num_nodes] at the velocities v [3 num_nodes] of the nodes. */
void cr_soft_compute_mid(const cr_step* step, const cr_step_soft* soft, cr_theta theta,
                         const double* v, double* x);

/* Sets q_mid of the nodes for the velocity v of the step. */
void cr_soft_place(cr_step* step, const cr_step_soft* soft, const double* v);

/* Positions and velocities of the nodes at the end of the step, into q_mid and v_q. */
void cr_soft_advance(cr_step* step, const cr_step_soft* soft);

/* Energy that damping takes in the step, J: its force where it counts, v^tv, along the mean
 * velocity. */
double cr_soft_compute_loss(const cr_step* step, const cr_step_soft* soft);

/* What the forces on nodes do in the step, at the mean velocity, J. */
double cr_soft_compute_load_work(const cr_step* step);

/* The soft body of a tree's number, or null. */
static inline cr_step_soft* cr_soft_of_tree(const cr_step* step, int tree) {
  int part = tree - step->model->tree.num_trees;
  return part < 0 ? NULL : &step->soft[part];
}

/* Analyses kept from step to step; null without memory, or without soft bodies. */
bool cr_soft_cache_create(const carom_model* model, const carom_allocator* allocator,
                          cr_soft_cache** cache);
void cr_soft_cache_destroy(const carom_model* model, const carom_allocator* allocator,
                           cr_soft_cache* cache);

#endif
