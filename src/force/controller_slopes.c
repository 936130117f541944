/* The laws of controller.c in numbers that carry their derivatives along, by the rules of sums and
 * products; friction, whose damping is a part of A, with second ones over the rate. */
#include "force/controller_slopes.h"

#include "force/controller_law.h"

#include "carom/types.h"

#include <math.h>

#define NEAR_ZERO 1e-3 /* of the exponents that a series stands for */

/* --- Moving numbers -----------------------------------------------------------------------------
 */

static cr_moving constant(double x) { return (cr_moving){.x = x}; }

static cr_moving variable(double x, int by) {
  cr_moving m = {.x = x};
  m.by[by] = 1;
  return m;
}

/* s a + t b. */
static cr_moving combine(double s, cr_moving a, double t, cr_moving b) {
  cr_moving m = {.x = s * a.x + t * b.x};
  for (int i = 0; i < CR_NUM_BY; i++) m.by[i] = s * a.by[i] + t * b.by[i];
  return m;
}

static cr_moving add(cr_moving a, cr_moving b) { return combine(1, a, 1, b); }
static cr_moving scale(double s, cr_moving a) { return combine(s, a, 0, a); }

static cr_moving multiply(cr_moving a, cr_moving b) {
  cr_moving m = combine(b.x, a, a.x, b);
  m.x = a.x * b.x;
  return m;
}

static cr_moving divide(cr_moving a, cr_moving b) {
  cr_moving m = combine(1 / b.x, a, -a.x / (b.x * b.x), b);
  m.x = a.x / b.x;
  return m;
}

/* Between two others, of which one may be at hand; a bound that it is near is a kink. */
static cr_moving bound(cr_moving a, cr_moving low, cr_moving high, double* nearest) {
  double left = fmin(fabs(a.x - low.x), fabs(high.x - a.x));
  if (isfinite(left)) *nearest = fmin(*nearest, a.x == 0 ? 1 : left / (fabs(a.x) + left));
  return a.x < low.x ? low : a.x > high.x ? high : a;
}

/* --- Controls -----------------------------------------------------------------------------------
 */

typedef struct control {
  const double* law;
  cr_law_slots slot;
  const double* act; /* of the law */
  double period, dt;
  bool is_stepwise;
  int kinds;
  cr_moving length; /* of the state */
  cr_moving position, velocity, force, voltage, setpoint_rate, integral, rate;
  double nearest;
} control;

static cr_moving activation(const control* c, int slot) {
  return slot < 0 ? constant(0) : variable(c->act[slot], CR_BY_ACTIVATION + slot);
}

/* The nearest of those that are whole periods apart. */
static cr_moving wrap(cr_moving u, double at, double period) {
  u.x = cr_controller_wrap(u.x, at, period);
  return u;
}

static cr_moving limit_rate(control* c, cr_moving u) {
  cr_moving before = activation(c, c->slot.setpoint);
  double most = c->law[CR_LAW_SLEW_LIMIT] * c->dt;
  cr_moving after = bound(wrap(u, before.x, c->period), add(before, constant(-most)),
                          add(before, constant(most)), &c->nearest);
  c->setpoint_rate = combine(1 / c->dt, after, -1 / c->dt, before);
  return after;
}

static cr_moving find_integral_rate(control* c) {
  cr_moving error = combine(1, wrap(c->position, c->length.x, c->period), -1, c->length);
  double most = c->law[CR_LAW_INTEGRAL_LIMIT];
  if (!(most > 0)) return error;
  if (c->is_stepwise) {
    cr_moving z =
        bound(combine(1, c->integral, c->dt, error), constant(-most), constant(most), &c->nearest);
    return combine(1 / c->dt, z, -1 / c->dt, c->integral);
  }
  bool is_out = fabs(c->integral.x) >= most && error.x * c->integral.x > 0;
  return is_out ? constant(0) : error;
}

static control read_control(const cr_force_model* force, int a, const cr_actuator_state* s,
                            int length) {
  int i = force->actuator_law[a], first = force->actuator_control[a], next = first;
  control c = {.law = force->law + CR_LAW_NUM_PARAMETERS * i,
               .act = s->act + force->actuator_activation[a],
               .period = force->actuator_period[a],
               .dt = s->dt,
               .is_stepwise = force->law_stepwise[i] != 0,
               .kinds = force->law_controls[i],
               .length = variable(s->l, length),
               .nearest = INFINITY};
  c.slot = cr_law_find_slots(c.law, c.is_stepwise);
  cr_moving* const kinds[] = {&c.position, &c.velocity, &c.force, &c.voltage};
  for (int k = 0; k < 4; k++) {
    if (!(c.kinds & 1 << k)) continue;
    const double* range = force->control_range + 2 * (size_t)next;
    double u = s->ctrl[next], held = fmin(fmax(u, range[0]), range[1]);
    bool is_free = u > range[0] && u < range[1], is_first = next == first;
    *kinds[k] = is_free ? variable(u, CR_BY_CONTROL + next - first) : constant(held);
    if (is_first && c.slot.setpoint >= 0) *kinds[k] = limit_rate(&c, *kinds[k]);
    next++;
  }
  c.integral = activation(&c, c.slot.integral);
  if (c.slot.integral >= 0) c.rate = find_integral_rate(&c);
  return c;
}

