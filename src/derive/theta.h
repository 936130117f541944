/* Numbers of parameters, each a column behind those of the controls. */
#ifndef CR_DERIVE_THETA_H
#define CR_DERIVE_THETA_H

#include <stdbool.h>

/* What a number of a parameter is. */
typedef enum cr_theta_kind {
  CR_THETA_GRAVITY,
  CR_THETA_FLUID_DENSITY,
  CR_THETA_FLUID_VISCOSITY,
  CR_THETA_WIND,
  CR_THETA_MASS,
  CR_THETA_COM,
  CR_THETA_INERTIA,
  CR_THETA_STIFFNESS, /* of a joint, as the next */
  CR_THETA_SPRING_REFERENCE,
  CR_THETA_DAMPING,
  CR_THETA_ARMATURE,
  CR_THETA_FRICTION_LOSS,
  CR_THETA_STIFFNESS_MORE, /* see force_parameters.h, from here on */
  CR_THETA_DAMPING_MORE,
  CR_THETA_GAIN, /* of an actuator, as the next */
  CR_THETA_GAIN_FEEDBACK,
  CR_THETA_BIAS,
  CR_THETA_GEAR,
  CR_THETA_WRENCH,
  CR_THETA_LENGTH_RANGE, /* of a muscle */
  CR_THETA_FORCE_RANGE,
  CR_THETA_TENDON_STIFFNESS,
  CR_THETA_TENDON_STIFFNESS_MORE,
  CR_THETA_TENDON_REST,
  CR_THETA_TENDON_DAMPING,
  CR_THETA_TENDON_DAMPING_MORE,
  CR_THETA_TENDON_ARMATURE,
  CR_THETA_SPRING_STIFFNESS, /* of one between points, as the next */
  CR_THETA_SPRING_DAMPING,
  CR_THETA_SPRING_REST,
  CR_THETA_SPRING_POINT1,
  CR_THETA_SPRING_POINT2, /* to here */
  CR_THETA_FRICTION,      /* of a geometry or pair, as the next */
  CR_THETA_STATIC_FRICTION,
  CR_THETA_STRIBECK_SPEED,
  CR_THETA_TORSION,
  CR_THETA_ROLLING,
  CR_THETA_HUNT_CROSSLEY,
  CR_THETA_RESTITUTION,
  CR_THETA_CONTACT_STIFFNESS,
  CR_THETA_MODULUS,
  CR_THETA_LAYER,
  CR_THETA_CONTACT_DISSIPATION,
  CR_THETA_ADHESION,
  CR_THETA_SIZE, /* of a geometry, as the next */
  CR_THETA_PLACE,
  CR_THETA_TURN,
  CR_THETA_BODY_PLACE, /* of a body in its parent, as the next; see place_parameters.h */
  CR_THETA_BODY_TURN,
  CR_THETA_JOINT_ANCHOR,
  CR_THETA_JOINT_AXIS,
  CR_THETA_COMPENSATION, /* of a body's weight */
  CR_THETA_RANGE,        /* of a joint's limit, as the next; see row_parameters.h */
  CR_THETA_LIMIT_STIFFNESS,
  CR_THETA_LIMIT_DISSIPATION,
  CR_THETA_TENDON_RANGE, /* the same of a tendon */
  CR_THETA_TENDON_LIMIT_STIFFNESS,
  CR_THETA_TENDON_LIMIT_DISSIPATION,
  CR_THETA_TENDON_FRICTION_LOSS,
  CR_THETA_EQUALITY_ANCHOR1, /* of an equality, as the next */
  CR_THETA_EQUALITY_ANCHOR2,
  CR_THETA_EQUALITY_DISTANCE,
  CR_THETA_EQUALITY_POLYNOMIAL,
  CR_THETA_EQUALITY_STIFFNESS,
  CR_THETA_EQUALITY_DISSIPATION,
  CR_THETA_YOUNG, /* of a soft body, as the next */
  CR_THETA_POISSON,
  CR_THETA_DENSITY,
  CR_THETA_SOFT_MASS,
  CR_THETA_ALPHA,
  CR_THETA_BETA,
  CR_THETA_PRESSURE,
  CR_THETA_TIE_STIFFNESS, /* of an attachment, as the next */
  CR_THETA_TIE_DISSIPATION,
  CR_THETA_TIME_CONSTANT, /* of an actuator's input, as the next; see actuator_tangent.h */
  CR_THETA_CONTROL_RANGE,
  CR_THETA_ACTIVATION_RANGE,
} cr_theta_kind;

struct cr_theta_column {
  cr_theta_kind kind;
  int index;   /* in the model: body, joint, actuator, geometry; pairs behind the geometries, and
                  -1 - s of contacts of soft body s */
  int element; /* of the parameter's numbers */
};
typedef struct cr_theta_column cr_theta_column;

/* A number of a geometry's size or place. */
static inline bool cr_theta_is_of_shape(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_SIZE && theta->kind <= CR_THETA_TURN;
}

/* A number of what two surfaces make of their contact. */
static inline bool cr_theta_is_of_surface(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_FRICTION && theta->kind <= CR_THETA_CONTACT_DISSIPATION;
}

/* A number that a geometry's pressure follows from. */
static inline bool cr_theta_is_of_inside(const cr_theta_column* theta) {
  return theta->kind == CR_THETA_MODULUS || theta->kind == CR_THETA_LAYER ||
         theta->kind == CR_THETA_SIZE;
}

/* A number that moves where contacts of a geometry lie on their links: also its stiffness, modulus
 * and layer, by which it yields more or less than what it touches. */
static inline bool cr_theta_moves_contacts(const cr_theta_column* theta) {
  return cr_theta_is_of_shape(theta) || cr_theta_is_of_inside(theta) ||
         (theta->kind == CR_THETA_CONTACT_STIFFNESS && theta->index >= 0);
}

/* Whether it is an actuator's gear; null is none. */
static inline bool cr_theta_is_of_gear(const cr_theta_column* theta, int actuator) {
  return theta && theta->kind == CR_THETA_GEAR && theta->index == actuator;
}

#endif
