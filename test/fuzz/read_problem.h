/* What every fuzz target of a form of contact problems does: whatever the bytes are, the answer is
 * a problem that can be solved and written, or a sentence. */
#ifndef CR_FUZZ_READ_PROBLEM_H
#define CR_FUZZ_READ_PROBLEM_H

#include "import/problem/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Measures it at rest. Solvers have tests of their own. */
static inline void fuzz_evaluate_problem(const carom_problem* problem) {
  carom_error error;
  carom_solution* solution = NULL;
  double* zero = calloc((size_t)carom_problem_get_sizes(problem).num_rows + 1, sizeof *zero);
  if (!zero) abort();
  carom_status status = carom_problem_evaluate(problem, NULL, NULL, zero, &solution, &error);
  if ((status == CAROM_OK) != (solution != NULL)) abort();
  carom_solution_destroy(solution);
  free(zero);
}

/* Frees the problem as well. */
static inline void fuzz_use_problem(carom_status status, carom_problem* problem,
                                    const carom_error* error) {
  if ((status == CAROM_OK) != (problem != NULL)) abort();
  if ((status == CAROM_OK) != (error->message[0] == '\0')) abort();
  if (problem) fuzz_evaluate_problem(problem);
  carom_problem_destroy(problem);
}

#endif
