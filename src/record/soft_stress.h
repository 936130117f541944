/* Soft bodies of a recording as the assembly has them, for their stress and strain. */
#ifndef CR_RECORD_SOFT_STRESS_H
#define CR_RECORD_SOFT_STRESS_H

#include "base/arena.h"
#include "soft/body.h"

/* A soft body; arrays in the table's arena. */
typedef struct cr_stress_body {
  cr_soft_mesh mesh;
  cr_soft_body body;
  double *volumes, *elements; /* [num_nodes] m³; [num_elements] of the last call */
} cr_stress_body;

/* Made when stress or strain is first asked for. */
typedef struct cr_stress_table {
  cr_arena arena;
  cr_stress_body* bodies; /* [num_bodies]; null: not made yet */
  int num_bodies;
} cr_stress_table;

void cr_stress_table_free(cr_stress_table* table);

#endif
