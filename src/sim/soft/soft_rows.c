/* Nodes that constraints touch, and ties: equality rows between a node and a point of a link. */
#include "sim/soft/soft_rows.h"

#include "sim/soft/soft_step.h"

#include <string.h>

/* --- Which nodes take part ----------------------------------------------------------------------
 */

static void mark_spot(const cr_soft_spot* spot, int* is_kept) {
  for (int k = 0; spot && k < spot->count; k++) is_kept[spot->node[k]] = 1;
}

static void mark_all(const cr_step* step, const cr_touches* touches, const cr_model_rows* rows,
                     int* is_kept) {
  int all = step->sim->keeps_nodes ? 1 : 0;
  for (int n = 0; n < step->model->soft.num_nodes; n++) is_kept[n] = all;
  for (int i = 0; i < touches->count; i++)
    for (int k = 0; k < 2 && touches->items[i].is_active; k++)
      mark_spot(touches->items[i].spot[k], is_kept);
  for (int i = 0; i < rows->count; i++)
    if (rows->items[i].tie) is_kept[step->model->soft.tie_node[rows->items[i].tie - 1]] = 1;
}

/* Whether a node that is not held is marked. */
static bool is_any(const int* is_kept, const cr_step_soft* soft) {
  for (int n = 0; n < soft->part->mesh.num_nodes; n++)
    if (is_kept[n] && soft->held[n] != 1) return true;
  return false;
}

bool cr_soft_keep_nodes(cr_step* step, const cr_touches* touches, const cr_model_rows* rows,
                        int* marks) {
  const cr_soft_model* m = &step->model->soft;
  int* list = CR_PUSH(step->arena, int, m->num_nodes);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* is_kept = CR_SCRATCH(step->arena, int, m->num_nodes);
  if (step->arena->failed) return false;
  mark_all(step, touches, rows, is_kept);
  for (int s = 0; s < m->num_parts; s++) {
    cr_step_soft* soft = &step->soft[s];
    soft->kept = list, soft->num_kept = 0;
    bool all = soft->is_iterative && is_any(is_kept + soft->part->first_node, soft);
    for (int n = 0; n < soft->part->mesh.num_nodes; n++)
      if ((all || is_kept[soft->part->first_node + n]) && soft->held[n] != 1)
        soft->kept[soft->num_kept++] = n;
    list += soft->num_kept;
    marks[soft->tree] = marks[soft->tree] && soft->num_kept > 0;
  }
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* --- Ties ---------------------------------------------------------------------------------------
 */

static v3 tie_place(const cr_step* step, int tie) {
  const cr_soft_model* m = &step->model->soft;
  return pose_point(&step->kinematics.link_pose[m->tie_link[tie]],
                    v3_load(m->tie_point + 3 * (size_t)tie));
}

static cr_soft_spot tie_spot(const cr_step* step, int tie) {
  return (cr_soft_spot){.count = 1, .node = {step->model->soft.tie_node[tie]}, .weight = {1}};
}

void cr_soft_find_ties(const cr_step* step, cr_model_rows* rows) {
  const cr_soft_model* m = &step->model->soft;
  for (int tie = 0; tie < m->num_ties; tie++) {
    const double* x = step->q_mid + step->model->tree.num_q + 3 * (size_t)m->tie_node[tie];
    v3 error = v3_sub(v3_load(x), tie_place(step, tie));
    for (int r = 0; r < 3; r++)
      rows->items[rows->count++] = (cr_model_row){.rule = CR_ROW_EQUALITY,
                                                  .index = tie,
                                                  .line = -1,
                                                  .row = r,
                                                  .distance = v3_get(error, r),
                                                  .low = -INFINITY,
                                                  .high = INFINITY,
                                                  .is_active = true,
                                                  .tie = tie + 1};
  }
}

bool cr_soft_add_tie_path(const cr_step* step, const cr_blocks* blocks, int tie, cr_path* path) {
  cr_soft_spot spot = tie_spot(step, tie);
  return cr_path_add_spot(step, blocks, &spot, path);
}

void cr_soft_fill_tie(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, double* J, int stride) {
  int tie = row->tie - 1;
  v3 axis = v3_set(v3_zero(), row->row, 1);
  cr_soft_spot spot = tie_spot(step, tie);
  cr_path_add_point_rows(step, blocks, path, step->model->soft.tie_link[tie], tie_place(step, tie),
                         -1, &axis, 1, J, stride);
  cr_path_add_spot_rows(step, blocks, path, &spot, 1, &axis, 1, J, stride);
}

void cr_soft_describe_tie(const cr_step* step, const cr_model_row* row, cr_constraint* constraint) {
  const cr_soft_model* m = &step->model->soft;
  int tie = row->tie - 1;
  constraint->stiffness = m->tie_stiffness[tie];
  constraint->dissipation = m->tie_dissipation[tie];
  constraint->key.pair = CR_KEY_EQUALITY | (unsigned)(step->model->equality.num_equalities + tie);
  constraint->key.feature = (unsigned)row->row;
}

double cr_soft_spot_mass(const carom_model* model, const cr_soft_spot* spot) {
  double sum = 0;
  for (int k = 0; k < spot->count; k++) {
    int part = 0;
    while (part + 1 < model->soft.num_parts &&
           model->soft.part[part + 1].first_node <= spot->node[k])
      part++;
    const cr_soft_part* p = &model->soft.part[part];
    sum += spot->weight[k] * p->body.mass[spot->node[k] - p->first_node];
  }
  return sum;
}
