/* The parts of a model as rows of numbers, and their columns in the file (docs/recording.md). */
#include "record/parts.h"

#include <string.h>

const cr_part_spec cr_part_specs[] = {
    [CR_PART_BODY] =
        {"bodies/name",
         1,
         10,
         {{"bodies/parent", 1, false, "1", "body that it hangs on; -1: none, the world", false},
          {"bodies/mass", 1, true, "kg", "mass", false},
          {"bodies/com", 3, true, "m", "centre of mass, body frame", false},
          {"bodies/inertia", 6, true, "kg m^2", "xx yy zz xy xz yz about it, body axes", false}}},
    [CR_PART_JOINT] =
        {"joints/name",
         5,
         10,
         {{"joints/type", 1, false, "1", "0 free, 1 ball, 2 slide, 3 hinge", false},
          {"joints/body", 1, false, "1", "body that it moves", false},
          {"joints/q", 1, false, "1", "its first place in q", false},
          {"joints/v", 1, false, "1", "its first place in v", false},
          {"joints/limited", 1, false, "1", "1: the range is enforced", false},
          {"joints/axes", 6, true, "m and 1", "anchor and unit axis, body frame", false},
          {"joints/range", 2, true, "m or rad", "least and largest coordinate", false},
          {"joints/reference", 1, true, "m or rad",
           "coordinate where the body is as the scene places it; hinge and slide", true},
          {"joints/pitch", 1, true, "m",
           "way of a hinge along its axis per revolution: a screw where not 0", true}}},
    [CR_PART_GEOM] =
        {"geoms/name",
         5,
         23,
         {{"geoms/type", 1, false, "1",
           "0 plane, 1 sphere, 2 capsule, 3 cylinder, 4 box, 5 ellipsoid, 6 mesh", false},
          {"geoms/body", 1, false, "1", "body that it is part of", false},
          {"geoms/group", 1, false, "1", "group of the scene file, for drawing", false},
          {"geoms/mesh", 1, false, "1", "its surface among the meshes; -1: it is no mesh", true},
          {"geoms/condim", 1, false, "1", "dimensions of its contacts: 1, 3, 4 or 6", true},
          {"geoms/size", 3, true, "m", "as in carom/types.h", false},
          {"geoms/pose", 7, true, "m and 1", "position, quaternion w x y z, body frame", false},
          {"geoms/rgba", 4, true, "1", "colour", false},
          {"geoms/contact", 3, true, "1, N/m, s",
           "friction, stiffness (inf: rigid), dissipation (NaN: of the stiffness)", false},
          {"geoms/surface", 6, true, "m, m, 1, m/s, s/m, 1",
           "torsional and rolling friction, friction at rest, Stribeck speed, Hunt-Crossley "
           "dissipation, restitution",
           true}}},
    [CR_PART_ACTUATOR] =
        {"actuators/name",
         3,
         4,
         {{"actuators/joint", 1, false, "1", "joint that it drives", false},
          {"actuators/controls", 2, false, "1", "first of its controls, and how many", true},
          {"actuators/control_range", 2, true, "by actuator", "-inf, inf where not limited", false},
          {"actuators/force_range", 2, true, "N or N m", "-inf, inf where not limited", false}}},
    [CR_PART_SOFT] =
        {"softs/name",
         8,
         12,
         {{"softs/q", 1, false, "1", "first place of its nodes in q", false},
          {"softs/v", 1, false, "1", "first place of its nodes in v", false},
          {"softs/counts", 3, false, "1", "nodes, elements, triangles of the surface", false},
          {"softs/nodes_per_element", 1, false, "1", "4 or 10", false},
          {"softs/law", 1, false, "1",
           "0 corotated, 1 linear, 2 fixed corotated, 3 St Venant-Kirchhoff, 4 Neo-Hookean", false},
          {"softs/group", 1, false, "1", "group of the scene file, for drawing", false},
          {"softs/material", 6, true, "Pa, 1, kg/m^3, 1/s, s, 1",
           "Young's modulus, Poisson's ratio, density, Rayleigh damping alpha and beta, friction",
           false},
          {"softs/mass", 1, true, "kg", "of all nodes", false},
          {"softs/volume", 1, true, "m^3", "at rest", false},
          {"softs/rgba", 4, true, "1", "colour", false}}},
    [CR_PART_ATTACHMENT] = {"attachments/name",
                            3,
                            0,
                            {{"attachments/soft", 1, false, "1", "soft body that it holds", false},
                             {"attachments/body", 1, false, "1",
                              "body that it is glued to; 0: fixed in the world", false},
                             {"attachments/count", 1, false, "1", "nodes that it holds", false}}},
    [CR_PART_EQUALITY] = {"equalities/name",
                          3,
                          0,
                          {{"equalities/type", 1, false, "1",
                            "0 connect, 1 weld, 2 joint, 3 tendon, 4 distance", false},
                           {"equalities/parts", 2, false, "1",
                            "bodies, of joint and tendon those that it couples; -1: none", false}}},
    [CR_PART_SENSOR] = {"sensors/name",
                        3,
                        1,
                        {{"sensors/type", 1, false, "1", "as in carom/sensor.h", false},
                         {"sensors/columns", 2, false, "1",
                          "first column of its readings, and how many", false},
                         {"sensors/cutoff", 1, true, "by sensor", "inf: none", false}}},
    [CR_PART_SENSOR_KIND] = {"sensors/kind", 0, 0, {{0}}},
    [CR_PART_SENSOR_OBJECT] = {"sensors/object", 0, 0, {{0}}},
    [CR_PART_SENSOR_UNIT] = {"sensors/unit", 0, 0, {{0}}},
};

