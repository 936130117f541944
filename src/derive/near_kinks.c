/* A corner of a block at rest may be about to slide though the block is not: others hold it. With
 * the constraints' equations at hand (constraint_tangent.h),
 *
 *   A dv - Jᵀ dgamma = A x,    D J dv + E dgamma = 0
 *
 * dv follows from any x. Another law E', D' of some constraints changes it by drives r on their
 * rows (of those that take part on the right side, of others as impulses), with
 *
 *   E' (dgamma + G r) + D' J (dv + V r) = 0
 *
 * A border counts where dv changes by a share that could be seen, for one of two x that are fixed,
 * of one constraint's other law, or of all of them together at the same side of theirs. What the
 * rows' own motion does is that of some x, as where bodies move as they are. */
#include "derive/near_kinks.h"

#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define PROBES    2
#define FELT      1e-5 /* share of dv */
#define MOST_ROWS 96   /* of all near kinks: beyond it all count */

/* A row of a near kink. */
typedef struct tried_row {
  int near, row;
} tried_row;

typedef struct work {
  cr_constraint_tangent* c;
  int rows;          /* of all near kinks */
  int columns;       /* probes, then drives */
  double* v;         /* [n, columns] dv */
  double *gamma, *d; /* [rows, columns] dgamma and J dv of the near kinks' rows */
  int* first;        /* [num_near] of the rows of each */
  double *M, *r;     /* [rows²], [rows] work */
  int* pivot;
  cr_law_tangent* other; /* [num_near] the laws that are tried, */
  bool* is_tried;        /* of those that are */
  tried_row* tried;      /* [rows] theirs */
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
      w->gamma[at + (size_t)r] = near->active < 0 ? column == PROBES + w->first[i] + r
                                                  : rows[s->active[near->active].first + r];
    }
  }
}

/* A number between 1/2 and 1 of either sign, by a linear congruence. */
static double draw(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  double x = 0.5 + 0.5 * (*state >> 9) / (double)(1 << 23);
  return *state & 256 ? x : -x;
}

static void probe(const work* w, int column, uint32_t* state) {
  double* v = w->v + (size_t)column * (size_t)w->c->s.n;
  for (int i = 0; i < w->c->s.n; i++) v[i] = draw(state);
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

/* --- Other laws ---------------------------------------------------------------------------------
 */

/* The column of the drive on a row. */
static int find_drive(const work* w, tried_row of) { return PROBES + w->first[of.near] + of.row; }

/* E' dgamma + D' J dv of a row in a column. */
static double apply_other(const work* w, tried_row of, int column) {
  const cr_law_tangent* law = &w->other[of.near];
  size_t at = (size_t)column * (size_t)w->rows + (size_t)w->first[of.near];
  double sum = 0;
  for (int k = 0; k < law->rows; k++)
    sum += law->E[of.row][k] * w->gamma[at + (size_t)k] + law->D[of.row][k] * w->d[at + (size_t)k];
  return sum;
}

/* The rows of those that are tried; returns how many. */
static int list_tried(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  int count = 0;
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows && w->is_tried[i]; r++)
      w->tried[count++] = (tried_row){i, r};
  return count;
}

/* The most by which an unknown changes by r, where none moves by more than 1 without constraints.
 */
static double find_share(const work* w, int count) {
  double most = 0;
  size_t n = (size_t)w->c->s.n;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < count; k++)
      sum += w->r[k] * w->v[(size_t)find_drive(w, w->tried[k]) * n + i];
    most = fmax(most, fabs(sum));
  }
  return most;
}

/* Whether dv changes by the laws that are tried. */
static bool is_felt(const work* w) {
  int count = list_tried(w);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < count; k++)
      w->M[i * count + k] = apply_other(w, w->tried[i], find_drive(w, w->tried[k]));
  if (!cr_lu_factor(w->M, count, w->pivot)) return true;
  for (int k = 0; k < PROBES; k++) {
    for (int i = 0; i < count; i++) w->r[i] = -apply_other(w, w->tried[i], k);
    cr_lu_solve(w->M, w->pivot, count, w->r);
    if (!(find_share(w, count) < FELT)) return true;
  }
  return false;
}

/* --- All ---------------------------------------------------------------------------------------
 */

