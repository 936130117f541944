/* Kinematic trees as movers of a step. */
#include "base/copy.h"
#include "sim/contact/loaded.h"
#include "sim/contact/scan.h"
#include "sim/driven.h"
#include "sim/mover.h"
#include "sim/sleep.h"
#include "sim/tree/balance.h"
#include "sim/tree/damping.h"
#include "sim/tree/force_work.h"
#include "sim/tree/free_motion.h"
#include "sim/tree/inputs.h"
#include "sim/tree/limited_actuators.h"
#include "sim/tree/lines.h"
#include "sim/tree/tree_blocks.h"
#include "sim/tree/tree_energy.h"
#include "sim/tree/tree_factor.h"
#include "tree/algorithms.h"

#include <string.h>

static bool init(cr_step* step) {
  const carom_sim* sim = step->sim;
  const cr_tree_model* model = &step->model->tree;
  step->external = CR_PUSH(step->arena, sv, model->num_links);
  step->M = CR_PUSH(step->arena, double, sim->plan.M_start[model->num_trees]);
  step->factor = CR_PUSH(step->arena, double*, model->num_trees);
  step->placement = CR_PUSH(step->arena, cr_placement, model->num_trees);
  if (!cr_tree_push_kinematics(step->arena, model, &step->kinematics) ||
      !cr_tree_push_velocities(step->arena, model, &step->velocities) ||
      !cr_tree_push_scratch(step->arena, model, &step->scratch) || step->arena->failed ||
      !cr_damping_init(step) || !cr_limited_actuators_choose(step) || !cr_loaded_find(step))
    return false;
  cr_driven_move(sim, sim->theta.q * step->dt, step->q_mid);
  cr_tree_update_ground(model, step->q_mid, &step->kinematics, &step->velocities);
  if (!cr_step_lines_init(step)) return false;
  for (int t = 0; t < model->num_trees; t++) {
    step->placement[t] = (cr_placement){0}, step->factor[t] = NULL;
    cr_tree_to_internal(model, t, sim->q, sim->v, step->v0);
  }
  if (!cr_step_inputs_init(step)) return false;
  cr_step_lines_begin(step);
  return true;
}

/* Limited actuators without damping are no linear forces in the step of an impact: they become
 * laws. What constraints do changes. */
static void begin_impact(cr_step* step, int tree) {
  step->carries[tree] = false;
  cr_damping_forget(step, tree);
  cr_limited_actuators_bind(step, tree);
}

static void place(cr_step* step) {
  for (int t = 0; t < step->model->tree.num_trees; t++) {
    if (!step->placement[t].is_placed) cr_balance_place(step, t, step->v_lin);
    step->placement[t].is_placed = true;
  }
}

static v3 find_velocity(const cr_step* step, const cr_motion* motion, const cr_contact_point* point,
                        int k) {
  return cr_contact_find_velocity(step, motion->link, point->link[k],
                                  cr_contact_point_place(point, k));
}

/* Trees joined by springs come together or not at all. */
static cr_result choose(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                        int* marks) {
  (void)points, (void)rows;
  const cr_sim_plan* plan = &step->sim->plan;
  int any = 0;
  for (int t = 0; t < step->model->tree.num_trees; t++) any |= plan->has_spring[t] && marks[t];
  for (int t = 0; t < step->model->tree.num_trees && any; t++) marks[t] |= plan->has_spring[t];
  return CR_DONE;
}

static cr_result factor(cr_step* step, const cr_blocks* blocks) {
  return cr_tree_factor_make_matrices(step, blocks) ? CR_DONE : CR_NO_MEMORY;
}

static void find_residual(cr_step* step, const cr_blocks* blocks, double* residual) {
  cr_balance_compute_residual(step, blocks->movers, cr_tree_factor_count(step, blocks), step->v_lin,
                              residual);
}

static double find_mass(const carom_model* model, const cr_mover_point* point) {
  return model->tree.link_mass[point->link];
}

/* Keeps where the constraints of what moves were linearised. */
static void keep_seen(cr_step* step) {
  const cr_tree_model* model = &step->model->tree;
  carom_sim* sim = step->sim;
  for (int t = 0; t < model->num_trees; t++) {
    int start = cr_tree_q_start(model, t), end = cr_tree_q_end(model, t);
    if (cr_sleep_has(sim, t)) continue;
    CR_COPY(sim->q_seen + start, step->q_mid + start, end - start);
    cr_step_blend(step, t, cr_free_motion_get_weight(step, t), step->v_lin, step->v0, sim->v_seen);
  }
  size_t mocaps = 7 * sizeof(double) * (size_t)model->num_mocaps;
  if (mocaps) memcpy(sim->q_seen + model->mocap_q, step->q_mid + model->mocap_q, mocaps);
}

static void advance(cr_step* step) {
  const cr_tree_model* model = &step->model->tree;
  cr_rotation_update update = cr_step_find_rotation(step);
  cr_step_inputs_advance(step);
  keep_seen(step);
  cr_driven_move(step->sim, step->dt, step->q_mid);
  for (int t = 0; t < model->num_trees; t++) {
    cr_theta theta = step->theta[t];
    cr_step_blend(step, t, theta.vq, step->v, step->v0, step->v_q);
    cr_tree_advance(model, t, step->sim->q, step->v_q, step->dt, theta.q, update, step->q_mid);
    cr_tree_to_interface(model, t, step->q_mid, step->v, step->v_q);
  }
}

static void slow(cr_step* step, int tree, double share) {
  const int* start = step->model->tree.tree_v_start + tree;
  for (int i = start[0]; i < start[1]; i++) step->v_q[i] *= share;
}

static void stay(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  slow(step, tree, 0);
  int first = cr_tree_q_start(model, tree), end = cr_tree_q_end(model, tree);
  CR_COPY(step->q_mid + first, step->sim->q + first, end - first);
}

const cr_mover_kind cr_tree_mover = {.init = init,
                                     .begin = cr_free_motion_compute,
                                     .begin_impact = begin_impact,
                                     .place = place,
                                     .find_velocity = find_velocity,
                                     .choose = choose,
                                     .list_segments = cr_tree_list_segments,
                                     .couple = cr_tree_couple,
                                     .count_path = cr_tree_count_path,
                                     .add_path = cr_tree_add_path,
                                     .add_rows = cr_path_add_point_rows,
                                     .find_mass = find_mass,
                                     .factor = factor,
                                     .fill_blocks = cr_tree_fill_blocks,
                                     .find_residual = find_residual,
                                     .add_work = cr_force_work_add,
                                     .advance = advance,
                                     .slow = slow,
                                     .stay = stay,
                                     .find_energy = cr_tree_energy_find,
                                     .is_plain = cr_tree_energy_is_plain};
