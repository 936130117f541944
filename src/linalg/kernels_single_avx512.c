/* Panels in single precision for AVX-512 (F, DQ, VL); nothing where the compiler was not told to
 * use it. */
#include "linalg/kernels.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#define KERNELS_ARE_SINGLE
#define KERNELS_VECTORS "linalg/vector_single_avx512.h"
#include "linalg/kernels_panel_template.h"

extern const cr_panel_kernels cr_panel_kernels_single_avx512;
const cr_panel_kernels cr_panel_kernels_single_avx512 = PANEL_KERNELS;

#endif
