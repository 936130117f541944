/* A column's q_mid, v*, v0 and q0 make b and c by blocks, slopes and weights that are the same for
 * all columns, and these make dv - v* by A⁻¹, D J and Z S⁻¹. So what a unit of each number does
 * is found first, with what q_mid does by v*, v0 and q0, which it follows from; and a column is a
 * sum of some of these, whose numbers differ from zero. */
#include "base/copy.h"
#include "base/error.h"
#include "derive/constraint_tangent.h"
#include "derive/free_tangent.h"
#include "linalg/sparse_rows.h"
#include "math/scalar.h"

#include <string.h>

typedef enum field { BY_Q_MID, BY_STAR, BY_V0, BY_Q0, FIELDS } field;

/* A dof as one of those of a block. */
typedef struct entry {
  const cr_active_constraint* of;
  int at;
} entry;

typedef struct responses {
  cr_constraint_tangent* c;
  cr_rows of_b;         /* [n, n] - A⁻¹ */
  cr_rows of_v_on_c;    /* [n, num_rows] D J of a unit of v */
  cr_rows of_c;         /* [num_rows, n] Q */
  double* unit[FIELDS]; /* [n, n] v* - dv of a unit, unknowns by rows in the order of the movers'
                           dofs */
  int* start;           /* [num_v + 1] of each dof's entries */
  entry* entries;
  int* unknown;     /* [num_v] of the problem, -1: none */
  int *order, *dof; /* [n] of an unknown, among the movers' dofs and of the model */
  double *b, *rows; /* [n], [num_rows] right sides at hand */
  double* x;        /* [n] dv - v* at hand; work */
} responses;

/* --- Of right sides -----------------------------------------------------------------------------
 */

bool cr_constraint_find_responses(cr_constraint_tangent* c) {
  size_t size = (size_t)c->s.n * (size_t)c->s.num_rows;
  if (c->Q) return true;
  double* Q = CR_PUSH(c->s.t->arena, double, size);
  if (!Q) return false;
  for (size_t i = 0; i < size; i++) Q[i] = -c->Z[i];
  cr_lu_solve_rows(c->S, c->pivot, c->s.num_rows, c->s.n, Q);
  c->Q = Q;
  return true;
}

/* D J of the active rows by columns of J. */
static void fill_laws(const responses* r, double* out) {
  const cr_constraint_state* s = &r->c->s;
  size_t n = (size_t)s->n, m = (size_t)s->num_rows;
  memset(out, 0, sizeof(double) * n * m);
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    for (int row = 0; row < a->rows; row++) {
      memset(r->x, 0, sizeof(double) * n);
      for (int j = 0; j < a->rows; j++)
        if (a->law.D[row][j] != 0) cr_problem_add_row(s->p, a->row + j, a->law.D[row][j], r->x);
      for (size_t k = 0; k < n; k++) out[k * m + (size_t)(a->first + row)] = r->x[k];
    }
  }
}

static bool find_responses(responses* r) {
  cr_constraint_tangent* c = r->c;
  const cr_constraint_state* s = &c->s;
  size_t n = (size_t)s->n, m = (size_t)s->num_rows;
  double *A = CR_PUSH(s->t->arena, double, n*n), *DJ = CR_PUSH(s->t->arena, double, n*m);
  if (s->t->arena->failed || !cr_constraint_find_responses(c)) return false;
  memset(A, 0, sizeof(double) * n * n);
  fill_laws(r, DJ);
  for (size_t k = 0; k < n; k++) A[k * (n + 1)] = -1;
  cr_cholesky_solve(s->p->A_symbolic, s->p->A_factor, A, s->n, s->n, c->chol);
  r->of_v_on_c = (cr_rows){DJ, s->n, s->num_rows, s->num_rows};
  r->of_b = (cr_rows){A, s->n, s->n, s->n};
  r->of_c = (cr_rows){c->Q, s->num_rows, s->n, s->n};
  return true;
}

/* dv - v* [n] of the right sides at hand; c's is overwritten. */
static void respond(const responses* r, double* x) {
  const cr_kernels* kernels = r->c->s.t->kernels;
  memset(x, 0, sizeof(double) * (size_t)r->of_b.num_rows);
  cr_sparse_subtract_rows(kernels, r->b, &r->of_b, x);
  cr_sparse_subtract_rows(kernels, x, &r->of_v_on_c, r->rows);
  cr_sparse_subtract_rows(kernels, r->rows, &r->of_c, x);
}

/* --- Of units -----------------------------------------------------------------------------------
 */

/* Which blocks each dof has a part in. */
static bool list_entries(responses* r) {
  const cr_constraint_state* s = &r->c->s;
  int num_v = s->t->num_v;
  r->start = CR_PUSH(s->t->arena, int, num_v + 1);
  if (!r->start) return false;
  memset(r->start, 0, sizeof(int) * (size_t)(num_v + 1));
  for (int i = 0; i < s->num_active; i++)
    for (int k = 0; k < s->active[i].block.num_dofs; k++) r->start[s->active[i].block.dof[k]]++;
  for (int k = 0; k < num_v; k++) r->start[k + 1] += r->start[k]; /* where each ends */
  r->entries = CR_PUSH(s->t->arena, entry, r->start[num_v]);
  if (s->t->arena->failed) return false;
  for (int i = s->num_active - 1; i >= 0; i--)
    for (int k = 0; k < s->active[i].block.num_dofs; k++)
      r->entries[--r->start[s->active[i].block.dof[k]]] = (entry){&s->active[i], k};
  return true;
}

