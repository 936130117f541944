/* Is the mass matrix positive definite? Factorises it at the reference configuration, link by link
 * from the leaves (the articulated inertias of Featherstone 2008, chapter 7): with I the inertia
 * that a dof feels when everything outside it is free, its pivot is S·I S + armature.
 *
 * A pivot that round-off could have made counts as zero: one that is 1e-10 of what the dof would
 * feel if the joints right outside it were locked. A tree that has such a pivot is looked at in one
 * other configuration, without symmetries: where it is definite there it may stand here. A chain
 * that is definite here may still become singular elsewhere when it holds massless links. */
#include "base/copy.h"
#include "model/compile.h"
#include "tree/algorithms.h"

#include <math.h>
#include <stdio.h>

#define SMALLEST_SHARE 1e-10

/* Below any mechanism's inertia, far above where squares vanish. */
#define SMALLEST_PIVOT 1e-60

/* Of the mass of a tree and its size squared; round-off puts what stands on an axis off it by the
 * root of the one, and is the other where inertias are taken about the origin. */
#define OFF_AXIS   1e-28
#define OFF_ORIGIN 1e-14

/* A spatial inertia, symmetric; order: angular, linear; world axes about some point. */
typedef struct matrix6 {
  double m[6][6];
} matrix6;

/* What a link feels: with the joints right outside it free, and locked. */
typedef struct felt {
  matrix6 free, locked;
} felt;

static matrix6 rigid(const cr_mass* mass, v3 point) {
  m3 I = m3_symmetric(mass->inertia);
  v3 r = v3_sub(mass->com, point);
  m3 R = m3_skew(r);
  double rr = v3_norm2(r), rs[3] = {r.x, r.y, r.z};
  matrix6 a = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      a.m[i][j] = I.m[i][j] + mass->mass * ((i == j ? rr : 0) - rs[i] * rs[j]);
      a.m[i][j + 3] = a.m[j + 3][i] = mass->mass * R.m[i][j];
      a.m[i + 3][j + 3] = i == j ? mass->mass : 0;
    }
  return a;
}

/* Adds to `sum` the inertia `a`, whose point lies at the offset r from that of `sum`: Xᵀ a X, where
 * X takes the motion at the one point to the other, v' = v + w × r. */
static void add_shifted(matrix6* sum, const matrix6* a, v3 r) {
  m3 R = m3_skew(r);
  double X[6][6] = {{0}}, aX[6][6];
  for (int i = 0; i < 6; i++) X[i][i] = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) X[i + 3][j] = -R.m[i][j];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      aX[i][j] = 0;
      for (int k = 0; k < 6; k++) aX[i][j] += a->m[i][k] * X[k][j];
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) sum->m[i][j] += X[k][i] * aX[k][j];
}

/* What round-off could have made of a point mass on its axis, kg m²: of what the links' own frames
 * say, or of sums about the origin of the world, in which large terms cancel. */
static double smallest_pivot(const cr_compile* c, int tree, double round_off) {
  const cr_tree_model* t = &c->model->tree;
  double mass = 0, size = 0;
  for (int link = t->tree_link_start[tree]; link < t->tree_link_end[tree]; link++) {
    mass += fabs(c->link_mass[link].mass);
    size = fmax(size, v3_norm(c->link_world[link].p) + v3_norm(c->link_mass[link].com));
  }
  return fmax(SMALLEST_PIVOT, mass * round_off * size * size);
}

/* Motion of dof `i` of a joint at unit rate, about the link frame's origin. */
static void dof_motion(const cr_compile* c, int joint, int i, double S[6]) {
  const cr_tree_model* t = &c->model->tree;
  const pose* X = &c->link_world[t->joint_link[joint]];
  carom_joint_type type = (carom_joint_type)t->joint_type[joint];
  bool is_linear = type == CAROM_JOINT_SLIDE || (type == CAROM_JOINT_FREE && i < 3);
  v3 direction = v3_zero();
  if (type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE)
    direction = v3_load(t->joint_axis + 3 * joint);
  else
    direction = v3_set(direction, i % 3, 1);
  direction = m3_mulv(&X->R, direction);
  v3 arm = m3_mulv(&X->R, v3_load(t->joint_anchor + 3 * joint));
  if (type == CAROM_JOINT_FREE) arm = v3_zero();
  v3 angular = is_linear ? v3_zero() : direction;
  v3_store(angular, S);
  v3 linear = is_linear ? direction : v3_cross(arm, direction);
  v3_store(v3_axpy(linear, t->joint_pitch[joint], direction), S + 3);
}

