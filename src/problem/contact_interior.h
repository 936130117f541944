/* What the interior-point solver keeps of a contact: where each part stands in its state. */
#ifndef CR_PROBLEM_CONTACT_INTERIOR_H
#define CR_PROBLEM_CONTACT_INTERIOR_H

#include "problem/law.h"

enum {
  CR_CONTACT_U = 0,        /* the point, */
  CR_CONTACT_S = 3,        /* its slack, */
  CR_CONTACT_DU = 6,       /* the direction; until it is complete, its right-hand sides */
  CR_CONTACT_DS = 9,       /* (R~ + W²) du and W² du + ds without dx, in the frame; */
  CR_CONTACT_SETTING = 12, /* and what is the same for all directions */
  CR_CONTACT_STORED = 21
};

_Static_assert(CR_CONTACT_STORED <= 3 * CR_LAW_INTERIOR_LEAST, "the state must fit");

#endif