/* Tries the state of one that is next to its own, towards open or towards stick. */
static bool try_next(const work* w, int i, bool is_closer) {
  const cr_near_kink* near = &w->c->s.near[i];
  const cr_law_at at = cr_constraint_state_look(&w->c->s, near->place);
  static const cr_law_state order[] = {CR_LAW_OPEN, CR_LAW_SLIDE, CR_LAW_STICK};
  int own = near->law.state == CR_LAW_OPEN ? 0 : near->law.state == CR_LAW_SLIDE ? 1 : 2;
  int step = is_closer ? 1 : -1;
  w->is_tried[i] = false;
  for (int k = own + step; k >= 0 && k < 3 && !w->is_tried[i]; k += step)
    w->is_tried[i] = cr_law_tangent_find_other(&at, order[k], &w->other[i]);
  return w->is_tried[i];
}

/* By how much its border moves with the state, as a share of what moves. */
static double find_approach(const work* w, int i) {
  const cr_law_at at = cr_constraint_state_look(&w->c->s, w->c->s.near[i].place);
  double most = 0;
  for (int k = 0; k < PROBES; k++) {
    size_t first = (size_t)k * (size_t)w->rows + (size_t)w->first[i];
    most = fmax(most, cr_law_tangent_move_border(&at, w->d + first, w->gamma + first));
  }
  return fmin(most, 1);
}

/* Marks one; a border that hardly moves is as far away as the state would have to go. */
static void mark(const work* w, int i) {
  const cr_near_kink* near = &w->c->s.near[i];
  cr_step_tangent* t = w->c->s.t;
  double approach = w->rows > MOST_ROWS ? 1 : find_approach(w, i);
  cr_step_tangent_mark_kink(t, near->law.kink / approach);
  t->kink_speed = fmin(t->kink_speed, near->law.kink_speed / approach);
}

static bool push(work* w) {
  const cr_constraint_state* s = &w->c->s;
  cr_arena* arena = s->t->arena;
  w->first = CR_PUSH(arena, int, s->num_near);
  if (arena->failed) return false;
  for (int i = 0; i < s->num_near; i++) w->first[i] = w->rows, w->rows += s->near[i].law.rows;
  if (w->rows > MOST_ROWS) return true;
  size_t rows = (size_t)w->rows, columns = rows + PROBES;
  w->v = CR_PUSH(arena, double, columns*(size_t)s->n);
  w->gamma = CR_PUSH(arena, double, columns* rows);
  w->d = CR_PUSH(arena, double, columns* rows);
  w->M = CR_PUSH(arena, double, rows* rows);
  w->r = CR_PUSH(arena, double, rows);
  w->pivot = CR_PUSH(arena, int, rows);
  w->other = CR_PUSH(arena, cr_law_tangent, s->num_near);
  w->is_tried = CR_PUSH(arena, bool, s->num_near);
  w->tried = CR_PUSH(arena, tried_row, rows);
  return !arena->failed;
}

static void find_responses(const work* w) {
  const cr_constraint_state* s = &w->c->s;
  uint32_t state = 1;
  for (int k = 0; k < PROBES; k++) probe(w, k, &state);
  for (int i = 0; i < s->num_near; i++)
    for (int r = 0; r < s->near[i].law.rows; r++)
      drive(w, &s->near[i], r, PROBES + w->first[i] + r);
}

/* Whether all together matter at one side of their borders. */
static bool are_felt(const work* w, bool is_closer) {
  bool any = false;
  for (int i = 0; i < w->c->s.num_near; i++) any |= try_next(w, i, is_closer);
  return any && is_felt(w);
}

static bool is_one_felt(const work* w, int i, bool is_closer) {
  for (int k = 0; k < w->c->s.num_near; k++) w->is_tried[k] = false;
  return try_next(w, i, is_closer) && is_felt(w);
}

bool cr_near_kinks_mark(cr_constraint_tangent* c) {
  const cr_constraint_state* s = &c->s;
  work w = {.c = c};
  if (s->num_near == 0) return true;
  if (!push(&w)) return false;
  bool all = w.rows > MOST_ROWS;
  if (!all) {
    find_responses(&w);
    all = s->num_near > 1 && (are_felt(&w, false) || are_felt(&w, true));
  }
  int count = 0;
  for (int i = 0; i < s->num_near && w.rows <= MOST_ROWS; i++)
    if (is_one_felt(&w, i, false) || is_one_felt(&w, i, true)) mark(&w, i), count++;
  for (int i = 0; i < s->num_near && all && count == 0; i++) mark(&w, i);
  return true;
}
