/* Where laws of cones take the projection that decides their state. */
#ifndef CR_PROBLEM_CONE_SCALE_H
#define CR_PROBLEM_CONE_SCALE_H

#include "problem/law.h"

/* States closer to the cone's surface than this many ulps count as on it. */
#define CR_CONE_ULPS 4.0

/* The multiple of mu / (scale + R) at which the projection is taken: measured best between 3 and
 * 100 for the convex law, and between 1 and 4 with the De Saxce term, where larger ones cycle. */
static inline double cr_cone_choose_rho(const cr_law_mode* mode) {
  if (mode->coulomb > 0) return 2;
  return mode->alternate ? 200 : 20;
}

#endif
