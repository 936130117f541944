/* FCLIB files (github.com/FrictionalContactLibrary/fclib): what local and global problems share.
 * Rows are (normal, tangent 1, tangent 2) there; impulses are called r. */
#include "import/problem/fclib.h"

#include <stdio.h>

/* --- Contacts -----------------------------------------------------------------------------------
 */

/* Guesses are numbered from 1; the first one counts. Some writers put them at the root. */
static carom_status load_guess(cr_problem_source* s, hid_t file, int rows, double** guess) {
  static const char* const PATHS[] = {"guesses/1/r", "1/r"};
  *guess = NULL;
  for (int i = 0; i < 2; i++) {
    int64_t count = rows;
    if (cr_h5_exists(file, PATHS[i]))
      return cr_problem_load_reals(s, file, PATHS[i], &count, guess);
  }
  return CAROM_OK;
}

carom_status cr_fclib_load_contacts(cr_problem_source* s, hid_t file, const char* group,
                                    const char* bias, int rows, cr_fclib_contacts* contacts) {
  char path[128];
  int dimension;
  *contacts = (cr_fclib_contacts){0};
  snprintf(path, sizeof path, "%s/spacedim", group);
  CR_TRY(cr_problem_load_int(s, file, path, &dimension));
  if (dimension != 3)
    return cr_error_set(s->error, dimension == 2 ? CAROM_ERROR_UNSUPPORTED : CAROM_ERROR_BAD_INPUT,
                        "%.180s: /%s is %d, only problems in 3 dimensions are read", s->path, path,
                        dimension);
  if (rows % 3 != 0)
    return cr_problem_refuse(s, "/%s has %d rows of contacts, must have three for each", group,
                             rows);
  int64_t count = rows / 3, all = rows;
  contacts->count = rows / 3;
  snprintf(path, sizeof path, "%s/vectors/mu", group);
  CR_TRY(cr_problem_load_reals(s, file, path, &count, &contacts->mu));
  snprintf(path, sizeof path, "%s/vectors/%s", group, bias);
  CR_TRY(cr_problem_load_reals(s, file, path, &all, &contacts->bias));
  return load_guess(s, file, rows, &contacts->guess);
}

carom_status cr_fclib_add(const cr_problem_source* s, const cr_fclib_contacts* contacts, int index,
                          int num_blocks, const int* blocks, const double* const* jacobian,
                          carom_problem* problem) {
  carom_constraint_def def = carom_constraint_def_default();
  double v_hat[3], guess[3];
  for (int k = 0; k < 3; k++) {
    v_hat[CR_FCLIB_ROW[k]] = 0 - contacts->bias[3 * index + k];
    if (contacts->guess) guess[CR_FCLIB_ROW[k]] = contacts->guess[3 * index + k];
  }
  def.mu = contacts->mu[index];
  def.num_blocks = num_blocks, def.blocks = blocks, def.jacobian = jacobian;
  def.v_hat = v_hat, def.guess = contacts->guess ? guess : NULL;
  return cr_problem_pass(s, 0, carom_problem_add(problem, &def, NULL, s->error));
}

const char* cr_fclib_load_name(cr_problem_source* s, hid_t file, const char* group) {
  char path[128];
  snprintf(path, sizeof path, "%s/info/title", group);
  const char* title = cr_problem_load_text(s, file, path);
  return title[0] ? title : cr_problem_stem(s);
}

/* --- Files --------------------------------------------------------------------------------------
 */

carom_status cr_fclib_load(cr_problem_source* s, hid_t file, carom_problem** problem) {
  return cr_h5_exists(file, "fclib_local") ? cr_fclib_load_local(s, file, problem)
                                           : cr_fclib_load_global(s, file, problem);
}

carom_status cr_fclib_load_solution(cr_problem_source* s, hid_t file, const carom_problem* problem,
                                    cr_read_solution* solution) {
  carom_problem_sizes sizes = carom_problem_get_sizes(problem);
  double *r, *gamma = CR_PUSH(&s->arena, double, sizes.num_rows + 1);
  int64_t count = 3 * (int64_t)sizes.num_contacts, unknowns = sizes.num_unknowns;
  if (!gamma) return cr_error_memory(s->error);
  CR_TRY(cr_problem_load_reals(s, file, "solution/r", &count, &r));
  for (int i = 0; i < sizes.num_rows; i++) gamma[i] = 0;
  for (int i = 0, contact = 0; i < sizes.num_constraints; i++) {
    carom_constraint_info info = carom_problem_get_constraint(problem, i);
    if (info.kind != CAROM_CONSTRAINT_CONTACT) continue;
    for (int k = 0; k < 3; k++) gamma[info.row + CR_FCLIB_ROW[k]] = r[3 * contact + k];
    contact++;
  }
  solution->gamma = gamma;
  if (!cr_h5_exists(file, "fclib_global") || !cr_h5_exists(file, "solution/v")) return CAROM_OK;
  return cr_problem_load_reals(s, file, "solution/v", &unknowns, &solution->v);
}
