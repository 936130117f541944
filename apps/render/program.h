/* Shader programs. */
#ifndef RENDER_PROGRAM_H
#define RENDER_PROGRAM_H

#include "vector.h"

#include "carom/status.h"

#include <epoxy/gl.h>

/* What there is to draw with. */
typedef enum render_program {
  RENDER_SOLID,  /* bodies in their light */
  RENDER_PLANE,  /* planes in their light */
  RENDER_MARK,   /* marks without light */
  RENDER_DEPTH,  /* bodies, depths only */
  RENDER_COPY,   /* a picture as it is */
  RENDER_FINISH, /* the sum of all passes as sRGB */
  RENDER_NUM_PROGRAMS
} render_program;

/* Compiles a program.
 * @return CAROM_ERROR_FILE with the driver's first complaint */
carom_status render_program_create(render_program which, GLuint* program, carom_error* error);

/* Uniforms of the program in use; names that it does not have are passed over. */
void render_set_number(GLuint program, const char* name, double value);
void render_set_integer(GLuint program, const char* name, int value);
void render_set_vector(GLuint program, const char* name, const double vector[3]);
void render_set_colour(GLuint program, const char* name, const float colour[4]);
void render_set_matrix(GLuint program, const char* name, const render_matrix* matrix);

#endif
