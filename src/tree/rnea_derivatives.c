/* A dof j that moves by a unit carries links i, inertias and motion vectors S_k with it, S_j × all
 * that is fixed in them, but not the velocity V^_j and acceleration A^_j that it stands on. With
 * d_j = V^_j × S_j and e_j = A^_j × S_j + V^_j × d_j that leaves
 *
 *   dV_i = S_j × V_i + d_j          dA_i = S_j × A_i + e_j + d_j × V_i
 *   dF_i = S_j ×* F_i + I_i e_j + B_i d_j          B_i d = I_i (d × V_i) + d ×* I_i V_i + V_i ×*
 * I_i d
 *
 * and a unit of its rate, with w_j = (W_j + V^_j) × S_j,
 *
 *   dV_i = S_j          dA_i = w_j + S_j × V_i          dF_i = I_i w_j + B_i S_j.
 *
 * Summed over what hangs on a link, F, I and B are those of all of it. tau_k = S_k · F_k then has,
 * for k that j carries, S_k · (I_k e_j + B_k d_j), as the first term of dF turns with S_k; for k
 * that carry j, S_k · (S_j ×* F_j + I_j e_j + B_j d_j). O(n depth). */
#include "tree/rnea_derivatives.h"

#include <string.h>

bool cr_tree_push_rnea_tangents(cr_arena* arena, const cr_tree_model* model,
                                cr_tree_scratch* scratch, cr_rnea_tangents* tangents) {
  tangents->scratch = scratch;
  tangents->B = cr_arena_push_scratch(arena, sizeof *tangents->B * (size_t)model->num_links);
  tangents->drift = CR_SCRATCH(arena, sv, model->num_v);
  tangents->fall = CR_SCRATCH(arena, sv, model->num_v);
  tangents->turn = CR_SCRATCH(arena, sv, model->num_v);
  return !arena->failed;
}

/* --- Links --------------------------------------------------------------------------------------
 */

static inline sv unit_motion(int k) {
  double x[6] = {0};
  x[k] = 1;
  return (sv){v3_load(x), v3_load(x + 3)};
}

static void write_link_matrix(const spatial_inertia* I, sv V, sv B[6]) {
  sv momentum = spatial_inertia_mulv(I, V);
  for (int k = 0; k < 6; k++) {
    sv d = unit_motion(k);
    sv force = spatial_inertia_mulv(I, sv_cross_motion(d, V));
    force = sv_add(force, sv_cross_force(d, momentum));
    B[k] = sv_add(force, sv_cross_force(V, spatial_inertia_mulv(I, d)));
  }
}

/* What hangs on each link counted in. */
static void accumulate(const cr_tree_model* model, int tree, const cr_tree_motion* at, bool rests,
                       cr_rnea_tangents* t) {
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  spatial_inertia* composite = t->scratch->composite;
  for (int i = first; i < end; i++) {
    composite[i] = at->kinematics->link_I[i];
    if (!rests) write_link_matrix(&composite[i], at->velocities->link_V[i], t->B[i]);
  }
  for (int i = end - 1; i > first; i--) {
    int parent = model->link_parent[i];
    composite[parent] = spatial_inertia_add(&composite[parent], &composite[i]);
    for (int k = 0; k < 6 && !rests; k++) t->B[parent][k] = sv_add(t->B[parent][k], t->B[i][k]);
  }
}

static inline sv apply(const sv B[6], sv d) {
  const double x[6] = {d.ang.x, d.ang.y, d.ang.z, d.lin.x, d.lin.y, d.lin.z};
  sv sum = sv_zero();
  for (int k = 0; k < 6; k++) sum = sv_axpy(sum, x[k], B[k]);
  return sum;
}

static inline sv apply_transposed(const sv B[6], sv S) {
  double x[6];
  for (int k = 0; k < 6; k++) x[k] = sv_dot(B[k], S);
  return (sv){v3_load(x), v3_load(x + 3)};
}

/* --- Dofs ---------------------------------------------------------------------------------------
 */

/* Velocity and acceleration on the way out, through one joint after the other. */
typedef struct path_motion {
  sv V, A;
} path_motion;

/* Three dofs at most of one joint, and what they carry. */
typedef struct dof_group {
  int first, count;
  bool is_carried; /* their axes turn with what stands before them and with each other */
} dof_group;

/* Groups of a joint; returns how many. */
static int list_groups(const cr_tree_model* model, int joint, dof_group groups[2]) {
  int first = model->joint_v_start[joint], type = model->joint_type[joint];
  if (type == CAROM_JOINT_FREE) {
    groups[0] = (dof_group){first, 3, false}, groups[1] = (dof_group){first + 3, 3, true};
    return 2;
  }
  groups[0] = (dof_group){first, type == CAROM_JOINT_BALL ? 3 : 1, true};
  return 1;
}

