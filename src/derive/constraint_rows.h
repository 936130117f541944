/* How the rows of a constraint move by a unit: of a dof, of v*, of v0 or of a parameter. */
#ifndef CR_DERIVE_CONSTRAINT_ROWS_H
#define CR_DERIVE_CONSTRAINT_ROWS_H

#include "derive/constraint_state.h"
#include "derive/line_tangent.h"
#include "derive/theta.h"
#include "sim/contact/contact_area.h"

/* Which field a unit is of. */
typedef enum cr_unit_source { CR_BY_Q, CR_BY_STAR, CR_BY_V0 } cr_unit_source;

typedef struct cr_row_maker {
  cr_constraint_state* s;
  cr_active_constraint* a;
  sv* twist; /* [num_links] of the unit at hand, which is of a dof and a field, or a parameter */
  int dof;   /* -1: it is a parameter's */
  cr_unit_source by;
  double *unit, *still;                  /* [num_v] a unit is put there and taken back; zeros */
  bool* moves[2];                        /* [num_dofs] whether a dof of the block moves each link */
  int token;                             /* of the unit, for what contacts keep */
  double push;                           /* m/s, by which bodies part faster as prescribed */
  const cr_theta_column* shape;          /* a geometry's that moves; null: none */
  const cr_line_displacement* displaced; /* what a place displaces; null: nothing */
} cr_row_maker;

/* How the rows move by the unit at hand; returns what the distance does. */
double cr_row_maker_differentiate(const cr_row_maker* m, const double* dq, cr_row_change* change);

/* Surfaces and bodies that move as prescribed, as a change d of the rows. */
void cr_row_maker_add_surfaces(cr_row_maker* m, const cr_row_change* change, double* distance,
                               double* d);

/* What v_hat and R do, as a change d of the rows. */
void cr_row_maker_add_compliance(const cr_row_maker* m, const cr_row_change* change,
                                 const double* dq, double distance, double* d);

/* What the coefficient of friction does where it depends on the slip; moments' lengths with it. */
double cr_row_maker_move_friction(const cr_row_maker* m, cr_row_change* change);

/* What that makes of the law's bound, and what a bound that was given does, on the right side c. */
double cr_row_maker_find_bound(const cr_row_maker* m, double friction);

/* The wrenches of the rows' changes, where the rest of them is as it stays; for what follows. */
void cr_row_maker_carry(const cr_row_maker* m, cr_row_change* change);

/* How the impulses on both links change, beside being carried along. */
void cr_row_maker_find_moved(const cr_row_maker* m, const cr_row_change* change, sv moved[2]);

/* What R and v_hat of a distance's row change by. */
cr_compliance_change cr_constraint_differentiate_compliance(const cr_constraint_state* s,
                                                            const cr_active_constraint* a,
                                                            const cr_distance_row* moved,
                                                            double lever);

/* What R and v_hat of a distance's row, and of its anchor's, do where nothing moves.
 * @param d [rows] is added to */
void cr_constraint_add_still(const cr_constraint_state* s, const cr_active_constraint* a,
                             const cr_distance_row* moved, double* d);

/* What has come to of_column since it was taken last. */
double cr_constraint_take_record(const cr_active_constraint* a);

/* How d of a constraint's rows grows with the mobility of its last row, or with that of its area.
 * @param unit a one in what changes
 * @return what the cotangent of the record that it leaves does */
double cr_constraint_find_mobility_slope(const cr_constraint_state* s,
                                         const cr_active_constraint* a, const cr_distance_row* unit,
                                         double d[CR_LAW_MAX_ROWS]);

/* The most motions that a constraint's rows are looked at in: v, v*, v0, its answer and lever, its
 * film's and its area's. */
enum { CR_MOST_MOTIONS = 8 + CR_SPREAD_MAX };

/* Those. @return how many */
int cr_active_list_motions(cr_constraint_state* s, const cr_active_constraint* a,
                           cr_row_motion* out[CR_MOST_MOTIONS]);

#endif
