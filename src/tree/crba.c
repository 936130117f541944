/* The joint-space mass matrix by composite rigid bodies (Featherstone 2008, section 6.2):
 *
 *   F = Ic S_k          Ic: the link of dof k and all that hangs on it, as one rigid body
 *   M[k, j] = S_j . F   for the dofs j from k to the root; zero elsewhere
 *
 * The armature stands on the diagonal. */
#include "base/copy.h"
#include "tree/algorithms.h"

#include <string.h>

void cr_tree_compute_composites(const cr_tree_model* model, int tree,
                                const cr_tree_kinematics* kinematics, spatial_inertia* composite) {
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  CR_COPY(composite + first, kinematics->link_I + first, end - first);
  for (int i = end - 1; i > first; i--) {
    int parent = model->link_parent[i];
    composite[parent] = spatial_inertia_add(&composite[parent], &composite[i]);
  }
}

static inline void write_row_of_six(double* row, double a, double b, double c, double d, double e,
                                    double f) {
  row[0] = a, row[1] = b, row[2] = c, row[3] = d, row[4] = e, row[5] = f;
}

/* A link alone, its velocity taken at its centre of mass and in its own axes. */
static void write_free_link(const cr_tree_model* model, int link, double* M) {
  double mass = model->link_mass[link];
  const double* I = model->link_inertia + 6 * link;
  write_row_of_six(M, mass, 0, 0, 0, 0, 0);
  write_row_of_six(M + 6, 0, mass, 0, 0, 0, 0);
  write_row_of_six(M + 12, 0, 0, mass, 0, 0, 0);
  write_row_of_six(M + 18, 0, 0, 0, I[0], I[3], I[4]);
  write_row_of_six(M + 24, 0, 0, 0, I[3], I[1], I[5]);
  write_row_of_six(M + 30, 0, 0, 0, I[4], I[5], I[2]);
}

/* Row k of M from its segments' dofs: S_j . F. */
static void write_row(const cr_tree_model* model, const sv* S, int k, const sv* F, double* row) {
  for (int s = model->dof_segment[k], end = k + 1; s >= 0;) {
    for (int j = model->segment_v_start[s]; j < end; j++) row[j] = sv_dot(S[j], *F);
    s = model->segment_parent[s];
    if (s >= 0) end = model->segment_v_start[s + 1];
  }
}

void cr_tree_compute_mass_rows(const cr_tree_model* model, int tree,
                               const cr_tree_kinematics* kinematics, cr_tree_scratch* scratch,
                               double* M) {
  if (model->tree_is_free_link[tree]) {
    write_free_link(model, model->tree_link_start[tree], M);
    return;
  }
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  cr_tree_compute_composites(model, tree, kinematics, scratch->composite);
  for (int k = 0; k < n; k++) {
    int dof = start + k;
    sv F = spatial_inertia_mulv(&scratch->composite[model->dof_link[dof]], kinematics->S[dof]);
    write_row(model, kinematics->S, dof, &F, M + (long)k * n - start);
    M[(long)k * n + k] += model->dof_armature[dof];
  }
}

void cr_tree_compute_mass_matrix(const cr_tree_model* model, int tree,
                                 const cr_tree_kinematics* kinematics, cr_tree_scratch* scratch,
                                 double* M) {
  int n = model->tree_v_start[tree + 1] - model->tree_v_start[tree];
  memset(M, 0, sizeof(double) * (size_t)n * (size_t)n);
  cr_tree_compute_mass_rows(model, tree, kinematics, scratch, M);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < k; j++) M[(long)j * n + k] = M[(long)k * n + j];
}
