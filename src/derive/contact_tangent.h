/* How a contact point moves with its two links. */
#ifndef CR_DERIVE_CONTACT_TANGENT_H
#define CR_DERIVE_CONTACT_TANGENT_H

#include "derive/row_tangent.h"
#include "problem/law.h"

typedef struct cr_contact_tangent cr_contact_tangent;

/* Of a point of the set; refuses what has no derivative yet.
 * @param tangent receives one that lives in t->arena */
carom_status cr_contact_tangent_find(cr_step_tangent* t, const cr_contact_set* set, int point,
                                     const cr_contact_tangent** tangent);

/* The rows of its law. */
void cr_contact_tangent_describe(cr_law_kind kind, const cr_contact_point* point,
                                 cr_row_shape* rows);

/* How they move in a column.
 * @param twist [num_links] about the trees' origins
 * @return the change of the distance */
double cr_contact_tangent_differentiate(const cr_step* step, const cr_contact_tangent* tangent,
                                        const cr_row_shape* shape, int rows, const sv* twist,
                                        cr_row_change* change);

#endif
