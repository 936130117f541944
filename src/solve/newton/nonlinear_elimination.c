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

#include "math/scalar.h"
#include "solve/newton/elimination.h"
#include "solve/tuning.h"

#include <string.h>

#define ROUNDS    3    /* in which S grows where factors are large */
#define LEAST     2    /* constraints that S may grow by in a problem that is worth while */
#define CHUNK     4    /* constraints whose merit is looked at together */
#define REST_MOST 0.25 /* more is not worth while */
#define AGAIN     2    /* times what they had left: others have left their linearisation */

/* Where factors are large and what may be left to the others is at most this often merit that is
 * none, a larger S may spare the last step: */
#define NEAR       100
#define NEAR_SHARE 16
#define NEAR_AGAIN 0.16 /* of merit that is none is what they may have left as they respond */

/* Where Newton has not come to an end: */
#define LATE_LARGE      5 /* steps after which large problems with such are solved thoroughly, */
#define LATE            8 /* small ones with such, */
#define LAST            9 /* and all exhaustively; */
#define LAST_DEAR       7 /* stiff ones sooner where factors take so many operations, */
#define DEAR_FLOPS      1e8
#define LAST_FAR        6 /* sooner, and more at once, from starts far away, */
#define LAST_HUGE       5 /* and even sooner and more where they take so many; */
#define HUGE_FLOPS      5e8
#define UTMOST          11 /* steps after which S may be as large wherever factors take */
#define FAR_FLOPS       5e7
#define ROUNDS_THOROUGH 4
#define ROUNDS_COULOMB  6
#define REST_LAST       0.005 /* as CR_REST */

/* What S may grow by at once, and to. */
typedef struct limits {
  int constraints, rows;
} limits;

#define MOST (CR_ELIMINATION_ROWS / 8) /* constraints at once */
static const limits BRIEF = {8, 48}, NEAR_END = {24, 96}, THOROUGH = {8, 96};
static const limits EXHAUSTIVE = {24, 192}, LARGE = {30, 240};
static const limits LARGEST = {MOST, CR_ELIMINATION_ROWS};

static int min(int a, int b) { return a < b ? a : b; }

static bool has_many(const cr_system* system) {
  return system->problem->num_constraints >= LEAST * CR_SHARE;
}

static bool is_stiff(const cr_system* system) { return system->smallest_R < CR_STIFF; }

static bool is_huge(const cr_system* system) { return system->H.flops >= HUGE_FLOPS; }

static bool is_stiff_and_dear(const cr_system* system, double flops) {
  return is_stiff(system) && system->H.flops >= flops;
}

static const limits* get_exhaustive(cr_elimination_effort effort) {
  if (effort == CR_ELIMINATION_LARGEST) return &LARGEST;
  return effort == CR_ELIMINATION_LARGE ? &LARGE : &EXHAUSTIVE;
}

static bool is_exhaustive(const cr_elimination* x) {
  return x->effort >= CR_ELIMINATION_EXHAUSTIVE;
}

/* With the De Saxce term S is not always solved, and rounds that follow are in vain. */
static bool is_convex(const cr_elimination* x) { return x->mode->coulomb == 0; }

/* The steps after which constraints are solved exhaustively. */
static int find_last(const cr_system* system, bool is_far) {
  if (is_stiff_and_dear(system, HUGE_FLOPS)) return LAST_HUGE;
  if (is_far && is_stiff_and_dear(system, FAR_FLOPS)) return LAST_FAR;
  return is_stiff_and_dear(system, DEAR_FLOPS) ? LAST_DEAR : LAST;
}

static cr_elimination_effort choose_exhaustive(const cr_system* system, int steps, bool is_far) {
  if (is_huge(system)) return CR_ELIMINATION_LARGEST;
  if (!is_stiff_and_dear(system, FAR_FLOPS)) return CR_ELIMINATION_EXHAUSTIVE;
  if (steps >= UTMOST) return CR_ELIMINATION_LARGEST;
  return is_far ? CR_ELIMINATION_LARGE : CR_ELIMINATION_EXHAUSTIVE;
}

cr_elimination_effort cr_nonlinear_elimination_choose(const cr_system* system,
                                                      const cr_law_mode* mode, int steps,
                                                      bool is_far, bool is_hidden) {
  if (system->iterative) return CR_ELIMINATION_NONE;
  if (mode->coulomb > 0 && cr_system_is_proximal(system))
    return cr_system_is_large(system) ? CR_ELIMINATION_BRIEF : CR_ELIMINATION_NONE;
  if (steps >= find_last(system, is_far) || (is_stiff(system) && is_hidden))
    return choose_exhaustive(system, steps, is_far);
  if (is_stiff(system) && steps >= (cr_system_is_large(system) ? LATE_LARGE : LATE))
    return CR_ELIMINATION_THOROUGH;
  return has_many(system) ? CR_ELIMINATION_BRIEF : CR_ELIMINATION_NONE;
}

