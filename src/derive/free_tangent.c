/* The free motion's derivative, group by group. With the balance of momentum
 *
 *   m = dt (ID(q_mid, v_f, a) - tau(q_mid, x_e, v_e, u)),     a = (v* - v0) / dt,
 *
 * an implicit step solves m(v*) = 0, so that (dm/dv*) dv* = -dm at v* held; one from what is known
 * has A (v* - v0) = -m at v0, so that A dv* = A dv0 - dm - dA (v* - v0), where dm + (dM)(v* - v0)
 * is the derivative of dt (ID - tau) with that a. At a solution that the step is linearised at, -dm
 * at all that moves is for the second stage. */
#include "derive/free_tangent.h"

#include "base/copy.h"
#include "base/error.h"
#include "derive/row_forces.h"
#include "derive/weight_tangent.h"
#include "force/actuator.h"
#include "linalg/lu.h"
#include "linalg/sparse_rows.h"
#include "math/scalar.h"
#include "sim/tree/balance.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"

#include <math.h>
#include <string.h>

/* --- Groups -------------------------------------------------------------------------------------
 */

static bool is_joined(const cr_free_tangent* f, int tree) {
  return f->t->step->sim->plan.has_spring[tree] != 0;
}

static void add_tree(cr_free_tangent* f, int tree) {
  const int* v_start = f->t->step->model->tree.tree_v_start;
  f->trees[f->num_trees++] = tree;
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) {
    f->place[i] = f->n;
    f->dof[f->n++] = i;
  }
}

/* A tree by itself, or, with the first of the joined ones, all of these. */
bool cr_free_tangent_select(cr_free_tangent* f, int group) {
  int num_trees = f->t->step->model->tree.num_trees, count = 0, first = -1;
  f->num_trees = f->n = 0;
  for (int t = 0; t < num_trees; t++) {
    if (is_joined(f, t) && first >= 0) continue;
    if (is_joined(f, t)) first = t;
    if (count++ != group) continue;
    add_tree(f, t);
    for (int other = t + 1; is_joined(f, t) && other < num_trees; other++)
      if (is_joined(f, other)) add_tree(f, other);
    f->is_known = cr_step_tangent_is_known(f->t, t);
    f->is_at_solution = cr_step_tangent_is_at_solution(f->t, t);
    return true;
  }
  return false;
}

bool cr_free_tangent_has(const cr_free_tangent* f, int dof) {
  int at = f->place[dof];
  return at < f->n && f->dof[at] == dof;
}

void cr_free_tangent_place(cr_free_tangent* f) {
  cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  const double* v = f->is_known ? step->v0 : step->v_star;
  for (int k = 0; k < f->num_trees; k++) cr_balance_place(step, f->trees[k], v);
  cr_external_update(step, f->trees, f->num_trees);
  cr_step_lines_update_forces(step, f->trees, f->num_trees, v);
  for (int k = 0; k < f->num_trees; k++)
    cr_tree_find_mid_tangent(model, f->trees[k], step->v_q, step->dt, step->theta[f->trees[k]].q,
                             &f->t->mid);
}

/* --- Forces along rows --------------------------------------------------------------------------
 */

bool cr_free_tangent_of_input(const cr_free_tangent* f, const cr_row_force* force,
                              const cr_row_force_input* input, cr_row_force_change* change) {
  const cr_step* step = f->t->step;
  double moved[2] = {0, 0}, v[2], v0[2];
  if (force->line.n == 0 || !cr_free_tangent_has(f, force->line.dof[0])) return false;
  if (f->is_known) {
    cr_row_force_find_rates(force, input, step->v_star, v);
    cr_row_force_find_rates(force, input, step->v0, v0);
    for (int k = 0; k < 2; k++) moved[k] = v[k] - v0[k];
  }
  *change = cr_row_force_differentiate_input(force, input, -step->dt, moved);
  return true;
}

/* Joints whose actuators are about to reach their bounds, or to leave them. */
static void mark_bounds(const cr_free_tangent* f, int tree) {
  const cr_step* step = f->t->step;
  const int* v_start = step->model->tree.tree_v_start;
  if (!step->is_held || f->t->smoothing > 0) return;
  cr_step_sum_drives(step, tree, step->work);
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) {
    const double* range = step->model->force.dof_drive_range + 2 * (size_t)i;
    double whole = step->work[i], left = fmin(fabs(whole - range[0]), fabs(range[1] - whole));
    if (whole != 0 && isfinite(left)) cr_step_tangent_mark_kink(f->t, left / (fabs(whole) + left));
  }
}

