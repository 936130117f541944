/* Reads any bytes as a contact problem, text or HDF5: whatever they are, the answer is a problem
 * that can be solved and written, or a sentence. */
#include "import/problem/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Measures it at rest. Solvers have tests of their own. */
static void evaluate(const carom_problem* problem) {
  carom_error error;
  carom_solution* solution = NULL;
  double* zero = calloc((size_t)carom_problem_get_sizes(problem).num_rows + 1, sizeof *zero);
  if (!zero) abort();
  carom_status status = carom_problem_evaluate(problem, NULL, NULL, zero, &solution, &error);
  if ((status == CAROM_OK) != (solution != NULL)) abort();
  carom_solution_destroy(solution);
  free(zero);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_error error = {0};
  carom_problem* problem = NULL;
  if (size > 0 && data[0] == 0x89) return 0;
  carom_status status = cr_problem_load_memory("problem", data, size, &problem, &error);
  if ((status == CAROM_OK) != (problem != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (problem) evaluate(problem);
  carom_problem_destroy(problem);
  return 0;
}