/* The problem's unknowns, and the movers' dofs in turn. */
static void list_unknowns(responses* r) {
  const cr_constraint_tangent* c = r->c;
  const cr_blocks* blocks = &c->s.out->blocks;
  const cr_tree_model* model = &c->s.t->step->model->tree;
  int count = 0;
  for (int i = 0; i < c->s.t->num_v; i++) r->unknown[i] = -1;
  for (int b = 0; b < blocks->pattern.num_blocks; b++)
    for (int i = 0; i < blocks->pattern.size[b]; i++)
      r->unknown[model->segment_v_start[blocks->block_segment[b]] + i] =
          blocks->pattern.row_start[b] + i;
  for (int k = 0; k < c->num_trees; k++) {
    int tree = blocks->movers[k];
    for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
      r->dof[r->unknown[i]] = i, r->order[r->unknown[i]] = count++;
  }
}

static bool init(responses* r) {
  const cr_constraint_state* s = &r->c->s;
  cr_arena* arena = s->t->arena;
  size_t n = (size_t)s->n;
  for (int i = 0; i < FIELDS; i++) r->unit[i] = CR_PUSH(arena, double, n* n);
  r->unknown = CR_PUSH(arena, int, s->t->num_v);
  r->order = CR_PUSH(arena, int, n);
  r->dof = CR_PUSH(arena, int, n);
  r->b = CR_PUSH(arena, double, n);
  r->x = CR_PUSH(arena, double, n);
  r->rows = CR_PUSH(arena, double, s->num_rows);
  if (arena->failed || !list_entries(r) || !find_responses(r)) return false;
  list_unknowns(r);
  memset(r->unit[BY_Q0], 0, sizeof(double) * n * n);
  return true;
}

static void clear_sides(const responses* r) {
  memset(r->b, 0, sizeof(double) * (size_t)r->of_b.num_rows);
  memset(r->rows, 0, sizeof(double) * (size_t)r->of_c.num_rows);
}

/* Right sides of a unit of a dof's number. */
static void fill_unit(const responses* r, int tree, int dof, field by) {
  const cr_constraint_tangent* c = r->c;
  const cr_step* step = c->s.t->step;
  const int* v_start = step->model->tree.tree_v_start;
  int first = v_start[tree], n = v_start[tree + 1] - first;
  const double* slope =
      c->s.tree_slope + step->sim->plan.M_start[tree] + (size_t)(dof - first) * (size_t)n;
  clear_sides(r);
  for (int i = 0; i < n && by == BY_Q_MID; i++) r->b[r->unknown[first + i]] = -slope[i];
  const double* of_star = r->of_v_on_c.values + (size_t)r->unknown[dof] * (size_t)c->s.num_rows;
  for (int i = 0; i < c->s.num_rows && by == BY_STAR; i++) r->rows[i] = -of_star[i];
  for (const entry* e = r->entries + r->start[dof]; e < r->entries + r->start[dof + 1]; e++) {
    const cr_constraint_block* block = &e->of->block;
    double* const of_c[] = {block->c_q, block->c_star, block->c_v0};
    double* const of_b[] = {block->b_q, block->b_star, block->b_v0};
    const double *column = of_c[by] + e->at, *b = of_b[by] ? of_b[by] + e->at : NULL;
    for (int i = 0; i < e->of->rows; i++)
      r->rows[e->of->first + i] += column[(size_t)i * (size_t)block->num_dofs];
    for (int i = 0; i < block->num_dofs && b; i++)
      r->b[r->unknown[block->dof[i]]] += b[(size_t)i * (size_t)block->num_dofs];
  }
}

static double* row_of(const responses* r, field by, int dof) {
  return r->unit[by] + (size_t)r->order[r->unknown[dof]] * (size_t)r->of_b.num_rows;
}

/* What the weights of dampers do, which move with q0 and v0. */
static void add_weights(const responses* r) {
  const cr_constraint_tangent* c = r->c;
  const cr_weight_tangents* weights = c->s.t->weights;
  for (int k = 0; k < weights->count; k++) {
    const cr_weight_tangent* w = &weights->items[k];
    if (r->unknown[w->dof] < 0) continue;
    clear_sides(r);
    r->b[r->unknown[w->dof]] = -w->matrix * c->change[w->dof];
    CR_COPY(r->rows, c->by_weights + (size_t)k * (size_t)c->s.num_rows, c->s.num_rows);
    respond(r, r->x);
    for (int i = 0; i < w->n; i++) {
      double *q0 = row_of(r, BY_Q0, w->group[i]), *v0 = row_of(r, BY_V0, w->group[i]);
      scalar_axpy(q0, w->q[i], r->x, c->s.n, q0);
      scalar_axpy(v0, w->v[i], r->x, c->s.n, v0);
    }
  }
}

