/* What of a step has no derivative yet. */
#include "base/error.h"
#include "derive/step_tangent.h"

static carom_status refuse(const cr_step_tangent* t, const char* what) {
  return cr_error_set(
      t->error, CAROM_ERROR_UNSUPPORTED,
      "derivatives: there are none yet of %s; everything else of this step has them", what);
}

static carom_status check_forces(const cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  if (m->soft.num_nodes > 0 && t->smoothing > 0) return refuse(t, "smoothed steps of soft bodies");
  return CAROM_OK;
}

carom_status cr_derive_check(const cr_step_tangent* t) {
  CR_TRY(check_forces(t));
  if (t->smoothing > 0 && (t->is_passed || t->step->relinearised > 0))
    return refuse(t, "smoothed steps that are linearised anew");
  return CAROM_OK;
}
