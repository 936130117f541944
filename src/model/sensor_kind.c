/* The table of types of sensors, and units of their readings. */
#include "model/sensor_kind.h"

enum {
  ACCELERATION = CR_NEEDS_STEP | CR_NEEDS_ACCELERATION,
  FORCE = ACCELERATION | CR_NEEDS_FORCE,
  STEP = CR_NEEDS_STEP,
};

const cr_sensor_kind cr_sensor_kinds[CR_NUM_SENSOR_KINDS] = {
    [CAROM_SENSOR_JOINT_POSITION] = {"jointpos", 1, CR_SENSOR_ON_SCALAR_JOINT, CR_SENSOR_REAL,
                                     false, 0, NULL},
    [CAROM_SENSOR_JOINT_VELOCITY] = {"jointvel", 1, CR_SENSOR_ON_SCALAR_JOINT, CR_SENSOR_REAL,
                                     false, 0, NULL},
    [CAROM_SENSOR_JOINT_LIMIT_POSITION] = {"jointlimitpos", 1, CR_SENSOR_ON_LIMITED_JOINT,
                                           CR_SENSOR_REAL, false, 0, NULL},
    [CAROM_SENSOR_JOINT_LIMIT_VELOCITY] = {"jointlimitvel", 1, CR_SENSOR_ON_LIMITED_JOINT,
                                           CR_SENSOR_REAL, false, 0, NULL},
    [CAROM_SENSOR_JOINT_LIMIT_FORCE] = {"jointlimitfrc", 1, CR_SENSOR_ON_LIMITED_JOINT,
                                        CR_SENSOR_POSITIVE, false, STEP, NULL},
    [CAROM_SENSOR_JOINT_ACTUATOR_FORCE] = {"jointactuatorfrc", 1, CR_SENSOR_ON_SCALAR_JOINT,
                                           CR_SENSOR_REAL, false, CR_NEEDS_ACTUATION, NULL},
    [CAROM_SENSOR_BALL_QUATERNION] = {"ballquat", 4, CR_SENSOR_ON_BALL_JOINT, CR_SENSOR_UNIT, false,
                                      0, "1"},
    [CAROM_SENSOR_BALL_VELOCITY] = {"ballangvel", 3, CR_SENSOR_ON_BALL_JOINT, CR_SENSOR_REAL, false,
                                    0, "rad/s"},
    [CAROM_SENSOR_TENDON_POSITION] = {"tendonpos", 1, CR_SENSOR_ON_TENDON, CR_SENSOR_REAL, false, 0,
                                      NULL},
    [CAROM_SENSOR_TENDON_VELOCITY] = {"tendonvel", 1, CR_SENSOR_ON_TENDON, CR_SENSOR_REAL, false, 0,
                                      NULL},
    [CAROM_SENSOR_TENDON_LIMIT_POSITION] = {"tendonlimitpos", 1, CR_SENSOR_ON_TENDON,
                                            CR_SENSOR_REAL, false, 0, NULL},
    [CAROM_SENSOR_TENDON_LIMIT_VELOCITY] = {"tendonlimitvel", 1, CR_SENSOR_ON_TENDON,
                                            CR_SENSOR_REAL, false, 0, NULL},
    [CAROM_SENSOR_TENDON_LIMIT_FORCE] = {"tendonlimitfrc", 1, CR_SENSOR_ON_TENDON,
                                         CR_SENSOR_POSITIVE, false, STEP, NULL},
    [CAROM_SENSOR_TENDON_ACTUATOR_FORCE] = {"tendonactuatorfrc", 1, CR_SENSOR_ON_TENDON,
                                            CR_SENSOR_REAL, false, 0, NULL},
    [CAROM_SENSOR_ACTUATOR_POSITION] = {"actuatorpos", 1, CR_SENSOR_ON_ACTUATOR, CR_SENSOR_REAL,
                                        false, 0, NULL},
    [CAROM_SENSOR_ACTUATOR_VELOCITY] = {"actuatorvel", 1, CR_SENSOR_ON_ACTUATOR, CR_SENSOR_REAL,
                                        false, 0, NULL},
    [CAROM_SENSOR_ACTUATOR_FORCE] = {"actuatorfrc", 1, CR_SENSOR_ON_ACTUATOR, CR_SENSOR_REAL, false,
                                     0, NULL},
    [CAROM_SENSOR_FRAME_POSITION] = {"framepos", 3, CR_SENSOR_ON_FRAME, CR_SENSOR_REAL, true, 0,
                                     "m"},
    [CAROM_SENSOR_FRAME_QUATERNION] = {"framequat", 4, CR_SENSOR_ON_FRAME, CR_SENSOR_UNIT, true, 0,
                                       "1"},
    [CAROM_SENSOR_FRAME_X_AXIS] = {"framexaxis", 3, CR_SENSOR_ON_FRAME, CR_SENSOR_UNIT, true, 0,
                                   "1"},
    [CAROM_SENSOR_FRAME_Y_AXIS] = {"frameyaxis", 3, CR_SENSOR_ON_FRAME, CR_SENSOR_UNIT, true, 0,
                                   "1"},
    [CAROM_SENSOR_FRAME_Z_AXIS] = {"framezaxis", 3, CR_SENSOR_ON_FRAME, CR_SENSOR_UNIT, true, 0,
                                   "1"},
    [CAROM_SENSOR_FRAME_LINEAR_VELOCITY] = {"framelinvel", 3, CR_SENSOR_ON_FRAME, CR_SENSOR_REAL,
                                            true, 0, "m/s"},
    [CAROM_SENSOR_FRAME_ANGULAR_VELOCITY] = {"frameangvel", 3, CR_SENSOR_ON_FRAME, CR_SENSOR_REAL,
                                             true, 0, "rad/s"},
    [CAROM_SENSOR_FRAME_LINEAR_ACCELERATION] = {"framelinacc", 3, CR_SENSOR_ON_FRAME,
                                                CR_SENSOR_REAL, false, ACCELERATION, "m/s^2"},
    [CAROM_SENSOR_FRAME_ANGULAR_ACCELERATION] = {"frameangacc", 3, CR_SENSOR_ON_FRAME,
                                                 CR_SENSOR_REAL, false, ACCELERATION, "rad/s^2"},
    [CAROM_SENSOR_SUBTREE_COM] = {"subtreecom", 3, CR_SENSOR_ON_SUBTREE, CR_SENSOR_REAL, false, 0,
                                  "m"},
    [CAROM_SENSOR_SUBTREE_LINEAR_VELOCITY] = {"subtreelinvel", 3, CR_SENSOR_ON_SUBTREE,
                                              CR_SENSOR_REAL, false, 0, "m/s"},
    [CAROM_SENSOR_SUBTREE_ANGULAR_MOMENTUM] = {"subtreeangmom", 3, CR_SENSOR_ON_SUBTREE,
                                               CR_SENSOR_REAL, false, 0, "kg m^2/s"},
    [CAROM_SENSOR_VELOCIMETER] = {"velocimeter", 3, CR_SENSOR_ON_SITE, CR_SENSOR_REAL, false, 0,
                                  "m/s"},
    [CAROM_SENSOR_GYRO] = {"gyro", 3, CR_SENSOR_ON_SITE, CR_SENSOR_REAL, false, 0, "rad/s"},
    [CAROM_SENSOR_ACCELEROMETER] = {"accelerometer", 3, CR_SENSOR_ON_SITE, CR_SENSOR_REAL, false,
                                    ACCELERATION, "m/s^2"},
    [CAROM_SENSOR_MAGNETOMETER] = {"magnetometer", 3, CR_SENSOR_ON_SITE, CR_SENSOR_REAL, false, 0,
                                   "of the field"},
    [CAROM_SENSOR_FORCE] = {"force", 3, CR_SENSOR_ON_SITE, CR_SENSOR_REAL, false, FORCE, "N"},
    [CAROM_SENSOR_TORQUE] = {"torque", 3, CR_SENSOR_ON_SITE, CR_SENSOR_REAL, false, FORCE, "N m"},
    [CAROM_SENSOR_TOUCH] = {"touch", 1, CR_SENSOR_ON_SITE, CR_SENSOR_POSITIVE, false, STEP, "N"},
    [CAROM_SENSOR_RANGEFINDER] = {"rangefinder", 1, CR_SENSOR_ON_SITE, CR_SENSOR_POSITIVE, false, 0,
                                  "m"},
    [CAROM_SENSOR_CONTACT] = {"contact", 0, CR_SENSOR_ON_CONTACTS, CR_SENSOR_UNIT, false, STEP,
                              "1, N, N m, m"},
    [CAROM_SENSOR_CLOCK] = {"clock", 1, CR_SENSOR_ON_NOTHING, CR_SENSOR_REAL, false, 0, "s"},
    [CAROM_SENSOR_POTENTIAL_ENERGY] = {"e_potential", 1, CR_SENSOR_ON_NOTHING, CR_SENSOR_REAL,
                                       false, 0, "J"},
    [CAROM_SENSOR_KINETIC_ENERGY] = {"e_kinetic", 1, CR_SENSOR_ON_NOTHING, CR_SENSOR_REAL, false, 0,
                                     "J"},
};

