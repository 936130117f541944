/* Forward kinematics: poses, inertias and motion vectors of a tree, its velocities and Jacobians.
 *
 * The joints of a link move its frame one after the other. In terms of the frame X = (x, R) before
 * a joint, its anchor at p = x + R c and its coordinate s = q - reference,
 *
 *   hinge   R <- R rot(axis, s), x <- p - R c       S = (R axis, p × R axis)
 *   screw   as a hinge, then x <- x + h R axis s    S = (R axis, p × R axis + h R axis)
 *   slide   x <- x + R axis s                       S = (0, R axis)
 *   ball    R <- R rot(q),       x <- p - R c       S_k = (R e_k, p × R e_k), the new R
 *   free    x <- q[0..2], R <- rot(q[3..6])         S_k = (0, e_k), then as a ball about p
 *
 * with h the pitch of a screw per radian, and where S is written about the world's origin: the
 * velocity of the point that is now there. All columns are in world axes about one point per tree,
 * so that no algorithm transforms between links. Spatial vectors are those of Featherstone 2008,
 * chapter 2. */
#include "tree/algorithms.h"

#include <string.h>

/* The rotation about a unit axis by the angle with the cosine c and the sine s (Rodrigues). */
static inline m3 rotation_about(v3 a, double c, double s) {
  v3 t = v3_scale(1 - c, a), sa = v3_scale(s, a);
  return (m3){{{c + t.x * a.x, t.x * a.y - sa.z, t.x * a.z + sa.y},
               {t.x * a.y + sa.z, c + t.y * a.y, t.y * a.z - sa.x},
               {t.x * a.z - sa.y, t.y * a.z + sa.x, c + t.z * a.z}}};
}

/* Turns two columns of R towards each other, where the axis is `sign` times the third; returns the
 * axis in the parent. */
static inline v3 turn_columns(m3* R, const int i, const int j, const int k, double sign, double c,
                              double s) {
  for (int r = 0; r < 3; r++) {
    double x = R->m[r][i], y = R->m[r][j];
    R->m[r][i] = c * x + sign * s * y;
    R->m[r][j] = c * y - sign * s * x;
  }
  return v3_scale(sign, m3_column(R, k));
}

/* R <- R rot(a, angle); returns the unit axis a in the parent. Most axes are those of the frame. */
static inline v3 turn_frame(m3* R, v3 a, double angle) {
  double c = cos(angle), s = sin(angle);
  if (a.x == 0 && a.y == 0) return turn_columns(R, 0, 1, 2, a.z, c, s);
  if (a.x == 0 && a.z == 0) return turn_columns(R, 2, 0, 1, a.y, c, s);
  if (a.y == 0 && a.z == 0) return turn_columns(R, 1, 2, 0, a.x, c, s);
  v3 axis = m3_mulv(R, a);
  m3 turn = rotation_about(a, c, s);
  *R = m3_mul(R, &turn);
  return axis;
}

/* The motion of a rotation about an axis through a point at offset r from the reference point. */
static inline sv rotation_column(v3 axis, v3 r) { return (sv){axis, v3_cross(r, axis)}; }

/* The three columns of rotations about the axes of R through a point at offset r. */
static inline void write_rotation_columns(const m3* R, v3 r, sv* S) {
  for (int k = 0; k < 3; k++) S[k] = rotation_column(m3_column(R, k), r);
}

/* A frame on its way through the joints of a link. */
typedef struct moving_frame {
  pose X;
  v3 origin; /* the point about which columns are written */
} moving_frame;

static inline __attribute__((always_inline)) void move_hinge(moving_frame* frame, v3 anchor,
                                                             v3 axis, double angle, sv* S) {
  pose* X = &frame->X;
  bool is_offset = anchor.x != 0 || anchor.y != 0 || anchor.z != 0;
  v3 p = is_offset ? pose_point(X, anchor) : X->p;
  v3 direction = turn_frame(&X->R, axis, angle);
  *S = rotation_column(direction, v3_sub(p, frame->origin));
  if (is_offset) X->p = v3_sub(p, m3_mulv(&X->R, anchor));
}

/* A hinge that goes along its axis by `pitch` per radian. */
static inline void move_screw(moving_frame* frame, v3 anchor, v3 axis, double pitch, double angle,
                              sv* S) {
  v3 direction = m3_mulv(&frame->X.R, axis);
  move_hinge(frame, anchor, axis, angle, S);
  frame->X.p = v3_axpy(frame->X.p, pitch * angle, direction);
  S->lin = v3_axpy(S->lin, pitch, direction);
}

static inline void move_slide(moving_frame* frame, v3 axis, double distance, sv* S) {
  v3 direction = m3_mulv(&frame->X.R, axis);
  frame->X.p = v3_axpy(frame->X.p, distance, direction);
  *S = (sv){v3_zero(), direction};
}

