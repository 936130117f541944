/* Vectors, boxes, poses (position, quaternion w x y z), 4 by 4 matrices (columns) and colours of
 * pictures. */
#ifndef RENDER_VECTOR_H
#define RENDER_VECTOR_H

#include <math.h>
#include <string.h>

/* Columns, as OpenGL takes them. */
typedef struct render_matrix {
  double at[16];
} render_matrix;

/* A box along the axes of the world, m. */
typedef struct render_box {
  double low[3], high[3];
} render_box;

static inline double render_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void render_cross(const double a[3], const double b[3], double c[3]) {
  const double made[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                          a[0] * b[1] - a[1] * b[0]};
  memcpy(c, made, sizeof made);
}

/* To unit length; zero stays. Returns the length. */
static inline double render_normalise(double a[3]) {
  double length = sqrt(render_dot(a, a));
  for (int k = 0; k < 3 && length > 0; k++) a[k] /= length;
  return length;
}

/* Half the diagonal of a box. */
double render_box_radius(const render_box* box);

/* A colour of sRGB components as light. */
void render_linear(const float srgb[3], float linear[3]);

/* The rotation matrix (rows) of a quaternion of any length but zero. */
void render_rotation(const double quaternion[4], double rotation[9]);

/* A pose given in the frame of another. */
void render_pose_compose(const double outer[7], const double inner[7], double pose[7]);

/* Between two poses: positions linear, quaternions on the shorter way. */
void render_pose_mix(const double from[7], const double to[7], double fraction, double pose[7]);

render_matrix render_matrix_multiply(const render_matrix* a, const render_matrix* b);

/* Sees `middle` from `eye` with z up, where that is not the way that it looks. */
render_matrix render_matrix_look(const double eye[3], const double middle[3]);

/* @param tangent of half the vertical angle
 * @param aspect width over height */
render_matrix render_matrix_perspective(double tangent, double aspect, double near, double far);

/* A box of this half width and height, from depth 0 to 2 `radius` before the eye. */
render_matrix render_matrix_box(double radius);

/* The same as numbers for OpenGL. */
void render_matrix_to_floats(const render_matrix* matrix, float floats[16]);

#endif
