/* Points of one normal between two geometries: filled, classified, added to those found. */
#ifndef CR_SIM_CONTACT_PATCHES_H
#define CR_SIM_CONTACT_PATCHES_H

#include "geom/collide.h"
#include "sim/contact/contacts.h"
#include "sim/contact/sweep.h"

/* Velocity at a point of a link, of velocities that refer to its tree's origin. */
static inline __attribute__((always_inline)) v3
cr_contact_find_velocity(const cr_step* step, const sv* velocities, int link, v3 x) {
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return v3_zero();
  return sv_point_velocity(velocities[link], v3_sub(x, step->kinematics.origin[tree]));
}

/* Where the step looks at distances between two links. */
static inline cr_theta cr_contact_find_theta(const cr_step* step, const int link[2]) {
  int tree = cr_step_find_tree(step, link[0], link[1]);
  return tree < 0 ? step->sim->theta : step->theta[tree];
}

/* Makes room for more. False when memory ran out. */
bool cr_touches_grow(cr_step* step, cr_touches* touches, int room);

/* Adds what a look at the geometries' poses has found. False when memory ran out. */
bool cr_scan_add_patch(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold);

/* Adds where a pair meets later in the step. False when memory ran out. */
bool cr_scan_add_hit(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                     const cr_sweep_hit* hit);

#endif