carom_status cr_free_tangent_find_row_forces(cr_free_tangent* f) {
  if (!cr_weight_tangents_find(f->t)) return cr_error_memory(f->t->error);
  for (int i = 0; cr_free_tangent_select(f, i); i++) {
    cr_free_tangent_place(f);
    for (int k = 0; k < f->num_trees; k++) mark_bounds(f, f->trees[k]);
  }
  cr_weight_tangents_settle(f->t);
  return cr_row_forces_find(f->t);
}

/* --- Adhesion -----------------------------------------------------------------------------------
 */

/* Motion of a dof where a force of adhesion pulls, along the force. */
static double find_pull(const cr_step* step, const cr_adhesion_force* a, int dof) {
  int tree = step->model->tree.link_tree[a->link];
  v3 place = pose_point(&step->kinematics.link_pose[a->link], a->local);
  return v3_dot(cr_tree_dof_point_velocity(&step->kinematics, tree, dof, place), a->force);
}

double cr_free_tangent_of_adhesion(const cr_free_tangent* f, int actuator) {
  const cr_step* step = f->t->step;
  const cr_force_model* force = &step->model->force;
  double whole = cr_actuator_compute_drive(force, actuator, step->input, 0, 0).force;
  if (whole == 0) return 0;
  cr_actuator_tangent by = cr_actuator_tangent_find(force, actuator, step->input, 0, 0);
  return -step->dt * by.input / whole;
}

void cr_free_tangent_add_adhesion(const cr_free_tangent* f, int actuator, double s, double* y) {
  const cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* a = &step->sim->adhesion[i];
    if (a->actuator != actuator || model->link_tree[a->link] < 0) continue;
    for (int k = model->link_last_dof[a->link]; k >= 0; k = model->dof_parent[k])
      if (cr_free_tangent_has(f, k)) y[k] += s * find_pull(step, a, k);
  }
}

double cr_free_tangent_find_adhesion(const cr_free_tangent* f, int actuator, const double* x) {
  const cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  double sum = 0;
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* a = &step->sim->adhesion[i];
    if (a->actuator != actuator || model->link_tree[a->link] < 0) continue;
    for (int k = model->link_last_dof[a->link]; k >= 0; k = model->dof_parent[k])
      if (cr_free_tangent_has(f, k)) sum += x[k] * find_pull(step, a, k);
  }
  return sum;
}

/* --- Its derivative -----------------------------------------------------------------------------
 */

void cr_free_tangent_subtract_product(const cr_free_tangent* f, const double* X, const double* x,
                                      double* y) {
  double *in = f->local, *out = f->local + f->n;
  const cr_rows rows = {X, f->n, f->n, f->n};
  if (f->num_trees == 1) { /* its dofs stand side by side */
    cr_sparse_subtract_rows(f->t->kernels, x + f->dof[0], &rows, y + f->dof[0]);
    return;
  }
  for (int i = 0; i < f->n; i++) in[i] = x[f->dof[i]], out[i] = 0;
  cr_sparse_subtract_rows(f->t->kernels, in, &rows, out);
  for (int i = 0; i < f->n; i++) y[f->dof[i]] += out[i];
}

void cr_free_tangent_add_transposed(const cr_free_tangent* f, const double* X, const double* x,
                                    double* y) {
  for (int i = 0; i < f->n; i++) f->local[i] = x[f->dof[i]];
  for (int k = 0; k < f->n; k++)
    y[f->dof[k]] += scalar_dot(X + (size_t)k * (size_t)f->n, f->local, f->n);
}

cr_place_tangent cr_free_tangent_find_place(const cr_step_tangent* t, int tree) {
  const cr_step* step = t->step;
  cr_place_tangent place = {t->mid, cr_step_tangent_is_known(t, tree) ? 0 : step->theta[tree].vq};
  place.stride.length = step->theta[tree].q * step->dt;
  return place;
}

void cr_free_tangent_add_rows(const cr_step_tangent* t, int tree, cr_stride_rows rows) {
  const cr_place_tangent place = cr_free_tangent_find_place(t, tree);
  rows.share = place.share;
  cr_tree_add_stride_rows(&t->step->model->tree, tree, &place.stride, &rows);
}

/* The tangent of q_mid.
 * @param v_q [num_v] work */
