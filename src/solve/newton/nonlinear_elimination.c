/* Nonlinear elimination of a few constraints S after a full Newton step, with its factor of
 * H = A + JᵀGJ.
 *
 * Let all others keep their linearisation. Impulses of S that change by dgamma = c - G C c move the
 * velocities of S by C c, with C = J_S H⁻¹ J_Sᵀ, and all velocities by H⁻¹ J_Sᵀ c. So the laws of
 * S are solved by a Newton iteration in as many unknowns as S has rows, which is next to nothing,
 * and the whole follows by the other half of one substitution. C takes half a substitution for each
 * row, along the paths of S in the elimination tree. Where others leave their linearisation as they
 * respond, S grows by these. */
#include "solve/newton/nonlinear_elimination.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "solve/newton/elimination.h"
#include "solve/tuning.h"

/* Constraints whose merit is looked at together: as many as laws evaluate at once. */
enum { LANES = 4 };

/* The share of the merit that S need not hold where it is worth while: what may be left, squared.
 */
static const double REST_MOST = CR_GAIN * CR_GAIN * CR_GAIN * CR_GAIN;

static bool has_many(const cr_system* system) {
  return system->problem->num_constraints >= 8 * CR_AT_ONCE;
}

cr_elimination_budget cr_nonlinear_elimination_choose(const cr_system* system,
                                                      const cr_law_mode* mode, int steps,
                                                      bool is_hidden) {
  if (system->iterative) return CR_ELIMINATION_NONE;
  if (mode->coulomb > 0 && cr_system_is_proximal(system))
    return cr_system_is_large(system) ? CR_ELIMINATION_BRIEF : CR_ELIMINATION_NONE;
  if (steps >= CR_LATE || (system->smallest_R < CR_STIFF && is_hidden))
    return CR_ELIMINATION_THOROUGH;
  return has_many(system) ? CR_ELIMINATION_BRIEF : CR_ELIMINATION_NONE;
}

bool cr_nonlinear_elimination_init(cr_nonlinear_elimination* e, const cr_system* system,
                                   cr_arena* arena) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows, most = CR_ELIMINATION_ROWS;
  e->v_c = CR_SCRATCH(arena, double, p->num_rows);
  e->gamma = CR_SCRATCH(arena, double, p->num_rows);
  for (int k = 0; k < 2; k++) {
    e->change[k].dv = CR_SCRATCH(arena, double, n);
    e->change[k].dv_c = CR_SCRATCH(arena, double, p->num_rows);
    e->change[k].dgamma = CR_SCRATCH(arena, double, p->num_rows);
  }
  e->C = CR_SCRATCH(arena, double, most* most);
  e->M = CR_SCRATCH(arena, double, most* most + CR_KERNEL_SLACK);
  e->K = CR_SCRATCH(arena, double, most* most);
  e->G = CR_SCRATCH(arena, double, p->ld* most);
  return cr_half_init(&e->half, &system->H, most, arena) && !arena->failed;
}

/* --- Choice of S --------------------------------------------------------------------------------
 */

/* Keeps what is among the `most` of largest merit, in that order. */
static void consider(cr_elimination_constraint* list, int most, int* count,
                     cr_elimination_constraint one) {
  int at = *count;
  if (at == most && list[--at].merit >= one.merit) return;
  if (*count < most) ++*count;
  for (; at > 0 && list[at - 1].merit < one.merit; at--) list[at] = list[at - 1];
  list[at] = one;
}

/* The chunks of largest merit, and the merit of all. */
static int choose_chunks(cr_elimination* x, cr_elimination_constraint* chunk) {
  int count = 0, most = 3 * CR_AT_ONCE;
  CR_FOR_EACH_LAW (k, x->system->batch) {
    int all = x->system->batch[k].count;
    for (int i = 0; i < all; i += LANES) {
      int size = all - i < LANES ? all - i : LANES;
      cr_elimination_constraint one = {.kind = k,
                                       .index = i,
                                       .rows = size,
                                       .merit = cr_elimination_merit(x, x->mode, k, i, size)};
      x->total += one.merit;
      consider(chunk, most, &count, one);
    }
  }
  return count;
}

