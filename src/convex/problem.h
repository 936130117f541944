/* A contact problem in the hands of a user: as given, constraint by constraint, and compiled into
 * the plain data that solvers see. */
#ifndef CR_CONVEX_PROBLEM_H
#define CR_CONVEX_PROBLEM_H

#include "base/error.h"
#include "base/shared.h"
#include "convex/scales.h"
#include "problem/law_table.h"

#include "carom/solve.h"

/* A growing array of bytes. */
typedef struct cr_convex_buffer {
  char* data;
  size_t used, capacity;
} cr_convex_buffer;

/* Room for `size` more bytes at the end, zeroed; null when memory ran out. */
void* cr_convex_buffer_add(const carom_allocator* allocator, cr_convex_buffer* buffer, size_t size);

/* A block of A as given, of the lower triangle (i >= j). */
typedef struct cr_convex_block {
  int i, j;
  size_t start; /* first of its values in A_values, row-major */
} cr_convex_block;

/* A constraint as given, its blocks in ascending order. */
typedef struct cr_convex_constraint {
  carom_constraint_kind kind;
  double parameter[2]; /* mu, - or radius, - or low, high */
  int row, rows;
  int block_start, block_count; /* into blocks */
  int columns;                  /* sum of its blocks' sizes */
  size_t J_start;               /* into J: block after block, each [rows, size] row-major */
} cr_convex_constraint;

struct carom_problem {
  carom_allocator allocator;
  cr_arena arena;    /* everything of fixed size */
  cr_arena compiled; /* what is made when the problem is finished */
  const char* name;
  double dt;
  bool is_finished;
  bool has_momentum; /* v_star holds f until the problem is finished */
  bool has_guess;

  int num_blocks, num_unknowns;
  int* size;           /* [num_blocks] */
  int* start;          /* [num_blocks + 1] first unknown */
  bool* has_diagonal;  /* [num_blocks] */
  double *v_star, *v0; /* [num_unknowns] */
  bool has_v0;
  cr_convex_buffer A_blocks, A_values; /* cr_convex_block, double */

  int num_constraints, num_contacts, num_rows;
  cr_convex_buffer constraints;     /* cr_convex_constraint */
  cr_convex_buffer blocks;          /* int */
  cr_convex_buffer J;               /* double */
  cr_convex_buffer R, v_hat, guess; /* [num_rows] double */
  double* concave; /* [num_rows] 0 or more, taken off R; null: 0. See cr_convex_set_concave */

  /* Compiled. A contact without friction is there as its normal row alone. */
  cr_problem problem;
  cr_symbolic A_symbolic;
  int* place;     /* [num_constraints] constraint of `problem` */
  int* row_of;    /* [num_rows] row of `problem`, or -1 */
  double* W;      /* Delassus blocks of `problem` */
  double least_R; /* of all rows: positive where all are regularised, negative where the problem is
                   * not convex */
  cr_law_batch batch[CR_LAW_COUNT];
  cr_convex_scales scales;
  const struct cr_solve_preparation* preparation; /* what solves share, see solve/prepare.h */
};

static inline const cr_convex_constraint* cr_convex_get(const carom_problem* p, int index) {
  return (const cr_convex_constraint*)p->constraints.data + index;
}

static inline const double* cr_convex_reals(const cr_convex_buffer* buffer) {
  return (const double*)buffer->data;
}

/* Rows of a kind. */
int cr_convex_rows(carom_constraint_kind kind);

/* A frictional contact, with moments or without. */
static inline bool cr_convex_is_contact(carom_constraint_kind kind) {
  return kind == CAROM_CONSTRAINT_CONTACT || kind >= CAROM_CONSTRAINT_CONTACT4;
}

/* The law of a kind. */
cr_law_kind cr_convex_get_law(carom_constraint_kind kind);

/* Refuses changes to a finished problem, and use of one that is not. */
carom_status cr_convex_check_open(const carom_problem* problem, carom_error* error);
CR_SHARED carom_status cr_convex_check_finished(const carom_problem* problem, carom_error* error);

/* Refuses numbers that are not finite, by name and index. */
carom_status cr_convex_check_finite(const char* name, const double* x, int count,
                                    carom_error* error);

/* Takes delta [num_rows] >= 0 off R of every row, which may then be negative: what is left of a W
 * that is given by its elements and, through their rounding, not quite semi-definite, as W = J A^-1
 * Jᵀ - delta. u then has the term - delta gamma, as it has all of W gamma. Such a problem is solved
 * by convex ones (solve.c), and has no certificate. Before the problem is finished. */
CR_SHARED carom_status cr_convex_set_concave(carom_problem* problem, const double* delta,
                                             carom_error* error);

/* R of a row in force: as given, less the concave part. */
static inline double cr_convex_get_R(const carom_problem* p, int row) {
  return ((const double*)(const void*)p->R.data)[row] - (p->concave ? p->concave[row] : 0);
}

/* J v of the rows as given [num_rows]. */
CR_SHARED void cr_convex_apply_J(const carom_problem* problem, const double* v, double* v_c);

#endif
