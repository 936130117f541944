/* The mechanism as the tree module reads it: links, joints, dofs, trees, segments, and the
 * reference configuration. Links stand in the order of their first bodies, which is depth first. */
#include "base/copy.h"
#include "model/compile.h"

#include <string.h>

/* A link's frame in its parent link's frame, joints at reference, and in the world. */
static void place_link(cr_compile* c, int link) {
  const cr_tree_model* t = &c->model->tree;
  double* position = CR_FILL(double, t->link_position) + 3 * link;
  double* quaternion = CR_FILL(double, t->link_quaternion) + 4 * link;
  if (link == 0) {
    CR_SET(int, t->link_parent, 0, -1);
    quat_store(quat_identity(), quaternion);
    c->link_world[0] = pose_identity();
    return;
  }
  const cr_body_record* body = cr_body_at(c, c->link_body[link]);
  int parent = c->body_index[body->def.parent.id], parent_link = c->body_link[parent];
  quat turn = c->body_quaternion[parent];
  v3 p = v3_add(c->body_position[parent], quat_rotate(turn, v3_load(body->def.position)));
  quat q = quat_normalize(quat_mul(turn, cr_quat_unit(body->def.quaternion)));
  CR_SET(int, t->link_parent, link, parent_link);
  v3_store(p, position);
  quat_store(q, quaternion);
  pose local = {p, quat_to_m3(q)};
  c->link_world[link] = pose_mul(&c->link_world[parent_link], &local);
}

static void fill_link_mass(cr_compile* c, int link) {
  const cr_tree_model* t = &c->model->tree;
  const cr_mass* mass = &c->link_mass[link];
  CR_SET(double, t->link_mass, link, mass->mass);
  v3_store(mass->com, CR_FILL(double, t->link_com) + 3 * link);
  memcpy(CR_FILL(double, t->link_inertia) + 6 * link, mass->inertia, sizeof mass->inertia);
}

/* A free joint's parent must not move; its coordinates are a pose in the world. */
static carom_status check_free_joint(const cr_compile* c, int joint, int link) {
  if (c->model->tree.link_parent[link] == 0) return CAROM_OK;
  const cr_joint_record* record = cr_joint_at(c, joint);
  cr_subject subject =
      cr_label_subject(c->builder, &record->label, "joint", c->joint_record[joint] + 1, c->error);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "a free joint must be on a body whose parent does not move");
}

/* The coordinates of a joint at which it does nothing. */
static void fill_reference(cr_compile* c, int joint) {
  const cr_tree_model* t = &c->model->tree;
  double* q = CR_FILL(double, c->model->q_reference) + t->joint_q_start[joint];
  int link = t->joint_link[joint];
  switch ((carom_joint_type)t->joint_type[joint]) {
  case CAROM_JOINT_FREE:
    CR_COPY(q, t->link_position + 3 * link, 3);
    CR_COPY(q + 3, t->link_quaternion + 4 * link, 4);
    break;
  case CAROM_JOINT_BALL:
    quat_store(quat_identity(), q);
    break;
  case CAROM_JOINT_SLIDE:
  case CAROM_JOINT_HINGE:
    q[0] = t->joint_reference[joint];
    break;
  }
}

static void fill_joint(cr_compile* c, int joint, int link, int q_start, int v_start) {
  const cr_tree_model* t = &c->model->tree;
  const carom_joint_def* def = &cr_joint_at(c, joint)->def;
  bool is_scalar = def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE;
  v3 axis = {0, 0, 1}, anchor = v3_load(def->anchor);
  if (is_scalar) {
    v3 given = v3_load(def->axis);
    double largest = fmax(fabs(given.x), fmax(fabs(given.y), fabs(given.z)));
    axis = v3_normalize_or(v3_scale(1 / largest, given), axis);
  }
  if (def->type == CAROM_JOINT_FREE) anchor = v3_zero(); /* see mark_free_link */
  CR_SET(int, t->joint_type, joint, (int)def->type);
  CR_SET(int, t->joint_link, joint, link);
  CR_SET(int, t->joint_q_start, joint, q_start);
  CR_SET(int, t->joint_v_start, joint, v_start);
  v3_store(anchor, CR_FILL(double, t->joint_anchor) + 3 * joint);
  v3_store(axis, CR_FILL(double, t->joint_axis) + 3 * joint);
  CR_SET(double, t->joint_reference, joint, is_scalar ? def->reference : 0);
  CR_SET(double, t->joint_pitch, joint, def->pitch / (2 * M_PI));
}

/* The dofs of a joint hang on one another, the first on `parent`. */
static void fill_dofs(cr_compile* c, int joint, int parent) {
  const cr_tree_model* t = &c->model->tree;
  const carom_joint_def* def = &cr_joint_at(c, joint)->def;
  int start = t->joint_v_start[joint], count = cr_joint_num_v(def->type);
  for (int i = start; i < start + count; i++) {
    CR_SET(int, t->dof_parent, i, i == start ? parent : i - 1);
    CR_SET(int, t->dof_joint, i, joint);
    CR_SET(int, t->dof_link, i, t->joint_link[joint]);
    CR_SET(double, t->dof_armature, i, def->armature);
  }
}

