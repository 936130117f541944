/* Writers of contact problems and their solutions, one for each form. */
#ifndef CR_RECORD_PROBLEM_H
#define CR_RECORD_PROBLEM_H

#include "convex/solution.h"
#include "h5/h5.h"

#include <stdio.h>

/* Row of ours (t1 t2 n) that stands at place k of FCLIB's (n t1 t2). */
static const int CR_FCLIB_PLACES[3] = {2, 0, 1};

/* What cannot be written; null: everything can. Arrays live in the arena. Writers return false when
 * the file cannot be written, or arena->failed. */
const char* cr_fclib_refuse_local(const carom_problem* problem);
const char* cr_fclib_refuse_global(const carom_problem* problem);
bool cr_fclib_save_local(const carom_problem* problem, hid_t file, cr_arena* arena);
bool cr_fclib_save_global(const carom_problem* problem, hid_t file, cr_arena* arena);
bool cr_fclib_save_solution(const carom_problem* problem, const carom_solution* solution,
                            bool local, hid_t file, cr_arena* arena);

const char* cr_sap_refuse(const carom_problem* problem);
bool cr_sap_save(const carom_problem* problem, FILE* file);
bool cr_sap_save_solution(const carom_problem* problem, const carom_solution* solution, FILE* file);

#endif
