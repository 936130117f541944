/* Recursive Newton-Euler inverse dynamics (Featherstone 2008, section 5.3), in world axes about the
 * tree's origin:
 *
 *   A_i = A_parent + bias_i + sum S a          A_ground = -gravity
 *   F_i = I_i A_i + V_i ×* I_i V_i - external_i + sum over children F
 *   tau = S . F + armature a
 *
 * Gravity enters as an upward acceleration of the ground, so it costs nothing per link. */
#include "tree/algorithms.h"

typedef struct rnea_problem {
  const cr_tree_model* model;
  const cr_tree_kinematics* kinematics;
  const cr_tree_velocities* velocities; /* null: at rest */
  const double* a;                      /* null: zero */
  const cr_tree_loads* loads;
  cr_tree_scratch* scratch;
} rnea_problem;

/* Acceleration of a link, given its parent's. */
static inline sv compute_acceleration(const rnea_problem* problem, int link, sv parent) {
  sv A = parent;
  if (problem->velocities) A = sv_add(A, problem->velocities->link_bias[link]);
  if (!problem->a) return A;
  const int* v_start = problem->model->link_v_start + link;
  for (int k = v_start[0]; k < v_start[1]; k++)
    A = sv_axpy(A, problem->a[k], problem->kinematics->S[k]);
  return A;
}

/* Force that a link alone needs for its acceleration. */
static inline sv compute_force(const rnea_problem* problem, int link, sv A) {
  const spatial_inertia* I = &problem->kinematics->link_I[link];
  sv F = spatial_inertia_mulv(I, A);
  if (problem->velocities) {
    sv V = problem->velocities->link_V[link];
    F = sv_add(F, sv_cross_force(V, spatial_inertia_mulv(I, V)));
  }
  const sv* external = problem->loads->link_external;
  return external ? sv_sub(F, external[link]) : F;
}

/* Joint forces of a link, through which F passes. */
static inline void project_force(const rnea_problem* problem, int link, sv F, double* tau) {
  const int* v_start = problem->model->link_v_start + link;
  for (int k = v_start[0]; k < v_start[1]; k++) {
    tau[k] = sv_dot(problem->kinematics->S[k], F);
    if (problem->a) tau[k] += problem->model->dof_armature[k] * problem->a[k];
  }
}

void cr_tree_compute_inverse_dynamics(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* a,
                                      const cr_tree_loads* loads, cr_tree_scratch* scratch,
                                      double* tau) {
  rnea_problem problem = {model, kinematics, velocities, a, loads, scratch};
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];

  // Outwards: accelerations, and the force of every link alone.
  sv ground = {v3_zero(), v3_neg(loads->gravity)};
  for (int i = first; i < end; i++) {
    sv parent = i == first ? ground : scratch->a[model->link_parent[i]];
    scratch->a[i] = compute_acceleration(&problem, i, parent);
    scratch->f[i] = compute_force(&problem, i, scratch->a[i]);
  }

  // Inwards: what each joint transmits.
  for (int i = end - 1; i >= first; i--) {
    sv F = scratch->f[i];
    project_force(&problem, i, F, tau);
    int parent = model->link_parent[i];
    if (i > first) scratch->f[parent] = sv_add(scratch->f[parent], F);
  }
}
