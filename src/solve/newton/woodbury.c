/* The derivative of the De Saxce term adds p qᵀ to the symmetric G of every sliding contact. With
 * the columns Jᵀp in P and Jᵀq in Q, and the factor of the symmetric H at hand,
 *
 *   (H + P Qᵀ) x = b:   x = H^-1 (b - P y),   (1 + Qᵀ H^-1 P) y = Qᵀ H^-1 b
 *
 * (Sherman, Morrison, Woodbury). The small system has one unknown a sliding contact. For the few of
 * a robot the half solutions L^-1 [b P Q] are computed at once, whose products make the system,
 * which is solved by elimination; else GMRES takes one solve with H an iteration. What it leaves of
 * the small system, s, is P s of the large one. p is scaled so that P s has about the norm of s in
 * A^-1: where contacts are stiff the energy of x, much larger, would tell nothing of that. */
#include "solve/newton/woodbury.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "math/small.h"
#include "solve/newton/gmres.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

typedef struct slip {
  cr_system* system;
  int count;
  int* group;      /* [count] whose columns the contact spans */
  double **P, **Q; /* [count] [stride of the group] */
  double* z;       /* [n] */
} woodbury;

/* The place of the largest element of G_coulomb - G. */
static int find_largest(const double* G, const double* G_coulomb, int count) {
  double largest = 0;
  int place = 0;
  for (int i = 0; i < count; i++) {
    double size = fabs(G_coulomb[i] - G[i]);
    if (size > largest) largest = size, place = i;
  }
  return place;
}

/* G_coulomb - G = p qᵀ by its largest element, |p|² = rho. False where the difference is zero. */
static bool split_rank_one(const double* G, const double* G_coulomb, double rho, int rows,
                           double* p, double* q) {
  /* As of all that stick. */
  if (memcmp(G, G_coulomb, sizeof(double) * (size_t)(rows * rows)) == 0) return false;
  int place = find_largest(G, G_coulomb, rows * rows), row = place / rows, column = place % rows;
  double largest = G_coulomb[place] - G[place];
  if (!(fabs(largest) > 0)) return false;
  double pp = 0;
  for (int k = 0; k < rows; k++) {
    int down = rows * k + column, along = rows * row + k;
    p[k] = (G_coulomb[down] - G[down]) / largest;
    q[k] = G_coulomb[along] - G[along];
    pp += p[k] * p[k];
  }
  double scale = sqrt(rho / pp);
  for (int k = 0; k < rows; k++) p[k] *= scale, q[k] /= scale;
  return true;
}

/* A column Jᵀp over the group's columns. */
static inline __attribute__((always_inline)) void combine(const double* J, int stride,
                                                          const double* p, int rows, double* out) {
  for (int c = 0; c < stride; c++) {
    double sum = 0;
    for (int k = 0; k < rows; k++) sum += p[k] * J[k * stride + c];
    out[c] = sum;
  }
}

/* The same in new memory; most contacts have three rows, whose loop is unrolled. */
static double* combine_rows(const double* J, int stride, const double* p, int rows,
                            cr_arena* arena) {
  double* out = CR_SCRATCH(arena, double, stride);
  if (arena->failed) return NULL;
  if (rows == 3)
    combine(J, stride, p, 3, out);
  else
    combine(J, stride, p, rows, out);
  return out;
}

static bool collect(woodbury* s, const double* G, const double* G_coulomb, cr_arena* arena) {
  const cr_problem* problem = s->system->problem;
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    for (int i = 0; i < group->constraint_count; i++) {
      int constraint = group->constraint_start + i, row = problem->row[constraint];
      int rows = cr_law_get(problem->kind[constraint])->rows;
      double p[CR_LAW_MAX_ROWS], q[CR_LAW_MAX_ROWS];
      if (!split_rank_one(G + problem->ld * row, G_coulomb + problem->ld * row, s->system->rho[row],
                          rows, p, q))
        continue;
      const double* J =
          problem->J + group->J_start + (int64_t)(row - group->row_start) * group->stride;
      s->group[s->count] = g;
      s->P[s->count] = combine_rows(J, group->stride, p, rows, arena);
      s->Q[s->count] = combine_rows(J, group->stride, q, rows, arena);
      if (arena->failed) return false;
      s->count++;
    }
  }
  return true;
}

/* x += weight times the i-th of some columns, of P or of Q. */
static void add_column(const woodbury* s, double* const* columns, int i, double weight, double* x) {
  const cr_problem* p = s->system->problem;
  const cr_problem_group* group = &p->group[s->group[i]];
  const double* column = columns[i];
  for (int k = 0; k < group->block_count; k++) {
    int block = p->group_block[group->block_start + k], size = p->pattern.size[block];
    double* out = x + p->pattern.row_start[block];
    for (int r = 0; r < size; r++) out[r] += weight * column[r];
    column += size;
  }
}

/* x += factor P y. */
static void add_P(const woodbury* s, const double* y, double factor, double* x) {
  for (int i = 0; i < s->count; i++) add_column(s, s->P, i, factor * y[i], x);
}

