/* A step turns by the unit quaternion of f = (1 - s |b|², b), b = length w / 2 (coordinates.c), and
 * a quaternion f that changes by f' turns, in its own frame, by 2 Im(f^-1 f') = 2 (f_w b' - f_w' b
 * - b × b') / |f|². */
#include "tree/tangent.h"

#include "math/scalar.h"

#include <string.h>

bool cr_tree_push_stride_tangent(cr_arena* arena, const cr_tree_model* model,
                                 cr_stride_tangent* tangent) {
  tangent->turn = CR_PUSH(arena, cr_turn_tangent, model->num_joints);
  return !arena->failed;
}

static cr_turn_tangent find_turn(double length, double stretch, v3 w) {
  v3 b = v3_scale(0.5 * length, w);
  quat f = {1 - stretch * v3_norm2(b), b.x, b.y, b.z};
  double scale = length / quat_norm2(f);
  cr_turn_tangent turn;
  m3 R = quat_to_m3(quat_normalize(f));
  turn.start = m3_transpose(&R);
  for (int k = 0; k < 3; k++) {
    v3 unit = v3_set(v3_zero(), k, 1);
    v3 column = v3_sub(v3_scale(f.w, unit), v3_cross(b, unit));
    column = v3_axpy(column, 2 * stretch * v3_get(b, k), b);
    for (int i = 0; i < 3; i++) turn.rate.m[i][k] = scale * v3_get(column, i);
  }
  return turn;
}

/* The first dof of a joint's rotation, -1: it has none. */
static int find_rotation(const cr_tree_model* model, int joint) {
  carom_joint_type type = model->joint_type[joint];
  if (type == CAROM_JOINT_FREE) return model->joint_v_start[joint] + 3;
  return type == CAROM_JOINT_BALL ? model->joint_v_start[joint] : -1;
}

static void find_tangent(const cr_tree_model* model, int tree, const double* v, double stretch,
                         cr_stride_tangent* tangent) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int dof = find_rotation(model, j);
    if (dof >= 0) tangent->turn[j] = find_turn(tangent->length, stretch, v3_load(v + dof));
  }
}

void cr_tree_find_mid_tangent(const cr_tree_model* model, int tree, const double* v, double dt,
                              double theta, cr_stride_tangent* tangent) {
  tangent->length = theta * dt;
  find_tangent(model, tree, v, 0, tangent);
}

void cr_tree_find_advance_tangent(const cr_tree_model* model, int tree, const double* v, double dt,
                                  double theta, cr_rotation_update update,
                                  cr_stride_tangent* tangent) {
  tangent->length = dt;
  find_tangent(model, tree, v, cr_tree_find_stretch(theta, update), tangent);
}

void cr_tree_apply_stride_tangent(const cr_tree_model* model, int tree,
                                  const cr_stride_tangent* tangent, const double* dq0,
                                  const double* dv, double* dq) {
  int first = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - first;
  scalar_axpy(dq0 + first, tangent->length, dv + first, n, dq + first);
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int dof = find_rotation(model, j);
    if (dof < 0) continue;
    const cr_turn_tangent* turn = &tangent->turn[j];
    v3 end =
        v3_add(m3_mulv(&turn->start, v3_load(dq0 + dof)), m3_mulv(&turn->rate, v3_load(dv + dof)));
    v3_store(end, dq + dof);
  }
}

void cr_tree_add_stride_cotangent(const cr_tree_model* model, int tree,
                                  const cr_stride_tangent* tangent, const double* dq, double s,
                                  double* dq0, double* dv) {
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    int joint = model->dof_joint[i], dof = find_rotation(model, joint);
    if (i != dof) {
      dq0[i] += dq[i], dv[i] += s * tangent->length * dq[i];
      continue;
    }
    const cr_turn_tangent* turn = &tangent->turn[joint];
    v3 x = v3_load(dq + dof);
    v3_store(v3_add(v3_load(dq0 + dof), m3_tmulv(&turn->start, x)), dq0 + dof);
    v3_store(v3_axpy(v3_load(dv + dof), s, m3_tmulv(&turn->rate, x)), dv + dof);
    i += 2;
  }
}