static void place_column(const cr_step_tangent* t, int tree, int column, double* v_q) {
  const cr_place_tangent place = cr_free_tangent_find_place(t, tree);
  cr_step_blend(t->step, tree, place.share, cr_column(t, t->v_star, column),
                cr_column(t, t->v0, column), v_q);
  cr_tree_apply_stride_tangent(&t->step->model->tree, tree, &place.stride,
                               cr_column(t, t->q0, column), v_q, cr_column(t, t->q_mid, column));
}

void cr_free_tangent_place_columns(cr_step_tangent* t) {
  if (t->has_places) return;
  for (int c = 0; c < t->num_columns; c++)
    for (int tree = 0; tree < t->step->model->tree.num_trees; tree++)
      place_column(t, tree, c, t->step->v_q);
  t->has_places = true;
}

static void clear(const cr_free_tangent* f, double* x) {
  if (f->num_trees == 1) memset(x + f->dof[0], 0, sizeof(double) * (size_t)f->n);
  for (int i = 0; i < f->n && f->num_trees > 1; i++) x[f->dof[i]] = 0;
}

/* The part of the controls and activations. */
static void add_inputs(const cr_free_tangent* f, int column, double* dm) {
  for (int k = 0; k < f->joints.num_inputs; k++) {
    const cr_input_slope* s = &f->joints.inputs[k];
    dm[s->dof] -= f->t->step->dt * s->force * cr_input_way_in(&s->way, column);
  }
  for (int k = 0; k < f->t->row_forces->count; k++) {
    const cr_row_force* p = &f->t->row_forces->items[k];
    for (int i = 0; i < p->num_inputs; i++) {
      double by = cr_input_way_in(&p->inputs[i].way, column);
      cr_row_force_change change;
      if (by != 0 && cr_free_tangent_of_input(f, p, &p->inputs[i], &change))
        cr_row_force_add_change(p, &p->inputs[i], change, by, dm);
    }
  }
}

/* The part of actuators that make bodies stick. */
static void add_adhesion_inputs(const cr_free_tangent* f, int column, double* dm) {
  const cr_force_model* force = &f->t->step->model->force;
  for (int a = 0; a < force->num_actuators && force->num_adhesions > 0; a++) {
    if (force->actuator_body[a] < 0) continue;
    cr_input_way way = cr_input_way_find(f->t, a);
    double by = cr_input_way_in(&way, column);
    if (by != 0) cr_free_tangent_add_adhesion(f, a, by * cr_free_tangent_of_adhesion(f, a), dm);
  }
}

/* by_v, by_v0 and by_q0 take in what q_mid does, which follows from these. */
static void add_place(const cr_free_tangent* f) {
  const int* v_start = f->t->step->model->tree.tree_v_start;
  for (int k = 0; k < f->num_trees; k++) {
    size_t first = (size_t)f->place[v_start[f->trees[k]]] * (size_t)f->n;
    const cr_stride_rows rows = {
        f->n, f->n, f->by_q + first, f->by_q0 + first, f->by_v0 + first, f->by_v + first, 0};
    cr_free_tangent_add_rows(f->t, f->trees[k], rows);
  }
}

void cr_free_tangent_solve_transposed(const cr_free_tangent* f, double* x) {
  for (int i = 0; i < f->n; i++) f->local[i] = x[f->dof[i]];
  cr_lu_solve(f->J, f->pivot, f->n, f->local);
  for (int i = 0; i < f->n; i++) x[f->dof[i]] = f->local[i];
}

/* - dm of a column of the state with v* held. */
static void find_balance_of_state(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  cr_free_tangent_subtract_product(f, f->by_v0, cr_column(t, t->v0, column), f->dm);
  cr_free_tangent_subtract_product(f, f->by_q0, cr_column(t, t->q0, column), f->dm);
}

/* The same of one of activations, controls and parameters. */
static void find_balance_of_input(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  add_inputs(f, column, f->dm);
  add_adhesion_inputs(f, column, f->dm);
  for (int k = 0; k < f->num_trees && column >= t->first_theta; k++)
    cr_theta_add_balance(t, &t->thetas[column - t->first_theta], f->trees[k], f->is_known, f->dm);
  for (int i = 0; i < f->n; i++) f->dm[f->dof[i]] = -f->dm[f->dof[i]];
}

/* - J⁻¹ by columns. */
static void invert(const cr_free_tangent* f) {
  size_t n = (size_t)f->n;
  memset(f->inverse, 0, sizeof(double) * n * n);
  for (size_t k = 0; k < n; k++) f->inverse[k * (n + 1)] = -1;
  cr_lu_solve_rows(f->J, f->pivot, f->n, f->n, f->inverse);
}

