/* Masses that dampers work on, from links dealt out among them; see damping_mass.h. */
#include "sim/tree/damping_mass.h"

#include "base/copy.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define SINGULAR 1e-12 /* of the diagonal: directions in which neither link has inertia */

/* --- Layout -------------------------------------------------------------------------------------
 */

static bool is_massless(const cr_tree_model* model, int link) {
  return model->link_tree[link] >= 0 && !(model->link_mass[link] > 0);
}

/* The link with mass, or the ground, that a link hangs on; counts the dofs between. */
static int find_inner(const cr_tree_model* model, int link, int* num_dofs) {
  do {
    *num_dofs += model->link_v_start[link + 1] - model->link_v_start[link];
    link = model->link_parent[link];
  } while (link > 0 && is_massless(model, link));
  return link;
}

/* The group of an outer link; false where it has none. */
static bool has_group(const cr_tree_model* model, int link, int* inner, int* num_dofs) {
  *num_dofs = 0;
  if (model->link_tree[link] < 0 || is_massless(model, link)) return false;
  *inner = find_inner(model, link, num_dofs);
  return *num_dofs > 0 && *num_dofs <= CR_GROUP_MAX;
}

typedef struct layout {
  int *tree_start, *dof_start, *dof, *link, *rows, *share, *dof_group, *dof_place;
} layout;

static bool push_layout(carom_sim* sim, int num_groups, int num_dofs, layout* l) {
  const cr_tree_model* model = &sim->model->tree;
  l->tree_start = CR_PUSH(&sim->fixed, int, model->num_trees + 1);
  l->dof_start = CR_PUSH(&sim->fixed, int, num_groups + 1);
  l->dof = CR_PUSH(&sim->fixed, int, num_dofs);
  l->link = CR_PUSH(&sim->fixed, int, 2 * num_groups);
  l->rows = CR_PUSH(&sim->fixed, int, num_groups);
  l->share = CR_PUSH(&sim->fixed, int, model->num_links);
  l->dof_group = CR_PUSH(&sim->fixed, int, model->num_v);
  l->dof_place = CR_PUSH(&sim->fixed, int, model->num_v);
  if (sim->fixed.failed) return false;
  for (int g = 0; g < num_groups; g++) l->rows[g] = 0;
  for (int i = 0; i < model->num_links; i++) l->share[i] = 0;
  for (int i = 0; i < model->num_v; i++) l->dof_group[i] = -1, l->dof_place[i] = 0;
  return true;
}

static void fill_group(const cr_tree_model* model, int group, int link, int inner, layout* l) {
  int at = l->dof_start[group];
  l->link[2 * group] = link, l->link[2 * group + 1] = inner;
  for (; link != inner; link = model->link_parent[link])
    for (int i = model->link_v_start[link + 1] - 1; i >= model->link_v_start[link]; i--, at++) {
      l->dof[at] = i;
      if (l->dof_group[i] >= 0) continue;
      l->dof_group[i] = group, l->dof_place[i] = at - l->dof_start[group];
    }
  l->dof_start[group + 1] = at;
}

/* --- Who is damped ------------------------------------------------------------------------------
 */

bool cr_damping_is_linear(const cr_force_model* f, int actuator) {
  return f->actuator_gain_part[actuator] == CR_ACTUATOR_AFFINE &&
         f->actuator_bias_part[actuator] == CR_ACTUATOR_AFFINE &&
         f->actuator_gain[3 * actuator + 2] == 0;
}

bool cr_damping_may_damp(const cr_force_model* f, int actuator) {
  return !cr_damping_is_linear(f, actuator) || f->actuator_bias[3 * actuator + 2] != 0;
}

bool cr_damping_is_line_damped(const cr_force_model* f, int line) {
  const cr_tendon_model* n = &f->tendon;
  bool is_damped =
      line < n->num_tendons && (n->damping[line] != 0 || n->damping_more[2 * line] != 0 ||
                                n->damping_more[2 * line + 1] != 0);
  for (int a = 0; a < f->num_actuators && !is_damped; a++)
    is_damped = f->actuator_line[a] == line && cr_damping_may_damp(f, a);
  return is_damped;
}

