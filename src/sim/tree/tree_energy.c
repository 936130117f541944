/* Energies of trees, for the energy watch. */
#include "sim/tree/tree_energy.h"

#include "force/elements.h"
#include "sim/sleep.h"
#include "tree/algorithms.h"

#include <string.h>

bool cr_tree_energy_is_plain(const carom_sim* sim, int tree) {
  return sim->model->tree.tree_is_free_link[tree] && !sim->plan.has_joint_forces[tree];
}

bool cr_tree_energy_has_between(const carom_model* m) {
  return m->force.num_springs > 0 || m->force.line.num_lines > 0;
}

static cr_energy_part find_energy(cr_step* step, int tree, const double* q) {
  const carom_model* m = step->model;
  const cr_tree_model* model = &m->tree;
  int base = model->link_parent[model->tree_link_start[tree]];
  const cr_tree_state at = {step->kinematics.link_pose[base], v3_load(m->force.gravity), q,
                            step->work};
  cr_tree_energies sum = cr_tree_compute_energies(model, tree, &at, &step->scratch);
  double elastic = cr_force_compute_joint_energy(&m->force, model, tree, q, step->work);
  return (cr_energy_part){{sum.kinetic, sum.potential, elastic}, sum.fall};
}

/* Whether a tree stands where it stood, and keeps its energies. */
static bool stands(const cr_step* step, int tree, const double* q) {
  const cr_tree_model* model = &step->model->tree;
  if (q == step->sim->q || !cr_sleep_has(step->sim, tree)) return false;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    if (step->v[i] != 0 || step->v0[i] != 0) return false;
  int start = cr_tree_q_start(model, tree), stop = cr_tree_q_end(model, tree);
  return memcmp(q + start, step->sim->q + start, sizeof(double) * (size_t)(stop - start)) == 0;
}

void cr_tree_energy_find(cr_step* step, const double* q, const double* v, cr_energy_part* energy) {
  const carom_model* m = step->model;
  bool has_between = cr_tree_energy_has_between(m);
  for (int t = 0; t < m->tree.num_trees; t++) {
    bool plain = cr_tree_energy_is_plain(step->sim, t);
    energy[t] = step->sim->energy_watch.energy[t];
    if (!has_between && (plain || stands(step, t, q))) continue;
    if (has_between) cr_tree_update_kinematics(&m->tree, t, q, &step->kinematics);
    if (plain) continue;
    cr_tree_to_internal(&m->tree, t, q, v, step->work);
    energy[t] = find_energy(step, t, q);
  }
}
