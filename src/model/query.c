/* What a model tells about itself. Indices must be in range. */
#include "base/assert.h"
#include "model/model.h"
#include "model/names.h"
#include "model/sensor_kind.h"

#include <stdio.h>
#include <string.h>

void carom_model_destroy(carom_model* model) {
  if (!model) return;
  carom_allocator allocator = model->allocator;
  for (int i = 0; i < model->soft.num_parts; i++) {
    cr_soft_part* part = &model->soft.part[i];
    cr_box_tree_destroy(&part->solids, &allocator);
    cr_trisurface_destroy(part->rest, &allocator);
    cr_soft_surface_destroy(&part->surface);
    cr_soft_body_destroy(&part->body);
    cr_soft_mesh_destroy(&part->mesh);
  }
  carom_builder_destroy(model->description);
  cr_release(&allocator, model, model->block_size);
}

carom_model_sizes carom_model_get_sizes(const carom_model* model) {
  return (carom_model_sizes){.num_q = model->num_q,
                             .num_v = model->num_v,
                             .num_bodies = model->body.num_bodies,
                             .num_joints = model->tree.num_joints,
                             .num_geoms = model->geom.num_geoms,
                             .num_actuators = model->force.num_actuators,
                             .num_equalities = model->equality.num_equalities,
                             .num_springs = model->force.num_springs,
                             .num_tendons = model->force.tendon.num_tendons,
                             .num_keyframes = model->keyframe.num_keyframes,
                             .num_notes = model->name.num_notes,
                             .num_trees = model->tree.num_trees,
                             .num_meshes = model->mesh.num_meshes,
                             .num_sites = model->site.num_sites,
                             .num_softs = model->soft.num_parts,
                             .num_soft_nodes = model->soft.num_nodes,
                             .num_sensors = model->sensor.num_sensors,
                             .num_readings = model->sensor.num_readings,
                             .num_activations = model->force.num_activations,
                             .num_controls = model->force.num_controls,
                             .num_attachments = model->soft.num_attachments,
                             .num_mocaps = model->tree.num_mocaps};
}

/* The string at an offset, empty where there is none. */
static const char* get_text(const carom_model* model, int offset) {
  return offset < 0 ? "" : model->name.text + offset;
}

/* Mocap links stand in the order of their bodies. */
static int find_mocap_address(const carom_model* model, int body) {
  const cr_tree_model* t = &model->tree;
  int link = model->body.link[body], low = 0, high = t->num_mocaps;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (t->mocap_link[middle] < link)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_mocap = low < t->num_mocaps && t->mocap_link[low] == link;
  return is_mocap && model->body.link_body[link] == body ? t->mocap_q + 7 * low : -1;
}

carom_body_info carom_model_get_body(const carom_model* model, int index) {
  const cr_body_model* b = &model->body;
  CR_ASSERT(index >= 0 && index < b->num_bodies);
  carom_body_info info = {.name = get_text(model, model->name.body[index]),
                          .parent = b->parent[index],
                          .mass = b->mass[index],
                          .mocap_address = find_mocap_address(model, index)};
  memcpy(info.com, b->com + 3 * index, sizeof info.com);
  memcpy(info.inertia, b->inertia + 6 * index, sizeof info.inertia);
  return info;
}

carom_joint_info carom_model_get_joint(const carom_model* model, int index) {
  const cr_tree_model* t = &model->tree;
  const cr_limit_model* limit = &model->limit;
  CR_ASSERT(index >= 0 && index < t->num_joints);
  carom_joint_info info = {
      .name = get_text(model, model->name.joint[index]),
      .type = (carom_joint_type)t->joint_type[index],
      .body = model->body.link_body[t->joint_link[index]],
      .q_address = t->joint_q_start[index],
      .v_address = t->joint_v_start[index],
      .limited = limit->joint_limited[index] != 0,
      .range = {limit->joint_range[2 * index], limit->joint_range[2 * index + 1]}};
  /* A free joint's anchor is where its velocity is taken, no property of the joint. */
  if (info.type != CAROM_JOINT_FREE)
    memcpy(info.anchor, t->joint_anchor + 3 * index, sizeof info.anchor);
  memcpy(info.axis, t->joint_axis + 3 * index, sizeof info.axis);
  info.pitch = t->joint_pitch[index] * (2 * M_PI);
  info.speed_limit = limit->joint_speed_limit[index];
  return info;
}

