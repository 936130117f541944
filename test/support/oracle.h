/* Models, read and evaluated through the public interface, against the reference values beside them
 * (shared/models, whose README says how they were made). */
#ifndef CR_TEST_ORACLE_H
#define CR_TEST_ORACLE_H

#include "carom/model.h"

/* Fails unless the model that `folder`/`name`/oracle.json speaks of agrees with it in every state:
 * poses, centre of mass, mass matrix, forces, energies, accelerations.
 * @param def how to load it; null: the defaults */
void oracle_check_model(const char* folder, const char* name, const carom_load_def* def);

/* The same of a model that is loaded. */
void oracle_check_loaded(const char* folder, const char* name, carom_model* model);

/* The file of the model that `folder`/`name`/oracle.json speaks of. */
void oracle_find_model(const char* folder, const char* name, char* path, size_t size);

#endif
