/* Drag and lift. A body without ellipsoids counts as the box that has its inertia: quadratic drag
 * on its faces, and the Stokes drag of a sphere. An ellipsoid feels quadratic drag between blunt
 * and slender, Kutta and Magnus lift, Stokes drag, and what the added mass does to a moving frame
 * (the model of Andersen, Pesavento and Wang 2005 in three dimensions, as MuJoCo's documentation
 * gives it, chapter "Fluid forces"). The acceleration of the added mass is left out there and here.
 */
#include "force/fluid.h"

#include "force/fluid_flow.h"

#include <math.h>

/* Below this speed times size a quotient of zeros is zero. */
#define TINY 1e-300

static double pow2(double x) { return x * x; }
static double pow4(double x) { return x * x * x * x; }

/* --- Box ----------------------------------------------------------------------------------------
 */

cr_box_drag cr_fluid_find_box_drag(const cr_fluid_model* f, const double* s) {
  double diameter = (s[0] + s[1] + s[2]) / 3, rho = f->density;
  v3 linear = v3_make(s[1] * s[2], s[0] * s[2], s[0] * s[1]);
  v3 angular = v3_make(s[0] * (pow4(s[1]) + pow4(s[2])), s[1] * (pow4(s[0]) + pow4(s[2])),
                       s[2] * (pow4(s[0]) + pow4(s[1])));
  return (cr_box_drag){v3_scale(0.5 * rho, linear), v3_scale(rho / 64, angular),
                       3 * M_PI * diameter * f->viscosity, M_PI * pow(diameter, 3) * f->viscosity};
}

static sv box_force(const cr_fluid_model* f, const double* size, sv V) {
  cr_box_drag drag = cr_fluid_find_box_drag(f, size);
  v3 lin = v3_mul(drag.linear, v3_mul(v3_abs(V.lin), V.lin));
  v3 ang = v3_mul(drag.angular, v3_mul(v3_abs(V.ang), V.ang));
  return (sv){v3_neg(v3_axpy(ang, drag.stokes_angular, V.ang)),
              v3_neg(v3_axpy(lin, drag.stokes_linear, V.lin))};
}

static void box_damping(const cr_fluid_model* f, const double* size, sv V, m3* linear,
                        m3* angular) {
  cr_box_drag drag = cr_fluid_find_box_drag(f, size);
  v3 one = v3_make(1, 1, 1);
  v3 lin = v3_scale(2, v3_mul(drag.linear, v3_abs(V.lin)));
  v3 ang = v3_scale(2, v3_mul(drag.angular, v3_abs(V.ang)));
  *linear = m3_diagonal(v3_axpy(lin, drag.stokes_linear, one));
  *angular = m3_diagonal(v3_axpy(ang, drag.stokes_angular, one));
}

/* --- Ellipsoid ----------------------------------------------------------------------------------
 */

/* 8/15 pi times an axis times the fourth power of the larger of the other two. */
static double drag_moment(const double* s, int axis) {
  double other = fmax(s[(axis + 1) % 3], s[(axis + 2) % 3]);
  return 8.0 / 15 * M_PI * s[axis] * pow4(other);
}

/* The same over all axes, were the body as thick as it is wide. */
static double largest_moment(double middle, double largest) {
  return 8.0 / 15 * M_PI * middle * pow4(largest);
}

cr_flow cr_fluid_find_flow(const double* s, const double* coefficient, sv V) {
  double high = fmax(s[0], fmax(s[1], s[2])), low = fmin(s[0], fmin(s[1], s[2]));
  double middle = s[0] + s[1] + s[2] - high - low;
  v3 areas = v3_make(pow2(s[1] * s[2]), pow2(s[2] * s[0]), pow2(s[0] * s[1]));
  v3 normal = v3_mul(areas, V.lin);
  double along = v3_dot(normal, V.lin), across = v3_norm2(normal);
  cr_flow x = {.normal = normal,
               .area = along > TINY ? M_PI * sqrt(across / along) : 0,
               .largest = M_PI * high * middle,
               .stokes = 2.0 / 3 * (s[0] + s[1] + s[2]),
               .speed = v3_norm(V.lin),
               .volume = 4.0 / 3 * M_PI * s[0] * s[1] * s[2]};
  x.cosine = x.speed * across > TINY ? along / (x.speed * across) : 0;
  double most = largest_moment(middle, high), moment[3];
  for (int i = 0; i < 3; i++) {
    double own = drag_moment(s, i);
    moment[i] = coefficient[CR_FLUID_ANGULAR_DRAG] * own +
                coefficient[CR_FLUID_SLENDER_DRAG] * (most - own);
  }
  x.moment = v3_load(moment);
  return x;
}

void cr_fluid_find_drag(const cr_fluid_model* f, const double* coefficient, const cr_flow* x, sv V,
                        double* linear, double* angular) {
  double area = coefficient[CR_FLUID_BLUNT_DRAG] * x->area +
                coefficient[CR_FLUID_SLENDER_DRAG] * (x->largest - x->area);
  *linear = 3 * M_PI * f->viscosity * x->stokes + f->density * x->speed * area;
  *angular =
      M_PI * f->viscosity * pow(x->stokes, 3) + f->density * v3_norm(v3_mul(x->moment, V.ang));
}

