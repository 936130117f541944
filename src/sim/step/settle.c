/* Falling asleep, and the records that stay of what sleeps. */
#include "sim/step/settle.h"

#include "math/scalar.h"
#include "sim/driven.h"
#include "sim/rows/row_values.h"
#include "sim/sleep.h"
#include "solve/island.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define STEPS 10 /* in a row that do not move an island, before it sleeps */

/* --- What stays ---------------------------------------------------------------------------------
 */

/* The row that left a record that is not of a contact; false where the model has no such row. A
 * state that was restored may hold records of anything. */
static bool find_row(const carom_model* m, uint64_t pair, cr_model_row* row) {
  uint64_t kind = pair >> 32, index = pair & UINT32_MAX;
  uint64_t which = kind & UINT32_C(0x3fffffff);
  *row = (cr_model_row){.index = (int)index, .line = -1};
  if (kind - which == CR_KEY_EQUALITY >> 32) {
    row->rule = CR_ROW_EQUALITY;
    return which == 0 && index < (uint64_t)m->equality.num_equalities;
  }
  bool is_limit = kind - which == CR_KEY_LIMIT >> 32;
  row->rule = is_limit ? CR_ROW_CONTACT : which == 1 ? CR_ROW_ACTUATOR : CR_ROW_DRY;
  if (which == 0) return index < (uint64_t)(is_limit ? m->tree.num_joints : m->tree.num_v);
  if (row->rule == CR_ROW_ACTUATOR) {
    if (index >= (uint64_t)m->force.num_actuators) return false;
    row->line = m->force.actuator_line[index];
    return true;
  }
  row->line = (int)index;
  return index < (uint64_t)m->force.tendon.num_tendons;
}

/* Whether what left a record sleeps. */
static bool keeps_record(const carom_sim* sim, const cr_contact_key* key) {
  const carom_model* m = sim->model;
  uint64_t geom1 = key->pair >> 32, geom2 = key->pair & UINT32_MAX;
  uint64_t num_geoms = (uint64_t)m->geom.num_geoms;
  if (geom1 < CR_KEY_LIMIT >> 32)
    return geom1 < num_geoms && geom2 < num_geoms &&
           cr_sleep_has_pair(sim, m->geom.link[geom1], m->geom.link[geom2]);
  cr_model_row row;
  if (!find_row(m, key->pair, &row)) return false;
  bool sleeps = false;
  for (int k = 0, link; (link = cr_model_row_get_link(m, &row, k)) >= 0; k++)
    sleeps |= cr_sleep_has_link(sim, link);
  return sleeps;
}

int cr_settle_find_mover(const carom_sim* sim, const cr_contact_key* key) {
  const carom_model* m = sim->model;
  const int* tree = m->tree.link_tree;
  cr_model_row row;
  if (key->pair < CR_KEY_LIMIT) {
    int first = tree[m->geom.link[key->pair >> 32]];
    return first >= 0 ? first : tree[m->geom.link[key->pair & UINT32_MAX]];
  }
  int found = -1;
  if (!find_row(m, key->pair, &row)) return -1;
  for (int k = 0, link; (link = cr_model_row_get_link(m, &row, k)) >= 0 && found < 0; k++)
    found = tree[link];
  return found;
}

int cr_settle_count_records(const carom_sim* sim) {
  int count = 0;
  if (sim->sleep.count == 0) return 0;
  for (int i = 0; i < sim->memory.count; i++)
    count += keeps_record(sim, &sim->memory.records[i].key);
  return count;
}

void cr_settle_keep_records(const carom_sim* sim, cr_contact_memory* records) {
  if (sim->sleep.count == 0) return;
  for (int i = 0; i < sim->memory.count; i++)
    if (keeps_record(sim, &sim->memory.records[i].key))
      cr_contact_memory_add(records, &sim->memory.records[i]);
}

/* --- Falling asleep -----------------------------------------------------------------------------
 */

/* The most kinetic energy, twice, that a tree has at rest: its mass times the square of the least
 * speed that counts. */
static double find_least_norm2(const cr_step* step, int tree) {
  const carom_sim_def* def = &step->sim->def;
  double g_dt = v3_norm(v3_load(step->model->force.gravity)) * step->dt;
  double speed = def->sleep_share * def->tolerance * g_dt;
  return step->sim->plan.mass[tree] * speed * speed;
}

/* Whether any tree may have been still, by the fastest of its dofs. */
static bool is_any_slow(const cr_step* step, const cr_blocks* blocks) {
  const cr_tree_model* model = &step->model->tree;
  double g_dt = v3_norm(v3_load(step->model->force.gravity)) * step->dt;
  for (int k = 0; k < blocks->num_movers; k++) {
    int t = blocks->movers[k];
    double fastest = 0;
    if (!step->sim->sleep.can[t]) continue;
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++)
      fastest = scalar_max(fastest, fabs(step->v[i]));
    if (fastest < 1e-3 * g_dt) return true;
  }
  return false;
}

/* Counts the steps in a row that leave trees of the problem still, |v|² in A; those outside it move
 * freely. Returns whether one has been long enough. */
