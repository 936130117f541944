/* Panels in single precision for any machine. */
#define KERNELS_ARE_SINGLE
#define KERNELS_VECTORS "linalg/vector_single_base.h"
#include "linalg/kernels_panel_template.h"

extern const cr_panel_kernels cr_panel_kernels_single_base;
const cr_panel_kernels cr_panel_kernels_single_base = PANEL_KERNELS;
