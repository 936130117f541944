/* What the readers of contact problems share: the file that sentences name, memory while reading.
 */
#ifndef CR_IMPORT_PROBLEM_READER_H
#define CR_IMPORT_PROBLEM_READER_H

#include "base/error.h"
#include "h5/h5.h"

#include "carom/problem_file.h"
#include "carom/solve.h"

typedef struct cr_problem_source {
  const char* path;   /* as sentences name it */
  cr_arena arena;     /* lives while the file is read */
  carom_error* error; /* never null */
} cr_problem_source;

/* "path: ..." as bad input. */
CR_PRINTF(2, 3)
carom_status cr_problem_refuse(const cr_problem_source* source, const char* format, ...);

/* Puts the path, and the line unless it is 0, before the sentence of a call that failed. */
carom_status cr_problem_pass(const cr_problem_source* source, int line, carom_status status);

/* "path: /dataset ..." for what h5 says of a dataset. */
carom_status cr_problem_refuse_dataset(const cr_problem_source* source, const char* dataset,
                                       const char* wrong);

/* Reads a dataset that must have `count` numbers; count < 0: any number, which it receives. */
carom_status cr_problem_load_reals(cr_problem_source* source, hid_t file, const char* dataset,
                                   int64_t* count, double** values);
carom_status cr_problem_load_ints(cr_problem_source* source, hid_t file, const char* dataset,
                                  int64_t* count, int** values);

/* Reads the first number of a dataset. */
carom_status cr_problem_load_int(cr_problem_source* source, hid_t file, const char* dataset,
                                 int* value);

/* The text of a string dataset, in the arena; "" where there is none. */
const char* cr_problem_load_text(cr_problem_source* source, hid_t file, const char* dataset);

/* The file's name without folder and ending, in the arena. */
const char* cr_problem_stem(cr_problem_source* source);

/* The forms. The problem is finished, or null. */
carom_status cr_fclib_load(cr_problem_source* source, hid_t file, carom_problem** problem);
carom_status cr_carom_problem_load(cr_problem_source* source, hid_t file, carom_problem** problem);
carom_status cr_sap_load(cr_problem_source* source, const char* text, carom_problem** problem);

/* Velocities and impulses of a solution, null where the file has none. */
typedef struct cr_read_solution {
  double* v;     /* [num_unknowns] */
  double* gamma; /* [num_rows] */
} cr_read_solution;

carom_status cr_fclib_load_solution(cr_problem_source* source, hid_t file,
                                    const carom_problem* problem, cr_read_solution* solution);
carom_status cr_carom_load_solution(cr_problem_source* source, hid_t file,
                                    const carom_problem* problem, cr_read_solution* solution);
carom_status cr_sap_load_solution(cr_problem_source* source, const char* text,
                                  const carom_problem* problem, cr_read_solution* solution);

/* Reads a problem from memory; for fuzzers. `name` stands for the path. */
carom_status cr_problem_load_memory(const char* name, const void* data, size_t size,
                                    carom_problem** problem, carom_error* error);

#endif
