/* Depth-first order, and links: a body with joints and a mocap body start a link, another body is
 * welded to its parent's. */
#include "model/compile.h"

static bool take_scratch(cr_compile* c) {
  const carom_builder* b = c->builder;
  cr_arena* arena = &c->arena;
  c->body_record = CR_PUSH(arena, int, b->bodies.count);
  c->body_index = CR_PUSH(arena, int, b->bodies.count);
  c->joint_record = CR_PUSH(arena, int, b->joints.count);
  c->joint_index = CR_PUSH(arena, int, b->joints.count);
  c->geom_record = CR_PUSH(arena, int, b->geoms.count);
  c->geom_index = CR_PUSH(arena, int, b->geoms.count);
  c->body_link = CR_PUSH(arena, int, b->bodies.count);
  c->link_body = CR_PUSH(arena, int, b->bodies.count);
  c->body_position = CR_PUSH(arena, v3, b->bodies.count);
  c->body_quaternion = CR_PUSH(arena, quat, b->bodies.count);
  c->body_mass = CR_PUSH(arena, cr_mass, b->bodies.count);
  c->link_mass = CR_PUSH(arena, cr_mass, b->bodies.count);
  c->link_world = CR_PUSH(arena, pose, b->bodies.count);
  return !arena->failed;
}

/* The record after `record` in a walk that visits children before siblings; -1 at the end. */
static int next_body(const carom_builder* builder, int record) {
  const cr_body_record* body = CR_AT(&builder->bodies, cr_body_record, record);
  if (body->first_child >= 0) return body->first_child;
  while (record > 0 && body->next < 0) {
    record = body->def.parent.id;
    body = CR_AT(&builder->bodies, cr_body_record, record);
  }
  return record > 0 ? body->next : -1;
}

static void order_joints(cr_compile* c, const cr_body_record* body, int* count) {
  for (int j = body->first_joint; j >= 0; (*count)++) {
    c->joint_record[*count] = j;
    c->joint_index[j] = *count;
    j = CR_AT(&c->builder->joints, cr_joint_record, j)->next;
  }
}

static void order_geoms(cr_compile* c, const cr_body_record* body, int* count) {
  for (int g = body->first_geom; g >= 0; (*count)++) {
    c->geom_record[*count] = g;
    c->geom_index[g] = *count;
    g = CR_AT(&c->builder->geoms, cr_geom_record, g)->next;
  }
}

/* The body's link, and its pose in it. The parent stands before. */
static void place_body(cr_compile* c, int body) {
  const cr_body_record* record = cr_body_at(c, body);
  c->body_position[body] = v3_zero();
  c->body_quaternion[body] = quat_identity();
  c->num_mocaps += record->def.mocap;
  if (body == 0 || record->first_joint >= 0 || record->def.mocap) {
    c->body_link[body] = c->num_links;
    c->link_body[c->num_links++] = body;
    return;
  }
  int parent = c->body_index[record->def.parent.id];
  quat turn = c->body_quaternion[parent];
  c->body_link[body] = c->body_link[parent];
  c->body_position[body] =
      v3_add(c->body_position[parent], quat_rotate(turn, v3_load(record->def.position)));
  c->body_quaternion[body] = quat_normalize(quat_mul(turn, cr_quat_unit(record->def.quaternion)));
}

carom_status cr_compile_order(cr_compile* c) {
  if (!take_scratch(c)) return cr_error_memory(c->error);
  int bodies = 0, joints = 0, geoms = 0;
  for (int record = 0; record >= 0; record = next_body(c->builder, record)) {
    c->body_record[bodies] = record;
    c->body_index[record] = bodies;
    const cr_body_record* body = CR_AT(&c->builder->bodies, cr_body_record, record);
    order_joints(c, body, &joints);
    order_geoms(c, body, &geoms);
    place_body(c, bodies++);
  }
  return CAROM_OK;
}
