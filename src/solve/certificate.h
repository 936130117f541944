/* How far an iterate is from the solution: natural residual and pair certificate. */
#ifndef CR_SOLVE_CERTIFICATE_H
#define CR_SOLVE_CERTIFICATE_H

#include "solve/newton/system.h"

typedef struct cr_certificate {
  double residual; /* natural residual of the laws, relative */
  double momentum; /* |r| in A^-1 over `scale` */
  double scale;    /* max(|A^-1 Jᵀ gamma|_A, |v* - v0|_A) and a floor, sqrt(J) */
  double gap;      /* pair gap, J; infinite where rigid rows are not met exactly */
} cr_certificate;

/* The norm in A that velocities and their errors are measured by, sqrt(J). */
double cr_certificate_scale(const cr_system* system, const cr_iterate* iterate);

/* Whether the gap is what is compared with the tolerance. */
bool cr_certificate_is_gap(const cr_system* system, const cr_law_mode* mode);

/* Natural residual and momentum residual of an iterate; gamma need not lie in C. */
cr_certificate cr_certificate_residual(cr_system* system, const cr_iterate* iterate,
                                       const cr_law_mode* mode);

/* The pair gap of the convex problem (docs/theory.md, "Duality theorem") at v and the projection of
 * gamma on C.
 * @param gamma [num_rows] receives the projection */
double cr_certificate_gap(cr_system* system, const cr_iterate* iterate, double* gamma);

/* The number that is compared with the tolerance: sqrt(2 gap) over the scale of velocities where
 * the problem is convex and every row regularised, else the larger of residual and momentum.
 * @param enough where the number is above it a lower bound may do, which is above it too
 * @param scratch [num_rows] */
double cr_certificate_value_above(cr_system* system, const cr_iterate* iterate,
                                  const cr_law_mode* mode, double enough, double* scratch);

/* The same of an iterate whose v_c and r may be estimates: where it seems to be no more than
 * `enough` the iterate is evaluated anew first, where the gap is compared with its gamma moved into
 * C, by a projected gradient step where that makes it no more than `enough`, and iterate->gap is
 * known. */
double cr_certificate_settle(cr_system* system, const cr_law_mode* mode, double enough,
                             cr_iterate* iterate, double* scratch);

/* The same in full. */
double cr_certificate_value(cr_system* system, const cr_iterate* iterate, const cr_law_mode* mode,
                            double* scratch);

#endif
