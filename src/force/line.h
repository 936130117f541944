/* Lengths that tendons and actuators work along: of each its value, and its row J over the dofs it
 * moves with, so that dl/dt = J v and a force f along it is Jᵀ f. */
#ifndef CR_FORCE_LINE_H
#define CR_FORCE_LINE_H

#include "base/arena.h"
#include "tree/tree.h"

#define CR_LINE_SHORT 1e-15 /* m: a straight part this short has no direction */

typedef enum cr_line_kind {
  CR_LINE_FIXED,   /* a weighted sum of coordinates of hinges and slides */
  CR_LINE_SPATIAL, /* a string through points, around bodies */
  CR_LINE_WRENCH,  /* a force and torque in the first point's frame; against the second point, where
                      there is one, or from nowhere; its length is that of the one in the other */
  CR_LINE_JOINT, /* a force and torque of a ball or free joint, of which the rotation vector, but no
                    position, makes a length; forces in world axes, torques in the child's */
  CR_LINE_JOINT_IN_PARENT, /* torques in the parent's axes, or the world's of a free joint */
  CR_LINE_NOTHING,         /* moves with nothing: of length 0 */
  CR_LINE_CRANK, /* how far a slider is on its axis, the z of the first point's frame, that a rod
                    joins to the second point */
} cr_line_kind;

/* A station of a line. */
typedef enum cr_point_kind {
  CR_POINT_SITE,
  CR_POINT_SPHERE,
  CR_POINT_CYLINDER,
  CR_POINT_PULLEY, /* begins a new string, which counts by 1 / divisor */
} cr_point_kind;

typedef struct cr_line_point {
  cr_point_kind kind;
  int link;
  pose local;    /* in the link's frame */
  double radius; /* of spheres and cylinders */
  int side_link; /* -1: none */
  v3 side;       /* in its link's frame */
  double divisor;
} cr_line_point;

/* Lines [num_lines]: of tendons, in their order, then those of actuators that have one of their
 * own. */
typedef struct cr_line_model {
  int num_lines, num_terms, num_points;
  const int* kind;
  const int* start;          /* [num_lines + 1] into the terms */
  const int* dof;            /* [num_terms] ascending but in fixed lines */
  const int* link;           /* [num_terms] that the dof moves */
  const int* q;              /* [num_terms] fixed: address of the coordinate */
  const double* coefficient; /* [num_terms] fixed: length per coordinate */
  const int* point_start;    /* [num_lines + 1] */
  const cr_line_point* point;
  const int* joint;        /* of joints; -1 else */
  const double* wrench;    /* [6 each] force and torque of a unit of force along the line */
  const double* rod;       /* of cranks, m */
  const double* reference; /* length at the reference configuration */
} cr_line_model;

/* Lengths and rows at a configuration. */
typedef struct cr_lines {
  double* length; /* [num_lines] */
  double* J;      /* [num_terms] */
} cr_lines;

bool cr_lines_push(cr_arena* arena, const cr_line_model* model, cr_lines* lines);

/* Where lines run: the coordinates, and the kinematics there. */
typedef struct cr_line_place {
  const cr_line_model* model;
  const cr_tree_model* tree;
  const cr_tree_kinematics* kinematics;
  const double* q;
} cr_line_place;

/* Length and row of a line; the kinematics of the trees it moves with must be there. */
void cr_line_update(const cr_line_place* place, int line, cr_lines* lines);
void cr_lines_update(const cr_line_place* place, cr_lines* lines);

/* A straight part of a string between points of two links. */
typedef struct cr_line_strand {
  int link[2];
  v3 point[2];   /* world */
  double share;  /* of the string's tension, see pulleys */
  bool is_wound; /* an end is where it leaves a body */
} cr_line_strand;

/* The straight parts of a spatial line; other lines have none.
 * @param strands receives them [at most twice the line's points]
 * @return how many there are */
int cr_line_find_strands(const cr_line_place* place, int line, cr_line_strand* strands);

/* Adds what a force along a line does to links where it acts on them at points, and not through
 * their joints: along strings, by wrenches, through the rods of cranks.
 * @param link_force [num_links] about the world's origin */
void cr_line_add_link_forces(const cr_line_place* place, int line, double force, sv* link_force);

/* (dJ/dt) v of a line that winds around nothing: what its length accelerates by where v does not
 * change. Of fixed and spatial lines; 0 of others.
 * @param velocities of the trees it moves with, at v */
double cr_line_compute_drift(const cr_line_place* place, const cr_tree_velocities* velocities,
                             int line);

/* dl/dt at the internal velocities v; tau += Jᵀ force. */
double cr_line_compute_rate(const cr_line_model* model, const cr_lines* lines, int line,
                            const double* v);
void cr_line_add_force(const cr_line_model* model, const cr_lines* lines, int line, double force,
                       double* tau);

/* True where nothing that moves is on the line. */
static inline bool cr_line_is_still(const cr_line_model* model, int line) {
  return model->start[line] == model->start[line + 1];
}

#endif
