/* A corner of a block at rest may be about to slide though the block is not: others hold it. With
 * the constraints' equations at hand (constraint_tangent.h),
 *
 *   A dv - Jᵀ dgamma = A x,    D J dv + E dgamma = 0
 *
 * dv and dgamma follow from any x, and so where each constraint is after a small change e x to
 * either side, and which law it then has. Where these are others, E' and D', they change dv by
 * drives r on their rows (of those that take part on the right side, of others as impulses), with
 *
 *   E' (dgamma + G r) + D' J (dv + V r) = 0
 *
 * for all of one side together: one step of Newton's method to the derivative of that side. The
 * step has a kink where both sides differ by a share of dv that could be seen, for a unit x of one
 * of the unknowns that the constraints have rows on. What the rows' own motion does is that of some
 * x, as where bodies move as they are. */
#include "derive/near_kinks.h"

#include "math/scalar.h"
#include "problem/law_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_ROWS 96 /* of all near kinks: beyond it all count */

/* A row of a near kink. */
typedef struct tried_row {
  int near, row;
} tried_row;

typedef struct work {
  cr_constraint_tangent* c;
  int rows;          /* of all near kinks */
  int probes;        /* columns are those of probes, then of drives */
  int* probe;        /* [probes] unknowns */
  double* v;         /* [n, columns] dv */
  double *gamma, *d; /* [rows, columns] dgamma and J dv of the near kinks' rows */
  int* first;        /* [num_near] of the rows of each */
  double *M, *r;     /* [rows²], [rows] work */
  double* jump;      /* [n] by which dv differs between both sides */
  int* pivot;
  cr_law_tangent* other; /* [num_near] the laws on a side, */
  bool* is_other;        /* where they are others, */
  bool* differs;         /* on either side of the x at hand; */
  bool* is_kink;         /* where they matter */
  tried_row* tried;      /* [rows] of the other ones */
} work;

/* --- Responses ----------------------------------------------------------------------------------
 */

/* Adds what the active constraints make of a right side `rows`: dv in v, dgamma in `rows`. */
static void respond(const cr_constraint_tangent* c, double* rows, double* v) {
  size_t n = (size_t)c->s.n;
  cr_lu_solve_transposed(c->S, c->pivot, c->s.num_rows, rows);
  for (int k = 0; k < c->s.num_rows; k++) scalar_axpy(v, rows[k], c->Z + (size_t)k * n, c->s.n, v);
}

/* - D J v of the active rows. */
static void oppose(const cr_constraint_tangent* c, const double* v, double* rows) {
  cr_problem_apply_J(c->s.p, v, c->gamma, c->s.local);
  memset(rows, 0, sizeof(double) * (size_t)c->s.num_rows);
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* a = &c->s.active[i];
    for (int r = 0; r < a->rows; r++)
      for (int j = 0; j < a->rows; j++) rows[a->first + r] -= a->law.D[r][j] * c->gamma[a->row + j];
  }
}

/* Keeps a column's dgamma and J dv of the near kinks' rows. */
static void keep(const work* w, int column, const double* rows) {
  const cr_constraint_state* s = &w->c->s;
  cr_problem_apply_J(s->p, w->v + (size_t)column * (size_t)s->n, w->c->gamma, s->local);
  for (int i = 0; i < s->num_near; i++) {
    const cr_near_kink* near = &s->near[i];
    size_t at = (size_t)column * (size_t)w->rows + (size_t)w->first[i];
    for (int r = 0; r < near->law.rows; r++) {
      w->d[at + (size_t)r] = w->c->gamma[s->p->row[near->place] + r];
      w->gamma[at + (size_t)r] = near->active < 0 ? column == w->probes + w->first[i] + r
                                                  : rows[s->active[near->active].first + r];
    }
  }
}

static void probe(const work* w, int column) {
  size_t n = (size_t)w->c->s.n;
  double* v = w->v + (size_t)column * n;
  memset(v, 0, sizeof(double) * n);
  v[w->probe[column]] = 1;
  oppose(w->c, v, w->c->rows);
  respond(w->c, w->c->rows, v);
  keep(w, column, w->c->rows);
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
  respond(c, c->rows, v);
  keep(w, column, c->rows);
}

/* --- Sides --------------------------------------------------------------------------------------
 */

/* Friction that slides stays at its bound as it turns, to which a straight way is a tangent.
 * @param gamma [rows] on that way */
static void keep_bound(const cr_law_at* at, double* gamma) {
  const cr_law* law = cr_law_get(at->problem->kind[at->constraint]);
  int t = law->rows - law->is_cone;
  double start2 = 0, end2 = 0;
  for (int i = 0; i < t; i++) start2 += at->gamma[i] * at->gamma[i], end2 += gamma[i] * gamma[i];
  double share = sqrt(start2 / end2) * (law->is_cone ? gamma[t] / at->gamma[t] : 1);
  for (int i = 0; i < t && share > 0 && isfinite(share); i++) gamma[i] *= share;
}

