/* Force elements as plain data: joint springs and dampers, springs between points, fluid, tendons,
 * actuators. */
#ifndef CR_FORCE_FORCE_H
#define CR_FORCE_FORCE_H

#include "force/fluid.h"
#include "tree/tree.h"

#include <stdint.h>

/* Fixed tendons [num_tendons]: lengths are weighted sums of coordinates of hinges and slides. */
typedef struct cr_tendon_model {
  int num_tendons, num_terms;
  const int* start;                /* [num_tendons + 1] into the terms */
  const int* dof;                  /* [num_terms], as the next three */
  const int* q;                    /* address of the joint's coordinate */
  const int* link;                 /* that the joint moves */
  const double* coefficient;       /* length per coordinate */
  const double* reference;         /* length at the reference configuration */
  const int* limited;              /* 0 or 1 */
  const double* range;             /* [2 each] of the length */
  const double* limit_margin;      /* length */
  const double* limit_stiffness;   /* force per length; inf: rigid */
  const double* limit_dissipation; /* s; NaN: default of the stiffness */
  const double* stiffness;         /* force per length */
  const double* rest;              /* [2 each] slack between */
  const double* damping;           /* force per rate */
  const double* friction_loss;     /* force */
} cr_tendon_model;

typedef struct cr_force_model {
  double gravity[3]; /* m/s² */

  /* Joint springs [num_joints of the tree model] and dampers [num_v]. */
  const double* joint_stiffness; /* N/m or N m/rad; ball: N m/rad; free: N/m and N m/rad */
  const double* q_spring;        /* [num_q] where the springs are at rest */
  const double* dof_damping;     /* N s/m or N m s/rad */

  /* Springs between points [num_springs]. */
  int num_springs;
  const int* spring_link;           /* [2 each] */
  const double* spring_point;       /* [6 each] both points, in their link's frame */
  const double* spring_stiffness;   /* N/m */
  const double* spring_damping;     /* N s/m */
  const double* spring_rest_length; /* m */

  cr_fluid_model fluid;
  cr_tendon_model tendon;

  /* Actuators on hinges, slides and tendons [num_actuators]:
   * f = clamp(gain u + bias0 + bias1 l + bias2 l'), l = gear q; the dof or tendon feels gear f. */
  int num_actuators;
  const int* actuator_dof;    /* -1: on a tendon */
  const int* actuator_q;      /* address of the joint's coordinate; -1 likewise */
  const int* actuator_tendon; /* -1: on a joint */
  const double* actuator_gear;
  const double* actuator_gain;
  const double* actuator_bias;          /* [3 each] */
  const double* actuator_control_range; /* [2 each] -inf, inf where not limited */
  const double* actuator_force_range;   /* [2 each] -inf, inf where not limited */
} cr_force_model;

#endif
