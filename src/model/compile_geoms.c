/* Bodies, geometries and what decides their contacts. */
#include "base/copy.h"
#include "geom/field.h"
#include "model/compile.h"
#include "model/contact_rule.h"

#include <string.h>

static void fill_bodies(cr_compile* c) {
  const cr_body_model* b = &c->model->body;
  CR_COPY(CR_FILL(int, b->link_body), c->link_body, c->num_links);
  for (int i = 0; i < b->num_bodies; i++) {
    const cr_mass* mass = &c->body_mass[i];
    CR_SET(int, b->parent, i, i == 0 ? -1 : c->body_index[cr_body_at(c, i)->def.parent.id]);
    CR_SET(int, b->link, i, c->body_link[i]);
    CR_SET(pose, b->local, i, (pose){c->body_position[i], quat_to_m3(c->body_quaternion[i])});
    CR_SET(double, b->mass, i, mass->mass);
    double share = i == 0 ? 0 : cr_body_at(c, i)->def.gravity_compensation;
    CR_SET(double, b->gravity_compensation, i, share);
    if (share != 0) c->model->body.num_compensated++;
    v3_store(mass->com, CR_FILL(double, b->com) + 3 * i);
    memcpy(CR_FILL(double, b->inertia) + 6 * i, mass->inertia, sizeof mass->inertia);
  }
}

static carom_mesh_info show(const cr_mesh* mesh) {
  return (carom_mesh_info){.num_vertices = mesh->num_vertices,
                           .num_triangles = mesh->num_triangles,
                           .vertices = mesh->vertex,
                           .triangles = mesh->triangle};
}

/* Meshes, then height fields. */
static void fill_meshes(cr_compile* c) {
  const carom_builder* b = c->builder;
  carom_mesh_info* info = CR_FILL(carom_mesh_info, c->model->mesh.info);
  for (int i = 0; i < b->meshes.count; i++)
    *info++ = show(&CR_AT(&b->meshes, cr_mesh_record, i)->shown);
  for (int i = 0; i < b->height_fields.count; i++)
    *info++ = show(&CR_AT(&b->height_fields, cr_height_field_record, i)->shown);
}

static void make_field(const cr_compile* c, const carom_geom_def* def, cr_shape* shape,
                       v3* middle) {
  shape->surface = cr_geom_height_field(c->builder, def)->surface;
  v3 low = shape->surface->low, high = shape->surface->high;
  v3_store(v3_scale(0.5, v3_sub(high, low)), shape->size);
  *middle = v3_scale(0.5, v3_add(low, high));
}

/* The shape; of a mesh the hull about the centre of mass, which `shift` leads to, and half its
 * bounds, whose middle `middle` leads to. One that is only drawn has no hull. */
static cr_shape make_shape(const cr_compile* c, const carom_geom_def* def, v3* shift, v3* middle) {
  cr_shape shape = {.type = def->type, .size = {def->size[0], def->size[1], def->size[2]}};
  *shift = *middle = v3_zero();
  if (def->type == CAROM_GEOM_HEIGHT_FIELD) make_field(c, def, &shape, middle);
  if (def->type != CAROM_GEOM_MESH) return shape;
  const cr_mesh_record* mesh = cr_geom_mesh(c->builder, def);
  v3 low = mesh->bounds.low, high = mesh->bounds.high;
  v3_store(v3_scale(0.5, v3_sub(high, low)), shape.size);
  if (!cr_mesh_is_drawn(mesh)) {
    shape.hull = mesh->hull;
    shape.surface = mesh->surface;
    shape.family = mesh->family;
    *shift = mesh->mass.center;
  }
  *middle = v3_axpy(*shift, 0.5, v3_add(low, high));
  return shape;
}

