/* A point of a soft body. */
#ifndef CR_SIM_SOFT_SPOT_H
#define CR_SIM_SOFT_SPOT_H

/* A node, or a point between the nodes of an edge, triangle or
 * tetrahedron. */
typedef struct cr_soft_spot {
  int count;        /* 1 to 4 */
  int node[4];      /* among all soft nodes */
  double weight[4]; /* they add up to 1 */
} cr_soft_spot;

#endif
