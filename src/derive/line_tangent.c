/* A line pulls at links with wrenches W; its row has S_k · W, summed over what a dof k moves. With
 * the twist T of a link in a direction a wrench's entry changes by
 *
 *   S_k · (dW - T ×* W) + W · (S_k × S_j)          the last where k carries j, which moves the link
 *
 * as row_tangent.c has it. dW follows from how the straight parts turn: between two points by their
 * relative motion across, where they wind around a body as force/wrap.c says. */
#include "derive/line_tangent.h"

#include "base/copy.h"
#include "derive/rotation_slope.h"
#include "force/wrap.h"

#include <math.h>
#include <string.h>

/* A line that is being differentiated, by motions in turn: by each of its dofs into a column of its
 * own, or by what displaces all that a joint carries, as a dof there would, into one for all. */
typedef struct maker {
  const cr_line_place* at;
  const cr_line_tangent* t;
  const cr_line_displacement* by; /* null: by its dofs */
  double *G, *H, *carried;        /* [columns], [n, columns] */
} maker;

static maker by_dofs(const cr_line_place* place, const cr_line_tangent* t) {
  return (maker){place, t, NULL, t->G, t->H, t->carried};
}

static int count_motions(const maker* m) { return m->by ? m->by->count : m->t->n; }

/* Where motion j goes of what is there for a dof, the k-th of the line. */
static int find_entry(const maker* m, int k, int j) { return m->by ? k : k * m->t->n + j; }

/* Sets the change of the length. */
static void put_length(const maker* m, int j, double change) {
  if (m->by)
    m->G[0] += change;
  else
    m->G[j] = change;
}

/* --- One motion ---------------------------------------------------------------------------------
 */

static bool moves(const cr_tree_model* tree, int dof, int link) {
  int k = tree->link_last_dof[link];
  while (k > dof) k = tree->dof_parent[k];
  return k == dof;
}

static bool moves_link(const maker* m, int j, int link) {
  const cr_tree_model* tree = m->at->tree;
  if (tree->link_tree[link] < 0) return false;
  return m->by ? cr_tree_carries(tree, &m->by->in[j], link) : moves(tree, m->t->dof[j], link);
}

static sv twist_of(const maker* m, int link, int j) {
  if (!moves_link(m, j, link)) return sv_zero();
  return m->by ? m->by->in[j].S : m->at->kinematics->S[m->t->dof[j]];
}

static v3 arm(const maker* m, int link, v3 point) {
  int tree = m->at->tree->link_tree[link];
  return tree < 0 ? point : v3_sub(point, m->at->kinematics->origin[tree]);
}

static v3 way_of(const maker* m, int link, int j, v3 point) {
  return sv_point_velocity(twist_of(m, link, j), arm(m, link, point));
}

/* The first of the dofs that turn together with one. */
static int first_of_group(const cr_tree_model* tree, int dof) {
  int joint = tree->dof_joint[dof], first = tree->joint_v_start[joint];
  if (tree->joint_type[joint] == CAROM_JOINT_FREE) return dof < first + 3 ? first : first + 3;
  return tree->joint_type[joint] == CAROM_JOINT_BALL ? first : dof;
}

/* The first dof that a motion may carry. */
static int first_carried(const maker* m, int j) {
  const cr_tree_model* tree = m->at->tree;
  return m->by ? cr_tree_find_insertion_dof(tree, &m->by->in[j]) + 1
               : first_of_group(tree, m->t->dof[j]);
}

/* --- Entries ------------------------------------------------------------------------------------
 */

/* A wrench on a link, and how it changes. */
typedef struct end_force {
  int link;
  v3 point, force, torque;
  v3 dpoint, dforce, dtorque;
} end_force;

