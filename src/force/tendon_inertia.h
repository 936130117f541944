/* Inertia m of tendons: M + Jᵀ m J in place of M, where M is solved with tree by tree. */
#ifndef CR_FORCE_TENDON_INERTIA_H
#define CR_FORCE_TENDON_INERTIA_H

#include "force/force.h"

/* Of the tendons that have one, scaled by the roots of m. */
typedef struct cr_tendon_inertia {
  double* push;     /* [num_armatures, num_v] M^-1 Jᵀ */
  double* coupling; /* [num_armatures, num_armatures] 1 + J M^-1 Jᵀ */
  double* work;     /* [num_armatures (num_armatures + 1)] */
} cr_tendon_inertia;

bool cr_tendon_inertia_push(cr_arena* arena, const cr_force_model* force, int num_v,
                            cr_tendon_inertia* inertia);

/* Both at a configuration.
 * @param tau [num_v] scratch
 * @return false where M is singular */
bool cr_tendon_inertia_update(const cr_force_model* force, const cr_tree_model* tree,
                              const cr_tree_kinematics* kinematics, cr_tree_scratch* scratch,
                              const cr_lines* lines, double* tau, const cr_tendon_inertia* inertia);

/* x <- (M + Jᵀ m J)^-1 M x, that is x without what the tendons bear; with velocities x is an
 * acceleration, to which their J changes too.
 * @param velocities at which lines drift; null: they do not */
void cr_tendon_inertia_apply(const cr_line_place* place, const cr_tendon_model* tendons,
                             const cr_lines* lines, const cr_tree_velocities* velocities,
                             const cr_tendon_inertia* inertia, double* x);

#endif
