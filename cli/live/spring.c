/* A spring and a damper between a point of a body and a place. The force is held over a step, which
 * is stable for c dt < m_p, m_p the mass that the body shows at the point,
 *
 *     1 / m_p <= 1 / m + tr([r]' I^-1 [r]),   r from the centre of mass to the point:
 *
 * joints only add to it. */
#include "spring.h"

#include <math.h>

#define FREQUENCY 15.0 /* rad/s, at strength 1 */
#define STABLE    0.5  /* of c dt / m_p */

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* p + 2 w (u x p) + 2 u x (u x p) of the quaternion (w, u), then the position. */
void live_place_point(const double* pose, const double point[3], double world[3]) {
  const double *q = pose + 3, *u = q + 1;
  double once[3], twice[3];
  cross(u, point, once);
  cross(u, once, twice);
  for (int k = 0; k < 3; k++) world[k] = pose[k] + point[k] + 2 * (q[0] * once[k] + twice[k]);
}

/* tr([r]' I^-1 [r]), from the adjugate; a trace of m r² keeps flat inertias apart from zero. */
static double rotational_mobility(const carom_body_info* body, const double r[3]) {
  double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], add = 1e-4 * body->mass * r2;
  const double* I = body->inertia;
  double xx = I[0] + add, yy = I[1] + add, zz = I[2] + add, xy = I[3], xz = I[4], yz = I[5];
  double a[3][3] = {{yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy},
                    {xz * yz - xy * zz, xx * zz - xz * xz, xy * xz - xx * yz},
                    {xy * yz - xz * yy, xy * xz - xx * yz, xx * yy - xy * xy}};
  double det = xx * a[0][0] + xy * a[0][1] + xz * a[0][2];
  if (r2 == 0 || !(det > 0)) return 0;
  double trace = a[0][0] + a[1][1] + a[2][2], along = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) along += r[i] * a[i][j] * r[j];
  return (r2 * trace - along) / det;
}

static void multiply(const double* J, const double* v, int num_v, double out[3]) {
  for (int k = 0; k < 3; k++) {
    out[k] = 0;
    for (int i = 0; i < num_v; i++) out[k] += J[k * num_v + i] * v[i];
  }
}

void live_spring_compute(const live_spring* spring, const carom_model* model,
                         carom_dynamics* dynamics, const double* pose, const double* v, double* J,
                         double dt, double wrench[6]) {
  carom_body_info body = carom_model_get_body(model, spring->body);
  double p[3], com[3], rate[3], r_body[3], r[3];
  for (int k = 0; k < 6; k++) wrench[k] = 0;
  if (!(body.mass > 0)) return;

  /* Where the point is, and how fast. */
  live_place_point(pose, spring->point, p);
  live_place_point(pose, body.com, com);
  carom_dynamics_compute_jacobian(dynamics, spring->body, p, J, NULL);
  multiply(J, v, carom_model_get_sizes(model).num_v, rate);
  for (int k = 0; k < 3; k++) r[k] = p[k] - com[k], r_body[k] = spring->point[k] - body.com[k];

  double mobility = 1 / body.mass + rotational_mobility(&body, r_body);
  double c = 2 * body.mass * FREQUENCY * sqrt(spring->strength);
  c = fmin(c, STABLE / (mobility * dt));
  double stiffness = c * c / (4 * body.mass);
  for (int k = 0; k < 3; k++) wrench[k] = stiffness * (spring->target[k] - p[k]) - c * rate[k];
  cross(r, wrench, wrench + 3);
}
