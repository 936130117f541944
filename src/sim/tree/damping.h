/* Stiff dampers, and the springs beside them, within a step: the times at which their forces count.
 *
 * A damper d on a mass m changes a velocity by the factor exp(-z) in a step, z = dt d / m; the
 * theta-method does it by (1 - (1 - theta) z) / (1 + theta z), which for theta = 1/2 and z > 2
 * turns its sign in every step. So each damped coordinate has a weight of its own,
 *
 *   theta(z) = 1 / (1 - exp(-z)) - 1 / z     (1/2 for z -> 0, 1 for z -> infinity),
 *
 * with which that factor is exact, and its spring counts at q0 + dt (s v + s' v0) with s and s'
 * such that the map of one coordinate has the determinant exp(-z) whatever the spring, and positive
 * eigenvalues where the damping is overcritical (docs/theory.md). Without damper nothing changes.
 *
 * m is a lower bound: with each link's inertia dealt out among the damped joints next to it,
 * M >= sum of m_i J_iᵀ J_i over all dampers, so that no mode of several dampers turns its sign. */
#ifndef CR_SIM_DAMPING_H
#define CR_SIM_DAMPING_H

#include "sim/sim.h"

/* The weight of a coordinate with a damper d > 0 and a spring k beside it, on the mass m; 0: none
 * is known. */
cr_weight cr_damping_find_weight(cr_theta theta, double dt, double k, double d, double m);

/* How it moves with z = dt d / m. */
cr_weight cr_damping_differentiate_weight(cr_theta theta, double dt, double k, double d, double m);

/* What of the model and dt says which trees have stiff dampers, at the reference configuration;
 * false when memory ran out. */
bool cr_damping_plan(carom_sim* sim);

/* Arrays of a step; false when memory ran out. */
bool cr_damping_init(cr_step* step);

/* Weights of a tree's dofs, once in a step, at the kinematics; then x_e and v_e at the velocity v.
 */
void cr_damping_place(cr_step* step, int tree, const double* v);

/* Weights of the springs between points, once in a step, where the trees that they pull at have
 * theirs. */
void cr_damping_weigh_springs(cr_step* step);

/* The weights of a tree, whose theta has changed, are to be found anew. */
void cr_damping_forget(cr_step* step, int tree);

/* Weights of a dof, a line, a spring between points. */
static inline cr_weight cr_damping_of_dof(const cr_step* step, int dof) {
  return step->dof_weight ? step->dof_weight[dof] : (cr_weight){0};
}
static inline cr_weight cr_damping_of_line(const cr_step* step, int line) {
  return step->line_weight ? step->line_weight[line] : (cr_weight){0};
}
static inline cr_weight cr_damping_of_spring(const cr_step* step, int spring) {
  return step->spring_weight ? step->spring_weight[spring] : (cr_weight){0};
}

/* Weights of stiffness and damping of a tree's dof in A. */
typedef struct cr_matrix_weights {
  double stiffness, damping; /* s², s */
} cr_matrix_weights;

static inline cr_matrix_weights cr_damping_weigh_dof(const cr_step* step, int tree, int dof) {
  cr_theta theta = step->theta[tree];
  cr_weight w = cr_damping_of_dof(step, dof);
  double dt = step->dt;
  return (cr_matrix_weights){(theta.q * theta.vq + w.end) * dt * dt, (theta.v + w.rate) * dt};
}

/* How far the coordinate at which a spring counts is from where the scheme looks, and how much its
 * rate differs, at the rates v and v0. */
static inline double cr_weight_shift(cr_weight w, double dt, double v, double v0) {
  return dt * (w.end * v + w.start * v0);
}
static inline double cr_weight_rate(cr_weight w, double v, double v0) { return w.rate * (v - v0); }

/* Coordinate and rate of a hinge or slide at which its forces count, where the tree is placed. */
static inline double cr_step_joint_coordinate(const cr_step* step, int q, int dof) {
  return step->q_mid[q] + (step->x_e ? step->x_e[dof] : 0);
}
static inline double cr_step_joint_rate(const cr_step* step, int dof) {
  return step->v_e ? step->v_e[dof] : step->v_f[dof];
}

#endif
