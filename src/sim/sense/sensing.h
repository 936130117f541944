/* What sensors read, from a state, the acceleration that goes with it, and the impulses of a step.
 */
#ifndef CR_SIM_SENSING_H
#define CR_SIM_SENSING_H

#include "sim/sim.h"

typedef struct cr_sensing {
  const carom_model* model;
  double time;                          /* s */
  const double *q, *v, *ctrl, *act, *u; /* u: internal velocities */
  const cr_tree_kinematics* kinematics;
  const cr_tree_velocities* velocities;

  /* Of the step that led here; null and 0: nothing constrains. */
  const carom_contact* contacts;
  int num_contacts;
  const cr_adhesion_force* adhesion; /* [num_adhesion] */
  int num_adhesion;
  const cr_contact_memory* memory;
  const cr_sim_wrench* wrench; /* [num_bodies] null: none */
  bool parts_lines; /* strings, and actuators between sites, are no part of forces on bodies */

  /* Filled by cr_sensing_update where a sensor asks. */
  const double* u_dot; /* [num_v] */
  sv* link_A;          /* [num_links] accelerations about the trees' origins, gravity counted in */
  sv* body_force;    /* [num_bodies] with which its parent holds a body, about the world's origin */
  sv* external;      /* [num_links] forces that are no constraint's, about the trees' origins */
  double* actuation; /* [num_v] of all actuators */
  double* input;     /* [num_inputs] controls, or activations, that count; see actuator.h */
  double* scratch;   /* [num_v] */
  double* line_force; /* [num_lines] */
  cr_lines lines;
} cr_sensing;

/* The arrays; false when memory ran out. */
bool cr_sensing_push(cr_arena* arena, const carom_model* model, cr_sensing* sensing);

/* A state of a simulation's that is sensed, with what the last attempt left: its time, q and v are
 * given. In the simulation's arena; false when memory ran out. */
typedef struct cr_sensing_place {
  double time;
  const double *q, *v;
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
} cr_sensing_place;
bool cr_sensing_of_sim(carom_sim* sim, cr_sensing_place* at, cr_sensing* sensing);

/* What follows from the internal acceleration u_dot [num_v]. */
void cr_sensing_update(cr_sensing* sensing, const double* u_dot);

/* Readings of all sensors [num_readings]. */
void cr_sensing_read(const cr_sensing* sensing, double* readings);

/* Force of a constraint's row: its impulse over the step, 0 where it did not act. */
double cr_sensing_find_force(const cr_sensing* sensing, uint64_t pair, int row);

/* The number of the undetermined force that it shares, 0 where none. */
int cr_sensing_find_shared(const cr_sensing* sensing, uint64_t pair, int row);

/* Accelerations of links from internal ones [num_v], and forces of parents on their bodies, from
 * these and the impulses. */
void cr_sensing_update_accelerations(cr_sensing* sensing, const double* u_dot);
void cr_sensing_update_body_forces(cr_sensing* sensing);

/* What lines do to links at points, at the links' accelerations, [num_links] about the world's
 * origin. */
void cr_sensing_compute_line_forces(const cr_sensing* sensing, sv* link_force);

/* Force of an actuator within its range, before its gear. */
double cr_sensing_find_actuator_force(const cr_sensing* sensing, int actuator);

/* Controls, or activations, that count, and where lines are. */
void cr_sensing_update_lines(cr_sensing* sensing);

/* Force of an equality of bodies on one of the two, 0 or 1, about the world's origin. */
sv cr_sensing_find_equality_force(const cr_sensing* sensing, int index, int which);

/* Readings of one sensor on a frame or site, a subtree, contacts. */
void cr_sensing_read_frame(const cr_sensing* sensing, int sensor, double* out);
void cr_sensing_read_subtree(const cr_sensing* sensing, int sensor, double* out);
void cr_sensing_read_site(const cr_sensing* sensing, int sensor, double* out);
void cr_sensing_read_contacts(const cr_sensing* sensing, int sensor, double* out);
double cr_sensing_read_touch(const cr_sensing* sensing, int sensor);
double cr_sensing_read_range(const cr_sensing* sensing, int sensor);

/* Whether a contact's normal force counts in a touch sensor: 1 where its normal leads out of the
 * sensor's body, -1 into it, 0 where it does not count. */
int cr_sensing_touches(const cr_sensing* sensing, int sensor, const carom_contact* contact);

/* The geometry that a range finder's ray ends on, -1: none; and how far away. */
int cr_sensing_find_range(const cr_sensing* sensing, int sensor, double* distance);

/* Whether a contact sensor counts a contact: 1 as it stands, -1 with its sides exchanged, 0 not at
 * all. The contact of the place behind one of rank `after` and number `number`; -1: none; its rank.
 */
int cr_sensing_match(const cr_sensing* sensing, const cr_contact_query* query,
                     const carom_contact* contact);
int cr_sensing_find_next(const cr_sensing* sensing, const cr_contact_query* query, double after,
                         int number);
double cr_sensing_rank(const cr_contact_query* query, const carom_contact* contact);

/* What a place of a contact sensor says, and its numbers out of that. */
typedef struct cr_contact_place {
  double found, distance;
  v3 force, torque, point, normal, tangent;
} cr_contact_place;
void cr_contact_place_write(const cr_contact_place* place, unsigned data, double* out);

/* Pose of a sensor's frame (0) or reference frame (1) in the world. */
pose cr_sensing_find_pose(const cr_sensing* sensing, int sensor, int which);

/* The body of a geometry; -1 for that of a soft body. */
static inline int cr_sensing_body_of(const cr_sensing* sensing, int geom) {
  return geom < 0 ? -1 : sensing->model->geom.body[geom];
}

/* Reference point of a link's spatial vectors: its tree's, the world's origin for the ground. */
static inline v3 cr_sensing_origin(const cr_sensing* sensing, int link) {
  int tree = sensing->model->tree.link_tree[link];
  return tree < 0 ? v3_zero() : sensing->kinematics->origin[tree];
}

#endif
