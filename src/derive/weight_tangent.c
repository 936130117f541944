#include "derive/weight_tangent.h"

#include "derive/actuator_tangent.h"
#include "derive/parameters.h"
#include "derive/place_parameters.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "sim/rows/row_values.h"
#include "sim/tree/damping.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

/* --- What is held -------------------------------------------------------------------------------
 */

/* Whether stiffness and damping of a dof are numbers. */
static bool is_linear(const cr_step_tangent* t, int dof) {
  const carom_model* m = t->step->model;
  if (cr_force_has_powers(&m->force, &m->tree, m->tree.dof_joint[dof])) return false;
  for (int a = 0; a < m->force.num_actuators; a++)
    if (m->force.actuator_dof[a] == dof && cr_actuator_is_bent(&m->force, a)) return false;
  return true;
}

/* Parameters that z may move with. */
static bool moves_with_thetas(const cr_step_tangent* t) {
  bool any = false;
  for (int i = 0; i < t->num_thetas; i++) {
    cr_theta_kind kind = t->thetas[i].kind;
    any |= (kind >= CR_THETA_MASS && kind <= CR_THETA_GEAR && kind != CR_THETA_SPRING_REFERENCE &&
            kind != CR_THETA_FRICTION_LOSS) ||
           cr_theta_find_body(t->step->model, &t->thetas[i]) >= 0 ||
           cr_theta_is_of_place(&t->thetas[i]);
  }
  return any;
}

/* --- What moves ---------------------------------------------------------------------------------
 */

/* Stiffness and damping of a dof that count in A where its tree is placed (tree/tree_matrix.c): of
 * actuators those that no bound holds there and that are no rows of the problem. */
static void find_slopes(const cr_step* step, int dof, double slope[2]) {
  const carom_model* m = step->model;
  const cr_force_model* f = &m->force;
  double rate = cr_step_joint_rate(step, dof);
  cr_force_find_slopes(f, &m->tree, dof, step->q_mid, rate, slope);
  for (int a = 0; a < f->num_actuators; a++) {
    if (f->actuator_dof[a] != dof || step->is_law[a]) continue;
    double square = f->actuator_gear[a] * f->actuator_gear[a];
    double x = cr_step_joint_coordinate(step, f->actuator_q[a], dof);
    cr_drive drive = {0, -square * f->actuator_bias[3 * a + 1],
                      -square * f->actuator_bias[3 * a + 2]};
    bool is_limited = step->sim->plan.is_limited[a];
    if (!is_limited && step->is_held && step->is_held[dof]) continue;
    if (!is_limited) drive = cr_actuator_compute_drive(f, a, step->input, x, rate);
    slope[0] += fmax(drive.stiffness, 0), slope[1] += fmax(drive.damping, 0);
  }
}

void cr_weight_tangents_settle(cr_step_tangent* t) {
  double dt = t->step->dt, slope[2];
  for (int i = 0; i < t->weights->count; i++) {
    cr_weight_tangent* w = &t->weights->items[i];
    find_slopes(t->step, w->dof, slope);
    w->matrix = dt * (dt * slope[0] * w->by.end + slope[1] * w->by.rate);
  }
}

/* R = 1 / (dt kappa), v_hat = f0 / kappa, both at the weights. */
double cr_weight_tangent_of_actuator(const cr_step* step, const cr_weight_tangent* w, int a,
                                     double gamma) {
  const cr_force_model* f = &step->model->force;
  const double* bias = f->actuator_bias + 3 * a;
  cr_model_row row = {.rule = CR_ROW_ACTUATOR, .index = a, .line = f->actuator_line[a]};
  cr_row_law law = cr_row_find_law(step, &row);
  double v0 = f->actuator_gear[a] * cr_actuator_find_rate(f, a, &step->lines, step->v0);
  double f0 = (bias[1] * step->dt * w->by.start - bias[2] * w->by.rate) * v0;
  double kappa = -(bias[1] * step->dt * w->by.end + bias[2] * w->by.rate);
  double v_hat = (f0 - law.f0 / law.kappa * kappa) / law.kappa;
  return -kappa / (step->dt * law.kappa * law.kappa) * gamma - v_hat;
}

