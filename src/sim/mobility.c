/* Mobilities by the geometry of joints. */
#include "sim/mobility.h"

bool cr_mobilities_init(const cr_step* step, cr_arena* arena, cr_mobilities* out) {
  int num_v = step->model->tree.num_v;
  out->radius2 = CR_PUSH(arena, double, num_v);
  out->mass = CR_PUSH(arena, double, num_v);
  if (arena->failed) return false;
  for (int i = 0; i < num_v; i++) out->radius2[i] = -1;
  return true;
}

/* Moment of inertia of a link about an axis through its centre of mass, times |axis|². */
static double find_inertia(const cr_step* step, int link, v3 axis) {
  const double* I = step->model->tree.link_inertia + 6 * (size_t)link;
  m3 to_link = m3_transpose(&step->kinematics.link_pose[link].R);
  v3 a = m3_mulv(&to_link, axis);
  return I[0] * a.x * a.x + I[1] * a.y * a.y + I[2] * a.z * a.z +
         2 * (I[3] * a.x * a.y + I[4] * a.x * a.z + I[5] * a.y * a.z);
}

/* Adds a link's mass and its moment of inertia to those of all dofs that move it. */
static void add_link(const cr_step* step, int link, double* mass, double* inertia) {
  const cr_tree_model* model = &step->model->tree;
  double m = model->link_mass[link];
  v3 origin = step->kinematics.origin[model->link_tree[link]];
  v3 arm = v3_sub(step->kinematics.link_com[link], origin);
  for (int dof = model->link_last_dof[link]; dof >= 0; dof = model->dof_parent[dof]) {
    sv S = step->kinematics.S[dof];
    mass[dof] += m;
    inertia[dof] += m * v3_norm2(sv_point_velocity(S, arm)) + find_inertia(step, link, S.ang);
  }
}

/* Squared radii of gyration of what hangs on the dofs of a tree; of what has no mass 1. */
static void measure_tree(const cr_step* step, int tree, cr_mobilities* known) {
  const cr_tree_model* model = &step->model->tree;
  int first = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  for (int i = first; i < end; i++) known->mass[i] = known->radius2[i] = 0;
  for (int l = model->tree_link_start[tree]; l < model->num_links && model->link_tree[l] == tree;
       l++)
    add_link(step, l, known->mass, known->radius2);
  for (int i = first; i < end; i++) {
    double radius2 = known->radius2[i] / known->mass[i];
    known->radius2[i] = radius2 > 0 ? radius2 : 1;
  }
}

void cr_mobility_apply(const cr_step* step, int tree, cr_mobilities* known, double* x) {
  const int* v_start = step->model->tree.tree_v_start;
  if (known->radius2[v_start[tree]] < 0) measure_tree(step, tree, known);
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) x[i] /= known->radius2[i];
}

cr_mobility cr_mobility_of_link(const cr_step* step, int link) {
  const cr_tree_model* model = &step->model->tree;
  if (link >= model->num_links || model->link_tree[link] < 0) return (cr_mobility){0, 0};
  const double* I = model->link_inertia + 6 * (size_t)link;
  return (cr_mobility){1, 3 * model->link_mass[link] / (I[0] + I[1] + I[2])};
}
