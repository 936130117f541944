/* The sources of the shaders, as cmake/Embed.cmake makes them of glsl/. */
#ifndef RENDER_GLSL_H
#define RENDER_GLSL_H

#include <stddef.h>

extern const unsigned char render_glsl_solid_vert[], render_glsl_solid_frag[];
extern const unsigned char render_glsl_plane_vert[], render_glsl_plane_frag[];
extern const unsigned char render_glsl_screen_vert[], render_glsl_copy_frag[];
extern const unsigned char render_glsl_finish_frag[], render_glsl_mark_frag[];
extern const unsigned char render_glsl_empty_frag[], render_glsl_light_glsl[];

extern const size_t render_glsl_solid_vert_size, render_glsl_solid_frag_size;
extern const size_t render_glsl_plane_vert_size, render_glsl_plane_frag_size;
extern const size_t render_glsl_screen_vert_size, render_glsl_copy_frag_size;
extern const size_t render_glsl_finish_frag_size, render_glsl_mark_frag_size;
extern const size_t render_glsl_empty_frag_size, render_glsl_light_glsl_size;

#endif