/* The laws after a small change to one side along a probe. */
static void find_laws(const work* w, int column, double change) {
  const cr_constraint_state* s = &w->c->s;
  for (int i = 0; i < s->num_near; i++) {
    const cr_near_kink* near = &s->near[i];
    double v_c[CR_LAW_MAX_ROWS], gamma[CR_LAW_MAX_ROWS];
    size_t first = (size_t)column * (size_t)w->rows + (size_t)w->first[i];
    cr_law_at at = cr_constraint_state_look(s, near->place);
    int last = near->law.rows - 1;
    for (int r = 0; r <= last; r++) {
      v_c[r] = at.v_c[r] + change * w->d[first + (size_t)r];
      gamma[r] = at.gamma[r] + change * w->gamma[first + (size_t)r];
    }
    if (near->law.state == CR_LAW_SLIDE) keep_bound(&at, gamma);
    if (last > 0 && gamma[last] == 0) gamma[last] = DBL_MIN; /* one that slides as it closes */
    at.v_c = v_c, at.gamma = gamma;
    cr_law_tangent_find(&at, &w->other[i]);
    w->is_other[i] = w->other[i].state != near->law.state;
    w->differs[i] |= w->is_other[i];
  }
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

/* The rows of those that have another law; returns how many. */
static int list_tried(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  int count = 0;
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows && w->is_other[i]; r++)
      w->tried[count++] = (tried_row){i, r};
  return count;
}

/* Adds what the other laws of a side make of a probe's dv; false where they leave it open. */
static bool add_side(const work* w, int column, double side) {
  find_laws(w, column, side * CR_DERIVE_SMALL_CHANGE);
  int count = list_tried(w), n = w->c->s.n;
  if (count == 0) return true;
  for (int i = 0; i < count; i++) {
    w->r[i] = -side * apply_other(w, w->tried[i], column);
    for (int k = 0; k < count; k++)
      w->M[i * count + k] = apply_other(w, w->tried[i], find_drive(w, w->tried[k]));
  }
  if (!cr_lu_factor(w->M, count, w->pivot)) return false;
  cr_lu_solve(w->M, w->pivot, count, w->r);
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
  memset(w->jump, 0, sizeof(double) * (size_t)n);
  bool left = add_side(w, column, -1), right = add_side(w, column, 1);
  if (!left || !right) return true;
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
  cr_step_tangent_note_kink(c->s.t, law->kink, law->kink_speed);
}

/* The unknowns that near kinks have rows on. False when memory ran out. */
static bool find_probes(work* w) {
  const cr_constraint_tangent* c = w->c;
  const cr_problem* p = c->s.p;
  double* x = CR_PUSH(c->s.t->arena, double, c->s.n);
  w->probe = CR_PUSH(c->s.t->arena, int, c->s.n);
  if (!w->probe) return false;
  memset(w->probe, 0, sizeof(int) * (size_t)c->s.n);
  for (int i = 0; i < c->s.num_near; i++)
    for (int r = 0; r < c->s.near[i].law.rows; r++) {
      memset(x, 0, sizeof(double) * (size_t)c->s.n);
      memset(c->gamma, 0, sizeof(double) * (size_t)p->num_rows);
      c->gamma[p->row[c->s.near[i].place] + r] = 1;
      cr_problem_add_J_transposed(p, c->gamma, x, c->s.local);
      for (int k = 0; k < c->s.n; k++) w->probe[k] |= x[k] != 0;
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
  w->gamma = CR_PUSH(arena, double, columns* rows);
  w->d = CR_PUSH(arena, double, columns* rows);
  w->M = CR_PUSH(arena, double, rows* rows);
  w->r = CR_PUSH(arena, double, rows);
  w->jump = CR_PUSH(arena, double, s->n);
  w->pivot = CR_PUSH(arena, int, rows);
  w->other = CR_PUSH(arena, cr_law_tangent, s->num_near);
  w->is_other = CR_PUSH(arena, bool, s->num_near);
  w->differs = CR_PUSH(arena, bool, s->num_near);
  w->is_kink = CR_PUSH(arena, bool, s->num_near);
  w->tried = CR_PUSH(arena, tried_row, rows);
  return !arena->failed;
}

static void find_responses(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  for (int k = 0; k < w->probes; k++) probe(w, k);
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows; r++)
      drive(w, &s->near[i], r, w->probes + w->first[i] + r);
}

bool cr_near_kinks_mark(cr_constraint_tangent* c) {
  const cr_constraint_state* s = &c->s;
  work w = {.c = c};
  if (s->num_near == 0) return true;
  if (!push(&w)) return false;
  if (w.rows > MOST_ROWS) {
    for (int i = 0; i < s->num_near; i++)
      if (s->near[i].law.kink_speed <= CR_DERIVE_SMALL_CHANGE) mark(c, i);
    return true;
  }
  find_responses(&w);
  for (int i = 0; i < s->num_near; i++) w.is_kink[i] = false;
  for (int k = 0; k < w.probes; k++) {
    for (int i = 0; i < s->num_near; i++) w.differs[i] = false;
    bool felt = is_felt(&w, k);
    for (int i = 0; i < s->num_near && felt; i++) w.is_kink[i] |= w.differs[i];
  }
  for (int i = 0; i < s->num_near; i++)
    if (w.is_kink[i]) mark(c, i);
  return true;
}
