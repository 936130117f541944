/* The rows of the model's constraints, and what is known of a constraint before it is laid out in
 * the problem. */
#ifndef CR_SIM_ROW_H
#define CR_SIM_ROW_H

#include "sim/sim.h"

/* How a row's R and v_hat follow from its physics. */
typedef enum cr_row_rule {
  CR_ROW_CONTACT,  /* compliant or rigid normal, one-sided */
  CR_ROW_EQUALITY, /* the same, two-sided */
  CR_ROW_DRY,      /* R = 0, v_hat = 0 */
  CR_ROW_ACTUATOR, /* R and v_hat were set when the row was added */
} cr_row_rule;

/* A constraint before it is laid out in the problem. */
typedef struct cr_constraint {
  cr_row_rule rule;
  int point;          /* index of its contact point; -1: none */
  double distance;    /* m or rad at q^theta_d: of the normal, the limit, or the equality's row */
  double stiffness;   /* N/m or N m/rad, weighted; inf: rigid */
  double dissipation; /* s; NaN: default */
  cr_theta theta;
  cr_contact_key key;
  bool is_hit;     /* see cr_contact_record */
  uint32_t moment; /* of a contact: 0 its force, perhaps with moments, 1 torsion, 2 rolling */
  const struct cr_contact_extra* extra; /* of a contact, see contact_point.h; null: none */
  /* Of the model's rows; a contact's are its point's. */
  int link[2];     /* whose mobility it is measured by, see recovery.h; -1: the row's own */
  bool is_angular; /* velocities in rad/s */
  bool is_mocap;   /* holds a mocap body */
  bool is_tie;     /* see cr_model_row */
} cr_constraint;

/* A constraint row that enters the problem, before its Jacobian. */
typedef struct cr_model_row {
  cr_row_rule rule;
  int index;        /* joint, equality, dof or actuator; or a tendon */
  int line;         /* that the row is about, -1: none; equalities have their own */
  int row;          /* of an equality or a tie; 0 else */
  double distance;  /* at q_mid */
  double start;     /* limit: carried back to q0 */
  double sign;      /* limit: +1 lower, -1 upper */
  v3 axis;          /* ball limit: of the angle, in the link's frame */
  double low, high; /* bounds of the impulse */
  bool is_active;   /* enters the problem */
  bool is_impact;   /* limit: about to be hit, as in contact_point.h */
  bool is_hit;      /* limit: an impact at speed, see cr_contact_record */
  double border;    /* limit: see impact_border of cr_contact_set */
  const cr_barycentric_point* barycentric; /* of a tie, that is held to a link; null: it is none */
} cr_model_row;

/* A limit of a hinge or slide that is not met at v_lin, as most are. */
typedef struct cr_idle_limit {
  int joint;
  double sign, distance, start; /* as in cr_model_row */
} cr_idle_limit;

typedef struct cr_model_rows {
  int count, num_idle;
  int place; /* in the records of the last step, of the limit at hand */
  cr_model_row* items;
  cr_idle_limit* idle; /* [num_idle], in no order */
} cr_model_rows;

#endif