static bool has_damper(const cr_force_model* f, int dof) {
  bool has = f->dof_damping[dof] != 0;
  for (int k = 0; k < 2 && f->num_polynomials; k++) has |= f->dof_damper_more[2 * dof + k] != 0;
  for (int a = 0; a < f->num_actuators; a++)
    has |= f->actuator_dof[a] == dof && cr_damping_may_damp(f, a);
  return has;
}

/* Each damper of a dof and each line touches a group once. */
static void count_rows(const carom_model* m, const layout* l) {
  const cr_line_model* line = &m->force.line;
  for (int i = 0; i < m->tree.num_v; i++)
    if (l->dof_group[i] >= 0 && has_damper(&m->force, i)) l->rows[l->dof_group[i]]++;
  for (int n = 0; n < line->num_lines; n++)
    for (int k = line->start[n]; cr_damping_is_line_damped(&m->force, n) && k < line->start[n + 1];
         k++) {
      int group = l->dof_group[line->dof[k]];
      bool is_new = group >= 0;
      for (int j = line->start[n]; j < k; j++) is_new &= l->dof_group[line->dof[j]] != group;
      if (is_new) l->rows[group]++;
    }
}

static void count_shares(const carom_model* m, int num_groups, const layout* l) {
  for (int g = 0; g < num_groups; g++)
    for (int k = 0; k < 2 && l->rows[g] > 0; k++) l->share[l->link[2 * g + k]]++;
  for (int s = 0; s < 2 * m->force.num_springs; s++)
    if (m->force.spring_damping[s / 2] > 0) l->share[m->force.spring_link[s]]++;
}

bool cr_damping_groups_create(carom_sim* sim, cr_damping_groups* groups) {
  const cr_tree_model* model = &sim->model->tree;
  int num_groups = 0, num_dofs = 0, inner, count;
  layout l;
  for (int i = 0; i < model->num_links; i++)
    if (has_group(model, i, &inner, &count)) num_groups++, num_dofs += count;
  if (!push_layout(sim, num_groups, num_dofs, &l)) return false;
  double* rate = CR_PUSH(&sim->fixed, double, model->num_trees);
  if (sim->fixed.failed) return false;
  int g = 0;
  l.dof_start[0] = 0;
  for (int t = 0; t < model->num_trees; t++) {
    l.tree_start[t] = g;
    for (int i = model->tree_link_start[t]; i < model->tree_link_end[t]; i++)
      if (has_group(model, i, &inner, &count)) fill_group(model, g++, i, inner, &l);
  }
  l.tree_start[model->num_trees] = g;
  count_rows(sim->model, &l);
  count_shares(sim->model, num_groups, &l);
  *groups = (cr_damping_groups){num_groups, l.tree_start, l.dof_start, l.dof,       l.link,
                                l.rows,     l.share,      l.dof_group, l.dof_place, rate};
  return true;
}

/* --- Masses -------------------------------------------------------------------------------------
 */

/* A link's share of its inertia. */
static spatial_inertia share_of(const cr_damping_groups* groups,
                                const cr_tree_kinematics* kinematics, int link) {
  spatial_inertia I = kinematics->link_I[link];
  double share = groups->share[link] > 1 ? 1.0 / groups->share[link] : 1;
  I.mass *= share, I.mc = v3_scale(share, I.mc);
  for (int i = 0; i < 6; i++) I.I[i] *= share;
  return I;
}

/* y <- L^-1 y with the lower triangle of L [n, n]. Written out where n is a constant. */
static inline __attribute__((always_inline)) void solve_lower(const double* L, int n, double* y) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) y[i] -= L[i * n + j] * y[j];
    y[i] /= L[i * n + i];
  }
}

/* L of A + SINGULAR diag(A) = L Lᵀ, in place; what is not positive for round-off is made so. */
static inline __attribute__((always_inline)) void factor(double* A, int n) {
  for (int j = 0; j < n; j++) {
    double own = A[j * n + j], d = own * (1 + SINGULAR);
    for (int k = 0; k < j; k++) d -= A[j * n + k] * A[j * n + k];
    d = sqrt(scalar_max(d, scalar_max(SINGULAR * own, 1e-300)));
    A[j * n + j] = d;
    for (int i = j + 1; i < n; i++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = sum / d;
    }
  }
}

static void write_sv(sv a, double* y) {
  const double values[6] = {a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z};
  memcpy(y, values, sizeof values);
}

