/* Reads any bytes as a contact problem of text. HDF5 is tried by fuzz_problem_h5.c. */
#include "read_problem.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0 && data[0] == 0x89) return 0;
  carom_error error = {0};
  carom_problem* problem = NULL;
  carom_status status = cr_problem_load_memory("problem", data, size, &problem, &error);
  fuzz_use_problem(status, problem, &error);
  return 0;
}
