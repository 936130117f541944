/* What there is to say of each type of sensor: one table for builder, model, readers and readings.
 */
#ifndef CR_MODEL_SENSOR_KIND_H
#define CR_MODEL_SENSOR_KIND_H

#include "base/shared.h"
#include "model/model.h"

/* What a sensor is on. */
typedef enum cr_sensor_object {
  CR_SENSOR_ON_NOTHING,
  CR_SENSOR_ON_SCALAR_JOINT, /* a hinge or slide */
  CR_SENSOR_ON_BALL_JOINT,
  CR_SENSOR_ON_LIMITED_JOINT, /* a hinge, slide or ball */
  CR_SENSOR_ON_TENDON,
  CR_SENSOR_ON_ACTUATOR,
  CR_SENSOR_ON_FRAME,
  CR_SENSOR_ON_SUBTREE,
  CR_SENSOR_ON_SITE,
  CR_SENSOR_ON_CONTACTS,
} cr_sensor_object;

/* What a cutoff does to its readings. */
typedef enum cr_sensor_range {
  CR_SENSOR_REAL,     /* clamps them on either side */
  CR_SENSOR_POSITIVE, /* bounds them above */
  CR_SENSOR_UNIT,     /* nothing */
} cr_sensor_range;

typedef struct cr_sensor_kind {
  const char* word; /* MJCF's */
  int dim;          /* 0: as the sensor says */
  cr_sensor_object object;
  cr_sensor_range range;
  bool has_reference; /* of frames: another may be the reference */
  int needs;          /* CR_NEEDS_… */
  const char* unit;   /* null: by the joint or tendon */
} cr_sensor_kind;

#define CR_NUM_SENSOR_KINDS (CAROM_SENSOR_KINETIC_ENERGY + 1)

/* By carom_sensor_type. */
CR_SHARED extern const cr_sensor_kind cr_sensor_kinds[CR_NUM_SENSOR_KINDS];

/* Numbers of one place of a contact sensor. */
int cr_contact_query_count(unsigned data);

/* Unit of a sensor's readings. */
const char* cr_sensor_find_unit(const carom_model* model, int sensor);

#endif