/* The inertia about its own centre of mass, lower triangle. */
static void find_central(const spatial_inertia* I, v3 c, double A[9]) {
  double cc = v3_dot(c, I->mc);
  A[0] = I->I[0] - (cc - c.x * I->mc.x);
  A[4] = I->I[1] - (cc - c.y * I->mc.y);
  A[8] = I->I[2] - (cc - c.z * I->mc.z);
  A[3] = I->I[3] + c.x * I->mc.y;
  A[6] = I->I[4] + c.x * I->mc.z;
  A[7] = I->I[5] + c.y * I->mc.z;
}

/* Momenta Z [k, 6] = L^-1 Y of a group's dofs that an inner link of mass takes up, L Lᵀ the inertia
 * of both links, which about their centre of mass is that of rotations beside their mass. */
static void find_taken(const spatial_inertia* outer, const spatial_inertia* inner, const sv* Y,
                       int k, double (*Z)[6]) {
  spatial_inertia both = spatial_inertia_add(outer, inner);
  v3 c = v3_scale(1 / both.mass, both.mc);
  double A[9], root = 1 / sqrt(both.mass);
  find_central(&both, c, A);
  factor(A, 3);
  for (int i = 0; i < k; i++) {
    write_sv((sv){v3_sub(Y[i].ang, v3_cross(c, Y[i].lin)), v3_scale(root, Y[i].lin)}, Z[i]);
    solve_lower(A, 3, Z[i]);
  }
}

void cr_damping_groups_invert(const cr_damping_groups* groups, const cr_tree_model* model,
                              const cr_tree_kinematics* kinematics, int group, double* W) {
  const int* dof = groups->dof + groups->dof_start[group];
  int k = groups->dof_start[group + 1] - groups->dof_start[group];
  const int* link = groups->link + 2 * group;
  spatial_inertia outer = share_of(groups, kinematics, link[0]);
  double M[CR_GROUP_MAX * CR_GROUP_MAX], Z[CR_GROUP_MAX][6];
  sv Y[CR_GROUP_MAX];
  for (int i = 0; i < k; i++) {
    Y[i] = spatial_inertia_mulv(&outer, kinematics->S[dof[i]]);
    for (int j = 0; j <= i; j++) M[i * k + j] = sv_dot(kinematics->S[dof[j]], Y[i]);
  }
  if (model->link_tree[link[1]] >= 0) {
    spatial_inertia inner = share_of(groups, kinematics, link[1]);
    find_taken(&outer, &inner, Y, k, Z);
    for (int i = 0; i < k; i++)
      for (int j = 0; j <= i; j++)
        for (int r = 0; r < 6; r++) M[i * k + j] -= Z[i][r] * Z[j][r];
  }
  for (int i = 0; i < k; i++)
    M[i * k + i] = scalar_max(M[i * k + i], 0) + model->dof_armature[dof[i]];
  factor(M, k);
  for (int c = 0; c < k; c++) {
    double* y = W + c * k; /* row c of L^-1 transposed: W = L^-T L^-1 */
    for (int i = 0; i < k; i++) y[i] = i == c;
    solve_lower(M, k, y);
  }
  double X[CR_GROUP_MAX * CR_GROUP_MAX];
  for (int a = 0; a < k; a++)
    for (int b = 0; b < k; b++) {
      double sum = 0;
      for (int i = int_max(a, b); i < k; i++) sum += W[a * k + i] * W[b * k + i];
      X[a * k + b] = sum;
    }
  CR_COPY(W, X, k * k);
}

/* (L Lᵀ)^-1 x. */
static sv solve_both(const double L[36], double x[6]) {
  solve_lower(L, 6, x);
  for (int i = 5; i >= 0; i--) {
    for (int j = i + 1; j < 6; j++) x[i] -= L[j * 6 + i] * x[j];
    x[i] /= L[i * 6 + i];
  }
  return (sv){v3_load(x), v3_load(x + 3)};
}

/* y [k] = (1 - (I_o + I_i)^-1 I_o) S of the dofs of a group, how the outer link moves under a unit
 * of each with the inner one free to move; M_g = Sᵀ I_o y. */
