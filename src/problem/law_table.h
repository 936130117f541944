/* The laws by kind. No law includes it: solvers and assembly do. */
#ifndef CR_PROBLEM_LAW_TABLE_H
#define CR_PROBLEM_LAW_TABLE_H

#include "problem/law.h"

extern const cr_law* const cr_law_table[CR_LAW_COUNT];

/* The law of a kind. */
static inline const cr_law* cr_law_get(cr_law_kind kind) { return cr_law_table[kind]; }

#endif
