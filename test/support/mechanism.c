/* Compilation of bodies and joints into a cr_tree_model, and loops over all trees. */
#include "support/mechanism.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tests have nothing better to do without memory than to stop. */
static void* require(void* block) {
  if (block) return block;
  fprintf(stderr, "out of memory\n");
  abort();
}

#define NEW_ARRAY(mechanism, type, count)                               \
  ((type*)memset(require(CR_PUSH(&(mechanism)->arena, type, count)), 0, \
                 sizeof(type) * (size_t)(count)))

void mechanism_def_init(mechanism_def* def) {
  *def = (mechanism_def){0};
  mechanism_def_add_body(def, &(mechanism_body){.parent = -1, .quaternion = {1, 0, 0, 0}});
}

void mechanism_def_destroy(mechanism_def* def) {
  free(def->bodies);
  free(def->joints);
}

int mechanism_def_add_body(mechanism_def* def, const mechanism_body* body) {
  size_t size = sizeof *body * (size_t)(def->num_bodies + 1);
  def->bodies = require(realloc(def->bodies, size));
  def->bodies[def->num_bodies] = *body;
  return def->num_bodies++;
}

int mechanism_def_add_joint(mechanism_def* def, const mechanism_joint* joint) {
  size_t size = sizeof *joint * (size_t)(def->num_joints + 1);
  def->joints = require(realloc(def->joints, size));
  def->joints[def->num_joints] = *joint;
  return def->num_joints++;
}

static int count_q(carom_joint_type type) {
  return type == CAROM_JOINT_FREE ? 7 : type == CAROM_JOINT_BALL ? 4 : 1;
}

static int count_v(carom_joint_type type) {
  return type == CAROM_JOINT_FREE ? 6 : type == CAROM_JOINT_BALL ? 3 : 1;
}

static int count_joints(const mechanism_def* def, int body) {
  int count = 0;
  for (int j = 0; j < def->num_joints; j++) count += def->joints[j].body == body;
  return count;
}

/* Mass properties in link axes. */
typedef struct lump {
  double mass;
  v3 com;
  m3 inertia; /* about com */
} lump;

