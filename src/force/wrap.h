/* The shortest path of a string between two points that winds around a sphere or a cylinder. */
#ifndef CR_FORCE_WRAP_H
#define CR_FORCE_WRAP_H

#include "math/quat.h"

#include <stdbool.h>

/* What a string winds around: a sphere, or an endless cylinder along the frame's z. */
typedef struct cr_wrap_body {
  bool is_cylinder;
  double radius;
  pose frame;     /* world */
  const v3* side; /* world; null: none. Outside: the string passes on this side. Inside: the string
                     passes within, and touches what surrounds it from there */
} cr_wrap_body;

/* Where the string meets the body and leaves it, and its length between. */
typedef struct cr_wrap {
  v3 point[2]; /* world, on the surface */
  double length;
} cr_wrap;

/* Finds how a string from a to b touches the body; false where it runs straight. */
bool cr_wrap_find(const cr_wrap_body* body, v3 a, v3 b, cr_wrap* wrap);

/* How the directions of the straight parts, from a and towards b, turn with the ends relative to
 * the body, world axes. */
typedef struct cr_wrap_tangent {
  m3 by[2][2]; /* 1/m, of each part by a and b */
} cr_wrap_tangent;

/* Of what cr_wrap_find has found. */
void cr_wrap_find_tangent(const cr_wrap_body* body, v3 a, v3 b, const cr_wrap* wrap,
                          cr_wrap_tangent* tangent);

#endif
