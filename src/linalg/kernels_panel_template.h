/* Source of the kernels of panels, in doubles or, where KERNELS_ARE_SINGLE, in single precision.
 * Part of kernels_template.h, and of each kernels_single_*.c, which names its instruction set's
 * vectors in KERNELS_VECTORS. */
#ifndef CR_LINALG_KERNELS_PANEL_TEMPLATE_H
#define CR_LINALG_KERNELS_PANEL_TEMPLATE_H

#include "linalg/kernels_add.h"
#include "linalg/kernels_factor.h"
#include "linalg/kernels_solve.h"

/* The table. */
#define PANEL_KERNELS                                                                          \
  {                                                                                            \
    .number_size = sizeof(number), .factor_panel = factor_panel, .apply_update = apply_update, \
    .solve_forward = solve_forward, .solve_backward = solve_backward, .add_block = add_block,  \
    .add_blocks = add_blocks,                                                                  \
  }

#endif
