/* Energies of trees, for the balance of a step. */
#ifndef CR_SIM_TREE_ENERGY_H
#define CR_SIM_TREE_ENERGY_H

#include "sim/sim.h"

/* Whether a tree's balance needs no energies: a free link whose joint has no forces. */
bool cr_tree_energy_is_plain(const carom_sim* sim, int tree);

/* Whether springs or lines hold energy between trees, for which all of these must stand in place.
 */
bool cr_tree_energy_has_between(const carom_model* model);

/* Energies and momenta of all trees that are not plain at (q, v) of the interface, into
 * energy [num_trees]; what stands where it stood keeps those of the state. Leaves the trees that it
 * looks at in place. */
void cr_tree_energy_find(cr_step* step, const double* q, const double* v, cr_energy_part* energy);

#endif