/* y = Qᵀ x. */
static void apply_Q_transposed(const woodbury* s, const double* x, double* y) {
  const cr_problem* p = s->system->problem;
  for (int i = 0; i < s->count; i++) {
    const cr_problem_group* group = &p->group[s->group[i]];
    const double* column = s->Q[i];
    double sum = 0;
    for (int k = 0; k < group->block_count; k++) {
      int block = p->group_block[group->block_start + k], size = p->pattern.size[block];
      const double* in = x + p->pattern.row_start[block];
      for (int r = 0; r < size; r++) sum += column[r] * in[r];
      column += size;
    }
    y[i] = sum;
  }
}

/* y = (1 + Qᵀ H^-1 P) x. */
static void apply(void* context, const double* x, double* y) {
  woodbury* s = context;
  memset(s->z, 0, sizeof(double) * (size_t)s->system->problem->pattern.num_rows);
  add_P(s, x, 1, s->z);
  cr_system_solve(s->system, s->z);
  apply_Q_transposed(s, s->z, y);
  for (int i = 0; i < s->count; i++) y[i] += x[i];
}

static bool init(woodbury* s, cr_system* system, cr_arena* arena) {
  int most = system->problem->num_constraints;
  *s = (woodbury){.system = system};
  s->group = CR_SCRATCH(arena, int, most);
  s->P = CR_SCRATCH(arena, double*, most);
  s->Q = CR_SCRATCH(arena, double*, most);
  s->z = CR_SCRATCH(arena, double, system->problem->pattern.num_rows);
  return !arena->failed;
}

/* x = H^-1 (b - P y) by half solutions of [b P Q] and one backward substitution. False where the
 * small system is singular or memory ran out. */
static bool eliminate(woodbury* s, cr_arena* arena, double* x) {
  int n = s->system->problem->pattern.num_rows, count = s->count;
  size_t size = sizeof(double) * (size_t)n;
  double M[CR_FEW_SLIDING * CR_FEW_SLIDING], y[CR_FEW_SLIDING];
  double* b = CR_SCRATCH(arena, double, n*(2 * count + 1));
  if (arena->failed) return false;
  double *P = b + n, *Q = P + (ptrdiff_t)n * count;
  memcpy(b, x, size);
  memset(P, 0, 2 * size * (size_t)count);
  for (int i = 0; i < count; i++) {
    add_column(s, s->P, i, 1, P + (ptrdiff_t)n * i);
    add_column(s, s->Q, i, 1, Q + (ptrdiff_t)n * i);
  }
  cr_system_solve_forward(s->system, b, 2 * count + 1);
  for (int i = 0; i < count; i++) {
    const double* Qi = Q + (ptrdiff_t)n * i;
    y[i] = scalar_dot(Qi, b, n);
    for (int j = 0; j < count; j++)
      M[i * count + j] = scalar_dot(Qi, P + (ptrdiff_t)n * j, n) + (i == j);
  }
  small_solve(M, count, y, 1);
  for (int j = 0; j < count; j++) {
    if (!isfinite(y[j])) return false;
    scalar_axpy(b, -y[j], P + (ptrdiff_t)n * j, n, b);
  }
  cr_system_solve_backward(s->system, b);
  memcpy(x, b, size);
  return true;
}

static int correct(woodbury* s, const double* b, double accuracy, int max_iterations,
                   cr_arena* arena, double* x) {
  int n = s->system->problem->pattern.num_rows;
  double* y = CR_SCRATCH(arena, double, s->count);
  if (arena->failed) return -1;
  apply_Q_transposed(s, x, y);
  cr_operator M = {s->count, apply, s};
  int iterations = cr_gmres_solve(&M, accuracy, max_iterations, arena, y);
  if (iterations <= 0) return iterations;
  CR_COPY(x, b, n);
  add_P(s, y, -1, x);
  cr_system_solve(s->system, x);
  return iterations;
}

/* Free bodies are left to GMRES: at rest it has nothing to do. */
static bool is_small(const woodbury* s) {
  return s->count > 0 && s->count <= CR_FEW_SLIDING && !s->system->iterative &&
         s->system->precision == CR_DOUBLE && cr_problem_is_articulated(s->system->problem);
}

int cr_woodbury_solve(cr_system* system, const double* G, const double* G_coulomb, double accuracy,
                      int max_iterations, cr_arena* arena, double* x, bool* is_exact) {
  woodbury s;
  int n = system->problem->pattern.num_rows, iterations = -1;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* b = CR_SCRATCH(arena, double, n);
  *is_exact = false;
  if (init(&s, system, arena) && collect(&s, G, G_coulomb, arena)) {
    if (is_small(&s) && eliminate(&s, arena, x)) {
      *is_exact = true;
      iterations = 0;
    } else {
      CR_COPY(b, x, n);
      cr_system_solve(system, x);
      *is_exact = s.count == 0 && !system->iterative;
      iterations = s.count > 0 ? correct(&s, b, accuracy, max_iterations, arena, x) : 0;
    }
  }
  cr_arena_pop_scratch(arena, mark);
  return iterations;
}
