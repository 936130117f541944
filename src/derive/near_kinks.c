/* A corner of a block at rest may be about to slide though the block is not: others hold it. With
 * the constraints' equations at hand (constraint_tangent.h),
 *
 *   A dv - Jᵀ dgamma = A x,    D J dv + E dgamma = 0
 *
 * dv and dgamma follow from any x, and so where each constraint is after a small change e x to
 * either side, and which law it then has. Where that is another, or is not met, as friction that
 * holds by turning far, drives r on its rows (where it takes part on the right side, else as
 * impulses) lead to where it is, by Newton's method with the laws E', D' and what is missing, f',
 *
 *   E' (dgamma + G r) + D' J (dv + V r) = - f' / e
 *
 * for all of one side together, and without f' to the derivative of that side. The step has a kink
 * where both sides differ by a share of dv that could be seen, for a unit x of one
 * of the unknowns that the constraints have rows on. What the rows' own motion does is that of some
 * x, as where bodies move as they are. */
#include "derive/near_kinks.h"

#include "linalg/sparse_rows.h"
#include "math/scalar.h"
#include "problem/law_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_ROWS  96 /* of all near kinks: beyond it all count */
#define MET        (CR_DERIVE_FELT * CR_DERIVE_SMALL_CHANGE) /* m/s, what a law may be off by */
#define MOST_TRIES 8 /* of laws on a side: as one gives way, others hold or slide */
#define LEAST_SLIP (0.01 * CR_DERIVE_SMALL_CHANGE) /* m/s, from which Newton's method sets out */

/* A row of a near kink. */
typedef struct tried_row {
  int near, row;
} tried_row;

typedef struct work {
  cr_constraint_tangent* c;
  int rows;                  /* of all near kinks */
  int probes;                /* columns are those of probes, then of drives */
  int* probe;                /* [probes] unknowns */
  double* v;                 /* [n, columns] dv */
  double* of_gamma;          /* [num_rows, rows] - dgamma of those rows by all that are active */
  double *gamma, *d;         /* [rows, columns] dgamma and J dv of the near kinks' rows */
  int* first;                /* [num_near] of the rows of each */
  double *M, *r;             /* [rows²], [rows] work */
  double *way_gamma, *way_d; /* [rows] dgamma and J dv there, drives with the probe */
  double* jump;              /* [n] by which dv differs between both sides */
  int* pivot;
  cr_law_tangent* other; /* [num_near] the laws on a side, */
  bool* is_tried;        /* which of them others are tried for, */
  bool* differs;         /* on either side of the x at hand; */
  bool* is_kink;         /* where they matter */
  tried_row* tried;      /* [rows] of those */
} work;

/* --- Responses ----------------------------------------------------------------------------------
 */

/* - D J v of the active rows, v zero in most blocks. */
static void oppose(const cr_constraint_tangent* c, const double* v, double* rows) {
  cr_problem_apply_J_to_part(c->s.p, v, c->gamma, c->s.local);
  memset(rows, 0, sizeof(double) * (size_t)c->s.num_rows);
  cr_constraint_add_laws(c, -1, c->gamma, rows);
}

/* Adds what the active constraints make of a column's right side `rows` to its dv, and keeps its
 * dgamma and J dv of the near kinks' rows. */
static void respond(const work* w, int column, const double* rows) {
  const cr_constraint_state* s = &w->c->s;
  const cr_rows of_v = {w->c->Q, s->num_rows, s->n, s->n};
  const cr_rows of_gamma = {w->of_gamma, s->num_rows, w->rows, w->rows};
  double* v = w->v + (size_t)column * (size_t)s->n;
  double *gamma = w->gamma + (size_t)column * (size_t)w->rows,
         *d = w->d + (size_t)column * (size_t)w->rows;
  cr_sparse_subtract_rows(s->t->kernels, rows, &of_v, v);
  memset(gamma, 0, sizeof(double) * (size_t)w->rows);
  cr_sparse_subtract_rows(s->t->kernels, rows, &of_gamma, gamma);
  cr_problem_apply_J(s->p, v, w->c->gamma, s->local);
  for (int i = 0; i < s->num_near; i++) {
    const cr_near_kink* near = &s->near[i];
    for (int r = 0; r < near->law.rows; r++) {
      d[w->first[i] + r] = w->c->gamma[s->p->row[near->place] + r];
      if (near->active < 0) gamma[w->first[i] + r] = column == w->probes + w->first[i] + r;
    }
  }
}

