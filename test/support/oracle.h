/* Models, read and evaluated through the public interface, against the reference values beside them
 * (shared/models, whose README says how they were made). */
#ifndef CR_TEST_ORACLE_H
#define CR_TEST_ORACLE_H

#include "carom/model.h"
#include "carom/scene.h"

enum { ORACLE_MAX_QUANTITIES = 32 };

/* The worst relative error of a quantity over all states; of accelerations over the condition of
 * the mass matrix, so that 1e-9 is what may be. */
typedef struct oracle_error {
  const char* what;
  double worst;
} oracle_error;

typedef struct oracle_errors {
  int count;
  oracle_error items[ORACLE_MAX_QUANTITIES];
  char failure[400]; /* a sentence about the first that is too large; empty: none */
} oracle_errors;

/* Compares a model with the values in `folder`/`name`/oracle.json: poses, centre of mass, mass
 * matrix, forces, energies, accelerations, residuals of equalities, sensors.
 * @param relative what is allowed where inertias enter; 1e-9 elsewhere */
void oracle_measure(const char* folder, const char* name, carom_model* model, double relative,
                    oracle_errors* errors);

/* Loads the model that `folder`/`name`/oracle.json speaks of, without Drake's rotor inertias, which
 * the values leave out; null where that fails. */
carom_model* oracle_load(const char* folder, const char* name, const carom_load_def* def,
                         carom_error* error);

/* Puts the inertias of `folder`/`name`/oracle.json, about the bodies' centres of mass, in the place
 * of the model's own: what then still differs does not come from them. */
void oracle_take_inertias(const char* folder, const char* name, carom_model* model);

/* The file of the model that `folder`/`name`/oracle.json speaks of. */
void oracle_find_model(const char* folder, const char* name, char* path, size_t size);

#endif
