/* Lines: strings through points and around spheres and cylinders, slider-cranks, wrenches between
 * frames. Each moves with forces at points of links; a dof's entry of J is their power at its unit
 * rate, S . (moment, force) about the tree's origin. The arc around a body stays on it, so that
 * only the straight parts count. */
#include "force/line.h"

#include "force/wrap.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

bool cr_lines_push(cr_arena* arena, const cr_line_model* model, cr_lines* lines) {
  lines->length = CR_PUSH(arena, double, model->num_lines);
  lines->J = CR_PUSH(arena, double, model->num_terms);
  return !arena->failed;
}

/* --- Forces on links ----------------------------------------------------------------------------
 */

/* A line that is being measured. */
typedef struct measure {
  const cr_line_place* at;
  int line;
  double length;
  double* J;               /* of the line's terms */
  cr_line_strand* strands; /* receives the straight parts in place of J; null: it does not */
  int num_strands;
  bool is_wound;  /* the part at hand ends on a body that it winds around */
  sv* link_force; /* takes what `force` along the line does to links in place of J; null: likewise
                   */
  double force;
} measure;

/* A force and torque on a link, about the world's origin. */
static void add_link_force(measure* m, int link, v3 force, v3 torque, v3 point) {
  sv wrench = sv_point_force(force, point);
  wrench.ang = v3_add(wrench.ang, torque);
  m->link_force[link] = sv_axpy(m->link_force[link], m->force, wrench);
}

/* J += what a force and torque on a link do to the dofs up to its root. The terms are ascending, as
 * are dofs from the root. */
static void add_wrench(measure* m, int link, v3 force, v3 torque, v3 point) {
  const cr_tree_model* tree = m->at->tree;
  const cr_line_model* model = m->at->model;
  int term = model->start[m->line + 1] - 1, first = model->start[m->line];
  if (m->link_force) add_link_force(m, link, force, torque, point);
  if (!m->J || tree->link_tree[link] < 0) return;
  v3 arm = v3_sub(point, m->at->kinematics->origin[tree->link_tree[link]]);
  sv wrench = sv_point_force(force, arm);
  wrench.ang = v3_add(wrench.ang, torque);
  for (int dof = tree->link_last_dof[link]; dof >= 0; dof = tree->dof_parent[dof]) {
    while (term > first && model->dof[term] > dof) term--;
    if (term >= first && model->dof[term] == dof)
      m->J[term - first] += sv_dot(m->at->kinematics->S[dof], wrench);
  }
}

static pose place_of(const measure* m, const cr_line_point* p) {
  return pose_mul(&m->at->kinematics->link_pose[p->link], &p->local);
}

/* --- Strings ------------------------------------------------------------------------------------
 */

/* A straight part between points of two links. */
static void add_straight(measure* m, int link_a, v3 a, int link_b, v3 b, double share) {
  v3 d = v3_sub(b, a);
  double length = v3_norm(d);
  m->length += share * length;
  if (link_a == link_b || length < CR_LINE_SHORT) return;
  if (m->strands) {
    m->strands[m->num_strands++] = (cr_line_strand){{link_a, link_b}, {a, b}, share, m->is_wound};
    return;
  }
  v3 direction = v3_scale(share / length, d);
  add_wrench(m, link_a, v3_neg(direction), v3_zero(), a);
  add_wrench(m, link_b, direction, v3_zero(), b);
}

/* From a site to the next, around the body between them where it touches that. */
static void add_wrapped(measure* m, const cr_line_point* p, double share) {
  pose from = place_of(m, &p[0]), to = place_of(m, &p[2]);
  v3 side;
  cr_wrap_body body = {p[1].kind == CR_POINT_CYLINDER, p[1].radius, place_of(m, &p[1]), NULL};
  if (p[1].side_link >= 0) {
    side = pose_point(&m->at->kinematics->link_pose[p[1].side_link], p[1].side);
    body.side = &side;
  }
  cr_wrap wrap;
  if (!cr_wrap_find(&body, from.p, to.p, &wrap)) {
    add_straight(m, p[0].link, from.p, p[2].link, to.p, share);
    return;
  }
  m->is_wound = true;
  add_straight(m, p[0].link, from.p, p[1].link, wrap.point[0], share);
  m->length += share * wrap.length;
  add_straight(m, p[1].link, wrap.point[1], p[2].link, to.p, share);
  m->is_wound = false;
}

