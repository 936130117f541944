/* Weights of stiff dampers along lines and between points: z = dt d W with the mobilities W of what
 * they pull at, of a line over groups of dofs, W = sum of n_g J_g W_g J_gᵀ, of a spring over both
 * links by themselves, F · I⁻¹ F each, with the wrench F of a unit along the spring. With x = W_g
 * J_gᵀ or I⁻¹ F
 *
 *   dW = sum of n_g (2 x · dJ_g + d(J W_g Jᵀ) at J held)    or    2 x · (dF - T ×* F),
 *
 * the latter as a link that moves by the twist T carries its inertia along. */
#include "derive/actuator_tangent.h"
#include "derive/line_tangent.h"
#include "derive/parameters.h"
#include "derive/weight_tangent.h"
#include "force/elements.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"

#include <string.h>

/* --- What is held -------------------------------------------------------------------------------
 */

/* Whether stiffness and damping of a line are numbers. */
static bool is_linear(const cr_force_model* f, int line) {
  bool is_plain = true;
  for (int k = 0; k < 2 && line < f->tendon.num_tendons; k++)
    is_plain &=
        f->tendon.stiffness_more[2 * line + k] == 0 && f->tendon.damping_more[2 * line + k] == 0;
  for (int a = 0; a < f->num_actuators; a++)
    if (f->actuator_line[a] == line) is_plain &= !cr_actuator_is_bent(f, a);
  return is_plain;
}

/* Numbers of lines and springs that z may move with. */
static bool moves_with_lines(const cr_step_tangent* t) {
  bool any = false;
  for (int i = 0; i < t->num_thetas; i++)
    any |= t->thetas[i].kind >= CR_THETA_WRENCH && t->thetas[i].kind <= CR_THETA_SPRING_POINT2;
  return any;
}

static bool has_weight(cr_weight w) { return w.rate != 0 || w.end != 0 || w.start != 0; }

/* --- Lines --------------------------------------------------------------------------------------
 */

/* Whether the line's term k is the first of its group. */
static bool is_first(const cr_damping_groups* groups, const cr_line_tangent* line, int k) {
  int group = groups->dof_group[line->dof[k]];
  for (int i = 0; i < k && group >= 0; i++)
    if (groups->dof_group[line->dof[i]] == group) return false;
  return true;
}

/* Adds dW by tangents of dofs to `moved` of what a group, or a dof by its armature, makes of it;
 * returns that. */
static double move_group(const cr_step* step, const cr_line_tangent* line, int k, double* moved) {
  const cr_damping_groups* groups = step->sim->damping;
  int group = groups->dof_group[line->dof[k]], n = line->n;
  if (group < 0) {
    double per = 1 / step->model->tree.dof_armature[line->dof[k]], J = line->J[k];
    for (int j = 0; j < n; j++) moved[line->dof[j]] += 2 * per * J * line->H[k * n + j];
    return per * J * J;
  }
  const int* dof = groups->dof + groups->dof_start[group];
  int size = groups->dof_start[group + 1] - groups->dof_start[group], rows = groups->rows[group];
  double J[CR_GROUP_MAX] = {0}, x[CR_GROUP_MAX] = {0}, by[CR_GROUP_MAX], sum = 0;
  for (int i = 0; i < n; i++)
    if (groups->dof_group[line->dof[i]] == group) J[groups->dof_place[line->dof[i]]] = line->J[i];
  for (int a = 0; a < size; a++)
    for (int b = 0; b < size; b++) x[a] += step->group_W[group][a * size + b] * J[b];
  cr_damping_groups_differentiate(groups, &step->model->tree, &step->kinematics, group, x, by);
  for (int a = 0; a < size; a++) sum += rows * J[a] * x[a], moved[dof[a]] += rows * by[a];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n && groups->dof_group[line->dof[i]] == group; j++)
      moved[line->dof[j]] += 2 * rows * x[groups->dof_place[line->dof[i]]] * line->H[i * n + j];
  return sum;
}

/* The weight of a damper d beside a spring k, from its mobility and how that moves. */
static bool make(cr_step_tangent* t, int tree, const double slope[2], double mobility,
                 double* moved, const cr_weight_tangent** out) {
  cr_weight_tangent* w = CR_PUSH(t->arena, cr_weight_tangent, 1);
  if (t->arena->failed) return false;
  *w = (cr_weight_tangent){.dof = -1};
  w->by = cr_damping_differentiate_weight(t->step->theta[tree], t->step->dt, slope[0], slope[1],
                                          1 / mobility);
  for (int i = 0; i < t->num_v; i++) moved[i] *= t->step->dt * slope[1];
  *out = w;
  return cr_weight_tangent_carry(t, moved, w);
}