/* --- Controllers --------------------------------------------------------------------------------
 */

static cr_moving find_pid_input(const cr_force_model* force, int a, control* c, double h) {
  const double *bias = force->actuator_bias + 3 * a,
               *range = force->actuator_activation_range + 2 * a;
  double time = c->is_stepwise || force->actuator_is_early[a] ? c->dt : h;
  cr_moving z = c->integral;
  if (time > 0 && c->slot.integral >= 0)
    z = bound(combine(1, z, time, c->rate), constant(range[0]), constant(range[1]), &c->nearest);
  cr_moving servo = combine(-bias[1], c->position, -bias[2], c->velocity);
  return add(c->force, combine(1, servo, c->law[CR_LAW_KI], z));
}

cr_moving cr_law_find_input(const cr_force_model* force, int a, const cr_actuator_state* s,
                            double h) {
  control c = read_control(force, a, s, CR_BY_START);
  return find_pid_input(force, a, &c, h);
}

bool cr_law_integrates_start(const cr_force_model* force, int a) {
  const double* law = force->law + CR_LAW_NUM_PARAMETERS * force->actuator_law[a];
  return !(law[CR_LAW_RESISTANCE] > 0) && law[CR_LAW_KI] > 0;
}

/* x[0] + x[1] l + x[2] l'. */
static cr_moving affine(const double* x, const double at[2]) {
  return add(constant(x[0]),
             combine(x[1], variable(at[0], CR_BY_LENGTH), x[2], variable(at[1], CR_BY_RATE)));
}

static cr_law_drive find_pid(const cr_force_model* force, int a, control* c, double h,
                             const double at[2]) {
  const double *gain = force->actuator_gain + 3 * a, *bias = force->actuator_bias + 3 * a;
  cr_moving u = find_pid_input(force, a, c, h);
  cr_law_drive d = {.force = add(multiply(affine(gain, at), u), affine(bias, at)),
                    .stiffness = add(scale(-gain[1], u), constant(-bias[1])),
                    .damping = add(scale(-gain[2], u), constant(-bias[2])),
                    .nearest = c->nearest};
  if (c->period > 0)
    d.force.x -= bias[1] * (cr_controller_wrap(c->position.x, at[0], c->period) - c->position.x);
  return d;
}

/* --- Motors -------------------------------------------------------------------------------------
 */

typedef struct voltage {
  cr_moving value;
  double per_length, per_rate;
} voltage;

static voltage find_voltage(control* c, const double at[2]) {
  const double* law = c->law;
  double R = law[CR_LAW_RESISTANCE], K = law[CR_LAW_CONSTANT], most = law[CR_LAW_VOLTAGE_LIMIT];
  if (!(c->kinds & CR_LAW_CONTROLLER)) return (voltage){c->voltage, 0, 0};
  cr_moving torque = combine(law[CR_LAW_KP], c->position, law[CR_LAW_KD], c->velocity);
  torque = add(torque, combine(law[CR_LAW_KI], c->integral, 1, c->force));
  voltage v = {.per_length = -R / K * law[CR_LAW_KP], .per_rate = K - R / K * law[CR_LAW_KD]};
  cr_moving by_motion =
      combine(v.per_length, variable(at[0], CR_BY_LENGTH), v.per_rate, variable(at[1], CR_BY_RATE));
  cr_moving own = combine(R / fmax(CR_LAW_LEAST, K), torque, 1, by_motion);
  if (most > 0) {
    if (fabs(own.x) > most) v.per_length = v.per_rate = 0;
    own = bound(own, constant(-most), constant(most), &c->nearest);
  }
  v.value = add(own, c->voltage);
  return v;
}

static cr_moving find_resistance(const control* c) {
  const double* law = c->law;
  if (c->slot.temperature < 0) return constant(law[CR_LAW_RESISTANCE]);
  cr_moving T = add(activation(c, c->slot.temperature),
                    constant(law[CR_LAW_AMBIENT] - law[CR_LAW_REFERENCE]));
  return scale(law[CR_LAW_RESISTANCE], add(constant(1), scale(law[CR_LAW_COEFFICIENT], T)));
}

/* (V - K l') / R. */
static cr_moving find_steady_current(const control* c, cr_moving V, double rate) {
  cr_moving left = combine(1, V, -c->law[CR_LAW_CONSTANT], variable(rate, CR_BY_RATE));
  return divide(left, find_resistance(c));
}