/* Joints and dofs of a link, which follow those of the links before. */
static carom_status fill_link_joints(cr_compile* c, int link, int* joint, int* q, int* v) {
  const cr_tree_model* t = &c->model->tree;
  int parent = t->link_parent[link], last = parent < 0 ? -1 : t->link_last_dof[parent];
  CR_SET(int, t->link_joint_start, link, *joint);
  CR_SET(int, t->link_v_start, link, *v);
  const cr_list* joints = &c->builder->joints;
  int record = cr_body_at(c, c->link_body[link])->first_joint;
  for (; record >= 0; record = CR_AT(joints, cr_joint_record, record)->next) {
    carom_joint_type type = CR_AT(joints, cr_joint_record, record)->def.type;
    fill_joint(c, *joint, link, *q, *v);
    fill_dofs(c, *joint, last);
    if (type == CAROM_JOINT_FREE) CR_TRY(check_free_joint(c, *joint, link));
    fill_reference(c, *joint);
    *q += cr_joint_num_q(type);
    *v += cr_joint_num_v(type);
    last = *v - 1;
    (*joint)++;
  }
  CR_SET(int, t->link_last_dof, link, last);
  return CAROM_OK;
}

/* One free link without armature, spring, damper or dry friction on its joint moves about its
 * centre of mass, where linear and angular motion are independent. */
static void mark_free_link(cr_compile* c, int tree) {
  const cr_tree_model* t = &c->model->tree;
  int link = t->tree_link_start[tree], joint = t->link_joint_start[link];
  const carom_joint_def* def = &cr_joint_at(c, joint)->def;
  bool is_free = t->tree_link_end[tree] == link + 1 && def->type == CAROM_JOINT_FREE &&
                 def->armature == 0 && def->damping == 0 && def->stiffness == 0 &&
                 def->friction_loss == 0 && !cr_joint_has_spring_damper(def);
  CR_SET(int, t->tree_is_free_link, tree, is_free);
  if (is_free) v3_store(c->link_mass[link].com, CR_FILL(double, t->joint_anchor) + 3 * joint);
}

/* A mocap link, and its pose at the reference configuration. */
static void fill_mocap(cr_compile* c, int index, int link) {
  const cr_tree_model* t = &c->model->tree;
  double* q = CR_FILL(double, c->model->q_reference) + t->mocap_q + 7 * (size_t)index;
  CR_SET(int, t->mocap_link, index, link);
  CR_SET(int, t->link_tree, link, -1);
  CR_COPY(q, t->link_position + 3 * link, 3);
  CR_COPY(q + 3, t->link_quaternion + 4 * link, 4);
}

/* A tree starts with every link on one that is in none. */
static void fill_trees(cr_compile* c) {
  cr_tree_model* t = &c->model->tree;
  int tree = -1, mocaps = 0;
  CR_SET(int, t->link_tree, 0, -1);
  for (int link = 1; link < t->num_links; link++) {
    if (cr_body_at(c, c->link_body[link])->def.mocap) {
      fill_mocap(c, mocaps++, link);
      continue;
    }
    if (t->link_tree[t->link_parent[link]] < 0) {
      tree++;
      CR_SET(int, t->tree_link_start, tree, link);
      CR_SET(int, t->tree_v_start, tree, t->link_v_start[link]);
    }
    CR_SET(int, t->link_tree, link, tree);
    CR_SET(int, t->tree_link_end, tree, link + 1);
  }
  t->num_trees = tree + 1;
  c->model->num_movers = t->num_trees + c->model->soft.num_parts;
  CR_SET(int, t->tree_v_start, t->num_trees, t->num_v);
  for (int i = 0; i < t->num_trees; i++) mark_free_link(c, i);
}

/* A dof continues its parent's segment when it is the only dof that hangs on it; depth-first order
 * then puts it right behind. */
static carom_status fill_segments(cr_compile* c) {
  cr_tree_model* t = &c->model->tree;
  int* num_children = CR_PUSH(&c->arena, int, t->num_v);
  if (c->arena.failed) return cr_error_memory(c->error);
  memset(num_children, 0, (size_t)t->num_v * sizeof(int));
  for (int i = 0; i < t->num_v; i++)
    if (t->dof_parent[i] >= 0) num_children[t->dof_parent[i]]++;

  int segment = -1;
  for (int i = 0; i < t->num_v; i++) {
    int parent = t->dof_parent[i];
    if (parent < 0 || num_children[parent] > 1) {
      segment++;
      CR_SET(int, t->segment_v_start, segment, i);
      CR_SET(int, t->segment_parent, segment, parent < 0 ? -1 : t->dof_segment[parent]);
    }
    CR_SET(int, t->dof_segment, i, segment);
  }
  t->num_segments = segment + 1;
  CR_SET(int, t->segment_v_start, t->num_segments, t->num_v);
  return CAROM_OK;
}

carom_status cr_compile_tree(cr_compile* c) {
  const cr_tree_model* t = &c->model->tree;
  int joint = 0, q = 0, v = 0;
  for (int link = 0; link < t->num_links; link++) {
    place_link(c, link);
    fill_link_mass(c, link);
    CR_TRY(fill_link_joints(c, link, &joint, &q, &v));
  }
  CR_SET(int, t->link_joint_start, t->num_links, joint);
  CR_SET(int, t->link_v_start, t->num_links, v);
  fill_trees(c);
  return fill_segments(c);
}
