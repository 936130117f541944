/* A block's columns are what one dof alone does: its links' twist S_j and drifts d_j, a unit of v*
 * or of v0. */
#include "derive/constraint_block.h"

#include "base/copy.h"
#include "derive/constraint_rows.h"
#include "derive/equality_tangent.h"
#include "derive/friction_memory.h"
#include "derive/model_rows.h"
#include "derive/soft_tangent.h"

#include <string.h>

/* --- Dofs ---------------------------------------------------------------------------------------
 */

static void add_dof(int dof, int* dofs, int* count) {
  for (int i = 0; i < *count; i++)
    if (dofs[i] == dof) return;
  dofs[(*count)++] = dof;
}

/* All dofs of a link's tree. */
static void add_tree(const cr_tree_model* model, int link, int* dofs, int* count) {
  int tree = model->link_tree[link];
  for (int i = tree < 0 ? 0 : model->tree_v_start[tree];
       tree >= 0 && i < model->tree_v_start[tree + 1]; i++)
    add_dof(i, dofs, count);
}

/* Those that move the constraint's links, or those that it is about; all of their trees, where its
 * mobility counts. */
static int list_dofs(const cr_step* step, const cr_active_constraint* a, int* dofs) {
  const cr_tree_model* model = &step->model->tree;
  const cr_row_shape* row = &a->shape[0];
  int count = 0;
  for (int k = 0; k < row->num_dofs; k++) add_dof(row->dof[k], dofs, &count);
  bool is_whole = a->answer.motion || a->lever || a->area || a->film;
  for (int k = 0; k < row->num_dofs && is_whole; k++)
    add_tree(model, model->dof_link[row->dof[k]], dofs, &count);
  for (int k = 0; k < 2 && is_whole && row->kind != CR_ROW_OF_DOFS; k++)
    add_tree(model, row->link[k], dofs, &count);
  for (int k = 0; a->joint && k < a->joint->num_dofs; k++) add_dof(a->joint->dof[k], dofs, &count);
  if (row->kind == CR_ROW_OF_DOFS || is_whole || a->joint) return count;
  for (int j = model->link_last_dof[row->link[0]]; j >= 0; j = model->dof_parent[j])
    dofs[count++] = j;
  for (int j = model->link_last_dof[row->link[1]]; j >= 0; j = model->dof_parent[j])
    if (!cr_dof_moves(model, j, row->link[0])) dofs[count++] = j;
  return count;
}

/* --- Units --------------------------------------------------------------------------------------
 */

/* Sets what the links do by dof `at` of the block, or takes it back. */
static void set_links(cr_row_maker* m, int at, cr_unit_source by, double on) {
  cr_constraint_state* s = m->s;
  const cr_step* step = s->t->step;
  cr_row_motion* motions[CR_MOST_MOTIONS];
  int count = cr_active_list_motions(s, m->a, motions);
  const cr_row_shape* row = &m->a->shape[0];
  int dof = m->a->block.dof[at];
  m->unit[dof] = on, m->dof = dof, m->by = by;
  s->star.dv = by == CR_BY_STAR ? m->unit : m->still,
  s->v0.dv = by == CR_BY_V0 ? m->unit : m->still;
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++) {
    int link = row->link[k];
    bool is_its = on != 0 && m->moves[k][at];
    sv none = sv_zero(), S = is_its ? step->kinematics.S[dof] : none;
    m->twist[link] = is_its && by == CR_BY_Q ? S : none;
    for (int i = 0; i < count; i++)
      motions[i]->link_drift[link] = is_its && by == CR_BY_Q ? motions[i]->drift[dof] : none;
    s->star.link_change[link] = is_its && by == CR_BY_STAR ? S : none;
    s->v0.link_change[link] = is_its && by == CR_BY_V0 ? S : none;
  }
}

/* Constraints side by side whose links and dofs are the same, and what the impulses of all of them
 * do beside being carried along, which the first of them has. */
typedef struct alike {
  cr_active_constraint* a; /* [count] */
  int count;
  sv moved[2]; /* of a column */
} alike;

/* Where column `at` of its b goes; null: nowhere. */
static double* find_b(const alike* all, int at, cr_unit_source by) {
  const cr_constraint_block* block = &all->a[0].block;
  double* const of_b[] = {block->b_q, block->b_star, block->b_v0};
  return of_b[by] ? of_b[by] + at : NULL;
}

/* The part of one of them in a column. */
static void add_impulses(const cr_row_maker* m, const cr_row_change* change, double* b,
                         alike* all) {
  const cr_active_constraint* a = m->a;
  int n = a->block.num_dofs;
  sv moved[2];
  cr_row_maker_find_moved(m, change, moved);
  for (int k = 0; k < 2; k++) all->moved[k] = sv_add(all->moved[k], moved[k]);
  for (int r = 0; r < a->rows; r++) {
    const cr_row_shape* row = &a->shape[r];
    for (int k = 0; k < row->num_dofs; k++)
      for (int i = 0; i < n; i++)
        if (row->dof[k] == a->block.dof[i])
          b[i * n] += m->s->out->gamma[a->row + r] * change[r].coefficient[k];
  }
}

