/* What a recording shows: its geometries, which of them move, how far they reach. */
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include "softs.h"

#include "carom/record.h"

typedef struct render_geom {
  carom_geom_type type;
  int body;
  int mesh;        /* of the recording; -1: none, and of a mesh its bounds are drawn */
  double pose[7];  /* in the body's frame */
  double size[3];  /* m */
  float colour[4]; /* linear; opacity */
} render_geom;

typedef struct render_scene {
  carom_recording* recording; /* holds the meshes */
  int num_meshes;
  render_geom* geoms; /* [num_geoms] those that are shown */
  bool* moves;        /* [num_bodies] a joint is between it and the world */
  int num_geoms, num_bodies;
  render_softs softs;
  double reach; /* m, median half diagonal of what moves; 0: nothing does */
} render_scene;

/* Lists what is shown: all but what is fully transparent or in groups of 3 and more.
 * @param all_groups the latter too
 * @param no_planes no planes either
 * @param look colours of soft bodies */
carom_status render_scene_create(carom_recording* recording, bool all_groups, bool no_planes,
                                 const render_soft_look* look, render_scene* scene,
                                 carom_error* error);

void render_scene_free(render_scene* scene);

/* Adds all geometries but planes, and soft bodies as they were placed (render_softs_place).
 * @param poses of the bodies [7 num_bodies] */
void render_scene_add(const render_scene* scene, const double* poses, render_solids* solids);

/* The box about a geometry that is no plane; false where its pose is not finite. */
bool render_geom_box(const render_geom* geom, const double* poses, render_box* box);

#endif
