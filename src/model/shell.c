/* Areas and second moments of surfaces, part by part. */
#include "model/shell.h"

#include "carom/types.h"

#include <math.h>

#define THOMSEN                                                                    \
  1.6075 /* the exponent of Thomsen's formula, numericana.com/answer/ellipsoid.htm \
          */

/* A surface: its area, and the integrals of x², y² and z² over it. */
typedef struct surface {
  double area;
  v3 square;
} surface;

static void add(surface* s, double area, double xx, double yy, double zz) {
  s->area += area;
  s->square = v3_add(s->square, v3_scale(area, (v3){xx, yy, zz}));
}

/* The lateral surface of a cylinder of half length h. */
static void add_tube(surface* s, double r, double h) {
  add(s, 4 * M_PI * r * h, r * r / 2, r * r / 2, h * h / 3);
}

static void add_box(surface* s, double a, double b, double c) {
  double aa = a * a, bb = b * b, cc = c * c;
  add(s, 8 * b * c, aa, bb / 3, cc / 3);
  add(s, 8 * c * a, aa / 3, bb, cc / 3);
  add(s, 8 * a * b, aa / 3, bb / 3, cc);
}

/* With half axes that grow by d, V x² / 5 of the solid grows by that of the shell. */
static void add_ellipsoid(surface* s, double a, double b, double c) {
  double p = THOMSEN, grows = 1 / a + 1 / b + 1 / c; /* dV / (V d) */
  double mean = (pow(a * b, p) + pow(b * c, p) + pow(c * a, p)) / 3;
  add(s, 4 * M_PI * pow(mean, 1 / p), (a * a + 2 * a / grows) / 5, (b * b + 2 * b / grows) / 5,
      (c * c + 2 * c / grows) / 5);
}

static surface measure(const cr_shape* shape) {
  surface s = {0, v3_zero()};
  double r = shape->size[0], h = shape->size[1];
  switch (shape->type) {
  case CAROM_GEOM_SPHERE:
    add(&s, 4 * M_PI * r * r, r * r / 3, r * r / 3, r * r / 3);
    break;
  case CAROM_GEOM_CAPSULE:
    add_tube(&s, r, h);
    add(&s, 4 * M_PI * r * r, r * r / 3, r * r / 3, r * r / 3 + h * r + h * h);
    break;
  case CAROM_GEOM_CYLINDER:
    add_tube(&s, r, h);
    add(&s, 2 * M_PI * r * r, r * r / 4, r * r / 4, h * h);
    break;
  case CAROM_GEOM_BOX:
    add_box(&s, r, h, shape->size[2]);
    break;
  case CAROM_GEOM_ELLIPSOID:
    add_ellipsoid(&s, r, h, shape->size[2]);
    break;
  default:
    break;
  }
  return s;
}

double cr_shell_compute_area(const cr_shape* shape) { return measure(shape).area; }

v3 cr_shell_compute_unit_inertia(const cr_shape* shape) {
  surface s = measure(shape);
  if (!(s.area > 0)) return v3_zero();
  v3 m = v3_scale(1 / s.area, s.square);
  return (v3){m.y + m.z, m.z + m.x, m.x + m.y};
}
