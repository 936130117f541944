/* Energies of trees from their links, joint by joint. */
#include "sim/tree/tree_energy.h"

#include "force/elements.h"
#include "sim/sleep.h"
#include "tree/algorithms.h"

#include <string.h>

bool cr_tree_energy_is_plain(const carom_model* m, int tree) {
  return m->tree.tree_is_free_link[tree] && !cr_force_has_joint_forces(&m->force, &m->tree, tree);
}

bool cr_tree_energy_has_between(const carom_model* m) {
  return m->force.num_springs > 0 || m->force.line.num_lines > 0;
}

/* Places a tree at (q, v) of the interface; internal velocities are left in step->work. */
static void place(cr_step* step, int tree, const double* q, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  cr_tree_to_internal(model, tree, q, v, step->work);
  cr_tree_update_kinematics(model, tree, q, &step->kinematics);
  cr_tree_update_link_velocities(model, tree, &step->kinematics, step->work,
                                 step->velocities.link_V);
}

static cr_energy_part tree_energy(cr_step* step, int tree, const double* q) {
  const carom_model* m = step->model;
  const cr_tree_model* model = &m->tree;
  v3 gravity = v3_load(m->force.gravity), p = v3_zero(), moment = v3_zero();
  double twice = 0, mass = 0;
  for (int i = model->tree_link_start[tree]; i < model->tree_link_end[tree]; i++) {
    sv V = step->velocities.link_V[i], h = spatial_inertia_mulv(&step->kinematics.link_I[i], V);
    twice += sv_dot(V, h);
    p = v3_add(p, h.lin);
  }
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    twice += model->dof_armature[k] * step->work[k] * step->work[k];
  cr_tree_add_mass_moment(model, tree, &step->kinematics, &mass, &moment);
  double elastic = cr_force_compute_joint_energy(&m->force, model, tree, q, step->work);
  return (cr_energy_part){{0.5 * twice, -v3_dot(gravity, moment), elastic}, p};
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
    bool plain = cr_tree_energy_is_plain(m, t);
    energy[t] = step->sim->energy_watch.energy[t];
    if (!has_between && (plain || stands(step, t, q))) continue;
    place(step, t, q, v);
    if (!plain) energy[t] = tree_energy(step, t, q);
  }
}