/* The constraints of largest merit, from chunks that hold enough of it. */
static int find_largest(cr_elimination* x, cr_elimination_constraint* list) {
  cr_elimination_constraint chunk[3 * CR_AT_ONCE];
  x->total = 0;
  int count = 0, most = 3 * CR_AT_ONCE, chunks = choose_chunks(x, chunk);
  double left = x->total;
  for (int i = 0; i < chunks; i++) left -= chunk[i].merit;
  if (left > REST_MOST * x->total || x->total <= x->enough) return 0;
  for (int i = 0; i < chunks; i++)
    for (int j = 0, kind = chunk[i].kind; j < chunk[i].rows; j++) {
      int index = chunk[i].index + j, row = x->system->batch[kind].row[index];
      cr_elimination_constraint one = {kind, index, row, cr_law_get(kind)->rows,
                                       cr_elimination_merit(x, x->mode, kind, index, 1)};
      consider(list, most, &count, one);
    }
  return count;
}

static bool is_chosen(const cr_elimination* x, int row) {
  for (int k = 0; k < x->count; k++)
    if (x->chosen[k].row == row) return true;
  return false;
}

/* Adds as few constraints to S as leave little to the others; whether that makes sense. */
static bool grow(cr_elimination* x) {
  cr_elimination_constraint list[3 * CR_AT_ONCE];
  int count = find_largest(x, list), before = x->count;
  double rest = scalar_max(CR_REST * CR_REST * x->total, CR_DONE * x->enough);
  int most = cr_elimination_is_thorough(x) ? 3 * CR_AT_ONCE : CR_AT_ONCE;
  x->rest = x->total;
  for (int k = 0; k < count && x->count - before < most && x->rest > rest; k++) {
    if (x->rows + list[k].rows > CR_ELIMINATION_ROWS) break;
    x->rest -= list[k].merit;
    if (is_chosen(x, list[k].row)) continue;
    x->chosen[x->count++] = list[k];
    x->rows += list[k].rows;
  }
  return x->count > before && x->rest < REST_MOST * x->total;
}

/* --- S in place of all --------------------------------------------------------------------------
 */

/* The rows of J of a constraint. */
static bool add_rows(cr_nonlinear_elimination* e, const cr_problem* p, int row, int rows) {
  const cr_problem_group* g = &p->group[cr_problem_find_group(p, row)];
  const double* J = p->J + g->J_start + (ptrdiff_t)(row - g->row_start) * g->stride;
  return cr_half_add(&e->half, p->group_block + g->block_start, g->block_count, J, g->stride, rows);
}

/* C, and what S has after the full step, of the constraints from `first` on, whose rows begin at
 * the m-th; false when memory ran out. */
static bool reduce(cr_elimination* x, int first, int m) {
  const cr_problem* p = x->system->problem;
  int begin = m;
  for (int k = first; k < x->count; k++) {
    if (!add_rows(x->memory, p, x->chosen[k].row, x->chosen[k].rows)) return false;
    for (int r = 0; r < x->chosen[k].rows; r++, m++) {
      int row = x->chosen[k].row + r;
      x->v_c[m] = x->from->v_c[row] + x->step->dv_c[row];
      x->gamma[m] = x->from->gamma[row] + x->step->dgamma[row];
      x->c[m] = 0;
      CR_COPY(x->memory->G + p->ld * m, x->linear->G + p->ld * row, p->ld);
    }
  }
  cr_half_compute_gram(&x->memory->half, begin, x->memory->C, CR_ELIMINATION_ROWS);
  return true;
}

/* --- All again ----------------------------------------------------------------------------------
 */

