/* Articulated-body forward dynamics (Featherstone 2008, section 7.3), in world axes about the
 * tree's origin, one dof at a time. With f = I A + p the force that a link's joints transmit at the
 * link's acceleration A, a dof with A = A' + S a and tau = S . f + (armature + extra) a gives
 *
 *   U = I S      d = S . U + armature + extra      u = tau - S . p
 *   a = (u - U . A') / d
 *   f = I' A' + p',   I' = I - U Uᵀ / d,   p' = p + U u / d
 *
 * and between the joints of a link and its parent A' = A_parent + bias. Gravity is an upward
 * acceleration of the ground. */
#include "tree/algorithms.h"

typedef struct aba_problem {
  const cr_tree_model* model;
  const cr_tree_kinematics* kinematics;
  const cr_tree_velocities* velocities; /* null: at rest */
  const double* tau;                    /* null: zero */
  const double* extra;                  /* null: zero */
  const cr_tree_loads* loads;
  cr_tree_scratch* scratch;
} aba_problem;

/* The link alone: its inertia, and the force that it needs at A = 0. */
static inline void start_link(const aba_problem* problem, int link) {
  const spatial_inertia* I = &problem->kinematics->link_I[link];
  const sv* external = problem->loads->link_external;
  sv p = sv_zero();
  if (problem->velocities) {
    sv V = problem->velocities->link_V[link];
    p = sv_cross_force(V, spatial_inertia_mulv(I, V));
  }
  if (external) p = sv_sub(p, external[link]);
  problem->scratch->f[link] = p;
  cr_m6_from_inertia(I, &problem->scratch->I[link]);
}

/* Takes the link's dofs out of its articulated inertia, last one first. */
static inline bool eliminate_dofs(const aba_problem* problem, int link) {
  cr_tree_scratch* scratch = problem->scratch;
  const cr_tree_model* model = problem->model;
  for (int k = model->link_v_start[link + 1] - 1; k >= model->link_v_start[link]; k--) {
    sv S = problem->kinematics->S[k], U = cr_m6_mulv(&scratch->I[link], &problem->kinematics->S[k]);
    double own = model->dof_armature[k] + (problem->extra ? problem->extra[k] : 0);
    double d = sv_dot(S, U) + own;
    if (!(d > 0)) return false;
    double u = (problem->tau ? problem->tau[k] : 0) - sv_dot(S, scratch->f[link]), inv_d = 1 / d;
    scratch->U[k] = U, scratch->u[k] = u, scratch->inv_d[k] = inv_d;
    scratch->f[link] = sv_axpy(scratch->f[link], u * inv_d, U);
    cr_m6_subtract_outer(&scratch->I[link], inv_d, &scratch->U[k]);
  }
  return true;
}

/* Adds what is left of a link to its parent. */
static inline void pass_to_parent(const aba_problem* problem, int link) {
  cr_tree_scratch* scratch = problem->scratch;
  int parent = problem->model->link_parent[link];
  sv p = sv_add(scratch->f[parent], scratch->f[link]);
  if (problem->velocities)
    p = sv_add(p, cr_m6_mulv(&scratch->I[link], &problem->velocities->link_bias[link]));
  scratch->f[parent] = p;
  cr_m6_add(&scratch->I[parent], &scratch->I[link]);
}

/* Accelerations of the link's dofs and of the link, given its parent's. */
static inline sv accelerate_link(const aba_problem* problem, int link, sv parent, double* a) {
  const cr_tree_scratch* scratch = problem->scratch;
  sv A = problem->velocities ? sv_add(parent, problem->velocities->link_bias[link]) : parent;
  const int* v_start = problem->model->link_v_start + link;
  for (int k = v_start[0]; k < v_start[1]; k++) {
    a[k] = (scratch->u[k] - sv_dot(scratch->U[k], A)) * scratch->inv_d[k];
    A = sv_axpy(A, a[k], problem->kinematics->S[k]);
  }
  return A;
}

static inline bool is_positive_definite(const m3* A) {
  double minor = A->m[0][0] * A->m[1][1] - A->m[0][1] * A->m[1][0];
  return A->m[0][0] > 0 && minor > 0 && m3_determinant(A) > 0;
}

/* Moment about the centre of mass and force (body and world axes) on a free link. */
static inline sv compute_free_load(const aba_problem* problem, int link, const m3* I) {
  const cr_tree_model* model = problem->model;
  const m3* R = &problem->kinematics->link_pose[link].R;
  const sv* external = problem->loads->link_external;
  int k = model->link_v_start[link];
  sv load = {v3_zero(), v3_scale(model->link_mass[link], problem->loads->gravity)};
  if (external) load = sv_add(load, (sv){m3_tmulv(R, external[link].ang), external[link].lin});
  if (problem->tau)
    load = sv_add(load, (sv){v3_load(problem->tau + k + 3), v3_load(problem->tau + k)});
  if (problem->velocities) {
    v3 w = m3_tmulv(R, problem->velocities->link_V[link].ang);
    load.ang = v3_sub(load.ang, v3_cross(w, m3_mulv(I, w)));
  }
  return load;
}

/* A link alone: its mass matrix is diag(m, m, m, I) in its own axes, and what its velocity adds to
 * the force is the moment w × I w. */
static bool accelerate_free_link(const aba_problem* problem, int link, double* a) {
  const cr_tree_model* model = problem->model;
  int k = model->link_v_start[link];
  double m = model->link_mass[link];
  v3 mass = {m, m, m};
  m3 I = m3_symmetric(model->link_inertia + 6 * link);
  sv load = compute_free_load(problem, link, &I);
  if (problem->extra) {
    m3 extra = m3_diagonal(v3_load(problem->extra + k + 3));
    mass = v3_add(mass, v3_load(problem->extra + k));
    I = m3_add(&I, &extra);
  }
  if (!(mass.x > 0 && mass.y > 0 && mass.z > 0 && is_positive_definite(&I))) return false;
  v3 linear = {load.lin.x / mass.x, load.lin.y / mass.y, load.lin.z / mass.z};
  v3_store(linear, a + k);
  v3_store(m3_solve(&I, load.ang), a + k + 3);
  return true;
}

bool cr_tree_compute_forward_dynamics(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* tau,
                                      const double* extra, const cr_tree_loads* loads,
                                      cr_tree_scratch* scratch, double* a) {
  aba_problem problem = {model, kinematics, velocities, tau, extra, loads, scratch};
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  if (model->tree_is_free_link[tree]) return accelerate_free_link(&problem, first, a);
  for (int i = first; i < end; i++) start_link(&problem, i);

  // Inwards: articulated inertias.
  for (int i = end - 1; i >= first; i--) {
    if (!eliminate_dofs(&problem, i)) return false;
    if (i > first) pass_to_parent(&problem, i);
  }

  // Outwards: accelerations.
  sv ground = {v3_zero(), v3_neg(loads->gravity)};
  for (int i = first; i < end; i++) {
    sv parent = i == first ? ground : scratch->a[model->link_parent[i]];
    scratch->a[i] = accelerate_link(&problem, i, parent, a);
  }
  return true;
}
