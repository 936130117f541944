/* Rows of constraints between links, and how they move: of a row with the axis e that acts at the
 * place p of a link the Jacobian is S · w, with the wrench w = ((p - o) × e, e) about the tree's
 * origin o, or (e, 0) where it is of a moment. */
#ifndef CR_DERIVE_ROW_TANGENT_H
#define CR_DERIVE_ROW_TANGENT_H

#include "derive/step_tangent.h"

/* What a row is along. */
typedef enum cr_row_kind {
  CR_ROW_OF_POINT,  /* velocity of a point of link 1 less that of one of link 0, along the axis */
  CR_ROW_OF_MOMENT, /* the same of angular velocities, times a length */
  CR_ROW_OF_DOFS,   /* dofs with coefficients, those of lines among them */
} cr_row_kind;

typedef struct cr_row_shape {
  cr_row_kind kind;
  int link[2];
  v3 axis, place[2];           /* world */
  double length;               /* m, of moments */
  int num_dofs;                /* of points: those of soft bodies' nodes, beside the links */
  int* dof;                    /* [num_dofs], of which some may repeat each other */
  double *coefficient, *moved; /* [num_dofs]; the latter is work */
  const struct cr_line_tangent* line[2]; /* null: none */
} cr_row_shape;

/* How it moves in a column. */
typedef struct cr_row_change {
  v3 axis, place[2];
  double length;             /* m, of moments */
  const double* coefficient; /* [num_dofs] */
  sv wrench[2], turned[2]; /* of links that move, see cr_row_carry: the wrench of each side, and how
                              it moves but for what its link carries along */
} cr_row_change;

/* A velocity, and what of its links' motion does not turn with them. */
typedef struct cr_row_motion {
  const double* v;  /* [num_v] */
  sv* link;         /* [num_links] */
  sv* drift;        /* [num_v] see cr_rnea_tangents */
  sv* link_drift;   /* [num_links] sum of the drifts on each link's path in the column at hand */
  const double* dv; /* [num_v] its change in the column; null: not wanted, as the next */
  sv* link_change;  /* [num_links] links' velocities of that */
} cr_row_motion;

/* Whether a dof moves a link. */
static inline bool cr_dof_moves(const cr_tree_model* model, int dof, int link) {
  if (dof >= model->num_v) return false; /* a soft body's */
  int k = model->link_last_dof[link];
  while (k > dof) k = model->dof_parent[k];
  return k == dof;
}

/* Room for one of the velocity v; false when memory ran out. And what of a tree it is. */
bool cr_row_motion_push(const cr_step_tangent* t, const double* v, cr_row_motion* motion);
void cr_row_motion_find(const cr_step* step, int tree, cr_row_motion* motion);

/* Side k's wrench of a row with its sign, -1 for link 0. */
sv cr_row_wrench(const cr_step* step, const cr_row_shape* row, int k);

/* J v of a row of links' points. */
double cr_row_find_rate(const cr_step* step, const cr_row_shape* row, const cr_row_motion* motion);

/* Fills a change's wrenches by the rest of it, for what follows.
 * @param twist [num_links] of the column, about the trees' origins */
void cr_row_carry(const cr_step* step, const cr_row_shape* row, const sv* twist,
                  cr_row_change* change);

/* (dJ) v of a row. */
double cr_row_velocity_change(const cr_step* step, const cr_row_shape* row,
                              const cr_row_change* change, const cr_row_motion* motion);

/* The same of several motions in the column of a dof's place, whatever drifts of links they have.
 * @param out [count] */
typedef struct cr_row_unit {
  int dof, count;
  const cr_row_motion* motion; /* [count] */
} cr_row_unit;
void cr_row_velocity_changes(const cr_step* step, const cr_row_shape* row,
                             const cr_row_change* change, const cr_row_unit* unit, double* out);

/* (dJ) v + J dv. */
double cr_row_rate_change(const cr_step* step, const cr_row_shape* row, const cr_row_change* change,
                          const cr_row_motion* motion);

#endif
