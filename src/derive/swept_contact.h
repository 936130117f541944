/* How contacts move that a sweep has found where they meet (sim/contact/sweep.c). */
#ifndef CR_DERIVE_SWEPT_CONTACT_H
#define CR_DERIVE_SWEPT_CONTACT_H

#include "derive/contact_column.h"
#include "geom/manifold_tangent.h"
#include "sim/contact/sweep.h"

/* Both geometries' motion from where the step looks at them to where they meet. */
typedef struct cr_swept_pair {
  const cr_step* step;
  const cr_contact_point* point; /* one of theirs */
  cr_swept of[2];                /* at time 0 where the step looks */
  pose X[2];                     /* where they meet, */
  double time;                   /* so much later, s; it may be before */
  bool is_start; /* which is at the start of the step whatever moves, else where the deepest points
                    are apart by a given way */
} cr_swept_pair;

/* A link's velocity about its tree's origin at the velocities v. */
sv cr_swept_find_velocity(const cr_step* step, int link, const double* v);

/* Of a point that is ahead, at a given time. */
void cr_swept_pair_find(const cr_step* step, const cr_contact_point* point, cr_swept_pair* out);

/* What it makes of a column. */
typedef struct cr_swept_move {
  double now[2][6], then[2][6]; /* displacements of both geometries, a turn before a way */
  double time;                  /* s, of when they meet after the start */
} cr_swept_move;

/* @param deepest the tangent of the pair's deepest point there
 * @param out `now` is given */
void cr_swept_pair_move(const cr_swept_pair* pair, const cr_contact_column* column,
                        const cr_point_tangent* deepest, cr_swept_move* out);

/* What carries a point's distance from where they meet to where the step looks, by its normal's and
 * places' change, and the time's. */
double cr_swept_pair_carry(const cr_swept_pair* pair, const cr_contact_point* point,
                           const cr_row_change* by, double time, const cr_contact_column* column);

/* A place on a body: where it meets the other, how that moves, and where it is now. */
typedef struct cr_swept_place_move {
  v3 x, dx, now;
} cr_swept_place_move;

/* How a place of body k moves now. */
v3 cr_swept_move_place(const cr_swept_pair* pair, const cr_swept_move* move, int k,
                       const cr_swept_place_move* place);

#endif
