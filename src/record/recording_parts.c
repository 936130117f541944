/* The bodies, joints, geometries and soft bodies of a recording, checked once when it is opened. */
#include "base/error.h"
#include "record/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_within(int value, int end) { return value >= 0 && value < end; }

/* Coordinates and velocities of a joint. */
static const int NUM_Q[] = {7, 4, 1, 1}, NUM_V[] = {6, 3, 1, 1};

static bool is_joint_sound(const carom_recording* r, const cr_part_row* row) {
  const int32_t* ints = row->ints;
  return is_within(ints[0], CAROM_JOINT_HINGE + 1) && is_within(ints[1], r->info.num_bodies) &&
         is_within(ints[2], r->info.num_q - NUM_Q[ints[0]] + 1) &&
         is_within(ints[3], r->info.num_v - NUM_V[ints[0]] + 1);
}

/* Soft bodies are checked with their meshes, attachments with their nodes. */
static bool is_sound(const carom_recording* r, cr_part_kind kind, const cr_part_row* row) {
  if (kind == CR_PART_JOINT) return is_joint_sound(r, row);
  if (kind == CR_PART_BODY) return row->ints[0] >= -1 && row->ints[0] < r->info.num_bodies;
  if (kind == CR_PART_ACTUATOR)
    return row->ints[0] == -1 || is_within(row->ints[0], r->parts[CR_PART_JOINT].count);
  if (kind == CR_PART_EQUALITY)
    return is_within(row->ints[0], CAROM_EQUALITY_DISTANCE + 1) && row->ints[1] >= -1 &&
           row->ints[2] >= -1;
  if (kind == CR_PART_SENSOR)
    return is_within(row->ints[0], CAROM_SENSOR_KINETIC_ENERGY + 1) && row->ints[1] >= 0 &&
           row->ints[2] >= 0 && row->ints[1] <= r->info.num_readings - row->ints[2];
  if (kind == CR_PART_SOFT || kind == CR_PART_ATTACHMENT || kind > CR_PART_SENSOR) return true;
  return is_within(row->ints[0], CAROM_GEOM_HEIGHT_FIELD + 1) &&
         is_within(row->ints[1], r->info.num_bodies) &&
         (row->ints[0] < CAROM_GEOM_MESH || r->meshes.num_meshes == 0 ||
          is_within(row->ints[3], r->meshes.num_meshes));
}

/* Parents stand before their children, so that one pass over the bodies is enough. */
static carom_status check_order(const carom_recording* r, carom_error* error) {
  char text[80];
  for (int i = 0; i < r->parts[CR_PART_BODY].count; i++) {
    if (cr_parts_get(&r->parts[CR_PART_BODY], CR_PART_BODY, i).ints[0] < i) continue;
    snprintf(text, sizeof text, "body %d stands before its parent", i);
    return cr_recording_damaged(r, text, error);
  }
  return CAROM_OK;
}

static carom_status check_kind(const carom_recording* r, cr_part_kind kind, carom_error* error) {
  for (int i = 0; i < r->parts[kind].count; i++) {
    cr_part_row row = cr_parts_get(&r->parts[kind], kind, i);
    if (!is_sound(r, kind, &row))
      return cr_recording_damaged(r, "a joint, geometry or sensor names what is not there", error);
  }
  return CAROM_OK;
}

static carom_status read_meshes(carom_recording* r, carom_error* error) {
  carom_status status = cr_meshes_read(r->file, &r->mesh_arena, &r->meshes);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
  if (status != CAROM_OK)
    return cr_recording_damaged(r, "the surfaces of meshes cannot be read", error);
  r->info.num_meshes = r->meshes.num_meshes;
  return CAROM_OK;
}

static carom_status read_softs(carom_recording* r, carom_error* error) {
  const cr_part_table* table = &r->parts[CR_PART_SOFT];
  carom_status status =
      cr_softs_read(r->file, table, r->info.num_q, r->info.num_v, &r->mesh_arena, &r->softs);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
  if (status != CAROM_OK) return cr_recording_damaged(r, "the soft bodies cannot be read", error);
  r->info.num_softs = table->count;
  return CAROM_OK;
}