static sv ellipsoid_force(const cr_fluid_model* f, int part, sv V) {
  const double* coefficient = f->coefficient + CR_FLUID_NUM_COEFFICIENTS * part;
  const double* added = f->added + 6 * part;
  cr_flow x = cr_fluid_find_flow(f->size + 3 * part, coefficient, V);
  double linear, angular, rho = f->density;
  cr_fluid_find_drag(f, coefficient, &x, V, &linear, &angular);
  v3 p = v3_mul(v3_load(added), V.lin), L = v3_mul(v3_load(added + 3), V.ang);
  v3 circulation = v3_scale(coefficient[CR_FLUID_KUTTA_LIFT] * rho * x.cosine * x.area,
                            v3_cross(x.normal, V.lin));
  v3 magnus = v3_scale(coefficient[CR_FLUID_MAGNUS_LIFT] * rho * x.volume, v3_cross(V.ang, V.lin));
  v3 lift = v3_add(magnus, v3_cross(circulation, V.lin));
  v3 force = v3_axpy(v3_add(lift, v3_cross(p, V.ang)), -linear, V.lin);
  v3 moment = v3_add(v3_cross(p, V.lin), v3_cross(L, V.ang));
  return (sv){v3_axpy(moment, -angular, V.ang), force};
}

/* a I + b direction directionᵀ, where the factor a grows with the speed and b is that growth. */
static m3 growing(double a, double b, v3 x) {
  v3 n = v3_normalize_or(x, v3_zero());
  m3 I = m3_identity(), whole = m3_scale(a, &I), nn = m3_outer(n, n), more = m3_scale(b, &nn);
  return m3_add(&whole, &more);
}

static void ellipsoid_damping(const cr_fluid_model* f, int part, sv V, m3* linear, m3* angular) {
  const double* coefficient = f->coefficient + CR_FLUID_NUM_COEFFICIENTS * part;
  cr_flow x = cr_fluid_find_flow(f->size + 3 * part, coefficient, V);
  double lin, ang;
  cr_fluid_find_drag(f, coefficient, &x, V, &lin, &ang);
  double stokes_lin = 3 * M_PI * f->viscosity * x.stokes;
  double stokes_ang = M_PI * f->viscosity * pow(x.stokes, 3);
  *linear = growing(fmax(lin, 0), fmax(lin - stokes_lin, 0), V.lin);
  *angular = growing(fmax(ang, 0), fmax(ang - stokes_ang, 0), V.ang);
}

/* --- Both ---------------------------------------------------------------------------------------
 */

sv cr_fluid_compute_force(const cr_fluid_model* f, int part, sv V) {
  return f->is_ellipsoid[part] ? ellipsoid_force(f, part, V) : box_force(f, f->size + 3 * part, V);
}

void cr_fluid_compute_damping(const cr_fluid_model* f, int part, sv V, m3* linear, m3* angular) {
  if (f->is_ellipsoid[part])
    ellipsoid_damping(f, part, V, linear, angular);
  else
    box_damping(f, f->size + 3 * part, V, linear, angular);
}

/* --- Added mass ---------------------------------------------------------------------------------
 */

/* Carlson's elliptic integral R_D(x, y, z) = 3/2 of the integral of dt / (sqrt((t + x) (t + y))
 * (t + z)^(3/2)) over t > 0, by duplication (Carlson 1979): the remainder of the series is of the
 * sixth order in the spread, which falls fourfold in each round. */
static double carlson_RD(double x, double y, double z) {
  double sum = 0, factor = 1, mean = 0, dx, dy, dz;
  for (int i = 0; i < 60; i++) {
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * ry + ry * rz + rz * rx;
    sum += factor / (rz * (z + lambda));
    factor /= 4;
    x = (x + lambda) / 4, y = (y + lambda) / 4, z = (z + lambda) / 4;
    mean = (x + y + 3 * z) / 5;
    if (fmax(fabs(mean - x), fmax(fabs(mean - y), fabs(mean - z))) < 1e-3 * mean) break;
  }
  dx = (mean - x) / mean, dy = (mean - y) / mean, dz = (mean - z) / mean;
  double ea = dx * dy, eb = dz * dz, ec = ea - eb, ed = ea - 6 * eb, ef = ed + ec + ec;
  double series = 1 + ed * (-3.0 / 14 + 0.25 * 9.0 / 22 * ed - 1.5 * 3.0 / 26 * dz * ef) +
                  dz * (1.0 / 6 * ef + dz * (-9.0 / 22 * ec + dz * 3.0 / 26 * ea));
  return 3 * sum + factor * series / (mean * sqrt(mean));
}

void cr_fluid_compute_added_mass(const double s[3], double added[6]) {
  double volume = 4.0 / 3 * M_PI * s[0] * s[1] * s[2], kappa[3];
  for (int i = 0; i < 3; i++)
    kappa[i] = 2.0 / 3 * s[0] * s[1] * s[2] *
               carlson_RD(pow2(s[(i + 1) % 3]), pow2(s[(i + 2) % 3]), pow2(s[i]));
  for (int i = 0; i < 3; i++) {
    double y2 = pow2(s[(i + 1) % 3]), z2 = pow2(s[(i + 2) % 3]), difference = y2 - z2;
    double turn = fabs(kappa[(i + 2) % 3] - kappa[(i + 1) % 3]);
    double rest = fabs(2 * difference + (y2 + z2) * (kappa[(i + 1) % 3] - kappa[(i + 2) % 3]));
    added[i] = volume * kappa[i] / (2 - kappa[i]);
    added[3 + i] = rest > TINY ? volume / 5 * pow2(difference) * turn / rest : 0;
  }
}
