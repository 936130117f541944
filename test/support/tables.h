/* Comparison of a compiled model with tables of reference values (the format of oracle.json). */
#ifndef CR_TEST_TABLES_H
#define CR_TEST_TABLES_H

#include "model/model.h"

#include <jansson.h>

typedef struct tables_options {
  const char* name;         /* for messages */
  double inertia_tolerance; /* relative to the largest moment */
  bool is_partial;          /* actuators and equalities may have been left out of the model */
} tables_options;

/* Fails unless bodies, joints, geometries of supported types, actuators, excludes, pairs,
 * equalities and keyframes are those of the tables, to 1e-9. */
void tables_compare(const carom_model* model, const json_t* tables, const tables_options* options);

#endif
