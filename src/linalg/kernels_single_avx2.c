/* Panels in single precision for AVX2 and FMA; nothing where the compiler was not told to use it.
 */
#include "linalg/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)

#define KERNELS_ARE_SINGLE
#define KERNELS_VECTORS "linalg/vector_single_avx2.h"
#include "linalg/kernels_panel_template.h"

extern const cr_panel_kernels cr_panel_kernels_single_avx2;
const cr_panel_kernels cr_panel_kernels_single_avx2 = PANEL_KERNELS;

#endif
