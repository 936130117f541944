/* Constraints of the model itself: joint limits, equalities, dry friction, limited servos. */
#ifndef CR_SIM_CONSTRAINTS_H
#define CR_SIM_CONSTRAINTS_H

#include "sim/assemble.h"

/* A constraint row that enters the problem, before its Jacobian. */
typedef struct cr_model_row {
  cr_row_rule rule;
  int index;        /* joint, equality, dof or actuator */
  int row;          /* of an equality; 0 else */
  double distance;  /* at q_mid */
  double sign;      /* limit: +1 lower, -1 upper */
  v3 axis;          /* ball limit: of the angle, in the link's frame */
  double low, high; /* bounds of the impulse */
} cr_model_row;

typedef struct cr_model_rows {
  int count;
  cr_model_row* items;
} cr_model_rows;

/* Lists the rows that are active at q_mid and v_lin. False when memory ran out. */
bool cr_model_rows_find(cr_step* step, cr_model_rows* rows);

/* Links that the row's Jacobian touches; 0 for none. */
void cr_model_row_get_links(const carom_model* model, const cr_model_row* row, int links[2]);

/* Adds the row to the assembly and describes it. */
void cr_model_row_add(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, cr_assembly* assembly, cr_constraint* constraint);

#endif
