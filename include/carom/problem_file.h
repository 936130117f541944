/** @file
 * Contact problems and their solutions in files. In libcarom_io.
 */
#ifndef CAROM_PROBLEM_FILE_H
#define CAROM_PROBLEM_FILE_H

#include "carom/solve.h"

CAROM_BEGIN_DECLS

/** Forms of problem files; docs/problems.md describes them. */
typedef enum carom_problem_format {
  CAROM_PROBLEM_CAROM,        /**< HDF5, everything that a problem holds */
  CAROM_PROBLEM_FCLIB_LOCAL,  /**< HDF5, W and q: contacts only; W holds R */
  CAROM_PROBLEM_FCLIB_GLOBAL, /**< HDF5, M, H, f, w: contacts and equalities with R = 0 */
  CAROM_PROBLEM_SAP, /**< text: compliant contacts of at most two blocks, A block diagonal */
} carom_problem_format;

/** Reads a problem, finished, from a file of any of these forms; the form is found out from the
 * content. A local FCLIB problem gets unknowns of its own: W = J Jᵀ, A the identity, v* = 0, v_hat
 * = -q, one block for each connected part. Where W is indefinite by the rounding of its
 * elements, W + delta I = J Jᵀ with the least delta, and u = J v - v_hat - delta gamma.
 * @return CAROM_ERROR_FILE where it cannot be read, CAROM_ERROR_BAD_INPUT where it does not hold a
 *         problem, CAROM_ERROR_UNSUPPORTED, CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_problem_load(const char* path, carom_problem** problem,
                                          carom_error* error);

/** Writes a finished problem; an existing file is replaced. HDF5 serves one thread at a time.
 * @return CAROM_ERROR_UNSUPPORTED where the form cannot hold this problem, CAROM_ERROR_FILE */
CAROM_API carom_status carom_problem_save(const carom_problem* problem, const char* path,
                                          carom_problem_format format, carom_error* error);

/** Reads a solution that belongs to a problem: the `solution` group of a problem's HDF5 file, or a
 * `.sol` text. What the file does not hold follows from the impulses.
 * @param def see carom_problem_evaluate */
CAROM_API carom_status carom_solution_load(const char* path, const carom_problem* problem,
                                           const carom_solve_def* def, carom_solution** solution,
                                           carom_error* error);

/** Writes a solution: into the HDF5 file of its problem, which carom_problem_save wrote in the same
 * form, or as a `.sol` text of its own. */
CAROM_API carom_status carom_solution_save(const carom_solution* solution,
                                           const carom_problem* problem, const char* path,
                                           carom_problem_format format, carom_error* error);

CAROM_END_DECLS

#endif
