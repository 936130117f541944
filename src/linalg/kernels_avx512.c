/* Kernels for AVX-512 (F, DQ, VL); nothing where the compiler was not told to use it. */
#include "linalg/kernels.h"

extern const cr_kernels* const cr_kernels_table_avx512;

#if defined(__AVX512F__) && defined(__AVX512VL__)

#define CR_VECTOR_HEADER "linalg/vector_avx512.h"
#include "linalg/kernels_template.h"

static const cr_kernels table = KERNELS_TABLE("avx512");
const cr_kernels* const cr_kernels_table_avx512 = &table;

#else

const cr_kernels* const cr_kernels_table_avx512 = 0;

#endif
