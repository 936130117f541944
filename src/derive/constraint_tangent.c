/* The derivative of the second stage, A (v - v*) = Jᵀ gamma with the laws of all constraints. With
 * those whose impulses move, E dgamma + D dd = 0 (law_tangent.h), and everything that moves with
 * the configuration, x = v - v* held, on the right,
 *
 *   A dv - Jᵀ dgamma = A dv* - d(A x - Jᵀ gamma)                                   = b
 *   D J dv + E dgamma = - D ((dJ) v - dv_hat + (dR) gamma)                         = c
 *
 * so that (E + D J A⁻¹ Jᵀ) dgamma = c - D J A⁻¹ b and A dv = b + Jᵀ dgamma. d(A x - Jᵀ gamma) is
 * the derivative of inverse dynamics at rest without weight, for the acceleration x and with the
 * impulses on the links, which these carry along, but for what the impulses do beside that. */
#include "base/error.h"
#include "derive/compliance_tangent.h"
#include "derive/contact_tangent.h"
#include "derive/joint_forces.h"
#include "derive/law_tangent.h"
#include "derive/model_rows.h"
#include "derive/parameters.h"
#include "linalg/lu.h"
#include "problem/law_table.h"
#include "sim/tree/balance.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

/* A constraint whose impulse moves. */
typedef struct active_constraint {
  const cr_constraint* constraint;
  const cr_contact_tangent* contact; /* null: it is none, as the next */
  const cr_contact_point* point;
  int place, row, first, rows; /* in the problem, its first row there and among those here */
  bool is_distance;            /* its last row follows from a distance */
  bool is_plain;               /* which decides v_hat alone */
  cr_law_tangent law;
  cr_row_shape shape[CR_LAW_MAX_ROWS];
  cr_distance_row at;
} active_constraint;

typedef struct constraint_tangent {
  cr_step_tangent* t;
  const cr_step_problem* out;
  const cr_problem* p;
  int n, num_active, num_rows; /* unknowns; constraints and rows that are active */
  active_constraint* active;
  double* v_c;                  /* [p.num_rows] J v */
  cr_row_motion v, star, v0;    /* at which rows are looked at */
  double* tree_slope;           /* [plan.M_start of all] d(A x - Jᵀ gamma)/dq by trees */
  sv *impulse, *twist, *pushed; /* [num_links] impulses; in a column twists, what they do */
  double* Z;                    /* [n, num_rows] A⁻¹ Jᵀ */
  double* S;                    /* [num_rows²] later its LU factors */
  int* pivot;
  double *x, *b, *rows, *gamma, *full, *difference, *chol, *local; /* work */
} constraint_tangent;

/* --- Memory -------------------------------------------------------------------------------------
 */

static bool push_motion(const constraint_tangent* c, const double* v, cr_row_motion* motion) {
  const cr_tree_model* model = &c->t->step->model->tree;
  motion->v = v;
  motion->link = CR_PUSH(c->t->arena, sv, model->num_links);
  motion->drift = CR_PUSH(c->t->arena, sv, model->num_v);
  motion->link_drift = CR_PUSH(c->t->arena, sv, model->num_links);
  motion->link_change = CR_PUSH(c->t->arena, sv, model->num_links);
  return !c->t->arena->failed;
}

static bool push(constraint_tangent* c) {
  cr_arena* arena = c->t->arena;
  cr_step* step = c->t->step;
  const cr_tree_model* model = &step->model->tree;
  sv** links[] = {&c->impulse, &c->twist, &c->pushed};
  for (int i = 0; i < 3; i++) *links[i] = CR_PUSH(arena, sv, model->num_links);
  double** vectors[] = {&c->x, &c->b};
  for (int i = 0; i < 2; i++) *vectors[i] = CR_PUSH(arena, double, c->n);
  double** rows[] = {&c->v_c, &c->gamma};
  for (int i = 0; i < 2; i++) *rows[i] = CR_PUSH(arena, double, c->p->num_rows);
  c->rows = CR_PUSH(arena, double, c->p->num_rows);
  c->full = CR_PUSH(arena, double, c->t->num_v);
  c->difference = CR_PUSH(arena, double, c->t->num_v);
  c->active = CR_PUSH(arena, active_constraint, c->p->num_constraints);
  c->tree_slope = CR_PUSH(arena, double, step->sim->plan.M_start[model->num_trees]);
  c->chol = CR_PUSH(arena, double, c->out->A_symbolic.scratch_size);
  c->local = CR_PUSH(arena, double, cr_problem_scratch_size(c->p));
  return push_motion(c, step->v, &c->v) && push_motion(c, step->v_star, &c->star) &&
         push_motion(c, step->v0, &c->v0);
}

