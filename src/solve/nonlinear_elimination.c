/* Nonlinear elimination of a few constraints S after a full Newton step, with its factor of
 * H = A + JᵀGJ.
 *
 * Let all others keep their linearisation. Impulses of S that change by dgamma = c - G C c move the
 * velocities of S by C c, with C = J_S H⁻¹ J_Sᵀ, and all velocities by H⁻¹ J_Sᵀ c. So the laws of
 * S are solved by a Newton iteration in as many unknowns as S has rows, which is next to nothing,
 * and the whole follows by one substitution. C takes half a substitution for each row, along the
 * paths of S in the elimination tree. Where others leave their linearisation as they respond, S
 * grows by these. */
#include "solve/nonlinear_elimination.h"

#include "math/scalar.h"
#include "math/small.h"

#include <string.h>

#define MOST      8  /* constraints that S grows by at once */
#define MOST_ROWS 48 /* of S */
#define ROUNDS    3  /* in which it grows, where factors are large */
#define LARGE                                                                         \
  5e6 /* operations of a factor; below, a second round costs as much as a Newton step \
       */
#define SHARE      32   /* of all constraints is what S grows by at once at most */
#define LEAST      2    /* constraints that S may grow by in a problem that is worth while */
#define CHUNK      4    /* constraints whose merit is looked at together */
#define REST       0.05 /* of the merit's root that may be left to the others */
#define REST_MOST  0.25 /* more is not worth while */
#define GAIN       0.5  /* of the merit's root that must be left at most */
#define AGAIN      2    /* times what they had left: others have left their linearisation */
#define STEPS      8    /* Newton steps of S */
#define LEAST_STEP 1e-2
#define DONE       0.1 /* of what the others have left is a small root of the merit */

bool cr_nonlinear_elimination_suits(const cr_system* system) {
  return !system->iterative && system->problem->num_constraints >= LEAST * SHARE;
}

bool cr_nonlinear_elimination_init(cr_nonlinear_elimination* e, const cr_system* system,
                                   cr_arena* arena) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  e->v_c = CR_SCRATCH(arena, double, p->num_rows);
  e->gamma = CR_SCRATCH(arena, double, p->num_rows);
  for (int k = 0; k < 2; k++) {
    e->change[k].dv = CR_SCRATCH(arena, double, n);
    e->change[k].dv_c = CR_SCRATCH(arena, double, p->num_rows);
    e->change[k].dgamma = CR_SCRATCH(arena, double, p->num_rows);
  }
  e->C = CR_SCRATCH(arena, double, MOST_ROWS* MOST_ROWS);
  e->M = CR_SCRATCH(arena, double, MOST_ROWS* MOST_ROWS);
  e->G = CR_SCRATCH(arena, double, p->room* MOST_ROWS);
  return !arena->failed;
}

/* --- Choice of S --------------------------------------------------------------------------------
 */

typedef struct constraint {
  int kind, index; /* in the batch of its kind */
  int row, rows;
  double merit;
} constraint;

typedef struct elimination {
  cr_nonlinear_elimination* e;
  cr_system* system;
  const cr_law_mode* mode;
  const cr_law_linearization* linear;
  cr_law_point point; /* e->v_c, e->gamma */
  const cr_iterate* from;
  const cr_newton_step* step;
  double total, rest; /* merit at the point when S was chosen, of all and of all others */
  double enough;      /* merit that is none */
  double least;       /* merit so far, or what it must be below */
  bool has_changed;   /* whether that is of e->change[0] */
  int count, rows;    /* of S */
  constraint chosen[MOST_ROWS];
  double v_c[MOST_ROWS], gamma[MOST_ROWS]; /* of S after the full step */
  double c[MOST_ROWS];
} elimination;

/* Constraints of a batch from `first` on. */
static cr_law_batch slice(const cr_law_batch* batch, int first, int count) {
  cr_law_batch part = *batch;
  part.row += first, part.parameter += 2 * first, part.scale += first;
  part.count = count;
  return part;
}

static double merit_of(const elimination* x, int kind, int first, int count) {
  cr_law_batch part = slice(&x->system->batch[kind], first, count);
  return cr_law_get(kind)->merit(&part, &x->point, x->mode);
}

