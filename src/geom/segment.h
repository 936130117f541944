/* Closest points of two segments. */
#ifndef CR_GEOM_SEGMENT_H
#define CR_GEOM_SEGMENT_H

#include "math/vec3.h"

/* The points center + t half, t in [-1, 1]; `half` may be zero. */
typedef struct cr_line_segment {
  v3 center, half;
} cr_line_segment;

/* Parameters of a closest pair of points; any such pair where the segments are parallel. */
void cr_segment_find_closest(const cr_line_segment* a, const cr_line_segment* b, double* s,
                             double* t);

static inline v3 cr_segment_point(const cr_line_segment* a, double t) {
  return v3_axpy(a->center, t, a->half);
}

#endif
