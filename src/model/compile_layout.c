/* One block for a model and all its arrays: the same list of arrays is walked twice, first to count
 * bytes, then to place them. Zero-length arrays get an address too. */
#include "model/compile.h"

#include <string.h>

#define MAX_KEYFRAME_NUMBERS (1 << 27)

typedef struct carver {
  char* base; /* null while counting */
  size_t used;
} carver;

static void* carve(carver* c, size_t size, int count) {
  size_t place = c->used;
  size_t bytes = size * (size_t)count;
  c->used += (bytes + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
  return c->base ? c->base + place : NULL;
}

#define CARVE(array, count) ((array) = carve(c, sizeof *(array), (count)))

/* Soft bodies count as links and trees of their own, their nodes as segments: see cr_soft_model. */
static void carve_links(carver* c, cr_tree_model* t, const cr_soft_model* soft) {
  CARVE(t->link_parent, t->num_links);
  CARVE(t->link_tree, t->num_links + soft->num_parts);
  CARVE(t->link_joint_start, t->num_links + 1);
  CARVE(t->link_v_start, t->num_links + 1);
  CARVE(t->link_last_dof, t->num_links);
  CARVE(t->link_position, 3 * t->num_links);
  CARVE(t->link_quaternion, 4 * t->num_links);
  CARVE(t->link_mass, t->num_links);
  CARVE(t->link_com, 3 * t->num_links);
  CARVE(t->link_inertia, 6 * t->num_links);
  CARVE(t->mocap_link, t->num_mocaps);
  /* A tree has a link of its own, a segment a dof. */
  CARVE(t->tree_link_start, t->num_links);
  CARVE(t->tree_link_end, t->num_links);
  CARVE(t->tree_v_start, t->num_links + 1);
  CARVE(t->tree_is_free_link, t->num_links);
  CARVE(t->segment_v_start, t->num_v + soft->num_nodes + 1);
  CARVE(t->segment_parent, t->num_v);
}

static void carve_joints(carver* c, cr_tree_model* t, cr_limit_model* limit) {
  CARVE(t->joint_type, t->num_joints);
  CARVE(t->joint_link, t->num_joints);
  CARVE(t->joint_q_start, t->num_joints);
  CARVE(t->joint_v_start, t->num_joints);
  CARVE(t->joint_anchor, 3 * t->num_joints);
  CARVE(t->joint_axis, 3 * t->num_joints);
  CARVE(t->joint_reference, t->num_joints);
  CARVE(t->joint_pitch, t->num_joints);
  CARVE(t->dof_parent, t->num_v);
  CARVE(t->dof_joint, t->num_v);
  CARVE(t->dof_link, t->num_v);
  CARVE(t->dof_segment, t->num_v);
  CARVE(t->dof_armature, t->num_v);
  CARVE(limit->joint_limited, t->num_joints);
  CARVE(limit->joint_range, 2 * t->num_joints);
  CARVE(limit->joint_limit_margin, t->num_joints);
  CARVE(limit->joint_limit_stiffness, t->num_joints);
  CARVE(limit->joint_limit_dissipation, t->num_joints);
  CARVE(limit->joint_speed_limit, t->num_joints);
  CARVE(limit->dof_friction_loss, t->num_v);
}

static void carve_lines(carver* c, cr_line_model* l, cr_tendon_model* n) {
  CARVE(l->kind, l->num_lines);
  CARVE(l->start, l->num_lines + 1);
  CARVE(l->dof, l->num_terms);
  CARVE(l->link, l->num_terms);
  CARVE(l->q, l->num_terms);
  CARVE(l->coefficient, l->num_terms);
  CARVE(l->point_start, l->num_lines + 1);
  CARVE(l->point, l->num_points);
  CARVE(l->joint, l->num_lines);
  CARVE(l->wrench, 6 * l->num_lines);
  CARVE(l->rod, l->num_lines);
  CARVE(l->reference, l->num_lines);
  CARVE(n->limited, n->num_tendons);
  CARVE(n->range, 2 * n->num_tendons);
  CARVE(n->limit_margin, n->num_tendons);
  CARVE(n->limit_stiffness, n->num_tendons);
  CARVE(n->limit_dissipation, n->num_tendons);
  CARVE(n->stiffness, n->num_tendons);
  CARVE(n->rest, 2 * n->num_tendons);
  CARVE(n->stiffness_more, 2 * n->num_tendons);
  CARVE(n->damping, n->num_tendons);
  CARVE(n->damping_more, 2 * n->num_tendons);
  CARVE(n->friction_loss, n->num_tendons);
  CARVE(n->armature, n->num_tendons);
  CARVE(n->drive_range, 2 * n->num_tendons);
}

static void carve_forces(carver* c, cr_force_model* f, const cr_tree_model* t) {
  CARVE(f->joint_stiffness, t->num_joints);
  CARVE(f->q_spring, t->num_q);
  CARVE(f->dof_damping, t->num_v);
  CARVE(f->dof_spring_more, f->num_polynomials ? 2 * t->num_v : 0);
  CARVE(f->dof_damper_more, f->num_polynomials ? 2 * t->num_v : 0);
  CARVE(f->spring_link, 2 * f->num_springs);
  CARVE(f->spring_point, 6 * f->num_springs);
  CARVE(f->spring_stiffness, f->num_springs);
  CARVE(f->spring_damping, f->num_springs);
  CARVE(f->spring_rest_length, f->num_springs);
  cr_fluid_model* w = &f->fluid;
  CARVE(w->tree_start, w->num_parts ? t->num_links + 1 : 0);
  CARVE(w->link, w->num_parts);
  CARVE(w->local, w->num_parts);
  CARVE(w->is_ellipsoid, w->num_parts);
  CARVE(w->size, 3 * w->num_parts);
  CARVE(w->coefficient, CR_FLUID_NUM_COEFFICIENTS * w->num_parts);
  CARVE(w->added, 6 * w->num_parts);
  carve_lines(c, &f->line, &f->tendon);
  CARVE(f->actuator_dof, f->num_actuators);
  CARVE(f->actuator_line, f->num_actuators);
  CARVE(f->actuator_q, f->num_actuators);
  CARVE(f->actuator_site, f->num_actuators);
  CARVE(f->actuator_body, f->num_actuators);
  CARVE(f->actuator_gear, f->num_actuators);
  CARVE(f->actuator_gain_part, f->num_actuators);
  CARVE(f->actuator_bias_part, f->num_actuators);
  CARVE(f->actuator_gain, 3 * f->num_actuators);
  CARVE(f->actuator_bias, 3 * f->num_actuators);
  CARVE(f->actuator_period, f->num_actuators);
  CARVE(f->actuator_control, f->num_actuators + 1);
  CARVE(f->actuator_input, f->num_actuators);
  CARVE(f->control_range, 2 * f->num_controls);
  CARVE(f->control_actuator, f->num_controls);
  CARVE(f->control_kind, f->num_controls);
  CARVE(f->actuator_law, f->num_actuators);
  CARVE(f->law_controls, f->num_laws);
  CARVE(f->law_stepwise, f->num_laws);
  CARVE(f->law, CR_LAW_NUM_PARAMETERS * f->num_laws);
  CARVE(f->actuator_force_range, 2 * f->num_actuators);
  CARVE(f->actuator_muscle, 2 * CR_MUSCLE_NUM_PARAMETERS * f->num_actuators);
  CARVE(f->actuator_length_range, 2 * f->num_actuators);
  CARVE(f->actuator_activation, f->num_actuators + 1);
  CARVE(f->actuator_dynamics, f->num_actuators);
  CARVE(f->actuator_time, 3 * f->num_actuators);
  CARVE(f->actuator_activation_range, 2 * f->num_actuators);
  CARVE(f->actuator_is_early, f->num_actuators);
  CARVE(f->dof_drive_range, f->num_drive_ranges ? 2 * t->num_v : 0);
  CARVE(f->dof_bears_weight, f->num_bearers ? t->num_v : 0);
}

static void carve_geoms(carver* c, cr_geom_model* g, cr_contact_model* contact,
                        cr_visual_model* visual) {
  CARVE(g->shape, g->num_geoms);
  CARVE(g->local, g->num_geoms);
  CARVE(g->link, g->num_geoms);
  CARVE(g->body, g->num_geoms);
  CARVE(g->contype, g->num_geoms);
  CARVE(g->conaffinity, g->num_geoms);
  CARVE(g->margin, g->num_geoms);
  CARVE(g->exclude, g->num_excludes);
  CARVE(g->pair, g->num_pairs);
  CARVE(g->pair_margin, g->num_pairs);
  CARVE(contact->condim, g->num_geoms);
  CARVE(contact->priority, g->num_geoms);
  CARVE(contact->friction, g->num_geoms);
  CARVE(contact->gap, g->num_geoms);
  CARVE(contact->stiffness, g->num_geoms);
  CARVE(contact->dissipation, g->num_geoms);
  CARVE(contact->surface, g->num_geoms);
  CARVE(contact->pressure, contact->num_fields ? g->num_geoms : 0);
  CARVE(contact->slope, contact->num_fields ? g->num_geoms : 0);
  CARVE(contact->velocity, contact->num_moving ? 6 * g->num_geoms : 0);
  CARVE(contact->pair_condim, g->num_pairs);
  CARVE(contact->pair_friction, g->num_pairs);
  CARVE(contact->pair_gap, g->num_pairs);
  CARVE(contact->pair_stiffness, g->num_pairs);
  CARVE(contact->pair_dissipation, g->num_pairs);
  CARVE(contact->pair_surface, g->num_pairs);
  CARVE(visual->rgba, 4 * g->num_geoms);
  CARVE(visual->group, g->num_geoms);
  CARVE(visual->geom_mesh, g->num_geoms);
  CARVE(visual->geom_position, 3 * g->num_geoms);
  CARVE(visual->geom_quaternion, 4 * g->num_geoms);
}

static void carve_rest(carver* c, cr_body_model* b, int num_links, cr_equality_model* e,
                       cr_keyframe_model* k) {
  CARVE(b->parent, b->num_bodies);
  CARVE(b->link, b->num_bodies);
  CARVE(b->local, b->num_bodies);
  CARVE(b->mass, b->num_bodies);
  CARVE(b->com, 3 * b->num_bodies);
  CARVE(b->inertia, 6 * b->num_bodies);
  CARVE(b->gravity_compensation, b->num_bodies);
  CARVE(b->link_body, num_links);
  CARVE(e->type, e->num_equalities);
  CARVE(e->active, e->num_equalities);
  CARVE(e->link, 2 * e->num_equalities);
  CARVE(e->anchor, 6 * e->num_equalities);
  CARVE(e->relative_quaternion, 4 * e->num_equalities);
  CARVE(e->joint, 2 * e->num_equalities);
  CARVE(e->tendon, 2 * e->num_equalities);
  CARVE(e->polynomial, 5 * e->num_equalities);
  CARVE(e->distance, e->num_equalities);
  CARVE(e->stiffness, e->num_equalities);
  CARVE(e->dissipation, e->num_equalities);
  CARVE(k->time, k->num_keyframes);
}

static void carve_sites(carver* c, cr_site_model* s) {
  CARVE(s->body, s->num_sites);
  CARVE(s->link, s->num_sites);
  CARVE(s->local, s->num_sites);
  CARVE(s->position, 3 * s->num_sites);
  CARVE(s->quaternion, 4 * s->num_sites);
  CARVE(s->shape, s->num_sites);
  CARVE(s->group, s->num_sites);
  CARVE(s->rgba, 4 * s->num_sites);
}

static void carve_sensors(carver* c, cr_sensor_model* s) {
  CARVE(s->type, s->num_sensors);
  CARVE(s->address, s->num_sensors + 1);
  CARVE(s->object, s->num_sensors);
  CARVE(s->link, 2 * s->num_sensors);
  CARVE(s->local, 2 * s->num_sensors);
  CARVE(s->text, s->num_sensors);
  CARVE(s->cutoff, s->num_sensors);
  CARVE(s->sign, s->num_sensors);
  CARVE(s->contact, s->num_sensors);
}

static void carve_names(carver* c, carom_model* m, int text_bytes) {
  cr_name_model* n = &m->name;
  CARVE(n->text, text_bytes);
  CARVE(n->model, 1);
  CARVE(n->body, m->body.num_bodies);
  CARVE(n->joint, m->tree.num_joints);
  CARVE(n->geom, m->geom.num_geoms);
  CARVE(n->actuator, m->force.num_actuators);
  CARVE(n->equality, m->equality.num_equalities);
  CARVE(n->spring, m->force.num_springs);
  CARVE(n->keyframe, m->keyframe.num_keyframes);
  CARVE(n->tendon, m->force.tendon.num_tendons);
  CARVE(n->site, m->site.num_sites);
  CARVE(n->soft, m->soft.num_parts);
  CARVE(n->sensor, m->sensor.num_sensors);
  CARVE(n->attachment, m->soft.num_attachments);
  CARVE(n->note, 2 * n->num_notes);
  CARVE(n->slot, 2 * n->num_slots);
}

static void carve_places(carver* c, const carom_model* m, cr_place_model* p) {
  CARVE(p->body_record, m->body.num_bodies);
  CARVE(p->body_index, m->body.num_bodies);
  CARVE(p->joint_record, m->tree.num_joints);
  CARVE(p->joint_index, m->tree.num_joints);
  CARVE(p->geom_record, m->geom.num_geoms);
  CARVE(p->geom_index, m->geom.num_geoms);
}

static void carve_softs(carver* c, cr_soft_model* s) {
  CARVE(s->part, s->num_parts);
  CARVE(s->held, s->num_nodes);
  CARVE(s->attachment_part, s->num_attachments);
  CARVE(s->attachment_body, s->num_attachments);
  CARVE(s->attachment_start, s->num_attachments + 1);
  CARVE(s->attached_node, s->num_attached);
  CARVE(s->attached_tie, s->num_attached);
  CARVE(s->node_attached, s->num_nodes);
  CARVE(s->tie_barycentric, s->num_ties);
  CARVE(s->tie_part, s->num_ties);
  CARVE(s->tie_link, s->num_ties);
  CARVE(s->tie_point, 3 * s->num_ties);
  CARVE(s->tie_stiffness, s->num_ties);
  CARVE(s->tie_dissipation, s->num_ties);
}

/* Places every array of `m`, whose counts are set. */
static void carve_model(carver* c, carom_model* m, int text_bytes) {
  carve(c, sizeof *m, 1);
  carve_links(c, &m->tree, &m->soft);
  carve_joints(c, &m->tree, &m->limit);
  carve_forces(c, &m->force, &m->tree);
  carve_geoms(c, &m->geom, &m->contact, &m->visual);
  carve_rest(c, &m->body, m->tree.num_links, &m->equality, &m->keyframe);
  carve_sites(c, &m->site);
  carve_sensors(c, &m->sensor);
  carve_names(c, m, text_bytes);
  CARVE(m->mesh.info, m->mesh.num_meshes);
  carve_softs(c, &m->soft);
  carve_places(c, m, &m->place);
  CARVE(m->q_reference, m->num_q);

  /* Keyframes times coordinates may exceed an int; rows are carved with the row as the unit. */
  size_t row = sizeof(double);
  int frames = m->keyframe.num_keyframes;
  m->keyframe.q = carve(c, row * (size_t)m->num_q, frames);
  m->keyframe.v = carve(c, row * (size_t)m->num_v, frames);
  m->keyframe.ctrl = carve(c, row * (size_t)m->force.num_controls, frames);
  m->keyframe.act = carve(c, row * (size_t)m->force.num_activations, frames);
}

static int count_sticky(const carom_builder* b) {
  int count = 0;
  for (int i = 0; i < b->geoms.count; i++)
    count += CR_AT(&b->geoms, cr_geom_record, i)->def.surface.adhesion > 0;
  for (int i = 0; i < b->pairs.count; i++)
    count += CR_AT(&b->pairs, cr_pair_record, i)->def.surface.adhesion > 0;
  return count;
}

static int count_fields(const carom_builder* b) {
  int count = 0;
  for (int i = 0; i < b->geoms.count; i++)
    count += isfinite(CR_AT(&b->geoms, cr_geom_record, i)->def.modulus);
  return count;
}

/* At most every node that is named is tied. */
static void count_softs(const carom_builder* b, carom_model* m) {
  m->soft.num_parts = b->softs.count;
  m->soft.num_ties = m->soft.num_attached = b->attachment_nodes.count;
  m->soft.num_attachments = b->attachments.count;
  for (int i = 0; i < b->softs.count; i++)
    m->soft.num_nodes += CR_AT(&b->softs, cr_soft_record, i)->mesh.num_nodes;
  m->tree.mocap_q = m->tree.num_q + 3 * m->soft.num_nodes;
  m->num_q = m->tree.mocap_q + 7 * m->tree.num_mocaps;
  m->num_v = m->tree.num_v + 3 * m->soft.num_nodes;
}

static void set_counts(const cr_compile* c, carom_model* m) {
  const carom_builder* b = c->builder;
  m->allocator = b->def.allocator;
  m->timestep = b->def.timestep;
  for (int i = 0; i < 3; i++) m->force.gravity[i] = b->def.gravity[i];
  m->tree.num_links = m->geom.num_links = c->num_links;
  m->tree.num_mocaps = c->num_mocaps;
  m->tree.num_joints = b->joints.count;
  for (int j = 0; j < b->joints.count; j++) {
    const carom_joint_def* def = &CR_AT(&b->joints, cr_joint_record, j)->def;
    carom_joint_type type = def->type;
    m->force.num_polynomials += def->stiffness_more[0] != 0 || def->stiffness_more[1] != 0 ||
                                def->damping_more[0] != 0 || def->damping_more[1] != 0;
    m->tree.num_q += cr_joint_num_q(type);
    m->tree.num_v += cr_joint_num_v(type);
    m->force.num_drive_ranges += def->drive_limited;
    m->force.num_bearers += def->drive_bears_weight;
  }
  count_softs(b, m);
  m->force.num_springs = b->springs.count;
  bool has_fluid = b->def.fluid_density > 0 || b->def.fluid_viscosity > 0;
  m->force.fluid.num_parts = has_fluid ? b->bodies.count + b->geoms.count : 0; /* at most */
  cr_count_lines(c, &m->force);
  m->geom.num_geoms = b->geoms.count;
  for (int i = 0; i < b->geoms.count; i++)
    m->contact.num_moving += cr_geom_moves(&CR_AT(&b->geoms, cr_geom_record, i)->def);
  m->contact.num_sticky = count_sticky(b);
  m->contact.num_fields = count_fields(b);
  m->mesh.num_meshes = b->meshes.count + b->height_fields.count;
  m->geom.num_excludes = b->excludes.count;
  m->geom.parents_collide = b->def.parents_collide;
  m->geom.num_pairs = b->def.disable_contacts ? 0 : b->pairs.count;
  m->body.num_bodies = b->bodies.count;
  m->equality.num_equalities = b->equalities.count;
  m->site.num_sites = b->sites.count;
  m->sensor.num_sensors = b->sensors.count;
  m->keyframe.num_keyframes = b->keyframes.count;
  m->name.num_notes = b->notes.count;
  m->name.num_slots = cr_name_slots(b->names.names.count + b->attachments.count);
}

/* A short text may ask for very many numbers: each keyframe stores the whole state. */
static carom_status check_keyframe_size(const cr_compile* c, const carom_model* m) {
  double numbers = (double)m->num_q + m->num_v + m->force.num_controls + m->force.num_activations;
  numbers *= m->keyframe.num_keyframes;
  if (numbers <= MAX_KEYFRAME_NUMBERS) return CAROM_OK;
  return cr_error_set(c->error, CAROM_ERROR_BAD_INPUT,
                      "model: its %d keyframes hold %.3g numbers, at most %.3g are accepted",
                      m->keyframe.num_keyframes, numbers, (double)MAX_KEYFRAME_NUMBERS);
}

carom_status cr_compile_layout(cr_compile* c) {
  carom_model counts = {0};
  set_counts(c, &counts);
  CR_TRY(check_keyframe_size(c, &counts));
  carver count = {NULL, 0};
  carve_model(&count, &counts, c->builder->text.count);
  char* block = cr_alloc_zero(&counts.allocator, count.used);
  if (!block) return cr_error_memory(c->error);
  c->model = (carom_model*)(void*)block;
  *c->model = counts;
  c->model->block_size = count.used;
  carver place = {block, 0};
  carve_model(&place, c->model, c->builder->text.count);
  c->model->geom.link_parent = c->model->tree.link_parent;
  c->model->geom.link_tree = c->model->tree.link_tree;
  return CAROM_OK;
}
