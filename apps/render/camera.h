/* Where a picture is taken from. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include "scene.h"
#include "track.h"
#include "vector.h"

/* The camera as asked for. */
typedef struct render_camera_def {
  double azimuth;   /* degrees from x towards y, from the middle to the camera */
  double elevation; /* degrees above the horizon */
  double distance;  /* m, to the middle; 0: so that what moves fills the picture */
  double angle;     /* degrees, vertical angle of view */
  bool has_middle;
  double middle[3]; /* m, what it looks at; else the middle of what moves */
  int follow;       /* body that it looks at instead; -1: none */
  double aspect;    /* width over height */
} render_camera_def;

/* The camera of a picture. */
typedef struct render_camera {
  double eye[3], middle[3]; /* m */
  double distance;          /* m */
  double azimuth;           /* rad */
  double radius;            /* m, of what it is set up for */
} render_camera;

/* The box about what moves at some times from `from` to `to`, and fixed things about as large; what
 * is far off from all the rest does not count. */
carom_status render_camera_survey(const render_scene* scene, render_track* track, double from,
                                  double to, render_box* box, carom_error* error);

/* Sets the camera up for a box. */
void render_camera_set(const render_camera_def* def, const render_box* box, render_camera* camera);

/* Moves a camera that follows a body. */
void render_camera_update(const render_camera_def* def, const double* poses, render_camera* camera);

/* Width of a pixel at the middle, m.
 * @param height of the picture in pixels */
double render_camera_pixel(const render_camera_def* def, const render_camera* camera, int height);

/* From positions about the camera's middle to the picture. */
render_matrix render_camera_clip(const render_camera_def* def, const render_camera* camera);

#endif
