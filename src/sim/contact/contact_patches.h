/* Points of one normal between two geometries: filled, classified, added to those found. */
#ifndef CR_SIM_CONTACT_PATCHES_H
#define CR_SIM_CONTACT_PATCHES_H

#include "geom/collide.h"
#include "model/contact_rule.h"
#include "sim/contact/sweep.h"

/* Makes room for more. False when memory ran out. */
bool cr_contact_points_grow(cr_step* step, cr_contact_points* points, int room);

/* The share of its depth by which A's surface yields, B's by the rest: the softer one more. NaN:
 * both are rigid. */
double cr_contact_find_yield(const carom_model* model, const cr_contact_point* point);

/* How far apart the distances of points lie that touch together. */
double cr_contact_find_depth(const carom_model* model, const int geom[2]);

/* The largest distance of the points of a manifold that stand for an area, m.
 * @param reach of those that touch together */
double cr_contact_find_area_reach(const cr_manifold* manifold, double stiffness, double reach);

/* The largest distance of these, m. */
double cr_contact_find_reach(const carom_model* model, const int geom[2],
                             const cr_manifold* manifold);

/* The points that a look at a pair has found along one normal. */
typedef struct cr_found_patch {
  v3 normal;
  int count;
  const cr_manifold_point* points;
  const double* share; /* what each counts; null: alike */
  const double* area;  /* m², likewise; null: not known */
  double error;        /* of the moment in a spin, where they stand for an area */
  double reach;        /* m, of the points that touch together */
  bool is_placed;      /* the points are where forces act, whatever yields */
} cr_found_patch;

/* Sets what the points of a patch have in common. */
void cr_scan_start_point(const cr_scan* s, const cr_geom_pair* pair,
                         const cr_contact_values* values, const cr_found_patch* found,
                         cr_contact_point* point);

/* The distance of a point at the end of the step at v_lin. */
double cr_scan_find_end(const cr_scan* s, const cr_contact_point* point);

/* Adds the points of one normal. False when memory ran out. */
bool cr_scan_add_found(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_found_patch* found);

/* Adds what a look at the geometries' poses has found. False when memory ran out. */
bool cr_scan_add_patch(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold);

/* Adds where a pair meets later in the step. False when memory ran out. */
bool cr_scan_add_hit(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                     const cr_sweep_hit* hit);

/* Adds a patch whose points are filled but for what follows from their motion; their stiffness is
 * the patch's. False when memory ran out. */
bool cr_scan_add(cr_scan* scan, const cr_contact_point* patch, int count);

/* A point's `activity`, of its normal velocities at the start and in the free motion. */
double cr_contact_find_activity(const cr_step* step, const cr_contact_point* point, double v0,
                                double v1);

/* Makes active what would meet within the step at the velocities of a solution; returns how many.
 */
int cr_contact_points_activate(const cr_step* step, const cr_motion* solution,
                               cr_contact_points* points);

#endif
