/* <sensor> of links and joints: a site where it is, and for each quantity that it measures a sensor
 * of its own, "LINK::SENSOR.quantity". Rates, noise and topics belong to the programs that listen.
 * Instruments that are not had here are left out, by name: readings change no motion. */
#include "carom/sensor.h"

#include "import/sdf/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_RAYS 2000 /* of one sensor */

static const m3 STRAIGHT = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/* A sensor on its way. */
typedef struct instrument {
  const cr_xml_element* element;
  const char* name;        /* with its link's or joint's */
  const cr_sdf_link* link; /* on which it is */
  int scope, frame;        /* its pose is relative to this frame, where it names none */
  pose local;              /* in the link */
  carom_site site;
} instrument;

/* --- Parts --------------------------------------------------------------------------------------
 */

/* `name` with an ending, in the pool; null without memory. */
static const char* name_part(cr_sdf* s, const instrument* t, const char* part) {
  return part[0] ? cr_sdf_join(s, t->name, part) : t->name;
}

static carom_status add_site(cr_sdf* s, const instrument* t, const char* part, const m3* turn,
                             carom_site* site) {
  carom_site_def def = carom_site_def_default();
  m3 R = m3_mul(&t->local.R, turn);
  def.source = (carom_source){t->element->file, t->element->line};
  def.name = name_part(s, t, part);
  if (!def.name) return cr_error_memory(s->document.error);
  def.body = t->link->body;
  v3_store(t->local.p, def.position);
  quat_store(quat_from_m3(&R), def.quaternion);
  return carom_builder_add_site(s->builder, &def, site, s->document.error);
}

/* A sensor of a type on the site, or on its frame. */
static carom_status add_reading(cr_sdf* s, const instrument* t, const char* part,
                                carom_sensor_type type, carom_sensor_def* def) {
  def->source = (carom_source){t->element->file, t->element->line};
  def->name = name_part(s, t, part);
  if (!def->name) return cr_error_memory(s->document.error);
  def->type = type;
  return carom_builder_add_sensor(s->builder, def, NULL, s->document.error);
}

static carom_status add_on_site(cr_sdf* s, const instrument* t, const char* part,
                                carom_sensor_type type) {
  carom_sensor_def def = carom_sensor_def_default();
  def.site = t->site;
  return add_reading(s, t, part, type, &def);
}

static carom_status add_on_frame(cr_sdf* s, const instrument* t, const char* part,
                                 carom_sensor_type type) {
  carom_sensor_def def = carom_sensor_def_default();
  def.frame = (carom_frame_of){CAROM_FRAME_SITE, t->site.id};
  return add_reading(s, t, part, type, &def);
}

/* --- Kinds --------------------------------------------------------------------------------------
 */

static carom_status read_imu(cr_sdf* s, const instrument* t) {
  static const char WORLD[] = "read as the orientation in the world";
  const cr_xml_element *imu, *reference = NULL;
  bool has_orientation = true;
  CR_TRY(cr_document_child(&s->document, t->element, "imu", &imu));
  if (imu) {
    CR_TRY(cr_document_check_known(&s->document, imu,
                                   " angular_velocity linear_acceleration "
                                   "orientation_reference_frame enable_orientation ",
                                   " "));
    CR_TRY(cr_document_child(&s->document, imu, "orientation_reference_frame", &reference));
    CR_TRY(cr_sdf_flag(s, imu, "enable_orientation", &has_orientation));
  }
  if (reference) CR_TRY(cr_document_remark(&s->document, reference, NULL, WORLD));
  if (has_orientation) CR_TRY(add_on_frame(s, t, ".orientation", CAROM_SENSOR_FRAME_QUATERNION));
  CR_TRY(add_on_site(s, t, ".angular_velocity", CAROM_SENSOR_GYRO));
  return add_on_site(s, t, ".linear_acceleration", CAROM_SENSOR_ACCELEROMETER);
}

static carom_status read_magnetometer(cr_sdf* s, const instrument* t) {
  return add_on_site(s, t, "", CAROM_SENSOR_MAGNETOMETER);
}

static carom_status read_place(cr_sdf* s, const instrument* t) {
  static const char PLACE[] = "read as place and velocity in the world, m and m/s";
  CR_TRY(cr_document_remark(&s->document, t->element, "type", PLACE));
  CR_TRY(add_on_frame(s, t, ".position", CAROM_SENSOR_FRAME_POSITION));
  return add_on_frame(s, t, ".velocity", CAROM_SENSOR_FRAME_LINEAR_VELOCITY);
}

