/* Contact graphs like those of settled piles of spheres. */
#ifndef BENCH_LINALG_PACKING_H
#define BENCH_LINALG_PACKING_H

#include <stdbool.h>

/* A heap of spheres of slightly different sizes in an open square container. */
typedef struct packing_def {
  int num_bodies;
  double layers;         /* height of the heap in diameters; 0: as high as wide */
  double pairs_per_body; /* the closest pairs of spheres count as contacts */
} packing_def;

/* Packs the spheres and finds the closest pairs.
 * @param pairs [num_bodies * pairs_per_body] filled
 * @return number of pairs, or -1 when memory ran out */
int packing_build(const packing_def* def, int (*pairs)[2]);

#endif
