/* What of a step has no derivative yet. */
#include "base/error.h"
#include "derive/step_tangent.h"
#include "force/controller_slopes.h"

static carom_status refuse(const cr_step_tangent* t, const char* what) {
  return cr_error_set(
      t->error, CAROM_ERROR_UNSUPPORTED,
      "derivatives: there are none yet of %s; everything else of this step has them", what);
}

static carom_status refuse_actuator(const cr_step_tangent* t, int actuator, const char* what) {
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none yet of %s, as actuator \"%s\" is", what,
                      carom_model_get_actuator(t->step->model, actuator).name);
}

static carom_status check_actuators(const cr_step_tangent* t) {
  const cr_force_model* force = &t->step->model->force;
  for (int a = 0; a < force->num_actuators; a++) {
    bool is_bounded = force->actuator_line[a] >= 0 && t->step->sim->plan.is_limited[a];
    if (force->actuator_law[a] >= 0 && cr_law_integrates_start(force, a) && is_bounded)
      return refuse_actuator(t, a, "controllers with integrals of lines with a bounded force");
  }
  return CAROM_OK;
}

static carom_status check_forces(const cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  if (m->soft.num_nodes > 0 && t->smoothing > 0) return refuse(t, "smoothed steps of soft bodies");
  return CAROM_OK;
}

carom_status cr_derive_check(const cr_step_tangent* t) {
  CR_TRY(check_forces(t));
  CR_TRY(check_actuators(t));
  if (t->smoothing > 0 && (t->is_passed || t->step->relinearised > 0))
    return refuse(t, "smoothed steps that are linearised anew");
  return CAROM_OK;
}
