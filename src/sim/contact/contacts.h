/* Contact points between geometries at the configuration where a step looks at them. */
#ifndef CR_SIM_CONTACTS_H
#define CR_SIM_CONTACTS_H

#include "model/contact_rule.h"
#include "sim/sim.h"

/* A point of a soft body: a node, or a point between the nodes of an edge, triangle or
 * tetrahedron. */
typedef struct cr_soft_spot {
  int count;        /* 1 to 4 */
  int node[4];      /* among all soft nodes */
  double weight[4]; /* they add up to 1 */
} cr_soft_spot;

/* What the contacts of plain surfaces do not have. */
typedef struct cr_touch_extra {
  double length[2];     /* m: torsional and rolling friction over sliding friction */
  double hunt_crossley; /* s/m */
  double restitution;
  double adhesion; /* N, up to the margin and this gap */
  double gap;      /* m */
  bool drifts;     /* one of the surfaces moves: */
  v3 drift, twist; /* m/s and rad/s, that of B less that of A, world */
} cr_touch_extra;

/* One point of a patch, between A and B: geometries, or soft bodies. */
typedef struct cr_touch {
  int geom[2];                     /* -1 - s: soft body s */
  int link[2];                     /* num_links + s: soft body s */
  const cr_soft_spot* spot[2];     /* of soft bodies, else null */
  v3 position, normal, tangent[2]; /* world; (t1, t2, n) right-handed, n from A to B */
  bool is_ahead;      /* they meet later in the step, at places that differ till then: */
  v3 ahead[2];        /* world, where they are on each body now */
  double passing;     /* m/s: what passes by enters only at a lower normal velocity */
  double distance;    /* m, signed, at q^theta_d */
  double distance0;   /* m, the same carried back to q0 with the velocity */
  double margin;      /* m, it enters this early */
  double weight;      /* share of the pair's stiffness: one over its active points */
  int first, count;   /* the touches of its patch */
  int condim;         /* 1, 3, 4 or 6; every coefficient that it asks for is positive */
  double friction;    /* coefficient; where it differs at rest that of the slip before the step */
  double stiffness;   /* N/m of the pair; inf: rigid */
  double dissipation; /* s; NaN: critical damping at the contact's own time scale */
  const cr_touch_extra* extra; /* null: nothing of the kind */
  bool is_flat;                /* hardly farther than the deepest point of its patch */
  bool is_fast;                /* meets anew, faster than free acceleration explains */
  bool is_landing;             /* approaches still after it was struck in the last step */
  bool is_active;              /* enters the problem */
  bool is_struck;              /* about to be hit: see cr_touches_find */
  cr_contact_key key;
} cr_touch;

/* Where a body, k = 0 or 1, is touched. */
static inline v3 cr_touch_place(const cr_touch* t, int k) {
  return t->is_ahead ? t->ahead[k] : t->position;
}

typedef struct cr_touches {
  int count, capacity;
  cr_touch* items;
} cr_touches;

/* Velocities of links and, for soft nodes, of all dofs. */
typedef struct cr_motion {
  const sv* link;  /* [num_links] */
  const double* v; /* [num_v] */
} cr_motion;

/* Finds all points that might matter within the step, at q_mid, and which of them enter the
 * problem: a rigid one when it would meet within the step at v_lin, a compliant one when it would
 * be in contact. A point is struck when it would meet within the step faster than free acceleration
 * explains: its island then takes the step of an impact. Such a step ends at touch with the speed
 * that leads there; so what approaches still in the next step is struck again.
 * @param lin at v_lin
 * @param start at v0
 * @param touches those found before in the same step, or zeros; its memory is used again
 * @return false when memory ran out */
bool cr_touches_find(cr_step* step, const cr_motion* lin, const cr_motion* start,
                     cr_touches* touches);

/* Makes active what would meet within the step at the velocities of a solution; returns how many.
 */
int cr_touches_activate(const cr_step* step, const cr_motion* solution, cr_touches* touches);

/* All points of pairs nearer than their margin and `reach` (m) at the step's kinematics, whatever
 * their motion. False when memory ran out. */
bool cr_touches_list(cr_step* step, const cr_motion* motion, double reach, cr_touches* touches);

/* What a search for points works with. */
typedef struct cr_scan {
  cr_step* step;
  const cr_motion *lin, *start;
  pose* poses;       /* [num_geoms] the simulation's */
  double* reach;     /* [num_geoms] likewise */
  double soft_reach; /* m, instead of what velocities make it, where it is not negative */
  bool leaves_rest;  /* out: pairs that rest together */
  bool lists;        /* all that is near, whatever its motion */
  bool passes;       /* the pair at hand does not meet at v_lin */
  double g_dt;       /* m/s, what gravity adds in a step */
  cr_touches* touches;
  int place; /* in the memory, of the record that was found last */
} cr_scan;

/* What surfaces ask for beside friction of one coefficient, for a point whose place and normal are
 * set. False when memory ran out. */
bool cr_scan_set_surface(const cr_scan* scan, const cr_contact_values* values,
                         const carom_surface* surface, cr_touch* t);

/* Adds a patch whose points are filled but for what follows from their motion; their stiffness is
 * the patch's. False when memory ran out. */
bool cr_scan_add(cr_scan* scan, const cr_touch* patch, int count);

/* Adds all points of soft bodies: soft_contacts.c. False when memory ran out. */
bool cr_scan_soft(cr_scan* scan);

#endif
