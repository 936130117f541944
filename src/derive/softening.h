/* Recovery that a step slows, since a solution shows that it presses in vain (sim/rows/recovery.h):
 * by which share of their speed rows recover follows from the solution before, which hands it on.
 * Forwards what is handed on moves with each column, backwards it has a cotangent. */
#ifndef CR_DERIVE_SOFTENING_H
#define CR_DERIVE_SOFTENING_H

#include "derive/constraint_state.h"

/* A share that was handed on, the logarithm of which moves by these. */
struct cr_share {
  cr_contact_key key;
  cr_share* next;
  double by[]; /* [width] */
};

typedef struct cr_shares {
  const carom_allocator* allocator;
  int width;         /* columns, */
  bool is_backwards; /* or one, of its cotangent */
  cr_share* first;
} cr_shares;
void cr_shares_clear(cr_shares* shares);

/* How the logarithm of the next share of a row that presses in vain follows from this solution. */
struct cr_softening {
  cr_share* to;
  int at;                            /* which of those of the problem */
  double gamma, speed, v1, mobility; /* by the row's impulse, the speed at which it recovers, its
                                        rate in the free motion and its mobility; */
  double energy;                     /* by what its bound takes, see cr_recovery_tangent; */
  double share;                      /* and by the logarithm of its share here */
  double scale;                      /* the cotangent of what is handed on; forwards 1 */
};

/* Whether a row presses in vain while another solution is to follow. */
bool cr_softening_is_due(const cr_constraint_state* s, const cr_active_constraint* a);

/* Those slopes. */
void cr_softening_find_slopes(const cr_constraint_state* s, const cr_active_constraint* a,
                              cr_softening* out);

/* Finds what the active constraints take over and hand on. False when memory ran out. */
bool cr_softenings_find(cr_constraint_state* s);

/* What a change of its row makes of what a constraint hands on, times its cotangent, the impulse
 * held.
 * @param speed m/s, what the speed at which it recovers changes by
 * @param lever see cr_recovery_slopes */
double cr_softening_move(const cr_active_constraint* a, const cr_distance_row* moved, double speed,
                         double lever);

/* What a share that is taken over makes of a constraint's own rows of c; the transpose. False when
 * memory ran out. */
void cr_share_add(const cr_constraint_state* s, const cr_active_constraint* a, int column,
                  double* rows);
bool cr_share_pull(const cr_constraint_state* s, const cr_active_constraint* a, const double* rows);

/* Hands on what a column has come to.
 * @param rows dgamma, and behind it what does not follow from that */
void cr_softenings_hand_on(const cr_constraint_state* s, int column, const double* rows);

#endif