/* Velocity and acceleration behind a group's dofs, and what is known of these. */
static void pass_group(const cr_tree_motion* at, const dof_group* g, path_motion* m,
                       cr_rnea_tangents* t) {
  const sv* S = at->kinematics->S;
  path_motion before = *m;
  for (int k = g->first; k < g->first + g->count; k++) m->V = sv_axpy(m->V, at->v[k], S[k]);
  sv W = g->is_carried ? m->V : sv_zero(), both = sv_add(W, before.V);
  for (int k = g->first; k < g->first + g->count; k++) {
    m->A = sv_axpy(m->A, at->v[k], sv_cross_motion(W, S[k]));
    if (at->a) m->A = sv_axpy(m->A, at->a[k], S[k]);
    t->drift[k] = sv_cross_motion(before.V, S[k]);
    t->fall[k] = sv_add(sv_cross_motion(before.A, S[k]), sv_cross_motion(before.V, t->drift[k]));
    t->turn[k] = sv_cross_motion(both, S[k]);
  }
}

void cr_tree_describe_motion(const cr_tree_model* model, int tree, const cr_tree_motion* at,
                             cr_rnea_tangents* t) {
  int first = model->tree_link_start[tree];
  for (int i = first; i < model->tree_link_end[tree]; i++) {
    path_motion m = {sv_zero(), {v3_zero(), v3_neg(at->loads.gravity)}};
    int parent = model->link_parent[i];
    if (i > first) m = (path_motion){at->velocities->link_V[parent], t->scratch->a[parent]};
    for (int j = model->link_joint_start[i]; j < model->link_joint_start[i + 1]; j++) {
      dof_group groups[2];
      int count = list_groups(model, j, groups);
      for (int g = 0; g < count; g++) pass_group(at, &groups[g], &m, t);
    }
    t->scratch->a[i] = m.A;
  }
}

void cr_tree_find_drift(const cr_tree_model* model, int tree, const cr_tree_kinematics* kinematics,
                        const double* v, sv* drift) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    dof_group groups[2];
    int count = list_groups(model, j, groups);
    for (int g = 0; g < count; g++) {
      sv V = sv_zero();
      for (int k = model->dof_parent[groups[g].first]; k >= 0; k = model->dof_parent[k])
        V = sv_axpy(V, v[k], kinematics->S[k]);
      for (int k = groups[g].first; k < groups[g].first + groups[g].count; k++)
        drift[k] = sv_cross_motion(V, kinematics->S[k]);
    }
  }
}

/* Forces that pass each link's joints. */
static void sum_forces(const cr_tree_model* model, int tree, const cr_tree_motion* at,
                       const cr_tree_scratch* scratch) {
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  for (int i = first; i < end; i++) {
    const spatial_inertia* I = &at->kinematics->link_I[i];
    sv V = at->velocities->link_V[i];
    scratch->f[i] = sv_add(spatial_inertia_mulv(I, scratch->a[i]),
                           sv_cross_force(V, spatial_inertia_mulv(I, V)));
    if (at->loads.link_external) scratch->f[i] = sv_sub(scratch->f[i], at->loads.link_external[i]);
  }
  for (int i = end - 1; i > first; i--) {
    int parent = model->link_parent[i];
    scratch->f[parent] = sv_add(scratch->f[parent], scratch->f[i]);
  }
}

/* Whether dof j, further out or of the same joint, carries dof k. */
static bool carries_back(const cr_tree_model* model, int j, int k) {
  int joint = model->dof_joint[k];
  if (model->dof_joint[j] != joint) return false;
  return model->joint_type[joint] == CAROM_JOINT_BALL || k >= model->joint_v_start[joint] + 3;
}

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Entries between dof k and those on its path to the root, itself included. */
static void write_path(const cr_tree_model* model, const sv* S, int k, const cr_rnea_tangents* t,
                       const cr_rnea_derivatives* out) {
  int link = model->dof_link[k], start = model->tree_v_start[model->link_tree[link]];
  size_t n = (size_t)(model->tree_v_start[model->link_tree[link] + 1] - start);
  const sv* B = t->B[link];
  const spatial_inertia* I = &t->scratch->composite[link];
  sv moved = sv_add(spatial_inertia_mulv(I, t->fall[k]), apply(B, t->drift[k]));
  sv faster = sv_add(spatial_inertia_mulv(I, t->turn[k]), apply(B, S[k]));
  sv turned = sv_add(moved, sv_cross_force(S[k], t->scratch->f[link]));
  sv IS = spatial_inertia_mulv(I, S[k]), BS = apply_transposed(B, S[k]);
  for (int j = k; j >= 0; j = model->dof_parent[j]) {
    size_t to_j = (size_t)(k - start) * n + (size_t)(j - start);
    size_t to_k = (size_t)(j - start) * n + (size_t)(k - start);
    out->q[to_j] = sv_dot(S[j], carries_back(model, k, j) ? moved : turned);
    out->v[to_j] = sv_dot(S[j], faster);
    if (j == k) continue;
    out->q[to_k] = sv_dot(IS, t->fall[j]) + sv_dot(BS, t->drift[j]);
    out->v[to_k] = sv_dot(IS, t->turn[j]) + sv_dot(BS, S[j]);
  }
}

