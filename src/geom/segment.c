/* Closest points of two segments: a convex quadratic of two parameters on a square.
 *
 * The stationary s, clamped; then the best t for it, clamped; then the best s for that t: exact for
 * two variables (Ericson, Real-Time Collision Detection, section 5.1.9). Nearly parallel segments
 * leave s to rounding; but then the ends are as good, or better. */
#include "geom/segment.h"

/* Squared sine below which the ends are tried as well. */
#define NEARLY_PARALLEL 1e-8

static double clamp_unit(double x) { return x < -1 ? -1 : x > 1 ? 1 : x; }

/* The quadratic, |c + t half_b - s half_a|^2, by its coefficients. */
typedef struct cr_quadratic {
  double aa, bb, ab, ac, bc;
} cr_quadratic;

static double best_s(const cr_quadratic* q, double t) {
  return q->aa > 0 ? clamp_unit((q->ab * t + q->ac) / q->aa) : 0;
}

static double best_t(const cr_quadratic* q, double s) {
  return q->bb > 0 ? clamp_unit((q->ab * s - q->bc) / q->bb) : 0;
}

static double distance2(const cr_line_segment* a, const cr_line_segment* b, double s, double t) {
  return v3_norm2(v3_sub(cr_segment_point(b, t), cr_segment_point(a, s)));
}

/* Takes an end where it is nearer than what was found. */
static void try_ends(const cr_line_segment* a, const cr_line_segment* b, const cr_quadratic* q,
                     double* s, double* t) {
  double least = distance2(a, b, *s, *t);
  for (int i = 0; i < 4; i++) {
    double end = i & 1 ? 1 : -1;
    double s_end = i < 2 ? end : best_s(q, end), t_end = i < 2 ? best_t(q, end) : end;
    double d2 = distance2(a, b, s_end, t_end);
    if (!(d2 < least)) continue;
    least = d2;
    *s = s_end;
    *t = t_end;
  }
}

void cr_segment_find_closest(const cr_line_segment* a, const cr_line_segment* b, double* s,
                             double* t) {
  v3 c = v3_sub(b->center, a->center);
  cr_quadratic q = {v3_norm2(a->half), v3_norm2(b->half), v3_dot(a->half, b->half),
                    v3_dot(a->half, c), v3_dot(b->half, c)};
  double det = v3_norm2(v3_cross(a->half, b->half));
  *s = det > 0 ? clamp_unit((q.bb * q.ac - q.ab * q.bc) / det) : 0;
  *t = best_t(&q, *s);
  *s = best_s(&q, *t);
  if (det < NEARLY_PARALLEL * q.aa * q.bb) try_ends(a, b, &q, s, t);
}
