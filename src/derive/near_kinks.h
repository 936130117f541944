/* Which of the constraints near the border of two states are kinks of the step: those by whose
 * other state other velocities would follow. */
#ifndef CR_DERIVE_NEAR_KINKS_H
#define CR_DERIVE_NEAR_KINKS_H

#include "derive/constraint_tangent.h"

/* Marks them; false when memory ran out. */
bool cr_near_kinks_mark(cr_constraint_tangent* c);

/* Leaves those in s.near that a small change may take to another state (near_laws.c), with at most
 * so many rows unless they are near by themselves; the others are noted. False when memory ran out.
 */
bool cr_near_laws_select(cr_constraint_tangent* c, int most_rows);

/* What a change of all velocities by 1 m/s of random signs makes of them, v [n], and of the
 * impulses, rows [num_rows], with J dv in c->gamma: one of some probes (near_laws.c). */
enum { CR_NEAR_PROBES = 8 };
void cr_near_probe(const cr_constraint_tangent* c, uint32_t probe, double* v, double* rows);

/* Counts as kinks where recovery is about to be slowed since it presses in vain, or no longer
 * (softening_kinks.c). False when memory ran out. */
bool cr_softening_kinks_mark(const cr_constraint_tangent* c);

#endif
