/* Source of all kernels. Each kernels_*.c names its vectors in CR_VECTOR_HEADER and includes this.
 */
#include "linalg/kernels_factor.h"
#include "linalg/kernels_rows.h"
#include "linalg/kernels_solve.h"

/* The table of this instruction set. */
#define KERNELS_TABLE(label)                                                              \
  {                                                                                       \
    .name = label, .factor_panel = factor_panel, .apply_update = apply_update,            \
    .solve_forward = solve_forward, .solve_backward = solve_backward,                     \
    .accumulate_gram = accumulate_gram, .accumulate_product = accumulate_product,         \
    .accumulate_product_upper = accumulate_product_upper, .multiply_rows = multiply_rows, \
    .accumulate_transposed = accumulate_transposed, .add_block = add_block,               \
  }
