/* Geometric stiffness of tight rows: how the direction of their forces turns with the bodies. */
#ifndef CR_SIM_TENSION_H
#define CR_SIM_TENSION_H

#include "sim/rows/blocks.h"
#include "sim/rows/row.h"

/* Lists the strings of a step that bear a load, in the memory of its problem; false when that ran
 * out. */
bool cr_tension_find_strands(cr_step* step);

/* A link that a force turns, which pulls or, of one further out, is borne. A has weight Jᵀ K J with
 * the link's angular velocity J and the positive semi-definite part K of cr_tight_stiffness. */
typedef struct cr_tight_turn {
  int link, holder;        /* the latter carries the point at which the force acts */
  v3 force, arm;           /* N; m from the link's pivot to that point */
  double weight;           /* h² */
  const cr_strand* strand; /* along which the force is; null: it stays where it is in the world */
  const struct cr_tight_turn* next;
} cr_tight_turn;

/* What tight rows add to A. */
typedef struct cr_tension {
  const cr_tight_turn* turns; /* a list */
  const cr_strand* strands;   /* [num_strands] */
  int num_strands;
  double nearest; /* how near one of these is to where it begins to count, relative */
} cr_tension;

static inline bool cr_tension_has_any(const cr_tension* t) { return t->turns || t->num_strands; }

/* sym((f . r) 1 - f rᵀ), by which a force f that is r from where a link turns about turns it. */
m3 cr_tight_stiffness(v3 force, v3 arm);

/* Where a link turns about: its joint, or the point that a free one's velocity is of. */
v3 cr_tight_pivot(const cr_step* step, int link);

/* Adds to A the positive semi-definite part of h² dF/dq, F = -Jᵀ gamma / dt with the impulses that
 * step.guess has for equalities and for tendons, h² = max(theta_q theta_vq, 1/2) dt².
 * @param out receives what that is, in the memory of the problem */
bool cr_tension_add_blocks(cr_step* step, const cr_model_rows* rows, cr_blocks* blocks,
                           cr_tension* out);

#endif