static cr_moving find_current_rate(control* c, cr_moving V, double rate, bool* is_held) {
  double T = c->law[CR_LAW_TIME], most = c->law[CR_LAW_CURRENT_RATE];
  cr_moving way =
      combine(1 / T, find_steady_current(c, V, rate), -1 / T, activation(c, c->slot.current));
  *is_held = most > 0 && fabs(way.x) >= most;
  return most > 0 ? bound(way, constant(-most), constant(most), &c->nearest) : way;
}

static cr_law_drive find_motor(control* c, const double at[2]) {
  const double* law = c->law;
  double K = law[CR_LAW_CONSTANT], T = law[CR_LAW_TIME], share = 1;
  voltage V = find_voltage(c, at);
  cr_law_drive d = {.force = constant(0)};
  bool is_held = false;
  if (T > 0) {
    double way = cr_law_find_way(T, c->dt);
    cr_moving rate = find_current_rate(c, V.value, at[1], &is_held);
    d.force = scale(K, combine(1, activation(c, c->slot.current), way, rate));
    share = way / T;
  } else {
    d.force = scale(K, find_steady_current(c, V.value, at[1]));
  }
  cr_moving per_volt = divide(constant(is_held ? 0 : share * K), find_resistance(c));
  d.stiffness = scale(-V.per_length, per_volt);
  d.damping = scale(K - V.per_rate, per_volt);
  d.nearest = c->nearest;
  return d;
}

/* --- Friction -----------------------------------------------------------------------------------
 */

/* A function of the rate, with two derivatives. */
typedef struct jet {
  double x, d, dd;
} jet;

static jet jet_multiply(jet a, jet b) {
  return (jet){a.x * b.x, a.d * b.x + a.x * b.d, a.dd * b.x + 2 * a.d * b.d + a.x * b.dd};
}

/* f(a) by its derivatives there. */
static jet jet_apply(jet a, double f, double df, double ddf) {
  return (jet){f, df * a.d, df * a.dd + ddf * a.d * a.d};
}

static jet jet_exp(jet a) { return jet_apply(a, exp(a.x), exp(a.x), exp(a.x)); }

/* (exp(a) - 1) / a. */
static jet jet_mean_exp(jet a) {
  double y = a.x, e = exp(y);
  if (fabs(y) < NEAR_ZERO)
    return jet_apply(a, 1 + y / 2 + y * y / 6, 0.5 + y / 3 + y * y / 8, 1.0 / 3 + y / 4);
  return jet_apply(a, (e - 1) / y, (e * (y - 1) + 1) / (y * y),
                   (e * (y * y - 2 * y + 2) - 2) / (y * y * y));
}

static jet find_decay(const double* law, double rate) {
  double scale = fmax(CR_LAW_LEAST, law[CR_LAW_STRIBECK]), ratio = rate / scale;
  jet square = {-ratio * ratio, -2 * ratio / scale, -2 / (scale * scale)};
  jet slip = jet_exp(square);
  double more = law[CR_LAW_STATIC] - law[CR_LAW_COULOMB];
  slip = (jet){law[CR_LAW_COULOMB] + more * slip.x, more * slip.d, more * slip.dd};
  jet inverse = {1 / fmax(CR_LAW_LEAST, slip.x), 0, 0};
  if (slip.x > CR_LAW_LEAST)
    inverse =
        jet_apply(slip, inverse.x, -inverse.x * inverse.x, 2 * inverse.x * inverse.x * inverse.x);
  double s = law[CR_LAW_BRISTLE_STIFFNESS], sign = rate > 0 ? 1 : rate < 0 ? -1 : 0;
  return jet_multiply((jet){-s * fabs(rate), -s * sign, 0}, inverse);
}

/* Bristles after h: a share of what they were, and the rest. */
typedef struct bent {
  jet share, rest;
} bent;

static bent bend(jet decay, double rate, double h) {
  jet y = {h * decay.x, h * decay.d, h * decay.dd}, way = jet_mean_exp(y);
  jet l = {h * rate, h, 0};
  return (bent){jet_exp(y), jet_multiply(way, l)};
}

static cr_moving move_bristles(const control* c, const bent* by) {
  cr_moving z = activation(c, c->slot.bristles);
  cr_moving out = combine(by->share.x, z, 1, constant(by->rest.x));
  out.by[CR_BY_RATE] += by->share.d * z.x + by->rest.d;
  return out;
}