int cr_contact_query_count(unsigned data) {
  static const int COUNTS[] = {1, 3, 3, 1, 3, 3, 3};
  int count = 0;
  for (int i = 0; i < 7; i++)
    if (data >> i & 1) count += COUNTS[i];
  return count;
}

/* A length or angle, its rate, or its force. */
static const char* choose(int type, const char* position, const char* velocity, const char* force) {
  switch ((carom_sensor_type)type) {
  case CAROM_SENSOR_JOINT_VELOCITY:
  case CAROM_SENSOR_JOINT_LIMIT_VELOCITY:
  case CAROM_SENSOR_TENDON_VELOCITY:
  case CAROM_SENSOR_TENDON_LIMIT_VELOCITY:
  case CAROM_SENSOR_ACTUATOR_VELOCITY:
    return velocity;
  case CAROM_SENSOR_JOINT_LIMIT_FORCE:
  case CAROM_SENSOR_JOINT_ACTUATOR_FORCE:
  case CAROM_SENSOR_TENDON_LIMIT_FORCE:
  case CAROM_SENSOR_TENDON_ACTUATOR_FORCE:
  case CAROM_SENSOR_ACTUATOR_FORCE:
    return force;
  default:
    return position;
  }
}

const char* cr_sensor_find_unit(const carom_model* model, int sensor) {
  const cr_sensor_model* s = &model->sensor;
  int type = s->type[sensor], object = s->object[sensor];
  const cr_sensor_kind* kind = &cr_sensor_kinds[type];
  if (kind->unit) return kind->unit;
  bool is_joint =
      kind->object == CR_SENSOR_ON_SCALAR_JOINT || kind->object == CR_SENSOR_ON_LIMITED_JOINT;
  if (!is_joint) return choose(type, "by length", "by rate", "by force");
  bool is_slide = model->tree.joint_type[object] == CAROM_JOINT_SLIDE;
  return is_slide ? choose(type, "m", "m/s", "N") : choose(type, "rad", "rad/s", "N m");
}
