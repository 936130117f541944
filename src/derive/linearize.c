/* The derivative of a step column by column, stage by stage, from the interface's coordinates and
 * back to them. */
#include "base/error.h"
#include "derive/controller_tangent.h"
#include "derive/force_tangent.h"
#include "derive/free_tangent.h"
#include "derive/idle_kinks.h"
#include "derive/joint_forces.h"
#include "derive/parameters.h"
#include "derive/soft_tangent.h"
#include "derive/softening.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define AT_ONCE 16 /* columns that are written together */

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Whether an actuator works on one of the trees. */
static bool is_of_trees(const cr_step_tangent* t, int a, const int* trees, int num_trees) {
  const carom_model* m = t->step->model;
  int line = m->force.actuator_line[a], dof = m->force.actuator_dof[a];
  const carom_sim* sim = t->step->sim;
  bool any = false;
  for (int i = 0; i < sim->num_adhesion; i++)
    for (int k = 0; k < num_trees; k++)
      any |= sim->adhesion[i].actuator == a && m->tree.link_tree[sim->adhesion[i].link] == trees[k];
  for (int k = 0; k < num_trees; k++) {
    any |= dof >= 0 && m->tree.link_tree[m->tree.dof_link[dof]] == trees[k];
    for (int i = line < 0 ? 0 : m->force.line.start[line];
         line >= 0 && i < m->force.line.start[line + 1]; i++)
      any |= m->tree.link_tree[m->force.line.link[i]] == trees[k];
  }
  return any;
}

int cr_step_tangent_list_columns(const cr_step_tangent* t, const int* trees, int num_trees,
                                 int* columns) {
  const cr_tree_model* model = &t->step->model->tree;
  const cr_force_model* force = &t->step->model->force;
  int count = 0;
  for (int k = 0; k < 2 * num_trees; k++)
    for (int i = model->tree_v_start[trees[k / 2]]; i < model->tree_v_start[trees[k / 2] + 1]; i++)
      columns[count++] = k % 2 * t->num_v + i;
  for (int a = 0; a < force->num_actuators; a++) {
    if (!is_of_trees(t, a, trees, num_trees)) continue;
    for (int i = force->actuator_activation[a]; i < force->actuator_activation[a + 1]; i++)
      columns[count++] = t->first_activation + i;
    for (int i = force->actuator_control[a]; i < force->actuator_control[a + 1]; i++)
      columns[count++] = t->first_control + i;
  }
  for (int i = 0; i < t->num_thetas; i++) columns[count++] = t->first_theta + i;
  return count;
}

/* Fields of a step between the solutions that it is linearised at. */
typedef struct fields {
  double *q0, *v0, *v_star, *q_mid, *v;
  int at; /* how often it had been, where v was found */
} fields;

/* What a linearisation is for. */
typedef struct chain {
  carom_linearization* out;
  fields last;
  cr_shares shares;
} chain;

/* The start, in internal coordinates. */
static void fill_start(cr_step_tangent* t) {
  const carom_sim* sim = t->step->sim;
  const cr_tree_model* model = &sim->model->tree;
  for (int c = 0; c < 2 * t->num_v; c++) {
    double *q0 = cr_column(t, t->q0, c), *v0 = cr_column(t, t->v0, c);
    (c < t->num_v ? q0 : v0)[c % t->num_v] = 1;
    if (c % t->num_v < model->num_v) {
      int tree = model->link_tree[model->dof_link[c % t->num_v]];
      cr_tree_velocity_tangent_to_internal(model, tree, sim->q, sim->v, q0, v0, v0);
      cr_tree_to_internal(model, tree, sim->q, q0, q0);
    }
    cr_soft_mask_held(t, v0);
  }
}

static bool push_fields(cr_step_tangent* t) {
  double** all[] = {&t->q0, &t->v0, &t->v_star, &t->q_mid, &t->v};
  size_t size = (size_t)t->num_v * (size_t)t->num_columns;
  for (int i = 0; i < 5; i++) *all[i] = CR_PUSH(t->arena, double, size);
  t->tree_columns = CR_PUSH(t->arena, int, t->num_columns);
  if (t->arena->failed) return false;
  int cleared = t->num_v > t->step->model->tree.num_v ? 4 : 2; /* trees' v* and q_mid are written */
  for (int i = 0; i < cleared; i++) memset(*all[i], 0, sizeof(double) * size);
  fill_start(t);
  return true;
}

/* The same where the step is linearised anew, at the last solution, which is v* from here on, or,
 * where that did not lead on, once more at the one before. */
