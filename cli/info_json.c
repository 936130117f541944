/* `carom info --json`: the same as data. Indices count from 0, in the order of `carom/model.h`;
 * what has no name has an empty one. */
#include "info.h"
#include "json.h"
#include "words.h"

#include "carom/sensor.h"

#include <math.h>

/* --- Parts --------------------------------------------------------------------------------------
 */

static json_t* make_body(const carom_model* model, int index) {
  carom_body_info info = carom_model_get_body(model, index);
  json_t* body = cli_json_group();
  cli_json_set(body, "name", cli_json_text(info.name));
  cli_json_set(body, "parent", cli_json_whole(info.parent));
  cli_json_set(body, "mass", cli_json_number(info.mass));
  cli_json_set(body, "com", cli_json_numbers(info.com, 3));
  cli_json_set(body, "inertia", cli_json_numbers(info.inertia, 6));
  if (info.mocap_address >= 0) cli_json_set(body, "mocap_q", cli_json_whole(info.mocap_address));
  return body;
}

static json_t* make_joint(const carom_model* model, int index) {
  carom_joint_info info = carom_model_get_joint(model, index);
  json_t* joint = cli_json_group();
  cli_json_set(joint, "name", cli_json_text(info.name));
  cli_json_set(joint, "type",
               cli_json_text(info.pitch != 0 ? "screw" : CLI_JOINT_TYPES[info.type]));
  cli_json_set(joint, "body", cli_json_whole(info.body));
  cli_json_set(joint, "q", cli_json_whole(info.q_address));
  cli_json_set(joint, "v", cli_json_whole(info.v_address));
  cli_json_set(joint, "anchor", cli_json_numbers(info.anchor, 3));
  if (info.type >= CAROM_JOINT_SLIDE) cli_json_set(joint, "axis", cli_json_numbers(info.axis, 3));
  if (info.pitch != 0) cli_json_set(joint, "pitch", cli_json_number(info.pitch));
  if (info.limited) cli_json_set(joint, "range", cli_json_numbers(info.range, 2));
  if (isfinite(info.speed_limit))
    cli_json_set(joint, "speed_limit", cli_json_number(info.speed_limit));
  return joint;
}

static json_t* make_geom(const carom_model* model, int index) {
  carom_geom_info info = carom_model_get_geom(model, index);
  json_t* geom = cli_json_group();
  cli_json_set(geom, "name", cli_json_text(info.name));
  cli_json_set(geom, "type", cli_json_text(CLI_GEOM_TYPES[info.type]));
  cli_json_set(geom, "body", cli_json_whole(info.body));
  cli_json_set(geom, "size", cli_json_numbers(info.size, 3));
  cli_json_set(geom, "position", cli_json_numbers(info.position, 3));
  cli_json_set(geom, "quaternion", cli_json_numbers(info.quaternion, 4));
  cli_json_set(geom, "group", cli_json_whole(info.group));
  cli_json_set(geom, "condim", cli_json_whole(info.condim));
  cli_json_set(geom, "friction", cli_json_number(info.friction));
  cli_json_set(geom, "stiffness", cli_json_number(info.stiffness));
  cli_json_set(geom, "dissipation", cli_json_number(info.dissipation));
  return geom;
}

static json_t* make_site(const carom_model* model, int index) {
  carom_site_info info = carom_model_get_site(model, index);
  json_t* site = cli_json_group();
  cli_json_set(site, "name", cli_json_text(info.name));
  cli_json_set(site, "body", cli_json_whole(info.body));
  cli_json_set(site, "position", cli_json_numbers(info.position, 3));
  cli_json_set(site, "quaternion", cli_json_numbers(info.quaternion, 4));
  return site;
}

static json_t* make_tendon(const carom_model* model, int index) {
  carom_tendon_info info = carom_model_get_tendon(model, index);
  json_t* tendon = cli_json_group();
  cli_json_set(tendon, "name", cli_json_text(info.name));
  cli_json_set(tendon, "type", cli_json_text(info.num_terms > 0 ? "fixed" : "spatial"));
  if (info.limited) cli_json_set(tendon, "range", cli_json_numbers(info.range, 2));
  cli_json_set(tendon, "stiffness", cli_json_number(info.stiffness));
  cli_json_set(tendon, "damping", cli_json_number(info.damping));
  cli_json_set(tendon, "friction_loss", cli_json_number(info.friction_loss));
  return tendon;
}

