/* The least-norm problem as one of those that are solved anyway. With u, one number for each
 * unknown, gamma(u) = P_F(-J u / R), R = e D, minimises e D/2 |gamma|² + u·(Jᵀ gamma) over F, and
 * proximal steps
 *
 *     A (u' - u + A⁻¹ b) = Jᵀ gamma(u'),      b = Jᵀ gamma as it is,
 *
 * each the convex problem with R, no bias and v* = u - A⁻¹ b, lead to Jᵀ gamma = b: the error
 * shrinks each time by e D / (W + e D), and e by hundreds (Rockafellar 1976). */
#include "sim/step/least_problem.h"

#include "base/copy.h"
#include "base/error.h"
#include "math/scalar.h"
#include "solve/solve.h"

#include <math.h>

#define SLIPS     1e-4 /* of what constraints change a point's velocity by: it slides */
#define FIRST_E   1e-2 /* e, over the least Delassus number */
#define LAST_E    1e-6
#define BALANCED  1e-10 /* of b: what Jᵀ gamma is off by where it goes on, */
#define STUCK     1e-7  /* and where it does not: where cones leave one impulse alone */
#define TOLERANCE 1e-13 /* of each solve */
#define MOST      12    /* solves */

/* --- Faces --------------------------------------------------------------------------------------
 */

/* The law's slack of a row. */
static double find_slack(const cr_faces* f, int row) {
  const cr_problem* p = &f->p->problem;
  return f->v_c[row] - p->v_hat[row] + p->R[row] * f->p->gamma[row];
}