/* What q_mid does goes to what it follows from. */
static void add_place(const responses* r) {
  const cr_constraint_tangent* c = r->c;
  const int* v_start = c->s.t->step->model->tree.tree_v_start;
  for (int k = 0; k < c->num_trees; k++) {
    int tree = c->s.out->blocks.movers[k], dof = v_start[tree];
    const cr_stride_rows rows = {c->s.n,
                                 c->s.n,
                                 row_of(r, BY_Q_MID, dof),
                                 row_of(r, BY_Q0, dof),
                                 row_of(r, BY_V0, dof),
                                 row_of(r, BY_STAR, dof),
                                 0};
    cr_free_tangent_add_rows(c->s.t, tree, rows);
  }
}

static void find_units(const responses* r) {
  const cr_constraint_tangent* c = r->c;
  const int* v_start = c->s.t->step->model->tree.tree_v_start;
  for (int k = 0; k < c->num_trees; k++) {
    int tree = c->s.out->blocks.movers[k];
    for (int dof = v_start[tree]; dof < v_start[tree + 1]; dof++)
      for (field by = BY_Q_MID; by <= BY_V0; by++) {
        fill_unit(r, tree, dof, by);
        respond(r, row_of(r, by, dof));
      }
  }
  add_weights(r);
  add_place(r);
}

/* --- Of columns ---------------------------------------------------------------------------------
 */

/* Adds x times a sign to a column of t.v. */
static void add_answer(const responses* r, int column, double sign) {
  double* v = cr_column(r->c->s.t, r->c->s.t->v, column);
  const double* x = r->x;
  const int* dof = r->dof;
  for (int i = 0, n = r->c->s.n; i < n; i++) v[dof[i]] += sign * x[i];
}

/* What moves by a column's fields. */
static void add_units(const responses* r, int column) {
  const cr_constraint_tangent* c = r->c;
  const cr_step_tangent* t = c->s.t;
  const int* v_start = t->step->model->tree.tree_v_start;
  const double* const x[FIELDS] = {NULL, cr_column(t, t->v_star, column),
                                   cr_column(t, t->v0, column), cr_column(t, t->q0, column)};
  bool is_of_state = column < t->first_activation;
  int first = 0, n = c->s.n;
  memset(r->x, 0, sizeof(double) * (size_t)n);
  for (int k = 0; k < c->num_trees; k++) {
    int start = v_start[c->s.out->blocks.movers[k]];
    int size = v_start[c->s.out->blocks.movers[k] + 1] - start;
    for (int by = BY_STAR; by < (is_of_state ? FIELDS : BY_V0); by++) {
      const cr_rows unit = {r->unit[by] + (size_t)first * (size_t)n, size, n, n};
      cr_sparse_subtract_rows(t->kernels, x[by] + start, &unit, r->x);
    }
    first += size;
  }
  add_answer(r, column, -1); /* rows were subtracted */
}

/* What else moves with a column. */
static void add_direct(const responses* r, int column) {
  cr_constraint_tangent* c = r->c;
  const cr_step_tangent* t = c->s.t;
  memset(c->full, 0, sizeof(double) * (size_t)t->num_v);
  memset(r->rows, 0, sizeof(double) * (size_t)c->s.num_rows);
  cr_constraint_add_direct(c, column, c->full, r->rows);
  cr_blocks_gather(t->step, &c->s.out->blocks, c->full, r->b);
  respond(r, r->x);
  add_answer(r, column, 1);
}

/* All of a column at once: parameters often move rows that repeat each other by what v* takes back
 * before the impulses tell such rows apart. */
static void find_whole(const responses* r, int column) {
  cr_constraint_tangent* c = r->c;
  const cr_step_tangent* t = c->s.t;
  const cr_blocks* blocks = &c->s.out->blocks;
  cr_constraint_fill_column(c, column, r->b, r->rows);
  cr_blocks_gather(t->step, blocks, cr_column(t, t->v_star, column), r->x);
  cr_sparse_subtract_rows(t->kernels, r->b, &r->of_b, r->x);
  cr_problem_apply_J_to_part(c->s.p, r->x, c->gamma, c->s.local);
  cr_constraint_add_laws(c, -1, c->gamma, r->rows);
  cr_sparse_subtract_rows(t->kernels, r->rows, &r->of_c, r->x);
  cr_blocks_scatter(t->step, blocks, r->x, cr_column(t, t->v, column));
}

carom_status cr_constraint_respond(cr_constraint_tangent* c) {
  const cr_step_tangent* t = c->s.t;
  responses r = {.c = c};
  if (!init(&r)) return cr_error_memory(t->error);
  find_units(&r);
  for (int column = 0; column < t->first_theta; column++) {
    add_units(&r, column);
    if (c->has_direct) add_direct(&r, column);
  }
  for (int column = t->first_theta; column < t->num_columns; column++) find_whole(&r, column);
  return CAROM_OK;
}