/* The same of a tree at rest, where B and drifts are zero. */
static void write_path_at_rest(const cr_tree_model* model, const sv* S, int k,
                               const cr_rnea_tangents* t, double* out) {
  int link = model->dof_link[k], start = model->tree_v_start[model->link_tree[link]];
  size_t n = (size_t)(model->tree_v_start[model->link_tree[link] + 1] - start);
  const spatial_inertia* I = &t->scratch->composite[link];
  sv moved = spatial_inertia_mulv(I, t->fall[k]), IS = spatial_inertia_mulv(I, S[k]);
  sv turned = sv_add(moved, sv_cross_force(S[k], t->scratch->f[link]));
  for (int j = k; j >= 0; j = model->dof_parent[j]) {
    out[(size_t)(k - start) * n + (size_t)(j - start)] =
        sv_dot(S[j], carries_back(model, k, j) ? moved : turned);
    if (j != k) out[(size_t)(j - start) * n + (size_t)(k - start)] = sv_dot(IS, t->fall[j]);
  }
}

void cr_tree_differentiate_inverse_dynamics(const cr_tree_model* model, int tree,
                                            const cr_tree_motion* motion,
                                            cr_rnea_tangents* tangents,
                                            const cr_rnea_derivatives* out) {
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  size_t size = sizeof(double) * (size_t)(end - start) * (size_t)(end - start);
  memset(out->q, 0, size);
  if (out->v) memset(out->v, 0, size);
  cr_tree_describe_motion(model, tree, motion, tangents);
  sum_forces(model, tree, motion, tangents->scratch);
  accumulate(model, tree, motion, !out->v, tangents);
  const sv* S = motion->kinematics->S;
  for (int k = start; k < end && out->v; k++) write_path(model, S, k, tangents, out);
  for (int k = start; k < end && !out->v; k++) write_path_at_rest(model, S, k, tangents, out->q);
}

/* --- Insertions ---------------------------------------------------------------------------------
 */

int cr_tree_find_insertion_dof(const cr_tree_model* model, const cr_tree_insertion* in) {
  int first = model->joint_v_start[in->joint], k = first;
  if (!in->is_behind) return model->dof_parent[first];
  while (k + 1 < model->num_v && model->dof_joint[k + 1] == in->joint) k++;
  return k;
}

bool cr_tree_carries(const cr_tree_model* model, const cr_tree_insertion* in, int link) {
  int from = model->joint_link[in->joint];
  while (link > from) link = model->link_parent[link];
  return link == from;
}

/* Velocity and acceleration of the frame that is displaced. */
static path_motion find_frame_motion(const cr_tree_model* model, const cr_tree_motion* at,
                                     cr_rnea_tangents* t, const cr_tree_insertion* in) {
  int link = model->joint_link[in->joint], parent = model->link_parent[link];
  path_motion m = {sv_zero(), {v3_zero(), v3_neg(at->loads.gravity)}};
  if (link > model->tree_link_start[model->link_tree[link]])
    m = (path_motion){at->velocities->link_V[parent], t->scratch->a[parent]};
  for (int j = model->link_joint_start[link]; j < in->joint + in->is_behind; j++) {
    dof_group groups[2];
    int count = list_groups(model, j, groups);
    for (int g = 0; g < count; g++) pass_group(at, &groups[g], &m, t);
  }
  return m;
}

void cr_tree_find_insertion_motion(const cr_tree_model* model, const cr_tree_motion* motion,
                                   cr_rnea_tangents* tangents, const cr_tree_insertion* in,
                                   sv out[2]) {
  path_motion m = find_frame_motion(model, motion, tangents, in);
  out[0] = sv_cross_motion(m.V, in->S);
  out[1] = sv_add(sv_cross_motion(m.A, in->S), sv_cross_motion(m.V, out[0]));
}

void cr_tree_add_insertion(const cr_tree_model* model, const cr_tree_motion* motion,
                           cr_rnea_tangents* tangents, const cr_tree_insertion* insertion,
                           double* out) {
  const cr_tree_insertion* in = insertion;
  const cr_rnea_tangents* t = tangents;
  int link = model->joint_link[in->joint], last = cr_tree_find_insertion_dof(model, in);
  const sv* S = motion->kinematics->S;
  sv moved[2];
  cr_tree_find_insertion_motion(model, motion, tangents, in, moved);
  sv drift = moved[0], fall = moved[1];
  sv force =
      sv_add(spatial_inertia_mulv(&t->scratch->composite[link], fall), apply(t->B[link], drift));
  force = sv_add(force, sv_cross_force(in->S, t->scratch->f[link]));
  for (int k = last; k >= 0; k = model->dof_parent[k]) out[k] += sv_dot(S[k], force);
  for (int k = last + 1; k < model->tree_v_start[model->link_tree[link] + 1]; k++) {
    int on = model->dof_link[k];
    if (on < link || !cr_tree_carries(model, in, on)) continue;
    force = sv_add(spatial_inertia_mulv(&t->scratch->composite[on], fall), apply(t->B[on], drift));
    out[k] += sv_dot(S[k], force);
  }
}
