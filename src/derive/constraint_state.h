/* The second stage at its solution: which impulses move, and what they and the velocities are. */
#ifndef CR_DERIVE_CONSTRAINT_STATE_H
#define CR_DERIVE_CONSTRAINT_STATE_H

#include "derive/compliance_tangent.h"
#include "derive/contact_tangent.h"
#include "derive/law_tangent.h"
#include "derive/recovery_tangent.h"
#include "derive/row_tangent.h"
#include "derive/weight_tangent.h"

/* What a contact record's numbers count; each in the axes that it is kept in. */
typedef struct cr_memory_cotangent {
  cr_contact_key key;
  double impulse[3], stretch[3], place[3];
} cr_memory_cotangent;

/* Those of the records that a step leaves, sorted by key, and what they make of those that it
 * begins with, in the order of sim.memory. */
typedef struct cr_memory_cotangents {
  const cr_memory_cotangent* left; /* [num_left] */
  int num_left;
  cr_memory_cotangent* begun; /* [sim.memory.count] */
} cr_memory_cotangents;

/* Trees as a set of 64, in which some may stand for others, too; soft bodies are in all of them. */
static inline uint64_t cr_tree_bit(int tree) { return (uint64_t)1 << (tree & 63); }

/* How a constraint's right sides follow from tangents of its own dofs, row-major. */
typedef struct cr_constraint_block {
  int num_dofs;
  const int* dof;              /* [num_dofs] those that move its links */
  uint64_t trees;              /* theirs, see cr_tree_bit */
  double *c_q, *c_star, *c_v0; /* [rows, num_dofs] of its rows, by q_mid, v* and v0 */
  double *b_q, *b_star, *b_v0; /* [num_dofs, num_dofs] of the balance; null: none, or another
                                  constraint's has it, or of b_q the tree's slope */
  double *m_q, *m_star, *m_v0; /* [num_dofs] what of_column comes to by them, where there is one */
} cr_constraint_block;

/* z = A⁻¹ jᵀ of a row j, as a velocity, from which its mobility j z follows, and - zᵀ (dA) z by
 * q_mid [num_v]; null: it is not asked for. */
typedef struct cr_answer {
  cr_row_motion* motion;
  double* slope;
} cr_answer;

typedef struct cr_area_mobility cr_area_mobility;       /* area_mobility.h */
typedef struct cr_film_mobility cr_film_mobility;       /* film_mobility.h */
typedef struct cr_equality_tangent cr_equality_tangent; /* equality_tangent.h */
typedef struct cr_softening cr_softening;               /* softening.h, as the next */
typedef struct cr_share cr_share;

/* A constraint whose impulse moves, or acts along a row that does. */
typedef struct cr_active_constraint {
  const cr_constraint* constraint;
  const cr_contact_tangent* contact; /* null: it is none, as the next */
  const cr_contact_point* point;
  const cr_anchor* anchor; /* of its tangents; null: nothing gives way */
  int place, row;          /* in the problem, and its first row there */
  int first, rows;         /* its first row among those here, and how many */
  bool is_distance;        /* its last row follows from a distance */
  bool is_plain;           /* which decides v_hat alone */
  bool yields;             /* where it is touched depends on rates, too */
  cr_law_tangent law;
  cr_row_shape shape[CR_LAW_MAX_ROWS];
  cr_distance_row at;
  const cr_recovery_tangent* recovery; /* how that bounds the last row; null: it does not */
  cr_answer answer;                    /* of the last row, where its mobility is asked for */
  cr_area_mobility* area; /* that it stands for a part of, where it is rigid; null: none */
  cr_film_mobility* film; /* of its force, where that is regularised; null: it is not */
  cr_row_motion* lever; /* D⁻¹ jᵀ with D of the joints' geometry (sim/rows/mobility.h), likewise */
  double* lever_slope;              /* [num_v] - xᵀ (dD) x by q_mid */
  const cr_equality_tangent* joint; /* what it is bounded together with; null: nothing */
  int joint_row;                    /* which of its rows it is */
  const cr_weight_tangent* weight;  /* of a limited actuator's damper; null: none that moves */
  double by_weight;                 /* by its z, as a change of d */
  const cr_memory_cotangent* left;  /* of the record that it leaves; null: none is wanted */
  cr_softening* softening;          /* what it hands on; null: nothing */
  const cr_share* share;            /* that was handed on to it; null: none */
  double of_gamma[CR_LAW_MAX_ROWS]; /* what cotangents of either make of its impulses, */
  double* of_column;                /* and of what was looked at last, impulses held; null: there
                                       is neither */
  cr_constraint_block block;
} cr_active_constraint;

/* A constraint near the border of two states, which counts as a kink where that is felt
 * (near_kinks.h). */
typedef struct cr_near_kink {
  int place, active; /* in the problem; among the active ones, -1: it is none */
  cr_law_tangent law;
} cr_near_kink;

typedef struct cr_constraint_state {
  cr_step_tangent* t;
  const cr_step_problem* out;
  const cr_problem* p;
  int n, num_active, num_rows; /* unknowns; constraints and rows that are active */
  cr_active_constraint* active;
  cr_near_kink* near; /* [num_near] */
  int num_near;
  int num_softenings;              /* constraints that hand on their share */
  cr_area_mobility* areas;         /* a list */
  struct cr_tight_string* strings; /* a list, see tension_tangent.h, */
  struct cr_tight_look* turns;     /* and so is this */
  double* v_c;                     /* [p.num_rows] J v */
  cr_row_motion v, star, v0; /* at which rows are looked at; star is v_lin, v* but for soft bodies
                                that are linearised at v0 */
  double* tree_slope;        /* [plan.M_start of all] d(A x - Jᵀ gamma)/dq by trees */
  sv* impulse;               /* [num_links] about the trees' origins */
  sv* still;                 /* [num_links] zeros */
  double* local;             /* scratch of products with J */
} cr_constraint_state;

/* Fills a state whose t, out, p and n are given. */
carom_status cr_constraint_state_find(cr_constraint_state* s, const cr_contact_set* set);

/* Where a distance is looked at, the last of a constraint's rows in the problem. */
cr_distance_row cr_constraint_state_find_distance(const cr_constraint_state* s,
                                                  const cr_constraint* constraint, int row,
                                                  int rows);

/* Whether nodes of soft bodies have a part in it. */
static inline bool cr_active_is_soft(const cr_constraint_state* s, const cr_active_constraint* a) {
  const cr_row_shape* row = &a->shape[0];
  return row->num_dofs > 0 && row->dof[0] >= s->t->step->model->tree.num_v;
}

/* Where the law of a constraint of the problem is looked at. */
cr_law_at cr_constraint_state_look(const cr_constraint_state* s, int place);

/* The rows of a contact whose friction depends on the slip, but for its normal alone. */
static inline bool cr_active_is_slowed(const cr_active_constraint* a) {
  bool rubs = a->rows > 1 || a->constraint->rule == CR_ROW_DRY;
  return rubs && a->contact && a->point->extra && a->point->extra->is_slowed;
}

/* A dof's dry friction. */
static inline bool cr_active_is_dry(const cr_active_constraint* a) {
  return a->constraint->rule == CR_ROW_DRY && a->constraint->point < 0 && !a->shape[0].line[0];
}

#endif