carom_geom_info carom_model_get_geom(const carom_model* model, int index) {
  const cr_geom_model* g = &model->geom;
  CR_ASSERT(index >= 0 && index < g->num_geoms);
  carom_geom_info info = {.name = get_text(model, model->name.geom[index]),
                          .type = g->shape[index].type,
                          .body = g->body[index],
                          .friction = model->contact.friction[index],
                          .stiffness = model->contact.stiffness[index],
                          .dissipation = model->contact.dissipation[index],
                          .condim = model->contact.condim[index],
                          .surface = model->contact.surface[index],
                          .group = model->visual.group[index],
                          .mesh = model->visual.geom_mesh[index]};
  memcpy(info.size, g->shape[index].size, sizeof info.size);
  memcpy(info.position, model->visual.geom_position + 3 * index, sizeof info.position);
  memcpy(info.quaternion, model->visual.geom_quaternion + 4 * index, sizeof info.quaternion);
  memcpy(info.rgba, model->visual.rgba + 4 * index, sizeof info.rgba);
  return info;
}

carom_site_info carom_model_get_site(const carom_model* model, int index) {
  const cr_site_model* s = &model->site;
  CR_ASSERT(index >= 0 && index < s->num_sites);
  carom_site_info info = {.name = get_text(model, model->name.site[index]),
                          .body = s->body[index],
                          .type = s->shape[index].type,
                          .group = s->group[index]};
  memcpy(info.position, s->position + 3 * index, sizeof info.position);
  memcpy(info.quaternion, s->quaternion + 4 * index, sizeof info.quaternion);
  memcpy(info.size, s->shape[index].size, sizeof info.size);
  memcpy(info.rgba, s->rgba + 4 * index, sizeof info.rgba);
  return info;
}

carom_sensor_info carom_model_get_sensor(const carom_model* model, int index) {
  const cr_sensor_model* s = &model->sensor;
  CR_ASSERT(index >= 0 && index < s->num_sensors);
  const cr_sensor_kind* kind = &cr_sensor_kinds[s->type[index]];
  return (carom_sensor_info){.name = get_text(model, model->name.sensor[index]),
                             .type = (carom_sensor_type)s->type[index],
                             .kind = kind->word,
                             .unit = cr_sensor_find_unit(model, index),
                             .object = get_text(model, s->text[index]),
                             .address = s->address[index],
                             .dim = s->address[index + 1] - s->address[index],
                             .cutoff = s->cutoff[index]};
}

carom_mesh_info carom_model_get_mesh(const carom_model* model, int index) {
  const cr_mesh_model* m = &model->mesh;
  CR_ASSERT(index >= 0 && index < m->num_meshes);
  return m->info[index];
}

carom_tendon_info carom_model_get_tendon(const carom_model* model, int index) {
  const cr_tendon_model* n = &model->force.tendon;
  const cr_line_model* line = &model->force.line;
  CR_ASSERT(index >= 0 && index < n->num_tendons);
  return (carom_tendon_info){.name = get_text(model, model->name.tendon[index]),
                             .num_terms = line->kind[index] == CR_LINE_FIXED
                                              ? line->start[index + 1] - line->start[index]
                                              : 0,
                             .num_points = line->point_start[index + 1] - line->point_start[index],
                             .limited = n->limited[index] != 0,
                             .range = {n->range[2 * index], n->range[2 * index + 1]},
                             .stiffness = n->stiffness[index],
                             .damping = n->damping[index],
                             .friction_loss = n->friction_loss[index]};
}

carom_actuator_info carom_model_get_actuator(const carom_model* model, int index) {
  const cr_force_model* f = &model->force;
  CR_ASSERT(index >= 0 && index < f->num_actuators);
  int num_act = f->actuator_activation[index + 1] - f->actuator_activation[index];
  int control = f->actuator_control[index], num_ctrl = f->actuator_control[index + 1] - control;
  return (carom_actuator_info){
      .name = get_text(model, model->name.actuator[index]),
      .joint = f->actuator_dof[index] < 0 ? -1 : model->tree.dof_joint[f->actuator_dof[index]],
      .tendon = f->actuator_line[index] < f->tendon.num_tendons ? f->actuator_line[index] : -1,
      .site = f->actuator_site[index],
      .body = f->actuator_body[index],
      .activation = num_act > 0 ? f->actuator_activation[index] : -1,
      .num_activations = num_act,
      .control = control,
      .num_controls = num_ctrl,
      .control_range = {num_ctrl > 0 ? f->control_range[2 * control] : -INFINITY,
                        num_ctrl > 0 ? f->control_range[2 * control + 1] : INFINITY},
      .force_range = {f->actuator_force_range[2 * index], f->actuator_force_range[2 * index + 1]}};
}

