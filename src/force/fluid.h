/* Forces of a fluid that fills the space: drag and lift of bodies that move through it, as the MJCF
 * format defines them. */
#ifndef CR_FORCE_FLUID_H
#define CR_FORCE_FLUID_H

#include "math/quat.h"
#include "math/spatial.h"

/* What sets the ellipsoid model's forces, in the order of the format's fluidcoef. */
enum {
  CR_FLUID_BLUNT_DRAG,
  CR_FLUID_SLENDER_DRAG,
  CR_FLUID_ANGULAR_DRAG,
  CR_FLUID_KUTTA_LIFT,
  CR_FLUID_MAGNUS_LIFT,
  CR_FLUID_NUM_COEFFICIENTS,
};

/* Parts [num_parts] that feel the fluid: bodies as the box of their inertia, or geometries as
 * ellipsoids. Without density and viscosity there are none. */
typedef struct cr_fluid_model {
  double density, viscosity; /* kg/m³, Pa s */
  double wind[3];            /* m/s, of the fluid, world */
  int num_parts;
  const int* tree_start; /* [num_trees + 1] into the parts, which stand in the order of the trees */
  const int* link;
  const pose* local;         /* in the link's frame */
  const int* is_ellipsoid;   /* 0: a box */
  const double* size;        /* [3 each] m: sides of the box, half axes of the ellipsoid */
  const double* coefficient; /* [CR_FLUID_NUM_COEFFICIENTS each] of ellipsoids */
  const double* added;       /* [6 each] of ellipsoids: added masses along the axes, kg, and added
                                moments about them, kg m² */
} cr_fluid_model;

/* Force of the fluid on a part that moves with V relative to it; both at the part's centre, in its
 * axes. */
sv cr_fluid_compute_force(const cr_fluid_model* fluid, int part, sv V);

/* The positive semi-definite part of -d force / dV: against translation and rotation. Lift, and
 * what the fluid's inertia does, stay out. */
void cr_fluid_compute_damping(const cr_fluid_model* fluid, int part, sv V, m3* linear, m3* angular);

/* A part's force, its damping, and how they move with V. A six-vector's numbers are its rotation's,
 * then its translation's. */
typedef struct cr_fluid_slopes {
  sv force;
  double by[6][6];    /* d force / d V */
  m3 linear, angular; /* as cr_fluid_compute_damping has them */
  m3 linear_by[3];    /* by the numbers of the translation's velocity */
  m3 angular_by[3];   /* by those of the rotation's */
} cr_fluid_slopes;
cr_fluid_slopes cr_fluid_find_slopes(const cr_fluid_model* fluid, int part, sv V);

/* Added mass of a unit density of fluid about an ellipsoid with the half axes `size`, along its
 * axes and about them (Lamb, Hydrodynamics, articles 114 and 115). */
void cr_fluid_compute_added_mass(const double size[3], double added[6]);

#endif