/* Keeps what is among the MOST of largest merit, in that order. */
static void consider(constraint* list, int* count, constraint one) {
  int at = *count;
  if (at == MOST && list[--at].merit >= one.merit) return;
  if (*count < MOST) ++*count;
  for (; at > 0 && list[at - 1].merit < one.merit; at--) list[at] = list[at - 1];
  list[at] = one;
}

/* The chunks of largest merit, and the merit of all. */
static int choose_chunks(elimination* x, constraint* chunk) {
  int count = 0;
  CR_FOR_EACH_LAW (k, x->system->batch) {
    int all = x->system->batch[k].count;
    for (int i = 0; i < all; i += CHUNK) {
      int size = all - i < CHUNK ? all - i : CHUNK;
      constraint one = {.kind = k, .index = i, .rows = size, .merit = merit_of(x, k, i, size)};
      x->total += one.merit;
      consider(chunk, &count, one);
    }
  }
  return count;
}

/* The constraints of largest merit, from chunks that hold enough of it. */
static int find_largest(elimination* x, constraint* list) {
  constraint chunk[MOST];
  x->total = 0;
  int count = 0, chunks = choose_chunks(x, chunk);
  double left = x->total;
  for (int i = 0; i < chunks; i++) left -= chunk[i].merit;
  if (left > REST_MOST * REST_MOST * x->total || x->total <= x->enough) return 0;
  for (int i = 0; i < chunks; i++)
    for (int j = 0, kind = chunk[i].kind; j < chunk[i].rows; j++) {
      int index = chunk[i].index + j, row = x->system->batch[kind].row[index];
      constraint one = {kind, index, row, cr_law_get(kind)->rows, merit_of(x, kind, index, 1)};
      consider(list, &count, one);
    }
  return count;
}

static bool is_chosen(const elimination* x, int row) {
  for (int k = 0; k < x->count; k++)
    if (x->chosen[k].row == row) return true;
  return false;
}

/* Adds as few constraints to S as leave little to the others; whether that makes sense. */
static bool grow(elimination* x) {
  constraint list[MOST];
  int count = find_largest(x, list), before = x->count;
  int most = x->system->problem->num_constraints / SHARE;
  double little = scalar_max(REST * REST * x->total, DONE * x->enough);
  x->rest = x->total;
  for (int k = 0; k < count && x->count - before < most && x->rest > little; k++) {
    if (x->rows + list[k].rows > MOST_ROWS) break;
    x->rest -= list[k].merit;
    if (is_chosen(x, list[k].row)) continue;
    x->chosen[x->count++] = list[k];
    x->rows += list[k].rows;
  }
  return x->count > before && x->rest < REST_MOST * REST_MOST * x->total;
}

/* --- S in place of all --------------------------------------------------------------------------
 */

