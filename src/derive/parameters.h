/* Derivatives with respect to parameters of the model (carom/parameter.h): each number of one is a
 * column behind those of the controls. */
#ifndef CR_DERIVE_PARAMETERS_H
#define CR_DERIVE_PARAMETERS_H

#include "derive/contact_parameters.h"
#include "derive/tree_parameters.h"

/* The columns of a list of parameters, into t.thetas; refuses what there are no derivatives for. */
carom_status cr_thetas_find(cr_step_tangent* t, const carom_parameter* parameters, int count);

#endif
