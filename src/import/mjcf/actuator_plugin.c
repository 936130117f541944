/* <plugin> among the actuators. MuJoCo brings one, "mujoco.pid": a controller of position whose
 * integral is held within the force `imax`, as of the step's end. */
#include "import/mjcf/actuator.h"
#include "import/number.h"

#include <math.h>
#include <string.h>

const cr_attribute cr_mjcf_plugin_table[] = {
    CR_FIELD("plugin", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, plugin),
    CR_FIELD("instance", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, instance),
    CR_WORD("dyntype", cr_mjcf_actuator, law.dyntype, cr_mjcf_dyn_types),
    CR_NUMBERS("dynprm", cr_mjcf_actuator, law.dynprm, 1, 10),
    CR_FIELD("actdim", CR_ATTRIBUTE_INTEGER, cr_mjcf_actuator, actdim),
    CR_MORE(cr_mjcf_actuator_table),
};

/* What the parts of <config> are; NaN: not given. */
typedef struct config {
  double kp, ki, kd, imax, slewmax;
} config;

static carom_status read_config(const cr_mjcf* m, const cr_xml_element* e, config* c) {
  const struct {
    const char* key;
    double* value;
  } KEYS[] = {
      {"kp", &c->kp}, {"ki", &c->ki}, {"kd", &c->kd}, {"imax", &c->imax}, {"slewmax", &c->slewmax}};
  cr_subject subject = cr_mjcf_subject(m, e);
  const char *key = cr_xml_get(e, "key"), *value = cr_xml_get(e, "value");
  int length = 0;
  for (size_t i = 0; key && i < sizeof KEYS / sizeof KEYS[0]; i++) {
    if (strcmp(KEYS[i].key, key) != 0) continue;
    const char* word = value ? cr_number_word(value, &length) : NULL;
    if (!word || cr_number_read(word, length, KEYS[i].value) == CR_NUMBER_FINITE) return CAROM_OK;
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "value: '%.60s' is not a number",
                           value);
  }
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "key is '%.60s', must be kp, ki, kd, imax or slewmax", key ? key : "");
}

static carom_status read_configs(const cr_mjcf* m, const cr_xml_element* parent, config* c) {
  for (const cr_xml_element* e = parent->first_child; e; e = e->next) {
    if (strcmp(e->name, "config") != 0) return cr_mjcf_unknown_element(m, e);
    CR_TRY(read_config(m, e, c));
  }
  return CAROM_OK;
}

/* The instance of that name among the extensions of the element's document. */
static const cr_xml_element* find_instance(const cr_mjcf* m, const cr_xml_element* element,
                                           const char* name) {
  const cr_xml_element* root = CR_AT(&m->documents, cr_mjcf_document, element->document)->root;
  if (!root) root = m->root;
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root))
    if (strcmp(e->name, "instance") == 0 && cr_xml_get(e, "name") &&
        strcmp(cr_xml_get(e, "name"), name) == 0)
      return e;
  return NULL;
}

/* Where the configuration stands: in the element, or in the instance that it names. */
static carom_status find_place(const cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_actuator* a, const char** plugin,
                               const cr_xml_element** place) {
  cr_subject subject = cr_mjcf_subject(m, element);
  *plugin = a->plugin, *place = element;
  if (!a->instance) return CAROM_OK;
  *place = find_instance(m, element, a->instance);
  if (!*place)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "instance is '%.60s', no plugin's instance has this name", a->instance);
  *plugin = cr_xml_get((*place)->parent, "plugin");
  return CAROM_OK;
}

static carom_status check_config(const cr_subject* subject, const config* c) {
  const double values[] = {c->ki, c->imax};
  static const char* const NAMES[] = {"ki", "imax"};
  for (int i = 0; i < 2; i++)
    if (!isnan(values[i])) CR_TRY(cr_check_not_negative(subject, NAMES[i], values[i]));
  return isnan(c->slewmax) ? CAROM_OK : cr_check_positive(subject, "slewmax", c->slewmax);
}

static double or_zero(double x) { return isnan(x) ? 0 : x; }

carom_status cr_mjcf_apply_plugin(const cr_mjcf* m, const cr_xml_element* element,
                                  cr_mjcf_actuator* a) {
  cr_subject subject = cr_mjcf_subject(m, element);
  config c = {NAN, NAN, NAN, NAN, NAN};
  const cr_xml_element* place;
  const char* name;
  CR_TRY(find_place(m, element, a, &name, &place));
  a->plugin = name ? name : "";
  if (strcmp(a->plugin, "mujoco.pid") != 0) return CAROM_OK;
  CR_TRY(read_configs(m, place, &c));
  CR_TRY(check_config(&subject, &c));
  double ki = or_zero(c.ki), slew = or_zero(c.slewmax);
  a->is_filtered = a->law.dyntype != CR_MJCF_DYN_NONE;
  a->law = (cr_mjcf_law){.gaintype = CR_MJCF_GAIN_PID,
                         .biastype = CR_MJCF_BIAS_AFFINE,
                         .dyntype = ki > 0 || slew > 0 ? CR_MJCF_DYN_PID : CR_MJCF_DYN_NONE,
                         .gainprm = {.x = {ki}},
                         .biasprm = {.x = {0, -or_zero(c.kp), -or_zero(c.kd)}},
                         .dynprm = {.x = {ki > 0 ? or_zero(c.imax) / ki : 0, slew}},
                         .stepwise = true,
                         .input = "pos"};
  return CAROM_OK;
}