bool cr_weight_tangent_carry(cr_step_tangent* t, double* moved, cr_weight_tangent* w) {
  const cr_tree_model* model = &t->step->model->tree;
  size_t nv = (size_t)t->num_v;
  double *q = CR_PUSH(t->arena, double, nv), *v = CR_PUSH(t->arena, double, nv);
  w->group = CR_PUSH(t->arena, int, nv), w->q = q, w->v = v, w->n = 0;
  if (t->arena->failed) return false;
  memset(q, 0, sizeof(double) * nv), memset(v, 0, sizeof(double) * nv);
  for (int i = 0; i < model->num_trees; i++)
    if (t->step->is_weighed[i]) cr_tree_add_stride_cotangent(model, i, &t->mid, moved, 1, q, v);
  for (int i = 0; i < t->num_v; i++) {
    moved[i] = 0;
    if (q[i] == 0 && v[i] == 0) continue;
    w->group[w->n] = i, w->q[w->n] = q[i], w->v[w->n++] = v[i];
  }
  return true;
}

/* dz = dt d rows dW_ii, with tangents of the place where it is weighed carried back to q0 and v0.
 */
static bool add_item(cr_step_tangent* t, int tree, int dof, double* moved) {
  const cr_step* step = t->step;
  const cr_damping_groups* groups = step->sim->damping;
  const cr_tree_model* model = &step->model->tree;
  int group = groups->dof_group[dof], first = groups->dof_start[group];
  int n = groups->dof_start[group + 1] - first;
  const double *W = step->group_W[group], *slope = step->weighed.slope + 2 * dof;
  int rows = groups->rows[group] > 1 ? groups->rows[group] : 1;
  double x[CR_GROUP_MAX], by[CR_GROUP_MAX];
  double m = cr_damping_groups_dof_mass(groups, model, dof, W);
  cr_weight_tangent* w = &t->weights->items[t->weights->count];
  *w = (cr_weight_tangent){.dof = dof};
  w->by = cr_damping_differentiate_weight(step->theta[tree], step->dt, slope[0], slope[1], m);
  for (int i = 0; i < n; i++) x[i] = W[i * n + groups->dof_place[dof]];
  cr_damping_groups_differentiate(groups, model, &step->kinematics, group, x, by);
  for (int i = 0; i < n; i++) moved[groups->dof[first + i]] = step->dt * slope[1] * rows * by[i];
  t->weights->of_dof[dof] = t->weights->count++;
  return cr_weight_tangent_carry(t, moved, w);
}

/* Puts a tree where it is weighed. */
static void place_tree(cr_step_tangent* t, int tree) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_tree_update_kinematics(model, tree, step->weighed.q, &step->kinematics);
  cr_tree_find_mid_tangent(model, tree, step->weighed.v_q, step->dt, step->theta[tree].q, &t->mid);
}

static bool find_tree(cr_step_tangent* t, int tree, double* moved) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  bool with_thetas = moves_with_thetas(t);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    cr_weight w = step->dof_weight[i];
    if (w.rate == 0 && w.end == 0 && w.start == 0) continue;
    bool is_held = !is_linear(t, i);
    t->num_held += is_held || with_thetas;
    if (!is_held && step->sim->damping->dof_group[i] >= 0 && !add_item(t, tree, i, moved))
      return false;
  }
  return true;
}

bool cr_weight_tangents_find(cr_step_tangent* t) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_force_model* f = &step->model->force;
  size_t nv = (size_t)t->num_v;
  t->weights = CR_PUSH(t->arena, cr_weight_tangents, 1);
  if (t->arena->failed) return false;
  *t->weights =
      (cr_weight_tangents){0, CR_PUSH(t->arena, cr_weight_tangent, nv), CR_PUSH(t->arena, int, nv),
                           CR_PUSH(t->arena, const cr_weight_tangent*, f->line.num_lines),
                           CR_PUSH(t->arena, const cr_weight_tangent*, f->num_springs)};
  double* moved = CR_PUSH(t->arena, double, nv);
  if (t->arena->failed) return false;
  memset(moved, 0, sizeof(double) * nv);
  for (size_t i = 0; i < nv; i++) t->weights->of_dof[i] = -1;
  for (int i = 0; i < f->line.num_lines; i++) t->weights->line[i] = NULL;
  for (int i = 0; i < f->num_springs; i++) t->weights->spring[i] = NULL;
  if (!step->dof_weight) return true;
  for (int i = 0; i < model->num_trees; i++)
    if (step->is_weighed[i]) place_tree(t, i);
  for (int i = 0; i < model->num_trees; i++)
    if (step->is_weighed[i] && !find_tree(t, i, moved)) return false;
  return cr_line_weights_find(t, moves_with_thetas(t));
}