static inline void move_ball(moving_frame* frame, v3 anchor, const double* q, sv* S) {
  pose* X = &frame->X;
  v3 p = pose_point(X, anchor);
  m3 turn = quat_to_m3(quat_normalize(quat_load(q)));
  X->R = m3_mul(&X->R, &turn);
  X->p = v3_sub(p, m3_mulv(&X->R, anchor));
  write_rotation_columns(&X->R, v3_sub(p, frame->origin), S);
}

static inline void move_free(moving_frame* frame, v3 anchor, const double* q, sv* S) {
  frame->X = (pose){v3_load(q), quat_to_m3(quat_normalize(quat_load(q + 3)))};
  v3 r = v3_sub(pose_point(&frame->X, anchor), frame->origin);
  S[0] = (sv){v3_zero(), {1, 0, 0}};
  S[1] = (sv){v3_zero(), {0, 1, 0}};
  S[2] = (sv){v3_zero(), {0, 0, 1}};
  write_rotation_columns(&frame->X.R, r, S + 3);
}

static inline void move_joint(const cr_tree_model* model, int joint, const double* q,
                              moving_frame* frame, sv* S) {
  v3 anchor = v3_load(model->joint_anchor + 3 * joint);
  v3 axis = v3_load(model->joint_axis + 3 * joint);
  double reference = model->joint_reference[joint];
  const double* qj = q + model->joint_q_start[joint];
  sv* Sj = S + model->joint_v_start[joint];
  switch ((carom_joint_type)model->joint_type[joint]) {
  case CAROM_JOINT_FREE:
    move_free(frame, anchor, qj, Sj);
    break;
  case CAROM_JOINT_BALL:
    move_ball(frame, anchor, qj, Sj);
    break;
  case CAROM_JOINT_SLIDE:
    move_slide(frame, axis, qj[0] - reference, Sj);
    break;
  case CAROM_JOINT_HINGE:
    if (model->joint_pitch[joint] == 0)
      move_hinge(frame, anchor, axis, qj[0] - reference, Sj);
    else
      move_screw(frame, anchor, axis, model->joint_pitch[joint], qj[0] - reference, Sj);
    break;
  }
}

/* The link's frame with its joints at reference, given its parent's. */
static inline pose place_frame(const cr_tree_model* model, int link, const pose* parent) {
  quat turn = quat_load(model->link_quaternion + 4 * link);
  pose X = {pose_point(parent, v3_load(model->link_position + 3 * link)), parent->R};
  if (turn.x == 0 && turn.y == 0 && turn.z == 0) return X;
  m3 R = quat_to_m3(turn);
  X.R = m3_mul(&parent->R, &R);
  return X;
}

/* Pose and columns of a link whose frame, before its joints, is `X`. */
static inline void place_link(const cr_tree_model* model, int link, pose X, v3 origin,
                              const double* q, cr_tree_kinematics* kinematics) {
  moving_frame frame = {X, origin};
  for (int j = model->link_joint_start[link]; j < model->link_joint_start[link + 1]; j++)
    move_joint(model, j, q, &frame, kinematics->S);
  kinematics->link_pose[link] = frame.X;
}

/* Centre of mass and inertia of a link about the tree's origin, from its pose. */
static inline void place_inertia(const cr_tree_model* model, int link, v3 origin,
                                 cr_tree_kinematics* kinematics) {
  const pose* X = &kinematics->link_pose[link];
  v3 com = pose_point(X, v3_load(model->link_com + 3 * link));
  m3 world = m3_turn_symmetric(&X->R, model->link_inertia + 6 * link);
  kinematics->link_com[link] = com;
  kinematics->link_I[link] =
      spatial_inertia_make(model->link_mass[link], v3_sub(com, origin), &world);
}

/* The first link. Its columns are written about the world's origin and then moved to the tree's,
 * which is known only when the link is in place. */
static void place_first_link(const cr_tree_model* model, int tree, const double* q,
                             cr_tree_kinematics* kinematics) {
  int link = model->tree_link_start[tree], joint = model->link_joint_start[link];
  const pose* base = &kinematics->link_pose[model->link_parent[link]];
  place_link(model, link, place_frame(model, link, base), v3_zero(), q, kinematics);

  const pose* X = &kinematics->link_pose[link];
  bool is_free = model->joint_type[joint] == CAROM_JOINT_FREE;
  v3 origin = is_free ? pose_point(X, v3_load(model->joint_anchor + 3 * joint)) : X->p;
  kinematics->origin[tree] = origin;
  for (int k = model->link_v_start[link]; k < model->link_v_start[link + 1]; k++)
    kinematics->S[k].lin = sv_point_velocity(kinematics->S[k], origin);
  place_inertia(model, link, origin, kinematics);
}

