/* Derivatives of a step against differences of steps, column by column. */
#ifndef CR_TEST_STEP_DIFFERENCES_H
#define CR_TEST_STEP_DIFFERENCES_H

#include "support/scene.h"

#include "carom/derivatives.h"

/* All schemes, the explicit one last: tests of contacts and rows take the three before it. */
extern const carom_scheme step_schemes[4];

typedef struct step_differences {
  carom_model* model;
  carom_sim* sim;
  check_random random;
  int num_x, num_u;
  double *A, *B;   /* [num_x, num_x], [num_x, num_u] as carom_sim_linearize gives them */
  double *dA, *dB; /* the same by differences */
  double worst;    /* largest error found, relative */
  carom_linearization found;
  void* state; /* saved, of so many bytes */
  size_t size;
  double* u;         /* [num_u] with it */
  int substeps;      /* in which all steps are taken; 0: in one */
  bool keeps_memory; /* of contacts, which carom_sim_set_state forgets where q changes */
} step_differences;

/* Options under which differences of steps say most: an interior point has no proximal term, whose
 * rest is as smooth as what is looked for. */
carom_sim_def step_differences_def(carom_scheme scheme, carom_friction friction);

/* A scene's simulation in a random state; without a seed in the scene's own. */
step_differences step_differences_create(const char* text, const carom_sim_def* def, int seed);
step_differences step_differences_of(carom_model* model, const carom_sim_def* def, int seed);
void step_differences_destroy(step_differences* d);

/* Some steps from the model's reference configuration, pushed by this many times the velocities at
 * hand. */
void step_differences_push(step_differences* d, double times, int steps);

/* Whether the step from where the simulation is has a kink, by its own account. */
bool step_differences_has_kink(step_differences* d);

/* The tangent from q0 to q [num_v]. */
void step_differences_subtract(const carom_model* m, const double* q0, const double* q,
                               double* out);

/* Saves where the simulation is. */
void step_differences_save(step_differences* d);

/* Puts the simulation at the saved state, moved by h along a column of A, or behind these of B. */
void step_differences_move(const step_differences* d, int column, double h);

/* Both derivatives of the step from where the simulation is. */
void step_differences_compute(step_differences* d, double h);

/* Fails where a vector pulled back is not its product with the matrices of a linearization. */
void step_differences_expect_transpose(step_differences* d, const carom_linearization* wanted);

/* Fails where they differ, with differences over h, by more than `tolerance` of what each row and
 * column is about: entries that mix positions and velocities count by dt. */
void step_differences_expect(step_differences* d, double h, double tolerance);

/* The same by four schemes from random states, at which nothing may be held.
 * @param seeds of the states */
void step_differences_expect_all(const char* text, int seeds, double h, double tolerance);

#endif
