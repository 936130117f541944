/* What a solved step did: contacts for the user, impulses for the next step, work and slip. */
#ifndef CR_SIM_ACCOUNT_H
#define CR_SIM_ACCOUNT_H

#include "sim/rows/step_problem.h"

/* Fills the report's figures of contacts and energy, and makes room for the new records.
 * @param v_c [num_rows] J v of the solution
 * @param contact_energy receives the elastic energy of compliant contacts, J
 * @return false when memory ran out; nothing of the state has changed in any case */
bool cr_account_step(cr_step* step, const cr_contact_points* points, const cr_step_problem* problem,
                     const double* v_c, carom_step_report* report, double* contact_energy);

/* Leaves the impulses of a solution where the next assembly of this step finds its guess. */
bool cr_account_guess(cr_step* step, const cr_contact_points* points,
                      const cr_step_problem* problem);

/* Empties the user's list of contacts and makes room; false when memory ran out. */
bool cr_account_reserve_contacts(carom_sim* sim, int wanted);

#endif
