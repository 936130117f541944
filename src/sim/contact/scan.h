/* A search for contact points. */
#ifndef CR_SIM_SCAN_H
#define CR_SIM_SCAN_H

#include "sim/contact/contact_point.h"
#include "sim/driven.h"

typedef struct cr_scan {
  cr_step* step;
  const cr_motion *lin, *start;
  pose* poses;          /* [num_geoms] the simulation's */
  double* reach;        /* [num_geoms] likewise */
  double soft_reach;    /* m, instead of what velocities make it, where it is not negative */
  double beyond;        /* m, how much farther what moves is looked for than it may move */
  bool leaves_sleeping; /* out: pairs that sleep together */
  bool lists;           /* all that is near, whatever its motion */
  carom_patches patches;
  bool passes;                      /* the pair at hand does not meet at v_lin */
  double g_dt;                      /* m/s, what gravity adds in a step */
  const struct cr_rolling* rolling; /* null: nothing rolls */
  cr_contact_points* points;
  int place; /* in the memory, of the record that was found last */
} cr_scan;

/* Velocity at a point of a link, of velocities that refer to its tree's origin. */
static inline __attribute__((always_inline)) v3
cr_contact_find_velocity(const cr_step* step, const sv* velocities, int link, v3 x) {
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return step->sim->num_driven ? cr_driven_find_at(step, link, x) : v3_zero();
  return sv_point_velocity(velocities[link], v3_sub(x, step->kinematics.origin[tree]));
}

/* Of body k where it is touched; of trees, which most are, without a call. */
static inline __attribute__((always_inline)) v3
cr_contact_find_point_velocity(const cr_step* step, const cr_motion* motion,
                               const cr_contact_point* point, int k) {
  const cr_mover_kind* kind = cr_mover_of_link(step->model, point->link[k]);
  if (kind != &cr_tree_mover) return kind->find_velocity(step, motion, point, k);
  return cr_contact_find_velocity(step, motion->link, point->link[k],
                                  cr_contact_point_place(point, k));
}

/* Velocity of B less that of A at a point. */
static inline __attribute__((always_inline)) v3
cr_contact_find_relative_velocity(const cr_step* step, const cr_motion* motion,
                                  const cr_contact_point* point) {
  v3 u[2];
  for (int k = 0; k < 2; k++) u[k] = cr_contact_find_point_velocity(step, motion, point, k);
  return v3_sub(u[1], u[0]);
}

/* Where the step looks at distances between two links. */
static inline cr_theta cr_contact_find_theta(const cr_step* step, const int link[2]) {
  int tree = cr_step_find_tree(step, link[0], link[1]);
  return tree < 0 ? step->sim->theta : step->theta[tree];
}

#endif