/* What c changes of the step; returns the merit after both. */
static double respond(cr_elimination* x, cr_newton_step* change) {
  const cr_problem* p = x->system->problem;
  cr_half_solve(&x->memory->half, x->c, change->dv);
  cr_problem_apply_J(p, change->dv, change->dv_c, x->system->scratch_local);
  cr_system_multiply_G(x->system, x->linear->G, change->dv_c, change->dgamma);
  for (int i = 0; i < p->num_rows; i++) change->dgamma[i] = -change->dgamma[i];
  for (int k = 0, m = 0; k < x->count; k++)
    for (int r = 0; r < x->chosen[k].rows; r++, m++)
      change->dgamma[x->chosen[k].row + r] += x->c[m];
  for (int i = 0; i < p->num_rows; i++) {
    x->memory->v_c[i] = x->from->v_c[i] + x->step->dv_c[i] + change->dv_c[i];
    x->memory->gamma[i] = x->from->gamma[i] + x->step->dgamma[i] + change->dgamma[i];
  }
  double merit = 0;
  CR_FOR_EACH_LAW (k, x->system->batch)
    merit += cr_elimination_merit(x, x->mode, k, 0, x->system->batch[k].count);
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
static void start(cr_elimination* x) {
  for (int i = 0; i < x->system->problem->num_rows; i++) {
    x->memory->v_c[i] = x->from->v_c[i] + x->step->dv_c[i];
    x->memory->gamma[i] = x->from->gamma[i] + x->step->dgamma[i];
  }
}

/* Solves S and takes in what it changes, where that is better than what there was. Whether others
 * have left their linearisation. */
static bool improve(cr_elimination* x) {
  cr_newton_step* change = x->memory->change;
  if (!cr_elimination_solve(x)) return false;
  double merit = respond(x, &change[1]);
  if (merit < x->least) {
    cr_newton_step worse = change[0];
    change[0] = change[1], change[1] = worse;
    x->least = merit, x->has_changed = true;
  }
  return merit > (cr_elimination_is_thorough(x) ? x->enough : x->rest / (CR_GAIN * CR_GAIN));
}

/* S, and what it changes, as long as it grows. */
static void run(cr_elimination* x) {
  bool is_thorough = cr_elimination_is_thorough(x), is_large = cr_system_is_large(x->system);
  bool is_convex = x->mode->coulomb == 0; /* else S is not always solved, and rounds are in vain */
  int rounds = is_thorough && is_convex ? CR_ROUNDS : is_thorough || is_large ? CR_ROUNDS / 4 : 1;
  bool grows = true;
  for (int i = 1, count = 0, rows = 0; grows && reduce(x, count, rows); i++) {
    count = x->count, rows = x->rows;
    grows = improve(x) && i < rounds && grow(x);
  }
}

bool cr_nonlinear_elimination_apply(cr_nonlinear_elimination* e, cr_system* system,
                                    const cr_iterate* from, const cr_law_mode* mode,
                                    const cr_law_linearization* linear,
                                    cr_elimination_budget budget, double most, double enough,
                                    cr_arena* arena, cr_newton_step* step, double* merit) {
  cr_elimination x;
  x.memory = e, x.system = system, x.mode = mode, x.linear = linear, x.from = from, x.step = step;
  x.enough = enough, x.budget = budget;
  x.has_changed = false, x.count = x.rows = 0;
  if (cr_elimination_is_thorough(&x)) x.enough *= scalar_min(CR_VIOLATION * system->smallest_R, 1);
  x.point = (cr_law_point){system->R, system->v_hat, e->v_c, e->gamma};
  start(&x);
  bool grows = grow(&x);
  *merit = x.total, x.least = scalar_min(CR_GAIN * CR_GAIN * x.total, most);
  if (!grows) return false;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  cr_system_start_half(system, &e->half);
  run(&x);
  cr_arena_pop_scratch(arena, mark);
  if (x.has_changed) add(system->problem, &e->change[0], step);
  return x.has_changed;
}
