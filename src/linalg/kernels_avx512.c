/* Kernels for AVX-512 (F, DQ, VL); nothing where the compiler was not told to use it. */
#include "linalg/kernels.h"

extern const cr_kernels* const cr_kernels_table_avx512;

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#define KERNELS_NAME    "avx512"
#define KERNELS_VECTORS "linalg/vector_avx512.h"
#define KERNELS_SINGLE  cr_panel_kernels_single_avx512
#include "linalg/kernels_template.h"

const cr_kernels* const cr_kernels_table_avx512 = &kernels_table;

#else

const cr_kernels* const cr_kernels_table_avx512 = 0;

#endif
