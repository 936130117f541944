/* What rests is left out of steps: with v0 = 0 and all else as in the last step, the step would be
 * the last one again, whose solution is v = 0 to far less than the tolerance.
 *
 * Trees rest by islands of the convex problem. Contacts and records of what rests stay as they are.
 * A tree is not looked at here whose forces may change although it stands: pulled at by springs to
 * other bodies, tendons across trees, activations, adhesion; nor are models with soft bodies. */
#include "sim/step/rest.h"

#include "math/scalar.h"
#include "solve/island.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define STEPS 10 /* in a row that do not move an island, before it rests */

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
  int* can = CR_PUSH(&sim->fixed, int, num_trees);
  int* tree = CR_PUSH(&sim->fixed, int, num_controls);
  sim->rest.island = CR_PUSH(&sim->fixed, int, num_trees);
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
  size_t size = sizeof(int) * (size_t)sim->model->tree.num_trees;
  if (size) memset(sim->rest.island, 0, size);
  if (size) memset(sim->rest.still, 0, size);
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
  if (cr_rest_has_tree(sim, tree)) wake_island(sim, sim->rest.island[tree]);
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

int cr_rest_wake_touched(cr_step* step, const cr_touches* touches, int* fresh) {
  carom_sim* sim = step->sim;
  int num_trees = sim->model->tree.num_trees, before = sim->rest.count;
  if (before == 0) return 0;
  memset(fresh, 0, sizeof(int) * (size_t)(num_trees + sim->model->soft.num_parts));
  for (int t = 0; t < num_trees; t++) fresh[t] = sim->rest.island[t];
  for (int i = 0; i < touches->count; i++)
    for (int k = 0; k < 2; k++) cr_rest_wake_link(sim, touches->items[i].link[k]);
  for (int t = 0; t < num_trees; t++) fresh[t] = fresh[t] && !sim->rest.island[t];
  return before - sim->rest.count;
}

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
  row->rule = is_limit ? CR_ROW_CONTACT : which == 1 ? CR_ROW_SERVO : CR_ROW_DRY;
  if (which == 0) return index < (uint64_t)(is_limit ? m->tree.num_joints : m->tree.num_v);
  if (row->rule == CR_ROW_SERVO) {
    if (index >= (uint64_t)m->force.num_actuators) return false;
    row->line = m->force.actuator_line[index];
    return true;
  }
  row->line = (int)index;
  return index < (uint64_t)m->force.tendon.num_tendons;
}

/* Whether what left a record rests. */
static bool keeps_record(const carom_sim* sim, const cr_contact_key* key) {
  const carom_model* m = sim->model;
  uint64_t geom1 = key->pair >> 32, geom2 = key->pair & UINT32_MAX;
  uint64_t num_geoms = (uint64_t)m->geom.num_geoms;
  if (geom1 < CR_KEY_LIMIT >> 32)
    return geom1 < num_geoms && geom2 < num_geoms &&
           cr_rest_has_pair(sim, m->geom.link[geom1], m->geom.link[geom2]);
  cr_model_row row;
  if (!find_row(m, key->pair, &row)) return false;
  bool rests = false;
  for (int k = 0, link; (link = cr_model_row_get_link(m, &row, k)) >= 0; k++)
    rests |= cr_rest_has_link(sim, link);
  return rests;
}

int cr_rest_find_tree(const carom_sim* sim, const cr_contact_key* key) {
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

int cr_rest_count_records(const carom_sim* sim) {
  int count = 0;
  if (sim->rest.count == 0) return 0;
  for (int i = 0; i < sim->memory.count; i++)
    count += keeps_record(sim, &sim->memory.records[i].key);
  return count;
}

void cr_rest_keep_records(const carom_sim* sim, cr_contact_memory* records) {
  if (sim->rest.count == 0) return;
  for (int i = 0; i < sim->memory.count; i++)
    if (keeps_record(sim, &sim->memory.records[i].key))
      cr_contact_memory_add(records, &sim->memory.records[i]);
}

double cr_rest_sum_energy(const carom_sim* sim) {
  double sum = 0;
  for (int t = 0; t < sim->model->tree.num_trees && sim->rest.count > 0; t++)
    if (sim->rest.island[t]) sum += sim->rest.energy[t];
  return sum;
}

/* --- Coming to rest -----------------------------------------------------------------------------
 */

/* The most kinetic energy, twice, that a tree has at rest: its mass times the square of the least
 * speed that counts. */
static double find_least_norm2(const cr_step* step, int tree) {
  const carom_sim_def* def = &step->sim->def;
  double g_dt = v3_norm(v3_load(step->model->force.gravity)) * step->dt;
  double speed = def->rest_share * def->tolerance * g_dt;
  return step->sim->plan.mass[tree] * speed * speed;
}

/* Whether any tree may have been still, by the fastest of its dofs. */
static bool is_any_slow(const cr_step* step, const cr_blocks* blocks) {
  const cr_tree_model* model = &step->model->tree;
  double g_dt = v3_norm(v3_load(step->model->force.gravity)) * step->dt;
  for (int k = 0; k < blocks->num_trees; k++) {
    int t = blocks->trees[k];
    double fastest = 0;
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++)
      fastest = scalar_max(fastest, fabs(step->v[i]));
    if (step->sim->rest.can[t] && fastest < 1e-3 * g_dt) return true;
  }
  return false;
}

