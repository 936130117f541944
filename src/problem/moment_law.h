/* Contacts with moments: sliding, torsional and, in six rows, rolling friction.
 *
 * The rows are t1 t2, torsion, and perhaps two of rolling, and the normal at last. A row of moments
 * is an angular velocity times a length, the ratio of its coefficient (m) to mu, so that all rows
 * have the units of velocities and the one elliptic cone with the semi-axes mu gamma_n, mu_torsion
 * gamma_n, mu_roll gamma_n is the cone |gamma_t| <= mu gamma_n of section 5 in four or six
 * dimensions. R may differ from row to row. */
#ifndef CR_PROBLEM_MOMENT_LAW_H
#define CR_PROBLEM_MOMENT_LAW_H

#include "problem/law.h"

extern const cr_law cr_contact4_law, cr_contact6_law;
extern const cr_law_interior cr_contact4_interior, cr_contact6_interior;

#endif