/* What wrenches that moved do, of all of them. */
static void add_moved(const cr_row_maker* m, const alike* all, double* b) {
  const cr_active_constraint* a = &all->a[0];
  int n = a->block.num_dofs;
  for (int k = 0; k < 2 && a->shape[0].kind != CR_ROW_OF_DOFS; k++)
    for (int i = 0; i < n; i++)
      if (m->moves[k][i])
        b[i * n] += sv_dot(m->s->t->step->kinematics.S[a->block.dof[i]], all->moved[k]);
}

static void fill_column(cr_row_maker* m, int at, cr_unit_source by, alike* all) {
  const cr_constraint_state* s = m->s;
  cr_active_constraint* a = m->a;
  cr_row_change change[CR_LAW_MAX_ROWS];
  double d[CR_LAW_MAX_ROWS] = {0};
  int dof = a->block.dof[at], n = a->block.num_dofs;
  double* const of_c[] = {a->block.c_q, a->block.c_star, a->block.c_v0};
  set_links(m, at, by, 1);
  m->token = 3 * dof + (int)by; /* one for all that the same links have a part in */
  const double* dq = by == CR_BY_Q ? m->unit : m->still;
  double distance = cr_row_maker_differentiate(m, dq, change);
  double friction = cr_row_maker_move_friction(m, change);
  cr_row_maker_carry(m, change);
  for (int r = 0; r < a->rows; r++)
    d[r] = cr_row_velocity_change(s->t->step, &a->shape[r], &change[r], &s->v);
  cr_row_maker_add_surfaces(m, change, &distance, d);
  cr_row_maker_add_compliance(m, change, dq, distance, d);
  if (a->constraint->rule == CR_ROW_ACTUATOR)
    d[0] -= cr_model_row_differentiate_actuator(
        s->t->step, a->constraint, &a->shape[0],
        &(cr_row_force_direction){dq, s->star.dv, s->v0.dv, m->still}, NULL);
  double bound = cr_row_maker_find_bound(m, friction);
  for (int r = 0; r < a->rows; r++) {
    double sum = bound * a->law.widen[r];
    for (int j = 0; j < a->rows; j++) sum -= a->law.D[r][j] * d[j];
    of_c[by][r * n + at] = sum;
  }
  if (by == CR_BY_Q || a->yields) add_impulses(m, change, find_b(all, at, by), all);
  double* const of_record[] = {a->block.m_q, a->block.m_star, a->block.m_v0};
  if (a->of_column) of_record[by][at] = cr_constraint_take_record(a);
  set_links(m, at, by, 0);
}

/* d (row · v) / d v of dof `at` of the block. */
static double find_entry(const cr_row_maker* m, const cr_row_shape* row, int at) {
  const cr_step* step = m->s->t->step;
  int dof = m->a->block.dof[at];
  double sum = 0;
  for (int k = 0; k < row->num_dofs; k++)
    if (row->dof[k] == dof) sum += row->coefficient[k];
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++)
    if (m->moves[k][at]) sum += sv_dot(step->kinematics.S[dof], cr_row_wrench(step, row, k));
  return sum;
}

/* c_star and c_v0 where rates count in the distance alone, along the last row. */
static void fill_rates(const cr_row_maker* m) {
  const cr_active_constraint* a = m->a;
  int last = a->rows - 1, n = a->block.num_dofs;
  double* const to[2] = {a->block.c_star, a->block.c_v0};
  const cr_distance_row unit[2] = {{.v1 = 1}, {.v0 = 1}};
  for (int i = 0; i < 2; i++) {
    cr_compliance_change by = {0, 0};
    if (a->is_distance && a->is_plain)
      by = cr_constraint_differentiate_compliance(m->s, a, &unit[i], 0);
    double d = by.R * m->s->out->gamma[a->row + last] - by.v_hat;
    for (int at = 0; at < n; at++) {
      double entry = d == 0 ? 0 : d * find_entry(m, &a->shape[last], at);
      for (int r = 0; r < a->rows; r++) to[i][r * n + at] = -a->law.D[r][last] * entry;
    }
  }
}

/* --- Blocks -------------------------------------------------------------------------------------
 */

