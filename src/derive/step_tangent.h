/* The derivative of one step, column by column: how each quantity of the step moves with each entry
 * of the state and of the controls.
 *
 * A column is a direction: the tangents of q0, then of v0, then the activations, the controls, and
 * numbers of parameters.
 * Fields are [num_v, num_columns], column-major, in internal coordinates (tree/tangent.h). Each
 * stage reads the fields of the stages before it and fills its own:
 *
 *   q0, v0           the start                                      linearize.c
 *   v_star, q_mid    the free motion, and where it is looked at     free_tangent.c
 *   v                the solution of the constraints                constraint_tangent.c
 */
#ifndef CR_DERIVE_STEP_TANGENT_H
#define CR_DERIVE_STEP_TANGENT_H

#include "linalg/kernels.h"
#include "sim/contact/contact_set.h"
#include "sim/rows/step_problem.h"
#include "tree/rnea_derivatives.h"
#include "tree/tangent.h"

#include "carom/derivatives.h"

/* m/s, rad/s: a change of velocities, or dt times it of places, within which kinks count; and
 * relative, of what has no velocity. */
#define CR_DERIVE_SMALL_CHANGE 1e-6
#define CR_DERIVE_FELT         1e-3 /* share of a derivative that is to be seen */
#define CR_NEAR_KINK_REACH     10   /* times that, what it may move something by */
#define CR_DERIVE_NEAR_KINK    1e-6

typedef struct cr_step_tangent {
  cr_step* step;
  cr_arena* arena;
  const cr_kernels* kernels;
  carom_error* error;
  int num_v, num_activations, num_controls, num_thetas, num_columns;
  int first_activation, first_control, first_theta; /* columns */
  struct cr_theta_column* thetas;                   /* [num_thetas] see parameters.h */
  cr_step *reference, *spring_reference; /* placed there, see reference.h; null: not asked for */
  double *q0, *v0, *v_star, *q_mid, *v;
  bool has_places; /* q_mid of trees is filled, see free_tangent.h */
  double* balance; /* - dm at solutions that trees and bodies are linearised at, of which v_star is
                      there; null: none is */
  const bool* is_at_solution; /* [num_movers] those, */
  bool is_first;              /* no other solution has led to this one */
  bool is_passed;             /* another follows from this one: */
  bool is_softer;             /* that of the same problem, with recovery that is slowed, else it is
                                 linearised anew */
  struct cr_shares* shares;   /* that are handed on, see softening.h */
  double* still;              /* [num_v] zeros */
  double* q_end;              /* [num_q] the new state, while the step is placed elsewhere */
  cr_stride_tangent mid;      /* from q0 and v_star to q_mid */
  cr_rnea_tangents rnea;      /* work */
  cr_rnea_derivatives slope;  /* [largest tree²] work */
  int* tree_columns; /* [num_columns] of the tree at hand, those that move its free motion */
  struct cr_row_forces* row_forces;    /* see row_force.h */
  struct cr_law_start* law_starts;     /* [num_actuators] see law_way.h; null: there are none */
  struct cr_fluid_tangent* fluids;     /* [num_parts] see fluid_tangent.h */
  struct cr_weight_tangents* weights;  /* see weight_tangent.h */
  struct cr_soft_tangents* softs;      /* [num_parts] see soft_tangent.h */
  struct cr_found_again* patches;      /* of contacts that were asked for, see found_again.h */
  struct cr_memory_cotangents* memory; /* of contacts, where wanted, see constraint_state.h */
  struct cr_force_tangents* forces;    /* where wanted, see force_tangent.h; null: not */
  int num_kinks, num_held;             /* see carom_linearization; with those of the parts before */
  double nearest_kink, kink_speed;
  double smoothing; /* m/s, see carom_linearization */
  int part, parts;  /* which part of the step it is, from 0 */
  bool is_retry;    /* the step is taken otherwise than it was tried first */
  double* carry;    /* [num_x] cotangent of the state between parts that are pulled back */
} cr_step_tangent;

/* Entries of a field in a column. */
static inline double* cr_column(const cr_step_tangent* t, double* field, int column) {
  return field + (size_t)column * (size_t)t->num_v;
}

/* Whether friction is of Coulomb's law, else of the convex one or given. */
static inline bool cr_step_tangent_is_coulomb(const cr_step_tangent* t) {
  carom_friction friction = t->step->sim->def.friction;
  return friction == CAROM_FRICTION_COULOMB || friction == CAROM_FRICTION_ANCHORED;
}

/* Whether a mover is linearised at a solution v_lin of the step. There
 *
 *   A (v - v_lin) = Jᵀ gamma - m(v_lin),
 *
 * which is the second stage with v_lin as v*, and - dm beside it. */
static inline bool cr_step_tangent_is_at_solution(const cr_step_tangent* t, int mover) {
  return t->is_at_solution && t->is_at_solution[mover];
}

/* Whether v* of a tree follows from v0. */
bool cr_step_tangent_is_known(const cr_step_tangent* t, int tree);

/* Dofs of the largest tree. */
int cr_derive_largest_tree(const cr_tree_model* model);

/* Lists the columns that move the free motion of trees; returns how many. */
int cr_step_tangent_list_columns(const cr_step_tangent* t, const int* trees, int num_trees,
                                 int* columns);

/* Counts a constraint whose derivatives to either side differ where `distance` is zero, relative to
 * what decides it. */
void cr_step_tangent_mark_kink(cr_step_tangent* t, double distance);

/* How near one is that counts elsewhere, or not; the same relative, and m/s. */
void cr_step_tangent_note_kink(cr_step_tangent* t, double distance, double speed);

/* Sizes, work, and where the new state is. False when memory ran out. */
bool cr_step_tangent_init(cr_step_tangent* t);

/* What the new configuration is by: from q0 and v^theta_vq of all trees. False when memory ran out.
 */
bool cr_step_tangent_find_stride(const cr_step_tangent* t, cr_stride_tangent* stride);

/* The step under a look: `derive` of its parts in turn, or from the last to the first.
 * @param derive [data, t, set, problem] with t's step, arena and error given */
typedef carom_status cr_derive_fn(void* data, cr_step_tangent* t, const cr_contact_set* set,
                                  const cr_step_problem* problem);
typedef struct cr_derivation {
  cr_derive_fn* derive;
  void* data;
  double smoothing; /* m/s */
  bool is_backwards;
  struct cr_force_tangents* forces;    /* null: not wanted, as the next */
  struct cr_memory_cotangents* memory; /* backwards */
} cr_derivation;
carom_status cr_derive_step(carom_sim* sim, const cr_derivation* how, carom_error* error);

/* carom_sim_linearize, with what impulses do (force_tangent.h). */
carom_status cr_sim_linearize(carom_sim* sim, carom_linearization* linearization,
                              struct cr_force_tangents* forces, carom_error* error);

/* carom_sim_compute_vjp, with what contacts remember (constraint_state.h). */
carom_status cr_sim_compute_vjp(carom_sim* sim, const double* x1, carom_vjp* vjp,
                                struct cr_memory_cotangents* memory, carom_error* error);

/* --- Stages -------------------------------------------------------------------------------------
 */

/* v_star, and q_mid where cr_free_tangent_place_columns is called. */
carom_status cr_derive_free_motion(cr_step_tangent* t);

/* v, where constraints take part; elsewhere it is v_star. */
carom_status cr_derive_constraints(cr_step_tangent* t, const cr_contact_set* set,
                                   const cr_step_problem* problem);

#endif