static carom_status read_attachments(carom_recording* r, carom_error* error) {
  const cr_part_table* table = &r->parts[CR_PART_ATTACHMENT];
  cr_attachment_owners owners = {r->softs, r->info.num_softs, r->info.num_bodies};
  carom_status status =
      cr_attachments_read(r->file, table, &owners, &r->mesh_arena, &r->attachments);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
  if (status != CAROM_OK || (table->count > 0 && r->sizes.num_attachments != table->count))
    return cr_recording_damaged(r, "the attachments cannot be read", error);
  r->info.num_attachments = table->count;
  return CAROM_OK;
}

carom_status cr_recording_read_parts(carom_recording* r, carom_error* error) {
  CR_TRY(read_meshes(r, error));
  for (int k = 0; k < CR_NUM_PARTS; k++) {
    cr_part_kind kind = (cr_part_kind)k;
    carom_status status = cr_parts_read(r->file, kind, &r->allocator, &r->parts[kind]);
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
    if (status != CAROM_OK)
      return cr_recording_damaged(r, "bodies, joints or geometries cannot be read", error);
    CR_TRY(check_kind(r, kind, error));
  }
  CR_TRY(check_order(r, error));
  CR_TRY(read_softs(r, error));
  CR_TRY(read_attachments(r, error));
  r->info.num_joints = r->parts[CR_PART_JOINT].count;
  if (r->info.has_joint_reactions && r->sizes.num_reacting_joints != r->info.num_joints)
    return cr_recording_damaged(r, "/joints/reaction has not a row for each joint", error);
  r->info.num_equalities = r->parts[CR_PART_EQUALITY].count;
  if (r->info.has_equality_reactions && r->sizes.num_reacting_equalities != r->info.num_equalities)
    return cr_recording_damaged(r, "/equalities/reaction has not a row for each equality", error);
  r->info.num_geoms = r->parts[CR_PART_GEOM].count;
  r->info.num_actuators = r->parts[CR_PART_ACTUATOR].count;
  r->info.num_sensors = r->parts[CR_PART_SENSOR].count;
  for (int k = CR_PART_SENSOR; k < CR_NUM_PARTS; k++)
    if (r->parts[k].count != r->info.num_sensors)
      return cr_recording_damaged(r, "texts of sensors are missing", error);
  r->info.has_parts = r->parts[CR_PART_BODY].count == r->info.num_bodies;
  return CAROM_OK;
}

carom_body_info carom_recording_get_body(const carom_recording* recording, int index) {
  if (!recording->info.has_parts)
    return (carom_body_info){.name = "", .parent = -1, .mocap_address = -1};
  cr_part_row row = cr_parts_get(&recording->parts[CR_PART_BODY], CR_PART_BODY, index);
  carom_body_info info = {
      .name = row.name, .parent = row.ints[0], .mass = row.reals[0], .mocap_address = -1};
  memcpy(info.com, row.reals + 1, sizeof info.com);
  memcpy(info.inertia, row.reals + 4, sizeof info.inertia);
  return info;
}

carom_joint_info carom_recording_get_joint(const carom_recording* recording, int index) {
  cr_part_row row = cr_parts_get(&recording->parts[CR_PART_JOINT], CR_PART_JOINT, index);
  carom_joint_info info = {.name = row.name,
                           .type = (carom_joint_type)row.ints[0],
                           .body = row.ints[1],
                           .q_address = row.ints[2],
                           .v_address = row.ints[3],
                           .limited = row.ints[4] != 0};
  memcpy(info.anchor, row.reals, sizeof info.anchor);
  memcpy(info.axis, row.reals + 3, sizeof info.axis);
  memcpy(info.range, row.reals + 6, sizeof info.range);
  info.pitch = row.reals[9];
  info.speed_limit = INFINITY;
  return info;
}

double carom_recording_get_reference(const carom_recording* recording, int joint) {
  return cr_parts_get(&recording->parts[CR_PART_JOINT], CR_PART_JOINT, joint).reals[8];
}