/* What the impulses do by q_mid belongs to the slope of the tree, where only one has a part. */
static void give_to_tree(const cr_constraint_state* s, cr_constraint_block* b) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  int n = b->num_dofs, tree = -1;
  for (int i = 0; i < n; i++)
    if (b->dof[i] >= model->num_v) return; /* soft bodies have none */
  if (n > 0) tree = model->link_tree[model->dof_link[b->dof[0]]];
  for (int i = 1; i < n; i++)
    if (model->link_tree[model->dof_link[b->dof[i]]] != tree) return;
  if (tree < 0) return;
  int start = model->tree_v_start[tree], size = model->tree_v_start[tree + 1] - start;
  double* slope = s->tree_slope + step->sim->plan.M_start[tree];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      slope[(b->dof[k] - start) * size + b->dof[i] - start] -= b->b_q[i * n + k];
  b->b_q = NULL;
}

/* The set that has a dof's tree. */
static uint64_t find_trees(const cr_tree_model* model, int dof) {
  return dof < model->num_v ? cr_tree_bit(model->link_tree[model->dof_link[dof]]) : ~(uint64_t)0;
}

static bool push_block(const cr_constraint_state* s, cr_active_constraint* a, const int* dofs) {
  cr_arena* arena = s->t->arena;
  cr_constraint_block* b = &a->block;
  size_t n = (size_t)b->num_dofs, rows = (size_t)a->rows;
  int* kept = CR_PUSH(arena, int, n);
  double** of_rows[] = {&b->c_q, &b->c_star, &b->c_v0};
  for (int i = 0; i < 3; i++) *of_rows[i] = CR_PUSH(arena, double, rows* n);
  double** of_record[] = {&b->m_q, &b->m_star, &b->m_v0};
  for (int i = 0; i < 3 && a->of_column; i++) *of_record[i] = CR_PUSH(arena, double, n);
  if (arena->failed) return false;
  for (int i = 0; i < 3 && a->of_column; i++) memset(*of_record[i], 0, sizeof(double) * n);
  CR_COPY(kept, dofs, n);
  b->dof = kept;
  b->trees = 0;
  for (int i = 0; i < b->num_dofs; i++) b->trees |= find_trees(&s->t->step->model->tree, dofs[i]);
  return true;
}

/* Room for b of all of them. */
static bool push_impulses(const cr_constraint_state* s, const alike* all) {
  cr_constraint_block* b = &all->a[0].block;
  double** of_dofs[] = {&b->b_q, &b->b_star, &b->b_v0};
  size_t size = (size_t)b->num_dofs * (size_t)b->num_dofs;
  bool yields = false;
  for (int i = 0; i < all->count; i++) yields |= all->a[i].yields;
  for (int i = 0; i < (yields ? 3 : 1); i++) {
    *of_dofs[i] = CR_PUSH(s->t->arena, double, size);
    if (!*of_dofs[i]) return false;
    memset(*of_dofs[i], 0, sizeof(double) * size);
  }
  return true;
}

/* Columns of `from` into those of `to`. */
static void add_column(double* from, double* to, int rows, int n, int at) {
  for (int r = 0; r < rows && from; r++) {
    to[r * n + at] += from[r * n + at];
    from[r * n + at] = 0;
  }
}

/* What is by v_lin is by v0 where a soft body is linearised there. */
static void move_rates(const cr_constraint_state* s, cr_active_constraint* a) {
  const carom_model* m = s->t->step->model;
  cr_constraint_block* b = &a->block;
  for (int at = 0; at < b->num_dofs; at++) {
    if (b->dof[at] < m->tree.num_v) continue;
    if (!cr_soft_tangents_of_dof(s->t, b->dof[at])->is_known) continue;
    add_column(b->c_star, b->c_v0, a->rows, b->num_dofs, at);
    add_column(b->b_star, b->b_v0, b->num_dofs, b->num_dofs, at);
  }
}

/* Whether rates count in more than the distance. */
static bool is_by_rates(const cr_active_constraint* a) {
  return a->yields || a->constraint->rule == CR_ROW_ACTUATOR || a->joint || a->softening;
}

/* How many from one on are of the same patch and dofs. */
static int count_alike(const cr_active_constraint* a, int most) {
  int count = 1;
  while (count < most && a->contact && a[count].contact &&
         a[count].point->first == a->point->first &&
         !memcmp(a[count].shape[0].link, a->shape[0].link, sizeof a->shape[0].link) &&
         a[count].block.num_dofs == a->block.num_dofs &&
         !memcmp(a[count].block.dof, a->block.dof, sizeof(int) * (size_t)a->block.num_dofs))
    count++;
  return count;
}

/* Column `at` of all of them, side by side, so that what moves their patch is found once. */
static void fill_columns(cr_row_maker* m, int at, cr_unit_source by, alike* all) {
  double* b = find_b(all, at, by);
  all->moved[0] = all->moved[1] = sv_zero();
  for (int i = 0; i < all->count; i++) {
    m->a = &all->a[i];
    if (by == CR_BY_Q || is_by_rates(m->a)) fill_column(m, at, by, all);
  }
  if (b) add_moved(m, all, b);
}

