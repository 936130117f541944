/* Framebuffers of a picture. Light adds up in floats and becomes bytes at the end. */
#include "targets.h"

#include "common/error.h"

#include <stdbool.h>

static GLuint make_texture(GLint format, GLenum layout, int width, int height) {
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, layout, GL_FLOAT, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

static void begin(render_target* target) {
  glGenFramebuffers(1, &target->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
}

static bool is_complete(void) {
  return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static GLuint add_buffer(GLenum attachment, GLenum format, int width, int height) {
  GLuint buffer;
  glGenRenderbuffers(1, &buffer);
  glBindRenderbuffer(GL_RENDERBUFFER, buffer);
  glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
  return buffer;
}

static bool make_picture(render_target* target, GLint format, bool has_depth, int width,
                         int height) {
  begin(target);
  target->texture = make_texture(format, GL_RGBA, width, height);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
  if (has_depth)
    target->buffers[0] = add_buffer(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, width, height);
  return is_complete();
}

static bool make_finished(render_target* target, int width, int height) {
  begin(target);
  target->buffers[0] = add_buffer(GL_COLOR_ATTACHMENT0, GL_RGBA8, width, height);
  return is_complete();
}

/* A map of depths that compares when it is read. */
static bool make_map(render_target* target, int size) {
  begin(target);
  target->texture = make_texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, size, size);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->texture, 0);
  glDrawBuffer(GL_NONE);
  glReadBuffer(GL_NONE);
  return is_complete();
}

int render_map_size(int light) { return light == 0 ? 2048 : 1024; }

carom_status render_targets_create(int width, int height, render_targets* t, carom_error* error) {
  GLint most = 0;
  *t = (render_targets){.width = width, .height = height};
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (width > most || height > most)
    return cli_error(error, CAROM_ERROR_FILE,
                     "a picture of %d by %d is more than OpenGL (%s) draws, %d by %d", width,
                     height, (const char*)glGetString(GL_RENDERER), most, most);
  bool is_made = make_picture(&t->pass, GL_RGBA16F, true, width, height) &&
                 make_picture(&t->sum, GL_RGBA32F, false, width, height) &&
                 make_finished(&t->finished, width, height);
  for (int i = 0; i < RENDER_NUM_LIGHTS; i++)
    is_made = is_made && make_map(&t->maps[i], render_map_size(i));
  if (is_made && glGetError() == GL_NO_ERROR) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE, "there is no memory for a picture of %d by %d", width,
                   height);
}

static void destroy_target(render_target* target) {
  glDeleteFramebuffers(1, &target->framebuffer);
  glDeleteTextures(1, &target->texture);
  glDeleteRenderbuffers(2, target->buffers);
}

void render_targets_destroy(render_targets* t) {
  destroy_target(&t->pass);
  destroy_target(&t->sum);
  destroy_target(&t->finished);
  for (int i = 0; i < RENDER_NUM_LIGHTS; i++) destroy_target(&t->maps[i]);
}
