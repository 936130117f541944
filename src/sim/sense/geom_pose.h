/* Where poses of the bodies put their geometries. */
#ifndef CR_SIM_SENSE_GEOM_POSE_H
#define CR_SIM_SENSE_GEOM_POSE_H

#include "model/model.h"

/* @param poses [7 num_bodies] as carom_sim_compute_poses gives them */
static inline pose cr_find_geom_pose(const carom_model* model, const double* poses, int geom) {
  const cr_geom_model* g = &model->geom;
  int body = g->body[geom];
  const double* at = poses + 7 * (size_t)body;
  pose X = {v3_load(at), quat_to_m3(quat_normalize(quat_load(at + 3)))};
  pose in_body = pose_relative(&model->body.local[body], &g->local[geom]);
  return pose_mul(&X, &in_body);
}

#endif
