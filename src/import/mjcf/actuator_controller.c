/* <actuator>: kinds with a controller, <pid> and <dcmotor>, whose laws keep states of their own
 * (MuJoCo 4.0). Both are short forms of a general one, with these places of its parameters. */
#include "base/copy.h"
#include "import/mjcf/actuator.h"
#include "model/compile.h"

#include <math.h>
#include <string.h>

/* Places of a PID: imax and slewmax of dynprm, ki of gainprm; kp and kv are -biasprm[1] and [2]. */
enum { PID_IMAX, PID_SLEW };

/* Places of a motor. */
enum { GAIN_R, GAIN_K, GAIN_ALPHA, GAIN_T0, GAIN_KP, GAIN_KI, GAIN_KD, GAIN_VMAX };
enum { DYN_TE, DYN_RATE, DYN_RT, DYN_C, DYN_TA, DYN_S0, DYN_S1, DYN_SLEW, DYN_IMAX };
enum { BIAS_COGGING, BIAS_COULOMB = 3, BIAS_STATIC, BIAS_STRIBECK };

const cr_attribute cr_mjcf_pid_table[] = {
    CR_NUMBER("kp", cr_mjcf_actuator, kp, CR_RULE_ANY),
    CR_NUMBER("kv", cr_mjcf_actuator, kv, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("dampratio", cr_mjcf_actuator, dampratio, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("ki", cr_mjcf_actuator, ki, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("imax", cr_mjcf_actuator, imax, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("slewmax", cr_mjcf_actuator, slewmax, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("inheritrange", cr_mjcf_actuator, law.inheritrange, CR_RULE_NOT_NEGATIVE),
    CR_FIELD("input", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, law.input),
    CR_NUMBERS("posrange", cr_mjcf_actuator, posrange, 2, 2),
    CR_NUMBERS("velrange", cr_mjcf_actuator, law.velrange, 2, 2),
    CR_NUMBERS("ffrange", cr_mjcf_actuator, law.ffrange, 2, 2),
    CR_MORE(cr_mjcf_actuator_table),
};

const cr_attribute cr_mjcf_dcmotor_table[] = {
    CR_NUMBERS("motorconst", cr_mjcf_actuator, motorconst, 1, 2),
    CR_NUMBER("resistance", cr_mjcf_actuator, resistance, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("nominal", cr_mjcf_actuator, nominal, 1, 3),
    CR_NUMBERS("saturation", cr_mjcf_actuator, saturation, 1, 3),
    CR_NUMBERS("inductance", cr_mjcf_actuator, inductance, 1, 2),
    CR_NUMBERS("cogging", cr_mjcf_actuator, cogging, 1, 3),
    CR_NUMBERS("controller", cr_mjcf_actuator, controller, 1, 6),
    CR_NUMBERS("thermal", cr_mjcf_actuator, thermal, 1, 6),
    CR_NUMBERS("lugre", cr_mjcf_actuator, lugre, 1, 5),
    CR_FIELD("input", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, law.input),
    CR_MORE(cr_mjcf_actuator_table),
};

void cr_mjcf_forget_controller(cr_mjcf_actuator* a) {
  a->ki = a->imax = a->slewmax = a->resistance = NAN;
  a->posrange = a->motorconst = a->nominal = a->saturation = a->inductance = (cr_numbers){0};
  a->cogging = a->thermal = a->lugre = a->controller = (cr_numbers){0};
}

static double or_else(double given, double otherwise) { return isnan(given) ? otherwise : given; }

/* --- Short forms --------------------------------------------------------------------------------
 */

carom_status cr_mjcf_apply_pid(const cr_mjcf* m, const cr_xml_element* element,
                               cr_mjcf_actuator* a) {
  bool is_same = a->law.gaintype == CR_MJCF_GAIN_PID;
  double damping = 0, kp = or_else(a->kp, is_same ? -a->law.biasprm.x[1] : 1);
  double ki = or_else(a->ki, is_same ? a->law.gainprm.x[0] : 0);
  double imax = or_else(a->imax, is_same ? a->law.dynprm.x[PID_IMAX] : 0);
  double slew = or_else(a->slewmax, is_same ? a->law.dynprm.x[PID_SLEW] : 0);
  CR_TRY(cr_mjcf_find_servo_damping(m, element, a, &damping));
  if (a->posrange.count) a->ctrlrange = a->posrange;
  cr_mjcf_law law = {.dyntype = ki > 0 || slew > 0 ? CR_MJCF_DYN_PID : CR_MJCF_DYN_NONE,
                     .gaintype = CR_MJCF_GAIN_PID,
                     .biastype = CR_MJCF_BIAS_AFFINE,
                     .gainprm = {.x = {ki}},
                     .biasprm = {.x = {0, -kp, damping}},
                     .input = a->law.input,
                     .velrange = a->law.velrange,
                     .ffrange = a->law.ffrange,
                     .inheritrange = a->law.inheritrange};
  law.dynprm.x[PID_IMAX] = imax, law.dynprm.x[PID_SLEW] = slew;
  a->law = law;
  return CAROM_OK;
}

/* Writes the numbers that are given over those that are there. */
static void overlay(const cr_numbers* given, double* x) {
  for (int i = 0; i < given->count; i++) x[i] = given->x[i];
}

/* The motor's constant and resistance, from what of them is given: K of both constants, or of the
 * speed without load, n = V K / (K^2 + R d) with the damping d; R of the torque at rest. */
static void find_constants(const cr_mjcf_actuator* a, double* K, double* R) {
  double constants[2] = {*K, 0}, nominal[3] = {0}, d = a->damping.x[0];
  overlay(&a->motorconst, constants);
  overlay(&a->nominal, nominal);
  double Kt = constants[0], Ke = constants[1], V = nominal[0], rest = nominal[1], n = nominal[2];
  *R = or_else(a->resistance, *R);
  if (V > 0 && !(Ke > 0) && n > 0) {
    double root = V * V - 4 * *R * d * n * n, exact = V / n - V * d / rest;
    Ke = V / n;
    if (d > 0 && *R > 0 && root > 0) Ke = (V + sqrt(root)) / (2 * n);
    if (d > 0 && !(*R > 0) && rest > 0 && exact > 0) Ke = exact;
  }
  *K = Kt > 0 && Ke > 0 ? sqrt(Kt * Ke) : Kt > 0 ? Kt : Ke;
  if (*R == 0 && V > 0 && rest > 0 && *K > 0) *R = *K * V / rest;
}

/* Two of resistance, capacity and time constant make the third. */
static carom_status find_heat(const cr_subject* subject, const double* given, cr_mjcf_law* law) {
  double RT = given[0], C = given[1], time = given[2];
  if (!(RT > 0 || C > 0 || time > 0)) return CAROM_OK;
  if (time > 0 && RT > 0) C = time / RT;
  if (time > 0 && !(RT > 0) && C > 0) RT = time / C;
  if (!(RT > 0 && C > 0))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "thermal needs two of resistance, capacitance and time constant");
  law->dynprm.x[DYN_RT] = RT, law->dynprm.x[DYN_C] = C, law->dynprm.x[DYN_TA] = given[5];
  law->gainprm.x[GAIN_ALPHA] = given[3], law->gainprm.x[GAIN_T0] = given[4];
  return CAROM_OK;
}

/* The greatest torque, and how fast the current changes. */
static void limit_torque(cr_mjcf_actuator* a, double K, double rate) {
  double given[3] = {0, 0, rate};
  overlay(&a->saturation, given);
  a->law.dynprm.x[DYN_RATE] = given[2];
  if (!a->saturation.count) return;
  double most = given[0] > 0 ? given[0] : K * given[1];
  a->forcelimited = most > 0 ? CR_MJCF_LIMITED_TRUE : CR_MJCF_LIMITED_FALSE;
  a->forcerange = (cr_numbers){2, {-most, most}};
}

/* What of the parameters an element leaves as its default has them. */
static void fill_rest(const cr_mjcf_actuator* a, const cr_mjcf_law* from, cr_mjcf_law* law) {
  const double *g = from->gainprm.x, *d = from->dynprm.x, *b = from->biasprm.x;
  double controller[6] = {g[GAIN_KP],  g[GAIN_KI],  g[GAIN_KD],
                          d[DYN_SLEW], d[DYN_IMAX], g[GAIN_VMAX]};
  double cogging[3] = {b[0], b[1], b[2]};
  double lugre[5] = {d[DYN_S0], d[DYN_S1], b[BIAS_COULOMB], b[BIAS_STATIC], b[BIAS_STRIBECK]};
  overlay(&a->controller, controller);
  overlay(&a->cogging, cogging);
  overlay(&a->lugre, lugre);
  for (int i = 0; i < 3; i++) law->gainprm.x[GAIN_KP + i] = controller[i];
  law->dynprm.x[DYN_SLEW] = controller[3], law->dynprm.x[DYN_IMAX] = controller[4];
  law->gainprm.x[GAIN_VMAX] = fmax(controller[5], 0);
  memcpy(law->biasprm.x + BIAS_COGGING, cogging, sizeof cogging);
  if (!(lugre[0] > 0)) return;
  law->dynprm.x[DYN_S0] = lugre[0], law->dynprm.x[DYN_S1] = lugre[1];
  CR_COPY(law->biasprm.x + BIAS_COULOMB, lugre + 2, 3);
}

carom_status cr_mjcf_apply_dcmotor(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* a) {
  static const cr_mjcf_law NONE = {0};
  cr_subject subject = cr_mjcf_subject(m, element);
  const cr_mjcf_law before = a->law.gaintype == CR_MJCF_GAIN_DCMOTOR ? a->law : NONE;
  const double *g = before.gainprm.x, *d = before.dynprm.x;
  double K = g[GAIN_K], R = g[GAIN_R], inductance[2] = {0, d[DYN_TE]};
  double thermal[6] = {d[DYN_RT], d[DYN_C], 0, g[GAIN_ALPHA], g[GAIN_T0], d[DYN_TA]};
  bool is_passive = a->law.input && strcmp(a->law.input, "none") == 0;
  find_constants(a, &K, &R);
  if (!(K > 0) && !is_passive)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "the motor's constant is %.9g, must be positive: give motorconst or "
                           "nominal",
                           K);
  if (!(R > 0))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "the resistance is %.9g, must be positive: give resistance or nominal",
                           R);
  overlay(&a->inductance, inductance);
  overlay(&a->thermal, thermal);
  a->law = (cr_mjcf_law){.dyntype = CR_MJCF_DYN_DCMOTOR,
                         .gaintype = CR_MJCF_GAIN_DCMOTOR,
                         .biastype = CR_MJCF_BIAS_DCMOTOR,
                         .gainprm = {.x = {R, K}},
                         .input = a->law.input};
  a->law.dynprm.x[DYN_TE] = inductance[0] > 0 ? inductance[0] / R : inductance[1];
  a->actearly = true;
  fill_rest(a, &before, &a->law);
  limit_torque(a, K, d[DYN_RATE]);
  return find_heat(&subject, thermal, &a->law);
}

/* --- Controls -----------------------------------------------------------------------------------
 */

/* What a law may take, in words. */
static const char* allowed(const cr_mjcf_actuator* a) {
  switch (a->law.gaintype) {
  case CR_MJCF_GAIN_PID:
    return "some of pos, vel, ff, in this order";
  case CR_MJCF_GAIN_DCMOTOR:
    return "none, or some of pos, vel, ff, voltage, in this order";
  default:
    return "pos, vel or pressure";
  }
}

/* Reads words in their order; 0 where one is none or out of order. */
static int read_controls(const char* text) {
  static const char* const WORDS[] = {"pos", "vel", "ff", "voltage"};
  int controls = 0, next = 0;
  for (const char* at = text + strspn(text, " \t\n"); *at; at += strspn(at, " \t\n")) {
    size_t length = strcspn(at, " \t\n");
    while (next < 4 && (strlen(WORDS[next]) != length || strncmp(WORDS[next], at, length) != 0))
      next++;
    if (next == 4) return 0;
    controls |= 1 << next++;
    at += length;
  }
  return controls;
}

carom_status cr_mjcf_find_controls(const cr_mjcf* m, const cr_xml_element* element,
                                   const cr_mjcf_actuator* a, int* controls) {
  cr_subject subject = cr_mjcf_subject(m, element);
  bool is_motor = a->law.gaintype == CR_MJCF_GAIN_DCMOTOR;
  bool is_pid = a->law.gaintype == CR_MJCF_GAIN_PID;
  const char* text = a->law.input;
  *controls = is_motor ? CAROM_CONTROL_VOLTAGE
              : is_pid ? CAROM_CONTROL_POSITION | CAROM_CONTROL_VELOCITY
                       : 0;
  if (!text) return CAROM_OK;
  if (a->law.gaintype == CR_MJCF_GAIN_SO3) {
    if (strcmp(text, "expmap") == 0 || strcmp(text, "quat") == 0) return CAROM_OK;
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "input is '%.60s', must be expmap or quat", text);
  }
  int given = read_controls(text);
  if (is_motor && strcmp(text, "none") == 0) given = CAROM_CONTROL_NONE;
  bool is_one = given == CAROM_CONTROL_POSITION || given == CAROM_CONTROL_VELOCITY ||
                strcmp(text, "pressure") == 0;
  bool fits = is_motor ? given != 0 : is_pid ? given && !(given & CAROM_CONTROL_VOLTAGE) : is_one;
  if (!fits)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "input is '%.60s', must be %s", text,
                           allowed(a));
  if (is_motor || is_pid) *controls = given;
  return CAROM_OK;
}

/* --- The definition -----------------------------------------------------------------------------
 */

static void set_pid(const cr_mjcf_actuator* a, carom_actuator_def* def) {
  def->law = CAROM_LAW_PID;
  memcpy(def->bias, a->law.biasprm.x, sizeof def->bias);
  if (a->law.dyntype != CR_MJCF_DYN_PID) return;
  def->controller.integral = fmax(a->law.gainprm.x[0], 0);
  def->controller.integral_limit = a->law.dynprm.x[PID_IMAX];
  def->controller.slew_limit = a->law.dynprm.x[PID_SLEW];
  def->controller.is_stepwise = a->law.stepwise;
}

static void set_motor(const cr_mjcf_actuator* a, carom_actuator_def* def) {
  const double *g = a->law.gainprm.x, *d = a->law.dynprm.x, *b = a->law.biasprm.x;
  def->law = CAROM_LAW_DC_MOTOR;
  def->controller = (carom_controller){.proportional = g[GAIN_KP],
                                       .integral = g[GAIN_KI],
                                       .derivative = g[GAIN_KD],
                                       .integral_limit = d[DYN_IMAX],
                                       .slew_limit = d[DYN_SLEW],
                                       .voltage_limit = g[GAIN_VMAX]};
  def->motor = (carom_motor){.resistance = g[GAIN_R],
                             .constant = g[GAIN_K],
                             .time_constant = d[DYN_TE],
                             .current_rate = d[DYN_RATE],
                             .thermal_resistance = d[DYN_RT],
                             .thermal_capacitance = d[DYN_C],
                             .ambient_temperature = d[DYN_TA],
                             .reference_temperature = g[GAIN_T0],
                             .temperature_coefficient = g[GAIN_ALPHA],
                             .bristle_stiffness = d[DYN_S0],
                             .bristle_damping = d[DYN_S1],
                             .coulomb_friction = b[BIAS_COULOMB],
                             .static_friction = b[BIAS_STATIC],
                             .stribeck_speed = b[BIAS_STRIBECK]};
  memcpy(def->motor.cogging, b + BIAS_COGGING, sizeof def->motor.cogging);
}

/* The parts of a general actuator's law that only go together. */
static carom_status check_types(const cr_subject* subject, const cr_mjcf_law* law) {
  bool is_pid = law->gaintype == CR_MJCF_GAIN_PID, is_motor = law->gaintype == CR_MJCF_GAIN_DCMOTOR;
  if (is_pid && (law->biastype != CR_MJCF_BIAS_AFFINE ||
                 (law->dyntype != CR_MJCF_DYN_NONE && law->dyntype != CR_MJCF_DYN_PID)))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "gaintype pid needs biastype affine and dyntype none or pid");
  if (is_motor != (law->biastype == CR_MJCF_BIAS_DCMOTOR && law->dyntype == CR_MJCF_DYN_DCMOTOR))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "dyntype, gaintype and biastype dcmotor go together");
  if (law->dyntype == CR_MJCF_DYN_PID && !is_pid)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "dyntype pid needs gaintype pid");
  return CAROM_OK;
}

static carom_status check_actdim(const cr_subject* subject, int given,
                                 const carom_actuator_def* def) {
  int number = cr_count_actuator(def).activations;
  if (given < 0 || given == number) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "actdim is %d, the actuator has %d state%s", given, number,
                         number == 1 ? "" : "s");
}

static void set_range(const cr_numbers* given, bool* limited, double range[2]) {
  *limited = given->x[0] < given->x[1];
  CR_COPY(range, given->x, 2);
}

carom_status cr_mjcf_set_controller(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_mjcf_actuator* a, carom_actuator_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  CR_TRY(check_types(&subject, &a->law));
  CR_TRY(cr_mjcf_find_controls(m, element, a, &def->controls));
  if (a->law.gaintype == CR_MJCF_GAIN_PID) set_pid(a, def);
  if (a->law.gaintype == CR_MJCF_GAIN_DCMOTOR) set_motor(a, def);
  CR_TRY(check_actdim(&subject, a->actdim, def));
  set_range(&a->law.velrange, &def->velocity_limited, def->velocity_range);
  set_range(&a->law.ffrange, &def->feedforward_limited, def->feedforward_range);
  return CAROM_OK;
}
