/* A mesh that is not convex. */
#ifndef CR_TEST_CUP_H
#define CR_TEST_CUP_H

/* A cup of square outline: walls and floor .1 thick, 1 wide, .6 high; outer corners 0-7, inner
 * 8-15.
 */
#define CUP_MESH                                                                             \
  "<mesh name='cup' carom:convex='false' inertia='exact' vertex='"                           \
  "-.5 -.5 0  .5 -.5 0  .5 .5 0  -.5 .5 0  -.5 -.5 .6  .5 -.5 .6  .5 .5 .6  -.5 .5 .6 "      \
  "-.4 -.4 .1  .4 -.4 .1  .4 .4 .1  -.4 .4 .1  -.4 -.4 .6  .4 -.4 .6  .4 .4 .6  -.4 .4 .6' " \
  "face='0 2 1 0 3 2  0 1 5 0 5 4  1 2 6 1 6 5  2 3 7 2 7 6  3 0 4 3 4 7  8 9 10 8 10 11 "   \
  "8 13 9 8 12 13  9 14 10 9 13 14  10 15 11 10 14 15  11 12 8 11 15 12 "                    \
  "4 5 13 4 13 12  5 6 14 5 14 13  6 7 15 6 15 14  7 4 12 7 12 15'/>"

#endif