void cr_tree_update_kinematics(const cr_tree_model* model, int tree, const double* q,
                               cr_tree_kinematics* kinematics) {
  place_first_link(model, tree, q, kinematics);
  v3 origin = kinematics->origin[tree];
  for (int i = model->tree_link_start[tree] + 1; i < model->tree_link_end[tree]; i++) {
    const pose* parent = &kinematics->link_pose[model->link_parent[i]];
    place_link(model, i, place_frame(model, i, parent), origin, q, kinematics);
    place_inertia(model, i, origin, kinematics);
  }
}

/* A link of no tree, which is at rest. */
static void place_fixed(const cr_tree_model* model, int link, pose X,
                        cr_tree_kinematics* kinematics, cr_tree_velocities* velocities) {
  kinematics->link_pose[link] = X;
  place_inertia(model, link, v3_zero(), kinematics);
  if (velocities) velocities->link_V[link] = velocities->link_bias[link] = sv_zero();
}

void cr_tree_update_ground(const cr_tree_model* model, const double* q,
                           cr_tree_kinematics* kinematics, cr_tree_velocities* velocities) {
  pose ground = pose_identity();
  place_fixed(model, 0, ground, kinematics, velocities);
  for (int i = 0; i < model->num_mocaps; i++) {
    int link = model->mocap_link[i];
    const double* at = q ? cr_tree_mocap_pose(model, i, q) : NULL;
    pose X = at ? (pose){v3_load(at), quat_to_m3(quat_normalize(quat_load(at + 3)))}
                : place_frame(model, link, &ground);
    place_fixed(model, link, X, kinematics, velocities);
  }
}

/* Adds dofs whose columns are fixed in the frame that moves with V, or in any that moves with the
 * dofs themselves: their own motion changes nothing in the sum, dS/dt v = V × S v.
 * @param bias may be null */
static inline void add_dofs(const sv* S, const double* v, int count, sv* V, sv* bias) {
  sv own = sv_scale(v[0], S[0]);
  for (int k = 1; k < count; k++) own = sv_axpy(own, v[k], S[k]);
  if (bias) *bias = sv_add(*bias, sv_cross_motion(*V, own));
  *V = sv_add(*V, own);
}

/* A free joint is three fixed translations, then a ball whose anchor they carry along. */
static inline void add_joint(int type, const sv* S, const double* v, sv* V, sv* bias) {
  switch ((carom_joint_type)type) {
  case CAROM_JOINT_FREE:
    add_dofs(S, v, 3, V, bias);
    add_dofs(S + 3, v + 3, 3, V, bias);
    break;
  case CAROM_JOINT_BALL:
    add_dofs(S, v, 3, V, bias);
    break;
  case CAROM_JOINT_SLIDE:
  case CAROM_JOINT_HINGE:
    add_dofs(S, v, 1, V, bias);
    break;
  }
}

static inline void add_joints(const cr_tree_model* model, int link, const sv* S, const double* v,
                              sv* V, sv* bias) {
  for (int j = model->link_joint_start[link]; j < model->link_joint_start[link + 1]; j++) {
    int k = model->joint_v_start[j];
    add_joint(model->joint_type[j], S + k, v + k, V, bias);
  }
}

void cr_tree_update_velocities(const cr_tree_model* model, int tree,
                               const cr_tree_kinematics* kinematics, const double* v,
                               cr_tree_velocities* velocities) {
  int first = model->tree_link_start[tree];
  for (int i = first; i < model->tree_link_end[tree]; i++) {
    sv V = i == first ? sv_zero() : velocities->link_V[model->link_parent[i]], bias = sv_zero();
    add_joints(model, i, kinematics->S, v, &V, &bias);
    velocities->link_V[i] = V;
    velocities->link_bias[i] = bias;
  }
}

void cr_tree_update_link_velocities(const cr_tree_model* model, int tree,
                                    const cr_tree_kinematics* kinematics, const double* v,
                                    sv* link_V) {
  int first = model->tree_link_start[tree];
  for (int i = first; i < model->tree_link_end[tree]; i++) {
    sv V = i == first ? sv_zero() : link_V[model->link_parent[i]];
    add_joints(model, i, kinematics->S, v, &V, NULL);
    link_V[i] = V;
  }
}

/* Writes a vector into column k of a row-major [3, n] matrix. */
static inline void write_column(double* matrix, int n, int k, v3 x) {
  matrix[k] = x.x;
  matrix[n + k] = x.y;
  matrix[2 * n + k] = x.z;
}

void cr_tree_compute_jacobian(const cr_tree_model* model, const cr_tree_kinematics* kinematics,
                              int link, v3 x, double* linear, double* angular) {
  int n = model->num_v, tree = model->link_tree[link];
  size_t size = sizeof(double) * 3 * (size_t)n;
  if (linear) memset(linear, 0, size);
  if (angular) memset(angular, 0, size);
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k]) {
    if (linear) write_column(linear, n, k, cr_tree_dof_point_velocity(kinematics, tree, k, x));
    if (angular) write_column(angular, n, k, kinematics->S[k].ang);
  }
}
