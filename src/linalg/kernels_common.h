/* What all parts of the kernels' source share. Part of kernels_template.h. */
#ifndef CR_LINALG_KERNELS_COMMON_H
#define CR_LINALG_KERNELS_COMMON_H

#include "linalg/kernels.h"
#include "math/scalar.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* What the elements of panels and their right-hand sides are. */
#if defined(KERNELS_ARE_SINGLE)
typedef float number;
#define NUMBER_MIN     FLT_MIN
#define NUMBER_MAX     FLT_MAX
#define number_sqrt(x) sqrtf(x)
#else
typedef double number;
#define NUMBER_MIN     DBL_MIN
#define NUMBER_MAX     DBL_MAX
#define number_sqrt(x) sqrt(x)
#endif

/* The vectors of the instruction set that is being compiled. */
#include KERNELS_VECTORS

/* Columns of a tile. */
#define TILE_COLUMNS 6

/* A loop with constant bounds, unrolled so that the arrays it indexes can live in registers: gcc
 * does so only where told. Where every access is instrumented, or nothing is optimised, no array
 * gets into a register anyway, and unrolling would only cost minutes of compilation: loops stay
 * loops, and functions are called. */
#if defined(CR_SANITIZED) || !defined(__OPTIMIZE__)
#define UNROLLED(i, begin, end) for (int i = (begin); i < (end); i++)
#define INLINE                  static inline
#else
#if defined(__clang__)
#define UNROLLED(i, begin, end) \
  _Pragma("clang loop unroll(full)") for (int i = (begin); i < (end); i++)
#else
#define UNROLLED(i, begin, end) _Pragma("GCC unroll 8") for (int i = (begin); i < (end); i++)
#endif
#define INLINE static inline __attribute__((always_inline))
#endif

/* Calls function(n, ...) with a constant n, 1 to TILE_COLUMNS. */
#define WITH_CONSTANT_COLUMNS(n, function, ...) \
  switch (n) {                                  \
  case 1:                                       \
    function(1, __VA_ARGS__);                   \
    break;                                      \
  case 2:                                       \
    function(2, __VA_ARGS__);                   \
    break;                                      \
  case 3:                                       \
    function(3, __VA_ARGS__);                   \
    break;                                      \
  case 4:                                       \
    function(4, __VA_ARGS__);                   \
    break;                                      \
  case 5:                                       \
    function(5, __VA_ARGS__);                   \
    break;                                      \
  default:                                      \
    function(6, __VA_ARGS__);                   \
    break;                                      \
  }

/* The panel's elements, and one of the right-hand sides, as the numbers of these kernels. */
static inline number* get_numbers(const cr_panel* p) { return p->values; }
static inline number* get_vector(const cr_vectors* v, int r) {
  return (number*)v->y + (ptrdiff_t)r * v->y_stride;
}

#endif
