/* From the plain data of a solver's problem to a problem in the hands of a user. */
#ifndef CR_CONVEX_CONVERT_H
#define CR_CONVEX_CONVERT_H

#include "convex/problem.h"

/* What a copy takes besides the problem. */
typedef struct cr_convex_copy_def {
  const carom_allocator* allocator;
  const char* name;
  double dt;        /* s */
  const int* order; /* [num_constraints] place in the order of addition, see cr_assembly_finish */
  const double* guess; /* [num_rows] null: none */
} cr_convex_copy_def;

/* Copies a problem, its constraints in the order of their addition, and finishes the copy. */
carom_status cr_convex_copy(const cr_problem* from, const cr_convex_copy_def* def,
                            carom_problem** problem, carom_error* error);

#endif
