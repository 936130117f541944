/* Joint springs and dampers, limits and dry friction, springs between points. */
#include "base/copy.h"
#include "model/compile.h"

#include <math.h>

/* Where a joint's spring rests: the reference, or what the joint says. */
static void fill_joint_spring(cr_compile* c, int joint, const carom_joint_def* def) {
  const cr_tree_model* t = &c->model->tree;
  const cr_force_model* f = &c->model->force;
  int q = t->joint_q_start[joint];
  CR_COPY(CR_FILL(double, f->q_spring) + q, c->model->q_reference + q,
          (size_t)cr_joint_num_q(def->type));
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
    for (int k = 0; k < 2 && c->model->force.num_polynomials; k++) {
      CR_SET(double, c->model->force.dof_spring_more, 2 * i + k, def->stiffness_more[k]);
      CR_SET(double, c->model->force.dof_damper_more, 2 * i + k, def->damping_more[k]);
    }
    if (c->model->force.num_bearers)
      CR_SET(int, c->model->force.dof_bears_weight, i, def->drive_bears_weight);
    if (!c->model->force.num_drive_ranges) continue;
    const double* range = c->model->force.dof_drive_range;
    CR_SET(double, range, 2 * i, def->drive_limited ? def->drive_range[0] : -INFINITY);
    CR_SET(double, range, 2 * i + 1, def->drive_limited ? def->drive_range[1] : INFINITY);
  }
  CR_SET(int, limit->joint_limited, joint, def->limited);
  CR_SET(double, limit->joint_range, 2 * joint, def->range[0]);
  CR_SET(double, limit->joint_range, 2 * joint + 1, def->range[1]);
  CR_SET(double, limit->joint_limit_margin, joint, def->limit_margin);
  CR_SET(double, limit->joint_limit_stiffness, joint, def->limit_stiffness);
  CR_SET(double, limit->joint_limit_dissipation, joint, def->limit_dissipation);
  CR_SET(double, limit->joint_speed_limit, joint, def->speed_limit);
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

carom_status cr_compile_forces(cr_compile* c) {
  for (int joint = 0; joint < c->model->tree.num_joints; joint++) {
    const carom_joint_def* def = &cr_joint_at(c, joint)->def;
    fill_joint_spring(c, joint, def);
    fill_joint_losses(c, joint, def);
  }
  for (int i = 0; i < c->model->force.num_springs; i++) CR_TRY(fill_spring(c, i));
  return CAROM_OK;
}