/* What motion j makes of H, and of the length by a displacement. */
static void add_end_force(const maker* m, const end_force* p, int j) {
  const cr_tree_model* tree = m->at->tree;
  const sv* S = m->at->kinematics->S;
  if (tree->link_tree[p->link] < 0) return;
  v3 r = arm(m, p->link, p->point);
  sv W = sv_point_force(p->force, r), T = twist_of(m, p->link, j);
  sv dW = sv_point_force(p->dforce, r);
  dW.ang = v3_add(v3_add(dW.ang, v3_cross(p->dpoint, p->force)), p->dtorque);
  W.ang = v3_add(W.ang, p->torque);
  dW = sv_sub(dW, sv_cross_force(T, W));
  if (m->by) m->G[0] += sv_dot(T, W);
  bool is_moved = moves_link(m, j, p->link);
  int first = first_carried(m, j);
  for (int k = 0; k < m->t->n; k++) {
    int dof = m->t->dof[k], at = find_entry(m, k, j);
    if (!moves(tree, dof, p->link)) continue;
    m->H[at] += sv_dot(S[dof], dW);
    if (!is_moved || dof >= first) continue;
    double carried = sv_dot(W, sv_cross_motion(S[dof], T));
    m->H[at] += carried, m->carried[at] += carried;
  }
}

/* The ends of a straight part pull at two links. */
static void add_ends(const maker* m, const int link[2], const v3 point[2], v3 force,
                     const v3 way[2], v3 change, int j) {
  for (int k = 0; k < 2; k++) {
    double sign = k ? 1 : -1;
    end_force p = {link[k],   point[k], v3_scale(sign, force),
                   v3_zero(), way[k],   v3_scale(sign, change),
                   v3_zero()};
    add_end_force(m, &p, j);
  }
}

/* --- Strings ------------------------------------------------------------------------------------
 */

static pose place_of(const maker* m, const cr_line_point* p) {
  return pose_mul(&m->at->kinematics->link_pose[p->link], &p->local);
}

static void add_straight(const maker* m, int link_a, v3 a, int link_b, v3 b, double share) {
  v3 d = v3_sub(b, a);
  double length = v3_norm(d);
  if (link_a == link_b || length < CR_LINE_SHORT) return;
  const int link[2] = {link_a, link_b};
  const v3 point[2] = {a, b};
  v3 n = v3_scale(1 / length, d);
  for (int j = 0; j < count_motions(m); j++) {
    const v3 way[2] = {way_of(m, link_a, j, a), way_of(m, link_b, j, b)};
    v3 apart = v3_sub(way[1], way[0]);
    v3 turn = v3_scale(share / length, v3_axpy(apart, -v3_dot(apart, n), n));
    add_ends(m, link, point, v3_scale(share, n), way, turn, j);
  }
}

/* Both straight parts act along lines through the sites. */
static void add_around(const maker* m, const cr_line_point* p, const v3 site[2],
                       const cr_wrap* wrap, const cr_wrap_tangent* by, double share) {
  int body = p[1].link;
  const int link[2] = {p[0].link, p[2].link};
  v3 force[2] = {v3_sub(wrap->point[0], site[0]), v3_sub(site[1], wrap->point[1])};
  for (int i = 0; i < 2; i++) force[i] = v3_scale(share / v3_norm(force[i]), force[i]);
  for (int j = 0; j < count_motions(m); j++) {
    v3 turn = twist_of(m, body, j).ang, way[2], relative[2];
    for (int i = 0; i < 2; i++) {
      way[i] = way_of(m, link[i], j, site[i]);
      relative[i] = v3_sub(way[i], way_of(m, body, j, site[i]));
    }
    for (int i = 0; i < 2; i++) {
      if (link[i] == body) continue;
      v3 own = v3_add(m3_mulv(&by->by[i][0], relative[0]), m3_mulv(&by->by[i][1], relative[1]));
      v3 change = v3_axpy(v3_cross(turn, force[i]), share, own);
      const int ends[2] = {i ? body : link[0], i ? link[1] : body};
      const v3 at[2] = {site[i], site[i]}, ways[2] = {way[i], way[i]};
      add_ends(m, ends, at, force[i], ways, change, j);
    }
  }
}