carom_control_info carom_model_get_control(const carom_model* model, int index) {
  const cr_force_model* f = &model->force;
  CR_ASSERT(index >= 0 && index < f->num_controls);
  const double* range = f->control_range + 2 * (size_t)index;
  return (carom_control_info){
      f->control_actuator[index], f->control_kind[index], {range[0], range[1]}};
}

/* Ends of controls' names, by the bits of their kinds; empty where an actuator has one. */
static const char* const CONTROLS[] = {".position", ".velocity", ".force", ".voltage"};

static const char* get_control_end(const carom_model* model, int index) {
  carom_control_info info = carom_model_get_control(model, index);
  if (carom_model_get_actuator(model, info.actuator).num_controls == 1) return "";
  int bit = 0;
  while (info.kind != 1 << bit) bit++;
  return CONTROLS[bit];
}

void carom_model_get_control_name(const carom_model* model, int index, char* name, size_t size) {
  int actuator = carom_model_get_control(model, index).actuator;
  const char* own = carom_model_get_actuator(model, actuator).name;
  if (own[0])
    snprintf(name, size, "%s%s", own, get_control_end(model, index));
  else
    snprintf(name, size, "actuator%d%s", actuator, get_control_end(model, index));
}

int carom_model_find_control(const carom_model* model, const char* name) {
  int whole = carom_model_find_actuator(model, name);
  const cr_force_model* f = &model->force;
  if (whole >= 0)
    return f->actuator_control[whole] < f->actuator_control[whole + 1] ? f->actuator_control[whole]
                                                                       : -1;
  for (int i = 0; i < f->num_controls; i++) {
    const char* own = carom_model_get_actuator(model, f->control_actuator[i]).name;
    size_t length = strlen(own);
    const char* end = get_control_end(model, i);
    if (length > 0 && end[0] && strncmp(name, own, length) == 0 && strcmp(name + length, end) == 0)
      return i;
  }
  return -1;
}

carom_equality_info carom_model_get_equality(const carom_model* model, int index) {
  const cr_equality_model* e = &model->equality;
  CR_ASSERT(index >= 0 && index < e->num_equalities);
  carom_equality_info info = {.name = get_text(model, model->name.equality[index]),
                              .type = (carom_equality_type)e->type[index],
                              .active = e->active[index] != 0,
                              .stiffness = e->stiffness[index],
                              .dissipation = e->dissipation[index]};
  for (int k = 0; k < 2; k++) {
    if (info.type == CAROM_EQUALITY_TENDON)
      info.parts[k] = e->tendon[2 * index + k];
    else if (info.type == CAROM_EQUALITY_JOINT)
      info.parts[k] = e->joint[2 * index + k];
    else
      info.parts[k] = model->body.link_body[e->link[2 * index + k]];
  }
  return info;
}

carom_spring_info carom_model_get_spring(const carom_model* model, int index) {
  const cr_force_model* f = &model->force;
  CR_ASSERT(index >= 0 && index < f->num_springs);
  return (carom_spring_info){.name = get_text(model, model->name.spring[index]),
                             .bodies = {model->body.link_body[f->spring_link[2 * index]],
                                        model->body.link_body[f->spring_link[2 * index + 1]]},
                             .stiffness = f->spring_stiffness[index],
                             .damping = f->spring_damping[index],
                             .rest_length = f->spring_rest_length[index]};
}

carom_attachment_info carom_model_get_attachment(const carom_model* model, int index) {
  const cr_soft_model* s = &model->soft;
  CR_ASSERT(index >= 0 && index < s->num_attachments);
  int start = s->attachment_start[index];
  return (carom_attachment_info){.name = get_text(model, model->name.attachment[index]),
                                 .soft = s->attachment_part[index],
                                 .body = s->attachment_body[index],
                                 .num_nodes = s->attachment_start[index + 1] - start,
                                 .nodes = s->attached_node + start};
}

carom_soft_info carom_model_get_soft(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->soft.num_parts);
  const cr_soft_part* p = &model->soft.part[index];
  const cr_soft_material* m = &p->body.material;
  carom_soft_info info = {.name = get_text(model, model->name.soft[index]),
                          .num_nodes = p->mesh.num_nodes,
                          .num_elements = p->mesh.num_elements,
                          .nodes_per_element = p->mesh.nodes_per_element,
                          .q_address = model->tree.num_q + 3 * p->first_node,
                          .v_address = model->tree.num_v + 3 * p->first_node,
                          .mass = p->mass,
                          .volume = p->volume,
                          .law = (carom_soft_law)m->law,
                          .young = p->young,
                          .poisson = p->poisson,
                          .density = m->density,
                          .alpha = m->alpha,
                          .beta = m->beta,
                          .friction = p->friction,
                          .nodes = p->mesh.node[0],
                          .elements = p->mesh.element,
                          .num_triangles = p->surface.num_triangles,
                          .triangles = p->surface.triangle,
                          .held = model->soft.held + p->first_node,
                          .group = p->group};
  memcpy(info.rgba, p->rgba, sizeof info.rgba);
  return info;
}