/* The group of a row. */
static const cr_problem_group* find_group(const cr_problem* p, int row) {
  int low = 0, high = p->num_groups - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (p->group[middle].row_start <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return &p->group[low];
}

/* x += factor times a row of J. */
static void add_row(const cr_problem* p, int row, double factor, double* x) {
  const cr_problem_group* g = find_group(p, row);
  const double* J = p->J + g->J_start + (ptrdiff_t)(row - g->row_start) * g->stride;
  for (int b = 0; b < g->block_count; b++) {
    int block = p->group_block[g->block_start + b];
    double* to = x + p->pattern.row_start[block];
    for (int i = 0; i < p->pattern.size[block]; i++) to[i] += factor * *J++;
  }
}

/* C = YᵀY for the rows of S from `first` on, from where both columns begin. */
static void multiply(elimination* x, int first) {
  int n = x->system->problem->pattern.num_rows, begin[MOST_ROWS];
  for (int a = 0; a < x->rows; a++) {
    const double* y = x->e->Y + (ptrdiff_t)n * a;
    for (begin[a] = 0; begin[a] < n && y[begin[a]] == 0;) begin[a]++;
    for (int b = 0; b <= a && a >= first; b++) {
      int from = begin[a] > begin[b] ? begin[a] : begin[b];
      double product = scalar_dot(y + from, x->e->Y + (ptrdiff_t)n * b + from, n - from);
      x->e->C[MOST_ROWS * a + b] = x->e->C[MOST_ROWS * b + a] = product;
    }
  }
}

/* C, and what S has after the full step, of the constraints from `first` on, whose rows begin at
 * the m-th. */
static void reduce(elimination* x, int first, int m) {
  const cr_problem* p = x->system->problem;
  int n = p->pattern.num_rows, begin = m;
  double* Y = x->e->Y + (ptrdiff_t)n * m;
  memset(Y, 0, sizeof(double) * (size_t)n * (size_t)(x->rows - m));
  for (int k = first; k < x->count; k++)
    for (int r = 0; r < x->chosen[k].rows; r++, m++) {
      int row = x->chosen[k].row + r;
      add_row(p, row, 1, x->e->Y + (ptrdiff_t)n * m);
      x->v_c[m] = x->from->v_c[row] + x->step->dv_c[row];
      x->gamma[m] = x->from->gamma[row] + x->step->dgamma[row];
      x->c[m] = 0;
      memcpy(x->e->G + p->room * m, x->linear->G + p->room * row, sizeof(double) * (size_t)p->room);
    }
  cr_system_solve_half(x->system, Y, x->rows - begin);
  multiply(x, begin);
}

/* The G of S that the factor has: of the constraint whose rows begin at the m-th. */
static const double* get_G(const elimination* x, int m) {
  return x->e->G + x->system->problem->room * m;
}

/* Moves S to where c + alpha step takes it; returns its merit there. */
static double move(elimination* x, double alpha, const double* step) {
  double merit = 0, dv[MOST_ROWS] = {0};
  for (int a = 0; a < x->rows; a++) {
    for (int b = 0; b < x->rows; b++)
      dv[a] += x->e->C[MOST_ROWS * a + b] * (x->c[b] + alpha * step[b]);
  }
  for (int k = 0, m = 0; k < x->count; k++) {
    const constraint* one = &x->chosen[k];
    const double* G = get_G(x, m);
    for (int a = 0; a < one->rows; a++) {
      double pull = 0;
      for (int b = 0; b < one->rows; b++) pull += G[one->rows * a + b] * dv[m + b];
      x->e->v_c[one->row + a] = x->v_c[m + a] + dv[m + a];
      x->e->gamma[one->row + a] = x->gamma[m + a] + x->c[m + a] + alpha * step[m + a] - pull;
    }
    m += one->rows;
    merit += merit_of(x, one->kind, one->index, 1);
  }
  return merit;
}

/* M = 1 + (G' - G) C and step = h of the laws of S, linearised where they are. */
static void linearize(elimination* x, double* step) {
  int room = x->system->problem->room, n = x->rows;
  for (int k = 0, m = 0; k < x->count; k++) {
    const constraint* one = &x->chosen[k];
    cr_law_batch part = slice(&x->system->batch[one->kind], one->index, 1);
    cr_law_get(one->kind)->linearize(&part, &x->point, x->mode, x->linear);
    double* G = x->linear->G + room * one->row;
    const double* before = get_G(x, m);
    for (int a = 0; a < one->rows; a++, step++) {
      double* M = x->e->M + n * (m + a);
      *step = x->linear->h[one->row + a];
      for (int j = 0; j < n; j++) {
        M[j] = m + a == j;
        for (int b = 0; b < one->rows; b++)
          M[j] +=
              (G[one->rows * a + b] - before[one->rows * a + b]) * x->e->C[MOST_ROWS * (m + b) + j];
      }
    }
    memcpy(G, before, sizeof(double) * (size_t)(one->rows * one->rows));
    m += one->rows;
  }
}

/* Halves the step until the merit of S falls; returns what that then is. */
static double search(elimination* x, double merit, const double* step) {
  for (double alpha = 1; alpha > LEAST_STEP; alpha *= 0.5) {
    double next = move(x, alpha, step);
    if (!(next < merit)) continue;
    for (int k = 0; k < x->rows; k++) x->c[k] += alpha * step[k];
    return next;
  }
  return merit;
}

/* Newton's method for the laws of S; whether their merit falls enough. */
static bool solve_chosen(elimination* x) {
  static const double none[MOST_ROWS] = {0};
  double first = move(x, 0, none), merit = first;
  double little = scalar_max(DONE * DONE * x->rest, DONE * x->enough);
  for (int i = 0; i < STEPS && merit > little; i++) {
    double step[MOST_ROWS], before = merit;
    linearize(x, step);
    small_solve(x->e->M, x->rows, step, 1);
    merit = search(x, before, step);
    if (merit == before) break;
  }
  return merit < GAIN * GAIN * first;
}

/* --- All again ----------------------------------------------------------------------------------
 */

/* What c changes of the step; returns the merit after both. */
static double respond(elimination* x, cr_newton_step* change) {
  const cr_problem* p = x->system->problem;
  memset(change->dv, 0, sizeof(double) * (size_t)p->pattern.num_rows);
  for (int k = 0, m = 0; k < x->count; k++)
    for (int r = 0; r < x->chosen[k].rows; r++, m++)
      add_row(p, x->chosen[k].row + r, x->c[m], change->dv);
  cr_system_solve(x->system, change->dv);
  cr_problem_apply_J(p, change->dv, change->dv_c, x->system->scratch_local);
  cr_system_multiply_G(x->system, x->linear->G, change->dv_c, change->dgamma);
  for (int i = 0; i < p->num_rows; i++) change->dgamma[i] = -change->dgamma[i];
  for (int k = 0, m = 0; k < x->count; k++)
    for (int r = 0; r < x->chosen[k].rows; r++, m++)
      change->dgamma[x->chosen[k].row + r] += x->c[m];
  for (int i = 0; i < p->num_rows; i++) {
    x->e->v_c[i] = x->from->v_c[i] + x->step->dv_c[i] + change->dv_c[i];
    x->e->gamma[i] = x->from->gamma[i] + x->step->dgamma[i] + change->dgamma[i];
  }
  double merit = 0;
  CR_FOR_EACH_LAW (k, x->system->batch) merit += merit_of(x, k, 0, x->system->batch[k].count);
  return merit;
}

static void add(const cr_problem* p, const cr_newton_step* change, cr_newton_step* step) {
  for (int i = 0; i < p->pattern.num_rows; i++) step->dv[i] += change->dv[i];
  for (int i = 0; i < p->num_rows; i++) {
    step->dv_c[i] += change->dv_c[i];
    step->dgamma[i] += change->dgamma[i];
  }
}

/* The full step's point. */
static void start(elimination* x) {
  for (int i = 0; i < x->system->problem->num_rows; i++) {
    x->e->v_c[i] = x->from->v_c[i] + x->step->dv_c[i];
    x->e->gamma[i] = x->from->gamma[i] + x->step->dgamma[i];
  }
}

/* Solves S and takes in what it changes, where that is better than what there was. Whether others
 * have left their linearisation. */
static bool improve(elimination* x) {
  cr_newton_step* change = x->e->change;
  if (!solve_chosen(x)) return false;
  double merit = respond(x, &change[1]);
  if (merit < x->least) {
    cr_newton_step worse = change[0];
    change[0] = change[1], change[1] = worse;
    x->least = merit, x->has_changed = true;
  }
  return merit > AGAIN * AGAIN * x->rest;
}

/* S, and what it changes, as long as it grows. */
static void run(elimination* x) {
  int rounds = x->system->H.flops > LARGE ? ROUNDS : 1;
  bool grows = true;
  for (int i = 1, count = 0, rows = 0; grows; i++) {
    reduce(x, count, rows);
    count = x->count, rows = x->rows;
    grows = improve(x) && i < rounds && grow(x);
  }
}

bool cr_nonlinear_elimination_apply(cr_nonlinear_elimination* e, cr_system* system,
                                    const cr_iterate* from, const cr_law_mode* mode,
                                    const cr_law_linearization* linear, double most, double enough,
                                    cr_arena* arena, cr_newton_step* step, double* merit) {
  elimination x = {e, system, mode, linear, .from = from, .step = step, .enough = enough};
  x.point = (cr_law_point){system->R, system->v_hat, e->v_c, e->gamma};
  start(&x);
  bool grows = grow(&x);
  *merit = x.total, x.least = scalar_min(GAIN * GAIN * x.total, most);
  if (!grows) return false;
  int size = MOST_ROWS * system->problem->pattern.num_rows;
  size_t mark = cr_arena_mark_scratch(arena);
  e->Y = cr_system_get_spare(system, size);
  if (!e->Y) e->Y = CR_SCRATCH(arena, double, size);
  if (e->Y) run(&x);
  cr_arena_pop_scratch(arena, mark);
  if (x.has_changed) add(system->problem, &e->change[0], step);
  return x.has_changed;
}