static void add_wrapped(const maker* m, const cr_line_point* p, double share) {
  const v3 site[2] = {place_of(m, &p[0]).p, place_of(m, &p[2]).p};
  v3 side;
  cr_wrap_body body = {p[1].kind == CR_POINT_CYLINDER, p[1].radius, place_of(m, &p[1]), NULL};
  if (p[1].side_link >= 0) {
    side = pose_point(&m->at->kinematics->link_pose[p[1].side_link], p[1].side);
    body.side = &side;
  }
  cr_wrap wrap;
  cr_wrap_tangent by;
  if (!cr_wrap_find(&body, site[0], site[1], &wrap)) {
    add_straight(m, p[0].link, site[0], p[2].link, site[1], share);
    return;
  }
  cr_wrap_find_tangent(&body, site[0], site[1], &wrap, &by);
  add_around(m, p, site, &wrap, &by, share);
}

static void bend_string(const maker* m) {
  const cr_line_model* model = m->at->model;
  const cr_line_point* end = model->point + model->point_start[m->t->line + 1];
  double share = 1;
  for (const cr_line_point* p = model->point + model->point_start[m->t->line]; p < end; p++) {
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

static double measure_relative(const maker* m, const cr_line_point* p, int j, v3 force, v3 torque) {
  pose own = place_of(m, &p[0]), frame = place_of(m, &p[1]);
  pose relative = pose_relative(&frame, &own);
  v3 turn = twist_of(m, p[0].link, j).ang, reference = twist_of(m, p[1].link, j).ang;
  v3 way = v3_sub(way_of(m, p[0].link, j, own.p), way_of(m, p[1].link, j, frame.p));
  way = v3_sub(way, v3_cross(reference, v3_sub(own.p, frame.p)));
  m3 slope = cr_rotation_vector_slope(quat_log(quat_from_m3(&relative.R)));
  v3 turned = m3_mulv(&slope, m3_tmulv(&own.R, v3_sub(turn, reference)));
  return v3_dot(force, m3_tmulv(&frame.R, way)) + v3_dot(torque, turned);
}

/* Dofs that move both links do nothing. */
static void clear_common(const maker* m, const cr_line_point* p) {
  const cr_tree_model* tree = m->at->tree;
  for (int k = 0; k < m->t->n; k++)
    for (int j = 0; j < count_motions(m); j++)
      if (moves(tree, m->t->dof[k], p[0].link) && moves(tree, m->t->dof[k], p[1].link))
        m->H[find_entry(m, k, j)] = 0;
}

static void bend_wrench(const maker* m) {
  const cr_line_model* model = m->at->model;
  const cr_line_point* p = model->point + model->point_start[m->t->line];
  const double* w = model->wrench + 6 * m->t->line;
  int count = model->point_start[m->t->line + 1] - model->point_start[m->t->line];
  pose frame = place_of(m, &p[count > 1]);
  v3 force = m3_mulv(&frame.R, v3_load(w)), torque = m3_mulv(&frame.R, v3_load(w + 3));
  for (int j = 0; j < count_motions(m); j++) {
    v3 turn = twist_of(m, p[count > 1].link, j).ang;
    for (int k = 0; k < (count > 1 ? 2 : 1); k++) {
      double sign = k ? -1 : 1;
      v3 at = place_of(m, &p[k]).p;
      end_force one = {p[k].link,
                       at,
                       v3_scale(sign, force),
                       v3_scale(sign, torque),
                       way_of(m, p[k].link, j, at),
                       v3_scale(sign, v3_cross(turn, force)),
                       v3_scale(sign, v3_cross(turn, torque))};
      add_end_force(m, &one, j);
    }
  }
  if (m->by) m->G[0] = 0; /* which is no length, as next */
  for (int j = 0; j < count_motions(m); j++)
    put_length(m, j, count > 1 ? measure_relative(m, p, j, v3_load(w), v3_load(w + 3)) : 0);
  if (count > 1) clear_common(m, p);
}

/* --- Ball and free joints -----------------------------------------------------------------------
 */

/* Displacements leave it what it is: its row stands in the link's axes, or in the parent's. */
static void bend_joint(const maker* m) {
  if (m->by) return;
  const cr_line_model* model = m->at->model;
  const cr_tree_model* tree = m->at->tree;
  int line = m->t->line, joint = model->joint[line], link = tree->joint_link[joint];
  bool is_ball = tree->joint_type[joint] == CAROM_JOINT_BALL;
  bool is_in_parent = model->kind[line] == CR_LINE_JOINT_IN_PARENT;
  const double* w = model->wrench + 6 * line;
  quat turn = quat_normalize(quat_load(m->at->q + tree->joint_q_start[joint] + (is_ball ? 0 : 3)));
  v3 own = v3_load(is_ball ? w : w + 3);
  m3 slope = cr_rotation_vector_slope(quat_log(turn));
  v3 gradient = m3_tmulv(&slope, own);
  v3 in_link = is_in_parent ? quat_rotate(quat_conjugate(turn), own) : own;
  const pose* frame = &m->at->kinematics->link_pose[link];
  v3 force = is_ball ? v3_zero() : v3_load(w), torque = m3_mulv(&frame->R, in_link);
  for (int j = 0; j < m->t->n; j++) {
    int dof = m->t->dof[j], first = tree->joint_v_start[joint] + (is_ball ? 0 : 3);
    v3 turned = v3_cross(twist_of(m, link, j).ang, torque);
    end_force p = {link,
                   frame->p,
                   force,
                   torque,
                   way_of(m, link, j, frame->p),
                   v3_zero(),
                   is_in_parent ? v3_zero() : turned};
    add_end_force(m, &p, j);
    m->G[j] = is_ball && dof >= first ? v3_get(gradient, dof - first) : 0;
  }
}

/* --- Slider-cranks ------------------------------------------------------------------------------
 */

static void bend_crank(const maker* m) {
  const cr_line_model* model = m->at->model;
  const cr_line_point* p = model->point + model->point_start[m->t->line];
  pose slider = place_of(m, &p[0]), crank = place_of(m, &p[1]);
  v3 axis = m3_column(&slider.R, 2), x = v3_sub(crank.p, slider.p);
  double along = v3_dot(axis, x), rod = model->rod[m->t->line];
  double square = along * along + rod * rod - v3_norm2(x), root = square > 0 ? sqrt(square) : 0;
  double share = root > 0 ? 1 - along / root : 1;
  v3 by_axis = v3_scale(share, x), by_x = v3_scale(share, axis);
  if (root > 0) by_x = v3_axpy(by_x, 1 / root, x);
  for (int j = 0; j < count_motions(m); j++) {
    v3 ways[2] = {way_of(m, p[0].link, j, slider.p), way_of(m, p[1].link, j, crank.p)};
    v3 daxis = v3_cross(twist_of(m, p[0].link, j).ang, axis), dx = v3_sub(ways[1], ways[0]);
    double dalong = v3_dot(daxis, x) + v3_dot(axis, dx);
    double droot = root > 0 ? (along * dalong - v3_dot(x, dx)) / root : 0;
    double dshare = root > 0 ? (along * droot / root - dalong) / root : 0;
    v3 dby_axis = v3_axpy(v3_scale(dshare, x), share, dx);
    v3 dby_x = v3_axpy(v3_scale(dshare, axis), share, daxis);
    if (root > 0) dby_x = v3_add(dby_x, v3_scale(1 / root, v3_axpy(dx, -droot / root, x)));
    v3 dtorque = v3_add(v3_cross(daxis, by_axis), v3_cross(axis, dby_axis));
    end_force first = {p[0].link, slider.p,      v3_neg(by_x), v3_cross(axis, by_axis),
                       ways[0],   v3_neg(dby_x), dtorque};
    end_force second = {p[1].link, crank.p, by_x, v3_zero(), ways[1], dby_x, v3_zero()};
    add_end_force(m, &first, j), add_end_force(m, &second, j);
  }
}

/* --- All ----------------------------------------------------------------------------------------
 */

static void bend_nothing(const maker* m) { (void)m; }

static void bend(const maker* m) {
  static void (*const BENDS[])(const maker*) = {
      [CR_LINE_FIXED] = bend_nothing,   [CR_LINE_SPATIAL] = bend_string,
      [CR_LINE_WRENCH] = bend_wrench,   [CR_LINE_JOINT] = bend_joint,
      [CR_LINE_CRANK] = bend_crank,     [CR_LINE_JOINT_IN_PARENT] = bend_joint,
      [CR_LINE_NOTHING] = bend_nothing,
  };
  BENDS[m->at->model->kind[m->t->line]](m);
}

/* Room for a row of n dofs, whose J returns; null when memory ran out. */
static double* push_row(cr_arena* arena, int line, const int* dofs, int n, cr_line_tangent* t) {
  size_t square = (size_t)n * (size_t)n;
  double* J = CR_PUSH(arena, double, n);
  *t = (cr_line_tangent){.line = line,
                         .n = n,
                         .dof = dofs,
                         .J = J,
                         .G = CR_PUSH(arena, double, n),
                         .H = CR_PUSH(arena, double, square),
                         .carried = CR_PUSH(arena, double, square),
                         .moved = CR_PUSH(arena, double, n),
                         .moved_carried = CR_PUSH(arena, double, n)};
  if (arena->failed) return NULL;
  memset(t->H, 0, sizeof(double) * square);
  memset(t->carried, 0, sizeof(double) * square);
  return J;
}

bool cr_line_tangent_find(const cr_line_place* place, const cr_lines* lines, int line,
                          cr_arena* arena, cr_line_tangent* t) {
  const cr_line_model* model = place->model;
  int first = model->start[line], n = model->start[line + 1] - first;
  double* J = push_row(arena, line, model->dof + first, n, t);
  if (!J) return false;
  CR_COPY(J, lines->J + first, n);
  CR_COPY(t->G, J, n);
  const maker m = by_dofs(place, t);
  bend(&m);
  return true;
}

/* Dofs on the paths of two links, each once. */
static int list_dofs(const cr_tree_model* tree, const int link[2], int* dofs) {
  int count = 0;
  for (int k = 0; k < 2; k++)
    for (int i = tree->link_tree[link[k]] < 0 ? -1 : tree->link_last_dof[link[k]]; i >= 0;
         i = tree->dof_parent[i])
      if (k == 0 || tree->link_tree[link[0]] < 0 || !moves(tree, i, link[0])) dofs[count++] = i;
  return count;
}

static void fill_strand_row(const maker* m, const cr_line_strand* s, v3 axis, double* J) {
  for (int j = 0; j < m->t->n; j++) {
    v3 ways[2];
    for (int k = 0; k < 2; k++) ways[k] = way_of(m, s->link[k], j, s->point[k]);
    J[j] = v3_dot(axis, v3_sub(ways[1], ways[0]));
  }
}

/* The same of a row of two links. */
static double* push_link_row(const cr_line_place* place, const int link[2], cr_arena* arena,
                             cr_line_tangent* t) {
  int* dofs = CR_PUSH(arena, int, 2 * place->tree->num_v);
  return arena->failed ? NULL : push_row(arena, -1, dofs, list_dofs(place->tree, link, dofs), t);
}

bool cr_line_tangent_of_wrench(const cr_line_place* place, const cr_line_wrench* w, cr_arena* arena,
                               cr_line_tangent* t) {
  const int link[2] = {0, w->link};
  double* J = push_link_row(place, link, arena, t);
  const maker m = by_dofs(place, t);
  if (!J) return false;
  for (int j = 0; j < t->n; j++) {
    v3 turn = twist_of(&m, w->link, j).ang;
    v3 way = way_of(&m, w->link, j, w->point);
    end_force p = {w->link,
                   w->point,
                   w->force,
                   w->torque,
                   way,
                   w->stays ? v3_zero() : v3_cross(turn, w->force),
                   w->stays ? v3_zero() : v3_cross(turn, w->torque)};
    J[j] = t->G[j] = v3_dot(w->force, way) + v3_dot(w->torque, turn);
    add_end_force(&m, &p, j);
  }
  return true;
}

/* Along itself, or along an axis. */
static void bend_strand(const maker* m) {
  const cr_line_strand* s = &m->t->strand;
  v3 axis = m->t->axis;
  if (!m->t->has_axis) add_straight(m, s->link[0], s->point[0], s->link[1], s->point[1], 1);
  for (int j = 0; m->t->has_axis && j < count_motions(m); j++) {
    const v3 ways[2] = {way_of(m, s->link[0], j, s->point[0]),
                        way_of(m, s->link[1], j, s->point[1])};
    add_ends(m, s->link, s->point, axis, ways, v3_zero(), j);
  }
}

bool cr_line_tangent_of_strand(const cr_line_place* place, const cr_line_strand* s, const v3* axis,
                               cr_arena* arena, cr_line_tangent* t) {
  double* J = push_link_row(place, s->link, arena, t);
  if (!J) return false;
  v3 along = v3_normalize_or(v3_sub(s->point[1], s->point[0]), v3_zero());
  t->is_strand = true, t->has_axis = axis != NULL;
  t->strand = *s, t->axis = axis ? *axis : along;
  const maker m = by_dofs(place, t);
  fill_strand_row(&m, s, t->axis, J);
  CR_COPY(t->G, J, t->n);
  bend_strand(&m);
  return true;
}

double cr_line_tangent_displace(const cr_line_place* place, const cr_line_tangent* t,
                                const cr_line_displacement* by) {
  double length = 0;
  const maker m = {place, t, by, &length, t->moved, t->moved_carried};
  memset(t->moved, 0, sizeof(double) * (size_t)t->n);
  memset(t->moved_carried, 0, sizeof(double) * (size_t)t->n);
  (t->is_strand ? bend_strand : bend)(&m);
  for (int k = 0; k < t->n && t->left_out; k++)
    if (t->left_out[t->dof[k]]) t->moved[k] = 0;
  return length;
}

/* --- Products -----------------------------------------------------------------------------------
 */

double cr_line_tangent_rate(const cr_line_tangent* t, const double* x) {
  double sum = 0;
  for (int i = 0; i < t->n; i++) sum += t->J[i] * x[t->dof[i]];
  return sum;
}

double cr_line_tangent_length(const cr_line_tangent* t, const double* x) {
  double sum = 0;
  for (int i = 0; i < t->n; i++) sum += t->G[i] * x[t->dof[i]];
  return sum;
}

double cr_line_tangent_bend(const cr_line_tangent* t, const double* x, const double* y) {
  double sum = 0;
  for (int k = 0; k < t->n; k++)
    for (int j = 0; j < t->n; j++) sum += y[t->dof[k]] * t->H[k * t->n + j] * x[t->dof[j]];
  return sum;
}

void cr_line_tangent_add_row(const cr_line_tangent* t, double s, double* y) {
  for (int i = 0; i < t->n; i++) y[t->dof[i]] += s * t->J[i];
}

void cr_line_tangent_add_length(const cr_line_tangent* t, double s, double* y) {
  for (int i = 0; i < t->n; i++) y[t->dof[i]] += s * t->G[i];
}

void cr_line_tangent_add_bend(const cr_line_tangent* t, double s, const double* x, double* y) {
  for (int k = 0; k < t->n; k++)
    for (int j = 0; j < t->n; j++) y[t->dof[k]] += s * t->H[k * t->n + j] * x[t->dof[j]];
}

void cr_line_tangent_pull_bend(const cr_line_tangent* t, double s, const double* y, double* x) {
  for (int k = 0; k < t->n; k++)
    for (int j = 0; j < t->n; j++) x[t->dof[j]] += s * t->H[k * t->n + j] * y[t->dof[k]];
}