/* S·a S; U = a S. */
static double apply(const matrix6* a, const double S[6], double U[6]) {
  double d = 0;
  for (int i = 0; i < 6; i++) {
    U[i] = 0;
    for (int j = 0; j < 6; j++) U[i] += a->m[i][j] * S[j];
    d += S[i] * U[i];
  }
  return d;
}

/* A dof of the factorised matrix, about its link's origin. */
typedef struct pivot {
  double S[6], U[6], d;
} pivot;

/* What is wrong with the inertia that a dof feels. */
typedef enum fault { FAULT_NONE_FELT, FAULT_DOUBLE, FAULT_NEGATIVE } fault;

/* What to say of a joint, after "its joint 'NAME' ". */
static void write_complaint(fault what, bool is_free, double inertia, char* out, size_t size) {
  switch (what) {
  case FAULT_DOUBLE:
    snprintf(out, size,
             "moves nothing that other joints, of this body or on it, do not move in the same way, "
             "so the mass matrix is not positive definite; give it another axis or armature, or "
             "leave it out");
    return;
  case FAULT_NEGATIVE:
    snprintf(out, size,
             "moves a negative inertia, %.6g, so the mass matrix is not positive definite; correct "
             "the inertia of the body, or of what hangs on it",
             inertia);
    return;
  default:
    snprintf(out, size,
             "moves no inertia of its own, so the mass matrix is not positive definite; give the "
             "body mass and inertia, or %s",
             is_free ? "fix it to the world (--fixed-base)" : "the joint armature");
  }
}

static carom_status refuse(const cr_compile* c, int joint, fault what, double inertia) {
  const cr_body_record* body = cr_body_at(c, c->link_body[c->model->tree.joint_link[joint]]);
  const cr_joint_record* record = cr_joint_at(c, joint);
  int number = cr_joint_at(c, joint)->def.body.id;
  cr_subject subject = cr_label_subject(c->builder, &body->label, "body", number, c->error);
  const char* name = cr_text_get(&c->builder->text, record->label.name, "");
  char complaint[300];
  write_complaint(what, record->def.type == CAROM_JOINT_FREE, inertia, complaint, sizeof complaint);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "its joint %s%.100s%s%s",
                         name[0] ? "'" : "", name, name[0] ? "' " : "", complaint);
}

/* --- Another configuration ----------------------------------------------------------------------
 */

/* One without symmetries: the fractional parts of multiples of the golden ratio. */
static void leave_reference(const cr_tree_model* t, int tree, double* q) {
  int first = t->link_joint_start[t->tree_link_start[tree]];
  int end = t->link_joint_start[t->tree_link_end[tree]];
  for (int j = first; j < end; j++) {
    carom_joint_type type = (carom_joint_type)t->joint_type[j];
    bool is_rotation = type == CAROM_JOINT_BALL || type == CAROM_JOINT_FREE;
    int at = t->joint_q_start[j] + (type == CAROM_JOINT_FREE ? 3 : 0);
    for (int k = 0; k < (is_rotation ? 4 : 1); k++)
      q[at + k] += 0.2 + fmod(0.6180339887498949 * (at + k + 1), 1);
  }
}

/* Cholesky's pivots of the matrix are above `smallest`, and scaled to a unit diagonal above
 * SMALLEST_SHARE. */
static bool is_definite(double* M, int n, double smallest) {
  for (int k = 0; k < n; k++) {
    double whole = M[k * n + k], d = whole;
    for (int j = 0; j < k; j++) d -= M[k * n + j] * M[k * n + j];
    if (!(d > smallest) || !(d > SMALLEST_SHARE * whole)) return false;
    M[k * n + k] = sqrt(d);
    for (int i = k + 1; i < n; i++) {
      for (int j = 0; j < k; j++) M[i * n + k] -= M[i * n + j] * M[k * n + j];
      M[i * n + k] /= M[k * n + k];
    }
  }
  return true;
}