static bool push_rows(constraint_tangent* c) {
  cr_arena* arena = c->t->arena;
  size_t rows = (size_t)c->num_rows;
  c->Z = CR_PUSH(arena, double, (size_t)c->n* rows);
  c->S = CR_PUSH(arena, double, rows* rows);
  c->pivot = CR_PUSH(arena, int, rows);
  return !arena->failed;
}

/* --- What is active -----------------------------------------------------------------------------
 */

static double find_scale(const constraint_tangent* c, int place) {
  const cr_law* law = cr_law_get(c->p->kind[place]);
  return cr_law_largest_eigenvalue(c->out->W + c->p->ld * c->p->row[place], law->rows);
}

/* What the last row of a constraint follows from. */
static void describe_distance(constraint_tangent* c, active_constraint* a) {
  int normal = a->row + a->rows - 1;
  cr_row_rule rule = a->constraint->rule;
  a->is_distance = rule == CR_ROW_CONTACT || rule == CR_ROW_EQUALITY;
  if (!a->is_distance) return;
  const double* W = c->out->W + c->p->ld * a->row;
  a->at = (cr_distance_row){.distance = a->constraint->distance,
                            .v1 = c->out->v_c_lin[normal],
                            .v0 = c->out->v_c0[normal],
                            .mobility = W[a->rows * a->rows - 1]};
  a->is_plain = cr_compliance_is_plain(c->t->step, c->out, a->constraint, &a->at, normal);
  c->t->num_held += !a->is_plain || cr_compliance_asks_for_mobility(a->constraint);
}

/* A dof's dry friction whose bound may be a parameter. */
static bool is_at_bound(const active_constraint* a) {
  return a->law.state == CR_LAW_OPEN && a->constraint->rule == CR_ROW_DRY &&
         a->constraint->point < 0;
}

static carom_status add_active(constraint_tangent* c, const cr_contact_set* set, int place) {
  active_constraint* a = &c->active[c->num_active];
  const cr_step* step = c->t->step;
  bool is_coulomb = step->sim->def.friction == CAROM_FRICTION_COULOMB;
  *a = (active_constraint){.constraint = &c->out->constraints[c->out->order[place]],
                           .place = place,
                           .row = c->p->row[place],
                           .first = c->num_rows};
  cr_law_tangent_find(c->p, place, c->v_c + a->row, c->out->gamma + a->row, find_scale(c, place),
                      is_coulomb, &a->law);
  cr_step_tangent_mark_kink(c->t, a->law.kink);
  bool is_bound = is_at_bound(a) && c->t->num_thetas > 0;
  if (a->law.state == CR_LAW_OPEN && !is_bound) return CAROM_OK;
  a->rows = a->law.rows;
  describe_distance(c, a);
  if (a->constraint->point < 0) {
    CR_TRY(cr_model_row_describe(c->t, a->constraint, a->shape));
  } else {
    const cr_contact_point* point = &set->points.items[a->constraint->point];
    CR_TRY(cr_contact_tangent_find(c->t, set, a->constraint->point, &a->contact));
    cr_contact_tangent_describe(c->p->kind[place], point, a->shape);
    a->point = point;
  }
  c->num_active++;
  c->num_rows += a->rows;
  return CAROM_OK;
}

/* --- Where it stands ----------------------------------------------------------------------------
 */

static void find_motion(const constraint_tangent* c, int tree, cr_row_motion* motion) {
  cr_step* step = c->t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_tree_update_link_velocities(model, tree, &step->kinematics, motion->v, motion->link);
  cr_tree_find_drift(model, tree, &step->kinematics, motion->v, motion->drift);
}

/* Impulses on links, about the trees' origins. */
static void sum_impulses(constraint_tangent* c) {
  const cr_step* step = c->t->step;
  memset(c->impulse, 0, sizeof(sv) * (size_t)step->model->tree.num_links);
  for (int i = 0; i < c->num_active; i++) {
    const active_constraint* a = &c->active[i];
    for (int r = 0; r < a->rows; r++)
      for (int k = 0; k < 2 && a->shape[r].kind != CR_ROW_OF_DOFS; k++) {
        int link = a->shape[r].link[k];
        if (step->model->tree.link_tree[link] < 0) continue;
        c->impulse[link] = sv_axpy(c->impulse[link], c->out->gamma[a->row + r],
                                   cr_row_wrench(step, &a->shape[r], k));
      }
  }
}