static bool fill_blocks(cr_row_maker* m, alike* all) {
  const cr_tree_model* model = &m->s->t->step->model->tree;
  cr_active_constraint* first = &all->a[0];
  const cr_row_shape* row = &first->shape[0];
  if (!push_impulses(m->s, all)) return false;
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++)
    for (int at = 0; at < first->block.num_dofs; at++)
      m->moves[k][at] = cr_dof_moves(model, first->block.dof[at], row->link[k]);
  for (int at = 0; at < first->block.num_dofs; at++)
    for (int by = CR_BY_Q; by <= CR_BY_V0; by++) fill_columns(m, at, (cr_unit_source)by, all);
  for (int i = 0; i < all->count; i++) {
    m->a = &all->a[i];
    if (!is_by_rates(m->a)) fill_rates(m);
    move_rates(m->s, m->a);
  }
  give_to_tree(m->s, &first->block);
  return true;
}

bool cr_constraint_blocks_make(cr_constraint_state* s) {
  const cr_tree_model* model = &s->t->step->model->tree;
  size_t num_v = (size_t)s->t->num_v;
  cr_row_maker m = {.s = s};
  int* dofs = CR_PUSH(s->t->arena, int, 2 * num_v + 3);
  m.twist = CR_PUSH(s->t->arena, sv, model->num_links);
  m.unit = CR_PUSH(s->t->arena, double, num_v);
  m.still = CR_PUSH(s->t->arena, double, num_v);
  for (int k = 0; k < 2; k++) m.moves[k] = CR_PUSH(s->t->arena, bool, num_v);
  if (s->t->arena->failed) return false;
  memset(m.twist, 0, sizeof(sv) * (size_t)model->num_links);
  memset(m.unit, 0, sizeof(double) * num_v);
  memset(m.still, 0, sizeof(double) * num_v);
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    a->block.num_dofs = list_dofs(s->t->step, a, dofs);
    if (!push_block(s, a, dofs)) return false;
  }
  for (int i = 0; i < s->num_active;) {
    alike all = {.a = &s->active[i], .count = count_alike(&s->active[i], s->num_active - i)};
    if (!fill_blocks(&m, &all)) return false;
    i += all.count;
  }
  s->still = m.twist;
  return true;
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* What a seed of the records makes of a contact's rows of c, times their cotangents, and of the
 * record that it leaves. */
static double pull_seed(const cr_constraint_state* s, const cr_active_constraint* a,
                        const double* rows, const cr_memory_seed* seed) {
  double sum = 0, give[2];
  if (a->constraint->rule == CR_ROW_DRY) {
    double bound = cr_lagged_differentiate_seed(s->t->step, a->point, seed);
    for (int r = 0; r < a->rows; r++) sum += bound * a->law.widen[r] * rows[r];
  }
  if (!a->anchor) return sum;
  const cr_memory_column at = {.twist = s->still, .seed = seed};
  cr_anchor_differentiate(s, a, &at, give);
  for (int r = 0; r < a->rows; r++)
    for (int k = 0; k < 2; k++) sum -= rows[r] * a->law.D[r][k] * give[k];
  return sum + (a->left ? cr_memory_pull_record(s, a, &at, NULL) : 0);
}

void cr_constraint_pull_memory(const cr_constraint_state* s, const cr_active_constraint* a,
                               const double* rows, const cr_stage_cotangents* out) {
  const cr_contact_memory* memory = &s->t->step->sim->memory;
  const cr_constraint_block* b = &a->block;
  const cr_contact_record* record;
  for (int k = 0; k < b->num_dofs && a->of_column; k++) {
    out->q_mid[b->dof[k]] += b->m_q[k];
    out->v_star[b->dof[k]] += b->m_star[k], out->v0[b->dof[k]] += b->m_v0[k];
  }
  if (!s->t->memory || !a->contact) return;
  int count = cr_contact_memory_find_pair(memory, a->point->key.pair, &record);
  for (int i = 0; i < count; i++) {
    cr_memory_cotangent* to = &s->t->memory->begun[record + i - memory->records];
    for (int e = 0; e < 3; e++) {
      v3 unit = v3_set(v3_zero(), e, 1), none = v3_zero();
      const cr_memory_seed seeds[] = {{record + i, unit, none, none},
                                      {record + i, none, unit, none},
                                      {record + i, none, none, unit}};
      to->impulse[e] += pull_seed(s, a, rows, &seeds[0]);
      if (!a->anchor) continue;
      to->stretch[e] += pull_seed(s, a, rows, &seeds[1]);
      to->place[e] += pull_seed(s, a, rows, &seeds[2]);
    }
  }
}
