/* Contacts at the border of what a step looks for. */
#ifndef CR_DERIVE_SEARCH_KINKS_H
#define CR_DERIVE_SEARCH_KINKS_H

#include "derive/constraint_state.h"

/* Counts them, with the step placed where it has looked for them; false when memory ran out. */
bool cr_search_kinks_mark(const cr_constraint_state* s);

#endif
