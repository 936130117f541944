/* What is drawn into: a pass, the sum of all passes, the finished picture, two shadow maps. */
#ifndef CLI_RENDER_TARGETS_H
#define CLI_RENDER_TARGETS_H

#include "carom/status.h"

#include <epoxy/gl.h>

enum { RENDER_SUN_MAP = 2048, RENDER_SKY_MAP = 1024 }; /* width and height */

/* A framebuffer with the texture that it fills, or a renderbuffer where that is 0. */
typedef struct render_target {
  GLuint framebuffer, texture, buffers[2];
} render_target;

typedef struct render_targets {
  int width, height;
  render_target pass, sum, finished, sun, sky;
} render_targets;

/* @return CAROM_ERROR_FILE where the size is more than can be drawn */
carom_status render_targets_create(int width, int height, render_targets* targets,
                                   carom_error* error);

void render_targets_destroy(render_targets* targets);

#endif
