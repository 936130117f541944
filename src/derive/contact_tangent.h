/* How contact points move with their two links (sim/contact/contact_patches.c). */
#ifndef CR_DERIVE_CONTACT_TANGENT_H
#define CR_DERIVE_CONTACT_TANGENT_H

#include "derive/contact_column.h"
#include "problem/law.h"

typedef struct cr_contact_tangent cr_contact_tangent;

/* How a geometry moves in it: a turn, then the way of its centre. And how far, beside that, the
 * part of its surface that has the point x with the outward normal n moves by a size. World. */
void cr_contact_column_move_geom(const cr_step* step, const cr_contact_column* column, int geom,
                                 double move[6]);
v3 cr_contact_column_move_surface(const cr_step* step, const cr_contact_column* column, int geom,
                                  v3 x, v3 n);

/* Of a point of the set; refuses what has no derivative yet.
 * @param tangent receives one that lives in t->arena */
carom_status cr_contact_tangent_find(cr_step_tangent* t, const cr_contact_set* set, int point,
                                     const cr_contact_tangent** tangent);

/* Marks the kinks of a point that takes part, by the speeds (m/s) that would turn with its normal
 * and that its place has an arm for, and that along its normal. */
void cr_contact_tangent_mark(cr_step_tangent* t, const cr_contact_tangent* tangent, double turning,
                             double moving, double nearing);

/* The rows of its law.
 * @param moment as in cr_constraint */
void cr_contact_tangent_describe(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                                 cr_row_shape* rows);

/* What nodes of soft bodies do in them. False when memory ran out. */
bool cr_contact_tangent_add_nodes(const cr_step_tangent* t, const cr_contact_tangent* tangent,
                                  int rows, cr_row_shape* shape);

/* Whether where the point lies depends on how fast its surfaces have come: compliant ones that
 * overlap, and those that meet later in the step. */
bool cr_contact_tangent_yields(const cr_step* step, const cr_contact_point* point);

/* How the normal does in a column, after its rows were differentiated. */
v3 cr_contact_tangent_turn_normal(const cr_contact_tangent* tangent);

/* How the mass that counts for its k-th body, kg, does, likewise: a soft one's where it is touched.
 */
double cr_contact_tangent_move_mass(const cr_step* step, const cr_contact_tangent* tangent, int k);

/* How the point's position does, from the change of its first row: where it is, of what meets later
 * where it will be. */
v3 cr_contact_tangent_move_position(const cr_contact_tangent* tangent, const cr_row_change* change);

/* Where the point is on A, and how that moves, likewise; of soft bodies where it is. */
v3 cr_contact_tangent_find_first(const cr_contact_tangent* tangent, v3* change);

/* How they move in a column.
 * @return the change of the distance */
double cr_contact_tangent_differentiate(const cr_step* step, const cr_contact_tangent* tangent,
                                        const cr_row_shape* shape, int rows,
                                        const cr_contact_column* column, cr_row_change* change);

/* What a point's share of an area, its stiffness and its dissipation change by. */
typedef struct cr_contact_give {
  double weight, stiffness, dissipation;
} cr_contact_give;

/* How they do in a column, after its rows were differentiated: of one that stands for a part of an
 * area, or that a soft body has a part in. */
cr_contact_give cr_contact_tangent_vary(const cr_step* step, const cr_contact_tangent* tangent,
                                        const cr_contact_column* column);

#endif
