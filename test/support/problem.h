/* Contact problems for tests: the sapproblem text format, and random ones. */
#ifndef CR_TEST_PROBLEM_H
#define CR_TEST_PROBLEM_H

#include "problem/assembly.h"
#include "support/check.h"

/* A problem with all its memory. */
typedef struct test_problem {
  cr_arena arena;
  cr_problem problem;
  cr_symbolic A_symbolic;
  int* order; /* constraint of the problem -> constraint of the file or generator */
  char name[256];
} test_problem;

void test_problem_destroy(test_problem* p);

/* Dense Jacobian [num_rows, n] row-major of a problem (caller frees). */
double* test_problem_dense_J(const cr_problem* p);

/* Reads a sapproblem file with its own w, sigma and beta (see the format's description). Fails the
 * test when the file is broken. */
void test_problem_load_sap(const char* path, test_problem* p);

/* The reference solution of a .sol file, in the problem's order; NULL members where absent. */
typedef struct test_solution {
  double cost, residual;
  int n, rows;
  double* v;
  double* gamma; /* in the order of the file */
} test_solution;

void test_solution_load_sap(const char* path, test_solution* s);
void test_solution_destroy(test_solution* s);

/* What a random problem is like. */
typedef struct test_problem_def {
  int bodies; /* free bodies of six unknowns */
  int contacts;
  double mass_ratio;                    /* masses are spread log-uniformly over this ratio */
  double stiffness_low, stiffness_high; /* N/m, log-uniform; inf: rigid */
  double mu_low, mu_high;
  double sigma;     /* R_t = sigma w; 0: none */
  double redundant; /* share of contacts that repeat an earlier one */
  int bounds;       /* further one-row constraints of random kinds */
  bool full_A;      /* couple some blocks in A */
  double moments;   /* share of contacts with torsional and perhaps rolling friction */
  double length_low, length_high; /* m, log-uniform: mu_torsion and mu_roll over mu */
} test_problem_def;

/* Well conditioned: masses over a decade, k = 1e3 to 1e6 N/m, mu = 0.1 to 1, sigma = 1e-2. */
test_problem_def test_problem_def_mild(int bodies, int contacts, int bounds, bool full_A);

void test_problem_make_random(const test_problem_def* def, check_random* random, test_problem* p);

#endif