static double norm_of(const double* x, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

/* What gives way has the impulse that it has. Normals of rigid contacts have traces of compliance
 * for the solver's sake, and areas for this very end. */
static bool is_compliant(const cr_faces* f, int i) {
  const cr_problem* p = &f->p->problem;
  const cr_constraint* c = &f->p->constraints[f->p->order[i]];
  int row = p->row[i], rows = cr_law_get(p->kind[i])->rows;
  bool is_rigid = c->rule == CR_ROW_CONTACT && isinf(c->stiffness) && !(f->step->sim->def.beta > 0);
  for (int k = 0; k < rows; k++)
    if (p->R[row + k] > 0 && !(is_rigid && k == rows - 1)) return true;
  return c->rule == CR_ROW_ACTUATOR;
}

static cr_face find_cone_face(cr_faces* f, int i, double small) {
  const cr_problem* p = &f->p->problem;
  int row = p->row[i], normal = row + cr_law_get(p->kind[i])->rows - 1;
  double mu = p->parameter[2 * i], slip[CR_LAW_MAX_ROWS] = {0}, *gamma = f->p->gamma;
  for (int k = row; k < normal; k++) slip[k - row] = find_slack(f, k);
  double speed = norm_of(slip, normal - row);
  if (!(gamma[normal] > 0) && find_slack(f, normal) > small + mu * speed) return CR_FACE_FIXED;
  if (!(speed > small)) return CR_FACE_WHOLE;
  double along = norm_of(gamma + row, normal - row);
  for (int k = row; k < normal; k++)
    f->ray[k] =
        gamma[normal] > 0 && along > 0 ? gamma[k] / gamma[normal] : -mu * slip[k - row] / speed;
  f->ray[normal] = 1;
  return CR_FACE_RAY;
}

/* A bound or a disc that moves against its impulse keeps it. */
static cr_face find_face(cr_faces* f, int i) {
  const cr_problem* p = &f->p->problem;
  int row = p->row[i], rows = cr_law_get(p->kind[i])->rows;
  double small = fmax(SLIPS * norm_of(f->change + row, rows), f->least),
         slack[CR_LAW_MAX_ROWS] = {0};
  if (is_compliant(f, i)) return CR_FACE_FIXED;
  if (cr_law_get(p->kind[i])->is_cone) return find_cone_face(f, i, small);
  for (int k = 0; k < rows; k++) slack[k] = find_slack(f, row + k);
  return norm_of(slack, rows) > small ? CR_FACE_FIXED : CR_FACE_WHOLE;
}

bool cr_faces_find(cr_faces* f) {
  const cr_problem* p = &f->p->problem;
  cr_arena* arena = f->step->problem_arena;
  f->face = CR_PUSH(arena, cr_face, p->num_constraints);
  f->ray = CR_PUSH(arena, double, p->num_rows);
  f->change = CR_PUSH(arena, double, p->num_rows);
  double* local = CR_PUSH(arena, double, cr_problem_scratch_size(p));
  if (arena->failed) return false;
  cr_problem_apply_J(p, p->v_star, f->change, local);
  for (int r = 0; r < p->num_rows; r++) {
    f->change[r] = f->v_c[r] - f->change[r];
    f->least = fmax(f->least, 1e-2 * SLIPS * fabs(f->change[r]));
  }
  for (int i = 0; i < p->num_constraints; i++) f->face[i] = find_face(f, i);
  return true;
}

/* --- The problem of the faces -------------------------------------------------------------------
 */

/* D of a constraint; of rows of other kinds that of a free body's point, in their units. */
static double find_metric(const cr_faces* f, int i, cr_mobilities* m, int group) {
  const cr_problem* p = &f->p->problem;
  const cr_constraint* c = &f->p->constraints[f->p->order[i]];
  if (c->point >= 0) return 1 / f->p->points->items[c->point].weight;
  double mobility = cr_mobility_of_row(m, (cr_row_place){group, p->row[i]});
  return mobility > 0 && isfinite(mobility) ? mobility : 1;
}

/* A constraint of the faces over the blocks of a group. */
static cr_assembly_rows add_law(cr_assembly* assembly, const cr_faces* f, const cr_problem_group* g,
                                cr_law_kind kind, const double* parameter) {
  const int* blocks = f->p->problem.group_block + g->block_start;
  return cr_assembly_add(assembly, kind, blocks, g->block_count, parameter[0], parameter[1]);
}

static void add_row(const double* from, double scale, int columns, double* to) {
  for (int k = 0; k < columns; k++) to[k] += scale * from[k];
}

static const double ENDLESS[] = {-INFINITY, INFINITY}, ONE_SIDED[] = {0, INFINITY};

/* Adds what is free of a constraint: as its law has it, or row by row without bounds.
 * @return how many constraints that makes */
static int add_constraint(const cr_least* l, int i, const cr_problem_group* g, double metric,
                          cr_assembly* assembly) {
  const cr_faces* f = l->faces;
  const cr_problem* p = &f->p->problem;
  int row = p->row[i], rows = cr_law_get(p->kind[i])->rows;
  const double* J = p->J + g->J_start + (int64_t)(row - g->row_start) * g->stride;
  cr_assembly_rows out = {0};
  if (f->face[i] == CR_FACE_RAY) {
    out = add_law(assembly, f, g, CR_LAW_BOUNDS, l->is_linear ? ENDLESS : ONE_SIDED);
    for (int k = 0; k < rows; k++) add_row(J + k * g->stride, f->ray[row + k], g->columns, out.J);
    for (int k = 0; k < rows; k++) out.R[0] += metric * f->ray[row + k] * f->ray[row + k];
    return 1;
  }
  if (!l->is_linear) out = add_law(assembly, f, g, (cr_law_kind)p->kind[i], p->parameter + 2 * i);
  for (int k = 0; k < rows; k++) {
    if (l->is_linear) out = add_law(assembly, f, g, CR_LAW_BOUNDS, ENDLESS);
    int at = l->is_linear ? 0 : k;
    add_row(J + k * g->stride, 1, g->columns, out.J + at * out.stride);
    out.R[at] = metric;
  }
  return l->is_linear ? rows : 1;
}

static bool assemble(cr_least* l, cr_mobilities* m) {
  const cr_faces* f = l->faces;
  const cr_problem* p = &f->p->problem;
  cr_arena* arena = f->step->problem_arena;
  int most = l->is_linear ? p->num_rows : p->num_constraints;
  cr_assembly_capacity capacity = {most, p->num_rows, 0, 0};
  for (int g = 0; g < p->num_groups; g++) {
    const cr_problem_group* group = &p->group[g];
    int count = l->is_linear ? group->row_count : group->constraint_count;
    capacity.block_references += group->block_count * count;
    capacity.J += (int64_t)group->row_count * group->stride;
  }
  cr_assembly assembly;
  int *order, *added = CR_PUSH(arena, int, most);
  if (arena->failed || !cr_assembly_init(&assembly, &p->pattern, &capacity, arena)) return false;
  for (int i = 0, g = 0; i < p->num_constraints; i++) {
    while (i >= p->group[g].constraint_start + p->group[g].constraint_count) g++;
    if (f->face[i] == CR_FACE_FIXED) continue;
    int first = assembly.num_items;
    int count = add_constraint(l, i, &p->group[g], find_metric(f, i, m, g), &assembly);
    for (int k = 0; k < count; k++) added[first + k] = i;
  }
  l->problem = (cr_problem){.pattern = p->pattern,
                            .A = p->A,
                            .A_symbolic = p->A_symbolic,
                            .A_factor = p->A_factor,
                            .velocity_floor = 0,
                            .num_elastic = p->num_elastic};
  if (!cr_assembly_finish(&assembly, arena, &l->problem, &order)) return false;
  l->place = CR_PUSH(arena, int, l->problem.num_constraints);
  if (arena->failed) return false;
  for (int i = 0; i < l->problem.num_constraints; i++) l->place[i] = added[order[i]];
  return true;
}

bool cr_least_init(cr_least* l, cr_mobilities* m) {
  if (!assemble(l, m)) return false;
  cr_problem* p = &l->problem;
  cr_arena* arena = l->faces->step->problem_arena;
  int n = p->pattern.num_rows;
  l->D = p->R;
  p->R = CR_PUSH(arena, double, p->num_rows);
  l->gamma = CR_PUSH(arena, double, p->num_rows);
  double** vectors[] = {&l->b, &l->u, &l->back, &l->fall, &l->old};
  for (int k = 0; k < 5; k++) *vectors[k] = CR_PUSH(arena, double, n);
  size_t local = cr_problem_scratch_size(p), factor = (size_t)p->A_symbolic->scratch_size;
  l->local = CR_PUSH(arena, double, local > factor ? local : factor);
  return !arena->failed;
}

/* Jᵀ gamma is to stay as it is. */
static void set_aim(cr_least* l) {
  int n = l->problem.pattern.num_rows;
  for (int i = 0; i < n; i++) l->b[i] = l->u[i] = 0;
  cr_problem_add_J_transposed(&l->problem, l->gamma, l->b, l->local);
  CR_COPY(l->fall, l->b, n);
  cr_cholesky_solve(l->problem.A_symbolic, l->problem.A_factor, l->fall, 1, n, l->local);
  l->size2 = scalar_dot(l->b, l->fall, n);
}

/* --- Solving ------------------------------------------------------------------------------------
 */

/* The least Delassus number over D: what e is measured in. */
static double find_unit(const cr_least* l) {
  const cr_faces* f = l->faces;
  const cr_problem* whole = &f->p->problem;
  double least = INFINITY;
  for (int i = 0; i < l->problem.num_constraints; i++) {
    int place = l->place[i], row = whole->row[place];
    int rows = cr_law_get(whole->kind[place])->rows, normal = rows * rows - 1;
    double W = f->p->W[whole->ld * row + normal];
    if (W > 0) least = fmin(least, W / l->D[l->problem.row[i]]);
  }
  return isfinite(least) ? least : 1;
}

/* |Jᵀ gamma - b| over |b| in A⁻¹, where `old` is u before the step: A (u' - u). */
static double find_error(cr_least* l) {
  int n = l->problem.pattern.num_rows;
  for (int i = 0; i < n; i++) l->old[i] = -l->b[i];
  cr_problem_add_J_transposed(&l->problem, l->gamma, l->old, l->local);
  CR_COPY(l->back, l->old, n);
  cr_cholesky_solve(l->problem.A_symbolic, l->problem.A_factor, l->back, 1, n, l->local);
  return l->size2 > 0 ? sqrt(fmax(scalar_dot(l->old, l->back, n), 0) / l->size2) : 0;
}

/* One proximal step, from u to u. */
static cr_result advance(cr_least* l, double compliance) {
  cr_problem* p = &l->problem;
  cr_solve_options options = cr_solve_options_default();
  cr_solve_report ignored;
  options.friction = CR_FRICTION_CONVEX, options.tolerance = TOLERANCE;
  options.start = CR_START_IMPULSES, options.without_residual = true;
  for (int r = 0; r < p->num_rows; r++) p->R[r] = compliance * l->D[r];
  for (int i = 0; i < p->pattern.num_rows; i++) l->back[i] = l->u[i] - l->fall[i];
  p->v_star = p->v0 = l->back;
  carom_status status = cr_solve(p, &options, l->faces->step->sim->workers,
                                 l->faces->step->problem_arena, l->u, l->gamma, &ignored);
  return status == CAROM_OK ? CR_DONE : CR_NO_MEMORY;
}

cr_result cr_least_solve(cr_least* l, bool* is_done) {
  double unit = find_unit(l), e = FIRST_E, error = INFINITY;
  set_aim(l);
  for (int k = 0; k < MOST; k++) {
    double before = error;
    CR_TRY(advance(l, e * unit));
    error = find_error(l);
    if (e <= LAST_E && (error < BALANCED || error > 0.5 * before)) break;
    double next = fmax(0.01 * e, LAST_E);
    for (int i = 0; i < l->problem.pattern.num_rows; i++) l->u[i] *= next / e;
    e = next;
  }
  *is_done = error < STUCK;
  return CR_DONE;
}
