/* Mechanisms from tables of reference values. */
#include "support/mechanism.h"

#include <string.h>

int mechanism_read_numbers(const json_t* array, double* out) {
  if (json_is_number(array)) {
    *out = json_number_value(array);
    return 1;
  }
  int count = 0;
  for (size_t i = 0; i < json_array_size(array); i++)
    count += mechanism_read_numbers(json_array_get(array, i), out + count);
  return count;
}

static void read_field(const json_t* object, const char* key, double* out) {
  mechanism_read_numbers(json_object_get(object, key), out);
}

static double read_number(const json_t* object, const char* key) {
  return json_number_value(json_object_get(object, key));
}

static int read_int(const json_t* object, const char* key) {
  return (int)json_integer_value(json_object_get(object, key));
}

static carom_joint_type read_type(const json_t* joint) {
  static const char* const names[] = {"free", "ball", "slide", "hinge"};
  const char* name = json_string_value(json_object_get(joint, "type"));
  for (int i = 0; i < 4; i++)
    if (strcmp(name, names[i]) == 0) return (carom_joint_type)i;
  fail_msg("joint type '%s' is not known", name);
  return CAROM_JOINT_FREE;
}

static mechanism_body read_body(const json_t* object) {
  mechanism_body body = {.parent = read_int(object, "parent"), .mass = read_number(object, "mass")};
  read_field(object, "pos", body.position);
  read_field(object, "quat", body.quaternion);
  read_field(object, "com", body.com);
  read_field(object, "inertia", body.inertia);
  return body;
}

static mechanism_joint read_joint(const json_t* object, const json_t* qpos0) {
  mechanism_joint joint = {.type = read_type(object),
                           .body = read_int(object, "body"),
                           .armature = read_number(object, "armature")};
  size_t at = (size_t)read_int(object, "qposadr");
  read_field(object, "pos", joint.anchor);
  read_field(object, "axis", joint.axis);
  if (joint.type == CAROM_JOINT_HINGE || joint.type == CAROM_JOINT_SLIDE)
    joint.reference = json_number_value(json_array_get(qpos0, at));
  return joint;
}

mechanism* mechanism_create_from_oracle(const json_t* oracle, bool keep_free_origin) {
  mechanism_def def;
  mechanism_def_init(&def);
  def.keep_free_origin = keep_free_origin;
  size_t i;
  json_t* item;
  json_array_foreach(json_object_get(oracle, "bodies"), i, item) {
    mechanism_body body = read_body(item);
    if (i == 0)
      body.parent = -1, def.bodies[0] = body;
    else
      mechanism_def_add_body(&def, &body);
  }
  json_array_foreach(json_object_get(oracle, "joints"), i, item) {
    mechanism_joint joint = read_joint(item, json_object_get(oracle, "qpos0"));
    mechanism_def_add_joint(&def, &joint);
  }
  mechanism* result = mechanism_create(&def);
  mechanism_def_destroy(&def);
  return result;
}
