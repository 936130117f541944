/* What changes from pass to pass: where in a pixel, and from where light comes. */
#ifndef RENDER_LIGHT_H
#define RENDER_LIGHT_H

#include "vector.h"

enum { RENDER_NUM_LIGHTS = 3 };

/* One pass of many. */
typedef struct render_pass {
  double offset[2];                    /* in the pixel, -1/2 to 1/2 */
  double lights[RENDER_NUM_LIGHTS][3]; /* unit, towards a place of the sun's disc, then places of
                                          the sky; all passes cover both evenly */
} render_pass;

/* @param azimuth rad, of the sun */
render_pass render_pass_choose(int index, int count, double azimuth);

/* From positions to what a light sees of a ball: place and depth from -1 to 1. */
render_matrix render_light_clip(const double direction[3], const double middle[3], double radius);

/* The same from 0 to 1, for shadow maps. */
render_matrix render_light_map(const render_matrix* clip);

#endif
