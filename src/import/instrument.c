/* Instruments of <sensor> elements; see instrument.h. Rates, noise and topics belong to the
 * programs that listen. Instruments that are not had here are left out, by name: readings change no
 * motion. */
#include "import/instrument.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_RAYS 2000 /* of one sensor */

static const m3 STRAIGHT = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/* --- Parts --------------------------------------------------------------------------------------
 */

/* `name` with an ending, in the pool; null without memory. */
static const char* name_part(const cr_instrument* t, const char* part) {
  return part[0] ? cr_document_join(t->document, t->name, part) : t->name;
}

static carom_status add_site(const cr_instrument* t, const char* part, const m3* turn,
                             carom_site* site) {
  carom_site_def def = carom_site_def_default();
  m3 R = m3_mul(&t->local.R, turn);
  def.source = (carom_source){t->element->file, t->element->line};
  def.name = name_part(t, part);
  if (!def.name) return cr_error_memory(t->document->error);
  def.body = t->body;
  v3_store(t->local.p, def.position);
  quat_store(quat_from_m3(&R), def.quaternion);
  return carom_builder_add_site(t->builder, &def, site, t->document->error);
}

/* A sensor of a type on the site, or on its frame. */
static carom_status add_reading(const cr_instrument* t, const char* part, carom_sensor_type type,
                                carom_sensor_def* def) {
  def->source = (carom_source){t->element->file, t->element->line};
  def->name = name_part(t, part);
  if (!def->name) return cr_error_memory(t->document->error);
  def->type = type;
  return carom_builder_add_sensor(t->builder, def, NULL, t->document->error);
}

static carom_status add_on_site(const cr_instrument* t, const char* part, carom_sensor_type type) {
  carom_sensor_def def = carom_sensor_def_default();
  def.site = t->site;
  return add_reading(t, part, type, &def);
}

static carom_status add_on_frame(const cr_instrument* t, const char* part, carom_sensor_type type) {
  carom_sensor_def def = carom_sensor_def_default();
  def.frame = (carom_frame_of){CAROM_FRAME_SITE, t->site.id};
  return add_reading(t, part, type, &def);
}

/* --- Kinds --------------------------------------------------------------------------------------
 */

static carom_status read_imu(const cr_instrument* t) {
  static const char WORLD[] = "read as the orientation in the world";
  const cr_xml_element *imu, *reference = NULL;
  bool has_orientation = true;
  CR_TRY(cr_document_child(t->document, t->element, "imu", &imu));
  if (imu) {
    CR_TRY(cr_document_check_known(t->document, imu,
                                   " angular_velocity linear_acceleration "
                                   "orientation_reference_frame enable_orientation ",
                                   " "));
    CR_TRY(cr_document_child(t->document, imu, "orientation_reference_frame", &reference));
    CR_TRY(cr_document_child_flag(t->document, imu, "enable_orientation", &has_orientation));
  }
  if (reference) CR_TRY(cr_document_remark(t->document, reference, NULL, WORLD));
  if (has_orientation) CR_TRY(add_on_frame(t, ".orientation", CAROM_SENSOR_FRAME_QUATERNION));
  CR_TRY(add_on_site(t, ".angular_velocity", CAROM_SENSOR_GYRO));
  return add_on_site(t, ".linear_acceleration", CAROM_SENSOR_ACCELEROMETER);
}

static carom_status read_magnetometer(const cr_instrument* t) {
  return add_on_site(t, "", CAROM_SENSOR_MAGNETOMETER);
}

static carom_status read_place(const cr_instrument* t) {
  static const char PLACE[] = "read as place and velocity in the world, m and m/s";
  CR_TRY(cr_document_remark(t->document, t->element, "type", PLACE));
  CR_TRY(add_on_frame(t, ".position", CAROM_SENSOR_FRAME_POSITION));
  return add_on_frame(t, ".velocity", CAROM_SENSOR_FRAME_LINEAR_VELOCITY);
}

/* All shapes of the link count. */
static carom_status read_contact(const cr_instrument* t) {
  static const char ALL[] = "read as of all shapes of its link";
  int shapes = 0;
  for (const cr_xml_element* e = t->link->first_child; e; e = e->next)
    shapes += strcmp(e->name, "collision") == 0;
  if (shapes > 1) CR_TRY(cr_document_remark(t->document, t->element, "type", ALL));
  carom_sensor_def def = carom_sensor_def_default();
  def.contact.side[1] = CAROM_SIDE_BODY;
  def.contact.id[1] = t->body.id;
  def.contact.data =
      CAROM_CONTACT_FOUND | CAROM_CONTACT_FORCE | CAROM_CONTACT_TORQUE | CAROM_CONTACT_POINT;
  def.contact.reduction = CAROM_CONTACT_NET;
  return add_reading(t, "", CAROM_SENSOR_CONTACT, &def);
}

