/* An OpenGL 3.3 core context without a window or a display, through EGL. */
#ifndef RENDER_CONTEXT_H
#define RENDER_CONTEXT_H

#include "carom/status.h"

#include <epoxy/egl.h>

typedef struct render_context {
  EGLDisplay display;
  EGLContext context;
} render_context;

/* Makes a context current: of a graphics card where one can be had, else of Mesa's software.
 * @return CAROM_ERROR_FILE with a sentence that says what is missing */
carom_status render_context_create(render_context* context, carom_error* error);

void render_context_destroy(render_context* context);

#endif
