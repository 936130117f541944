/* What the forces of the fluid are made of, for these and for their slopes. */
#ifndef CR_FORCE_FLUID_FLOW_H
#define CR_FORCE_FLUID_FLOW_H

#include "force/fluid.h"

/* Factors of -|v_i| v_i and -|w_i| w_i, and of -v and -w. */
typedef struct cr_box_drag {
  v3 linear, angular;
  double stokes_linear, stokes_angular;
} cr_box_drag;
cr_box_drag cr_fluid_find_box_drag(const cr_fluid_model* fluid, const double* size);

/* What an ellipsoid shows to the flow. */
typedef struct cr_flow {
  v3 normal;      /* not of unit length, of the cross-section that faces the velocity */
  double area;    /* m², of the projection along the velocity */
  double largest; /* m², of any projection */
  double cosine;  /* of the angle between velocity and normal, over the normal's length */
  double stokes;  /* m, diameter of the sphere with the mean of the axes */
  v3 moment;      /* N m per rho w²: what rotation meets, as a vector along the axes */
  double speed;   /* m/s */
  double volume;  /* m³ */
} cr_flow;
cr_flow cr_fluid_find_flow(const double* size, const double* coefficient, sv V);

/* Factors of -v and -w; they grow with v and w. */
void cr_fluid_find_drag(const cr_fluid_model* fluid, const double* coefficient, const cr_flow* x,
                        sv V, double* linear, double* angular);

#endif
