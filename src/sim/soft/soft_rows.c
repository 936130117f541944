/* Nodes that constraints touch, and ties: equality rows between a node and a point of a link. */
#include "sim/soft/soft_rows.h"

#include "sim/mover.h"
#include "sim/rows/row_values.h"
#include "sim/soft/soft_step.h"

#include <string.h>

/* --- Which nodes take part ----------------------------------------------------------------------
 */

static void mark_nodes(const cr_barycentric_point* barycentric, int* is_kept) {
  for (int k = 0; barycentric && k < barycentric->count; k++) is_kept[barycentric->node[k]] = 1;
}

static void mark_all(const cr_step* step, const cr_contact_points* points,
                     const cr_model_rows* rows, int* is_kept) {
  int all = step->sim->keeps_nodes ? 1 : 0;
  for (int n = 0; n < step->model->soft.num_nodes; n++) is_kept[n] = all;
  for (int i = 0; i < points->count; i++)
    for (int k = 0; k < 2 && points->items[i].is_active; k++)
      mark_nodes(points->items[i].barycentric[k], is_kept);
  for (int i = 0; i < rows->count; i++) mark_nodes(rows->items[i].barycentric, is_kept);
}

/* Whether a node that is not held is marked. */
static bool is_any(const int* is_kept, const cr_step_soft* soft) {
  for (int n = 0; n < soft->part->mesh.num_nodes; n++)
    if (is_kept[n] && soft->held[n] != 1) return true;
  return false;
}

bool cr_soft_keep_nodes(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                        int* marks) {
  const cr_soft_model* m = &step->model->soft;
  int* list = CR_PUSH(step->arena, int, m->num_nodes);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* is_kept = CR_SCRATCH(step->arena, int, m->num_nodes);
  if (step->arena->failed) return false;
  mark_all(step, points, rows, is_kept);
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

void cr_soft_find_ties(const cr_step* step, cr_model_rows* rows) {
  const cr_soft_model* m = &step->model->soft;
  for (int tie = 0; tie < m->num_ties; tie++) {
    const double* x =
        step->q_mid + step->model->tree.num_q + 3 * (size_t)m->tie_barycentric[tie].node[0];
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
                                                  .barycentric = &m->tie_barycentric[tie]};
  }
}

void cr_soft_fill_tie(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, const cr_assembly_rows* out) {
  v3 axis = v3_set(v3_zero(), row->row, 1);
  for (int k = 0; k < 2; k++) {
    int link = cr_model_row_get_link(step->model, row, k);
    cr_mover_point point = {link, k ? row->barycentric : NULL, tie_place(step, row->index)};
    cr_point_rows rows = {k ? 1 : -1, &axis, 1, out->J, out->stride};
    cr_mover_of_link(step->model, link)->add_rows(step, blocks, path, &point, &rows);
  }
}

void cr_soft_describe_tie(const cr_step* step, const cr_model_row* row, cr_constraint* constraint) {
  const cr_soft_model* m = &step->model->soft;
  int tie = row->index;
  constraint->stiffness = m->tie_stiffness[tie];
  constraint->dissipation = m->tie_dissipation[tie];
  constraint->key.pair = CR_KEY_EQUALITY | (unsigned)(step->model->equality.num_equalities + tie);
  constraint->key.feature = (unsigned)row->row;
}
