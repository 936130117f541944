/* How far a constraint is from another state says little by itself: a limit in a loop that another
 * one holds, too, loses its load within 1e-8 m/s, though alone it would take 1e-3. What a small
 * change e x of the velocities does to it is
 *
 *   dy = dgamma - (dd + R dgamma) / W,    A dv - Jᵀ dgamma = A x,    D J dv + E dgamma = 0
 *
 * (near_kinks.c), for each unknown's x. A row of these numbers is as long as the root mean square
 * of what x of random signs make of it (Hutchinson 1990). */
#include "derive/near_kinks.h"
#include "math/scalar.h"
#include "problem/law_table.h"

#include <math.h>
#include <string.h>

#define REACH 3 /* times what is so found, beyond which none is near */

/* -1 or 1, as if at random (Wang's hash of 32 bits). */
static double find_sign(uint32_t probe, uint32_t unknown) {
  uint32_t h = (unknown * CR_NEAR_PROBES + probe) * UINT32_C(0x9e3779b1);
  h = (h ^ 61) ^ (h >> 16);
  h *= 9;
  h = (h ^ (h >> 4)) * UINT32_C(0x27d4eb2d);
  return (h ^ (h >> 15)) & 1 ? 1 : -1;
}

void cr_near_probe(const cr_constraint_tangent* c, uint32_t probe, double* v, double* rows) {
  const cr_constraint_state* s = &c->s;
  for (int i = 0; i < s->n; i++) v[i] = find_sign(probe, (uint32_t)i);
  memset(rows, 0, sizeof(double) * (size_t)s->num_rows);
  cr_problem_apply_J(s->p, v, c->gamma, s->local);
  cr_constraint_add_laws(c, -1, c->gamma, rows);
  cr_lu_solve_transposed(c->S, c->pivot, s->num_rows, rows);
  for (int r = 0; r < s->num_rows; r++)
    if (rows[r] != 0) scalar_axpy(v, rows[r], c->Z + (size_t)r * (size_t)s->n, s->n, v);
  cr_problem_apply_J(s->p, v, c->gamma, s->local);
}

/* |W dy|² of a constraint, m/s by m/s. */
static double find_move2(const cr_constraint_tangent* c, const cr_near_kink* near,
                         const double* rows) {
  const cr_constraint_state* s = &c->s;
  double scale = cr_law_tangent_find_scale(s->p, s->out->W, near->place), sum = 0;
  const double* dgamma = near->active < 0 ? NULL : rows + s->active[near->active].first;
  for (int r = 0; r < near->law.rows; r++) {
    int row = s->p->row[near->place] + r;
    double y = -c->gamma[row] + (dgamma ? (scale - s->p->R[row]) * dgamma[r] : 0);
    sum += y * y;
  }
  return sum;
}

/* What a small change moves each of s.near by, m/s. */
static bool find_moves(const cr_constraint_tangent* c, double* move) {
  const cr_constraint_state* s = &c->s;
  double* v = CR_PUSH(s->t->arena, double, s->n);
  double* rows = CR_PUSH(s->t->arena, double, s->num_rows);
  if (s->t->arena->failed) return false;
  for (int i = 0; i < s->num_near; i++) move[i] = 0;
  for (uint32_t k = 0; k < CR_NEAR_PROBES; k++) {
    cr_near_probe(c, k, v, rows);
    for (int i = 0; i < s->num_near; i++)
      move[i] += find_move2(c, &s->near[i], rows) / CR_NEAR_PROBES;
  }
  for (int i = 0; i < s->num_near; i++) move[i] = CR_DERIVE_SMALL_CHANGE * sqrt(move[i]);
  return true;
}

static bool is_near(const cr_near_kink* near, double move) {
  return near->law.kink_speed < fmax(REACH * move, CR_NEAR_KINK_REACH * CR_DERIVE_SMALL_CHANGE);
}

/* Of too many rows only those are near that are by themselves. */
static void limit_rows(const cr_constraint_state* s, int most_rows, double* move) {
  int rows = 0;
  for (int i = 0; i < s->num_near; i++)
    if (is_near(&s->near[i], move[i])) rows += s->near[i].law.rows;
  for (int i = 0; i < s->num_near && rows > most_rows; i++) move[i] = 0;
}

bool cr_near_laws_select(cr_constraint_tangent* c, int most_rows) {
  cr_constraint_state* s = &c->s;
  double* move = CR_PUSH(s->t->arena, double, s->num_near);
  if (!move || !find_moves(c, move)) return false;
  limit_rows(s, most_rows, move);
  int kept = 0;
  for (int i = 0; i < s->num_near; i++) {
    const cr_law_tangent* law = &s->near[i].law;
    if (is_near(&s->near[i], move[i]))
      s->near[kept++] = s->near[i];
    else
      cr_step_tangent_note_kink(s->t, law->kink, law->kink_speed);
  }
  s->num_near = kept;
  return true;
}
