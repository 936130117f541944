/* The step under a look (sim/step/observer.h), and what both directions have in common. */
#include "derive/step_tangent.h"

#include "base/copy.h"
#include "base/error.h"
#include "derive/central_path.h"
#include "sim/step/observer.h"

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
  if (distance < t->nearest_kink) t->nearest_kink = distance;
}

bool cr_step_tangent_init(cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  size_t most = (size_t)cr_derive_largest_tree(&m->tree);
  t->num_v = m->num_v, t->nearest_kink = t->kink_speed = INFINITY;
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
         !t->arena->failed;
}

bool cr_step_tangent_find_stride(const cr_step_tangent* t, cr_stride_tangent* stride) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_rotation_update update =
      step->sim->def.rotation == CAROM_ROTATION_LINEAR ? CR_ROTATION_LINEAR : CR_ROTATION_CAYLEY;
  if (!cr_tree_push_stride_tangent(t->arena, model, stride)) return false;
  for (int i = 0; i < model->num_trees; i++) {
    cr_theta theta = step->theta[i];
    cr_step_blend(step, i, theta.vq, step->v, step->v0, step->v_q);
    cr_tree_find_advance_tangent(model, i, step->v_q, step->dt, theta.q, update, stride);
  }
  return true;
}

/* --- The step -----------------------------------------------------------------------------------
 */

typedef struct look {
  const cr_derivation* how;
  carom_error* error;
  carom_status status;
  int parts; /* steps that were accepted */
} look;

/* Keeps aside what the step has come to while it is placed elsewhere. */
static carom_status derive(const look* l, cr_step_tangent* t, const cr_contact_set* set,
                           const cr_step_problem* problem) {
  cr_step* step = t->step;
  size_t num_v = (size_t)step->model->num_v;
  double* const live[] = {step->q_mid, step->v_q, step->v, problem->gamma};
  const size_t count[] = {(size_t)step->model->num_q, num_v, num_v,
                          (size_t)problem->problem.num_rows};
  double* kept[4];
  CR_TRY(cr_derive_check(t));
  for (int i = 0; i < 4; i++) kept[i] = CR_PUSH(t->arena, double, count[i]);
  t->q_end = CR_PUSH(t->arena, double, count[0]);
  if (t->arena->failed) return cr_error_memory(t->error);
  int num = count[3] > 0 ? 4 : 3; /* without constraints there is no γ */
  for (int i = 0; i < num; i++) CR_COPY(kept[i], live[i], count[i]);
  CR_COPY(t->q_end, step->q_mid, count[0]);
  carom_status status = cr_central_path_take(t, problem);
  if (status == CAROM_OK) status = l->how->derive(l->how->data, t, set, problem);
  for (int i = 0; i < num; i++) CR_COPY(live[i], kept[i], count[i]);
  return status;
}

static cr_result look_at(void* data, cr_step* step, const cr_contact_set* set,
                         const cr_step_problem* problem) {
  look* l = data;
  l->parts++;
  if (l->status != CAROM_OK || l->parts > 1) return CR_DONE;
  cr_step_tangent t = {
      .step = step, .arena = step->arena, .error = l->error, .smoothing = l->how->smoothing};
  l->status = derive(l, &t, set, problem);
  return CR_DONE;
}

carom_status cr_derive_step(carom_sim* sim, const cr_derivation* how, carom_error* error) {
  look l = {.how = how, .error = error};
  cr_step_observer observer = {look_at, &l, CR_CENTRAL_REACH * how->smoothing};
  carom_step_report report;
  carom_error of_step;
  if (!(how->smoothing >= 0 && isfinite(how->smoothing)))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "derivatives: smoothing is %g m/s, must be a speed, or 0 for none",
                        how->smoothing);
  carom_status status = cr_sim_observe_step(sim, &observer, &report, &of_step);
  if (status != CAROM_OK) return cr_error_set(error, status, "%s", of_step.message);
  if (l.status != CAROM_OK) return l.status;
  if (report.outcome != CAROM_STEP_DONE)
    return cr_error_set(error, CAROM_ERROR_NUMERICAL,
                        "derivatives: the step fails, so that it has none");
  if (l.parts != 1 || report.dt != sim->dt)
    return cr_error_set(error, CAROM_ERROR_NUMERICAL,
                        "derivatives: the step is taken in parts, which have none yet");
  return cr_error_clear(error);
}