/* Two bodies as one; either alone keeps its numbers to the bit. */
static lump merge_lumps(const lump* a, const lump* b) {
  lump c = {a->mass + b->mass, a->mass == 0 ? b->com : a->com, m3_add(&a->inertia, &b->inertia)};
  if (a->mass == 0 || b->mass == 0) return c;
  v3 d = v3_sub(b->com, a->com);
  double reduced = a->mass * b->mass / c.mass;
  c.com = v3_axpy(a->com, b->mass / c.mass, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.inertia.m[i][j] += reduced * ((i == j ? v3_norm2(d) : 0) - v3_get(d, i) * v3_get(d, j));
  return c;
}

static lump make_lump(const mechanism_body* body, const pose* local, bool is_link) {
  m3 I = m3_symmetric(body->inertia);
  v3 com = v3_load(body->com);
  if (is_link) return (lump){body->mass, com, I};
  return (lump){body->mass, pose_point(local, com), m3_congruence(&local->R, &I)};
}

static void store_lumps(mechanism* m, const lump* lumps) {
  int n = m->model.num_links;
  double* mass = NEW_ARRAY(m, double, n);
  double* com = NEW_ARRAY(m, double, 3 * n);
  double* inertia = NEW_ARRAY(m, double, 6 * n);
  for (int i = 0; i < n; i++) {
    const m3* I = &lumps[i].inertia;
    const double packed[6] = {I->m[0][0], I->m[1][1], I->m[2][2],
                              I->m[0][1], I->m[0][2], I->m[1][2]};
    mass[i] = lumps[i].mass;
    v3_store(lumps[i].com, com + 3 * i);
    memcpy(inertia + 6 * i, packed, sizeof packed);
  }
  m->model.link_mass = mass;
  m->model.link_com = com;
  m->model.link_inertia = inertia;
}

/* The link of every body, and the links' frames and mass properties. */
static void build_links(mechanism* m, const mechanism_def* def) {
  int n = def->num_bodies, num_links = 0;
  int* parent = NEW_ARRAY(m, int, n);
  double* position = NEW_ARRAY(m, double, 3 * n);
  double* quaternion = NEW_ARRAY(m, double, 4 * n);
  lump* lumps = NEW_ARRAY(m, lump, n);
  m->num_bodies = n;
  m->body_link = NEW_ARRAY(m, int, n);
  m->body_local = NEW_ARRAY(m, pose, n);

  for (int b = 0; b < n; b++) {
    const mechanism_body* body = &def->bodies[b];
    bool is_link = b == 0 || count_joints(def, b) > 0;
    pose above = b == 0 ? pose_identity() : m->body_local[body->parent];
    pose in_parent = {v3_load(body->position), quat_to_m3(quat_load(body->quaternion))};
    pose in_link = pose_mul(&above, &in_parent);
    int link = is_link ? num_links++ : m->body_link[body->parent];
    if (is_link) {
      parent[link] = b == 0 ? -1 : m->body_link[body->parent];
      v3_store(in_link.p, position + 3 * link);
      quat_store(quat_from_m3(&in_link.R), quaternion + 4 * link);
      in_link = pose_identity();
    }
    m->body_link[b] = link;
    m->body_local[b] = in_link;
    lump own = make_lump(body, &in_link, is_link);
    lumps[link] = merge_lumps(&lumps[link], &own);
  }

  m->model.num_links = num_links;
  m->model.link_parent = parent;
  m->model.link_position = position;
  m->model.link_quaternion = quaternion;
  store_lumps(m, lumps);
}

static bool is_free_link(const mechanism* m, const mechanism_def* def, int joint) {
  const mechanism_joint* j = &def->joints[joint];
  if (j->type != CAROM_JOINT_FREE || j->armature != 0) return false;
  int link = m->body_link[j->body];
  for (int i = 0; i < m->model.num_links; i++)
    if (m->model.link_parent[i] == link) return false;
  return true;
}

static void build_joints(mechanism* m, const mechanism_def* def) {
  int n = def->num_joints, num_q = 0, num_v = 0;
  int* type = NEW_ARRAY(m, int, n);
  int* link = NEW_ARRAY(m, int, n);
  int* q_start = NEW_ARRAY(m, int, n);
  int* v_start = NEW_ARRAY(m, int, n);
  double* anchor = NEW_ARRAY(m, double, 3 * n);
  double* axis = NEW_ARRAY(m, double, 3 * n);
  double* reference = NEW_ARRAY(m, double, n);
  for (int j = 0; j < n; j++) {
    const mechanism_joint* joint = &def->joints[j];
    type[j] = joint->type;
    link[j] = m->body_link[joint->body];
    q_start[j] = num_q, num_q += count_q(joint->type);
    v_start[j] = num_v, num_v += count_v(joint->type);
    reference[j] = joint->reference;
    v3_store(v3_load(joint->axis), axis + 3 * j);
    if (joint->type != CAROM_JOINT_FREE)
      v3_store(v3_load(joint->anchor), anchor + 3 * j);
    else if (is_free_link(m, def, j) && !def->keep_free_origin)
      v3_store(v3_load(m->model.link_com + 3 * link[j]), anchor + 3 * j);
  }
  m->model.num_joints = n;
  m->model.num_q = num_q;
  m->model.num_v = num_v;
  m->model.joint_type = type;
  m->model.joint_link = link;
  m->model.joint_q_start = q_start;
  m->model.joint_v_start = v_start;
  m->model.joint_anchor = anchor;
  m->model.joint_axis = axis;
  m->model.joint_reference = reference;
  m->model.joint_pitch = NEW_ARRAY(m, double, n);
}

/* Where the joints and dofs of each link start, and the dofs' tables. */
static void build_dofs(mechanism* m, const mechanism_def* def) {
  cr_tree_model* model = &m->model;
  int* joint_start = NEW_ARRAY(m, int, model->num_links + 1);
  int* v_start = NEW_ARRAY(m, int, model->num_links + 1);
  int* last = NEW_ARRAY(m, int, model->num_links);
  int* parent = NEW_ARRAY(m, int, model->num_v);
  int* dof_joint = NEW_ARRAY(m, int, model->num_v);
  int* dof_link = NEW_ARRAY(m, int, model->num_v);
  double* armature = NEW_ARRAY(m, double, model->num_v);
  last[0] = -1;
  int j = 0, k = 0;
  for (int i = 1; i < model->num_links; i++) {
    joint_start[i] = j, v_start[i] = k;
    last[i] = last[model->link_parent[i]];
    for (; j < model->num_joints && model->joint_link[j] == i; j++)
      for (int e = k + count_v(def->joints[j].type); k < e; k++) {
        parent[k] = last[i], last[i] = k;
        dof_joint[k] = j, dof_link[k] = i;
        armature[k] = def->joints[j].armature;
      }
  }
  joint_start[model->num_links] = j, v_start[model->num_links] = k;
  model->link_joint_start = joint_start;
  model->link_v_start = v_start;
  model->link_last_dof = last;
  model->dof_parent = parent;
  model->dof_joint = dof_joint;
  model->dof_link = dof_link;
  model->dof_armature = armature;
}

static void build_trees(mechanism* m, const mechanism_def* def) {
  cr_tree_model* model = &m->model;
  int n = model->num_links, num_trees = 0;
  int* link_tree = NEW_ARRAY(m, int, n);
  int* link_start = NEW_ARRAY(m, int, n);
  int* link_end = NEW_ARRAY(m, int, n);
  int* v_start = NEW_ARRAY(m, int, n);
  int* is_free = NEW_ARRAY(m, int, n);
  link_tree[0] = -1;
  for (int i = 1; i < n; i++) {
    if (model->link_parent[i] == 0) {
      link_start[num_trees] = i;
      v_start[num_trees] = model->link_v_start[i];
      is_free[num_trees] =
          is_free_link(m, def, model->link_joint_start[i]) && !def->keep_free_origin;
      num_trees++;
    }
    link_tree[i] = num_trees - 1;
    link_end[num_trees - 1] = i + 1;
  }
  v_start[num_trees] = model->num_v;
  model->num_trees = num_trees;
  model->link_tree = link_tree;
  model->tree_link_start = link_start;
  model->tree_link_end = link_end;
  model->tree_v_start = v_start;
  model->tree_is_free_link = is_free;
}

/* A new segment starts at a root, and after a dof that is not the parent or that has other
 * children. */
static void build_segments(mechanism* m) {
  cr_tree_model* model = &m->model;
  int n = model->num_v, num_segments = 0;
  int* children = NEW_ARRAY(m, int, n);
  int* dof_segment = NEW_ARRAY(m, int, n);
  int* v_start = NEW_ARRAY(m, int, n + 1);
  int* parent = NEW_ARRAY(m, int, n);
  for (int k = 0; k < n; k++)
    if (model->dof_parent[k] >= 0) children[model->dof_parent[k]]++;
  for (int k = 0; k < n; k++) {
    int before = model->dof_parent[k];
    if (before < 0 || before != k - 1 || children[before] > 1) {
      parent[num_segments] = before < 0 ? -1 : dof_segment[before];
      v_start[num_segments++] = k;
    }
    dof_segment[k] = num_segments - 1;
  }
  v_start[num_segments] = n;
  model->num_segments = num_segments;
  model->dof_segment = dof_segment;
  model->segment_v_start = v_start;
  model->segment_parent = parent;
}

mechanism* mechanism_create(const mechanism_def* def) {
  mechanism* m = require(calloc(1, sizeof *m));
  cr_arena_init(&m->arena, NULL);
  build_links(m, def);
  build_joints(m, def);
  build_dofs(m, def);
  build_trees(m, def);
  build_segments(m);
  bool has_memory = cr_tree_push_kinematics(&m->arena, &m->model, &m->kinematics) &&
                    cr_tree_push_velocities(&m->arena, &m->model, &m->velocities) &&
                    cr_tree_push_scratch(&m->arena, &m->model, &m->scratch);
  require(has_memory ? m : NULL);
  return m;
}

void mechanism_destroy(mechanism* m) {
  cr_arena_destroy(&m->arena);
  free(m);
}

void mechanism_update(mechanism* m, const double* q, const double* v) {
  cr_tree_update_ground(&m->model, q, &m->kinematics, &m->velocities);
  for (int t = 0; t < m->model.num_trees; t++) {
    cr_tree_update_kinematics(&m->model, t, q, &m->kinematics);
    if (v) cr_tree_update_velocities(&m->model, t, &m->kinematics, v, &m->velocities);
  }
}

pose mechanism_compute_body_pose(const mechanism* m, int body) {
  return pose_mul(&m->kinematics.link_pose[m->body_link[body]], &m->body_local[body]);
}

void mechanism_compute_mass_matrix(mechanism* m, double* M) {
  int n = m->model.num_v;
  double* block = require(calloc((size_t)(n * n + 1), sizeof *block));
  memset(M, 0, sizeof *M * (size_t)(n * n));
  for (int t = 0; t < m->model.num_trees; t++) {
    int start = m->model.tree_v_start[t], size = m->model.tree_v_start[t + 1] - start;
    cr_tree_compute_mass_matrix(&m->model, t, &m->kinematics, &m->scratch, block);
    for (int c = 0; c < size; c++)
      memcpy(M + start + (start + c) * n, block + c * size, sizeof *M * (size_t)size);
  }
  free(block);
}

void mechanism_compute_inverse_dynamics(mechanism* m, const double* a, const cr_tree_loads* loads,
                                        double* tau) {
  for (int t = 0; t < m->model.num_trees; t++)
    cr_tree_compute_inverse_dynamics(&m->model, t, &m->kinematics, &m->velocities, a, loads,
                                     &m->scratch, tau);
}

bool mechanism_compute_forward_dynamics(mechanism* m, const double* tau, const double* extra,
                                        const cr_tree_loads* loads, double* a) {
  for (int t = 0; t < m->model.num_trees; t++)
    if (!cr_tree_compute_forward_dynamics(&m->model, t, &m->kinematics, &m->velocities, tau, extra,
                                          loads, &m->scratch, a))
      return false;
  return true;
}

void mechanism_advance(const mechanism* m, const double* q0, const double* v, double dt,
                       double* q1) {
  for (int t = 0; t < m->model.num_trees; t++)
    cr_tree_advance(&m->model, t, q0, v, dt, 0.5, CR_ROTATION_CAYLEY, q1);
}

double mechanism_compute_kinetic_energy(const mechanism* m, const double* v) {
  double energy = 0;
  for (int t = 0; t < m->model.num_trees; t++)
    energy += cr_tree_compute_kinetic_energy(&m->model, t, &m->kinematics, &m->velocities, v);
  return energy;
}

double mechanism_compute_gravity_energy(const mechanism* m, v3 gravity) {
  double energy = 0;
  for (int t = 0; t < m->model.num_trees; t++)
    energy += cr_tree_compute_gravity_energy(&m->model, t, &m->kinematics, gravity);
  return energy;
}
