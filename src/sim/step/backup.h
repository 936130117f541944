/* The state before a step, put back where the step fails: in the simulation's own backup arrays,
 * and a few numbers. */
#ifndef CR_SIM_BACKUP_H
#define CR_SIM_BACKUP_H

#include "sim/step/energy_watch.h"

typedef struct cr_backup {
  double time, contact_energy;
  cr_energy_watch_sums watch;
} cr_backup;

/* Keeps the state; what sleeps moves from here on. False when memory ran out. */
bool cr_backup_save(carom_sim* sim, cr_backup* s);

/* Puts the state back, and wakes all; cannot fail. */
void cr_backup_restore(carom_sim* sim, const cr_backup* s);

#endif
