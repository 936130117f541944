/* Soft bodies as movers of a step. */
#include "sim/mover.h"
#include "sim/soft/soft_holds.h"
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

static bool add_work(cr_step* step, carom_step_report* report) {
  for (int k = 0; k < step->model->soft.num_parts; k++)
    report->dissipated += cr_soft_compute_loss(step, &step->soft[k]);
  report->external_work += cr_soft_compute_load_work(step);
  return true;
}

static void advance(cr_step* step) {
  for (int k = 0; k < step->model->soft.num_parts; k++) cr_soft_advance(step, &step->soft[k]);
}

static void find_energy(cr_step* step, const double* q, const double* v, cr_energy_part* energy) {
  const carom_model* m = step->model;
  for (int s = 0; s < m->soft.num_parts; s++)
    energy[m->tree.num_trees + s] = (cr_energy_part){cr_soft_part_sum_energy(m, s, q, v),
                                                     cr_soft_part_sum_state(m, s, q, v).momentum};
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
                                     .find_reactions = cr_soft_holds_find,
                                     .add_work = add_work,
                                     .advance = advance,
                                     .find_energy = find_energy,
                                     .find_left = find_left};