static carom_status read_force_torque(const cr_instrument* t) {
  static const char AXES[] = "read as in the axes of the child";
  const cr_xml_element* settings;
  const char *direction = NULL, *frame = NULL;
  cr_instrument own = *t;
  CR_TRY(cr_document_child(t->document, t->element, "force_torque", &settings));
  if (settings) {
    CR_TRY(cr_document_check_known(t->document, settings, " frame measure_direction force torque ",
                                   " "));
    CR_TRY(cr_document_child_word(t->document, settings, "measure_direction", &direction));
    CR_TRY(cr_document_child_word(t->document, settings, "frame", &frame));
  }
  if (frame && strcmp(frame, "parent") == 0)
    CR_TRY(cr_document_remark(t->document, settings, NULL, AXES));
  if (!frame || strcmp(frame, "sensor") != 0) own.local.R = m3_identity();
  CR_TRY(add_site(&own, "", &STRAIGHT, &own.site));
  carom_sensor_def def = carom_sensor_def_default();
  def.site = own.site;
  def.reversed = !direction || strcmp(direction, "parent_to_child") != 0;
  CR_TRY(add_reading(&own, ".force", CAROM_SENSOR_FORCE, &def));
  return add_reading(&own, ".torque", CAROM_SENSOR_TORQUE, &def);
}

/* --- Rays ---------------------------------------------------------------------------------------
 */

/* Angles of a fan, the first and the last included. */
typedef struct fan {
  double samples, least, most;
} fan;

static carom_status read_fan(const cr_instrument* t, const cr_xml_element* scan, const char* name,
                             fan* f) {
  const cr_xml_element* element;
  *f = (fan){.samples = 1};
  CR_TRY(cr_document_child(t->document, scan, name, &element));
  if (!element) return CAROM_OK;
  CR_TRY(cr_document_check_known(t->document, element, " samples resolution min_angle max_angle ",
                                 " "));
  CR_TRY(cr_document_child_numbers(t->document, element, "samples", 1, &f->samples));
  CR_TRY(cr_document_child_bound(t->document, element, "min_angle", &f->least));
  CR_TRY(cr_document_child_bound(t->document, element, "max_angle", &f->most));
  cr_subject subject = cr_document_subject(t->document, element);
  if (!(f->samples >= 1) || f->samples != floor(f->samples))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "samples is %.9g, must be a positive whole number", f->samples);
  if (!isfinite(f->least) || !isfinite(f->most))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "an angle is not finite");
  return CAROM_OK;
}

static double fan_angle(const fan* f, int index) {
  return f->samples > 1 ? f->least + index * (f->most - f->least) / (f->samples - 1) : f->least;
}

/* A site whose z axis is the ray: yaw within the plane, then pitch upwards. */
static carom_status add_ray(const cr_instrument* t, const char* part, double yaw, double pitch,
                            double range) {
  v3 z = v3_make(cos(pitch) * cos(yaw), cos(pitch) * sin(yaw), sin(pitch));
  v3 y = v3_make(-sin(yaw), cos(yaw), 0);
  m3 turn = m3_from_columns(v3_cross(y, z), y, z);
  carom_sensor_def def = carom_sensor_def_default();
  CR_TRY(add_site(t, part, &turn, &def.site));
  if (isfinite(range)) def.cutoff = range;
  return add_reading(t, part, CAROM_SENSOR_RANGEFINDER, &def);
}

static carom_status read_range(const cr_instrument* t, const cr_xml_element* ray, double* range) {
  const cr_xml_element* element;
  CR_TRY(cr_document_child(t->document, ray, "range", &element));
  if (!element) return CAROM_OK;
  CR_TRY(cr_document_check_known(t->document, element, " min max resolution ", " "));
  CR_TRY(cr_document_child_bound(t->document, element, "max", range));
  cr_subject subject = cr_document_subject(t->document, element);
  return *range > 0 ? CAROM_OK
                    : cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                                      "max is %.9g, must be positive", *range);
}