static bool is_definite_elsewhere(cr_compile* c, int tree) {
  const cr_tree_model* t = &c->model->tree;
  int n = t->tree_v_start[tree + 1] - t->tree_v_start[tree];
  cr_tree_kinematics kinematics;
  cr_tree_scratch scratch;
  double* q = CR_PUSH(&c->arena, double, c->model->num_q);
  double* M = CR_PUSH(&c->arena, double, (size_t)n*(size_t)n);
  if (!cr_tree_push_kinematics(&c->arena, t, &kinematics) ||
      !cr_tree_push_scratch(&c->arena, t, &scratch) || c->arena.failed)
    return false;
  CR_COPY(q, c->model->q_reference, c->model->num_q);
  leave_reference(t, tree, q);
  cr_tree_update_ground(t, NULL, &kinematics, NULL);
  cr_tree_update_kinematics(t, tree, q, &kinematics);
  cr_tree_compute_mass_matrix(t, tree, &kinematics, &scratch, M);
  return is_definite(M, n, smallest_pivot(c, tree, OFF_ORIGIN));
}

/* Of what a dof would feel if the joints right outside it were locked: an armature that keeps the
 * mass matrix definite and is too small to be seen. */
#define TRACE_OF_ARMATURE 1e-4

/* What a dof without inertia of its own gets, where that is wanted. */
static bool give_armature(cr_compile* c, int joint, double whole, double smallest,
                          double* inertia) {
  carom_joint_type type = (carom_joint_type)c->model->tree.joint_type[joint];
  double trace = TRACE_OF_ARMATURE * whole;
  bool is_negative = *inertia < -SMALLEST_SHARE * fabs(whole);
  bool is_share = !is_negative && whole > smallest && trace > SMALLEST_PIVOT;
  if (!is_negative && (!is_share || type == CAROM_JOINT_FREE)) {
    c->void_link = c->model->tree.joint_link[joint];
    c->void_joint = type == CAROM_JOINT_FREE ? -1 : c->joint_record[joint];
  }
  if (!c->given_armature || !is_share || type == CAROM_JOINT_FREE) return false;
  double* given = &c->given_armature[c->joint_record[joint]];
  *given = fmax(*given, trace);
  *inertia = trace;
  return true;
}

/* Frees the link's dofs one by one, from the last. */
static carom_status free_dofs(cr_compile* c, int link, felt* a, pivot* pivots) {
  const cr_tree_model* t = &c->model->tree;
  double smallest = smallest_pivot(c, t->link_tree[link], OFF_AXIS);
  for (int joint = t->link_joint_start[link + 1] - 1; joint >= t->link_joint_start[link]; joint--)
    for (int i = cr_joint_num_v((carom_joint_type)t->joint_type[joint]) - 1; i >= 0; i--) {
      int dof = t->joint_v_start[joint] + i;
      pivot* p = &pivots[dof];
      dof_motion(c, joint, i, p->S);
      double whole = apply(&a->locked, p->S, p->U) + t->dof_armature[dof];
      p->d = apply(&a->free, p->S, p->U) + t->dof_armature[dof];
      bool is_felt = p->d > smallest && p->d > SMALLEST_SHARE * whole;
      if (!is_felt && !give_armature(c, joint, whole, smallest, &p->d)) {
        bool is_negative = p->d < -SMALLEST_SHARE * fabs(whole);
        bool is_double = whole > smallest;
        if (is_negative || !is_definite_elsewhere(c, t->link_tree[link]))
          return refuse(c, joint,
                        is_negative ? FAULT_NEGATIVE
                        : is_double ? FAULT_DOUBLE
                                    : FAULT_NONE_FELT,
                        p->d);
        p->d = INFINITY;
      }
      for (int r = 0; r < 6; r++)
        for (int s = 0; s < 6; s++) a->free.m[r][s] -= p->U[r] * p->U[s] / p->d;
    }
  return CAROM_OK;
}

static carom_status factorise(cr_compile* c, felt* inertias, pivot* pivots) {
  const cr_tree_model* t = &c->model->tree;
  for (int link = 0; link < t->num_links; link++) {
    const pose* X = &c->link_world[link];
    cr_mass mass = cr_mass_transform(&c->link_mass[link], X->p, &X->R);
    inertias[link].free = inertias[link].locked = rigid(&mass, X->p);
  }
  for (int link = t->num_links - 1; link > 0; link--) {
    int parent = t->link_parent[link];
    v3 offset = v3_sub(c->link_world[link].p, c->link_world[parent].p);
    add_shifted(&inertias[parent].locked, &inertias[link].free, offset);
    CR_TRY(free_dofs(c, link, &inertias[link], pivots));
    add_shifted(&inertias[parent].free, &inertias[link].free, offset);
  }
  return CAROM_OK;
}