/* Shape and place of a geometry. */
static carom_status fill_shape(cr_compile* c, int index) {
  const cr_geom_model* g = &c->model->geom;
  const cr_geom_record* record = cr_geom_at(c, index);
  const carom_geom_def* def = &record->def;
  int body = c->body_index[def->body.id], link = c->body_link[body];
  bool is_field = def->type == CAROM_GEOM_HEIGHT_FIELD;
  bool is_drawn_plane = def->type == CAROM_GEOM_PLANE && !def->contype && !def->conaffinity;
  bool is_ground = (def->type == CAROM_GEOM_PLANE && !is_drawn_plane) || is_field;
  if (is_ground && c->model->tree.link_tree[link] >= 0) {
    cr_subject subject =
        cr_label_subject(c->builder, &record->label, "geom", c->geom_record[index] + 1, c->error);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "a %s must be on a body that does not move, give a box",
                           is_field ? "height field" : "plane");
  }
  quat turn = c->body_quaternion[body], own = cr_quat_unit(def->quaternion);
  v3 shift, middle, at = v3_load(def->position);
  cr_shape shape = make_shape(c, def, &shift, &middle);
  v3 p = v3_add(c->body_position[body], quat_rotate(turn, v3_add(at, quat_rotate(own, shift))));
  CR_SET(cr_shape, g->shape, index, shape);
  CR_SET(pose, g->local, index, (pose){p, quat_to_m3(quat_normalize(quat_mul(turn, own)))});
  CR_SET(int, g->link, index, link);
  CR_SET(int, g->body, index, body);
  const cr_visual_model* visual = &c->model->visual;
  v3_store(v3_add(at, quat_rotate(own, middle)),
           CR_FILL(double, visual->geom_position) + 3 * index);
  quat_store(own, CR_FILL(double, visual->geom_quaternion) + 4 * index);
  memcpy(CR_FILL(float, visual->rgba) + 4 * index, def->rgba, sizeof def->rgba);
  CR_SET(int, visual->group, index, def->group);
  int mesh = def->type == CAROM_GEOM_MESH ? def->mesh.id - 1
             : is_field                   ? c->builder->meshes.count + def->height_field.id - 1
                                          : -1;
  CR_SET(int, visual->geom_mesh, index, mesh);
  return CAROM_OK;
}

/* The pressure that its inside has. */
static void fill_field(cr_compile* c, int index, const carom_geom_def* def) {
  const cr_contact_model* contact = &c->model->contact;
  cr_geom_measure_inside(c->builder, def);
  double thickness = cr_field_find_thickness(&c->model->geom.shape[index]);
  double slope = def->modulus / (isnan(def->layer) ? thickness : def->layer);
  bool has_one = isfinite(def->modulus);
  CR_SET(double, contact->slope, index, has_one ? slope : INFINITY);
  double pressure = def->type == CAROM_GEOM_PLANE ? slope : slope * thickness;
  CR_SET(double, contact->pressure, index, has_one ? pressure : INFINITY);
}

/* What a geometry brings into a contact. */
static void fill_contact(cr_compile* c, int index) {
  const cr_geom_model* g = &c->model->geom;
  const cr_contact_model* contact = &c->model->contact;
  const carom_geom_def* def = &cr_geom_at(c, index)->def;
  const carom_builder_def* options = &c->builder->def;
  bool collides = !options->disable_contacts;
  CR_SET(uint32_t, g->contype, index, collides ? def->contype : 0);
  CR_SET(uint32_t, g->conaffinity, index, collides ? def->conaffinity : 0);
  CR_SET(double, g->margin, index, def->margin);
  CR_SET(int, contact->condim, index, def->condim);
  CR_SET(int, contact->priority, index, def->priority);
  CR_SET(double, contact->friction, index, def->friction);
  CR_SET(double, contact->gap, index, def->gap);
  CR_SET(double, contact->stiffness, index,
         isnan(def->stiffness) ? options->contact_stiffness : def->stiffness);
  bool has_own = def->surface.hunt_crossley > 0;
  CR_SET(double, contact->dissipation, index,
         !isnan(def->dissipation) ? def->dissipation
         : has_own                ? 0
                                  : options->contact_dissipation);
  carom_surface surface = def->surface;
  if (isnan(surface.static_friction)) surface.static_friction = def->friction;
  CR_SET(carom_surface, contact->surface, index, surface);
  if (contact->num_fields) fill_field(c, index, def);
  if (contact->num_moving)
    memcpy(CR_FILL(double, contact->velocity) + 6 * (size_t)index, def->surface_velocity,
           sizeof def->surface_velocity);
}