static void probe(const work* w, int column) {
  size_t n = (size_t)w->c->s.n;
  double* v = w->v + (size_t)column * n;
  memset(v, 0, sizeof(double) * n);
  v[w->probe[column]] = 1;
  oppose(w->c, v, w->c->rows);
  respond(w, column, w->c->rows);
}

/* A unit on one row of a near kink. */
static void drive(const work* w, const cr_near_kink* near, int row, int column) {
  cr_constraint_tangent* c = w->c;
  const cr_problem* p = c->s.p;
  double* v = w->v + (size_t)column * (size_t)c->s.n;
  memset(v, 0, sizeof(double) * (size_t)c->s.n);
  if (near->active >= 0) {
    memset(c->rows, 0, sizeof(double) * (size_t)c->s.num_rows);
    c->rows[c->s.active[near->active].first + row] = 1;
  } else {
    memset(c->gamma, 0, sizeof(double) * (size_t)p->num_rows);
    c->gamma[p->row[near->place] + row] = 1;
    cr_problem_add_J_transposed(p, c->gamma, v, c->s.local);
    cr_cholesky_solve(p->A_symbolic, p->A_factor, v, 1, c->s.n, c->chol);
    oppose(c, v, c->rows);
  }
  respond(w, column, c->rows);
}

/* --- Sides --------------------------------------------------------------------------------------
 */

/* The law of one after a small change along w's way, what it is off by at the state aside. Returns
 * whether it is met there. */
static bool find_law(const work* w, int i, cr_law_tangent* law) {
  const cr_constraint_state* s = &w->c->s;
  cr_law_at at = cr_constraint_state_look(s, s->near[i].place);
  const double *d = w->way_d + w->first[i], *dgamma = w->way_gamma + w->first[i];
  double v_c[CR_LAW_MAX_ROWS], gamma[CR_LAW_MAX_ROWS], most = 0;
  int rows = s->near[i].law.rows;
  for (int r = 0; r < rows; r++) {
    v_c[r] = at.v_c[r] + CR_DERIVE_SMALL_CHANGE * d[r];
    gamma[r] = at.gamma[r] + CR_DERIVE_SMALL_CHANGE * dgamma[r];
  }
  if (rows > 1 && gamma[rows - 1] == 0)
    gamma[rows - 1] = DBL_MIN; /* one that slides as it closes */
  at.v_c = v_c, at.gamma = gamma, at.least_slip = LEAST_SLIP;
  cr_law_tangent_find(&at, law);
  bool is_same = law->state == s->near[i].law.state;
  for (int r = 0; r < rows && is_same; r++) law->f[r] -= s->near[i].law.f[r];
  for (int r = 0; r < rows; r++) most = fmax(most, fabs(law->f[r]));
  return most * (law->state == CR_LAW_OPEN ? at.scale : 1) < MET;
}

/* The laws there; tries those that are others or are not met. Returns whether all are as they were
 * taken for. */
static bool find_laws(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  bool done = true;
  for (int i = 0; i < s->num_near; i++) {
    cr_law_state before = w->other[i].state;
    bool is_met = find_law(w, i, &w->other[i]) && w->other[i].state == before;
    w->is_tried[i] |= !is_met;
    done &= is_met;
  }
  return done;
}

/* The column of the drive on a row. */
static int find_drive(const work* w, tried_row of) {
  return w->probes + w->first[of.near] + of.row;
}

/* E' dgamma + D' J dv of a row in a column. */
static double apply_other(const work* w, tried_row of, int column) {
  const cr_law_tangent* law = &w->other[of.near];
  size_t at = (size_t)column * (size_t)w->rows + (size_t)w->first[of.near];
  double sum = 0;
  for (int k = 0; k < law->rows; k++)
    sum += law->E[of.row][k] * w->gamma[at + (size_t)k] + law->D[of.row][k] * w->d[at + (size_t)k];
  return sum;
}

/* The rows of those that other laws are tried for; returns how many. */
static int list_tried(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  int count = 0;
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows && w->is_tried[i]; r++)
      w->tried[count++] = (tried_row){i, r};
  return count;
}

/* Adds a column to w's way. */
static void go(const work* w, double share, int column) {
  size_t at = (size_t)column * (size_t)w->rows;
  scalar_axpy(w->way_gamma, share, w->gamma + at, w->rows, w->way_gamma);
  scalar_axpy(w->way_d, share, w->d + at, w->rows, w->way_d);
}

/* The drives on the tried rows for which their laws make the right side r, in its place. False
 * where these leave them open. */
static bool solve_drives(const work* w, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < count; k++)
      w->M[i * count + k] = apply_other(w, w->tried[i], find_drive(w, w->tried[k]));
  if (!cr_lu_factor(w->M, count, w->pivot)) return false;
  cr_lu_solve(w->M, w->pivot, count, w->r);
  return true;
}

