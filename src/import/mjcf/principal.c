/* Principal axes in the format's order and signs. */
#include "import/mjcf/principal.h"

#include <math.h>

#define SMALL     1e-12 /* of elements, kg m² in the format's own absolute measure, and of 1 - cos */
#define MAX_TURNS 500

/* A turn about a coordinate axis. */
static quat turn_about(int axis, double angle) {
  double s = sin(0.5 * angle);
  return (quat){cos(0.5 * angle), axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0};
}

static m3 in_axes(const m3* A, quat q) {
  m3 R = quat_to_m3(quat_conjugate(q));
  return m3_congruence(&R, A);
}

/* The axis to turn about next: that of the largest element off the diagonal. */
static int find_axis(const m3* D) {
  double xy = fabs(D->m[0][1]), xz = fabs(D->m[0][2]), yz = fabs(D->m[1][2]);
  return xy > xz && xy > yz ? 2 : xz > yz ? 1 : 0;
}

/* The turn that makes an element zero; false where it is small. */
static bool find_turn(const m3* D, quat* turn) {
  int axis = find_axis(D), row = axis == 0 ? 1 : 0, column = axis == 2 ? 1 : 2;
  double element = D->m[row][column];
  if (fabs(element) < SMALL) return false;
  double tau = (D->m[column][column] - D->m[row][row]) / (2 * element);
  double angle = atan(1 / (fabs(tau) + sqrt(1 + tau * tau)));
  if (cos(angle) > 1 - SMALL) return false;
  bool is_back = (tau >= 0) != (axis == 1);
  *turn = turn_about(axis, is_back ? -angle : angle);
  return true;
}

quat cr_mjcf_principal_axes(const double inertia[6], v3* moments) {
  m3 A = m3_symmetric(inertia), D = A;
  quat q = quat_identity(), turn;
  for (int i = 0; i < MAX_TURNS && find_turn(&D, &turn); i++) {
    q = quat_normalize(quat_mul(q, turn));
    D = in_axes(&A, q);
  }
  double moment[3] = {D.m[0][0], D.m[1][1], D.m[2][2]};
  for (int i = 0; i < 3; i++) {
    int first = i % 2;
    double larger = moment[first + 1];
    if (!(moment[first] + SMALL < larger)) continue;
    moment[first + 1] = moment[first], moment[first] = larger;
    q = quat_normalize(quat_mul(q, turn_about((first + 2) % 3, M_PI_2)));
  }
  *moments = v3_load(moment);
  return q;
}
