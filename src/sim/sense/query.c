/* Rays and distances of geometries, where given poses of the bodies put them. */
#include "carom/query.h"

#include "base/error.h"
#include "geom/collide.h"
#include "geom/normal.h"
#include "geom/ray.h"
#include "sim/sense/geom_pose.h"

#include <math.h>

static bool has_surface(const cr_shape* shape) {
  return shape->type != CAROM_GEOM_MESH || shape->hull || shape->surface;
}

static bool is_finite(const double* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += fabs(x[i]);
  return isfinite(sum);
}

/* --- Rays ---------------------------------------------------------------------------------------
 */

static carom_status check_ray(const carom_model* model, const double* poses, const carom_ray* ray,
                              carom_error* error) {
  if (!is_finite(poses, 7 * model->body.num_bodies))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "ray: a pose is not finite");
  if (!is_finite(ray->origin, 3) || !is_finite(ray->direction, 3))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "ray: its origin and direction must be finite");
  if (!(v3_norm(v3_load(ray->direction)) > 0))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "ray: its direction is zero, must not be");
  return CAROM_OK;
}

carom_status carom_model_cast_ray(const carom_model* model, const double* poses,
                                  const carom_ray* ray, carom_ray_hit* hit, carom_error* error) {
  const cr_geom_model* g = &model->geom;
  *hit = (carom_ray_hit){.geom = -1, .distance = INFINITY};
  CR_TRY(check_ray(model, poses, ray, error));
  v3 origin = v3_load(ray->origin), d = v3_load(ray->direction);
  d = v3_scale(1 / v3_norm(d), d);
  for (int i = 0; i < g->num_geoms; i++) {
    if ((ray->skipped && ray->skipped[g->body[i]]) || !has_surface(&g->shape[i])) continue;
    pose X = cr_find_geom_pose(model, poses, i);
    v3 from = pose_inverse_point(&X, origin), along = m3_tmulv(&X.R, d);
    double distance = cr_ray_cast(&g->shape[i], from, along);
    if (!(distance < hit->distance)) continue;
    hit->geom = i, hit->distance = distance;
    v3 normal = cr_shape_find_normal(&g->shape[i], v3_axpy(from, distance, along));
    v3_store(m3_mulv(&X.R, normal), hit->normal);
    v3_store(v3_axpy(origin, distance, d), hit->point);
  }
  return cr_error_clear(error);
}

/* --- Distances ----------------------------------------------------------------------------------
 */

static carom_status check_geom(const carom_model* model, const double* poses, int geom,
                               carom_error* error) {
  const cr_geom_model* g = &model->geom;
  if (geom < 0 || geom >= g->num_geoms)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "distance: geometry %d does not exist, there are %d", geom, g->num_geoms);
  if (!has_surface(&g->shape[geom]))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "distance: geometry %d is a mesh that is only drawn", geom);
  if (!is_finite(poses + 7 * (size_t)g->body[geom], 7))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "distance: the pose of body %d is not finite", g->body[geom]);
  return CAROM_OK;
}

carom_status carom_model_compute_distance(const carom_model* model, const double* poses,
                                          const int geoms[2], carom_distance* distance,
                                          carom_error* error) {
  const cr_shape* shape = model->geom.shape;
  *distance = (carom_distance){.distance = NAN};
  for (int k = 0; k < 2; k++) CR_TRY(check_geom(model, poses, geoms[k], error));
  pose X1 = cr_find_geom_pose(model, poses, geoms[0]),
       X2 = cr_find_geom_pose(model, poses, geoms[1]);
  v3 point1, point2, normal;
  distance->distance = cr_geom_compute_distance(&shape[geoms[0]], &X1, &shape[geoms[1]], &X2,
                                                &point1, &point2, &normal);
  if (isnan(distance->distance))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "distance: geometries %d and %d have none", geoms[0], geoms[1]);
  v3_store(point1, distance->point1);
  v3_store(point2, distance->point2);
  v3_store(normal, distance->normal);
  return cr_error_clear(error);
}
