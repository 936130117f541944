/* Kernels for any machine. */
#define KERNELS_NAME    "base"
#define KERNELS_VECTORS "linalg/vector_base.h"
#define KERNELS_SINGLE  cr_panel_kernels_single_base
#include "linalg/kernels_template.h"

extern const cr_kernels* const cr_kernels_table_base;
const cr_kernels* const cr_kernels_table_base = &kernels_table;