bool cr_nonlinear_elimination_init(cr_nonlinear_elimination* e, const cr_system* system,
                                   cr_elimination_effort effort, cr_arena* arena) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows, most = get_exhaustive(effort)->rows;
  e->effort = effort, e->most_rows = most;
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
  int count = 0, most = get_exhaustive(x->effort)->constraints;
  CR_FOR_EACH_LAW (k, x->system->batch) {
    int all = x->system->batch[k].count;
    for (int i = 0; i < all; i += CHUNK) {
      int size = all - i < CHUNK ? all - i : CHUNK;
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
  cr_elimination_constraint chunk[MOST];
  x->total = 0;
  int count = 0, most = get_exhaustive(x->effort)->constraints, chunks = choose_chunks(x, chunk);
  double left = x->total;
  for (int i = 0; i < chunks; i++) left -= chunk[i].merit;
  if (left > REST_MOST * REST_MOST * x->total || x->total <= x->enough) return 0;
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

static bool is_near(const cr_elimination* x, double merit) {
  bool is_brief = !cr_elimination_is_thorough(x);
  return is_brief && cr_system_is_large(x->system) && merit <= NEAR * x->enough;
}

/* What S may grow by, given the merit of all, and what may be left to the others. */
static limits plan_growth(const cr_elimination* x, double* rest) {
  int count = x->system->problem->num_constraints;
  double share = is_exhaustive(x) && is_convex(x) ? REST_LAST : CR_REST;
  *rest = scalar_max(share * share * x->total, CR_DONE * x->enough);
  if (is_exhaustive(x)) return *get_exhaustive(x->effort);
  if (x->effort == CR_ELIMINATION_THOROUGH) return THOROUGH;
  bool near = is_near(x, *rest);
  limits most = near ? NEAR_END : BRIEF;
  most.constraints = min(count / (near ? NEAR_SHARE : CR_SHARE), most.constraints);
  if (near) *rest = CR_DONE * x->enough;
  return most;
}

/* Adds as few constraints to S as leave little to the others; whether that makes sense. */
static bool grow(cr_elimination* x) {
  cr_elimination_constraint list[MOST];
  int count = find_largest(x, list), before = x->count;
  double rest;
  limits most = plan_growth(x, &rest);
  x->rest = x->total;
  for (int k = 0; k < count && x->count - before < most.constraints && x->rest > rest; k++) {
    if (x->rows + list[k].rows > most.rows) break;
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

/* The rows of J of a constraint. */
static bool add_rows(cr_nonlinear_elimination* e, const cr_problem* p, int row, int rows) {
  const cr_problem_group* g = find_group(p, row);
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
      memcpy(x->memory->G + p->ld * m, x->linear->G + p->ld * row, sizeof(double) * (size_t)p->ld);
    }
  }
  cr_half_compute_gram(&x->memory->half, begin, x->memory->C, x->memory->most_rows);
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
  if (is_near(x, merit)) return merit > NEAR_AGAIN * x->enough;
  return merit > (cr_elimination_is_thorough(x) ? x->enough : AGAIN * AGAIN * x->rest);
}

/* How often S may grow. */
static int count_rounds(const cr_elimination* x) {
  if (is_exhaustive(x)) return is_convex(x) ? CR_ROUNDS : ROUNDS_COULOMB;
  if (x->effort == CR_ELIMINATION_THOROUGH) return ROUNDS_THOROUGH;
  return cr_system_is_large(x->system) ? ROUNDS : 1;
}

/* S, and what it changes, as long as it grows. */
static void run(cr_elimination* x) {
  int rounds = count_rounds(x);
  bool grows = true;
  for (int i = 1, count = 0, rows = 0; grows && reduce(x, count, rows); i++) {
    count = x->count, rows = x->rows;
    grows = improve(x) && i < rounds && grow(x);
  }
}

bool cr_nonlinear_elimination_apply(cr_nonlinear_elimination* e, cr_system* system,
                                    const cr_iterate* from, const cr_law_mode* mode,
                                    const cr_law_linearization* linear,
                                    cr_elimination_effort effort, double most, double enough,
                                    cr_arena* arena, cr_newton_step* step, double* merit) {
  cr_elimination x;
  x.memory = e, x.system = system, x.mode = mode, x.linear = linear, x.from = from, x.step = step;
  x.enough = enough, x.effort = effort;
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
