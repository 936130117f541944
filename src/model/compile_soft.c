/* Soft bodies: meshes placed in the world, their tables and surfaces, and what holds them. */
#include "base/assert.h"
#include "model/compile.h"

#include <math.h>
#include <string.h>

/* A body's frame in the world, at the reference configuration. */
static pose place_body(const cr_compile* c, carom_body body) {
  int index = c->body_index[body.id];
  pose local = {c->body_position[index], quat_to_m3(c->body_quaternion[index])};
  return pose_mul(&c->link_world[c->body_link[index]], &local);
}

static pose place_mesh(const cr_compile* c, const carom_soft_def* def) {
  pose body = place_body(c, def->body);
  pose local = {v3_load(def->position), quat_to_m3(cr_quat_unit(def->quaternion))};
  return pose_mul(&body, &local);
}

static carom_status copy_mesh(const cr_compile* c, const cr_soft_record* record,
                              cr_soft_mesh* mesh) {
  const cr_soft_mesh* from = &record->mesh;
  CR_TRY(cr_soft_mesh_create(mesh, from->num_nodes, from->num_elements, from->nodes_per_element,
                             &c->builder->def.allocator, c->error));
  memcpy(mesh->element, from->element,
         sizeof(int) * (size_t)from->num_elements * (size_t)from->nodes_per_element);
  pose X = place_mesh(c, &record->def);
  for (int n = 0; n < from->num_nodes; n++)
    v3_store(pose_point(&X, v3_load(from->node[n])), mesh->node[n]);
  return CAROM_OK;
}

static void fill_contact(const carom_soft_def* def, cr_soft_part* part) {
  part->young = def->young, part->poisson = def->poisson;
  part->pressure = def->pressure;
  part->contype = def->contype, part->conaffinity = def->conaffinity;
  part->condim = def->condim, part->priority = def->priority;
  part->friction = def->friction, part->radius = def->radius, part->margin = def->margin;
  part->stiffness = def->stiffness, part->dissipation = def->dissipation;
  part->contact_surface = def->surface;
  if (isnan(part->contact_surface.static_friction))
    part->contact_surface.static_friction = def->friction;
  if (part->contact_surface.hunt_crossley > 0 && isnan(part->dissipation)) part->dissipation = 0;
  part->touches_itself = def->self_contact && (def->contype & def->conaffinity);
  part->group = def->group;
  memcpy(part->rgba, def->rgba, sizeof part->rgba);
}

/* The surface at rest. Its triangles have areas, since no element is flat. */
static carom_status create_rest(const cr_compile* c, cr_soft_part* part) {
  cr_mesh mesh = {.num_vertices = part->mesh.num_nodes,
                  .num_triangles = part->surface.num_triangles,
                  .vertex = part->mesh.node[0],
                  .triangle = part->surface.triangle};
  part->rest = cr_trisurface_create_mesh(&mesh, v3_zero(), &c->builder->def.allocator);
  if (!part->rest) return cr_error_memory(c->error);
  CR_ASSERT(part->rest->num_triangles == mesh.num_triangles);
  return CAROM_OK;
}

static cr_aabb box_tet(const cr_soft_mesh* mesh, int tet) {
  int node[4];
  cr_soft_mesh_get_tet(mesh, tet, node);
  cr_aabb box = cr_aabb_empty();
  for (int k = 0; k < 4; k++) cr_aabb_cover(&box, v3_load(mesh->node[node[k]]));
  return box;
}

static carom_status create_solids(cr_compile* c, cr_soft_part* part) {
  int count = cr_soft_mesh_count_tets(&part->mesh);
  cr_scratch_mark mark = cr_arena_mark_scratch(&c->arena);
  cr_box_node* leaves = CR_SCRATCH(&c->arena, cr_box_node, count);
  bool done = leaves;
  for (int t = 0; t < count && done; t++)
    leaves[t] = (cr_box_node){.box = box_tet(&part->mesh, t), .geom = t};
  done = done &&
         cr_box_tree_create(leaves, count, &c->builder->def.allocator, &c->arena, &part->solids);
  cr_arena_pop_scratch(&c->arena, mark);
  return done ? CAROM_OK : cr_error_memory(c->error);
}

/* The material was checked when the body was added. */
static carom_status fill_part(cr_compile* c, int index, int first_node) {
  const cr_soft_record* record = CR_AT(&c->builder->softs, cr_soft_record, index);
  const carom_soft_def* def = &record->def;
  cr_soft_part* part = &c->model->soft.part[index];
  part->first_node = first_node;
  fill_contact(def, part);
  CR_TRY(copy_mesh(c, record, &part->mesh));
  cr_soft_material material;
  CR_TRY(cr_soft_material_init(&material, (cr_soft_law)def->law, def->young, def->poisson,
                               def->density, c->error));
  material.alpha = def->alpha, material.beta = def->beta;
  CR_TRY(cr_soft_body_create(&part->body, &part->mesh, &material, &c->builder->def.allocator,
                             c->error));
  CR_TRY(cr_soft_surface_create(&part->surface, &part->mesh, c->error));
  CR_TRY(create_rest(c, part));
  CR_TRY(create_solids(c, part));
  for (int n = 0; n < part->mesh.num_nodes; n++) part->mass += part->body.mass[n];
  part->volume = part->mass / def->density;
  return CAROM_OK;
}

