/** @file
 * What moves in a structure of blocks: the joints, two bodies each that touched when it was looked
 * at first, and which of them have opened, turned about an edge (hinged) or slid since.
 */
#ifndef CAROM_MECHANISM_H
#define CAROM_MECHANISM_H

#include "carom/sim.h"

CAROM_BEGIN_DECLS

/** The joints of a structure as they were. */
typedef struct carom_mechanism carom_mechanism;

/** What a joint has done; or-ed, 0: nothing. */
typedef enum carom_joint_motion {
  CAROM_JOINT_OPENED = 1, /**< its bodies have parted at all points */
  CAROM_JOINT_HINGED = 2, /**< they have parted at some, and turned about the others */
  CAROM_JOINT_SLID = 4,   /**< along each other, where they have not parted */
} carom_joint_motion;

/** A joint of blocks, with how far it has moved since. */
typedef struct carom_block_joint {
  int bodies[2];
  unsigned motion;  /**< carom_joint_motion, or-ed */
  double opening;   /**< m, largest over its points, along the normal that it had, which goes with
                         the first body */
  double slide;     /**< m, across that, at the point that has parted least */
  double angle;     /**< rad, by which the second body has turned against the first, */
  double axis[3];   /**< unit, world, about this axis; zero where it has not turned */
  double center[3]; /**< m, world: the mean of the points that have parted least, about which it
                         hinges */
} carom_block_joint;

/** Takes the pairs of bodies that touch now for joints. Takes the place of the last step's
 * contacts.
 * @param allocator null: the C library's
 * @return CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_mechanism_create(carom_sim* sim, const carom_allocator* allocator,
                                              carom_mechanism** mechanism, carom_error* error);

/** Frees it; null is allowed. */
CAROM_API void carom_mechanism_destroy(carom_mechanism* mechanism);

/** Number of joints. */
CAROM_API int carom_mechanism_count(const carom_mechanism* mechanism);

/** What the joints have done up to the present state of a simulation of the same model.
 * @param tolerance m, what is no motion
 * @param joints [carom_mechanism_count], in the order of the geometries' numbers
 * @return CAROM_ERROR_INVALID_ARGUMENT for another number of bodies; CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_mechanism_find(const carom_mechanism* mechanism, carom_sim* sim,
                                            double tolerance, carom_block_joint* joints,
                                            carom_error* error);

CAROM_END_DECLS

#endif
