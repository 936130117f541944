/* Kernels for any machine. */
#define CR_VECTOR_HEADER "linalg/vector_base.h"
#include "linalg/kernels_template.h"

static const cr_kernels table = KERNELS_TABLE("base");
extern const cr_kernels* const cr_kernels_table_base;
const cr_kernels* const cr_kernels_table_base = &table;
