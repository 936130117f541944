/* When two shapes that move fast meet within a step. */
#ifndef CR_SIM_MEETING_H
#define CR_SIM_MEETING_H

#include "geom/collide.h"

/* A shape that moves on with a constant velocity and spin. */
typedef struct cr_sweep {
  const cr_shape* shape;
  pose X;          /* at time 0 */
  v3 linear, spin; /* m/s of the frame's origin, rad/s; world */
} cr_sweep;

/* Where two sweeps meet. */
typedef struct cr_meeting {
  double time;          /* s */
  pose X[2];            /* then */
  cr_manifold manifold; /* then; apart by a hair */
} cr_meeting;

typedef enum cr_meeting_outcome {
  CR_MEETING_TOUCHING, /* at time 0 already, where the meeting is then */
  CR_MEETING_NONE,
  CR_MEETING_FOUND,
} cr_meeting_outcome;

pose cr_sweep_place(const cr_sweep* sweep, double time);

/* How fast the points of a meeting come nearer to each other along its normal at most, m/s. */
double cr_meeting_find_approach(const cr_sweep* a, const cr_sweep* b, const cr_meeting* meeting);

/* The first time within `duration` (s) at which two shapes touch that are apart at time 0, by
 * conservative advancement: never later than they meet. */
cr_meeting_outcome cr_meeting_find(const cr_sweep* a, const cr_sweep* b, double duration,
                                   cr_meeting* meeting);

#endif