/* Goes a small change to a side of a probe. False where the laws leave it open. */
static bool find_side(const work* w, int column, double side) {
  const cr_constraint_state* s = &w->c->s;
  memset(w->way_gamma, 0, sizeof(double) * (size_t)w->rows);
  memset(w->way_d, 0, sizeof(double) * (size_t)w->rows);
  for (int i = 0; i < s->num_near; i++) w->other[i] = s->near[i].law, w->is_tried[i] = false;
  go(w, side, column);
  for (int k = 0; k < MOST_TRIES && !find_laws(w); k++) {
    int count = list_tried(w);
    for (int i = 0; i < count; i++)
      w->r[i] = -w->other[w->tried[i].near].f[w->tried[i].row] / CR_DERIVE_SMALL_CHANGE;
    if (!solve_drives(w, count)) return false;
    for (int i = 0; i < count; i++) go(w, w->r[i], find_drive(w, w->tried[i]));
  }
  return true;
}

/* Adds what the other laws of a side make of a probe's dv; false where they leave it open. */
static bool add_side(const work* w, int column, double side) {
  if (!find_side(w, column, side)) return false;
  int count = list_tried(w), n = w->c->s.n;
  for (int i = 0; i < count; i++) w->r[i] = -side * apply_other(w, w->tried[i], column);
  for (int i = 0; i < count; i++) w->differs[w->tried[i].near] = true;
  if (count > 0 && !solve_drives(w, count)) return false;
  for (int k = 0; k < count; k++) {
    const double* v = w->v + (size_t)find_drive(w, w->tried[k]) * (size_t)n;
    scalar_axpy(w->jump, w->r[k], v, n, w->jump);
  }
  return true;
}

/* Whether both sides of a probe differ, of which without constraints an unknown moves by 1. */
static bool is_felt(const work* w, int column) {
  double most = 0, whole = 1;
  int n = w->c->s.n;
  bool is_same = true;
  memset(w->jump, 0, sizeof(double) * (size_t)n);
  bool left = add_side(w, column, -1), right = add_side(w, column, 1);
  if (!left || !right) return true;
  for (int i = 0; i < w->c->s.num_near; i++) is_same &= !w->differs[i];
  if (is_same) return false;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(w->jump[i]));
    whole = fmax(whole, fabs(w->v[(size_t)column * (size_t)n + (size_t)i]));
  }
  return !(most < CR_DERIVE_FELT * whole);
}

/* --- All ---------------------------------------------------------------------------------------
 */

static void mark(const cr_constraint_tangent* c, int i) {
  const cr_law_tangent* law = &c->s.near[i].law;
  c->s.t->num_kinks++;
  cr_step_tangent_note_kink(c->s.t, law->kink, fmin(law->kink_speed, CR_DERIVE_SMALL_CHANGE));
}

/* Looks for kinks along a probe. */
static void look(const work* w, int column) {
  int count = w->c->s.num_near;
  for (int i = 0; i < count; i++) w->differs[i] = false;
  if (!is_felt(w, column)) return;
  for (int i = 0; i < count; i++) w->is_kink[i] |= w->differs[i];
}

/* z = W⁻¹ (dy/dx) of a row of a near kink, with y = gamma - (d + R gamma) / scale, by all unknowns,
 * of which dv = x + Zᵀ dgamma and dgamma = - S⁻¹ D J x.
 * @param x [n] its Jᵀ; receives the result
 * @param rows [num_rows] work */
static void find_slope(const cr_constraint_tangent* c, const cr_near_kink* near, int r, double* x,
                       double* rows) {
  const cr_constraint_state* s = &c->s;
  double scale = cr_law_tangent_find_scale(s->p, s->out->W, near->place);
  for (int k = 0; k < s->num_rows; k++)
    rows[k] = -scalar_dot(c->Z + (size_t)k * (size_t)s->n, x, s->n);
  if (near->active >= 0)
    rows[s->active[near->active].first + r] += scale - s->p->R[s->p->row[near->place] + r];
  cr_lu_solve(c->S, c->pivot, s->num_rows, rows);
  memset(c->gamma, 0, sizeof(double) * (size_t)s->p->num_rows);
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    for (int k = 0; k < a->rows; k++)
      for (int l = 0; l < a->rows; l++) c->gamma[a->row + l] += a->law.D[k][l] * rows[a->first + k];
  }
  cr_problem_add_J_transposed(s->p, c->gamma, x, s->local);
}

