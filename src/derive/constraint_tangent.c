#include "base/error.h"
#include "derive/step_tangent.h"

#include <string.h>

carom_status cr_derive_constraints(cr_step_tangent* t, const cr_contact_set* set,
                                   const cr_step_problem* problem) {
  (void)set;
  memcpy(t->v, t->v_star, sizeof(double) * (size_t)t->num_v * (size_t)t->num_columns);
  if (problem->problem.num_constraints == 0) return CAROM_OK;
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none yet of constraints");
}
