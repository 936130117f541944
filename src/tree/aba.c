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

static inline void m6_from_inertia(const spatial_inertia* a, cr_tree_m6* out) {
  const double* I = a->I;
  const v3 h = a->mc;
  const double m = a->mass;
  const cr_tree_m6 columns = {{
      {I[0], I[3], I[4], 0, -h.z, h.y},
      {I[3], I[1], I[5], h.z, 0, -h.x},
      {I[4], I[5], I[2], -h.y, h.x, 0},
      {0, h.z, -h.y, m, 0, 0},
      {-h.z, 0, h.x, 0, m, 0},
      {h.y, -h.x, 0, 0, 0, m},
  }};
  *out = columns;
}

static inline sv m6_mulv(const cr_tree_m6* A, sv x) {
  const double s[6] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
  double y[6] = {0};
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 6; r++) y[r] += A->m[c][r] * s[c];
  return (sv){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

/* A -= s U Uᵀ */
static inline void m6_subtract_outer(cr_tree_m6* A, double s, sv U) {
  const double u[6] = {U.ang.x, U.ang.y, U.ang.z, U.lin.x, U.lin.y, U.lin.z};
  for (int c = 0; c < 6; c++) {
    double su = s * u[c];
    for (int r = 0; r < 6; r++) A->m[c][r] -= su * u[r];
  }
}

static inline void m6_add(cr_tree_m6* A, const cr_tree_m6* B) {
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 6; r++) A->m[c][r] += B->m[c][r];
}

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
  m6_from_inertia(I, &problem->scratch->I[link]);
}

/* Takes the link's dofs out of its articulated inertia, last one first. */
static inline bool eliminate_dofs(const aba_problem* problem, int link) {
  cr_tree_scratch* scratch = problem->scratch;
  const cr_tree_model* model = problem->model;
  for (int k = model->link_v_start[link + 1] - 1; k >= model->link_v_start[link]; k--) {
    sv S = problem->kinematics->S[k], U = m6_mulv(&scratch->I[link], S);
    double own = model->dof_armature[k] + (problem->extra ? problem->extra[k] : 0);
    double d = sv_dot(S, U) + own;
    if (!(d > 0)) return false;
    double u = (problem->tau ? problem->tau[k] : 0) - sv_dot(S, scratch->f[link]);
    m6_subtract_outer(&scratch->I[link], 1 / d, U);
    scratch->f[link] = sv_axpy(scratch->f[link], u / d, U);
    scratch->U[k] = U, scratch->d[k] = d, scratch->u[k] = u;
  }
  return true;
}

/* Adds what is left of a link to its parent. */
static inline void pass_to_parent(const aba_problem* problem, int link) {
  cr_tree_scratch* scratch = problem->scratch;
  int parent = problem->model->link_parent[link];
  sv p = sv_add(scratch->f[parent], scratch->f[link]);
  if (problem->velocities)
    p = sv_add(p, m6_mulv(&scratch->I[link], problem->velocities->link_bias[link]));
  scratch->f[parent] = p;
  m6_add(&scratch->I[parent], &scratch->I[link]);
}

/* Accelerations of the link's dofs and of the link, given its parent's. */
static inline sv accelerate_link(const aba_problem* problem, int link, sv parent, double* a) {
  const cr_tree_scratch* scratch = problem->scratch;
  sv A = problem->velocities ? sv_add(parent, problem->velocities->link_bias[link]) : parent;
  const int* v_start = problem->model->link_v_start + link;
  for (int k = v_start[0]; k < v_start[1]; k++) {
    a[k] = (scratch->u[k] - sv_dot(scratch->U[k], A)) / scratch->d[k];
    A = sv_axpy(A, a[k], problem->kinematics->S[k]);
  }
  return A;
}

bool cr_tree_compute_forward_dynamics(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* tau,
                                      const double* extra, const cr_tree_loads* loads,
                                      cr_tree_scratch* scratch, double* a) {
  aba_problem problem = {model, kinematics, velocities, tau, extra, loads, scratch};
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
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