carom_mesh_info carom_recording_get_mesh(const carom_recording* recording, int index) {
  return cr_meshes_get(&recording->meshes, index);
}

carom_soft_info carom_recording_get_soft(const carom_recording* recording, int index) {
  return recording->softs[index];
}

carom_attachment_info carom_recording_get_attachment(const carom_recording* recording, int index) {
  return recording->attachments[index];
}

carom_equality_info carom_recording_get_equality(const carom_recording* recording, int index) {
  cr_part_row row = cr_parts_get(&recording->parts[CR_PART_EQUALITY], CR_PART_EQUALITY, index);
  return (carom_equality_info){.name = row.name,
                               .type = (carom_equality_type)row.ints[0],
                               .active = true,
                               .parts = {row.ints[1], row.ints[2]},
                               .stiffness = INFINITY,
                               .dissipation = NAN};
}

/* The surface of a geometry that has a recorded one, or -1. */
static int find_mesh(const carom_recording* r, const cr_part_row* row) {
  bool has_mesh = row->ints[0] >= CAROM_GEOM_MESH && r->meshes.num_meshes > 0 &&
                  cr_meshes_get(&r->meshes, row->ints[3]).num_triangles > 0;
  return has_mesh ? row->ints[3] : -1;
}

carom_geom_info carom_recording_get_geom(const carom_recording* recording, int index) {
  cr_part_row row = cr_parts_get(&recording->parts[CR_PART_GEOM], CR_PART_GEOM, index);
  carom_geom_info info = {.name = row.name,
                          .type = (carom_geom_type)row.ints[0],
                          .body = row.ints[1],
                          .group = row.ints[2],
                          .friction = row.reals[14],
                          .stiffness = row.reals[15],
                          .dissipation = row.reals[16],
                          .condim = row.ints[4],
                          .surface = {.torsional_friction = row.reals[17],
                                      .rolling_friction = row.reals[18],
                                      .static_friction = row.reals[19],
                                      .stribeck_speed = row.reals[20],
                                      .hunt_crossley = row.reals[21],
                                      .restitution = row.reals[22]},
                          .mesh = find_mesh(recording, &row)};
  memcpy(info.size, row.reals, sizeof info.size);
  memcpy(info.position, row.reals + 3, sizeof info.position);
  memcpy(info.quaternion, row.reals + 6, sizeof info.quaternion);
  for (int k = 0; k < 4; k++) info.rgba[k] = (float)row.reals[10 + k];
  return info;
}

/* Its name, kind, object or unit. */
static const char* get_sensor_text(const carom_recording* r, cr_part_kind kind, int index) {
  return cr_parts_get(&r->parts[kind], kind, index).name;
}

carom_sensor_info carom_recording_get_sensor(const carom_recording* recording, int index) {
  cr_part_row row = cr_parts_get(&recording->parts[CR_PART_SENSOR], CR_PART_SENSOR, index);
  return (carom_sensor_info){.name = row.name,
                             .type = (carom_sensor_type)row.ints[0],
                             .kind = get_sensor_text(recording, CR_PART_SENSOR_KIND, index),
                             .object = get_sensor_text(recording, CR_PART_SENSOR_OBJECT, index),
                             .unit = get_sensor_text(recording, CR_PART_SENSOR_UNIT, index),
                             .address = row.ints[1],
                             .dim = row.ints[2],
                             .cutoff = row.reals[0]};
}

carom_actuator_info carom_recording_get_actuator(const carom_recording* recording, int index) {
  cr_part_row row = cr_parts_get(&recording->parts[CR_PART_ACTUATOR], CR_PART_ACTUATOR, index);
  carom_actuator_info info = {
      .name = row.name, .joint = row.ints[0], .control = row.ints[1], .num_controls = row.ints[2]};
  memcpy(info.control_range, row.reals, sizeof info.control_range);
  memcpy(info.force_range, row.reals + 2, sizeof info.force_range);
  return info;
}