/* Entry (dof, dof) of the inverse: a unit force at the dof leaves u = 1 there and u = -S·f at the
 * dofs towards the root, where f sums U u / d; the entry is the sum of u² / d. */
static double inverse_entry(const cr_compile* c, const pivot* pivots, int dof) {
  const cr_tree_model* t = &c->model->tree;
  v3 moment = v3_zero(), force = v3_zero();
  double sum = 0, u = 1;
  for (int i = dof, link = t->dof_link[dof]; i >= 0; i = t->dof_parent[i]) {
    const pivot* p = &pivots[i];
    v3 offset = v3_sub(c->link_world[link].p, c->link_world[t->dof_link[i]].p);
    moment = v3_add(moment, v3_cross(offset, force));
    link = t->dof_link[i];
    if (i != dof) u = -v3_dot(v3_load(p->S), moment) - v3_dot(v3_load(p->S + 3), force);
    moment = v3_axpy(moment, u / p->d, v3_load(p->U));
    force = v3_axpy(force, u / p->d, v3_load(p->U + 3));
    sum += u * u / p->d;
  }
  return sum;
}

/* Damping of servos as a fraction of the critical: 2 sqrt(k m), with m the inertia that the dof
 * feels when all other joints are free, both at the actuator's side of the gear. */
static void apply_damping_ratios(cr_compile* c, const pivot* pivots) {
  const cr_force_model* f = &c->model->force;
  for (int i = 0; i < f->num_actuators; i++) {
    const carom_actuator_def* def = &CR_AT(&c->builder->actuators, cr_actuator_record, i)->def;
    if (isnan(def->damping_ratio) || f->actuator_dof[i] < 0) continue;
    double m = 1 / inverse_entry(c, pivots, f->actuator_dof[i]);
    double critical = 2 * sqrt(def->gain * m) / fabs(def->gear);
    CR_SET(double, f->actuator_bias, 3 * i + 2, -def->damping_ratio * critical);
  }
}

/* Springs and dampers that are given by their time constant and damping ratio, of the inertia that
 * the joint's dofs feel in the (harmonic) mean. */
static void apply_spring_dampers(cr_compile* c, const pivot* pivots) {
  const cr_force_model* f = &c->model->force;
  for (int j = 0; j < c->model->tree.num_joints; j++) {
    const double* given = cr_joint_at(c, j)->def.spring_damper;
    if (!cr_joint_has_spring_damper(&cr_joint_at(c, j)->def)) continue;
    int first = c->model->tree.joint_v_start[j];
    int count = cr_joint_num_v((carom_joint_type)c->model->tree.joint_type[j]);
    double inverse = 0, way = given[0] * given[1];
    for (int i = 0; i < count; i++) inverse += inverse_entry(c, pivots, first + i);
    double m = count / inverse;
    for (int i = 0; i < count; i++) CR_SET(double, f->dof_damping, first + i, 2 * m / given[0]);
    CR_SET(double, f->joint_stiffness, j, m / (way * way));
  }
}

carom_status cr_compile_given_armature(cr_compile* c) {
  felt* inertias = CR_PUSH(&c->arena, felt, c->model->tree.num_links);
  pivot* pivots = CR_PUSH(&c->arena, pivot, c->model->tree.num_v);
  c->given_armature = CR_PUSH(&c->arena, double, c->builder->joints.count);
  if (c->arena.failed) return cr_error_memory(c->error);
  for (int j = 0; j < c->builder->joints.count; j++) c->given_armature[j] = 0;
  return factorise(c, inertias, pivots);
}

carom_status cr_compile_mass_matrix(cr_compile* c) {
  felt* inertias = CR_PUSH(&c->arena, felt, c->model->tree.num_links);
  pivot* pivots = CR_PUSH(&c->arena, pivot, c->model->tree.num_v);
  if (c->arena.failed) return cr_error_memory(c->error);
  CR_TRY(factorise(c, inertias, pivots));
  apply_damping_ratios(c, pivots);
  apply_spring_dampers(c, pivots);
  return CAROM_OK;
}