/* All shapes of the link count. */
static carom_status read_contact(cr_sdf* s, const instrument* t) {
  static const char ALL[] = "read as of all shapes of its link";
  int shapes = 0;
  for (const cr_xml_element* e = t->link->element->first_child; e; e = e->next)
    shapes += strcmp(e->name, "collision") == 0;
  if (shapes > 1) CR_TRY(cr_document_remark(&s->document, t->element, "type", ALL));
  carom_sensor_def def = carom_sensor_def_default();
  def.contact.side[1] = CAROM_SIDE_BODY;
  def.contact.id[1] = t->link->body.id;
  def.contact.data =
      CAROM_CONTACT_FOUND | CAROM_CONTACT_FORCE | CAROM_CONTACT_TORQUE | CAROM_CONTACT_POINT;
  def.contact.reduction = CAROM_CONTACT_NET;
  return add_reading(s, t, "", CAROM_SENSOR_CONTACT, &def);
}

static carom_status read_force_torque(cr_sdf* s, const instrument* t) {
  static const char AXES[] = "read as in the axes of the child";
  const cr_xml_element* settings;
  const char *direction = NULL, *frame = NULL;
  instrument own = *t;
  CR_TRY(cr_document_child(&s->document, t->element, "force_torque", &settings));
  if (settings) {
    CR_TRY(cr_document_check_known(&s->document, settings, " frame measure_direction force torque ",
                                   " "));
    CR_TRY(cr_sdf_word(s, settings, "measure_direction", &direction));
    CR_TRY(cr_sdf_word(s, settings, "frame", &frame));
  }
  if (frame && strcmp(frame, "parent") == 0)
    CR_TRY(cr_document_remark(&s->document, settings, NULL, AXES));
  if (!frame || strcmp(frame, "sensor") != 0) own.local.R = m3_identity();
  CR_TRY(add_site(s, &own, "", &STRAIGHT, &own.site));
  carom_sensor_def def = carom_sensor_def_default();
  def.site = own.site;
  def.reversed = !direction || strcmp(direction, "parent_to_child") != 0;
  CR_TRY(add_reading(s, &own, ".force", CAROM_SENSOR_FORCE, &def));
  return add_reading(s, &own, ".torque", CAROM_SENSOR_TORQUE, &def);
}

/* --- Rays ---------------------------------------------------------------------------------------
 */

/* Angles of a fan, the first and the last included. */
typedef struct fan {
  double samples, least, most;
} fan;

static carom_status read_fan(cr_sdf* s, const cr_xml_element* scan, const char* name, fan* f) {
  const cr_xml_element* element;
  *f = (fan){.samples = 1};
  CR_TRY(cr_document_child(&s->document, scan, name, &element));
  if (!element) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, element, " samples resolution min_angle max_angle ",
                                 " "));
  CR_TRY(cr_sdf_numbers(s, element, "samples", 1, &f->samples));
  CR_TRY(cr_sdf_bound(s, element, "min_angle", &f->least));
  CR_TRY(cr_sdf_bound(s, element, "max_angle", &f->most));
  cr_subject subject = cr_document_subject(&s->document, element);
  if (!(f->samples >= 1 && f->samples <= MAX_RAYS) || f->samples != floor(f->samples))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "samples is %.9g, must be a whole number from 1 to %d", f->samples,
                           MAX_RAYS);
  if (!isfinite(f->least) || !isfinite(f->most))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "an angle is not finite");
  return CAROM_OK;
}

static double fan_angle(const fan* f, int index) {
  return f->samples > 1 ? f->least + index * (f->most - f->least) / (f->samples - 1) : f->least;
}

/* A site whose z axis is the ray: yaw within the plane, then pitch upwards. */
static carom_status add_ray(cr_sdf* s, const instrument* t, const char* part, double yaw,
                            double pitch, double range) {
  v3 z = v3_make(cos(pitch) * cos(yaw), cos(pitch) * sin(yaw), sin(pitch));
  v3 y = v3_make(-sin(yaw), cos(yaw), 0);
  m3 turn = m3_from_columns(v3_cross(y, z), y, z);
  carom_sensor_def def = carom_sensor_def_default();
  CR_TRY(add_site(s, t, part, &turn, &def.site));
  if (isfinite(range)) def.cutoff = range;
  return add_reading(s, t, part, CAROM_SENSOR_RANGEFINDER, &def);
}

static carom_status read_range(cr_sdf* s, const cr_xml_element* ray, double* range) {
  const cr_xml_element* element;
  CR_TRY(cr_document_child(&s->document, ray, "range", &element));
  if (!element) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, element, " min max resolution ", " "));
  CR_TRY(cr_sdf_bound(s, element, "max", range));
  cr_subject subject = cr_document_subject(&s->document, element);
  return *range > 0 ? CAROM_OK
                    : cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                                      "max is %.9g, must be positive", *range);
}

