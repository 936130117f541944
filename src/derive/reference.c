/* With R the link's orientation now and R_0 at the reference, a point that a link carries where
 * another link's was at the reference moves in it by R R_0ᵀ (w' - w), w' and w the ways of the
 * other link's point and of its own. A weld's pose R_1ᵀ R_2 turns by u = R_2ᵀ (w_2 - w_1), by which
 * its error E = (R_1 R_r)ᵀ R_2 lags: its turn in the second link is - Eᵀ u. */
#include "derive/reference.h"

#include "base/copy.h"
#include "derive/line_tangent.h"
#include "derive/model_rows.h"
#include "derive/place_parameters.h"
#include "derive/rotation_slope.h"
#include "force/elements.h"
#include "model/record.h"
#include "sim/rows/row_values.h"

#include <math.h>
#include <string.h>

/* --- Places -------------------------------------------------------------------------------------
 */

static cr_step* place_at(cr_step_tangent* t, const double* q) {
  const carom_model* m = t->step->model;
  cr_step* at = CR_PUSH(t->arena, cr_step, 1);
  double* own = CR_PUSH(t->arena, double, m->num_q);
  if (t->arena->failed) return NULL;
  memset(at, 0, sizeof *at);
  CR_COPY(own, q, m->num_q);
  at->model = m, at->q_mid = own;
  if (!cr_tree_push_kinematics(t->arena, &m->tree, &at->kinematics)) return NULL;
  cr_tree_update_ground(&m->tree, NULL, &at->kinematics, NULL);
  for (int i = 0; i < m->tree.num_trees; i++)
    cr_tree_update_kinematics(&m->tree, i, q, &at->kinematics);
  return at;
}

bool cr_references_find(cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  bool any = false;
  for (int i = 0; i < t->num_thetas; i++) any |= cr_theta_is_of_place(&t->thetas[i]);
  if (!any) return true;
  t->reference = place_at(t, m->q_reference);
  t->spring_reference = place_at(t, m->force.q_spring);
  return !t->arena->failed;
}

/* How a point of a link moves there, and how the link turns. */
static sv twist_of(const cr_step* at, const cr_theta_column* theta, int link) {
  cr_tree_insertion in[2];
  int count = cr_place_theta_list(at, theta, in);
  sv sum = sv_zero();
  for (int k = 0; k < count; k++)
    if (cr_tree_carries(&at->model->tree, &in[k], link)) sum = sv_add(sum, in[k].S);
  return sum;
}

static v3 way_of(const cr_step* at, const cr_theta_column* theta, int link, v3 point) {
  int tree = at->model->tree.link_tree[link];
  if (tree < 0) return v3_zero();
  return sv_point_velocity(twist_of(at, theta, link), v3_sub(point, at->kinematics.origin[tree]));
}

/* --- Rests --------------------------------------------------------------------------------------
 */

double cr_reference_move_rest(const cr_step_tangent* t, const cr_theta_column* theta, int tendon) {
  const cr_step* at = t->spring_reference;
  const carom_model* m = at->model;
  cr_tree_insertion in[2];
  const cr_line_displacement by = {cr_place_theta_list(at, theta, in), in};
  cr_line_place place = {&m->force.line, &m->tree, &at->kinematics, at->q_mid};
  cr_line_tangent line;
  cr_lines lines;
  if (!isnan(CR_AT(&m->description->tendons, cr_tendon_record, tendon)->def.rest[0])) return 0;
  if (!cr_lines_push(t->arena, &m->force.line, &lines)) return 0; /* the arena says so */
  cr_line_update(&place, tendon, &lines);
  if (!cr_line_tangent_find(&place, &lines, tendon, t->arena, &line)) return 0;
  return cr_line_tangent_displace(&place, &line, &by);
}

