/* The tables of the law of bounded rows. */
#ifndef CR_PROBLEM_BOUNDS_LAW_H
#define CR_PROBLEM_BOUNDS_LAW_H

#include "problem/law.h"

extern const cr_law cr_bounds_law;
extern const cr_law_interior cr_bounds_interior;

#endif
