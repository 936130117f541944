/* What Newton's last step leaves of the balance of momentum, and what is lost of it as impulses are
 * moved into C: with r = A (v - v*) - Jᵀ gamma and the factor of H = A + JᵀGJ that there is,
 *
 *   H dv = -r,   dgamma = -G J dv,   so that   A (v + dv - v*) = Jᵀ (gamma + dgamma)
 *
 * whatever G is. Near a solution G is what impulses answer to velocities by, so that the laws hold
 * as well as before. To the second order the impulses stay in C, and a few such corrections end
 * where they are in C and balance. Where the factor takes a constraint whose impulse is on the
 * surface of C to be inside (it sticks, at the edge of slipping), corrections carry it out as
 * often as it is moved back: G loses the direction in which it is. */
#include "solve/momentum.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "solve/tuning.h"

#include <float.h>
#include <math.h>

typedef struct balance {
  cr_system* system;
  cr_iterate* iterate;
  double *dv, *dv_c; /* of a correction */
  double* gamma;     /* [num_rows] impulses in C; */
  double* off;       /* [num_rows] how far the iterate's were from it, */
  double off2;       /* and the norm of that in W, squared, as if rows were alone */
  double enough;     /* |r| in A^-1 that is round-off */
} balance;

static bool init(balance* b, cr_system* system, cr_arena* arena, cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  *b = (balance){.system = system, .iterate = iterate};
  b->dv = CR_SCRATCH(arena, double, p->pattern.num_rows);
  b->dv_c = CR_SCRATCH(arena, double, p->num_rows);
  b->gamma = CR_SCRATCH(arena, double, p->num_rows);
  b->off = CR_SCRATCH(arena, double, p->num_rows);
  return !arena->failed;
}

/* Whether free bodies and elastic nodes rub. Of links, joints' reactions take what is left, and
 * rows alone are for the most part equalities, to which velocities are round-off over their weight.
 */
static bool is_exact(const cr_system* system) {
  const cr_problem* p = system->problem;
  bool has_joints = false, has_friction = false;
  for (int k = 0; k < p->pattern.num_blocks - p->num_elastic; k++)
    has_joints |= p->pattern.size[k] != 6;
  CR_FOR_EACH_LAW (k, system->batch) has_friction |= cr_law_get(k)->rows > 1;
  return has_friction && !has_joints;
}

/* Finds the impulses in C, and what round-off leaves of their sums and of differences of
 * velocities. */
static void project(balance* b) {
  const cr_system* s = b->system;
  double share = is_exact(s) ? CR_DONE * CR_DONE * CR_ROUND_OFF : CR_ROUND_OFF;
  double size2 = 0;
  CR_FOR_EACH_LAW (k, s->batch) cr_law_get(k)->project(&s->batch[k], b->iterate->gamma, b->gamma);
  b->off2 = 0;
  for (int i = 0; i < s->problem->num_rows; i++) {
    b->off[i] = b->iterate->gamma[i] - b->gamma[i];
    b->off2 += b->off[i] * b->off[i] / s->rho[i];
    size2 += b->gamma[i] * b->gamma[i] / s->rho[i];
  }
  b->enough = share * sqrt(size2) + DBL_EPSILON * s->v_star_size;
}

/* Moves the impulses into C. */
static void move_into_C(balance* b) {
  CR_COPY(b->iterate->gamma, b->gamma, b->system->problem->num_rows);
  cr_iterate_confirm(b->system, b->iterate);
}

static void correct(balance* b) {
  cr_system* s = b->system;
  const cr_problem* p = s->problem;
  cr_iterate* x = b->iterate;
  for (int i = 0; i < p->pattern.num_rows; i++) b->dv[i] = -x->r[i];
  cr_system_solve(s, b->dv);
  cr_problem_apply_J(p, b->dv, b->dv_c, s->scratch_local);
  cr_system_multiply_G(s, s->G, b->dv_c, b->gamma);
  scalar_axpy(x->v, 1, b->dv, p->pattern.num_rows, x->v);
  scalar_axpy(x->gamma, -1, b->gamma, p->num_rows, x->gamma);
  x->has_A_dv = false;
}

/* G - G e eᵀ G / eᵀ G e [rows, rows], whose impulses do not move along e. False where they do not
 * as it is. */
static bool deflate(const double* e, int rows, double* G) {
  double Ge[CR_LAW_MAX_ROWS], eGe = 0, most = 0;
  for (int a = 0; a < rows; a++) {
    Ge[a] = scalar_dot(G + rows * a, e, rows);
    eGe += Ge[a] * e[a];
    most += G[(rows + 1) * a] * scalar_dot(e, e, rows);
  }
  if (!(eGe > CR_ROUND_OFF * most)) return false;
  for (int a = 0; a < rows; a++)
    for (int k = 0; k < rows; k++) G[rows * a + k] -= Ge[a] * Ge[k] / eGe;
  return true;
}

/* Holds impulses back that have left C, but for round-off; false where there are none, or H cannot
 * be factored. */
static bool hold_back(balance* b, cr_arena* arena) {
  cr_system* s = b->system;
  const cr_problem* p = s->problem;
  bool any = false;
  double* G = CR_SCRATCH(arena, double, p->ld * p->num_rows);
  if (arena->failed) return false;
  CR_COPY(G, s->G, p->ld * p->num_rows);
  for (int i = 0; i < p->num_constraints; i++) {
    int row = p->row[i], rows = cr_law_get(p->kind[i])->rows;
    const double* e = b->off + row;
    if (scalar_dot(e, e, rows) > b->enough * b->enough * s->rho[row])
      any |= deflate(e, rows, G + p->ld * row);
  }
  return any && cr_system_factor(s, G);
}

/* Corrects until nothing is left but round-off, or no more can be done. */
static void run(balance* b, cr_arena* arena) {
  double last = INFINITY;
  for (int i = 0; i < CR_ROUNDS; i++) {
    double left = sqrt(b->iterate->r_norm2);
    if (left <= b->enough || (left > CR_DONE * last && !hold_back(b, arena))) return;
    last = left;
    correct(b);
    project(b);
    move_into_C(b);
  }
}

bool cr_momentum_balance(cr_system* system, const cr_law_mode* mode, double enough, cr_arena* arena,
                         cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  balance b;
  cr_iterate kept;
  if (system->iterative || !system->is_factored) return iterate->is_balanced;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!init(&b, system, arena, iterate)) return false;
  if (iterate->is_estimate) cr_iterate_update(system, iterate);
  project(&b);
  bool is_done = sqrt(iterate->r_norm2) + sqrt(b.off2) <= b.enough;
  if (!is_done) {
    if (!cr_iterate_init_scratch(&kept, p, arena)) return false;
    cr_iterate_copy(iterate, p, &kept);
    move_into_C(&b);
    run(&b, arena);
    is_done = cr_certificate_value(system, iterate, mode, b.gamma) <= enough;
    if (!is_done) cr_iterate_copy(&kept, p, iterate);
  }
  cr_arena_pop_scratch(arena, mark);
  return is_done;
}