static void measure_string(measure* m) {
  const cr_line_model* model = m->at->model;
  const cr_line_point* end = model->point + model->point_start[m->line + 1];
  double share = 1;
  for (const cr_line_point* p = model->point + model->point_start[m->line]; p < end; p++) {
    if (p->kind == CR_POINT_PULLEY) share = 1 / p->divisor;
    if (p->kind != CR_POINT_SITE || p + 1 >= end) continue;
    if (p[1].kind == CR_POINT_SITE)
      add_straight(m, p->link, place_of(m, p).p, p[1].link, place_of(m, p + 1).p, share);
    else if (p[1].kind != CR_POINT_PULLEY)
      add_wrapped(m, p, share);
  }
}

/* --- Wrenches -----------------------------------------------------------------------------------
 */

/* The wrench acts on the first point in the axes of the frame it is given in: the second point's
 * where there is one, which then takes the opposite. Dofs that move both alike get nothing. */
static void measure_wrench(measure* m) {
  const cr_line_model* model = m->at->model;
  const cr_line_point* p = model->point + model->point_start[m->line];
  const double* w = model->wrench + 6 * m->line;
  bool has_reference = model->point_start[m->line + 1] - model->point_start[m->line] > 1;
  pose own = place_of(m, &p[0]), frame = has_reference ? place_of(m, &p[1]) : own;
  v3 force = m3_mulv(&frame.R, v3_load(w)), torque = m3_mulv(&frame.R, v3_load(w + 3));
  add_wrench(m, p[0].link, force, torque, own.p);
  if (!has_reference) return;
  add_wrench(m, p[1].link, v3_neg(force), v3_neg(torque), frame.p);
  pose relative = pose_relative(&frame, &own);
  v3 turn = quat_log(quat_from_m3(&relative.R));
  m->length = v3_dot(v3_load(w), relative.p) + v3_dot(v3_load(w + 3), turn);
  /* What is above both moves them as one; their frames' distance gives it a share that is none. */
  const cr_tree_model* tree = m->at->tree;
  for (int i = model->start[m->line]; m->J && i < model->start[m->line + 1]; i++) {
    int both = 0;
    for (int k = 0; k < 2; k++)
      for (int dof = tree->link_last_dof[p[k].link]; dof >= 0; dof = tree->dof_parent[dof])
        both += dof == model->dof[i];
    if (both == 2) m->J[i - model->start[m->line]] = 0;
  }
}

/* --- Ball and free joints -----------------------------------------------------------------------
 */

/* Only the joint's own dofs are on the line. */
static void measure_joint(measure* m) {
  const cr_line_model* model = m->at->model;
  const cr_tree_model* tree = m->at->tree;
  int joint = model->joint[m->line], link = tree->joint_link[joint];
  bool is_ball = tree->joint_type[joint] == CAROM_JOINT_BALL;
  bool is_in_parent = model->kind[m->line] == CR_LINE_JOINT_IN_PARENT;
  const double* w = model->wrench + 6 * m->line;
  quat turn = quat_normalize(quat_load(m->at->q + tree->joint_q_start[joint] + (is_ball ? 0 : 3)));
  v3 torque = v3_load(is_ball ? w : w + 3);
  if (is_ball) m->length = v3_dot(torque, quat_log(turn));
  if (is_in_parent) torque = quat_rotate(quat_conjugate(turn), torque);
  const pose* frame = &m->at->kinematics->link_pose[link];
  add_wrench(m, link, is_ball ? v3_zero() : v3_load(w), m3_mulv(&frame->R, torque), frame->p);
}

/* --- Slider-cranks ------------------------------------------------------------------------------
 */

/* l = a . x - sqrt((a . x)² + rod² - x²), with x from the slider's site to the crank's and a the
 * slider's axis; where the rod is too short to reach, l = a . x. */
static void measure_crank(measure* m) {
  const cr_line_model* model = m->at->model;
  const cr_line_point* p = model->point + model->point_start[m->line];
  pose slider = place_of(m, &p[0]), crank = place_of(m, &p[1]);
  v3 axis = m3_column(&slider.R, 2), x = v3_sub(crank.p, slider.p);
  double along = v3_dot(axis, x), rod = model->rod[m->line];
  double square = along * along + rod * rod - v3_norm2(x), root = square > 0 ? sqrt(square) : 0;
  double share = root > 0 ? 1 - along / root : 1;
  m->length = along - root;
  v3 by_axis = v3_scale(share, x), by_x = v3_scale(share, axis);
  if (root > 0) by_x = v3_axpy(by_x, 1 / root, x);
  add_wrench(m, p[0].link, v3_neg(by_x), v3_cross(axis, by_axis), slider.p);
  add_wrench(m, p[1].link, by_x, v3_zero(), crank.p);
}

/* --- All ----------------------------------------------------------------------------------------
 */

static void measure_fixed(measure* m) {
  const cr_line_model* model = m->at->model;
  int first = model->start[m->line];
  for (int i = first; i < model->start[m->line + 1]; i++) {
    m->J[i - first] = model->coefficient[i];
    m->length += model->coefficient[i] * m->at->q[model->q[i]];
  }
}