static carom_status add_rays(const cr_instrument* t, const fan* across, const fan* up,
                             double range) {
  int columns = (int)across->samples, count = columns * (int)up->samples;
  for (int i = 0; i < count; i++) {
    char part[16] = "";
    if (count > 1) snprintf(part, sizeof part, ".%d", i);
    CR_TRY(add_ray(t, part, fan_angle(across, i % columns), fan_angle(up, i / columns), range));
  }
  return CAROM_OK;
}

static carom_status read_rays(const cr_instrument* t) {
  const cr_xml_element *ray, *scan = NULL;
  fan across = {.samples = 1}, up = {.samples = 1};
  double range = INFINITY;
  CR_TRY(cr_document_child(t->document, t->element, "ray", &ray));
  if (!ray) CR_TRY(cr_document_child(t->document, t->element, "lidar", &ray));
  if (ray) {
    CR_TRY(cr_document_check_known(t->document, ray, " scan range noise visibility_mask ", " "));
    CR_TRY(cr_document_child(t->document, ray, "scan", &scan));
    CR_TRY(read_range(t, ray, &range));
  }
  if (scan) CR_TRY(read_fan(t, scan, "horizontal", &across));
  if (scan) CR_TRY(read_fan(t, scan, "vertical", &up));
  if (across.samples * up.samples <= MAX_RAYS) return add_rays(t, &across, &up, range);
  return cr_document_remark(t->document, t->element, NULL,
                            "left out: it has more rays than 2000, give it fewer samples");
}

/* --- All ----------------------------------------------------------------------------------------
 */

typedef carom_status read_kind(const cr_instrument* t);

static const struct kind {
  const char* type;
  read_kind* read;
  bool has_own_sites, is_of_joint;
} KINDS[] = {
    {"imu", read_imu, false, false},
    {"magnetometer", read_magnetometer, false, false},
    {"altimeter", read_place, false, false},
    {"navsat", read_place, false, false},
    {"gps", read_place, false, false},
    {"contact", read_contact, true, false},
    {"ray", read_rays, true, false},
    {"gpu_ray", read_rays, true, false},
    {"lidar", read_rays, true, false},
    {"gpu_lidar", read_rays, true, false},
    {"force_torque", read_force_torque, true, true},
};

static const struct kind* find_kind(const char* type) {
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
    if (strcmp(KINDS[i].type, type) == 0) return &KINDS[i];
  return NULL;
}

/* Whether an element has a <noise> somewhere in it. */
static bool has_noise(const cr_xml_element* element) {
  for (const cr_xml_element* e = element; e; e = cr_xml_next(e, element))
    if (strcmp(e->name, "noise") == 0) return true;
  return false;
}

carom_status cr_instrument_begin(cr_instrument* t, const char* owner, bool* is_had) {
  static const char NONE[] = "not used: there is no instrument of this kind here";
  static const char SOFT[] = "not used: sensors are on rigid links only";
  const char* type = cr_xml_get(t->element, "type");
  const char *start = cr_document_join(t->document, owner, "::"),
             *own = cr_xml_get(t->element, "name");
  const struct kind* kind = type ? find_kind(type) : NULL;
  *is_had = false;
  if (!kind || kind->is_of_joint != t->on_joint)
    return cr_document_remark(t->document, t->element, NULL, NONE);
  if (t->body.id == 0) return cr_document_remark(t->document, t->element, NULL, SOFT);
  t->name = start ? cr_document_join(t->document, start, own ? own : type) : NULL;
  if (!t->name) return cr_error_memory(t->document->error);
  *is_had = true;
  if (!has_noise(t->element)) return CAROM_OK;
  return cr_document_remark(t->document, t->element, NULL, "not used: readings have no noise");
}

carom_status cr_instrument_add(cr_instrument* t) {
  const struct kind* kind = find_kind(cr_xml_get(t->element, "type"));
  if (!kind->has_own_sites) CR_TRY(add_site(t, "", &STRAIGHT, &t->site));
  return kind->read(t);
}

carom_status cr_instrument_add_feedback(cr_instrument* t, const char* name) {
  t->name = name;
  CR_TRY(add_site(t, "", &STRAIGHT, &t->site));
  carom_sensor_def def = carom_sensor_def_default();
  def.site = t->site;
  def.reversed = true;
  CR_TRY(add_reading(t, ".force", CAROM_SENSOR_FORCE, &def));
  return add_reading(t, ".torque", CAROM_SENSOR_TORQUE, &def);
}
