/* Kernels for AVX2 and FMA; nothing where the compiler was not told to use it. */
#include "linalg/kernels.h"

extern const cr_kernels* const cr_kernels_table_avx2;

#if defined(__AVX2__) && defined(__FMA__)

#define KERNELS_NAME    "avx2"
#define KERNELS_VECTORS "linalg/vector_avx2.h"
#define KERNELS_SINGLE  cr_panel_kernels_single_avx2
#include "linalg/kernels_template.h"

const cr_kernels* const cr_kernels_table_avx2 = &kernels_table;

#else

const cr_kernels* const cr_kernels_table_avx2 = 0;

#endif