/* Counts the steps in a row that leave trees of the problem still, |v|² in A; those outside it move
 * freely. Returns whether one has been long enough. */
static bool count_still(cr_step* step, const cr_step_problem* p, const double* v, const double* Av,
                        double* norm2) {
  const cr_blocks* blocks = &p->blocks;
  int num_trees = step->model->tree.num_trees, *still = step->sim->rest.still;
  for (int t = 0; t < num_trees; t++) norm2[t] = INFINITY;
  for (int k = 0; k < blocks->num_trees; k++) norm2[blocks->trees[k]] = 0;
  for (int b = 0; b < blocks->pattern.num_blocks; b++) {
    double* sum = &norm2[cr_blocks_find_tree(step, blocks, b)];
    for (int i = blocks->pattern.row_start[b]; i < blocks->pattern.row_start[b + 1]; i++)
      *sum += v[i] * Av[i];
  }
  bool any = false;
  for (int t = 0; t < num_trees; t++) {
    bool is_still = step->sim->rest.can[t] && norm2[t] <= find_least_norm2(step, t);
    still[t] = !is_still ? 0 : still[t] < STEPS ? still[t] + 1 : STEPS;
    any |= still[t] == STEPS;
  }
  return any;
}

/* Puts an island to rest if all of its trees have been still; its velocities are zero from here on.
 */
static void settle_island(cr_step* step, const cr_step_problem* p, const cr_islands* islands,
                          int index) {
  const cr_tree_model* model = &step->model->tree;
  cr_rest* rest = &step->sim->rest;
  int begin = islands->block_start[index], end = islands->block_start[index + 1];
  int first = cr_blocks_find_tree(step, &p->blocks, islands->block[begin]);
  for (int k = begin; k < end; k++)
    if (rest->still[cr_blocks_find_tree(step, &p->blocks, islands->block[k])] < STEPS) return;
  for (int k = begin; k < end; k++) {
    int t = cr_blocks_find_tree(step, &p->blocks, islands->block[k]);
    if (rest->island[t]) continue;
    rest->island[t] = first + 1;
    rest->energy[t] = step->elastic[t];
    rest->count++;
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++) step->v[i] = 0;
  }
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

/* Copies the contacts of what has come to rest, of the first `count` of the step's; the others of
 * the list rested before. They are saved byte by byte: what follows the last field is zero. */
static bool keep_contacts(carom_sim* sim, int count) {
  cr_rest* rest = &sim->rest;
  const int* link = sim->model->geom.link;
  if (!cr_rest_reserve_contacts(sim, rest->num_contacts + count)) return false;
  for (int i = 0; i < count; i++) {
    const carom_contact* c = &sim->contacts[i];
    if (!cr_rest_has_pair(sim, link[c->geom1], link[c->geom2])) continue;
    carom_contact* kept = &rest->contacts[rest->num_contacts++];
    memset(kept, 0, sizeof *kept);
    memcpy(kept, c, offsetof(carom_contact, state) + sizeof c->state);
  }
  return true;
}

static bool moves(const cr_contact_model* contact, int geom) {
  bool any = false;
  for (int i = 0; i < 6 && geom >= 0; i++) any |= contact->velocity[6 * (size_t)geom + i] != 0;
  return any;
}

/* What a moving surface rubs on does not rest, however still it is: its friction is work. */
static void keep_rubbed(cr_step* step, int count) {
  const cr_contact_model* contact = &step->model->contact;
  const cr_tree_model* model = &step->model->tree;
  for (int i = 0; i < count && contact->num_moving; i++) {
    const carom_contact* c = &step->sim->contacts[i];
    if (!moves(contact, c->geom1) && !moves(contact, c->geom2)) continue;
    const int geom[2] = {c->geom1, c->geom2};
    for (int k = 0; k < 2; k++) {
      int tree = geom[k] < 0 ? -1 : model->link_tree[step->model->geom.link[geom[k]]];
      if (tree >= 0) step->sim->rest.still[tree] = 0;
    }
  }
}

bool cr_rest_settle(cr_step* step, const cr_step_problem* p) {
  carom_sim* sim = step->sim;
  int n = p->problem.pattern.num_rows, before = sim->rest.count,
      num_trees = sim->model->tree.num_trees;
  int solved = sim->num_contacts - sim->rest.num_contacts;
  bool may = sim->def.rest_share > 0 && !sim->capture && step->dt == sim->dt &&
             sim->model->soft.num_parts == 0;
  if (!may || p->num_constraints == 0 || !is_any_slow(step, &p->blocks)) {
    for (int t = 0; t < num_trees; t++)
      if (!sim->rest.island[t]) sim->rest.still[t] = 0;
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
  if (sim->rest.count == before || keep_contacts(sim, solved)) return true;
  cr_rest_wake_all(sim);
  return false;
}
