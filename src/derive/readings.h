/* Derivatives of readings: what sensors and energies are at a state (sim/sense), and how they move
 * along a direction, in which state, controls or a parameter move. */
#ifndef CR_DERIVE_READINGS_H
#define CR_DERIVE_READINGS_H

#include "derive/actuator_tangent.h"
#include "derive/line_tangent.h"
#include "derive/parameters.h"
#include "sim/sense/sensing.h"

/* A state with all that readings are differentiated with. */
typedef struct cr_readings {
  cr_step_tangent t; /* of a step that is placed at the state, for parameters and inputs */
  cr_step step;
  cr_sensing_place place;
  cr_sensing s;
  const struct cr_force_tangents* forces; /* of the step that led here; null: none has, and its
                                             accelerations and forces are not known */
  cr_tree_motion motion;                  /* of the state with the step's accelerations */
  cr_line_tangent* lines;                 /* [num_lines] */
  double* readings;                       /* [num_readings] */
  double* spring_force;                   /* [num_v] of the joints' springs, interface */
  double* soft_work;                      /* [num_v] */
} cr_readings;

/* A direction. Links' fields [num_links] are about their trees' origins; how their velocities and
 * accelerations change is what turns with them, twist × V, and `own_V`, `own_A`. */
typedef struct cr_reading_direction {
  const double *dx, *du;        /* [num_x], [num_controls] of the interface */
  const cr_theta_column* theta; /* null: no parameter moves */
  int column;                   /* of all that there are: state, controls, parameters */
  double *q, *v, *a;            /* [num_v] internal; a is given, null: it stays */
  sv *twist, *own_V, *own_A;
} cr_reading_direction;

/* Places one whose t.arena, t.error and step.sim are given. */
carom_status cr_readings_init(cr_readings* r);

/* Room for a direction; false when memory ran out. Fills it from dx and a. */
bool cr_reading_direction_push(const cr_readings* r, cr_reading_direction* d);
void cr_reading_direction_fill(cr_readings* r, cr_reading_direction* d);

/* Refuses sensors that have no derivative, in a sentence. */
carom_status cr_readings_check(const cr_readings* r, int sensor, const cr_theta_column* thetas,
                               int num_thetas);

/* How a sensor moves [its numbers]. */
void cr_reading_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              double* out);

/* How kinetic and potential energies move. */
double cr_kinetic_differentiate(const cr_readings* r, const cr_reading_direction* d);
double cr_potential_differentiate(const cr_readings* r, const cr_reading_direction* d);

/* What soft bodies have in these. */
double cr_soft_kinetic_differentiate(const cr_readings* r, const cr_reading_direction* d);
double cr_soft_potential_differentiate(const cr_readings* r, const cr_reading_direction* d);

/* How a world point of a link moves; a body's centre of mass, and that. */
v3 cr_reading_move_point(const cr_readings* r, const cr_reading_direction* d, int link, v3 point);
v3 cr_reading_move_com(const cr_readings* r, const cr_reading_direction* d, int body, v3* change);

/* What bears a body's weight, N, and how that moves. */
v3 cr_reading_find_lift(const cr_readings* r, const cr_reading_direction* d, int body, v3* change);

/* What turns a dof's axis, the twist of all dofs before it; no parameter displaces those that bear
 * weight. */
sv cr_reading_find_axis_twist(const cr_readings* r, const cr_reading_direction* d, int dof);

/* A body's inertia about its tree's origin, and where its subtree ends. */
spatial_inertia cr_reading_find_inertia(const cr_readings* r, int body);
int cr_reading_find_end(const cr_readings* r, int body);

/* How a contact of the step does. */
const struct cr_contact_move* cr_reading_move_contact(const cr_readings* r,
                                                      const cr_reading_direction* d, int i);

/* How sensors of touch, contacts and distance, and forces of limits (0: of joints, 1: of tendons)
 * move; and the wrench with which its parent holds a body, about the world's origin. */
double cr_touch_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor);
void cr_contacts_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                               double* out);
double cr_range_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor);
double cr_limit_force_differentiate(const cr_readings* r, const cr_reading_direction* d, int kind,
                                    int index);
sv cr_wrench_differentiate(const cr_readings* r, const cr_reading_direction* d, int body);

/* How the rest of a tendon, or of a spring between points, moves with a place, where it is that of
 * the reference. How the length and rate of a line do; what an actuator works on, before its gear,
 * and its rate; its force; all that actuators do to a dof, and along a tendon. */
double cr_rest_differentiate(const cr_readings* r, const cr_reading_direction* d, bool is_spring,
                             int index);
double cr_line_length_differentiate(const cr_readings* r, const cr_reading_direction* d, int line);
double cr_line_rate_differentiate(const cr_readings* r, const cr_reading_direction* d, int line);
double cr_actuator_length_differentiate(const cr_readings* r, const cr_reading_direction* d, int a);
double cr_actuator_rate_differentiate(const cr_readings* r, const cr_reading_direction* d, int a);
double cr_actuator_force_differentiate(const cr_readings* r, const cr_reading_direction* d, int a);
double cr_actuation_differentiate(const cr_readings* r, const cr_reading_direction* d, int dof);
double cr_tendon_actuators_differentiate(const cr_readings* r, const cr_reading_direction* d,
                                         int tendon);

/* How a sensor of a subtree moves. */
void cr_subtree_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              double out[3]);

#endif
