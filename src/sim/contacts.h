/* Contact points between geometries at the configuration where a step looks at them. */
#ifndef CR_SIM_CONTACTS_H
#define CR_SIM_CONTACTS_H

#include "sim/sim.h"

/* One point of a patch, between the geometries A and B. */
typedef struct cr_touch {
  int geom[2];
  int link[2];
  v3 position, normal, tangent[2]; /* world; (t1, t2, n) right-handed, n from A to B */
  double distance;                 /* m, signed, at q^theta_d */
  double distance0;                /* m, the same carried back to q0 with the velocity */
  double margin;                   /* m, it enters this early */
  double weight;                   /* share of the pair's stiffness: one over its active points */
  int first, count;                /* the touches of its patch */
  int condim;
  double friction;    /* coefficient */
  double stiffness;   /* N/m of the pair; inf: rigid */
  double dissipation; /* s; NaN: critical damping at the contact's own time scale */
  bool is_flat;       /* hardly farther than the deepest point of its patch */
  bool is_fast;       /* meets anew, faster than free acceleration explains */
  bool is_landing;    /* approaches still after it was struck in the last step */
  bool is_active;     /* enters the problem */
  bool is_struck;     /* about to be hit: see cr_touches_find */
  cr_contact_key key;
} cr_touch;

typedef struct cr_touches {
  int count, capacity;
  cr_touch* items;
} cr_touches;

/* Finds all points that might matter within the step, at q_mid, and which of them enter the
 * problem: a rigid one when it would meet within the step at v_lin, a compliant one when it would
 * be in contact. A point is struck when it would meet within the step faster than free acceleration
 * explains: its island then takes the step of an impact. Such a step ends at touch with the speed
 * that leads there; so what approaches still in the next step is struck again.
 * @param lin link velocities at v_lin
 * @param start link velocities at v0
 * @param touches those found before in the same step, or zeros; its memory is used again
 * @return false when memory ran out */
bool cr_touches_find(cr_step* step, const sv* lin, const sv* start, cr_touches* touches);

/* Makes active what would meet within the step at the velocities of a solution; returns how many.
 */
int cr_touches_activate(const cr_step* step, const sv* solution, cr_touches* touches);

/* All points of pairs nearer than their margin and `reach` (m) at the step's kinematics, whatever
 * their motion. False when memory ran out. */
bool cr_touches_list(cr_step* step, const sv* velocities, double reach, cr_touches* touches);

#endif
