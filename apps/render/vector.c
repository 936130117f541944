/* Vectors, poses and matrices of pictures. */
#include "vector.h"

void render_rotation(const double q[4], double r[9]) {
  double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double w = q[0], x = q[1], y = q[2], z = q[3];
  const double made[9] = {
      1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
      s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
      s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  memcpy(r, made, sizeof made);
}

static void quaternion_multiply(const double p[4], const double q[4], double product[4]) {
  const double made[4] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
  memcpy(product, made, sizeof made);
}

void render_pose_compose(const double outer[7], const double inner[7], double pose[7]) {
  double r[9], made[7];
  render_rotation(outer + 3, r);
  for (int k = 0; k < 3; k++) made[k] = outer[k] + render_dot(r + 3 * k, inner);
  quaternion_multiply(outer + 3, inner + 3, made + 3);
  memcpy(pose, made, sizeof made);
}

/* Shoemake 1985; linear where the two are nearly one. */
static void slerp(const double p[4], const double q[4], double fraction, double mixed[4]) {
  double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  double sign = cosine < 0 ? -1 : 1, angle = acos(fmin(fabs(cosine), 1));
  double a = 1 - fraction, b = fraction;
  if (angle > 1e-4) {
    a = sin(a * angle) / sin(angle);
    b = sin(b * angle) / sin(angle);
  }
  for (int k = 0; k < 4; k++) mixed[k] = a * p[k] + sign * b * q[k];
}

void render_pose_mix(const double from[7], const double to[7], double fraction, double pose[7]) {
  for (int k = 0; k < 3; k++) pose[k] = from[k] + fraction * (to[k] - from[k]);
  slerp(from + 3, to + 3, fraction, pose + 3);
}

render_matrix render_matrix_multiply(const render_matrix* a, const render_matrix* b) {
  render_matrix product;
  for (int column = 0; column < 4; column++)
    for (int row = 0; row < 4; row++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += a->at[4 * k + row] * b->at[4 * column + k];
      product.at[4 * column + row] = sum;
    }
  return product;
}

render_matrix render_matrix_look(const double eye[3], const double middle[3]) {
  double z[3], x[3], y[3], up[3] = {0, 0, 1};
  for (int k = 0; k < 3; k++) z[k] = eye[k] - middle[k];
  render_normalise(z);
  if (fabs(z[2]) > 1 - 1e-9) up[1] = 1, up[2] = 0;
  render_cross(up, z, x);
  render_normalise(x);
  render_cross(z, x, y);
  const double* rows[3] = {x, y, z};
  render_matrix look = {{[15] = 1}};
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++) look.at[4 * column + row] = rows[row][column];
    look.at[12 + row] = -render_dot(rows[row], eye);
  }
  return look;
}

render_matrix render_matrix_perspective(double tangent, double aspect, double near, double far) {
  return (render_matrix){{[0] = 1 / (tangent * aspect),
                          [5] = 1 / tangent,
                          [10] = -(far + near) / (far - near),
                          [11] = -1,
                          [14] = -2 * far * near / (far - near)}};
}

render_matrix render_matrix_box(double radius) {
  return (render_matrix){
      {[0] = 1 / radius, [5] = 1 / radius, [10] = -1 / radius, [14] = -1, [15] = 1}};
}

void render_matrix_to_floats(const render_matrix* matrix, float floats[16]) {
  for (int k = 0; k < 16; k++) floats[k] = (float)matrix->at[k];
}

double render_box_radius(const render_box* box) {
  double half[3];
  for (int k = 0; k < 3; k++) half[k] = 0.5 * (box->high[k] - box->low[k]);
  return sqrt(render_dot(half, half));
}

void render_linear(const float srgb[3], float linear[3]) {
  for (int k = 0; k < 3; k++)
    linear[k] = srgb[k] <= 0.04045F ? srgb[k] / 12.92F : powf((srgb[k] + 0.055F) / 1.055F, 2.4F);
}
