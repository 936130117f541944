/* The local problems of a disc and of bounds.
 *
 * On the disc's rim the multiplier kappa solves |x(kappa)| = radius with x = -(Lambda + kappa)^-1 b
 * in the eigenframe: Newton on 1/|x(kappa)| - 1/radius, which from the left of the root rises to it
 * without overshooting (Conn, Gould & Toint 2000, section 7.3). */
#include "math/scalar.h"
#include "problem/local.h"

#define SECULAR_MAX 40

cr_frame2 cr_frame2_compute(double m00, double m01, double m11) {
  double half = 0.5 * (m00 - m11), mean = 0.5 * (m00 + m11), spread = scalar_norm2(half, m01);
  cr_frame2 frame = {1, 0, {mean - spread, mean + spread}};
  if (spread <= 0) return frame;
  /* The determinant gives the smaller one without cancellation. */
  double determinant = m00 * m11 - m01 * m01;
  frame.lambda[0] = scalar_max(determinant / frame.lambda[1], frame.lambda[1] * 0x1p-52);
  /* Direction of the smaller eigenvalue. */
  double x = half > 0 ? -m01 : spread - half, y = half > 0 ? spread + half : -m01;
  double n = scalar_norm2(x, y);
  frame.c = x / n, frame.s = y / n;
  return frame;
}

double cr_disc_minimize_in_frame(const double lambda[2], const double b[2], double radius,
                                 double x[2]) {
  double kappa = scalar_max(scalar_norm2(b[0], b[1]) / radius - lambda[1], 0);
  for (int i = 0;; i++) {
    double k0 = lambda[0] + kappa, k1 = lambda[1] + kappa;
    x[0] = -b[0] / k0, x[1] = -b[1] / k1;
    double n = scalar_norm2(x[0], x[1]);
    if (i == SECULAR_MAX || n <= radius * (1 + 0x1p-50)) return kappa;
    double next = kappa + n * n / (x[0] * x[0] / k0 + x[1] * x[1] / k1) * ((n - radius) / radius);
    if (!(next > kappa)) return kappa;
    kappa = next;
  }
}

void cr_disc_minimize(const double* M, const double* b, const double* parameter, double* x) {
  cr_frame2 frame = cr_frame2_compute(M[0], M[1], M[3]);
  double local[2], at[2];
  x[0] = x[1] = 0;
  if (parameter[0] <= 0) return;
  cr_frame2_enter(&frame, b, local);
  cr_disc_minimize_in_frame(frame.lambda, local, parameter[0], at);
  double n = scalar_norm2(at[0], at[1]);
  if (n > parameter[0]) at[0] *= parameter[0] / n, at[1] *= parameter[0] / n;
  cr_frame2_leave(&frame, at, x);
}

void cr_bounds_minimize(const double* M, const double* b, const double* parameter, double* x) {
  x[0] = scalar_clamp(-b[0] / M[0], parameter[0], parameter[1]);
}