/* f = - s0 z - s1 (decay z + l'), with z = share z0 + rest. */
static void add_friction(const control* c, double h, double rate, cr_law_drive* d) {
  const double* law = c->law;
  double s0 = law[CR_LAW_BRISTLE_STIFFNESS], s1 = law[CR_LAW_BRISTLE_DAMPING];
  jet decay = find_decay(law, rate), factor = {-s0 - s1 * decay.x, -s1 * decay.d, -s1 * decay.dd};
  bent by = bend(decay, rate, h);
  jet share = jet_multiply(factor, by.share), rest = jet_multiply(factor, by.rest);
  cr_moving z = activation(c, c->slot.bristles);
  d->force = add(d->force, combine(share.x, z, 1, constant(rest.x - s1 * rate)));
  double slope = share.d * z.x + rest.d - s1;
  d->force.by[CR_BY_RATE] += slope;
  cr_moving damping = combine(-share.d, z, 1, constant(-(rest.d - s1)));
  damping.by[CR_BY_RATE] -= share.dd * z.x + rest.dd;
  d->damping = add(d->damping, damping);
  d->nearest = fmin(d->nearest, fabs(rate) / (fabs(rate) + law[CR_LAW_STRIBECK]));
}

static void add_losses(const control* c, double h, const double at[2], cr_law_drive* d) {
  const double* cog = c->law + CR_LAW_COGGING;
  double angle = cog[1] * at[0] + cog[2], wave = cog[0] * sin(angle),
         slope = cog[1] * cog[0] * cos(angle);
  d->force.x += wave, d->force.by[CR_BY_LENGTH] += slope;
  d->stiffness.x -= slope, d->stiffness.by[CR_BY_LENGTH] += cog[1] * cog[1] * wave;
  if (c->law[CR_LAW_BRISTLE_STIFFNESS] > 0) add_friction(c, h, at[1], d);
}

cr_law_drive cr_law_find_drive(const cr_force_model* force, int a, const cr_actuator_state* s,
                               double h, const double at[2]) {
  const double* range = force->actuator_force_range + 2 * a;
  control c = read_control(force, a, s, CR_BY_START);
  bool is_motor = c.law[CR_LAW_RESISTANCE] > 0;
  cr_law_drive d = is_motor ? find_motor(&c, at) : find_pid(force, a, &c, h, at);
  bool is_free = d.force.x > range[0] && d.force.x < range[1];
  d.force = bound(d.force, constant(range[0]), constant(range[1]), &d.nearest);
  if (!is_free) d.force = constant(d.force.x), d.stiffness = d.damping = constant(0);
  if (is_motor) add_losses(&c, h, at, &d);
  return d;
}

/* --- Activations --------------------------------------------------------------------------------
 */

/* How each goes on, by its rate. */
static void find_rates(control* c, double rate, cr_moving* rates) {
  const double* law = c->law;
  bool is_motor = law[CR_LAW_RESISTANCE] > 0, is_held;
  const double at[2] = {c->length.x, rate};
  if (c->slot.setpoint >= 0) rates[c->slot.setpoint] = c->setpoint_rate;
  if (c->slot.integral >= 0) rates[c->slot.integral] = c->rate;
  if (!is_motor) return;
  cr_moving V = find_voltage(c, at).value;
  if (c->slot.temperature >= 0) {
    cr_moving I =
        law[CR_LAW_TIME] > 0 ? activation(c, c->slot.current) : find_steady_current(c, V, rate);
    cr_moving heat = multiply(find_resistance(c), multiply(I, I));
    cr_moving leak = scale(1 / law[CR_LAW_THERMAL_RESISTANCE], activation(c, c->slot.temperature));
    double C = law[CR_LAW_THERMAL_CAPACITANCE];
    rates[c->slot.temperature] = combine(1 / C, heat, -1 / C, leak);
  }
  if (c->slot.current >= 0) rates[c->slot.current] = find_current_rate(c, V, rate, &is_held);
}

double cr_law_find_advance(const cr_force_model* force, int a, const cr_actuator_state* s,
                           cr_moving* act) {
  control c = read_control(force, a, s, CR_BY_LENGTH);
  const double *law = c.law, *range = force->actuator_activation_range + 2 * a;
  double most = law[CR_LAW_INTEGRAL_LIMIT];
  cr_moving rates[CR_LAW_MAX_ACTIVATIONS];
  find_rates(&c, s->l_dot, rates);
  for (int i = 0; i < c.slot.count; i++) {
    double time = i == c.slot.current ? cr_law_find_way(law[CR_LAW_TIME], s->dt) : s->dt;
    if (i == c.slot.bristles) {
      bent by = bend(find_decay(law, s->l_dot), s->l_dot, s->dt);
      act[i] = move_bristles(&c, &by);
    } else {
      act[i] = combine(1, activation(&c, i), time, rates[i]);
    }
    if (i == c.slot.integral && law[CR_LAW_RESISTANCE] > 0 && most > 0)
      act[i] = bound(act[i], constant(-most), constant(most), &c.nearest);
    act[i] = bound(act[i], constant(range[0]), constant(range[1]), &c.nearest);
  }
  return c.nearest;
}