static bool count_still(cr_step* step, const cr_step_problem* p, const double* v, const double* Av,
                        double* norm2) {
  const cr_blocks* blocks = &p->blocks;
  int num_trees = step->model->tree.num_trees, *still = step->sim->sleep.still;
  for (int t = 0; t < num_trees; t++) norm2[t] = INFINITY;
  for (int k = 0; k < blocks->num_movers; k++) norm2[blocks->movers[k]] = 0;
  for (int b = 0; b < blocks->pattern.num_blocks; b++) {
    double* sum = &norm2[blocks->block_mover[b]];
    for (int i = blocks->pattern.row_start[b]; i < blocks->pattern.row_start[b + 1]; i++)
      *sum += v[i] * Av[i];
  }
  bool any = false;
  for (int t = 0; t < num_trees; t++) {
    bool is_still = step->sim->sleep.can[t] && norm2[t] <= find_least_norm2(step, t);
    still[t] = !is_still ? 0 : still[t] < STEPS ? still[t] + 1 : STEPS;
    any |= still[t] == STEPS;
  }
  return any;
}

/* Puts an island to sleep if all of its trees have been still; its velocities are zero then.
 */
static void settle_island(cr_step* step, const cr_step_problem* p, const cr_islands* islands,
                          int index) {
  const cr_tree_model* model = &step->model->tree;
  cr_sleep* sleep = &step->sim->sleep;
  int begin = islands->block_start[index], end = islands->block_start[index + 1];
  int first = p->blocks.block_mover[islands->block[begin]];
  for (int k = begin; k < end; k++)
    if (sleep->still[p->blocks.block_mover[islands->block[k]]] < STEPS) return;
  for (int k = begin; k < end; k++) {
    int t = p->blocks.block_mover[islands->block[k]];
    if (sleep->island[t]) continue;
    sleep->island[t] = first + 1;
    sleep->energy[t] = step->elastic[t];
    sleep->count++;
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++) step->v[i] = 0;
  }
}

/* Copies the contacts of what has fallen asleep, of the first `count` of the step's; the others of
 * the list rested before. They are saved byte by byte: what follows the last field is zero. */
static bool keep_contacts(carom_sim* sim, int count) {
  cr_sleep* sleep = &sim->sleep;
  const int* link = sim->model->geom.link;
  if (!cr_sleep_reserve_contacts(sim, sleep->num_contacts + count)) return false;
  for (int i = 0; i < count; i++) {
    const carom_contact* c = &sim->contacts[i];
    if (!cr_sleep_has_pair(sim, link[c->geom1], link[c->geom2])) continue;
    carom_contact* kept = &sleep->contacts[sleep->num_contacts++];
    memset(kept, 0, sizeof *kept);
    memcpy(kept, c, offsetof(carom_contact, is_undetermined) + sizeof c->is_undetermined);
  }
  return true;
}

static bool moves(const carom_sim* sim, int geom) {
  const cr_contact_model* contact = &sim->model->contact;
  if (geom < 0) return false;
  sv V = cr_driven_find(sim, sim->model->geom.link[geom]);
  bool any = v3_norm2(V.lin) + v3_norm2(V.ang) > 0;
  for (int i = 0; i < 6 && contact->num_moving; i++)
    any |= contact->velocity[6 * (size_t)geom + i] != 0;
  return any;
}

/* What a moving surface rubs on, or a driven body touches, does not sleep, however still it is: its
 * friction is work. */
static void keep_rubbed(cr_step* step, int count) {
  const cr_tree_model* model = &step->model->tree;
  bool any = step->model->contact.num_moving || step->sim->num_driven;
  for (int i = 0; i < count && any; i++) {
    const carom_contact* c = &step->sim->contacts[i];
    if (!moves(step->sim, c->geom1) && !moves(step->sim, c->geom2)) continue;
    const int geom[2] = {c->geom1, c->geom2};
    for (int k = 0; k < 2; k++) {
      int tree = geom[k] < 0 ? -1 : model->link_tree[step->model->geom.link[geom[k]]];
      if (tree >= 0) step->sim->sleep.still[tree] = 0;
    }
  }
}

bool cr_settle(cr_step* step, const cr_step_problem* p) {
  carom_sim* sim = step->sim;
  int n = p->problem.pattern.num_rows, before = sim->sleep.count,
      num_trees = sim->model->tree.num_trees;
  int solved = sim->num_contacts - sim->sleep.num_contacts;
  bool may = sim->def.sleep_share > 0 && !sim->capture && !sim->observer && step->dt == sim->dt;
  if (!may || p->num_constraints == 0 || !is_any_slow(step, &p->blocks)) {
    for (int t = 0; t < num_trees; t++)
      if (!sim->sleep.island[t]) sim->sleep.still[t] = 0;
    return true;
  }
  cr_islands islands;
  double *v = CR_PUSH(step->arena, double, n), *Av = CR_PUSH(step->arena, double, n);
  double* norm2 = CR_PUSH(step->arena, double, num_trees);
  if (step->arena->failed || !cr_islands_find(&p->problem, step->arena, &islands)) return false;
  cr_blocks_gather(step, &p->blocks, step->v, v);
  cr_bsm_multiply(&p->problem.pattern, p->problem.A, v, Av);
  if (!count_still(step, p, v, Av, norm2)) return true;
  keep_rubbed(step, solved);
  for (int i = 0; i < islands.count; i++) settle_island(step, p, &islands, i);
  if (sim->sleep.count == before || keep_contacts(sim, solved)) return true;
  cr_sleep_wake_all(sim);
  return false;
}
