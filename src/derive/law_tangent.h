/* The laws' derivatives at a solution, E dgamma + D dd = 0 with d = v_c - v_hat, where R moves with
 * - D (dR) gamma on the right; beside one, E dgamma + D dd = - f leads to it. */
#ifndef CR_DERIVE_LAW_TANGENT_H
#define CR_DERIVE_LAW_TANGENT_H

#include "problem/law.h"

#include <stdbool.h>

/* Of the Delassus scale: of rows that hold the same, whose impulses are not unique, the derivative
 * is that of the least ones (Tikhonov); velocities are off by so much. */
#define CR_LAW_LEAST_R 1e-11

/* What a constraint does. */
typedef enum cr_law_state {
  CR_LAW_OPEN,  /* its impulse is zero, or stays at a bound */
  CR_LAW_STICK, /* d + R gamma = 0 */
  CR_LAW_SLIDE, /* a cone's surface */
} cr_law_state;

typedef struct cr_law_tangent {
  cr_law_state state;
  int rows;
  double E[CR_LAW_MAX_ROWS][CR_LAW_MAX_ROWS], D[CR_LAW_MAX_ROWS][CR_LAW_MAX_ROWS];
  double widen[CR_LAW_MAX_ROWS]; /* what a larger coefficient of friction, a larger disc, or wider
                                    bounds put on the right side */
  double f[CR_LAW_MAX_ROWS];     /* what of the law is not met, as E and D have it */
  double kink;                   /* how near the next state is, relative, */
  double kink_speed;             /* and by how much d would change for it, m/s; inf: by none */
} cr_law_tangent;

/* 1/kg, of a constraint's Delassus block in W [ld * num_rows]. */
double cr_law_tangent_find_scale(const cr_problem* problem, const double* W, int constraint);

/* A constraint of a problem at its solution, or beside it. */
typedef struct cr_law_at {
  const cr_problem* problem;
  int constraint;
  const double *v_c, *gamma; /* [rows] of it */
  double scale;              /* 1/kg, of its Delassus block */
  bool is_coulomb;           /* Coulomb's law, else the convex one */
  double least_slip;         /* m/s, by which friction that slides is slower to turn */
} cr_law_at;

void cr_law_tangent_find(const cr_law_at* at, cr_law_tangent* out);

#endif