/* v* by m. */
static void solve_column(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  double* v_star = cr_column(t, t->v_star, column);
  clear(f, f->dm);
  clear(f, v_star);
  if (column < t->first_activation)
    find_balance_of_state(f, column);
  else
    find_balance_of_input(f, column);
  cr_free_tangent_subtract_product(f, f->inverse, f->dm, v_star);
}

/* --- Groups -------------------------------------------------------------------------------------
 */

carom_status cr_free_tangent_factor(cr_free_tangent* f) {
  cr_free_tangent_place(f);
  if (!cr_free_tangent_find_slopes(f)) return cr_error_memory(f->t->error);
  add_place(f);
  CR_COPY(f->J, f->by_v, (size_t)f->n * (size_t)f->n);
  if (f->is_at_solution || cr_lu_factor(f->J, f->n, f->pivot)) return CAROM_OK;
  return cr_error_set(f->t->error, CAROM_ERROR_NUMERICAL,
                      "derivatives: the balance of momentum of tree %d is singular", f->trees[0]);
}

/* - dm of a column at a solution. */
static void balance_column(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  double* balance = cr_column(t, t->balance, column);
  clear(f, f->dm);
  if (column >= t->first_activation) find_balance_of_input(f, column);
  cr_free_tangent_subtract_product(f, f->by_v, cr_column(t, t->v_star, column), f->dm);
  find_balance_of_state(f, column);
  for (int i = 0; i < f->n; i++) balance[f->dof[i]] = f->dm[f->dof[i]];
}

static carom_status derive_group(cr_free_tangent* f) {
  cr_step_tangent* t = f->t;
  CR_TRY(cr_free_tangent_factor(f));
  for (int c = 0; c < t->num_columns && f->is_at_solution; c++) balance_column(f, c);
  if (f->is_at_solution) return CAROM_OK;
  invert(f);
  int count = cr_step_tangent_list_columns(t, f->trees, f->num_trees, t->tree_columns);
  for (int c = 0; c < t->num_columns && count < t->num_columns; c++)
    clear(f, cr_column(t, t->v_star, c)); /* of all, where some do not move it */
  for (int k = 0; k < count; k++) solve_column(f, t->tree_columns[k]);
  return CAROM_OK;
}

/* Dofs of the largest group. */
static size_t find_largest(const cr_free_tangent* f) {
  const int* v_start = f->t->step->model->tree.tree_v_start;
  int most = cr_derive_largest_tree(&f->t->step->model->tree), joined = 0;
  for (int t = 0; t < f->t->step->model->tree.num_trees; t++)
    if (is_joined(f, t)) joined += v_start[t + 1] - v_start[t];
  return (size_t)(joined > most ? joined : most);
}

bool cr_free_tangent_init(cr_free_tangent* f) {
  cr_arena* arena = f->t->arena;
  const cr_tree_model* model = &f->t->step->model->tree;
  size_t most = find_largest(f), nv = (size_t)model->num_v;
  size_t tree = (size_t)cr_derive_largest_tree(model);
  double** squares[] = {&f->by_q, &f->by_v, &f->by_v0, &f->by_q0, &f->J, &f->inverse};
  double** vectors[] = {&f->diagonal, &f->v_q, &f->by, &f->dm};
  for (int i = 0; i < 6; i++) *squares[i] = CR_PUSH(arena, double, most* most);
  for (int i = 0; i < 4; i++) *vectors[i] = CR_PUSH(arena, double, nv);
  f->M = CR_PUSH(arena, double, tree* tree);
  f->local = CR_PUSH(arena, double, 2 * most);
  f->pivot = CR_PUSH(arena, int, most);
  f->dof = CR_PUSH(arena, int, most);
  f->place = CR_PUSH(arena, int, nv);
  f->trees = CR_PUSH(arena, int, model->num_trees);
  if (!cr_joint_slopes_push(f->t, &f->joints)) return false;
  for (int i = 0; i < 4; i++) memset(*vectors[i], 0, sizeof(double) * nv);
  return true;
}

carom_status cr_derive_free_motion(cr_step_tangent* t) {
  cr_free_tangent f = {.t = t};
  if (!cr_free_tangent_init(&f)) return cr_error_memory(t->error);
  CR_TRY(cr_free_tangent_find_row_forces(&f));
  for (int i = 0; cr_free_tangent_select(&f, i); i++) CR_TRY(derive_group(&f));
  return CAROM_OK;
}
