/* What rests is left out of steps: with v0 = 0 and all else as in the last step, the step would be
 * the last one again, whose solution is v = 0 to far less than the tolerance.
 *
 * Trees rest by islands of the convex problem. Contacts and records of what rests stay as they are.
 * A tree is not looked at here whose forces may change although it stands: pulled at by springs to
 * other bodies, tendons across trees, activations, adhesion; nor are models with soft bodies. */
#include "sim/rest.h"

#include <string.h>

/* --- What can rest ------------------------------------------------------------------------------
 */

/* The tree that all terms of a line are in; -1: there are none, or they are in several. */
static int find_line_tree(const carom_model* m, int line) {
  const cr_line_model* lines = &m->force.line;
  int tree = -1;
  for (int k = lines->start[line]; k < lines->start[line + 1]; k++) {
    int t = m->tree.link_tree[lines->link[k]];
    if (tree >= 0 && t != tree) return -1;
    tree = t;
  }
  return tree;
}

static int find_actuator_tree(const carom_model* m, int actuator) {
  int dof = m->force.actuator_dof[actuator], line = m->force.actuator_line[actuator];
  if (dof >= 0) return m->tree.link_tree[m->tree.dof_link[dof]];
  return line >= 0 ? find_line_tree(m, line) : -1;
}

/* Trees that a line across several pulls at move always. */
static void exclude_lines(const carom_model* m, int* can) {
  const cr_line_model* lines = &m->force.line;
  for (int i = 0; i < lines->num_lines; i++)
    for (int k = lines->start[i]; k < lines->start[i + 1]; k++) {
      int tree = m->tree.link_tree[lines->link[k]];
      if (tree >= 0 && find_line_tree(m, i) < 0) can[tree] = 0;
    }
}

bool cr_rest_init(carom_sim* sim) {
  const carom_model* m = sim->model;
  int num_trees = m->tree.num_trees, num_controls = m->force.num_controls;
  int* can = CR_PUSH(&sim->fixed, int, m->num_movers);
  int* tree = CR_PUSH(&sim->fixed, int, num_controls);
  sim->rest.island = CR_PUSH(&sim->fixed, int, m->num_movers);
  sim->rest.still = CR_PUSH(&sim->fixed, int, num_trees);
  sim->rest.energy = CR_PUSH(&sim->fixed, double, num_trees);
  sim->rest.ctrl = CR_PUSH(&sim->fixed, double, num_controls);
  if (sim->fixed.failed) return false;
  bool any = m->soft.num_parts == 0 && m->force.num_activations == 0 &&
             m->force.num_adhesions == 0 && m->contact.num_sticky == 0;
  for (int t = 0; t < num_trees; t++) {
    can[t] = any && !sim->plan.has_spring[t];
    sim->rest.energy[t] = 0;
  }
  for (int t = num_trees; t < m->num_movers; t++) can[t] = 0;
  exclude_lines(m, can);
  for (int i = 0; i < num_controls; i++) {
    tree[i] = find_actuator_tree(m, m->force.control_actuator[i]);
    sim->rest.ctrl[i] = 0;
  }
  sim->rest.can = can, sim->rest.tree = tree;
  cr_rest_wake_all(sim);
  return true;
}

void cr_rest_destroy(carom_sim* sim) {
  cr_release(&sim->allocator, sim->rest.contacts,
             sizeof(carom_contact) * (size_t)sim->rest.capacity_contacts);
}

void cr_rest_count(carom_sim* sim) {
  sim->rest.count = 0;
  for (int t = 0; t < sim->model->tree.num_trees; t++) sim->rest.count += sim->rest.island[t] != 0;
}

/* --- Waking -------------------------------------------------------------------------------------
 */

void cr_rest_wake_all(carom_sim* sim) {
  size_t num_movers = (size_t)sim->model->num_movers,
         num_trees = (size_t)sim->model->tree.num_trees;
  if (num_movers) memset(sim->rest.island, 0, sizeof(int) * num_movers);
  if (num_trees) memset(sim->rest.still, 0, sizeof(int) * num_trees);
  sim->rest.count = sim->rest.num_contacts = 0;
}

/* Drops the contacts of what does not rest any more. */
static void drop_contacts(carom_sim* sim) {
  cr_rest* rest = &sim->rest;
  const int* link = sim->model->geom.link;
  int kept = 0;
  for (int i = 0; i < rest->num_contacts; i++) {
    const carom_contact* c = &rest->contacts[i];
    if (cr_rest_has_pair(sim, link[c->geom1], link[c->geom2])) rest->contacts[kept++] = *c;
  }
  rest->num_contacts = kept;
}

static void wake_island(carom_sim* sim, int island) {
  cr_rest* rest = &sim->rest;
  for (int t = 0; t < sim->model->tree.num_trees; t++) {
    if (rest->island[t] != island) continue;
    rest->island[t] = rest->still[t] = 0;
    rest->count--;
  }
  drop_contacts(sim);
}

static void wake_tree(carom_sim* sim, int tree) {
  if (cr_rest_has(sim, tree)) wake_island(sim, sim->rest.island[tree]);
}

void cr_rest_wake_link(carom_sim* sim, int link) {
  wake_tree(sim, sim->model->tree.link_tree[link]);
}

void cr_rest_begin(carom_sim* sim, double dt) {
  cr_rest* rest = &sim->rest;
  bool all = sim->capture || sim->memory.dt != dt;
  if (all && rest->count > 0) cr_rest_wake_all(sim);
  for (int i = 0; i < sim->model->force.num_controls; i++) {
    if (rest->ctrl[i] == sim->ctrl[i]) continue;
    rest->ctrl[i] = sim->ctrl[i];
    if (rest->tree[i] >= 0)
      wake_tree(sim, rest->tree[i]);
    else if (rest->count > 0)
      cr_rest_wake_all(sim);
  }
}

bool cr_rest_has_pair(const carom_sim* sim, int link1, int link2) {
  if (sim->rest.count == 0) return false;
  const int* tree = sim->model->tree.link_tree;
  bool first = cr_rest_has_link(sim, link1), second = cr_rest_has_link(sim, link2);
  return (first && (second || tree[link2] < 0)) || (second && tree[link1] < 0);
}

double cr_rest_sum_energy(const carom_sim* sim) {
  double sum = 0;
  for (int t = 0; t < sim->model->tree.num_trees && sim->rest.count > 0; t++)
    if (sim->rest.island[t]) sum += sim->rest.energy[t];
  return sum;
}

bool cr_rest_reserve_contacts(carom_sim* sim, int wanted) {
  cr_rest* rest = &sim->rest;
  if (wanted <= rest->capacity_contacts) return true;
  int capacity = wanted + wanted / 2 + 16;
  carom_contact* grown = cr_alloc(&sim->allocator, sizeof(carom_contact) * (size_t)capacity);
  if (!grown) return false;
  if (rest->num_contacts)
    memcpy(grown, rest->contacts, sizeof(carom_contact) * (size_t)rest->num_contacts);
  cr_rest_destroy(sim);
  rest->contacts = grown, rest->capacity_contacts = capacity;
  return true;
}
