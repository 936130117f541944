/* Contact problems of the public interface for tests. */
#ifndef CR_TEST_CONVEX_H
#define CR_TEST_CONVEX_H

#include "support/problem.h"

#include "carom/problem_file.h"
#include "carom/solve.h"

/* A copy of a test problem, its constraints in the order of the generator. */
carom_problem* test_convex_copy(const test_problem* p, const double* guess);

/* Two unit masses (one block of three unknowns each) on a plane and on each other: contact 0 of
 * block 0 with the world, contact 1 between the blocks; both fall at 1 m/s and slide at `speed`.
 * Not finished. */
carom_problem* test_convex_make_two(double speed, double mu);

/* Fails unless both problems are the same, numbers within `tolerance` (relative to the largest). */
void test_convex_expect_same(const carom_problem* a, const carom_problem* b, double tolerance);

/* A file of this process; set up and taken away around a group of tests. */
extern char test_convex_path[64];
int test_convex_make_path(void** state);
int test_convex_remove_path(void** state);

/* Loads it; writes the two masses to it, in a form; replaces one of its datasets. */
carom_problem* test_convex_load(void);
void test_convex_save_two(carom_problem_format format);
void test_convex_put_ints(const char* dataset, const int* values, int count);
void test_convex_put_reals(const char* dataset, const double* values, int count);

#endif
