/** @file
 * What can be asked of where the bodies of a model are: rays, and distances of geometries.
 *
 * The bodies are where `poses` [7 num_bodies] says: of each the position of its frame's origin, m,
 * and its quaternion, as carom_sim_compute_poses and carom_dynamics_compute_poses give them and
 * recordings hold them. Nothing is changed and nothing allocated: any number of threads may ask at
 * once. Meshes that are only drawn have no surface here, and soft bodies are not seen.
 */
#ifndef CAROM_QUERY_H
#define CAROM_QUERY_H

#include "carom/model.h"

CAROM_BEGIN_DECLS

/** A ray. Zero is no valid one: it needs a direction. */
typedef struct carom_ray {
  double origin[3];    /**< m, world */
  double direction[3]; /**< world, of any length but zero */
  const bool* skipped; /**< [num_bodies] bodies through whose geometries it goes; null: none */
} carom_ray;

/** What a ray meets first. */
typedef struct carom_ray_hit {
  int geom;         /**< -1: it meets nothing, and the vectors below are zero */
  double distance;  /**< m, from the origin; inf: it meets nothing */
  double point[3];  /**< m, world */
  double normal[3]; /**< unit, world: of the geometry's surface there, outward */
} carom_ray_hit;

/** Casts a ray against all geometries, whatever their filters say. From within a convex geometry it
 * meets its surface where it leaves it, from either side a surface of triangles, from above only a
 * plane, within the rectangle in which it is drawn.
 * @return CAROM_ERROR_INVALID_ARGUMENT where a number is not finite or the direction is zero */
CAROM_API carom_status carom_model_cast_ray(const carom_model* model, const double* poses,
                                            const carom_ray* ray, carom_ray_hit* hit,
                                            carom_error* error);

/** How far apart two geometries are. */
typedef struct carom_distance {
  double distance;  /**< m; negative: the depth of their overlap, the least way that parts them */
  double point1[3]; /**< m, world: of the first, nearest to (in overlap: deepest in) the second */
  double point2[3]; /**< m, world: of the second, likewise */
  double normal[3]; /**< unit, world, from the first to the second */
} carom_distance;

/** Signed distance of two geometries, at any distance and whatever their filters say: distance =
 * normal . (point2 - point1). Of surfaces of triangles it is that of contacts: from where one of
 * their normals leads to the other, so that there is none from beside or below a height field;
 * where they overlap, that of the deepest patch.
 * @param geoms two of the model's; two surfaces of one family meet as their hulls
 * @return CAROM_ERROR_INVALID_ARGUMENT for geometries that do not exist or have no surface, poses
 * of them that are not finite, two planes, and surfaces that have no distance */
CAROM_API carom_status carom_model_compute_distance(const carom_model* model, const double* poses,
                                                    const int geoms[2], carom_distance* distance,
                                                    carom_error* error);

CAROM_END_DECLS

#endif
