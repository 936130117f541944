#include "sim/driven.h"

/* Mocap links stand in increasing order. */
static int find_mocap(const cr_tree_model* tree, int link) {
  int low = 0, high = tree->num_mocaps;
  while (low < high) {
    int middle = (low + high) / 2;
    if (tree->mocap_link[middle] < link)
      low = middle + 1;
    else
      high = middle;
  }
  return low < tree->num_mocaps && tree->mocap_link[low] == link ? low : -1;
}

void cr_driven_count(carom_sim* sim) {
  sim->num_driven = 0;
  for (int i = 0; i < sim->model->tree.num_mocaps; i++)
    sim->num_driven += v3_norm2(sim->driven[i].lin) + v3_norm2(sim->driven[i].ang) > 0;
}

sv cr_driven_find(const carom_sim* sim, int link) {
  int mocap = sim->num_driven ? find_mocap(&sim->model->tree, link) : -1;
  return mocap < 0 ? sv_zero() : sim->driven[mocap];
}

v3 cr_driven_find_at(const cr_step* step, int link, v3 x) {
  sv V = cr_driven_find(step->sim, link);
  return sv_point_velocity(V, v3_sub(x, step->kinematics.link_pose[link].p));
}

void cr_driven_move(const carom_sim* sim, double h, double* q) {
  const cr_tree_model* tree = &sim->model->tree;
  for (int i = 0; i < tree->num_mocaps && sim->num_driven; i++) {
    const double* from = cr_tree_mocap_pose(tree, i, sim->q);
    double* to = q + tree->mocap_q + 7 * (size_t)i;
    v3_store(v3_axpy(v3_load(from), h, sim->driven[i].lin), to);
    quat turned = quat_mul(quat_exp(v3_scale(h, sim->driven[i].ang)), quat_load(from + 3));
    quat_store(quat_normalize(turned), to + 3);
  }
}