/* d(A x - Jᵀ gamma)/dq of a tree, its impulses carried along. */
static void differentiate_tree(constraint_tangent* c, int tree) {
  cr_step_tangent* t = c->t;
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  double* slope = c->tree_slope + step->sim->plan.M_start[tree];
  for (int i = start; i < start + n; i++) c->full[i] = step->v[i] - step->v_star[i];
  memset(step->work, 0, sizeof(double) * (size_t)model->num_v);
  cr_tree_update_velocities(model, tree, &step->kinematics, step->work, &step->velocities);
  cr_tree_motion motion = {
      &step->kinematics, &step->velocities, step->work, c->full, {v3_zero(), c->impulse}};
  cr_tree_differentiate_inverse_dynamics(model, tree, &motion, &t->rnea, &t->slope);
  memcpy(slope, t->slope.q, sizeof(double) * (size_t)n * (size_t)n);
}

/* A⁻¹ Jᵀ of the active rows, and S = E + D J A⁻¹ Jᵀ. */
static void fill_S(constraint_tangent* c) {
  const cr_problem* p = c->p;
  int m = c->num_rows;
  memset(c->gamma, 0, sizeof(double) * (size_t)p->num_rows);
  memset(c->Z, 0, sizeof(double) * (size_t)c->n * (size_t)m);
  for (int i = 0; i < c->num_active; i++)
    for (int r = 0; r < c->active[i].rows; r++) {
      double* z = c->Z + (size_t)(c->active[i].first + r) * (size_t)c->n;
      c->gamma[c->active[i].row + r] = 1;
      cr_problem_add_J_transposed(p, c->gamma, z, c->local);
      c->gamma[c->active[i].row + r] = 0;
    }
  cr_cholesky_solve(p->A_symbolic, p->A_factor, c->Z, m, c->n, c->chol);
  for (int k = 0; k < m; k++) {
    cr_problem_apply_J(p, c->Z + (size_t)k * (size_t)c->n, c->gamma, c->local);
    for (int i = 0; i < c->num_active; i++) {
      const active_constraint* a = &c->active[i];
      for (int r = 0; r < a->rows; r++) {
        double sum = 0;
        for (int j = 0; j < a->rows; j++) sum += a->law.D[r][j] * c->gamma[a->row + j];
        if (k >= a->first && k < a->first + a->rows) sum += a->law.E[r][k - a->first];
        c->S[(size_t)(a->first + r) * (size_t)m + (size_t)k] = sum;
      }
    }
  }
}

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Sums over paths to the root: out_i = out_parent + sum of dofs' drifts. */
static void sum_drifts(const cr_tree_model* model, int tree, const sv* drift, const double* dq,
                       sv* out) {
  int first = model->tree_link_start[tree];
  for (int i = first; i < model->tree_link_end[tree]; i++) {
    out[i] = i == first ? sv_zero() : out[model->link_parent[i]];
    for (int k = model->link_v_start[i]; k < model->link_v_start[i + 1]; k++)
      out[i] = sv_axpy(out[i], dq[k], drift[k]);
  }
}

static void place_column(constraint_tangent* c, int column) {
  cr_step* step = c->t->step;
  const cr_tree_model* model = &step->model->tree;
  const double* dq = cr_column(c->t, c->t->q_mid, column);
  cr_row_motion* motions[] = {&c->v, &c->star, &c->v0};
  c->star.dv = cr_column(c->t, c->t->v_star, column);
  c->v0.dv = cr_column(c->t, c->t->v0, column);
  for (int b = 0; b < cr_tree_factor_count(step, &c->out->blocks); b++) {
    int tree = c->out->blocks.movers[b];
    cr_tree_update_link_velocities(model, tree, &step->kinematics, dq, c->twist);
    for (int i = 0; i < 3; i++) {
      cr_row_motion* m = motions[i];
      sum_drifts(model, tree, m->drift, dq, m->link_drift);
      if (m->dv)
        cr_tree_update_link_velocities(model, tree, &step->kinematics, m->dv, m->link_change);
    }
  }
  memset(c->pushed, 0, sizeof(sv) * (size_t)model->num_links);
}

/* How a constraint's rows move; returns what its distance does. */
static double differentiate_rows(constraint_tangent* c, const active_constraint* a, int column,
                                 cr_row_change* change) {
  const cr_step* step = c->t->step;
  const double* dq = cr_column(c->t, c->t->q_mid, column);
  if (!a->contact)
    return cr_model_row_differentiate(step, a->constraint, a->shape, dq, c->twist, change);
  const cr_contact_column at = {column, c->twist, &c->star, &c->v0};
  return cr_contact_tangent_differentiate(step, a->contact, a->shape, a->rows, &at, change);
}

