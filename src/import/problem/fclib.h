/* FCLIB problems, local and global. */
#ifndef CR_IMPORT_PROBLEM_FCLIB_H
#define CR_IMPORT_PROBLEM_FCLIB_H

#include "import/problem/sparse.h"

/* Row of ours (t1 t2 n) that stands at place k of theirs (n t1 t2). */
static const int CR_FCLIB_ROW[3] = {2, 0, 1};

/* What both forms hold of the contacts. */
typedef struct cr_fclib_contacts {
  int count;
  double* mu;    /* [count] */
  double* bias;  /* [3 count] q or w, in their order of rows */
  double* guess; /* [3 count] their r, or null */
} cr_fclib_contacts;

carom_status cr_fclib_load_local(cr_problem_source* source, hid_t file, carom_problem** problem);
carom_status cr_fclib_load_global(cr_problem_source* source, hid_t file, carom_problem** problem);

/* Reads spacedim, mu, q or w, and the first guess.
 * @param group "fclib_local" or "fclib_global"
 * @param bias "q" or "w"
 * @param rows of the problem, which must be three for each contact */
carom_status cr_fclib_load_contacts(cr_problem_source* source, hid_t file, const char* group,
                                    const char* bias, int rows, cr_fclib_contacts* contacts);

/* Adds contact `index`, its Jacobian in our order of rows. */
carom_status cr_fclib_add(const cr_problem_source* source, const cr_fclib_contacts* contacts,
                          int index, int num_blocks, const int* blocks,
                          const double* const* jacobian, carom_problem* problem);

/* The title of the problem, or the file's name. */
const char* cr_fclib_load_name(cr_problem_source* source, hid_t file, const char* group);

#endif