static json_t* make_actuator(const carom_model* model, int index) {
  carom_actuator_info info = carom_model_get_actuator(model, index);
  json_t* actuator = cli_json_group();
  cli_json_set(actuator, "name", cli_json_text(info.name));
  if (info.joint >= 0) cli_json_set(actuator, "joint", cli_json_whole(info.joint));
  if (info.tendon >= 0) cli_json_set(actuator, "tendon", cli_json_whole(info.tendon));
  if (info.site >= 0) cli_json_set(actuator, "site", cli_json_whole(info.site));
  if (info.body >= 0) cli_json_set(actuator, "body", cli_json_whole(info.body));
  if (info.activation >= 0) cli_json_set(actuator, "activation", cli_json_whole(info.activation));
  if (info.num_controls != 1) cli_json_set(actuator, "controls", cli_json_whole(info.num_controls));
  if (info.num_activations > 1)
    cli_json_set(actuator, "activations", cli_json_whole(info.num_activations));
  cli_json_set(actuator, "control_range", cli_json_numbers(info.control_range, 2));
  cli_json_set(actuator, "force_range", cli_json_numbers(info.force_range, 2));
  return actuator;
}

static json_t* make_sensor(const carom_model* model, int index) {
  carom_sensor_info info = carom_model_get_sensor(model, index);
  json_t* sensor = cli_json_group();
  cli_json_set(sensor, "name", cli_json_text(info.name));
  cli_json_set(sensor, "type", cli_json_text(info.kind));
  cli_json_set(sensor, "on", cli_json_text(info.object));
  cli_json_set(sensor, "reading", cli_json_whole(info.address));
  cli_json_set(sensor, "dim", cli_json_whole(info.dim));
  cli_json_set(sensor, "unit", cli_json_text(info.unit));
  return sensor;
}

static json_t* make_equality(const carom_model* model, int index) {
  carom_equality_info info = carom_model_get_equality(model, index);
  json_t *equality = cli_json_group(), *parts = cli_json_list();
  for (int k = 0; k < 2; k++) cli_json_append(parts, cli_json_whole(info.parts[k]));
  cli_json_set(equality, "name", cli_json_text(info.name));
  cli_json_set(equality, "type", cli_json_text(CLI_EQUALITY_TYPES[info.type]));
  cli_json_set(equality, "parts", parts);
  cli_json_set(equality, "active", cli_json_flag(info.active));
  cli_json_set(equality, "stiffness", cli_json_number(info.stiffness));
  cli_json_set(equality, "dissipation", cli_json_number(info.dissipation));
  return equality;
}

static json_t* make_spring(const carom_model* model, int index) {
  carom_spring_info info = carom_model_get_spring(model, index);
  json_t *spring = cli_json_group(), *bodies = cli_json_list();
  for (int k = 0; k < 2; k++) cli_json_append(bodies, cli_json_whole(info.bodies[k]));
  cli_json_set(spring, "name", cli_json_text(info.name));
  cli_json_set(spring, "bodies", bodies);
  cli_json_set(spring, "stiffness", cli_json_number(info.stiffness));
  cli_json_set(spring, "damping", cli_json_number(info.damping));
  cli_json_set(spring, "rest_length", cli_json_number(info.rest_length));
  return spring;
}

static json_t* describe_soft(const carom_soft_info* info) {
  json_t* soft = cli_json_group();
  cli_json_set(soft, "name", cli_json_text(info->name));
  cli_json_set(soft, "nodes", cli_json_whole(info->num_nodes));
  cli_json_set(soft, "elements", cli_json_whole(info->num_elements));
  cli_json_set(soft, "nodes_per_element", cli_json_whole(info->nodes_per_element));
  cli_json_set(soft, "q", cli_json_whole(info->q_address));
  cli_json_set(soft, "v", cli_json_whole(info->v_address));
  cli_json_set(soft, "mass", cli_json_number(info->mass));
  cli_json_set(soft, "law", cli_json_text(CLI_SOFT_LAWS[info->law]));
  cli_json_set(soft, "young", cli_json_number(info->young));
  cli_json_set(soft, "poisson", cli_json_number(info->poisson));
  cli_json_set(soft, "density", cli_json_number(info->density));
  return soft;
}