/* y += a x of one of the rows each; nothing where a is zero. */
static void add_row(const cr_stride_rows* rows, int to, int from, double a, double* out) {
  double* y = out + (ptrdiff_t)to * rows->stride;
  if (a != 0) scalar_axpy(y, a, rows->q + (ptrdiff_t)from * rows->stride, rows->width, y);
}

/* Dof j of the end moves by `start` of dof i of the beginning, and by `rate` of its velocity. */
static void add_stride_row(const cr_stride_rows* rows, int i, int j, double start, double rate) {
  add_row(rows, i, j, start, rows->q0);
  add_row(rows, i, j, (1 - rows->share) * rate, rows->v0);
  add_row(rows, i, j, rows->share * rate, rows->v1);
}

void cr_tree_add_stride_rows(const cr_tree_model* model, int tree, const cr_stride_tangent* tangent,
                             const cr_stride_rows* rows) {
  int first = model->tree_v_start[tree];
  for (int i = first; i < model->tree_v_start[tree + 1]; i++) {
    int joint = model->dof_joint[i], dof = find_rotation(model, joint), k = i - dof;
    if (dof < 0 || k < 0) {
      add_stride_row(rows, i - first, i - first, 1, tangent->length);
      continue;
    }
    const cr_turn_tangent* turn = &tangent->turn[joint];
    for (int e = 0; e < 3; e++)
      add_stride_row(rows, i - first, dof + e - first, turn->start.m[e][k], turn->rate.m[e][k]);
  }
}

/* --- Anchors off the frame's origin -------------------------------------------------------------
 */

/* The free joint that a tree begins with, where its anchor is off the frame's origin, and where
 * that turns; false: there is none. */
static bool find_offset(const cr_tree_model* model, int tree, const double* q, int* dof, v3* anchor,
                        m3* R) {
  int joint = cr_tree_first_joint(model, tree);
  *anchor = v3_load(model->joint_anchor + 3 * joint);
  if (model->joint_type[joint] != CAROM_JOINT_FREE || v3_norm2(*anchor) == 0) return false;
  *dof = model->joint_v_start[joint];
  *R = quat_to_m3(quat_normalize(quat_load(q + model->joint_q_start[joint] + 3)));
  return true;
}

/* lin += sign R (dφ × (w × c)), by which the anchor's velocity turns with the body. */
static void add_turn(const cr_tree_model* model, int tree, const double* q, const double* velocity,
                     const double* dq, double sign, double* out) {
  int dof;
  v3 anchor;
  m3 R;
  if (!find_offset(model, tree, q, &dof, &anchor, &R)) return;
  v3 across = v3_cross(v3_load(velocity + dof + 3), anchor);
  v3 turned = m3_mulv(&R, v3_cross(v3_load(dq + dof + 3), across));
  v3_store(v3_axpy(v3_load(out + dof), sign, turned), out + dof);
}

void cr_tree_velocity_tangent_to_internal(const cr_tree_model* model, int tree, const double* q,
                                          const double* v, const double* dq, const double* dv,
                                          double* du) {
  cr_tree_to_internal(model, tree, q, dv, du);
  add_turn(model, tree, q, v, dq, 1, du);
}

void cr_tree_velocity_tangent_to_interface(const cr_tree_model* model, int tree, const double* q,
                                           const double* u, const double* dq, const double* du,
                                           double* dv) {
  cr_tree_to_interface(model, tree, q, du, dv);
  add_turn(model, tree, q, u, dq, -1, dv);
}

void cr_tree_add_velocity_cotangent(const cr_tree_model* model, int tree, const double* q,
                                    const double* velocity, double sign, const double* du,
                                    double* dq) {
  int dof;
  v3 anchor;
  m3 R;
  if (!find_offset(model, tree, q, &dof, &anchor, &R)) return;
  v3 across = v3_cross(v3_load(velocity + dof + 3), anchor);
  v3 turned = v3_cross(across, m3_tmulv(&R, v3_load(du + dof)));
  v3_store(v3_axpy(v3_load(dq + dof + 3), sign, turned), dq + dof + 3);
}
