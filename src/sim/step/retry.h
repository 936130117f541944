/* Other ways to take a step that fails or adds energy that nothing explains. */
#ifndef CR_SIM_RETRY_H
#define CR_SIM_RETRY_H

#include "sim/step/backup.h"

/* A way to take a step. */
typedef struct cr_manner {
  int parts;
  bool is_implicit, is_unwatched, is_early, lets_pass; /* see cr_attempt */
} cr_manner;

/* All these return CAROM_OK also where the step fails (see report->outcome), else
 * CAROM_ERROR_OUT_OF_MEMORY. */

/* From the present state; where a part fails the state is the one before that part. */
carom_status cr_retry_parts(carom_sim* sim, cr_manner how, carom_step_report* report);

/* From the state before the step; where that fails the state is put back. */
carom_status cr_retry_anew(carom_sim* sim, const cr_backup* before, cr_manner how,
                           carom_step_report* report);

/* Down the ladder, from the state before the step; what would go through others in more and more
 * parts first. Where all ways add energy that nothing explains,
 * the one that adds the least, with that taken off its velocities.
 * @param report of the way that failed, becomes that of the one that is taken */
carom_status cr_retry_down(carom_sim* sim, const cr_backup* before, carom_step_report* report);

#endif