double cr_reference_move_spring(const cr_step_tangent* t, const cr_theta_column* theta,
                                int spring) {
  const cr_step* at = t->reference;
  const carom_model* m = at->model;
  cr_force_spring s = cr_force_locate_spring(&m->force, spring, at->kinematics.link_pose);
  if (!isnan(CR_AT(&m->description->springs, cr_spring_record, spring)->def.rest_length)) return 0;
  return v3_dot(s.direction, v3_sub(way_of(at, theta, s.link[1], s.point[1]),
                                    way_of(at, theta, s.link[0], s.point[0])));
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

/* A vector that a link carries, from the reference to now. */
static v3 carry(const cr_step_tangent* t, int link, v3 x) {
  v3 local = m3_tmulv(&t->reference->kinematics.link_pose[link].R, x);
  return m3_mulv(&t->step->kinematics.link_pose[link].R, local);
}

/* Moves the place of side k, which is where the other side's was. */
static double move_anchor(const cr_step_tangent* t, const cr_theta_column* theta, int equality,
                          int k, const cr_row_shape* row, cr_row_change* change) {
  const cr_step* at = t->reference;
  const cr_equality_model* e = &at->model->equality;
  const int* link = e->link + 2 * equality;
  v3 point = pose_point(&at->kinematics.link_pose[link[k]],
                        v3_load(e->anchor + 6 * (size_t)equality + 3 * k));
  v3 apart = v3_sub(way_of(at, theta, link[1 - k], point), way_of(at, theta, link[k], point));
  v3 shift = carry(t, link[k], apart);
  change->place[k] = v3_add(change->place[k], shift);
  return (k ? 1 : -1) * v3_dot(row->axis, shift);
}

static double move_pose(const cr_step_tangent* t, const cr_theta_column* theta,
                        const cr_constraint* c, const cr_row_shape* row) {
  const cr_step *at = t->reference, *step = t->step;
  sv first = twist_of(at, theta, row->link[0]), second = twist_of(at, theta, row->link[1]);
  v3 u = m3_tmulv(&at->kinematics.link_pose[row->link[1]].R, v3_sub(second.ang, first.ang));
  v3 error = cr_model_row_find_rotation(step, c);
  m3 E = quat_to_m3(quat_exp(error)), slope = cr_rotation_vector_slope(error);
  v3 way = m3_mulv(&slope, v3_neg(m3_tmulv(&E, u)));
  return v3_get(way, (int)c->key.feature - 3);
}

/* What of the distance between two points is that of the reference. */
static double move_distance(const cr_step_tangent* t, const cr_theta_column* theta, int equality) {
  const cr_step* at = t->reference;
  const cr_equality_model* e = &at->model->equality;
  v3 n = cr_equality_direction(e, equality, at->kinematics.link_pose), way[2];
  for (int k = 0; k < 2; k++) {
    int link = e->link[2 * equality + k];
    way[k] = way_of(at, theta, link,
                    pose_point(&at->kinematics.link_pose[link],
                               v3_load(e->anchor + 6 * (size_t)equality + 3 * k)));
  }
  return -v3_dot(n, v3_sub(way[1], way[0]));
}

static double move_tie(const cr_step_tangent* t, const cr_theta_column* theta, int tie,
                       const cr_row_shape* row, cr_row_change* change) {
  const cr_step* at = t->reference;
  const cr_soft_model* m = &at->model->soft;
  int link = m->tie_link[tie];
  v3 point = pose_point(&at->kinematics.link_pose[link], v3_load(m->tie_point + 3 * (size_t)tie));
  v3 shift = carry(t, link, v3_neg(way_of(at, theta, link, point)));
  change->place[0] = v3_add(change->place[0], shift);
  change->place[1] = v3_add(change->place[1], shift);
  return -v3_dot(row->axis, shift);
}

double cr_reference_move_row(const cr_step_tangent* t, const cr_theta_column* theta,
                             const cr_constraint* c, const cr_row_shape* row,
                             cr_row_change* change) {
  const carom_model* m = t->step->model;
  int index = (int)(c->key.pair & 0xffffffff), tie = cr_model_row_find_tie(t->step, c);
  if (tie >= 0) return move_tie(t, theta, tie, row, change);
  if (c->rule != CR_ROW_EQUALITY || c->point >= 0) return 0;
  const carom_equality_def* def =
      &CR_AT(&m->description->equalities, cr_equality_record, index)->def;
  if (def->type == CAROM_EQUALITY_CONNECT && isnan(def->anchor2[0]))
    return move_anchor(t, theta, index, 1, row, change);
  if (def->type == CAROM_EQUALITY_DISTANCE && isnan(def->distance))
    return move_distance(t, theta, index);
  if (def->type != CAROM_EQUALITY_WELD || !isnan(def->relative_position[0])) return 0;
  if (row->kind == CR_ROW_OF_MOMENT) return move_pose(t, theta, c, row);
  return move_anchor(t, theta, index, 0, row, change);
}
