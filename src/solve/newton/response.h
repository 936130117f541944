/* How velocities respond to each constraint's impulse: B_i = A^-1 J_iᵀ, stored over the blocks that
 * A couples to the constraint's own. Where A is block diagonal these are its own blocks. */
#ifndef CR_SOLVE_RESPONSE_H
#define CR_SOLVE_RESPONSE_H

#include "solve/newton/system.h"

/* The response of a group: a row of `columns` doubles for each of the group's rows. */
typedef struct cr_response_group {
  int block_start, block_count; /* into cr_response.block; the group's own blocks come first */
  int columns;                  /* sum of the blocks' sizes */
  int64_t B_start;              /* first element in cr_response.B */
} cr_response_group;

typedef struct cr_response {
  cr_response_group* group; /* [num_groups] */
  int* block;
  double* B;
  int max_columns;
} cr_response;

/* Computes all responses into scratch memory of the arena. False when memory ran out. */
bool cr_response_init(cr_response* response, cr_system* system, cr_arena* arena);

/* local [columns] <- the group's part of v, and back. */
void cr_response_gather(const cr_response* response, const cr_problem* problem, int group,
                        const double* v, double* local);
void cr_response_scatter(const cr_response* response, const cr_problem* problem, int group,
                         const double* local, double* v);

#endif