/* Where soft bodies and their nodes stand behind links and segments, and at rest in q. */
static void fill_places(cr_compile* c) {
  carom_model* m = c->model;
  for (int s = 0; s < m->soft.num_parts; s++) {
    const cr_soft_part* part = &m->soft.part[s];
    CR_SET(int, m->tree.link_tree, m->tree.num_links + s, m->tree.num_trees + s);
    memcpy(CR_FILL(double, m->q_reference) + m->tree.num_q + 3 * (size_t)part->first_node,
           part->mesh.node, sizeof *part->mesh.node * (size_t)part->mesh.num_nodes);
  }
  for (int n = 0; n <= m->soft.num_nodes; n++)
    CR_SET(int, m->tree.segment_v_start, m->tree.num_segments + n, m->tree.num_v + 3 * n);
}

/* One hold on a node: it stands still, or is tied to a link. */
static carom_status attached_node(cr_compile* c, const cr_attachment_record* record, int number,
                                  int local) {
  cr_soft_model* m = &c->model->soft;
  const carom_attachment_def* def = &record->def;
  int index = c->body_index[def->body.id], link = c->body_link[index];
  int part = def->soft.id - 1, node = m->part[part].first_node + local;
  if (m->held[node]) {
    cr_subject subject =
        cr_label_subject(c->builder, &record->label, "attachment", number, c->error);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "node %d of the soft body is held twice", local);
  }
  CR_SET(int, m->held, node, link == 0 ? 1 : 2);
  CR_SET(int, m->node_attached, node, m->num_attached);
  CR_SET(int, m->attached_node, m->num_attached, local);
  CR_SET(int, m->attached_tie, m->num_attached++, link == 0 ? -1 : m->num_ties);
  if (link == 0) return CAROM_OK;
  int tie = m->num_ties++;
  CR_SET(cr_barycentric_point, m->tie_barycentric, tie,
         (cr_barycentric_point){.count = 1, .node = {node}, .weight = {1}});
  CR_SET(int, m->tie_part, tie, part);
  CR_SET(int, m->tie_link, tie, link);
  v3 x = v3_load(m->part[part].mesh.node[local]);
  v3_store(pose_inverse_point(&c->link_world[link], x),
           CR_FILL(double, m->tie_point) + 3 * (size_t)tie);
  CR_SET(double, m->tie_stiffness, tie, def->stiffness);
  CR_SET(double, m->tie_dissipation, tie, def->dissipation);
  return CAROM_OK;
}

static carom_status fill_attached(cr_compile* c) {
  const carom_builder* b = c->builder;
  cr_soft_model* m = &c->model->soft;
  m->num_ties = m->num_attached = 0; /* as many as were laid out, at most */
  for (int n = 0; n < m->num_nodes; n++) CR_SET(int, m->node_attached, n, -1);
  for (int i = 0; i < b->attachments.count; i++) {
    const cr_attachment_record* record = CR_AT(&b->attachments, cr_attachment_record, i);
    CR_SET(int, m->attachment_part, i, record->def.soft.id - 1);
    CR_SET(int, m->attachment_body, i, c->body_index[record->def.body.id]);
    CR_SET(int, m->attachment_start, i + 1, m->num_attached + record->def.num_nodes);
    for (int k = 0; k < record->def.num_nodes; k++)
      CR_TRY(attached_node(c, record, i + 1,
                           *CR_AT(&b->attachment_nodes, int, record->first_node + k)));
  }
  return CAROM_OK;
}

static bool has_fixed_node(const cr_soft_part* part, const int* held, int element) {
  int nodes = part->mesh.nodes_per_element;
  for (int a = 0; a < nodes; a++)
    if (held[part->mesh.element[(size_t)element * (size_t)nodes + (size_t)a]] == 1) return true;
  return false;
}

/* Elements that pull at what is fixed in the world. */
static carom_status list_held_elements(cr_compile* c, cr_soft_part* part) {
  const int* held = c->model->soft.held + part->first_node;
  int count = 0;
  for (int e = 0; e < part->mesh.num_elements; e++) count += has_fixed_node(part, held, e);
  int* list = CR_PUSH(&part->body.arena, int, count);
  if (!list) return cr_error_memory(c->error);
  for (int e = 0; e < part->mesh.num_elements; e++)
    if (has_fixed_node(part, held, e)) list[part->num_held_elements++] = e;
  part->held_element = list;
  return CAROM_OK;
}

carom_status cr_compile_softs(cr_compile* c) {
  int nodes = 0;
  for (int s = 0; s < c->model->soft.num_parts; s++) {
    CR_TRY(fill_part(c, s, nodes));
    nodes += c->model->soft.part[s].mesh.num_nodes;
  }
  if (nodes == 0) return CAROM_OK;
  fill_places(c);
  CR_TRY(fill_attached(c));
  for (int s = 0; s < c->model->soft.num_parts; s++)
    CR_TRY(list_held_elements(c, &c->model->soft.part[s]));
  return CAROM_OK;
}