/* Whether contacts do nothing but slide, and give way linearly. */
static bool is_plain(int condim, bool sticks_alike, const carom_surface* surface) {
  return condim <= 3 && sticks_alike && !(surface->hunt_crossley > 0) &&
         !(surface->restitution > 0) && !(surface->adhesion > 0);
}

/* Looks at the surfaces of all geometries, explicit pairs and soft bodies. */
static bool are_plain(const cr_compile* c) {
  const cr_contact_model* contact = &c->model->contact;
  bool plain = contact->num_moving == 0 && contact->num_fields == 0;
  for (int i = 0; i < c->model->geom.num_geoms; i++) {
    const carom_surface* surface = &contact->surface[i];
    bool alike = surface->static_friction == contact->friction[i];
    plain = plain && is_plain(contact->condim[i], alike, surface);
  }
  for (int i = 0; i < c->model->geom.num_pairs; i++) {
    const carom_pair_def* def = &CR_AT(&c->builder->pairs, cr_pair_record, i)->def;
    bool alike = isnan(def->surface.static_friction);
    plain = plain && is_plain(def->condim, alike, &def->surface);
  }
  for (int i = 0; i < c->builder->softs.count; i++) {
    const carom_soft_def* def = &CR_AT(&c->builder->softs, cr_soft_record, i)->def;
    bool alike = isnan(def->surface.static_friction);
    plain = plain && is_plain(def->condim, alike, &def->surface);
  }
  return plain;
}

/* Two indices in one key that sorts by the smaller first. */
static uint64_t make_key(int a, int b) {
  uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
  return low << 32 | high;
}

static carom_status fill_excludes(cr_compile* c) {
  cr_geom_model* g = &c->model->geom;
  int count = g->num_excludes, kept = 0;
  cr_keyed* keyed = CR_PUSH(&c->arena, cr_keyed, count);
  if (c->arena.failed) return cr_error_memory(c->error);
  for (int i = 0; i < count; i++) {
    const cr_exclude_record* record = CR_AT(&c->builder->excludes, cr_exclude_record, i);
    keyed[i] = (cr_keyed){make_key(c->body_index[record->body1], c->body_index[record->body2]), i};
  }
  cr_sort_keyed(keyed, count);
  for (int i = 0; i < count; i++)
    if (i == 0 || keyed[i].key != keyed[i - 1].key)
      CR_SET(uint64_t, g->exclude, kept++, keyed[i].key);
  g->num_excludes = kept;
  return CAROM_OK;
}

static double choose(double own, double mixed) { return isnan(own) ? mixed : own; }

/* A pair's surface: its own values, else the geometries'; with a friction of its own it has no
 * other at rest unless it says so. */
static carom_surface choose_surface(const carom_pair_def* def, const carom_surface* rule) {
  const carom_surface* own = &def->surface;
  double at_rest = isnan(def->friction) ? rule->static_friction : def->friction;
  return (carom_surface){.torsional_friction =
                             choose(own->torsional_friction, rule->torsional_friction),
                         .rolling_friction = choose(own->rolling_friction, rule->rolling_friction),
                         .static_friction = choose(own->static_friction, at_rest),
                         .stribeck_speed = choose(own->stribeck_speed, rule->stribeck_speed),
                         .hunt_crossley = choose(own->hunt_crossley, rule->hunt_crossley),
                         .restitution = choose(own->restitution, rule->restitution),
                         .adhesion = choose(own->adhesion, rule->adhesion)};
}

