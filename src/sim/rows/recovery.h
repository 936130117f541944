/* How violated rigid constraints are undone: with bounded energy, whatever the lever arm. */
#ifndef CR_SIM_RECOVERY_H
#define CR_SIM_RECOVERY_H

#include "sim/rows/mobility.h"

#include <math.h>

#define CR_RECOVERY_REDUNDANT \
  3e-6 /* of mobilities: an axis off by 2e-3 leaves so much of a planar loop */
#define CR_RECOVERY_DEEP_R 1e-3 /* of W_ii over its share, where the recovery speed is reached */
#define CR_RECOVERY_LEAST_R                                              \
  1e-8 /* of W_ii, rigid contact: sinks 1e-8 g dt² under its own weight \
        */
#define CR_RECOVERY_LEAST_MOBILITY 1e-300
#define CR_RECOVERY_WORTH          1.1 /* of what recovery may do, from which another solution pays */
#define CR_RECOVERY_MOST_SOLUTIONS 4   /* of a problem whose recovery presses in vain */

/* A violated one-sided row that waits for the equalities that hold its trees. */
typedef struct cr_deferred_row {
  cr_row_place at;
  int link[2]; /* -1: none */
  double W;    /* 1/kg */
} cr_deferred_row;

/* What contacts between the same two links have in common. */
typedef struct cr_recovery_pair {
  int group, link[2];
  bool is_elastic;       /* one of them */
  double inverse_masses; /* of both, 1/kg; 0 where they have none that moves */
  double mass;           /* kg, of the trees of the group */
} cr_recovery_pair;

/* How equalities that hold together are bounded (recovery_equalities.h). */
typedef struct cr_equality_bounds cr_equality_bounds;

/* What bounds the recovery of a step's rows. */
typedef struct cr_recovery {
  cr_step* step;
  cr_step_problem* out;
  cr_mobilities mobilities;
  bool* is_held;             /* [num_movers] by rigid equalities */
  cr_deferred_row* deferred; /* [num_deferred] null: no tree is held */
  int num_deferred;
  cr_recovery_pair pair;      /* of the last contact; the points of a patch have one */
  cr_arena* kept;             /* where bounds are kept; null: they are not */
  cr_equality_bounds* bounds; /* a list */
} cr_recovery;

/* What gravity gives in a step, m/s. */
static inline double cr_recovery_find_fall(const cr_step* step) {
  return step->dt * v3_norm(v3_load(step->model->force.gravity));
}

/* What recovery may give, J: a constraint that gives the mass m the speed v, against weight.
 * @param fall see above; @param speed m/s that its bias asks for; @param mass kg of what it pushes
 */
static inline double cr_recovery_bound_energy(double fall, double speed, double mass) {
  return speed > 0 ? mass * speed * (0.5 * speed + fall) : 0;
}

/* Twice the kinetic energy of a tree at the start, J. */
double cr_recovery_find_twice_kinetic(const cr_step* step, int tree);

/* False when memory ran out. */
bool cr_recovery_init(cr_step* step, cr_step_problem* out, cr_recovery* recovery);

/* The same to look at bounds that are set. */
bool cr_recovery_look(cr_step* step, cr_step_problem* out, cr_arena* arena, cr_recovery* recovery);

/* What bounds a one-sided row. */
typedef struct cr_recovery_reach {
  bool waits;      /* for the equalities that hold its trees */
  bool has_lever;  /* its share is that of its mobility, which is less than that of its links */
  double share;    /* of its links' mobility, */
  double mobility; /* which is this where there is a lever */
  double mass;     /* kg, of what recovery may move; inf: any */
} cr_recovery_reach;
cr_recovery_reach cr_recovery_find_reach(cr_recovery* recovery, const int link[2], cr_row_place at,
                                         double W);

/* A rigid one-sided row whose v_hat would close it at once: opens no faster than the recovery
 * speed, nor than lets bodies move at about that speed; one that can hardly be moved along is left
 * out. Sets R and v_hat, or later with the equalities that hold its trees.
 * @param W of the row, 1/kg */
void cr_recovery_bound_contact(cr_recovery* recovery, const int link[2], cr_row_place at, double W);

/* All rigid equality rows, those that share trees together: violations are closed at once where
 * bodies move at about the recovery speed for it, else slower; those with mocap bodies with the
 * time constant where that is faster. A row along which the mechanism cannot move once others are
 * held is left out: see docs/contact.md. Sets R and v_hat. False when memory ran out. */
bool cr_recovery_bound_equalities(cr_recovery* recovery);

/* Takes over from the last step what of a constraint's recovery does not press in vain. */
void cr_recovery_ease(cr_step_problem* out, int place, double share);

/* What a constraint's recovery does beyond what it may, as a solution shows, relative: its impulse
 * is far more than its own change of velocity and all weight ask for, and presses against others
 * that do not give way. */
double cr_recovery_find_vain(const cr_step_problem* out, int place);

/* Whether another solution is worth its price, so far does one press in vain. */
bool cr_recovery_presses_in_vain(const cr_step_problem* out);

/* Slows the recovery of constraints that press on others in vain: lowers their v_hat and
 * recovery_share. */
void cr_recovery_soften(cr_step_problem* out);

/* Sets what the next assembly begins with after the last solution: the shares of those that press
 * by far less are doubled; where one presses in vain still, those that do so get less. */
void cr_recovery_leave(cr_step_problem* out, bool is_in_vain);

/* --- Between the files of recovery ---------------------------------------------------------------
 */

/* Whether recovery.h bounds the row as an equality: a rigid one that is no tie. */
static inline bool cr_recovery_is_equality(const cr_constraint* c) {
  return c->rule == CR_ROW_EQUALITY && isinf(c->stiffness) && !c->is_tie;
}

/* R of a row that holds nothing. */
double cr_recovery_find_loose_R(const cr_recovery* recovery, const int link[2], double W);

/* What a row's recovery may take, for cr_recovery_soften.
 * @param speed2 its largest speed, squared */
void cr_recovery_set_bound(cr_recovery* recovery, int row, double speed2, double W);

/* Bounds a one-sided row that has a share of its links' mobility. */
void cr_recovery_bound_deferred(cr_recovery* recovery, const cr_deferred_row* row, double share);

#endif
