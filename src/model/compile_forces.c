/* Joint springs and dampers, limits and dry friction, springs between points, actuators (their
 * damping ratios wait for the mass matrix, see compile_mass_matrix.c). */
#include "force/tendon.h"
#include "model/compile.h"

#include <math.h>
#include <string.h>

/* Where a joint's spring rests: the reference, or what the joint says. */
static void fill_joint_spring(cr_compile* c, int joint, const carom_joint_def* def) {
  const cr_tree_model* t = &c->model->tree;
  const cr_force_model* f = &c->model->force;
  int q = t->joint_q_start[joint];
  memcpy(CR_FILL(double, f->q_spring) + q, c->model->q_reference + q,
         (size_t)cr_joint_num_q(def->type) * sizeof(double));
  bool is_scalar = def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE;
  if (is_scalar && !isnan(def->spring_reference))
    CR_SET(double, f->q_spring, q, def->spring_reference);
  CR_SET(double, f->joint_stiffness, joint, def->stiffness);
}

static void fill_joint_losses(cr_compile* c, int joint, const carom_joint_def* def) {
  const cr_limit_model* limit = &c->model->limit;
  int start = c->model->tree.joint_v_start[joint];
  for (int i = start; i < start + cr_joint_num_v(def->type); i++) {
    CR_SET(double, c->model->force.dof_damping, i, def->damping);
    CR_SET(double, limit->dof_friction_loss, i, def->friction_loss);
  }
  CR_SET(int, limit->joint_limited, joint, def->limited);
  CR_SET(double, limit->joint_range, 2 * joint, def->range[0]);
  CR_SET(double, limit->joint_range, 2 * joint + 1, def->range[1]);
  CR_SET(double, limit->joint_limit_margin, joint, def->limit_margin);
  CR_SET(double, limit->joint_limit_stiffness, joint, def->limit_stiffness);
  CR_SET(double, limit->joint_limit_dissipation, joint, def->limit_dissipation);
}

/* A spring's two points in link frames; a length that is not given is the present one. */
static carom_status fill_spring(cr_compile* c, int index) {
  const cr_force_model* f = &c->model->force;
  const cr_spring_record* record = CR_AT(&c->builder->springs, cr_spring_record, index);
  const carom_spring_def* def = &record->def;
  int bodies[2] = {c->body_index[def->body1.id], c->body_index[def->body2.id]};
  v3 points[2] = {v3_load(def->point1), v3_load(def->point2)}, world[2];
  for (int i = 0; i < 2; i++) {
    int body = bodies[i], link = c->body_link[body];
    v3 local = v3_add(c->body_position[body], quat_rotate(c->body_quaternion[body], points[i]));
    world[i] = pose_point(&c->link_world[link], local);
    CR_SET(int, f->spring_link, 2 * index + i, link);
    v3_store(local, CR_FILL(double, f->spring_point) + 6 * index + 3 * i);
  }
  if (c->body_link[bodies[0]] == c->body_link[bodies[1]]) {
    cr_subject subject =
        cr_label_subject(c->builder, &record->label, "spring", index + 1, c->error);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "both ends are on one rigid body");
  }
  double distance = v3_norm(v3_sub(world[1], world[0]));
  CR_SET(double, f->spring_stiffness, index, def->stiffness);
  CR_SET(double, f->spring_damping, index, def->damping);
  CR_SET(double, f->spring_rest_length, index,
         isnan(def->rest_length) ? distance : def->rest_length);
  return CAROM_OK;
}

/* A spring that says nothing rests where the joints' springs do. */
static void fill_tendon_forces(cr_compile* c, int index, const carom_tendon_def* def) {
  const cr_force_model* f = &c->model->force;
  const cr_tendon_model* n = &f->tendon;
  double rest = cr_tendon_compute_length(n, index, f->q_spring);
  CR_SET(double, n->reference, index, cr_tendon_compute_length(n, index, c->model->q_reference));
  CR_SET(int, n->limited, index, def->limited);
  for (int i = 0; i < 2; i++) {
    CR_SET(double, n->range, 2 * index + i, def->range[i]);
    CR_SET(double, n->rest, 2 * index + i, isnan(def->rest[0]) ? rest : def->rest[i]);
  }
  CR_SET(double, n->limit_margin, index, def->limit_margin);
  CR_SET(double, n->limit_stiffness, index, def->limit_stiffness);
  CR_SET(double, n->limit_dissipation, index, def->limit_dissipation);
  CR_SET(double, n->stiffness, index, def->stiffness);
  CR_SET(double, n->damping, index, def->damping);
  CR_SET(double, n->friction_loss, index, def->friction_loss);
}

static void fill_tendon(cr_compile* c, int index) {
  const cr_tree_model* t = &c->model->tree;
  const cr_tendon_model* n = &c->model->force.tendon;
  const cr_tendon_record* record = CR_AT(&c->builder->tendons, cr_tendon_record, index);
  int first = record->first_term, end = first + record->def.num_terms;
  CR_SET(int, n->start, index, first);
  CR_SET(int, n->start, index + 1, end);
  for (int i = first; i < end; i++) {
    const carom_tendon_term* term = CR_AT(&c->builder->tendon_terms, carom_tendon_term, i);
    int joint = c->joint_index[term->joint.id - 1];
    CR_SET(int, n->dof, i, t->joint_v_start[joint]);
    CR_SET(int, n->q, i, t->joint_q_start[joint]);
    CR_SET(int, n->link, i, t->joint_link[joint]);
    CR_SET(double, n->coefficient, i, term->coefficient);
  }
  fill_tendon_forces(c, index, &record->def);
}

static void fill_actuator(cr_compile* c, int index) {
  const cr_tree_model* t = &c->model->tree;
  const cr_force_model* f = &c->model->force;
  const carom_actuator_def* def = &CR_AT(&c->builder->actuators, cr_actuator_record, index)->def;
  int joint = def->tendon.id ? -1 : c->joint_index[def->joint.id - 1];
  CR_SET(int, f->actuator_dof, index, joint < 0 ? -1 : t->joint_v_start[joint]);
  CR_SET(int, f->actuator_q, index, joint < 0 ? -1 : t->joint_q_start[joint]);
  CR_SET(int, f->actuator_tendon, index, def->tendon.id - 1);
  CR_SET(double, f->actuator_gear, index, def->gear);
  CR_SET(double, f->actuator_gain, index, def->gain);
  memcpy(CR_FILL(double, f->actuator_bias) + 3 * index, def->bias, sizeof def->bias);
  for (int i = 0; i < 2; i++) {
    double open = i == 0 ? -INFINITY : INFINITY;
    CR_SET(double, f->actuator_control_range, 2 * index + i,
           def->control_limited ? def->control_range[i] : open);
    CR_SET(double, f->actuator_force_range, 2 * index + i,
           def->force_limited ? def->force_range[i] : open);
  }
}

carom_status cr_compile_forces(cr_compile* c) {
  for (int joint = 0; joint < c->model->tree.num_joints; joint++) {
    const carom_joint_def* def = &cr_joint_at(c, joint)->def;
    fill_joint_spring(c, joint, def);
    fill_joint_losses(c, joint, def);
  }
  for (int i = 0; i < c->model->force.num_springs; i++) CR_TRY(fill_spring(c, i));
  for (int i = 0; i < c->model->force.tendon.num_tendons; i++) fill_tendon(c, i);
  for (int i = 0; i < c->model->force.num_actuators; i++) fill_actuator(c, i);
  return CAROM_OK;
}
