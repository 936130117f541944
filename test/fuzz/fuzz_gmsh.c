/* Reads bytes as a tetrahedral mesh of Gmsh, which begins like one. */
#include "read_tets.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size && data[0] == '$') fuzz_read_tets(data, size);
  return 0;
}