static bool take_fields(cr_step_tangent* t, const fields* last) {
  size_t size = (size_t)t->num_v * (size_t)t->num_columns;
  bool is_next = t->step->relinearised > last->at;
  t->q0 = last->q0, t->v0 = last->v0, t->q_mid = last->q_mid;
  t->v_star = is_next ? last->v : last->v_star, t->v = is_next ? last->v_star : last->v;
  t->tree_columns = CR_PUSH(t->arena, int, t->num_columns);
  t->balance = CR_PUSH(t->arena, double, size);
  if (t->balance) memset(t->balance, 0, sizeof(double) * size);
  return !t->arena->failed;
}

/* Where the next solution is linearised as this one is, the last fields stay. */
static bool keep_fields(cr_step_tangent* t) {
  t->v = CR_PUSH(t->arena, double, (size_t)t->num_v*(size_t)t->num_columns);
  return t->v != NULL;
}

/* --- New state ----------------------------------------------------------------------------------
 */

/* q1 and v1 of a column, in the interface's coordinates.
 * @param x1 [num_x] */
static void finish_column(const cr_step_tangent* t, const cr_stride_tangent* stride, int column,
                          double* x1) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  const double* v = cr_column(t, t->v, column);
  double *q1 = x1, *v1 = x1 + t->num_v;
  for (int i = 0; i < model->num_trees; i++) {
    double vq = step->theta[i].vq;
    cr_step_blend(step, i, vq, v, v0, v1);
    cr_tree_apply_stride_tangent(model, i, stride, q0, v1, q1);
    cr_tree_velocity_tangent_to_interface(model, i, t->q_end, step->v, q1, v, v1);
    cr_tree_to_interface(model, i, t->q_end, q1, q1);
  }
  cr_soft_finish_column(t, column, q1, v1);
}

/* How an actuator's activation at the end moves; -1: it has none, or those of a law. */
typedef struct end_way {
  int activation;
  cr_input_way way;
} end_way;

static end_way* find_end_ways(const cr_step_tangent* t) {
  int count = t->num_activations > 0 ? t->step->model->force.num_actuators : 0;
  end_way* ways = CR_PUSH(t->arena, end_way, count);
  for (int a = 0; a < count && ways; a++)
    ways[a].activation = cr_activation_way_find(t, a, &ways[a].way);
  return ways;
}

/* a1 of a column. */
static void finish_activations(cr_step_tangent* t, const end_way* ways, int column, double* x1) {
  const cr_force_model* force = &t->step->model->force;
  for (int a = 0; a < force->num_actuators && t->num_activations > 0; a++) {
    if (ways[a].activation >= 0) x1[ways[a].activation] = cr_input_way_in(&ways[a].way, column);
    if (force->actuator_law[a] < 0) continue;
    cr_free_tangent_place_columns(t);
    cr_law_finish_column(t, a, column, x1);
  }
}

/* One of the matrices, from a column on. */
typedef struct block {
  double* values;
  int first, columns;
} block;

static block find_block(const cr_step_tangent* t, const carom_linearization* out, int column) {
  if (column < t->first_control) return (block){out->A, 0, t->first_control};
  if (column < t->first_theta) return (block){out->B, t->first_control, t->num_controls};
  return (block){out->C, t->first_theta, t->num_thetas};
}

/* One of the matrices of a part of the step behind another, or null where it is not wanted. */
static double* push_matrix(const cr_step_tangent* t, const double* wanted, int columns) {
  size_t num_x = (size_t)carom_model_get_num_x(t->step->model);
  return wanted ? CR_PUSH(t->arena, double, num_x*(size_t)columns) : NULL;
}

/* Where the derivative of a part of the step goes. */
static carom_linearization find_place(const cr_step_tangent* t, const carom_linearization* out) {
  if (t->part == 0) return *out;
  const double* any = out->A ? out->A : out->B ? out->B : out->C;
  return (carom_linearization){.A = push_matrix(t, any, t->first_control),
                               .B = push_matrix(t, out->B, t->num_controls),
                               .C = push_matrix(t, out->C, t->num_thetas)};
}

/* A of a part. */
typedef struct transition {
  const double* A; /* [num_x, num_x] */
  int num_x;
  double* column; /* [num_x] work */
} transition;

/* X <- A X + Y, X and Y [num_x, columns]; Y null: none. */
static void go_on(const transition* by, const double* Y, int columns, double* X) {
  size_t n = (size_t)by->num_x, m = (size_t)columns;
  for (size_t c = 0; c < m && X; c++) {
    for (size_t i = 0; i < n; i++) by->column[i] = X[i * m + c];
    for (size_t i = 0; i < n; i++)
      X[i * m + c] = scalar_dot(by->A + i * n, by->column, by->num_x) + (Y ? Y[i * m + c] : 0);
  }
}

