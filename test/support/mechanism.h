/* Mechanisms for tests and benchmarks: bodies and joints that are compiled into a cr_tree_model,
 * from code, from random numbers or from a table of reference values (oracle.json). */
#ifndef CR_TEST_MECHANISM_H
#define CR_TEST_MECHANISM_H

#include "support/check.h"
#include "tree/algorithms.h"
#include "tree/coordinates.h"

#include <jansson.h>

/* A body; body 0 is the world. Parents come before children and bodies stand depth first. */
typedef struct mechanism_body {
  int parent;
  double position[3]; /* of the frame in the parent's frame, joints at reference */
  double quaternion[4];
  double mass;
  double com[3];     /* body frame */
  double inertia[6]; /* xx yy zz xy xz yz about the centre of mass, body axes */
} mechanism_body;

/* A joint between a body and its parent; bodies without joints are welded. Joints stand in the
 * order of their bodies. */
typedef struct mechanism_joint {
  carom_joint_type type;
  int body;
  double anchor[3]; /* body frame; ignored for a free joint */
  double axis[3];
  double reference;
  double armature;
} mechanism_joint;

typedef struct mechanism_def {
  int num_bodies, num_joints;
  mechanism_body* bodies;
  mechanism_joint* joints;
  bool keep_free_origin; /* anchors of free links stay at their frames' origins */
} mechanism_def;

/* An empty world. */
void mechanism_def_init(mechanism_def* def);
void mechanism_def_destroy(mechanism_def* def);

/* Copies a body or joint to the end; returns its id. */
int mechanism_def_add_body(mechanism_def* def, const mechanism_body* body);
int mechanism_def_add_joint(mechanism_def* def, const mechanism_joint* joint);

/* A compiled mechanism with memory for every algorithm of the tree module. */
typedef struct mechanism {
  cr_tree_model model;
  int num_bodies;
  int* body_link;
  pose* body_local; /* body frame in the link's frame */
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
  cr_tree_scratch scratch;
  cr_arena arena; /* holds everything above */
} mechanism;

mechanism* mechanism_create(const mechanism_def* def);
void mechanism_destroy(mechanism* m);

/* What random mechanisms are made of. */
typedef struct mechanism_options {
  int num_bodies;         /* without the world */
  int max_joints;         /* per body */
  double root_chance;     /* that a body hangs on the world */
  double weld_chance;     /* that a body has no joint */
  double free_chance;     /* that a body on the world has a free joint */
  double ball_chance;     /* that a joint is a ball */
  double armature_chance; /* that a joint has armature */
  bool keep_free_origin;  /* as in mechanism_def */
} mechanism_options;

mechanism_options mechanism_options_default(void);
mechanism* mechanism_create_random(const mechanism_options* options, check_random* random);

/* The mechanism of an oracle.json. Its coordinates, dofs and bodies have the file's numbers. */
mechanism* mechanism_create_from_oracle(const json_t* oracle, bool keep_free_origin);

/* Numbers of a JSON array, or of an array of rows, into doubles; returns how many. */
int mechanism_read_numbers(const json_t* array, double* out);

/* A random configuration [num_q], and standard normal numbers [num_v]. */
void mechanism_draw_q(const mechanism* m, check_random* random, double* q);
void mechanism_draw_v(const mechanism* m, check_random* random, double* v);

/* Kinematics and velocities of all trees and of the ground; v null: kinematics alone. */
void mechanism_update(mechanism* m, const double* q, const double* v);

/* A body's frame in the world, after an update. */
pose mechanism_compute_body_pose(const mechanism* m, int body);

/* The whole mass matrix [num_v, num_v], after an update. */
void mechanism_compute_mass_matrix(mechanism* m, double* M);

/* Inverse dynamics of all trees; velocities, a and gravity as the last update left them. */
void mechanism_compute_inverse_dynamics(mechanism* m, const double* a, const cr_tree_loads* loads,
                                        double* tau);

/* Forward dynamics of all trees; false when one fails. */
bool mechanism_compute_forward_dynamics(mechanism* m, const double* tau, const double* extra,
                                        const cr_tree_loads* loads, double* a);

/* q1 = q0 advanced along a constant (internal) velocity, Cayley rotations, all trees. */
void mechanism_advance(const mechanism* m, const double* q0, const double* v, double dt,
                       double* q1);

/* Sums over all trees. Kinetic energy needs the v of the last update. */
double mechanism_compute_kinetic_energy(const mechanism* m, const double* v);
double mechanism_compute_gravity_energy(const mechanism* m, v3 gravity);

#endif
