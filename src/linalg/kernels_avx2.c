/* Kernels for AVX2 and FMA; nothing where the compiler was not told to use it. */
#include "linalg/kernels.h"

extern const cr_kernels* const cr_kernels_table_avx2;

#if defined(__AVX2__) && defined(__FMA__)

#define CR_VECTOR_HEADER "linalg/vector_avx2.h"
#include "linalg/kernels_template.h"

static const cr_kernels table = KERNELS_TABLE("avx2");
const cr_kernels* const cr_kernels_table_avx2 = &table;

#else

const cr_kernels* const cr_kernels_table_avx2 = 0;

#endif
