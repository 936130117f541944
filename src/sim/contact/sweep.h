/* Which pairs move so fast that one look may err, and where those meet within a step. */
#ifndef CR_SIM_SWEEP_H
#define CR_SIM_SWEEP_H

#include "geom/collide.h"
#include "sim/contact/scan.h"

/* Where two geometries meet. */
typedef struct cr_sweep_hit {
  double time;          /* s */
  bool is_settled;      /* at which they are half of what counts as touching apart, or the start */
  pose X[2];            /* then */
  cr_manifold manifold; /* then, of a surface the nearest patch */
  double apart;         /* m: what counts as touching; more where that was not reached */
} cr_sweep_hit;

typedef enum cr_sweep_outcome {
  CR_SWEEP_TOUCHING, /* at the start already, and hardly deeper in the end */
  CR_SWEEP_NONE,
  CR_SWEEP_HIT,
} cr_sweep_outcome;

/* How a geometry moves on. */
typedef struct cr_swept {
  const cr_shape* shape;
  pose X;          /* at time 0 */
  v3 linear, spin; /* m/s of the frame's origin, rad/s; world */
} cr_swept;

/* How far apart shapes count as touching, m. */
double cr_sweep_find_hair(const cr_shape* a, const cr_shape* b);

/* Where it is then. */
pose cr_swept_place(const cr_swept* a, double time);

/* Whether a pair may pass through each other, or by, between two looks. */
bool cr_sweep_is_needed(const cr_scan* s, const cr_geom_pair* pair);

/* Where a pair first touches that moves on from the start of the step with v_lin, by conservative
 * advancement: never later than they meet. What touches at the start is found there if it goes on
 * deep into each other. */
cr_sweep_outcome cr_sweep_find(const cr_scan* s, const cr_geom_pair* pair, cr_sweep_hit* hit);

#endif