/* A pair's values: its own, else the geometries'. */
static void fill_pair(cr_compile* c, int index, const cr_keyed* pair) {
  const cr_geom_model* g = &c->model->geom;
  const cr_contact_model* contact = &c->model->contact;
  const carom_pair_def* def = &CR_AT(&c->builder->pairs, cr_pair_record, pair->record)->def;
  cr_contact_values mixed =
      cr_contact_rule_mix(g, contact, (int)(pair->key >> 32), (int)(pair->key & 0xffffffff));
  CR_SET(uint64_t, g->pair, index, pair->key);
  CR_SET(double, g->pair_margin, index, isnan(def->margin) ? mixed.margin : def->margin);
  CR_SET(int, contact->pair_condim, index, def->condim ? def->condim : mixed.condim);
  CR_SET(double, contact->pair_friction, index,
         isnan(def->friction) ? mixed.friction : def->friction);
  CR_SET(double, contact->pair_gap, index, isnan(def->gap) ? mixed.gap : def->gap);
  CR_SET(double, contact->pair_stiffness, index,
         isnan(def->stiffness) ? mixed.stiffness : def->stiffness);
  CR_SET(double, contact->pair_dissipation, index,
         isnan(def->dissipation) ? mixed.dissipation : def->dissipation);
  carom_surface rule = cr_contact_rule_mix_surface(g, contact, (int)(pair->key >> 32),
                                                   (int)(pair->key & 0xffffffff));
  CR_SET(carom_surface, contact->pair_surface, index, choose_surface(def, &rule));
}

/* Refuses a pair that cannot part, or that stands there twice. */
static carom_status check_pair(const cr_compile* c, const cr_keyed* pair, const cr_keyed* before) {
  const cr_geom_model* g = &c->model->geom;
  bool is_rigid = g->link[pair->key >> 32] == g->link[pair->key & 0xffffffff];
  bool is_double = before && before->key == pair->key;
  if (!is_rigid && !is_double) return CAROM_OK;
  const cr_pair_record* record = CR_AT(&c->builder->pairs, cr_pair_record, pair->record);
  cr_subject subject =
      cr_label_subject(c->builder, &record->label, "pair", pair->record + 1, c->error);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         is_rigid ? "its geometries are on one rigid body"
                                  : "its geometries are in another pair already");
}

static carom_status fill_pairs(cr_compile* c) {
  int count = c->model->geom.num_pairs;
  cr_keyed* pairs = CR_PUSH(&c->arena, cr_keyed, count);
  if (c->arena.failed) return cr_error_memory(c->error);
  for (int i = 0; i < count; i++) {
    const carom_pair_def* def = &CR_AT(&c->builder->pairs, cr_pair_record, i)->def;
    pairs[i] =
        (cr_keyed){make_key(c->geom_index[def->geom1.id - 1], c->geom_index[def->geom2.id - 1]), i};
  }
  cr_sort_keyed(pairs, count);
  for (int i = 0; i < count; i++) {
    CR_TRY(check_pair(c, &pairs[i], i > 0 ? &pairs[i - 1] : NULL));
    fill_pair(c, i, &pairs[i]);
  }
  return CAROM_OK;
}

#define COPY_PLACES(part, count) CR_COPY(CR_FILL(int, p->part), c->part, count)

/* Both orders of parts, in the model. */
static void fill_places(cr_compile* c) {
  const cr_place_model* p = &c->model->place;
  const carom_builder* b = c->builder;
  COPY_PLACES(body_record, b->bodies.count), COPY_PLACES(body_index, b->bodies.count);
  COPY_PLACES(joint_record, b->joints.count), COPY_PLACES(joint_index, b->joints.count);
  COPY_PLACES(geom_record, b->geoms.count), COPY_PLACES(geom_index, b->geoms.count);
}

carom_status cr_compile_geoms(cr_compile* c) {
  fill_bodies(c);
  fill_places(c);
  c->model->contact.friction_rule = (int)c->builder->def.friction_rule;
  fill_meshes(c);
  for (int i = 0; i < c->model->geom.num_geoms; i++) {
    CR_TRY(fill_shape(c, i));
    fill_contact(c, i);
  }
  c->model->contact.is_plain = are_plain(c);
  c->model->contact.rest_speed = c->builder->def.rest_speed;
  c->model->contact.patches = (int)c->builder->def.patches;
  c->model->contact.patch_error = c->builder->def.patch_error;
  CR_TRY(fill_excludes(c));
  return fill_pairs(c);
}
