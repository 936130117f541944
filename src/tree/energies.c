/* Energies of a tree straight from q and v, without its kinematics: a recursion in the links' own
 * frames, where inertias are constant and only the turn of each joint is to be made. A frame
 * carries its angular velocity w and the velocity u of its origin, gravity g, all three along its
 * axes, and the potential of a unit mass at its origin; going r along its axes
 *
 *   u <- u + w × r,   potential <- potential - g . r
 *
 * and a turn turns all three back. Joints are those of kinematics.c. A link adds
 *
 *   m |u + w × c|² / 2 + w . I w / 2   and   m (potential - g . c)
 *
 * with its centre of mass c and the inertia I about that. */
#include "tree/algorithms.h"

typedef cr_tree_frame frame;

static inline void go(frame* f, v3 r) {
  f->speed = v3_add(f->speed, v3_cross(f->spin, r));
  f->potential -= v3_dot(f->gravity, r);
}

static inline bool is_zero(v3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static inline void turn(frame* f, const m3* R) {
  f->spin = m3_tmulv(R, f->spin);
  f->speed = m3_tmulv(R, f->speed);
  f->gravity = m3_tmulv(R, f->gravity);
}

/* x turned back about a unit axis by the angle with the cosine c and the sine s. */
static inline v3 turn_back(v3 a, double c, double s, v3 x) {
  if (a.x == 0 && a.y == 0) return v3_make(c * x.x + a.z * s * x.y, c * x.y - a.z * s * x.x, x.z);
  if (a.x == 0 && a.z == 0) return v3_make(c * x.x - a.y * s * x.z, x.y, c * x.z + a.y * s * x.x);
  if (a.y == 0 && a.z == 0) return v3_make(x.x, c * x.y + a.x * s * x.z, c * x.z - a.x * s * x.y);
  return v3_axpy(v3_axpy(v3_scale(c, x), -s, v3_cross(a, x)), (1 - c) * v3_dot(a, x), a);
}

static inline void turn_about(frame* f, v3 axis, double angle) {
  double c = cos(angle), s = sin(angle);
  f->spin = turn_back(axis, c, s, f->spin);
  f->speed = turn_back(axis, c, s, f->speed);
  f->gravity = turn_back(axis, c, s, f->gravity);
}

/* A hinge or a screw. */
static inline void pass_hinge(const cr_tree_model* model, int joint, double angle, double rate,
                              frame* f) {
  v3 anchor = v3_load(model->joint_anchor + 3 * joint);
  v3 axis = v3_load(model->joint_axis + 3 * joint);
  double pitch = model->joint_pitch[joint];
  bool is_offset = !is_zero(anchor);
  if (is_offset) go(f, anchor);
  turn_about(f, axis, angle);
  f->spin = v3_axpy(f->spin, rate, axis);
  if (is_offset) go(f, v3_neg(anchor));
  if (pitch == 0) return;
  f->speed = v3_axpy(f->speed, pitch * rate, axis);
  go(f, v3_scale(pitch * angle, axis));
}

static inline void pass_ball(frame* f, v3 anchor, const double* q, const double* v) {
  m3 R = quat_to_m3(quat_normalize(quat_load(q)));
  go(f, anchor);
  turn(f, &R);
  f->spin = v3_add(f->spin, v3_load(v));
  go(f, v3_neg(anchor));
}

/* Its translation is that of the anchor. */
static inline void pass_free(frame* f, v3 anchor, v3 gravity, const double* q, const double* v) {
  m3 R = quat_to_m3(quat_normalize(quat_load(q + 3)));
  f->spin = v3_load(v + 3);
  f->speed = v3_sub(m3_tmulv(&R, v3_load(v)), v3_cross(f->spin, anchor));
  f->gravity = m3_tmulv(&R, gravity);
  f->potential = -v3_dot(gravity, v3_load(q));
}

static void pass_joint(const cr_tree_model* model, int joint, const cr_tree_state* at, frame* f) {
  v3 anchor = v3_load(model->joint_anchor + 3 * joint);
  v3 axis = v3_load(model->joint_axis + 3 * joint);
  const double *q = at->q + model->joint_q_start[joint], *v = at->v + model->joint_v_start[joint];
  double way = q[0] - model->joint_reference[joint];
  switch ((carom_joint_type)model->joint_type[joint]) {
  case CAROM_JOINT_FREE:
    pass_free(f, anchor, at->gravity, q, v);
    break;
  case CAROM_JOINT_BALL:
    pass_ball(f, anchor, q, v);
    break;
  case CAROM_JOINT_SLIDE:
    go(f, v3_scale(way, axis));
    f->speed = v3_axpy(f->speed, v[0], axis);
    break;
  case CAROM_JOINT_HINGE:
    pass_hinge(model, joint, way, v[0], f);
    break;
  }
}

static void place_link(const cr_tree_model* model, int link, const cr_tree_state* at, frame* f) {
  quat Q = quat_load(model->link_quaternion + 4 * link);
  go(f, v3_load(model->link_position + 3 * link));
  if (Q.x != 0 || Q.y != 0 || Q.z != 0) {
    m3 R = quat_to_m3(Q);
    turn(f, &R);
  }
  for (int j = model->link_joint_start[link]; j < model->link_joint_start[link + 1]; j++)
    pass_joint(model, j, at, f);
}

static void add_link(const cr_tree_model* model, int link, const frame* f, cr_tree_energies* sum) {
  double mass = model->link_mass[link];
  v3 c = v3_load(model->link_com + 3 * link), u = v3_add(f->speed, v3_cross(f->spin, c));
  v3 turned = spatial_symmetric_mulv(model->link_inertia + 6 * link, f->spin);
  sum->kinetic += 0.5 * (mass * v3_norm2(u) + v3_dot(f->spin, turned));
  sum->potential += mass * (f->potential - v3_dot(f->gravity, c));
  sum->fall += mass * v3_dot(f->gravity, u);
}

cr_tree_energies cr_tree_compute_energies(const cr_tree_model* model, int tree,
                                          const cr_tree_state* at, cr_tree_scratch* scratch) {
  cr_tree_energies sum = {0};
  int first = model->tree_link_start[tree];
  for (int i = first; i < model->tree_link_end[tree]; i++) {
    frame* f = &scratch->frame[i];
    if (i > first)
      *f = scratch->frame[model->link_parent[i]];
    else
      *f = (frame){v3_zero(), v3_zero(), m3_tmulv(&at->base.R, at->gravity),
                   -v3_dot(at->gravity, at->base.p)};
    place_link(model, i, at, f);
    add_link(model, i, f, &sum);
  }
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    sum.kinetic += 0.5 * model->dof_armature[k] * at->v[k] * at->v[k];
  return sum;
}
