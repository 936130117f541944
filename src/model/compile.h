/* The passes that turn a builder into a model, in the order in which they run. */
#ifndef CR_MODEL_COMPILE_H
#define CR_MODEL_COMPILE_H

#include "base/arena.h"
#include "model/inertia.h"
#include "model/model.h"
#include "model/record.h"

/* What the passes share. Records are the builder's, in the order of addition; everything else
 * stands in the model's order. */
typedef struct cr_compile {
  const carom_builder* builder;
  carom_error* error;
  cr_arena arena; /* for the arrays below; emptied at the end */
  carom_model* model;

  /* Orders: the record of each part of the model, and the part of each record. */
  int *body_record, *body_index;
  int *joint_record, *joint_index;
  int *geom_record, *geom_index;

  int num_links, num_mocaps;
  int* body_link;         /* [num_bodies] */
  int* link_body;         /* [num_links] the body whose frame and joints the link has */
  v3* body_position;      /* [num_bodies] in the link's frame */
  quat* body_quaternion;  /* [num_bodies] in the link's frame */
  cr_mass* body_mass;     /* [num_bodies] in the body's frame */
  cr_mass* link_mass;     /* [num_links] in the link's frame */
  pose* link_world;       /* [num_links] at the reference configuration */
  double* given_armature; /* [joints of the builder] receives what joints without inertia of their
                             own need; null: such joints are refused */
  int void_link;          /* a link that was refused for want of inertia; 0: none */
  int void_joint;         /* the record of its joint, -1 for a free link */
} cr_compile;

/* Depth-first order of bodies, joints and geometries, and the links that bodies are welded into. */
carom_status cr_compile_order(cr_compile* compile);

/* Mass properties of bodies and links. */
carom_status cr_compile_mass(cr_compile* compile);

/* One block for the model, with all its arrays, zeroed. */
carom_status cr_compile_layout(cr_compile* compile);

/* Links, joints, dofs, trees and segments; the reference configuration. */
carom_status cr_compile_tree(cr_compile* compile);

/* Springs, dampers, limits. */
carom_status cr_compile_forces(cr_compile* compile);

/* Bodies, geometries, pairs, excludes. */
carom_status cr_compile_geoms(cr_compile* compile);

/* Sensors. */
void cr_compile_sensors(cr_compile* compile);

/* Sites. */
void cr_compile_sites(cr_compile* compile);

/* What an actuator takes of the arrays of its model, and what the ones before it have taken. */
typedef struct cr_actuator_counts {
  int controls, activations, inputs, laws;
} cr_actuator_counts;

CR_SHARED cr_actuator_counts cr_count_actuator(const carom_actuator_def* def);
void cr_fill_controls(cr_compile* compile, int index, const carom_actuator_def* def,
                      cr_actuator_counts* first);

/* Counts of tendons, actuators and their lines, and of what they may hold at most. */
void cr_count_lines(const cr_compile* compile, cr_force_model* force);

/* Tendons, actuators and the lines that they work along. */
carom_status cr_compile_lines(cr_compile* compile);

/* What of muscles, and of servos on tendons, follows from the mass matrix and the joints' limits.
 */
carom_status cr_compile_muscles(cr_compile* compile);

/* What feels the fluid. */
void cr_compile_fluid(cr_compile* compile);
/* Soft bodies and what holds them. */
carom_status cr_compile_softs(cr_compile* compile);

/* Equality constraints. */
carom_status cr_compile_equalities(cr_compile* compile);

/* Keyframes, names and notes. */
carom_status cr_compile_keyframes(cr_compile* compile);
void cr_compile_names(cr_compile* compile);

/* Factorises the mass matrix at the reference configuration, which fails when it is not positive
 * definite, and sets what follows from it: damping ratios of actuators. */
carom_status cr_compile_mass_matrix(cr_compile* compile);

/* Factorises it with a trace of armature where a joint moves no inertia of its own; fails where
 * that does not help. Fills given_armature, in the arena. */
carom_status cr_compile_given_armature(cr_compile* compile);

/* Two indices in one key that sorts by the smaller first, and what carries it. */
typedef struct cr_keyed {
  uint64_t key;
  int record;
} cr_keyed;

/* Sorts by key, then record (heap sort: in place). */
void cr_sort_keyed(cr_keyed* items, int count);

/* Records by their place in the model. */
static inline const cr_body_record* cr_body_at(const cr_compile* c, int body) {
  return CR_AT(&c->builder->bodies, cr_body_record, c->body_record[body]);
}
static inline const cr_joint_record* cr_joint_at(const cr_compile* c, int joint) {
  return CR_AT(&c->builder->joints, cr_joint_record, c->joint_record[joint]);
}
static inline const cr_geom_record* cr_geom_at(const cr_compile* c, int geom) {
  return CR_AT(&c->builder->geoms, cr_geom_record, c->geom_record[geom]);
}

/* An array of the model, and an element of it, while it is filled. */
#define CR_FILL(type, array)            ((type*)(array))
#define CR_SET(type, array, index, ...) ((void)(CR_FILL(type, array)[index] = __VA_ARGS__))

#endif
