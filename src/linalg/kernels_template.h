/* Source of all kernels. Each kernels_*.c names its instruction set in KERNELS_NAME, the header of
 * its vectors in KERNELS_VECTORS and the table of its panels in single precision in KERNELS_SINGLE,
 * and includes this. */
#ifndef CR_LINALG_KERNELS_TEMPLATE_H
#define CR_LINALG_KERNELS_TEMPLATE_H

#include "linalg/kernels_gram.h"
#include "linalg/kernels_panel_template.h"
#include "linalg/kernels_rows.h"

extern const cr_panel_kernels KERNELS_SINGLE;

static const cr_panel_kernels panel_kernels = PANEL_KERNELS;

static const cr_kernels kernels_table = {
    .name = KERNELS_NAME,
    .panels = {&panel_kernels, &KERNELS_SINGLE},
    .accumulate_gram = accumulate_gram,
    .accumulate_gram_alone = accumulate_gram_alone,
    .add_dots = add_dots,
    .weight_rows = weight_rows,
    .accumulate_product = accumulate_product,
    .multiply_product_upper = multiply_product_upper,
    .multiply_rows = multiply_rows,
    .multiply_transposed = multiply_transposed,
    .subtract_rows = subtract_rows,
};

#endif