static void measure_nothing(measure* m) { m->length = 0; }

void cr_line_update(const cr_line_place* place, int line, cr_lines* lines) {
  static void (*const MEASURES[])(measure*) = {
      [CR_LINE_FIXED] = measure_fixed,           [CR_LINE_SPATIAL] = measure_string,
      [CR_LINE_WRENCH] = measure_wrench,         [CR_LINE_JOINT] = measure_joint,
      [CR_LINE_JOINT_IN_PARENT] = measure_joint, [CR_LINE_CRANK] = measure_crank,
      [CR_LINE_NOTHING] = measure_nothing,
  };
  const cr_line_model* model = place->model;
  int first = model->start[line], count = model->start[line + 1] - first;
  measure m = {.at = place, .line = line, .J = lines->J + first};
  for (int i = 0; i < count; i++) m.J[i] = 0;
  MEASURES[model->kind[line]](&m);
  lines->length[line] = m.length;
}

int cr_line_find_strands(const cr_line_place* place, int line, cr_line_strand* strands) {
  measure m = {.at = place, .line = line, .strands = strands};
  if (place->model->kind[line] == CR_LINE_SPATIAL) measure_string(&m);
  return m.num_strands;
}

void cr_line_add_link_forces(const cr_line_place* place, int line, double force, sv* link_force) {
  measure m = {.at = place, .line = line, .link_force = link_force, .force = force};
  if (place->model->kind[line] == CR_LINE_SPATIAL) measure_string(&m);
  if (place->model->kind[line] == CR_LINE_WRENCH) measure_wrench(&m);
  if (place->model->kind[line] == CR_LINE_CRANK) measure_crank(&m);
}

/* Velocity of a link's point, and its acceleration where v does not change (sensing_frame.c has the
 * formula). */
static void find_course(const cr_line_place* place, const cr_tree_velocities* velocities, int link,
                        v3 point, v3 course[2]) {
  const cr_tree_model* tree = place->tree;
  course[0] = course[1] = v3_zero();
  if (tree->link_tree[link] < 0) return;
  sv V = velocities->link_V[link], A = sv_zero();
  for (int i = link; i > 0; i = tree->link_parent[i]) A = sv_add(A, velocities->link_bias[i]);
  v3 arm = v3_sub(point, place->kinematics->origin[tree->link_tree[link]]);
  course[0] = sv_point_velocity(V, arm);
  course[1] = v3_add(sv_point_velocity(A, arm), v3_cross(V.ang, course[0]));
}

double cr_line_compute_drift(const cr_line_place* place, const cr_tree_velocities* velocities,
                             int line) {
  const cr_line_model* model = place->model;
  const cr_line_point* end = model->point + model->point_start[line + 1];
  double sum = 0, share = 1;
  if (model->kind[line] != CR_LINE_SPATIAL) return 0;
  for (const cr_line_point* p = model->point + model->point_start[line]; p < end; p++) {
    if (p->kind == CR_POINT_PULLEY) share = 1 / p->divisor;
    if (p->kind != CR_POINT_SITE || p + 1 >= end || p[1].kind != CR_POINT_SITE) continue;
    v3 at[2], course[2][2];
    for (int k = 0; k < 2; k++) {
      at[k] = pose_point(&place->kinematics->link_pose[p[k].link], p[k].local.p);
      find_course(place, velocities, p[k].link, at[k], course[k]);
    }
    v3 d = v3_sub(at[1], at[0]), rate = v3_sub(course[1][0], course[0][0]);
    double length = v3_norm(d), along = length > CR_LINE_SHORT ? v3_dot(d, rate) / length : 0;
    if (p[0].link == p[1].link || length < CR_LINE_SHORT) continue;
    sum += share *
           (v3_dot(d, v3_sub(course[1][1], course[0][1])) + v3_norm2(rate) - along * along) /
           length;
  }
  return sum;
}

void cr_lines_update(const cr_line_place* place, cr_lines* lines) {
  for (int i = 0; i < place->model->num_lines; i++) cr_line_update(place, i, lines);
}

double cr_line_compute_rate(const cr_line_model* model, const cr_lines* lines, int line,
                            const double* v) {
  double sum = 0;
  for (int i = model->start[line]; i < model->start[line + 1]; i++)
    sum += lines->J[i] * v[model->dof[i]];
  return sum;
}

void cr_line_add_force(const cr_line_model* model, const cr_lines* lines, int line, double force,
                       double* tau) {
  for (int i = model->start[line]; i < model->start[line + 1]; i++)
    tau[model->dof[i]] += force * lines->J[i];
}
