/* Choice of the kernels' instruction set. */
#include "linalg/kernels.h"

extern const cr_kernels* const cr_kernels_table_base;
extern const cr_kernels* const cr_kernels_table_avx2;
extern const cr_kernels* const cr_kernels_table_avx512;

/* True where the machine and the operating system run the level's instructions. */
static bool is_supported(cr_kernel_level level) {
#if defined(__x86_64__)
  if (level == CR_KERNELS_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (level == CR_KERNELS_AVX512)
    return is_supported(CR_KERNELS_AVX2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  return level == CR_KERNELS_BASE;
}

const cr_kernels* cr_kernels_get(cr_kernel_level level) {
  if (!is_supported(level)) return 0;
  if (level == CR_KERNELS_AVX512) return cr_kernels_table_avx512;
  return level == CR_KERNELS_AVX2 ? cr_kernels_table_avx2 : cr_kernels_table_base;
}

const cr_kernels* cr_kernels_select(void) {
  const cr_kernels* best = cr_kernels_get(CR_KERNELS_AVX512);
  if (!best) best = cr_kernels_get(CR_KERNELS_AVX2);
  return best ? best : cr_kernels_get(CR_KERNELS_BASE);
}
