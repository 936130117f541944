/* What sleeps is left out of steps: with v0 = 0 and all else as in the last step, the step would be
 * the last one again, whose solution is v = 0 to far less than the tolerance.
 *
 * Trees sleep by islands of the convex problem. Contacts and records of what sleeps stay as they
 * are. A tree is not looked at here whose forces may change although it stands: pulled at by
 * springs to other bodies, tendons across trees, activations, adhesion; nor are models with soft
 * bodies. */
#include "sim/sleep.h"

#include "base/copy.h"

#include <string.h>

/* --- What can sleep -----------------------------------------------------------------------------
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

bool cr_sleep_init(carom_sim* sim) {
  const carom_model* m = sim->model;
  int num_trees = m->tree.num_trees, num_controls = m->force.num_controls;
  int* can = CR_PUSH(&sim->fixed, int, m->num_movers);
  int* tree = CR_PUSH(&sim->fixed, int, num_controls);
  sim->sleep.island = CR_PUSH(&sim->fixed, int, m->num_movers);
  sim->sleep.still = CR_PUSH(&sim->fixed, int, num_trees);
  sim->sleep.energy = CR_PUSH(&sim->fixed, double, num_trees);
  sim->sleep.ctrl = CR_PUSH(&sim->fixed, double, num_controls);
  if (sim->fixed.failed) return false;
  bool any = m->soft.num_parts == 0 && m->force.num_activations == 0 &&
             m->force.num_adhesions == 0 && m->contact.num_sticky == 0;
  for (int t = 0; t < num_trees; t++) {
    can[t] = any && !sim->plan.has_spring[t];
    sim->sleep.energy[t] = 0;
  }
  for (int t = num_trees; t < m->num_movers; t++) can[t] = 0;
  exclude_lines(m, can);
  for (int i = 0; i < num_controls; i++) {
    tree[i] = find_actuator_tree(m, m->force.control_actuator[i]);
    sim->sleep.ctrl[i] = 0;
  }
  sim->sleep.can = can, sim->sleep.tree = tree;
  cr_sleep_wake_all(sim);
  return true;
}

void cr_sleep_destroy(carom_sim* sim) {
  cr_release(&sim->allocator, sim->sleep.contacts,
             sizeof(carom_contact) * (size_t)sim->sleep.capacity_contacts);
}

void cr_sleep_count(carom_sim* sim) {
  sim->sleep.count = 0;
  for (int t = 0; t < sim->model->tree.num_trees; t++)
    sim->sleep.count += sim->sleep.island[t] != 0;
}

/* --- Waking -------------------------------------------------------------------------------------
 */

void cr_sleep_wake_all(carom_sim* sim) {
  size_t num_movers = (size_t)sim->model->num_movers,
         num_trees = (size_t)sim->model->tree.num_trees;
  if (num_movers) memset(sim->sleep.island, 0, sizeof(int) * num_movers);
  if (num_trees) memset(sim->sleep.still, 0, sizeof(int) * num_trees);
  sim->sleep.count = sim->sleep.num_contacts = 0;
}

/* Drops the contacts of what does not sleep any more. */
static void drop_contacts(carom_sim* sim) {
  cr_sleep* sleep = &sim->sleep;
  const int* link = sim->model->geom.link;
  int kept = 0;
  for (int i = 0; i < sleep->num_contacts; i++) {
    const carom_contact* c = &sleep->contacts[i];
    if (cr_sleep_has_pair(sim, link[c->geom1], link[c->geom2])) sleep->contacts[kept++] = *c;
  }
  sleep->num_contacts = kept;
}

static void wake_island(carom_sim* sim, int island) {
  cr_sleep* sleep = &sim->sleep;
  for (int t = 0; t < sim->model->tree.num_trees; t++) {
    if (sleep->island[t] != island) continue;
    sleep->island[t] = sleep->still[t] = 0;
    sleep->count--;
  }
  drop_contacts(sim);
}

static void wake_tree(carom_sim* sim, int tree) {
  if (cr_sleep_has(sim, tree)) wake_island(sim, sim->sleep.island[tree]);
}

void cr_sleep_wake_link(carom_sim* sim, int link) {
  wake_tree(sim, sim->model->tree.link_tree[link]);
}

void cr_sleep_begin(carom_sim* sim, double dt) {
  cr_sleep* sleep = &sim->sleep;
  bool all = sim->capture || sim->observer || sim->memory.dt != dt;
  if (all && sleep->count > 0) cr_sleep_wake_all(sim);
  for (int i = 0; i < sim->model->force.num_controls; i++) {
    if (sleep->ctrl[i] == sim->ctrl[i]) continue;
    sleep->ctrl[i] = sim->ctrl[i];
    if (sleep->tree[i] >= 0)
      wake_tree(sim, sleep->tree[i]);
    else if (sleep->count > 0)
      cr_sleep_wake_all(sim);
  }
}

bool cr_sleep_has_pair(const carom_sim* sim, int link1, int link2) {
  if (sim->sleep.count == 0) return false;
  const int* tree = sim->model->tree.link_tree;
  bool first = cr_sleep_has_link(sim, link1), second = cr_sleep_has_link(sim, link2);
  return (first && (second || tree[link2] < 0)) || (second && tree[link1] < 0);
}

double cr_sleep_sum_energy(const carom_sim* sim) {
  double sum = 0;
  for (int t = 0; t < sim->model->tree.num_trees && sim->sleep.count > 0; t++)
    if (sim->sleep.island[t]) sum += sim->sleep.energy[t];
  return sum;
}

bool cr_sleep_reserve_contacts(carom_sim* sim, int wanted) {
  cr_sleep* sleep = &sim->sleep;
  if (wanted <= sleep->capacity_contacts) return true;
  int capacity = wanted + wanted / 2 + 16;
  carom_contact* grown = cr_alloc(&sim->allocator, sizeof(carom_contact) * (size_t)capacity);
  if (!grown) return false;
  if (sleep->num_contacts) CR_COPY(grown, sleep->contacts, sleep->num_contacts);
  cr_sleep_destroy(sim);
  sleep->contacts = grown, sleep->capacity_contacts = capacity;
  return true;
}
