/* What both directions have in common. */
#include "derive/step_tangent.h"

#include "derive/law_way.h"
#include "sim/tree/free_motion.h"

#include <math.h>
#include <string.h>

int carom_model_get_num_x(const carom_model* model) {
  return 2 * model->num_v + model->force.num_activations;
}

int cr_derive_largest_tree(const cr_tree_model* model) {
  int most = 0;
  for (int i = 0; i < model->num_trees; i++) {
    int n = model->tree_v_start[i + 1] - model->tree_v_start[i];
    if (n > most) most = n;
  }
  return most;
}

void cr_step_tangent_mark_kink(cr_step_tangent* t, double distance) {
  t->num_kinks += distance < CR_DERIVE_NEAR_KINK;
  cr_step_tangent_note_kink(t, distance, INFINITY);
}

void cr_step_tangent_note_kink(cr_step_tangent* t, double distance, double speed) {
  t->nearest_kink = fmin(t->nearest_kink, distance);
  t->kink_speed = fmin(t->kink_speed, speed);
}

bool cr_step_tangent_is_known(const cr_step_tangent* t, int tree) {
  return !cr_step_tangent_is_at_solution(t, tree) && !t->step->sim->plan.has_spring[tree] &&
         cr_free_motion_is_known(t->step, tree);
}

bool cr_step_tangent_init(cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  size_t most = (size_t)cr_derive_largest_tree(&m->tree);
  t->num_v = m->num_v;
  t->kernels = cr_kernels_select();
  t->num_activations = m->force.num_activations, t->num_controls = m->force.num_controls;
  t->first_activation = 2 * t->num_v;
  t->first_control = t->first_activation + t->num_activations;
  t->first_theta = t->first_control + t->num_controls;
  t->num_columns = t->first_theta + t->num_thetas;
  t->still = CR_PUSH(t->arena, double, t->num_v);
  if (t->arena->failed) return false;
  memset(t->still, 0, sizeof(double) * (size_t)t->num_v);
  t->slope.q = CR_PUSH(t->arena, double, most* most);
  t->slope.v = CR_PUSH(t->arena, double, most* most);
  return cr_tree_push_stride_tangent(t->arena, &m->tree, &t->mid) &&
         cr_tree_push_rnea_tangents(t->arena, &m->tree, &t->step->scratch, &t->rnea) &&
         cr_law_starts_find(t) && !t->arena->failed;
}

bool cr_step_tangent_find_stride(const cr_step_tangent* t, cr_stride_tangent* stride) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_rotation_update update = cr_step_find_rotation(step);
  if (!cr_tree_push_stride_tangent(t->arena, model, stride)) return false;
  for (int i = 0; i < model->num_trees; i++) {
    cr_theta theta = step->theta[i];
    cr_step_blend(step, i, theta.vq, step->v, step->v0, step->v_q);
    cr_tree_find_advance_tangent(model, i, step->v_q, step->dt, theta.q, update, stride);
  }
  return true;
}
