/* The tables of the law of friction with a given bound. */
#ifndef CR_PROBLEM_DISC_LAW_H
#define CR_PROBLEM_DISC_LAW_H

#include "problem/law.h"

extern const cr_law cr_disc_law;
extern const cr_law_interior cr_disc_interior;

#endif