static carom_status add_rays(cr_sdf* s, const instrument* t, const fan* across, const fan* up,
                             double range) {
  int columns = (int)across->samples, count = columns * (int)up->samples;
  for (int i = 0; i < count; i++) {
    char part[16] = "";
    if (count > 1) snprintf(part, sizeof part, ".%d", i);
    CR_TRY(add_ray(s, t, part, fan_angle(across, i % columns), fan_angle(up, i / columns), range));
  }
  return CAROM_OK;
}

static carom_status read_rays(cr_sdf* s, const instrument* t) {
  const cr_xml_element *ray, *scan = NULL;
  fan across = {.samples = 1}, up = {.samples = 1};
  double range = INFINITY;
  CR_TRY(cr_document_child(&s->document, t->element, "ray", &ray));
  if (!ray) CR_TRY(cr_document_child(&s->document, t->element, "lidar", &ray));
  if (ray) {
    CR_TRY(cr_document_check_known(&s->document, ray, " scan range noise visibility_mask ", " "));
    CR_TRY(cr_document_child(&s->document, ray, "scan", &scan));
    CR_TRY(read_range(s, ray, &range));
  }
  if (scan) CR_TRY(read_fan(s, scan, "horizontal", &across));
  if (scan) CR_TRY(read_fan(s, scan, "vertical", &up));
  if (across.samples * up.samples <= MAX_RAYS) return add_rays(s, t, &across, &up, range);
  return cr_document_remark(&s->document, t->element, NULL, "left out: it has more rays than 2000");
}

/* --- All ----------------------------------------------------------------------------------------
 */

typedef carom_status read_kind(cr_sdf* s, const instrument* t);

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

static carom_status place(cr_sdf* s, instrument* t) {
  const struct kind* kind = find_kind(cr_xml_get(t->element, "type"));
  pose world;
  CR_TRY(cr_sdf_place_element(s, t->scope, t->element, t->frame, &world));
  t->local = pose_relative(&cr_sdf_frame_at(s, t->link->frame)->world, &world);
  return kind->has_own_sites ? CAROM_OK : add_site(s, t, "", &STRAIGHT, &t->site);
}

static carom_status add_sensor(cr_sdf* s, instrument* t, const char* owner, bool on_joint) {
  static const char NONE[] = "not used: there is no instrument of this kind here";
  static const char SOFT[] = "not used: sensors are on rigid links only";
  const char* type = cr_xml_get(t->element, "type");
  const char *start = cr_sdf_join(s, owner, "::"), *own = cr_xml_get(t->element, "name");
  const struct kind* kind = type ? find_kind(type) : NULL;
  if (!kind || kind->is_of_joint != on_joint)
    return cr_document_remark(&s->document, t->element, NULL, NONE);
  if (t->link->body.id == 0) return cr_document_remark(&s->document, t->element, NULL, SOFT);
  t->name = start ? cr_sdf_join(s, start, own ? own : type) : NULL;
  if (!t->name) return cr_error_memory(s->document.error);
  if (has_noise(t->element))
    CR_TRY(cr_document_remark(&s->document, t->element, NULL, "not used: readings have no noise"));
  CR_TRY(place(s, t));
  return kind->read(s, t);
}

static carom_status add_of_link(cr_sdf* s, const cr_sdf_link* link) {
  for (const cr_xml_element* e = link->element->first_child; e; e = e->next) {
    instrument t = {.element = e, .link = link, .scope = link->scope, .frame = link->frame};
    if (strcmp(e->name, "sensor") == 0) CR_TRY(add_sensor(s, &t, link->name, false));
  }
  return CAROM_OK;
}

static carom_status add_of_joint(cr_sdf* s, const cr_sdf_joint* joint) {
  for (const cr_xml_element* e = joint->element->first_child; e; e = e->next) {
    const cr_sdf_link* child = cr_sdf_link_at(s, joint->child);
    instrument t = {.element = e, .link = child, .scope = joint->scope, .frame = joint->frame};
    if (strcmp(e->name, "sensor") == 0) CR_TRY(add_sensor(s, &t, joint->name, true));
  }
  return CAROM_OK;
}

carom_status cr_sdf_add_sensors(cr_sdf* s) {
  for (int i = 0; i < s->links.count; i++) CR_TRY(add_of_link(s, cr_sdf_link_at(s, i)));
  for (int i = 0; i < s->joints.count; i++) CR_TRY(add_of_joint(s, cr_sdf_joint_at(s, i)));
  return CAROM_OK;
}