/* Adds what the impulses do beside being carried along. */
static void add_pushed(constraint_tangent* c, const active_constraint* a,
                       const cr_row_change* change, double* full) {
  const cr_step* step = c->t->step;
  for (int r = 0; r < a->rows; r++) {
    const cr_row_shape* row = &a->shape[r];
    double gamma = c->out->gamma[a->row + r];
    for (int k = 0; k < 3 && row->kind == CR_ROW_OF_DOFS; k++)
      if (row->dof[k] >= 0) full[row->dof[k]] += gamma * change[r].coefficient[k];
    for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++) {
      int link = row->link[k];
      if (step->model->tree.link_tree[link] < 0) continue;
      sv moved = cr_row_wrench_change(step, row, &change[r], k, c->twist[link]);
      c->pushed[link] = sv_axpy(c->pushed[link], gamma, moved);
    }
  }
}

/* The laws' own parameters: coefficients of friction, bounds of dry friction. */
static void add_bounds(constraint_tangent* c, const active_constraint* a,
                       const cr_theta_column* theta) {
  double* rows = c->rows + a->first;
  if (a->contact) {
    double by = cr_theta_of_contact(c->t, theta, a->point).friction;
    for (int r = 0; r < a->rows; r++) rows[r] += by * a->law.mu[r];
  } else if (is_at_bound(a)) {
    int dof = a->shape[0].dof[0];
    double by = c->t->step->dt * cr_theta_of_friction_loss(c->t, theta, dof);
    rows[0] += copysign(by, c->out->gamma[a->row]);
  }
}

/* The right side of a constraint's rows, without dv. */
static void fill_right(constraint_tangent* c, const active_constraint* a, int column,
                       const cr_row_change* change, double distance) {
  const cr_theta_column* theta =
      column >= c->t->first_theta ? &c->t->thetas[column - c->t->first_theta] : NULL;
  double d[CR_LAW_MAX_ROWS];
  for (int r = 0; r < a->rows; r++)
    d[r] = cr_row_velocity_change(c->t->step, &a->shape[r], &change[r], c->twist, &c->v);
  int last = a->rows - 1, row = a->row + last;
  if (a->is_distance && a->is_plain) {
    const cr_step* step = c->t->step;
    const cr_row_shape* shape = &a->shape[last];
    cr_distance_row moved = {
        .distance = distance,
        .v1 = cr_row_rate_change(step, shape, &change[last], c->twist, &c->star),
        .v0 = cr_row_rate_change(step, shape, &change[last], c->twist, &c->v0)};
    if (theta && a->contact) {
      cr_contact_theta by = cr_theta_of_contact(c->t, theta, a->point);
      moved.stiffness = by.stiffness * a->point->weight, moved.dissipation = by.dissipation;
    }
    cr_compliance_change out = cr_compliance_differentiate(step, a->constraint, &a->at, &moved);
    d[last] += out.R * c->out->gamma[row] - out.v_hat;
  }
  if (a->constraint->rule == CR_ROW_ACTUATOR)
    d[last] -= cr_model_row_differentiate_actuator(c->t, a->constraint, column);
  for (int r = 0; r < a->rows; r++) {
    double sum = 0;
    for (int j = 0; j < a->rows; j++) sum -= a->law.D[r][j] * d[j];
    c->rows[a->first + r] = sum;
  }
  if (theta) add_bounds(c, a, theta);
}

/* What a parameter of A itself takes from b, (dA) x. */
static void subtract_matrix(const constraint_tangent* c, int theta, int tree, double* full) {
  const cr_step* step = c->t->step;
  const cr_tree_model* model = &step->model->tree;
  double *x = c->difference, *Ax = step->work;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  for (int i = start; i < end; i++) x[i] = step->v[i] - step->v_star[i], Ax[i] = 0;
  cr_theta_add_matrix(c->t, &c->t->thetas[theta], tree, x, Ax);
  for (int i = start; i < end; i++) full[i] -= Ax[i];
}

