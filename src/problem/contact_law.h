/* The tables of the frictional contact law. */
#ifndef CR_PROBLEM_CONTACT_LAW_H
#define CR_PROBLEM_CONTACT_LAW_H

#include "problem/law.h"

extern const cr_law cr_contact_law;
extern const cr_law_interior cr_contact_interior;

#endif
