/* Sparse matrices as FCLIB stores them. */
#ifndef CR_IMPORT_PROBLEM_SPARSE_H
#define CR_IMPORT_PROBLEM_SPARSE_H

#include "import/problem/reader.h"

/* By columns; rows ascend within a column, none is there twice, zeros are left out. */
typedef struct cr_sparse {
  int m, n;      /* rows, columns */
  int* start;    /* [n + 1] */
  int* row;      /* [start[n]] */
  double* value; /* [start[n]] */
} cr_sparse;

/* Reads the matrix in a group: m, n, nz, p, i, x with nz >= 0 for triplets (i rows, p columns;
 * several at one place add up), -1 for columns, -2 for rows. */
carom_status cr_sparse_load(cr_problem_source* source, hid_t file, const char* group,
                            cr_sparse* matrix);

/* Refuses a matrix that is not square and symmetric (to 1e-9 of its largest element). One that has
 * elements on one side of the diagonal only is mirrored. */
carom_status cr_sparse_make_symmetric(cr_problem_source* source, const char* group,
                                      cr_sparse* matrix);

#endif