/* b: A dv* less what moves with the configuration. */
static void fill_b(constraint_tangent* c, int column, double* full) {
  cr_step_tangent* t = c->t;
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const double* dq = cr_column(t, t->q_mid, column);
  for (int b = 0; b < cr_tree_factor_count(step, &c->out->blocks); b++) {
    int tree = c->out->blocks.movers[b], start = model->tree_v_start[tree];
    int n = model->tree_v_start[tree + 1] - start;
    const double* slope = c->tree_slope + step->sim->plan.M_start[tree];
    if (column >= t->first_theta) subtract_matrix(c, column - t->first_theta, tree, full);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n && dq[start + k] != 0; i++)
        full[start + i] -= slope[(size_t)k * (size_t)n + (size_t)i] * dq[start + k];
    for (int link = model->tree_link_start[tree]; link < model->tree_link_end[tree]; link++)
      for (int j = model->link_last_dof[link]; j >= 0; j = model->dof_parent[j])
        full[j] += sv_dot(step->kinematics.S[j], c->pushed[link]);
  }
  cr_blocks_gather(step, &c->out->blocks, cr_column(t, t->v_star, column), c->x);
  cr_bsm_multiply(&c->p->pattern, c->p->A, c->x, c->b);
  cr_blocks_gather(step, &c->out->blocks, full, c->x);
  for (int i = 0; i < c->n; i++) c->b[i] += c->x[i];
}

/* dv in b's place, with dgamma in the rows'. */
static void solve(constraint_tangent* c) {
  int m = c->num_rows;
  cr_cholesky_solve(c->p->A_symbolic, c->p->A_factor, c->b, 1, c->n, c->chol);
  cr_problem_apply_J(c->p, c->b, c->gamma, c->local);
  for (int i = 0; i < c->num_active; i++) {
    const active_constraint* a = &c->active[i];
    for (int r = 0; r < a->rows; r++)
      for (int j = 0; j < a->rows; j++)
        c->rows[a->first + r] -= a->law.D[r][j] * c->gamma[a->row + j];
  }
  cr_lu_solve(c->S, c->pivot, m, c->rows);
  for (int k = 0; k < m; k++)
    for (int i = 0; i < c->n; i++)
      c->b[i] += c->rows[k] * c->Z[(size_t)k * (size_t)c->n + (size_t)i];
}

static void derive_column(constraint_tangent* c, int column) {
  cr_step_tangent* t = c->t;
  double* full = c->full;
  memset(full, 0, sizeof(double) * (size_t)t->num_v);
  place_column(c, column);
  for (int i = 0; i < c->num_active; i++) {
    const active_constraint* a = &c->active[i];
    cr_row_change change[CR_LAW_MAX_ROWS];
    double distance = differentiate_rows(c, a, column, change);
    add_pushed(c, a, change, full);
    fill_right(c, a, column, change, distance);
  }
  fill_b(c, column, full);
  solve(c);
  cr_blocks_scatter(t->step, &c->out->blocks, c->b, cr_column(t, t->v, column));
}

/* --- All ----------------------------------------------------------------------------------------
 */

static carom_status prepare(constraint_tangent* c, const cr_contact_set* set) {
  cr_step* step = c->t->step;
  cr_blocks_gather(step, &c->out->blocks, step->v, c->x);
  cr_problem_apply_J(c->p, c->x, c->v_c, c->local);
  for (int i = 0; i < c->p->num_constraints; i++) CR_TRY(add_active(c, set, i));
  if (!push_rows(c)) return cr_error_memory(c->t->error);
  sum_impulses(c);
  for (int b = 0; b < cr_tree_factor_count(step, &c->out->blocks); b++) {
    int tree = c->out->blocks.movers[b];
    cr_row_motion* motions[] = {&c->v, &c->star, &c->v0};
    for (int i = 0; i < 3; i++) find_motion(c, tree, motions[i]);
    differentiate_tree(c, tree);
  }
  fill_S(c);
  if (!cr_lu_factor(c->S, c->num_rows, c->pivot))
    return cr_error_set(c->t->error, CAROM_ERROR_NUMERICAL,
                        "derivatives: the constraints' equations are singular");
  return CAROM_OK;
}

carom_status cr_derive_constraints(cr_step_tangent* t, const cr_contact_set* set,
                                   const cr_step_problem* problem) {
  constraint_tangent c = {
      .t = t, .out = problem, .p = &problem->problem, .n = problem->problem.pattern.num_rows};
  memcpy(t->v, t->v_star, sizeof(double) * (size_t)t->num_v * (size_t)t->num_columns);
  if (c.p->num_constraints == 0) return CAROM_OK;
  if (!push(&c)) return cr_error_memory(t->error);
  CR_TRY(prepare(&c, set));
  for (int i = 0; i < t->num_columns; i++) derive_column(&c, i);
  return CAROM_OK;
}
