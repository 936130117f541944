/* Ticks are multiples of 1, 2 or 5 times a power of ten. Numbers that are large, small, or close to
 * each other stand as multiples of a power of ten, less an offset, both of which the axis names. */
#include "axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARGIN     0.05 /* of the range, above and below values */
#define NEAR_SHARE 1e-3 /* of its values: a smaller range is shown less an offset */
#define MINUS      "\xe2\x88\x92"

/* The least round number that is no smaller. */
static double round_up(double value) {
  static const double ROUND[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(value)));
  for (int k = 0; k < 4; k++)
    if (ROUND[k] * power >= value * (1 - 1e-9)) return ROUND[k] * power;
  return 10 * power;
}

/* Digits after the point that multiples of a step have. */
static int count_decimals(double step) {
  int decimals = -(int)floor(log10(step) + 1e-9);
  return decimals > 0 ? decimals : 0;
}

static void write_tick(plot_axis* axis, double value, int decimals) {
  if (axis->num_ticks == PLOT_MAX_TICKS) return;
  char digits[PLOT_TICK_SIZE];
  double shown = (value - axis->offset) / pow(10, axis->exponent);
  snprintf(digits, sizeof digits, "%.*f", decimals < 12 ? decimals : 12, fabs(shown));
  bool is_zero = strspn(digits, "0.") == strlen(digits);
  snprintf(axis->texts[axis->num_ticks], PLOT_TICK_SIZE, "%s%.20s",
           shown < 0 && !is_zero ? MINUS : "", digits);
  axis->ticks[axis->num_ticks++] = value;
}

/* Offset and power of ten of numbers that would have many digits. */
static void choose_scale(plot_axis* axis, double step) {
  double largest = fmax(fabs(axis->least), fabs(axis->most));
  double range = axis->most - axis->least;
  bool is_near = axis->least * axis->most > 0 && range < NEAR_SHARE * largest;
  if (is_near) {
    axis->offset = floor(axis->least / (10 * step)) * 10 * step;
    largest = fmax(axis->least - axis->offset, axis->most - axis->offset);
  }
  bool is_large = largest >= 1e5, is_small = largest < 1e-2;
  axis->exponent = is_large || is_small ? (int)floor(log10(largest) + 1e-9) : 0;
}

static void add_ticks(plot_axis* axis, int count) {
  double step = round_up((axis->most - axis->least) / (count > 2 ? count : 2));
  choose_scale(axis, step);
  int decimals = count_decimals(step / pow(10, axis->exponent));
  double slack = 1e-9 * step;
  for (double k = ceil((axis->least - slack) / step); k * step <= axis->most + slack; k++) {
    write_tick(axis, k * step, decimals);
    if (axis->num_ticks == PLOT_MAX_TICKS || k + 1 == k) break;
  }
}

plot_axis plot_axis_make_exact(double least, double most, int count) {
  plot_axis axis = {.least = least, .most = most};
  add_ticks(&axis, count);
  return axis;
}

plot_axis plot_axis_make(double least, double most, int count) {
  if (!isfinite(least) || !isfinite(most)) return plot_axis_make_exact(0, 1, count);
  double middle = least / 2 + most / 2, half = most / 2 - least / 2;
  /* Values that differ by round-off only are one value. */
  if (!(half > 1e-14 * fabs(middle))) half = middle == 0 ? 1 : 0.05 * fabs(middle);
  half = fmin(half * (1 + 2 * MARGIN), 1e307);
  return plot_axis_make_exact(middle - half, middle + half, count);
}

/* "10⁻⁶". */
static void write_power(char* text, size_t size, int exponent) {
  static const char* const DIGITS[] = {
      "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
      "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
  char digits[16];
  snprintf(digits, sizeof digits, "%d", exponent);
  size_t used = (size_t)snprintf(text, size, "10");
  for (const char* d = digits; *d && used < size; d++)
    used += (size_t)snprintf(text + used, size - used, "%s",
                             *d == '-' ? "\xe2\x81\xbb" : DIGITS[*d - '0']);
}

plot_axis plot_axis_make_log(double least, double most, int count) {
  plot_axis axis = {.is_log = true};
  bool is_empty = !(least > 0) || !isfinite(most);
  int first = is_empty ? 0 : (int)floor(log10(least) + 1e-9);
  int last = is_empty ? 1 : (int)ceil(log10(most) - 1e-9);
  if (last <= first) last = first + 1;
  axis.least = pow(10, first), axis.most = pow(10, last);
  int stride = (last - first) / (count > 2 ? count : 2) + 1;
  for (int k = first; k <= last && axis.num_ticks < PLOT_MAX_TICKS; k += stride) {
    axis.ticks[axis.num_ticks] = pow(10, k);
    write_power(axis.texts[axis.num_ticks++], PLOT_TICK_SIZE, k);
  }
  return axis;
}

double plot_axis_place(const plot_axis* axis, double value) {
  if (axis->is_log) return log(value / axis->least) / (log(axis->most) - log(axis->least));
  return (value - axis->least) / (axis->most - axis->least);
}

void plot_axis_name(const plot_axis* axis, const char* label, const char* unit, char* text,
                    size_t size) {
  char offset[48] = "", power[48] = "";
  if (axis->offset != 0)
    snprintf(offset, sizeof offset, " %s %.12g", axis->offset > 0 ? MINUS : "+",
             fabs(axis->offset));
  if (axis->exponent != 0) write_power(power, sizeof power, axis->exponent);
  bool both = power[0] && unit[0];
  if (!power[0] && !unit[0])
    snprintf(text, size, "%s%s", label, offset);
  else
    snprintf(text, size, "%s%s (%s%s%s)", label, offset, power, both ? " " : "", unit);
}
