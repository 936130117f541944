/* Soft bodies as movers of a step. */
#include "base/copy.h"
#include "base/error.h"
#include "sim/mover.h"
#include "sim/soft/soft_attachments.h"
#include "sim/soft/soft_blocks.h"
#include "sim/soft/soft_eliminate.h"
#include "sim/soft/soft_rows.h"
#include "sim/soft/soft_step.h"
#include "sim/soft/soft_sums.h"

#include <math.h>

static bool begin(cr_step* step, const int* only) {
  for (int k = 0; k < step->model->soft.num_parts; k++)
    if ((!only || only[step->soft[k].tree]) && !cr_soft_begin(step, &step->soft[k])) return false;
  return true;
}

static void place(cr_step* step) {
  for (int k = 0; k < step->model->soft.num_parts; k++)
    cr_soft_place(step, &step->soft[k], step->v_lin);
}

static bool bends(const cr_step* step) {
  bool any = false;
  for (int k = 0; k < step->model->soft.num_parts && !any; k++)
    any = cr_soft_bends(step, &step->soft[k]);
  return any;
}

static v3 find_velocity(const cr_step* step, const cr_motion* motion, const cr_contact_point* point,
                        int k) {
  const cr_barycentric_point* barycentric = point->barycentric[k];
  v3 sum = v3_zero();
  for (int i = 0; i < barycentric->count; i++) {
    const double* node = motion->v + step->model->tree.num_v + 3 * (size_t)barycentric->node[i];
    sum = v3_axpy(sum, barycentric->weight[i], v3_load(node));
  }
  return sum;
}

/* Nodes that constraints touch; what nothing touches has its free motion. */
static cr_result choose(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                        int* marks) {
  if (step->model->soft.num_parts == 0) return CR_DONE;
  if (!cr_soft_keep_nodes(step, points, rows, marks)) return CR_NO_MEMORY;
  for (int k = 0; k < step->model->soft.num_parts; k++) {
    cr_step_soft* soft = &step->soft[k];
    if (soft->is_waiting && soft->num_kept == 0 && !cr_soft_move(step, soft))
      return step->arena->failed ? CR_NO_MEMORY : CR_FREE_MOTION;
  }
  return CR_DONE;
}

/* Iterations that do not get to v* leave what is no number. */
static cr_result find_star(cr_step* step, cr_step_soft* soft) {
  if (!cr_soft_linearize(step, soft)) return CR_NO_MEMORY;
  return isfinite(step->v_star[soft->first_v]) ? CR_DONE : CR_UNSOLVED;
}

static cr_result factor(cr_step* step, const cr_blocks* blocks) {
  for (int k = 0; k < blocks->num_movers; k++) {
    cr_step_soft* soft = cr_soft_of_tree(step, blocks->movers[k]);
    if (!soft) continue;
    CR_TRY(cr_soft_eliminate(step, soft));
    if (soft->is_waiting && !step->relinearised) CR_TRY(find_star(step, soft));
  }
  return CR_DONE;
}

static int count_iterations(const cr_step* step, int mover) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  return soft->is_iterative ? soft->cache->most_iterations : 0;
}

static cr_result linearize(cr_step* step, const cr_blocks* blocks) {
  for (int k = 0; k < blocks->num_movers; k++) {
    cr_step_soft* soft = cr_soft_of_tree(step, blocks->movers[k]);
    if (soft) CR_TRY(find_star(step, soft));
  }
  return CR_DONE;
}

static bool complete(cr_step* step, int mover) {
  return cr_soft_complete(step, cr_soft_of_tree(step, mover));
}

/* Damping that gives energy, as an explicit one does that is too stiff, has lost nothing: what it
 * gives nothing explains. */
static bool add_work(cr_step* step, carom_step_report* report) {
  for (int k = 0; k < step->model->soft.num_parts; k++)
    report->dissipated += fmax(0, cr_soft_compute_loss(step, &step->soft[k]));
  report->external_work += cr_soft_compute_load_work(step);
  return true;
}

static void advance(cr_step* step) {
  for (int k = 0; k < step->model->soft.num_parts; k++) cr_soft_advance(step, &step->soft[k]);
}

static void slow(cr_step* step, int mover, double share) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  for (int i = 0; i < 3 * soft->part->mesh.num_nodes; i++) step->v_q[soft->first_v + i] *= share;
}

static void stay(cr_step* step, int mover) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  int count = 3 * soft->part->mesh.num_nodes;
  slow(step, mover, 0);
  CR_COPY(step->q_mid + soft->first_q, step->sim->q + soft->first_q, count);
}

static void find_energy(cr_step* step, const double* q, const double* v, cr_energy_part* energy) {
  const carom_model* m = step->model;
  v3 gravity = v3_load(m->force.gravity);
  for (int s = 0; s < m->soft.num_parts; s++) {
    v3 momentum = cr_soft_part_sum_state(m, s, q, v).momentum;
    energy[m->tree.num_trees + s] =
        (cr_energy_part){cr_soft_part_sum_energy(m, s, q, v), v3_dot(gravity, momentum)};
  }
}

static double find_left(const cr_step* step) {
  double most = 0;
  for (int k = 0; k < step->model->soft.num_parts; k++) most = fmax(most, step->soft[k].left);
  return most;
}

const cr_mover_kind cr_soft_mover = {.is_elastic = true,
                                     .init = cr_soft_init,
                                     .begin = begin,
                                     .place = place,
                                     .bends = bends,
                                     .find_reactions = cr_soft_attachments_find,
                                     .find_velocity = find_velocity,
                                     .choose = choose,
                                     .list_segments = cr_soft_list_segments,
                                     .couple = cr_soft_couple,
                                     .count_path = cr_soft_count_path,
                                     .add_path = cr_soft_add_path,
                                     .add_rows = cr_soft_add_rows,
                                     .find_mass = cr_soft_find_mass,
                                     .factor = factor,
                                     .count_iterations = count_iterations,
                                     .fill_blocks = cr_soft_fill_blocks,
                                     .fill_least = cr_soft_fill_least_rows,
                                     .linearize = linearize,
                                     .complete = complete,
                                     .add_work = add_work,
                                     .advance = advance,
                                     .slow = slow,
                                     .stay = stay,
                                     .find_energy = find_energy,
                                     .find_left = find_left};
