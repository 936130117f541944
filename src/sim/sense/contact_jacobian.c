/* Jacobians of the last step's contacts in the user's coordinates: at the configuration where the
 * step linearised the momentum balance, converted as constraint forces are. */
#include "base/error.h"
#include "sim/sim.h"
#include "tree/algorithms.h"

#include <string.h>

static bool place(carom_sim* sim, cr_tree_kinematics* kinematics) {
  const cr_tree_model* tree = &sim->model->tree;
  cr_arena_reset(&sim->arena);
  if (!cr_tree_push_kinematics(&sim->arena, tree, kinematics)) return false;
  cr_tree_update_ground(tree, sim->q_seen, kinematics, NULL);
  for (int t = 0; t < tree->num_trees; t++)
    cr_tree_update_kinematics(tree, t, sim->q_seen, kinematics);
  return true;
}

/* out [3, num_v] += sign * J [3, dofs of the trees], as rows over the interface's velocities. */
static void add_rows(const carom_sim* sim, double sign, double* J, double* out) {
  const cr_tree_model* tree = &sim->model->tree;
  for (int k = 0; k < 3; k++) {
    double* row = J + (size_t)k * (size_t)tree->num_v;
    double* to = out + (size_t)k * (size_t)sim->model->num_v;
    for (int t = 0; t < tree->num_trees; t++) cr_tree_force_to_interface(tree, t, sim->q, row, row);
    for (int i = 0; i < tree->num_v; i++) to[i] += sign * row[i];
  }
}

carom_status carom_sim_compute_contact_jacobian(carom_sim* sim, int contact, double* linear,
                                                double* angular, carom_error* error) {
  const carom_model* m = sim->model;
  if (contact < 0 || contact >= sim->num_contacts)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "contact %d does not exist, there are %d", contact, sim->num_contacts);
  const carom_contact* c = &sim->contacts[contact];
  const int geom[2] = {c->geom1, c->geom2};
  if (geom[0] < 0 || geom[1] < 0)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "contact %d is one of a soft body, its Jacobian is not known", contact);
  cr_tree_kinematics kinematics;
  if (!place(sim, &kinematics)) return cr_error_memory(error);
  double* J = CR_PUSH(&sim->arena, double, 6 * (size_t)m->tree.num_v);
  if (sim->arena.failed) return cr_error_memory(error);
  size_t size = 3 * sizeof(double) * (size_t)m->num_v;
  if (linear) memset(linear, 0, size);
  if (angular) memset(angular, 0, size);
  for (int k = 0; k < 2; k++) {
    double *J_linear = J, *J_angular = J + 3 * (size_t)m->tree.num_v;
    cr_tree_compute_jacobian(&m->tree, &kinematics, m->geom.link[geom[k]], v3_load(c->position),
                             J_linear, J_angular);
    if (linear) add_rows(sim, k ? 1 : -1, J_linear, linear);
    if (angular) add_rows(sim, k ? 1 : -1, J_angular, angular);
  }
  return cr_error_clear(error);
}