int cr_part_count(const carom_model* model, cr_part_kind kind) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  const int counts[CR_NUM_PARTS] = {sizes.num_bodies,     sizes.num_joints,  sizes.num_geoms,
                                    sizes.num_actuators,  sizes.num_softs,   sizes.num_attachments,
                                    sizes.num_equalities, sizes.num_sensors, sizes.num_sensors,
                                    sizes.num_sensors,    sizes.num_sensors};
  return counts[kind];
}

static cr_part_row get_body(const carom_model* model, int index) {
  carom_body_info info = carom_model_get_body(model, index);
  cr_part_row row = {info.name, {info.parent}, {info.mass}};
  memcpy(row.reals + 1, info.com, sizeof info.com);
  memcpy(row.reals + 4, info.inertia, sizeof info.inertia);
  return row;
}

static cr_part_row get_joint(const carom_model* model, int index) {
  carom_joint_info info = carom_model_get_joint(model, index);
  cr_part_row row = {info.name,
                     {(int32_t)info.type, info.body, info.q_address, info.v_address, info.limited},
                     {0}};
  memcpy(row.reals, info.anchor, sizeof info.anchor);
  memcpy(row.reals + 3, info.axis, sizeof info.axis);
  memcpy(row.reals + 6, info.range, sizeof info.range);
  if (info.type == CAROM_JOINT_HINGE || info.type == CAROM_JOINT_SLIDE)
    row.reals[8] = carom_model_get_reference(model)[info.q_address];
  row.reals[9] = info.pitch;
  return row;
}

static cr_part_row get_geom(const carom_model* model, int index) {
  carom_geom_info info = carom_model_get_geom(model, index);
  cr_part_row row = {
      info.name, {(int32_t)info.type, info.body, info.group, info.mesh, info.condim}, {0}};
  memcpy(row.reals, info.size, sizeof info.size);
  memcpy(row.reals + 3, info.position, sizeof info.position);
  memcpy(row.reals + 6, info.quaternion, sizeof info.quaternion);
  for (int k = 0; k < 4; k++) row.reals[10 + k] = (double)info.rgba[k];
  row.reals[14] = info.friction, row.reals[15] = info.stiffness, row.reals[16] = info.dissipation;
  const carom_surface* s = &info.surface;
  row.reals[17] = s->torsional_friction, row.reals[18] = s->rolling_friction;
  row.reals[19] = s->static_friction, row.reals[20] = s->stribeck_speed;
  row.reals[21] = s->hunt_crossley, row.reals[22] = s->restitution;
  return row;
}

static cr_part_row get_actuator(const carom_model* model, int index) {
  carom_actuator_info info = carom_model_get_actuator(model, index);
  cr_part_row row = {info.name, {info.joint, info.control, info.num_controls}, {0}};
  memcpy(row.reals, info.control_range, sizeof info.control_range);
  memcpy(row.reals + 2, info.force_range, sizeof info.force_range);
  return row;
}

static cr_part_row get_soft(const carom_model* model, int index) {
  carom_soft_info info = carom_model_get_soft(model, index);
  cr_part_row row = {info.name,
                     {info.q_address, info.v_address, info.num_nodes, info.num_elements,
                      info.num_triangles, info.nodes_per_element, (int32_t)info.law, info.group},
                     {info.young, info.poisson, info.density, info.alpha, info.beta, info.friction,
                      info.mass, info.volume}};
  for (int k = 0; k < 4; k++) row.reals[8 + k] = (double)info.rgba[k];
  return row;
}

static cr_part_row get_attachment(const carom_model* model, int index) {
  carom_attachment_info info = carom_model_get_attachment(model, index);
  return (cr_part_row){info.name, {info.soft, info.body, info.num_nodes}, {0}};
}

static cr_part_row get_equality(const carom_model* model, int index) {
  carom_equality_info info = carom_model_get_equality(model, index);
  return (cr_part_row){info.name, {(int32_t)info.type, info.parts[0], info.parts[1]}, {0}};
}

static cr_part_row get_sensor(const carom_model* model, int index) {
  carom_sensor_info info = carom_model_get_sensor(model, index);
  return (cr_part_row){info.name, {(int32_t)info.type, info.address, info.dim}, {info.cutoff}};
}

static cr_part_row get_sensor_kind(const carom_model* model, int index) {
  return (cr_part_row){.name = carom_model_get_sensor(model, index).kind};
}

static cr_part_row get_sensor_object(const carom_model* model, int index) {
  return (cr_part_row){.name = carom_model_get_sensor(model, index).object};
}

static cr_part_row get_sensor_unit(const carom_model* model, int index) {
  return (cr_part_row){.name = carom_model_get_sensor(model, index).unit};
}

cr_part_row cr_part_get_row(const carom_model* model, cr_part_kind kind, int index) {
  static cr_part_row (*const GET[CR_NUM_PARTS])(const carom_model*, int) = {
      get_body,     get_joint,  get_geom,        get_actuator,      get_soft,       get_attachment,
      get_equality, get_sensor, get_sensor_kind, get_sensor_object, get_sensor_unit};
  return GET[kind](model, index);
}
