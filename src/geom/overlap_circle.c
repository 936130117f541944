/* Minima of the overlap function on the great circles of its kinks.
 *
 * A side or edge of one shape that touches a rim, corner or side of the other holds the normal on
 * the circle across the segment. There the overlap is, between the angles where it crosses other
 * circles, a sinusoid plus the support function of an ellipse (a disc seen along the segment). Each
 * piece is cut into short intervals; where the slope turns from falling to rising within one,
 * Newton's iteration, kept inside the bracket, finds the minimum. Opposite directions differ by
 * 2 n.c, so half a circle about the direction towards B is enough. */
#include "geom/overlap.h"

/* Cuts of half a circle. */
#define NUM_CUTS       12

#define MAX_ANGLES     (NUM_CUTS + 1 + 3 * (6 + 2 * 9))
#define MAX_ITERATIONS 40
/* Least width of a sharp turn of the slope that gets cuts of its own. */
#define SHARPEST 1e-3

/* Squared length of a unit vector in the plane of the circle below which it is across. */
#define PARALLEL 1e-20

/* Slopes that are noise, in terms of the rounding of the function. */
#define FLAT 1e3

/* Somewhat more than a quarter turn to either side. */
#define FARTHEST 1.65

/* A circle across segment `held`: n = cos(angle) x + sin(angle) y. */
typedef struct cr_circle {
  const cr_overlap* overlap;
  int held;
  v3 x, y;
} cr_circle;

static v3 direction_at(const cr_circle* circle, double angle) {
  return v3_axpy(v3_scale(cos(angle), circle->x), sin(angle), circle->y);
}

static void init_circle(const cr_overlap* overlap, int held, cr_circle* circle) {
  v3 u = overlap->u[held], any, other;
  v3_tangents(u, &any, &other);
  circle->overlap = overlap;
  circle->held = held;
  circle->x = cr_across(overlap->c, u, any);
  circle->y = v3_cross(u, circle->x);
}

static void insert_angle(double inserted, double* angle, int* count) {
  if (fabs(inserted) > FARTHEST) return;
  int k = (*count)++;
  for (; k > 0 && angle[k - 1] > inserted; k--) angle[k] = angle[k - 1];
  angle[k] = inserted;
}

/* Inserts an angle, and those half a turn from it. */
static void insert_line(double of_line, double* angle, int* count) {
  for (int i = -1; i <= 1; i++) insert_angle(of_line + 2 * i * M_PI_2, angle, count);
}

/* Angle of the line through (x, y), in (-pi/2, pi/2]. */
static double angle_of_line(double x, double y) { return x == 0 ? M_PI_2 : atan(y / x); }

/* Where the axis of a disc is nearest the slope turns sharply: cuts there, and to either side at
 * distances that grow from the width of the turn. */
static void insert_disc(const cr_circle* circle, v3 z, double* angle, int* count) {
  double x = v3_dot(z, circle->x), y = v3_dot(z, circle->y);
  if (x * x + y * y < PARALLEL) return;
  double nearest = angle_of_line(x, y);
  double width = cr_max(fabs(v3_dot(z, circle->overlap->u[circle->held])), SHARPEST);
  insert_line(nearest, angle, count);
  for (int side = -1; side <= 1; side += 2)
    for (double away = width; away < 1; away *= 8) insert_line(nearest + side * away, angle, count);
}

/* Angles that bound smooth short intervals, in ascending order. */
static int list_angles(const cr_circle* circle, double* angle) {
  const cr_overlap* overlap = circle->overlap;
  int count = 0;
  for (int i = 0; i <= NUM_CUTS; i++) angle[count++] = FARTHEST * (2.0 * i / NUM_CUTS - 1);
  /* Where other circles cross this one. */
  for (int i = 0; i < overlap->num_segments; i++) {
    double x = v3_dot(overlap->u[i], circle->x), y = v3_dot(overlap->u[i], circle->y);
    if (i != circle->held && x * x + y * y > PARALLEL)
      insert_line(angle_of_line(-y, x), angle, &count);
  }
  for (int j = 0; j < overlap->num_discs; j++) insert_disc(circle, overlap->z[j], angle, &count);
  return count;
}

/* The part of the function that is a sinusoid in the interval around an angle: -n.w. */
static v3 find_linear_part(const cr_circle* circle, double angle) {
  const cr_overlap* overlap = circle->overlap;
  v3 n = direction_at(circle, angle), w = overlap->c;
  for (int i = 0; i < overlap->num_segments; i++)
    if (i != circle->held)
      w = v3_axpy(w, -copysign(overlap->half[i], v3_dot(n, overlap->u[i])), overlap->u[i]);
  return w;
}

/* First and second derivatives by the angle. */
static double find_slope(const cr_circle* circle, v3 w, double angle, double* second) {
  const cr_overlap* overlap = circle->overlap;
  v3 n = direction_at(circle, angle), t = direction_at(circle, angle + M_PI_2);
  double first = -v3_dot(t, w);
  *second = v3_dot(n, w);
  for (int j = 0; j < overlap->num_discs; j++) {
    double along = v3_dot(n, overlap->z[j]), across = v3_dot(t, overlap->z[j]);
    double square = v3_norm2(v3_cross(n, overlap->z[j])), sine = sqrt(square);
    if (square == 0) continue;
    first -= overlap->radius[j] * along * across / sine;
    double bend = along * along - across * across - along * along * across * across / square;
    *second += overlap->radius[j] * bend / sine;
  }
  return first;
}

/* The angle in [low, high] where the slope changes its sign. */
static double find_turn(const cr_circle* circle, v3 w, double low, double high) {
  double angle = 0.5 * (low + high), second;
  for (int iteration = 0; iteration < MAX_ITERATIONS && high - low > 1e-15; iteration++) {
    double first = find_slope(circle, w, angle, &second);
    if (first > 0)
      high = angle;
    else
      low = angle;
    double step = second > 0 ? -first / second : INFINITY;
    if (fabs(step) < 1e-16) break;
    angle += step;
    if (!(angle > low && angle < high)) angle = 0.5 * (low + high);
  }
  return angle;
}

static double search_circle(const cr_circle* circle, double least, v3* n) {
  double angle[MAX_ANGLES], second, flat = FLAT * circle->overlap->tolerance;
  int count = list_angles(circle, angle);
  v3 u = circle->overlap->u[circle->held];
  for (int i = 0; i + 1 < count; i++) {
    v3 w = find_linear_part(circle, 0.5 * (angle[i] + angle[i + 1]));
    if (find_slope(circle, w, angle[i], &second) > flat) continue;
    if (find_slope(circle, w, angle[i + 1], &second) < -flat) continue;
    v3 found = direction_at(circle, find_turn(circle, w, angle[i], angle[i + 1]));
    found = cr_across(found, u, found);
    double value = cr_overlap_compute(circle->overlap, found);
    if (!(value < least - circle->overlap->tolerance)) continue;
    least = value;
    *n = found;
  }
  return least;
}

double cr_overlap_search_circles(const cr_overlap* overlap, double least, v3* n) {
  for (int i = 0; i < overlap->num_segments; i++) {
    cr_circle circle;
    init_circle(overlap, i, &circle);
    least = search_circle(&circle, least, n);
  }
  return least;
}
