/* What changes from pass to pass: where in a pixel, and from where light comes. */
#ifndef CLI_RENDER_LIGHT_H
#define CLI_RENDER_LIGHT_H

#include "vector.h"

/* One pass of many. */
typedef struct render_pass {
  double offset[2]; /* in the pixel, -1/2 to 1/2 */
  double sun[3];    /* unit, towards a place of the sun's disc */
  double sky[3];    /* unit, towards a place of the sky; all of them cover it evenly */
} render_pass;

render_pass render_pass_choose(int index, int count);

/* From positions to what a light sees of a ball: place and depth from -1 to 1. */
render_matrix render_light_clip(const double direction[3], const double middle[3], double radius);

/* The same from 0 to 1, for shadow maps. */
render_matrix render_light_map(const render_matrix* clip);

#endif