/* Where the names of a kind of part start in the text. */
static const int* get_names(const cr_name_model* n, int part) {
  const int* const names[CR_NUM_PARTS] = {
      [CR_PART_BODY] = n->body,         [CR_PART_JOINT] = n->joint,
      [CR_PART_GEOM] = n->geom,         [CR_PART_ACTUATOR] = n->actuator,
      [CR_PART_EQUALITY] = n->equality, [CR_PART_SPRING] = n->spring,
      [CR_PART_KEYFRAME] = n->keyframe, [CR_PART_TENDON] = n->tendon,
      [CR_PART_SITE] = n->site,         [CR_PART_SOFT] = n->soft,
      [CR_PART_SENSOR] = n->sensor,     [CR_PART_ATTACHMENT] = n->attachment};
  return names[part];
}

static int find_name(const carom_model* model, cr_part part, const char* name) {
  const cr_name_model* n = &model->name;
  if (!name || !name[0]) return -1;
  unsigned mask = (unsigned)n->num_slots - 1;
  unsigned slot = (unsigned)cr_name_hash((int)part, name) & mask;
  for (; n->slot[2 * slot] >= 0; slot = (slot + 1) & mask) {
    int index = n->slot[2 * slot + 1];
    if (n->slot[2 * slot] == (int)part &&
        strcmp(n->text + get_names(n, (int)part)[index], name) == 0)
      return index;
  }
  return -1;
}

int carom_model_find_body(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_BODY, name);
}

int carom_model_find_joint(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_JOINT, name);
}

int carom_model_find_geom(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_GEOM, name);
}

int carom_model_find_site(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_SITE, name);
}

int carom_model_find_sensor(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_SENSOR, name);
}

int carom_model_find_actuator(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_ACTUATOR, name);
}

int carom_model_find_tendon(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_TENDON, name);
}

int carom_model_find_equality(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_EQUALITY, name);
}

int carom_model_find_spring(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_SPRING, name);
}

int carom_model_find_soft(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_SOFT, name);
}

int carom_model_find_attachment(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_ATTACHMENT, name);
}

int carom_model_find_keyframe(const carom_model* model, const char* name) {
  return find_name(model, CR_PART_KEYFRAME, name);
}

const char* carom_model_get_keyframe_name(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->keyframe.num_keyframes);
  return get_text(model, model->name.keyframe[index]);
}

int carom_model_index_of_body(const carom_model* model, carom_body body) {
  bool is_there = body.id >= 0 && body.id < model->body.num_bodies;
  return is_there ? model->place.body_index[body.id] : -1;
}

int carom_model_index_of_joint(const carom_model* model, carom_joint joint) {
  bool is_there = joint.id > 0 && joint.id <= model->tree.num_joints;
  return is_there ? model->place.joint_index[joint.id - 1] : -1;
}

int carom_model_index_of_geom(const carom_model* model, carom_geom geom) {
  bool is_there = geom.id > 0 && geom.id <= model->geom.num_geoms;
  return is_there ? model->place.geom_index[geom.id - 1] : -1;
}

carom_body carom_model_get_body_handle(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->body.num_bodies);
  return (carom_body){model->place.body_record[index]};
}

carom_joint carom_model_get_joint_handle(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->tree.num_joints);
  return (carom_joint){model->place.joint_record[index] + 1};
}

carom_geom carom_model_get_geom_handle(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->geom.num_geoms);
  return (carom_geom){model->place.geom_record[index] + 1};
}

const carom_builder* carom_model_get_description(const carom_model* model) {
  return model->description;
}

const char* carom_model_get_name(const carom_model* model) {
  return get_text(model, model->name.model[0]);
}

double carom_model_get_timestep(const carom_model* model) { return model->timestep; }

void carom_model_get_gravity(const carom_model* model, double gravity[3]) {
  memcpy(gravity, model->force.gravity, sizeof model->force.gravity);
}

const double* carom_model_get_reference(const carom_model* model) { return model->q_reference; }

const char* carom_model_get_note(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->name.num_notes);
  return get_text(model, model->name.note[2 * index]);
}

carom_note_kind carom_model_get_note_kind(const carom_model* model, int index) {
  CR_ASSERT(index >= 0 && index < model->name.num_notes);
  return (carom_note_kind)model->name.note[2 * index + 1];
}