/* The unknown that moves a row most. */
static int find_strongest(const double* slope, int n) {
  int best = 0;
  for (int k = 1; k < n; k++)
    if (fabs(slope[k]) > fabs(slope[best])) best = k;
  return best;
}

/* The unknowns that near kinks have rows on, and those that move them most. False when memory ran
 * out. */
static bool find_probes(work* w) {
  const cr_constraint_tangent* c = w->c;
  const cr_problem* p = c->s.p;
  double* x = CR_PUSH(c->s.t->arena, double, c->s.n);
  double* rows = CR_PUSH(c->s.t->arena, double, c->s.num_rows);
  w->probe = CR_PUSH(c->s.t->arena, int, c->s.n);
  if (c->s.t->arena->failed) return false;
  memset(w->probe, 0, sizeof(int) * (size_t)c->s.n);
  for (int i = 0; i < c->s.num_near; i++)
    for (int r = 0; r < c->s.near[i].law.rows; r++) {
      memset(x, 0, sizeof(double) * (size_t)c->s.n);
      memset(c->gamma, 0, sizeof(double) * (size_t)p->num_rows);
      c->gamma[p->row[c->s.near[i].place] + r] = 1;
      cr_problem_add_J_transposed(p, c->gamma, x, c->s.local);
      for (int k = 0; k < c->s.n; k++) w->probe[k] |= x[k] != 0;
      find_slope(c, &c->s.near[i], r, x, rows);
      w->probe[find_strongest(x, c->s.n)] = 1;
    }
  for (int k = 0; k < c->s.n; k++)
    if (w->probe[k]) w->probe[w->probes++] = k;
  return true;
}

static bool push(work* w) {
  const cr_constraint_state* s = &w->c->s;
  cr_arena* arena = s->t->arena;
  w->first = CR_PUSH(arena, int, s->num_near);
  if (arena->failed) return false;
  for (int i = 0; i < s->num_near; i++) w->first[i] = w->rows, w->rows += s->near[i].law.rows;
  if (w->rows > MOST_ROWS) return true;
  if (!find_probes(w)) return false;
  size_t rows = (size_t)w->rows, columns = rows + (size_t)w->probes;
  w->v = CR_PUSH(arena, double, columns*(size_t)s->n);
  w->of_gamma = CR_PUSH(arena, double, (size_t)s->num_rows* rows);
  w->gamma = CR_PUSH(arena, double, columns* rows);
  w->d = CR_PUSH(arena, double, columns* rows);
  w->M = CR_PUSH(arena, double, rows* rows);
  w->r = CR_PUSH(arena, double, rows);
  w->way_gamma = CR_PUSH(arena, double, rows);
  w->way_d = CR_PUSH(arena, double, rows);
  w->jump = CR_PUSH(arena, double, s->n);
  w->pivot = CR_PUSH(arena, int, rows);
  w->other = CR_PUSH(arena, cr_law_tangent, s->num_near);
  w->is_tried = CR_PUSH(arena, bool, s->num_near);
  w->differs = CR_PUSH(arena, bool, s->num_near);
  w->is_kink = CR_PUSH(arena, bool, s->num_near);
  w->tried = CR_PUSH(arena, tried_row, rows);
  return !arena->failed && cr_constraint_find_responses(w->c);
}

static void find_responses(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  memset(w->of_gamma, 0, sizeof(double) * (size_t)s->num_rows * (size_t)w->rows);
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows && s->near[i].active >= 0; r++)
      w->of_gamma[(s->active[s->near[i].active].first + r) * w->rows + w->first[i] + r] = -1;
  cr_lu_solve_rows(w->c->S, w->c->pivot, s->num_rows, w->rows, w->of_gamma);
  for (int k = 0; k < w->probes; k++) probe(w, k);
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows; r++)
      drive(w, &s->near[i], r, w->probes + w->first[i] + r);
}

bool cr_near_kinks_mark(cr_constraint_tangent* c) {
  const cr_constraint_state* s = &c->s;
  work w = {.c = c};
  if (s->num_near > 0 && !cr_near_laws_select(c, MOST_ROWS)) return false;
  if (s->num_near == 0) return true;
  if (!push(&w)) return false;
  if (w.rows > MOST_ROWS) {
    for (int i = 0; i < s->num_near; i++)
      if (s->near[i].law.kink_speed <= CR_DERIVE_SMALL_CHANGE) mark(c, i);
    return true;
  }
  find_responses(&w);
  for (int i = 0; i < s->num_near; i++) w.is_kink[i] = false;
  for (int k = 0; k < w.probes; k++) look(&w, k);
  for (int i = 0; i < s->num_near; i++)
    if (w.is_kink[i]) mark(c, i);
  return true;
}
