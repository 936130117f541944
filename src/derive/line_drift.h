/* How (dJ/dt) v of a string between sites moves, of which cr_line_compute_drift is: what its length
 * accelerates by where v does not change. */
#ifndef CR_DERIVE_LINE_DRIFT_H
#define CR_DERIVE_LINE_DRIFT_H

#include "derive/step_tangent.h"
#include "force/line.h"

/* Looks at all trees where the step is placed, at v_f: drifts, falls and turns into t.rnea. */
void cr_line_drift_look(cr_step_tangent* t);

/* How a motion moves it: by a dof, by the rate of a dof, or by a displacement. */
typedef enum cr_drift_source { CR_DRIFT_BY_Q, CR_DRIFT_BY_V, CR_DRIFT_BY_PLACE } cr_drift_source;
typedef struct cr_drift_motion {
  cr_drift_source by;
  int dof;                     /* of the first two */
  const cr_tree_insertion* in; /* of the last */
} cr_drift_motion;

/* The change for a unit of that, where cr_line_drift_look has looked. */
double cr_line_drift_move(const cr_step_tangent* t, int line, const cr_drift_motion* motion);

#endif