static void find_free_motions(const cr_tree_kinematics* kinematics, const int* dof, int k,
                              const spatial_inertia* outer, const spatial_inertia* inner, sv* y) {
  spatial_inertia both = spatial_inertia_add(outer, inner);
  cr_m6 A;
  double L[36];
  cr_m6_from_inertia(&both, &A);
  memcpy(L, A.m, sizeof L);
  factor(L, 6);
  for (int a = 0; a < k; a++) {
    double x[6];
    write_sv(spatial_inertia_mulv(outer, kinematics->S[dof[a]]), x);
    y[a] = sv_sub(kinematics->S[dof[a]], solve_both(L, x));
  }
}

/* Whether the axis of dof a moves with dof j of its group. A free joint's ways stay along the
 * world's axes; its turns move with them and with each other. */
static bool is_carried(const cr_tree_model* model, int j, int a) {
  int joint = model->dof_joint[a], type = model->joint_type[joint];
  if (model->dof_joint[j] != joint) return a > j;
  if (type == CAROM_JOINT_FREE) return a >= model->joint_v_start[joint] + 3;
  return type == CAROM_JOINT_BALL;
}

/* With the outer link moved by the twist T of a dof and the inner one held, dI_o x = T ×* I_o x -
 * I_o (T × x), so that dM_ab = (dS_a - T × y_a) · I_o y_b + I_o y_a · (dS_b - T × y_b). */
void cr_damping_groups_differentiate(const cr_damping_groups* groups, const cr_tree_model* model,
                                     const cr_tree_kinematics* kinematics, int group,
                                     const double* x, double* slope) {
  const int* dof = groups->dof + groups->dof_start[group];
  int k = groups->dof_start[group + 1] - groups->dof_start[group];
  const int* link = groups->link + 2 * group;
  spatial_inertia outer = share_of(groups, kinematics, link[0]);
  sv y[CR_GROUP_MAX], sum = sv_zero();
  for (int a = 0; a < k; a++) y[a] = kinematics->S[dof[a]];
  if (model->link_tree[link[1]] >= 0) {
    spatial_inertia inner = share_of(groups, kinematics, link[1]);
    find_free_motions(kinematics, dof, k, &outer, &inner, y);
  }
  for (int a = 0; a < k; a++) sum = sv_axpy(sum, x[a], y[a]);
  sv h = spatial_inertia_mulv(&outer, sum);
  for (int j = 0; j < k; j++) {
    sv T = kinematics->S[dof[j]];
    slope[j] = 0;
    for (int a = 0; a < k; a++) {
      sv own = sv_scale(-1, sv_cross_motion(T, y[a]));
      if (is_carried(model, dof[j], dof[a]))
        own = sv_add(own, sv_cross_motion(T, kinematics->S[dof[a]]));
      slope[j] -= 2 * x[a] * sv_dot(own, h);
    }
  }
}

double cr_damping_groups_dof_mass(const cr_damping_groups* groups, const cr_tree_model* model,
                                  int dof, const double* W) {
  int group = groups->dof_group[dof], place = groups->dof_place[dof];
  if (group < 0) return model->dof_armature[dof];
  int k = groups->dof_start[group + 1] - groups->dof_start[group];
  int rows = groups->rows[group] > 1 ? groups->rows[group] : 1;
  return 1 / (rows * W[place * k + place]);
}

double cr_damping_groups_point_mobility(const cr_damping_groups* groups, const cr_tree_model* model,
                                        const cr_tree_kinematics* kinematics, int link, v3 point,
                                        v3 direction) {
  int tree = model->link_tree[link];
  if (tree < 0) return 0;
  if (is_massless(model, link)) return INFINITY;
  spatial_inertia I = share_of(groups, kinematics, link);
  cr_m6 A;
  double L[36], y[6], sum = 0;
  cr_m6_from_inertia(&I, &A);
  memcpy(L, A.m, sizeof L);
  factor(L, 6);
  write_sv(sv_point_force(direction, v3_sub(point, kinematics->origin[tree])), y);
  solve_lower(L, 6, y);
  for (int i = 0; i < 6; i++) sum += y[i] * y[i];
  return sum;
}

sv cr_damping_groups_link_answer(const cr_damping_groups* groups,
                                 const cr_tree_kinematics* kinematics, int link, sv impulse) {
  spatial_inertia I = share_of(groups, kinematics, link);
  cr_m6 A;
  double L[36], x[6];
  cr_m6_from_inertia(&I, &A);
  memcpy(L, A.m, sizeof L);
  factor(L, 6);
  write_sv(impulse, x);
  return solve_both(L, x);
}
