/* Force elements as plain data: joint springs and dampers, springs between points, fluid, tendons,
 * actuators. */
#ifndef CR_FORCE_FORCE_H
#define CR_FORCE_FORCE_H

#include "force/fluid.h"
#include "force/line.h"
#include "tree/tree.h"

#include <stdint.h>

/* What tendons do [num_tendons] along the lines of the same numbers. */
typedef struct cr_tendon_model {
  int num_tendons;
  const int* limited;              /* 0 or 1 */
  const double* range;             /* [2 each] of the length */
  const double* limit_margin;      /* length */
  const double* limit_stiffness;   /* force per length; inf: rigid */
  const double* limit_dissipation; /* s; NaN: default of the stiffness */
  const double* stiffness;         /* force per length */
  const double* rest;              /* [2 each] slack between */
  const double* stiffness_more;    /* [2 each] see polynomial.h */
  const double* damping;           /* force per rate */
  const double* damping_more;      /* [2 each] */
  const double* friction_loss;     /* force */
  int num_armatures;               /* tendons with one */
  const double* armature;          /* inertia of the rate */
  const double* drive_range;       /* [2 each] of the sum of their actuators' forces; -inf, inf */
} cr_tendon_model;

/* How an actuator's gain or bias comes about. */
typedef enum cr_actuator_part {
  CR_ACTUATOR_AFFINE, /* x[0] + x[1] l + x[2] l' */
  CR_ACTUATOR_MUSCLE, /* of the muscle's curves */
  CR_ACTUATOR_MOTOR,  /* the whole force is that of controller.h */
} cr_actuator_part;

/* Parameters of a controller and the motor that it drives, see carom_controller and carom_motor; 0
 * where there is none of the kind. */
enum {
  CR_LAW_KP,
  CR_LAW_KI,
  CR_LAW_KD,
  CR_LAW_INTEGRAL_LIMIT,
  CR_LAW_SLEW_LIMIT,
  CR_LAW_VOLTAGE_LIMIT,
  CR_LAW_RESISTANCE,
  CR_LAW_CONSTANT,
  CR_LAW_TIME,
  CR_LAW_CURRENT_RATE,
  CR_LAW_THERMAL_RESISTANCE,
  CR_LAW_THERMAL_CAPACITANCE,
  CR_LAW_AMBIENT,
  CR_LAW_REFERENCE,
  CR_LAW_COEFFICIENT,
  CR_LAW_COGGING, /* [3] */
  CR_LAW_BRISTLE_STIFFNESS = CR_LAW_COGGING + 3,
  CR_LAW_BRISTLE_DAMPING,
  CR_LAW_COULOMB,
  CR_LAW_STATIC,
  CR_LAW_STRIBECK,
  CR_LAW_NUM_PARAMETERS,
};

/* Parameters of a muscle's curves, in the order of the MJCF format, `force` resolved. */
enum {
  CR_MUSCLE_RANGE,     /* [2] of the length, in units of the optimal one */
  CR_MUSCLE_FORCE = 2, /* N, peak force at rest */
  CR_MUSCLE_SCALE,     /* of the force, where that is not given */
  CR_MUSCLE_LOW,       /* lengths between which it pulls, in units of the optimal one */
  CR_MUSCLE_HIGH,
  CR_MUSCLE_SPEED,     /* of shortening at which it does not pull, optimal lengths per second */
  CR_MUSCLE_PASSIVE,   /* passive force at the length `high`, in units of the peak force */
  CR_MUSCLE_ECCENTRIC, /* force at saturation while it lengthens, likewise */
  CR_MUSCLE_NUM_PARAMETERS,
};

typedef struct cr_force_model {
  double gravity[3]; /* m/s² */

  /* Joint springs [num_joints of the tree model] and dampers [num_v]. */
  const double* joint_stiffness; /* N/m or N m/rad; ball: N m/rad; free: N/m and N m/rad */
  const double* q_spring;        /* [num_q] where the springs are at rest */
  const double* dof_damping;     /* N s/m or N m s/rad */
  int num_polynomials;           /* joints with powers beyond the first in either (polynomial.h) */
  const double* dof_spring_more; /* [2 num_v] null where there is none */
  const double* dof_damper_more; /* [2 num_v] likewise */

  /* Springs between points [num_springs]. */
  int num_springs;
  const int* spring_link;           /* [2 each] */
  const double* spring_point;       /* [6 each] both points, in their link's frame */
  const double* spring_stiffness;   /* N/m */
  const double* spring_damping;     /* N s/m */
  const double* spring_rest_length; /* m */

  cr_fluid_model fluid;
  cr_line_model line;
  cr_tendon_model tendon;

  /* Actuators [num_actuators] on hinges, slides and lines:
   * f = clamp(gain u + bias), of l = gear x with x the coordinate of the joint or the length of the
   * line, which feels gear f. */
  int num_actuators, num_adhesions;
  const int* actuator_dof;  /* -1: on a line */
  const int* actuator_q;    /* address of the joint's coordinate; -1 likewise */
  const int* actuator_line; /* -1: on a joint */
  const int* actuator_body; /* that sticks to what it touches; -1: it works otherwise */
  const int* actuator_site; /* that takes its force, or the slider's; -1: none */
  const double* actuator_gear;
  const int* actuator_gain_part;       /* cr_actuator_part */
  const int* actuator_bias_part;       /* cr_actuator_part */
  const double* actuator_gain;         /* [3 each] affine */
  const double* actuator_bias;         /* [3 each] affine */
  const double* actuator_muscle;       /* [2 CR_MUSCLE_NUM_PARAMETERS each] of gain and bias */
  const double* actuator_length_range; /* [2 each] m, of muscles */
  const double* actuator_force_range;  /* [2 each] -inf, inf where not limited */
  const double* actuator_period;       /* of the length, on which setpoints are taken; 0: none */

  /* What an actuator is told [num_controls], and what its force is made of beside its length and
   * rate [num_inputs]: of most actuators one of each. */
  int num_controls, num_inputs;
  const int* actuator_control; /* [num_actuators + 1] into the controls */
  const int* actuator_input;   /* [num_actuators] into the inputs */
  const double* control_range; /* [2 num_controls] -inf, inf where not limited */
  const int* control_actuator; /* [num_controls] */
  const int* control_kind; /* [num_controls] carom_control_kind; 0: the only one of a general law */

  /* Controllers and motors [num_laws]. */
  int num_laws;
  const int* actuator_law; /* [num_actuators] -1: none */
  const int* law_controls; /* set of carom_control_kind */
  const int* law_stepwise; /* 0 or 1 */
  const double* law;       /* [CR_LAW_NUM_PARAMETERS each] */

  /* Activations: u is a state of the actuator that follows its control. */
  int num_activations;
  const int* actuator_activation; /* [num_actuators + 1] into them */
  const int* actuator_dynamics;   /* carom_activation */
  const double* actuator_time;    /* [3 each] s; of muscles: rise, fall, and width of the change */
  const double* actuator_activation_range; /* [2 each] -inf, inf where not limited */
  const int* actuator_is_early;            /* the force follows the activation of the step's end */

  /* Bounds on what actuators together do to a dof. */
  int num_drive_ranges;          /* dofs that have one */
  const double* dof_drive_range; /* [2 num_v] -inf, inf where not limited */
  int num_bearers;               /* joints whose actuators bear weight */
  const int* dof_bears_weight;   /* [num_v] 0 or 1; null where there are none */
} cr_force_model;

#endif
