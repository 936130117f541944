/* Closest points of two segments: a convex quadratic of two parameters on a square.
 *
 * The stationary s, clamped; then the best t for it, clamped; then the best s for that t: exact for
 * two variables (Ericson, Real-Time Collision Detection, section 5.1.9). */
#include "geom/segment.h"

/* Squared sine below which two segments count as parallel. */
#define PARALLEL 1e-14

static double clamp_unit(double x) { return fmax(-1, fmin(1, x)); }

/* The middle of the part of [-1, 1] onto which a projection of b falls. */
static double overlap_middle(double middle, double half) {
  double low = clamp_unit(middle - half), high = clamp_unit(middle + half);
  return 0.5 * (low + high);
}

void cr_segment_find_closest(const cr_segment* a, const cr_segment* b, double* s, double* t) {
  v3 c = v3_sub(b->center, a->center);
  double aa = v3_norm2(a->half), bb = v3_norm2(b->half), ab = v3_dot(a->half, b->half);
  double ac = v3_dot(a->half, c), bc = v3_dot(b->half, c);
  double det = v3_norm2(v3_cross(a->half, b->half));
  if (det > PARALLEL * aa * bb)
    *s = clamp_unit((bb * ac - ab * bc) / det);
  else
    *s = aa > 0 ? overlap_middle(ac / aa, fabs(ab) / aa) : 0;
  *t = bb > 0 ? clamp_unit((ab * *s - bc) / bb) : 0;
  *s = aa > 0 ? clamp_unit((ab * *t + ac) / aa) : 0;
}
