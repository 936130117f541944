/* Between recovery_equalities.c and what differentiates it. */
#ifndef CR_SIM_RECOVERY_EQUALITIES_H
#define CR_SIM_RECOVERY_EQUALITIES_H

#include "sim/rows/recovery.h"

#define CR_EQUALITY_SHARE 0.3 /* of links' speed against each other, with which they may close */
#define CR_EQUALITY_SINGULAR \
  0.1 /* of mobilities: along what has less, the motion that closes it fades */

/* What decides the motion that may close a constraint. */
typedef enum cr_equality_limit {
  CR_EQUALITY_SPEED,  /* the recovery speed */
  CR_EQUALITY_MOTION, /* that of its links against each other */
  CR_EQUALITY_OTHER,  /* energies, masses or a mocap body */
} cr_equality_limit;

/* A rigid equality row of the problem, or one of those deferred. */
typedef struct cr_equality_row {
  int place;       /* constraint of the problem; -1: it is deferred */
  int deferred;    /* which one */
  cr_row_place at; /* in the problem */
  int tree;        /* one of its trees; later the first of all that equalities join */
  double mobility; /* of its links, linear or angular as the row, or where they have none */
  bool is_own;     /* that of the row */
  double own;      /* mobility of the row itself */
  double mass;     /* kg, of all trees that equalities join with it */
  double kinetic2; /* J, twice their kinetic energy at the start */
  double linear, angular;
  uint64_t pair; /* of its key */
  uint32_t feature;
  /* Of the first row of a constraint's part, places or rotations: */
  int part;                /* rows that it has; 0: it is no first one */
  cr_equality_limit limit; /* what decides */
  double size2;            /* the squared size of the motion that may close it, */
  double share;            /* by which its speeds are scaled down to that, */
  double change;           /* and how near either is to being decided otherwise, relative */
} cr_equality_row;

/* How rows that hold together are bounded: with the factor L of their mobilities' pivots and L z =
 * v_hat the velocities are L z', z' = z but where it is bounded, scaled down to |z'|² <= allowed.
 */
struct cr_equality_bounds {
  int count, num_first; /* rows, and those of equalities */
  cr_equality_row* rows;
  double* W;      /* [count, count] lower half, mobilities in units of their links' */
  double* wanted; /* [count] v_hat in units of their roots, as the next */
  int num_pivots; /* the rows with a pivot, */
  int* pivot;     /* [num_pivots] in their order */
  double* rival;  /* [num_pivots] the largest pivot that was not taken in its place */
  double allowed; /* squared size of the motion z', */
  double size;    /* and |z'|² */
  cr_equality_bounds* next;
};

#endif
