/* What is drawn into: a pass, the sum of all passes, the finished picture, the shadow maps. */
#ifndef RENDER_TARGETS_H
#define RENDER_TARGETS_H

#include "light.h"

#include "carom/status.h"

#include <epoxy/gl.h>

/* A framebuffer with the texture that it fills, or a renderbuffer where that is 0. */
typedef struct render_target {
  GLuint framebuffer, texture, buffers[2];
} render_target;

typedef struct render_targets {
  int width, height;
  render_target pass, sum, finished, maps[RENDER_NUM_LIGHTS];
} render_targets;

/* Width and height of a light's shadow map. */
int render_map_size(int light);

/* @return CAROM_ERROR_FILE where the size is more than can be drawn */
carom_status render_targets_create(int width, int height, render_targets* targets,
                                   carom_error* error);

void render_targets_destroy(render_targets* targets);

#endif
