/* Draws pictures of lists of solids. */
#ifndef RENDER_PAINTER_H
#define RENDER_PAINTER_H

#include "camera.h"
#include "pressure.h"
#include "scene.h"

/* What is drawn in one way. */
typedef enum render_layer {
  RENDER_BODIES, /* with light and shadows */
  RENDER_TRAILS, /* in their colours, behind what is before them */
  RENDER_MARKS,  /* in their colours, over all of it */
  RENDER_NUM_LAYERS
} render_layer;

/* A picture to be drawn. Positions count from `middle`. */
typedef struct render_view {
  render_solids layers[RENDER_NUM_LAYERS];
  const render_scene* scene; /* planes are drawn from here */
  const double* poses;       /* [7 num_bodies] of these planes */
  render_pressure pressure;  /* drawn with the marks */
  render_camera camera;
  render_matrix clip;      /* of the camera */
  float top[4], bottom[4]; /* background, linear */
  bool is_transparent;     /* no background */
  double grid;             /* m, between lines of planes */
} render_view;

typedef struct render_painter render_painter;

/* Makes what pictures of a size need; a context must be current.
 * @param passes whose mean is a picture
 * @param scene how many are drawn, and the meshes */
carom_status render_painter_create(int width, int height, int passes, const render_scene* scene,
                                   render_painter** painter, carom_error* error);

void render_painter_destroy(render_painter* painter);

/* Draws a picture.
 * @param pixels [4 width height] receives red, green, blue, opacity, rows from the top */
carom_status render_painter_draw(render_painter* painter, const render_view* view,
                                 unsigned char* pixels, carom_error* error);

#endif
