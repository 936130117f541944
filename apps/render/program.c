/* Compiles shaders of the sources in glsl/. */
#include "program.h"

#include "common/error.h"
#include "glsl.h"

typedef struct source {
  const unsigned char* vertex;
  const unsigned char* light; /* null: none */
  const unsigned char* fragment;
} source;

static const source SOURCES[RENDER_NUM_PROGRAMS] = {
    [RENDER_SOLID] = {render_glsl_solid_vert, render_glsl_light_glsl, render_glsl_solid_frag},
    [RENDER_PLANE] = {render_glsl_plane_vert, render_glsl_light_glsl, render_glsl_plane_frag},
    [RENDER_MARK] = {render_glsl_solid_vert, NULL, render_glsl_mark_frag},
    [RENDER_DEPTH] = {render_glsl_solid_vert, NULL, render_glsl_empty_frag},
    [RENDER_COPY] = {render_glsl_screen_vert, NULL, render_glsl_copy_frag},
    [RENDER_FINISH] = {render_glsl_screen_vert, NULL, render_glsl_finish_frag},
};

static GLuint compile(GLenum kind, const unsigned char* light, const unsigned char* text) {
  const char* parts[3] = {"#version 330 core\n", light ? (const char*)light : "",
                          (const char*)text};
  GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 3, parts, NULL);
  glCompileShader(shader);
  return shader;
}

/* The driver's words on what failed. */
static void describe(GLuint program, const GLuint shaders[2], char* text, int size) {
  glGetProgramInfoLog(program, size, NULL, text);
  for (int i = 0; i < 2; i++) {
    GLint is_compiled = 0;
    glGetShaderiv(shaders[i], GL_COMPILE_STATUS, &is_compiled);
    if (!is_compiled) glGetShaderInfoLog(shaders[i], size, NULL, text);
  }
  text[strcspn(text, "\n")] = '\0';
}

carom_status render_program_create(render_program which, GLuint* program, carom_error* error) {
  const source* s = &SOURCES[which];
  const GLuint shaders[2] = {compile(GL_VERTEX_SHADER, NULL, s->vertex),
                             compile(GL_FRAGMENT_SHADER, s->light, s->fragment)};
  GLint is_linked = 0;
  char text[200] = "";
  *program = glCreateProgram();
  for (int i = 0; i < 2; i++) glAttachShader(*program, shaders[i]);
  glLinkProgram(*program);
  glGetProgramiv(*program, GL_LINK_STATUS, &is_linked);
  if (!is_linked) describe(*program, shaders, text, sizeof text);
  for (int i = 0; i < 2; i++) glDeleteShader(shaders[i]);
  if (is_linked) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE, "OpenGL (%s) does not take a shader: %s",
                   (const char*)glGetString(GL_RENDERER), text);
}

void render_set_number(GLuint program, const char* name, double value) {
  glUniform1f(glGetUniformLocation(program, name), (float)value);
}

void render_set_integer(GLuint program, const char* name, int value) {
  glUniform1i(glGetUniformLocation(program, name), value);
}

void render_set_vector(GLuint program, const char* name, const double v[3]) {
  glUniform3f(glGetUniformLocation(program, name), (float)v[0], (float)v[1], (float)v[2]);
}

void render_set_colour(GLuint program, const char* name, const float colour[4]) {
  glUniform4fv(glGetUniformLocation(program, name), 1, colour);
}

void render_set_matrix(GLuint program, const char* name, const render_matrix* matrix) {
  float floats[16];
  render_matrix_to_floats(matrix, floats);
  glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, floats);
}