static bool find_line(cr_step_tangent* t, int line, double* moved) {
  cr_step* step = t->step;
  cr_line_place place = {&step->model->force.line, &step->model->tree, &step->kinematics,
                         step->weighed.q};
  cr_line_tangent by;
  double slope[2], mobility = 0;
  cr_line_update(&place, line, &step->lines);
  if (!cr_line_tangent_find(&place, &step->lines, line, t->arena, &by)) return false;
  cr_step_line_slopes(step, line, cr_line_tangent_rate(&by, step->v0), slope);
  for (int k = 0; k < by.n; k++)
    if (is_first(step->sim->damping, &by, k)) mobility += move_group(step, &by, k, moved);
  return make(t, cr_step_line_tree(step, line), slope, mobility, moved, &t->weights->line[line]);
}

/* --- Springs ------------------------------------------------------------------------------------
 */

/* How a dof moves a link. */
static sv twist_of(const cr_step* step, int dof, int link) {
  const cr_tree_model* tree = &step->model->tree;
  int k = tree->link_tree[link] < 0 ? -1 : tree->link_last_dof[link];
  while (k > dof) k = tree->dof_parent[k];
  return k == dof ? step->kinematics.S[dof] : sv_zero();
}

static v3 arm_of(const cr_step* step, const cr_force_spring* s, int k) {
  int tree = step->model->tree.link_tree[s->link[k]];
  return tree < 0 ? v3_zero() : v3_sub(s->point[k], step->kinematics.origin[tree]);
}

/* dW by tangents of dofs, of the link at one end; returns what it makes of W. */
static double move_end(const cr_step* step, const cr_force_spring* s, int k, double* moved) {
  v3 n = s->direction, arm = arm_of(step, s, k);
  if (step->model->tree.link_tree[s->link[k]] < 0) return 0;
  sv F = sv_point_force(n, arm);
  sv x = cr_damping_groups_link_answer(step->sim->damping, &step->kinematics, s->link[k], F);
  for (int j = 0; j < step->model->tree.num_v; j++) {
    sv T[2] = {twist_of(step, j, s->link[0]), twist_of(step, j, s->link[1])};
    v3 apart = v3_sub(sv_point_velocity(T[1], arm_of(step, s, 1)),
                      sv_point_velocity(T[0], arm_of(step, s, 0)));
    v3 dn =
        s->length > 0 ? v3_scale(1 / s->length, v3_axpy(apart, -v3_dot(apart, n), n)) : v3_zero();
    sv dF = sv_point_force(dn, arm);
    dF.ang = v3_add(dF.ang, v3_cross(sv_point_velocity(T[k], arm), n));
    moved[j] += 2 * sv_dot(x, sv_sub(dF, sv_cross_force(T[k], F)));
  }
  return sv_dot(x, F);
}

static bool find_spring(cr_step_tangent* t, int spring, double* moved) {
  const cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  cr_force_spring s = cr_force_locate_spring(f, spring, step->kinematics.link_pose);
  const double slope[2] = {f->spring_stiffness[spring], f->spring_damping[spring]};
  double mobility = 0;
  for (int k = 0; k < 2; k++) mobility += move_end(step, &s, k, moved);
  return make(t, cr_step_find_tree(step, s.link[0], s.link[1]), slope, mobility, moved,
              &t->weights->spring[spring]);
}

/* --- All ----------------------------------------------------------------------------------------
 */

bool cr_line_weights_find(cr_step_tangent* t, bool with_thetas) {
  const cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  double* moved = CR_PUSH(t->arena, double, t->num_v);
  if (t->arena->failed) return false;
  memset(moved, 0, sizeof(double) * (size_t)t->num_v);
  with_thetas |= moves_with_lines(t);
  for (int i = 0; i < f->line.num_lines; i++) {
    if (!step->is_line_weighed[i] || !has_weight(step->line_weight[i])) continue;
    bool is_plain = is_linear(f, i);
    t->num_held += with_thetas || !is_plain;
    if (is_plain && !find_line(t, i, moved)) return false;
  }
  for (int i = 0; i < f->num_springs; i++) {
    if (!step->is_spring_weighed[i] || !has_weight(step->spring_weight[i])) continue;
    t->num_held += with_thetas;
    if (!find_spring(t, i, moved)) return false;
  }
  return true;
}
