/* Source of all kernels. Each kernels_*.c names its instruction set in KERNELS_NAME and the header
 * of its vectors in KERNELS_VECTORS, and includes this. */
#ifndef CR_LINALG_KERNELS_TEMPLATE_H
#define CR_LINALG_KERNELS_TEMPLATE_H

#include "linalg/kernels_factor.h"
#include "linalg/kernels_gram.h"
#include "linalg/kernels_rows.h"
#include "linalg/kernels_solve.h"

static const cr_kernels kernels_table = {
    .name = KERNELS_NAME,
    .factor_panel = factor_panel,
    .apply_update = apply_update,
    .solve_forward = solve_forward,
    .solve_backward = solve_backward,
    .accumulate_gram = accumulate_gram,
    .accumulate_gram_alone = accumulate_gram_alone,
    .weight_rows = weight_rows,
    .accumulate_product = accumulate_product,
    .multiply_product_upper = multiply_product_upper,
    .multiply_rows = multiply_rows,
    .multiply_transposed = multiply_transposed,
    .add_block = add_block,
    .add_blocks = add_blocks,
};

#endif
