/* How lines (force/line.h) bend: the change of a line's row J, and of its length, with the
 * configuration. */
#ifndef CR_DERIVE_LINE_TANGENT_H
#define CR_DERIVE_LINE_TANGENT_H

#include "force/line.h"
#include "tree/rnea_derivatives.h"

typedef struct cr_line_tangent {
  int line, n;     /* -1: it is no line */
  const int* dof;  /* [n] that it moves with */
  const double* J; /* [n] */
  double* G;       /* [n] d length / d q; J but for wrenches and joints */
  double* H;       /* [n, n] row-major, d J / d q */
  double* carried; /* [n, n] what of it is there where links carry their wrenches along */
  bool is_strand, has_axis;
  cr_line_strand strand; /* a straight part by itself, along `axis` */
  v3 axis;
  const int* left_out;           /* [num_v] dofs that have no row here; null: all have */
  double *moved, *moved_carried; /* [n] of the displacement that was looked at last */
} cr_line_tangent;

/* Of a line that cr_line_update has measured at the place. False when memory ran out. */
bool cr_line_tangent_find(const cr_line_place* place, const cr_lines* lines, int line,
                          cr_arena* arena, cr_line_tangent* tangent);

/* Of a straight part by itself, whose dofs are those on both links' paths; along an axis that stays
 * (world), where one is given. */
bool cr_line_tangent_of_strand(const cr_line_place* place, const cr_line_strand* strand,
                               const v3* axis, cr_arena* arena, cr_line_tangent* tangent);

/* What is displaced, as dofs that stand where each of them is inserted would. */
typedef struct cr_line_displacement {
  int count;
  const cr_tree_insertion* in;
} cr_line_displacement;

/* How J moves with that, into `moved`, and what of it is there where links carry their wrenches
 * along.
 * @param place where it was found
 * @return what the length changes by */
double cr_line_tangent_displace(const cr_line_place* place, const cr_line_tangent* tangent,
                                const cr_line_displacement* by);

/* Of a force and a torque at a point of a link, which carries the point along, and their directions
 * unless these stay; n is 0 where it does not move. */
typedef struct cr_line_wrench {
  int link;
  bool stays;
  v3 point, force, torque; /* world */
} cr_line_wrench;
bool cr_line_tangent_of_wrench(const cr_line_place* place, const cr_line_wrench* wrench,
                               cr_arena* arena, cr_line_tangent* tangent);

/* x over the line's dofs: J x, G x, and y . dJ for the change by x. */
double cr_line_tangent_rate(const cr_line_tangent* t, const double* x);
double cr_line_tangent_length(const cr_line_tangent* t, const double* x);
double cr_line_tangent_bend(const cr_line_tangent* t, const double* x, const double* y);

/* y += s J; y += s dJ for the change by x; x += s dJᵀ y over its rows. [num_v] */
void cr_line_tangent_add_row(const cr_line_tangent* t, double s, double* y);
void cr_line_tangent_add_length(const cr_line_tangent* t, double s, double* y);
void cr_line_tangent_add_bend(const cr_line_tangent* t, double s, const double* x, double* y);
void cr_line_tangent_pull_bend(const cr_line_tangent* t, double s, const double* y, double* x);

#endif