/* The derivative of the parts so far, from that of the last one. */
static carom_status compose(const cr_step_tangent* t, const carom_linearization* part,
                            const carom_linearization* out) {
  int num_x = t->first_control;
  if (t->part == 0 || !part->A) return CAROM_OK;
  const transition by = {part->A, num_x, CR_PUSH(t->arena, double, num_x)};
  if (t->arena->failed) return cr_error_memory(t->error);
  go_on(&by, NULL, num_x, out->A);
  go_on(&by, part->B, t->num_controls, out->B);
  go_on(&by, part->C, t->num_thetas, out->C);
  return CAROM_OK;
}

/* What the end's columns are found with. */
typedef struct ending {
  cr_stride_tangent stride;
  const end_way* ways;
  double* x1; /* [AT_ONCE, num_x] of columns that stand side by side */
} ending;

/* Columns x [count, n] into those of a matrix whose rows are `width` long, four at a time. */
static void write_columns(const double* x, size_t n, int count, size_t width, double* to) {
  int k = 0;
  for (; k + 3 < count; k += 4, x += 4 * n)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < 4; j++) to[i * width + (size_t)k + j] = x[j * n + i];
  for (; k < count; k++, x += n)
    for (size_t i = 0; i < n; i++) to[i * width + (size_t)k] = x[i];
}

static void finish_columns(cr_step_tangent* t, const ending* e, int first, int count,
                           const block* to) {
  size_t num_x = (size_t)t->first_control;
  for (int k = 0; k < count; k++) {
    double* x1 = e->x1 + (size_t)k * num_x;
    for (size_t i = (size_t)t->first_activation; i < num_x; i++) x1[i] = 0;
    finish_column(t, &e->stride, first + k, x1);
    finish_activations(t, e->ways, first + k, x1);
  }
  write_columns(e->x1, num_x, count, (size_t)to->columns, to->values + (first - to->first));
}

static carom_status finish(cr_step_tangent* t, carom_linearization* out) {
  const carom_linearization part = find_place(t, out);
  ending e = {.ways = find_end_ways(t),
              .x1 = CR_PUSH(t->arena, double, (size_t)t->first_control* AT_ONCE)};
  if (!cr_step_tangent_find_stride(t, &e.stride) || t->arena->failed)
    return cr_error_memory(t->error);
  for (int c = 0, count; c < t->num_columns; c += count) {
    const block to = find_block(t, &part, c);
    count = int_min(AT_ONCE, to.first + to.columns - c);
    if (to.values) finish_columns(t, &e, c, count, &to);
  }
  out->num_kinks = t->num_kinks, out->nearest_kink = t->nearest_kink;
  out->kink_speed = t->kink_speed;
  out->num_held = t->num_held;
  CR_TRY(cr_force_tangents_compose(t, out));
  return compose(t, &part, out);
}

/* --- The step -----------------------------------------------------------------------------------
 */

static carom_status derive(void* data, cr_step_tangent* t, const cr_contact_set* set,
                           const cr_step_problem* problem) {
  chain* c = data;
  carom_linearization* out = c->out;
  CR_TRY(cr_thetas_find(t, out->parameters, out->num_parameters));
  bool is_at_start = t->step->relinearised == 0;
  if (t->is_first) cr_shares_clear(&c->shares);
  if (!cr_step_tangent_init(t) || !(is_at_start ? push_fields(t) : take_fields(t, &c->last)) ||
      (t->is_softer && !keep_fields(t)))
    return cr_error_memory(t->error);
  c->shares.width = t->num_columns, t->shares = &c->shares;
  if (!t->is_passed) cr_force_tangents_start(t);
  cr_idle_kinks_mark(t, set);
  CR_TRY(cr_soft_tangents_find(t, problem));
  CR_TRY(cr_derive_free_motion(t));
  CR_TRY(cr_soft_derive_free_motion(t));
  CR_TRY(cr_derive_constraints(t, set, problem));
  if (t->is_softer) return CAROM_OK;
  c->last = (fields){t->q0, t->v0, t->v_star, t->q_mid, t->v, t->step->relinearised};
  return t->is_passed ? CAROM_OK : finish(t, out);
}

carom_status cr_sim_linearize(carom_sim* sim, carom_linearization* linearization,
                              struct cr_force_tangents* forces, carom_error* error) {
  chain c = {.out = linearization, .shares = {&sim->allocator}};
  const cr_derivation how = {
      .derive = derive, .data = &c, .smoothing = linearization->smoothing, .forces = forces};
  carom_status status = cr_derive_step(sim, &how, error);
  cr_shares_clear(&c.shares);
  return status;
}

carom_status carom_sim_linearize(carom_sim* sim, carom_linearization* linearization,
                                 carom_error* error) {
  if (!sim || !linearization)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "linearize: an argument is null");
  return cr_sim_linearize(sim, linearization, NULL, error);
}
