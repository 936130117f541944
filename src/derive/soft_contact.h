/* How contact points of soft bodies move with their nodes and links (sim/soft/soft_contacts.c). */
#ifndef CR_DERIVE_SOFT_CONTACT_H
#define CR_DERIVE_SOFT_CONTACT_H

#include "derive/contact_tangent.h"

typedef struct cr_soft_contact cr_soft_contact;

/* Of a point; refuses what has no derivative yet. */
carom_status cr_soft_contact_find(cr_step_tangent* t, const cr_contact_point* point,
                                  cr_soft_contact** contact);

/* Turns rows of its law, described as those between links, into rows of links and nodes, which it
 * keeps. False when memory ran out. */
bool cr_soft_contact_describe(const cr_step_tangent* t, cr_soft_contact* contact, int rows,
                              cr_row_shape* shape);

/* As cr_contact_tangent_differentiate. */
double cr_soft_contact_differentiate(const cr_step* step, cr_soft_contact* contact,
                                     const cr_contact_column* column, cr_row_change* change);

/* After its rows were differentiated, how the normal turns; where it is touched, and how that
 * moves; and how the mass that counts there, kg, of its k-th side does as it is elsewhere. */
v3 cr_soft_contact_turn_normal(const cr_soft_contact* contact);
v3 cr_soft_contact_find_place(const cr_soft_contact* contact, v3* change);
double cr_soft_contact_move_mass(const cr_step* step, const cr_soft_contact* contact, int k);

/* How its stiffness, N/m, and dissipation, s, move in a column, with the area that it stands for,
 * likewise. */
void cr_soft_contact_vary(const cr_step* step, const cr_soft_contact* contact,
                          const cr_contact_column* column, double* stiffness, double* dissipation);

#endif
