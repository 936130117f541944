/* The mechanism as plain data: links joined by joints into trees, and its generalised coordinates.
 *
 * A link is a body together with all bodies welded to it; link 0 is the ground. Links, joints and
 * degrees of freedom (dofs) stand depth first, parents before children, so the links and dofs of a
 * tree are contiguous. A tree hangs on what has no dofs, the ground or a mocap link, by the joints
 * of its first link; the joint-space mass matrix has one diagonal block per tree. Mocap links are
 * at poses that are coordinates without velocities, behind all others in q.
 *
 * Velocities v here are internal: those of the user's interface, except that a free joint's linear
 * part is the velocity of its anchor point (world axes). For a tree that is one free link the
 * anchor is the centre of mass, elsewhere the frame's origin, where both agree. The joint's q holds
 * the position of the link frame's origin in any case. A free joint is the only joint of the first
 * link of a tree. */
#ifndef CR_TREE_TREE_H
#define CR_TREE_TREE_H

#include "base/arena.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "tree/m6.h"

#include "carom/types.h"

#include <stdbool.h>

typedef struct cr_tree_model {
  int num_links, num_joints, num_q, num_v, num_trees, num_segments, num_mocaps;

  /* Links [num_links]; entry 0 is the ground. */
  const int* link_parent;      /* -1 for the ground */
  const int* link_tree;        /* -1 for the ground and mocap links */
  const int* link_joint_start; /* [num_links + 1] first joint */
  const int* link_v_start;     /* [num_links + 1] first dof */
  const int* link_last_dof;    /* last dof on the path from the root, own ones included; -1: none */
  const double*
      link_position; /* [3 each] of the frame in the parent's frame, joints at reference */
  const double* link_quaternion; /* [4 each] */
  const double* link_mass;
  const double* link_com;     /* [3 each] in the link frame */
  const double* link_inertia; /* [6 each] xx yy zz xy xz yz about the centre of mass, link axes */

  /* Mocap links [num_mocaps]: position and quaternion of each stand in q from mocap_q on. */
  const int* mocap_link;
  int mocap_q;

  /* Joints [num_joints]. */
  const int* joint_type; /* carom_joint_type */
  const int* joint_link;
  const int* joint_q_start;
  const int* joint_v_start;
  const double* joint_anchor;    /* [3 each] in the link frame */
  const double* joint_axis;      /* [3 each] unit, in the link frame */
  const double* joint_reference; /* hinge, slide: the coordinate at which the joint does nothing */
  const double* joint_pitch;     /* m/rad, hinge: way along the axis; 0 but for screws */

  /* Dofs [num_v]. */
  const int* dof_parent; /* the dof before this one on the path from the root; -1: none */
  const int* dof_joint;
  const int* dof_link;
  const int* dof_segment;
  const double* dof_armature; /* kg or kg m² */

  /* Trees [num_trees]. */
  const int* tree_link_start;   /* first link, the only one that hangs on a link of no tree */
  const int* tree_link_end;     /* one past the last */
  const int* tree_v_start;      /* [num_trees + 1] */
  const int* tree_is_free_link; /* 1: one link on one free joint without armature */

  /* Segments [num_segments]: maximal runs of consecutive dofs without a branch between them, the
   * block rows of the mass matrix. Two segments couple when one is an ancestor of the other. */
  const int* segment_v_start; /* [num_segments + 1] */
  const int* segment_parent;  /* -1: first of its tree */
} cr_tree_model;

/* What of a configuration [7] says where a mocap link is. */
static inline const double* cr_tree_mocap_pose(const cr_tree_model* model, int mocap,
                                               const double* q) {
  return q + model->mocap_q + 7 * (size_t)mocap;
}

/* The tree's joints: cr_tree_first_joint <= joint < cr_tree_end_joint. */
static inline int cr_tree_first_joint(const cr_tree_model* model, int tree) {
  return model->link_joint_start[model->tree_link_start[tree]];
}
static inline int cr_tree_end_joint(const cr_tree_model* model, int tree) {
  return model->link_joint_start[model->tree_link_end[tree]];
}

/* The first coordinate of a tree, and the one past its last. */
static inline int cr_tree_q_start(const cr_tree_model* model, int tree) {
  return model->joint_q_start[cr_tree_first_joint(model, tree)];
}
static inline int cr_tree_q_end(const cr_tree_model* model, int tree) {
  int end = cr_tree_end_joint(model, tree);
  return end < model->num_joints ? model->joint_q_start[end] : model->num_q;
}

/* Everything that follows from q alone. World axes; the S, inertia and spatial quantities of a tree
 * refer to its own point `origin`, which is at rest in the world: where the tree begins with a free
 * joint the joint's anchor (so the centre of mass of a free link), else the first link's frame
 * origin. */
typedef struct cr_tree_kinematics {
  v3* origin;              /* [num_trees] */
  pose* link_pose;         /* [num_links] */
  v3* link_com;            /* [num_links] world position */
  spatial_inertia* link_I; /* [num_links] about the tree's origin */
  sv* S;                   /* [num_v] motion of each dof at unit rate */
} cr_tree_kinematics;

/* What follows from q and v. Entries of links of no tree are zero. */
typedef struct cr_tree_velocities {
  sv* link_V;    /* [num_links] */
  sv* link_bias; /* [num_links] sum over the link's own dofs of (dS/dt) v */
} cr_tree_velocities;

/* A uniform field and the forces that act on links. */
typedef struct cr_tree_loads {
  v3 gravity;              /* m/s² */
  const sv* link_external; /* [num_links] about the tree's origin; null: none */
} cr_tree_loads;

/* A link's frame as energies see it, along its own axes. */
typedef struct cr_tree_frame {
  v3 spin, speed, gravity;
  double potential; /* J/kg, at its origin */
} cr_tree_frame;

/* Working memory of the algorithms, for one thread. */
typedef struct cr_tree_scratch {
  sv* a;                      /* [num_links] spatial acceleration, gravity's counted in */
  sv* f;                      /* [num_links] force through the joint, or its bias */
  spatial_inertia* composite; /* [num_links] inertia of a link and all that hangs on it */
  cr_m6* I;                   /* [num_links] articulated inertia */
  sv* U;                      /* [num_v] articulated inertia times S */
  double* inv_d;              /* [num_v] one over the pivot, S . U and the dof's own diagonal */
  double* u;                  /* [num_v] joint force left for the dof's acceleration */
  cr_tree_frame* frame;       /* [num_links] */
} cr_tree_scratch;

/* Arrays for a model, uninitialised: results, or scratch until the arena's scratch is popped. Each
 * is false when memory ran out. */
bool cr_tree_push_kinematics(cr_arena* arena, const cr_tree_model* model,
                             cr_tree_kinematics* kinematics);
bool cr_tree_push_velocities(cr_arena* arena, const cr_tree_model* model,
                             cr_tree_velocities* velocities);
bool cr_tree_push_scratch(cr_arena* arena, const cr_tree_model* model, cr_tree_scratch* scratch);

#endif