static json_t* make_soft(const carom_model* model, int index) {
  carom_soft_info info = carom_model_get_soft(model, index);
  return describe_soft(&info);
}

static json_t* make_keyframe(const carom_model* model, int index) {
  return cli_json_text(carom_model_get_keyframe_name(model, index));
}

static json_t* make_note(const carom_model* model, int index) {
  json_t* note = cli_json_group();
  cli_json_set(note, "kind",
               cli_json_text(CLI_NOTE_KINDS[carom_model_get_note_kind(model, index)]));
  cli_json_set(note, "text", cli_json_text(carom_model_get_note(model, index)));
  return note;
}

/* --- The whole ----------------------------------------------------------------------------------
 */

/* Sets a list of parts, numbered from 0. */
static void set_parts(json_t* object, const char* key, const carom_model* model, int count,
                      json_t* (*make)(const carom_model*, int)) {
  json_t* list = cli_json_list();
  for (int i = 0; i < count; i++) cli_json_append(list, make(model, i));
  cli_json_set(object, key, list);
}

int info_print_model_json(const carom_model* model, const char* path) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  json_t* object = cli_json_object();
  double gravity[3];
  carom_model_get_gravity(model, gravity);
  cli_json_set(object, "file", cli_json_text(path));
  cli_json_set(object, "model", cli_json_text(carom_model_get_name(model)));
  cli_json_set(object, "nq", cli_json_whole(sizes.num_q));
  cli_json_set(object, "nv", cli_json_whole(sizes.num_v));
  cli_json_set(object, "gravity", cli_json_numbers(gravity, 3));
  cli_json_set(object, "timestep", cli_json_number(carom_model_get_timestep(model)));
  set_parts(object, "bodies", model, sizes.num_bodies, make_body);
  set_parts(object, "joints", model, sizes.num_joints, make_joint);
  set_parts(object, "geoms", model, sizes.num_geoms, make_geom);
  set_parts(object, "sites", model, sizes.num_sites, make_site);
  set_parts(object, "tendons", model, sizes.num_tendons, make_tendon);
  set_parts(object, "actuators", model, sizes.num_actuators, make_actuator);
  set_parts(object, "sensors", model, sizes.num_sensors, make_sensor);
  set_parts(object, "equalities", model, sizes.num_equalities, make_equality);
  set_parts(object, "springs", model, sizes.num_springs, make_spring);
  set_parts(object, "softs", model, sizes.num_softs, make_soft);
  set_parts(object, "keyframes", model, sizes.num_keyframes, make_keyframe);
  set_parts(object, "notes", model, sizes.num_notes, make_note);
  return cli_json_print(object);
}

int info_print_recording_json(const carom_recording* recording, const char* path) {
  carom_recording_info info = carom_recording_get_info(recording);
  json_t *object = cli_json_object(), *softs = cli_json_list();
  for (int i = 0; i < info.num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(recording, i);
    cli_json_append(softs, describe_soft(&soft));
  }
  cli_json_set(object, "file", cli_json_text(path));
  cli_json_set(object, "format_version", cli_json_whole(info.version));
  cli_json_set(object, "library", cli_json_text(info.library));
  cli_json_set(object, "open", cli_json_flag(info.is_open));
  cli_json_set(object, "model", cli_json_text(info.model));
  cli_json_set(object, "options", cli_json_text(info.options));
  cli_json_set(object, "frames", cli_json_whole(info.num_frames));
  cli_json_set(object, "start", cli_json_number(info.start));
  cli_json_set(object, "end", cli_json_number(info.end));
  cli_json_set(object, "dt", cli_json_number(info.dt));
  cli_json_set(object, "rate", cli_json_number(info.rate));
  cli_json_set(object, "nq", cli_json_whole(info.num_q));
  cli_json_set(object, "nv", cli_json_whole(info.num_v));
  cli_json_set(object, "nu", cli_json_whole(info.num_ctrl));
  cli_json_set(object, "bodies", cli_json_whole(info.num_bodies));
  cli_json_set(object, "contacts", cli_json_whole(info.num_contacts));
  cli_json_set(object, "softs", softs);
  return cli_json_print(object);
}
