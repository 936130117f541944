/* Reads damaged problems and solutions of HDF5: FCLIB's two forms and Carom's own. The first byte
 * chooses the form, and whether it is read as a problem or for its solution; the others say how a
 * sound file is damaged (damage_h5.h). */
#include "damage_h5.h"
#include "read_problem.h"

#include "carom/problem_file.h"
#include "carom/solve.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define NUM_FORMS 3

static const carom_problem_format FORMS[NUM_FORMS] = {
    CAROM_PROBLEM_CAROM, CAROM_PROBLEM_FCLIB_LOCAL, CAROM_PROBLEM_FCLIB_GLOBAL};

static sound_h5 sound[NUM_FORMS];
static carom_problem* good;
static char path[64];

/* A contact of the first block with the world, or of both. */
static void add_contact(carom_problem* problem, int num_blocks) {
  static const double plus[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double minus[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
  static const int blocks[2] = {0, 1};
  const double* jacobian[2] = {plus, minus};
  carom_error error;
  carom_constraint_def def = carom_constraint_def_default();
  def.mu = 0.5;
  def.num_blocks = num_blocks, def.blocks = blocks, def.jacobian = jacobian;
  if (carom_problem_add(problem, &def, NULL, &error) != CAROM_OK) abort();
}

/* Two masses, one on the other, on the ground: what all forms can hold. */
static void make_good(void) {
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double v_star[6] = {0.5, 0, -1, 0, 0, -1};
  const int sizes[2] = {3, 3};
  carom_error error;
  carom_problem_def def = carom_problem_def_default();
  def.num_blocks = 2, def.block_size = sizes, def.name = "two";
  if (carom_problem_create(&def, &good, &error) != CAROM_OK) abort();
  for (int b = 0; b < 2; b++)
    if (carom_problem_set_block(good, b, b, unit, &error) != CAROM_OK) abort();
  if (carom_problem_set_velocities(good, v_star, NULL, &error) != CAROM_OK) abort();
  add_contact(good, 1);
  add_contact(good, 2);
  if (carom_problem_finish(good, &error) != CAROM_OK) abort();
}

static void make_sound(int form) {
  carom_error error;
  carom_solution* solution;
  carom_problem* saved = NULL;
  double zero[6] = {0};
  if (carom_problem_save(good, path, FORMS[form], &error) != CAROM_OK) abort();
  if (carom_problem_load(path, &saved, &error) != CAROM_OK) abort();
  if (carom_problem_evaluate(saved, NULL, NULL, zero, &solution, &error) != CAROM_OK) abort();
  if (carom_solution_save(solution, saved, path, FORMS[form], &error) != CAROM_OK) abort();
  carom_solution_destroy(solution);
  carom_problem_destroy(saved);
  damage_begin(&sound[form], path);
}

static void begin(void) {
  damage_name_file("problem", path);
  make_good();
  for (int form = 0; form < NUM_FORMS; form++) make_sound(form);
}

static void read_solution(void) {
  carom_error error = {0};
  carom_solution* solution = NULL;
  carom_status status = carom_solution_load(path, good, NULL, &solution, &error);
  if ((status == CAROM_OK) != (solution != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  carom_solution_destroy(solution);
}

static void read_problem(void) {
  carom_error error = {0};
  carom_problem* problem = NULL;
  carom_status status = carom_problem_load(path, &problem, &error);
  fuzz_use_problem(status, problem, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!good) begin();
  if (size < 2) return 0;
  damage_write(&sound[data[0] % NUM_FORMS], (fuzz_bytes){data + 1, size - 1}, path);
  if (data[0] & 0x80)
    read_solution();
  else
    read_problem();
  remove(path);
  return 0;
}
