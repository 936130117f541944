/* Adding sensors. */
#include "model/record.h"
#include "model/sensor_kind.h"

#define MAX_PLACES   10000 /* of a contact sensor */
#define MAX_READINGS 10000000

carom_sensor_def carom_sensor_def_default(void) {
  return (carom_sensor_def){.cookie = CR_COOKIE(sensor),
                            .contact = {.num = 1, .data = CAROM_CONTACT_FOUND}};
}

static carom_status check_joint(const cr_addition* addition, const carom_sensor_def* def) {
  const carom_builder* b = addition->builder;
  cr_sensor_object object = cr_sensor_kinds[def->type].object;
  if (object == CR_SENSOR_ON_SCALAR_JOINT)
    return cr_check_scalar_joint(addition, "joint", def->joint, 1);
  CR_TRY(cr_check_joint(addition, "joint", def->joint, 1));
  carom_joint_type type = CR_AT(&b->joints, cr_joint_record, def->joint.id - 1)->def.type;
  if (object == CR_SENSOR_ON_BALL_JOINT && type != CAROM_JOINT_BALL)
    return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                           "joint is of another type, must be a ball joint");
  if (type == CAROM_JOINT_FREE)
    return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                           "joint is a free joint, which has no limits");
  return CAROM_OK;
}

static carom_status check_frame(const cr_addition* addition, const char* field,
                                const carom_frame_of* frame) {
  CR_TRY(cr_check_choice(&addition->subject, field, (int)frame->type, CAROM_FRAME_WORLD,
                         CAROM_FRAME_SITE));
  switch (frame->type) {
  case CAROM_FRAME_BODY:
  case CAROM_FRAME_INERTIA:
    return cr_check_body(addition, field, (carom_body){frame->id}, 0);
  case CAROM_FRAME_GEOM:
    return cr_check_geom(addition, field, (carom_geom){frame->id});
  case CAROM_FRAME_SITE:
    return cr_check_site(addition, field, (carom_site){frame->id}, 1);
  default:
    return CAROM_OK;
  }
}

static carom_status check_contacts(const cr_addition* addition, const carom_contact_query* q) {
  const cr_subject* subject = &addition->subject;
  static const char* const SIDES[] = {"contact.side[0]", "contact.side[1]"};
  for (int k = 0; k < 2; k++) {
    CR_TRY(cr_check_choice(subject, SIDES[k], (int)q->side[k], CAROM_SIDE_ANY, CAROM_SIDE_SUBTREE));
    if (q->side[k] == CAROM_SIDE_GEOM)
      CR_TRY(cr_check_geom(addition, SIDES[k], (carom_geom){q->id[k]}));
    else if (q->side[k] != CAROM_SIDE_ANY)
      CR_TRY(cr_check_body(addition, SIDES[k], (carom_body){q->id[k]}, 0));
  }
  CR_TRY(cr_check_site(addition, "contact.site", q->site, 0));
  CR_TRY(cr_check_choice(subject, "contact.num", q->num, 1, MAX_PLACES));
  CR_TRY(cr_check_choice(subject, "contact.data", (int)q->data, 1, 2 * CAROM_CONTACT_TANGENT - 1));
  return cr_check_choice(subject, "contact.reduction", (int)q->reduction, CAROM_CONTACT_ANY_FIRST,
                         CAROM_CONTACT_NET);
}

static carom_status check_object(const cr_addition* addition, const carom_sensor_def* def) {
  switch (cr_sensor_kinds[def->type].object) {
  case CR_SENSOR_ON_SCALAR_JOINT:
  case CR_SENSOR_ON_BALL_JOINT:
  case CR_SENSOR_ON_LIMITED_JOINT:
    return check_joint(addition, def);
  case CR_SENSOR_ON_TENDON:
    return cr_check_tendon(addition, "tendon", def->tendon, 1);
  case CR_SENSOR_ON_ACTUATOR:
    return cr_check_actuator(addition, "actuator", def->actuator);
  case CR_SENSOR_ON_FRAME:
    CR_TRY(check_frame(addition, "frame", &def->frame));
    return check_frame(addition, "reference", &def->reference);
  case CR_SENSOR_ON_SUBTREE:
    return cr_check_body(addition, "body", def->body, 0);
  case CR_SENSOR_ON_SITE:
    return cr_check_site(addition, "site", def->site, 1);
  case CR_SENSOR_ON_CONTACTS:
    return check_contacts(addition, &def->contact);
  case CR_SENSOR_ON_NOTHING:
    break;
  }
  return CAROM_OK;
}

/* Numbers that it reads; a short text may ask for very many. */
static carom_status count_readings(const cr_addition* addition, const carom_sensor_def* def,
                                   int* count) {
  const cr_sensor_kind* kind = &cr_sensor_kinds[def->type];
  *count = kind->dim ? kind->dim : def->contact.num * cr_contact_query_count(def->contact.data);
  if (*count <= MAX_READINGS - addition->builder->num_readings) return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                         "the sensors read more than %d numbers", MAX_READINGS);
}

carom_status carom_builder_add_sensor(carom_builder* builder, const carom_sensor_def* def,
                                      carom_sensor* sensor, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("sensor", builder, error);
  cr_addition addition = {builder,
                          &builder->sensors,
                          CR_PART_SENSOR,
                          {"sensor", def->name, def->source, builder->sensors.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, sensor));
  CR_TRY(cr_check_choice(&addition.subject, "type", (int)def->type, 0, CR_NUM_SENSOR_KINDS - 1));
  CR_TRY(check_object(&addition, def));
  CR_TRY(cr_check_not_negative(&addition.subject, "cutoff", def->cutoff));
  cr_sensor_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  int index, count;
  CR_TRY(count_readings(&addition, def, &count));
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  builder->num_readings += count;
  if (sensor) sensor->id = index + 1;
  return CAROM_OK;
}
